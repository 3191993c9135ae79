/* The window, the rights of its pages, and the buffer allocator.
 *
 * Rights are stored twice: as a byte per page, for single look-ups, and as a sorted array of runs of equal pages, for
 * extents.  A run is one 64-bit word, so that cy_memory_extent can search the array without a lock: `generation` is a
 * sequence lock around every change (odd while it happens). */
#define _GNU_SOURCE
#include "gpu/memory/memory.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_BYTES (1ull << 32)
#define GUARD_BYTES (1ull << 16) /* more than the longest access of one lane, before and after the window */
#define MAX_RUNS (CY_PAGE_COUNT / 2 + 1)
#define HUGE_BYTES (2ull << 20) /* buffers of at least this size may use the host's huge pages */

/* ---- the window ---- */

static bool map_window(struct cy_memory *memory, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    uint8_t *area = mmap(NULL, WINDOW_BYTES + 2 * GUARD_BYTES, PROT_READ, flags, -1, 0);
    if (area == MAP_FAILED)
        return false;
    if (mprotect(area + GUARD_BYTES, WINDOW_BYTES, protection) != 0) {
        int reason = errno;
        munmap(area, WINDOW_BYTES + 2 * GUARD_BYTES);
        errno = reason;
        return false;
    }
    memory->base = area + GUARD_BYTES;
    return true;
}

/* Zeroed tables that use memory only where they are touched. */
static void *map_table(size_t size)
{
    void *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return table == MAP_FAILED ? NULL : table;
}

bool cy_memory_init(struct cy_memory *memory, uint64_t limit_bytes, struct cy_diags *diags)
{
    memset(memory, 0, sizeof(*memory));
    memory->limit_bytes = limit_bytes ? limit_bytes : UINT64_MAX;
    memory->host_page = (uint32_t)getpagesize();
    pthread_mutex_init(&memory->lock, NULL);
    if (!map_window(memory, PROT_READ | PROT_WRITE)) {
        /* A host that commits every writable page in advance still gives readable ones. */
        memory->commit = true;
        if (!map_window(memory, PROT_READ)) {
            diags->errors++;
            cy_buf_try_printf(
                &diags->text,
                "error: cannot reserve 4 GiB of address space for device memory: %s (is there a limit, 'ulimit -v'?)\n",
                strerror(errno));
            goto refused;
        }
    }
    memory->page_rights = map_table(CY_PAGE_COUNT * sizeof(*memory->page_rights));
    memory->runs = map_table(MAX_RUNS * sizeof(*memory->runs));
    if (!memory->page_rights || !memory->runs) {
        diags->errors++;
        cy_buf_try_printf(&diags->text, "error: no host memory for the tables of device memory: %s\n", strerror(errno));
        goto refused;
    }
#ifdef MADV_NOHUGEPAGE
    madvise(memory->base, WINDOW_BYTES, MADV_NOHUGEPAGE); /* a 4 KiB buffer costs 4 KiB, not 2 MiB */
#endif
    return true;
refused:
    cy_memory_destroy(memory);
    return false;
}

void cy_memory_destroy(struct cy_memory *memory)
{
    if (memory->base)
        munmap(memory->base - GUARD_BYTES, WINDOW_BYTES + 2 * GUARD_BYTES);
    if (memory->page_rights)
        munmap(memory->page_rights, CY_PAGE_COUNT * sizeof(*memory->page_rights));
    if (memory->runs)
        munmap(memory->runs, MAX_RUNS * sizeof(*memory->runs));
    cy_free(memory->blocks);
    pthread_mutex_destroy(&memory->lock);
    memset(memory, 0, sizeof(*memory));
}

/* ---- runs ---- */

/* first page (20 bits) | pages (21 bits) << 20 | rights << 41 */
static uint64_t run_pack(uint32_t first, uint32_t count, uint8_t rights)
{
    return first | (uint64_t)count << 20 | (uint64_t)rights << 41;
}
static uint32_t run_first(uint64_t run)
{
    return (uint32_t)(run & (CY_PAGE_COUNT - 1));
}
static uint32_t run_end(uint64_t run)
{
    return run_first(run) + (uint32_t)(run >> 20 & (2 * CY_PAGE_COUNT - 1));
}
static uint8_t run_rights(uint64_t run)
{
    return (uint8_t)(run >> 41);
}

