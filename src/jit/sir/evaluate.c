/* Runs a function of either form, one lane after the other, on memory that somebody else has: the oracle for every pass.
 *
 * Each strip has its own values, cells and stack.  Strips run one after the other until they wait at a barrier or end, in the order
 * in which translated code runs them, so that atomic operations of both see the same.
 *
 * In vector form every lane computes.  What lanes outside of a mask, and the vector's lanes behind the strip's last one, get from a
 * load, a source or an undefined value is random: a pass that lets it out shows. */
#include "jit/sir/sir.h"

#include <string.h>

enum { MOST_LANES = 64, X_REGISTERS = 64, V_REGISTERS = 256 };

/* Lanes that wait: those that have arrived at the join, and the side that has not run yet. */
struct waiting {
    uint32_t join, block;
    uint64_t arrived, pending;
};

enum state { RUNNING, AT_BARRIER, ENDED };

struct strip {
    uint32_t item;   /* number of its first work-item */
    uint64_t exists; /* lanes that are work-items of the range */
    uint64_t active;
    uint64_t *values; /* [value * width + lane] */
    uint64_t *cells;  /* [cell * width + lane] */
    uint64_t *slots;  /* [slot * width + lane] */
    uint32_t block;
    size_t at; /* the next instruction of its block */
    enum state state;
    uint32_t phase; /* the next one */
    CY_VEC(struct waiting) stack;
    uint64_t reservations[MOST_LANES]; /* address + 1, or 0 */
    uint64_t reserved[MOST_LANES];
};

struct run {
    const struct cy_sir_func *func;
    const struct cy_sir_machine *machine;
    struct cy_sir_fault *fault;
    struct strip *strips;
    uint32_t strip_count, width;
    uint32_t x[X_REGISTERS], *v; /* the interpreter's registers */
    uint64_t steps, junk;
    enum cy_sir_outcome outcome;
};

static uint64_t junk(struct run *run)
{
    run->junk = run->junk * 6364136223846793005ull + 1442695040888963407ull;
    return run->junk ^ run->junk >> 29;
}

static uint64_t cut(enum cy_sir_type type, uint64_t value)
{
    const unsigned bits = cy_sir_bits(type);
    return bits < 64 ? value & ((1ull << bits) - 1) : value;
}

static uint64_t *values_of(const struct run *run, const struct strip *strip, cy_sir_value value)
{
    return strip->values + (size_t)value * run->width;
}

static uint64_t all_lanes(const struct run *run)
{
    return run->width < 64 ? (1ull << run->width) - 1 : UINT64_MAX;
}

static bool invalid(struct run *run, const char *why)
{
    run->outcome = CY_SIR_INVALID;
    run->fault->why = why;
    return false;
}

static bool fault(struct run *run, const struct strip *strip, uint32_t access, uint64_t lanes, uint64_t address)
{
    run->outcome = CY_SIR_FAULTED;
    run->fault->access = access;
    run->fault->item = strip->item + (lanes ? (uint32_t)__builtin_ctzll(lanes) : 0);
    run->fault->address = address;
    return false;
}

static bool trap(struct run *run, const struct strip *strip, uint32_t kind, uint64_t lanes)
{
    run->fault->trap = kind;
    return fault(run, strip, CY_SIR_NOTHING, lanes, 0);
}

/* ---- memory ---- */

static uint64_t address_of(const struct run *run, const struct strip *strip, const struct cy_sir_insn *insn,
                           unsigned lane)
{
    const struct cy_sir_func *func = run->func;
    const struct cy_sir_access *access = &func->accesses.at[insn->access];
    uint64_t address = values_of(run, strip, insn->args[0])[lane] + (uint64_t)access->offset;
    if (insn->args[1]) {
        const uint64_t index = values_of(run, strip, insn->args[1])[lane];
        const bool is_word = cy_sir_at(func, insn->args[1])->type == CY_SIR_I32;
        address += (is_word && access->is_index_signed ? (uint64_t)(int64_t)(int32_t)index : index) << access->scale;
    }
    return access->space == CY_SIR_FAR ? address : (uint32_t)address;
}

