#include "random.h"

#include "isa/isa.h"

#include <stdio.h>

/* For which work-items a value is the same, and which ones take the same way. */
enum level { OF_WORKGROUP, OF_WARP, OF_LANE };

/* A value that may be used here. */
struct known {
    cy_sir_value value;
    enum level level;
};

struct maker {
    struct cy_sir_func *func;
    uint64_t state;
    uint32_t block;
    CY_VEC(struct known) known;
    enum level control;
    bool is_ordered;    /* all vbranches around are in the machine's order */
    bool is_mixed;      /* lanes that came here in several ways or rounds may go on together, or not */
    bool strip_is_warp; /* so that values of a warp make sense */
    unsigned depth, left;
    unsigned epoch; /* barriers passed, modulo 2: the half of memory that is written */
    cy_sir_value item, lds;
};

enum { MOST_ITEMS = 64, OWN_BYTES = 32, HALF = MOST_ITEMS * OWN_BYTES, SUMS = 2 * HALF, SUM_COUNT = 16 };
enum { LANE_CELLS = 2, WARP_CELLS = 2 };
_Static_assert(SUMS + 4 * SUM_COUNT <= RANDOM_SIR_BYTES, "it fits the memory");

static uint64_t bits(struct maker *m)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return m->state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t draw(struct maker *m, uint32_t limit)
{
    return (uint32_t)(bits(m) >> 33) % limit;
}

static enum level higher(enum level a, enum level b)
{
    return a > b ? a : b;
}

/* ---- values ---- */

static void know(struct maker *m, cy_sir_value value, enum level level)
{
    *cy_vec_push(&m->known) = (struct known){value, level};
}

static cy_sir_value emit(struct maker *m, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a, cy_sir_value b,
                         cy_sir_value c)
{
    const uint32_t code = 0x80000000;
    cy_sir_value value = cy_sir_append(m->func, m->block, op, type, a, b, c);
    cy_sir_at(m->func, value)->pc = code + 4 * value;
    return value;
}

static cy_sir_value constant(struct maker *m, enum cy_sir_type type, uint64_t value)
{
    return cy_sir_const(m->func, m->block, type, value);
}

static cy_sir_value random_constant(struct maker *m, enum cy_sir_type type)
{
    static const uint64_t special[] = {
        0,          1,          2,          31,         UINT64_MAX, UINT64_C(1) << 63, INT64_MAX, 0x7f800000,
        0x7fc00000, 0x80000000, 0x3f800000, 0x7fffffff, 0x3c00,     0x7ff0000000000000};
    const uint64_t value = draw(m, 2) ? special[draw(m, CY_COUNT(special))] : bits(m);
    return constant(m, type, value);
}

/* A value of this type that is the same at least for those of the level, and its own level. */
static struct known pick(struct maker *m, enum cy_sir_type type, enum level most)
{
    enum { TRIES = 12 };
    for (unsigned i = 0; i < TRIES && m->known.count; i++) {
        const struct known one = m->known.at[m->known.count - 1 - draw(m, (uint32_t)m->known.count)];
        if (cy_sir_at(m->func, one.value)->type == type && one.level <= most)
            return one;
    }
    return (struct known){random_constant(m, type), OF_WORKGROUP};
}

static enum cy_sir_type integer_type(struct maker *m)
{
    static const uint8_t types[] = {CY_SIR_I32, CY_SIR_I32, CY_SIR_I32, CY_SIR_I32,
                                    CY_SIR_I64, CY_SIR_I64, CY_SIR_I16, CY_SIR_I8};
    return (enum cy_sir_type)types[draw(m, sizeof(types))];
}

static enum cy_sir_type float_type(struct maker *m)
{
    static const uint8_t types[] = {CY_SIR_I32, CY_SIR_I32, CY_SIR_I64, CY_SIR_I16};
    return (enum cy_sir_type)types[draw(m, sizeof(types))];
}

/* ---- pure operations ---- */

