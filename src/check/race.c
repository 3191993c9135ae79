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

/* ---- sync edges ---- */

static struct stamp *stamp_of(struct cy_check_launch *l, uint64_t address, bool make)
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

/* Numbers of memory_order and memory_scope in OpenCL C. */
enum { ORDER_RELAXED = 0, ORDER_ACQUIRE = 2, ORDER_RELEASE = 3, ORDER_ACQ_REL = 4, ORDER_SEQ_CST = 5 };
enum { SCOPE_ITEM = 0, SCOPE_GROUP = 1, SCOPE_DEVICE = 2, SCOPE_ALL = 3, SCOPE_SUB_GROUP = 4 };

static unsigned sync_of_order(unsigned order)
{
    return (order >= ORDER_RELEASE ? SYNC_RELEASES : 0) |
           (order != ORDER_RELAXED && order != ORDER_RELEASE ? SYNC_ACQUIRES : 0);
}

/* Only so many of the last ones are remembered: what they order, programs do not leave for long. */
enum { MOST_EVENTS = 1 << 16 };

static struct sync_event *event_at(const struct cy_check_launch *l, uint32_t number)
{
    return &l->events.at[number % MOST_EVENTS];
}

static void add_event(struct cy_check_launch *l, const struct access *a, unsigned lane, struct sync_event event)
{
    struct sync_event *entry = l->event_count < MOST_EVENTS ? cy_vec_try_push(&l->events) : event_at(l, l->event_count);
    if (!entry) {
        l->no_memory = true;
        return;
    }
    l->event_count++;
    event.item = a->state->group->first + a->warp->tid + lane + 1;
    event.global_epoch = a->state->global_epoch;
    event.local_epoch = a->state->local_epoch;
    *entry = event;
    a->state->last_event[lane] = l->event_count;
    if (event.what & SYNC_WRITES)
        l->last_write_event = l->event_count;
}

/* One that waits looks at the same value again and again. */
static bool is_repeated(const struct cy_check_launch *l, const struct access *a, unsigned lane,
                        const struct sync_event *event)
{
    const uint32_t last = a->state->last_event[lane];
    if (!last || event->what & SYNC_WRITES || l->last_write_event >= last || l->event_count - last >= MOST_EVENTS)
        return false;
    const struct sync_event *before = event_at(l, last - 1);
    return before->address == event->address && before->what == event->what && before->scope == event->scope &&
           before->global_epoch == a->state->global_epoch && before->local_epoch == a->state->local_epoch;
}

/* With order and scope as the program gave them.  The functions of OpenCL C 1.x have neither: they order everything
 * before and after them in kernels that fence or wait for each other, which is what such programs mean. */
void race_atomic(struct cy_check_launch *l, const struct access *a, bool local)
{
    const enum cy_op row = a->op->insn->op;
    const uint32_t noted = a->state->order;
    const bool old = noted == ORDER_OLD;
    const unsigned order = old ? ORDER_ACQ_REL : noted & 0xff;
    bool changes = false;
    struct sync_event event = {.scope = old ? SCOPE_DEVICE : (uint8_t)(noted >> 8),
                               .spaces = old     ? IN_LOCAL | IN_GLOBAL
                                         : local ? IN_LOCAL
                                                 : IN_GLOBAL};
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t value;
        memcpy(&value, value_at(l, a, address_of(a, lane)), sizeof(value));
        const bool is_swap = row == CY_OP_amoswap_w || row == CY_OP_amoswap_d;
        const bool is_or = row == CY_OP_amoor_w || row == CY_OP_amoor_d;
        const bool replaces = !old && noted >> 16 & 1, reads = row != CY_OP_sc_w && row != CY_OP_sc_d && !replaces;
        /* a load is a fetch-or of 0; waiting for a lock with an exchange that changes nothing is no release */
        const bool writes = row != CY_OP_lr_w && row != CY_OP_lr_d && !(is_or && a->data && !a->data[lane]) &&
                            (replaces || !is_swap || !a->data || a->data[lane] != value);
        event.address = address_of(a, lane);
        event.what = (uint8_t)((reads ? SYNC_READS : 0) | (writes ? SYNC_WRITES : 0) | (replaces ? SYNC_REPLACES : 0) |
                               (sync_of_order(order) & ((writes ? SYNC_RELEASES : 0) | (reads ? SYNC_ACQUIRES : 0))));
        changes |= writes;
        if (!is_repeated(l, a, lane, &event))
            add_event(l, a, lane, event);
    }
    a->state->synced |= a->lanes;
    l->changes += changes;
    a->state->spins = changes || a->state->spun_at != l->changes ? 0 : a->state->spins + 1;
    a->state->spun_at = l->changes;
}

/* Order 0xff: a barrier of the sub-group, which is a warp. */
void race_fence(struct cy_check_launch *l, const struct access *a, uint32_t fence)
{
    const unsigned order = fence >> 8 & 0xff;
    const struct sync_event event = {.what = (uint8_t)(order == 0xff ? SYNC_MEETS : sync_of_order(order)),
                                     .scope = (uint8_t)(fence >> 16),
                                     .spaces = fence & (IN_LOCAL | IN_GLOBAL)};
    l->tracks_sync |= order == 0xff;
    if (!l->tracks_sync)
        return;
    for (uint64_t left = a->warp->active; left; left &= left - 1)
        add_event(l, a, (unsigned)__builtin_ctzll(left), event);
    a->state->synced |= a->warp->active;
}

/* ---- what happened before: backwards from the access through the events ---- */

