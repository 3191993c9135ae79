/* Control flow: predecessors, reverse post-order, dominators and post-dominators (Cooper, Harvey and Kennedy's
 * iteration), natural loops. */
#include "cc/ir/ir.h"

#define NONE UINT32_MAX

/* A block on the depth-first stack, and its next edge to follow. */
struct step {
    uint32_t block;
    size_t next;
};

static void post_order(struct ir_func *func, uint32_t block, uint8_t *seen, uint32_t *out, uint32_t *count)
{
    /* an explicit stack: generated kernels can have very long chains of blocks */
    CY_VEC(struct step) stack = {0};
    cy_vec_push(&stack)->block = block;
    stack.at[0].next = 0;
    seen[block] = 1;
    while (stack.count) {
        uint32_t here = stack.at[stack.count - 1].block;
        size_t next = stack.at[stack.count - 1].next++;
        if (next < func->blocks.at[here].succ_count) {
            uint32_t to = func->blocks.at[here].succ[next];
            if (!seen[to]) {
                seen[to] = 1;
                cy_vec_push(&stack)->block = to;
                stack.at[stack.count - 1].next = 0;
            }
        } else {
            out[(*count)++] = here;
            stack.count--;
        }
    }
    cy_vec_free(&stack);
}

static uint32_t meet(const uint32_t *dom, const uint32_t *number, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (number[a] > number[b])
            a = dom[a];
        while (number[b] > number[a])
            b = dom[b];
    }
    return a;
}

static void dominators(struct ir_func *func)
{
    size_t count = func->blocks.count;
    uint32_t *dom = cy_xrealloc(NULL, (count + 1) * sizeof(*dom)),
             *number = cy_xrealloc(NULL, (count + 1) * sizeof(*number));
    for (size_t i = 0; i < count; i++)
        dom[i] = NONE, number[i] = func->blocks.at[i].order;
    dom[func->rpo.at[0]] = func->rpo.at[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 1; i < func->rpo.count; i++) {
            struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
            uint32_t best = NONE;
            for (size_t p = 0; p < block->preds.count; p++) {
                uint32_t pred = block->preds.at[p];
                if (number[pred] != NONE && dom[pred] != NONE)
                    best = best == NONE ? pred : meet(dom, number, best, pred);
            }
            changed |= dom[func->rpo.at[i]] != best;
            dom[func->rpo.at[i]] = best;
        }
    }
    for (size_t i = 0; i < count; i++)
        func->blocks.at[i].idom = i == func->rpo.at[0] ? NONE : dom[i];
    cy_free(dom);
    cy_free(number);
}

/* On the reverse graph with a virtual exit (index count) after every return. */
static void post_dominators(struct ir_func *func)
{
    uint32_t count = (uint32_t)func->blocks.count, exit = count;
    uint32_t *dom = cy_xrealloc(NULL, (count + 1) * sizeof(*dom)),
             *number = cy_xrealloc(NULL, (count + 1) * sizeof(*number));
    for (uint32_t i = 0; i <= count; i++)
        dom[i] = NONE, number[i] = NONE;
    /* The reverse of rpo would do to iterate in, but the meet needs consistent numbers: use the post-order of the
     * reverse graph. */
    CY_VEC(struct step) stack = {0};
    CY_VEC(uint32_t) order = {0};
    uint8_t *seen = cy_xrealloc(NULL, count + 1);
    for (uint32_t i = 0; i <= count; i++)
        seen[i] = 0;
    for (uint32_t root = 0; root < count; root++) {
        if (func->blocks.at[root].succ_count || seen[root] || func->blocks.at[root].order == NONE)
            continue;
        cy_vec_push(&stack)->block = root;
        stack.at[stack.count - 1].next = 0;
        seen[root] = 1;
        while (stack.count) {
            uint32_t here = stack.at[stack.count - 1].block;
            size_t next = stack.at[stack.count - 1].next++;
            if (next < func->blocks.at[here].preds.count) {
                uint32_t to = func->blocks.at[here].preds.at[next];
                if (!seen[to] && func->blocks.at[to].order != NONE) {
                    seen[to] = 1;
                    cy_vec_push(&stack)->block = to;
                    stack.at[stack.count - 1].next = 0;
                }
            } else {
                *cy_vec_push(&order) = here;
                stack.count--;
            }
        }
    }
    number[exit] = 0;
    dom[exit] = exit;
    for (size_t i = 0; i < order.count; i++) /* reverse post-order numbers, the exit first */
        number[order.at[i]] = (uint32_t)(order.count - i);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = order.count; i-- > 0;) {
            struct ir_block *block = &func->blocks.at[order.at[i]];
            uint32_t best = block->succ_count ? NONE : exit;
            for (uint32_t s = 0; s < block->succ_count; s++)
                if (number[block->succ[s]] != NONE && dom[block->succ[s]] != NONE)
                    best = best == NONE ? block->succ[s] : meet(dom, number, best, block->succ[s]);
            changed |= dom[order.at[i]] != best;
            dom[order.at[i]] = best;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        func->blocks.at[i].ipdom = dom[i] == exit ? NONE : dom[i];
    cy_vec_free(&stack);
    cy_vec_free(&order);
    cy_free(seen);
    cy_free(dom);
    cy_free(number);
}

