/* Loads and stores.
 *
 * The window of guest memory is readable everywhere (gpu/memory/memory.h), so that a check decides only about faults,
 * never about the host's safety: inactive lanes may load anything, and only stores must be suppressed. */
#include "jit/translate/memory/access.h"

#include <string.h>

/* ---- addresses ---- */

/* The address of a word of private memory for each lane: interleaved over the threads of the workgroup. */
static struct value interleave(struct translator *t, struct value at)
{
    const uint32_t threads = t->request->warps * t->request->threads, in_word = cy_jit_broken(PRIVATE) ? 1 : 3;
    struct value word = binary(t, MUL, binary(t, AND, at, constant(t, ~3u)), constant(t, threads));
    struct value base = binary(t, ADD, word, binary(t, AND, at, constant(t, in_word)));
    LLVMValueRef first = frame_word(t, offsetof(struct cy_jit_frame, pds));
    const bool alone = t->version == ALONE;
    if (t->emit) {
        LLVMValueRef item = alone ? LLVMBuildAdd(t->builder, t->item, lane_number(t), "") : t->item;
        first = LLVMBuildAdd(t->builder, first, LLVMBuildMul(t->builder, item, number32(t, 4), ""), "");
    }
    return binary(t, ADD, base, affine(t, first, alone ? 0 : 4, 2, false));
}

static struct value base_address(struct translator *t, const struct inst *inst)
{
    const int32_t rs1 = field(inst, CY_FIELD_rs1), vs1 = field(inst, CY_FIELD_vs1);
    switch (row_of(inst)->format) {
    case CY_FORMAT_LOAD:
    case CY_FORMAT_STORE: return read_x(t, (unsigned)rs1);
    case CY_FORMAT_VLX:
    case CY_FORMAT_VSX: {
        struct value index = read_v(t, (unsigned)field(inst, CY_FIELD_vs2));
        return binary(t, ADD, index, read_x(t, (unsigned)rs1));
    }
    case CY_FORMAT_VL:
    case CY_FORMAT_VS: {
        const bool alone = t->version == ALONE;
        LLVMValueRef lane = NULL;
        if (t->emit) {
            lane = LLVMBuildAnd(t->builder, t->item, number32(t, t->request->threads - 1), "");
            lane = alone ? LLVMBuildAdd(t->builder, lane, lane_number(t), "") : lane;
            lane = LLVMBuildMul(t->builder, lane, number32(t, 4), "");
        }
        struct value first = affine(t, lane, alone ? 0 : 4, 2, false);
        return binary(t, ADD, read_x(t, (unsigned)rs1), first);
    }
    default: {
        struct value base = read_v(t, (unsigned)vs1);
        if (inst->space != CY_SPACE_LOCAL)
            return base;
        return binary(t, ADD, base, uniform(t, frame_word(t, offsetof(struct cy_jit_frame, lds)), true));
    }
    }
}

/* ---- moving data ---- */

LLVMTypeRef element_type(struct translator *t, unsigned size)
{
    return size == 4 ? t->i32 : size == 2 ? t->i16 : t->i8;
}

LLVMValueRef extended(struct translator *t, LLVMValueRef value, bool zero_extend, LLVMTypeRef to)
{
    if (LLVMTypeOf(value) == to)
        return value;
    zero_extend |= cy_jit_broken(BYTES) && LLVMGetTypeKind(to) == LLVMVectorTypeKind;
    return zero_extend ? LLVMBuildZExt(t->builder, value, to, "") : LLVMBuildSExt(t->builder, value, to, "");
}

LLVMValueRef load_from(struct translator *t, LLVMTypeRef type, LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(t->builder, type, pointer, "");
    LLVMSetAlignment(load, 1);
    return load;
}

unsigned register_bits(const struct translator *t)
{
    static const unsigned bits[] = {128, 256, 512, 256};
    return bits[t->forms];
}

void store_to(struct translator *t, LLVMValueRef value, LLVMValueRef pointer)
{
    LLVMSetAlignment(LLVMBuildStore(t->builder, value, pointer), 1);
}

/* The lanes of a strip, a host register at a time and upwards: LLVM would store the parts of a long vector downwards, which
 * keeps processors from seeing a stream. */
void store_row(struct translator *t, LLVMValueRef row, LLVMValueRef pointer)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(row)));
    const unsigned at_once = register_bits(t) / bits;
    LLVMValueRef numbers[CY_JIT_MAX_STRIP];
    for (unsigned first = 0; first < t->lanes; first += at_once) {
        const unsigned count = t->lanes - first < at_once ? t->lanes - first : at_once;
        for (unsigned i = 0; i < count; i++)
            numbers[i] = number32(t, first + i);
        LLVMValueRef part = row;
        if (cy_jit_broken(ROW) && first + count == t->lanes && count > 1)
            numbers[count - 1] = numbers[count - 2];
        if (count < t->w || cy_jit_broken(ROW))
            part = LLVMBuildShuffleVector(t->builder, row, row, LLVMConstVector(numbers, count), "");
        store_to(t, part, at_offset(t, pointer, first * bits / 8));
    }
}

bool is_consecutive(const struct access *access)
{
    return access->is_affine && access->base.class.kind == AFFINE && access->base.class.stride == access->size;
}

/* Words of doubles or other 8-byte elements. */
static bool is_every_other(const struct access *access)
{
    return access->is_affine && access->base.class.kind == AFFINE && access->base.class.stride == 8 &&
           access->size == 4;
}

unsigned record_words(const struct access *access)
{
    const uint32_t words = access->base.class.stride / 4;
    return access->is_affine && access->base.class.kind == AFFINE && access->size == 4 &&
                   !(access->base.class.stride & 3) && words >= 2 && words <= 4
               ? words
               : 0;
}

