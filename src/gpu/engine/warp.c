/* Starting and running one warp. */
#include "gpu/engine/engine_priv.h"

#include "gpu/fp/fp32_native.h"

#include <string.h>

size_t cy_warp_vgpr_bytes(unsigned lanes)
{
    return ((size_t)CY_VGPR_ROWS * lanes + CY_MAX_LANES) * sizeof(uint32_t);
}

void cy_warp_prepare(struct cy_warp *warp)
{
    const unsigned lanes = warp->run->lanes;
    warp->lane_mask = warp->v + (size_t)CY_VGPR_ROWS * lanes;
    warp->memory_base = warp->run->memory->base;
    warp->extent = warp->scalar_extent = (struct cy_extent){0};
    warp->numt = lanes;
    warp->knl = warp->run->knl;
    warp->fault = (struct cy_fault){0};
}

/* What is not the usual way is a function of its own, so that that saves few registers. */
#define RARE static __attribute__((noinline))

typedef uint32_t quad __attribute__((vector_size(16)));

/* As stores: a compiler may think an instruction that clears memory in a loop of its own good enough for so little. */
static inline void clear_zeroes(struct cy_warp *warp)
{
    const quad zero = {0};
    _Static_assert(sizeof(warp->zeroes) % sizeof(zero) == 0, "in whole quads");
    for (size_t i = 0; i < CY_COUNT(warp->zeroes); i += sizeof(zero) / sizeof(warp->zeroes[0]))
        memcpy(&warp->zeroes[i], &zero, sizeof(zero));
}

RARE void forget_reservations(struct cy_warp *warp)
{
    memset(warp->reservation, 0, sizeof(warp->reservation));
    warp->reserves = false;
}

/* A warp that will not get its sGPRs from run->start; others may look at it. */
RARE void begin_slowly(struct cy_warp *warp)
{
    memset(warp->x, 0, sizeof(warp->x));
    warp->fault = (struct cy_fault){0};
}

/* Launches of many small workgroups spend most of their time here.  What is called comes last, so that no registers are saved. */
void cy_warp_begin(struct cy_warp *warp, uint32_t entry, uint64_t full)
{
    const struct cy_run *run = warp->run;
    const unsigned lanes = run->lanes;
    clear_zeroes(warp);
    warp->full = warp->mask = warp->active = full;
    warp->mode = CY_MODE_FULL;
    warp->stop = CY_STOP_BUDGET;
    warp->vl = lanes;
    warp->vtype = 2 << 3; /* e32, m1 */
    warp->mstatus = CY_MSTATUS_VS;
    warp->pc = entry;
    warp->is_fresh = run->start != NULL; /* then it gets its sGPRs from there, and a fault ends the launch */
    if (CY_UNLIKELY(!warp->is_fresh))
        begin_slowly(warp);
    if (CY_UNLIKELY(warp->reserves))
        forget_reservations(warp);
    if (CY_UNLIKELY(full != cy_ones(lanes)))
        cy_warp_refresh(warp);
    /* only what the code can touch */
    memset(warp->v, 0, run->code ? (size_t)run->code->vgprs * lanes * sizeof(uint32_t) : cy_warp_vgpr_bytes(lanes));
}

void cy_warp_start(struct cy_warp *warp, uint32_t entry, uint64_t full)
{
    cy_warp_prepare(warp);
    cy_warp_begin(warp, entry, full);
}

static inline __attribute__((always_inline)) void write_lane_mask(uint32_t *mask, uint64_t active, unsigned lanes)
{
    static const quad bits[8] = {{1u << 0, 1u << 1, 1u << 2, 1u << 3},     {1u << 4, 1u << 5, 1u << 6, 1u << 7},
                                 {1u << 8, 1u << 9, 1u << 10, 1u << 11},   {1u << 12, 1u << 13, 1u << 14, 1u << 15},
                                 {1u << 16, 1u << 17, 1u << 18, 1u << 19}, {1u << 20, 1u << 21, 1u << 22, 1u << 23},
                                 {1u << 24, 1u << 25, 1u << 26, 1u << 27}, {1u << 28, 1u << 29, 1u << 30, 1u << 31}};
    for (unsigned i = 0; i < lanes; i += 4) {
        const quad bit = bits[i / 4 % 8], is_active = (quad)((bit & (uint32_t)(active >> (i & 32))) == bit);
        memcpy(mask + i, &is_active, sizeof(is_active));
    }
}