/* Where an offset in the work-item's private memory is: words of all work-items are interleaved. */
static uint64_t place_of_private(const struct run *run, const struct strip *strip, uint64_t at, unsigned lane)
{
    const struct cy_sir_func *func = run->func;
    const uint32_t stride = func->warps * func->threads;
    return (uint32_t)(run->machine->pds + (at & ~3ull) * stride + (at & 3) + 4 * (strip->item + lane));
}

/* The address in memory; false: it is outside of private memory. */
static bool place_of(struct run *run, const struct strip *strip, const struct cy_sir_insn *insn, unsigned lane,
                     uint64_t *place)
{
    const struct cy_sir_access *access = &run->func->accesses.at[insn->access];
    *place = address_of(run, strip, insn, lane);
    if (access->space != CY_SIR_PRIVATE)
        return true;
    if (run->func->private_bytes && *place + access->bytes > run->func->private_bytes)
        return fault(run, strip, insn->access, 1ull << lane, *place);
    *place = place_of_private(run, strip, *place, lane);
    return true;
}

static bool load(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, unsigned lane, uint64_t *word)
{
    const uint32_t bytes = run->func->accesses.at[insn->access].bytes;
    uint64_t place;
    *word = 0;
    if (!place_of(run, strip, insn, lane, &place))
        return false;
    return run->machine->read(run->machine->context, place, word, bytes) ||
           fault(run, strip, insn->access, 1ull << lane, place);
}

static bool store(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, unsigned lane, uint64_t word)
{
    const uint32_t bytes = run->func->accesses.at[insn->access].bytes;
    uint64_t place;
    if (!place_of(run, strip, insn, lane, &place))
        return false;
    return run->machine->write(run->machine->context, place, &word, bytes) ||
           fault(run, strip, insn->access, 1ull << lane, place);
}

/* A load of the whole warp is one access, made by its first lane. */
static bool run_load(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to, uint64_t mask)
{
    const bool is_vector = run->func->form == CY_SIR_FORM_VECTOR;
    const bool is_scalar = run->func->accesses.at[insn->access].is_scalar;
    for (unsigned i = 0; is_vector && i < run->width; i++)
        to[i] = mask >> i & 1 ? to[i] : cut((enum cy_sir_type)insn->type, junk(run));
    for (uint64_t left = mask; left; left &= left - 1) {
        if (!load(run, strip, insn, (unsigned)__builtin_ctzll(left), &to[__builtin_ctzll(left)]))
            return false;
        if (is_scalar)
            break;
    }
    for (unsigned i = 0; is_scalar && mask && i < run->width; i++)
        if (is_vector || mask >> i & 1)
            to[i] = to[__builtin_ctzll(mask)];
    return true;
}

static bool run_store(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t mask)
{
    const uint64_t *data = values_of(run, strip, insn->args[2]);
    const bool is_scalar = run->func->accesses.at[insn->access].is_scalar;
    for (uint64_t left = mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (!store(run, strip, insn, lane, data[lane]))
            return false;
        if (is_scalar)
            break;
    }
    return true;
}

static void end_reservations(struct strip *strip, uint64_t at)
{
    for (unsigned i = 0; i < MOST_LANES; i++)
        if (strip->reservations[i] == at + 1)
            strip->reservations[i] = 0;
}

/* 0: it has stored. */
static bool store_conditionally(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, unsigned lane,
                                uint64_t *result)
{
    const uint64_t at = address_of(run, strip, insn, lane);
    uint64_t seen;
    if (!load(run, strip, insn, lane, &seen))
        return false;
    const bool stores = strip->reservations[lane] == at + 1 && seen == strip->reserved[lane];
    strip->reservations[lane] = 0;
    *result = !stores;
    if (!stores)
        return true;
    end_reservations(strip, at);
    return store(run, strip, insn, lane, values_of(run, strip, insn->args[2])[lane]);
}

