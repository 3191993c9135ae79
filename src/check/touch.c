/* The common case of an access, for both tools that use the shadow: whole words by the lanes of a warp, no conflict,
 * nothing undefined.  What is not common is left to race.c and init.c. */
#include "check/check_priv.h"

#define INLINE static inline __attribute__((always_inline))

struct touch {
    uint32_t first, epoch, info, shift;
};

/* No conflict, and nothing to remember but what is set here. */
INLINE bool read_word(const struct touch *t, struct cell *cell, uint32_t me, bool local)
{
    const uint32_t writer = cell->writer, reader = cell->reader;
    if (writer && (writer == me ? info_atomic(cell->w)
                                : info_epoch(cell->w) == t->epoch || (!local && ((writer - 1) ^ (me - 1)) >> t->shift)))
        return false;
    if (!reader) {
        cell->reader = me;
        cell->r = t->info;
        return true;
    }
    if (UNLIKELY(info_atomic(cell->r)))
        return false;
    if (!local && ((reader - 1) ^ (me - 1)) >> t->shift) {
        cell->r |= MANY_OUT;
        return true;
    }
    if (info_epoch(cell->r) != t->epoch) {
        cell->reader = me;
        cell->r = t->info | (cell->r & MANY_OUT);
        return true;
    }
    if (reader == me)
        return true;
    cell->r |= MANY_IN;
    return true;
}

INLINE bool write_word(const struct touch *t, struct cell *cell, uint32_t me, bool local)
{
    const uint32_t writer = cell->writer, reader = cell->reader;
    if (writer && writer != me &&
        (info_epoch(cell->w) == t->epoch || (!local && ((writer - 1) ^ (me - 1)) >> t->shift)))
        return false;
    if (reader) {
        if (cell->r & MANY_OUT || (info_epoch(cell->r) == t->epoch && (reader != me || cell->r & MANY_IN)) ||
            (!local && reader != me && ((reader - 1) ^ (me - 1)) >> t->shift))
            return false;
        cell->reader = cell->r = 0;
    }
    cell->writer = me;
    cell->w = t->info | (cell->w & 15);
    return true;
}

/* After the same instruction of others, as in a histogram: the last one is the writer, the others are readers. */
INLINE bool atomic_word(const struct touch *t, struct cell *cell, uint32_t me)
{
    const uint32_t writer = cell->writer;
    if ((writer && info_site(cell->w) != info_site(t->info)) ||
        (cell->reader && (!writer || info_site(cell->r) != info_site(t->info))))
        return false;
    if (writer && writer != me) {
        if (!cell->reader || (((cell->reader - 1) ^ (writer - 1)) >> t->shift == 0 && (cell->r ^ cell->w) & 0xfff0)) {
            cell->reader = writer;
            cell->r = (cell->w & ~15u) | (cell->r & MANY_OUT);
        } else if (cell->reader != writer) {
            cell->r |= ((cell->reader - 1) ^ (writer - 1)) >> t->shift ? MANY_OUT : MANY_IN;
        }
    }
    cell->writer = me;
    cell->w = t->info | (cell->w & 15);
    return true;
}

static uint64_t touch_atomic(const struct touch *t, const struct access *a, struct cell *cells, uint32_t origin,
                             uint32_t *defined)
{
    uint64_t left_over = 0;
    uint32_t all = 15;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        struct cell *cell = &cells[(a->address[lane] - origin) >> 2];
        if (UNLIKELY(!atomic_word(t, cell, t->first + lane)))
            left_over |= 1ull << lane;
        all &= cell->w;
    }
    *defined = all;
    return left_over;
}

/* Returns the lanes that are left to others; `defined` is what all words have in common. */
INLINE uint64_t touch_lanes(const struct touch *t, const struct access *a, struct cell *cells, uint32_t origin,
                            bool local, bool write, bool race, bool init, uint32_t *defined)
{
    uint64_t left_over = 0;
    uint32_t all = 15;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        struct cell *cell = &cells[(a->address[lane] - origin) >> 2];
        if (race) {
            const uint32_t me = t->first + lane;
            if (UNLIKELY(!(write ? write_word(t, cell, me, local) : read_word(t, cell, me, local))))
                left_over |= 1ull << lane;
        }
        if (init && write)
            cell->w |= 15;
        else if (init)
            all &= cell->w;
    }
    *defined = all;
    return left_over;
}

