/* Workgroup placement (docs/machine.md, "How workgroups are placed").  Workgroups are dispatched x fastest, each to
 * the next SM after the last one used that has room: a slot, warps, and contiguous ranges of local memory and of both
 * register pools (best fit). */
#include "gpu/device/machine.h"

#include <assert.h>
#include <string.h>

const char *const cy_resource_names[CY_RES_COUNT] = {
    [CY_RES_WARPS] = "warps", [CY_RES_SLOTS] = "workgroup slots", [CY_RES_LDS] = "local memory",
    [CY_RES_SGPRS] = "sGPRs", [CY_RES_VGPRS] = "vGPRs",
};

/* ---- pools ---- */

/* Granules are powers of two: this runs several times per workgroup. */
static uint32_t round_up(uint32_t size, uint32_t granule)
{
    return (size + granule - 1) & ~(granule - 1);
}
_Static_assert(!(CY_LDS_GRANULE & (CY_LDS_GRANULE - 1)) && !(CY_REGISTER_GRANULE & (CY_REGISTER_GRANULE - 1)),
               "granules are powers of two");

bool cy_pool_take(struct cy_pool *pool, uint32_t size, uint32_t *start)
{
    size = round_up(size, pool->granule);
    if (!pool->used_count && size <= pool->size) { /* as on an SM with room for one workgroup */
        pool->used[pool->used_count++] = (struct cy_range){0, size};
        *start = 0;
        return true;
    }
    uint32_t best = UINT32_MAX, best_start = 0, at = 0;
    size_t best_index = 0;
    for (size_t i = 0; i <= pool->used_count; i++) {
        uint32_t end = i < pool->used_count ? pool->used[i].start : pool->size;
        if (end - at >= size && end - at < best) {
            best = end - at;
            best_start = at;
            best_index = i;
        }
        if (i < pool->used_count)
            at = end + pool->used[i].size;
    }
    if (best == UINT32_MAX)
        return false;
    memmove(pool->used + best_index + 1, pool->used + best_index,
            (pool->used_count - best_index) * sizeof(pool->used[0]));
    pool->used[best_index] = (struct cy_range){best_start, size};
    pool->used_count++;
    *start = best_start;
    return true;
}

void cy_pool_give(struct cy_pool *pool, uint32_t start, uint32_t size)
{
    size = round_up(size, pool->granule);
    for (size_t i = 0; i < pool->used_count; i++) {
        if (pool->used[i].start == start && pool->used[i].size == size) {
            if (--pool->used_count > i)
                memmove(pool->used + i, pool->used + i + 1, (pool->used_count - i) * sizeof(pool->used[0]));
            return;
        }
    }
    assert(false && "only ranges that were taken are given back");
}

/* ---- occupancy ---- */

static void count_needs(struct cy_launch *launch, const struct cy_config *config)
{
    uint64_t items = (uint64_t)launch->local[0] * launch->local[1] * launch->local[2];
    launch->warps = (unsigned)((items + config->threads - 1) / config->threads);
    uint64_t lds = (uint64_t)launch->stack_bytes * launch->warps + launch->kernel.lds_bytes;
    lds = (lds + CY_LDS_GRANULE - 1) / CY_LDS_GRANULE * CY_LDS_GRANULE;
    launch->locals_offset = (uint32_t)lds;
    for (size_t i = 0; i < launch->arguments.locals.count; i++)
        lds += ((uint64_t)launch->arguments.locals.at[i].size + CY_LDS_GRANULE - 1) & ~(uint64_t)(CY_LDS_GRANULE - 1);
    lds += launch->lds_bytes;
    uint32_t *of = launch->needs.of;
    of[CY_RES_WARPS] = launch->warps;
    of[CY_RES_SLOTS] = 1;
    of[CY_RES_LDS] = lds > UINT32_MAX - CY_LDS_GRANULE ? UINT32_MAX - CY_LDS_GRANULE : (uint32_t)lds;
    uint32_t sgprs = round_up(launch->kernel.sgprs, CY_REGISTER_GRANULE);
    uint32_t vgprs = round_up(launch->kernel.vgprs, CY_REGISTER_GRANULE);
    of[CY_RES_SGPRS] = (sgprs ? sgprs : CY_REGISTER_GRANULE) * launch->warps;
    of[CY_RES_VGPRS] = (vgprs ? vgprs : CY_REGISTER_GRANULE) * launch->warps;
}