/* One lane's atomic operation. */
static bool run_atomic(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, unsigned lane,
                       uint64_t *to)
{
    const struct cy_sir_access *access = &run->func->accesses.at[insn->access];
    uint64_t seen;
    if (insn->op == CY_SIR_SC)
        return store_conditionally(run, strip, insn, lane, &to[lane]);
    if (!load(run, strip, insn, lane, &seen))
        return false;
    to[lane] = seen;
    if (insn->op == CY_SIR_LR) {
        strip->reservations[lane] = address_of(run, strip, insn, lane) + 1;
        strip->reserved[lane] = seen;
        return true;
    }
    const uint64_t data = values_of(run, strip, insn->args[2])[lane];
    if (insn->op == CY_SIR_CAS)
        return seen != data || store(run, strip, insn, lane, values_of(run, strip, insn->args[3])[lane]);
    return store(run, strip, insn, lane,
                 run->machine->row(run->machine->context, access->op, access->bytes * 8u, 0, seen, data, 0));
}

/* One access of a group, with the addresses of the check. */
static bool check_access(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint32_t number,
                         uint64_t mask)
{
    const struct cy_sir_access *access = &run->func->accesses.at[number];
    struct cy_sir_insn one = *insn;
    one.access = number;
    for (uint64_t left = access->is_scalar ? mask & -mask : mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t place;
        if (!place_of(run, strip, &one, lane, &place))
            return false;
        if (!run->machine->check(run->machine->context, place, access->bytes, access->rights))
            return fault(run, strip, number, 1ull << lane, place);
    }
    return true;
}

static bool run_check(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t mask)
{
    for (uint32_t i = 0; i < run->func->accesses.count; i++)
        if (run->func->accesses.at[i].group == insn->imm && !check_access(run, strip, insn, i, mask))
            return false;
    return true;
}

/* ---- sources ---- */

static bool is_inside(const struct run *run, uint32_t item)
{
    const uint32_t *local = run->func->local, *inside = run->machine->inside;
    return item % local[0] < inside[0] && item / local[0] % local[1] < inside[1] &&
           item / local[0] / local[1] < inside[2];
}

static uint64_t source(struct run *run, const struct strip *strip, enum cy_sir_source which, unsigned lane)
{
    const struct cy_sir_machine *machine = run->machine;
    const uint32_t threads = run->func->threads;
    /* Lanes of a strip that straddles two warps have numbers of their own. */
    const uint32_t item = strip->item + (cy_sir_sources[which].is_uniform && !run->func->strip.straddles ? 0 : lane);
    switch (which) {
    case CY_SIR_SOURCE_ITEM: return item;
    case CY_SIR_SOURCE_LANE: return item % threads;
    case CY_SIR_SOURCE_EXISTS: return strip->exists >> lane & 1;
    case CY_SIR_SOURCE_TID: return item - item % threads;
    case CY_SIR_SOURCE_WARP: return item / threads;
    case CY_SIR_SOURCE_GROUP_X: return machine->group[0];
    case CY_SIR_SOURCE_GROUP_Y: return machine->group[1];
    case CY_SIR_SOURCE_GROUP_Z: return machine->group[2];
    case CY_SIR_SOURCE_SLOT: return machine->slot;
    case CY_SIR_SOURCE_METADATA: return machine->metadata;
    case CY_SIR_SOURCE_LDS: return machine->lds;
    case CY_SIR_SOURCE_PDS: return machine->pds;
    case CY_SIR_SOURCES: break;
    }
    return 0;
}

static void run_source(struct run *run, const struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to)
{
    const enum cy_sir_source which = (enum cy_sir_source)insn->imm;
    const bool is_padding_junk = !cy_sir_sources[which].is_uniform && which != CY_SIR_SOURCE_EXISTS;
    for (unsigned i = 0; i < run->width; i++)
        to[i] = i < run->func->strip.lanes || !is_padding_junk ? source(run, strip, which, i)
                                                               : cut((enum cy_sir_type)insn->type, junk(run));
}

/* ---- cells and registers ---- */

static void run_set(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t mask)
{
    const uint64_t *from = values_of(run, strip, insn->args[0]);
    uint64_t *cell = strip->cells + insn->imm * run->width;
    if (!mask)
        return;
    for (unsigned i = 0; i < run->width; i++)
        if (run->func->cells.at[insn->imm].is_warp)
            cell[i] = from[__builtin_ctzll(mask)];
        else if (mask >> i & 1)
            cell[i] = from[i];
}

