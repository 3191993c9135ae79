/* CSRs, vector configuration, and the instructions that stop a warp. */
#include "gpu/engine/engine_priv.h"

#include <stddef.h>
#include <string.h>

#define HANDLER(id) CY_HANDLER(, cy_exec_##id)

/* ---- CSRs ---- */

static bool csr_read(struct cy_warp *w, unsigned number, uint32_t *value)
{
    switch (number) {
    case CY_CSR_TID: *value = w->tid; return true;
    case CY_CSR_NUMW: *value = w->numw; return true;
    case CY_CSR_NUMT: *value = w->numt; return true;
    case CY_CSR_KNL: *value = w->knl; return true;
    case CY_CSR_WGID: *value = w->wgid; return true;
    case CY_CSR_WID: *value = w->wid; return true;
    case CY_CSR_LDS: *value = w->lds; return true;
    case CY_CSR_PDS: *value = w->pds; return true;
    case CY_CSR_GIDX: *value = w->gid[0]; return true;
    case CY_CSR_GIDY: *value = w->gid[1]; return true;
    case CY_CSR_GIDZ: *value = w->gid[2]; return true;
    case CY_CSR_PRINT: *value = w->print; return true;
    case CY_CSR_RPC: *value = w->rpc; return true;
    case CY_CSR_GDS: *value = w->run->gds; return true;
    case CY_CSR_fflags: *value = w->fflags; return true;
    case CY_CSR_frm: *value = w->frm; return true;
    case CY_CSR_fcsr: *value = (uint32_t)w->frm << 5 | w->fflags; return true;
    case CY_CSR_vstart: *value = w->vstart; return true;
    case CY_CSR_vxsat: *value = w->vxsat; return true;
    case CY_CSR_vxrm: *value = w->vxrm; return true;
    case CY_CSR_vcsr: *value = (uint32_t)w->vxrm << 1 | w->vxsat; return true;
    case CY_CSR_mstatus: *value = w->mstatus; return true;
    case CY_CSR_mtvec: *value = w->mtvec; return true;
    case CY_CSR_vl: *value = w->vl; return true;
    case CY_CSR_vtype: *value = w->vtype; return true;
    case CY_CSR_vlenb: *value = 4 * w->numt; return true;
    default: return false;
    }
}

/* Only reached for CSRs that the table calls writable. */
static void csr_write(struct cy_warp *w, unsigned number, uint32_t value)
{
    switch (number) {
    case CY_CSR_PRINT: w->print = value; break;
    case CY_CSR_RPC: w->rpc = value; break;
    case CY_CSR_fflags: w->fflags = value & 31; break;
    case CY_CSR_fcsr: w->fflags = value & 31; value >>= 5; /* fall through */
    case CY_CSR_frm:
        w->frm = value & 7;
        cy_warp_refresh(w); /* the fast path only rounds to nearest even */
        break;
    case CY_CSR_vxsat: w->vxsat = value & 1; break;
    case CY_CSR_vcsr: w->vxsat = value & 1; value >>= 1; /* fall through */
    case CY_CSR_vxrm: w->vxrm = value & 3; break;
    case CY_CSR_mstatus: w->mstatus = value | CY_MSTATUS_VS | (value & CY_MSTATUS_FS ? CY_MSTATUS_FS : 0); break;
    case CY_CSR_mtvec: w->mtvec = value; break;
    default: break; /* vstart: lanes always start at 0 */
    }
}

/* imm = number; `writes` is false for the forms that only read. */
static const struct cy_uop *csr_access(struct cy_warp *w, const struct cy_uop *u, uint32_t source, int how, bool writes)
{
    unsigned number = (unsigned)u->imm;
    uint32_t old;
    if (number == CY_CSR_fflags || number == CY_CSR_fcsr)
        cy_collect_flags(w);
    if (!csr_read(w, number, &old))
        return cy_fault(w, u, CY_FAULT_CSR, -1, number);
    if (writes) {
        const struct cy_csr_info *info = cy_csr_by_number(number);
        if (!info || !info->writable)
            return cy_fault(w, u, CY_FAULT_CSR, -1, number);
        csr_write(w, number, how == 'w' ? source : how == 's' ? old | source : old & ~source);
    }
    w->x[u->d] = old;
    if (writes && number == CY_CSR_PRINT && w->print)
        return cy_stop(w, CY_STOP_PRINT, cy_uop_pc(w, u) + 4u * u->step);
    return cy_next(u);
}

