/* Names for cache lines: numbers in the order in which lines are first met.
 *
 * What a cache does depends on which lines are the same and on their sets, not on where they are: if the lines of two states, named
 * like this, are the same, and so are those that are accessed from then on, then so is everything that happens. */
#ifndef CY_TIMING_NAMES_H
#define CY_TIMING_NAMES_H

#include "timing/model.h"

#define MOST_NAMES (1u << 15)
#define NO_NAME UINT32_MAX

struct names {
    uint32_t count;
    uint32_t sets;                  /* bits of a line that decide where caches keep it, */
    uint32_t write_sets;            /* and if it is only written: the L1D does not take it in then */
    uint32_t code_first, code_last; /* lines that may be code have no names */
    bool has_failed;                /* there was such a line, or there were too many */
    uint32_t line[MOST_NAMES];
    uint32_t place[MOST_NAMES];     /* of each in the table */
    uint32_t table[2 * MOST_NAMES]; /* name + 1; 0: empty */
};

static inline uint32_t names_place(const struct names *names, uint32_t line)
{
    uint32_t at = line * 0x9e3779b1u >> 16;
    while (names->table[at] && names->line[names->table[at] - 1] != line)
        at = (at + 1) % (2 * MOST_NAMES);
    return at;
}

static inline uint32_t names_find(const struct names *names, uint32_t line)
{
    return names->table[names_place(names, line)] - 1; /* NO_NAME if there is none */
}

static inline uint32_t names_add(struct names *names, uint32_t line)
{
    const uint32_t at = names_place(names, line);
    if (names->table[at])
        return names->table[at] - 1;
    if (names->count == MOST_NAMES || (line >= names->code_first && line <= names->code_last)) {
        names->has_failed = true;
        return 0;
    }
    names->line[names->count] = line;
    names->place[names->count] = at;
    names->table[at] = ++names->count;
    return names->count - 1;
}

/* Forgets the newest names: what was added last is in nobody's way in the table. */
static inline void names_cut(struct names *names, uint32_t count)
{
    while (names->count > count)
        names->table[names->place[--names->count]] = 0;
    names->has_failed = false;
}

#endif