/* All words of the records, of which one is taken.  LLVM merges the loads of the others with this one, and hosts have
 * instructions for it. */
static LLVMValueRef load_record(struct translator *t, const struct access *access, LLVMValueRef group)
{
    const unsigned words = record_words(access), word = access->in_record;
    const unsigned unit = words == 4 && is_half(t, access->to, word) ? 2 : 1;
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    LLVMValueRef all = load_from(t, LLVMVectorType(unit > 1 ? t->i64 : t->i32, t->w * words / unit),
                                 at_offset(t, group, access->offset - 4 * (int64_t)word));
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = number32(t, (i * words + word) / unit);
    if (cy_jit_broken(STRIDE))
        lanes[t->w - 1] = lanes[t->w - 2];
    LLVMValueRef row =
        LLVMBuildShuffleVector(t->builder, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(lanes, t->w), "");
    return unit > 1 ? pair_word(t, row, word & 1, true) : row;
}

/* The address of each lane, offset included. */
static LLVMValueRef lane_addresses(struct translator *t, const struct access *access, uint32_t offset)
{
    LLVMValueRef base = vector_of(t, access->base), lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = number32(t, offset + (access->is_table ? (uint32_t)access->from_base[i] : 0));
    return LLVMBuildAdd(t->builder, base, LLVMConstVector(lanes, t->w), "");
}

/* ---- forms that access many words at once ---- */

bool has_gathers(const struct translator *t)
{
    return t->forms >= CY_JIT_FORMS_512;
}

bool has_masked_stores(const struct translator *t)
{
    return t->forms >= CY_JIT_FORMS_256;
}

/* The same of rows of smaller elements, too. */
bool has_masked_stores_of(const struct translator *t, unsigned size)
{
    return has_masked_stores(t) && (size >= 4 || t->level->stores_narrow);
}

LLVMValueRef active_lanes(struct translator *t)
{
    LLVMValueRef mask = t->version == MASKED ? LLVMBuildLoad2(t->builder, t->vi32, t->mask, "") : strip_mask(t);
    return LLVMBuildICmp(t->builder, LLVMIntNE, mask, LLVMConstNull(t->vi32), "");
}

/* Most hosts' indices of 32 bits have a sign: for them, numbers from the middle of the window on. */
LLVMValueRef word_pointers(struct translator *t, const struct access *access, uint32_t offset)
{
    const int64_t middle = 1ll << 31;
    LLVMValueRef base = lane_addresses(t, access, 0);
    if (t->host->indexes_unsigned) {
        LLVMValueRef from = LLVMBuildZExt(t->builder, base, t->vi64, "");
        return LLVMBuildGEP2(t->builder, t->i8, at_offset(t, t->memory, (int32_t)offset), &from, 1, "");
    }
    LLVMValueRef index = LLVMBuildXor(t->builder, base, splat(t, number32(t, (uint32_t)middle)), "");
    index = LLVMBuildSExt(t->builder, index, t->vi64, "");
    return LLVMBuildGEP2(t->builder, t->i8, at_offset(t, t->memory, middle + (int32_t)offset), &index, 1, "");
}

static LLVMValueRef many_words(struct translator *t, const char *name, LLVMTypeRef row, LLVMValueRef to,
                               LLVMValueRef *args)
{
    LLVMTypeRef types[] = {row, LLVMTypeOf(to)};
    return intrinsic_of(t, name, types, 2, args, 4);
}

LLVMValueRef gather_where(struct translator *t, LLVMTypeRef row, LLVMValueRef pointers, unsigned align,
                          LLVMValueRef lanes)
{
    if (cy_jit_broken(GATHER))
        lanes = LLVMBuildInsertElement(t->builder, lanes, LLVMConstNull(t->i1), number32(t, t->lanes - 1), "");
    LLVMValueRef args[] = {pointers, number32(t, align), lanes, LLVMConstNull(row)};
    return many_words(t, "llvm.masked.gather", row, pointers, args);
}

void scatter_where(struct translator *t, LLVMValueRef row, LLVMValueRef pointers, LLVMValueRef lanes)
{
    LLVMValueRef args[] = {row, pointers, number32(t, 4), lanes};
    many_words(t, "llvm.masked.scatter", LLVMTypeOf(row), pointers, args);
}

void store_where(struct translator *t, LLVMValueRef row, LLVMValueRef pointer, unsigned align, LLVMValueRef lanes)
{
    LLVMValueRef args[] = {row, pointer, number32(t, align), lanes};
    many_words(t, "llvm.masked.store", LLVMTypeOf(row), pointer, args);
}

static LLVMValueRef gather(struct translator *t, const struct access *access, uint32_t offset)
{
    LLVMValueRef pointers = word_pointers(t, access, offset);
    return gather_where(t, t->vi32, pointers, access->is_unaligned ? 1 : 4, active_lanes(t));
}

/* A word of elements of two: LLVM merges this with the load of the other words, and hosts load whole elements as fast. */
static LLVMValueRef gather_part(struct translator *t, const struct access *access, uint32_t offset)
{
    const unsigned high = access->to & 1;
    LLVMValueRef pointers = word_pointers(t, access, offset - 4 * high);
    return pair_word(t, gather_where(t, t->vi64, pointers, 4, active_lanes(t)), high, true);
}

/* Of lanes that write the same word, the last one counts, as the guest's do. */
static void scatter(struct translator *t, const struct access *access, uint32_t offset, LLVMValueRef row)
{
    LLVMValueRef pointers = word_pointers(t, access, offset);
    LLVMValueRef lanes =
        cy_jit_broken(SCATTER) ? LLVMBuildTrunc(t->builder, strip_mask(t), t->vi1, "") : active_lanes(t);
    scatter_where(t, row, pointers, lanes);
}

