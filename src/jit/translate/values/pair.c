/* 64-bit values in pairs of vGPRs.
 *
 * A pair that was written as one is kept as one value, with allocas of its own, until one of its halves is written or only
 * one of them is still needed.  Reading a half computes it from the value; reading a pair whose halves were written
 * separately puts them together. */
#include "jit/translate/translator.h"

static LLVMValueRef known_base(struct translator *t, uint64_t value)
{
    return t->emit ? number64(t, value) : NULL;
}

static LLVMValueRef load(struct translator *t, LLVMTypeRef type, LLVMValueRef from)
{
    return t->emit ? LLVMBuildLoad2(t->builder, type, from, "") : NULL;
}

/* ---- making values ---- */

struct wide wide_constant(struct translator *t, uint64_t value)
{
    return (struct wide){.class = {.kind = WIDE_UNIFORM,
                                   .is_const = true,
                                   .in_group = true,
                                   .constant = value,
                                   .align = (uint8_t)(value ? __builtin_ctzll(value) : 63)},
                         .base = known_base(t, value)};
}

struct wide wide_uniform(struct translator *t, LLVMValueRef base, bool in_group)
{
    return (struct wide){.class = {.kind = WIDE_UNIFORM, .in_group = in_group && !t->varying[t->at]}, .base = base};
}

struct wide wide_vector(struct translator *t, LLVMValueRef vector)
{
    if (t->lanes == 1)
        return wide_uniform(t, t->emit ? LLVMBuildExtractElement(t->builder, vector, number32(t, 0), "") : NULL, false);
    return (struct wide){.class = {.kind = WIDE_VECTOR}, .vector = vector};
}

bool is_wide_shared(const struct wide_class *class)
{
    return class->in_group && class->kind == WIDE_UNIFORM;
}

struct wide wide_extended(struct translator *t, struct value value, bool is_signed)
{
    const uint32_t word = value.class.constant;
    if (value.class.is_const)
        return wide_constant(t, is_signed ? (uint64_t)(int64_t)(int32_t)word : word);
    if (value.class.kind == UNIFORM) {
        LLVMValueRef base = scalar_of(t, value);
        if (t->emit)
            base =
                is_signed ? LLVMBuildSExt(t->builder, base, t->i64, "") : LLVMBuildZExt(t->builder, base, t->i64, "");
        struct wide wide = wide_uniform(t, base, is_shared(&value.class));
        wide.class.align = value.class.align;
        return wide;
    }
    struct wide wide = wide_constant(t, 0);
    wide.index = as_word(t, value);
    wide.class.kind = WIDE_INDEXED;
    wide.class.is_signed = is_signed;
    wide.class.factor = 1;
    wide.class.index = value.class;
    return wide;
}

LLVMValueRef wide_lanes(struct translator *t, struct wide value)
{
    if (!t->emit)
        return NULL;
    if (value.class.kind == WIDE_VECTOR)
        return value.vector;
    LLVMValueRef base = splat(t, value.base);
    if (value.class.kind == WIDE_UNIFORM)
        return base;
    LLVMValueRef index = vector_of(t, value.index);
    index = value.class.is_signed ? LLVMBuildSExt(t->builder, index, t->vi64, "")
                                  : LLVMBuildZExt(t->builder, index, t->vi64, "");
    LLVMValueRef scaled = LLVMBuildMul(t->builder, index, splat(t, number64(t, value.class.factor)), "");
    return LLVMBuildAdd(t->builder, base, scaled, "");
}

