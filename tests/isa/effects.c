/* The effects of every row (isa/effects.h) against the interpreter, which does not know of them: an instruction is run on random
 * state, then again with one register, one part of the state or some bytes of memory changed.  What the results depend on must be
 * what the effects say it reads, and what has changed what they say it writes; and over many trials, each operand that is said to
 * be read or written must have mattered. */
#include "gpu/random.h"
#include "isa/effects.h"

enum {
    LANES = 8,
    ALL = (1 << LANES) - 1,
    WINDOW = 0x1000, /* bytes of each kind of memory that are looked at */
    FEWEST = 30,     /* trials of a row */
    MOST = 8000,
    MOST_RANGES = 2 * LANES * 16,
};

/* ---- the state of a warp, and memory ---- */

struct state {
    uint32_t x[64], v[256 * LANES];
    uint32_t vl, vtype, rpc, pc, print, mtvec, mstatus;
    uint64_t mask, reservation[LANES], reserved[LANES];
    unsigned depth;
    struct cy_simt_entry top;
    uint8_t fflags, frm, vxsat, vxrm, stop, fault;
    uint8_t data[WINDOW], lds[WINDOW], own[WINDOW];
};

static void load_state(struct harness *h, const struct state *s)
{
    struct cy_warp *w = &h->warp;
    cy_warp_start(w, CODE, ALL);
    memcpy(w->x, s->x, sizeof(s->x));
    memcpy(w->v, s->v, sizeof(s->v));
    w->vl = s->vl, w->vtype = s->vtype, w->rpc = s->rpc, w->mask = s->mask;
    w->print = s->print, w->mtvec = s->mtvec, w->mstatus = s->mstatus;
    w->fflags = s->fflags, w->frm = s->frm, w->vxsat = s->vxsat, w->vxrm = s->vxrm;
    w->depth = s->depth;
    w->stack[0] = s->top;
    memcpy(w->reservation, s->reservation, sizeof(s->reservation));
    memcpy(w->reserved_value, s->reserved, sizeof(s->reserved));
    w->reserves = true;
    w->fault = (struct cy_fault){0};
    memcpy(h->memory.base + DATA, s->data, WINDOW);
    memcpy(h->memory.base + LDS, s->lds, WINDOW);
    memcpy(h->memory.base + PRIVATE, s->own, WINDOW);
    cy_warp_refresh(w);
}

static void save_state(const struct harness *h, struct state *s)
{
    const struct cy_warp *w = &h->warp;
    memset(s, 0, sizeof(*s));
    memcpy(s->x, w->x, sizeof(s->x));
    memcpy(s->v, w->v, sizeof(s->v));
    s->vl = w->vl, s->vtype = w->vtype, s->rpc = w->rpc, s->mask = w->mask, s->pc = w->pc;
    s->print = w->print, s->mtvec = w->mtvec, s->mstatus = w->mstatus;
    s->fflags = w->fflags, s->frm = w->frm, s->vxsat = w->vxsat, s->vxrm = w->vxrm;
    s->depth = w->depth;
    s->top = w->stack[0];
    memcpy(s->reservation, w->reservation, sizeof(s->reservation));
    memcpy(s->reserved, w->reserved_value, sizeof(s->reserved));
    s->stop = w->stop, s->fault = (uint8_t)w->fault.kind;
    memcpy(s->data, h->memory.base + DATA, WINDOW);
    memcpy(s->lds, h->memory.base + LDS, WINDOW);
    memcpy(s->own, h->memory.base + PRIVATE, WINDOW);
}

static void run(struct harness *h, const struct state *before, struct state *after)
{
    load_state(h, before);
    cy_warp_run(&h->warp, 1);
    save_state(h, after);
}

/* ---- one trial ---- */

struct trial {
    struct rng *r;
    struct harness *h;
    struct cy_effects_mode mode;
    struct cy_insn insn;
    struct cy_effects e;
    struct state before, after;
    /* what the lanes access, by the effects: bytes of the three windows */
    struct range {
        uint8_t *at; /* in `before` */
        unsigned size;
    } ranges[MOST_RANGES];
    unsigned range_count;
    bool ok;
};

/* What has mattered in some trial of a row, by operand and register of it. */
enum { MOST_PARTS = 16 };
struct seen {
    bool claimed_read[CY_MAX_OPERANDS][MOST_PARTS], read[CY_MAX_OPERANDS][MOST_PARTS];
    bool claimed_write[CY_MAX_OPERANDS][MOST_PARTS], write[CY_MAX_OPERANDS][MOST_PARTS];
    bool claimed_cross[CY_MAX_OPERANDS], cross[CY_MAX_OPERANDS];
    bool claimed_mask, mask, claimed_keep, keep, claimed_load, load, claimed_store, store;
    uint16_t claimed_state_reads, state_reads, claimed_state_writes, state_writes;
};

static void fail(struct trial *t, const char *what, int number)
{
    struct cy_buf text = {0};
    cy_print(&text, t->mode.target, &t->insn, CODE, CY_PRINT_NUMERIC);
    fprintf(stderr, "  %s %d: %.*s (prefix %#x), %s, e%u, m%u, vl %u, mask %#x%s\n", what, number, (int)text.size,
            text.data, t->insn.prefix, cy_target_name(t->mode.target), t->mode.sew, t->mode.lmul, t->before.vl,
            (unsigned)t->before.mask, t->mode.is_mask_by_lane ? ", mask=lane" : "");
    cy_buf_free(&text);
    t->ok = false;
}

static bool is_register(const struct cy_operand *operand)
{
    return operand->count && (operand->kind == CY_OPERAND_X || operand->kind == CY_OPERAND_V);
}