/* How far lanes are from the group's pointer, whose strides are known.  NULL: hosts access them one by one, or they are not known. */
static LLVMValueRef known_distances(struct translator *t, const struct access *access)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    if (!t->level->load_apart || t->w < 8 ||
        !(access->is_table || (access->is_affine && access->base.class.kind == AFFINE)))
        return NULL;
    for (unsigned i = 0; i < t->w; i++) {
        const int64_t from_lowest = access->is_table ? access->from_base[i] - access->nearest
                                                     : (int64_t)(int32_t)access->base.class.stride * i -
                                                           (int32_t)below_base(t, &access->base.class);
        lanes[i] = number32(t, i < t->lanes ? (uint32_t)from_lowest : 0);
        if (cy_jit_broken(STRIDE) && i && i == t->lanes - 1)
            lanes[i] = lanes[i - 1];
    }
    return LLVMConstVector(lanes, t->w);
}

/* ---- words that turn out to be consecutive, or one ---- */

static void check_even(struct translator *t, uint32_t group, struct value base)
{
    LLVMBuilderRef b = t->builder;
    base.scalar = LLVMBuildExtractElement(b, vector_of(t, base), number32(t, 0), "");
    const uint32_t two = has_twos(t, group, READ) || has_twos(t, group, WRITE) ? 8 : 0;
    LLVMValueRef kind = find_kind(t, vector_of(t, base), base.scalar, 4, two);
    LLVMValueRef is_row = LLVMBuildICmp(b, LLVMIntEQ, kind, number32(t, KIND_ROW), "");
    LLVMValueRef is_twos = LLVMBuildICmp(b, LLVMIntEQ, kind, number32(t, KIND_TWOS), "");
    t->group_kind[group] = kind;
    base.step = LLVMBuildSelect(b, is_twos, number32(t, two), number32(t, 0), "");
    base.step = LLVMBuildSelect(b, is_row, number32(t, 4), base.step, "");
    check_lanes(t, group, base, true, LLVMBuildICmp(b, LLVMIntNE, kind, number32(t, KIND_APART), ""));
}

/* Goes on where words are anywhere. */
static struct row_ways begin_lane_ways(struct translator *t, struct access *access, LLVMValueRef data)
{
    struct row_ways ways = begin_ways(t, access->kind, first_lane(t, access), data);
    part_row(t, access);
    return ways;
}

/* ---- the lanes of an access ---- */

static struct value load_some(struct translator *t, const struct access *access, uint32_t offset);

static struct value load_lanes(struct translator *t, const struct access *access, LLVMValueRef group, uint32_t offset)
{
    LLVMTypeRef element = element_type(t, access->size);
    const bool in_group = is_shared(&access->base.class);
    if (access->is_affine && access->base.class.kind == UNIFORM) {
        LLVMValueRef word = NULL;
        if (t->emit && access->is_part)
            word = pair_word(t, load_from(t, t->i64, at_offset(t, group, access->offset - 4 * (access->to & 1))),
                             access->to & 1, false);
        else if (t->emit)
            word = extended(t, load_from(t, element, at_offset(t, group, access->offset)), access->zero_extend, t->i32);
        if (cy_jit_broken(UNIFORM) && word && access->offset == 4)
            word = extended(t, load_from(t, element, group), access->zero_extend, t->i32);
        return uniform(t, word, in_group);
    }
    if (!t->emit)
        return vector(t, NULL);
    if (is_consecutive(access)) {
        LLVMValueRef row = load_from(t, LLVMVectorType(element, t->w), at_offset(t, group, access->offset));
        return vector(t, extended(t, row, access->zero_extend, t->vi32));
    }
    if (is_every_other(access)) { /* LLVM merges this with the load of the words in between */
        LLVMValueRef pairs = load_from(t, t->vi64, at_offset(t, group, access->offset - (access->is_high ? 4 : 0)));
        return vector(t, pair_word(t, pairs, access->is_high, true));
    }
    if (access->is_record)
        return vector(t, load_record(t, access, group));
    if (access->may_be_row) {
        struct access apart = *access;
        struct row_ways ways = begin_lane_ways(t, &apart, NULL);
        const struct value words = load_lanes(t, &apart, group, offset);
        return vector(t, end_ways(t, &ways, vector_of(t, words)));
    }
    if (has_gathers(t) && access->size == 4 && !access->is_affine && !access->is_table)
        return vector(t, access->is_part ? gather_part(t, access, offset) : gather(t, access, offset));
    LLVMValueRef distances = access->is_part ? NULL : known_distances(t, access);
    if (distances)
        return vector(t, t->level->load_apart(t, at_offset(t, group, access->offset), distances, access->size,
                                              access->zero_extend, strip_mask(t)));
    if (t->is_long)
        return load_some(t, access, offset);
    if (access->straight_if) {
        struct fork fork = begin_fork(t, access->straight_if);
        struct access line = chained(t, access);
        LLVMValueRef row = vector_of(t, load_lanes(t, &line, group, offset));
        line.chain[0] = NULL;
        other_way(t, &fork);
        LLVMValueRef other = vector_of(t, load_lanes(t, &line, group, offset));
        end_fork(t, &fork, &row, &other, 1);
        return vector(t, row);
    }
    const unsigned high = access->is_part && access->to & 1;
    LLVMTypeRef type = access->is_part ? t->i64 : element, rows = LLVMVectorType(type, t->w);
    LLVMValueRef row = t->lanes == t->w ? LLVMGetPoison(rows) : LLVMConstNull(rows);
    for (unsigned i = 0; i < t->lanes; i++) {
        const bool is_wrong = cy_jit_broken(STRIDE) && access->is_affine && i && i == t->lanes - 1;
        LLVMValueRef from = at_offset(t, lane_pointer(t, access, group, i - is_wrong), -4 * (int64_t)high);
        row = LLVMBuildInsertElement(t->builder, row, load_from(t, type, from), number32(t, i), "");
    }
    return vector(t, access->is_part ? pair_word(t, row, high, true) : extended(t, row, access->zero_extend, t->vi32));
}

