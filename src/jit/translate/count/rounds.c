/* Counters per instruction of branches in loops at which strips of a warp part, if they do not leave the loop there.
 *
 * The warp's strips run one after the other.  All that get to such a branch do so equally often, so that a round, from one time to
 * the next, has the same number for each of them.  What a strip passes up to the join are bits of a word, and a log has the words of all
 * rounds, to which each strip adds its own; after the last one a block was issued as often as its bit is set, and the warp has
 * split as often as both bits of a branch are.  After CY_JIT_LOG_WORDS rounds strips are counted one by one. */
#include "jit/translate/count/strips.h"

#include <string.h>

enum { ISSUED, JOINED, TAKEN, REST, BITS_PER_BLOCK, OWN_BITS = 2, MOST_BITS = 64, MOST_SUMS = 64 };

/* ---- the plan ---- */

/* Is the instruction between a branch and its join? */
static bool is_between(struct translator *t, uint32_t number, const struct inst *branch)
{
    bool *seen = cy_arena_alloc(&t->arena, t->count);
    CY_VEC(uint32_t) work = {0};
    memset(seen, 0, t->count);
    *cy_vec_push(&work) = branch->next;
    *cy_vec_push(&work) = branch->target;
    while (work.count) {
        const uint32_t at = work.at[--work.count];
        if (at == NONE || at == branch->rpc || seen[at])
            continue;
        seen[at] = true;
        *cy_vec_push(&work) = t->insts[at].next;
        *cy_vec_push(&work) = t->insts[at].target;
        for (size_t i = 0; t->insts[at].is_return && i < t->returns.count; i++)
            *cy_vec_push(&work) = t->returns.at[i];
    }
    cy_vec_free(&work);
    return seen[number];
}

/* Do strips of a warp get there equally often, or never?  Scalar branches take the same way for all of them. */
static bool is_in_step(struct translator *t, uint32_t number)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (inst->reachable && is_vector_branch(inst) && inst->differs && i != number && t->looping[i] &&
            is_between(t, number, inst))
            return false;
    }
    return true;
}

/* `inside`: the first instructions of blocks up to its join. */
bool open_round(struct translator *t, uint32_t number, const bool *inside)
{
    const struct inst *branch = &t->insts[number];
    struct round round = {.block = branch->block, .bits = OWN_BITS};
    unsigned bits = OWN_BITS;
    if (t->rounds.count == CY_JIT_LAP_LOG || t->counters[branch->block].lap != NONE ||
        t->counters[branch->block].opens != NONE || !is_in_step(t, number))
        return false;
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const struct block *block = &t->blocks.at[i];
        const struct inst *last = &t->insts[block->last];
        if (!inside[block->first])
            continue;
        const bool goes_back = (last->target != NONE && last->target <= block->last) || last->is_return;
        if (goes_back || i == branch->block || t->counters[i].round != NONE || t->counters[i].is_both_ways ||
            last->insn.op == CY_OP_barrier)
            return false;
        bits += BITS_PER_BLOCK;
    }
    if (bits > MOST_BITS)
        return false;
    for (uint32_t i = 0; i < t->blocks.count; i++)
        if (inside[t->blocks.at[i].first]) {
            t->counters[i].round = (uint32_t)t->rounds.count;
            t->counters[i].round_bit = round.bits;
            round.bits += BITS_PER_BLOCK;
        }
    t->counters[branch->block].opens = (uint32_t)t->rounds.count;
    *cy_vec_push(&t->rounds) = round;
    return true;
}

void make_round_allocas(struct translator *t)
{
    for (size_t i = 0; i < t->rounds.count; i++) {
        struct round *round = &t->rounds.at[i];
        round->passed = LLVMBuildAlloca(t->allocas, t->i64, "passed");
        round->number = LLVMBuildAlloca(t->allocas, t->i64, "round");
        round->length = LLVMBuildAlloca(t->allocas, t->i64, "length");
    }
}

/* The bit of lanes that go from a branch to one of its sides: that of the block there if nothing else leads to it. */
static unsigned side_bit(const struct translator *t, uint32_t branch, bool is_taken)
{
    const struct inst *inst = &t->insts[branch];
    const struct counter *counter = &t->counters[inst->block];
    const uint32_t to = is_taken ? inst->target : inst->next, block = t->insts[to].block;
    const uint32_t round = counter->opens != NONE ? counter->opens : counter->round;
    const bool has_own = t->counters[block].round != round || to == inst->rpc || !is_only_way(t, branch, to);
    if (!has_own)
        return t->counters[block].round_bit + ISSUED;
    return (counter->opens != NONE ? 0 : counter->round_bit + TAKEN) + !is_taken;
}