/* ---- addresses: the effects' description, by the words of docs/isa.md ---- */

static uint64_t x_value(const struct state *s, const struct cy_operand *operand, bool is_far)
{
    const unsigned number = (unsigned)operand->value;
    return s->x[number] | (is_far && number ? (uint64_t)s->x[number + 1] << 32 : 0);
}

static uint64_t v_value(const struct state *s, const struct cy_operand *operand, unsigned part, unsigned lane,
                        bool is_far)
{
    const unsigned number = (unsigned)operand->value + part;
    return s->v[number * LANES + lane] | (is_far ? (uint64_t)s->v[(number + 1) * LANES + lane] << 32 : 0);
}

static uint64_t address_of(const struct trial *t, const struct state *s, unsigned lane, unsigned part)
{
    const struct cy_effects_access *access = &t->e.access;
    const struct cy_operand *base = cy_effects_operand(&t->e, CY_ROLE_BASE),
                            *stride = cy_effects_operand(&t->e, CY_ROLE_STRIDE),
                            *index = cy_effects_operand(&t->e, CY_ROLE_INDEX);
    const unsigned element = part * LANES + lane;
    uint64_t address =
        base->kind == CY_OPERAND_V ? v_value(s, base, 0, lane, access->is_far) : x_value(s, base, access->is_far);
    address += (uint64_t)(int64_t)access->offset;
    switch (access->addressing) {
    case CY_ADDRESS_UNIT: address += element * access->bytes * access->words; break;
    case CY_ADDRESS_WHOLE: address += 4 * element; break;
    case CY_ADDRESS_STRIDED: address += (uint64_t)((int64_t)element * (int32_t)x_value(s, stride, false)); break;
    case CY_ADDRESS_INDEXED:
        address += v_value(s, index, part, lane, false) & (uint32_t)((1ull << 8 * access->index_bytes) - 1);
        break;
    default: break;
    }
    return access->is_far ? address : (uint32_t)address;
}

/* Where the byte is in the copies of memory; NULL: outside. */
static uint8_t *byte_at(const struct trial *t, struct state *s, uint64_t address, unsigned size, unsigned lane)
{
    uint64_t at = address;
    switch (t->e.access.space) {
    case CY_SPACE_PRIVATE:
        at = (address & ~3ull) * LANES + (address & 3) + 4ull * lane;
        return address < 1024 && address + size <= 1024 && at + size <= WINDOW ? s->own + at : NULL;
    case CY_SPACE_LOCAL: at += LDS; break;
    case CY_SPACE_GLOBAL: at += t->h->run.gds; break;
    default: break;
    }
    if (at >= DATA && at + size <= DATA + WINDOW)
        return s->data + (at - DATA);
    return at >= LDS && at + size <= LDS + WINDOW ? s->lds + (at - LDS) : NULL;
}

static uint64_t lanes_of(const struct trial *t, unsigned part)
{
    const uint32_t first = part * LANES, left = t->before.vl > first ? t->before.vl - first : 0;
    uint64_t active = t->before.mask;
    if (t->e.state_reads & CY_STATE_VL)
        active &= left < LANES ? (1u << left) - 1 : ALL;
    for (unsigned lane = 0; t->e.is_masked && lane < LANES; lane++) {
        const unsigned element = first + lane;
        const uint32_t bit =
            t->mode.is_mask_by_lane ? t->before.v[part * LANES + lane] : t->before.v[element / 32] >> (element % 32);
        active &= bit & 1 ? UINT64_MAX : ~(1ull << lane);
    }
    return active;
}

static bool add_range(struct trial *t, uint64_t address, unsigned lane)
{
    const unsigned size = t->e.access.bytes;
    uint8_t *at = byte_at(t, &t->before, address, size, lane);
    if (!at || address % t->e.access.align % size || t->range_count == MOST_RANGES)
        return false;
    t->ranges[t->range_count++] = (struct range){at, size};
    return true;
}

/* All that the instruction accesses; false: not in the windows. */
static bool find_ranges(struct trial *t)
{
    const struct cy_effects_access *access = &t->e.access;
    t->range_count = 0;
    if (access->addressing == CY_ADDRESS_SCALAR || access->addressing == CY_ADDRESS_BITS) {
        const unsigned count = access->addressing == CY_ADDRESS_BITS ? (t->before.vl + 7) / 8 : access->words;
        for (unsigned i = 0; i < count; i++)
            if (!add_range(t, address_of(t, &t->before, 0, 0) + i * access->bytes, 0))
                return false;
        return true;
    }
    for (unsigned part = 0; part < access->parts; part++)
        for (uint64_t left = lanes_of(t, part); left; left &= left - 1)
            for (unsigned i = 0; i < access->words; i++) {
                const unsigned lane = (unsigned)__builtin_ctzll(left);
                const uint64_t address = address_of(t, &t->before, lane, part);
                if ((access->atomic && address % access->align) || !add_range(t, address + 4 * i, lane))
                    return false;
            }
    return true;
}

static void set_x(struct state *s, const struct cy_operand *operand, uint64_t value)
{
    const unsigned number = (unsigned)operand->value;
    if (number)
        s->x[number] = (uint32_t)value;
    if (number && operand->count > 1)
        s->x[number + 1] = (uint32_t)(value >> 32);
}

/* Addresses of elements in a window of their space. */
static uint64_t random_address(struct trial *t)
{
    const uint32_t at =
        rng_below(t->r, WINDOW / 4 / 16) * 16 + rng_below(t->r, 16) / t->e.access.align * t->e.access.align;
    switch (t->e.access.space) {
    case CY_SPACE_PRIVATE: return at % 256;
    case CY_SPACE_DEFAULT: return (rng_chance(t->r, 4) ? LDS : DATA) + WINDOW / 2 + at;
    default: return at;
    }
}

