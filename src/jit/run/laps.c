/* Laps (translate/laps.c): what the log of a warp says of each counter. */
#include "base/mem.h"
#include "jit/run/run_priv.h"

#include <stdlib.h>
#include <string.h>

/* Turns [start, end) of one visit to a loop. */
struct stretch {
    uint64_t table;
    uint64_t visit; /* which turns of the loops around it */
    uint64_t start, end, bits;
};

/* By how much warps of a key increase a counter. */
struct increase {
    uint32_t counter;
    uint64_t amount;
};

struct laps {
    struct stretch *at; /* of a log */
    uint32_t room;
    uint64_t *turns;    /* of the strip, by table */
    uint64_t *counters; /* of one warp */
    struct key {
        struct increase *at;
        uint32_t count, room;
    } keys[CY_JIT_LAP_KEYS]; /* as in the counters' table */
};

void cy_jit_free_laps(struct cy_jit_worker *worker)
{
    struct laps *laps = worker->laps;
    if (!laps)
        return;
    for (uint32_t i = 0; i < CY_JIT_LAP_KEYS; i++)
        cy_free(laps->keys[i].at);
    cy_free(laps->at);
    cy_free(laps->turns);
    cy_free(laps->counters);
    cy_free(laps);
    worker->laps = NULL;
}

static struct laps *laps_of(struct cy_jit_worker *worker)
{
    const struct cy_jit_image *header = &worker->code->header;
    if (worker->laps)
        return worker->laps;
    struct laps *laps = worker->laps = cy_try_alloc(sizeof(*laps));
    if (!laps)
        return NULL;
    laps->turns = cy_try_alloc((header->table_count + 1) * sizeof(*laps->turns));
    laps->counters = cy_try_alloc((header->counters + 1) * sizeof(*laps->counters));
    if (!laps->turns || !laps->counters)
        cy_jit_free_laps(worker);
    return worker->laps;
}

static bool make_room(struct laps *laps, uint32_t count)
{
    if (count <= laps->room)
        return true;
    struct stretch *at = cy_try_alloc(2 * (size_t)count * sizeof(*at));
    if (!at)
        return false;
    cy_free(laps->at);
    laps->at = at;
    laps->room = 2 * count;
    return true;
}

/* Laps are in the order in which the strip ended them: those of a loop's turn after the ones of the loops in it. */
static void find_stretches(const struct cy_jit_code *code, struct laps *laps, const struct cy_jit_lap *log,
                           uint32_t count)
{
    enum { TURN_BITS = 20 };
    memset(laps->turns, 0, code->header.table_count * sizeof(*laps->turns));
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t table = log[i].word >> CY_JIT_LAP_TABLE_BIT;
        uint64_t *turn = &laps->turns[table], visit = 0;
        unsigned shift = 0;
        for (uint32_t up = code->tables[table].parent; up != UINT32_MAX; up = code->tables[up].parent) {
            visit |= laps->turns[up] << shift;
            shift += TURN_BITS;
        }
        laps->at[i] = (struct stretch){.table = table,
                                       .visit = visit,
                                       .start = *turn,
                                       .end = *turn + log[i].turns,
                                       .bits = log[i].word & ((1ull << CY_JIT_LAP_LAST_BIT) - 1)};
        *turn = log[i].word >> CY_JIT_LAP_LAST_BIT & 1 ? 0 : laps->at[i].end;
    }
}

static int compare(const void *a, const void *b)
{
    const struct stretch *one = a, *other = b;
    if (one->table != other->table)
        return one->table < other->table ? -1 : 1;
    if (one->visit != other->visit)
        return one->visit < other->visit ? -1 : 1;
    return one->start < other->start ? -1 : one->start > other->start;
}

