/* Stepping a launch for co-simulation.  The launch's own thread is parked in a controller; the caller's executes. */
#define _POSIX_C_SOURCE 200809L
#include "gpu/device/cosim.h"

#include <string.h>
#include <time.h>

/* ---- the launch ---- */

/* Runs on the launch's thread: hands the machine over and waits.  It looks up now and then, because a device that is being closed
 * cancels its launches without telling anybody. */
static void park(void *context, struct cy_launch *launch)
{
    enum { PATIENCE_NS = 20000000 };
    struct cy_cosim *cosim = context;
    cy_dispatch_all(launch);
    pthread_mutex_lock(&cosim->parking);
    cosim->parked = true;
    pthread_cond_broadcast(&cosim->moved);
    while (!cosim->over && !atomic_load(&launch->cancel)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PATIENCE_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&cosim->moved, &cosim->parking, &until);
    }
    pthread_mutex_unlock(&cosim->parking);
    pthread_mutex_lock(&cosim->lock); /* a call that is under way ends first, later ones find the launch gone */
    pthread_mutex_lock(&cosim->parking);
    cosim->parked = false;
    pthread_mutex_unlock(&cosim->parking);
    pthread_mutex_unlock(&cosim->lock);
    if (atomic_load(&launch->cancel))
        atomic_store(&launch->stop, true);
}

static void on_done(void *context, struct cy_launch *launch)
{
    struct cy_cosim *cosim = context;
    if (cosim->done)
        cosim->done(cosim->done_context, launch);
    pthread_mutex_lock(&cosim->parking);
    cosim->ended = true;
    pthread_cond_broadcast(&cosim->moved);
    pthread_mutex_unlock(&cosim->parking);
}

static void on_before(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_cosim *cosim = context;
    const bool is_scalar_atomic = warp->run->scalar_atomics && cy_insns[insn->op].flags & CY_F_ATOMIC;
    const int v = is_scalar_atomic ? -1 : cy_insn_field(insn, CY_FIELD_vd, -1);
    const int x = cy_insn_field(insn, is_scalar_atomic ? CY_FIELD_vd : CY_FIELD_rd, 0);
    const bool grouped =
        v >= 0 && (warp->mode == CY_MODE_GENERAL || insn->prefix || cy_insns[insn->op].flags & CY_F_WIDE);
    cosim->insn = *insn;
    cosim->base_pc = pc;
    cosim->accesses.count = 0;
    cosim->no_memory = false;
    cosim->commit = (struct cy_commit){
        .warp = warp->number,
        .pc = pc + insn->size - 4,
        .parts = CY_COMMIT_ALL,
        .word = insn->word,
        .prefix = insn->prefix,
        .active = warp->active,
        .file = v >= 0  ? CY_COSIM_V
                : x > 0 ? CY_COSIM_X
                        : CY_COSIM_NONE,
        .reg = (uint32_t)(v >= 0 ? v : x),
        .regs = v >= 0 || x > 0,
        .lanes = v >= 0 ? cy_warp_lanes_of(warp, insn) : 0,
        .mnemonic = cy_insns[insn->op].mnemonic,
    };
    cosim->rows = v < 0 ? 0 : !grouped ? 1 : v + COSIM_GROUP <= COSIM_VGPRS ? COSIM_GROUP : COSIM_VGPRS - v;
    /* pairs, and loads of several words */
    const bool is_wide = warp->run->target == CY_GEN2 || insn->prefix;
    cosim->words = v >= 0 || x <= 0                   ? 0
                   : !is_wide                         ? 1
                   : x + COSIM_SCALARS <= COSIM_SGPRS ? COSIM_SCALARS
                                                      : COSIM_SGPRS - x;
    for (int i = 0; i < cosim->words; i++)
        cosim->before[0][i] = warp->x[x + i];
    for (int i = 0; i < cosim->rows; i++)
        memcpy(cosim->before[i], warp->v + (size_t)(v + i) * warp->numt, warp->numt * sizeof(uint32_t));
}

