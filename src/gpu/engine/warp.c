/* Starting and running one warp. */
#include "gpu/engine/engine_priv.h"

#include "gpu/fp/fp32_native.h"

#include <string.h>

size_t cy_warp_vgpr_bytes(unsigned lanes)
{
    return ((size_t)CY_VGPR_ROWS * lanes + CY_MAX_LANES) * sizeof(uint32_t);
}

void cy_warp_start(struct cy_warp *warp, uint32_t entry, uint64_t full)
{
    unsigned lanes = warp->run->lanes;
    /* only what the code can touch: launches of many small workgroups spend most of their time here */
    const struct cy_code *code = warp->run->code;
    memset(warp->v, 0, code ? (size_t)code->vgprs * lanes * sizeof(uint32_t) : cy_warp_vgpr_bytes(lanes));
    warp->lane_mask = warp->v + (size_t)CY_VGPR_ROWS * lanes;
    warp->is_fresh = warp->run->start != NULL; /* then it gets its sGPRs from there */
    if (!warp->is_fresh)
        memset(warp->x, 0, sizeof(warp->x));
    warp->memory_base = warp->run->memory->base;
    warp->extent = warp->scalar_extent = (struct cy_extent){0};
    warp->numt = lanes;
    warp->knl = warp->run->knl;
    warp->full = full;
    warp->mask = full;
    warp->rpc = 0;
    warp->depth = warp->lowest = 0;
    warp->vl = lanes;
    warp->vtype = 2 << 3; /* e32, m1 */
    warp->vstart = 0;
    warp->frm = warp->fflags = warp->vxrm = warp->vxsat = 0;
    warp->mstatus = CY_MSTATUS_VS;
    warp->mtvec = warp->print = 0;
    warp->pc = entry;
    warp->retired = 0;
    warp->ahead = NULL;
    warp->lanes = (struct cy_lane_counters){0};
    if (CY_UNLIKELY(warp->fault.kind != CY_FAULT_NONE || warp->fault.access || warp->fault.translated))
        warp->fault = (struct cy_fault){0};
    if (warp->reserves)
        memset(warp->reservation, 0, sizeof(warp->reservation));
    warp->reserves = false;
    warp->stop = CY_STOP_BUDGET;
    warp->watched = NULL;
    warp->active = full;
    warp->mode = CY_MODE_FULL;
    if (full != cy_ones(lanes))
        cy_warp_refresh(warp);
}

void cy_warp_refresh(struct cy_warp *warp)
{
    const unsigned lanes = warp->numt;
    const bool plain = (warp->vtype & ~0xc0u) == 2 << 3 && warp->frm == 0;
    warp->active = warp->mask & cy_ones(warp->vl < lanes ? warp->vl : lanes);
    warp->mode = !plain ? CY_MODE_GENERAL : warp->active == cy_ones(lanes) ? CY_MODE_FULL : CY_MODE_PARTIAL;
    if (warp->mode != CY_MODE_PARTIAL)
        return;
    typedef uint32_t quad __attribute__((vector_size(16)));
    quad bit = {1, 2, 4, 8};
    for (unsigned i = 0; i < lanes; i += 4, bit = i % 32 ? bit << 4 : (quad){1, 2, 4, 8}) {
        const quad is_active = (quad)((bit & (uint32_t)(warp->active >> (i & 32))) == bit);
        memcpy(warp->lane_mask + i, &is_active, sizeof(is_active));
    }
}

uint64_t cy_warp_lanes_of(const struct cy_warp *warp, const struct cy_insn *insn)
{
    const bool masked = !cy_insn_field(insn, CY_FIELD_vm, 1);
    return masked ? warp->active & cy_mask_bits(warp, 0) : warp->active;
}

const struct cy_uop *cy_fault(struct cy_warp *warp, const struct cy_uop *uop, enum cy_fault_kind kind, int lane,
                              uint64_t address)
{
    const struct cy_insn *insn = cy_uop_insn(warp, uop);
    uint32_t pc = cy_uop_pc(warp, uop);
    warp->fault.kind = kind;
    warp->fault.pc = pc;
    warp->fault.word = insn->word;
    warp->fault.prefix = insn->prefix;
    warp->fault.lane = lane;
    warp->fault.address = address;
    return cy_stop(warp, CY_STOP_FAULT, pc);
}