static void make_same_or_bool(struct maker *m, enum cy_sir_op op)
{
    const struct cy_sir_op_info *info = &cy_sir_ops[op];
    const bool is_float = op >= CY_SIR_FADD && op <= CY_SIR_FNARROW;
    const enum cy_sir_type type = is_float ? float_type(m) : integer_type(m);
    struct known args[3] = {{0}};
    enum level level = OF_WORKGROUP;
    for (unsigned i = 0; i < info->arguments; i++) {
        args[i] = pick(m, type, OF_LANE);
        level = higher(level, args[i].level);
    }
    know(
        m,
        emit(m, op, info->result == CY_SIR_RESULT_BOOL ? CY_SIR_I1 : type, args[0].value, args[1].value, args[2].value),
        level);
}

static void make_select(struct maker *m)
{
    const enum cy_sir_type type = integer_type(m);
    const struct known which = pick(m, CY_SIR_I1, OF_LANE), a = pick(m, type, OF_LANE), b = pick(m, type, OF_LANE);
    know(m, emit(m, CY_SIR_SELECT, type, which.value, a.value, b.value), higher(which.level, higher(a.level, b.level)));
}

static void make_conversion(struct maker *m)
{
    static const struct {
        uint8_t op, from, to;
    } rows[] = {{CY_SIR_TRUNC, CY_SIR_I64, CY_SIR_I32},   {CY_SIR_TRUNC, CY_SIR_I32, CY_SIR_I8},
                {CY_SIR_TRUNC, CY_SIR_I32, CY_SIR_I1},    {CY_SIR_ZEXT, CY_SIR_I1, CY_SIR_I32},
                {CY_SIR_ZEXT, CY_SIR_I16, CY_SIR_I32},    {CY_SIR_SEXT, CY_SIR_I8, CY_SIR_I32},
                {CY_SIR_SEXT, CY_SIR_I32, CY_SIR_I64},    {CY_SIR_LOW, CY_SIR_I64, CY_SIR_I32},
                {CY_SIR_HIGH, CY_SIR_I64, CY_SIR_I32},    {CY_SIR_FWIDEN, CY_SIR_I16, CY_SIR_I32},
                {CY_SIR_FWIDEN, CY_SIR_I32, CY_SIR_I64},  {CY_SIR_FNARROW, CY_SIR_I64, CY_SIR_I32},
                {CY_SIR_FNARROW, CY_SIR_I32, CY_SIR_I16}, {CY_SIR_HTOF, CY_SIR_I16, CY_SIR_I32},
                {CY_SIR_FTOH, CY_SIR_I32, CY_SIR_I16}};
    const unsigned which = draw(m, CY_COUNT(rows));
    const struct known a = pick(m, (enum cy_sir_type)rows[which].from, OF_LANE);
    know(m, emit(m, (enum cy_sir_op)rows[which].op, (enum cy_sir_type)rows[which].to, a.value, 0, 0), a.level);
}

static void make_pair(struct maker *m)
{
    const struct known a = pick(m, CY_SIR_I32, OF_LANE), b = pick(m, CY_SIR_I32, OF_LANE);
    know(m, emit(m, CY_SIR_PAIR, CY_SIR_I64, a.value, b.value, 0), higher(a.level, b.level));
}

static void make_pure(struct maker *m)
{
    const uint32_t kind = draw(m, 16);
    if (kind < 2) {
        make_select(m);
    } else if (kind < 4) {
        make_conversion(m);
    } else if (kind == 4) {
        make_pair(m);
    } else { /* integers three times as often as floating point */
        const bool is_float = kind < 8;
        const uint32_t first = is_float ? CY_SIR_FADD : CY_SIR_ADD, last = is_float ? CY_SIR_UTOF : CY_SIR_GEU;
        make_same_or_bool(m, (enum cy_sir_op)(first + draw(m, last - first + 1)));
    }
}

static void make_source(struct maker *m)
{
    static const struct {
        uint8_t source, level;
    } rows[] = {{CY_SIR_SOURCE_ITEM, OF_LANE},         {CY_SIR_SOURCE_LANE, OF_LANE},
                {CY_SIR_SOURCE_TID, OF_WARP},          {CY_SIR_SOURCE_WARP, OF_WARP},
                {CY_SIR_SOURCE_GROUP_X, OF_WORKGROUP}, {CY_SIR_SOURCE_SLOT, OF_WORKGROUP}};
    const unsigned which = draw(m, CY_COUNT(rows));
    const cy_sir_value value = emit(m, CY_SIR_SOURCE, CY_SIR_I32, 0, 0, 0);
    cy_sir_at(m->func, value)->imm = rows[which].source;
    know(m, value, (enum level)rows[which].level);
}