struct lane_loop begin_lanes(struct translator *t, LLVMValueRef bits)
{
    struct lane_loop loop = {.before = LLVMGetInsertBlock(t->builder), .start = new_block(t, "lanes"), .all = bits};
    LLVMBuildBr(t->builder, loop.start);
    LLVMPositionBuilderAtEnd(t->builder, loop.start);
    loop.left = LLVMBuildPhi(t->builder, t->i32, "");
    LLVMValueRef args[] = {loop.left, LLVMConstInt(t->i1, 1, false)};
    loop.lane = intrinsic(t, "llvm.cttz", t->i32, args, 2);
    return loop;
}

void end_lanes(struct translator *t, const struct lane_loop *loop)
{
    LLVMBasicBlockRef on = new_block(t, "on"), end = LLVMGetInsertBlock(t->builder);
    LLVMValueRef less = LLVMBuildSub(t->builder, loop->left, number32(t, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(t->builder, loop->left, less, ""), values[] = {loop->all, rest};
    LLVMBasicBlockRef blocks[] = {loop->before, end};
    LLVMAddIncoming(loop->left, values, blocks, 2);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, rest, number32(t, 0), ""), loop->start, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

static void store_some(struct translator *t, const struct access *access, uint32_t offset, struct value data)
{
    LLVMBuildStore(t->builder, lane_addresses(t, access, offset), t->buffers[0]);
    LLVMBuildStore(t->builder, vector_of(t, data), t->buffers[1]);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef address = lane_word(t, t->buffers[0], loop.lane), word = lane_word(t, t->buffers[1], loop.lane);
    LLVMValueRef value = LLVMBuildLoad2(t->builder, t->i32, word, "");
    value = LLVMBuildTruncOrBitCast(t->builder, value, element_type(t, access->size), "");
    store_to(t, value, host_pointer(t, LLVMBuildLoad2(t->builder, t->i32, address, "")));
    end_lanes(t, &loop);
}

static struct value load_some(struct translator *t, const struct access *access, uint32_t offset)
{
    LLVMBuildStore(t->builder, lane_addresses(t, access, offset), t->buffers[0]);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef address = lane_word(t, t->buffers[0], loop.lane);
    LLVMValueRef from = host_pointer(t, LLVMBuildLoad2(t->builder, t->i32, address, ""));
    LLVMValueRef word = load_from(t, element_type(t, access->size), from);
    word = extended(t, word, access->zero_extend, t->i32);
    LLVMBuildStore(t->builder, word, lane_word(t, t->buffers[2], loop.lane));
    end_lanes(t, &loop);
    return vector(t, LLVMBuildLoad2(t->builder, t->vi32, t->buffers[2], ""));
}

/* A row under a mask: four lanes at once where all of them are active.  Mostly a row's first or last lanes are not. */
static void store_fours(struct translator *t, LLVMValueRef row, LLVMValueRef pointer, unsigned size)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef bits = active_bits(t), lanes[4];
    for (unsigned first = 0; first < t->lanes; first += 4) {
        LLVMBasicBlockRef all = new_block(t, "four"), not_all = new_block(t, "not_four"), some = new_block(t, "some");
        LLVMBasicBlockRef on = new_block(t, "on");
        LLVMValueRef four = LLVMBuildLShr(b, bits, number32(t, first), "");
        four = LLVMBuildAnd(b, four, number32(t, 15), "");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, four, number32(t, 15), ""), all, not_all);
        LLVMPositionBuilderAtEnd(b, all);
        for (unsigned i = 0; i < 4; i++)
            lanes[i] = number32(t, first + i);
        LLVMValueRef part = LLVMBuildShuffleVector(b, row, row, LLVMConstVector(lanes, 4), "");
        store_to(t, part, at_offset(t, pointer, first * size));
        LLVMBuildBr(b, on);
        LLVMPositionBuilderAtEnd(b, not_all);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, four, number32(t, 0), ""), on, some);
        LLVMPositionBuilderAtEnd(b, some);
        for (unsigned i = 0; i < 4 && first + i < t->lanes; i++) {
            LLVMBasicBlockRef one = new_block(t, "one"), next = new_block(t, "next");
            LLVMValueRef bit = LLVMBuildTrunc(b, LLVMBuildLShr(b, four, number32(t, i), ""), t->i1, "");
            LLVMBuildCondBr(b, bit, one, next);
            LLVMPositionBuilderAtEnd(b, one);
            LLVMValueRef element = LLVMBuildExtractElement(b, row, lanes[i], "");
            store_to(t, element, at_offset(t, pointer, (first + i) * size));
            LLVMBuildBr(b, next);
            LLVMPositionBuilderAtEnd(b, next);
        }
        LLVMBuildBr(b, on);
        LLVMPositionBuilderAtEnd(b, on);
    }
}

void store_masked_row(struct translator *t, LLVMValueRef row, LLVMValueRef pointer)
{
    const unsigned size = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(row))) / 8;
    if (has_masked_stores_of(t, size))
        store_where(t, row, pointer, size < 4 ? size : 4,
                    cy_jit_broken(MASKED) ? LLVMBuildTrunc(t->builder, strip_mask(t), t->vi1, "") : active_lanes(t));
    else if (cy_jit_broken(MASKED))
        store_row(t, row, pointer);
    else
        store_fours(t, row, pointer, size);
}

