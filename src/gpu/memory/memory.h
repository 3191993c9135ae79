/* Device memory: one 4 GiB window of host address space for the 32-bit guest physical space.
 *
 * The whole window is mapped readable and writable without reserving memory, so that no guest access can ever fault in
 * the host, whatever other threads do; pages use memory only once they are touched, and freeing returns them.
 * Permissions are checked in software: a byte per 4 KiB page.  The engine looks up the extent (run of pages with equal
 * rights) around an address and keeps it while `generation` is unchanged, so that a whole warp's access costs two
 * compares instead of a look-up per lane.
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

/* [start, end) is mapped with at least `rights`; empty when start == end. */
struct cy_extent {
    uint64_t start, end;
    uint8_t rights;
};

struct cy_block {
    uint32_t start;
    uint64_t size;  /* as asked for */
    uint64_t bytes; /* in whole pages */
    bool shared;    /* cy_memory_share */
};

struct cy_memory {
    uint8_t *base;                /* host address of guest physical address 0 */
    _Atomic uint8_t *page_rights; /* CY_PAGE_COUNT entries */
    atomic_uint generation;       /* counts changes of page_rights; odd during a change */
    pthread_mutex_t lock;         /* protects everything below */
    _Atomic uint64_t *runs;       /* the extents, packed and sorted; see memory.c */
    atomic_uint run_count;
    struct cy_block *blocks; /* the allocator's buffers, sorted by address */
    size_t block_count, block_capacity;
    uint64_t used_bytes, limit_bytes;
    uint64_t guard_bytes; /* left unmapped around every buffer of cy_memory_alloc; whole pages; set by the owner */
    uint32_t host_page;   /* the host's page size: 4 KiB, on some hosts 16 or 64 */
    bool commit;          /* the host commits writable memory: pages become writable only on protect */
};

/* limit_bytes 0: only the address space limits it.  False: the host refused; the message says what. */
bool cy_memory_init(struct cy_memory *memory, uint64_t limit_bytes, struct cy_diags *diags);
void cy_memory_destroy(struct cy_memory *memory);

/* The run of pages around `address` with the same rights as its page; empty if the page is not mapped. */
struct cy_extent cy_memory_extent(const struct cy_memory *memory, uint64_t address);
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
bool cy_memory_share(struct cy_memory *memory, uint32_t address, int file);
bool cy_memory_free(struct cy_memory *memory, uint32_t address); /* false: no buffer starts there */
/* The buffer that contains `address`, if any: its start and size as requested. */
bool cy_memory_find(struct cy_memory *memory, uint32_t address, uint32_t *start, uint64_t *size);
uint64_t cy_memory_used(struct cy_memory *memory);

#endif
