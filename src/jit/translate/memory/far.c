/* Loads and stores by 64-bit addresses.  What is not in one extent (far_bounds.c) is done by a helper, lane by lane, which also finds
 * faults. */
#include "jit/translate/memory/far.h"

/* ---- the form of an access's addresses ---- */

static enum form form_of(const struct translator *t, const struct wide_class *class, unsigned align, int64_t *stride)
{
    enum { FARTHEST = 1 << 20 };
    const uint64_t unit = 1ull << align;
    if (class->kind == WIDE_UNIFORM)
        return ONE;
    if (class->kind == WIDE_VECTOR)
        return ANY;
    *stride = (int64_t) class->factor * (int32_t) class->index.stride;
    if (class->index.kind == AFFINE && (int64_t) class->factor > 0 && class->factor < FARTHEST &&
        *stride<FARTHEST && * stride> - FARTHEST && !((uint64_t)*stride & (unit - 1)) && t->version != ALONE)
        return SPAN;
    const bool is_power = class->factor && !(class->factor & (class->factor - 1)) && class->factor < FARTHEST;
    return is_power && class->factor >= unit ? INDEX : ANY;
}

/* ---- host addresses: relative to the window's, of which all pointers are made ---- */

static LLVMValueRef pointer_to(struct translator *t, LLVMValueRef address, int64_t offset)
{
    LLVMValueRef pointer = LLVMBuildGEP2(t->builder, t->i8, t->memory, &address, 1, "");
    return at_offset(t, pointer, offset);
}

static LLVMValueRef lane_pointer(struct translator *t, const struct far_access *access, unsigned lane, int64_t offset)
{
    const uint32_t group = access->group;
    LLVMValueRef address;
    offset += access->offset;
    if (access->form == SPAN || access->form == ONE)
        return pointer_to(t, t->group_pointer[group],
                          access->stride * lane - far_below_base(t, access) - t->groups.at[group].low + offset);
    if (access->form == ANY) {
        address = number_of_lane(t, access->numbers, lane);
        return pointer_to(t, LLVMBuildAdd(t->builder, address, t->group_bias[group], ""), offset);
    }
    if (access->is_line) { /* few distances that stay the same in a loop, and sums with them */
        LLVMValueRef step = far_step(t, access), start = far_start(t, access);
        LLVMValueRef four = LLVMBuildMul(t->builder, step, number64(t, lane & ~3u), "");
        LLVMValueRef one = LLVMBuildMul(t->builder, step, number64(t, lane & 3u), "");
        start = LLVMBuildAdd(t->builder, start, t->group_bias[group], "");
        LLVMValueRef pointer = pointer_to(t, LLVMBuildAdd(t->builder, start, four, ""), offset);
        return LLVMBuildGEP2(t->builder, t->i8, pointer, &one, 1, "");
    }
    LLVMValueRef base = LLVMBuildAdd(t->builder, access->base.base, t->group_bias[group], "");
    lane -= cy_jit_broken(FAR_INDEX) && lane && lane == t->lanes - 1;
    LLVMValueRef index = far_index(t, &access->base, number_of_lane(t, access->numbers, lane), t->i64);
    index = LLVMBuildMul(t->builder, index, number64(t, access->base.class.factor), "");
    LLVMValueRef pointer = pointer_to(t, base, offset);
    return LLVMBuildGEP2(t->builder, t->i8, pointer, &index, 1, "");
}

/* The pointer of the first lane, where each has an index. */
static LLVMValueRef first_pointer(struct translator *t, const struct far_access *access)
{
    LLVMValueRef index = LLVMBuildExtractElement(t->builder, access->index, number32(t, 0), "");
    LLVMValueRef address = far_address(t, &access->base, index);
    return pointer_to(t, LLVMBuildAdd(t->builder, address, t->group_bias[access->group], ""), access->offset);
}