/* The CSRs that every kernel reads first are constant words of the warp. */
int cy_csr_word(unsigned number)
{
    switch (number) {
    case CY_CSR_TID: return offsetof(struct cy_warp, tid);
    case CY_CSR_NUMW: return offsetof(struct cy_warp, numw);
    case CY_CSR_NUMT: return offsetof(struct cy_warp, numt);
    case CY_CSR_KNL: return offsetof(struct cy_warp, knl);
    case CY_CSR_WGID: return offsetof(struct cy_warp, wgid);
    case CY_CSR_WID: return offsetof(struct cy_warp, wid);
    case CY_CSR_LDS: return offsetof(struct cy_warp, lds);
    case CY_CSR_PDS: return offsetof(struct cy_warp, pds);
    case CY_CSR_GIDX: return offsetof(struct cy_warp, gid[0]);
    case CY_CSR_GIDY: return offsetof(struct cy_warp, gid[1]);
    case CY_CSR_GIDZ: return offsetof(struct cy_warp, gid[2]);
    default: return -1;
    }
}

bool cy_warp_read_csr(struct cy_warp *w, unsigned number, uint32_t *value)
{
    return csr_read(w, number, value);
}

bool cy_warp_write_csr(struct cy_warp *w, unsigned number, uint32_t value)
{
    const struct cy_csr_info *info = cy_csr_by_number(number);
    const int word = cy_csr_word(number);
    if (word >= 0)
        memcpy((uint8_t *)w + word, &value, sizeof(value));
    else if (info && info->writable)
        csr_write(w, number, value);
    return word >= 0 || (info && info->writable);
}

CY_HANDLER(, cy_read_word) /* imm = its offset */
{
    memcpy(&w->x[u->d], (const uint8_t *)w + u->imm, sizeof(uint32_t));
    return cy_next(u);
}

/* `unimp` is what RISC-V compilers emit for __builtin_trap(): attributed to the first active lane. */
HANDLER(csrrw)
{
    if (u->imm == CY_CSR_UNIMP && u->a == 0 && u->d == 64)
        return cy_fault(w, u, CY_FAULT_TRAP, w->mask ? __builtin_ctzll(w->mask) : -1, 0);
    return csr_access(w, u, w->x[u->a], 'w', true);
}
HANDLER(csrrs)
{
    return csr_access(w, u, w->x[u->a], 's', u->a != 0);
}
HANDLER(csrrc)
{
    return csr_access(w, u, w->x[u->a], 'c', u->a != 0);
}
HANDLER(csrrwi)
{
    return csr_access(w, u, u->a, 'w', true);
} /* a = the immediate */
HANDLER(csrrsi)
{
    return csr_access(w, u, u->a, 's', u->a != 0);
}
HANDLER(csrrci)
{
    return csr_access(w, u, u->a, 'c', u->a != 0);
}

/* ---- vsetvl ---- */

/* vlmax = num_thread, or twice that with LMUL 2; other LMUL, SEW above 64 and reserved bits set vill. */
static const struct cy_uop *set_vtype(struct cy_warp *w, const struct cy_uop *u, uint32_t vtype, bool keep,
                                      uint32_t avl)
{
    bool legal = !(vtype >> 8) && (vtype >> 3 & 7) <= 3 && (vtype & 7) <= 1;
    uint32_t vlmax = w->numt << (vtype & 7);
    uint32_t vl = !legal ? 0 : keep ? (w->vl < vlmax ? w->vl : vlmax) : avl < vlmax ? avl : vlmax;
    bool same = w->vl == vl && w->vtype == vtype && legal;
    w->vtype = legal ? vtype : CY_VILL;
    w->vl = vl;
    w->x[u->d] = w->vl;
    if (!same) /* as on the second vsetvli in most kernels */
        cy_warp_refresh(w);
    return cy_next(u);
}

