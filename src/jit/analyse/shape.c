/* Shapes of all values: the best that may be is assumed first, and what does not hold is taken back until nothing changes. */
#include "jit/analyse/shape_priv.h"

#include "base/graph.h"

#include <string.h>

static struct cy_sir_shape *none(struct cy_arena *arena, size_t count)
{
    const size_t size = (count + 1) * sizeof(struct cy_sir_shape);
    return memset(cy_arena_alloc(arena, size), 0, size);
}

/* Lanes leave a loop in different rounds: behind it they have what different rounds have made. */
struct cy_sir_shape cy_sir_shape_at(const struct cy_sir_shapes *shapes, cy_sir_value value, uint32_t block)
{
    const struct cy_sir_shape *shape = &shapes->value[value];
    const bool may_differ = shapes->parting && shape->kind != CY_SIR_SHAPE_NONE && !cy_shape_is_given(shape);
    if (may_differ && cy_parting_is_behind(shapes->parting, cy_sir_at(shapes->func, value)->block, block))
        return cy_shape_lanes();
    return *shape;
}

/* ---- instructions ---- */

static struct cy_sir_shape phi_shape(const struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const struct cy_sir_func *func = shapes->func;
    const size_t count = func->blocks.at[insn->block].preds.count;
    const cy_sir_value *args = &func->phi_args.at[insn->args[0]];
    struct cy_sir_shape shape = {0};
    bool is_same = true;
    for (size_t i = 0; i < count; i++) {
        const struct cy_sir_shape part = cy_sir_shape_at(shapes, args[i], insn->block);
        shape = cy_shape_meet(&shape, &part);
        is_same &= args[i] == args[0];
    }
    if (is_same || !shapes->parting || !cy_parting_meets(shapes->parting, insn->block) || cy_shape_is_given(&shape))
        return shape;
    return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_LANES, .is_boolean = shape.is_boolean};
}

/* What lanes outside of the mask get is junk, which may be the same number. */
static struct cy_sir_shape load_shape(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const bool is_scalar = shapes->func->accesses.at[insn->access].is_scalar;
    const struct cy_sir_shape address = cy_sir_address_shape(shapes, insn);
    struct cy_sir_shape shape = {.kind = CY_SIR_SHAPE_ONE, .is_for_active = !is_scalar};
    if (address.origin) {
        shape.in_group = true;
        if (address.origin == CY_SIR_ORIGIN_METADATA && address.constant == sizeof(uint32_t))
            shape.is_const = true, shape.origin = CY_SIR_ORIGIN_ARGUMENTS;
    }
    if (shapes->func->accesses.at[insn->access].space == CY_SIR_PRIVATE && shapes->func->strip.lanes > 1)
        return cy_shape_lanes();
    return is_scalar || cy_sir_is_one(&address) ? shape : cy_shape_lanes();
}

static bool is_for_existing(const struct cy_sir_func *func, cy_sir_value mask)
{
    const struct cy_sir_insn *insn = cy_sir_at(func, mask);
    return insn->op == CY_SIR_SOURCE && insn->imm == CY_SIR_SOURCE_EXISTS;
}

cy_sir_value cy_sir_only_choice(const struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    if (insn->op != CY_SIR_SELECT)
        return 0;
    if (is_for_existing(shapes->func, insn->args[0]) || shapes->value[insn->args[2]].kind == CY_SIR_SHAPE_NONE)
        return insn->args[1];
    return shapes->value[insn->args[1]].kind == CY_SIR_SHAPE_NONE ? insn->args[2] : 0;
}