static uint32_t available(const struct cy_config *config, enum cy_resource resource)
{
    switch (resource) {
    case CY_RES_WARPS: return config->warps;
    case CY_RES_SLOTS: return config->workgroups;
    case CY_RES_LDS: return config->lds_bytes / CY_LDS_GRANULE * CY_LDS_GRANULE;
    case CY_RES_SGPRS: return config->sgprs / CY_REGISTER_GRANULE * CY_REGISTER_GRANULE;
    case CY_RES_VGPRS: return config->vgprs / CY_REGISTER_GRANULE * CY_REGISTER_GRANULE;
    case CY_RES_COUNT: break;
    }
    return 0;
}

static void never_fits(const struct cy_launch *launch, const struct cy_config *config, enum cy_resource resource,
                       struct cy_diags *diags)
{
    uint32_t need = launch->needs.of[resource], have = available(config, resource);
    const char *name = launch->kernel.name;
    const uint32_t *local = launch->local;
    switch (resource) {
    case CY_RES_WARPS:
        cy_diag_file(diags, CY_ERROR, NULL,
                     "kernel '%s' can never run: a workgroup of %ux%ux%u work-items needs %u warps of %u threads; "
                     "an SM has %u",
                     name, local[0], local[1], local[2], need, config->threads, have);
        break;
    case CY_RES_LDS:
        cy_diag_file(diags, CY_ERROR, NULL,
                     "kernel '%s' can never run: a workgroup needs %u bytes of local memory (stacks of %u warps %u, "
                     "variables %u, arguments and extra %u); an SM has %u",
                     name, need, launch->warps, launch->stack_bytes * launch->warps, launch->kernel.lds_bytes,
                     need - launch->locals_offset, have);
        break;
    default:
        cy_diag_file(diags, CY_ERROR, NULL,
                     "kernel '%s' can never run: a workgroup needs %u %s (%u warps of %u); an SM has %u", name, need,
                     cy_resource_names[resource], launch->warps, need / launch->warps, have);
        break;
    }
}

bool cy_dispatch_plan(struct cy_launch *launch, const struct cy_config *config, struct cy_diags *diags)
{
    bool fits = true;
    count_needs(launch, config);
    launch->slots_per_sm = UINT32_MAX;
    for (unsigned i = 0; i < CY_RES_COUNT; i++) {
        uint32_t most = available(config, (enum cy_resource)i) / launch->needs.of[i];
        if (most == 0 || (i == CY_RES_LDS && launch->needs.of[i] > available(config, CY_RES_LDS))) {
            never_fits(launch, config, (enum cy_resource)i, diags);
            fits = false;
        } else if (most < launch->slots_per_sm) {
            launch->slots_per_sm = most;
            launch->limited_by = cy_resource_names[i];
        }
    }
    launch->fitting = launch->slots_per_sm;
    launch->sm_count = launch->group_count < config->sms ? (unsigned)launch->group_count : config->sms;
    return fits;
}

/* ---- placement ---- */

static bool give_next(struct cy_launch *launch, struct cy_sm *sm)
{
    struct cy_workgroup *group = cy_sm_reserve(sm, launch);
    if (!group)
        return false;
    uint64_t number = atomic_fetch_add_explicit(&launch->next_group, 1, memory_order_relaxed);
    if (number >= launch->group_count) {
        cy_sm_release(sm, launch, group);
        return false;
    }
    cy_sm_start(sm, launch, group, launch->order ? cy_order_group(launch, number) : number);
    return true;
}

bool cy_dispatch_empty(const struct cy_launch *launch)
{
    return atomic_load_explicit(&launch->next_group, memory_order_relaxed) >= launch->group_count;
}

void cy_dispatch_all(struct cy_launch *launch)
{
    struct cy_sm *sms = launch->sms;
    unsigned full = 0; /* consecutive SMs without room */
    while (full < launch->sm_count && !cy_dispatch_empty(launch)) {
        unsigned next = (launch->last_sm + 1) % launch->sm_count;
        full = give_next(launch, &sms[next]) ? 0 : full + 1;
        launch->last_sm = next;
    }
}

void cy_dispatch_to(struct cy_launch *launch, struct cy_sm *sm)
{
    while (!cy_dispatch_empty(launch) && give_next(launch, sm))
        ;
}
