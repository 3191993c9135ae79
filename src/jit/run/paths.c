/* Paths of lanes that do not meet again before the join (translate/paths.c): how often the warp has issued what is on them, and where it
 * has split.  Lanes with the same words so far are one part of the warp. */
#include "base/mem.h"
#include "jit/run/run_priv.h"

#include <string.h>

enum { LANES = 64, BITS = 64, WORDS = 16 };

/* Lanes [first, end) of the order have passed the same up to their word `at`. */
struct part {
    uint32_t first, end, at;
};

struct paths {
    const uint64_t *of[LANES]; /* the words of each lane, in the order of parts */
    struct part parts[LANES + 1];
    uint32_t part_count;
    uint64_t issued[BITS], passing[BITS], split[BITS]; /* by block's bit */
    struct {
        uint64_t word, issued, passing;
    } words[WORDS]; /* some that are still to be counted, by their hash */
};

static void add_bits(struct paths *paths, uint64_t bits, uint64_t issued, uint64_t passing)
{
    for (; bits; bits &= bits - 1) {
        paths->issued[__builtin_ctzll(bits)] += issued;
        paths->passing[__builtin_ctzll(bits)] += passing;
    }
}

static void add_word(struct paths *paths, uint64_t word, uint64_t passing)
{
    const unsigned place = (unsigned)(word * CY_JIT_TRAIL_HASH >> 60);
    if (paths->words[place].word != word) {
        add_bits(paths, paths->words[place].word, paths->words[place].issued, paths->words[place].passing);
        paths->words[place].word = word;
        paths->words[place].issued = paths->words[place].passing = 0;
    }
    paths->words[place].issued++;
    paths->words[place].passing += passing;
}

/* Lanes of a part with different words: those with the first one's go on as the part, the others are parts of their own.  Of words that
 * were there before, the one with most blocks in common says where this one has split from it. */
static void divide(struct paths *paths, struct part *part)
{
    uint64_t words[LANES];
    uint32_t count = 0, first = part->first;
    while (first < part->end) {
        const uint64_t word = paths->of[first][part->at];
        uint32_t end = first + 1;
        for (uint32_t i = end; i < part->end; i++)
            if (paths->of[i][part->at] == word) {
                const uint64_t *other = paths->of[end];
                paths->of[end++] = paths->of[i];
                paths->of[i] = other;
            }
        uint64_t common = 0; /* bits below those that differ */
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t below = ((words[i] ^ word) & -(words[i] ^ word)) - 1;
            common |= below;
        }
        add_bits(paths, word & ~common, 1, 0);
        add_bits(paths, word, 0, end - first);
        if (word & common)
            paths->split[63 - __builtin_clzll(word & common)]++;
        words[count++] = word;
        if (!(word >> CY_JIT_PATH_END & 1))
            paths->parts[paths->part_count++] = (struct part){first, end, part->at + 1};
        first = end;
    }
}

static bool is_same_word(const struct paths *paths, const struct part *part)
{
    const uint64_t word = paths->of[part->first][part->at];
    for (uint32_t i = part->first + 1; i < part->end; i++)
        if (paths->of[i][part->at] != word)
            return false;
    return true;
}

static void follow(struct paths *paths, struct part part)
{
    while (is_same_word(paths, &part)) {
        const uint64_t word = paths->of[part.first][part.at++];
        add_word(paths, word, part.end - part.first);
        if (word >> CY_JIT_PATH_END & 1)
            return;
    }
    divide(paths, &part);
}

static void count_marks(const struct cy_jit_code *code, const struct cy_jit_table *table, const struct paths *paths,
                        uint64_t *counters)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct cy_jit_mark *mark = &code->marks[table->first + i];
        if (mark->bit >= table->width || mark->bit >= BITS || mark->counter >= code->header.counters)
            continue;
        const uint64_t *from = mark->kind == CY_JIT_PASSED    ? paths->issued
                               : mark->kind == CY_JIT_PASSING ? paths->passing
                                                              : paths->split;
        counters[mark->counter] += from[mark->bit];
    }
}

uint32_t cy_jit_count_paths(struct cy_jit_frame *frame, uint32_t number, uint32_t count, uint64_t *counters)
{
    const struct cy_jit_code *code = ((const struct cy_jit_worker *)frame)->code;
    uint64_t *words = frame->logs[CY_JIT_PATH_LOG].words;
    struct paths paths;
    uint32_t lanes = 0;
    paths.part_count = 0;
    memset(paths.issued, 0, sizeof(paths.issued));
    memset(paths.passing, 0, sizeof(paths.passing));
    memset(paths.split, 0, sizeof(paths.split));
    memset(paths.words, 0, sizeof(paths.words));
    words[count - 1] |= 1ull << CY_JIT_PATH_END; /* a lane that has logged too much ends here for now */
    for (uint32_t i = 0, first = 0; i < count && lanes < LANES; i++)
        if (words[i] >> CY_JIT_PATH_END & 1) {
            paths.of[lanes++] = &words[first];
            first = i + 1;
        }
    paths.parts[paths.part_count++] = (struct part){0, lanes, 0};
    while (paths.part_count)
        follow(&paths, paths.parts[--paths.part_count]);
    for (unsigned i = 0; i < WORDS; i++)
        add_bits(&paths, paths.words[i].word, paths.words[i].issued, paths.words[i].passing);
    if (number < code->header.table_count)
        count_marks(code, &code->tables[number], &paths, counters);
    return 0;
}
