/* Strings interned to small numbers: the same text always gives the same id, ids count up from 0. */
#ifndef CY_BASE_STRMAP_H
#define CY_BASE_STRMAP_H

#include "base/mem.h"

#define CY_STR_NONE UINT32_MAX

struct cy_str {
    const char *text;
    uint32_t length, hash;
};

struct cy_strmap {
    struct cy_arena arena;
    CY_VEC(struct cy_str) strings;
    uint32_t *slots; /* open addressing, id + 1; 0 = empty */
    uint32_t slot_count;
};

uint32_t cy_strmap_add(struct cy_strmap *map, const char *text, size_t length);
uint32_t cy_strmap_find(const struct cy_strmap *map, const char *text, size_t length); /* or CY_STR_NONE */
void cy_strmap_free(struct cy_strmap *map);
uint32_t cy_hash(const char *text, size_t length);

/* Edit distance for "did you mean"; stops counting at `limit`. */
unsigned cy_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned limit);

#endif
