/* Loads and stores, in the form that each access has.  The window is readable everywhere (gpu/memory/memory.h): a check decides about
 * faults only, and lanes that are not active may load anything; but only active ones store. */
#include "jit/lower/access.h"

#include <string.h>

static LLVMValueRef shuffled(struct lower *l, LLVMValueRef row, const unsigned *order)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < l->t->w; i++)
        lanes[i] = number32(l->t, order[i]);
    return LLVMBuildShuffleVector(l->t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(lanes, l->t->w),
                                  "");
}

static LLVMValueRef word_pointer(struct lower *l, const struct move *m)
{
    return at_offset(l->t, m->lowest, m->lanes.offset);
}

/* Where the words of private memory are: those of one number follow each other for all work-items. */
static LLVMValueRef private_place(struct lower *l, LLVMValueRef at, bool is_vector)
{
    struct translator *t = l->t;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef threads = number32(t, t->request->threads * t->request->warps), three = number32(t, 3);
    LLVMValueRef items = LLVMBuildShl(b, t->item, number32(t, 2), "");
    items = LLVMBuildAdd(b, items, frame_word(t, offsetof(struct cy_jit_frame, pds)), "");
    if (is_vector) {
        threads = lower_splat(l, threads);
        three = lower_splat(l, three);
        items = LLVMBuildAdd(b, lower_splat(l, items), steps(t, 4), "");
    }
    LLVMValueRef words = LLVMBuildMul(b, LLVMBuildAnd(b, at, LLVMBuildNot(b, three, ""), ""), threads, "");
    return LLVMBuildAdd(b, LLVMBuildAdd(b, words, LLVMBuildAnd(b, at, three, ""), ""), items, "");
}

/* Words of lanes anywhere: addresses are the lanes', and `offset` is between them and the words. */
static void find_lanes(struct lower *l, struct move *m)
{
    struct translator *t = l->t;
    struct value base = lower_address_value(l, m->insn, (struct cy_sir_address){.kind = CY_SIR_SHAPE_LANES});
    const int64_t offset = m->access->offset - lower_bias(l, m->access);
    m->lanes.offset = offset;
    if (m->access->space == CY_SIR_PRIVATE) {
        base.vector = private_place(l, lower_plus(l, base.vector, offset), true);
        m->lanes.offset = 0;
    }
    m->lanes.base = base;
    m->lanes.is_single = m->group->low == m->access->offset && m->group->high - m->group->low == m->access->bytes;
    if (m->access->form != CY_SIR_FORM_GATHER && m->access->form != CY_SIR_FORM_MAYBE_ROW)
        m->lanes.numbers = lane_places(t, m->access->space == CY_SIR_PRIVATE ? NONE : m->access->group, base.vector);
}

static struct move move_of(struct lower *l, const struct cy_sir_insn *insn, enum cy_sir_type type)
{
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    struct move m = {.insn = insn,
                     .access = access,
                     .group = &l->func->groups.at[access->group],
                     .address = lower_address(l, insn),
                     .element = lower_type(l, type),
                     .row = LLVMVectorType(lower_type(l, type), l->t->w),
                     .is_full = lower_under(l, insn->mask)};
    m.lanes.size = access->bytes;
    if (access->form == CY_SIR_FORM_INTERLEAVED) {
        LLVMValueRef at = lower_plus(l, lower_base(l, insn, false), access->offset - lower_bias(l, access));
        m.lanes.base.scalar = at; /* whose lowest bits say which part of the word it is */
        at = LLVMBuildAnd(l->t->builder, at, number32(l->t, ~3u), "");
        m.lowest = host_pointer(l->t, private_place(l, at, false));
    } else if (m.address.kind == CY_SIR_SHAPE_LANES || access->space == CY_SIR_PRIVATE) {
        find_lanes(l, &m);
    } else {
        m.lowest = l->t->group_pointer[access->group];
        m.lanes.is_affine = true;
        m.lanes.offset = access->offset - m.group->low;
        m.lanes.base.class.kind = m.address.kind == CY_SIR_SHAPE_ONE ? UNIFORM : AFFINE;
        m.lanes.base.class.stride = (uint32_t)m.address.stride;
    }
    return m;
}

/* ---- what does not change while a workgroup runs ---- */

