/* A worker: the contents of translated code's frame, and the functions it calls. */
#include "base/mem.h"
#include "gpu/engine/eval.h"
#include "gpu/memory/memory.h"
#include "jit/run/run_priv.h"

#include <string.h>

/* ---- faults ---- */

static struct cy_jit_worker *worker_of(struct cy_jit_frame *frame)
{
    return (struct cy_jit_worker *)(void *)frame;
}

static uint32_t record(struct cy_jit_worker *worker, const struct cy_jit_access *access, enum cy_fault_kind kind,
                       uint32_t item, int lane, uint64_t address)
{
    worker->faulted = true;
    worker->item = item + (lane < 0 ? 0 : (uint32_t)lane);
    worker->fault = (struct cy_fault){
        .kind = kind,
        .pc = access->pc,
        .word = access->word,
        .prefix = access->prefix,
        .lane = lane < 0 ? -1 : (int)(worker->item % worker->shape.threads),
        .address = address,
        .access = access->access,
        .size = access->size,
    };
    return CY_JIT_STOPPED;
}

static void trap(struct cy_jit_frame *frame, uint32_t access, uint32_t kind, uint32_t mask, uint32_t item)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_access *at = &worker->code->accesses[access];
    const bool is_barrier = cy_insns[at->op].flags & CY_F_BARRIER;
    if (kind == CY_JIT_TRAP)
        record(worker, at, CY_FAULT_TRAP, item, mask ? __builtin_ctz(mask) : -1, 0);
    else if (kind == CY_JIT_DIVERGED)
        record(worker, at, is_barrier ? CY_FAULT_DIVERGENT_BARRIER : CY_FAULT_DIVERGENT_END, item, -1, 0);
    else
        record(worker, at, CY_FAULT_DEADLOCK, item, -1, 0);
    worker->fault.access = worker->fault.size = 0;
    if (kind != CY_JIT_TRAP)
        worker->item = item;
}

/* ---- memory ---- */

/* The extent in which such accesses are allowed; empty: none. */
static struct cy_extent extent_at(const struct cy_jit_worker *worker, uint64_t address)
{
    const struct cy_jit_frame *frame = &worker->frame;
    if (address >= CY_LDS_BASE && address < CY_LDS_END)
        return (struct cy_extent){frame->lds, (uint64_t)frame->lds + worker->shape.local_bytes, CY_READ | CY_WRITE,
                                  (uintptr_t)worker->shape.memory->base};
    return cy_memory_extent(worker->shape.memory, address);
}

/* One lane's access, by the interpreter's rules. */
static uint32_t check_one(struct cy_jit_worker *worker, const struct cy_jit_access *access, uint64_t address,
                          uint32_t item, int lane)
{
    if (address & (access->size - 1u))
        return record(worker, access, CY_FAULT_MISALIGNED, item, lane, address);
    const struct cy_extent extent = extent_at(worker, address);
    const bool is_local = address >= CY_LDS_BASE && address < CY_LDS_END;
    const bool is_inside = address >= extent.start && address < extent.end && access->size <= extent.end - address;
    if (is_local && !is_inside)
        return record(worker, access, CY_FAULT_LDS, item, lane, address);
    if (!is_inside)
        return record(worker, access, CY_FAULT_UNMAPPED, item, lane, address);
    if ((extent.rights & access->access) != access->access)
        return record(worker, access, CY_FAULT_FORBIDDEN, item, lane, address);
    return 0;
}

static bool is_scalar(const struct cy_jit_access *access)
{
    const enum cy_format format = cy_insns[access->op].format;
    return format == CY_FORMAT_LOAD || format == CY_FORMAT_STORE;
}

/* Each access of the group, in code order, and each of its lanes. */
static uint32_t check_all(struct cy_jit_worker *worker, const struct cy_jit_group *group, const uint32_t *base,
                          uint32_t mask, uint32_t item)
{
    for (uint32_t i = 0; i < group->count; i++) {
        const struct cy_jit_access *access = &worker->code->accesses[group->first + i];
        for (uint32_t left = mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const uint32_t address = base[lane] + (uint32_t)access->offset;
            if (check_one(worker, access, address, item, is_scalar(access) ? -1 : lane))
                return CY_JIT_STOPPED;
            if (is_scalar(access))
                break;
        }
    }
    return 0;
}