static void make_last(struct maker *m)
{
    const enum cy_sir_type type = integer_type(m);
    if (m->strip_is_warp && !m->is_mixed)
        know(m, emit(m, CY_SIR_LAST, type, pick(m, type, OF_LANE).value, 0, 0), OF_WARP);
}

/* ---- cells ---- */

static void make_cell(struct maker *m)
{
    const uint32_t cell = draw(m, LANE_CELLS + WARP_CELLS);
    const enum cy_sir_type type = m->func->cells.at[cell].type;
    const bool is_warp = m->func->cells.at[cell].is_warp;
    cy_sir_value made;
    if (is_warp && !m->strip_is_warp)
        return;
    if (draw(m, 2)) {
        made = emit(m, CY_SIR_GET, type, 0, 0, 0);
        /* Of a warp it is one value, but lanes that are elsewhere may change it on the way. */
        know(m, made, is_warp ? OF_WARP : OF_LANE);
    } else if (!is_warp || (m->is_ordered && !m->is_mixed)) {
        made = emit(m, CY_SIR_SET, CY_SIR_VOID, pick(m, type, is_warp ? OF_WARP : OF_LANE).value, 0, 0);
    } else {
        return;
    }
    cy_sir_at(m->func, made)->imm = cell;
}

/* ---- memory ---- */

static uint32_t new_access(struct maker *m, unsigned bytes, unsigned rights, unsigned scale, int64_t offset)
{
    *cy_vec_push(&m->func->accesses) = (struct cy_sir_access){.pc = 0x80000000u + 4 * (uint32_t)m->func->insns.count,
                                                              .bytes = (uint8_t)bytes,
                                                              .rights = (uint8_t)rights,
                                                              .space = CY_SIR_NEAR,
                                                              .scale = (uint8_t)scale,
                                                              .words = 1,
                                                              .offset = offset,
                                                              .align = bytes,
                                                              .group = CY_SIR_NOTHING};
    return (uint32_t)m->func->accesses.count - 1;
}

static cy_sir_value masked(struct maker *m, cy_sir_value value, uint32_t mask)
{
    return emit(m, CY_SIR_AND, CY_SIR_I32, value, constant(m, CY_SIR_I32, mask), 0);
}

/* Where the work-item's own bytes of a half start. */
static cy_sir_value own_bytes(struct maker *m, unsigned half)
{
    cy_sir_value own = emit(m, CY_SIR_MUL, CY_SIR_I32, m->item, constant(m, CY_SIR_I32, OWN_BYTES), 0);
    own = emit(m, CY_SIR_ADD, CY_SIR_I32, own, m->lds, 0);
    return emit(m, CY_SIR_ADD, CY_SIR_I32, own, constant(m, CY_SIR_I32, half * HALF), 0);
}

static cy_sir_value emit_far(struct maker *m, enum cy_sir_op op, cy_sir_value a, cy_sir_value b)
{
    return emit(m, op, CY_SIR_I64, a, b, 0);
}

/* The same as an address of 64 bits, to which an index may have been added. */
static void make_far(struct maker *m, cy_sir_value *address, cy_sir_value *index, unsigned log_bytes)
{
    *address = emit_far(m, CY_SIR_ZEXT, *address, 0);
    if (!*index || draw(m, 2))
        return;
    const cy_sir_value distance = emit_far(m, draw(m, 2) ? CY_SIR_ZEXT : CY_SIR_SEXT, *index, 0);
    *address = emit_far(m, CY_SIR_ADD, *address, emit_far(m, CY_SIR_SHL, distance, constant(m, CY_SIR_I64, log_bytes)));
    *index = 0;
}