static void store_lanes(struct translator *t, const struct access *access, LLVMValueRef group, uint32_t offset,
                        struct value data)
{
    LLVMTypeRef element = element_type(t, access->size);
    const bool to_one = access->is_affine && access->base.class.kind == UNIFORM;
    if (to_one && data.class.kind == UNIFORM) {
        LLVMValueRef value = LLVMBuildTruncOrBitCast(t->builder, scalar_of(t, data), element, "");
        store_to(t, value, at_offset(t, group, access->offset));
        return;
    }
    if (access->may_be_row) {
        struct access apart = *access;
        struct row_ways ways = begin_lane_ways(t, &apart, vector_of(t, data));
        store_lanes(t, &apart, group, offset, data);
        end_ways(t, &ways, NULL);
        return;
    }
    const bool is_apart = !access->is_affine && !access->is_table;
    const bool is_row = is_consecutive(access) && (has_masked_stores_of(t, access->size) || (t->w >= 4 && !t->is_long));
    if (has_gathers(t) && access->size == 4 && (is_apart || (t->version == MASKED && !is_row))) {
        scatter(t, access, offset, vector_of(t, data));
        return;
    }
    if (t->version == MASKED && !is_row) {
        store_some(t, access, offset, data);
        return;
    }
    LLVMTypeRef row_type = LLVMVectorType(element, t->w);
    LLVMValueRef row = LLVMBuildTruncOrBitCast(t->builder, vector_of(t, data), row_type, "");
    if (t->version == MASKED) {
        store_masked_row(t, row, at_offset(t, group, access->offset));
        return;
    }
    if (is_consecutive(access)) {
        store_row(t, row, at_offset(t, group, access->offset));
        return;
    }
    LLVMValueRef distances = known_distances(t, access);
    if (distances) {
        LLVMValueRef words = vector_of(t, data), pointer = at_offset(t, group, access->offset);
        t->level->store_apart(t, words, pointer, distances, access->size, strip_mask(t));
        return;
    }
    if (t->is_long && !to_one) {
        store_some(t, access, offset, data);
        return;
    }
    for (unsigned i = to_one ? t->lanes - 1 : 0; i < t->lanes; i++) {
        LLVMValueRef value = LLVMBuildExtractElement(t->builder, row, number32(t, i), "");
        store_to(t, value, lane_pointer(t, access, group, i));
    }
}

/* ---- metadata and arguments: constant while a workgroup runs ---- */

static LLVMValueRef early_constant(struct translator *t, const struct early *wanted)
{
    LLVMValueRef start = frame_word(t, wanted->from == TO_METADATA ? offsetof(struct cy_jit_frame, metadata)
                                                                   : offsetof(struct cy_jit_frame, arguments));
    struct early *word = early_word(t, wanted);
    if (word->value)
        return word->value;
    LLVMBuilderRef late = t->builder;
    t->builder = t->allocas;
    LLVMValueRef load =
        load_from(t, element_type(t, wanted->size), at_offset(t, host_pointer(t, start), wanted->offset));
    mark_invariant(t, load);
    word->value = extended(t, load, wanted->zero_extend, t->i32);
    t->builder = late;
    return word->value;
}

static bool is_early(const struct translator *t, const struct value *base, uint32_t at, unsigned size)
{
    if (base->class.pointer == TO_METADATA)
        return size == 4 && !(at & 3) && at / 4 < CY_JIT_METADATA_WORDS;
    return at < t->request->argument_bytes && at + size <= t->request->argument_bytes;
}

static struct value early_value(struct translator *t, const struct inst *inst, const struct value *base, uint32_t at)
{
    if (base->class.pointer == TO_METADATA && t->request->known >> at / 4 & 1)
        return constant(t, t->request->metadata[at / 4]);
    if (base->class.pointer == TO_METADATA && at == 4) {
        struct value arguments = uniform(t, frame_word(t, offsetof(struct cy_jit_frame, arguments)), true);
        arguments.class.pointer = TO_ARGUMENTS;
        arguments.class.constant = 0;
        return arguments;
    }
    const struct early wanted = {.from = base->class.pointer,
                                 .size = (uint8_t)access_size(inst),
                                 .zero_extend = inst->insn.word >> 14 & 1,
                                 .offset = at};
    struct value word = uniform(t, t->emit ? early_constant(t, &wanted) : NULL, true);
    if (base->class.pointer == TO_METADATA && at / 4 - CY_JIT_GLOBAL_SIZE < 3) {
        word.class.origin = GLOBAL_SIZE;
        word.class.dimension = (uint8_t)(at / 4 - CY_JIT_GLOBAL_SIZE);
    }
    return word;
}

static bool load_constant(struct translator *t, const struct inst *inst, struct value base)
{
    const uint32_t at = base.class.constant + (uint32_t)access_offset(inst);
    const unsigned rd = (unsigned)field(inst, CY_FIELD_rd);
    if (!base.class.pointer || row_of(inst)->format != CY_FORMAT_LOAD)
        return false;
    for (uint32_t k = 0; k < inst->words; k++)
        if (!is_early(t, &base, at + 4 * k, access_size(inst)))
            return false;
    for (uint32_t k = 0; k < inst->words; k++)
        write_x(t, rd ? rd + k : 0, early_value(t, inst, &base, at + 4 * k));
    return true;
}

/* ---- an instruction ---- */

unsigned data_register(const struct inst *inst)
{
    const enum cy_role role = inst->effects.access.writes ? CY_ROLE_DATA : CY_ROLE_RESULT;
    return (unsigned)cy_effects_operand(&inst->effects, role)->value;
}

static void check(struct translator *t, const struct inst *inst, struct access *access, struct value base)
{
    if (!t->emit)
        return;
    const bool is_first = inst->access == t->groups.at[inst->group].first;
    const bool leads = is_first || (access->is_affine && !is_private(inst) && !t->group_pointer[inst->group]);
    if (leads)
        t->group_kind[inst->group] = NULL;
    if (is_private(inst)) {
        if (leads)
            check_private(t, inst->group, base);
    } else if (leads && access->is_table) {
        check_table(t, inst->group, access);
    } else if (leads && access->is_affine) {
        check_affine(t, inst->group, base);
    } else if (leads && access->may_be_row) {
        check_even(t, inst->group, base);
    } else if (leads) {
        check_lanes(t, inst->group, base, access->is_line, NULL);
    }
}

