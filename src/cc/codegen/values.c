/* Where variables are in machine code (-g), for location lists: which register, spill slot or constant holds each piece of a
 * variable at every instruction, or that nothing does.  What is not certain is left out.
 *
 * Debug values (MIR_DEBUG) bind a piece to a cell: a virtual register or the slot it was spilled to.  Two facts are tracked
 * forwards through the code, and where paths meet only what holds on all of them is kept:
 *
 *     - valid: the cell's place holds the cell's value.  Writing another register in the same place ends it.
 *     - bound: the piece has the value of the cell.  Writing the cell itself ends it: the piece has the old value.
 *
 * Lanes of the two sides of a divergent branch share scalar registers: a scalar that either side writes is lost at the branch.
 * In a caller, a debugger looks one byte before the return address: there, only what the callee preserves and .debug_frame
 * restores is valid. */
#include "cc/codegen/debug_priv.h"
#include "cc/codegen/emit_priv.h"

#include <string.h>

enum { MOST_FACTS = 1 << 24 }; /* pieces times blocks: larger functions get no places */
enum { MOST_VALUES = 2000 };   /* the same for functions with more debug values: the search is quadratic */
#define UNBOUND UINT32_MAX

/* Bytes of a variable that are assigned together. */
struct piece {
    uint32_t variable, offset, bytes;
};
/* What a piece can be bound to. */
struct cell {
    uint8_t kind; /* enum ir_debug_kind; VALUE: in a register or a slot */
    uint32_t vreg;
    int32_t slot;   /* -1: in the register */
    unsigned place; /* of the register: x0-x63, v0-v255 */
    uint32_t constant;
};

struct state {
    uint32_t *bound; /* by piece: a cell, or UNBOUND */
    uint8_t *valid;  /* by cell */
};

struct values {
    const struct mir_func *func;
    CY_VEC(struct piece) pieces;
    CY_VEC(struct cell) cells;
    uint32_t *piece_of, *cell_of; /* by debug value */
    uint32_t *bound;              /* by block and piece: on entry */
    uint8_t *valid;               /* by block and cell */
    uint8_t *reached;             /* by block */
    uint64_t *lost;               /* by block with a divergent branch: scalars that a side writes */
};

/* ---- cells and pieces ---- */

static unsigned place_of(const struct mir_func *func, mir_reg reg)
{
    return mir_location(func, reg) + (mir_class_of(func, reg) == MIR_V ? MIR_V0 : 0);
}

static uint32_t find_cell(struct values *v, const struct cell *cell)
{
    for (size_t i = 0; i < v->cells.count; i++) {
        const struct cell *other = &v->cells.at[i];
        if (other->kind == cell->kind && other->vreg == cell->vreg && other->slot == cell->slot &&
            other->constant == cell->constant)
            return (uint32_t)i;
    }
    *cy_vec_push(&v->cells) = *cell;
    return (uint32_t)v->cells.count - 1;
}

static uint32_t cell_of(struct values *v, const struct mir_value *value)
{
    const struct mir_func *func = v->func;
    struct cell cell = {.kind = value->kind, .slot = -1};
    if (value->kind == IR_DEBUG_UNKNOWN)
        return UNBOUND;
    if (value->kind == IR_DEBUG_CONSTANT) {
        cell.constant = value->constant;
        return find_cell(v, &cell);
    }
    cell.vreg = mir_index(value->reg);
    while (func->vregs.at[cell.vreg].home < 0) /* a scalar that was spilled to a vector */
        cell.vreg = (uint32_t)(-func->vregs.at[cell.vreg].home - 1);
    if (func->vregs.at[cell.vreg].home > 0) {
        cell.slot = func->vregs.at[cell.vreg].home - 1;
        return find_cell(v, &cell);
    }
    const mir_reg reg = (mir_reg)(MIR_FIRST_VREG + cell.vreg);
    if (func->vregs.at[cell.vreg].physical < 0)
        return UNBOUND; /* rematerialised, or never defined */
    cell.place = place_of(func, reg);
    return find_cell(v, &cell);
}

static uint32_t find_piece(struct values *v, const struct mir_value *value)
{
    for (size_t i = 0; i < v->pieces.count; i++) {
        const struct piece *piece = &v->pieces.at[i];
        if (piece->variable == value->variable && piece->offset == value->offset && piece->bytes == value->bytes)
            return (uint32_t)i;
    }
    *cy_vec_push(&v->pieces) = (struct piece){value->variable, value->offset, value->bytes};
    return (uint32_t)v->pieces.count - 1;
}