struct value wide_half(struct translator *t, struct wide value, bool high)
{
    const struct wide_class *class = &value.class;
    if (class->is_const && class->kind == WIDE_UNIFORM)
        return constant(t, (uint32_t)(high ? class->constant >> 32 : class->constant));
    if (class->kind == WIDE_UNIFORM || (class->kind == WIDE_INDEXED && !high)) {
        LLVMValueRef word = t->emit ? pair_word(t, value.base, high, false) : NULL;
        struct value base =
            class->is_const ? constant(t, (uint32_t) class->constant) : uniform(t, word, class->in_group);
        if (!high && !class->is_const)
            base.class.align = class->align < 31 ? class->align : 31;
        if (class->kind == WIDE_UNIFORM)
            return base;
        return binary(t, ADD, base, binary(t, MUL, value.index, constant(t, (uint32_t) class->factor)));
    }
    LLVMValueRef lanes = wide_lanes(t, value);
    return vector(t, t->emit ? pair_word(t, spoiled(t, cy_jit_broken(PAIR) && high, lanes), high, true) : NULL);
}

/* A value of which the low and the high words are given. */
static struct wide combined(struct translator *t, struct value low, struct value high)
{
    const struct class *x = &low.class, *y = &high.class;
    if (x->is_const && y->is_const)
        return wide_constant(t, (uint64_t)y->constant << 32 | x->constant);
    if (y->kind == UNIFORM && x->kind != UNIFORM) { /* the low words are an index, zero-extended */
        struct wide base = wide_constant(t, (uint64_t)y->constant << 32), wide = wide_extended(t, low, false);
        if (!y->is_const) {
            LLVMValueRef upper = scalar_of(t, high);
            if (t->emit)
                upper = LLVMBuildShl(t->builder, LLVMBuildZExt(t->builder, upper, t->i64, ""), number64(t, 32), "");
            base = wide_uniform(t, upper, is_shared(y));
            base.class.align = 32;
        }
        wide.base = base.base;
        wide.class.is_const = base.class.is_const;
        wide.class.constant = base.class.constant;
        wide.class.in_group = base.class.in_group;
        wide.class.align = base.class.align;
        return wide;
    }
    LLVMValueRef words[2];
    if (x->kind == UNIFORM && y->kind == UNIFORM) {
        words[0] = scalar_of(t, low);
        words[1] = scalar_of(t, high);
        struct wide wide =
            wide_uniform(t, t->emit ? wide_from(t, words[0], words[1], false) : NULL, is_shared(x) && is_shared(y));
        wide.class.align = x->align < 31 ? x->align : 0;
        return wide;
    }
    words[0] = vector_of(t, low);
    words[1] = vector_of(t, high);
    return wide_vector(t, t->emit ? wide_from(t, words[0], words[1], true) : NULL);
}

/* ---- registers ---- */

static LLVMValueRef place_of_base(const struct translator *t, const struct pair_places *places)
{
    return t->version == ALONE ? places->alone : places->base;
}

static struct value load_index(struct translator *t, const struct pair_places *places, const struct class *class)
{
    struct value index = {.class = *class};
    if (class->kind == VECTOR)
        index.vector = load(t, t->vi32, places->index_vector);
    if (class->kind != VECTOR || class->is_line)
        index.scalar = load(t, t->i32, places->index);
    if (class->is_line)
        index.step = load(t, t->i32, places->step);
    return index;
}

static struct wide load_pair(struct translator *t, unsigned pair)
{
    const struct pair_places *places = &t->pairs[pair];
    struct wide value = {.class = t->now.w[pair]};
    value.class.is_blended = false;
    if (value.class.kind == WIDE_VECTOR) {
        value.vector = load(t, t->vi64, places->vector);
        return value;
    }
    value.base = value.class.is_const ? known_base(t, value.class.constant) : load(t, t->i64, place_of_base(t, places));
    if (value.class.kind == WIDE_INDEXED)
        value.index = load_index(t, places, &value.class.index);
    return value;
}

struct wide read_pair(struct translator *t, unsigned number)
{
    if (t->now.is_pair[number / 2])
        return load_pair(t, number / 2);
    struct value low = read_v(t, number);
    return combined(t, low, read_v(t, number + 1));
}