/* A word somewhere in `size` bytes, a power of two, from the address on: as address, or as address and index. */
static cy_sir_value access_word(struct maker *m, enum cy_sir_op op, unsigned log_bytes, cy_sir_value base,
                                uint32_t size, cy_sir_value data)
{
    const unsigned bytes = 1u << log_bytes, rights = op == CY_SIR_LOAD ? 1 : op == CY_SIR_STORE ? 2 : 3;
    const enum cy_sir_type type = (enum cy_sir_type)(CY_SIR_I8 + log_bytes);
    const int64_t offset = draw(m, 2) ? 0 : (int64_t)draw(m, 64) - 32;
    const cy_sir_value any = pick(m, CY_SIR_I32, OF_LANE).value;
    cy_sir_value index = 0, address = base;
    if (draw(m, 2))
        index = masked(m, any, size / bytes - 1);
    else
        address = emit(m, CY_SIR_ADD, CY_SIR_I32, base, masked(m, any, size - bytes), 0);
    if (offset)
        address = emit(m, CY_SIR_SUB, CY_SIR_I32, address, constant(m, CY_SIR_I32, (uint64_t)offset), 0);
    const bool is_far = !draw(m, 4);
    if (is_far)
        make_far(m, &address, &index, log_bytes);
    const uint32_t access = new_access(m, bytes, rights, index ? log_bytes : 0, offset);
    m->func->accesses.at[access].space = is_far ? CY_SIR_FAR : CY_SIR_NEAR;
    const cy_sir_value made = emit(m, op, op == CY_SIR_STORE ? CY_SIR_VOID : type, address, index, data);
    cy_sir_at(m->func, made)->access = access;
    return made;
}

static void make_load(struct maker *m)
{
    /* One access of the warp, by its first lane; the others' addresses do not matter. */
    const bool is_scalar = m->strip_is_warp && !m->is_mixed && !draw(m, 4);
    const unsigned log_bytes = draw(m, 4);
    const bool is_own = draw(m, 2);
    cy_sir_value base = is_own ? own_bytes(m, m->epoch) : m->lds;
    if (!is_own) /* what all wrote before the last barrier */
        base = emit(m, CY_SIR_ADD, CY_SIR_I32, base, constant(m, CY_SIR_I32, (m->epoch ^ 1) * HALF), 0);
    const cy_sir_value made = access_word(m, CY_SIR_LOAD, log_bytes, base, is_own ? OWN_BYTES : HALF, 0);
    m->func->accesses.at[cy_sir_at(m->func, made)->access].is_scalar = is_scalar;
    know(m, made, is_scalar ? OF_WARP : OF_LANE);
}

static void store(struct maker *m, cy_sir_value data)
{
    const unsigned log_bytes = cy_sir_at(m->func, data)->type - (unsigned)CY_SIR_I8;
    access_word(m, CY_SIR_STORE, log_bytes, own_bytes(m, m->epoch), OWN_BYTES, data);
}

static void make_store(struct maker *m)
{
    store(m, pick(m, (enum cy_sir_type)(CY_SIR_I8 + draw(m, 4)), OF_LANE).value);
}

static void make_sum(struct maker *m)
{
    const cy_sir_value data = pick(m, CY_SIR_I32, OF_LANE).value;
    const cy_sir_value base = emit(m, CY_SIR_ADD, CY_SIR_I32, m->lds, constant(m, CY_SIR_I32, SUMS), 0);
    const cy_sir_value old = access_word(m, CY_SIR_ATOMIC, 2, base, 4 * SUM_COUNT, data);
    m->func->accesses.at[cy_sir_at(m->func, old)->access].op = CY_OP_amoadd_w;
}

/* Values without control. */
static void make_simple(struct maker *m, unsigned count)
{
    for (; count; count--)
        (draw(m, 2) ? make_load : make_pure)(m);
}

/* ---- control ---- */

static uint32_t new_block(struct maker *m, uint32_t pred)
{
    const uint32_t block = cy_sir_block_new(m->func);
    if (pred != CY_SIR_NOTHING)
        *cy_vec_push(&m->func->blocks.at[block].preds) = pred;
    return block;
}

static void jump(struct maker *m, uint32_t to)
{
    cy_sir_set_jump(m->func, m->block, to);
    *cy_vec_push(&m->func->blocks.at[to].preds) = m->block;
}

static cy_sir_value *phi_arg(struct maker *m, cy_sir_value phi, unsigned nth)
{
    return &m->func->phi_args.at[cy_sir_at(m->func, phi)->args[0] + nth];
}

static void make_barrier(struct maker *m)
{
    emit(m, CY_SIR_BARRIER, CY_SIR_VOID, 0, 0, 0);
    m->epoch ^= 1;
}

/* Each way through a region passes as many barriers, modulo 2. */
static void settle(struct maker *m, unsigned epoch)
{
    if (m->epoch != epoch)
        make_barrier(m);
}

static void make_statements(struct maker *m, unsigned count);

