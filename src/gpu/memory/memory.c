/* The window, far regions, the rights of their pages, and the buffer allocator.
 *
 * The window's rights are stored twice: as a byte per page, for single look-ups, and as a sorted array of runs of equal
 * pages, for extents, which holds those of the regions too.  cy_memory_extent searches the array without a lock:
 * `generation` is a sequence lock around every change (odd while it happens). */
#define _GNU_SOURCE
#include "gpu/memory/memory.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_BYTES (1ull << 32)
#define GUARD_BYTES CY_GUARD_BYTES
#define MAX_FAR (1u << 19) /* far buffers, each of which has at most one run */
#define MAX_RUNS (CY_PAGE_COUNT / 2 + 1 + MAX_FAR)
#define REGION_BYTES (4ull << 30)       /* regions are a multiple of this, */
#define POOLED_BYTES (REGION_BYTES / 4) /* and buffers up to this size share one */
#define HIGH_HINT (1ull << 45)
#define SPACE_END (1ull << 56) /* no host has addresses up there */
#define MAX_FAR_HUGE (256ull << 20)
#define HUGE_BYTES (2ull << 20) /* buffers of at least this size may use the host's huge pages */

static uint8_t *host_at(uintptr_t bias, uint64_t address)
{
    return (uint8_t *)(bias + (uintptr_t)address);
}

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

struct cy_run_of_pages *cy_memory_make_runs(void)
{
    return map_table(MAX_RUNS * sizeof(struct cy_run_of_pages));
}

void cy_memory_free_runs(struct cy_run_of_pages *runs)
{
    if (runs)
        munmap(runs, MAX_RUNS * sizeof(*runs));
}

/* A file of zeros in memory; -1: the host refuses. */
static int make_file(uint64_t bytes)
{
    int file = memfd_create("chengying", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        return -1;
    }
    return file;
}

bool cy_memory_back(struct cy_memory *memory)
{
    const uint64_t bytes = WINDOW_BYTES + 2 * GUARD_BYTES;
    int file = memory->commit ? -1 : make_file(bytes);
    if (file < 0)
        return false;
    uint8_t *area = memory->base - GUARD_BYTES;
    if (mmap(area, bytes, PROT_READ, MAP_FIXED | MAP_SHARED | MAP_NORESERVE, file, 0) == MAP_FAILED ||
        mprotect(memory->base, WINDOW_BYTES, PROT_READ | PROT_WRITE) != 0) {
        close(file);
        return false;
    }
    memory->is_backed = true;
    memory->file = file;
    return true;
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
    memory->runs = cy_memory_make_runs();
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
    cy_memory_free_runs(memory->runs);
    for (size_t i = 0; i < memory->region_count; i++) {
        munmap(host_at(memory->regions[i].bias, memory->regions[i].start), memory->regions[i].bytes + GUARD_BYTES);
        if (memory->is_backed)
            close(memory->regions[i].file);
    }
    if (memory->is_backed)
        close(memory->file);
    cy_free(memory->regions);
    cy_free(memory->blocks);
    pthread_mutex_destroy(&memory->lock);
    memset(memory, 0, sizeof(*memory));
}

/* ---- runs ---- */

/* A run as a value. */
struct run {
    uint64_t first, end; /* pages */
    uint8_t rights;
    uintptr_t bias;
};

static struct run run_at(const struct cy_memory *memory, size_t index)
{
    const struct cy_run_of_pages *at = &memory->runs[index];
    uint64_t end_rights = atomic_load_explicit(&at->end_rights, memory_order_relaxed);
    return (struct run){atomic_load_explicit(&at->first, memory_order_relaxed), end_rights >> 3,
                        (uint8_t)(end_rights & 7), atomic_load_explicit(&at->bias, memory_order_relaxed)};
}

static void run_set(struct cy_memory *memory, size_t index, struct run run)
{
    struct cy_run_of_pages *at = &memory->runs[index];
    atomic_store_explicit(&at->first, run.first, memory_order_relaxed);
    atomic_store_explicit(&at->end_rights, run.end << 3 | run.rights, memory_order_relaxed);
    atomic_store_explicit(&at->bias, run.bias, memory_order_relaxed);
}