/* <W x ptr>, of an index per lane or any addresses.  Hosts have instructions for 32-bit indices of words. */
static LLVMValueRef lane_pointers(struct translator *t, const struct far_access *access, int64_t offset)
{
    const uint64_t factor = access->base.class.factor;
    LLVMValueRef bias = t->group_bias[access->group], base = bias, lanes = access->lanes;
    LLVMTypeRef unit = t->i8;
    if (access->form == INDEX) {
        base = LLVMBuildAdd(t->builder, access->base.base, bias, "");
        lanes = spoiled(t, cy_jit_broken(FAR_INDEX), far_index(t, &access->base, access->index, t->vi64));
        if (factor <= 8)
            unit = LLVMIntTypeInContext(t->context, (unsigned)(8 * factor));
        else
            lanes = LLVMBuildMul(t->builder, lanes, splat(t, number64(t, factor)), "");
    }
    LLVMValueRef pointer = pointer_to(t, base, access->offset + offset);
    return LLVMBuildGEP2(t->builder, unit, pointer, &lanes, 1, "");
}

LLVMValueRef far_row_pointer(struct translator *t, const struct far_access *access, int64_t offset)
{
    return pointer_to(t, t->group_pointer[access->group], access->offset + offset - t->groups.at[access->group].low);
}

bool are_far_halves(const struct translator *t, const struct far_access *access)
{
    for (unsigned k = 0; k < access->words; k++)
        if (!is_half(t, access->number + k, k))
            return false;
    return access->words % 2 == 0 && access->form != ONE && t->version != ALONE;
}

/* ---- loads ---- */

bool is_far_row(const struct far_access *access, unsigned bytes)
{
    return access->form == SPAN && access->stride == (int64_t)bytes;
}

/* Word `word` of each element of `words`, all of which were loaded at once. */
static LLVMValueRef every(struct translator *t, LLVMValueRef row, unsigned words, unsigned word)
{
    LLVMValueRef from[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        from[i] = number32(t, i * words + word);
    return LLVMBuildShuffleVector(t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(from, t->w), "");
}

/* Elements of several words of which this access, or the group, has more than one: loaded as a whole, of which LLVM makes
 * one instruction for all words.  0: no. */
static unsigned element_words(const struct translator *t, const struct far_access *access, int64_t *from)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const int64_t words = access->stride / 4;
    if (access->form != SPAN || access->size != 4 || access->stride & 3 || words < 2 || words > 4)
        return 0;
    *from = group->low + (access->offset - group->low) / access->stride * access->stride;
    return *from + access->stride <= group->high &&
                   access->offset + 4 * (int64_t)access->words <= *from + access->stride
               ? (unsigned)words
               : 0;
}

static LLVMValueRef pointer_for_narrow(struct translator *t, const void *access, unsigned lane, int64_t from_it)
{
    return lane_pointer(t, access, lane, from_it);
}

/* Nothing but what the group accesses may be read. */
struct places far_places(const struct translator *t, const struct far_access *access)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    return (struct places){.access = access,
                           .pointer = pointer_for_narrow,
                           .group = access->group,
                           .stride = access->stride,
                           .at = access->offset - group->low,
                           .readable = group->high - group->low};
}

/* <W x i1>: those of the strip, whose addresses were checked whether they are active or not. */
static LLVMValueRef strip_lanes(struct translator *t)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i1, i < t->lanes, false);
    return LLVMConstVector(lanes, t->w);
}

/* A byte or half of each lane, anywhere: the aligned word that has it is in the same page. */
static LLVMValueRef gather_parts(struct translator *t, const struct far_access *access)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef address = access->lanes;
    LLVMValueRef from = LLVMBuildAdd(b, t->group_bias[access->group], number64(t, (uint64_t)access->offset), "");
    if (access->form == INDEX) {
        address = far_index(t, &access->base, access->index, t->vi64);
        address = LLVMBuildMul(b, address, splat(t, number64(t, access->base.class.factor)), "");
        from = LLVMBuildAdd(b, from, access->base.base, "");
    }
    address = LLVMBuildAdd(b, address, splat(t, from), "");
    LLVMValueRef in_word = LLVMBuildAnd(b, address, splat(t, number64(t, 3)), "");
    address = LLVMBuildSub(b, address, in_word, "");
    LLVMValueRef words =
        gather_where(t, t->vi32, LLVMBuildGEP2(b, t->i8, t->memory, &address, 1, ""), 4, strip_lanes(t));
    LLVMValueRef bytes = LLVMBuildTrunc(b, in_word, t->vi32, "");
    LLVMValueRef shift = LLVMBuildShl(b, bytes, splat(t, number32(t, 3)), "");
    LLVMTypeRef row = LLVMVectorType(element_type(t, access->size), t->w);
    LLVMValueRef parts = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, shift, ""), row, "");
    return extended(t, parts, access->zero_extend, t->vi32);
}