static void on_retired(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_cosim *cosim = context;
    struct cy_commit *commit = &cosim->commit;
    const size_t row_bytes = warp->numt * sizeof(uint32_t);
    (void)pc, (void)insn;
    commit->next_pc = warp->pc;
    for (int i = 0; i < cosim->words; i++) {
        cosim->after[0][i] = warp->x[commit->reg + (unsigned)i];
        if (cosim->after[0][i] != cosim->before[0][i])
            commit->regs = (uint32_t)i + 1;
    }
    uint32_t *to = cosim->after[0];
    for (int i = 0; i < cosim->rows; i++, to += warp->numt) { /* rows are as long as the warp is wide */
        memcpy(to, warp->v + (commit->reg + (unsigned)i) * warp->numt, row_bytes);
        if (memcmp(cosim->before[i], to, row_bytes) != 0)
            commit->regs = (uint32_t)i + 1;
    }
    commit->value = commit->file == CY_COSIM_NONE ? NULL : cosim->after[0];
}

static void on_memory(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      const struct cy_memory_access *access)
{
    struct cy_cosim *cosim = context;
    (void)warp, (void)pc, (void)insn;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        struct cy_commit_access *fresh = cy_vec_try_push(&cosim->accesses);
        cosim->no_memory |= !fresh;
        if (fresh)
            *fresh = (struct cy_commit_access){.address = access->address[lane],
                                               .value = access->value[lane],
                                               .lane = (uint8_t)lane,
                                               .size = access->size,
                                               .read = access->kind & CY_READ,
                                               .write = access->kind & CY_WRITE};
    }
}

static void free_cosim(struct cy_cosim *cosim)
{
    cy_launch_release(cosim->launch);
    pthread_cond_destroy(&cosim->moved);
    pthread_mutex_destroy(&cosim->parking);
    pthread_mutex_destroy(&cosim->lock);
    cy_vec_free(&cosim->injected);
    cy_vec_free(&cosim->accesses);
    cy_free(cosim->recent);
    cy_free(cosim);
}

static struct cy_cosim *create(const struct cy_device *device, const struct cy_launch_desc *desc)
{
    struct cy_cosim *cosim = cy_try_alloc(sizeof(*cosim));
    if (!cosim)
        return NULL;
    pthread_mutex_init(&cosim->lock, NULL);
    pthread_mutex_init(&cosim->parking, NULL);
    pthread_cond_init(&cosim->moved, NULL);
    cosim->controller = (struct cy_controller){cosim, park};
    cosim->observer =
        (struct cy_observer){.context = cosim, .before = on_before, .retired = on_retired, .memory = on_memory};
    cosim->done = desc->done;
    cosim->done_context = desc->done_context;
    cosim->recent = cy_try_alloc((size_t)device->config.sms * device->config.warps * sizeof(cosim->recent[0]));
    if (!cosim->recent) {
        free_cosim(cosim);
        return NULL;
    }
    return cosim;
}

/* The text that a failing function hands over; NULL if there is no memory for it. */
static enum cy_status say(enum cy_status status, const char *text, char **message)
{
    struct cy_diags diags = {0};
    if (text && *text)
        cy_buf_try_printf(&diags.text, "%s", text);
    return cy_finish(status, &diags, message);
}

enum cy_status cy_cosim_start(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_cosim **result,
                              char **message)
{
    if (desc->controller || desc->engine_observer)
        return say(CY_ERROR_INVALID, "error: a launch that is stepped cannot be debugged or checked\n", message);
    struct cy_cosim *cosim = create(device, desc);
    if (!cosim)
        return say(CY_ERROR_HOST, NULL, message);
    struct cy_launch_desc stepped = *desc;
    stepped.controller = &cosim->controller;
    stepped.engine_observer = &cosim->observer;
    stepped.done = on_done;
    stepped.done_context = cosim;
    enum cy_status status = cy_launch_start(device, &stepped, &cosim->launch, message);
    if (status != CY_OK) {
        free_cosim(cosim);
        return status;
    }
    pthread_mutex_lock(&cosim->parking);
    while (!cosim->parked && !cosim->ended)
        pthread_cond_wait(&cosim->moved, &cosim->parking);
    const bool ok = cosim->parked;
    pthread_mutex_unlock(&cosim->parking);
    if (ok) {
        *result = cosim;
        return CY_OK;
    }
    status = cy_launch_wait(cosim->launch);
    status = say(status, cy_launch_message(cosim->launch), message);
    free_cosim(cosim);
    return status;
}

static bool has_warps(const struct cy_launch *launch)
{
    bool has = !cy_dispatch_empty(launch);
    for (unsigned i = 0; i < launch->sm_count; i++)
        has |= launch->sms[i].live_warps != 0;
    return has;
}