static void set_addresses(struct trial *t)
{
    const struct cy_effects_access *access = &t->e.access;
    const struct cy_operand *base = cy_effects_operand(&t->e, CY_ROLE_BASE),
                            *stride = cy_effects_operand(&t->e, CY_ROLE_STRIDE),
                            *index = cy_effects_operand(&t->e, CY_ROLE_INDEX);
    struct state *s = &t->before;
    const uint64_t shared = random_address(t);
    if (base->kind == CY_OPERAND_X)
        set_x(s, base, random_address(t) - (uint64_t)(int64_t)access->offset);
    for (unsigned lane = 0; base->kind == CY_OPERAND_V && lane < LANES; lane++) {
        const uint64_t address = (rng_chance(t->r, 3) ? shared : random_address(t)) - (uint64_t)(int64_t)access->offset;
        s->v[(unsigned)base->value * LANES + lane] = (uint32_t)address;
        if (access->is_far)
            s->v[((unsigned)base->value + 1) * LANES + lane] = (uint32_t)(address >> 32);
    }
    if (stride)
        set_x(s, stride, (rng_below(t->r, 9) - 4) * access->bytes * access->words);
    for (unsigned i = 0; index && i < index->count * LANES; i++) {
        const uint32_t upper = access->index_bytes < 4 ? rng_word(t->r) << 8 * access->index_bytes : 0;
        s->v[(unsigned)index->value * LANES + i] = rng_below(t->r, 240) / access->align * access->align | upper;
    }
}

/* ---- making instructions ---- */

static uint32_t random_prefix(struct trial *t, const struct cy_insn *insn)
{
    static const enum cy_op pairs1[] = {CY_OP_regpair, CY_OP_regpairi}, pairs2[] = {CY_OP_prefix, CY_OP_prefixi};
    const bool is_memory = cy_insns[insn->op].flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC);
    struct cy_insn prefix = {0};
    if (t->mode.target == CY_GEN1) {
        prefix = rng_insn(t->r, CY_GEN1, pairs1[rng_below(t->r, 2)], false);
        return prefix.word & 0xfffff;
    }
    const enum cy_op first = CY_OP_pre_m_32, last = CY_OP_pre_m_local_128;
    const bool wants_space = is_memory ? !rng_chance(t->r, 3) : rng_chance(t->r, 8);
    prefix = rng_insn(t->r, CY_GEN2,
                      wants_space ? first + rng_below(t->r, last - first + 1) : pairs2[rng_below(t->r, 2)], false);
    return prefix.word & 0xfffff;
}

/* A random instruction of the row, perhaps with a prefix, as the decoder sees it. */
static void make_insn(struct trial *t, enum cy_op op)
{
    uint32_t words[12];
    unsigned n = 0;
    for (;;) {
        const bool wants_even = rng_chance(t->r, 2);
        struct cy_insn insn = rng_insn(t->r, t->mode.target, op, wants_even);
        if (cy_insns[op].sched == CY_SCHED_vcfg && rng_chance(t->r, 4)) { /* x0 twice keeps vl */
            insn.operand[0] = 0;
            insn.operand[1] = 0;
            insn.operand[2] = (int32_t)(rng_below(t->r, 4) << 3 | rng_below(t->r, 2));
            cy_encode(t->mode.target, &insn, NULL);
        }
        n = 0;
        if (insn.size == 8)
            words[n++] = insn.prefix;
        else if (rng_chance(t->r, 2))
            words[n++] = random_prefix(t, &insn);
        words[n++] = insn.word;
        if (cy_decode(t->mode.target, words, n, &t->insn) == CY_DECODE_OK && t->insn.op == op)
            break;
    }
    while (n < CY_COUNT(words) - 1)
        words[n++] = 0x00000013;
    words[n] = 0x001020f3; /* frflags: exceptions are exact only where code looks at them */
    cy_effects_in(&t->mode, &t->insn, &t->e);
    harness_code(t->h, words, sizeof(words));
}

/* Comparisons and 64-bit arithmetic tell little from random numbers: sources that are equal, and upper words of small ones. */
static void make_equal(struct trial *t, const struct cy_operand *a, const struct cy_operand *b)
{
    struct state *s = &t->before;
    const uint32_t low = a->kind == CY_OPERAND_X ? s->x[a->value] : (uint32_t)a->value,
                   high =
                       a->kind == CY_OPERAND_X && a->count == 2 ? s->x[a->value + 1] : (uint32_t)((int32_t)low >> 31);
    for (unsigned i = 0; i < b->count * LANES; i++)
        if (rng_chance(t->r, 2))
            s->v[(unsigned)b->value * LANES + i] = b->bits == 64 && i / LANES % 2 ? high : low;
}