/* ---- what instructions do ---- */

static bool overlap(const struct piece *a, const struct piece *b)
{
    return a->variable == b->variable && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static bool bind(const struct values *v, struct state *state, uint32_t value)
{
    const uint32_t piece = v->piece_of[value];
    bool changed = false;
    for (size_t i = 0; i < v->pieces.count; i++)
        if (i != piece && state->bound[i] != UNBOUND && overlap(&v->pieces.at[i], &v->pieces.at[piece])) {
            state->bound[i] = UNBOUND;
            changed = true;
        }
    changed |= state->bound[piece] != v->cell_of[value];
    state->bound[piece] = v->cell_of[value];
    return changed;
}

/* The cell gets another value. */
static void unbind(const struct values *v, struct state *state, uint32_t cell)
{
    for (size_t i = 0; i < v->pieces.count; i++)
        if (state->bound[i] == cell)
            state->bound[i] = UNBOUND;
}

static bool write_register(const struct values *v, struct state *state, mir_reg reg, bool keeps)
{
    const unsigned place = place_of(v->func, reg);
    bool changed = false;
    for (uint32_t i = 0; i < v->cells.count; i++) {
        const struct cell *cell = &v->cells.at[i];
        if (cell->kind != IR_DEBUG_VALUE || cell->slot >= 0 || cell->place != place)
            continue;
        const bool is_own = mir_is_virtual(reg) && mir_index(reg) == cell->vreg;
        if (is_own)
            unbind(v, state, i);
        changed |= is_own || (state->valid[i] && !keeps);
        state->valid[i] = is_own || (state->valid[i] && keeps);
    }
    return changed;
}

static bool write_slot(const struct values *v, struct state *state, int32_t slot)
{
    for (uint32_t i = 0; i < v->cells.count; i++)
        if (v->cells.at[i].kind == IR_DEBUG_VALUE && v->cells.at[i].slot == slot) {
            unbind(v, state, i);
            state->valid[i] = 1;
            return true;
        }
    return false;
}

/* `is_inside`: as the caller sees it while the callee runs. */
static void forget_at_call(const struct values *v, struct state *state, bool is_inside)
{
    for (uint32_t i = 0; i < v->cells.count; i++) {
        const struct cell *cell = &v->cells.at[i];
        if (cell->kind == IR_DEBUG_VALUE && cell->slot < 0 &&
            (mir_is_caller_saved((mir_reg)cell->place) || (is_inside && cell->place >= 32)))
            state->valid[i] = 0;
    }
}

static void forget_at_asm(const struct values *v, struct state *state, const struct ir_asm *of)
{
    for (uint32_t i = 0; i < v->cells.count; i++)
        if (v->cells.at[i].kind == IR_DEBUG_VALUE && v->cells.at[i].slot < 0 &&
            mir_asm_has(of->clobbers, (mir_reg)v->cells.at[i].place))
            state->valid[i] = 0;
}

/* True: something may have changed. */
static bool apply(const struct values *v, struct state *state, const struct mir_insn *insn)
{
    enum mir_role roles[MIR_MAX_OPERANDS];
    bool changed = false;
    if (insn->op == MIR_DEBUG)
        return bind(v, state, (uint32_t)insn->operand[0]);
    if (insn->op == MIR_CALL) {
        forget_at_call(v, state, false);
        changed = true;
    }
    if (insn->op == MIR_ASM) {
        forget_at_asm(v, state, mir_asm(v->func, insn));
        changed = true;
    }
    if (insn->op == MIR_SPILL)
        changed = write_slot(v, state, insn->operand[0]);
    const bool keeps = mir_is_identity(v->func, insn);
    for (unsigned o = mir_roles(insn, roles); o-- > 0;)
        if (roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE)
            changed |= write_register(v, state, insn->operand[o], keeps);
    return changed;
}

/* ---- through the code ---- */

static void find_lost(struct values *v)
{
    const struct mir_func *func = v->func;
    struct cy_arena arena = {0};
    const struct cy_graph graph = mir_graph(func, &arena);
    struct cy_graph_region region = cy_graph_region(&arena, &graph);
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (uint32_t s = 0; block->kind == MIR_VBRANCH && s < block->succ_count; s++) {
            mir_find_region(&region, block->succ[s], block->rpc);
            for (uint32_t r = 0; r < region.count; r++) {
                const struct mir_block *inside = &func->blocks.at[region.node[r]];
                for (size_t k = 0; k < inside->insns.count; k++) {
                    const struct mir_insn *insn = &inside->insns.at[k];
                    enum mir_role roles[MIR_MAX_OPERANDS];
                    if (insn->op == MIR_CALL)
                        v->lost[func->order.at[i]] = UINT64_MAX;
                    if (insn->op == MIR_ASM)
                        v->lost[func->order.at[i]] |= mir_asm(func, insn)->clobbers[0];
                    for (unsigned o = mir_roles(insn, roles); o-- > 0;)
                        if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && !mir_is_identity(func, insn) &&
                            mir_class_of(func, insn->operand[o]) == MIR_S)
                            v->lost[func->order.at[i]] |= 1ull << (place_of(func, insn->operand[o]) & 63);
                }
            }
        }
    }
    cy_arena_free(&arena);
}

