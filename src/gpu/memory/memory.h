/* Device memory: the guest's physical space of 64 bits, sparse.
 *
 * The low 4 GiB are one window of host address space: code, local and private memory, and all that a 32-bit address
 * must reach.  Above them are regions, mapped when a buffer first needs one: far buffers from CY_FAR_BASE up, and
 * shared virtual memory, where guest and host addresses are equal.  Window and regions are mapped readable and writable
 * without reserving memory and stay mapped until the end, so that no guest access can ever fault in the host, whatever
 * other threads do; pages use memory only once they are touched, and freeing returns them.
 *
 * Permissions are checked in software.  The engine looks up the extent (run of pages with equal rights) around an
 * address and keeps it while `generation` is unchanged, so that a whole warp's access costs two compares instead of a
 * look-up per lane.
 *
 * Allocating, freeing and protecting are serialised by `lock`; cy_memory_extent takes no lock and may run
 * concurrently. */
#ifndef CY_GPU_MEMORY_MEMORY_H
#define CY_GPU_MEMORY_MEMORY_H

#include "abi/abi.h"
#include "base/diag.h"

#include <pthread.h>
#include <stdatomic.h>

#define CY_PAGE_BITS 12
#define CY_PAGE_SIZE (1u << CY_PAGE_BITS)
#define CY_PAGE_COUNT (1u << (32 - CY_PAGE_BITS))

enum cy_access { CY_READ = 1, CY_WRITE = 2, CY_EXECUTE = 4 };

#define CY_FAR_BASE (1ull << 33) /* so far above 4 GiB that no sum of a 32-bit address and an offset gets there */
#define CY_FAR_END (1ull << 40)  /* shared virtual memory is above */

#define CY_GUARD_BYTES                                                                                                 \
    (1ull << 16) /* more than the longest access of one lane, before and after the window, after a region */

/* [start, end) is mapped with at least `rights`; empty when start == end.  The host address is `bias` plus the guest's. */
struct cy_extent {
    uint64_t start, end;
    uint8_t rights;
    uintptr_t bias;
};

static inline uint8_t *cy_extent_host(const struct cy_extent *extent, uint64_t address)
{
    return (uint8_t *)(extent->bias + (uintptr_t)address);
}

struct cy_block {
    uint64_t start;
    uint64_t size;  /* as asked for */
    uint64_t bytes; /* in whole pages */
    bool shared;    /* cy_memory_share */
    bool huge;      /* a far one that may use the host's huge pages */
};

/* A mapping for far buffers; never unmapped. */
struct cy_region {
    uint64_t start, bytes;
    uintptr_t bias; /* 0: shared virtual memory */
    int file;       /* with cy_memory_back: starts with its first byte */
};

/* Pages of equal rights; words that cy_memory_extent may read while they change. */
struct cy_run_of_pages {
    atomic_ullong first, end_rights; /* page numbers; end << 3 | rights */
    atomic_uintptr_t bias;
};

struct cy_memory {
    uint8_t *base;                /* host address of guest physical address 0 */
    _Atomic uint8_t *page_rights; /* of the window: CY_PAGE_COUNT entries */
    atomic_uint generation;       /* counts changes of rights; odd during a change */
    pthread_mutex_t lock;         /* protects everything below */
    struct cy_run_of_pages *runs; /* the extents, sorted */
    atomic_uint run_count;
    struct cy_region *regions; /* in the order of their creation */
    size_t region_count, region_capacity;
    size_t far_count;        /* of the blocks */
    uint64_t far_huge_bytes; /* of these, what may use huge pages */
    struct cy_block *blocks; /* the allocator's buffers, sorted by address */
    size_t block_count, block_capacity;
    uint64_t used_bytes, limit_bytes;
    uint64_t guard_bytes;     /* left unmapped around every buffer of cy_memory_alloc; whole pages; set by the owner */
    uint32_t host_page;       /* the host's page size: 4 KiB, on some hosts 16 or 64 */
    bool commit;              /* the host commits writable memory: pages become writable only on protect */
    bool is_backed;           /* cy_memory_back */
    int file;                 /* then: starts with the guard before the window */
    unsigned view_generation; /* of the last snapshot (snapshot.h) */
};

/* limit_bytes 0: only the address space limits it.  False: the host refused; the message says what. */
bool cy_memory_init(struct cy_memory *memory, uint64_t limit_bytes, struct cy_diags *diags);
void cy_memory_destroy(struct cy_memory *memory);
/* Backs the memory by files that nobody else sees, so that there can be snapshots of it.  It then has no huge pages.  Right after
 * cy_memory_init; false: the host refuses, and the memory is as it was. */
bool cy_memory_back(struct cy_memory *memory);
/* A table of runs, for views of the memory; NULL: the host has no room for it. */
struct cy_run_of_pages *cy_memory_make_runs(void);
void cy_memory_free_runs(struct cy_run_of_pages *runs);

/* The run of pages around `address` with the same rights as its page; empty if the page is not mapped. */
struct cy_extent cy_memory_extent(const struct cy_memory *memory, uint64_t address);
/* The rights of its page. */
uint8_t cy_memory_rights(const struct cy_memory *memory, uint64_t address);
/* The host's view of an address that is mapped, or anywhere in the window; NULL: neither. */
uint8_t *cy_memory_host(const struct cy_memory *memory, uint64_t address);
/* Is every byte of [address, address + size) mapped with these rights? */
bool cy_memory_allows(const struct cy_memory *memory, uint64_t address, uint64_t size, uint8_t rights);

/* Sets the rights of a page range (0: unmap and return the memory).  Start and size are page multiples.  False: the
 * host has no memory left (only where it commits in advance). */
bool cy_memory_protect(struct cy_memory *memory, uint32_t start, uint64_t size, uint8_t rights);

/* The buffer allocator, from CY_BUFFER_BASE up: first fit with coalescing, whole pages; 0 = out of memory (no buffer
 * starts at 0).  `align` is 0 or a power of two.  A new buffer is readable and writable and reads as zero. */
uint32_t cy_memory_alloc(struct cy_memory *memory, uint64_t size, uint32_t align);
/* A buffer at a fixed page (replay, loaded images); false if it overlaps another or memory has run out. */
bool cy_memory_alloc_at(struct cy_memory *memory, uint32_t address, uint64_t size, uint8_t rights);
/* Backs the buffer at `address` with the memory of a file, both whole host pages. */
bool cy_memory_share(struct cy_memory *memory, uint64_t address, int file);
/* The same above 4 GiB.  `identity`: guest and host address are equal. */
uint64_t cy_memory_alloc_far(struct cy_memory *memory, uint64_t size, uint64_t align, bool identity);
/* Far memory where another device had it, above CY_FAR_BASE and even where that was shared virtual memory: first a range of pages
 * that overlaps no region, then buffers in it.  False: there is something, or the host refused. */
bool cy_memory_reserve_far(struct cy_memory *memory, uint64_t start, uint64_t bytes);
bool cy_memory_alloc_far_at(struct cy_memory *memory, uint64_t address, uint64_t size);
/* Gives another memory's shared virtual memory the same address here, until it is freed here; its owner frees it last. */
bool cy_memory_adopt(struct cy_memory *memory, uint64_t address, uint64_t size);
bool cy_memory_free(struct cy_memory *memory, uint64_t address); /* false: no buffer starts there */
/* The buffer that contains `address`, if any: its start and size as requested. */
bool cy_memory_find(struct cy_memory *memory, uint64_t address, uint64_t *start, uint64_t *size);
uint64_t cy_memory_used(struct cy_memory *memory);

#endif