/* rs1 = x0: rd = x0 keeps vl, any other rd asks for vlmax. */
static const struct cy_uop *set_from_register(struct cy_warp *w, const struct cy_uop *u, uint32_t vtype)
{
    bool keep = u->a == 0 && u->d == 64;
    return set_vtype(w, u, vtype, keep, u->a == 0 ? UINT32_MAX : w->x[u->a]);
}

HANDLER(vsetvli)
{
    return set_from_register(w, u, (uint32_t)u->imm);
}
HANDLER(vsetvl)
{
    return set_from_register(w, u, w->x[u->b]);
}
HANDLER(vsetivli)
{
    return set_vtype(w, u, (uint32_t)u->imm, false, u->a);
} /* a = the immediate */

/* ---- SIMT and synchronisation ---- */

HANDLER(setrpc)
{
    w->rpc = w->x[u->a] + (uint32_t)u->imm;
    w->x[u->d] = w->rpc;
    return cy_next(u);
}

/* What rarely happens is a function of its own, so that the handler saves no registers. */
#define RARELY(name) CY_HANDLER(static __attribute__((noinline)), name)

RARELY(pop) /* imm = its own pc */
{
    const struct cy_simt_entry *top = &w->stack[--w->depth];
    w->lowest = w->depth < w->lowest ? w->depth : w->lowest;
    w->mask = top->mask;
    cy_warp_refresh(w);
    /* The entry by which all lanes return leads to this same join: let it see the next entry. */
    return cy_goto(w, u, top->pc);
}

const struct cy_uop *cy_exec_join(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    if (!w->depth || w->stack[w->depth - 1].rpc != (uint32_t)u->imm)
        return cy_then(w, cy_next(u), left);
    return pop(w, u, left);
}

static bool diverged(const struct cy_warp *w)
{
    return w->run->checking && (w->depth || w->mask != w->full);
}

RARELY(end_diverged)
{
    return cy_fault(w, u, CY_FAULT_DIVERGENT_END, -1, w->mask);
}

const struct cy_uop *cy_exec_endprg(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    if (CY_UNLIKELY(diverged(w)))
        return end_diverged(w, u, left);
    return cy_then(w, cy_stop(w, CY_STOP_END, cy_uop_pc(w, u)), left);
}

RARELY(barrier_watched)
{
    const struct cy_observer *observer = w->run->observer;
    if (diverged(w))
        return cy_fault(w, u, CY_FAULT_DIVERGENT_BARRIER, -1, w->mask);
    if (observer && observer->barrier)
        observer->barrier(observer->context, w, cy_uop_pc(w, u), cy_uop_insn(w, u));
    return cy_stop(w, CY_STOP_BARRIER, cy_uop_pc(w, u) + 4u * u->step);
}

const struct cy_uop *cy_exec_barrier(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    if (CY_UNLIKELY(diverged(w) || w->run->observer))
        return barrier_watched(w, u, left);
    return cy_then(w, cy_stop(w, CY_STOP_BARRIER, cy_uop_pc(w, u) + 4u * u->step), left);
}

HANDLER(barriersub) /* the lanes of a warp run in lockstep: only the fence is left */
{
    if (diverged(w))
        return cy_fault(w, u, CY_FAULT_DIVERGENT_BARRIER, -1, w->mask);
    atomic_thread_fence(memory_order_seq_cst);
    return cy_next(u);
}

CY_HANDLER(, cy_exec_fault)
{
    if (u->imm == CY_FAULT_FETCH)
        w->fault.access = CY_EXECUTE, w->fault.size = 4;
    return cy_fault(w, u, (enum cy_fault_kind)u->imm, -1, cy_uop_pc(w, u));
}