/* Words, or elements of two. */
static LLVMValueRef gather(struct translator *t, const struct far_access *access, int64_t offset, LLVMTypeRef type)
{
    return gather_where(t, type, lane_pointers(t, access, offset), 4, strip_lanes(t));
}

/* The same access of one of its words, wherever lanes have it. */
static struct far_access one_word(const struct far_access *access, unsigned word)
{
    struct far_access one = *access;
    one.offset += 4 * (int64_t)word;
    one.words = 1;
    one.may_be_row = false;
    return one;
}

static bool is_gathered(const struct translator *t, const struct far_access *access)
{
    return has_gathers(t) && access->size == 4 && ((access->form == INDEX && !access->is_line) || access->form == ANY);
}

/* Elements of two words, of which LLVM makes no whole ones again after a check. */
static void load_elements(struct translator *t, const struct far_access *access, LLVMValueRef *out)
{
    const bool is_one = access->form == ONE;
    LLVMValueRef row = LLVMConstNull(t->vi64);
    const bool at_once = is_gathered(t, access);
    if (is_one)
        row = load_from(t, t->i64, lane_pointer(t, access, 0, cy_jit_broken(FAR_ONE) ? 4 : 0));
    else if (at_once)
        row = gather(t, access, 0, t->vi64);
    for (unsigned i = 0; !is_one && !at_once && i < t->lanes; i++)
        row = LLVMBuildInsertElement(t->builder, row, load_from(t, t->i64, lane_pointer(t, access, i, 0)),
                                     number32(t, i), "");
    row = is_one ? row : spoiled(t, cy_jit_broken(TWOS), row);
    for (unsigned k = 0; k < 2; k++)
        out[k] = pair_word(t, row, k, !is_one);
}

void load_far(struct translator *t, const struct far_access *access, LLVMValueRef *out)
{
    LLVMTypeRef element = element_type(t, access->size), to = access->form == ONE ? t->i32 : t->vi32;
    int64_t from = 0;
    const unsigned words = element_words(t, access, &from);
    LLVMValueRef whole = NULL;
    if (has_gathers(t) && access->size < 4 && access->words == 1 &&
        (access->form == ANY || (access->form == INDEX && !access->is_line))) {
        *out = gather_parts(t, access);
        return;
    }
    if (!words && access->form != ONE && access->size == 4 && access->words == 4 && t->w >= 4) {
        const struct places places = far_places(t, access);
        if (are_far_halves(t, access))
            load_twos(t, &places, out);
        else
            load_fours(t, &places, 0, out);
        return;
    }
    if (!words && access->size == 4 && access->words == 2 && !access->may_be_row) {
        load_elements(t, access, out);
        return;
    }
    if (words)
        whole = load_from(t, LLVMVectorType(t->i32, words * t->w), far_row_pointer(t, access, from - access->offset));
    for (unsigned k = 0; access->may_be_row && k < access->words; k++) {
        struct far_access apart = one_word(access, k);
        struct row_ways ways = begin_ways(t, t->group_kind[access->group], first_pointer(t, &apart), NULL);
        apart.numbers = numbers_of(t, NONE, access->index);
        load_far(t, &apart, &out[k]);
        out[k] = end_ways(t, &ways, out[k]);
    }
    if (access->may_be_row)
        return;
    if (is_gathered(t, access)) {
        for (unsigned k = 0; k < access->words; k++)
            out[k] = gather(t, access, 4 * (int64_t)k, t->vi32);
        return;
    }
    for (unsigned k = 0; k < access->words; k++) {
        LLVMValueRef row;
        if (access->form == ONE)
            row = load_from(t, element, lane_pointer(t, access, 0, cy_jit_broken(FAR_ONE) ? 0 : 4 * (int64_t)k));
        else if (whole)
            row = every(t, whole, words, (unsigned)(access->offset - from) / 4 + k);
        else if (is_far_row(access, access->size) && access->words == 1)
            row = spoiled(t, cy_jit_broken(FAR_ROW),
                          load_from(t, LLVMVectorType(element, t->w), far_row_pointer(t, access, 0)));
        else {
            row = LLVMConstNull(LLVMVectorType(element, t->w));
            for (unsigned i = 0; i < t->lanes; i++)
                row = LLVMBuildInsertElement(t->builder, row,
                                             load_from(t, element, lane_pointer(t, access, i, 4 * (int64_t)k)),
                                             number32(t, i), "");
        }
        out[k] = extended(t, row, access->zero_extend, to);
    }
}