/* The registers of the strip's lanes in the interpreter's file. */
static uint32_t *vgpr(struct run *run, const struct strip *strip, uint64_t number, unsigned lane)
{
    return &run->v[number * run->func->threads + (strip->item + lane) % run->func->threads];
}

/* What lanes that are elsewhere have of a register: in SIMT form they keep the value that they once took out of its cell, and it has
 * what the cell has now. */
static const uint64_t *of_others(struct run *run, struct strip *strip, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(run->func, value);
    const bool is_behind = run->func->form == CY_SIR_FORM_SIMT && insn->op == CY_SIR_GET;
    return is_behind ? strip->cells + insn->imm * run->width : values_of(run, strip, value);
}

static void run_registers(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to,
                          uint64_t mask)
{
    const uint64_t *from = values_of(run, strip, insn->args[0]), *others = of_others(run, strip, insn->args[0]);
    for (unsigned i = 0; i < run->width; i++)
        switch (insn->op) {
        case CY_SIR_PUT_X: run->x[insn->imm] = (uint32_t)from[mask ? __builtin_ctzll(mask) : 0]; break;
        case CY_SIR_GET_X: to[i] = run->x[insn->imm]; break;
        case CY_SIR_PUT_V:
            if (i < run->func->strip.lanes)
                *vgpr(run, strip, insn->imm, i) = (uint32_t)(mask >> i & 1 ? from : others)[i];
            break;
        default: to[i] = i < run->func->strip.lanes ? *vgpr(run, strip, insn->imm, i) : cut(CY_SIR_I32, junk(run));
        }
}

static bool run_interpret(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t mask)
{
    const uint32_t first = strip->item % run->func->threads;
    const struct cy_sir_access *access = &run->func->accesses.at[insn->access];
    return run->machine->interpret(run->machine->context, access, run->x, run->v, mask << first, strip->item - first) ||
           fault(run, strip, insn->access, mask, 0);
}

/* ---- other lanes ---- */

static uint64_t lanes_with(const struct run *run, const struct strip *strip, cy_sir_value value)
{
    const uint64_t *bits = values_of(run, strip, value);
    uint64_t set = 0;
    for (unsigned i = 0; i < run->func->strip.lanes; i++)
        set |= (bits[i] & 1) << i;
    return set;
}

/* One number for all lanes.  That of LAST is the last active lane's. */
static uint64_t over_lanes(const struct run *run, const struct strip *strip, const struct cy_sir_insn *insn,
                           uint64_t mask)
{
    const unsigned lanes = run->func->strip.lanes;
    const uint64_t every = lanes < 64 ? (1ull << lanes) - 1 : UINT64_MAX;
    const uint64_t *a = values_of(run, strip, insn->args[0]), bits = lanes_with(run, strip, insn->args[0]);
    switch (insn->op) {
    case CY_SIR_ANY: return bits != 0;
    case CY_SIR_ALL: return bits == every;
    case CY_SIR_POPCOUNT: return (uint64_t)__builtin_popcountll(bits);
    case CY_SIR_FIRST: return bits ? (uint64_t)__builtin_ctzll(bits) : 0;
    case CY_SIR_EXTRACT: return a[values_of(run, strip, insn->args[1])[0] % run->width];
    default: return a[mask ? 63 - __builtin_clzll(mask) : 0];
    }
}

static void run_insert(const struct run *run, const struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to)
{
    const uint64_t *a = values_of(run, strip, insn->args[0]), *c = values_of(run, strip, insn->args[2]);
    const uint64_t lane = values_of(run, strip, insn->args[1])[0];
    for (unsigned i = 0; i < run->width; i++)
        to[i] = i == lane ? c[i] : a[i];
}

/* ---- one instruction ---- */