enum cy_status cy_cosim_end(struct cy_cosim *cosim, char **message)
{
    pthread_mutex_lock(&cosim->lock);
    pthread_mutex_lock(&cosim->parking);
    if (cosim->parked && !cosim->launch->faulted && has_warps(cosim->launch))
        cy_launch_cancel(cosim->launch);
    cosim->over = true;
    pthread_cond_broadcast(&cosim->moved);
    pthread_mutex_unlock(&cosim->parking);
    pthread_mutex_unlock(&cosim->lock);
    const enum cy_status status = cy_launch_wait(cosim->launch);
    pthread_mutex_lock(&cosim->parking);
    while (!cosim->ended) /* the launch has, but its thread still looks at us */
        pthread_cond_wait(&cosim->moved, &cosim->parking);
    pthread_mutex_unlock(&cosim->parking);
    return status == CY_OK ? CY_OK : say(status, cy_launch_message(cosim->launch), message);
}

void cy_cosim_destroy(struct cy_cosim *cosim)
{
    if (!cosim)
        return;
    cy_cosim_end(cosim, NULL);
    free_cosim(cosim);
}

struct cy_launch *cy_cosim_launch(struct cy_cosim *cosim)
{
    return cosim->launch;
}

/* ---- warps ---- */

static struct cy_warp_slot *slot_at(const struct cy_cosim *cosim, unsigned at)
{
    const struct cy_launch *launch = cosim->launch;
    const unsigned warps = launch->device->config.warps;
    struct cy_sm *sm = &launch->sms[at / warps];
    return sm->occupied >> at % warps & 1 ? &sm->slots[at % warps] : NULL;
}

static unsigned slot_count(const struct cy_cosim *cosim)
{
    return cosim->parked ? cosim->launch->sm_count * cosim->launch->device->config.warps : 0;
}

struct cy_warp_slot *cosim_slot(const struct cy_cosim *cosim, uint32_t warp)
{
    for (unsigned at = 0; at < slot_count(cosim); at++) {
        struct cy_warp_slot *slot = slot_at(cosim, at);
        if (slot && slot->warp.number == warp)
            return slot;
    }
    return NULL;
}

static bool is_ready(const struct cy_warp_slot *slot)
{
    return slot->sm->ready >> slot->index & 1;
}

static struct cy_warp_slot *next_ready(struct cy_cosim *cosim)
{
    const unsigned count = slot_count(cosim);
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = (cosim->next + i) % count;
        struct cy_warp_slot *slot = slot_at(cosim, at);
        if (slot && is_ready(slot)) {
            cosim->next = at + 1;
            return slot;
        }
    }
    return NULL;
}

static void describe_warp(const struct cy_warp_slot *slot, struct cy_cosim_warp *warp)
{
    const struct cy_warp *w = &slot->warp;
    *warp = (struct cy_cosim_warp){.number = w->number,
                                   .workgroup = {w->gid[0], w->gid[1], w->gid[2]},
                                   .warp = w->wid,
                                   .sm = slot->sm->index,
                                   .slot = slot->index,
                                   .lanes = w->numt,
                                   .active = w->active,
                                   .pc = w->pc,
                                   .retired = w->retired,
                                   .state = is_ready(slot) ? CY_COSIM_READY : CY_COSIM_BARRIER};
}

bool cy_cosim_warp(struct cy_cosim *cosim, size_t index, struct cy_cosim_warp *warp)
{
    pthread_mutex_lock(&cosim->lock);
    const struct cy_warp_slot *found = NULL;
    for (unsigned at = 0; at < slot_count(cosim) && !found; at++) {
        const struct cy_warp_slot *slot = slot_at(cosim, at);
        if (slot && index-- == 0)
            found = slot;
    }
    if (found)
        describe_warp(found, warp);
    pthread_mutex_unlock(&cosim->lock);
    return found;
}

bool cy_cosim_find(struct cy_cosim *cosim, uint32_t number, struct cy_cosim_warp *warp)
{
    pthread_mutex_lock(&cosim->lock);
    const struct cy_warp_slot *found = cosim_slot(cosim, number);
    if (found)
        describe_warp(found, warp);
    pthread_mutex_unlock(&cosim->lock);
    return found;
}

/* ---- instructions ---- */

static bool was_written(const struct cy_cosim *cosim, uint64_t address)
{
    for (size_t i = 0; i < cosim->accesses.count; i++) {
        const struct cy_commit_access *access = &cosim->accesses.at[i];
        if (access->write && address - access->address < access->size)
            return true;
    }
    return false;
}