/* What counts in active lanes only: see read_active. */
struct wide read_active_pair(struct translator *t, unsigned number)
{
    struct wide value = read_pair(t, number);
    if (t->emit && t->version == MASKED && t->now.is_pair[number / 2] && value.class.kind == WIDE_VECTOR &&
        t->unblended_pairs[number / 2])
        value.vector = t->unblended_pairs[number / 2];
    return value;
}

/* The register in all lanes, not only in the active ones. */
static LLVMValueRef word_of_all(struct translator *t, unsigned number)
{
    return t->now.v[number].is_blended ? load(t, t->vi32, t->vv[number]) : vector_of(t, read_v(t, number));
}

static LLVMValueRef pair_of_all(struct translator *t, unsigned pair)
{
    if (t->now.is_pair[pair])
        return t->now.w[pair].is_blended ? load(t, t->vi64, t->pairs[pair].vector) : wide_lanes(t, load_pair(t, pair));
    LLVMValueRef low = word_of_all(t, 2 * pair);
    return wide_from(t, low, word_of_all(t, 2 * pair + 1), true);
}

static void store_index(struct translator *t, const struct pair_places *places, struct value index)
{
    if (index.class.kind != VECTOR || index.class.is_line)
        LLVMBuildStore(t->builder, index.scalar, places->index);
    if (index.class.is_line)
        LLVMBuildStore(t->builder, index.step, places->step);
    if (index.class.kind == VECTOR)
        LLVMBuildStore(t->builder, index.vector, places->index_vector);
}

static void store_parts(struct translator *t, const struct pair_places *places, struct wide value)
{
    if (value.class.kind == WIDE_VECTOR)
        return;
    LLVMBuildStore(t->builder, value.base, place_of_base(t, places));
    if (value.class.kind == WIDE_INDEXED)
        store_index(t, places, value.index);
}

static void forget_halves(struct state *state, unsigned pair)
{
    const struct class none = {.kind = UNIFORM, .is_const = true, .in_group = true};
    state->v[2 * pair] = state->v[2 * pair + 1] = none;
}

void write_pair(struct translator *t, unsigned number, struct wide value)
{
    const unsigned pair = number / 2;
    const struct regs *keep = &t->insts[t->at].keep;
    const bool blend = t->version == MASKED && (in_v(keep, number) || in_v(keep, number + 1));
    const struct pair_places *places = &t->pairs[pair];
    LLVMValueRef lanes = NULL;
    if (t->emit && blend) {
        LLVMValueRef now = wide_lanes(t, value);
        lanes = cy_jit_broken(PAIR_BLEND) ? now : blend_lanes(t, now, pair_of_all(t, pair));
    } else if (value.class.kind == WIDE_VECTOR) {
        lanes = value.vector;
    }
    t->now.is_pair[pair] = true;
    forget_halves(&t->now, pair);
    t->now.w[pair] = value.class;
    t->now.w[pair].is_blended = blend && value.class.kind != WIDE_VECTOR;
    if (!t->emit)
        return;
    t->unblended_pairs[pair] = blend && value.class.kind == WIDE_VECTOR ? value.vector : NULL;
    store_parts(t, places, value);
    if (lanes)
        LLVMBuildStore(t->builder, lanes, places->vector);
}

/* One of the halves as a register again. */
static void put_half(struct translator *t, unsigned number, struct value value, LLVMValueRef all, bool is_blended)
{
    if (all && value.class.kind == VECTOR) {
        value.vector = all;
        value.class.is_line = false;
    }
    if (is_blended && value.class.kind == VECTOR)
        value.class.is_line = false;
    t->now.v[number] = value.class;
    t->now.v[number].is_blended = is_blended && value.class.kind != VECTOR;
    t->unblended[number] = NULL;
    if (!t->emit)
        return;
    if (value.class.kind != VECTOR)
        LLVMBuildStore(t->builder, value.scalar, t->version == ALONE ? t->alone[number] : t->vs[number]);
    if (value.class.is_line) {
        LLVMBuildStore(t->builder, value.scalar, t->vs[number]);
        LLVMBuildStore(t->builder, value.step, t->vstep[number]);
    }
    if (value.class.kind == VECTOR || all)
        LLVMBuildStore(t->builder, value.class.kind == VECTOR ? value.vector : all, t->vv[number]);
}

