#define _GNU_SOURCE
#include "gpu/memory/snapshot.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES_AT_ONCE = 4096 }; /* of the host, whose state is read together */

/* ---- parts ---- */

static struct cy_snapshot_part original_part(const struct cy_memory *of, size_t index)
{
    const uint64_t guard = CY_GUARD_BYTES;
    if (index == 0)
        return (struct cy_snapshot_part){.original = of->base - guard, .bytes = (1ull << 32) + 2 * guard};
    const struct cy_region *region = &of->regions[index - 1];
    return (struct cy_snapshot_part){.original = (uint8_t *)(region->bias + (uintptr_t)region->start),
                                     .bytes = region->bytes + guard};
}

static int file_of(const struct cy_memory *of, size_t index)
{
    return index == 0 ? of->file : of->regions[index - 1].file;
}

/* Regions are never unmapped: what was mapped once can be used again. */
static bool map_parts(struct cy_snapshot *snapshot)
{
    const struct cy_memory *of = snapshot->of;
    while (snapshot->part_count < of->region_count + 1) {
        struct cy_snapshot_part part = original_part(of, snapshot->part_count);
        if (!cy_vec_try_grow(&snapshot->parts, &snapshot->part_capacity, snapshot->part_count + 1, sizeof(part)))
            return false;
        part.host = mmap(NULL, part.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                         file_of(of, snapshot->part_count), 0);
        if (part.host == MAP_FAILED)
            return false;
        snapshot->parts[snapshot->part_count++] = part;
    }
    return true;
}

static void unmap(const struct cy_snapshot_part *part)
{
    munmap(part->host, part->bytes);
}

static void forget(struct cy_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->part_count; i++)
        madvise(snapshot->parts[i].host, snapshot->parts[i].bytes, MADV_DONTNEED);
    for (size_t i = 0; i < snapshot->copy_count; i++)
        unmap(&snapshot->copies[i]);
    snapshot->copy_count = 0;
}

static const struct cy_snapshot_part *part_of(const struct cy_snapshot *snapshot, const uint8_t *original)
{
    for (size_t i = 0; i < snapshot->part_count; i++)
        if ((uintptr_t)original - (uintptr_t)snapshot->parts[i].original < snapshot->parts[i].bytes)
            return &snapshot->parts[i];
    return NULL;
}

/* Memory of another device, which has the file. */
static const struct cy_snapshot_part *copy(struct cy_snapshot *snapshot, uint8_t *original, uint64_t bytes)
{
    if (!cy_vec_try_grow(&snapshot->copies, &snapshot->copy_capacity, snapshot->copy_count + 1,
                         sizeof(*snapshot->copies)))
        return NULL;
    uint8_t *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED)
        return NULL;
    memcpy(host, original, bytes);
    struct cy_snapshot_part *part = &snapshot->copies[snapshot->copy_count++];
    *part = (struct cy_snapshot_part){host, original, bytes};
    return part;
}

/* The same runs of pages, each with the view's memory. */
static bool copy_runs(struct cy_snapshot *snapshot)
{
    const struct cy_memory *of = snapshot->of;
    for (unsigned i = 0; i < of->run_count; i++) {
        const struct cy_run_of_pages *run = &of->runs[i];
        const uint64_t start = run->first << CY_PAGE_BITS, end = run->end_rights >> 3 << CY_PAGE_BITS;
        uint8_t *original = (uint8_t *)(run->bias + (uintptr_t)start);
        const struct cy_snapshot_part *part = part_of(snapshot, original);
        if (!part && !(part = copy(snapshot, original, end - start)))
            return false;
        struct cy_run_of_pages *own = &snapshot->memory.runs[i];
        own->first = run->first;
        own->end_rights = run->end_rights;
        own->bias = (uintptr_t)part->host + (uintptr_t)(original - part->original) - (uintptr_t)start;
    }
    snapshot->memory.run_count = of->run_count;
    return true;
}

/* Buffers that several devices share, at addresses of this one. */
static void copy_shared(struct cy_snapshot *snapshot)
{
    const struct cy_memory *of = snapshot->of;
    for (size_t i = 0; i < of->block_count; i++) {
        const struct cy_block *block = &of->blocks[i];
        uint8_t *from = block->shared ? cy_memory_host(of, block->start) : NULL;
        if (from)
            memcpy(cy_memory_host(&snapshot->memory, block->start), from, block->bytes);
    }
}

/* ---- pages that were written ---- */

enum { PRESENT_OR_SWAPPED = 3, FILE_PAGE = 1 }; /* bits 62 and 63; bit 61 */

static bool is_written(uint64_t page)
{
    return page >> 62 & PRESENT_OR_SWAPPED && !(page >> 61 & FILE_PAGE);
}

static bool read_pages(const struct cy_snapshot *snapshot, const uint8_t *host, size_t count)
{
    const size_t size = count * sizeof(*snapshot->pages);
    const off_t at = (off_t)((uintptr_t)host / snapshot->memory.host_page * sizeof(*snapshot->pages));
    return pread(snapshot->pagemap, snapshot->pages, size, at) == (ssize_t)size;
}

/* Does the host tell?  Asks about two pages of the guard before the window, of which one is written: emulators may show another process's
 * pages, and some hosts none. */
static bool host_tells(struct cy_snapshot *snapshot)
{
    uint8_t *guard = snapshot->parts[0].host;
    *(volatile uint8_t *)guard = 1;
    (void)*(volatile uint8_t *)(guard + snapshot->memory.host_page);
    return read_pages(snapshot, guard, 2) && is_written(snapshot->pages[0]) && !is_written(snapshot->pages[1]);
}