/* Records the extent at an address, so that accesses of `length` bytes inside it are not checked again. */
static void fill_site(struct cy_jit_worker *worker, const struct cy_jit_group *group, uint32_t site, uint32_t address,
                      uint64_t length)
{
    const struct cy_extent extent = extent_at(worker, address);
    struct cy_jit_site *entry = &worker->frame.sites[site];
    const uint64_t align = 1ull << group->align, low = (extent.start + align - 1) & ~(align - 1);
    if ((extent.rights & group->rights) != group->rights || low + length > extent.end)
        return;
    entry->low = (uint32_t)low;
    entry->count = (uint32_t)((extent.end - low - length) >> group->align) + 1;
}

/* What translated code asks first. */
static bool is_inside(const struct cy_jit_worker *worker, const struct cy_jit_group *group, uint32_t site,
                      uint32_t lowest)
{
    const struct cy_jit_site *entry = &worker->frame.sites[site];
    const uint32_t offset = lowest - entry->low;
    return !(offset & ((1u << group->align) - 1)) && offset >> group->align < entry->count;
}

static uint32_t check(struct cy_jit_frame *frame, uint32_t number, uint32_t site, uint32_t base, uint32_t stride,
                      uint32_t mask, uint32_t item)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_group *group = &worker->code->groups[number];
    const uint32_t last = worker->code->header.strip - 1;
    const uint32_t below = (int32_t)stride < 0 ? stride * last : 0;
    const uint32_t spread = ((int32_t)stride < 0 ? 0 - stride : stride) * last;
    uint32_t bases[CY_JIT_MAX_STRIP];
    const uint32_t lowest = base + below + (uint32_t)group->low;
    fill_site(worker, group, site, lowest, (uint64_t)spread + (uint64_t)(group->high - group->low));
    if (is_inside(worker, group, site, lowest))
        return 0;
    for (uint32_t i = 0; i <= last; i++)
        bases[i] = base + stride * i;
    return check_all(worker, group, bases, mask, item);
}

static uint32_t check_edges(struct cy_jit_frame *frame, uint32_t number, uint32_t site, uint32_t base, uint32_t stride,
                            uint32_t mask, uint32_t item)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_group *group = &worker->code->groups[number];
    const uint32_t first = base + stride * (uint32_t)__builtin_ctz(mask) + (uint32_t)group->low;
    fill_site(worker, group, site + 1, first, (uint64_t)(group->high - group->low));
    return check(frame, number, site, base, stride, mask, item);
}

static uint32_t check_lanes(struct cy_jit_frame *frame, uint32_t number, uint32_t site, const uint32_t *base,
                            uint32_t mask, uint32_t item)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_group *group = &worker->code->groups[number];
    const uint32_t first = base[__builtin_ctz(mask)] + (uint32_t)group->low;
    fill_site(worker, group, site, first, (uint64_t)(group->high - group->low));
    uint32_t others = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        if (!is_inside(worker, group, site, base[__builtin_ctz(left)] + (uint32_t)group->low))
            others |= left & -left;
    return others ? check_all(worker, group, base, mask, item) : 0;
}

static uint32_t check_private(struct cy_jit_frame *frame, uint32_t number, const uint32_t *base, uint32_t mask,
                              uint32_t item)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_group *group = &worker->code->groups[number];
    const uint64_t bytes = worker->shape.private_bytes;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct cy_jit_access *access = &worker->code->accesses[group->first + i];
        for (uint32_t left = mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const uint32_t at = base[lane] + (uint32_t)access->offset;
            const uint32_t *local = worker->shape.local;
            const uint32_t threads = worker->shape.threads, items = local[0] * local[1] * local[2];
            const uint32_t stride = (items + threads - 1) / threads * threads;
            const uint32_t address = frame->pds + (at & ~3u) * stride + (at & 3) + 4 * (item + (uint32_t)lane);
            if (at + (uint64_t)access->size > bytes)
                return record(worker, access, CY_FAULT_PRIVATE, item, lane, at);
            if (address & (access->size - 1u))
                return record(worker, access, CY_FAULT_MISALIGNED, item, lane, address);
        }
    }
    return 0;
}

/* ---- 64-bit addresses ---- */