static uint64_t run_at(const struct cy_memory *memory, size_t index)
{
    return atomic_load_explicit(&memory->runs[index], memory_order_relaxed);
}

/* The number of runs that start at or before `page`. */
static size_t runs_up_to(const struct cy_memory *memory, size_t count, uint32_t page)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run_first(run_at(memory, middle)) <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cy_extent cy_memory_extent(const struct cy_memory *memory, uint64_t address)
{
    struct cy_extent none = {0, 0, 0};
    if (address >> 32)
        return none;
    uint32_t page = (uint32_t)(address >> CY_PAGE_BITS);
    for (;;) {
        unsigned before = atomic_load_explicit(&memory->generation, memory_order_acquire);
        if (before & 1) {
            sched_yield();
            continue;
        }
        size_t count = atomic_load_explicit(&memory->run_count, memory_order_relaxed);
        size_t index = runs_up_to(memory, count, page);
        uint64_t run = index ? run_at(memory, index - 1) : 0;
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&memory->generation, memory_order_relaxed) != before)
            continue;
        if (!index || page >= run_end(run))
            return none;
        return (struct cy_extent){(uint64_t)run_first(run) << CY_PAGE_BITS, (uint64_t)run_end(run) << CY_PAGE_BITS,
                                  run_rights(run)};
    }
}

bool cy_memory_allows(const struct cy_memory *memory, uint64_t address, uint64_t size, uint8_t rights)
{
    uint64_t end = address + size;
    if (end < address || end > WINDOW_BYTES)
        return false;
    while (address < end) {
        struct cy_extent extent = cy_memory_extent(memory, address);
        if (extent.start == extent.end || (extent.rights & rights) != rights)
            return false;
        address = extent.end;
    }
    return true;
}

/* Replaces the runs of pages [first, end) by one to three new ones. */
static void set_runs(struct cy_memory *memory, uint32_t first, uint32_t end, uint8_t rights)
{
    size_t count = atomic_load_explicit(&memory->run_count, memory_order_relaxed);
    size_t from = runs_up_to(memory, count, first);
    while (from && run_end(run_at(memory, from - 1)) >= first)
        from--; /* overlaps, or is adjacent and may merge */
    size_t to = from;
    uint64_t fresh[3];
    size_t fresh_count = 0;
    uint32_t new_first = first, new_end = end;
    uint64_t tail = 0;
    while (to < count && run_first(run_at(memory, to)) <= end) {
        uint64_t run = run_at(memory, to);
        bool same = rights && run_rights(run) == rights;
        if (run_first(run) < first) {
            if (same)
                new_first = run_first(run);
            else
                fresh[fresh_count++] = run_pack(run_first(run), first - run_first(run), run_rights(run));
        }
        if (run_end(run) > end) {
            if (same)
                new_end = run_end(run);
            else {
                uint32_t start = run_first(run) > end ? run_first(run) : end;
                tail = run_pack(start, run_end(run) - start, run_rights(run));
            }
        }
        to++;
    }
    if (rights)
        fresh[fresh_count++] = run_pack(new_first, new_end - new_first, rights);
    if (tail)
        fresh[fresh_count++] = tail;

    size_t moved = count - to, new_count = from + fresh_count + moved;
    assert(new_count <= MAX_RUNS && "runs are disjoint and never adjacent with equal rights");
    if (from + fresh_count < to)
        for (size_t i = 0; i < moved; i++)
            atomic_store_explicit(&memory->runs[from + fresh_count + i], run_at(memory, to + i), memory_order_relaxed);
    else if (from + fresh_count > to)
        for (size_t i = moved; i-- > 0;)
            atomic_store_explicit(&memory->runs[from + fresh_count + i], run_at(memory, to + i), memory_order_relaxed);
    for (size_t i = 0; i < fresh_count; i++)
        atomic_store_explicit(&memory->runs[from + i], fresh[i], memory_order_relaxed);
    atomic_store_explicit(&memory->run_count, (unsigned)new_count, memory_order_relaxed);
}

