#include "base/strmap.h"

#include <assert.h>
#include <string.h>

/* FNV-1a with a final mix, so that the low bits used by the table depend on every character. */
uint32_t cy_hash(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    hash ^= hash >> 15;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    return hash;
}

/* The slot that holds the text, or the empty slot where it belongs.  slot_count is a power of two. */
static uint32_t find_slot(const struct cy_strmap *map, const char *text, size_t length, uint32_t hash)
{
    uint32_t mask = map->slot_count - 1;
    for (uint32_t slot = hash & mask;; slot = (slot + 1) & mask) {
        uint32_t id = map->slots[slot];
        if (id == 0)
            return slot;
        const struct cy_str *str = &map->strings.at[id - 1];
        if (str->hash == hash && str->length == length && (length == 0 || memcmp(str->text, text, length) == 0))
            return slot;
    }
}

static void rehash(struct cy_strmap *map, uint32_t slot_count)
{
    map->slots = cy_xrealloc(map->slots, slot_count * sizeof(*map->slots));
    memset(map->slots, 0, slot_count * sizeof(*map->slots));
    map->slot_count = slot_count;
    uint32_t mask = slot_count - 1;
    for (uint32_t id = 0; id < map->strings.count; id++) {
        uint32_t slot = map->strings.at[id].hash & mask;
        while (map->slots[slot])
            slot = (slot + 1) & mask;
        map->slots[slot] = id + 1;
    }
}

uint32_t cy_strmap_add(struct cy_strmap *map, const char *text, size_t length)
{
    assert(length < UINT32_MAX && "names are shorter than 4 GiB");
    if (map->strings.count >= map->slot_count / 2) {
        assert(map->slot_count < (1u << 30) && "fewer than 2^29 distinct names");
        rehash(map, map->slot_count ? map->slot_count * 2 : 64);
    }
    uint32_t hash = cy_hash(text, length);
    uint32_t slot = find_slot(map, text, length, hash);
    if (map->slots[slot] == 0) {
        *cy_vec_push(&map->strings) = (struct cy_str){
            .text = cy_arena_strndup(&map->arena, text, length),
            .length = (uint32_t)length,
            .hash = hash,
        };
        map->slots[slot] = (uint32_t)map->strings.count;
    }
    return map->slots[slot] - 1;
}

uint32_t cy_strmap_find(const struct cy_strmap *map, const char *text, size_t length)
{
    if (map->slot_count == 0)
        return CY_STR_NONE;
    uint32_t id = map->slots[find_slot(map, text, length, cy_hash(text, length))];
    return id ? id - 1 : CY_STR_NONE;
}

void cy_strmap_free(struct cy_strmap *map)
{
    cy_arena_free(&map->arena);
    cy_vec_free(&map->strings);
    cy_free(map->slots);
    map->slots = NULL;
    map->slot_count = 0;
}

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Levenshtein distance in which swapping two neighbours counts one (optimal string alignment), because that is the most
 * common typing mistake.  Three rows; names longer than the rows count as unrelated. */
unsigned cy_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned limit)
{
    enum { LONGEST = 127 };
    size_t longer = a_length > b_length ? a_length : b_length;
    size_t difference = longer - (a_length > b_length ? b_length : a_length);
    if (difference >= limit || longer > LONGEST)
        return limit;

    unsigned rows[3][LONGEST + 1];
    unsigned *before = rows[0], *above = rows[1], *current = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        current[0] = (unsigned)i;
        unsigned smallest = current[0];
        for (size_t j = 1; j <= b_length; j++) {
            unsigned cost = a[i - 1] != b[j - 1];
            unsigned best = min_of(min_of(above[j], current[j - 1]) + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = min_of(best, before[j - 2] + 1);
            current[j] = best;
            smallest = min_of(smallest, best);
        }
        /* Row minima grow by at most one per row, so a swap, which looks two rows back, cannot get below either. */
        if (smallest >= limit)
            return limit;
        unsigned *spare = before;
        before = above;
        above = current;
        current = spare;
    }
    return min_of(above[b_length], limit);
}