void split_pair(struct translator *t, unsigned number)
{
    const unsigned pair = number / 2;
    if (!t->now.is_pair[pair])
        return;
    const bool is_blended = t->now.w[pair].is_blended;
    struct wide value = load_pair(t, pair);
    struct value half[2];
    LLVMValueRef all[2] = {NULL, NULL};
    half[0] = wide_half(t, value, false);
    half[1] = wide_half(t, value, true);
    if (t->emit && is_blended) {
        LLVMValueRef lanes = load(t, t->vi64, t->pairs[pair].vector);
        all[0] = pair_word(t, lanes, false, true);
        all[1] = pair_word(t, lanes, true, true);
    }
    t->now.is_pair[pair] = false;
    for (unsigned i = 0; i < 2; i++)
        put_half(t, 2 * pair + i, half[i], all[i], is_blended);
}

struct wide read_x_pair(struct translator *t, unsigned number)
{
    struct value low = read_x(t, number);
    return number ? combined(t, low, read_x(t, number + 1)) : wide_constant(t, 0);
}

void write_x_pair(struct translator *t, unsigned number, struct wide value)
{
    if (!number)
        return;
    write_x(t, number, wide_half(t, value, false));
    write_x(t, number + 1, wide_half(t, value, true));
}

/* ---- allocas ---- */

/* Compilers move a pair by moves of its halves. */
static bool moves_pair(const struct translator *t, const struct inst *low)
{
    if (low->insn.op != CY_OP_vmv_v_v || low->is_wide || low->next == NONE || t->insts[low->next].is_leader)
        return false;
    const struct inst *high = &t->insts[low->next];
    const int32_t to = field(low, CY_FIELD_vd), from = field(low, CY_FIELD_vs1);
    return high->insn.op == CY_OP_vmv_v_v && !high->is_wide && !(to & 1) && !(from & 1) &&
           field(high, CY_FIELD_vd) == to + 1 && field(high, CY_FIELD_vs1) == from + 1;
}

/* Pairs that some instruction uses as one. */
void find_pairs(struct translator *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        struct inst *inst = &t->insts[i];
        inst->moves_pair = inst->reachable && moves_pair(t, inst);
        enum cy_field fields[CY_MAX_OPERANDS];
        const size_t count = inst->reachable ? cy_format_operands(row_of(inst)->format, fields) : 0;
        for (size_t k = 0; k < count; k++)
            if (cy_fields[fields[k]].kind == CY_VREG && inst->is_wide && register_count(inst, fields[k]) == 2)
                t->pairs[inst->insn.operand[k] / 2].is_used = true;
    }
}

void make_pair_allocas(struct translator *t)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        struct pair_places *places = &t->pairs[i];
        if (!places->is_used)
            continue;
        LLVMValueRef *const longs[] = {&places->base, &places->group_base, &places->alone};
        LLVMValueRef *const words[] = {&places->index, &places->step, &places->group_index};
        for (size_t k = 0; k < CY_COUNT(longs); k++)
            *longs[k] = LLVMBuildAlloca(t->allocas, t->i64, "w");
        for (size_t k = 0; k < CY_COUNT(words); k++)
            *words[k] = LLVMBuildAlloca(t->allocas, t->i32, "w");
        places->index_vector = LLVMBuildAlloca(t->allocas, t->vi32, "w");
        places->index_rows = LLVMBuildAlloca(t->allocas, t->vi32, "w");
        places->vector = LLVMBuildAlloca(t->allocas, t->vi64, "w");
        places->rows = LLVMBuildAlloca(t->allocas, t->vi64, "w");
    }
}

