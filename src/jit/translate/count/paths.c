/* Counters per instruction where lanes of a warp go on one after the other and, on the machine, do not meet again before the join: all
 * branches up to it have the same one.  Loops that end in several places are so, walks through trees with a stack.
 *
 * There the machine's warp splits again and again, and lanes that have taken the same way so far are one part of it.  Each lane logs its
 * path: a word has the bits of the blocks that it passes up to the next jump backwards, in the code's order; the last one of a lane says
 * how many it has.  When all lanes are back the runtime puts the paths together (run/paths.c).  Loops may be of any kind. */
#include "jit/translate/count/strips.h"

#include <string.h>

enum { MOST_BITS = CY_JIT_PATH_BITS };

static bool is_in_region(const struct translator *t, const bool *region, uint32_t block)
{
    return region[t->blocks.at[block].first];
}

bool is_on_path(const struct translator *t, uint32_t block)
{
    return t->path_bit && t->path_bit[block] != NO_MARK;
}

/* May the region of a branch be counted so?  Then it will be. */
bool plan_paths(struct translator *t, const struct inst *branch, const bool *region)
{
    const size_t blocks = t->blocks.count;
    unsigned bits = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (region[i] &&
            (row_of(inst)->flags & CY_F_ATOMIC || inst->is_interpreted || row_of(inst)->format == CY_FORMAT_JOIN ||
             (is_vector_branch(inst) && inst->rpc != branch->rpc)))
            return false;
    }
    if (!t->path_bit) {
        t->path_bit = cy_arena_alloc(&t->arena, blocks + 1);
        memset(t->path_bit, NO_MARK, blocks);
    }
    for (uint32_t i = 0; i < blocks; i++) {
        if (is_in_region(t, region, i) && t->is_alone[i] && !is_on_path(t, i))
            return false;
        bits += is_in_region(t, region, i) || is_on_path(t, i);
    }
    if (bits > MOST_BITS)
        return false;
    bits = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        if (is_in_region(t, region, i)) {
            t->is_alone[i] = true;
            t->turn_loop[i] = NONE;
            t->path_bit[i] = 0;
        }
        if (is_on_path(t, i))
            t->path_bit[i] = (uint8_t)bits++;
    }
    return true;
}

void mark_paths(struct translator *t)
{
    struct cy_jit_table table = {.is_lap = true, .parent = NONE, .first = (uint32_t)t->marks.count};
    for (uint32_t i = 0; t->path_bit && i < t->blocks.count; i++) {
        const struct counter *counter = &t->counters[i];
        if (!is_on_path(t, i))
            continue;
        table.width++;
        if (counter->issued != NONE)
            add_mark(t, CY_JIT_PASSED, t->path_bit[i], 0, counter->issued);
        if (counter->lanes != NONE)
            add_mark(t, CY_JIT_PASSING, t->path_bit[i], 0, counter->lanes);
        if (counter->split != NONE)
            add_mark(t, CY_JIT_PARTED, t->path_bit[i], 0, counter->split);
    }
    table.count = (uint32_t)t->marks.count - table.first;
    t->path_table = (uint32_t)t->trail_tables.count;
    if (t->path_bit)
        *cy_vec_push(&t->trail_tables) = table;
}

void make_path_allocas(struct translator *t)
{
    if (!t->path_bit)
        return;
    t->path_now = LLVMBuildAlloca(t->allocas, t->i64, "path");
    t->path_words = LLVMBuildAlloca(t->allocas, t->i64, "words");
    t->path_first = LLVMBuildAlloca(t->allocas, t->i64, "first");
}

void begin_paths(struct translator *t)
{
    if (t->path_bit)
        LLVMBuildStore(t->builder, number64(t, 0), t->path_words);
}

void path_block(struct translator *t, uint32_t block)
{
    LLVMValueRef bit = number64(t, 1ull << t->path_bit[block]);
    LLVMBuildStore(t->builder, LLVMBuildOr(t->builder, load64(t, t->path_now), bit, ""), t->path_now);
}

static void count_paths(struct translator *t)
{
    LLVMValueRef args[] = {t->frame, number32(t, t->path_table),
                           LLVMBuildTrunc(t->builder, load64(t, t->path_words), t->i32, ""), t->tally_array};
    call_rare_helper(t, offsetof(struct cy_jit_helpers, paths), args, CY_COUNT(args));
    LLVMBuildStore(t->builder, number64(t, 0), t->path_words);
}

static void store_word(struct translator *t, LLVMValueRef word)
{
    LLVMValueRef index = load64(t, t->path_words);
    LLVMValueRef place = LLVMBuildGEP2(t->builder, t->i32, log_words(t, CY_JIT_PATH_LOG), &index, 1, "");
    LLVMBuildStore(t->builder, LLVMBuildTrunc(t->builder, word, t->i32, ""), place);
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, index, number64(t, 1), ""), t->path_words);
}

/* The lane's last word, and how many it has. */
static void store_last(struct translator *t, LLVMValueRef word)
{
    store_word(t, LLVMBuildOr(t->builder, word, number64(t, 1ull << CY_JIT_PATH_BITS), ""));
    LLVMValueRef words = load64(t, t->path_words);
    store_word(t, LLVMBuildSub(t->builder, words, load64(t, t->path_first), ""));
}

static void log_word(struct translator *t, bool ends)
{
    enum { MOST = 4 }; /* words that follow, and one more */
    LLVMValueRef last = LLVMBuildAdd(t->builder, load64(t, t->path_words), number64(t, MOST), "");
    LLVMBasicBlockRef beyond = lengthen_log(t, CY_JIT_PATH_LOG, LLVMBuildLShr(t->builder, last, number64(t, 1), ""));
    LLVMBasicBlockRef fits = LLVMGetInsertBlock(t->builder);
    LLVMPositionBuilderAtEnd(t->builder, beyond); /* what lanes do from here on is apart from what others have done */
    store_last(t, number64(t, 0));
    count_paths(t);
    LLVMBuildStore(t->builder, number64(t, 0), t->path_first);
    LLVMBuildBr(t->builder, fits);
    LLVMPositionBuilderAtEnd(t->builder, fits);
    if (ends)
        store_last(t, load64(t, t->path_now));
    else
        store_word(t, load64(t, t->path_now));
}

/* A lane goes from the current instruction, or from the branch where its detour starts, to another one. */
void path_edge(struct translator *t, uint32_t number)
{
    const bool is_on = is_on_path(t, t->insts[t->at].block) && !t->is_starting,
               stays = is_on_path(t, t->insts[number].block);
    if (!t->path_bit || (!is_on && !stays))
        return;
    if (is_on && (!stays || number <= t->at))
        log_word(t, !stays);
    if (!is_on)
        LLVMBuildStore(t->builder, load64(t, t->path_words), t->path_first);
    if (!is_on || number <= t->at)
        LLVMBuildStore(t->builder, number64(t, 0), t->path_now);
}

/* All lanes are back. */
void end_paths(struct translator *t)
{
    if (!t->path_bit)
        return;
    LLVMBasicBlockRef some = new_block(t, "paths"), on = new_block(t, "on");
    LLVMValueRef is_some = LLVMBuildICmp(t->builder, LLVMIntNE, load64(t, t->path_words), number64(t, 0), "");
    LLVMBuildCondBr(t->builder, is_some, some, on);
    LLVMPositionBuilderAtEnd(t->builder, some);
    count_paths(t);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}