/* The stretches of one visit to a loop: turn by turn, what some strip has passed.  Those of a strip do not overlap. */
static void count_visit(const struct cy_jit_code *code, uint64_t *counters, const struct stretch *at, uint32_t count)
{
    const struct stretch *now[CY_JIT_MAX_STRIP];
    uint32_t strips = 0, next = 0;
    for (uint64_t turn = 0; strips || next < count;) {
        for (; next < count && at[next].start <= turn && strips < CY_COUNT(now); next++)
            now[strips++] = &at[next];
        uint64_t end = next < count ? at[next].start : UINT64_MAX, bits = 0;
        for (uint32_t i = 0; i < strips; i++) {
            bits |= now[i]->bits;
            end = now[i]->end < end ? now[i]->end : end;
        }
        if (bits && end > turn)
            cy_jit_count_trail(code, counters, &code->tables[at->table], bits, end - turn, 1);
        turn = end > turn ? end : turn;
        for (uint32_t i = 0; i < strips;)
            if (now[i]->end <= turn)
                now[i] = now[--strips];
            else
                i++;
    }
}

static bool keep(struct laps *laps, struct key *key, uint32_t counters)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < counters; i++)
        count += laps->counters[i] != 0;
    if (count > key->room) {
        struct increase *at = cy_try_alloc(count * sizeof(*at));
        if (!at)
            return false;
        cy_free(key->at);
        key->at = at;
        key->room = count;
    }
    key->count = 0;
    for (uint32_t i = 0; i < counters; i++)
        if (laps->counters[i])
            key->at[key->count++] = (struct increase){i, laps->counters[i]};
    return true;
}

/* What a warp of this key adds to each counter. */
static bool find_increases(const struct cy_jit_code *code, struct laps *laps, struct key *key,
                           const struct cy_jit_lap *log, uint32_t count)
{
    if (!make_room(laps, count))
        return false;
    find_stretches(code, laps, log, count);
    qsort(laps->at, count, sizeof(laps->at[0]), compare);
    memset(laps->counters, 0, code->header.counters * sizeof(laps->counters[0]));
    for (uint32_t i = 0, first = 0; i < count; i++)
        if (i + 1 == count || laps->at[i].table != laps->at[i + 1].table ||
            laps->at[i].visit != laps->at[i + 1].visit) {
            count_visit(code, laps->counters, &laps->at[first], i + 1 - first);
            first = i + 1;
        }
    return keep(laps, key, code->header.counters);
}

static void add(const struct key *key, uint64_t *counters, uint64_t warps)
{
    for (uint32_t i = 0; i < key->count; i++)
        counters[key->at[i].counter] += key->at[i].amount * warps;
}

static struct cy_jit_trail *table_of(const struct cy_jit_code *code, uint64_t *counters)
{
    return (struct cy_jit_trail *)(void *)(counters + code->header.counters + code->header.trail_words);
}

uint32_t cy_jit_count_laps(struct cy_jit_frame *frame, uint32_t count, uint64_t key, uint64_t *counters)
{
    struct cy_jit_worker *worker = (struct cy_jit_worker *)frame;
    const struct cy_jit_lap *log = (const struct cy_jit_lap *)(const void *)frame->logs[CY_JIT_LAP_LOG].words;
    const uint64_t place = key * CY_JIT_TRAIL_HASH >> (64 - CY_JIT_LAP_BITS);
    struct cy_jit_trail *trail = &table_of(worker->code, counters)[place];
    struct laps *laps = laps_of(worker);
    if (laps && trail->warps)
        add(&laps->keys[place], counters, trail->warps);
    *trail = (struct cy_jit_trail){key, 1};
    worker->no_memory = !laps || !find_increases(worker->code, laps, &laps->keys[place], log, count);
    return worker->no_memory ? CY_JIT_STOPPED : 0;
}

void cy_jit_add_laps(struct cy_jit_worker *worker)
{
    const struct cy_jit_code *code = worker->code;
    if (!worker->laps)
        return;
    struct cy_jit_trail *trails = table_of(code, worker->frame.counters);
    for (uint32_t i = 0; i < CY_JIT_LAP_KEYS; i++) {
        add(&worker->laps->keys[i], worker->frame.counters, trails[i].warps);
        trails[i].warps = 0;
    }
}