static bool fill_far_site(struct cy_jit_worker *worker, const struct cy_jit_group *group, uint32_t site,
                          uint64_t lowest, uint64_t length)
{
    const struct cy_extent extent = extent_at(worker, lowest);
    const uint64_t align = 1ull << group->align, low = (extent.start + align - 1) & ~(align - 1);
    struct cy_jit_far_site *entry = (struct cy_jit_far_site *)(void *)&worker->frame.sites[site];
    if (extent.start >= extent.end || (extent.rights & group->rights) != group->rights || lowest < low ||
        low > extent.end || extent.end - low < length)
        return false;
    entry->low = low;
    entry->count = ((extent.end - low - length) >> group->align) + 1;
    entry->bias = extent.bias - (uintptr_t)worker->frame.memory;
    return !((lowest - low) & (align - 1)) && (lowest - low) >> group->align < entry->count;
}

static uint32_t far_check(struct cy_jit_frame *frame, uint32_t number, uint32_t site, uint64_t lowest, uint64_t length)
{
    struct cy_jit_worker *worker = worker_of(frame);
    return fill_far_site(worker, &worker->code->groups[number], site, lowest, length);
}

/* The lanes' first words, then their second ones: all are checked before the first is accessed. */
static uint32_t far_access(struct cy_jit_frame *frame, uint32_t number, const uint64_t *address, uint32_t *data,
                           uint32_t mask, uint32_t item)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_access *access = &worker->code->accesses[number];
    const uint32_t lanes = is_scalar(access) ? mask & -mask : mask;
    const bool zero_extend = access->word >> 14 & 1, is_store = access->access & CY_WRITE;
    for (uint32_t k = 0; k < access->words; k++)
        for (uint32_t left = lanes; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            if (check_one(worker, access, address[lane] + 4 * k, item, is_scalar(access) ? -1 : lane))
                return CY_JIT_STOPPED;
        }
    for (uint32_t k = 0; k < access->words; k++)
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint64_t at = address[__builtin_ctz(left)] + 4 * k;
            const struct cy_extent extent = extent_at(worker, at);
            uint32_t *word = &data[k * CY_JIT_MAX_STRIP + (uint32_t)__builtin_ctz(left)];
            const unsigned up = 32 - 8u * access->size;
            if (is_store) {
                memcpy(cy_extent_host(&extent, at), word, access->size); /* little-endian, like the guest */
                continue;
            }
            *word = 0;
            memcpy(word, cy_extent_host(&extent, at), access->size);
            if (!zero_extend)
                *word = (uint32_t)((int32_t)(*word << up) >> up);
        }
    return 0;
}

/* ---- atomics ---- */

static bool has_word(const struct cy_extent *extent, const struct cy_jit_access *access, uint64_t at)
{
    return !(at & (access->size - 1u)) && at >= extent->start && at < extent->end && extent->end - at >= access->size &&
           (extent->rights & access->access) == access->access;
}

/* Records the extent at an address, if single words of this size may be accessed there. */
static void fill_atomic_site(struct cy_jit_worker *worker, const struct cy_jit_access *access, uint32_t site,
                             uint64_t address)
{
    const struct cy_jit_group words = {.rights = CY_READ | CY_WRITE, .align = (uint8_t)__builtin_ctz(access->size)};
    if (access->is_far)
        fill_far_site(worker, &words, site, address, access->size);
    else
        fill_site(worker, &words, site, (uint32_t)address, access->size);
}

/* What the word was before. */
static uint64_t change_word(const struct cy_jit_access *access, void *host, uint64_t operand)
{
    struct cy_eval e = {0};
    if (access->size == 8) {
        _Atomic uint64_t *word = host;
        uint64_t seen = atomic_load(word);
        while (!atomic_compare_exchange_weak(word, &seen, cy_evals_64[access->op](&e, seen, operand, 0)))
            ;
        return seen;
    }
    _Atomic uint32_t *word = host;
    uint32_t seen = atomic_load(word);
    while (
        !atomic_compare_exchange_weak(word, &seen, (uint32_t)cy_evals_32[access->op](&e, seen, (uint32_t)operand, 0)))
        ;
    return seen;
}

static uint64_t load_word(const struct cy_jit_access *access, void *host)
{
    return access->size == 8 ? atomic_load((_Atomic uint64_t *)host) : atomic_load((_Atomic uint32_t *)host);
}

static uint64_t compare_exchange(const struct cy_jit_access *access, void *host, uint64_t expected, uint64_t other)
{
    uint32_t word = (uint32_t)expected;
    if (access->size == 8) {
        atomic_compare_exchange_strong((_Atomic uint64_t *)host, &expected, other);
        return expected;
    }
    atomic_compare_exchange_strong((_Atomic uint32_t *)host, &word, (uint32_t)other);
    return word;
}

