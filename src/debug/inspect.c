/* Work-items as GDB's threads: their state, registers and memory. */
#include "debug/debug_priv.h"

#include <string.h>

/* ---- threads ---- */

uint64_t debug_thread(const struct cy_debugger *debugger, const struct cy_warp_slot *slot, unsigned lane)
{
    return debugger->first_thread + (uint64_t)slot->warp.number * slot->warp.numt + lane;
}

static bool next_warp(const struct cy_debugger *debugger, struct cy_warp_slot **slot)
{
    const struct cy_launch *launch = debugger->launch;
    if (!launch)
        return false;
    const unsigned warps = launch->device->config.warps;
    unsigned at = *slot ? (*slot)->sm->index * warps + (*slot)->index + 1 : 0;
    for (; at < launch->sm_count * warps; at++)
        if (launch->sms[at / warps].occupied >> at % warps & 1) {
            *slot = &launch->sms[at / warps].slots[at % warps];
            return true;
        }
    return false;
}

bool debug_next(const struct cy_debugger *debugger, struct debug_item *item)
{
    unsigned lane = item->slot ? item->lane + 1 : 0;
    while (item->slot || next_warp(debugger, &item->slot)) {
        const uint64_t left = lane < CY_MAX_LANES ? item->slot->warp.full >> lane : 0;
        if (left) {
            item->lane = lane + (unsigned)__builtin_ctzll(left);
            return true;
        }
        lane = 0;
        if (!next_warp(debugger, &item->slot))
            break;
    }
    return false;
}

bool debug_find(const struct cy_debugger *debugger, uint64_t thread, struct debug_item *item)
{
    *item = (struct debug_item){0};
    if (!debugger->launch || thread < debugger->first_thread)
        return false;
    for (struct cy_warp_slot *slot = NULL; next_warp(debugger, &slot);) {
        const uint64_t lane = thread - debug_thread(debugger, slot, 0);
        if (thread >= debug_thread(debugger, slot, 0) && lane < slot->warp.numt && slot->warp.full >> lane & 1) {
            *item = (struct debug_item){slot, (unsigned)lane};
            return true;
        }
    }
    return false;
}

bool debug_is_active(const struct debug_item *item)
{
    return item->slot->warp.mask >> item->lane & 1;
}

/* The entry of the SIMT stack by which a masked lane comes back. */
static const struct cy_simt_entry *waiting_entry(const struct debug_item *item)
{
    const struct cy_warp *warp = &item->slot->warp;
    for (unsigned i = warp->depth; i-- > 0;)
        if (warp->stack[i].mask >> item->lane & 1)
            return &warp->stack[i];
    return NULL;
}

uint32_t debug_pc(const struct cy_debugger *debugger, const struct debug_item *item)
{
    const bool is_shadow = item->slot == debugger->hit_slot && debugger->hit_retired == item->slot->warp.retired &&
                           debugger->shadows >> item->lane & 1 && !debugger->is_presented;
    if (is_shadow)
        return item->slot->warp.pc + 4;
    if (item->slot == debugger->late_slot && debugger->late_retired == item->slot->warp.retired &&
        debug_is_active(item))
        return debugger->late_pc;
    const struct cy_simt_entry *entry = debug_is_active(item) ? NULL : waiting_entry(item);
    return entry ? entry->pc : item->slot->warp.pc;
}

const char *debug_state(const struct debug_item *item)
{
    const struct cy_warp_slot *slot = item->slot;
    if (!debug_is_active(item)) {
        const struct cy_simt_entry *entry = waiting_entry(item);
        return !entry ? "masked" : entry->pc == entry->rpc ? "masked: waits at join" : "masked: waits for its branch";
    }
    return slot->sm->ready >> slot->index & 1 ? "active" : "at barrier";
}

void debug_put_name(struct cy_buf *out, const struct cy_debugger *debugger, const struct debug_item *item)
{
    const struct cy_warp *warp = &item->slot->warp;
    const unsigned dimensions = debugger->launch->dimensions;
    cy_buf_printf(out, "group %u", warp->gid[0]);
    for (unsigned d = 1; d < dimensions; d++)
        cy_buf_printf(out, ",%u", warp->gid[d]);
    cy_buf_printf(out, " warp %u lane %u %s", warp->wid, item->lane, debug_state(item));
}

/* ---- registers ---- */

static const char *const csr_names[] = {"tid",   "numw",   "numt", "knl",   "wgid", "wid",    "lds",
                                        "pds",   "gidx",   "gidy", "gidz",  "rpc",  "fflags", "frm",
                                        "vtype", "vstart", "vl",   "vxsat", "vxrm", "mask",   "maskh"};

const char *debug_csr_name(unsigned index)
{
    return index < CY_COUNT(csr_names) ? csr_names[index] : NULL;
}

unsigned debug_register_count(void)
{
    return DEBUG_CSR + CY_COUNT(csr_names);
}