static void make_interesting(struct trial *t)
{
    struct state *s = &t->before;
    const struct cy_operand *last = NULL;
    for (unsigned i = 0; i < t->e.operand_count; i++) {
        const struct cy_operand *operand = &t->e.operand[i];
        const bool is_x = operand->kind == CY_OPERAND_X;
        const unsigned number = (unsigned)operand->value, row = is_x ? 1 : LANES;
        if (!is_register(operand) || !operand->is_read)
            continue;
        uint32_t *words = is_x ? &s->x[number] : &s->v[number * LANES];
        for (unsigned k = 0; t->e.is_float && operand->bits == 64 && k < operand->count * row; k++)
            if (k / row % 2 == 0 && rng_chance(t->r, 2)) /* or that are all in the upper one: infinities */
                words[k] = rng_below(t->r, 2);
        for (unsigned k = row; operand->bits == 64 && k < operand->count * row; k++)
            if (k / row % 2 &&
                rng_chance(t->r, 2)) /* floating point: numbers of which the lower word has a part that counts */
                words[k] = !t->e.is_float        ? 0u - rng_below(t->r, 2)
                           : rng_chance(t->r, 3) ? 0x7ff00000
                                                 : 0x3ff00000 + (rng_below(t->r, 64) << 20);
        if (last && last->kind == operand->kind && operand->count == last->count && rng_chance(t->r, 2))
            memmove(words, is_x ? &s->x[last->value] : &s->v[(unsigned)last->value * LANES],
                    operand->count * row * sizeof(*words));
        last = operand;
    }
    const struct cy_operand *a = cy_effects_operand(&t->e, CY_ROLE_A), *b = cy_effects_operand(&t->e, CY_ROLE_B);
    if (a && b && b->kind == CY_OPERAND_V && a->kind != CY_OPERAND_V && rng_chance(t->r, 2))
        make_equal(t, a, b);
}

static void random_state(struct trial *t)
{
    struct state *s = &t->before;
    const unsigned vlmax = LANES * t->mode.lmul;
    memset(s, 0, sizeof(*s));
    for (unsigned i = 1; i < 64; i++)
        s->x[i] = rng_value(t->r);
    for (unsigned i = 0; i < CY_COUNT(s->v); i++)
        s->v[i] = rng_value(t->r);
    for (unsigned i = 0; i < WINDOW; i++)
        s->data[i] = (uint8_t)rng_word(t->r), s->lds[i] = (uint8_t)rng_word(t->r), s->own[i] = (uint8_t)rng_word(t->r);
    s->mask = rng_chance(t->r, 2) ? ALL : 1 + rng_below(t->r, ALL);
    s->vl = rng_chance(t->r, 2) ? vlmax : rng_below(t->r, vlmax + 1);
    s->vtype = (uint32_t)__builtin_ctz(t->mode.sew / 8) << 3 | (t->mode.lmul - 1);
    s->frm = (uint8_t)rng_below(t->r, 5);
    s->vxrm = (uint8_t)rng_below(t->r, 4);
    s->fflags = rng_chance(t->r, 2) ? 0 : (uint8_t)rng_below(t->r, 32);
    s->vxsat = rng_chance(t->r, 4);
    s->rpc = CODE + 4 * rng_below(t->r, 8);
    s->mtvec = rng_word(t->r);
    s->mstatus = t->h->warp.mstatus;
    if (t->e.flow == CY_FLOW_END || t->e.flow == CY_FLOW_BARRIER || t->e.flow == CY_FLOW_WARP_BARRIER)
        s->mask = ALL; /* else they fault */
    if (t->e.flow == CY_FLOW_JOIN) {
        s->depth = 1;
        s->top = (struct cy_simt_entry){rng_chance(t->r, 3) ? CODE + 8 : CODE + t->insn.size - 4, CODE + 12,
                                        1 + rng_below(t->r, ALL)};
    }
    if (!t->e.is_illegal)
        make_interesting(t);
    if (t->e.flow == CY_FLOW_INDIRECT)
        s->x[cy_effects_operand(&t->e, CY_ROLE_BASE)->value] =
            CODE + 4 * rng_below(t->r, 8) - (uint32_t)cy_effects_operand(&t->e, CY_ROLE_OFFSET)->value;
    if (t->e.access.addressing != CY_ADDRESS_NONE && !t->e.is_illegal)
        set_addresses(t);
    s->x[0] = 0;
}

static void random_reservations(struct trial *t)
{
    if (t->e.access.atomic != CY_ATOMIC_CONDITIONAL)
        return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint64_t address = address_of(t, &t->before, lane, 0);
        const unsigned size = 4 * t->e.access.words;
        const uint8_t *at = byte_at(t, &t->before, address, size, lane);
        uint64_t place = address + (t->e.access.space == CY_SPACE_PRIVATE  ? 0
                                    : t->e.access.space == CY_SPACE_LOCAL  ? LDS
                                    : t->e.access.space == CY_SPACE_GLOBAL ? t->h->run.gds
                                                                           : 0);
        if (t->e.access.space == CY_SPACE_PRIVATE && at)
            place = PRIVATE + (uint64_t)(at - t->before.own);
        if (!at || rng_chance(t->r, 3))
            continue;
        t->before.reservation[lane] = place + 1;
        memcpy(&t->before.reserved[lane], at, size);
    }
}

/* False: no good addresses were found, as registers of the address overlap. */
static bool make_trial(struct trial *t, enum cy_op op)
{
    for (unsigned tries = 0; tries < 50; tries++) {
        make_insn(t, op);
        random_state(t);
        if (t->e.flow == CY_FLOW_INDIRECT && (!cy_effects_operand(&t->e, CY_ROLE_BASE)->value))
            continue;
        if (t->e.access.addressing == CY_ADDRESS_NONE || t->e.is_illegal || find_ranges(t)) {
            random_reservations(t);
            run(t->h, &t->before, &t->after);
            return true;
        }
    }
    return false;
}

/* ---- what a change changes ---- */

/* Has the result changed, apart from what was changed and kept? */
struct change {
    bool any, is_kept;
    bool elsewhere; /* elements of other lanes, or sGPRs */
};