static uint32_t atomic(struct cy_jit_frame *frame, uint32_t number, uint32_t site, const uint64_t *address,
                       uint64_t *data, uint32_t mask, uint32_t item, uint8_t *memory)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_access *access = &worker->code->accesses[number];
    const bool loads = cy_insns[access->op].format == CY_FORMAT_LR, compares = loads && !access->is_apart;
    struct cy_extent extent = {0};
    uint32_t failed = 0; /* lanes before them have stored there */
    (void)memory;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (has_word(&extent, access, address[lane]))
            continue;
        if (check_one(worker, access, address[lane], item, lane))
            return CY_JIT_STOPPED;
        extent = extent_at(worker, address[lane]);
    }
    fill_atomic_site(worker, access, site, address[__builtin_ctz(mask)]);
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (!has_word(&extent, access, address[lane]))
            extent = extent_at(worker, address[lane]);
        void *word = cy_extent_host(&extent, address[lane]);
        const uint64_t expected = data[lane];
        if (access->is_apart) {
            data[lane] = loads ? load_word(access, word)
                         : failed >> lane & 1
                             ? ~expected
                             : compare_exchange(access, word, expected, data[CY_JIT_MAX_STRIP + (uint32_t)lane]);
            for (uint32_t k = left; !loads && data[lane] == expected && k; k &= k - 1)
                failed |= address[__builtin_ctz(k)] == address[lane] ? k & -k : 0;
            continue;
        }
        if (!compares) {
            data[lane] = change_word(access, word, data[lane]);
            continue;
        }
        data[lane] = load_word(access, word);
        if (data[lane] != expected)
            continue;
        if (check_one(worker, access + 1, address[lane], item,
                      lane)) /* loaded only to be compared, it need not be writable */
            return CY_JIT_STOPPED;
        data[lane] = compare_exchange(access, word, expected, data[CY_JIT_MAX_STRIP + (uint32_t)lane]);
    }
    return 0;
}

/* ---- the rest ---- */

static uint64_t eval_wide(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t d)
{
    struct cy_eval e = {0};
    return cy_eval((enum cy_op)op, bits)(&e, a, b, d);
}

static uint32_t eval(uint32_t op, uint32_t a, uint32_t b, uint32_t d)
{
    struct cy_eval e = {0};
    return (uint32_t)cy_evals_32[op](&e, a, b, d);
}

static uint32_t eval_lanes(struct cy_jit_frame *frame, uint32_t op, const uint32_t *b, uint32_t *to, uint32_t mask)
{
    (void)frame;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        to[lane] = eval(op, 0, b[lane], 0);
    }
    return 0;
}

static uint32_t interpret(struct cy_jit_frame *frame, uint32_t number, uint32_t mask, uint32_t item, uint8_t *memory)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_access *access = &worker->code->accesses[number];
    struct cy_warp *warp = worker->warp;
    const uint32_t first = item % worker->shape.threads;
    (void)memory; /* it is the frame's; LLVM must know that it changes */
    warp->mask = warp->full = (uint64_t)mask << first;
    warp->tid = item - first;
    warp->wid = item / worker->shape.threads;
    warp->knl = frame->metadata;
    warp->wgid = frame->workgroup;
    warp->lds = frame->lds;
    warp->pds = frame->pds;
    memcpy(warp->gid, frame->group, sizeof(warp->gid));
    warp->pc = access->pc;
    cy_warp_refresh(warp);
    const enum cy_stop stop = cy_warp_run_inside(warp, 1);
    if (stop == CY_STOP_PRINT) {
        if (worker->shape.print)
            worker->shape.print(worker->shape.context, worker->print);
        warp->print = 0;
    }
    if (stop != CY_STOP_FAULT)
        return 0;
    worker->faulted = true;
    worker->fault = warp->fault;
    worker->item = warp->fault.lane < 0 ? item : warp->tid + (uint32_t)warp->fault.lane;
    return CY_JIT_STOPPED;
}

static uint32_t poll(struct cy_jit_frame *frame)
{
    struct cy_jit_worker *worker = worker_of(frame);
    const struct cy_jit_shape *shape = &worker->shape;
    return atomic_load_explicit(shape->stop, memory_order_relaxed) ||
           atomic_load_explicit(shape->cancel, memory_order_relaxed) || shape->is_late(shape->context);
}