void forget_pairs(struct translator *t)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct pair_places *places = &t->pairs[i];
        if (!places->is_used)
            continue;
        LLVMBuildStore(t->builder, LLVMGetUndef(t->i64), places->base);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->i64), places->alone);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->i32), places->index);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->i32), places->step);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->vi32), places->index_vector);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->vi32), places->index_rows);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->vi64), places->vector);
        LLVMBuildStore(t->builder, LLVMGetUndef(t->vi64), places->rows);
    }
}

/* ---- where ways meet ---- */

bool is_equal_wide(const struct wide_class *a, const struct wide_class *b)
{
    return a->kind == b->kind && a->is_const == b->is_const && a->in_group == b->in_group &&
           a->is_blended == b->is_blended && a->align == b->align && a->constant == b->constant &&
           (a->kind != WIDE_INDEXED ||
            (a->is_signed == b->is_signed && a->factor == b->factor && is_equal_class(&a->index, &b->index)));
}

static struct wide_class merged(const struct wide_class *a, const struct wide_class *b, bool meeting)
{
    struct wide_class both = {.kind = a->kind};
    if (is_equal_wide(a, b))
        return *a;
    if (a->kind != b->kind || a->kind == WIDE_VECTOR ||
        (a->kind == WIDE_INDEXED && (a->is_signed != b->is_signed || a->factor != b->factor)))
        return (struct wide_class){.kind = WIDE_VECTOR};
    both.is_blended = a->is_blended || b->is_blended;
    both.align = a->align < b->align ? a->align : b->align;
    both.in_group = a->in_group && b->in_group && !meeting;
    if (a->is_const && b->is_const && a->constant == b->constant) {
        both.is_const = both.in_group = true;
        both.constant = a->constant;
    }
    if (a->kind == WIDE_INDEXED) {
        both.is_signed = a->is_signed;
        both.factor = a->factor;
        both.index = merged_class(&a->index, &b->index, meeting);
    }
    return both;
}

/* The class of a pair in a state, whether its halves are together or not. */
static struct wide_class class_in(struct translator *t, const struct state *state, unsigned pair)
{
    if (state->is_pair[pair])
        return state->w[pair];
    struct value low = {.class = state->v[2 * pair]}, high = {.class = state->v[2 * pair + 1]};
    const bool is_blended = low.class.is_blended || high.class.is_blended;
    low.class.is_blended = high.class.is_blended = false;
    struct wide_class both = combined(t, low, high).class;
    both.is_blended = is_blended && both.kind != WIDE_VECTOR;
    return both;
}

static void split_class(struct translator *t, struct state *state, unsigned pair)
{
    const struct wide value = {.class = state->w[pair], .index = {.class = state->w[pair].index}};
    const bool is_blended = value.class.is_blended;
    if (!state->is_pair[pair])
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct class *half = &state->v[2 * pair + i];
        *half = wide_half(t, value, i).class;
        half->is_blended = is_blended && half->kind != VECTOR;
        half->is_line &= !is_blended;
    }
    state->is_pair[pair] = false;
}

bool merge_pairs(struct translator *t, struct state *into, const struct state *from, const struct regs *live,
                 bool meeting, bool is_new)
{
    bool changed = false;
    for (unsigned i = 0; i < PAIRS; i++) {
        const bool both = in_v(live, 2 * i) && in_v(live, 2 * i + 1);
        if (!t->pairs[i].is_used || (!into->is_pair[i] && !from->is_pair[i]))
            continue;
        if (is_new) {
            if (!both)
                split_class(t, into, i);
            continue;
        }
        if (!both) {
            struct state other = *from;
            split_class(t, &other, i);
            for (unsigned k = 2 * i; k < 2 * i + 2; k++)
                if (in_v(live, k)) {
                    const struct class merged = merged_class(&into->v[k], &other.v[k], meeting);
                    changed |= !is_equal_class(&merged, &into->v[k]);
                    into->v[k] = merged;
                }
            continue;
        }
        const struct wide_class old = class_in(t, into, i), other = class_in(t, from, i);
        const struct wide_class merge = merged(&old, &other, meeting);
        changed |= !into->is_pair[i] || !is_equal_wide(&merge, &old);
        into->is_pair[i] = true;
        into->w[i] = merge;
        forget_halves(into, i);
    }
    return changed;
}