/* ---- exchanges: lanes store words and load each other's ---- */

/* The lanes' known distances from the access's sGPR. */
static bool distances(struct translator *t, const struct inst *inst, uint32_t *lanes)
{
    const enum cy_format format = row_of(inst)->format;
    if (t->version == ALONE || (format != CY_FORMAT_VLX && format != CY_FORMAT_VSX))
        return false;
    const unsigned index = (unsigned)field(inst, CY_FIELD_vs2);
    return !t->now.is_pair[index / 2] && known_lanes(t, &t->now.v[index], lanes);
}

static bool describe_table(struct translator *t, const struct inst *inst, struct access *access)
{
    const int32_t align = 1 << t->groups.at[inst->group].align;
    uint32_t lanes[CY_JIT_MAX_STRIP];
    if (!distances(t, inst, lanes) || t->now.v[field(inst, CY_FIELD_vs2)].kind != VECTOR)
        return false;
    access->nearest = access->farthest = (int32_t)lanes[0];
    for (unsigned i = 0; i < t->w; i++) {
        const int32_t at = access->from_base[i] = (int32_t)lanes[i];
        if (at & (align - 1) || at <= -FAR_APART || at >= FAR_APART)
            return false;
        access->nearest = at < access->nearest ? at : access->nearest;
        access->farthest = at > access->farthest ? at : access->farthest;
    }
    return true;
}

static void remember_store(struct translator *t, const struct inst *inst)
{
    struct exchange *exchange = &t->exchange;
    exchange->is_valid = t->in_lockstep && t->version == FULL && access_size(inst) == 4 && inst->words == 1 &&
                         distances(t, inst, exchange->to);
    if (!exchange->is_valid)
        return;
    exchange->base = (unsigned)field(inst, CY_FIELD_rs1);
    exchange->data = vector_of(t, read_v(t, data_register(inst)));
}

/* Does it load what the lanes have just stored?  Then `from` says from which lane. */
static bool is_exchange(struct translator *t, const struct inst *inst, uint32_t *from)
{
    const struct exchange *exchange = &t->exchange;
    if (!exchange->is_valid || row_of(inst)->format != CY_FORMAT_VLX ||
        exchange->base != (unsigned)field(inst, CY_FIELD_rs1) || !distances(t, inst, from))
        return false;
    for (unsigned i = 0; i < t->w; i++) {
        unsigned source = t->w;
        while (source && exchange->to[source - 1] != from[i]) /* the last lane's store counts */
            source--;
        if (!source)
            return false;
        from[i] = source - 1;
    }
    return true;
}

/* The values move between registers. */
static struct value exchanged(struct translator *t, const uint32_t *from)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP], data = t->exchange.data;
    bool is_one = true;
    for (unsigned i = 0; i < t->w; i++) {
        lanes[i] = number32(t, cy_jit_broken(EXCHANGE) && i == t->w - 1 ? i : from[i]);
        is_one &= from[i] == from[0];
    }
    if (!t->emit)
        return is_one ? uniform(t, NULL, false) : vector(t, NULL);
    if (is_one)
        return uniform(t, LLVMBuildExtractElement(t->builder, data, lanes[0], ""), false);
    LLVMValueRef order = LLVMConstVector(lanes, t->w);
    return vector(t, LLVMBuildShuffleVector(t->builder, data, LLVMGetPoison(t->vi32), order, ""));
}

/* Of bytes or halves, which are loaded and stored together with others. */
static struct places narrow_places(const struct translator *t, const struct inst *inst, const struct access *access,
                                   const struct near *near, uint32_t offset)
{
    return (struct places){
        .access = near,
        .pointer = near_pointer,
        .group = inst->group,
        .stride = access->is_affine ? (int32_t)access->base.class.stride : 0,
        .at = (int32_t)(offset - (uint32_t)t->groups.at[inst->group].low),
        .readable = INT32_MAX, /* see the window's guard */
        .are_gathered = has_gathers(t) && !access->is_affine,
    };
}

static bool is_narrow(const struct translator *t, const struct inst *inst, const struct access *access)
{
    const bool is_one = access->is_affine && (access->base.class.kind == UNIFORM || is_consecutive(access));
    return t->emit && !is_private(inst) && !access->is_table && !is_one && t->version != ALONE;
}

/* The word that begins with a lane's byte or half, or has others of the group, too. */
static LLVMValueRef gather_narrow(struct translator *t, const struct inst *inst, const struct access *part,
                                  uint32_t offset)
{
    const struct cy_jit_group *group = &t->groups.at[inst->group];
    const unsigned at = group->count > 1 ? (offset - (uint32_t)group->low) & 3 : 0;
    struct access whole = *part;
    whole.is_unaligned = true;
    LLVMTypeRef row = LLVMVectorType(element_type(t, part->size), t->w);
    LLVMValueRef words = gather(t, &whole, offset - at), shift = splat(t, number32(t, 8 * at));
    LLVMValueRef bits = LLVMBuildLShr(t->builder, words, shift, "");
    return extended(t, LLVMBuildTrunc(t->builder, bits, row, ""), part->zero_extend, t->vi32);
}

/* NULL: it is better loaded alone. */
static LLVMValueRef load_part(struct translator *t, const struct inst *inst, const struct access *access,
                              LLVMValueRef group, uint32_t offset)
{
    const struct near near = {access, group};
    const struct places places = narrow_places(t, inst, access, &near, offset);
    if (access->size == 4 || !is_narrow(t, inst, access))
        return NULL;
    LLVMValueRef part = load_narrow(t, &places, access->size, access->zero_extend);
    return part || !places.are_gathered ? part : gather_narrow(t, inst, access, offset);
}