/* ---- stores ---- */

/* Four words of each lane at once, if lanes do not overlap, or do not see each other's words. */
static bool store_chunks(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef words[4];
    const bool is_apart = access->form == SPAN && (access->stride >= 16 || access->stride <= -16);
    const bool is_anywhere = access->form == INDEX || access->form == ANY;
    if (access->size != 4 || access->words != 4 || t->w < 4 || !(is_apart || (is_anywhere && !t->may_exchange)))
        return false;
    for (unsigned k = 0; k < 4; k++)
        words[k] = vector_of(t, data[k]);
    const struct places places = far_places(t, access);
    store_chunk_lanes(t, &places, words, 1, are_far_halves(t, access));
    return true;
}

/* Word by word, as the interpreter: the last lane wins. */
static void store_all(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMTypeRef element = element_type(t, access->size), row_type = LLVMVectorType(element, t->w);
    for (unsigned k = 0; k < access->words; k++) {
        if (access->form == ONE && data[k].class.kind == UNIFORM) {
            LLVMValueRef value = LLVMBuildTruncOrBitCast(t->builder, scalar_of(t, data[k]), element, "");
            store_to(t, value, lane_pointer(t, access, 0, 4 * (int64_t)k));
            continue;
        }
        LLVMValueRef row = LLVMBuildTruncOrBitCast(t->builder, vector_of(t, data[k]), row_type, "");
        if (is_far_row(access, access->size) && access->words == 1) {
            store_row(t, row, far_row_pointer(t, access, 0));
            continue;
        }
        for (unsigned i = access->form == ONE ? t->lanes - 1 : 0; i < t->lanes; i++) {
            LLVMValueRef word = LLVMBuildExtractElement(t->builder, row, number32(t, i), "");
            store_to(t, word, lane_pointer(t, access, i, 4 * (int64_t)k));
        }
    }
}

/* All words of consecutive elements at once.  NULL: they are not. */
static LLVMValueRef element_row(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef rows[4], order[4 * CY_JIT_MAX_STRIP];
    const unsigned words = access->words;
    if ((words != 2 && words != 4) || !is_far_row(access, 4 * words) || access->size != 4)
        return NULL;
    for (unsigned k = 0; k < words; k++)
        rows[k] = vector_of(t, data[k]);
    for (unsigned i = 0; i < 2 * t->w; i++)
        order[i] = number32(t, i);
    LLVMValueRef both = LLVMConstVector(order, 2 * t->w);
    LLVMValueRef all = LLVMBuildShuffleVector(t->builder, rows[0], rows[1], both, "");
    if (words == 4) {
        for (unsigned i = 0; i < 4 * t->w; i++)
            order[i] = number32(t, i);
        LLVMValueRef others = LLVMBuildShuffleVector(t->builder, rows[2], rows[3], both, "");
        all = LLVMBuildShuffleVector(t->builder, all, others, LLVMConstVector(order, 4 * t->w), "");
    }
    for (unsigned i = 0; i < words * t->w; i++)
        order[i] = number32(t, i % words * t->w + i / words);
    return LLVMBuildShuffleVector(t->builder, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(order, words * t->w),
                                  "");
}

static bool store_elements(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef row = t->lanes < t->w ? NULL : element_row(t, access, data);
    if (row)
        store_to(t, row, far_row_pointer(t, access, 0));
    return row;
}

