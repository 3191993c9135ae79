/* What happened before an access of another work-group: the order that atomic operations and fences make, by OpenCL's memory model.
 *
 * They are remembered as they occur, as events.  A search goes back through them from an access: it begins with its work-item, and
 * whatever acquires there opens the address that it read; who released to that address before is in the past, too, and so on.  Where
 * it got to is kept, so that the next access at the same point goes on from there: a work-group that adds up what a thousand others
 * have written looks at each event once. */
#include "check/check_priv.h"

#include "isa/isa.h"

#include <string.h>

/* ---- when words were accessed ---- */

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

void order_stamp(struct cy_check_launch *l, uint64_t address, bool write)
{
    struct stamp *stamp = stamp_of(l, address, true);
    if (stamp)
        *(write ? &stamp->written : &stamp->read) = l->event_count;
}

/* ---- events ---- */

/* Numbers of memory_order and memory_scope in OpenCL C. */
enum { ORDER_RELAXED = 0, ORDER_ACQUIRE = 2, ORDER_RELEASE = 3, ORDER_ACQ_REL = 4, ORDER_SEQ_CST = 5 };
enum { SCOPE_ITEM = 0, SCOPE_GROUP = 1, SCOPE_DEVICE = 2, SCOPE_ALL = 3, SCOPE_SUB_GROUP = 4 };

static unsigned sync_of_order(unsigned order)
{
    return (order >= ORDER_RELEASE ? SYNC_RELEASES : 0) |
           (order != ORDER_RELAXED && order != ORDER_RELEASE ? SYNC_ACQUIRES : 0);
}

/* Only so many of the last ones are remembered; what may have been ordered by earlier ones is no race. */
enum { MOST_EVENTS = 1 << 20 };

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
    struct stamp *stamp = event.address ? stamp_of(l, event.address, true) : NULL;
    event.before_in_group = a->state->group->last_event;
    event.before_at_address = stamp ? stamp->event : 0;
    a->state->group->last_event = ++l->event_count;
    if (stamp)
        stamp->event = l->event_count;
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
void order_atomic(struct cy_check_launch *l, const struct access *a, bool local)
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
    const bool is_idle = !changes && a->state->spun_at == l->changes && !may_host_write(a);
    a->state->spins = is_idle ? a->state->spins + 1 : 0;
    a->state->spun_at = l->changes;
}

/* Order 0xff: a barrier of the sub-group, which is a warp. */
void order_fence(struct cy_check_launch *l, const struct access *a, uint32_t fence)
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

/* ---- the search ---- */

enum entry_kind {
    FREE,
    ITEM,           /* a work-item of which everything until an event happened before */
    ITEM_HALF,      /* the same until its last release fence before the event */
    GROUP,          /* one that has such a work-item */
    FOLLOWED,       /* a group, or an address (who: 0), whose events are looked at */
    SUB_GROUP,      /* likewise */
    OPEN,           /* an address from which an acquire read: the release whose value it saw happened before. */
    OPEN_GROUP,     /* The same by a work-item of a group, */
    OPEN_SUB_GROUP, /* of a sub-group */
    REPLACED,       /* an address: a store has replaced the value */
};
struct entry {
    uint64_t address;               /* of those that are opened and replaced */
    uint32_t who;                   /* work-item, group, sub-group */
    uint32_t at;                    /* the event that made it */
    uint32_t epoch;                 /* ITEM, GROUP */
    uint32_t item;                  /* OPEN: by whom */
    uint32_t other_epoch, other_at; /* GROUP: of another work-item with another epoch */
    uint8_t kind;
    uint8_t scope; /* ITEM: of the acquire fence */
    bool acquired; /* ITEM: an acquire fence came later: its reads acquire */
    bool several;  /* OPEN: several work-items; GROUP: other_epoch is set */
};
/* Only events of groups in the past and of opened addresses matter: each leads to the one before it there. */
struct search {
    /* from where: a work-item after its last event, or, if that was before the last barrier, its group */
    uint32_t item, last_event, group, epoch;
    uint8_t space;
    bool is_used, has_opened;
    bool is_cut;           /* some of them are no longer remembered */
    CY_VEC(uint32_t) next; /* to be looked at: a heap, the last one first */
    struct entry *entries;
    uint32_t count, room; /* a power of two */
};
struct searches {
    struct search at[64];
    size_t room; /* entries of all */
};

static uint32_t group_of(const struct cy_check_launch *l, uint32_t item)
{
    return (item - 1) >> l->shift;
}

