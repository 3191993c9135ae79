/* States that were seen, in a table by their hash: for memo.c, which knows the states of one SM, and repeat.c, which knows those of the
 * device.  States are compared in full; a hash only finds them. */
#ifndef CY_TIMING_KNOWN_H
#define CY_TIMING_KNOWN_H

#include <string.h>

#include "base/mem.h"

struct path; /* from one state to another, as the file defines it */

struct state {
    uint64_t hash;
    struct state *next; /* with the same place in the table */
    struct path *paths;
    unsigned path_count;
    uint32_t size;
    uint32_t words[];
};

static inline uint64_t state_hash(const uint32_t *words, uint32_t size)
{
    uint64_t sum = size;
    for (uint32_t i = 0; i < size; i += 2) {
        const uint64_t high = i + 1 < size ? words[i + 1] : 0;
        sum = (sum ^ (high << 32 | words[i])) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 32;
    }
    return sum;
}

/* At a place of the table; NULL: not known. */
static inline struct state *state_find(struct state *place, uint64_t hash, const uint32_t *words, uint32_t size)
{
    while (place &&
           (place->hash != hash || place->size != size || memcmp(place->words, words, size * sizeof(words[0])) != 0))
        place = place->next;
    return place;
}

/* NULL: no memory. */
static inline struct state *state_add(struct state **place, uint64_t hash, const uint32_t *words, uint32_t size)
{
    struct state *state = cy_try_alloc(sizeof(*state) + size * sizeof(words[0]));
    if (!state)
        return NULL;
    state->hash = hash;
    state->size = size;
    memcpy(state->words, words, size * sizeof(words[0]));
    state->next = *place;
    *place = state;
    return state;
}

#endif