static LLVMValueRef buffer_word(struct translator *t, unsigned row, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildAdd(t->builder, lane, number32(t, row * CY_JIT_MAX_STRIP), "");
    return lane_word(t, t->far_buffers[1], at);
}

static LLVMValueRef buffer_row(struct translator *t, unsigned row)
{
    return at_offset(t, t->far_buffers[1], (int64_t)row * 4 * CY_JIT_MAX_STRIP);
}

static LLVMValueRef buffer_address(struct translator *t, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildZExt(t->builder, lane, t->i64, "");
    return LLVMBuildGEP2(t->builder, t->i64, t->far_buffers[0], &at, 1, "");
}

/* Guest addresses and data of all lanes, or of the one that is alone. */
static void fill_buffers(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef offset = number64(t, (uint64_t)access->offset);
    if (t->version == ALONE) {
        LLVMValueRef lane = lane_number(t), address = LLVMBuildAdd(t->builder, access->base.base, offset, "");
        LLVMBuildStore(t->builder, address, buffer_address(t, lane));
        for (unsigned k = 0; data && k < access->words; k++) {
            LLVMValueRef word = scalar_of(t, data[k]);
            LLVMBuildStore(t->builder, word, buffer_word(t, k, lane));
        }
        return;
    }
    LLVMValueRef offsets = splat(t, offset);
    LLVMValueRef addresses = LLVMBuildAdd(t->builder, wide_lanes(t, access->base), offsets, "");
    LLVMBuildStore(t->builder, addresses, t->far_buffers[0]);
    for (unsigned k = 0; data && k < access->words; k++) {
        LLVMValueRef row = vector_of(t, data[k]);
        LLVMBuildStore(t->builder, row, buffer_row(t, k));
    }
}

/* A loop over the active lanes. */
static void store_some(struct translator *t, const struct far_access *access, const struct value *data)
{
    fill_buffers(t, access, data);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->builder), loop = new_block(t, "lanes"),
                      on = new_block(t, "stored");
    LLVMValueRef bits = active_bits(t), no_poison = LLVMConstInt(t->i1, 1, false);
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef left = LLVMBuildPhi(t->builder, t->i32, ""), args[] = {left, no_poison};
    LLVMValueRef lane = intrinsic(t, "llvm.cttz", t->i32, args, 2);
    LLVMValueRef address = LLVMBuildLoad2(t->builder, t->i64, buffer_address(t, lane), "");
    address = LLVMBuildAdd(t->builder, address, t->group_bias[access->group], "");
    for (unsigned k = 0; k < access->words; k++) {
        LLVMValueRef value = LLVMBuildLoad2(t->builder, t->i32, buffer_word(t, k, lane), "");
        value = LLVMBuildTruncOrBitCast(t->builder, value, element_type(t, access->size), "");
        store_to(t, value, pointer_to(t, address, 4 * (int64_t)k));
    }
    LLVMValueRef rest = LLVMBuildAnd(t->builder, left, LLVMBuildSub(t->builder, left, number32(t, 1), ""), "");
    LLVMValueRef values[] = {bits, rest};
    LLVMBasicBlockRef blocks[] = {before, loop};
    LLVMAddIncoming(left, values, blocks, 2);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, rest, number32(t, 0), ""), loop, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* Rows, in one instruction where hosts have it. */
static bool store_masked_elements(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef row;
    if (is_far_row(access, access->size) && access->words == 1 && t->w >= 4 &&
        (!t->is_long || has_masked_stores_of(t, access->size))) {
        LLVMTypeRef type = LLVMVectorType(element_type(t, access->size), t->w);
        row = LLVMBuildTruncOrBitCast(t->builder, vector_of(t, data[0]), type, "");
        store_masked_row(t, row, far_row_pointer(t, access, 0));
        return true;
    }
    if (has_masked_stores(t) && (row = element_row(t, access, data))) {
        LLVMValueRef lanes = active_lanes(t), each[4 * CY_JIT_MAX_STRIP];
        const unsigned count = access->words * t->w;
        for (unsigned i = 0; i < count; i++)
            each[i] = number32(t, i / access->words);
        lanes = LLVMBuildShuffleVector(t->builder, lanes, LLVMGetPoison(LLVMTypeOf(lanes)),
                                       LLVMConstVector(each, count), "");
        store_where(t, row, far_row_pointer(t, access, 0), 4, lanes);
        return true;
    }
    return false;
}