/* It is loaded once, before everything else. */
static LLVMValueRef load_constant(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    const struct cy_sir_shape shape = cy_sir_address_shape(&l->shapes, insn);
    const bool is_metadata = shape.origin == CY_SIR_ORIGIN_METADATA;
    const size_t from =
        is_metadata ? offsetof(struct cy_jit_frame, metadata) : offsetof(struct cy_jit_frame, arguments);
    LLVMValueRef start = frame_word(t, from);
    if (is_metadata && shape.constant == sizeof(uint32_t))
        return frame_word(t, offsetof(struct cy_jit_frame, arguments));
    const struct early wanted = {.from = is_metadata ? TO_METADATA : TO_ARGUMENTS,
                                 .size = access->bytes,
                                 .zero_extend = true,
                                 .offset = (uint32_t)shape.constant};
    struct early *word = early_word(t, &wanted);
    if (!word->value) {
        LLVMBuilderRef here = t->builder;
        t->builder = t->allocas;
        word->value = load_from(t, lower_type(l, (enum cy_sir_type)insn->type),
                                at_offset(t, host_pointer(t, start), (int64_t)shape.constant));
        mark_invariant(t, word->value);
        t->builder = here;
    }
    return word->value;
}

/* ---- loads ---- */

/* Words of two: LLVM merges this with the load of the words in between. */
static LLVMValueRef load_every_other(struct lower *l, const struct move *m)
{
    const bool is_high = m->lanes.offset & 4;
    LLVMValueRef pairs = load_from(l->t, l->t->vi64, at_offset(l->t, word_pointer(l, m), is_high ? -4 : 0));
    return pair_word(l->t, pairs, is_high, true);
}

/* Elements of three or four words, of which others are accessed, too: LLVM merges their loads with this one. */
static LLVMValueRef load_record(struct lower *l, const struct move *m, unsigned words)
{
    struct translator *t = l->t;
    const unsigned word = (unsigned)m->lanes.offset / 4 % words;
    LLVMTypeRef type = LLVMVectorType(t->i32, t->w * words);
    LLVMValueRef all = load_from(t, type, at_offset(t, word_pointer(l, m), -4 * (int64_t)word));
    unsigned order[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        order[i] = i * words + word;
    return shuffled(l, all, order);
}

/* How far lanes are from the group's pointer, where hosts access words at known distances at once; NULL: elsewhere. */
static LLVMValueRef distances(struct lower *l, const struct move *m)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    const int64_t stride = m->address.stride, below = stride < 0 ? stride * (l->t->lanes - 1) : 0;
    if (!l->t->level->load_apart || l->t->w < 8)
        return NULL;
    for (unsigned i = 0; i < l->t->w; i++)
        lanes[i] = number32(l->t, i < l->t->lanes ? (uint32_t)(stride * i - below) : 0);
    return LLVMConstVector(lanes, l->t->w);
}

static LLVMValueRef load_one_by_one(struct lower *l, const struct move *m)
{
    struct translator *t = l->t;
    LLVMValueRef row = t->lanes == t->w ? LLVMGetPoison(m->row) : LLVMConstNull(m->row);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef word = load_from(t, m->element, lane_pointer(t, &m->lanes, m->lowest, i));
        row = LLVMBuildInsertElement(t->builder, row, word, number32(t, i), "");
    }
    return row;
}

static LLVMValueRef load_stride(struct lower *l, const struct move *m)
{
    const unsigned words = m->access->bytes == 4 && m->address.stride > 0 && m->address.stride % 4 == 0
                               ? (unsigned)m->address.stride / 4
                               : 0;
    if (words == 2)
        return load_every_other(l, m);
    if ((words == 3 || words == 4) && m->group->high - m->group->low > 4)
        return load_record(l, m, words);
    LLVMValueRef apart = distances(l, m);
    if (!apart)
        return load_one_by_one(l, m);
    LLVMValueRef row =
        l->t->level->load_apart(l->t, word_pointer(l, m), apart, m->access->bytes, true, strip_mask(l->t));
    return LLVMBuildTruncOrBitCast(l->t->builder, row, m->row, "");
}

/* Bytes and halves are parts of words. */
static LLVMValueRef load_gathered(struct lower *l, const struct move *m)
{
    struct translator *t = l->t;
    const unsigned bytes = m->access->bytes;
    const unsigned at = bytes < 4 && m->access->space == CY_SIR_NEAR && m->group->high - m->group->low > bytes
                            ? (unsigned)(m->access->offset - m->group->low) & 3
                            : 0;
    LLVMValueRef pointers = word_pointers(t, &m->lanes, (uint32_t)m->lanes.offset - at);
    LLVMValueRef words = gather_where(t, t->vi32, pointers, bytes < 4 ? 1 : 4, lower_mask(l, m->insn->mask));
    words = at ? LLVMBuildLShr(t->builder, words, splat(t, number32(t, 8 * at)), "") : words;
    return LLVMBuildTruncOrBitCast(t->builder, words, m->row, "");
}

/* How far the part of a word of private memory is in it, in bits. */
static LLVMValueRef bits_below(struct lower *l, const struct move *m)
{
    LLVMValueRef bytes = LLVMBuildAnd(l->t->builder, m->lanes.base.scalar, number32(l->t, 3), "");
    return splat(l->t, LLVMBuildShl(l->t->builder, bytes, number32(l->t, 3), ""));
}