/* Page tables: may the word at pc be fetched?  If not, the warp has faulted. */
static bool translates(struct cy_warp *warp, const struct cy_uop *uop, uint32_t pc)
{
    const struct cy_code *code = warp->run->code;
    struct cy_walk_fault why;
    uint64_t physical;
    if (cy_mmu_translate(warp->run->memory, warp->run->ptbr, warp->tlb, pc, CY_EXECUTE, &physical, &why)) {
        if (pc - code->base >= code->size || physical == pc)
            return true;
        why = (struct cy_walk_fault){.problem = CY_WALK_CODE_MOVED};
    }
    warp->fault.access = CY_EXECUTE;
    warp->fault.size = 4;
    warp->fault.translated = true;
    warp->fault.walk = why;
    cy_fault(warp, uop, cy_translation_fault(&why), -1, pc);
    return false;
}

/* The same for an instruction and its prefix, of code that is decoded already. */
static bool may_fetch(struct cy_warp *warp, const struct cy_uop *uop)
{
    const struct cy_code *code = warp->run->code;
    const uint32_t pc = cy_uop_pc(warp, uop);
    for (uint32_t word = 0; warp->run->ptbr && word < uop->step && pc + 4 * word - code->base < code->size; word++)
        if (!translates(warp, uop, pc + 4 * word))
            return false;
    return true;
}

const struct cy_uop *cy_goto(struct cy_warp *warp, const struct cy_uop *uop, uint32_t pc)
{
    const struct cy_code *code = warp->run->code;
    uint32_t offset = pc - code->base;
    if (CY_LIKELY(offset < code->size && !(offset & 3)))
        return &code->uops[offset >> 2];
    if (!(offset & 3) && warp->run->ptbr && !translates(warp, uop, pc))
        return NULL;
    warp->fault.access = CY_EXECUTE;
    warp->fault.size = 4;
    return cy_fault(warp, uop, offset & 3 ? CY_FAULT_FETCH_MISALIGNED : CY_FAULT_FETCH, -1, pc);
}

void cy_collect_flags(struct cy_warp *warp)
{
    warp->fflags |= (uint8_t)fp_host_flags_get();
    fp_host_flags_clear();
}

/* The loops that are not the usual one: functions of their own, so that it saves few registers. */
#define RARE static __attribute__((noinline))

/* The loop under an observer: extents are off for what was not told ahead, so that it takes the path that reports it, and
 * floating-point flags raised by the observer are kept out of the guest's. */
RARE const struct cy_uop *run_observed(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    const struct cy_observer *observer = warp->run->observer;
    const bool keeps_flags = !observer->wants_addresses || warp->run->code->reads_flags; /* costs as much as the rest */
    uint32_t address[CY_MAX_LANES];
    while (*left) {
        uint32_t pc = cy_uop_pc(warp, uop);
        const struct cy_insn *insn = cy_uop_insn(warp, uop);
        if (!observer->wants_addresses || (cy_look_ahead(warp, uop, address) && !warp->ahead))
            warp->extent = warp->scalar_extent = (struct cy_extent){0};
        warp->pc = pc;
        if (!may_fetch(warp, uop)) {
            uop = NULL;
            break;
        }
        if (warp->counts)
            cy_count_issue(warp, uop);
        if (observer->before)
            observer->before(observer->context, warp, pc, insn);
        if (keeps_flags)
            fp_host_flags_clear();
        uop = uop->run[warp->mode](warp, uop, 1);
        if (keeps_flags)
            cy_collect_flags(warp);
        if (uop)
            warp->pc = cy_uop_pc(warp, uop);
        if (uop || warp->stop != CY_STOP_FAULT) {
            --*left;
            if (observer->retired)
                observer->retired(observer->context, warp, pc, insn);
        }
        if (!uop)
            break;
    }
    warp->ahead = NULL;
    return uop;
}

/* The loop that counts active lanes: one instruction at a time. */
RARE const struct cy_uop *run_counted(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    const struct cy_code *code = warp->run->code;
    struct cy_lane_counters *lanes = &warp->lanes;
    while (*left && uop) {
        const uint8_t kind = code->kinds[uop - code->uops];
        const unsigned depth = warp->depth;
        if (kind >= CY_KIND_VECTOR) {
            lanes->vectors++;
            lanes->partial += warp->active != cy_ones(warp->numt);
            lanes->active += (unsigned)__builtin_popcountll(warp->active);
        }
        uop = uop->run[warp->mode](warp, uop, 1);
        lanes->branches += kind == CY_KIND_VECTOR_BRANCH;
        lanes->splits += kind == CY_KIND_VECTOR_BRANCH && warp->depth > depth;
        *left -= 1 - warp->left;
    }
    return uop;
}