/* ---- counting ---- */

static void add_bits(struct translator *t, uint32_t number, LLVMValueRef bits)
{
    LLVMValueRef place = t->rounds.at[number].passed;
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, load64(t, place), bits, ""), place);
}

/* A counter grows by one with each word that has all of these bits. */
struct sum {
    uint64_t bits;
    uint32_t counter;
};

static unsigned find_sums(const struct translator *t, uint32_t number, struct sum *sums)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const struct counter *counter = &t->counters[i];
        const uint32_t last = t->blocks.at[i].last;
        const bool is_inside = counter->round == number;
        if (is_inside && counter->issued != NONE)
            sums[count++] = (struct sum){1ull << (counter->round_bit + ISSUED), counter->issued};
        if (is_inside && counter->join != NONE)
            sums[count++] = (struct sum){1ull << (counter->round_bit + JOINED), counter->join};
        if (counter->split != NONE && (counter->opens == number || (is_inside && counter->opens == NONE)))
            sums[count++] =
                (struct sum){1ull << side_bit(t, last, true) | 1ull << side_bit(t, last, false), counter->split};
    }
    return count;
}

/* Numbers of words that have the bits of each sum: vectors are faster than one sum after the other. */
static LLVMTypeRef sums_type(struct translator *t, uint32_t number, unsigned count)
{
    unsigned width = 2;
    while (width < count)
        width *= 2;
    return LLVMVectorType(t->rounds.at[number].bits <= 32 ? t->i32 : t->i64, width);
}

/* <N x i1>: which sums a word adds to. */
static LLVMValueRef has_bits(struct translator *t, const struct sum *sums, unsigned count, LLVMTypeRef type,
                             LLVMValueRef word)
{
    const unsigned width = LLVMGetVectorSize(type);
    LLVMTypeRef element = LLVMGetElementType(type);
    LLVMValueRef bits[MOST_SUMS], all = LLVMGetPoison(type);
    for (unsigned i = 0; i < width; i++)
        bits[i] = LLVMConstInt(element, i < count ? sums[i].bits : 0, false);
    word = LLVMBuildTrunc(t->builder, word, element, "");
    all = LLVMBuildInsertElement(t->builder, all, word, number32(t, 0), "");
    all =
        LLVMBuildShuffleVector(t->builder, all, LLVMGetPoison(type), LLVMConstNull(LLVMVectorType(t->i32, width)), "");
    LLVMValueRef asked = LLVMConstVector(bits, width), found = LLVMBuildAnd(t->builder, all, asked, "");
    return LLVMBuildICmp(t->builder, LLVMIntEQ, found, asked, "");
}

static void add_sums(struct translator *t, const struct sum *sums, unsigned count, LLVMValueRef amounts)
{
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef amount = LLVMBuildExtractElement(t->builder, amounts, number32(t, i), "");
        add_tally_amount(t, sums[i].counter, LLVMBuildZExt(t->builder, amount, t->i64, ""));
    }
}

/* The round that ends, if one does, goes to the log; the next one begins. */
static void next_round(struct translator *t, uint32_t number)
{
    const struct round *round = &t->rounds.at[number];
    LLVMValueRef at = load64(t, round->number);
    LLVMBasicBlockRef beyond = add_to_log(t, number, at, load64(t, round->passed));
    LLVMBasicBlockRef on = LLVMGetInsertBlock(t->builder);
    LLVMPositionBuilderAtEnd(t->builder, beyond);
    struct sum sums[MOST_SUMS];
    const unsigned count = find_sums(t, number, sums);
    add_sums(t, sums, count, has_bits(t, sums, count, sums_type(t, number, count), load64(t, round->passed)));
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, at, number64(t, 1), ""), round->number);
    LLVMBuildStore(t->builder, number64(t, 0), round->passed);
}

bool rounds_block(struct translator *t, const struct counter *counter)
{
    if (counter->opens != NONE)
        next_round(t, counter->opens);
    if (counter->round == NONE)
        return false;
    add_bits(t, counter->round, number64(t, 1ull << (counter->round_bit + ISSUED)));
    return true;
}

bool rounds_join(struct translator *t, const struct counter *counter)
{
    if (counter->round == NONE)
        return false;
    add_bits(t, counter->round, number64(t, 1ull << (counter->round_bit + JOINED)));
    return true;
}