static bool open_pagemap(struct cy_snapshot *snapshot)
{
    snapshot->pages = cy_try_alloc(PAGES_AT_ONCE * sizeof(*snapshot->pages));
    if (!snapshot->pages)
        return false;
    snapshot->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (snapshot->pagemap >= 0 && !host_tells(snapshot)) {
        close(snapshot->pagemap);
        snapshot->pagemap = -1;
    }
    return true;
}

static bool copies_contain(const struct cy_snapshot *snapshot, const uint8_t *host)
{
    for (size_t i = 0; i < snapshot->copy_count; i++)
        if ((uintptr_t)host - (uintptr_t)snapshot->copies[i].host < snapshot->copies[i].bytes)
            return true;
    return false;
}

/* The first run of written pages in [*start, *end) of the host; false: there is none.  Whole pages of the host, which may be larger than the
 * guest's. */
static bool find_written(const struct cy_snapshot *snapshot, uint8_t **start, uint8_t **end)
{
    const uintptr_t page = snapshot->memory.host_page;
    uint8_t *first = NULL, *const from = *start, *const to = *end;
    if (snapshot->pagemap < 0 || copies_contain(snapshot, from))
        return from < to;
    for (uintptr_t at = (uintptr_t)from & ~(page - 1); at < (uintptr_t)to;) {
        const size_t left = ((uintptr_t)to - at + page - 1) / page, count = left < PAGES_AT_ONCE ? left : PAGES_AT_ONCE;
        if (!read_pages(snapshot, (uint8_t *)at, count)) {
            *start = first ? first : (uint8_t *)at > from ? (uint8_t *)at : from;
            return true; /* not known from here on */
        }
        for (size_t i = 0; i < count; i++, at += page) {
            if (!first && is_written(snapshot->pages[i]))
                first = (uint8_t *)at;
            if (first && !is_written(snapshot->pages[i])) {
                *start = first > from ? first : from;
                *end = (uint8_t *)at;
                return true;
            }
        }
    }
    *start = first > from ? first : from;
    return first;
}

bool cy_snapshot_written(struct cy_snapshot *snapshot, uint64_t *address, struct cy_snapshot_range *range)
{
    const struct cy_memory *memory = &snapshot->memory;
    for (unsigned i = 0; i < memory->run_count; i++) {
        const struct cy_run_of_pages *run = &memory->runs[i];
        const uint64_t end = run->end_rights >> 3 << CY_PAGE_BITS, first = run->first << CY_PAGE_BITS;
        if (end <= *address)
            continue;
        const uint64_t from = first > *address ? first : *address;
        uint8_t *start = (uint8_t *)(run->bias + (uintptr_t)from), *stop = (uint8_t *)(run->bias + (uintptr_t)end);
        if (!find_written(snapshot, &start, &stop))
            continue;
        const uint64_t at = (uintptr_t)start - run->bias;
        *range = (struct cy_snapshot_range){
            .address = at,
            .bytes = (uint64_t)(stop - start),
            .host = start,
            .original = (uint8_t *)(snapshot->of->runs[i].bias + (uintptr_t)at),
        };
        *address = at + range->bytes;
        return true;
    }
    return false;
}

void cy_snapshot_commit(struct cy_snapshot *snapshot)
{
    uint64_t address = 0;
    struct cy_snapshot_range range;
    while (cy_snapshot_written(snapshot, &address, &range))
        for (uint64_t at = 0; at < range.bytes; at += CY_PAGE_SIZE)
            if (memcmp(range.original + at, range.host + at, CY_PAGE_SIZE) != 0)
                memcpy(range.original + at, range.host + at, CY_PAGE_SIZE);
}

/* ---- life ---- */

static bool begin(struct cy_snapshot *snapshot, struct cy_memory *of)
{
    snapshot->of = of;
    snapshot->pagemap = -1;
    snapshot->memory.page_rights = of->page_rights;
    snapshot->memory.host_page = of->host_page;
    snapshot->memory.runs = cy_memory_make_runs();
    if (!snapshot->memory.runs || !map_parts(snapshot) || !open_pagemap(snapshot))
        return false;
    snapshot->memory.base = snapshot->parts[0].host + CY_GUARD_BYTES;
    return true;
}

bool cy_snapshot_take(struct cy_snapshot *snapshot, struct cy_memory *of)
{
    if (!of->is_backed)
        return false;
    pthread_mutex_lock(&of->lock);
    bool ok = snapshot->of || begin(snapshot, of);
    forget(snapshot);
    ok = ok && map_parts(snapshot) && copy_runs(snapshot);
    if (ok)
        copy_shared(snapshot);
    /* the engines keep what they know about memory while its generation is the same: each view has one of its own */
    snapshot->memory.generation = (of->view_generation += 2) | 1u << 31;
    pthread_mutex_unlock(&of->lock);
    if (!ok)
        cy_snapshot_free(snapshot);
    return ok;
}

void cy_snapshot_free(struct cy_snapshot *snapshot)
{
    if (!snapshot->of)
        return;
    forget(snapshot);
    for (size_t i = 0; i < snapshot->part_count; i++)
        unmap(&snapshot->parts[i]);
    if (snapshot->pagemap >= 0)
        close(snapshot->pagemap);
    cy_memory_free_runs(snapshot->memory.runs);
    cy_free(snapshot->parts);
    cy_free(snapshot->copies);
    cy_free(snapshot->pages);
    *snapshot = (struct cy_snapshot){0};
}