void convert_pairs(struct translator *t, const struct state *to, const struct regs *live)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct pair_places *places = &t->pairs[i];
        const struct wide_class *want = &to->w[i];
        if (!places->is_used || !(in_v(live, 2 * i) || in_v(live, 2 * i + 1)))
            continue;
        if (!to->is_pair[i]) {
            split_pair(t, 2 * i);
            continue;
        }
        const bool was_pair = t->now.is_pair[i];
        const bool has_vector = was_pair && (t->now.w[i].kind == WIDE_VECTOR || t->now.w[i].is_blended);
        if ((want->kind == WIDE_VECTOR || want->is_blended) && !has_vector)
            LLVMBuildStore(t->builder, pair_of_all(t, i), places->vector);
        if (want->kind == WIDE_VECTOR)
            continue;
        struct wide value = read_pair(t, 2 * i);
        if (!was_pair)
            store_parts(t, places, value);
        if (want->kind == WIDE_INDEXED && want->index.kind == VECTOR && value.index.class.kind != VECTOR)
            LLVMBuildStore(t->builder, vector_of(t, value.index), places->index_vector);
    }
}

void unblend_pairs(struct state *state)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        if (state->is_pair[i] && state->w[i].is_blended)
            state->w[i] = (struct wide_class){.kind = WIDE_VECTOR};
        state->w[i].index.is_line = false;
    }
}

/* ---- across barriers ---- */

static bool crosses(const struct translator *t, const struct phase *phase, unsigned pair)
{
    const struct regs *live = &t->insts[phase->entry].live;
    return t->pairs[pair].is_used && phase->in->is_pair[pair] && in_v(live, 2 * pair) && in_v(live, 2 * pair + 1);
}

static uint32_t take_place(struct translator *t, uint32_t bytes, uint32_t align)
{
    const uint32_t place = (t->record_bytes + align - 1) & ~(align - 1);
    t->record_bytes = place + bytes;
    return place;
}

void give_pair_places(struct translator *t, const struct phase *phase)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        struct pair_places *places = &t->pairs[i];
        if (!crosses(t, phase, i) || places->record_base)
            continue;
        places->record_base = take_place(t, 8, 8);
        places->record_index = take_place(t, 4 * t->w, 16);
        places->record_vector = take_place(t, 8 * t->w, 16);
    }
}

void save_pairs(struct translator *t, const struct phase *next, const struct regs *kept)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct pair_places *places = &t->pairs[i];
        const struct wide_class *as = &next->in->w[i];
        if (!crosses(t, next, i) || (in_v(kept, 2 * i) && in_v(kept, 2 * i + 1)))
            continue;
        struct wide value = read_pair(t, 2 * i);
        if (as->kind == WIDE_VECTOR) {
            LLVMValueRef lanes = wide_lanes(t, value);
            LLVMSetAlignment(LLVMBuildStore(t->builder, lanes, in_record(t, places->record_vector)), 16);
            continue;
        }
        LLVMBuildStore(t->builder, value.base, as->in_group ? places->group_base : in_record(t, places->record_base));
        if (as->kind == WIDE_INDEXED)
            save_value(t, value.index, &as->index, places->group_index, places->record_index);
    }
}

void read_shared_pairs(struct translator *t, const struct phase *phase)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        struct pair_places *places = &t->pairs[i];
        if (!crosses(t, phase, i))
            continue;
        places->shared_base = LLVMBuildLoad2(t->builder, t->i64, places->group_base, "");
        places->shared_index = LLVMBuildLoad2(t->builder, t->i32, places->group_index, "");
    }
}