/* Numbers of sub-groups begin anew in each group, whose numbers have the bits above. */
static uint32_t sub_group_of(const struct cy_check_launch *l, uint32_t item)
{
    const uint32_t mask = (1u << l->shift) - 1;
    return ((item - 1) & ~mask) | ((item - 1) & mask) / l->lanes;
}

static struct entry *slot_of(const struct search *s, enum entry_kind kind, uint32_t who, uint64_t address)
{
    const uint64_t hash = ((address ^ (uint64_t)who << 33) + kind) * 0x9e3779b97f4a7c15;
    for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
        struct entry *entry = &s->entries[i & (s->room - 1)];
        if (entry->kind == FREE || (entry->kind == kind && entry->who == who && entry->address == address))
            return entry;
    }
}

static struct entry *find(const struct search *s, enum entry_kind kind, uint32_t who, uint64_t address)
{
    struct entry *entry = s->room ? slot_of(s, kind, who, address) : NULL;
    return entry && entry->kind ? entry : NULL;
}

static bool grow(struct cy_check_launch *l, struct search *s)
{
    struct search larger = *s;
    larger.room = s->room ? 2 * s->room : 64;
    larger.entries = cy_try_alloc(larger.room * sizeof(*larger.entries));
    if (!larger.entries) {
        l->no_memory = true;
        return false;
    }
    for (uint32_t i = 0; i < s->room; i++)
        if (s->entries[i].kind)
            *slot_of(&larger, s->entries[i].kind, s->entries[i].who, s->entries[i].address) = s->entries[i];
    cy_free(s->entries);
    l->searches->room += larger.room - s->room;
    *s = larger;
    return true;
}

/* Valid until the next one is added; NULL: no memory. */
static struct entry *add(struct cy_check_launch *l, struct search *s, struct entry fresh, bool *is_new)
{
    if (2 * s->count >= s->room && !grow(l, s))
        return NULL;
    struct entry *entry = slot_of(s, fresh.kind, fresh.who, fresh.address);
    *is_new = entry->kind == FREE;
    if (*is_new) {
        *entry = fresh;
        s->count++;
    }
    return entry;
}

/* ---- events to be looked at ---- */

/* `before`: + 1; 0: none. */
static void push(struct cy_check_launch *l, struct search *s, uint32_t before)
{
    if (!before)
        return;
    if (l->event_count - before >= MOST_EVENTS) {
        s->is_cut = true;
        return;
    }
    const uint32_t *fresh = cy_vec_try_push(&s->next);
    if (!fresh) {
        l->no_memory = true;
        return;
    }
    size_t i = s->next.count - 1;
    for (; i && s->next.at[(i - 1) / 2] < before - 1; i = (i - 1) / 2)
        s->next.at[i] = s->next.at[(i - 1) / 2];
    s->next.at[i] = before - 1;
}

static uint32_t pop(struct search *s)
{
    const uint32_t first = s->next.at[0], last = s->next.at[--s->next.count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < s->next.count; i = child) {
        child += child + 1 < s->next.count && s->next.at[child + 1] > s->next.at[child];
        if (s->next.at[child] <= last)
            break;
        s->next.at[i] = s->next.at[child];
    }
    if (s->next.count)
        s->next.at[i] = last;
    return first;
}

/* ---- the past ---- */

/* The events of the group, or at the address, are looked at from now on. */
static void follow(struct cy_check_launch *l, struct search *s, uint32_t group, uint64_t address)
{
    bool is_new;
    add(l, s, (struct entry){.kind = FOLLOWED, .who = group, .address = address}, &is_new);
}

static void add_group(struct cy_check_launch *l, struct search *s, uint32_t group, uint32_t epoch, uint32_t at)
{
    bool is_new;
    struct entry *entry = add(l, s, (struct entry){.kind = GROUP, .who = group, .epoch = epoch, .at = at}, &is_new);
    if (entry && !is_new && !entry->several && entry->epoch != epoch) {
        entry->several = true;
        entry->other_epoch = epoch;
        entry->other_at = at;
    }
    follow(l, s, group, 0);
}

static void add_past(struct cy_check_launch *l, struct search *s, uint32_t item, uint32_t epoch, uint32_t at)
{
    bool is_new;
    if (!add(l, s, (struct entry){.kind = ITEM, .who = item, .epoch = epoch, .at = at}, &is_new) || !is_new)
        return;
    add_group(l, s, group_of(l, item), epoch, at);
    add(l, s, (struct entry){.kind = SUB_GROUP, .who = sub_group_of(l, item)}, &is_new);
}

