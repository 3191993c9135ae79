/* Independent progress of lanes: the paths of a warp.
 *
 * On the SIMT stack lanes wait for each other.  A program whose lanes wait for each other too, one spinning until another
 * has released a lock, would never end if the one that spins runs and the other is on the stack.  Kernels of which the
 * compiler says that their work-items may wait are watched for that: when lanes have been on the stack for `spin-instructions`
 * instructions of their warp, they leave it and become a path of their own, with its own stack, sGPRs and scalar stack.  The
 * paths of a warp take turns from then on and do not meet again, except at a barrier, where all of them must arrive and those
 * in the same state are joined.
 *
 * Why a path may have these sGPRs: what is live where lanes wait was computed before they diverged, and code between there and
 * the reconvergence point leaves it alone (cc/codegen/live.c).  So the engine keeps the sGPRs of every divergence, and the
 * rpc on the way to the waiting lanes is that of the branch.  vGPRs need no copy: the lanes of two paths are disjoint. */
#include "gpu/device/machine.h"

#include <string.h>

struct cy_path {
    uint64_t full, mask;
    uint32_t pc, rpc;
    unsigned depth, lowest;
    uint32_t x[66];
    uint32_t vl, vtype;
    struct cy_simt_entry *stack;
    uint32_t (*kept)[64];
    uint8_t *memory; /* of its scalar stack */
    bool is_at_barrier;
};

bool cy_paths_give(struct cy_warp *warp)
{
    if (!warp->kept)
        warp->kept = cy_try_alloc(warp->run->stack_depth * sizeof(*warp->kept));
    return warp->kept;
}

static void free_path(struct cy_path *path)
{
    cy_free(path->stack);
    cy_free(path->kept);
    cy_free(path->memory);
    cy_free(path);
}

void cy_paths_clear(struct cy_warp_slot *slot)
{
    while (slot->path_count)
        free_path(slot->paths[--slot->path_count]);
    slot->waited = 0;
}

void cy_paths_destroy(struct cy_warp_slot *slot)
{
    cy_paths_clear(slot);
    cy_free(slot->paths);
    cy_free(slot->warp.kept);
}

static struct cy_path *new_path(const struct cy_launch *launch)
{
    struct cy_path *path = cy_try_alloc(sizeof(*path));
    if (!path)
        return NULL;
    path->stack = cy_try_alloc(launch->run.stack_depth * sizeof(*path->stack));
    path->kept = cy_try_alloc(launch->run.stack_depth * sizeof(*path->kept));
    path->memory = cy_try_alloc(launch->stack_bytes + 1);
    if (path->stack && path->kept && path->memory)
        return path;
    free_path(path);
    return NULL;
}

static uint8_t *stack_memory(const struct cy_launch *launch, const struct cy_warp *warp)
{
    return launch->memory->base + warp->lds + warp->wid * launch->stack_bytes;
}

/* Entry `at` of the stack with the lanes that the path has of it, if there are any. */
static void copy_entry(struct cy_path *path, const struct cy_warp *warp, unsigned at)
{
    const uint64_t mask = warp->stack[at].mask & path->full;
    if (!mask)
        return;
    path->stack[path->depth] = warp->stack[at];
    path->stack[path->depth].mask = mask;
    memcpy(path->kept[path->depth++], warp->kept[at], sizeof(path->kept[0]));
}

/* Takes lanes off the warp's stack. */
static void remove_lanes(struct cy_warp *warp, uint64_t lanes)
{
    unsigned depth = 0;
    for (unsigned i = 0; i < warp->depth; i++) {
        const uint64_t mask = warp->stack[i].mask & ~lanes;
        if (!mask)
            continue;
        warp->stack[depth] = warp->stack[i];
        warp->stack[depth].mask = mask;
        if (depth != i)
            memcpy(warp->kept[depth], warp->kept[i], sizeof(warp->kept[0]));
        depth++;
    }
    warp->depth = depth;
    warp->full &= ~lanes;
}

/* Makes a path of the lanes that wait nearest to the top of the stack, among those that have waited all the time. */
static void split(struct cy_launch *launch, struct cy_warp_slot *slot)
{
    struct cy_warp *warp = &slot->warp;
    uint64_t running = warp->mask, waiting = 0;
    unsigned at = warp->depth;
    while (at > warp->lowest)
        running |= warp->stack[--at].mask;
    while (at && !waiting) {
        waiting = warp->stack[--at].mask & ~running;
        running |= warp->stack[at].mask;
    }
    struct cy_path *path = waiting ? new_path(launch) : NULL;
    if (!path)
        return;
    *path = (struct cy_path){.full = waiting,
                             .mask = waiting,
                             .pc = warp->stack[at].pc,
                             .rpc = warp->stack[at].rpc,
                             .vl = warp->vl,
                             .vtype = warp->vtype,
                             .stack = path->stack,
                             .kept = path->kept,
                             .memory = path->memory};
    memcpy(path->x, warp->kept[at], sizeof(warp->kept[at]));
    memcpy(path->memory, stack_memory(launch, warp), launch->stack_bytes);
    for (unsigned i = 0; i < at; i++)
        copy_entry(path, warp, i);
    remove_lanes(warp, waiting);
    slot->paths[slot->path_count++] = path;
    slot->sm->fresh.splits++;
    slot->sm->is_waiting = true;
}

