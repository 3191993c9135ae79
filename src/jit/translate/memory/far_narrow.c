/* Bytes and halves of each lane that are accessed together (narrow.c), by 64-bit addresses. */
#include "jit/translate/memory/far.h"
#include "jit/translate/memory/narrow.h"

static bool is_narrow(const struct far_access *access, const struct inst *inst)
{
    return access->form != ONE && !access->is_scalar && inst->words == 1 && !is_far_row(access, access->size);
}

/* Also of loads: this one and those of its group that follow, before anything is stored. */
static unsigned find_loads(struct translator *t, const struct inst *inst, const struct inst **loads)
{
    const struct block *block = &t->blocks.at[inst->block];
    unsigned count = 0;
    for (const struct inst *next = inst; count < MOST_STORES; next = &t->insts[next->next]) {
        const bool is_load = is_access(next) && !next->is_interpreted && !(row_of(next)->flags & CY_F_STORE);
        if (is_load && next->group == inst->group && next->words == 1 && access_size(next) < 4 &&
            row_of(next)->format == row_of(inst)->format)
            loads[count++] = next;
        else if (!is_load && !is_passable(next))
            break;
        if (next == &t->insts[block->last] || next->next == NONE)
            break;
    }
    return count;
}

/* The row that was loaded before, but for loads between stores that turn out not to be apart from these. */
static LLVMValueRef loaded_row(struct translator *t, const struct inst *inst, struct far_access *access,
                               LLVMValueRef row)
{
    LLVMValueRef other[4] = {0};
    if (!t->stores.left || !t->stores.are_apart)
        return row;
    struct fork fork = begin_fork(t, t->stores.are_apart);
    other_way(t, &fork);
    prepare_far(t, inst, access);
    emit_far_access(t, inst, access, NULL, other);
    end_fork(t, &fork, &row, other, 1);
    return row;
}

struct loads_of_rows {
    struct narrow_row rows[MOST_STORES];
    unsigned count, row_of[MOST_STORES], at[MOST_STORES]; /* of each load */
};

static bool find_rows(struct translator *t, const struct far_access *access, const struct inst **loads, unsigned count,
                      struct loads_of_rows *out)
{
    out->count = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct far_access one = far_access_like(access, loads[i]);
        const struct places places = far_places(t, &one);
        struct narrow_row row;
        unsigned k = 0;
        if (!find_narrow_row(t, &places, one.size, &row))
            return false;
        while (k < out->count && out->rows[k].first != row.first)
            k++;
        if (k == out->count)
            out->rows[out->count++] = row;
        out->row_of[i] = k;
        out->at[i] = (unsigned)(places.at - row.first);
    }
    return true;
}

/* A row of what was loaded one by one; bytes that nobody has loaded are 0. */
static LLVMValueRef row_of_loads(struct translator *t, const struct loads_of_rows *all, unsigned number,
                                 const struct inst **loads, const LLVMValueRef *loaded, unsigned count)
{
    enum { WORDS = 4 };
    LLVMValueRef words[WORDS];
    for (unsigned k = 0; k < WORDS; k++)
        words[k] = LLVMConstNull(t->vi32);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef *word = &words[all->at[i] / 4];
        if (all->row_of[i] != number)
            continue;
        LLVMValueRef ones = splat(t, number32(t, UINT32_MAX >> (32 - 8 * access_size(loads[i]))));
        LLVMValueRef bits = LLVMBuildAnd(t->builder, loaded[i], ones, "");
        bits = LLVMBuildShl(t->builder, bits, splat(t, number32(t, 8 * (all->at[i] % 4))), "");
        *word = LLVMBuildOr(t->builder, *word, bits, "");
    }
    return join_row_words(t, words, all->rows[number].bytes);
}

/* Both ways of loading rows meet where these are as in memory: small.c computes with them so. */
static void load_rows(struct translator *t, const struct far_access *access, const struct inst **loads, unsigned count,
                      const struct loads_of_rows *all, LLVMValueRef *out)
{
    LLVMValueRef rows[MOST_STORES], others[MOST_STORES], words[MOST_STORES][4];
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    const struct places places = far_places(t, access);
    for (unsigned k = 0; k < all->count; k++)
        rows[k] = load_narrow_row(t, &places, &all->rows[k]);
    other_way(t, &fork);
    for (unsigned i = 0; i < count; i++) {
        const struct far_access one = far_access_like(access, loads[i]);
        call_far_access(t, loads[i], &one, NULL, &out[i]);
    }
    for (unsigned k = 0; k < all->count; k++)
        others[k] = row_of_loads(t, all, k, loads, out, count);
    end_fork(t, &fork, rows, others, all->count);
    for (unsigned k = 0; k < all->count; k++)
        part_row_words(t, rows[k], all->rows[k].bytes, words[k]);
    for (unsigned i = 0; i < count; i++) {
        const struct far_access one = far_access_like(access, loads[i]);
        out[i] = part_of_words(t, words[all->row_of[i]], all->at[i], one.size, one.zero_extend);
    }
}