/* `x`, `v`: the register that differs between the two states before; -1: none.  `lane`: the lane that does; -1: all. */
static struct change compare(const struct trial *t, const struct state *before, const struct state *after, int x, int v,
                             int lane)
{
    struct change change = {0};
    for (int i = 1; i < 64; i++) {
        const bool kept = i == x && after->x[i] == before->x[i] && t->after.x[i] == t->before.x[i];
        change.is_kept |= kept;
        change.any |= after->x[i] != t->after.x[i] && !kept;
        change.elsewhere |= after->x[i] != t->after.x[i];
    }
    for (int i = 0; i < 256 * LANES; i++) {
        if (after->v[i] == t->after.v[i])
            continue;
        const bool kept = i / LANES == v && after->v[i] == before->v[i] && t->after.v[i] == t->before.v[i];
        change.is_kept |= kept && t->before.mask >> i % LANES & 1;
        change.any |= !kept;
        change.elsewhere |= !kept && i % LANES != lane;
    }
    const size_t rest = offsetof(struct state, vl);
    change.any |=
        memcmp((const char *)after + rest, (const char *)&t->after + rest, offsetof(struct state, data) - rest) != 0;
    change.any |= memcmp(after->data, t->after.data, 3 * WINDOW) != 0;
    return change;
}

static void mark(struct trial *t, struct seen *seen, char class, unsigned number, bool is_write)
{
    for (unsigned i = 0; i < t->e.operand_count; i++) {
        const struct cy_operand *operand = &t->e.operand[i];
        const unsigned part = number - (unsigned)operand->value;
        if (!is_register(operand) || (operand->kind == CY_OPERAND_X) != (class == 'x') || part >= operand->count)
            continue;
        (is_write ? seen->write : seen->read)[i][part] = true;
    }
}

/* Is the register one whose other lanes matter? */
static bool may_cross(const struct trial *t, unsigned number)
{
    bool may = !t->mode.is_mask_by_lane && (t->e.is_masked || t->e.reads_mask) && number == 0;
    for (unsigned i = 0; i < t->e.operand_count; i++) {
        const struct cy_operand *operand = &t->e.operand[i];
        may |= operand->crosses_lanes && number - (unsigned)operand->value < operand->count;
    }
    return may;
}

static void mark_cross(struct trial *t, struct seen *seen, unsigned number)
{
    for (unsigned i = 0; i < t->e.operand_count; i++)
        if (number - (unsigned)t->e.operand[i].value < t->e.operand[i].count && t->e.operand[i].kind == CY_OPERAND_V)
            seen->cross[i] = true;
}

static void change_x(struct trial *t, struct seen *seen, unsigned number)
{
    static struct state before, after;
    before = t->before;
    before.x[number] = rng_chance(t->r, 2) ? ~before.x[number] : before.x[number] ^ 1u << rng_below(t->r, 32);
    run(t->h, &before, &after);
    const struct change change = compare(t, &before, &after, (int)number, -1, -1);
    if (change.any && !cy_regs_has_x(&t->e.reads, number))
        fail(t, "reads x", (int)number);
    if (change.any)
        mark(t, seen, 'x', number, false);
    const bool is_kept = change.is_kept && cy_regs_has_x(&t->e.writes, number) && !cy_regs_has_x(&t->e.reads, number);
    if (is_kept && !cy_regs_has_x(&t->e.keeps, number))
        fail(t, "keeps x", (int)number);
    seen->keep |= is_kept;
}

static void change_v(struct trial *t, struct seen *seen, unsigned number, int lane)
{
    static struct state before, after;
    before = t->before;
    const uint32_t by = rng_chance(t->r, 2) ? UINT32_MAX : 1u << rng_below(t->r, 32);
    for (int i = 0; i < LANES; i++)
        if (lane < 0 || i == lane)
            before.v[number * LANES + (unsigned)i] ^= by;
    run(t->h, &before, &after);
    const struct change change = compare(t, &before, &after, -1, (int)number, lane);
    if (change.any && !cy_regs_has_v(&t->e.reads, number)) {
        /* a packed mask keeps the bits that are not written */
        if (!(cy_regs_has_v(&t->e.keeps, number) && t->e.crosses_lanes))
            fail(t, "reads v", (int)number);
    } else if (change.any) {
        mark(t, seen, 'v', number, false);
        seen->mask |= number == 0;
    }
    /* lanes of atomic operations see what others have made of a word */
    const bool is_inactive = lane >= 0 && change.any && !(t->before.mask >> lane & 1);
    const bool crosses = (lane >= 0 && change.elsewhere && after.fault == t->after.fault) || is_inactive;
    if (crosses && !t->e.access.atomic && !may_cross(t, number) && t->e.flow == CY_FLOW_NEXT)
        fail(t, "crosses lanes of v", (int)number);
    if (crosses)
        mark_cross(t, seen, number);
    const bool is_kept = change.is_kept && cy_regs_has_v(&t->e.writes, number) && !cy_regs_has_v(&t->e.reads, number);
    if (is_kept && t->before.vl == LANES * (unsigned)t->mode.lmul && !cy_regs_has_v(&t->e.keeps, number))
        fail(t, "keeps v", (int)number);
    seen->keep |= is_kept;
}

static void check_registers(struct trial *t, struct seen *seen)
{
    enum { AROUND = 2, OTHERS = 2 };
    for (unsigned i = 0; i < t->e.operand_count; i++) {
        const struct cy_operand *operand = &t->e.operand[i];
        const bool is_x = operand->kind == CY_OPERAND_X;
        const int end = operand->value + (operand->count ? operand->count : 1) + AROUND;
        for (int k = operand->value - AROUND; (is_x || operand->kind == CY_OPERAND_V) && k < end; k++) {
            if (is_x && k > 0 && k < 64)
                change_x(t, seen, (unsigned)k);
            if (!is_x && k >= 0 && k < 256) {
                change_v(t, seen, (unsigned)k, -1);
                change_v(t, seen, (unsigned)k, (int)rng_below(t->r, LANES));
            }
        }
    }
    for (unsigned k = 0; k < OTHERS; k++) {
        change_x(t, seen, 1 + rng_below(t->r, 63));
        change_v(t, seen, rng_below(t->r, 256), -1);
        change_v(t, seen, k, rng_chance(t->r, 2) ? -1 : 0); /* masks */
    }
}