/* In the order of the names; the last two are the SIMT mask. */
static uint32_t read_csr(const struct cy_warp *w, unsigned index)
{
    const uint32_t values[CY_COUNT(csr_names)] = {w->tid,
                                                  w->numw,
                                                  w->numt,
                                                  w->knl,
                                                  w->wgid,
                                                  w->wid,
                                                  w->lds,
                                                  w->pds,
                                                  w->gid[0],
                                                  w->gid[1],
                                                  w->gid[2],
                                                  w->rpc,
                                                  w->fflags,
                                                  w->frm,
                                                  w->vtype,
                                                  w->vstart,
                                                  w->vl,
                                                  w->vxsat,
                                                  w->vxrm,
                                                  (uint32_t)w->mask,
                                                  (uint32_t)(w->mask >> 32)};
    return values[index];
}

uint32_t debug_read_register(const struct cy_debugger *debugger, const struct debug_item *item, unsigned number)
{
    const struct cy_warp *warp = &item->slot->warp;
    if (number == DEBUG_PC)
        return debug_pc(debugger, item);
    if (number < DEBUG_PC)
        return warp->x[number];
    if (number < DEBUG_V)
        return warp->x[number - DEBUG_X32 + 32];
    if (number < DEBUG_CSR)
        return warp->v[(number - DEBUG_V) * warp->numt + item->lane];
    return number < debug_register_count() ? read_csr(warp, number - DEBUG_CSR) : 0;
}

bool debug_write_register(struct debug_item *item, unsigned number, uint32_t value)
{
    struct cy_warp *warp = &item->slot->warp;
    if (number == DEBUG_PC) { /* the active lanes move together */
        if (!debug_is_active(item))
            return false;
        warp->pc = value;
    } else if (number < DEBUG_V) {
        unsigned x = number < DEBUG_PC ? number : number - DEBUG_X32 + 32;
        if (x)
            warp->x[x] = value;
    } else if (number < DEBUG_CSR) {
        warp->v[(number - DEBUG_V) * warp->numt + item->lane] = value;
    } else {
        return false;
    }
    return true;
}

/* ---- memory ---- */

bool debug_private_address(const struct debug_item *item, uint64_t address, uint64_t *physical)
{
    const struct cy_warp *warp = &item->slot->warp;
    if (address >= warp->pds_size)
        return false;
    const uint32_t at = (uint32_t)address;
    *physical = warp->pds + (at & ~3u) * warp->numw * warp->numt + (at & 3) + 4 * (warp->tid + item->lane);
    return true;
}

/* The host's place of one byte as the work-item sees it; NULL: nothing is mapped there.  `word` is for what is in no
 * memory. */
static uint8_t *place(const struct cy_debugger *debugger, const struct debug_item *item, uint64_t address,
                      uint8_t rights, uint32_t *word)
{
    const struct cy_memory *memory = &debugger->launch->device->memory;
    if (address < CY_LDS_BASE) {
        if (!item->slot)
            return NULL;
        const struct cy_warp *warp = &item->slot->warp;
        if (address >= CY_VGPR_WINDOW && address - CY_VGPR_WINDOW < 4 * CY_VGPRS) {
            const uint32_t offset = (uint32_t)(address - CY_VGPR_WINDOW);
            return (uint8_t *)(warp->v + (size_t)(offset / 4) * warp->numt + item->lane) + offset % 4;
        }
        if (address >= CY_SGPR_WINDOW && address - CY_SGPR_WINDOW < 4 * CY_SGPRS)
            return (uint8_t *)item->slot->warp.x + (address - CY_SGPR_WINDOW);
        if (address >= CY_LOCAL_WINDOW && address - CY_LOCAL_WINDOW < 4) {
            *word = warp->lds + debugger->launch->stack_bytes * debugger->launch->warps;
            return rights == CY_READ ? (uint8_t *)word + (address - CY_LOCAL_WINDOW) : NULL;
        }
        if (!debug_private_address(item, address, &address))
            return NULL;
    }
    if (address - CY_LDS_BASE < CY_LDS_END - CY_LDS_BASE) { /* local memory has no page rights */
        const struct cy_config *config = &debugger->launch->device->config;
        return address - CY_LDS_BASE < config->sms * cy_config_lds_slice(config) ? memory->base + address : NULL;
    }
    return cy_memory_allows(memory, address, 1, rights) ? cy_memory_host(memory, address) : NULL;
}

size_t debug_read_memory(const struct cy_debugger *debugger, uint64_t thread, uint64_t address, void *to, size_t size)
{
    struct debug_item item;
    uint32_t word;
    size_t done = 0;
    if (!debugger->launch)
        return 0;
    debug_find(debugger, thread, &item);
    for (; done < size; done++) {
        const uint8_t *byte = place(debugger, &item, address + done, CY_READ, &word);
        if (!byte)
            break;
        ((uint8_t *)to)[done] = *byte;
    }
    return done;
}

size_t debug_write_memory(struct cy_debugger *debugger, uint64_t thread, uint64_t address, const void *from,
                          size_t size)
{
    struct debug_item item;
    uint32_t word;
    size_t done = 0;
    if (!debugger->launch)
        return 0;
    debug_find(debugger, thread, &item);
    for (; done < size; done++) {
        uint8_t *byte = place(debugger, &item, address + done, CY_WRITE, &word);
        if (!byte)
            break;
        *byte = ((const uint8_t *)from)[done];
    }
    return done;
}