static void inject(struct cy_cosim *cosim)
{
    for (size_t i = 0; i < cosim->injected.count; i++) {
        struct cosim_byte *byte = &cosim->injected.at[i];
        byte->old = *byte->host;
        *byte->host = byte->value;
    }
}

/* Undoes that, the last one first, because a byte may have been injected twice. */
static void restore(struct cy_cosim *cosim)
{
    while (cosim->injected.count) {
        const struct cosim_byte *byte = &cosim->injected.at[--cosim->injected.count];
        if (!was_written(cosim, byte->address))
            *byte->host = byte->old;
    }
}

/* Where the warp was before; the ring is by slot, and a new warp starts with nothing retired. */
static void remember(struct cy_cosim *cosim, const struct cy_warp_slot *slot)
{
    const unsigned at = slot->sm->index * cosim->launch->device->config.warps + slot->index;
    const uint64_t retired = slot->warp.retired;
    cosim->recent_count = retired < COSIM_RECENT ? (uint32_t)retired : COSIM_RECENT;
    for (uint32_t i = 0; i < cosim->recent_count; i++)
        cosim->past[i] = cosim->recent[at][(retired - cosim->recent_count + i) % COSIM_RECENT];
    cosim->recent[at][retired % COSIM_RECENT] = slot->warp.pc;
}

static void check_watchdog(struct cy_cosim *cosim)
{
    struct cy_launch *launch = cosim->launch;
    const uint64_t limit = launch->device->config.watchdog_instructions;
    if (limit && ++cosim->executed > limit && !launch->faulted)
        cy_report_watchdog(launch, &launch->sms[0], false);
}

static void execute(struct cy_cosim *cosim, struct cy_warp_slot *slot)
{
    struct cy_launch *launch = cosim->launch;
    struct cy_commit *commit = &cosim->commit;
    struct cy_sm *sm = slot->sm;
    remember(cosim, slot);
    memcpy(cosim->workgroup, slot->warp.gid, sizeof(cosim->workgroup));
    cosim->wid = slot->warp.wid;
    cosim->retired = slot->warp.retired;
    *commit = (struct cy_commit){.warp = slot->warp.number, .pc = slot->warp.pc, .mnemonic = ""};
    cosim->accesses.count = 0;
    inject(cosim);
    cy_sm_step(sm, launch, slot);
    commit->accesses = cosim->accesses.at;
    commit->access_count = cosim->accesses.count;
    if (cosim->no_memory)
        commit->parts &= ~(uint32_t)CY_COMMIT_MEMORY;
    restore(cosim);
    check_watchdog(cosim);
    commit->state = launch->faulted                      ? CY_COSIM_FAULTED
                    : !(sm->occupied >> slot->index & 1) ? CY_COSIM_ENDED
                    : is_ready(slot)                     ? CY_COSIM_READY
                                                         : CY_COSIM_BARRIER;
    if (commit->state == CY_COSIM_FAULTED) { /* it has no result */
        commit->parts = 0;
        commit->file = CY_COSIM_NONE;
        commit->regs = 0;
        commit->value = NULL;
    }
    if (commit->state == CY_COSIM_ENDED)
        cy_dispatch_all(launch);
}

enum cy_status cosim_step(struct cy_cosim *cosim, uint32_t warp)
{
    if (!cosim->parked)
        return cosim->launch->faulted ? CY_ERROR_FAULT : CY_ERROR_CANCELLED;
    if (cosim->launch->faulted)
        return CY_ERROR_FAULT;
    struct cy_warp_slot *slot = warp == CY_COSIM_ANY ? next_ready(cosim) : cosim_slot(cosim, warp);
    if (!slot)
        return CY_ERROR_INVALID;
    if (!is_ready(slot))
        return CY_RUNNING;
    execute(cosim, slot);
    return cosim->launch->faulted ? CY_ERROR_FAULT : CY_OK;
}

enum cy_status cy_cosim_step(struct cy_cosim *cosim, uint32_t warp, struct cy_commit *commit)
{
    pthread_mutex_lock(&cosim->lock);
    const enum cy_status status = cosim_step(cosim, warp);
    if (commit && (status == CY_OK || status == CY_ERROR_FAULT))
        *commit = cosim->commit;
    pthread_mutex_unlock(&cosim->lock);
    return status;
}