static struct cy_sir_shape pure_shape(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const unsigned count = cy_sir_ops[insn->op].arguments;
    struct cy_sir_shape args[3] = {{0}};
    unsigned given = 0;
    const cy_sir_value only = cy_sir_only_choice(shapes, insn);
    if (only) {
        args[0] = cy_sir_shape_at(shapes, only, insn->block);
        args[0].is_for_active = true;
        return args[0];
    }
    for (unsigned k = 0; k < count; k++)
        if (insn->args[k])
            args[given++] = cy_sir_shape_at(shapes, insn->args[k], insn->block);
    for (unsigned k = 0; k < given; k++)
        if (args[k].kind == CY_SIR_SHAPE_NONE)
            return args[k];
    const cy_sir_value first = insn->args[insn->op == CY_SIR_SELECT];
    const enum cy_sir_type of = first ? (enum cy_sir_type)cy_sir_at(shapes->func, first)->type : CY_SIR_I32;
    return cy_shape_of(shapes, (enum cy_sir_op)insn->op, (enum cy_sir_type)insn->type, of, args, given);
}

static struct cy_sir_shape insn_shape(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const struct cy_sir_shape one = {.kind = CY_SIR_SHAPE_ONE, .is_boolean = insn->type == CY_SIR_I1};
    const struct cy_sir_func *func = shapes->func;
    switch (insn->op) {
    case CY_SIR_CONST: return cy_shape_constant((enum cy_sir_type)insn->type, insn->imm);
    case CY_SIR_UNDEF: return (struct cy_sir_shape){0};
    case CY_SIR_SOURCE: return cy_shape_source(func, (enum cy_sir_source)insn->imm);
    case CY_SIR_PHI: return phi_shape(shapes, insn);
    case CY_SIR_GET: return shapes->cell[insn->imm];
    case CY_SIR_RESTORE: return shapes->slot[insn->imm];
    case CY_SIR_LOAD: return load_shape(shapes, insn);
    case CY_SIR_ANY:
    case CY_SIR_ALL:
    case CY_SIR_POPCOUNT:
    case CY_SIR_FIRST:
    case CY_SIR_EXTRACT:
    case CY_SIR_LAST:
    case CY_SIR_GET_X: return one;
    case CY_SIR_INSERT: return cy_shape_lanes();
    default: return cy_sir_ops[insn->op].flags & CY_SIR_PURE ? pure_shape(shapes, insn) : cy_shape_lanes();
    }
}

/* A cell of lanes keeps in some what it was: those that exist are all that are ever looked at. */
static struct cy_sir_shape set_shape(const struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const struct cy_sir_func *func = shapes->func;
    struct cy_sir_shape shape = cy_sir_shape_at(shapes, insn->args[0], insn->block);
    const bool is_for_all = !insn->mask || is_for_existing(func, insn->mask);
    if (func->cells.at[insn->imm].is_warp) {
        if (!cy_sir_is_one(&shape))
            shape = (struct cy_sir_shape){.kind = CY_SIR_SHAPE_ONE, .is_boolean = shape.is_boolean};
        shape.is_for_active = false;
        return shape;
    }
    if (func->form == CY_SIR_FORM_VECTOR && is_for_all)
        return shape;
    return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_LANES, .is_boolean = shape.is_boolean};
}

/* What is known becomes less and less, so that this ends.  True: something has changed. */
static bool look_again(struct cy_sir_shapes *shapes, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(shapes->func, value);
    struct cy_sir_shape *what = &shapes->value[value], now;
    const bool is_variable = insn->op == CY_SIR_SET || insn->op == CY_SIR_SAVE;
    if (insn->op == CY_SIR_SET) {
        what = &shapes->cell[insn->imm];
        now = set_shape(shapes, insn);
    } else if (insn->op == CY_SIR_SAVE) {
        what = &shapes->slot[insn->imm];
        now = cy_sir_shape_at(shapes, insn->args[0], insn->block);
    } else if (insn->type != CY_SIR_VOID) {
        now = insn_shape(shapes, insn);
    } else {
        return false;
    }
    now = is_variable ? cy_shape_meet(what, &now) : cy_shape_weaken(what, &now);
    if (cy_shape_is_equal(&now, what))
        return false;
    *what = now;
    return true;
}