static void run_pure(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to, uint64_t mask)
{
    const struct cy_sir_func *func = run->func;
    const unsigned count = cy_sir_ops[insn->op].arguments;
    const enum cy_sir_type of =
        count ? (enum cy_sir_type)cy_sir_at(func, insn->args[insn->op == CY_SIR_SELECT])->type : CY_SIR_VOID;
    for (unsigned i = 0; i < run->width; i++) {
        uint64_t args[3] = {0};
        if (!(mask >> i & 1))
            continue;
        for (unsigned k = 0; k < count; k++)
            args[k] = insn->args[k] ? values_of(run, strip, insn->args[k])[i] : 0;
        switch (insn->op) {
        case CY_SIR_CONST: to[i] = insn->imm; break;
        case CY_SIR_UNDEF: to[i] = cut((enum cy_sir_type)insn->type, junk(run)); break;
        case CY_SIR_ROW:
            to[i] =
                run->machine->row(run->machine->context, insn->imm & 0xffff, cy_sir_bits((enum cy_sir_type)insn->type),
                                  insn->imm >> 16 & 7, args[0], args[1], args[2]);
            break;
        default:
            to[i] = cy_sir_fold((enum cy_sir_op)insn->op, (enum cy_sir_type)insn->type, of, args[0], args[1], args[2]);
        }
    }
}

static uint64_t mask_of(const struct run *run, const struct strip *strip, const struct cy_sir_insn *insn)
{
    if (run->func->form == CY_SIR_FORM_SIMT)
        return strip->active;
    return insn->mask                    ? lanes_with(run, strip, insn->mask)
           : run->func->strip.lanes < 64 ? (1ull << run->func->strip.lanes) - 1
                                         : UINT64_MAX;
}

/* ---- counting ---- */

static void count(struct run *run, uint64_t counter, uint64_t amount)
{
    if (run->machine->counters)
        run->machine->counters[counter] += amount;
}

static void count_issue(struct run *run, const struct cy_sir_insn *insn, uint64_t mask)
{
    const struct cy_sir_code *code = &run->func->codes.at[insn->imm];
    const uint64_t active = (unsigned)__builtin_popcountll(mask);
    if (run->func->counts == CY_JIT_COUNT_LANES && mask) {
        count(run, CY_JIT_INSTRUCTIONS, code->insns);
        count(run, CY_JIT_INTERPRETED, code->interpreted);
        count(run, CY_JIT_VECTORS, code->vectors);
        count(run, CY_JIT_PARTIAL, active != run->func->threads ? code->vectors : 0);
        count(run, CY_JIT_ACTIVE, active * code->vectors);
        count(run, CY_JIT_BRANCHES, code->branches);
    } else if (run->func->counts == CY_JIT_COUNT_INSNS && mask) {
        count(run, 2 * insn->imm, 1);
        count(run, 2 * insn->imm + 1, active);
    }
}

static void count_split(struct run *run, const struct cy_sir_insn *insn, uint64_t taken, uint64_t mask)
{
    const bool parts = taken && taken != mask;
    if (run->func->counts == CY_JIT_COUNT_LANES) {
        count(run, CY_JIT_SPLITS, parts);
        count(run, CY_JIT_INSTRUCTIONS, 2 * parts);
    } else if (run->func->counts == CY_JIT_COUNT_INSNS) {
        count(run, 2 * insn->imm, parts);
    }
}