static bool scatter(struct translator *t, const struct far_access *access, const struct value *data)
{
    if (!has_gathers(t) || access->size < 4 || (access->form != INDEX && access->form != ANY))
        return false;
    for (unsigned k = 0; k < access->words; k++) { /* of lanes that write the same word, the last one counts */
        LLVMValueRef row = vector_of(t, data[k]), pointers = lane_pointers(t, access, 4 * (int64_t)k);
        scatter_where(t, row, pointers, active_lanes(t));
    }
    return true;
}

static void store_fast(struct translator *t, const struct far_access *access, const struct value *data)
{
    bool is_uniform = access->form == ONE;
    for (unsigned k = 0; k < access->words; k++)
        is_uniform &= data[k].class.kind == UNIFORM;
    if (access->may_be_row) {
        struct far_access apart = one_word(access, 0);
        LLVMValueRef first = first_pointer(t, access);
        struct row_ways ways = begin_ways(t, t->group_kind[access->group], first, vector_of(t, data[0]));
        apart.numbers = numbers_of(t, NONE, access->index);
        store_fast(t, &apart, data);
        end_ways(t, &ways, NULL);
        return;
    }
    const bool is_masked = t->version == MASKED && !is_uniform;
    if (is_masked ? store_masked_elements(t, access, data) : store_elements(t, access, data))
        return;
    if ((!is_masked || !t->is_long) && store_chunks(t, access, data))
        return;
    if (!is_masked)
        store_all(t, access, data);
    else if (!scatter(t, access, data))
        store_some(t, access, data);
}

/* ---- lane by lane ---- */

void call_far_access(struct translator *t, const struct inst *inst, const struct far_access *access,
                     const struct value *data, LLVMValueRef *out)
{
    fill_buffers(t, access, data);
    LLVMValueRef item = rare_item(t);
    LLVMValueRef args[] = {t->frame, number32(t, inst->access), t->far_buffers[0], t->far_buffers[1], active_bits(t),
                           item};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, far_access), args, 6));
    if (data)
        return;
    LLVMValueRef lane = t->version == ALONE ? lane_number(t) : access->form == ONE ? first_active_lane(t) : NULL;
    for (unsigned k = 0; k < access->words; k++)
        out[k] = lane ? LLVMBuildLoad2(t->builder, t->i32, buffer_word(t, k, lane), "")
                      : LLVMBuildLoad2(t->builder, t->vi32, buffer_row(t, k), "");
}

/* ---- an instruction ---- */

static unsigned data_register(const struct inst *inst)
{
    switch (row_of(inst)->format) {
    case CY_FORMAT_STORE: return (unsigned)field(inst, CY_FIELD_rs2);
    case CY_FORMAT_LOAD: return (unsigned)field(inst, CY_FIELD_rd);
    case CY_FORMAT_VS12:
    case CY_FORMAT_VS12D: return (unsigned)field(inst, CY_FIELD_vs2);
    default: return (unsigned)field(inst, CY_FIELD_vd);
    }
}

void prepare_far(struct translator *t, const struct inst *inst, struct far_access *access)
{
    if (access->form == INDEX)
        access->index = of_active_lanes(t, vector_of(t, access->base.index));
    else if (access->form == ANY)
        access->lanes = of_active_lanes(t, wide_lanes(t, access->base));
    if (access->form == INDEX || access->form == ANY)
        access->numbers = numbers_of(t, inst->group, access->form == ANY ? access->lanes : access->index);
    if (inst->access == t->groups.at[access->group].first) {
        t->group_kind[access->group] = access->may_be_row ? find_far_kind(t, access) : NULL;
        check_far_group(t, access);
    }
    access->may_be_row &= t->group_kind[access->group] != NULL; /* the group's first access may have been another one */
}

static void make_pairs(struct translator *t, LLVMValueRef *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        words[k] = wide_from(t, words[2 * k], words[2 * k + 1], true);
}