/* What is known at the end of a side, by type, for phis. */
struct side {
    uint32_t block; /* its last one */
    struct known word, number;
};

static struct side make_side(struct maker *m, uint32_t block)
{
    const size_t known = m->known.count;
    const unsigned epoch = m->epoch;
    struct side side;
    m->block = block;
    m->depth++;
    for (unsigned i = m->control == OF_LANE && m->is_ordered ? 3 : 1; i; i--)
        make_cell(m);
    make_statements(m, draw(m, 6));
    settle(m, epoch);
    m->depth--;
    side.word = pick(m, CY_SIR_I32, OF_LANE);
    side.number = pick(m, CY_SIR_I64, OF_LANE);
    side.block = m->block;
    m->known.count = known;
    return side;
}

static void merge(struct maker *m, const struct side *sides, unsigned count, enum level level)
{
    const cy_sir_value word = cy_sir_phi(m->func, m->block, CY_SIR_I32),
                       number = cy_sir_phi(m->func, m->block, CY_SIR_I64);
    enum level of_word = level, of_number = level;
    for (unsigned i = 0; i < count; i++) {
        *phi_arg(m, word, i) = sides[i].word.value;
        *phi_arg(m, number, i) = sides[i].number.value;
        of_word = higher(of_word, sides[i].word.level);
        of_number = higher(of_number, sides[i].number.level);
    }
    know(m, word, of_word);
    know(m, number, of_number);
}

/* Half of the lanes, or as they come; most conditions that are drawn hold for all lanes, or for none. */
static struct known lane_condition(struct maker *m)
{
    if (draw(m, 2))
        return pick(m, CY_SIR_I1, OF_LANE);
    const cy_sir_value bit = emit(m, CY_SIR_SHRU, CY_SIR_I32, m->item, constant(m, CY_SIR_I32, draw(m, 3)), 0);
    return (struct known){emit(m, CY_SIR_TRUNC, CY_SIR_I1, bit, 0, 0), OF_LANE};
}

/* Divergent or not, with one side or two.  Lanes may also agree at a vbranch. */
static void make_if(struct maker *m)
{
    const bool is_split = draw(m, 3) != 0, has_else = draw(m, 2), in_order = is_split && draw(m, 2);
    const struct known condition = is_split ? lane_condition(m) : pick(m, CY_SIR_I1, OF_WARP);
    const enum level level = condition.level, control = m->control;
    const bool was_ordered = m->is_ordered;
    const uint32_t from = m->block, then = new_block(m, from);
    const uint32_t otherwise = has_else ? new_block(m, from) : CY_SIR_NOTHING, join = new_block(m, CY_SIR_NOTHING);
    struct side sides[2] = {{.block = from}};
    sides[0].word = pick(m, CY_SIR_I32, OF_LANE);
    sides[0].number = pick(m, CY_SIR_I64, OF_LANE);
    if (is_split)
        cy_sir_set_vbranch(m->func, from, condition.value, then, has_else ? otherwise : join, join);
    else
        cy_sir_set_branch(m->func, from, condition.value, then, has_else ? otherwise : join);
    m->func->blocks.at[from].in_order = in_order;
    m->control = higher(control, level);
    m->is_ordered = was_ordered && (!is_split || in_order);
    if (has_else) {
        sides[0] = make_side(m, otherwise);
        jump(m, join);
    } else {
        *cy_vec_push(&m->func->blocks.at[join].preds) = from;
    }
    sides[1] = make_side(m, then);
    jump(m, join);
    m->control = control;
    m->is_ordered = was_ordered;
    m->block = join;
    merge(m, sides, 2, level);
}

static void make_switch(struct maker *m)
{
    enum { WAYS = 3 };
    const struct known which = pick(m, CY_SIR_I32, OF_WARP);
    const enum level control = m->control;
    const cy_sir_value condition = masked(m, which.value, 3);
    const uint32_t from = m->block, join = new_block(m, CY_SIR_NOTHING);
    struct side sides[WAYS];
    m->func->blocks.at[from].terminator = CY_SIR_SWITCH;
    m->func->blocks.at[from].condition = condition;
    m->control = higher(control, which.level);
    for (uint32_t i = 0; i < WAYS; i++) {
        const uint32_t way = new_block(m, from);
        *cy_vec_push(&m->func->blocks.at[from].cases) = (struct cy_sir_case){i, way};
        sides[i] = make_side(m, way);
        jump(m, join);
    }
    m->control = control;
    m->block = join;
    merge(m, sides, WAYS, which.level);
}

