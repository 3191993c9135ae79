/* Elements of sixteen bytes or several times as many, next to each other, by 64-bit addresses: an instruction accesses sixteen bytes of
 * each lane, and those that follow the rest.  They are accessed together, and where both ways of loading them meet they are as in memory,
 * so that interleaved.c need not transpose them. */
#include "jit/translate/memory/far.h"

enum { WORDS = 4, MOST_CHUNKS = 4, MOST_WORDS = WORDS * MOST_CHUNKS };

/* Instructions that access all words of such elements. */
struct run {
    const struct inst *at[MOST_CHUNKS];
    unsigned count;
    bool is_wide; /* of 64-bit elements */
};

static bool writes_address(const struct inst *inst, const struct far_access *access)
{
    const unsigned address = (unsigned)field(inst, CY_FIELD_vs1);
    return !(row_of(inst)->flags & CY_F_STORE) && address + 1 >= access->number && address < access->number + WORDS;
}

static bool find_run(const struct translator *t, const struct inst *inst, const struct far_access *access,
                     struct run *run)
{
    const int64_t chunks = access->stride / (4 * WORDS);
    if (access->form != SPAN || access->is_scalar || access->size != 4 || access->words != WORDS || chunks < 1 ||
        chunks > MOST_CHUNKS || access->stride % (4 * WORDS) || t->w < WORDS || t->version == ALONE || t->is_long)
        return false;
    *run = (struct run){.count = (unsigned)chunks, .is_wide = true};
    for (unsigned i = 0; i < run->count; i++) {
        const struct inst *next = i ? &t->insts[run->at[i - 1]->next] : inst;
        const struct far_access one = far_access_like(access, next);
        if (next->insn.op != inst->insn.op || next->words != WORDS || next->block != inst->block ||
            next->group != inst->group || field(next, CY_FIELD_vs1) != field(inst, CY_FIELD_vs1) ||
            one.offset != access->offset + 4 * WORDS * (int64_t)i ||
            (i + 1 < run->count && (next->next == NONE || writes_address(next, &one))))
            return false;
        run->at[i] = next;
        run->is_wide &= are_far_halves(t, &one);
    }
    return true;
}

/* ---- loads ---- */

/* Sixteen bytes of each lane, as in memory, of which a transposition makes words: those of every fourth, or second, lane. */
static void part_chunk(struct translator *t, LLVMValueRef whole, const struct run *run, unsigned chunk,
                       LLVMValueRef *rows)
{
    LLVMValueRef order[CY_JIT_MAX_STRIP];
    const unsigned parts = run->is_wide ? 2 : WORDS, of_element = parts * run->count;
    for (unsigned k = 0; k < parts; k++) {
        for (unsigned i = 0; i < t->w; i++)
            order[i] = number32(t, (i / parts * parts + k) * of_element + chunk * parts + i % parts);
        rows[k] = LLVMBuildShuffleVector(t->builder, whole, LLVMGetPoison(LLVMTypeOf(whole)),
                                         LLVMConstVector(order, t->w), "");
    }
}

/* Every second element of both, and the others. */
static void transpose_twos(struct translator *t, LLVMValueRef *rows)
{
    LLVMValueRef order[CY_JIT_MAX_STRIP], out[2];
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < t->w; i++)
            order[i] = number32(t, (i & ~1u) + k + i % 2 * t->w);
        out[k] = LLVMBuildShuffleVector(t->builder, rows[0], rows[1], LLVMConstVector(order, t->w), "");
    }
    rows[0] = out[0];
    rows[1] = out[1];
}

static void words_of(struct translator *t, LLVMValueRef whole, const struct run *run, LLVMValueRef *words)
{
    for (unsigned c = 0; c < run->count; c++) {
        LLVMValueRef rows[WORDS];
        part_chunk(t, whole, run, c, rows);
        if (run->is_wide)
            transpose_twos(t, rows);
        else
            transpose(t, rows);
        for (unsigned k = 0; k < WORDS; k++)
            words[WORDS * c + k] = run->is_wide ? pair_word(t, rows[k / 2], k % 2, true) : rows[k];
    }
}