/* Or each load on its own. */
static void load_each(struct translator *t, const struct far_access *access, const struct inst **loads, unsigned count,
                      LLVMValueRef *fast)
{
    LLVMValueRef slow[MOST_STORES];
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    forget_chunks(t); /* they are not loaded on the other way */
    for (unsigned i = 0; i < count; i++) {
        const struct far_access one = far_access_like(access, loads[i]);
        const struct places places = far_places(t, &one);
        fast[i] = load_narrow(t, &places, one.size, one.zero_extend);
        if (!fast[i])
            load_far(t, &one, &fast[i]);
    }
    forget_chunks(t);
    other_way(t, &fork);
    for (unsigned i = 0; i < count; i++) {
        const struct far_access one = far_access_like(access, loads[i]);
        call_far_access(t, loads[i], &one, NULL, &slow[i]);
    }
    end_fork(t, &fork, fast, slow, count);
}

LLVMValueRef load_together(struct translator *t, const struct inst *inst, struct far_access *access)
{
    const struct inst *loads[MOST_STORES];
    LLVMValueRef fast[MOST_STORES];
    struct loads_of_rows rows;
    for (unsigned i = 0; i < t->loads.count; i++)
        if (t->loads.at[i].inst == inst)
            return loaded_row(t, inst, access, t->loads.at[i].row);
    const unsigned count = access->size < 4 && is_narrow(access, inst) ? find_loads(t, inst, loads) : 0;
    if (count < 2)
        return NULL;
    prepare_far(t, inst, access);
    if (find_rows(t, access, loads, count, &rows))
        load_rows(t, access, loads, count, &rows, fast);
    else
        load_each(t, access, loads, count, fast);
    for (unsigned i = 0; i < count; i++) {
        t->loads.at[i].inst = loads[i];
        t->loads.at[i].row = fast[i];
    }
    t->loads.count = count;
    return fast[0];
}

static bool may_go_first(struct translator *t, const struct inst *store, const struct inst *load)
{
    return is_access(load) && row_of(load)->format == CY_FORMAT_VL12D && !load->is_interpreted && load->is_far &&
           load->words == 1 && t->accesses.at[t->groups.at[load->group].first].pc < store->pc &&
           describe_far(t, load).form == SPAN;
}

/* i1: nothing of the one group is where something of the other is, and each is in one extent. */
static LLVMValueRef are_apart(struct translator *t, const struct far_access *a, const struct far_access *b)
{
    LLVMValueRef from = t->group_pointer[a->group], to = t->group_pointer[b->group];
    LLVMValueRef inside = LLVMBuildAnd(t->builder, t->group_inside[a->group], t->group_inside[b->group], "");
    return LLVMBuildAnd(t->builder, inside, ranges_apart(t, from, far_length(t, a), to, far_length(t, b)), "");
}

/* What is loaded between stores that are done together. */
static void load_first(struct translator *t, const struct far_access *access)
{
    struct stores *run = &t->stores;
    LLVMValueRef rows[MOST_STORES], none[MOST_STORES];
    if (!run->load_count)
        return;
    for (unsigned i = 0; i < run->load_count; i++) {
        const struct far_access other = describe_far(t, run->loads[i]);
        LLVMValueRef apart = are_apart(t, access, &other);
        run->are_apart = run->are_apart ? LLVMBuildAnd(t->builder, run->are_apart, apart, "") : apart;
    }
    struct fork fork = begin_fork(t, run->are_apart);
    for (unsigned i = 0; i < run->load_count; i++) {
        const struct far_access other = describe_far(t, run->loads[i]);
        const struct places places = far_places(t, &other);
        rows[i] = is_narrow(&other, run->loads[i]) && other.size < 4
                      ? load_narrow(t, &places, other.size, other.zero_extend)
                      : NULL;
        if (!rows[i])
            load_far(t, &other, &rows[i]);
        none[i] = LLVMGetPoison(t->vi32);
    }
    forget_chunks(t);
    other_way(t, &fork);
    end_fork(t, &fork, rows, none, run->load_count);
    for (unsigned i = 0; i < run->load_count; i++) {
        t->loads.at[i].inst = run->loads[i];
        t->loads.at[i].row = rows[i];
    }
    t->loads.count = run->load_count;
}

/* All stores of a run, where its loads were not moved. */
static void store_run(struct translator *t, const struct far_access *access, const struct places *places)
{
    const struct stores run = t->stores; /* in the code's order */
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    end_stores(t, places);
    other_way(t, &fork);
    for (unsigned i = 0; i < run.count; i++) {
        const struct far_access one = far_access_like(access, run.at[i].inst);
        const struct value row = vector(t, run.at[i].data);
        call_far_access(t, run.at[i].inst, &one, &row, NULL);
    }
    end_fork(t, &fork, NULL, NULL, 0);
}

bool store_together(struct translator *t, struct inst *inst, struct far_access *access, struct value data)
{
    struct places places = far_places(t, access);
    const struct stores *run = &t->stores;
    places.may_go_first = t->version == FULL ? may_go_first : NULL;
    if (!is_narrow(access, inst) || t->version == ALONE || !defer_store(t, inst, &places, vector_of(t, data)))
        return false;
    prepare_far(t, inst, access);
    if (run->count == 1)
        load_first(t, access);
    if (run->are_apart) {
        struct fork fork = begin_fork(t, run->are_apart);
        if (!run->left)
            end_stores(t, &places);
        other_way(t, &fork);
        emit_far_access(t, inst, access, &data, NULL);
        end_fork(t, &fork, NULL, NULL, 0);
    } else if (!run->left) {
        store_run(t, access, &places);
    }
    if (!run->left)
        forget_chunks(t);
    return true;
}