static struct state entry_state(const struct values *v, uint32_t block)
{
    return (struct state){v->bound + block * v->pieces.count, v->valid + block * v->cells.count};
}

static void copy_state(const struct values *v, struct state *to, const struct state *from)
{
    memcpy(to->bound, from->bound, v->pieces.count * sizeof(*to->bound));
    memcpy(to->valid, from->valid, v->cells.count);
}

/* Keeps what both have; true: that was less. */
static bool meet(const struct values *v, struct state *into, const struct state *other)
{
    bool changed = false;
    for (size_t i = 0; i < v->pieces.count; i++)
        if (into->bound[i] != UNBOUND && into->bound[i] != other->bound[i]) {
            into->bound[i] = UNBOUND;
            changed = true;
        }
    for (size_t i = 0; i < v->cells.count; i++)
        if (into->valid[i] && !other->valid[i]) {
            into->valid[i] = 0;
            changed = true;
        }
    return changed;
}

static bool flow(struct values *v, uint32_t b, struct state *state)
{
    const struct mir_block *block = &v->func->blocks.at[b];
    const struct state entry = entry_state(v, b);
    bool changed = false;
    copy_state(v, state, &entry);
    for (size_t k = 0; k < block->insns.count; k++)
        apply(v, state, &block->insns.at[k]);
    for (size_t i = 0; i < v->cells.count; i++)
        if (v->cells.at[i].kind == IR_DEBUG_VALUE && v->cells.at[i].slot < 0 && v->cells.at[i].place < CY_SGPRS &&
            v->lost[b] >> v->cells.at[i].place & 1)
            state->valid[i] = 0;
    for (uint32_t s = 0; s < block->succ_count; s++) {
        struct state next = entry_state(v, block->succ[s]);
        if (!v->reached[block->succ[s]]) {
            v->reached[block->succ[s]] = 1;
            copy_state(v, &next, state);
            changed = true;
        } else {
            changed |= meet(v, &next, state);
        }
    }
    return changed;
}

static void *zeroed(size_t count, size_t size)
{
    void *at = cy_xrealloc(NULL, (count + 1) * size);
    memset(at, 0, (count + 1) * size);
    return at;
}

static struct state new_state(const struct values *v)
{
    struct state state = {zeroed(v->pieces.count, sizeof(*state.bound)), zeroed(v->cells.count, 1)};
    for (size_t i = 0; i < v->pieces.count; i++)
        state.bound[i] = UNBOUND;
    return state;
}

static void free_state(struct state *state)
{
    cy_free(state->bound);
    cy_free(state->valid);
}

static void solve(struct values *v)
{
    const struct mir_func *func = v->func;
    struct state state = new_state(v), entry = entry_state(v, 0);
    copy_state(v, &entry, &state);
    for (size_t i = 0; i < v->cells.count; i++)
        entry.valid[i] = v->cells.at[i].kind == IR_DEBUG_CONSTANT;
    v->reached[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < func->order.count; i++)
            if (v->reached[func->order.at[i]])
                changed |= flow(v, func->order.at[i], &state);
    }
    free_state(&state);
}