/* Has the item's group come to a barrier after that epoch, before a work-item of the past at the event `since` or later? */
static bool met_after(const struct cy_check_launch *l, const struct search *s, uint32_t item, uint32_t epoch,
                      uint32_t since)
{
    const struct entry *group = find(s, GROUP, group_of(l, item), 0);
    return group && ((group->epoch != epoch && group->at >= since) ||
                     (group->several && group->other_epoch != epoch && group->other_at >= since));
}

/* Of OPEN, OPEN_GROUP, OPEN_SUB_GROUP: the first that a scope allows; 3: none. */
static unsigned first_in_scope(unsigned scope)
{
    return scope == SCOPE_ITEM ? 3 : scope == SCOPE_SUB_GROUP ? 2 : scope == SCOPE_GROUP ? 1 : 0;
}

static uint32_t opener(const struct cy_check_launch *l, unsigned i, uint32_t item)
{
    return i == 0 ? 0 : i == 1 ? group_of(l, item) : sub_group_of(l, item);
}

/* An acquire read from the address. */
static void open_address(struct cy_check_launch *l, struct search *s, uint64_t address, uint32_t item, unsigned scope,
                         uint32_t at)
{
    const struct entry *replaced = find(s, REPLACED, 0, address);
    const uint32_t replaced_at = replaced ? replaced->at : UINT32_MAX;
    for (unsigned i = first_in_scope(scope); i < 3; i++) {
        const struct entry fresh = {
            .kind = (uint8_t)(OPEN + i), .address = address, .who = opener(l, i, item), .item = item, .at = at};
        bool is_new;
        struct entry *entry = add(l, s, fresh, &is_new);
        if (!entry || is_new)
            continue;
        if (entry->at > replaced_at)
            *entry = fresh; /* that one's value has been replaced */
        else
            entry->several |= entry->item != item;
    }
    follow(l, s, 0, address);
    s->has_opened = true;
}

/* Does an acquire of another work-item, in the scopes of both, see what this event wrote? */
static bool is_seen(const struct cy_check_launch *l, const struct search *s, const struct sync_event *e)
{
    const struct entry *replaced = find(s, REPLACED, 0, e->address);
    for (unsigned i = first_in_scope(e->scope); i < 3; i++) {
        const struct entry *open = find(s, OPEN + i, opener(l, i, e->item), e->address);
        if (open && (!replaced || open->at < replaced->at) && (open->several || open->item != e->item))
            return true;
    }
    return false;
}

static uint32_t epoch_of(const struct search *s, const struct sync_event *e)
{
    return s->space == IN_LOCAL ? e->local_epoch : e->global_epoch;
}

static void step_back_fence(struct cy_check_launch *l, struct search *s, const struct sync_event *e, uint32_t at)
{
    const uint32_t epoch = epoch_of(s, e);
    if (!(e->spaces & s->space))
        return;
    if (e->what & SYNC_MEETS) {
        if (find(s, SUB_GROUP, sub_group_of(l, e->item), 0))
            add_past(l, s, e->item, epoch, at);
        return;
    }
    if (met_after(l, s, e->item, epoch, 0))
        add_past(l, s, e->item, epoch, at);
    struct entry *own = find(s, ITEM, e->item, 0);
    if (own && e->what & SYNC_ACQUIRES) {
        own->acquired = true;
        own->scope = e->scope;
    }
    const struct entry *half = e->what & SYNC_RELEASES ? find(s, ITEM_HALF, e->item, 0) : NULL;
    if (half)
        add_past(l, s, e->item, half->epoch, at);
}

static void step_back_atomic(struct cy_check_launch *l, struct search *s, const struct sync_event *e, uint32_t at)
{
    const uint32_t epoch = epoch_of(s, e);
    bool is_new;
    const struct entry *own = find(s, ITEM, e->item, 0);
    const bool in_past = own || met_after(l, s, e->item, epoch, 0);
    const bool acquires = e->what & SYNC_ACQUIRES && e->spaces & s->space, fenced = own && own->acquired;
    const unsigned scope = acquires ? e->scope : fenced ? own->scope : SCOPE_ITEM;
    if (e->what & SYNC_WRITES && is_seen(l, s, e)) {
        if (e->what & SYNC_RELEASES && e->spaces & s->space) {
            add_past(l, s, e->item, epoch, at);
        } else {
            add(l, s, (struct entry){.kind = ITEM_HALF, .who = e->item, .epoch = epoch, .at = at}, &is_new);
            follow(l, s, group_of(l, e->item), 0);
        }
    }
    if (e->what & SYNC_REPLACES) {
        struct entry *replaced = add(l, s, (struct entry){.kind = REPLACED, .address = e->address, .at = at}, &is_new);
        if (replaced)
            replaced->at = at;
    }
    if (in_past && e->what & SYNC_READS && (acquires || fenced))
        open_address(l, s, e->address, e->item, scope, at);
}