static bool run_ordered(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to,
                        uint64_t mask)
{
    const size_t row = run->width * sizeof(*to);
    switch (insn->op) {
    case CY_SIR_LOAD: return run_load(run, strip, insn, to, mask);
    case CY_SIR_STORE: return run_store(run, strip, insn, mask);
    case CY_SIR_ATOMIC:
    case CY_SIR_CAS:
    case CY_SIR_LR:
    case CY_SIR_SC:
        for (uint64_t left = mask; left; left &= left - 1)
            if (!run_atomic(run, strip, insn, (unsigned)__builtin_ctzll(left), to))
                return false;
        return true;
    case CY_SIR_GET: memcpy(to, strip->cells + insn->imm * run->width, row); return true;
    case CY_SIR_SET: run_set(run, strip, insn, mask); return true;
    case CY_SIR_SAVE:
        memcpy(strip->slots + insn->imm * run->width, values_of(run, strip, insn->args[0]), row);
        return true;
    case CY_SIR_RESTORE: memcpy(to, strip->slots + insn->imm * run->width, row); return true;
    case CY_SIR_PUT_X:
    case CY_SIR_PUT_V:
    case CY_SIR_GET_X:
    case CY_SIR_GET_V: run_registers(run, strip, insn, to, mask); return true;
    case CY_SIR_INTERPRET: return !mask || run_interpret(run, strip, insn, mask);
    case CY_SIR_CHECK: return run_check(run, strip, insn, mask);
    case CY_SIR_ISSUE: count_issue(run, insn, mask); return true;
    case CY_SIR_SPLIT: count_split(run, insn, mask & lanes_with(run, strip, insn->args[0]), mask); return true;
    case CY_SIR_COUNT:
        if (mask && run->machine->counters)
            run->machine->counters[insn->imm] += values_of(run, strip, insn->args[0])[__builtin_ctzll(mask)];
        return true;
    case CY_SIR_TRAP: return !mask || trap(run, strip, (uint32_t)insn->imm, mask);
    case CY_SIR_BARRIER:
        strip->state = AT_BARRIER;
        strip->phase = CY_SIR_NOTHING;
        if (run->func->form == CY_SIR_FORM_VECTOR)
            return true;
        return (!strip->stack.count && strip->active == strip->exists) || trap(run, strip, CY_JIT_DIVERGED, 0);
    default: return true; /* fences, polls, prefetches: nothing that one thread sees */
    }
}

static bool run_in_lanes(struct run *run, struct strip *strip, const struct cy_sir_insn *insn, uint64_t *to,
                         uint64_t mask)
{
    switch (insn->op) {
    case CY_SIR_PHI: return true; /* given when the block was entered */
    case CY_SIR_SOURCE: run_source(run, strip, insn, to); return true;
    case CY_SIR_INSERT: run_insert(run, strip, insn, to); return true;
    case CY_SIR_ANY:
    case CY_SIR_ALL:
    case CY_SIR_POPCOUNT:
    case CY_SIR_FIRST:
    case CY_SIR_EXTRACT:
    case CY_SIR_LAST: {
        const uint64_t number = over_lanes(run, strip, insn, mask);
        for (unsigned i = 0; i < run->width; i++)
            to[i] = number;
        return true;
    }
    default: break;
    }
    if (!(cy_sir_ops[insn->op].flags & CY_SIR_PURE))
        return run_ordered(run, strip, insn, to, mask);
    run_pure(run, strip, insn, to, run->func->form == CY_SIR_FORM_SIMT ? mask : all_lanes(run));
    return true;
}

/* In SIMT form lanes that are elsewhere keep the values that they have. */
static bool run_insn(struct run *run, struct strip *strip, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(run->func, value);
    const uint64_t mask = mask_of(run, strip, insn);
    uint64_t *to = values_of(run, strip, value), before[MOST_LANES];
    memcpy(before, to, run->width * sizeof(*to));
    const bool goes_on = run_in_lanes(run, strip, insn, to, mask);
    for (unsigned i = 0; run->func->form == CY_SIR_FORM_SIMT && i < run->width; i++)
        to[i] = mask >> i & 1 ? to[i] : before[i];
    return goes_on;
}

/* ---- where lanes go ---- */

/* Lanes enter a block: its phis get their values, all at once. */
static void enter(struct run *run, struct strip *strip, uint32_t from, uint32_t to, uint64_t lanes)
{
    const struct cy_sir_block *block = &run->func->blocks.at[to];
    uint32_t edge = 0;
    size_t count = 0;
    while (block->preds.count > 1 && block->preds.at[edge] != from)
        edge++;
    while (count < block->list.count && cy_sir_at(run->func, block->list.at[count])->op == CY_SIR_PHI)
        count++;
    uint64_t *copy = cy_xrealloc(NULL, (count + 1) * run->width * sizeof(*copy));
    for (size_t i = 0; i < count; i++) {
        const cy_sir_value value = run->func->phi_args.at[cy_sir_at(run->func, block->list.at[i])->args[0] + edge];
        memcpy(copy + i * run->width, values_of(run, strip, value), run->width * sizeof(*copy));
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < run->width; k++)
            if (lanes >> k & 1)
                values_of(run, strip, block->list.at[i])[k] = copy[i * run->width + k];
    cy_free(copy);
}

