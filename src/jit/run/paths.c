/* Paths of lanes that do not meet again before the join (translate/paths.c): how often the warp has issued what is on them, and where it
 * has split.  Lanes with the same words so far are one part of the warp. */
#include "base/mem.h"
#include "jit/run/run_priv.h"

#include <string.h>

enum { LANES = 64, BITS = CY_JIT_PATH_BITS, AT_ONCE = 8, MOST_AT_ONCE = 255 };

/* Lanes [first, end) of the order have passed the same up to their word `at`. */
struct part {
    uint32_t first, end, at;
};

struct paths {
    struct lane {
        const uint32_t *words;
        uint32_t count;
    } lanes[LANES]; /* in the order of parts */
    struct part parts[LANES + 1];
    uint32_t part_count, width;
    uint64_t issued[BITS + 1], passing[BITS + 1], split[BITS + 1]; /* by block's bit */
};

static void add_bits(struct paths *paths, uint32_t bits, uint64_t issued, uint64_t passing)
{
    for (; bits; bits &= bits - 1) {
        paths->issued[__builtin_ctz(bits)] += issued;
        paths->passing[__builtin_ctz(bits)] += passing;
    }
}

/* Each bit of a byte as a byte. */
#define BIT(n, i) ((uint64_t)((n) >> (i)&1) << 8 * (i))
#define SPREAD(n) BIT(n, 0) | BIT(n, 1) | BIT(n, 2) | BIT(n, 3) | BIT(n, 4) | BIT(n, 5) | BIT(n, 6) | BIT(n, 7)
#define SPREAD_4(n) SPREAD(n), SPREAD((n) + 1), SPREAD((n) + 2), SPREAD((n) + 3)
#define SPREAD_16(n) SPREAD_4(n), SPREAD_4((n) + 4), SPREAD_4((n) + 8), SPREAD_4((n) + 12)
#define SPREAD_64(n) SPREAD_16(n), SPREAD_16((n) + 16), SPREAD_16((n) + 32), SPREAD_16((n) + 48)
static const uint64_t spread[256] = {SPREAD_64(0), SPREAD_64(64), SPREAD_64(128), SPREAD_64(192)};

/* So many lanes have passed these words together. */
static void add_words(struct paths *paths, const uint32_t *words, uint32_t count, uint32_t lanes)
{
    for (uint32_t first = 0; first < count; first += MOST_AT_ONCE) {
        const uint32_t some = count - first < MOST_AT_ONCE ? count - first : MOST_AT_ONCE;
        for (uint32_t bit = 0; bit < paths->width; bit += 8) {
            uint64_t sums = 0;
            for (uint32_t i = 0; i < some; i++)
                sums += spread[words[first + i] >> bit & 0xff];
            for (uint32_t i = 0; i < 8; i++, sums >>= 8) {
                paths->issued[bit + i] += sums & 0xff;
                paths->passing[bit + i] += (sums & 0xff) * lanes;
            }
        }
    }
}

/* So many of the first words are the same. */
static uint32_t same_words(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    uint32_t i = 0;
    while (i + AT_ONCE <= count && !memcmp(a + i, b + i, AT_ONCE * sizeof(*a)))
        i += AT_ONCE;
    while (i < count && a[i] == b[i])
        i++;
    return i;
}

/* Lanes of a part with different words: those with the first one's go on as the part, the others are parts of their own.  Of words that
 * were there before, the one with most blocks in common says where this one has split from it. */
static void divide(struct paths *paths, struct part *part)
{
    uint32_t words[LANES];
    uint32_t count = 0, first = part->first;
    while (first < part->end) {
        const uint32_t word = paths->lanes[first].words[part->at];
        uint32_t end = first + 1;
        for (uint32_t i = end; i < part->end; i++)
            if (paths->lanes[i].words[part->at] == word) {
                const struct lane other = paths->lanes[end];
                paths->lanes[end++] = paths->lanes[i];
                paths->lanes[i] = other;
            }
        uint32_t common = 0; /* bits below those that differ */
        for (uint32_t i = 0; i < count; i++)
            common |= ((words[i] ^ word) & -(words[i] ^ word)) - 1;
        const uint32_t passed = word & ((1u << BITS) - 1);
        add_bits(paths, passed & common, 0, end - first);
        add_bits(paths, passed & ~common, 1, end - first);
        if (passed & common)
            paths->split[31 - __builtin_clz(passed & common)]++;
        words[count++] = word;
        if (part->at + 1 < paths->lanes[first].count)
            paths->parts[paths->part_count++] = (struct part){first, end, part->at + 1};
        first = end;
    }
}

static void follow(struct paths *paths, struct part part)
{
    const struct lane *first = &paths->lanes[part.first];
    uint32_t same = first->count - part.at;
    for (uint32_t i = part.first + 1; i < part.end; i++) {
        const uint32_t left = paths->lanes[i].count - part.at;
        same = same_words(first->words + part.at, paths->lanes[i].words + part.at, left < same ? left : same);
    }
    add_words(paths, first->words + part.at, same, part.end - part.first);
    part.at += same;
    if (part.at < first->count)
        divide(paths, &part);
}

static void count_marks(const struct cy_jit_code *code, const struct cy_jit_table *table, const struct paths *paths,
                        uint64_t *counters)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct cy_jit_mark *mark = &code->marks[table->first + i];
        if (mark->bit >= table->width || mark->counter >= code->header.counters)
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
    const struct cy_jit_table *table = &code->tables[number];
    const uint32_t *words = (const uint32_t *)(const void *)frame->logs[CY_JIT_PATH_LOG].words;
    struct paths paths;
    uint32_t lanes = 0;
    paths.part_count = 0;
    paths.width = table->width < BITS ? table->width : BITS;
    memset(paths.issued, 0, sizeof(paths.issued));
    memset(paths.passing, 0, sizeof(paths.passing));
    memset(paths.split, 0, sizeof(paths.split));
    while (count && lanes < LANES) {
        const uint32_t length = words[--count];
        if (!length || length > count)
            break;
        count -= length;
        paths.lanes[lanes++] = (struct lane){words + count, length};
    }
    paths.parts[paths.part_count++] = (struct part){0, lanes, 0};
    while (lanes && paths.part_count)
        follow(&paths, paths.parts[--paths.part_count]);
    count_marks(code, table, &paths, counters);
    return 0;
}