/* The other way round. */
static LLVMValueRef whole_of(struct translator *t, const LLVMValueRef *words, const struct run *run)
{
    const unsigned parts = run->is_wide ? 2 : WORDS, of_element = parts * run->count;
    LLVMTypeRef type = LLVMVectorType(run->is_wide ? t->i64 : t->i32, t->w * of_element);
    LLVMValueRef whole = LLVMGetPoison(type), order[CY_JIT_MAX_STRIP * MOST_WORDS];
    for (unsigned c = 0; c < run->count; c++) {
        LLVMValueRef rows[WORDS];
        for (unsigned k = 0; k < parts; k++)
            rows[k] = run->is_wide ? wide_from(t, words[WORDS * c + 2 * k], words[WORDS * c + 2 * k + 1], true)
                                   : words[WORDS * c + k];
        if (run->is_wide)
            transpose_twos(t, rows);
        else
            transpose(t, rows);
        for (unsigned k = 0; k < parts; k++) {
            for (unsigned i = 0; i < t->w * of_element; i++)
                order[i] = i < t->w ? number32(t, i) : LLVMGetPoison(t->i32);
            LLVMValueRef wider = LLVMBuildShuffleVector(t->builder, rows[k], LLVMGetPoison(LLVMTypeOf(rows[k])),
                                                        LLVMConstVector(order, t->w * of_element), "");
            for (unsigned i = 0; i < t->w * of_element; i++)
                order[i] = number32(t, i);
            for (unsigned i = 0; i < t->w; i++)
                order[(i / parts * parts + k) * of_element + c * parts + i % parts] =
                    number32(t, t->w * of_element + i);
            whole = LLVMBuildShuffleVector(t->builder, whole, wider, LLVMConstVector(order, t->w * of_element), "");
        }
    }
    return whole;
}

bool load_far_elements(struct translator *t, const struct inst *inst, struct far_access *access)
{
    struct run run;
    LLVMValueRef words[MOST_WORDS];
    if (!t->host->keeps_elements || !find_run(t, inst, access, &run))
        return false;
    prepare_far(t, inst, access);
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    LLVMTypeRef type = LLVMVectorType(run.is_wide ? t->i64 : t->i32, t->w * (run.is_wide ? 2 : WORDS) * run.count);
    LLVMValueRef whole = load_from(t, type, far_row_pointer(t, access, 0));
    other_way(t, &fork);
    for (unsigned i = 0; i < run.count; i++) {
        const struct far_access one = far_access_like(access, run.at[i]);
        call_far_access(t, run.at[i], &one, NULL, &words[WORDS * i]);
    }
    LLVMValueRef other = whole_of(t, words, &run);
    end_fork(t, &fork, &whole, &other, 1);
    words_of(t, whole, &run, words);
    for (unsigned i = 0; i < run.count; i++)
        for (unsigned k = 0; k < WORDS; k++)
            write_v(t, far_access_like(access, run.at[i]).number + k, vector(t, words[WORDS * i + k]));
    t->stored = run.count - 1;
    return true;
}

/* ---- stores ---- */

bool store_far_elements(struct translator *t, const struct inst *inst, struct far_access *access)
{
    struct run run;
    struct value data[MOST_WORDS];
    LLVMValueRef words[MOST_WORDS];
    if (!find_run(t, inst, access, &run) || run.count < 2)
        return false;
    for (unsigned i = 0; i < WORDS * run.count; i++) {
        data[i] = read_v(t, far_access_like(access, run.at[i / WORDS]).number + i % WORDS);
        words[i] = vector_of(t, data[i]);
    }
    prepare_far(t, inst, access);
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    const struct places places = far_places(t, access);
    store_chunk_lanes(t, &places, words, run.count, run.is_wide);
    other_way(t, &fork);
    for (unsigned i = 0; i < run.count; i++) {
        const struct far_access one = far_access_like(access, run.at[i]);
        call_far_access(t, run.at[i], &one, &data[WORDS * i], NULL);
    }
    end_fork(t, &fork, NULL, NULL, 0);
    t->stored = run.count - 1;
    return true;
}
