/* What is counted of a block: the guest's instructions that a warp issues there, and whether its lanes part at the end. */
#include "jit/import/import_priv.h"

static uint32_t new_code(struct importer *im, struct cy_sir_code code)
{
    *cy_vec_push(&im->func->codes) = code;
    return (uint32_t)im->func->codes.count - 1;
}

static void make_counted(struct importer *im, enum cy_sir_op op, cy_sir_value of, uint32_t code)
{
    const cy_sir_value made = cy_sir_append(im->func, im->block, op, CY_SIR_VOID, of, 0, 0);
    cy_sir_at(im->func, made)->imm = code;
    cy_sir_at(im->func, made)->pc = im->func->codes.at[code].first;
}

static bool is_join(const struct inst *inst)
{
    return inst->effects.flow == CY_FLOW_JOIN;
}

static void add_to_code(const struct importer *im, struct cy_sir_code *code, uint32_t number)
{
    const struct inst *inst = inst_at(im, number);
    code->end = pc_of(im, after(im, number));
    code->insns++;
    code->vectors = (uint16_t)(code->vectors + inst->effects.is_lanes);
    code->branches = (uint16_t)(code->branches + (inst->effects.flow == CY_FLOW_VECTOR_BRANCH));
}

/* The block's instructions, in runs that are one after the other; a join is counted apart, as it is issued more often. */
void make_issues(struct importer *im, uint32_t block)
{
    const uint32_t count = im->blocks.at[block].count;
    for (uint32_t i = 0; im->request->counts && i < count;) {
        struct cy_sir_code code = {.first = pc_of(im, listed(im, block, i))};
        uint32_t before;
        do {
            before = listed(im, block, i++);
            add_to_code(im, &code, before);
        } while (i < count && listed(im, block, i) == after(im, before) && !is_join(inst_at(im, before)) &&
                 !is_join(inst_at(im, listed(im, block, i))));
        make_counted(im, CY_SIR_ISSUE, 0, new_code(im, code));
    }
}

void make_split(struct importer *im)
{
    const struct cy_sir_block *block = &im->func->blocks.at[im->block];
    if (!im->request->counts || block->terminator != CY_SIR_VBRANCH)
        return;
    const uint32_t join = im->pieces.at[im->blocks.at[im->block].tail->join]->first;
    const struct cy_sir_code code = {.first = pc_of(im, im->at),
                                     .end = pc_of(im, after(im, im->at)),
                                     .join = pc_of(im, join),
                                     .join_end = pc_of(im, after(im, join))};
    make_counted(im, CY_SIR_SPLIT, block->condition, new_code(im, code));
}

/* Which of them the interpreter executes is known once their operations are made. */
static void find_interpreted(struct cy_sir_func *func, const struct cy_sir_block *block)
{
    CY_VEC(struct cy_sir_code *) codes = {0};
    for (size_t i = 0; i < block->list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(func, block->list.at[i]);
        if (insn->op == CY_SIR_ISSUE)
            *cy_vec_push(&codes) = &func->codes.at[insn->imm];
        for (size_t k = 0; k < codes.count && insn->op == CY_SIR_INTERPRET; k++)
            if (insn->pc >= codes.at[k]->first && insn->pc < codes.at[k]->end)
                codes.at[k]->interpreted++;
    }
    cy_vec_free(&codes);
}

static void find_looping(struct importer *im)
{
    const struct cy_walk walk = cy_graph_walk(&im->arena, &im->graph, 0);
    const struct cy_loops loops = cy_graph_loops(&im->arena, &im->graph, &walk);
    for (uint32_t b = 0; b < im->graph.count; b++)
        for (size_t i = 0; loops.of[b] != CY_NO_NODE && i < im->func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(im->func, im->func->blocks.at[b].list.at[i]);
            if (insn->op == CY_SIR_ISSUE || insn->op == CY_SIR_SPLIT)
                im->func->codes.at[insn->imm].is_looping = true;
        }
}

void finish_counts(struct importer *im)
{
    struct cy_sir_func *func = im->func;
    func->counts = (uint8_t)im->request->counts;
    func->counters = func->counts == CY_JIT_COUNT_LANES ? CY_JIT_COUNTS : 2 * (uint32_t)func->codes.count;
    for (size_t b = 0; b < func->blocks.count && func->counts; b++)
        find_interpreted(func, &func->blocks.at[b]);
    if (func->counts)
        find_looping(im);
}