/* Two vbranches with one join: three sides, or two of which both may take the second. */
static void make_chain(struct maker *m)
{
    const bool in_order = draw(m, 2), is_shared = draw(m, 2), was_ordered = m->is_ordered, was_mixed = m->is_mixed;
    const struct known first = lane_condition(m), second = lane_condition(m);
    const enum level control = m->control;
    const uint32_t from = m->block, inner = new_block(m, from), then = new_block(m, from);
    const uint32_t middle = is_shared ? then : new_block(m, inner), last = new_block(m, inner),
                   join = new_block(m, CY_SIR_NOTHING);
    struct side sides[3];
    unsigned count = 0;
    cy_sir_set_vbranch(m->func, from, first.value, then, inner, join);
    cy_sir_set_vbranch(m->func, inner, second.value, middle, last, join);
    m->func->blocks.at[from].in_order = m->func->blocks.at[inner].in_order = in_order;
    if (is_shared)
        *cy_vec_push(&m->func->blocks.at[then].preds) = inner;
    m->control = OF_LANE;
    m->is_ordered = was_ordered && in_order;
    sides[count++] = make_side(m, last);
    jump(m, join);
    if (!is_shared) {
        sides[count++] = make_side(m, middle);
        jump(m, join);
    }
    m->is_mixed = was_mixed || (is_shared && !in_order);
    sides[count++] = make_side(m, then);
    jump(m, join);
    m->control = control;
    m->is_ordered = was_ordered;
    m->is_mixed = was_mixed;
    m->block = join;
    merge(m, sides, count, OF_LANE);
}

struct loop {
    uint32_t header, latch, exit;
    cy_sir_value counter, word; /* phis of the header */
    enum level level;
    bool is_left;            /* by some lanes, before the others are done */
    size_t known, of_header; /* how many values are known before it, and in its header */
};

/* What lanes do on their way out, with those of other rounds. */
static void leave_by_side(struct maker *m, const struct loop *loop, uint32_t side)
{
    const uint32_t on = m->block;
    const size_t known = m->known.count;
    const bool was_mixed = m->is_mixed;
    for (size_t i = loop->known; i < known; i++)
        m->known.at[i].level = OF_LANE;
    m->is_mixed = true;
    m->block = side;
    make_store(m);
    make_statements(m, draw(m, 4));
    jump(m, loop->exit);
    m->is_mixed = was_mixed;
    m->block = on;
    m->known.count = known;
}

/* Some lanes leave it, at once or by a side: what they have is merged at the exit with what the others have when they are done. */
static void leave_loop(struct maker *m, const struct loop *loop, struct known *left)
{
    const bool has_side = draw(m, 2);
    const uint32_t from = m->block, on = new_block(m, from), out = has_side ? new_block(m, from) : loop->exit;
    /* In different rounds, or as it comes. */
    const cy_sir_value condition =
        draw(m, 2) ? lane_condition(m).value : emit(m, CY_SIR_EQ, CY_SIR_I1, masked(m, m->item, 3), loop->counter, 0);
    *left = pick(m, CY_SIR_I32, OF_LANE);
    cy_sir_set_vbranch(m->func, from, condition, out, on, loop->exit);
    m->func->blocks.at[from].in_order = m->func->blocks.at[loop->header].in_order;
    m->block = on;
    if (has_side)
        leave_by_side(m, loop, out);
    else
        *cy_vec_push(&m->func->blocks.at[loop->exit].preds) = from;
}