static bool may_be_row(const struct translator *t, const struct inst *inst, const struct access *access)
{
    const enum cy_format format = row_of(inst)->format;
    const bool is_indexed = format == CY_FORMAT_VLX || format == CY_FORMAT_VSX;
    if (access->base.class.kind != VECTOR || access->is_line || access->is_table || access->size != 4 ||
        inst->words > 1 || t->version != FULL || t->lanes != t->w || t->w < 8)
        return false;
    const unsigned number = (unsigned)field(inst, is_indexed ? CY_FIELD_vs2 : CY_FIELD_vs1);
    return !t->now.is_pair[number / 2] && is_from_ids(&t->now.v[number]);
}

static struct access describe(struct translator *t, const struct inst *inst, struct value base)
{
    const uint32_t align = 1u << t->groups.at[inst->group].align;
    struct access access = {.base = base, .size = access_size(inst), .zero_extend = inst->insn.word >> 14 & 1};
    access.low = t->groups.at[inst->group].low;
    if (is_private(inst))
        return access;
    access.is_table = describe_table(t, inst, &access);
    if (access.is_table)
        access.base = read_x(t, (unsigned)field(inst, CY_FIELD_rs1));
    const uint32_t stride = access.base.class.kind == AFFINE ? access.base.class.stride : 0;
    access.is_line = access.base.class.is_line && t->version == FULL && t->lanes % 2 == 0;
    access.may_be_row = may_be_row(t, inst, &access);
    access.is_affine = !access.is_table && access.base.class.kind != VECTOR && stride + FAR_APART < 2 * FAR_APART &&
                       !(stride & (align - 1));
    return access;
}

static void move_word(struct translator *t, struct inst *inst, struct access access, unsigned word, struct value *data);

/* Bytes that a group accesses, of all lanes, from its pointer on. */
static uint64_t length_of(const struct translator *t, const struct inst *inst, const struct access *access)
{
    const struct cy_jit_group *group = &t->groups.at[inst->group];
    const int32_t stride = (int32_t)access->base.class.stride;
    return (uint64_t)(group->high - group->low) + (uint64_t)(stride < 0 ? -stride : stride) * (t->w - 1);
}

static bool may_go_first(struct translator *t, const struct inst *store, const struct inst *load)
{
    if (!is_access(load) || row_of(load)->format != CY_FORMAT_VL12 || load->is_interpreted || load->is_far ||
        load->words > 1 || is_private(load) || t->accesses.at[t->groups.at[load->group].first].pc >= store->pc ||
        !t->group_pointer[load->group])
        return false;
    const struct access access = describe(t, load, base_address(t, load));
    return access.is_affine && access.base.class.kind == AFFINE;
}

/* i1: nothing of the one group is where something of the other is. */
static LLVMValueRef are_apart(struct translator *t, const struct inst *a, uint64_t a_length, const struct inst *b,
                              uint64_t b_length)
{
    LLVMValueRef from = LLVMBuildPtrToInt(t->builder, t->group_pointer[a->group], t->i64, "");
    LLVMValueRef to = LLVMBuildPtrToInt(t->builder, t->group_pointer[b->group], t->i64, "");
    return ranges_apart(t, from, a_length, to, b_length);
}

/* What is loaded between stores that are done together. */
static void load_first(struct translator *t, const struct inst *inst, const struct access *access)
{
    struct stores *run = &t->stores;
    for (unsigned i = 0; i < run->load_count; i++) {
        struct inst *load = &t->insts[run->loads[i] - t->insts];
        const struct access other = describe(t, load, base_address(t, load));
        struct value row;
        LLVMValueRef apart = are_apart(t, inst, length_of(t, inst, access), load, length_of(t, load, &other));
        run->are_apart = run->are_apart ? LLVMBuildAnd(t->builder, run->are_apart, apart, "") : apart;
        move_word(t, load, other, 0, &row);
        t->loads.at[i].inst = load;
        t->loads.at[i].row = vector_of(t, row);
    }
    t->loads.count = run->load_count;
}

/* The row that was loaded before; NULL: it was not. */
static LLVMValueRef loaded_first(struct translator *t, const struct inst *inst, const struct access *access)
{
    for (unsigned i = 0; i < t->loads.count; i++) {
        if (t->loads.at[i].inst != inst)
            continue;
        LLVMValueRef row = t->loads.at[i].row;
        struct fork fork = begin_fork(t, t->stores.are_apart);
        other_way(t, &fork);
        LLVMValueRef other = vector_of(t, load_some(t, access, (uint32_t)access_offset(inst)));
        end_fork(t, &fork, &row, &other, 1);
        return row;
    }
    return NULL;
}

static bool store_part(struct translator *t, struct inst *inst, const struct access *access, LLVMValueRef group,
                       uint32_t offset, struct value data)
{
    struct access own = *access;
    const struct near near = {&own, group};
    struct places places = narrow_places(t, inst, access, &near, offset);
    struct stores *run = &t->stores;
    places.may_go_first = t->version == FULL ? may_go_first : NULL;
    own.may_be_row = false;
    if (row_of(inst)->format != CY_FORMAT_VS12 || inst->words > 1 || !is_narrow(t, inst, access) ||
        !defer_store(t, inst, &places, vector_of(t, data)))
        return false;
    if (run->count == 1)
        load_first(t, inst, access);
    struct fork fork = begin_fork(t, run->are_apart);
    if (!run->left)
        end_stores(t, &places);
    if (run->are_apart) {
        other_way(t, &fork);
        store_some(t, &own, offset, data);
    }
    end_fork(t, &fork, NULL, NULL, 0);
    if (!run->left)
        forget_chunks(t);
    return true;
}

