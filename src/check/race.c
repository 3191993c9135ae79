/* Two work-items, at least one write, not both atomic, and no barrier that orders them.
 *
 * A cell remembers the last writer and one reader; with the barriers of each work-group counted (epochs), two accesses of
 * one group are ordered if their epochs differ, and two of different groups are not ordered at all, unless atomic
 * operations synchronise them (sync edges below).  What happened to run first does not matter, so that a race is found
 * whatever the schedule was. */
#include "check/check_priv.h"

#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

struct cell *cells_of(struct cy_check_launch *l, struct group *group, bool local, uint32_t address, unsigned size,
                      unsigned *count)
{
    if (local) {
        const uint32_t offset = address - group->lds;
        if (UNLIKELY(size < 4 && !group->bytes)) {
            struct cell *fine = cy_try_alloc(((size_t)group->lds_size + 4) * sizeof(*fine));
            if (!fine)
                return NULL;
            for (uint32_t i = 0; i < group->lds_size; i++) {
                fine[i] = group->local[i / 4];
                fine[i].w = (fine[i].w & ~15u) | (fine[i].w >> (i & 3) & 1);
            }
            cy_free(group->local);
            group->local = fine;
            group->bytes = true;
        }
        *count = group->bytes ? size : 1;
        return &group->local[group->bytes ? offset : offset / 4];
    }
    struct shadow *shadow = &l->machine->shadow;
    const struct page *page = &shadow->pages[address >> PAGE_SHIFT];
    if (UNLIKELY(!page->touched) && !shadow_cells(shadow, address))
        return NULL;
    if (UNLIKELY(size < 4 && !page->bytes) && !shadow_split(shadow, address))
        return NULL;
    const uint32_t at = address & (PAGE_BYTES - 1);
    *count = page->bytes ? size : 1;
    return &page->cells[page->bytes ? at : at / 4];
}

/* ---- sync edges ---- */

static struct stamp *stamp_of(struct cy_check_launch *l, uint32_t address, bool make)
{
    if (make && l->stamp_count * 2 >= l->stamp_room) {
        const size_t room = l->stamp_room ? 2 * l->stamp_room : 1024;
        struct stamp *old = l->stamps, *made = cy_try_alloc(room * sizeof(*made));
        const size_t old_room = l->stamp_room;
        if (!made) {
            l->no_memory = true;
            return NULL;
        }
        l->stamps = made;
        l->stamp_room = room;
        l->stamp_count = 0;
        for (size_t i = 0; i < old_room; i++)
            if (old[i].address)
                *stamp_of(l, old[i].address, true) = old[i];
        cy_free(old);
    }
    for (size_t i = (address >> 2) * 2654435761u; l->stamp_room; i++) {
        struct stamp *stamp = &l->stamps[i & (l->stamp_room - 1)];
        if (stamp->address == address)
            return stamp;
        if (stamp->address)
            continue;
        if (make) {
            stamp->address = address;
            l->stamp_count++;
        }
        return make ? stamp : NULL;
    }
    return NULL;
}

/* Atomic operations order what their work-items do before and after them, if one sees what the other wrote; together
 * with the barriers before and after, for whole work-groups. */
void race_atomic(struct cy_check_launch *l, const struct access *a)
{
    const enum cy_op row = a->op->insn->op;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        struct sync_event *event = cy_vec_try_push(&l->events);
        if (!event) {
            l->no_memory = true;
            return;
        }
        uint32_t value;
        memcpy(&value, l->memory + a->address[lane], sizeof(value));
        /* waiting for a lock with an exchange that changes nothing is no release */
        const bool changes = row != CY_OP_amoswap_w || !a->data || a->data[lane] != value;
        *event = (struct sync_event){.address = a->address[lane],
                                     .item = item_of(l, a, lane),
                                     .global_epoch = a->state->global_epoch,
                                     .local_epoch = a->state->local_epoch,
                                     .releases = row != CY_OP_lr_w && changes,
                                     .acquires = row != CY_OP_sc_w};
    }
    a->state->synced |= a->lanes;
}

