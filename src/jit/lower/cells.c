/* Cells, which LLVM turns into values again; slots of the strip's record; registers for the interpreter. */
#include "jit/lower/lower.h"

static LLVMTypeRef place_type(const struct lower *l, enum cy_sir_type type, bool is_vector)
{
    LLVMTypeRef element = lower_type(l, type);
    return is_vector ? LLVMVectorType(element, l->t->w) : element;
}

static bool is_any(const struct cy_sir_shape *shape)
{
    return shape->kind == CY_SIR_SHAPE_LANES;
}

void make_cells(struct lower *l)
{
    const struct cy_sir_func *func = l->func;
    l->cells = cy_arena_alloc(&l->t->arena, (func->cells.count + 1) * sizeof(*l->cells));
    for (size_t i = 0; i < func->cells.count; i++)
        l->cells[i] =
            LLVMBuildAlloca(l->t->allocas, place_type(l, func->cells.at[i].type, is_any(&l->shapes.cell[i])), "cell");
}

/* What the first active lane has. */
static LLVMValueRef first_of(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMBuilderRef b = l->t->builder;
    if (lower_is_one(l, insn->args[0]))
        return lower_number(l, insn->args[0]);
    LLVMValueRef args[] = {lower_bits(l, insn->mask), LLVMConstInt(l->t->i1, 0, false)};
    LLVMValueRef lane = intrinsic(l->t, "llvm.cttz", l->t->i32, args, 2);
    lane = LLVMBuildAnd(b, lane, number32(l->t, l->t->w - 1), "");
    return LLVMBuildExtractElement(b, lower_vector(l, insn->args[0]), lane, "");
}

/* Lanes outside of the mask keep what they have. */
static void set(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMBuilderRef b = l->t->builder;
    const bool is_vector = is_any(&l->shapes.cell[insn->imm]);
    LLVMValueRef value = l->func->cells.at[insn->imm].is_warp ? first_of(l, insn)
                                                              : lower_as(l, insn->args[0], &l->shapes.cell[insn->imm]);
    if (is_vector && insn->mask) {
        LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(value), l->cells[insn->imm], "");
        value = LLVMBuildSelect(b, lower_mask(l, insn->mask), value, old, "");
    }
    LLVMBuildStore(b, value, l->cells[insn->imm]);
}

/* Conditions are kept as bytes. */
static LLVMValueRef slot_at(struct lower *l, const struct cy_sir_insn *insn)
{
    return at_offset(l->t, l->t->record, l->slots[insn->imm]);
}

static void save(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMBuilderRef b = l->t->builder;
    const bool is_vector = is_any(&l->shapes.slot[insn->imm]);
    LLVMValueRef value = lower_as(l, insn->args[0], &l->shapes.slot[insn->imm]);
    if (cy_sir_at(l->func, insn->args[0])->type == CY_SIR_I1)
        value = LLVMBuildZExt(b, value, place_type(l, CY_SIR_I8, is_vector), "");
    LLVMSetAlignment(LLVMBuildStore(b, value, slot_at(l, insn)), 8);
}

static LLVMValueRef restore(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    LLVMBuilderRef b = l->t->builder;
    const bool is_bit = insn->type == CY_SIR_I1;
    LLVMTypeRef type = place_type(l, (enum cy_sir_type)insn->type, is_vector);
    LLVMValueRef value = LLVMBuildLoad2(b, is_bit ? place_type(l, CY_SIR_I8, is_vector) : type, slot_at(l, insn), "");
    LLVMSetAlignment(value, 8);
    return is_bit ? LLVMBuildTrunc(b, value, type, "") : value;
}

/* ---- the interpreter's registers ---- */

static LLVMValueRef register_file(struct lower *l, size_t offset)
{
    return LLVMBuildLoad2(l->t->builder, l->t->ptr, at_offset(l->t, l->t->frame, (int64_t)offset), "");
}

static LLVMValueRef x_at(struct lower *l, uint64_t number)
{
    return at_offset(l->t, register_file(l, offsetof(struct cy_jit_frame, x)), (int64_t)(4 * number));
}

/* Where the strip's elements are in the warp's. */
static LLVMValueRef v_at(struct lower *l, uint64_t number)
{
    struct translator *t = l->t;
    const uint32_t threads = t->request->threads;
    LLVMValueRef first = LLVMBuildAnd(t->builder, t->item, number32(t, threads - 1), "");
    return lane_word(t, register_file(l, offsetof(struct cy_jit_frame, v)),
                     LLVMBuildAdd(t->builder, first, number32(t, (uint32_t)number * threads), ""));
}

/* Vectors may be wider than the strip: only its lanes are written. */
static void put_v(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMValueRef row = lower_vector(l, insn->args[0]), at = v_at(l, insn->imm);
    for (unsigned i = 0; i < l->t->lanes; i++)
        LLVMBuildStore(l->t->builder, LLVMBuildExtractElement(l->t->builder, row, number32(l->t, i), ""),
                       at_offset(l->t, at, 4 * (int64_t)i));
}

static LLVMValueRef get_v(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMValueRef at = v_at(l, insn->imm), row = LLVMConstNull(l->t->vi32);
    for (unsigned i = 0; i < l->t->lanes; i++) {
        LLVMValueRef word = LLVMBuildLoad2(l->t->builder, l->t->i32, at_offset(l->t, at, 4 * (int64_t)i), "");
        row = LLVMBuildInsertElement(l->t->builder, row, word, number32(l->t, i), "");
    }
    return row;
}

static void interpret(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMValueRef args[] = {t->frame, number32(t, l->accesses[insn->access]), lower_bits(l, insn->mask), t->item,
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, interpret), t->i32, args, CY_COUNT(args)));
}

LLVMValueRef lower_cell(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    struct translator *t = l->t;
    switch (insn->op) {
    case CY_SIR_GET:
        return LLVMBuildLoad2(t->builder, place_type(l, (enum cy_sir_type)insn->type, is_vector), l->cells[insn->imm],
                              "");
    case CY_SIR_SET: set(l, insn); return NULL;
    case CY_SIR_SAVE: save(l, insn); return NULL;
    case CY_SIR_RESTORE: return restore(l, insn, is_vector);
    case CY_SIR_PUT_X: LLVMBuildStore(t->builder, first_of(l, insn), x_at(l, insn->imm)); return NULL;
    case CY_SIR_GET_X: return LLVMBuildLoad2(t->builder, t->i32, x_at(l, insn->imm), "");
    case CY_SIR_PUT_V: put_v(l, insn); return NULL;
    case CY_SIR_GET_V: return get_v(l, insn);
    default: interpret(l, insn); return NULL;
    }
}