/* The number of runs that start at or before `page`. */
static size_t runs_up_to(const struct cy_memory *memory, size_t count, uint64_t page)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (atomic_load_explicit(&memory->runs[middle].first, memory_order_relaxed) <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cy_extent cy_memory_extent(const struct cy_memory *memory, uint64_t address)
{
    uint64_t page = address >> CY_PAGE_BITS;
    for (;;) {
        unsigned before = atomic_load_explicit(&memory->generation, memory_order_acquire);
        if (before & 1) {
            sched_yield();
            continue;
        }
        size_t count = atomic_load_explicit(&memory->run_count, memory_order_relaxed);
        size_t index = runs_up_to(memory, count, page);
        struct run run = index ? run_at(memory, index - 1) : (struct run){0};
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&memory->generation, memory_order_relaxed) != before)
            continue;
        if (!index || page >= run.end)
            return (struct cy_extent){0};
        return (struct cy_extent){run.first << CY_PAGE_BITS, run.end << CY_PAGE_BITS, run.rights, run.bias};
    }
}

uint8_t cy_memory_rights(const struct cy_memory *memory, uint64_t address)
{
    if (address >= WINDOW_BYTES)
        return cy_memory_extent(memory, address).rights;
    return atomic_load_explicit(&memory->page_rights[address >> CY_PAGE_BITS], memory_order_relaxed);
}

uint8_t *cy_memory_host(const struct cy_memory *memory, uint64_t address)
{
    if (address < WINDOW_BYTES)
        return memory->base + address;
    struct cy_extent extent = cy_memory_extent(memory, address);
    return extent.start < extent.end ? cy_extent_host(&extent, address) : NULL;
}