static LLVMValueRef load_interleaved(struct lower *l, const struct move *m)
{
    struct translator *t = l->t;
    LLVMValueRef row = load_from(t, t->vi32, m->lowest);
    if (m->access->bytes == 4)
        return row;
    return LLVMBuildTrunc(t->builder, LLVMBuildLShr(t->builder, row, bits_below(l, m), ""), m->row, "");
}

/* What hosts do with words anywhere. */
static LLVMValueRef load_apart(struct lower *l, const struct move *m)
{
    return has_gathers(l->t) ? load_gathered(l, m) : load_one_by_one(l, m);
}

static LLVMValueRef first_pointer(struct lower *l, const struct move *m)
{
    LLVMValueRef first = LLVMBuildExtractElement(l->t->builder, m->lanes.base.vector, number32(l->t, 0), "");
    return at_offset(l->t, host_pointer(l->t, first), m->lanes.offset);
}

static LLVMValueRef load_maybe_row(struct lower *l, const struct move *m)
{
    struct row_ways ways = begin_ways(l->t, l->t->group_kind[m->access->group], first_pointer(l, m), NULL);
    struct move apart = *m;
    if (!has_gathers(l->t))
        apart.lanes.numbers = lane_places(l->t, NONE, m->lanes.base.vector);
    return end_ways(l->t, &ways, load_apart(l, &apart));
}

static LLVMValueRef load_part(struct lower *l, const struct move *m)
{
    LLVMValueRef row = lower_narrow_load(l, m);
    if (row || m->address.kind == CY_SIR_SHAPE_EVEN)
        return row ? row : load_stride(l, m);
    return load_apart(l, m);
}

static LLVMValueRef load_form(struct lower *l, const struct move *m)
{
    switch (m->access->form) {
    case CY_SIR_FORM_SCALAR: return load_from(l->t, m->element, word_pointer(l, m));
    case CY_SIR_FORM_ROW: return load_from(l->t, m->row, word_pointer(l, m));
    case CY_SIR_FORM_MAYBE_ROW: return load_maybe_row(l, m);
    case CY_SIR_FORM_CHUNK: return lower_chunk_load(l, m);
    case CY_SIR_FORM_PAIR: return lower_pair_load(l, m);
    case CY_SIR_FORM_NARROW: return load_part(l, m);
    case CY_SIR_FORM_STRIDE: return load_stride(l, m);
    case CY_SIR_FORM_INTERLEAVED: return load_interleaved(l, m);
    case CY_SIR_FORM_GATHER: return load_gathered(l, m);
    default: return load_one_by_one(l, m);
    }
}

LLVMValueRef lower_load(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    LLVMValueRef value;
    if (access->form == CY_SIR_FORM_CONSTANT)
        return load_constant(l, insn);
    if (access->space == CY_SIR_FAR) {
        value = lower_far_load(l, insn);
    } else {
        const struct move m = move_of(l, insn, (enum cy_sir_type)insn->type);
        value = load_form(l, &m);
    }
    if (is_vector == (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind))
        return value;
    return is_vector ? lower_splat(l, value) : LLVMBuildExtractElement(l->t->builder, value, number32(l->t, 0), "");
}

/* ---- stores ---- */

/* Into memory for a loop over the active lanes: code size matters more than speed here. */
static void store_some(struct lower *l, const struct move *m, LLVMValueRef row)
{
    struct translator *t = l->t;
    LLVMValueRef addresses =
        lower_address_value(l, m->insn, (struct cy_sir_address){.kind = CY_SIR_SHAPE_LANES}).vector;
    addresses = lower_plus(l, addresses, m->access->offset - lower_bias(l, m->access));
    if (m->access->space == CY_SIR_PRIVATE)
        addresses = private_place(l, addresses, true);
    LLVMBuildStore(t->builder, addresses, t->buffers[0]);
    LLVMBuildStore(t->builder, row, t->buffers[1]);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef address = LLVMBuildLoad2(t->builder, t->i32, lane_word(t, t->buffers[0], loop.lane), "");
    LLVMValueRef index = LLVMBuildZExt(t->builder, loop.lane, t->i64, "");
    LLVMValueRef from = LLVMBuildGEP2(t->builder, m->element, t->buffers[1], &index, 1, "");
    store_to(t, LLVMBuildLoad2(t->builder, m->element, from, ""), host_pointer(t, address));
    end_lanes(t, &loop);
}

/* Of lanes that write the same word, the last one counts, as the guest's do. */
static void store_lanes(struct lower *l, const struct move *m, LLVMValueRef row)
{
    struct translator *t = l->t;
    if (!m->is_full) {
        store_some(l, m, row);
        return;
    }
    for (unsigned i = m->access->form == CY_SIR_FORM_SCALAR ? t->lanes - 1 : 0; i < t->lanes; i++) {
        LLVMValueRef word = LLVMBuildExtractElement(t->builder, row, number32(t, i), "");
        store_to(t, word, lane_pointer(t, &m->lanes, m->lowest, i));
    }
}

