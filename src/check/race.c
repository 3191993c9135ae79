/* Two work-items, at least one write, not both atomic, and no barrier that orders them.
 *
 * A cell remembers the last writer and one reader; with the barriers of each work-group counted (epochs), two accesses of
 * one group are ordered if their epochs differ, and two of different groups are not ordered at all, unless atomic
 * operations synchronise them (order.c).  What happened to run first does not matter, so that a race is found
 * whatever the schedule was. */
#include "check/check_priv.h"

#include <stdio.h>
#include <string.h>

struct cell *cell_of(struct cy_check_launch *l, struct group *group, bool local, uint64_t address, unsigned size)
{
    if (local) {
        group->bytes |= size < 4;
        return &group->local[(address - group->lds) / 4];
    }
    struct shadow *shadow = &l->machine->shadow;
    struct page *page = shadow_page(shadow, address);
    if (UNLIKELY(!page) || (UNLIKELY(!page->touched) && !shadow_cells(shadow, address)))
        return NULL;
    page->bytes |= size < 4;
    return &page->cells[(address & (PAGE_BYTES - 1)) / 4];
}

/* ---- reports ---- */

static const struct op *op_of_site(const struct cy_check_launch *l, uint32_t site)
{
    const uint32_t pc = site_pc(l, site);
    return pc ? &l->ops[(pc - l->base) / 4] : NULL;
}

static const char *describe(char *out, size_t size, const struct op *op, bool write)
{
    snprintf(out, size, "%s of %u byte%s",
             op->atomic ? "atomic access"
             : write    ? "write"
                        : "read",
             op->size * op->words, op->size == 1 ? "" : "s");
    return out;
}

/* Did both write the same value?  Memory has the other one's, unless that was an earlier lane of this very instruction. */
static bool same_value(const struct cy_check_launch *l, const struct access *a, unsigned lane, uint64_t address,
                       uint32_t other)
{
    const uint32_t first = a->state->group->first + a->warp->tid + 1;
    const uint32_t mask = a->op->size == 4 ? UINT32_MAX : (1u << 8 * a->op->size) - 1;
    uint32_t value = 0;
    if (!a->data)
        return false;
    if (a->uniform) {
        if (lane != (unsigned)__builtin_ctzll(a->warp->active))
            return true;
        lane = 0;
    } else if (!a->state->async_active && other - first < lane && a->warp->active >> (other - first) & 1 &&
               address_of(a, other - first) == address)
        return !((a->data[other - first] ^ a->data[lane]) & mask);
    memcpy(&value, value_at(l, a, address), a->op->size);
    return value == (a->data[lane] & mask);
}

static void conflict(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local, bool write,
                     uint32_t other, uint32_t other_info, bool other_write)
{
    enum { MOST_STEPS = 1 << 22 }; /* less than a second */
    const uint32_t site = info_site(other_info);
    const uint64_t address = address_of(a, lane);
    const uint32_t other_pc = site_pc(l, site);
    /* the two sides in one order, so that a pair is one report whichever came first */
    const uint32_t low = a->pc < other_pc ? a->pc : other_pc, high = a->pc < other_pc ? other_pc : a->pc;
    const struct object *object =
        local ? find_object(&l->local, address - a->state->group->lds) : find_object(&l->global, address);
    const bool same = write && other_write && !a->op->atomic && same_value(l, a, lane, address, other);
    const enum kind kind = same ? K_RACE_SAME : K_RACE;
    if (same && l->check->options.no_same_value)
        return;
    /* a race that all work-items run into would need a search for each of them, only to be counted */
    if (l->steps_back > MOST_STEPS && report_is_known(l, kind, low, high, object ? object->start : 0))
        return;
    if (happened_before(l, a, lane, local, other, other_info, other_write))
        return;
    if (l->check->options.raced && !same)
        l->check->options.raced(l->check->options.context, local, address, a->op->size);
    if (!report_is_new(l, kind, low, high, object ? object->start : 0))
        return;
    char self_text[64], other_text[64];
    struct finding f = {.kind = kind,
                        .self = {a->pc, item_of(l, a, lane), describe(self_text, sizeof(self_text), a->op, write)},
                        .other = {other_pc, other, NULL},
                        .object = object};
    f.other.what = other_pc ? describe(other_text, sizeof(other_text), op_of_site(l, site), other_write) : "access";
    const bool in_one_group =
        other ? (other - 1) >> l->shift == (f.self.item - 1) >> l->shift : !(other_info & MANY_OUT);
    snprintf(f.text, sizeof(f.text), "data race on %s%s%s in %s memory, between work-items of %s%s", object ? "`" : "",
             object ? object->name : "a word", object ? "`" : "", local ? "local" : "global",
             in_one_group ? "one work-group" : "different work-groups", same ? "; both write the same value" : "");
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
    return actor->atomic && info_atomic(info);
}