#define EXCHANGE(a, b)                                                                                                 \
    do {                                                                                                               \
        __typeof__(a) other_ = (a);                                                                                    \
        (a) = (b);                                                                                                     \
        (b) = other_;                                                                                                  \
    } while (0)

/* The warp goes on with a path, which becomes what it was. */
static void exchange(const struct cy_launch *launch, struct cy_warp *warp, struct cy_path *path)
{
    uint8_t *memory = stack_memory(launch, warp);
    EXCHANGE(warp->full, path->full);
    EXCHANGE(warp->mask, path->mask);
    EXCHANGE(warp->pc, path->pc);
    EXCHANGE(warp->rpc, path->rpc);
    EXCHANGE(warp->depth, path->depth);
    EXCHANGE(warp->lowest, path->lowest);
    EXCHANGE(warp->vl, path->vl);
    EXCHANGE(warp->vtype, path->vtype);
    EXCHANGE(warp->stack, path->stack);
    EXCHANGE(warp->kept, path->kept);
    for (unsigned i = 0; i < sizeof(path->x) / sizeof(path->x[0]); i++)
        EXCHANGE(warp->x[i], path->x[i]);
    for (uint32_t i = 0; i < launch->stack_bytes; i++)
        EXCHANGE(memory[i], path->memory[i]);
    warp->lowest = warp->depth;
    cy_warp_refresh(warp);
}

/* Moves path `at` to the end of the queue. */
static struct cy_path *to_end(struct cy_warp_slot *slot, unsigned at)
{
    struct cy_path *path = slot->paths[at];
    memmove(slot->paths + at, slot->paths + at + 1, (slot->path_count - at - 1) * sizeof(*slot->paths));
    return slot->paths[slot->path_count - 1] = path;
}

/* The first path that is not at a barrier runs next; false: there is none. */
static bool next_path(struct cy_launch *launch, struct cy_warp_slot *slot)
{
    unsigned at = 0;
    while (at < slot->path_count && slot->paths[at]->is_at_barrier)
        at++;
    if (at == slot->path_count)
        return false;
    exchange(launch, &slot->warp, to_end(slot, at));
    return true;
}

void cy_paths_ran(struct cy_launch *launch, struct cy_warp_slot *slot, uint64_t instructions)
{
    const struct cy_config *config = &slot->sm->device->config;
    const uint64_t limit =
        slot->sm->is_waiting && config->spin_instructions > CY_SHORT_TURN ? CY_SHORT_TURN : config->spin_instructions;
    if (!launch->run.keeps_scalars || !slot->warp.kept || (slot->waited += instructions) < limit)
        return;
    slot->waited = 0;
    if (!slot->paths)
        slot->paths = cy_try_alloc(CY_MAX_LANES * sizeof(*slot->paths));
    if (slot->paths && slot->warp.lowest)
        split(launch, slot);
    slot->warp.lowest = slot->warp.depth;
    next_path(launch, slot);
}

/* Joins the paths that are where the running one is, with the same sGPRs. */
static void join_paths(struct cy_warp_slot *slot)
{
    struct cy_warp *warp = &slot->warp;
    for (unsigned i = 0; i < slot->path_count;) {
        struct cy_path *path = slot->paths[i];
        if (path->pc != warp->pc || path->rpc != warp->rpc || path->depth || warp->depth || path->vl != warp->vl ||
            path->vtype != warp->vtype || memcmp(path->x, warp->x, 64 * sizeof(path->x[0])) != 0) {
            i++;
            continue;
        }
        warp->full |= path->full;
        warp->mask |= path->mask;
        free_path(to_end(slot, i));
        slot->path_count--;
    }
    cy_warp_refresh(warp);
}

bool cy_paths_arrive(struct cy_launch *launch, struct cy_warp_slot *slot, bool *is_scattered)
{
    const uint32_t pc = slot->warp.pc;
    *is_scattered = false;
    if (next_path(launch, slot)) {
        slot->paths[slot->path_count - 1]->is_at_barrier = true;
        return false;
    }
    for (unsigned i = 0; i < slot->path_count; i++) {
        slot->paths[i]->is_at_barrier = false; /* the warp runs again when its workgroup does */
        *is_scattered |= slot->paths[i]->pc != pc;
    }
    join_paths(slot);
    return true;
}

enum cy_path_end cy_paths_end(struct cy_launch *launch, struct cy_warp_slot *slot, bool *is_scattered)
{
    *is_scattered = false;
    if (!slot->path_count)
        return CY_PATH_LAST;
    const bool runs = next_path(launch, slot);
    if (!runs) /* the others are at a barrier, at which the lanes that ended count as arrived */
        exchange(launch, &slot->warp, to_end(slot, 0));
    free_path(slot->paths[--slot->path_count]);
    return runs ? CY_PATH_NEXT : cy_paths_arrive(launch, slot, is_scattered) ? CY_PATH_BARRIER : CY_PATH_NEXT;
}
