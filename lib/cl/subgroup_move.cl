/* Sub-group functions that move values between work-items. */
#include "subgroup.h"

/* A vector is moved by halves. */
#define MOVE_N(n, T)                                                                                                   \
    INTERNAL T##n move_##T##n(__local uint *mine, T##n x, __local uint *theirs)                                        \
    {                                                                                                                  \
        return (T##n)(MOVE_HALF_##n(T)(mine, x.lo, theirs), MOVE_HALF_##n(T)(mine, x.hi, theirs));                     \
    }
#define MOVE_HALF_2(T)  move_##T
#define MOVE_HALF_4(T)  move_##T##2
#define MOVE_HALF_8(T)  move_##T##4
#define MOVE_HALF_16(T) move_##T##8
#define MOVES(T)                                                                                                       \
    MOVE_N(2, T)                                                                                                       \
    INTERNAL T##3 move_##T##3(__local uint *mine, T##3 x, __local uint *theirs)                                        \
    {                                                                                                                  \
        return (T##3)(move_##T##2(mine, x.s01, theirs), move_##T(mine, x.s2, theirs));                                 \
    }                                                                                                                  \
    MOVE_N(4, T) MOVE_N(8, T) MOVE_N(16, T)
SUBGROUP_TYPES(MOVES)

#define BROADCAST(n, T)                                                                                                \
    COLLECTIVE T##n sub_group_broadcast(T##n x, uint index)                                                            \
    {                                                                                                                  \
        return move_##T##n(slot(get_sub_group_local_id()), x, slot(index));                                            \
    }                                                                                                                  \
    COLLECTIVE T##n sub_group_non_uniform_broadcast(T##n x, uint index)                                                \
    {                                                                                                                  \
        return move_##T##n(slot(get_sub_group_local_id()), x, slot(index));                                            \
    }
#define BROADCASTS(T) WIDTHS(BROADCAST, T)
SUBGROUP_TYPES(BROADCASTS)

#define SHUFFLE(T)                                                                                                     \
    COLLECTIVE T sub_group_broadcast_first(T x)                                                                        \
    {                                                                                                                  \
        uint first = first_lane(lanes_with(true));                                                                     \
        return move_##T(slot(get_sub_group_local_id()), x, slot(first));                                               \
    }                                                                                                                  \
    COLLECTIVE T sub_group_shuffle(T x, uint index)                                                                    \
    {                                                                                                                  \
        return move_##T(slot(get_sub_group_local_id()), x, slot(index));                                               \
    }                                                                                                                  \
    COLLECTIVE T sub_group_shuffle_xor(T x, uint mask)                                                                 \
    {                                                                                                                  \
        uint own = get_sub_group_local_id();                                                                           \
        return move_##T(slot(own), x, slot(own ^ mask));                                                               \
    }                                                                                                                  \
    COLLECTIVE T sub_group_shuffle_up(T x, uint delta)                                                                 \
    {                                                                                                                  \
        uint own = get_sub_group_local_id();                                                                           \
        return move_##T(slot(own), x, slot(own - delta));                                                              \
    }                                                                                                                  \
    COLLECTIVE T sub_group_shuffle_down(T x, uint delta)                                                               \
    {                                                                                                                  \
        uint own = get_sub_group_local_id();                                                                           \
        return move_##T(slot(own), x, slot(own + delta));                                                              \
    }                                                                                                                  \
    COLLECTIVE T sub_group_rotate(T x, int delta)                                                                      \
    {                                                                                                                  \
        uint own = get_sub_group_local_id();                                                                           \
        return move_##T(slot(own), x, slot((own + (uint)delta) % __cy_csr_numt()));                                    \
    }                                                                                                                  \
    COLLECTIVE T sub_group_clustered_rotate(T x, int delta, uint size)                                                 \
    {                                                                                                                  \
        uint own = get_sub_group_local_id();                                                                           \
        return move_##T(slot(own), x, slot((own & ~(size - 1)) | ((own + (uint)delta) & (size - 1))));                 \
    }
SUBGROUP_TYPES(SHUFFLE)