/* At a join whoever waits for it goes on: a side that has not run, or all who have arrived. */
static void arrive(struct strip *strip, uint32_t block, uint64_t lanes)
{
    while (strip->stack.count && strip->stack.at[strip->stack.count - 1].join == block) {
        struct waiting *top = &strip->stack.at[strip->stack.count - 1];
        top->arrived |= lanes;
        if (top->pending) {
            block = top->block;
            lanes = top->pending;
            top->pending = 0;
            if (block != top->join)
                break;
            continue;
        }
        lanes = top->arrived;
        strip->stack.count--;
    }
    strip->active = lanes;
    strip->block = block;
    strip->at = 0;
}

static void go(struct run *run, struct strip *strip, uint32_t to)
{
    const uint64_t lanes = run->func->form == CY_SIR_FORM_SIMT ? strip->active : all_lanes(run);
    enter(run, strip, strip->block, to, lanes);
    arrive(strip, to, lanes);
}

/* The condition of a branch that all lanes take together. */
static bool agreed(struct run *run, const struct strip *strip, cy_sir_value condition, uint64_t *number)
{
    const uint64_t lanes = run->func->form == CY_SIR_FORM_SIMT
                               ? strip->active
                               : (run->func->strip.lanes < 64 ? (1ull << run->func->strip.lanes) - 1 : UINT64_MAX);
    const uint64_t *values = values_of(run, strip, condition);
    *number = values[__builtin_ctzll(lanes)];
    for (uint64_t left = lanes; left; left &= left - 1)
        if (values[__builtin_ctzll(left)] != *number)
            return invalid(run, "lanes do not agree on a branch that they take together");
    return true;
}

static void part(struct run *run, struct strip *strip, const struct cy_sir_block *block)
{
    const uint64_t then = lanes_with(run, strip, block->condition) & strip->active, other = strip->active & ~then;
    if (!then || !other) {
        go(run, strip, block->succ[!then]);
        return;
    }
    const bool is_then_first = block->in_order && __builtin_popcountll(then) <= __builtin_popcountll(other);
    const uint32_t from = strip->block;
    enter(run, strip, from, block->succ[0], then);
    enter(run, strip, from, block->succ[1], other);
    *cy_vec_push(&strip->stack) =
        (struct waiting){block->join, block->succ[is_then_first], 0, is_then_first ? other : then};
    arrive(strip, block->succ[!is_then_first], is_then_first ? then : other);
}

static bool leave(struct run *run, struct strip *strip)
{
    const struct cy_sir_block *block = &run->func->blocks.at[strip->block];
    const bool is_simt = run->func->form == CY_SIR_FORM_SIMT;
    uint64_t number = 0;
    switch (block->terminator) {
    case CY_SIR_JUMP: go(run, strip, block->succ[0]); return true;
    case CY_SIR_BRANCH:
        if (!agreed(run, strip, block->condition, &number))
            return false;
        go(run, strip, block->succ[!number]);
        return true;
    case CY_SIR_VBRANCH: part(run, strip, block); return true;
    case CY_SIR_SWITCH: {
        size_t i = 0;
        if (!agreed(run, strip, block->condition, &number))
            return false;
        while (i + 1 < block->cases.count && block->cases.at[i].value != number)
            i++;
        go(run, strip, block->cases.at[i].block);
        return true;
    }
    case CY_SIR_END:
        strip->state = ENDED;
        return !is_simt || (!strip->stack.count && strip->active == strip->exists) ||
               trap(run, strip, CY_JIT_DIVERGED, 0);
    case CY_SIR_PHASE:
        strip->state = AT_BARRIER;
        strip->phase = block->phase;
        return true;
    case CY_SIR_UNREACHABLE: break;
    }
    return invalid(run, "the end of a block that goes nowhere");
}

static bool run_strip(struct run *run, struct strip *strip)
{
    while (strip->state == RUNNING) {
        const struct cy_sir_block *block = &run->func->blocks.at[strip->block];
        if (run->steps++ >= run->machine->most_steps) {
            run->outcome = CY_SIR_ENDLESS;
            return false;
        }
        if (strip->at < block->list.count ? !run_insn(run, strip, block->list.at[strip->at++]) : !leave(run, strip))
            return false;
    }
    return true;
}