bool cy_memory_allows(const struct cy_memory *memory, uint64_t address, uint64_t size, uint8_t rights)
{
    uint64_t end = address + size;
    if (end < address)
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
static void set_runs(struct cy_memory *memory, struct run new)
{
    size_t count = atomic_load_explicit(&memory->run_count, memory_order_relaxed);
    const uint64_t first = new.first, end = new.end;
    size_t from = runs_up_to(memory, count, first);
    while (from && run_at(memory, from - 1).end >= first)
        from--; /* overlaps, or is adjacent and may merge */
    size_t to = from;
    struct run fresh[3], tail = {0};
    size_t fresh_count = 0;
    for (; to < count; to++) {
        struct run run = run_at(memory, to);
        bool same = new.rights &&run.rights == new.rights &&run.bias == new.bias;
        if (run.first > end)
            break;
        if (run.first < first) {
            if (same)
                new.first = run.first;
            else
                fresh[fresh_count++] = (struct run){run.first, run.end < first ? run.end : first, run.rights, run.bias};
        }
        if (run.end > end) {
            if (same)
                new.end = run.end;
            else
                tail = (struct run){run.first > end ? run.first : end, run.end, run.rights, run.bias};
        }
    }
    if (new.rights)
        fresh[fresh_count++] = new;
    if (tail.end)
        fresh[fresh_count++] = tail;

    size_t moved = count - to, new_count = from + fresh_count + moved;
    assert(new_count <= MAX_RUNS && "runs are disjoint and never adjacent with equal rights");
    if (from + fresh_count < to)
        for (size_t i = 0; i < moved; i++)
            run_set(memory, from + fresh_count + i, run_at(memory, to + i));
    else if (from + fresh_count > to)
        for (size_t i = moved; i-- > 0;)
            run_set(memory, from + fresh_count + i, run_at(memory, to + i));
    for (size_t i = 0; i < fresh_count; i++)
        run_set(memory, from + i, fresh[i]);
    atomic_store_explicit(&memory->run_count, (unsigned)new_count, memory_order_relaxed);
}

/* ---- rights ---- */

/* False: the host has no memory for these pages. */
static bool commit(const struct cy_memory *memory, uint8_t *start, uint64_t size)
{
    size_t before = (uintptr_t)start & (memory->host_page - 1);
    return !memory->commit || mprotect(start - before, size + before, PROT_READ | PROT_WRITE) == 0;
}

static void clear(const struct cy_memory *memory, uint8_t *start, uint8_t *end)
{
    if (start < end && commit(memory, start, (uint64_t)(end - start)))
        memset(start, 0, (size_t)(end - start));
}

/* The pages read as zero afterwards.  Where the host's pages are larger, one may also contain someone else's. */
static void give_back(const struct cy_memory *memory, uint8_t *start, uint64_t size)
{
#ifdef __linux__
    const uintptr_t mask = memory->host_page - 1;
    uint8_t *first = start + (-(uintptr_t)start & mask), *end = start + size - ((uintptr_t)(start + size) & mask);
    if (first >= end) {
        clear(memory, start, start + size);
        return;
    }
    clear(memory, start, first);
    clear(memory, end, start + size);
    madvise(first, (size_t)(end - first), memory->is_backed ? MADV_REMOVE : MADV_DONTNEED);
#ifdef MADV_NOHUGEPAGE
    if (size >= HUGE_BYTES)
        madvise(first, (size_t)(end - first), MADV_NOHUGEPAGE);
#endif
#else
    clear(memory, start, start + size);
#endif
}

static void allow_huge(uint8_t *start, uint64_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t mask = HUGE_BYTES - 1;
    uint8_t *first = start + (-(uintptr_t)start & mask), *end = start + size - ((uintptr_t)(start + size) & mask);
    if (size >= HUGE_BYTES && end > first)
        madvise(first, (size_t)(end - first), MADV_HUGEPAGE);
#else
    (void)start, (void)size;
#endif
}

static void set_rights(struct cy_memory *memory, uintptr_t bias, uint64_t start, uint64_t size, uint8_t rights)
{
    uint64_t first = start >> CY_PAGE_BITS, end = first + (size >> CY_PAGE_BITS);
    unsigned generation = atomic_load_explicit(&memory->generation, memory_order_relaxed);
    atomic_store_explicit(&memory->generation, generation + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    set_runs(memory, (struct run){first, end, rights, bias});
    for (uint64_t page = first; page < end && page < CY_PAGE_COUNT; page++)
        atomic_store_explicit(&memory->page_rights[page], rights, memory_order_relaxed);
    atomic_store_explicit(&memory->generation, generation + 2, memory_order_release);
}

static bool protect_locked(struct cy_memory *memory, uintptr_t bias, uint64_t start, uint64_t size, uint8_t rights)
{
    assert(start % CY_PAGE_SIZE == 0 && size % CY_PAGE_SIZE == 0);
    if (size == 0)
        return true;
    uint8_t *host = host_at(bias, start);
    if (rights && !commit(memory, host, size))
        return false;
    set_rights(memory, bias, start, size, rights);
    if (!rights)
        give_back(memory, host, size);
    return true;
}

static uintptr_t window_bias(const struct cy_memory *memory)
{
    return (uintptr_t)memory->base;
}

bool cy_memory_protect(struct cy_memory *memory, uint32_t start, uint64_t size, uint8_t rights)
{
    assert(start + size <= WINDOW_BYTES);
    pthread_mutex_lock(&memory->lock);
    bool ok = protect_locked(memory, window_bias(memory), start, size, rights);
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
static bool insert_block(struct cy_memory *memory, size_t index, uintptr_t bias, uint64_t start, uint64_t size,
                         uint64_t bytes, uint8_t rights)
{
    if (bytes > memory->limit_bytes - memory->used_bytes || memory->far_count == MAX_FAR ||
        !cy_vec_try_grow(&memory->blocks, &memory->block_capacity, memory->block_count + 1, sizeof(*memory->blocks)) ||
        !protect_locked(memory, bias, start, bytes, rights))
        return false;
    /* a huge page is used as a whole: not for large parts of a space that is hardly touched */
    const bool is_far = start >= WINDOW_BYTES,
               huge = is_far && bytes >= HUGE_BYTES && bytes <= MAX_FAR_HUGE - memory->far_huge_bytes;
    if (huge || !is_far)
        allow_huge(host_at(bias, start), bytes);
    memmove(memory->blocks + index + 1, memory->blocks + index,
            (memory->block_count - index) * sizeof(*memory->blocks));
    memory->blocks[index] = (struct cy_block){start, size, bytes, false, huge};
    memory->block_count++;
    memory->far_count += is_far;
    memory->far_huge_bytes += huge ? bytes : 0;
    memory->used_bytes += bytes;
    return true;
}

static uint64_t whole_pages(uint64_t size)
{
    return size > CY_FAR_END ? UINT64_MAX : ((size ? size : 1) + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
}

/* First fit between `at` and `limit`; `*index`: that of the first block from `at` on, then that of the new one.  False:
 * there is no room. */
static bool find_room(const struct cy_memory *memory, uint64_t *at, uint64_t limit, uint64_t bytes, uint64_t mask,
                      size_t *index)
{
    const uint64_t guard = memory->guard_bytes;
    for (*at = (*at + mask) & ~mask; *at < limit; (*index)++) {
        const struct cy_block *next = *index < memory->block_count ? &memory->blocks[*index] : NULL;
        const uint64_t end = next && next->start < limit ? next->start : limit;
        if (*at + guard <= end && bytes <= end - guard - *at)
            return true;
        if (end == limit)
            return false;
        *at = (next->start + next->bytes + guard + mask) & ~mask;
    }
    return false;
}

uint32_t cy_memory_alloc(struct cy_memory *memory, uint64_t size, uint32_t align)
{
    uint64_t bytes = whole_pages(size), mask = (align > CY_PAGE_SIZE ? align : CY_PAGE_SIZE) - 1ull;
    uint32_t result = 0;
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, CY_BUFFER_BASE - 1);
    uint64_t at = CY_BUFFER_BASE;
    if (index) { /* a fixed buffer may reach across the border */
        const struct cy_block *below = &memory->blocks[index - 1];
        if (below->start + below->bytes + memory->guard_bytes > at)
            at = below->start + below->bytes + memory->guard_bytes;
    }
    if (find_room(memory, &at, WINDOW_BYTES, bytes, mask, &index) &&
        insert_block(memory, index, window_bias(memory), at, size, bytes, CY_READ | CY_WRITE))
        result = (uint32_t)at;
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
    bool ok =
        free_below && free_above && insert_block(memory, index, window_bias(memory), address, size, bytes, rights);
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

/* ---- far buffers ---- */

static struct cy_region *region_of(const struct cy_memory *memory, uint64_t address)
{
    for (size_t i = 0; i < memory->region_count; i++)
        if (address >= memory->regions[i].start && address - memory->regions[i].start < memory->regions[i].bytes)
            return &memory->regions[i];
    return NULL;
}

static uintptr_t bias_of(const struct cy_memory *memory, uint64_t address)
{
    const struct cy_region *region = address < WINDOW_BYTES ? NULL : region_of(memory, address);
    return address < WINDOW_BYTES ? window_bias(memory)
           : region               ? region->bias
                                  : 0; /* adopted memory is in no region */
}

/* The end of the regions that are not shared virtual memory, with some space after it: extents do not touch. */
static uint64_t far_end(const struct cy_memory *memory)
{
    uint64_t end = CY_FAR_BASE;
    for (size_t i = 0; i < memory->region_count; i++)
        if (memory->regions[i].start < CY_FAR_END && memory->regions[i].start + memory->regions[i].bytes >= end)
            end = memory->regions[i].start + memory->regions[i].bytes + REGION_BYTES;
    return end;
}

/* The file of a region, with its guard; *file -1: it has none.  False: the host refuses one. */
static bool give_file(const struct cy_memory *memory, uint64_t bytes, int *file)
{
    *file = memory->is_backed ? make_file(bytes + GUARD_BYTES) : -1;
    return *file >= 0 || !memory->is_backed;
}

/* Readable and writable host memory, with a guard for the longest access of one lane after it; NULL: the host refused. */
static uint8_t *map_region(const struct cy_memory *memory, uintptr_t hint, uint64_t bytes, int file)
{
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    const int protection = memory->commit ? PROT_READ : PROT_READ | PROT_WRITE;
    uint8_t *host = mmap((void *)hint, bytes + GUARD_BYTES, protection, flags, file, 0);
    return host == MAP_FAILED ? NULL : host;
}

static struct cy_region *push_region(struct cy_memory *memory, uint64_t start, uint64_t bytes, uint8_t *host, int file)
{
#ifdef MADV_NOHUGEPAGE
    madvise(host, bytes, MADV_NOHUGEPAGE);
#endif
    struct cy_region *region = &memory->regions[memory->region_count++];
    *region = (struct cy_region){start, bytes, (uintptr_t)host - (uintptr_t)start, file};
    return region;
}

static bool grow_regions(struct cy_memory *memory)
{
    return cy_vec_try_grow(&memory->regions, &memory->region_capacity, memory->region_count + 1,
                           sizeof(*memory->regions));
}

/* Shared virtual memory is far above CY_FAR_END, where hosts map by themselves, except for some emulators. */
static uint8_t *map_new_region(const struct cy_memory *memory, uint64_t bytes, bool identity, int file)
{
    uint8_t *host = map_region(memory, 0, bytes, file);
    if (host && identity && (uintptr_t)host < CY_FAR_END) {
        munmap(host, bytes + GUARD_BYTES);
        host = map_region(memory, HIGH_HINT, bytes, file);
    }
    if (host && identity && (uintptr_t)host < CY_FAR_END) {
        munmap(host, bytes + GUARD_BYTES);
        return NULL;
    }
    return host;
}

/* NULL: the host or the guest has no such range left. */
static struct cy_region *add_region(struct cy_memory *memory, uint64_t bytes, bool identity)
{
    const uint64_t start = far_end(memory);
    int file;
    bytes = (bytes + REGION_BYTES - 1) & ~(REGION_BYTES - 1);
    if (bytes > CY_FAR_END || (!identity && bytes > CY_FAR_END - start) || !grow_regions(memory) ||
        !give_file(memory, bytes, &file))
        return NULL;
    uint8_t *host = map_new_region(memory, bytes, identity, file);
    if (host)
        return push_region(memory, identity ? (uintptr_t)host : start, bytes, host, file);
    if (file >= 0)
        close(file);
    return NULL;
}

bool cy_memory_reserve_far(struct cy_memory *memory, uint64_t start, uint64_t bytes)
{
    bool ok =
        start >= CY_FAR_BASE && start < SPACE_END && bytes && bytes <= CY_FAR_END && !((start | bytes) % CY_PAGE_SIZE);
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; ok && i < memory->region_count; i++)
        ok = start + bytes <= memory->regions[i].start || start >= memory->regions[i].start + memory->regions[i].bytes;
    for (size_t i = 0; ok && i < memory->block_count; i++) /* adopted memory is in no region */
        ok = start + bytes <= memory->blocks[i].start || start >= memory->blocks[i].start + memory->blocks[i].bytes;
    int file = -1;
    uint8_t *host =
        ok && grow_regions(memory) && give_file(memory, bytes, &file) ? map_region(memory, 0, bytes, file) : NULL;
    if (host)
        push_region(memory, start, bytes, host, file);
    else if (file >= 0)
        close(file);
    pthread_mutex_unlock(&memory->lock);
    return host != NULL;
}

bool cy_memory_alloc_far_at(struct cy_memory *memory, uint64_t address, uint64_t size)
{
    const uint64_t bytes = whole_pages(size);
    pthread_mutex_lock(&memory->lock);
    const struct cy_region *region = address < CY_FAR_BASE ? NULL : region_of(memory, address);
    const size_t index = blocks_up_to(memory, address);
    const struct cy_block *below = index ? &memory->blocks[index - 1] : NULL,
                          *above = index < memory->block_count ? &memory->blocks[index] : NULL;
    bool ok = region && address % CY_PAGE_SIZE == 0 && bytes <= region->bytes - (address - region->start) &&
              (!below || below->start + below->bytes <= address) && (!above || above->start >= address + bytes) &&
              insert_block(memory, index, region->bias, address, size, bytes, CY_READ | CY_WRITE);
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

static uint64_t place_in(struct cy_memory *memory, const struct cy_region *region, uint64_t size, uint64_t bytes,
                         uint64_t mask)
{
    uint64_t at = region->start + memory->guard_bytes;
    size_t index = blocks_up_to(memory, region->start);
    index -= index && memory->blocks[index - 1].start >= region->start;
    return find_room(memory, &at, region->start + region->bytes, bytes, mask, &index) &&
                   insert_block(memory, index, region->bias, at, size, bytes, CY_READ | CY_WRITE)
               ? at
               : 0;
}

uint64_t cy_memory_alloc_far(struct cy_memory *memory, uint64_t size, uint64_t align, bool identity)
{
    const uint64_t bytes = whole_pages(size), mask = (align > CY_PAGE_SIZE ? align : CY_PAGE_SIZE) - 1;
    const bool pooled = bytes <= POOLED_BYTES && mask < POOLED_BYTES;
    uint64_t result = 0;
    if (bytes > CY_FAR_END || mask >= CY_FAR_END)
        return 0;
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->region_count && !result; i++) {
        const struct cy_region *region = &memory->regions[i];
        if ((region->start >= CY_FAR_END) == identity && (region->bytes == REGION_BYTES) == pooled)
            result = place_in(memory, region, size, bytes, mask);
    }
    if (!result && bytes <= memory->limit_bytes - memory->used_bytes) {
        /* never as small as those that small buffers share */
        const uint64_t most = bytes + mask + 2 * memory->guard_bytes;
        const struct cy_region *region =
            add_region(memory, pooled || most > REGION_BYTES ? most : REGION_BYTES + 1, identity);
        if (region)
            result = place_in(memory, region, size, bytes, mask);
    }
    pthread_mutex_unlock(&memory->lock);
    return result;
}

bool cy_memory_adopt(struct cy_memory *memory, uint64_t address, uint64_t size)
{
    if (address < CY_FAR_END || address % CY_PAGE_SIZE || size > CY_FAR_END)
        return false;
    pthread_mutex_lock(&memory->lock);
    const size_t index = blocks_up_to(memory, address);
    const struct cy_block *below = index ? &memory->blocks[index - 1] : NULL;
    bool ok = (!below || below->start + below->bytes <= address) &&
              insert_block(memory, index, 0, address, size, whole_pages(size), CY_READ | CY_WRITE);
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

/* The file that backs a guest address, and where in it that is. */
static int backing_of(const struct cy_memory *memory, uint64_t address, off_t *at)
{
    const struct cy_region *region = address < WINDOW_BYTES ? NULL : region_of(memory, address);
    *at = (off_t)(region ? address - region->start : address + GUARD_BYTES);
    return region ? region->file : memory->file;
}

/* Replaces the memory of a buffer by a file that is shared with others. */
static bool replace(struct cy_memory *memory, const struct cy_block *block, int file, off_t at)
{
    int flags = file < 0 ? MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS : MAP_FIXED | MAP_SHARED;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE;
#endif
    int protection = file < 0 && memory->commit ? PROT_READ : PROT_READ | PROT_WRITE;
    return mmap(host_at(bias_of(memory, block->start), block->start), block->bytes, protection, flags, file, at) !=
           MAP_FAILED;
}

/* Gives it memory of its own again. */
static bool restore(struct cy_memory *memory, const struct cy_block *block)
{
    off_t at = 0;
    const int file = memory->is_backed ? backing_of(memory, block->start, &at) : -1;
    return replace(memory, block, file, at);
}

bool cy_memory_share(struct cy_memory *memory, uint64_t address, int file)
{
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, address);
    struct cy_block *block = index ? &memory->blocks[index - 1] : NULL;
    bool ok = block && block->start == address && replace(memory, block, file, 0);
    if (ok)
        block->shared = true;
    pthread_mutex_unlock(&memory->lock);
    return ok;
}

bool cy_memory_free(struct cy_memory *memory, uint64_t address)
{
    pthread_mutex_lock(&memory->lock);
    size_t index = blocks_up_to(memory, address);
    bool found = index && memory->blocks[index - 1].start == address && memory->blocks[index - 1].size;
    if (found) {
        struct cy_block *block = &memory->blocks[index - 1];
        memory->used_bytes -= block->bytes;
        const uintptr_t bias = bias_of(memory, block->start);
        if (block->shared) /* its contents are others', too */
            set_rights(memory, bias, block->start, block->bytes, 0);
        else
            protect_locked(memory, bias, block->start, block->bytes, 0);
        if (!block->shared || restore(memory, block)) {
            memory->far_count -= block->start >= WINDOW_BYTES;
            memory->far_huge_bytes -= block->huge ? block->bytes : 0;
            memmove(block, block + 1, (memory->block_count - index) * sizeof(*memory->blocks));
            memory->block_count--;
        } else {
            block->size = 0; /* the host refuses new memory there: never reuse memory that others still see */
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

bool cy_memory_find(struct cy_memory *memory, uint64_t address, uint64_t *start, uint64_t *size)
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