/* Adds a read to those that the cell remembers: one of them in full, the last of its group, rather a plain one. */
static void add_reader(const struct cy_check_launch *l, struct cell *cell, uint32_t who, uint32_t info)
{
    const uint32_t reader = cell->reader, many = cell->r & (MANY_IN | MANY_OUT);
    const bool gives_way = info_atomic(cell->r) && !info_atomic(info);
    if (!reader) {
        cell->reader = who;
        cell->r = info;
    } else if (((reader - 1) ^ (who - 1)) >> l->shift) {
        cell->reader = gives_way ? who : reader;
        cell->r = (gives_way ? info : cell->r) | MANY_OUT;
    } else if (info_epoch(cell->r) != info_epoch(info)) {
        cell->reader = who;
        cell->r = info | (many & MANY_OUT);
    } else {
        cell->reader = gives_way ? who : reader;
        cell->r = (gives_way ? info : cell->r) | many | (reader != who ? MANY_IN : 0);
    }
}

static inline void read_cell(const struct actor *actor, struct cell *cell, uint32_t me, unsigned lane)
{
    const uint32_t writer = cell->writer, reader = cell->reader;
    if (writer == me && info_epoch(cell->w) == actor->epoch && (actor->atomic || !info_atomic(cell->w)))
        return; /* whoever races with this read races with the write */
    if (writer && writer != me && !is_ordered(actor, me, writer, cell->w) && !both_atomic(actor, cell->w)) {
        conflict(actor->l, actor->a, lane, actor->local, false, writer, cell->w, true);
    } else if (reader && (reader != me || cell->r & MANY_IN) && !actor->atomic && info_atomic(cell->r) &&
               !(info_site(cell->r) & SITE_READS) && !is_ordered(actor, me, reader, cell->r)) {
        conflict(actor->l, actor->a, lane, actor->local, false, reader != me ? reader : 0, cell->r, true);
    }
    add_reader(actor->l, cell, me, actor->info);
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
        if (!actor->atomic)
            cell->reader = cell->r = 0;
    }
    const bool same_group = writer && !(((writer - 1) ^ (me - 1)) >> actor->l->shift);
    const bool over = actor->local && same_group && is_ordered(actor, me, writer, cell->w); /* all of them are later */
    if (actor->atomic && same_group && !info_atomic(cell->w) && !over) {
        add_reader(actor->l, cell, me, actor->info); /* the plain write conflicts with more */
        return;
    }
    if (actor->atomic && writer && writer != me && !over)
        add_reader(actor->l, cell, writer, cell->w & ~15u);
    cell->writer = me;
    cell->w = actor->info | (cell->w & 15);
}

static void access_bytes(const struct actor *actor, struct cell *cell, uint64_t address, uint32_t me, unsigned lane)
{
    struct cell byte[4];
    bytes_unpack(actor->l, cell, byte);
    for (unsigned i = address & 3; i < (address & 3) + actor->a->op->size && i < 4; i++)
        if (actor->write)
            write_cell(actor, &byte[i], me, lane);
        else
            read_cell(actor, &byte[i], me, lane);
    bytes_pack(actor->l, cell, byte, actor->local);
}

static void access_lane(const struct actor *from, unsigned lane)
{
    struct actor reads;
    const struct actor *actor = from;
    if (UNLIKELY(from->a->op->may_read) && !from->a->data[lane]) { /* a fetch-or of 0: an atomic load */
        reads = *from;
        reads.write = false;
        reads.info |= SITE_READS << 16;
        actor = &reads;
    }

    const uint64_t address = address_of(actor->a, lane);
    const uint32_t me = item_of(actor->l, actor->a, lane);
    struct cell *cell = cell_of(actor->l, actor->a->state->group, actor->local, address, actor->a->op->size);
    if (UNLIKELY(!cell)) {
        actor->l->no_memory = true;
        return;
    }
    if (UNLIKELY(actor->a->op->size < 4 || cell->r & BYTES_MASK))
        access_bytes(actor, cell, address, me, lane);
    else if (actor->write)
        write_cell(actor, cell, me, lane);
    else
        read_cell(actor, cell, me, lane);
    if (actor->l->tracks_sync && !actor->atomic && actor->a->state->synced)
        order_stamp(actor->l, address, actor->write);
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
        access_lane(&actor, (unsigned)__builtin_ctzll(active));
        active &= active - 1;
        if (active)
            access_lane(&actor, (unsigned)__builtin_ctzll(active));
        return;
    }
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        access_lane(&actor, lane);
    }
}