/* ---- rights ---- */

/* False: the host has no memory for these pages. */
static bool commit(struct cy_memory *memory, uint64_t start, uint64_t end)
{
    uint64_t mask = memory->host_page - 1, first = start & ~mask;
    return !memory->commit || mprotect(memory->base + first, end - first, PROT_READ | PROT_WRITE) == 0;
}

static void clear(struct cy_memory *memory, uint64_t start, uint64_t end)
{
    if (start < end && commit(memory, start, end))
        memset(memory->base + start, 0, end - start);
}

/* The pages read as zero afterwards.  Where the host's pages are larger, one may also contain someone else's. */
static void give_back(struct cy_memory *memory, uint32_t start, uint64_t size)
{
#ifdef __linux__
    uint64_t mask = memory->host_page - 1, first = (start + mask) & ~mask, end = (start + size) & ~mask;
    if (first >= end) {
        clear(memory, start, start + size);
        return;
    }
    clear(memory, start, first);
    clear(memory, end, start + size);
    madvise(memory->base + first, end - first, MADV_DONTNEED);
#ifdef MADV_NOHUGEPAGE
    if (size >= HUGE_BYTES)
        madvise(memory->base + first, end - first, MADV_NOHUGEPAGE);
#endif
#else
    clear(memory, start, start + size);
#endif
}

static void allow_huge(struct cy_memory *memory, uint32_t start, uint64_t size)
{
#ifdef MADV_HUGEPAGE
    uint64_t first = (start + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1), end = (start + size) & ~(HUGE_BYTES - 1);
    if (size >= HUGE_BYTES && end > first)
        madvise(memory->base + first, end - first, MADV_HUGEPAGE);
#else
    (void)memory, (void)start, (void)size;
#endif
}

static bool protect_locked(struct cy_memory *memory, uint32_t start, uint64_t size, uint8_t rights)
{
    assert(start % CY_PAGE_SIZE == 0 && size % CY_PAGE_SIZE == 0 && start + size <= WINDOW_BYTES);
    if (size == 0)
        return true;
    if (rights && !commit(memory, start, start + size))
        return false;
    uint32_t first = start >> CY_PAGE_BITS, count = (uint32_t)(size >> CY_PAGE_BITS);
    unsigned generation = atomic_load_explicit(&memory->generation, memory_order_relaxed);
    atomic_store_explicit(&memory->generation, generation + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    set_runs(memory, first, first + count, rights);
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&memory->page_rights[first + i], rights, memory_order_relaxed);
    atomic_store_explicit(&memory->generation, generation + 2, memory_order_release);
    if (!rights)
        give_back(memory, start, size);
    return true;
}