struct values *emit_find_values(const struct mir_func *func)
{
    const size_t count = func->values.count, blocks = func->blocks.count;
    if (!count || count > MOST_VALUES)
        return NULL;
    struct values *v = zeroed(1, sizeof(*v));
    v->func = func;
    v->piece_of = zeroed(count, sizeof(*v->piece_of));
    v->cell_of = zeroed(count, sizeof(*v->cell_of));
    for (size_t i = 0; i < count; i++) {
        v->piece_of[i] = find_piece(v, &func->values.at[i]);
        v->cell_of[i] = cell_of(v, &func->values.at[i]);
    }
    if ((v->pieces.count + v->cells.count) * blocks > MOST_FACTS) {
        emit_free_values(v);
        return NULL;
    }
    v->bound = zeroed(blocks * v->pieces.count, sizeof(*v->bound));
    v->valid = zeroed(blocks * v->cells.count, 1);
    v->reached = zeroed(blocks, 1);
    v->lost = zeroed(blocks, sizeof(*v->lost));
    find_lost(v);
    solve(v);
    return v;
}

void emit_free_values(struct values *v)
{
    if (!v)
        return;
    cy_vec_free(&v->pieces);
    cy_vec_free(&v->cells);
    cy_free(v->piece_of);
    cy_free(v->cell_of);
    cy_free(v->bound);
    cy_free(v->valid);
    cy_free(v->reached);
    cy_free(v->lost);
    cy_free(v);
}

/* ---- location lists ---- */

struct lister {
    const struct emitter *e;
    const struct values *v;
    struct backend_stats *stats;
    struct cy_buf *open; /* by variable of the function: the expression that holds; empty: none */
    uint32_t *since;
    CY_VEC(uint32_t) variables;
};

static void put_udata(struct cy_buf *out, uint32_t value)
{
    for (; value >= 0x80; value >>= 7)
        cy_buf_putc(out, (char)((value & 0x7f) | 0x80));
    cy_buf_putc(out, (char)value);
}

static void put_sdata(struct cy_buf *out, int32_t value)
{
    for (; value < -64 || value >= 64; value >>= 7)
        cy_buf_putc(out, (char)(((uint32_t)value & 0x7f) | 0x80));
    cy_buf_putc(out, (char)((uint32_t)value & 0x7f));
}

static void put_word(struct cy_buf *out, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        cy_buf_putc(out, (char)(i < 4 ? value >> 8 * i : 0));
}

static void put_address(struct cy_buf *out, uint32_t address)
{
    cy_buf_putc(out, DW_OP_addr);
    put_word(out, address, 4);
}

/* GDB numbers x0-x31 from 0 and v0-v31 from 96; the others are in windows of memory. */
static void put_cell(const struct lister *l, struct cy_buf *out, const struct cell *cell, uint32_t bytes)
{
    enum { DWARF_V0 = 96, NUMBERED = 32 };
    if (cell->kind == IR_DEBUG_CONSTANT) {
        cy_buf_putc(out, (char)DW_OP_implicit_value);
        put_udata(out, bytes);
        put_word(out, cell->constant, bytes);
    } else if (cell->slot >= 0) {
        cy_buf_putc(out, (char)DW_OP_fbreg);
        put_sdata(out, (int32_t)l->e->func->spill_base + 4 * cell->slot);
    } else if (cell->place < NUMBERED) {
        cy_buf_putc(out, (char)(DW_OP_reg0 + cell->place));
    } else if (cell->place < MIR_V0) {
        put_address(out, CY_SGPR_WINDOW + 4 * cell->place);
    } else if (cell->place < MIR_V0 + NUMBERED) {
        cy_buf_putc(out, (char)DW_OP_regx);
        put_udata(out, DWARF_V0 + cell->place - MIR_V0);
    } else {
        put_address(out, CY_VGPR_WINDOW + 4 * (cell->place - MIR_V0));
    }
}

static uint32_t size_of_type(const struct debug_info *debug, uint32_t type)
{
    while (type && !debug->types.at[type - 1].size && debug->types.at[type - 1].base)
        type = debug->types.at[type - 1].base;
    return type ? debug->types.at[type - 1].size : 0;
}

