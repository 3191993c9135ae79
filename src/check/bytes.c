/* Words whose bytes were accessed by different work-items.  Almost always they are consecutive ones, as in
 * p[get_global_id(0)] of a buffer of bytes: then the word's own cell says it all.  The others, a few at any time, are in a
 * list of the launch. */
#include "check/check_priv.h"

static uint32_t after(uint32_t item, unsigned by)
{
    return item ? item + by : 0;
}

void bytes_unpack(const struct cy_check_launch *l, const struct cell *cell, struct cell byte[4])
{
    const struct cell *apart = cell->r & BYTES_APART ? l->apart.at[cell->writer].byte : NULL;
    const unsigned step = cell->r & BYTES_CONSECUTIVE ? 1 : 0;
    for (unsigned i = 0; i < 4; i++)
        byte[i] = apart ? apart[i]
                        : (struct cell){.writer = after(cell->writer, step * i),
                                        .reader = after(cell->reader, step * i),
                                        .w = cell->w & ~15u,
                                        .r = cell->r & ~(uint32_t)BYTES_MASK};
}

/* Do all bytes fit into one cell, with work-items `step` apart? */
static bool fits(const struct cell byte[4], unsigned step)
{
    for (unsigned i = 1; i < 4; i++)
        if (byte[i].writer != after(byte[0].writer, step * i) || byte[i].reader != after(byte[0].reader, step * i) ||
            (byte[i].w ^ byte[0].w) >> 4 || byte[i].r != byte[0].r)
            return false;
    return true;
}

static struct apart *take(struct cy_check_launch *l, uint32_t *number)
{
    if (l->apart_free) {
        *number = l->apart_free - 1;
        l->apart_free = l->apart.at[*number].next_free;
        return &l->apart.at[*number];
    }
    *number = (uint32_t)l->apart.count;
    return cy_vec_try_push(&l->apart);
}

void bytes_pack(struct cy_check_launch *l, struct cell *cell, const struct cell byte[4], bool local)
{
    const uint32_t defined = cell->w & 15, old = cell->writer;
    const bool was_apart = cell->r & BYTES_APART;
    const bool same = fits(byte, 0);
    if (same || fits(byte, 1)) {
        *cell = (struct cell){.writer = byte[0].writer,
                              .reader = byte[0].reader,
                              .w = (byte[0].w & ~15u) | defined,
                              .r = byte[0].r | (same ? 0 : BYTES_CONSECUTIVE)};
        if (was_apart) {
            l->apart.at[old].is_used = false;
            l->apart.at[old].next_free = l->apart_free;
            l->apart_free = old + 1;
        }
        return;
    }
    uint32_t number = old;
    struct apart *apart = was_apart ? &l->apart.at[old] : take(l, &number);
    if (!apart) {
        l->no_memory = true;
        *cell = (struct cell){.w = defined};
        return;
    }
    *apart = (struct apart){.byte = {byte[0], byte[1], byte[2], byte[3]}, .is_local = local, .is_used = true};
    *cell = (struct cell){.writer = number, .w = defined, .r = BYTES_APART};
}

void bytes_age(struct cy_check_launch *l, bool local, uint32_t group)
{
    for (size_t i = 0; i < l->apart.count; i++)
        for (unsigned k = 0; k < 4 && l->apart.at[i].is_used && l->apart.at[i].is_local == local; k++) {
            struct cell *cell = &l->apart.at[i].byte[k];
            if (cell->writer && (cell->writer - 1) >> l->shift == group)
                cell->w |= EPOCH_OLD << 4;
            if (cell->reader && (cell->reader - 1) >> l->shift == group)
                cell->r |= EPOCH_OLD << 4;
        }
}