bool cy_memory_protect(struct cy_memory *memory, uint32_t start, uint64_t size, uint8_t rights)
{
    pthread_mutex_lock(&memory->lock);
    bool ok = protect_locked(memory, start, size, rights);
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

/* ---- buffers ---- */

/* The number of blocks that start at or before `address`. */
static size_t blocks_up_to(const struct cy_memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->blocks[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* False: over the limit, or the host has no more. */
static bool insert_block(struct cy_memory *memory, size_t index, uint32_t start, uint64_t size, uint64_t bytes,
                         uint8_t rights)
{
    if (bytes > memory->limit_bytes - memory->used_bytes ||
        !cy_vec_try_grow(&memory->blocks, &memory->block_capacity, memory->block_count + 1, sizeof(*memory->blocks)) ||
        !protect_locked(memory, start, bytes, rights))
        return false;
    allow_huge(memory, start, bytes);
    memmove(memory->blocks + index + 1, memory->blocks + index,
            (memory->block_count - index) * sizeof(*memory->blocks));
    memory->blocks[index] = (struct cy_block){start, size, bytes, false};
    memory->block_count++;
    memory->used_bytes += bytes;
    return true;
}

static uint64_t whole_pages(uint64_t size)
{
    return size > WINDOW_BYTES ? UINT64_MAX : ((size ? size : 1) + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
}

uint32_t cy_memory_alloc(struct cy_memory *memory, uint64_t size, uint32_t align)
{
    uint64_t bytes = whole_pages(size), mask = (align > CY_PAGE_SIZE ? align : CY_PAGE_SIZE) - 1ull;
    uint32_t result = 0;
    pthread_mutex_lock(&memory->lock);
    uint64_t guard = memory->guard_bytes;
    size_t index = blocks_up_to(memory, CY_BUFFER_BASE - 1);
    uint64_t at = CY_BUFFER_BASE;
    if (index) { /* a fixed buffer may reach across the border */
        const struct cy_block *below = &memory->blocks[index - 1];
        if (below->start + below->bytes + guard > at)
            at = below->start + below->bytes + guard;
    }
    for (at = (at + mask) & ~mask; index <= memory->block_count; index++) {
        uint64_t end = index < memory->block_count ? memory->blocks[index].start : WINDOW_BYTES;
        if (at + guard <= end && bytes <= end - guard - at) {
            if (insert_block(memory, index, (uint32_t)at, size, bytes, CY_READ | CY_WRITE))
                result = (uint32_t)at;
            break;
        }
        if (index < memory->block_count)
            at = (memory->blocks[index].start + memory->blocks[index].bytes + guard + mask) & ~mask;
    }
    pthread_mutex_unlock(&memory->lock);
    return result;
}

bool cy_memory_alloc_at(struct cy_memory *memory, uint32_t address, uint64_t size, uint8_t rights)
{
    uint64_t bytes = whole_pages(size);
    if (address % CY_PAGE_SIZE || bytes > WINDOW_BYTES - address)
        return false;
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, address);
    bool free_below = !index || memory->blocks[index - 1].start + memory->blocks[index - 1].bytes <= address;
    bool free_above = index == memory->block_count || memory->blocks[index].start >= address + bytes;
    bool ok = free_below && free_above && insert_block(memory, index, address, size, bytes, rights);
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

/* Replaces the memory of a range of the window: by a file shared with others, or by private memory again. */
static bool replace(struct cy_memory *memory, const struct cy_block *block, int file)
{
    int flags = file < 0 ? MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS : MAP_FIXED | MAP_SHARED;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    int protection = file < 0 && memory->commit ? PROT_READ : PROT_READ | PROT_WRITE;
    return mmap(memory->base + block->start, block->bytes, protection, flags, file, 0) != MAP_FAILED;
}

bool cy_memory_share(struct cy_memory *memory, uint32_t address, int file)
{
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, address);
    struct cy_block *block = index ? &memory->blocks[index - 1] : NULL;
    bool ok = block && block->start == address && replace(memory, block, file);
    if (ok)
        block->shared = true;
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

bool cy_memory_free(struct cy_memory *memory, uint32_t address)
{
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, address);
    bool found = index && memory->blocks[index - 1].start == address && memory->blocks[index - 1].size;
    if (found) {
        struct cy_block *block = &memory->blocks[index - 1];
        memory->used_bytes -= block->bytes;
        protect_locked(memory, block->start, block->bytes, 0);
        if (!block->shared || replace(memory, block, -1)) {
            memmove(block, block + 1, (memory->block_count - index) * sizeof(*memory->blocks));
            memory->block_count--;
        } else {
            block->size = 0; /* the host refuses new memory there: never reuse memory that others still see */
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

bool cy_memory_find(struct cy_memory *memory, uint32_t address, uint32_t *start, uint64_t *size)
{
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, address);
    bool found = index && address - memory->blocks[index - 1].start < memory->blocks[index - 1].bytes &&
                 memory->blocks[index - 1].size;
    if (found) {
        *start = memory->blocks[index - 1].start;
        *size = memory->blocks[index - 1].size;
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

uint64_t cy_memory_used(struct cy_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    uint64_t used = memory->used_bytes;
    pthread_mutex_unlock(&memory->lock);
    return used;
}