/* The counter, and a word that is carried from iteration to iteration. */
static void start_loop(struct maker *m, struct loop *loop, cy_sir_value limit)
{
    const struct known start = pick(m, CY_SIR_I32, loop->level);
    const cy_sir_value zero = constant(m, CY_SIR_I32, 0);
    const uint32_t from = m->block;
    loop->header = new_block(m, from);
    loop->latch = new_block(m, CY_SIR_NOTHING);
    loop->exit = new_block(m, loop->header);
    cy_sir_set_jump(m->func, from, loop->header);
    *cy_vec_push(&m->func->blocks.at[loop->header].preds) = loop->latch;
    loop->counter = cy_sir_phi(m->func, loop->header, CY_SIR_I32);
    loop->word = cy_sir_phi(m->func, loop->header, CY_SIR_I32);
    *phi_arg(m, loop->counter, 0) = zero;
    *phi_arg(m, loop->word, 0) = start.value;
    m->block = loop->header;
    know(m, loop->counter, loop->level);
    know(m, loop->word, loop->level);
    make_simple(m, draw(m, 3));
    loop->of_header = m->known.count;
    const cy_sir_value goes_on = emit(m, CY_SIR_LTU, CY_SIR_I1, loop->counter, limit, 0);
    const uint32_t body = new_block(m, loop->header);
    if (loop->level == OF_LANE || loop->is_left || draw(m, 2)) {
        cy_sir_set_vbranch(m->func, loop->header, goes_on, body, loop->exit, loop->exit);
        m->func->blocks.at[loop->header].in_order = draw(m, 2);
    } else {
        cy_sir_set_branch(m->func, loop->header, goes_on, body, loop->exit);
    }
    m->block = body;
}

static void end_loop(struct maker *m, const struct loop *loop)
{
    const cy_sir_value next = pick(m, CY_SIR_I32, loop->level).value;
    jump(m, loop->latch);
    m->block = loop->latch;
    if (draw(m, 2))
        emit(m, CY_SIR_POLL, CY_SIR_VOID, 0, 0, 0);
    const cy_sir_value more = emit(m, CY_SIR_ADD, CY_SIR_I32, loop->counter, constant(m, CY_SIR_I32, 1), 0);
    *phi_arg(m, loop->counter, 1) = more;
    *phi_arg(m, loop->word, 1) = next;
    cy_sir_set_jump(m->func, loop->latch, loop->header);
    m->block = loop->exit;
}

/* At most four iterations: as many for all, or for each lane its own number. */
static void make_loop(struct maker *m)
{
    const size_t known = m->known.count;
    const enum level control = m->control;
    const unsigned epoch = m->epoch;
    const bool was_ordered = m->is_ordered;
    const struct known any = pick(m, CY_SIR_I32, (enum level)draw(m, 3));
    struct loop loop = {.level = any.level, .is_left = draw(m, 2), .known = known};
    struct known left = {0};
    start_loop(m, &loop, masked(m, any.value, 3));
    m->control = higher(control, loop.is_left ? OF_LANE : loop.level);
    m->is_ordered = was_ordered && (m->func->blocks.at[loop.header].terminator != CY_SIR_VBRANCH ||
                                    m->func->blocks.at[loop.header].in_order);
    m->depth++;
    make_statements(m, draw(m, 5));
    if (loop.is_left) {
        make_simple(m, 2);
        leave_loop(m, &loop, &left);
        make_statements(m, draw(m, 3));
    }
    settle(m, epoch);
    m->depth--;
    m->control = control;
    m->is_ordered = was_ordered;
    end_loop(m, &loop);
    /* What the last round has found in the header can be used behind the loop. */
    m->known.count = loop.of_header;
    for (size_t i = known; i < loop.of_header && (loop.is_left || loop.level == OF_LANE); i++)
        m->known.at[i].level = OF_LANE;
    if (loop.is_left) {
        const cy_sir_value phi = cy_sir_phi(m->func, loop.exit, CY_SIR_I32);
        *phi_arg(m, phi, 0) = loop.word;
        *phi_arg(m, phi, 1) = left.value;
        know(m, phi, OF_LANE);
    }
}

/* ---- all of it ---- */

static void make_statement(struct maker *m)
{
    enum { DEEPEST = 4 };
    const uint32_t kind = draw(m, 24);
    const bool may_nest = m->depth < DEEPEST;
    if (kind == 0 && may_nest)
        make_loop(m);
    else if (kind <= 2 && may_nest)
        make_if(m);
    else if (kind == 3 && may_nest)
        (draw(m, 2) ? make_switch : make_chain)(m);
    else if (kind == 4 && m->control == OF_WORKGROUP)
        make_barrier(m);
    else if (kind == 5)
        make_source(m);
    else if (kind == 6)
        make_last(m);
    else if (kind <= 8)
        make_cell(m);
    else if (kind <= 10)
        make_load(m);
    else if (kind <= 12)
        make_store(m);
    else if (kind == 13)
        make_sum(m);
    else
        make_pure(m);
}