void cy_warp_refresh(struct cy_warp *warp)
{
    const unsigned lanes = warp->numt;
    const bool plain = (warp->vtype & ~0xc0u) == 2 << 3 && warp->frm == 0;
    warp->active = warp->mask & cy_ones(warp->vl < lanes ? warp->vl : lanes);
    warp->mode = !plain ? CY_MODE_GENERAL : warp->active == cy_ones(lanes) ? CY_MODE_FULL : CY_MODE_PARTIAL;
    if (warp->mode != CY_MODE_PARTIAL)
        return;
    if (lanes == 32)
        write_lane_mask(warp->lane_mask, warp->active, 32);
    else
        write_lane_mask(warp->lane_mask, warp->active, lanes);
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

/* The loop under an observer: extents are off for what was not told ahead, so that it takes the path that reports it, and
 * floating-point flags raised by the observer are kept out of the guest's. */
RARE const struct cy_uop *run_observed(struct cy_warp *warp, const struct cy_uop *uop, uint64_t *left)
{
    const struct cy_observer *observer = warp->run->observer;
    const bool keeps_flags = !observer->wants_addresses || warp->run->code->reads_flags; /* costs as much as the rest */
    const bool by_stretch = observer->ran && !keeps_flags && !warp->counts && !warp->run->ptbr;
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
        if (by_stretch) {
            const uint64_t most = warp->run->code->stretches[uop - warp->run->code->uops].insns, active = warp->active;
            const uint64_t some = most < *left ? most : *left;
            uop = uop->run[warp->mode](warp, uop, some);
            const uint64_t done = some - warp->left;
            if (done > 1)
                observer->ran(observer->context, warp, pc, insn, active, done - 1);
            *left -= done;
            if (!uop)
                break;
            warp->pc = cy_uop_pc(warp, uop);
            continue;
        }
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

/* Forgets extents that may not be there any more. */
static inline void refresh_extents(struct cy_warp *warp)
{
    const unsigned generation = atomic_load_explicit(&warp->run->memory->generation, memory_order_acquire);
    if (CY_UNLIKELY(generation != warp->extent_generation)) {
        warp->extent = warp->scalar_extent = (struct cy_extent){0};
        warp->extent_generation = generation;
    }
}

enum cy_stop cy_warp_run_inside(struct cy_warp *warp, uint64_t budget)
{
    const struct cy_code *code = warp->run->code;
    const uint32_t offset = warp->pc - code->base;
    if (CY_UNLIKELY(offset >= code->size || offset & 3))
        return outside(warp, budget);
    const struct cy_uop *uop = &code->uops[offset >> 2];
    refresh_extents(warp);
    warp->stop = CY_STOP_BUDGET;
    if (CY_UNLIKELY(is_rare(warp) || warp->is_fresh))
        return run_apart(warp, uop, budget);
    uint64_t left = budget;
    uop = run_plain(warp, uop, &left);
    return stopped(warp, uop, budget - left);
}

enum cy_stop cy_warp_run_plain(struct cy_warp *warp, uint64_t budget)
{
    const struct cy_run *run = warp->run;
    uint64_t left = budget;
    const struct cy_uop *uop;
    refresh_extents(warp);
    warp->stop = CY_STOP_BUDGET;
    if (warp->is_fresh) {
        const struct cy_start *start = run->start;
        if (CY_UNLIKELY(budget <= start->total)) /* it would not last until the warp has arrived in the code */
            return cy_warp_run_inside(warp, budget);
        warp->is_fresh = false;
        memcpy(warp->x, start->x, 32 * sizeof(warp->x[0]));
        if (run->code->has_prefixes)
            memcpy(warp->x + 32, start->x + 32, 32 * sizeof(warp->x[0]));
        warp->vtype = start->vtype;
        warp->rpc = start->rpc;
        left -= start->skipped;
        uop = start->uops;
    } else { /* where it stopped: in the code, or right after its end, where there is an instruction that faults */
        uop = &run->code->uops[(warp->pc - run->code->base) / 4];
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