void emit_far_access(struct translator *t, const struct inst *inst, struct far_access *access, const struct value *data,
                     LLVMValueRef *out)
{
    LLVMValueRef slow_out[4] = {0};
    const unsigned words = data ? 0 : access->words, pairs = words && are_far_halves(t, access) ? words / 2 : 0;
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    if (data)
        store_fast(t, access, data);
    else
        load_far(t, access, out);
    make_pairs(t, out, pairs);
    other_way(t, &fork);
    call_far_access(t, inst, access, data, slow_out);
    make_pairs(t, slow_out, pairs);
    end_fork(t, &fork, out, slow_out, pairs ? pairs : words);
    for (unsigned k = pairs; k--;) {
        LLVMValueRef pair = out[k];
        out[2 * k] = pair_word(t, pair, false, true);
        out[2 * k + 1] = pair_word(t, pair, true, true);
    }
}

static bool may_be_row(const struct translator *t, const struct far_access *access, bool is_store)
{
    return access->form == INDEX && !access->is_line && access->base.class.factor == 4 && access->size == 4 &&
           (access->words == 1 || !is_store) && t->version == FULL && t->lanes == t->w && t->w >= 8 &&
           is_from_ids(&access->base.class.index);
}

struct far_access far_access_like(const struct far_access *other, const struct inst *inst)
{
    struct far_access access = *other;
    access.offset = access_offset(inst);
    access.size = access_size(inst);
    access.number = data_register(inst);
    access.zero_extend = inst->insn.word >> 14 & 1;
    return access;
}

struct far_access describe_far(struct translator *t, const struct inst *inst)
{
    struct far_access access = {
        .group = inst->group,
        .offset = access_offset(inst),
        .size = access_size(inst),
        .words = inst->words,
        .number = data_register(inst),
        .zero_extend = inst->insn.word >> 14 & 1,
        .is_scalar = row_of(inst)->format == CY_FORMAT_LOAD || row_of(inst)->format == CY_FORMAT_STORE,
    };
    access.base = access.is_scalar ? read_x_pair(t, (unsigned)field(inst, CY_FIELD_rs1))
                                   : read_pair(t, (unsigned)field(inst, CY_FIELD_vs1));
    access.form = form_of(t, &access.base.class, t->groups.at[inst->group].align, &access.stride);
    if (access.form != SPAN)
        access.stride = 0;
    access.is_line = access.form == INDEX && access.base.class.index.is_line && t->version == FULL;
    access.may_be_row = may_be_row(t, &access, row_of(inst)->flags & CY_F_STORE);
    return access;
}

bool lower_far_access(struct translator *t, struct inst *inst)
{
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    if (t->emit && t->stored) {
        t->stored--;
        return true;
    }
    struct far_access access = describe_far(t, inst);
    inst->is_spread |= access.form != ONE && !is_far_row(&access, access.size * access.words);
    inst->is_gather |= access.form == INDEX || access.form == ANY;
    inst->is_line |= access.form == INDEX && access.base.class.index.is_line;
    inst->may_be_row |= access.may_be_row;
    if (t->emit && (is_store ? store_far_elements(t, inst, &access) : load_far_elements(t, inst, &access)))
        return true;
    struct value data[4];
    LLVMValueRef out[4] = {0};
    const unsigned number = access.number;
    for (unsigned k = 0; is_store && k < access.words; k++)
        data[k] = access.is_scalar ? read_x(t, number ? number + k : 0) : read_v(t, number + k);
    LLVMValueRef row = t->emit && !is_store ? load_together(t, inst, &access) : NULL;
    if (row)
        out[0] = row;
    else if (t->emit && !(is_store && store_together(t, inst, &access, data[0]))) {
        prepare_far(t, inst, &access);
        emit_far_access(t, inst, &access, is_store ? data : NULL, out);
    }
    for (unsigned k = 0; !is_store && k < access.words; k++) {
        struct value value =
            access.form == ONE ? uniform(t, out[k], is_wide_shared(&access.base.class)) : vector(t, out[k]);
        if (access.is_scalar)
            write_x(t, number ? number + k : 0, value);
        else
            write_v(t, number + k, value);
    }
    return true;
}