static void make_statements(struct maker *m, unsigned count)
{
    for (; count && m->left; count--) {
        m->left--;
        make_statement(m);
    }
}

static void make_launch(struct maker *m)
{
    struct cy_sir_func *func = m->func;
    func->threads = 4u << draw(m, 3);
    func->warps = 1 + draw(m, 2);
    func->local[0] = 1 + draw(m, func->threads * func->warps);
    func->local[1] = func->local[2] = 1;
    m->strip_is_warp = draw(m, 4) != 0;
    func->strip.lanes = m->strip_is_warp  ? func->threads
                        : func->warps > 1 ? func->threads / 2
                                          : 1 + draw(m, func->threads);
    func->strip.width = 1;
    while (func->strip.width < func->strip.lanes)
        func->strip.width *= 2;
    func->strip.width <<= !draw(m, 4);
    func->strip.items = func->strip.row = func->local[0];
    func->exchanges = m->strip_is_warp;
    for (unsigned i = 0; i < LANE_CELLS + WARP_CELLS; i++)
        *cy_vec_push(&func->cells) =
            (struct cy_sir_cell){.type = i % 2 ? CY_SIR_I64 : CY_SIR_I32, .is_warp = i >= LANE_CELLS, .variable = i};
}

/* Cells have values, so that nobody reads what was never written. */
static void make_start(struct maker *m)
{
    m->block = cy_sir_block_new(m->func);
    m->item = emit(m, CY_SIR_SOURCE, CY_SIR_I32, 0, 0, 0);
    cy_sir_at(m->func, m->item)->imm = CY_SIR_SOURCE_ITEM;
    m->lds = emit(m, CY_SIR_SOURCE, CY_SIR_I32, 0, 0, 0);
    cy_sir_at(m->func, m->lds)->imm = CY_SIR_SOURCE_LDS;
    know(m, m->item, OF_LANE);
    for (unsigned i = 0; i < m->func->cells.count; i++) {
        const cy_sir_value start = random_constant(m, m->func->cells.at[i].type);
        cy_sir_at(m->func, emit(m, CY_SIR_SET, CY_SIR_VOID, start, 0, 0))->imm = i;
    }
}

/* What was set last. */
static void store_cells(struct maker *m)
{
    for (unsigned i = 0; i < m->func->cells.count; i++) {
        const cy_sir_value value = emit(m, CY_SIR_GET, m->func->cells.at[i].type, 0, 0, 0);
        cy_sir_at(m->func, value)->imm = i;
        store(m, value);
    }
}

/* Of some branches lanes go one after the other, where that shows nowhere: loads of the warp are made by whichever lane is the first. */
static void choose_alone(struct maker *m)
{
    bool is_scalar = false;
    for (size_t i = 0; i < m->func->accesses.count; i++)
        is_scalar |= m->func->accesses.at[i].is_scalar;
    for (uint32_t b = 0; b < m->func->blocks.count && !is_scalar; b++) {
        struct cy_sir_block *block = &m->func->blocks.at[b];
        if (block->terminator == CY_SIR_VBRANCH && !cy_sir_check_alone(m->func, b))
            block->alone = (uint8_t)draw(m, CY_SIR_ALONE_FIRST + 1);
    }
}

struct cy_sir_func *random_sir(uint64_t seed)
{
    enum { FEWEST = 8, MOST = 72, RESULTS = 4 };
    char name[32];
    snprintf(name, sizeof(name), "random %llu", (unsigned long long)seed);
    struct maker m = {.func = cy_sir_new(name), .state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15), .is_ordered = true};
    for (unsigned i = 0; i < 4; i++)
        draw(&m, 2);
    m.left = FEWEST + draw(&m, MOST - FEWEST);
    make_launch(&m);
    m.func->strip.is_whole = seed % 2 && m.func->strip.row % m.func->strip.lanes == 0;
    make_start(&m);
    make_statements(&m, UINT32_MAX);
    for (unsigned i = 0; i < RESULTS; i++)
        make_store(&m);
    store_cells(&m);
    m.func->blocks.at[m.block].terminator = CY_SIR_END;
    cy_sir_find_preds(m.func);
    choose_alone(&m);
    cy_vec_free(&m.known);
    return m.func;
}