static void step_back(struct cy_check_launch *l, struct search *s)
{
    const uint32_t at = pop(s);
    const struct sync_event e = *event_at(l, at);
    while (s->next.count && s->next.at[0] == at)
        pop(s);
    if (e.address)
        step_back_atomic(l, s, &e, at);
    else
        step_back_fence(l, s, &e, at);
    if (find(s, FOLLOWED, group_of(l, e.item), 0))
        push(l, s, e.before_in_group);
    if (e.address && find(s, FOLLOWED, 0, e.address))
        push(l, s, e.before_at_address);
}

/* ---- searches that are kept ---- */

static void forget(struct cy_check_launch *l, struct search *s)
{
    l->searches->room -= s->room;
    cy_free(s->entries);
    cy_vec_free(&s->next);
    *s = (struct search){0};
}

/* NULL: no memory. */
static struct search *search_from(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local)
{
    enum { MOST_ENTRIES = 1 << 21, FEW_ENTRIES = 1 << 12 };
    const struct warp_state *state = a->state;
    const uint32_t epoch = local ? state->local_epoch : state->global_epoch;
    struct search from = {.item = item_of(l, a, lane), .epoch = epoch, .space = local ? IN_LOCAL : IN_GLOBAL};
    const uint32_t last = state->async_active ? 0 : state->last_event[lane];
    const struct sync_event *event = last && l->event_count - last < MOST_EVENTS ? event_at(l, last - 1) : NULL;
    from.group = group_of(l, from.item);
    if (event && (local ? event->local_epoch : event->global_epoch) == epoch)
        from.last_event = last;
    else
        from.item = 0;
    if (!l->searches && !(l->searches = cy_try_alloc(sizeof(*l->searches)))) {
        l->no_memory = true;
        return NULL;
    }
    struct search *s = &l->searches->at[(from.item ? from.item : from.group) % CY_COUNT(l->searches->at)];
    if (s->is_used && s->item == from.item && s->last_event == from.last_event && s->group == from.group &&
        s->epoch == from.epoch && s->space == from.space)
        return s;
    for (size_t i = 0; l->searches->room > MOST_ENTRIES && i < CY_COUNT(l->searches->at); i++)
        forget(l, &l->searches->at[i]);
    if (s->room > FEW_ENTRIES)
        forget(l, s);
    from.entries = s->entries;
    from.room = s->room;
    if (s->count)
        memset(from.entries, 0, from.room * sizeof(*from.entries));
    from.is_used = true;
    from.next = s->next;
    from.next.count = 0;
    *s = from;
    if (s->item)
        add_past(l, s, s->item, epoch, l->event_count);
    else
        add_group(l, s, s->group, epoch, l->event_count);
    push(l, s, state->group->last_event);
    return s;
}

void order_free(struct cy_check_launch *l)
{
    for (size_t i = 0; l->searches && i < CY_COUNT(l->searches->at); i++)
        forget(l, &l->searches->at[i]);
    cy_free(l->searches);
    cy_free(l->stamps);
    cy_vec_free(&l->events);
}

/* Is an access of that epoch, after which the event `since` was the first, in the part of the past that is known? */
static bool is_in_past(const struct cy_check_launch *l, const struct search *s, uint32_t item, uint32_t epoch,
                       uint32_t since)
{
    const struct entry *own = find(s, ITEM, item, 0);
    return (own && own->at >= since) || met_after(l, s, item, epoch, since);
}

bool happened_before(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local, uint32_t other,
                     uint32_t other_info, bool other_write)
{
    if (!l->tracks_sync)
        return false;
    const struct stamp *stamp = stamp_of(l, address_of(a, lane), false);
    const bool many = !other_write && other_info & (MANY_IN | MANY_OUT);
    const uint32_t since = !stamp || many ? 0 : other_write ? stamp->written : stamp->read;
    const uint32_t oldest = l->event_count > MOST_EVENTS ? l->event_count - MOST_EVENTS : 0;
    struct search *s = search_from(l, a, lane, local);
    if (!s)
        return true;
    for (;;) {
        if (other ? is_in_past(l, s, other, info_epoch(other_info), since) : s->has_opened)
            return true;
        const bool is_old = s->next.count && s->next.at[0] < oldest;
        if (!s->next.count || s->next.at[0] < since || is_old)
            return since < oldest && (is_old || s->is_cut); /* nobody remembers: it may have */
        l->steps_back++;
        step_back(l, s);
    }
}