/* The place of a variable: of the whole, or of its pieces one after the other. */
static void describe(const struct lister *l, const struct state *state, uint32_t variable, struct cy_buf *out)
{
    const struct values *v = l->v;
    const struct debug_info *debug = &l->e->func->module->debug;
    const uint32_t size = size_of_type(debug, debug->variables.at[variable - 1].type);
    uint32_t at = 0;
    out->size = 0;
    for (bool found = true; found;) {
        size_t next = v->pieces.count;
        for (size_t i = 0; i < v->pieces.count; i++)
            if (v->pieces.at[i].variable == variable && state->bound[i] != UNBOUND && state->valid[state->bound[i]] &&
                v->pieces.at[i].offset >= at &&
                (next == v->pieces.count || v->pieces.at[i].offset < v->pieces.at[next].offset))
                next = i;
        found = next != v->pieces.count;
        if (!found)
            break;
        const struct piece *piece = &v->pieces.at[next];
        if (piece->offset > at) {
            cy_buf_putc(out, (char)DW_OP_piece);
            put_udata(out, piece->offset - at);
        }
        put_cell(l, out, &v->cells.at[state->bound[next]], piece->bytes);
        if (piece->bytes != size) {
            cy_buf_putc(out, (char)DW_OP_piece);
            put_udata(out, piece->bytes);
        }
        at = piece->offset + piece->bytes;
    }
    if (out->size && at < size) {
        cy_buf_putc(out, (char)DW_OP_piece);
        put_udata(out, size - at);
    }
}

/* From `offset` on, this state holds. */
static void note(struct lister *l, const struct state *state, uint32_t offset)
{
    struct cy_buf now = {0};
    for (size_t i = 0; i < l->variables.count; i++) {
        struct cy_buf *open = &l->open[i];
        if (state)
            describe(l, state, l->variables.at[i], &now);
        if (now.size == open->size && !(now.size && memcmp(now.data, open->data, now.size)))
            continue;
        if (open->size && l->since[i] < offset) {
            *cy_vec_push(&l->stats->places) = (struct backend_place){
                l->variables.at[i], l->since[i], offset, (uint32_t)l->stats->expressions.size, (uint32_t)open->size};
            cy_buf_append(&l->stats->expressions, open->data, open->size);
        }
        open->size = 0;
        cy_buf_append(open, now.data ? now.data : "", now.size);
        l->since[i] = offset;
    }
    cy_buf_free(&now);
}

static uint32_t mark_offset(const struct emitter *e, size_t mark)
{
    const uint32_t item = mark < e->marks.count ? e->marks.at[mark].item : (uint32_t)e->items.count;
    return e->base + (item < e->items.count ? e->items.at[item].offset : e->size);
}

static void walk(struct lister *l)
{
    const struct emitter *e = l->e;
    struct state state = new_state(l->v), inside = new_state(l->v);
    for (size_t m = 0; m < e->marks.count; m++) {
        const struct mark *mark = &e->marks.at[m];
        const struct mir_block *block = &e->func->blocks.at[mark->block];
        if (mark->insn == NONE) {
            const struct state entry = entry_state(l->v, mark->block);
            copy_state(l->v, &state, &entry);
            note(l, l->v->reached[mark->block] ? &state : NULL, mark_offset(e, m));
            continue;
        }
        if (mark->insn == block->insns.count)
            continue;
        const struct mir_insn *insn = &block->insns.at[mark->insn];
        if (insn->op == MIR_CALL) {
            copy_state(l->v, &inside, &state);
            forget_at_call(l->v, &inside, true);
            note(l, &inside, mark_offset(e, m) + 1);
        }
        if (apply(l->v, &state, insn))
            note(l, &state, mark_offset(e, m + 1));
    }
    note(l, NULL, e->base + e->size);
    free_state(&state);
    free_state(&inside);
}

void emit_places(const struct emitter *e, const struct values *v, struct backend_stats *stats)
{
    struct lister l = {.e = e, .v = v, .stats = stats};
    for (size_t i = 0; i < v->pieces.count; i++) {
        size_t k = 0;
        while (k < l.variables.count && l.variables.at[k] != v->pieces.at[i].variable)
            k++;
        if (k == l.variables.count)
            *cy_vec_push(&l.variables) = v->pieces.at[i].variable;
    }
    l.open = zeroed(l.variables.count, sizeof(*l.open));
    l.since = zeroed(l.variables.count, sizeof(*l.since));
    walk(&l);
    for (size_t i = 0; i < l.variables.count; i++)
        cy_buf_free(&l.open[i]);
    cy_free(l.open);
    cy_free(l.since);
    cy_vec_free(&l.variables);
}