static bool is_part(const struct translator *t, const struct inst *inst, const struct access *access, int32_t offset)
{
    const struct cy_jit_group *group = &t->groups.at[inst->group];
    const int32_t first = offset - 4 * (int32_t)(access->to & 1);
    return row_of(inst)->format == CY_FORMAT_VL12 && !is_private(inst) && access->size == 4 &&
           is_half(t, access->to, access->to) && first >= group->low && first + 8 <= group->high;
}

/* One word of an access, whose group was checked: loads it, or stores *data. */
static void move_word(struct translator *t, struct inst *inst, struct access access, unsigned word, struct value *data)
{
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    const struct value base = access.base;
    const uint32_t low = (uint32_t)t->groups.at[inst->group].low, offset = (uint32_t)access_offset(inst) + 4 * word;
    LLVMValueRef group = NULL;
    if (is_private(inst)) {
        access.base = interleave(t, binary(t, ADD, base, constant(t, offset)));
        access.is_affine = access.base.class.kind != VECTOR &&
                           access.base.class.stride == (t->version == ALONE || t->lanes == 1 ? 0 : 4);
        if (t->emit && access.is_affine)
            group = host_pointer(t, scalar_of(t, access.base));
        else if (t->emit)
            access.numbers = lane_places(t, NONE, vector_of(t, access.base));
    } else if (t->emit && (access.is_affine || access.is_table)) {
        group = t->group_pointer[inst->group];
        access.offset = offset - low;
    } else if (t->emit) {
        access.numbers = access.is_line ? NULL : lane_places(t, inst->group, vector_of(t, base));
        access.offset = (int32_t)offset;
        if (access.is_line)
            access.straight_if = t->host->adds_in_accesses ? NULL : t->group_is_straight[inst->group];
    }
    inst->is_spread |= !(access.is_affine && (access.base.class.kind == UNIFORM || is_consecutive(&access)));
    inst->is_gather |= !access.is_affine;
    inst->is_line |= access.base.class.is_line;
    inst->may_be_row |= access.may_be_row;
    access.is_single = t->groups.at[inst->group].count == 1 && inst->words == 1;
    access.is_high = offset & 4;
    access.to = data_register(inst) + word;
    access.is_part = is_part(t, inst, &access, (int32_t)offset);
    access.is_record = t->groups.at[inst->group].count > 1 && !is_private(inst) && record_words(&access) > 2;
    access.in_record = access.is_record ? offset / 4 % record_words(&access) : 0;
    if (is_store && (store_part(t, inst, &access, group, offset, *data) || store_records(t, inst, &access, group))) {
        t->exchange.is_valid = false;
        return;
    }
    LLVMValueRef part = is_store ? NULL : load_part(t, inst, &access, group, offset);
    part = part || is_store ? part : load_two(t, inst, access, offset);
    const unsigned word_of_chunk = is_store || !t->emit ? 4 : in_chunk(t, inst, &access, offset);
    if (part)
        *data = vector(t, part);
    else if (!is_store && word_of_chunk < 4)
        *data = vector(t, load_chunk(t, inst, access, group, word_of_chunk));
    else if (!is_store)
        *data = load_lanes(t, &access, group, is_private(inst) ? 0 : offset);
    else if (t->emit)
        store_lanes(t, &access, group, is_private(inst) ? 0 : offset, *data);
}

bool lower_access(struct translator *t, struct inst *inst)
{
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    const bool is_scalar = row_of(inst)->format == CY_FORMAT_LOAD || row_of(inst)->format == CY_FORMAT_STORE;
    if (cy_insn_field(&inst->insn, CY_FIELD_vm, 1) == 0)
        return cannot(t, "masks in v0");
    if (inst->is_far) {
        t->exchange.is_valid &= !is_store;
        if (is_store && !t->stores.left)
            forget_chunks(t);
        return lower_far_access(t, inst);
    }
    if (is_private(inst) && !t->request->private_bytes)
        return cannot(t, "private memory of unknown size");
    if (is_store && !t->stores.left)
        forget_chunks(t);
    if (t->emit && t->stored) {
        t->stored--;
        return true;
    }
    uint32_t from[CY_JIT_MAX_STRIP];
    const bool moves = is_exchange(t, inst, from);
    if (moves && t->groups.at[inst->group].count == 1) { /* memory that was written can be read: nothing to check */
        write_v(t, data_register(inst), exchanged(t, from));
        return true;
    }
    struct value base = base_address(t, inst), data[4];
    if (is_scalar && load_constant(t, inst, base)) {
        if (t->emit && inst->access == t->groups.at[inst->group].first)
            t->group_pointer[inst->group] = NULL; /* it was not checked: the next one is */
        return true;
    }
    struct access access = describe(t, inst, base);
    base = access.base;
    check(t, inst, &access, base);
    LLVMValueRef row = t->emit && !is_store ? loaded_first(t, inst, &access) : NULL;
    if (row) {
        write_v(t, data_register(inst), vector(t, row));
        return true;
    }
    access.kind = t->emit ? t->group_kind[inst->group] : NULL;
    access.may_be_row &= !t->emit || access.kind; /* the group's first access may have been one of bytes */
    const unsigned number = data_register(inst);
    for (unsigned k = 0; is_store && k < inst->words; k++) {
        remember_store(t, inst);
        data[k] = is_scalar ? read_x(t, number ? number + k : 0) : read_v(t, number + k);
    }
    for (unsigned k = 0; k < inst->words; k++) {
        if (moves)
            data[k] = exchanged(t, from);
        else
            move_word(t, inst, access, k, &data[k]);
    }
    for (unsigned k = 0; !is_store && k < inst->words; k++) {
        if (is_scalar)
            write_x(t, number ? number + k : 0, data[k]);
        else
            write_v(t, number + k, data[k]);
    }
    return true;
}