/* A work-item of which everything from here on happened before, or `half`: from its next release fence on. */
struct past {
    uint32_t item, epoch;
    bool half;
    bool acquired; /* an acquire fence came later: its reads acquire */
    uint8_t scope;
};
/* An address from which an acquire read, so that the release whose value it saw happened before. */
struct lock {
    uint64_t address;
    uint32_t item;
    uint8_t scope;
    bool open; /* no store has replaced the value yet */
};
struct search {
    const struct cy_check_launch *l;
    uint8_t space;
    struct past past[128];
    unsigned past_count;
    struct lock locks[64];
    unsigned lock_count;
};

static bool same_group(const struct search *s, uint32_t a, uint32_t b)
{
    return ((a - 1) ^ (b - 1)) >> s->l->shift == 0;
}

static bool in_scope(const struct search *s, unsigned scope, uint32_t a, uint32_t b)
{
    const uint32_t mask = (1u << s->l->shift) - 1;
    switch (scope) {
    case SCOPE_ITEM: return a == b;
    case SCOPE_GROUP: return same_group(s, a, b);
    case SCOPE_SUB_GROUP:
        return same_group(s, a, b) && ((a - 1) & mask) / s->l->lanes == ((b - 1) & mask) / s->l->lanes;
    default: return true;
    }
}

static uint32_t epoch_of(const struct search *s, const struct sync_event *e)
{
    return s->space == IN_LOCAL ? e->local_epoch : e->global_epoch;
}

/* The entry from which the work-item's access in that epoch happened before; NULL: none. */
static struct past *find_past(struct search *s, uint32_t item, uint32_t epoch)
{
    for (unsigned i = 0; i < s->past_count; i++) {
        struct past *p = &s->past[i];
        if (!p->half && (p->item == item || (same_group(s, p->item, item) && p->epoch != epoch)))
            return p;
    }
    return NULL;
}

static void add_past(struct search *s, const struct sync_event *e, bool half)
{
    for (unsigned i = 0; i < s->past_count; i++)
        if (s->past[i].item == e->item && s->past[i].half == half)
            return;
    if (s->past_count < CY_COUNT(s->past))
        s->past[s->past_count++] = (struct past){.item = e->item, .epoch = epoch_of(s, e), .half = half};
}

static void add_lock(struct search *s, struct lock lock)
{
    for (unsigned i = 0; i < s->lock_count; i++)
        if (s->locks[i].address == lock.address && s->locks[i].item == lock.item && s->locks[i].open &&
            s->locks[i].scope == lock.scope)
            return; /* one that waits tries often */
    if (s->lock_count < CY_COUNT(s->locks))
        s->locks[s->lock_count++] = lock;
}

static void step_back(struct search *s, const struct sync_event *e)
{
    struct past *p = find_past(s, e->item, epoch_of(s, e));
    if (!e->address) { /* a fence */
        if (!(e->spaces & s->space))
            return;
        if (e->what & SYNC_MEETS) {
            for (unsigned i = 0; i < s->past_count; i++)
                if (!s->past[i].half && in_scope(s, SCOPE_SUB_GROUP, s->past[i].item, e->item)) {
                    add_past(s, e, false);
                    break;
                }
            return;
        }
        if (p && p->item == e->item && e->what & SYNC_ACQUIRES) {
            p->acquired = true;
            p->scope = e->scope;
        }
        for (unsigned i = 0; i < s->past_count && e->what & SYNC_RELEASES; i++)
            if (s->past[i].half && s->past[i].item == e->item)
                s->past[i].half = false;
        return;
    }
    const bool own = e->what & SYNC_ACQUIRES && e->spaces & s->space, fenced = p && p->item == e->item && p->acquired;
    for (unsigned i = 0; i < s->lock_count && e->what & SYNC_WRITES; i++) {
        struct lock *lock = &s->locks[i];
        if (lock->address != e->address || !lock->open || lock->item == e->item)
            continue;
        if (in_scope(s, lock->scope, lock->item, e->item) && in_scope(s, e->scope, lock->item, e->item))
            add_past(s, e, !(e->what & SYNC_RELEASES && e->spaces & s->space));
        lock->open = !(e->what & SYNC_REPLACES);
    }
    if (p && e->what & SYNC_READS && (own || fenced))
        add_lock(s, (struct lock){e->address, e->item, own ? e->scope : p->scope, true});
}

/* Has the access of `other` been released, and has this work-item, or its group, acquired it, perhaps through others?
 * `other` 0: by several. */
static bool is_synchronised(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local,
                            uint32_t other, uint32_t other_info, bool other_write)
{
    const uint32_t me = item_of(l, a, lane);
    const uint64_t address = address_of(a, lane);
    if (!l->tracks_sync)
        return false;
    const struct stamp *stamp = stamp_of(l, address, false);
    const bool many = !other_write && other_info & (MANY_IN | MANY_OUT);
    const uint32_t since = !stamp || many ? 0 : other_write ? stamp->written : stamp->read;
    struct search s = {.l = l, .space = local ? IN_LOCAL : IN_GLOBAL, .past_count = 1};
    s.past[0] = (struct past){.item = me, .epoch = local ? a->state->local_epoch : a->state->global_epoch};
    for (uint32_t i = l->event_count, end = i > MOST_EVENTS ? i - MOST_EVENTS : 0; i-- > end && i >= since;) {
        l->steps_back++;
        step_back(&s, event_at(l, i));
        if (other ? s.past_count > 1 && find_past(&s, other, info_epoch(other_info)) : s.lock_count > 0)
            return true;
    }
    return false;
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
    if (is_synchronised(l, a, lane, local, other, other_info, other_write))
        return;
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
    if (actor->l->tracks_sync && !actor->atomic && actor->a->state->synced) {
        struct stamp *stamp = stamp_of(actor->l, address, true);
        if (stamp)
            *(actor->write ? &stamp->written : &stamp->read) = actor->l->event_count;
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
