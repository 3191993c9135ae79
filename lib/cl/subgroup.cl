/* Sub-groups: sizes and ids, the barrier, votes, ballots. */
#include "subgroup.h"

#define ALL_EQUAL(T)                                                                                                   \
    COLLECTIVE int sub_group_non_uniform_all_equal(T x)                                                                \
    {                                                                                                                  \
        uint first = first_lane(lanes_with(true));                                                                     \
        T other = move_##T(slot(get_sub_group_local_id()), x, slot(first));                                            \
        return !__cy_unite(slots(), !(x == other));                                                                    \
    }
SUBGROUP_TYPES(ALL_EQUAL)

#if !defined CY_DOUBLE && !defined CY_HALF

OVL size_t get_local_size(uint dim);

/* ---- sizes and ids ---- */

/* The machine numbers the work-items of a workgroup by the size that was enqueued.  In a smaller workgroup at the
 * border of the range the missing ones are holes, which matter if they are not all at the end. */
INTERNAL bool has_holes(void)
{
    return launch_word(CY_KNL_WORK_DIM) > 1 && (get_local_size(0) != launch_word(CY_KNL_LC_SIZE) ||
                                                get_local_size(1) != launch_word(CY_KNL_LC_SIZE + 4));
}

/* How many work-items are there before number n? */
INTERNAL uint items_before(uint n)
{
    uint width = launch_word(CY_KNL_LC_SIZE), height = launch_word(CY_KNL_LC_SIZE + 4);
    uint x = n % width, y = n / width % height, z = n / width / height;
    uint row = get_local_size(0), plane = row * get_local_size(1), depth = get_local_size(2);
    if (z >= depth)
        return depth * plane;
    return z * plane + (y >= get_local_size(1) ? plane : y * row + (x < row ? x : row));
}

INTERNAL uint group_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

/* Warps of holes only are not sub-groups: counts the others among the first n warps. */
INTERNAL uint subgroups_before(uint n)
{
    uint threads = __cy_csr_numt(), count = 0;
    for (uint i = 0; i < n; i++)
        count += items_before((i + 1) * threads) != items_before(i * threads);
    return count;
}

INTERNAL uint warps_of(uint items) { return (items + __cy_csr_numt() - 1) / __cy_csr_numt(); }

OVL uint get_enqueued_num_sub_groups(void)
{
    return warps_of(launch_word(CY_KNL_LC_SIZE) * launch_word(CY_KNL_LC_SIZE + 4) * launch_word(CY_KNL_LC_SIZE + 8));
}
OVL uint get_max_sub_group_size(void) { return __cy_csr_numt(); }
OVL uint get_num_sub_groups(void)
{
    return has_holes() ? subgroups_before(get_enqueued_num_sub_groups()) : warps_of(group_items());
}
OVL uint get_sub_group_id(void) { return has_holes() ? subgroups_before(__cy_csr_wid()) : __cy_csr_wid(); }
OVL uint get_sub_group_size(void) { return __cy_late_subgroup_size(); }
OVL uint get_sub_group_local_id(void) { return __cy_late_subgroup_lane(); }

uint __cy_subgroup_size(void)
{
    uint first = __cy_csr_tid(), threads = __cy_csr_numt();
    if (has_holes())
        return items_before(first + threads) - items_before(first);
    uint left = group_items() - first;
    return left < threads ? left : threads;
}
uint __cy_subgroup_lane(void)
{
    uint first = __cy_csr_tid();
    return has_holes() ? items_before(first + __cy_lane()) - items_before(first) : __cy_lane();
}

/* ---- barrier ---- */

COLLECTIVE void sub_group_barrier(cl_mem_fence_flags flags)
{
    __cy_warp_barrier(flags & 7);
    __cy_note_fence((flags & 7) | 0xff00 | 4 << 16); /* memory_scope_sub_group */
}
COLLECTIVE void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { sub_group_barrier(flags); }

/* ---- votes ---- */

COLLECTIVE int sub_group_any(int predicate) { return __cy_unite(slots(), predicate != 0); }
COLLECTIVE int sub_group_all(int predicate) { return !__cy_unite(slots(), predicate == 0); }
COLLECTIVE int sub_group_non_uniform_any(int predicate) { return __cy_unite(slots(), predicate != 0); }
COLLECTIVE int sub_group_non_uniform_all(int predicate) { return !__cy_unite(slots(), predicate == 0); }
COLLECTIVE int sub_group_elect(void) { return first_lane(lanes_with(true)) == get_sub_group_local_id(); }

/* ---- ballots: only bits of lanes count ---- */

INTERNAL uint4 to_ballot(ulong lanes) { return (uint4)((uint)lanes, (uint)(lanes >> 32), 0, 0); }
INTERNAL ulong from_ballot(uint4 ballot) { return (ulong)ballot.s1 << 32 | ballot.s0; }
INTERNAL ulong present(uint4 ballot)
{
    uint size = get_sub_group_size();
    return from_ballot(ballot) & (size == 64 ? ~0ul : lanes_below(size));
}

COLLECTIVE uint4 sub_group_ballot(int predicate) { return to_ballot(lanes_with(predicate != 0)); }

OVL int sub_group_ballot_bit_extract(uint4 ballot, uint index)
{
    uint word = index < 64 ? (index < 32 ? ballot.s0 : ballot.s1) : (index < 96 ? ballot.s2 : ballot.s3);
    return word >> (index % 32) & 1;
}
OVL int sub_group_inverse_ballot(uint4 ballot)
{
    return sub_group_ballot_bit_extract(ballot, get_sub_group_local_id());
}
OVL uint sub_group_ballot_bit_count(uint4 ballot) { return count_lanes(present(ballot)); }
OVL uint sub_group_ballot_exclusive_scan(uint4 ballot)
{
    return count_lanes(present(ballot) & lanes_below(get_sub_group_local_id()));
}
OVL uint sub_group_ballot_inclusive_scan(uint4 ballot)
{
    uint own = get_sub_group_local_id();
    return count_lanes(present(ballot) & (lanes_below(own) | 1ul << own));
}
OVL uint sub_group_ballot_find_lsb(uint4 ballot) { return first_lane(present(ballot)); }
OVL uint sub_group_ballot_find_msb(uint4 ballot)
{
    ulong lanes = present(ballot);
    return lanes >> 32 ? 63 - (uint)__builtin_clz((uint)(lanes >> 32)) : 31 - (uint)__builtin_clz((uint)lanes | 1);
}

OVL uint4 get_sub_group_eq_mask(void) { return to_ballot(1ul << get_sub_group_local_id()); }
OVL uint4 get_sub_group_lt_mask(void) { return to_ballot(lanes_below(get_sub_group_local_id())); }
OVL uint4 get_sub_group_le_mask(void)
{
    uint own = get_sub_group_local_id();
    return to_ballot(lanes_below(own) | 1ul << own);
}
OVL uint4 get_sub_group_ge_mask(void) { return to_ballot(all_lanes() & ~lanes_below(get_sub_group_local_id())); }
OVL uint4 get_sub_group_gt_mask(void)
{
    uint own = get_sub_group_local_id();
    return to_ballot(all_lanes() & ~(lanes_below(own) | 1ul << own));
}

#endif
