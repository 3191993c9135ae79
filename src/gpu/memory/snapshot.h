/* A copy-on-write view of a device's memory: what a launch writes there, nobody else sees.
 *
 * The memory must be backed by files (cy_memory_back).  The view maps the same files privately, so that the host copies a
 * page when it is first written, and tells by its page tables (/proc/self/pagemap) which pages these are.  Buffers that
 * are shared with other devices have files of their own; of these the view holds a whole copy.
 *
 * The view is a struct cy_memory with the same rights at the same guest addresses; the engines run on it as on any other. */
#ifndef CY_GPU_MEMORY_SNAPSHOT_H
#define CY_GPU_MEMORY_SNAPSHOT_H

#include "gpu/memory/memory.h"

/* A part of the view: `bytes` of it are at `host`, the original's at `original`. */
struct cy_snapshot_part {
    uint8_t *host, *original;
    uint64_t bytes;
};

struct cy_snapshot {
    struct cy_memory memory; /* only what the engines look at */
    struct cy_memory *of;
    struct cy_snapshot_part *parts; /* the window, then the regions in their order, */
    size_t part_count, part_capacity;
    struct cy_snapshot_part *copies; /* and runs of pages that belong to another device */
    size_t copy_count, copy_capacity;
    int pagemap;     /* -1: not known which pages were written */
    uint64_t *pages; /* what it says about some of them */
};

/* All zeros is a snapshot that was never taken.  Forgets what was written and shows the memory as it is now; pages that nobody
 * writes go on showing it.  False: the host has no memory for that. */
bool cy_snapshot_take(struct cy_snapshot *snapshot, struct cy_memory *of);
void cy_snapshot_free(struct cy_snapshot *snapshot);

/* A run of pages of the guest. */
struct cy_snapshot_range {
    uint64_t address, bytes;
    uint8_t *host, *original;
};
/* The next range from `*address` on that may have been written, and moves `*address` behind it; false: there is none. */
bool cy_snapshot_written(struct cy_snapshot *snapshot, uint64_t *address, struct cy_snapshot_range *range);
/* Copies what was written to the memory. */
void cy_snapshot_commit(struct cy_snapshot *snapshot);

#endif