static bool look_at_block(struct cy_sir_shapes *shapes, uint32_t b)
{
    const struct cy_sir_block *block = &shapes->func->blocks.at[b];
    bool has_changed = false;
    for (size_t i = 0; i < block->list.count; i++)
        has_changed |= look_again(shapes, block->list.at[i]);
    if (block->terminator != CY_SIR_VBRANCH)
        return has_changed;
    const struct cy_sir_shape condition = cy_sir_shape_at(shapes, block->condition, b);
    if (!cy_sir_is_one(&condition))
        has_changed |= cy_parting_add(shapes->parting, b);
    return has_changed;
}

/* Cells are 0 when a kernel starts, or a phase. */
static void begin_cells(struct cy_sir_shapes *shapes)
{
    const struct cy_sir_func *func = shapes->func;
    const bool *are_read = cy_cells_read_unset(shapes->arena, func);
    for (size_t i = 0; i < func->cells.count; i++)
        if (are_read[i])
            shapes->cell[i] = cy_shape_constant(func->cells.at[i].type, 0);
}

/* In this order most of what a value is made of is known when it is looked at.  Phases start below one root. */
static struct cy_walk walk_of(struct cy_arena *arena, const struct cy_sir_func *func)
{
    const uint32_t root = (uint32_t)func->blocks.count;
    CY_VEC(struct cy_edge) edges = {0};
    *cy_vec_push(&edges) = (struct cy_edge){root, 0};
    for (size_t i = 0; i < func->phases.count; i++)
        *cy_vec_push(&edges) = (struct cy_edge){root, func->phases.at[i]};
    for (uint32_t b = 0; b < root; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
    const struct cy_graph graph = cy_graph_make(arena, root + 1, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(arena, &graph, root);
    cy_vec_free(&edges);
    return walk;
}

struct cy_sir_shapes cy_sir_find_shapes(struct cy_arena *arena, const struct cy_sir_func *func)
{
    struct cy_sir_shapes shapes = {.func = func, .arena = arena};
    shapes.value = none(arena, func->insns.count);
    shapes.cell = none(arena, func->cells.count);
    shapes.slot = none(arena, func->slots);
    shapes.parting = func->form == CY_SIR_FORM_SIMT ? cy_parting_new(arena, func) : NULL;
    begin_cells(&shapes);
    const struct cy_walk walk = walk_of(arena, func);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < walk.count; i++)
            if (walk.rpo[i] < func->blocks.count)
                has_changed |= look_at_block(&shapes, walk.rpo[i]);
    }
    return shapes;
}

void cy_sir_free_shapes(struct cy_sir_shapes *shapes)
{
    cy_vec_free(&shapes->tables);
}

/* ---- addresses ---- */

static struct cy_sir_shape operation(struct cy_sir_shapes *shapes, enum cy_sir_op op, enum cy_sir_type type,
                                     enum cy_sir_type of, struct cy_sir_shape a, struct cy_sir_shape b)
{
    const struct cy_sir_shape args[] = {a, b};
    return cy_shape_of(shapes, op, type, of, args, cy_sir_ops[op].arguments);
}

struct cy_sir_shape cy_sir_address_shape(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const struct cy_sir_func *func = shapes->func;
    const struct cy_sir_access *access = &func->accesses.at[insn->access];
    const enum cy_sir_type type = (enum cy_sir_type)cy_sir_at(func, insn->args[0])->type;
    struct cy_sir_shape address = cy_sir_shape_at(shapes, insn->args[0], insn->block);
    if (insn->args[1]) {
        const enum cy_sir_type of = (enum cy_sir_type)cy_sir_at(func, insn->args[1])->type;
        struct cy_sir_shape index = cy_sir_shape_at(shapes, insn->args[1], insn->block);
        if (of != type)
            index = operation(shapes, access->is_index_signed ? CY_SIR_SEXT : CY_SIR_ZEXT, type, of, index, index);
        index = operation(shapes, CY_SIR_SHL, type, type, index, cy_shape_constant(type, access->scale));
        address = operation(shapes, CY_SIR_ADD, type, type, address, index);
    }
    return operation(shapes, CY_SIR_ADD, type, type, address, cy_shape_constant(type, (uint64_t)access->offset));
}
