/* Cells that may be read before anything is put into them, on some path from where the kernel or a phase starts. */
#include "jit/analyse/shape_priv.h"

#include "base/graph.h"

#include <string.h>

struct assigned {
    const struct cy_sir_func *func;
    size_t words;
    uint64_t *in, *out, *kill, *gen; /* by block: cells that have certainly been set */
};

static uint64_t *sets(struct cy_arena *arena, const struct assigned *a, int byte)
{
    const size_t size = (a->func->blocks.count * a->words + 1) * sizeof(uint64_t);
    return memset(cy_arena_alloc(arena, size), byte, size);
}

static bool has(const uint64_t *set, uint64_t cell)
{
    return set[cell / 64] >> cell % 64 & 1;
}

static void find_sets(const struct assigned *a, uint32_t b)
{
    for (size_t i = 0; i < a->func->blocks.at[b].list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(a->func, a->func->blocks.at[b].list.at[i]);
        if (insn->op == CY_SIR_SET)
            a->gen[b * a->words + insn->imm / 64] |= 1ull << insn->imm % 64;
    }
}

static void find_reads(const struct assigned *a, uint32_t b, bool *are_read)
{
    uint64_t *set = a->in + b * a->words;
    for (size_t i = 0; i < a->func->blocks.at[b].list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(a->func, a->func->blocks.at[b].list.at[i]);
        if (insn->op == CY_SIR_SET)
            set[insn->imm / 64] |= 1ull << insn->imm % 64;
        else if (insn->op == CY_SIR_GET && !has(set, insn->imm))
            are_read[insn->imm] = true;
    }
}

bool *cy_cells_read_unset(struct cy_arena *arena, const struct cy_sir_func *func)
{
    bool *are_read = memset(cy_arena_alloc(arena, func->cells.count + 1), false, func->cells.count + 1);
    struct assigned a = {.func = func, .words = func->cells.count / 64 + 1};
    CY_VEC(struct cy_edge) edges = {0};
    a.in = sets(arena, &a, 0xff);
    a.out = sets(arena, &a, 0xff);
    a.kill = sets(arena, &a, 0);
    a.gen = sets(arena, &a, 0);
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        find_sets(&a, b);
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
    }
    memset(a.in, 0, a.words * sizeof(uint64_t));
    for (size_t i = 0; i < func->phases.count; i++)
        memset(a.in + func->phases.at[i] * a.words, 0, a.words * sizeof(uint64_t));
    const struct cy_graph graph = cy_graph_make(arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    const struct cy_flow flow = {.words = a.words, .in = a.in, .out = a.out, .kill = a.kill, .gen = a.gen};
    cy_graph_flow_forth(&graph, &flow);
    for (uint32_t b = 0; b < func->blocks.count; b++)
        find_reads(&a, b, are_read);
    cy_vec_free(&edges);
    return are_read;
}
