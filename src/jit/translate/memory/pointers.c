/* Where each lane accesses memory, if lanes do so one by one: by 32-bit addresses, as the host's accesses do it best. */
#include "jit/translate/memory/access.h"

/* The first lane's pointer, without the offset. */
static LLVMValueRef line_pointer(struct translator *t, const struct access *access)
{
    LLVMValueRef first = LLVMBuildAdd(t->builder, access->base.scalar, number32(t, (uint32_t)access->low), "");
    return host_pointer(t, first);
}

static LLVMValueRef steps_from(struct translator *t, LLVMValueRef pointer, LLVMValueRef step, unsigned count)
{
    LLVMValueRef by = LLVMBuildMul(t->builder, step, number64(t, count), "");
    return LLVMBuildGEP2(t->builder, t->i8, pointer, &by, 1, "");
}

/* The lanes of a straight line are at multiples of its step from a few of them, which x86-64 adds in the access itself. */
static LLVMValueRef straight_pointer(struct translator *t, const struct access *access, unsigned lane)
{
    static const uint8_t nearest[16] = {0, 0, 0, 3, 0, 3, 6, 7, 0, 7, 6, 3, 12, 12, 6, 7};
    const unsigned near = (lane & ~15u) + nearest[lane % 16], ways[] = {near, lane - near};
    LLVMValueRef step = LLVMBuildSExt(t->builder, access->base.step, t->i64, ""), pointer = line_pointer(t, access);
    for (unsigned i = 0; i < 2; i++)
        pointer = ways[i] ? steps_from(t, pointer, step, ways[i]) : pointer;
    return at_offset(t, pointer, access->offset - access->low);
}

/* Other hosts add the step after each access.  LLVM must not see that the pointers of several turns of a loop differ by a constant: it would
 * keep what is added to the first lane's, one number for each lane, in memory. */
struct access chained(struct translator *t, const struct access *access)
{
    enum { CHAIN = 8 };
    struct access line = *access;
    LLVMValueRef step = LLVMBuildSExt(t->builder, access->base.step, t->i64, "");
    LLVMValueRef first = at_offset(t, line_pointer(t, access), access->offset - access->low);
    line.straight_if = NULL;
    line.chain[0] = intrinsic(t, "llvm.launder.invariant.group", t->ptr, &first, 1);
    for (unsigned i = 1; i < t->lanes; i++)
        line.chain[i] =
            i % CHAIN ? steps_from(t, line.chain[i - 1], step, 1) : steps_from(t, line.chain[i - CHAIN], step, CHAIN);
    return line;
}

static bool moves_pairs(const struct translator *t)
{
    return t->host->moves_pairs && t->w % 2 == 0;
}

/* Two lanes' addresses are moved from a vector at once: hosts do that one by one, and extend 32-bit indices in accesses. */
static LLVMValueRef paired_pointer(struct translator *t, const struct access *access, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(t->i64, t->w / 2);
    LLVMValueRef both = LLVMBuildBitCast(t->builder, access->numbers->vector, type, ""), index;
    both = LLVMBuildExtractElement(t->builder, both, number32(t, lane / 2), "");
    if (lane % 2)
        index = LLVMBuildLShr(t->builder, both, number64(t, 32), "");
    else
        index = LLVMBuildAnd(t->builder, both, number64(t, UINT32_MAX), "");
    LLVMValueRef base = access->is_single ? at_offset(t, t->memory, access->offset) : t->memory;
    LLVMValueRef pointer = LLVMBuildGEP2(t->builder, t->i8, base, &index, 1, "");
    return access->is_single ? pointer : at_offset(t, pointer, access->offset);
}

/* The pointer of one lane. */
LLVMValueRef lane_pointer(struct translator *t, const struct access *access, LLVMValueRef group, unsigned lane)
{
    if (access->chain[0])
        return access->chain[lane];
    if (access->is_straight)
        return straight_pointer(t, access, lane);
    if (access->is_line) {
        LLVMValueRef by = LLVMBuildMul(t->builder, access->base.step, number32(t, lane), "");
        LLVMValueRef address = LLVMBuildAdd(t->builder, access->base.scalar, by, "");
        return at_offset(t, host_pointer(t, address), access->offset);
    }
    if (access->is_table)
        return at_offset(t, group, access->from_base[lane] - access->nearest + access->offset);
    if (access->is_affine) {
        const uint32_t step = access->base.class.kind == AFFINE ? access->base.class.stride : 0;
        const int64_t from_lowest = (int64_t)(int32_t)step * lane - (int32_t)below_base(t, &access->base.class);
        return at_offset(t, group, from_lowest + access->offset);
    }
    if (moves_pairs(t))
        return paired_pointer(t, access, lane);
    LLVMValueRef number = number_of_lane(t, access->numbers, lane);
    return at_offset(t, takes_lanes_by_memory(t) ? host_pointer(t, number) : number, access->offset);
}

struct numbers *lane_places(struct translator *t, uint32_t group, LLVMValueRef addresses)
{
    if (t->version == MASKED)
        addresses = LLVMBuildAnd(t->builder, addresses, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""), "");
    if (takes_lanes_by_memory(t) || moves_pairs(t))
        return numbers_of(t, group, addresses);
    LLVMValueRef index = LLVMBuildZExt(t->builder, addresses, t->vi64, "");
    return numbers_of(t, group, LLVMBuildGEP2(t->builder, t->i8, t->memory, &index, 1, ""));
}

LLVMValueRef first_lane(struct translator *t, const struct access *access)
{
    LLVMValueRef first = LLVMBuildExtractElement(t->builder, vector_of(t, access->base), number32(t, 0), "");
    return at_offset(t, host_pointer(t, first), access->offset);
}

void part_row(struct translator *t, struct access *access)
{
    access->may_be_row = false;
    access->numbers = lane_places(t, NONE, vector_of(t, access->base));
}