static uint32_t lanes(struct cy_jit_frame *frame, uint32_t item)
{
    const struct cy_jit_worker *worker = worker_of(frame);
    const uint32_t *local = worker->shape.local, *inside = worker->inside;
    const uint32_t row = worker->code->header.row, strip = worker->code->header.strip;
    const uint32_t left = row - item % row, count = left < strip ? left : strip;
    uint32_t mask = 0;
    if (memcmp(inside, local, sizeof(worker->inside)) == 0) /* only the last strip of a row is not full */
        return count == 32 ? UINT32_MAX : (1u << count) - 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = (item + i) % local[0], y = (item + i) / local[0] % local[1];
        const uint32_t z = (item + i) / local[0] / local[1];
        if (x < inside[0] && y < inside[1] && z < inside[2])
            mask |= 1u << i;
    }
    return mask;
}

const struct cy_jit_helpers cy_jit_helpers = {
    .check = check,
    .check_edges = check_edges,
    .check_lanes = check_lanes,
    .check_private = check_private,
    .atomic = atomic,
    .eval = eval,
    .eval_lanes = eval_lanes,
    .interpret = interpret,
    .poll = poll,
    .trap = trap,
    .lanes = lanes,
    .far_check = far_check,
    .far_access = far_access,
    .eval_wide = eval_wide,
};

/* ---- workers ---- */

static size_t counter_bytes(const struct cy_jit_image *header)
{
    return (size_t)header->counters * sizeof(uint64_t);
}

static bool make_warp(struct cy_jit_worker *worker)
{
    const struct cy_jit_shape *shape = &worker->shape;
    struct cy_warp *warp = worker->warp = cy_try_alloc(sizeof(*warp));
    if (!warp)
        return false;
    warp->v = cy_try_alloc_aligned(64, (cy_warp_vgpr_bytes(shape->threads) + 63) & ~(size_t)63);
    if (!warp->v)
        return false;
    warp->run = shape->run;
    cy_warp_start(warp, 0, 1);
    warp->numw = (shape->local[0] * shape->local[1] * shape->local[2] + shape->threads - 1) / shape->threads;
    warp->lds_size = shape->local_bytes;
    warp->pds_size = shape->private_bytes;
    worker->frame.x = warp->x;
    worker->frame.v = warp->v;
    return true;
}

struct cy_jit_worker *cy_jit_worker_create(const struct cy_jit_code *code, const struct cy_jit_shape *shape)
{
    const struct cy_jit_image *header = &code->header;
    const uint32_t items = shape->local[0] * shape->local[1] * shape->local[2];
    const size_t strips = cy_jit_strip_count(items, header->row, header->strip);
    struct cy_jit_worker *worker = cy_try_alloc(sizeof(*worker));
    if (!worker)
        return NULL;
    worker->code = code;
    worker->code_id = code->id;
    worker->shape = *shape;
    worker->frame.memory = shape->memory->base;
    worker->frame.helpers = &cy_jit_helpers;
    memcpy(worker->frame.grid, shape->grid, sizeof(shape->grid));
    worker->frame.sites = cy_try_alloc((header->site_count + 1) * sizeof(struct cy_jit_site));
    worker->frame.records = cy_try_alloc_aligned(64, (strips * header->record_bytes + 127) & ~(size_t)63);
    worker->frame.counters = cy_try_alloc(counter_bytes(header) + 1);
    if (worker->frame.sites && worker->frame.records && worker->frame.counters &&
        (!header->interpreted || make_warp(worker)))
        return worker;
    cy_jit_worker_free(worker);
    return NULL;
}

bool cy_jit_worker_renew(struct cy_jit_worker *worker, const struct cy_jit_code *code, const struct cy_jit_shape *shape)
{
    const struct cy_jit_shape *before = &worker->shape;
    if (worker->code_id != code->id || worker->warp || worker->faulted || before->memory != shape->memory ||
        memcmp(before->local, shape->local, sizeof(shape->local)) != 0 || before->threads != shape->threads ||
        before->private_bytes != shape->private_bytes || before->local_bytes != shape->local_bytes)
        return false;
    worker->shape = *shape;
    memcpy(worker->frame.grid, shape->grid, sizeof(shape->grid));
    return true;
}

void cy_jit_worker_free(struct cy_jit_worker *worker)
{
    if (!worker)
        return;
    cy_free(worker->frame.sites);
    cy_free(worker->frame.records);
    cy_free(worker->frame.counters);
    if (worker->warp)
        cy_free(worker->warp->v);
    cy_free(worker->warp);
    cy_free(worker);
}