static void store_gathered(struct lower *l, const struct move *m, LLVMValueRef row)
{
    LLVMValueRef pointers = word_pointers(l->t, &m->lanes, (uint32_t)m->lanes.offset);
    scatter_where(l->t, row, pointers, lower_mask(l, m->insn->mask));
}

/* Under a mask, by the addresses of lanes. */
static void store_stride(struct lower *l, struct move *m, LLVMValueRef row)
{
    if (!m->is_full && has_gathers(l->t) && m->access->bytes == 4) {
        find_lanes(l, m);
        m->lanes.is_affine = false;
        store_gathered(l, m, row);
        return;
    }
    LLVMValueRef apart = m->is_full ? distances(l, m) : NULL;
    if (!apart) {
        store_lanes(l, m, row);
        return;
    }
    LLVMValueRef words = m->access->bytes == 4 ? row : LLVMBuildZExt(l->t->builder, row, l->t->vi32, "");
    l->t->level->store_apart(l->t, words, word_pointer(l, m), apart, m->access->bytes, strip_mask(l->t));
}

static void store_maybe_row(struct lower *l, const struct move *m, LLVMValueRef row)
{
    struct row_ways ways = begin_ways(l->t, l->t->group_kind[m->access->group], first_pointer(l, m), row);
    struct move apart = *m;
    if (has_gathers(l->t)) {
        store_gathered(l, m, row);
    } else {
        apart.lanes.numbers = lane_places(l->t, NONE, m->lanes.base.vector);
        store_lanes(l, &apart, row);
    }
    end_ways(l->t, &ways, NULL);
}

static void store_consecutive(struct lower *l, const struct move *m, LLVMValueRef row, LLVMValueRef pointer)
{
    if (m->is_full)
        store_row(l->t, row, pointer);
    else
        store_masked_row(l->t, row, pointer);
}

/* A part of a word is stored with the rest of it, which is the same work-item's. */
static void store_interleaved(struct lower *l, const struct move *m, LLVMValueRef row)
{
    struct translator *t = l->t;
    LLVMBuilderRef b = t->builder;
    if (m->access->bytes < 4) {
        LLVMValueRef below = bits_below(l, m), part = splat(t, number32(t, (1u << 8 * m->access->bytes) - 1));
        LLVMValueRef rest = LLVMBuildNot(b, LLVMBuildShl(b, part, below, ""), "");
        rest = LLVMBuildAnd(b, load_from(t, t->vi32, m->lowest), rest, "");
        row = LLVMBuildShl(b, LLVMBuildZExt(b, row, t->vi32, ""), below, "");
        row = LLVMBuildOr(b, row, rest, "");
    }
    store_consecutive(l, m, row, m->lowest);
}

/* One word for all lanes: by the first one if the warp stores it, else by the last one. */
static void store_scalar(struct lower *l, const struct move *m)
{
    const cy_sir_value data = m->insn->args[2];
    LLVMValueRef pointer = word_pointer(l, m);
    if (lower_is_one(l, data))
        store_to(l->t, lower_number(l, data), pointer);
    else if (m->access->is_scalar)
        store_to(l->t, lower_first_active(l, lower_vector(l, data), m->insn->mask), pointer);
    else
        store_lanes(l, m, lower_vector(l, data));
}

void lower_store(struct lower *l, const struct cy_sir_insn *insn)
{
    if (l->func->accesses.at[insn->access].space == CY_SIR_FAR) {
        lower_far_store(l, insn);
        return;
    }
    struct move m = move_of(l, insn, (enum cy_sir_type)cy_sir_at(l->func, insn->args[2])->type);
    LLVMValueRef row = m.access->form == CY_SIR_FORM_SCALAR ? NULL : lower_vector(l, insn->args[2]);
    switch (m.access->form) {
    case CY_SIR_FORM_SCALAR: store_scalar(l, &m); break;
    case CY_SIR_FORM_ROW: store_consecutive(l, &m, row, word_pointer(l, &m)); break;
    case CY_SIR_FORM_MAYBE_ROW: store_maybe_row(l, &m, row); break;
    case CY_SIR_FORM_CHUNK:
    case CY_SIR_FORM_PAIR:
    case CY_SIR_FORM_NARROW: lower_element_store(l, &m, row); break;
    case CY_SIR_FORM_STRIDE: store_stride(l, &m, row); break;
    case CY_SIR_FORM_INTERLEAVED: store_interleaved(l, &m, row); break;
    case CY_SIR_FORM_GATHER: store_gathered(l, &m, row); break;
    default: store_lanes(l, &m, row);
    }
}