/* ---- writes ---- */

static void check_writes(struct trial *t, struct seen *seen)
{
    for (unsigned i = 0; i < 64; i++) {
        if (t->after.x[i] == t->before.x[i])
            continue;
        if (!cy_regs_has_x(&t->e.writes, i))
            fail(t, "writes x", (int)i);
        mark(t, seen, 'x', i, true);
    }
    for (unsigned i = 0; i < 256 * LANES; i++) {
        if (t->after.v[i] == t->before.v[i])
            continue;
        if (!cy_regs_has_v(&t->e.writes, i / LANES))
            fail(t, "writes v", (int)(i / LANES));
        mark(t, seen, 'v', i / LANES, true);
    }
    uint8_t left[3 * WINDOW];
    memcpy(left, t->after.data, sizeof(left));
    for (unsigned i = 0; t->e.access.writes && i < t->range_count; i++)
        memcpy(left + (t->ranges[i].at - t->before.data), t->ranges[i].at, t->ranges[i].size);
    if (memcmp(left, t->before.data, sizeof(left)) != 0)
        fail(t, "writes memory beyond its access", 0);
    seen->store |= memcmp(t->after.data, t->before.data, 3 * WINDOW) != 0;
}

/* ---- memory ---- */

static uint32_t extended(const struct trial *t, const uint8_t *bytes)
{
    uint32_t value = 0;
    const unsigned up = 32u - 8u * t->e.access.bytes;
    memcpy(&value, bytes, t->e.access.bytes);
    return t->e.access.is_sign_extended ? (uint32_t)((int32_t)(value << up) >> up) : value;
}

/* Are loads by lane the bytes at the lane's address, extended? */
static void check_loaded(struct trial *t)
{
    const struct cy_operand *result = cy_effects_operand(&t->e, CY_ROLE_RESULT);
    const struct cy_effects_access *access = &t->e.access;
    unsigned range = 0;
    if (access->addressing == CY_ADDRESS_SCALAR) {
        for (unsigned i = 0; result->value && i < access->words; i++)
            if (t->after.x[(unsigned)result->value + i] != extended(t, t->ranges[i].at))
                fail(t, "loads another value to x", result->value + (int)i);
        return;
    }
    for (unsigned part = 0; part < access->parts && access->addressing != CY_ADDRESS_BITS; part++)
        for (uint64_t left = lanes_of(t, part); left; left &= left - 1)
            for (unsigned i = 0; i < access->words; i++) {
                const unsigned number = (unsigned)result->value + part * access->words + i;
                if (t->after.v[number * LANES + (unsigned)__builtin_ctzll(left)] != extended(t, t->ranges[range++].at))
                    fail(t, "loads another value to v", (int)number);
            }
}

/* The byte of another state that is at the same place as one of the trial's. */
static uint8_t *same_byte(struct state *state, const struct trial *t, const uint8_t *at)
{
    return (uint8_t *)state + (at - (const uint8_t *)&t->before);
}

static void check_memory(struct trial *t, struct seen *seen)
{
    static struct state before, after;
    before = t->before;
    for (unsigned i = 0; i < WINDOW; i++) /* other bytes everywhere but where it accesses memory */
        before.data[i] ^= 0x55, before.lds[i] ^= 0x55, before.own[i] ^= 0x55;
    for (unsigned i = 0; i < t->range_count; i++)
        memcpy(same_byte(&before, t, t->ranges[i].at), t->ranges[i].at, t->ranges[i].size);
    run(t->h, &before, &after);
    for (unsigned i = 0; i < WINDOW; i++) { /* those stay as they were */
        after.data[i] ^= before.data[i] ^ t->before.data[i];
        after.lds[i] ^= before.lds[i] ^ t->before.lds[i];
        after.own[i] ^= before.own[i] ^ t->before.own[i];
    }
    if (compare(t, &before, &after, -1, -1, -1).any)
        fail(t, "reads memory beyond its access", 0);
    if (!t->range_count)
        return;
    before = t->before;
    const struct range *range = &t->ranges[rng_below(t->r, t->range_count)];
    same_byte(&before, t, range->at)[rng_below(t->r, range->size)] ^= 0xff;
    run(t->h, &before, &after);
    memcpy(after.data, t->after.data, 3 * WINDOW); /* of what is kept there, only the registers tell */
    const bool matters = compare(t, &before, &after, -1, -1, -1).any;
    if (matters && !t->e.access.reads &&
        t->e.access.atomic != CY_ATOMIC_CONDITIONAL) /* SC looks whether it is the same */
        fail(t, "reads memory", 0);
    seen->load |= matters;
    if (t->e.access.reads && !t->e.access.writes && !t->e.access.atomic)
        check_loaded(t);
}

/* ---- the rest of the state ---- */

