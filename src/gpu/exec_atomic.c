/* The A extension on vector registers: lane by lane, active lanes in ascending order.  The launch option scalar_atomics
 * gives the encodings their scalar meaning for old binaries. */
#include "gpu/engine_priv.h"
#include "gpu/eval.h"

#define HANDLER(id) const struct cy_uop *cy_exec_##id(struct cy_warp *w, const struct cy_uop *u)

enum atomic_kind { RMW, LOAD_RESERVED, STORE_CONDITIONAL };

/* One word: *old is what the destination gets.  The host's atomics make it atomic across SMs. */
static void access_word(struct cy_warp *w, enum atomic_kind kind, cy_eval_fn *eval, _Atomic uint32_t *word, uint64_t at,
                        uint32_t operand, uint32_t *old)
{
    struct cy_eval e = {0};
    uint32_t seen = atomic_load(word);
    switch (kind) {
    case LOAD_RESERVED:
        w->reservation = at + 1;
        w->reserved_value = seen;
        *old = seen;
        break;
    case STORE_CONDITIONAL:
        /* Reserved and unchanged since: a store of the same value in between goes unnoticed, as on hardware that
         * compares values; programs cannot tell except by ABA, which LR/SC loops over values do not depend on. */
        seen = w->reserved_value;
        *old = !(w->reservation == at + 1 && atomic_compare_exchange_strong(word, &seen, operand));
        w->reservation = 0;
        break;
    case RMW:
        while (!atomic_compare_exchange_weak(word, &seen, (uint32_t)eval(&e, seen, operand, 0)))
            ;
        *old = seen;
        break;
    }
}

static uint64_t lane_address(const struct cy_warp *w, const struct cy_uop *u, unsigned lane, bool wide)
{
    uint64_t low = cy_vreg(w, u->a)[lane];
    return wide ? low | (uint64_t)cy_vreg(w, u->a + 1u)[lane] << 32 : low;
}

static const struct cy_uop *scalar(struct cy_warp *w, const struct cy_uop *u, enum atomic_kind kind, cy_eval_fn *eval)
{
    uint64_t at = w->x[u->a];
    uint8_t *host = cy_host(w, u, at, 4, kind == LOAD_RESERVED ? CY_READ : CY_READ | CY_WRITE, -1);
    uint32_t old;
    if (!host)
        return NULL;
    access_word(w, kind, eval, (_Atomic uint32_t *)(void *)host, at, w->x[u->b], &old);
    w->x[u->d] = old;
    cy_observe_memory(w, u, CY_READ | CY_WRITE, 4, 1, &at, &w->x[u->b]);
    return cy_next(u);
}

static const struct cy_uop *lanes(struct cy_warp *w, const struct cy_uop *u, enum atomic_kind kind)
{
    const struct cy_insn *insn = cy_uop_insn(w, u);
    cy_eval_fn *eval = cy_evals_32[insn->op];
    bool wide = cy_insns[insn->op].flags & CY_F_WIDE;
    unsigned rights = kind == LOAD_RESERVED ? CY_READ : CY_READ | CY_WRITE;
    struct cy_lane_access access;
    uint8_t *host[CY_MAX_LANES];
    if (w->run->scalar_atomics)
        return scalar(w, u, kind, eval);
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (wide && u->a & 1)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->a);
    for (uint64_t left = w->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        access.address[lane] = lane_address(w, u, lane, wide);
        host[lane] = cy_host(w, u, access.address[lane], 4, rights, (int)lane);
        if (!host[lane])
            return NULL;
    }
    uint32_t *d = cy_vreg(w, u->d);
    const uint32_t *b = cy_vreg(w, u->b);
    for (uint64_t left = w->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t operand = b[lane];
        access.value[lane] = operand;
        access_word(w, kind, eval, (_Atomic uint32_t *)(void *)host[lane], access.address[lane], operand, &d[lane]);
    }
    cy_observe_memory(w, u, rights, 4, w->active, access.address, access.value);
    return cy_next(u);
}

#define EXPR(id, mnemonic, format, ...) ATOMIC_##format(id)
#define HOOK(...)
#define ATOMIC_AMO(id)                                                                                                 \
    HANDLER(id)                                                                                                        \
    {                                                                                                                  \
        return lanes(w, u, RMW);                                                                                       \
    }
#define ATOMIC_R(id)
#define ATOMIC_I(id)
#define ATOMIC_SHIFT(id)
#define ATOMIC_BRANCH(id)
#define ATOMIC_R64(id)
#define ATOMIC_I64(id)
#define ATOMIC_SHIFT64(id)
#define ATOMIC_FR(id)
#define ATOMIC_FRN(id)
#define ATOMIC_FU(id)
#define ATOMIC_FUN(id)
#define ATOMIC_FR4(id)
#include "isa/rv32.def"

HANDLER(lr_w) { return lanes(w, u, LOAD_RESERVED); }
HANDLER(lr_d) { return lanes(w, u, LOAD_RESERVED); }
HANDLER(sc_w) { return lanes(w, u, STORE_CONDITIONAL); }
HANDLER(sc_d) { return lanes(w, u, STORE_CONDITIONAL); }