void restore_pairs(struct translator *t, const struct phase *phase)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct pair_places *places = &t->pairs[i];
        const struct wide_class *class = &phase->in->w[i];
        if (!crosses(t, phase, i))
            continue;
        if (class->kind == WIDE_VECTOR) {
            LLVMValueRef lanes = LLVMBuildLoad2(t->builder, t->vi64, in_record(t, places->record_vector), "");
            LLVMSetAlignment(lanes, 16);
            LLVMBuildStore(t->builder, lanes, places->vector);
            continue;
        }
        LLVMValueRef base = class->is_const ? known_base(t, class->constant)
                            : class->in_group
                                ? places->shared_base
                                : LLVMBuildLoad2(t->builder, t->i64, in_record(t, places->record_base), "");
        LLVMBuildStore(t->builder, base, places->base);
        if (class->kind != WIDE_INDEXED)
            continue;
        if (class->index.kind == VECTOR) {
            LLVMValueRef lanes = LLVMBuildLoad2(t->builder, t->vi32, in_record(t, places->record_index), "");
            LLVMSetAlignment(lanes, 16);
            LLVMBuildStore(t->builder, lanes, places->index_vector);
        } else
            LLVMBuildStore(t->builder, saved_value(t, &class->index, places->shared_index, places->record_index),
                           places->index);
    }
}

/* ---- lanes that run alone: pairs that no code up to the join changes ---- */

void make_pairs_alone(struct state *state)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        struct wide_class *class = &state->w[i];
        if (!state->is_pair[i])
            continue;
        if (class->kind != WIDE_UNIFORM)
            *class = (struct wide_class){.kind = WIDE_UNIFORM};
        class->is_blended = class->in_group = false;
    }
}

static bool is_needed(const struct translator *t, const struct regs *needed, unsigned pair)
{
    return t->now.is_pair[pair] && (in_v(needed, 2 * pair) || in_v(needed, 2 * pair + 1));
}

void save_pair_rows(struct translator *t, const struct regs *needed)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        if (!is_needed(t, needed, i))
            continue;
        struct wide value = load_pair(t, i);
        if (value.class.kind == WIDE_VECTOR)
            LLVMBuildStore(t->builder, value.vector, t->pairs[i].rows);
        else if (value.class.kind == WIDE_INDEXED && value.index.class.kind == VECTOR)
            LLVMBuildStore(t->builder, value.index.vector, t->pairs[i].index_rows);
    }
}

void load_lane_pairs(struct translator *t, const struct regs *needed, LLVMValueRef lane)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        const struct pair_places *places = &t->pairs[i];
        if (!is_needed(t, needed, i))
            continue;
        struct wide value = load_pair(t, i);
        LLVMValueRef whole = value.base, at = LLVMBuildZExt(t->builder, lane, t->i64, "");
        if (value.class.kind == WIDE_VECTOR) {
            at = LLVMBuildGEP2(t->builder, t->i64, places->rows, &at, 1, "");
            whole = LLVMBuildLoad2(t->builder, t->i64, at, "");
        } else if (value.class.kind == WIDE_INDEXED) {
            LLVMValueRef index = value.index.scalar;
            if (value.index.class.kind == VECTOR)
                index = LLVMBuildLoad2(t->builder, t->i32, lane_word(t, places->index_rows, lane), "");
            else
                index = LLVMBuildAdd(t->builder, index,
                                     LLVMBuildMul(t->builder, lane, number32(t, value.index.class.stride), ""), "");
            index = value.class.is_signed ? LLVMBuildSExt(t->builder, index, t->i64, "")
                                          : LLVMBuildZExt(t->builder, index, t->i64, "");
            index = LLVMBuildMul(t->builder, index, number64(t, value.class.factor), "");
            whole = LLVMBuildAdd(t->builder, value.base, index, "");
        }
        LLVMBuildStore(t->builder, whole, places->alone);
    }
}