/* The same for lanes whose words are on several pages; pages that are not as usual are left to others. */
static void touch_pages(struct cy_check_launch *l, const struct touch *t, struct access *a, bool race, bool init)
{
    const uint64_t lanes = a->lanes;
    const bool write = a->op->store;
    uint64_t left_over = 0, unusual = 0;
    uint32_t all = 15;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t address = a->address[lane];
        const struct page *page = shadow_page(&l->machine->shadow, a->base | address);
        if (UNLIKELY(!page || !page->touched || page->bytes)) {
            unusual |= 1ull << lane;
            continue;
        }
        struct cell *cell = &page->cells[(address & (PAGE_BYTES - 1)) >> 2];
        const uint32_t me = t->first + lane;
        if (race && UNLIKELY(!(write ? write_word(t, cell, me, false) : read_word(t, cell, me, false))))
            left_over |= 1ull << lane;
        if (init && write)
            cell->w |= 15;
        all &= cell->w;
    }
    a->lanes = left_over | unusual;
    if (UNLIKELY(a->lanes) && race)
        race_check(l, a, false);
    a->lanes = unusual | (write || (all & 15) == 15 ? 0 : lanes);
    if (UNLIKELY(a->lanes) && init)
        init_access(l, a, false);
    a->lanes = lanes;
}

#define LANES(local, write, race, init) touch_lanes(&t, a, cells, origin, local, write, race, init, &defined)
#define TOOLS(local, write)                                                                                            \
    (race && init ? LANES(local, write, true, true)                                                                    \
     : race       ? LANES(local, write, true, false)                                                                   \
                  : LANES(local, write, false, true))

bool shadow_touch(struct cy_check_launch *l, struct access *a, bool local, uint32_t low, uint32_t high)
{
    const struct op *op = a->op;
    struct warp_state *state = a->state;
    struct group *group = state->group;
    const bool race = l->tools & CY_CHECK_RACE, init = l->tools & CY_CHECK_INIT;
    if ((op->atomic && (l->tracks_sync || !race || !op->store || op->may_read)) || op->size != 4 ||
        state->async_active || (init && !init_is_clean(state)) || (l->tracks_sync && state->synced))
        return false;
    struct cell *cells = group->local;
    uint32_t origin = group->lds, defined;
    if (local && group->bytes)
        return false;
    const bool one_page = local || low >> PAGE_SHIFT == high >> PAGE_SHIFT;
    if (!one_page && op->atomic)
        return false;
    if (!local && one_page) {
        const struct page *page = shadow_page(&l->machine->shadow, a->base | low);
        if (!page || !page->touched || page->bytes)
            return false;
        cells = page->cells;
        origin = low & ~(PAGE_BYTES - 1);
    }
    const uint32_t epoch = local ? state->local_epoch : state->global_epoch;
    l->changes += op->store;
    const struct touch t = {group->first + a->warp->tid + 1, epoch, (uint32_t)op->site << 16 | epoch << 4, l->shift};
    if (!one_page) {
        touch_pages(l, &t, a, race, init);
        return true;
    }
    const uint64_t left_over = op->atomic ? touch_atomic(&t, a, cells, origin, &defined)
                               : local    ? (op->store ? TOOLS(true, true) : TOOLS(true, false))
                                          : (op->store ? TOOLS(false, true) : TOOLS(false, false));
    if (UNLIKELY(left_over)) {
        const uint64_t lanes = a->lanes;
        a->lanes = left_over;
        race_check(l, a, local);
        a->lanes = lanes;
    }
    if (init && (!op->store || op->atomic) && UNLIKELY(defined != 15))
        init_access(l, a, local);
    return true;
}