/* Has the access of `other` been released, and has this work-item, or its group, acquired it? */
static bool is_synchronised(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local,
                            uint32_t other, uint32_t other_info, bool other_write)
{
    enum { MOST_EVENTS = 1 << 16, MOST_LOCKS = 16 };
    const uint32_t me = item_of(l, a, lane), address = a->address[a->uniform ? 0 : lane];
    const struct stamp *stamp = l->tracks_sync ? stamp_of(l, address, false) : NULL;
    const uint32_t since = !stamp ? 0 : other_write ? stamp->written : stamp->read;
    uint32_t locks[MOST_LOCKS], lock_count = 0;
    if (!l->tracks_sync || !other)
        return false;
    for (size_t i = l->events.count, end = i > MOST_EVENTS ? i - MOST_EVENTS : 0; i-- > end && i >= since;) {
        const struct sync_event *e = &l->events.at[i];
        const bool is_mine = ((e->item - 1) ^ (me - 1)) >> l->shift == 0;
        const uint32_t epoch = local ? e->local_epoch : e->global_epoch;
        if (is_mine && e->acquires && lock_count < MOST_LOCKS &&
            (e->item == me || epoch != (local ? a->state->local_epoch : a->state->global_epoch)))
            locks[lock_count++] = e->address;
        if (!e->releases || ((e->item - 1) ^ (other - 1)) >> l->shift ||
            (e->item != other && epoch == info_epoch(other_info)))
            continue;
        for (uint32_t k = 0; k < lock_count; k++)
            if (locks[k] == e->address && (e->item != me || e->item != other))
                return true;
    }
    return false;
}

/* ---- reports ---- */

static const struct op *op_of_site(const struct cy_check_launch *l, uint32_t site)
{
    return &l->ops[(l->sites.at[site - 1] - l->base) / 4];
}

static const char *describe(char *out, size_t size, const struct op *op, bool write)
{
    snprintf(out, size, "%s of %u byte%s",
             op->atomic ? "atomic access"
             : write    ? "write"
                        : "read",
             op->size, op->size == 1 ? "" : "s");
    return out;
}

/* Both wrote the same value?  Memory has what the other one wrote, unless that was a lane of this very instruction. */
static bool same_value(const struct access *a, unsigned lane, uint32_t address, uint32_t other,
                       const struct cy_check_launch *l)
{
    const uint32_t first = a->state->group->first + a->warp->tid + 1;
    uint32_t value = 0;
    if (!a->data)
        return false;
    if (a->uniform)
        return true;
    if (other - first < a->warp->numt && a->lanes >> (other - first) & 1 && a->address[other - first] == address)
        return a->data[other - first] == a->data[lane];
    memcpy(&value, l->memory + address, a->op->size);
    return value == (a->op->size == 4 ? a->data[lane] : a->data[lane] & ((1u << 8 * a->op->size) - 1));
}

static void conflict(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local, bool write,
                     uint32_t other, uint32_t other_info, bool other_write)
{
    const uint32_t site = info_site(other_info), address = a->address[a->uniform ? 0 : lane];
    if (is_synchronised(l, a, lane, local, other, other_info, other_write))
        return;
    const bool same = write && other_write && !a->op->atomic && same_value(a, lane, address, other, l);
    const uint32_t other_pc = site ? l->sites.at[site - 1] : 0;
    const enum kind kind = same ? K_RACE_SAME : K_RACE;
    if (same && l->check->options.no_same_value)
        return;
    const struct object *object =
        local ? find_object(&l->local, address - a->state->group->lds) : find_object(&l->global, address);
    /* the two sides in one order, so that a pair is one report whichever came first */
    const uint32_t low = a->pc < other_pc ? a->pc : other_pc, high = a->pc < other_pc ? other_pc : a->pc;
    if (!report_is_new(l, kind, low, high, object ? object->start : 0))
        return;
    char self_text[64], other_text[64];
    struct finding f = {.kind = kind,
                        .self = {a->pc, item_of(l, a, lane), describe(self_text, sizeof(self_text), a->op, write)},
                        .other = {other_pc, other, NULL},
                        .object = object};
    f.other.what = site ? describe(other_text, sizeof(other_text), op_of_site(l, site), other_write) : "access";
    const bool same_group = other && (other - 1) >> l->shift == (f.self.item - 1) >> l->shift;
    snprintf(f.text, sizeof(f.text), "data race on %s%s%s in %s memory, between work-items of %s%s", object ? "`" : "",
             object ? object->name : "a word", object ? "`" : "", local ? "local" : "global",
             same_group ? "one work-group" : "different work-groups", same ? "; both write the same value" : "");
    report_show(l, &f);
}

/* ---- the rules ---- */

struct actor {
    struct cy_check_launch *l;
    const struct access *a;
    uint32_t epoch, info; /* site and epoch, as in a cell */
    bool local, atomic, write;
};

