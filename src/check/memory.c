/* Is an access inside what it may touch?  The extents are exact: those of the kernel's arguments, of program-scope
 * variables, of each local variable and private array that the compiler tells of. */
#include "check/check_priv.h"

#include <inttypes.h>
#include <stdio.h>

/* The last object that starts at or before `at`; NULL: none. */
static struct object *object_before(const struct objects *objects, uint64_t at)
{
    size_t low = 0, high = objects->at.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (objects->at.at[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &objects->at.at[low - 1] : NULL;
}

/* Arguments can overlap (a buffer and its sub-buffer): any of them will do, the smallest start last. */
struct object *find_object(const struct objects *objects, uint64_t at)
{
    struct object *object = object_before(objects, at);
    for (; object && object >= objects->at.at; object--)
        if (at - object->start < object->size)
            return object;
    return NULL;
}

/* The object that the access most probably meant: it starts in or ends next to one. */
static const struct object *nearest(const struct objects *objects, uint64_t at)
{
    const struct object *before = object_before(objects, at), *best = before;
    uint64_t distance = before ? at - before->start - (before->size ? before->size - 1 : 0) : UINT64_MAX;
    const struct object *after = before ? before + 1 : objects->at.at;
    if (objects->at.count && after < objects->at.at + objects->at.count && after->start - at < distance)
        best = after;
    return best;
}

static void name_object(char *out, size_t size, const struct cy_check_launch *l, const struct object *object)
{
    if (object->is_argument)
        snprintf(out, size, "`%s`, argument %u of `%s`", object->name, object->index, l->kernel);
    else
        snprintf(out, size, "`%s`", object->name);
}

/* Where the access is as seen from the object. */
static void place(char *out, size_t size, const struct object *object, uint64_t at, unsigned bytes)
{
    const uint64_t end = object->start + object->size;
    if (at >= end)
        snprintf(out, size, "%" PRIu64 " bytes after its %" PRIu64, at - end, object->size);
    else if (at + bytes > end && at >= object->start)
        snprintf(out, size, "%" PRIu64 " of them after its %" PRIu64, at + bytes - end, object->size);
    else
        snprintf(out, size, "%" PRIu64 " bytes before its %" PRIu64, object->start - at, object->size);
}

struct bad {
    enum kind kind;
    const struct object *object;
    uint64_t at; /* address, or offset in local or private memory */
    const char *space;
};

static void report(struct cy_check_launch *l, const struct access *a, unsigned lane, const struct bad *bad)
{
    if (!report_is_new(l, bad->kind, a->pc, 0, bad->object ? bad->object->start : 0))
        return;
    char what[64], name[128] = "", where[96] = "";
    const struct op *op = a->op;
    snprintf(what, sizeof(what), "%s of %u byte%s",
             op->atomic  ? "atomic access"
             : op->store ? "write"
                         : "read",
             op->size * op->words, op->size == 1 ? "" : "s");
    struct finding f = {.kind = bad->kind, .self = {a->pc, item_of(l, a, lane), what}, .object = bad->object};
    if (bad->object) {
        name_object(name, sizeof(name), l, bad->object);
        place(where, sizeof(where), bad->object, bad->at, op->size);
    }
    switch (bad->kind) {
    case K_OUT_OF_BOUNDS:
        if (bad->object)
            snprintf(f.text, sizeof(f.text), "%s outside of %s: %s", what, name, where);
        else
            snprintf(f.text, sizeof(f.text), "%s at 0x%08" PRIx64 " in %s memory, where nothing is", what, bad->at,
                     bad->space);
        break;
    case K_NULL_POINTER:
        snprintf(f.text, sizeof(f.text), "%s through a null pointer, at address 0x%" PRIx64, what, bad->at);
        break;
    case K_MISALIGNED:
        snprintf(f.text, sizeof(f.text), "%s at 0x%08" PRIx64 ", which is not a multiple of %u%s%s", what, bad->at,
                 op->align, bad->object ? ", in " : "", name);
        break;
    case K_FREED: snprintf(f.text, sizeof(f.text), "%s in a buffer that the host has released", what); break;
    case K_READ_ONLY: snprintf(f.text, sizeof(f.text), "%s to %s, which is read-only", what, name); break;
    case K_WRITE_ONLY: snprintf(f.text, sizeof(f.text), "%s of %s, which is write-only", what, name); break;
    case K_MAPPED: snprintf(f.text, sizeof(f.text), "%s to %s, which the host has mapped", what, name); break;
    default: break;
    }
    report_show(l, &f);
}

static void touch(struct cy_check_touch *t, uint64_t low, uint64_t high)
{
    const bool none = t->low >= t->high;
    t->low = none || low < t->low ? low : t->low;
    t->high = none || high > t->high ? high : t->high;
}

void memory_flush(struct cy_check_launch *l, struct op *op)
{
    struct object *object = op->low <= op->high ? find_object(&l->global, op->low) : NULL;
    if (object && (!op->store || op->atomic))
        touch(&object->read, op->low, op->high + op->size);
    if (object && (op->store || op->atomic))
        touch(&object->written, op->low, op->high + op->size);
    op->low = UINT64_MAX;
    op->high = 0;
}

void cy_check_touched(struct cy_check_launch *l, uint64_t address, uint64_t size, bool write, struct cy_check_touch *t)
{
    *t = (struct cy_check_touch){0};
    for (uint32_t i = 0; i < l->op_count; i++)
        if (l->ops[i].site)
            memory_flush(l, &l->ops[i]);
    for (size_t i = 0; i < l->global.at.count; i++) {
        const struct cy_check_touch *seen = write ? &l->global.at.at[i].written : &l->global.at.at[i].read;
        if (seen->low < seen->high && seen->low >= address && seen->high <= address + size)
            touch(t, seen->low, seen->high);
    }
}

/* The bytes of a word that were written, or read. */
static unsigned bytes_of(const struct cy_check_launch *l, const struct cell *cell, bool write)
{
    struct cell byte[4];
    unsigned bytes = 0;
    if (LIKELY(!(cell->r & BYTES_MASK)))
        return (write ? cell->writer : cell->reader) ? 15 : 0;
    bytes_unpack(l, cell, byte);
    for (unsigned i = 0; i < 4; i++)
        bytes |= ((write ? byte[i].writer : byte[i].reader) ? 1u : 0u) << i;
    return bytes;
}

bool cy_check_runs(struct cy_check_launch *l, const struct cy_check_touch *touch, bool write,
                   void (*see)(void *context, uint64_t low, uint64_t high), void *context)
{
    uint64_t start = 0, end = 0; /* of the run that is being collected; empty: none */
    const struct page *page = NULL;
    if (!(l->tools & CY_CHECK_RACE))
        return false;
    for (uint64_t at = touch->low & ~3ull; at < touch->high; at += 4) {
        if (!page || !(at & (PAGE_BYTES - 1)))
            page = shadow_page(&l->machine->shadow, at);
        if (!page || !page->touched) {
            at |= PAGE_BYTES - 4; /* its last word */
            page = NULL;
            continue;
        }
        const unsigned bytes = bytes_of(l, &page->cells[(at & (PAGE_BYTES - 1)) / 4], write);
        if (bytes == 15 && at == end && at + 4 <= touch->high) {
            end += 4;
            continue;
        }
        for (unsigned i = 0; i < 4; i++) {
            if (!(bytes >> i & 1) || at + i < touch->low || at + i >= touch->high)
                continue;
            if (at + i != end) {
                if (start < end)
                    see(context, start, end);
                start = at + i;
            }
            end = at + i + 1;
        }
    }
    if (start < end)
        see(context, start, end);
    return true;
}

/* ---- one address ---- */

static bool is_drivers(const struct cy_check_launch *l, const struct cy_warp *warp, uint64_t far, bool store)
{
    const uint32_t at = (uint32_t)far;
    uint32_t prints[2];
    if (far >> 32)
        return false;
    if (at - warp->knl < l->knl_bytes)
        return !store;
    if (at - warp->pds < (uint64_t)warp->pds_size * warp->numw * warp->numt) /* registers that a call saves */
        return true;
    __builtin_memcpy(prints, l->memory + warp->knl + CY_KNL_PRINT_ADDR, sizeof(prints));
    return prints[0] && at - prints[0] < prints[1];
}

static bool was_freed(const struct cy_check_launch *l, uint64_t at)
{
    for (size_t i = 0; i < l->machine->regions.count; i++) {
        const struct region *region = &l->machine->regions.at[i];
        if (at - region->address < region->size)
            return region->freed;
    }
    return false;
}

/* What is wrong with it; false: nothing.  Remembers in `op` where the next access needs no search. */
static bool is_bad(struct cy_check_launch *l, struct op *op, const struct access *a, uint64_t at, struct bad *bad)
{
    const struct cy_warp *warp = a->warp;
    const struct object *object;
    *bad = (struct bad){K_OUT_OF_BOUNDS, NULL, at, "global"};
    if (at >= CY_LDS_BASE && at < CY_LDS_END) {
        const uint32_t offset = (uint32_t)at - warp->lds, size = op->size;
        *bad = (struct bad){K_OUT_OF_BOUNDS, NULL, offset, "local"};
        if (offset < a->state->group->stacks) /* the compiler's own, for scalars and for lanes that exchange values */
            return !a->uniform && offset % l->stack < l->stack - CY_EXCHANGE_BYTES;
        object = find_object(&l->local, offset);
        if (!object && !l->has_local && offset < warp->lds_size && size <= warp->lds_size - offset)
            return false;
        bad->object = object ? object : nearest(&l->local, offset);
        if (!object || (uint64_t)offset + size > object->start + object->size)
            return true;
        bad->kind = K_MISALIGNED;
        op->local_start = (uint32_t)object->start;
        op->local_end = (uint32_t)(object->start + object->size);
        return (at & (op->align - 1u)) != 0;
    }
    object = find_object(&l->global, at);
    bad->object = object;
    if (!object) {
        if (is_drivers(l, warp, at, op->store))
            return false;
        bad->object = nearest(&l->global, at);
        if (at < 0x10000)
            bad->kind = K_NULL_POINTER, bad->object = NULL;
        else if (was_freed(l, at))
            bad->kind = K_FREED, bad->object = NULL;
        return true;
    }
    if (at + op->size > object->start + object->size)
        return true;
    const unsigned needs = op->atomic ? 3 : op->store ? CY_CHECK_WRITE : CY_CHECK_READ;
    if (at & (op->align - 1u))
        bad->kind = K_MISALIGNED;
    else if (needs & CY_CHECK_WRITE && !(object->rights & CY_CHECK_WRITE))
        bad->kind = K_READ_ONLY;
    else if (needs & CY_CHECK_READ && !(object->rights & CY_CHECK_READ))
        bad->kind = K_WRITE_ONLY;
    else if (object->mapped & needs)
        bad->kind = K_MAPPED;
    else {
        if (op->start != object->start)
            memory_flush(l, op);
        op->start = object->start;
        op->end = object->start + object->size;
        op->low = at < op->low ? at : op->low;
        op->high = at > op->high ? at : op->high;
        return false;
    }
    return true;
}

/* Accesses that would do harm or stop the launch are not executed. */
static bool is_refused(enum kind kind)
{
    return kind != K_READ_ONLY && kind != K_WRITE_ONLY && kind != K_MAPPED;
}

uint64_t memory_check(struct cy_check_launch *l, struct op *op, const struct access *a)
{
    uint64_t refused = 0;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = a->base | a->address[lane];
        struct bad bad;
        if (!is_bad(l, op, a, at, &bad))
            continue;
        report(l, a, a->uniform ? (unsigned)__builtin_ctzll(a->warp->active | 1ull << 63) & 63 : lane, &bad);
        if (is_refused(bad.kind))
            refused |= 1ull << lane;
    }
    return refused;
}

uint64_t memory_check_private(struct cy_check_launch *l, struct op *op, const struct access *a)
{
    uint64_t refused = 0;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t at = a->address[lane], size = op->size;
        struct bad bad = {K_OUT_OF_BOUNDS, find_object(&l->private_, at), at, "private"};
        bool ok = bad.object && (uint64_t)at + size <= bad.object->start + bad.object->size;
        if (ok && bad.object->rights)
            ok = false; /* a gap between variables */
        if (!l->has_private)
            ok = !a->warp->pds_size || (at < a->warp->pds_size && size <= a->warp->pds_size - at);
        if (ok && !(at & (op->align - 1u)))
            continue;
        if (ok)
            bad.kind = K_MISALIGNED;
        else if (at < 4)
            bad.kind = K_NULL_POINTER;
        if (!bad.object || bad.object->rights)
            bad.object = nearest(&l->private_, at);
        report(l, a, lane, &bad);
        refused |= 1ull << lane;
    }
    return refused;
}
