/* The tags of a cache: sets, ways, least recently used. */
#include "timing/model.h"

#include <string.h>

bool tags_init(struct tags *tags, uint32_t sets, uint32_t ways)
{
    const size_t count = (size_t)sets * ways;
    *tags = (struct tags){.sets = sets, .ways = ways};
    tags->line = cy_try_alloc(count * sizeof(tags->line[0]) + 1);
    tags->used = cy_try_alloc(count * sizeof(tags->used[0]) + 1);
    tags->dirty = cy_try_alloc(count * sizeof(tags->dirty[0]) + 1);
    return tags->line && tags->used && tags->dirty;
}

void tags_free(struct tags *tags)
{
    cy_free(tags->line);
    cy_free(tags->used);
    cy_free(tags->dirty);
    *tags = (struct tags){0};
}

void tags_clear(struct tags *tags)
{
    const size_t count = (size_t)tags->sets * tags->ways;
    memset(tags->line, 0, count * sizeof(tags->line[0]));
    memset(tags->used, 0, count * sizeof(tags->used[0]));
    memset(tags->dirty, 0, count * sizeof(tags->dirty[0]));
}

void tags_remove(struct tags *tags, int index)
{
    tags->line[index] = 0;
    tags->dirty[index] = false;
    tags->fills++;
}