void cy_jit_worker_place(struct cy_jit_worker *worker, const struct cy_jit_place *place)
{
    struct cy_jit_frame *frame = &worker->frame;
    const unsigned generation = atomic_load_explicit(&worker->shape.memory->generation, memory_order_acquire);
    frame->metadata = place->metadata;
    frame->arguments = place->arguments;
    if (frame->lds != place->lds || generation != worker->generation)
        memset(frame->sites, 0, worker->code->header.site_count * sizeof(*frame->sites));
    worker->generation = generation;
    frame->lds = place->lds;
    frame->pds = place->pds;
    frame->workgroup = place->workgroup;
    worker->print = place->print;
}

/* So many from the first one on are inside of the range. */
static uint32_t items_before_gap(const uint32_t inside[3], const uint32_t local[3])
{
    if (inside[0] < local[0])
        return inside[0];
    return local[0] * (inside[1] < local[1] ? inside[1] : local[1] * inside[2]);
}

bool cy_jit_run(struct cy_jit_worker *worker, uint32_t group[3], const uint32_t inside[3], uint32_t count,
                struct cy_fault *fault, uint32_t *item)
{
    struct cy_jit_frame *frame = &worker->frame;
    const uint32_t *local = worker->shape.local, row = worker->code->header.row, strip = worker->code->header.strip;
    const uint32_t before_gap = items_before_gap(inside, local);
    memcpy(frame->group, group, sizeof(frame->group));
    memcpy(worker->inside, inside, sizeof(worker->inside));
    frame->whole = inside[0] == local[0] && inside[1] == local[1] && inside[2] == local[2];
    frame->whole_strips = cy_jit_strip_count(before_gap / row * row, row, strip) + before_gap % row / strip;
    frame->groups = count;
    if (!worker->code->run(frame))
        return true;
    memcpy(group, frame->group, sizeof(frame->group));
    if (worker->faulted) {
        *fault = worker->fault;
        *item = worker->item;
    }
    return false;
}

uint32_t cy_jit_barriers(struct cy_jit_worker *worker)
{
    const uint32_t passed = worker->frame.barriers;
    worker->frame.barriers = 0;
    return passed;
}

uint64_t cy_jit_counted(struct cy_jit_worker *worker, struct cy_lane_counters *lanes, uint64_t *interpreted)
{
    uint64_t *counts = worker->frame.counts;
    const uint64_t instructions = counts[CY_JIT_INSTRUCTIONS];
    *interpreted += counts[CY_JIT_INTERPRETED];
    lanes->vectors += counts[CY_JIT_VECTORS];
    lanes->partial += counts[CY_JIT_PARTIAL];
    lanes->active += counts[CY_JIT_ACTIVE];
    lanes->branches += counts[CY_JIT_BRANCHES];
    lanes->splits += counts[CY_JIT_SPLITS];
    memset(counts, 0, sizeof(worker->frame.counts));
    return instructions;
}

/* Issues and idle lanes are kept by their changes from word to word (gpu/engine/count.c). */
static void add_range(struct cy_insn_counts *counts, uint32_t first, uint32_t end, uint64_t issued, uint64_t idle_lanes)
{
    counts[first].issued += issued;
    counts[end].issued -= issued;
    counts[first].idle_lanes += idle_lanes;
    counts[end].idle_lanes -= idle_lanes;
}

uint64_t cy_jit_tallied(struct cy_jit_worker *worker, struct cy_insn_counts *counts, size_t words)
{
    const struct cy_jit_code *code = worker->code;
    uint64_t *counters = worker->frame.counters, instructions = 0;
    for (uint32_t i = 0; i < code->header.tally_count; i++) {
        const struct cy_jit_tally *tally = &code->tallies[i];
        const uint64_t count = tally->counter < code->header.counters ? counters[tally->counter] : 0;
        if (!count || tally->first >= words || tally->end >= words || tally->join >= words)
            continue;
        switch ((enum cy_jit_tally_kind)tally->kind) {
        case CY_JIT_ISSUED:
            add_range(counts, tally->first, tally->end, count, count * tally->idle);
            instructions += count * tally->insns;
            break;
        case CY_JIT_LANES: add_range(counts, tally->first, tally->end, 0, -count); break;
        case CY_JIT_IDLE: add_range(counts, tally->first, tally->end, 0, count); break;
        case CY_JIT_SPLIT:
            counts[tally->first].divergent += count;
            add_range(counts, tally->join, tally->end, 2 * count, 0);
            instructions += 2 * count;
            break;
        }
    }
    memset(counters, 0, counter_bytes(&code->header));
    return instructions;
}