static void change_state(struct trial *t, struct seen *seen, enum cy_state which)
{
    static struct state before, after;
    before = t->before;
    switch (which) {
    case CY_STATE_VL: before.vl = (before.vl + 1 + rng_below(t->r, LANES)) % (LANES * t->mode.lmul + 1u); break;
    case CY_STATE_VTYPE: before.vtype = 0x80000000; break;
    case CY_STATE_FRM: before.frm = (uint8_t)((before.frm + 1 + rng_below(t->r, 4)) % 5); break;
    case CY_STATE_FFLAGS: before.fflags ^= (uint8_t)(1u << rng_below(t->r, 5)); break;
    case CY_STATE_VXRM: before.vxrm = (before.vxrm + 1 + rng_below(t->r, 3)) & 3; break;
    case CY_STATE_VXSAT: before.vxsat ^= 1; break;
    case CY_STATE_RPC: before.rpc ^= 4; break;
    case CY_STATE_STACK: before.top.rpc ^= 4; break;
    case CY_STATE_RESERVATION: memset(before.reservation, 0, sizeof(before.reservation)); break;
    default:
        if (t->e.csr < 0 || !(t->e.state_reads & CY_STATE_CSR))
            return;
        load_state(t->h, &before);
        cy_warp_write_csr(&t->h->warp, (unsigned)t->e.csr, ~0u);
        save_state(t->h, &before);
        before.pc = 0, before.stop = 0;
        break;
    }
    run(t->h, &before, &after);
    /* what is kept of what was changed says nothing; flags are added to */
    if (after.vl == before.vl)
        after.vl = t->after.vl;
    if (after.vtype == before.vtype)
        after.vtype = t->after.vtype;
    if (after.frm == before.frm)
        after.frm = t->after.frm;
    if (after.vxrm == before.vxrm)
        after.vxrm = t->after.vxrm;
    if (after.rpc == before.rpc)
        after.rpc = t->after.rpc;
    if (which == CY_STATE_FFLAGS)
        after.fflags = t->after.fflags;
    if (which == CY_STATE_VXSAT)
        after.vxsat = t->after.vxsat;
    if (which == CY_STATE_RESERVATION)
        memcpy(after.reservation, t->after.reservation, sizeof(after.reservation));
    if (after.depth == before.depth)
        after.top = t->after.top;
    after.mtvec = t->after.mtvec, after.mstatus = t->after.mstatus, after.print = t->after.print;
    if (!compare(t, &before, &after, -1, -1, -1).any)
        return;
    if (!(t->e.state_reads & which))
        fail(t, "reads state", (int)which);
    seen->state_reads |= (uint16_t)which;
}

static void check_state(struct trial *t, struct seen *seen)
{
    const struct state *a = &t->before, *b = &t->after;
    uint16_t written = 0;
    for (unsigned bit = CY_STATE_VL; bit <= CY_STATE_CSR; bit <<= 1)
        if (bit != CY_STATE_PREDICATE) /* EpicGPU's */
            change_state(t, seen, (enum cy_state)bit);
    written |= a->vl != b->vl ? CY_STATE_VL : 0;
    written |= a->vtype != b->vtype ? CY_STATE_VTYPE : 0;
    written |= a->frm != b->frm ? CY_STATE_FRM : 0;
    written |= a->fflags != b->fflags ? CY_STATE_FFLAGS : 0;
    written |= a->vxrm != b->vxrm ? CY_STATE_VXRM : 0;
    written |= a->vxsat != b->vxsat ? CY_STATE_VXSAT : 0;
    written |= a->rpc != b->rpc ? CY_STATE_RPC : 0;
    written |= a->depth != b->depth || a->mask != b->mask ? CY_STATE_STACK : 0;
    written |= a->mtvec != b->mtvec || a->mstatus != b->mstatus || a->print != b->print ? CY_STATE_CSR : 0;
    written |= memcmp(a->reservation, b->reservation, sizeof(a->reservation)) != 0 ? CY_STATE_RESERVATION : 0;
    if (written & ~t->e.state_writes)
        fail(t, "writes state", written & ~t->e.state_writes);
    seen->state_writes |= written;
}

/* ---- control ---- */

static void check_flow(struct trial *t)
{
    const uint32_t next = CODE + t->insn.size, target = cy_effects_target(&t->e, &t->insn, CODE), pc = t->after.pc;
    const enum cy_flow_kind flow = (enum cy_flow_kind)t->e.flow;
    bool ok = true;
    switch (flow) {
    case CY_FLOW_BRANCH: ok = pc == next || pc == target; break;
    case CY_FLOW_VECTOR_BRANCH: ok = pc == next || pc == target; break;
    case CY_FLOW_JUMP: ok = pc == target; break;
    case CY_FLOW_INDIRECT:
        ok = pc == ((t->before.x[cy_effects_operand(&t->e, CY_ROLE_BASE)->value] +
                     (uint32_t)cy_effects_operand(&t->e, CY_ROLE_OFFSET)->value) &
                    ~1u);
        break;
    case CY_FLOW_JOIN: ok = pc == next || pc == t->before.top.pc; break;
    case CY_FLOW_END: ok = true; break;
    default: ok = pc == next; break;
    }
    ok &= (t->after.stop == CY_STOP_END) == (flow == CY_FLOW_END);
    ok &= (t->after.stop == CY_STOP_BARRIER) == (flow == CY_FLOW_BARRIER);
    const struct cy_operand *result = cy_effects_operand(&t->e, CY_ROLE_RESULT);
    ok &= !t->e.is_call || t->after.x[result->value] == next;
    if (!ok)
        fail(t, "goes on elsewhere, flow", (int)flow);
}

/* ---- rows ---- */