/* The loop under page tables: each instruction is fetched. */
RARE const struct cy_uop *run_fetched(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    while (*left && uop) {
        uint64_t one = 1;
        if (!may_fetch(warp, uop))
            return NULL;
        if (warp->run->counting) {
            uop = run_counted(warp, uop, &one);
        } else if (warp->counts) {
            uop = cy_run_profiled(warp, uop, &one);
        } else {
            uop = uop->run[warp->mode](warp, uop, 1);
            one = warp->left;
        }
        *left -= 1 - one;
    }
    return uop;
}

/* The start address is outside the code. */
static enum cy_stop outside(struct cy_warp *warp, uint64_t budget)
{
    const struct cy_code *code = warp->run->code;
    const uint32_t pc = warp->pc;
    if (!budget)
        return CY_STOP_BUDGET;
    cy_goto(warp, &code->uops[code->size >> 2], pc);
    warp->fault.pc = warp->pc = pc;
    return CY_STOP_FAULT;
}

/* Handlers call each other: a build without tail-call optimisation (a sanitizer's) needs stack for all of them. */
#define MAX_CHAIN 256
_Static_assert(CY_START_MOST < MAX_CHAIN, "what starts a warp is one chain");

/* The usual loop. */
static inline const struct cy_uop *run_plain(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    while (*left && uop) {
        const uint64_t some = *left < MAX_CHAIN ? *left : MAX_CHAIN;
        uop = uop->run[warp->mode](warp, uop, some);
        *left -= some - warp->left;
    }
    return uop;
}

/* What somebody looks at, or counts, or whose flags are read. */
static bool is_rare(const struct cy_warp *warp)
{
    const struct cy_run *run = warp->run;
    return run->observer || run->ptbr || run->counting || warp->counts || run->code->reads_flags;
}
RARE const struct cy_uop *run_rare(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    const bool reads_flags = warp->run->code->reads_flags;
    if (warp->run->observer)
        return run_observed(warp, uop, left);
    if (reads_flags)
        fp_host_flags_clear();
    if (warp->run->ptbr)
        uop = run_fetched(warp, uop, left);
    else if (warp->run->counting)
        uop = run_counted(warp, uop, left);
    else if (warp->counts)
        uop = cy_run_profiled(warp, uop, left);
    else
        uop = run_plain(warp, uop, left);
    if (reads_flags)
        cy_collect_flags(warp);
    return uop;
}

static enum cy_stop stopped(struct cy_warp *warp, const struct cy_uop *uop, uint64_t ran)
{
    if (uop)
        warp->pc = cy_uop_pc(warp, uop);
    warp->retired += ran;
    return (enum cy_stop)warp->stop;
}

RARE enum cy_stop run_apart(struct cy_warp *warp, const struct cy_uop *uop, uint64_t budget)
{
    uint64_t left = budget;
    if (warp->is_fresh)
        memset(warp->x, 0, sizeof(warp->x));
    warp->is_fresh = false;
    uop = run_rare(warp, uop, &left);
    return stopped(warp, uop, budget - left);
}

enum cy_stop cy_warp_run_inside(struct cy_warp *warp, uint64_t budget)
{
    const struct cy_code *code = warp->run->code;
    const uint32_t offset = warp->pc - code->base;
    if (CY_UNLIKELY(offset >= code->size || offset & 3))
        return outside(warp, budget);
    const struct cy_uop *uop = &code->uops[offset >> 2];
    unsigned generation = atomic_load_explicit(&warp->run->memory->generation, memory_order_acquire);
    if (CY_UNLIKELY(generation != warp->extent_generation)) {
        warp->extent = warp->scalar_extent = (struct cy_extent){0};
        warp->extent_generation = generation;
    }
    warp->stop = CY_STOP_BUDGET;
    uint64_t left = budget;
    const struct cy_start *start = warp->is_fresh ? warp->run->start : NULL;
    if (CY_UNLIKELY(is_rare(warp) || (start && budget <= start->total)))
        return run_apart(warp, uop, budget);
    if (start) { /* the budget lasts until the warp has arrived in the code */
        warp->is_fresh = false;
        memcpy(warp->x, start->x, sizeof(start->x));
        warp->vtype = start->vtype;
        left -= start->skipped;
        uop = start->uops;
    }
    uop = run_plain(warp, uop, &left);
    return stopped(warp, uop, budget - left);
}

enum cy_stop cy_warp_run(struct cy_warp *warp, uint64_t budget)
{
    struct fp_host_saved saved;
    fp_host_begin(&saved);
    enum cy_stop stop = cy_warp_run_inside(warp, budget);
    warp->fflags |= (uint8_t)fp_host_end(&saved);
    return stop;
}