/* Numbers the blocks in dominator-tree preorder, so that a block's subtree follows it.  Dominators come first in rpo.
 * (The importer asks for the order before there are predecessors: then no block dominates another.) */
static void number_tree(struct ir_func *func)
{
    uint32_t *next = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*next)); /* by block: the number for its next
                                                                                   * child */
    uint32_t root = 0;
    for (size_t i = 0; i < func->blocks.count; i++)
        func->blocks.at[i].dom_first = func->blocks.at[i].dom_count = 0;
    for (size_t i = func->rpo.count; i-- > 0;) {
        struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        block->dom_count++;
        if (block->idom != NONE)
            func->blocks.at[block->idom].dom_count += block->dom_count;
    }
    for (size_t i = 0; i < func->rpo.count; i++) {
        struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        uint32_t *place = block->idom == NONE ? &root : &next[block->idom];
        block->dom_first = *place;
        *place += block->dom_count;
        next[func->rpo.at[i]] = block->dom_first + 1;
    }
    cy_free(next);
}

bool ir_dominates(const struct ir_func *func, uint32_t above, uint32_t below)
{
    const struct ir_block *a = &func->blocks.at[above], *b = &func->blocks.at[below];
    return above == below || (b->dom_count && b->dom_first - a->dom_first < a->dom_count);
}

bool ir_in_loop(const struct ir_func *func, uint32_t block, uint32_t header)
{
    uint32_t at = func->blocks.at[block].loop_header;
    while (at != NONE && at != header)
        at = func->blocks.at[at].loop_parent;
    return at == header;
}

/* Natural loops: a back edge leads to a block that dominates its source.  Inner loops are found last. */
static void loops(struct ir_func *func)
{
    CY_VEC(uint32_t) inside = {0}; /* the blocks of the current loop */
    uint32_t *loop_of = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*loop_of)); /* the last header that claimed
                                                                                         * the block */
    for (size_t i = 0; i < func->blocks.count; i++) {
        func->blocks.at[i].loop_header = loop_of[i] = NONE;
        func->blocks.at[i].loop_depth = 0;
    }
    for (size_t i = 0; i < func->rpo.count; i++) {
        uint32_t header = func->rpo.at[i];
        const struct ir_block *block = &func->blocks.at[header];
        inside.count = 0;
        for (size_t p = 0; p < block->preds.count; p++) {
            uint32_t latch = block->preds.at[p];
            if (func->blocks.at[latch].order == NONE || !ir_dominates(func, header, latch))
                continue;
            if (!inside.count) {
                loop_of[header] = header;
                *cy_vec_push(&inside) = header;
            }
            if (loop_of[latch] != header) {
                loop_of[latch] = header;
                *cy_vec_push(&inside) = latch;
            }
        }
        for (size_t k = 1; k < inside.count; k++) /* `inside` grows while we iterate; the header's own predecessors stay
                                                   * outside */
            for (size_t q = 0; q < func->blocks.at[inside.at[k]].preds.count; q++) {
                uint32_t pred = func->blocks.at[inside.at[k]].preds.at[q];
                if (loop_of[pred] != header && func->blocks.at[pred].order != NONE) {
                    loop_of[pred] = header;
                    *cy_vec_push(&inside) = pred;
                }
            }
        func->blocks.at[header].loop_parent = func->blocks.at[header].loop_header;
        for (size_t k = 0; k < inside.count; k++) {
            func->blocks.at[inside.at[k]].loop_header = header;
            func->blocks.at[inside.at[k]].loop_depth++;
        }
    }
    cy_vec_free(&inside);
    cy_free(loop_of);
}

void ir_analyse_cfg(struct ir_func *func)
{
    uint32_t count = 0, *order = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*order));
    uint8_t *seen = cy_xrealloc(NULL, func->blocks.count + 1);
    for (size_t i = 0; i < func->blocks.count; i++)
        seen[i] = 0, func->blocks.at[i].order = NONE;
    post_order(func, 0, seen, order, &count);
    func->rpo.count = 0;
    for (uint32_t i = count; i-- > 0;) {
        func->blocks.at[order[i]].order = (uint32_t)func->rpo.count;
        *cy_vec_push(&func->rpo) = order[i];
    }
    cy_free(order);
    cy_free(seen);
    dominators(func);
    number_tree(func);
    post_dominators(func);
    loops(func);
}
