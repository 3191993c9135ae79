/* Building functions: insertion, phis and their predecessors, replacing, cloning. */
#include "support/test.h"

#include "jit/sir/sir.h"
#include "random.h"
#include "same.h"

static void test_instructions(void)
{
    struct cy_sir_func *func = cy_sir_new("k");
    const uint32_t block = cy_sir_block_new(func);
    const cy_sir_value one = cy_sir_const(func, block, CY_SIR_I8, UINT64_MAX);
    const cy_sir_value sum = cy_sir_append(func, block, CY_SIR_ADD, CY_SIR_I8, one, one, 0);
    const cy_sir_value between = cy_sir_make(func, CY_SIR_COPY, CY_SIR_I8, one, 0, 0);
    CHECK_EQ(cy_sir_at(func, one)->imm, 0xff);
    CHECK_EQ(cy_sir_at(func, between)->block, CY_SIR_NOTHING);
    cy_sir_insert(func, block, 1, between);
    CHECK_EQ(func->blocks.at[block].list.count, 3);
    CHECK_EQ(func->blocks.at[block].list.at[1], between);
    CHECK_EQ(func->blocks.at[block].list.at[2], sum);
    CHECK_EQ(cy_sir_at(func, between)->block, block);
    CHECK_EQ(cy_sir_at(func, sum)->access, CY_SIR_NOTHING);
    CHECK_EQ(cy_sir_at(func, sum)->variable, CY_SIR_NOTHING);
    cy_sir_free(func);
}

/* b0 goes to b1 or b2, both go to b3, where there are two phis. */
static struct cy_sir_func *diamond(cy_sir_value phis[2])
{
    struct cy_sir_func *func = cy_sir_new("diamond");
    for (unsigned i = 0; i < 4; i++)
        cy_sir_block_new(func);
    const cy_sir_value condition = cy_sir_const(func, 0, CY_SIR_I1, 1);
    cy_sir_set_branch(func, 0, condition, 1, 2);
    cy_sir_set_jump(func, 1, 3);
    cy_sir_set_jump(func, 2, 3);
    func->blocks.at[3].terminator = CY_SIR_END;
    cy_sir_find_preds(func);
    for (unsigned p = 0; p < 2; p++) {
        phis[p] = cy_sir_phi(func, 3, CY_SIR_I32);
        for (unsigned i = 0; i < 2; i++) {
            const cy_sir_value value = cy_sir_const(func, i + 1, CY_SIR_I32, 10 * (p + 1) + i);
            func->phi_args.at[cy_sir_at(func, phis[p])->args[0] + i] = value;
        }
    }
    CHECK_STR(cy_sir_validate(func), NULL);
    return func;
}

/* The constant that comes from a block. */
static uint64_t incoming(const struct cy_sir_func *func, cy_sir_value phi, uint32_t from)
{
    const struct cy_sir_block *block = &func->blocks.at[cy_sir_at(func, phi)->block];
    for (size_t i = 0; i < block->preds.count; i++)
        if (block->preds.at[i] == from) {
            const cy_sir_value value = func->phi_args.at[cy_sir_at(func, phi)->args[0] + i];
            return value ? cy_sir_at(func, value)->imm : 0;
        }
    return UINT64_MAX;
}

static void test_preds(void)
{
    cy_sir_value phis[2];
    struct cy_sir_func *func = diamond(phis);
    CHECK_EQ(func->blocks.at[3].list.at[0], phis[0]);
    CHECK_EQ(func->blocks.at[3].list.at[1], phis[1]);
    /* b0 goes to b3 itself, b1 no longer: b2's arguments stay b2's. */
    cy_sir_set_branch(func, 0, func->blocks.at[0].condition, 2, 3);
    cy_sir_find_preds(func);
    CHECK_EQ(func->blocks.at[3].preds.count, 3); /* b1 is not reached, but its edge is there */
    cy_sir_set_jump(func, 1, 1);
    cy_sir_find_preds(func);
    CHECK_EQ(func->blocks.at[3].preds.count, 2);
    for (unsigned p = 0; p < 2; p++) {
        CHECK_EQ(incoming(func, phis[p], 0), 0);
        CHECK_EQ(incoming(func, phis[p], 1), UINT64_MAX);
        CHECK_EQ(incoming(func, phis[p], 2), 10 * (p + 1) + 1);
    }
    cy_sir_free(func);
}

