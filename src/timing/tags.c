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

uint32_t tags_fill(struct tags *tags, uint32_t line, uint64_t cycle)
{
    if (!tags->sets)
        return 0;
    const uint32_t first = (line & (tags->sets - 1)) * tags->ways;
    uint32_t victim = first;
    if (tags->ways == 2) {
        const uint32_t *at = &tags->line[first];
        if (at[0] == line + 1 || (at[0] && at[1] == line + 1))
            return 0;
        victim += at[0] && (!at[1] || tags->used[first + 1] < tags->used[first]);
    }
    for (uint32_t i = first; tags->ways != 2 && i < first + tags->ways; i++) {
        if (tags->line[i] == line + 1)
            return 0;
        if (!tags->line[i]) {
            victim = i;
            break;
        }
        if (tags->used[i] < tags->used[victim])
            victim = i;
    }
    const uint32_t written = tags->dirty[victim] ? tags->line[victim] : 0;
    tags->line[victim] = line + 1;
    tags->fills++;
    tags->used[victim] = cycle;
    tags->dirty[victim] = false;
    return written;
}