static void claim(const struct trial *t, struct seen *seen)
{
    for (unsigned i = 0; i < t->e.operand_count; i++) {
        const struct cy_operand *operand = &t->e.operand[i];
        for (unsigned k = 0; is_register(operand) && k < operand->count && k < MOST_PARTS; k++) {
            const bool is_x0 = operand->kind == CY_OPERAND_X && !operand->value;
            seen->claimed_read[i][k] |= operand->is_read && !is_x0;
            seen->claimed_write[i][k] |= operand->is_written && !is_x0;
        }
        seen->claimed_cross[i] |= operand->crosses_lanes && operand->is_read && !t->e.access.writes;
    }
    seen->claimed_mask |= t->e.is_masked || t->e.reads_mask;
    struct cy_regs keeps = t->e.keeps;
    cy_regs_remove(&keeps, &t->e.reads); /* of those that are read, a result may be what it was */
    seen->claimed_keep |= keeps.x || keeps.v[0] || keeps.v[1] || keeps.v[2] || keeps.v[3];
    seen->claimed_load |= t->e.access.reads && t->range_count;
    seen->claimed_store |= t->e.access.writes && t->range_count;
    seen->claimed_state_reads |= t->e.state_reads;
    seen->claimed_state_writes |= t->e.state_writes;
}

static void check_trial(struct trial *t, struct seen *seen)
{
    const bool faults = t->after.fault == CY_FAULT_REGISTER || t->after.fault == CY_FAULT_VTYPE;
    if (faults != t->e.is_illegal || (t->after.fault && !faults)) {
        fail(t, "faults, or should, kind", t->after.fault);
        return;
    }
    if (faults)
        return;
    claim(t, seen);
    check_writes(t, seen);
    check_flow(t);
    check_registers(t, seen);
    check_state(t, seen);
    check_memory(t, seen);
}

/* A shift needs only the lowest word of its distance. */
static bool is_distance(const struct cy_insn_info *row, enum cy_field field)
{
    const struct cy_expr *expr = cy_expr_of((enum cy_op)(row - cy_insns));
    const bool is_call = expr && (cy_expr_calls(expr, CY_FN_round_shift) || cy_expr_calls(expr, CY_FN_round_shiftu));
    const bool is_shift = expr && expr->kind == CY_EXPR_BINARY && (expr->op == CY_EXPR_SHL || expr->op == CY_EXPR_SHR);
    const bool is_scalar = row->format == CY_FORMAT_R || row->format == CY_FORMAT_R64;
    return (is_call || is_shift) &&
           (is_scalar ? field == CY_FIELD_rs2 : field == CY_FIELD_rs1 || field == CY_FIELD_vs1);
}

/* Does the row ever do what was said of it?  `says`: which part it never does. */
static bool check_seen(const struct cy_insn_info *row, const struct seen *seen, bool says)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(row->format, fields);
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < MOST_PARTS; k++) {
            const bool reads = !seen->claimed_read[i][k] || seen->read[i][k] || (k % 2 && is_distance(row, fields[i])),
                       writes = !seen->claimed_write[i][k] || seen->write[i][k];
            ok &= reads && writes;
            if (says && !(reads && writes))
                fprintf(stderr, "  %s never %s register %u of %s\n", row->id, reads ? "writes" : "reads", k,
                        cy_fields[fields[i]].name);
        }
    for (size_t i = 0; i < count; i++) {
        const bool crosses = !seen->claimed_cross[i] || seen->cross[i];
        ok &= crosses;
        if (says && !crosses)
            fprintf(stderr, "  %s never looks at other lanes of %s\n", row->id, cy_fields[fields[i]].name);
    }
    const uint16_t reads = seen->claimed_state_reads & ~seen->state_reads & ~CY_STATE_CSR,
                   writes = seen->claimed_state_writes & ~seen->state_writes & ~CY_STATE_CSR;
    const bool rest = seen->claimed_mask <= seen->mask && seen->claimed_keep <= seen->keep &&
                      seen->claimed_load <= seen->load && seen->claimed_store <= seen->store;
    if (says && (reads || writes || !rest))
        fprintf(stderr,
                "  %s never reads state %#x, never writes %#x; mask %d %d, keeps %d %d, loads %d %d, stores %d %d\n",
                row->id, reads, writes, seen->claimed_mask, seen->mask, seen->claimed_keep, seen->keep,
                seen->claimed_load, seen->load, seen->claimed_store, seen->store);
    return ok && !reads && !writes && rest;
}

/* As many trials as it takes to see all that is claimed, and at least FEWEST. */
static bool check_row(struct trial *t, enum cy_op op)
{
    static struct seen seen;
    unsigned failures = 0;
    memset(&seen, 0, sizeof(seen));
    for (unsigned i = 0; i < MOST && failures < 3; i++) {
        const bool is_usual = rng_chance(t->r, 2);
        if (i >= FEWEST && check_seen(&cy_insns[op], &seen, false))
            break;
        t->mode.sew = is_usual ? 32 : (uint8_t)(8 << rng_below(t->r, 4));
        t->mode.lmul = is_usual ? 1 : (uint8_t)(1 + rng_below(t->r, 2));
        t->mode.is_mask_by_lane = t->h->run.mask_per_lane = rng_chance(t->r, 4);
        t->ok = true;
        t->range_count = 0;
        if (make_trial(t, op))
            check_trial(t, &seen);
        failures += !t->ok;
    }
    return !failures && check_seen(&cy_insns[op], &seen, true);
}

static void test_rows(void)
{
    static struct trial trial;
    struct rng r = {1};
    struct harness h;
    for (enum cy_target target = CY_GEN1; target <= CY_GEN2; target++) {
        if (!harness_init(&h, target, LANES))
            return;
        h.run.gds = DATA;
        cy_warp_start(&h.warp, CODE, ALL);
        trial = (struct trial){.r = &r, .h = &h, .mode = {.target = target}};
        for (int op = 1; op < CY_OP_COUNT; op++)
            if (cy_insns[op].gens & (1 << target) && !(cy_insns[op].flags & CY_F_PREFIX))
                CHECK(check_row(&trial, (enum cy_op)op));
        harness_close(&h);
    }
}

int main(void)
{
    test_rows();
    return test_finish();
}