bool rounds_sides(struct translator *t, const struct counter *counter, LLVMValueRef taken, LLVMValueRef rest)
{
    const uint32_t round = counter->opens != NONE ? counter->opens : counter->round;
    if (round == NONE)
        return false;
    LLVMValueRef sides[] = {rest, taken};
    for (unsigned i = 0; i < 2; i++) {
        const unsigned bit = side_bit(t, t->at, i), own = counter->opens != NONE ? 0 : counter->round_bit + TAKEN;
        if (bit == own + !i)
            add_bits(t, round, LLVMBuildSelect(t->builder, sides[i], number64(t, 1ull << bit), number64(t, 0), ""));
    }
    return true;
}

/* Is the branch part of the current phase? */
static bool is_of_phase(const struct translator *t, const struct round *round)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    return t->nodes[(t->phase * VERSIONS + FULL) * blocks + round->block].reached ||
           t->nodes[(t->phase * VERSIONS + MASKED) * blocks + round->block].reached;
}

void begin_rounds(struct translator *t, LLVMValueRef is_first)
{
    for (size_t i = 0; i < t->rounds.count; i++) {
        const struct round *round = &t->rounds.at[i];
        if (!is_of_phase(t, round))
            continue;
        LLVMValueRef length = LLVMBuildSelect(t->builder, is_first, number64(t, 0), load64(t, round->length), "");
        LLVMBuildStore(t->builder, number64(t, 0), round->passed);
        LLVMBuildStore(t->builder, number64(t, 0), round->number);
        LLVMBuildStore(t->builder, length, round->length);
    }
}

/* The warp's last strip was here. */
static void count_rounds(struct translator *t, uint32_t number)
{
    const struct round *round = &t->rounds.at[number];
    LLVMBasicBlockRef some = new_block(t, "rounds"), loop = new_block(t, "log"), last = new_block(t, "last"),
                      end = new_block(t, "counted");
    struct sum sums[MOST_SUMS];
    const unsigned count = find_sums(t, number, sums);
    LLVMTypeRef type = sums_type(t, number, count);
    LLVMValueRef length = load64(t, round->length), zero = number64(t, 0), one = number64(t, 1);
    LLVMValueRef amounts = LLVMBuildAlloca(t->allocas, type, "amounts");
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, length, zero, ""), some, end);
    LLVMPositionBuilderAtEnd(t->builder, some);
    LLVMValueRef words = log_words(t, number), used = words_used(t, number, length);
    LLVMBuildStore(t->builder, zero, round->number);
    LLVMBuildStore(t->builder, LLVMConstNull(type), amounts);
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef index = load64(t, round->number), place = LLVMBuildGEP2(t->builder, t->i64, words, &index, 1, "");
    LLVMValueRef found = has_bits(t, sums, count, type, load64(t, place));
    LLVMBuildStore(t->builder, zero, place);
    LLVMValueRef before = LLVMBuildLoad2(t->builder, type, amounts, "");
    LLVMBuildStore(t->builder, LLVMBuildSub(t->builder, before, LLVMBuildSExt(t->builder, found, type, ""), ""),
                   amounts);
    LLVMValueRef following = LLVMBuildAdd(t->builder, index, one, "");
    LLVMBuildStore(t->builder, following, round->number);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntULT, following, used, ""), loop, last);
    LLVMPositionBuilderAtEnd(t->builder, last);
    add_sums(t, sums, count, LLVMBuildLoad2(t->builder, type, amounts, ""));
    LLVMBuildBr(t->builder, end);
    LLVMPositionBuilderAtEnd(t->builder, end);
}

/* The strip's last round. */
static void end_strip(struct translator *t, uint32_t number)
{
    const struct round *round = &t->rounds.at[number];
    LLVMBasicBlockRef some = new_block(t, "round"), on = new_block(t, "on");
    LLVMValueRef at = load64(t, round->number);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, at, number64(t, 0), ""), some, on);
    LLVMPositionBuilderAtEnd(t->builder, some);
    next_round(t, number);
    LLVMValueRef most[2] = {load64(t, round->length)};
    most[1] = load64(t, round->number);
    LLVMBuildStore(t->builder, intrinsic(t, "llvm.umax", t->i64, most, 2), round->length);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* `is_last`: of its warp. */
void end_rounds(struct translator *t, LLVMValueRef is_last)
{
    LLVMBasicBlockRef all = NULL, on = NULL;
    if (!t->rounds.count)
        return;
    for (uint32_t i = 0; i < t->rounds.count; i++)
        if (is_of_phase(t, &t->rounds.at[i]))
            end_strip(t, i);
    all = new_block(t, "warp");
    on = new_block(t, "on");
    LLVMBuildCondBr(t->builder, is_last, all, on);
    LLVMPositionBuilderAtEnd(t->builder, all);
    for (uint32_t i = 0; i < t->rounds.count; i++)
        if (is_of_phase(t, &t->rounds.at[i]))
            count_rounds(t, i);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}