/* ---- registers and memory ---- */

bool cy_cosim_read_register(struct cy_cosim *cosim, uint32_t warp, enum cy_cosim_file file, uint32_t reg, uint32_t lane,
                            uint32_t *value)
{
    bool ok = false;
    pthread_mutex_lock(&cosim->lock);
    struct cy_warp_slot *slot = cosim_slot(cosim, warp);
    struct cy_warp *w = slot ? &slot->warp : NULL;
    if (w && file == CY_COSIM_X && (ok = reg < COSIM_SGPRS))
        *value = w->x[reg];
    else if (w && file == CY_COSIM_V && (ok = reg < COSIM_VGPRS && lane < w->numt))
        *value = w->v[(size_t)reg * w->numt + lane];
    else if (w && file == CY_COSIM_CSR)
        ok = cy_warp_read_csr(w, reg, value);
    else if (w && file == CY_COSIM_PC && (ok = true))
        *value = w->pc;
    pthread_mutex_unlock(&cosim->lock);
    return ok;
}

bool cy_cosim_write_register(struct cy_cosim *cosim, uint32_t warp, enum cy_cosim_file file, uint32_t reg,
                             uint32_t lane, uint32_t value)
{
    bool ok = false;
    pthread_mutex_lock(&cosim->lock);
    struct cy_warp_slot *slot = cosim_slot(cosim, warp);
    struct cy_warp *w = slot ? &slot->warp : NULL;
    if (w && file == CY_COSIM_X && (ok = reg && reg < COSIM_SGPRS))
        w->x[reg] = value;
    else if (w && file == CY_COSIM_V && (ok = reg < COSIM_VGPRS && lane < w->numt))
        w->v[(size_t)reg * w->numt + lane] = value;
    else if (w && file == CY_COSIM_CSR)
        ok = cy_warp_write_csr(w, reg, value);
    else if (w && file == CY_COSIM_PC && (ok = true))
        w->pc = value;
    pthread_mutex_unlock(&cosim->lock);
    return ok;
}

/* The host's view of a range; NULL: some of it is not there. */
static uint8_t *place(const struct cy_cosim *cosim, uint64_t address, size_t size)
{
    if (!cosim->parked)
        return NULL;
    const struct cy_device *device = cosim->launch->device;
    if (address >> 32) {
        const struct cy_extent extent = cy_memory_extent(&device->memory, address);
        const bool ok = extent.start < extent.end && extent.rights & CY_READ && size <= extent.end - address;
        return ok ? cy_extent_host(&extent, address) : NULL;
    }
    if (size > (1ull << 32) - address)
        return NULL;
    const uint64_t lds_bytes = (uint64_t)device->config.sms * cy_config_lds_slice(&device->config);
    const bool is_local = address >= CY_LDS_BASE && address + (uint64_t)size <= CY_LDS_BASE + lds_bytes;
    return is_local || cy_memory_allows(&device->memory, address, size, CY_READ) ? device->memory.base + address : NULL;
}

bool cy_cosim_read(struct cy_cosim *cosim, uint64_t address, void *to, size_t size)
{
    pthread_mutex_lock(&cosim->lock);
    const uint8_t *from = place(cosim, address, size);
    if (from)
        memcpy(to, from, size);
    pthread_mutex_unlock(&cosim->lock);
    return from;
}

bool cy_cosim_write(struct cy_cosim *cosim, uint64_t address, const void *from, size_t size)
{
    pthread_mutex_lock(&cosim->lock);
    uint8_t *to = place(cosim, address, size);
    if (to)
        memcpy(to, from, size);
    pthread_mutex_unlock(&cosim->lock);
    return to;
}

bool cy_cosim_inject(struct cy_cosim *cosim, uint64_t address, const void *from, size_t size)
{
    pthread_mutex_lock(&cosim->lock);
    const size_t count = cosim->injected.count;
    uint8_t *const host = place(cosim, address, size);
    bool ok = host != NULL;
    for (size_t i = 0; ok && i < size; i++) {
        struct cosim_byte *byte = cy_vec_try_push(&cosim->injected);
        if ((ok = byte != NULL))
            *byte = (struct cosim_byte){.address = address + i, .host = host + i, .value = ((const uint8_t *)from)[i]};
    }
    if (!ok)
        cosim->injected.count = count;
    pthread_mutex_unlock(&cosim->lock);
    return ok;
}