/* ---- the workgroup ---- */

static void start(struct run *run, struct strip *strip, uint32_t item, uint32_t lanes)
{
    const struct cy_sir_func *func = run->func;
    const size_t rows[] = {func->insns.count, func->cells.count, func->slots};
    uint64_t **to[] = {&strip->values, &strip->cells, &strip->slots};
    strip->item = item;
    for (unsigned i = 0; i < CY_COUNT(rows); i++) {
        *to[i] = cy_xrealloc(NULL, (rows[i] + 1) * run->width * sizeof(**to[i]));
        for (size_t k = 0; k < (rows[i] + 1) * run->width; k++)
            (*to[i])[k] = i == 1 ? 0 : junk(run);
    }
    memset(strip->values, 0, run->width * sizeof(*strip->values)); /* of no value */
    for (uint32_t i = 0; i < lanes; i++)
        strip->exists |= (uint64_t)is_inside(run, item + i) << i;
    strip->active = strip->exists;
    strip->state = strip->exists ? RUNNING : ENDED;
}

/* Rows of work-items end with strips that may be shorter. */
static void start_all(struct run *run)
{
    const struct cy_sir_strip *shape = &run->func->strip;
    for (uint32_t row = 0; row < shape->items; row += shape->row)
        for (uint32_t at = 0; at < shape->row; at += shape->lanes)
            start(run, &run->strips[run->strip_count++], row + at,
                  shape->row - at < shape->lanes ? shape->row - at : shape->lanes);
}

/* All strips wait or have ended.  In vector form those that wait must wait for the same phase, which starts with nothing but what they
 * have saved.  False: none waits. */
static bool pass_barrier(struct run *run)
{
    const struct strip *first = NULL;
    for (uint32_t i = 0; i < run->strip_count; i++) {
        struct strip *strip = &run->strips[i];
        if (strip->state != AT_BARRIER)
            continue;
        if (first && first->phase != strip->phase)
            return trap(run, strip, CY_JIT_MIXED_BARRIERS, 0);
        first = strip;
        strip->state = RUNNING;
        if (strip->phase == CY_SIR_NOTHING)
            continue;
        memset(strip->cells, 0, run->func->cells.count * run->width * sizeof(*strip->cells));
        for (size_t k = run->width; k < run->func->insns.count * run->width; k++)
            strip->values[k] = junk(run);
        strip->block = run->func->phases.at[strip->phase];
        strip->at = 0;
    }
    return first != NULL;
}

enum cy_sir_outcome cy_sir_evaluate(const struct cy_sir_func *func, const struct cy_sir_machine *machine,
                                    struct cy_sir_fault *fault)
{
    const struct cy_sir_strip *shape = &func->strip;
    const uint32_t most = shape->items / shape->row * ((shape->row + shape->lanes - 1) / shape->lanes);
    struct run run = {.func = func, .machine = machine, .fault = fault, .width = shape->width, .junk = machine->junk};
    *fault = (struct cy_sir_fault){.access = CY_SIR_NOTHING};
    run.strips = cy_xrealloc(NULL, (most + 1) * sizeof(*run.strips));
    memset(run.strips, 0, (most + 1) * sizeof(*run.strips));
    run.v = cy_xrealloc(NULL, (size_t)V_REGISTERS * func->threads * sizeof(*run.v));
    memset(run.v, 0, (size_t)V_REGISTERS * func->threads * sizeof(*run.v));
    start_all(&run);
    do {
        for (uint32_t i = 0; i < run.strip_count && run.outcome == CY_SIR_DONE; i++)
            run_strip(&run, &run.strips[i]);
    } while (run.outcome == CY_SIR_DONE && pass_barrier(&run));
    for (uint32_t i = 0; i < run.strip_count; i++) {
        cy_free(run.strips[i].values);
        cy_free(run.strips[i].cells);
        cy_free(run.strips[i].slots);
        cy_vec_free(&run.strips[i].stack);
    }
    cy_free(run.strips);
    cy_free(run.v);
    return run.outcome;
}