/* Is an earlier access by `other` ordered before this one? */
static inline bool is_ordered(const struct actor *actor, uint32_t me, uint32_t other, uint32_t info)
{
    return ((other - 1) ^ (me - 1)) >> actor->l->shift == 0 && info_epoch(info) != actor->epoch;
}

static bool both_atomic(const struct actor *actor, uint32_t info)
{
    const uint32_t site = info_site(info);
    return actor->atomic && site && op_of_site(actor->l, site)->atomic;
}

static inline void read_cell(const struct actor *actor, struct cell *cell, uint32_t me, unsigned lane)
{
    const uint32_t writer = cell->writer;
    if (writer == me && info_epoch(cell->w) == actor->epoch)
        return; /* whoever races with this read races with the write */
    if (writer && writer != me && !is_ordered(actor, me, writer, cell->w) && !both_atomic(actor, cell->w))
        conflict(actor->l, actor->a, lane, actor->local, false, writer, cell->w, true);
    const uint32_t reader = cell->reader;
    if (!reader) {
        cell->reader = me;
        cell->r = actor->info;
    } else if (((reader - 1) ^ (me - 1)) >> actor->l->shift) {
        cell->r |= MANY_OUT;
    } else if (info_epoch(cell->r) != actor->epoch) {
        cell->reader = me;
        cell->r = actor->info | (cell->r & MANY_OUT);
    } else if (reader != me) {
        cell->r |= MANY_IN;
        if (!actor->atomic && both_atomic(&(struct actor){.l = actor->l, .atomic = true}, cell->r)) {
            cell->reader = me; /* a plain reader conflicts with more */
            cell->r = actor->info | (cell->r & (MANY_IN | MANY_OUT));
        }
    }
}

static inline void write_cell(const struct actor *actor, struct cell *cell, uint32_t me, unsigned lane)
{
    const uint32_t writer = cell->writer, reader = cell->reader;
    if (writer && writer != me && !is_ordered(actor, me, writer, cell->w) && !both_atomic(actor, cell->w))
        conflict(actor->l, actor->a, lane, actor->local, true, writer, cell->w, true);
    if (reader) {
        const bool ordered = is_ordered(actor, me, reader, cell->r);
        if (reader != me && !ordered && !both_atomic(actor, cell->r))
            conflict(actor->l, actor->a, lane, actor->local, true, reader, cell->r, false);
        else if (((cell->r & MANY_IN && !ordered) || cell->r & MANY_OUT) && !both_atomic(actor, cell->r))
            conflict(actor->l, actor->a, lane, actor->local, true, 0, cell->r, false);
        cell->reader = cell->r = 0;
    }
    if (writer == me && actor->atomic && info_epoch(cell->w) == actor->epoch)
        return; /* its plain write, if it was one, conflicts with more */
    cell->writer = me;
    cell->w = actor->info | (cell->w & 15);
}

static void access_lane(const struct actor *actor, uint32_t address, unsigned lane)
{
    const uint32_t me = item_of(actor->l, actor->a, lane);
    unsigned count;
    struct cell *cell = cells_of(actor->l, actor->a->state->group, actor->local, address, actor->a->op->size, &count);
    if (UNLIKELY(!cell)) {
        actor->l->no_memory = true;
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (actor->write)
            write_cell(actor, &cell[i], me, lane);
        else
            read_cell(actor, &cell[i], me, lane);
    if (actor->l->tracks_sync && !actor->atomic && actor->a->state->synced) {
        struct stamp *stamp = stamp_of(actor->l, address, true);
        if (stamp)
            *(actor->write ? &stamp->written : &stamp->read) = (uint32_t)actor->l->events.count;
    }
}

void race_check(struct cy_check_launch *l, const struct access *a, bool local)
{
    struct actor actor = {.l = l,
                          .a = a,
                          .epoch = local ? a->state->local_epoch : a->state->global_epoch,
                          .local = local,
                          .atomic = a->op->atomic,
                          .write = a->op->store};
    actor.info = (uint32_t)a->op->site << 16 | actor.epoch << 4;
    if (a->uniform) { /* one access for all; a second one says that there are several */
        uint64_t active = a->warp->active;
        access_lane(&actor, a->address[0], (unsigned)__builtin_ctzll(active));
        active &= active - 1;
        if (active)
            access_lane(&actor, a->address[0], (unsigned)__builtin_ctzll(active));
        return;
    }
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        access_lane(&actor, a->address[lane], lane);
    }
}