static void test_edges(void)
{
    cy_sir_value phis[2];
    struct cy_sir_func *func = diamond(phis);
    struct cy_sir_block *block = &func->blocks.at[0];
    CHECK_EQ(cy_sir_succ_count(block), 2);
    CHECK_EQ(cy_sir_succ(block, 1), 2);
    CHECK_EQ(cy_sir_succ_count(&func->blocks.at[1]), 1);
    CHECK_EQ(cy_sir_succ_count(&func->blocks.at[3]), 0);
    cy_sir_set_vbranch(func, 0, block->condition, 2, 1, 3);
    CHECK_EQ(block->join, 3);
    CHECK_EQ(cy_sir_succ(block, 0), 2);
    CHECK_STR(cy_sir_validate(func), NULL);
    block->terminator = CY_SIR_SWITCH;
    for (uint32_t i = 0; i < 3; i++)
        *cy_vec_push(&block->cases) = (struct cy_sir_case){100 + i, 3 - i};
    CHECK_EQ(cy_sir_succ_count(block), 3);
    CHECK_EQ(cy_sir_succ(block, 2), 1);
    cy_sir_set_jump(func, 0, 1);
    CHECK_EQ(block->cases.count, 0);
    CHECK_EQ(block->join, CY_SIR_NOTHING);
    cy_sir_free(func);
}

static void test_replace(void)
{
    cy_sir_value phis[2];
    struct cy_sir_func *func = diamond(phis);
    const cy_sir_value old = func->blocks.at[0].condition, by = cy_sir_const(func, 0, CY_SIR_I1, 0);
    const cy_sir_value user = cy_sir_append(func, 3, CY_SIR_SELECT, CY_SIR_I1, old, old, by);
    const cy_sir_value second = func->phi_args.at[1];
    cy_sir_at(func, user)->mask = old;
    cy_sir_replace(func, old, by);
    CHECK_EQ(func->blocks.at[0].condition, by);
    CHECK_EQ(cy_sir_at(func, user)->args[0], by);
    CHECK_EQ(cy_sir_at(func, user)->args[1], by);
    CHECK_EQ(cy_sir_at(func, user)->mask, by);
    cy_sir_replace(func, second, func->phi_args.at[0]);
    CHECK_EQ(func->phi_args.at[1], func->phi_args.at[0]);
    /* A phi keeps where its arguments are, even if that number is the value's. */
    const uint32_t where = cy_sir_at(func, phis[1])->args[0];
    cy_sir_replace(func, where, by);
    CHECK_EQ(cy_sir_at(func, phis[1])->args[0], where);
    cy_sir_free(func);
}

static void test_clone(void)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct cy_sir_func *func = random_sir(seed), *copy = cy_sir_clone(func), *kept = cy_sir_clone(copy);
        CHECK(same_func(func, copy));
        CHECK(copy->name != func->name && copy->insns.at != func->insns.at);
        cy_sir_block_new(copy);
        cy_sir_const(copy, 0, CY_SIR_I32, 1);
        cy_sir_at(copy, 1)->imm++;
        CHECK(!same_func(func, copy));
        cy_sir_free(func);
        CHECK_STR(cy_sir_validate(kept), NULL);
        cy_sir_free(copy);
        cy_sir_free(kept);
    }
    cy_sir_free(NULL);
}

TEST_MAIN(test_instructions, test_preds, test_edges, test_replace, test_clone)
