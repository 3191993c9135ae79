/* What all warps of a launch compute alike at their start, computed once.
 *
 * A warp begins with some dozen scalar instructions, most of which read arguments and metadata and compute the same in each of them.
 * From the entry on, up to the first instruction that could stop or diverge, the code is followed with what is known of the sGPRs:
 * instructions whose result is the same for all warps are executed here, the others are copied.  A warp then starts with the known
 * values in its sGPRs and runs the copies, which end by continuing in the code: there its registers, and its count of
 * instructions, are what they would have been. */
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/eval.h"

#include <string.h>

/* What is known of an sGPR where the code has been followed to. */
enum kind {
    UNKNOWN,
    FIXED, /* `value` in all warps */
    VIEW,  /* the address of the warp's own metadata plus `value`: computed, but what is there may be known */
};

struct known {
    enum kind kind;
    uint32_t value;
    /* What the register holds when the copies have run up to here: */
    bool holds_fixed;
    uint32_t held;
    bool is_used; /* by one of the copies: its first value is settled */
};

struct following {
    const struct cy_run *run;
    const struct cy_constants *constants;
    struct cy_start *start;
    struct known x[65];            /* x[64]: the sink */
    uint64_t reads[CY_START_MOST]; /* by copy: the sGPRs it reads */
    uint8_t writes[CY_START_MOST]; /* the one it writes; 64: none */
    bool is_needed[CY_START_MOST]; /* whatever becomes of that */
    unsigned count;                /* copies */
};

static struct cy_uop *add(struct following *f, const struct cy_uop *uop, uint64_t reads, unsigned writes,
                          bool is_needed)
{
    struct cy_uop *copy = &f->start->uops[f->count];
    *copy = *uop;
    copy->step = 1;
    f->reads[f->count] = reads;
    f->writes[f->count] = (uint8_t)writes;
    f->is_needed[f->count++] = is_needed;
    return copy;
}

/* The register must have its known value at this point. */
static void settle(struct following *f, unsigned number)
{
    struct known *x = &f->x[number];
    if (x->kind == FIXED && !(x->holds_fixed && x->held == x->value)) {
        if (x->is_used) {
            const struct cy_uop load = {
                .run = {cy_exec_lui, cy_exec_lui, cy_exec_lui}, .d = (uint8_t)number, .imm = (int32_t)x->value};
            add(f, &load, 0, number, false);
        } else {
            f->start->x[number] = x->value;
        }
        x->holds_fixed = true;
        x->held = x->value;
    }
    x->is_used = true;
}

static void set(struct following *f, unsigned number, uint32_t value)
{
    if (number < 64)
        f->x[number].kind = FIXED, f->x[number].value = value;
}

/* A copy that reads sGPRs a and b (0: none; x0 is never wrong). */
static void keep(struct following *f, const struct cy_uop *uop, unsigned a, unsigned b, unsigned d, enum kind kind,
                 uint32_t value)
{
    settle(f, a);
    settle(f, b);
    add(f, uop, 1ull << a | 1ull << b, d, d >= 64);
    if (d < 64)
        f->x[d] = (struct known){.kind = kind, .value = value, .is_used = true};
}

static bool is_fixed(const struct following *f, unsigned number)
{
    return f->x[number].kind == FIXED;
}

/* A word of the metadata and arguments.  False: it cannot be read here. */
static bool load_word(struct following *f, const struct cy_uop *uop)
{
    const struct cy_constants *constants = f->constants;
    const struct known *base = &f->x[uop->a];
    const uint32_t at = base->value + (uint32_t)uop->imm, offset = base->kind == FIXED ? at - f->run->knl : at;
    uint32_t value;
    if (base->kind == UNKNOWN || constants->varies != (base->kind == VIEW) || offset & 3 ||
        offset > constants->bytes - sizeof(value))
        return false;
    memcpy(&value, f->run->memory->base + f->run->knl + offset, sizeof(value));
    bool is_own = false;
    for (size_t i = 0; constants->varies && i < constants->own_count; i++)
        is_own |= constants->own[i] == offset;
    if (constants->varies && offset == CY_KNL_ARG_BASE)
        keep(f, uop, uop->a, 0, uop->d, VIEW, CY_METADATA_BYTES);
    else if (is_own)
        keep(f, uop, uop->a, 0, uop->d, UNKNOWN, 0);
    else
        set(f, uop->d, value);
    return true;
}

static bool read_csr(struct following *f, const struct cy_uop *uop, unsigned number)
{
    switch (number) {
    case CY_CSR_KNL:
        if (f->constants->varies)
            keep(f, uop, 0, 0, uop->d, VIEW, 0);
        else
            set(f, uop->d, f->run->knl);
        return true;
    case CY_CSR_NUMT: set(f, uop->d, f->run->lanes); return true;
    case CY_CSR_NUMW: set(f, uop->d, f->constants->warps); return true;
    default: keep(f, uop, 0, 0, uop->d, UNKNOWN, 0); return true;
    }
}

static bool scalar_row(struct following *f, const struct cy_uop *uop, const struct cy_insn *insn)
{
    const enum cy_format format = cy_insns[insn->op].format;
    const bool has_b = format == CY_FORMAT_R;
    struct cy_eval e = {0};
    if (is_fixed(f, uop->a) && (!has_b || is_fixed(f, uop->b)))
        set(f, uop->d,
            (uint32_t)cy_evals_32[insn->op](&e, f->x[uop->a].value, has_b ? f->x[uop->b].value : (uint32_t)uop->imm,
                                            0));
    else if (insn->op == CY_OP_addi && f->x[uop->a].kind == VIEW)
        keep(f, uop, uop->a, 0, uop->d, VIEW, f->x[uop->a].value + (uint32_t)uop->imm);
    else
        keep(f, uop, uop->a, has_b ? uop->b : 0, uop->d, UNKNOWN, 0);
    return true;
}

/* Scalar floating point is only computed here: its handlers look at the instruction.  Nobody reads its flags. */
static bool float_row(struct following *f, const struct cy_uop *uop, const struct cy_insn *insn)
{
    const unsigned rm = (unsigned)uop->imm >> 8, c = uop->imm & 63;
    struct cy_eval e = {.fp = {.rm = (uint8_t)(rm == 7 ? 0 : rm)}};
    if (e.fp.rm > 4 || !is_fixed(f, uop->a) || !is_fixed(f, uop->b) || !is_fixed(f, c))
        return false;
    set(f, uop->d, (uint32_t)cy_evals_32[insn->op](&e, f->x[uop->a].value, f->x[uop->b].value, f->x[c].value));
    return true;
}

/* Rows that compute on all lanes, and nothing else. */
static bool lanes_row(struct following *f, const struct cy_uop *uop, const struct cy_insn *insn)
{
    const struct cy_code *code = f->run->code;
    const struct cy_handlers *row = &(code->lanes == 32 ? code->level->lanes32 : code->level->lanes)[insn->op];
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    if (!row->run[0] || row->run[0] == cy_exec_vector_generic || memcmp(row->run, uop->run, sizeof(uop->run)) != 0 ||
        cy_insns[insn->op].flags & (CY_F_DIVERGE | CY_F_WIDE))
        return false;
    unsigned scalar = 0;
    for (size_t i = 0; i < count; i++) {
        if (fields[i] == CY_FIELD_rd)
            return false;
        if (fields[i] == CY_FIELD_rs1)
            scalar = uop->a;
    }
    keep(f, uop, scalar, 0, 64, UNKNOWN, 0);
    return true;
}

/* Executes or copies one instruction; the next one is *at.  False: it must stay where it is. */
static bool follow(struct following *f, uint32_t *at)
{
    const struct cy_code *code = f->run->code;
    const struct cy_uop *uop = &code->uops[*at];
    const struct cy_insn *insn = &code->insns[*at];
    const uint32_t next = *at + uop->step;
    if (uop->run[0] == cy_exec_fault)
        return false;
    *at = next;
    switch (insn->op) {
    case CY_OP_lui:
    case CY_OP_auipc: set(f, uop->d, (uint32_t)uop->imm); return true;
    case CY_OP_lw: return uop->run[0] == cy_exec_lw && load_word(f, uop);
    case CY_OP_csrrs:
        return uop->run[0] == cy_read_word && read_csr(f, uop, (unsigned)cy_insn_field(insn, CY_FIELD_csr, 0));
    case CY_OP_vsetvli: /* asks for all lanes, as the warp has them already */
        if (uop->a || uop->d == 64 || (uop->imm & ~0xc0) != 2 << 3)
            return false;
        f->start->vtype = (uint32_t)uop->imm;
        set(f, uop->d, f->run->lanes);
        return true;
    case CY_OP_setrpc: /* which no copy reads */
        if (!is_fixed(f, uop->a))
            return false;
        f->start->rpc = f->x[uop->a].value + (uint32_t)uop->imm;
        set(f, uop->d, f->start->rpc);
        return true;
    case CY_OP_jal:
        if (!cy_is_near(uop))
            return false;
        *at = next - uop->step + (uint32_t)(uop->imm >> 1);
        set(f, uop->d, code->base + 4 * next);
        return true;
    case CY_OP_jalr: {
        const uint32_t offset = ((f->x[uop->a].value + (uint32_t)uop->imm) & ~1u) - code->base;
        if (!is_fixed(f, uop->a) || offset >= code->size || offset & 3)
            return false;
        *at = offset / 4;
        set(f, uop->d, code->base + 4 * next);
        return true;
    }
    default: break;
    }
    struct cy_eval e = {0};
    switch (cy_insns[insn->op].format) {
    case CY_FORMAT_R:
    case CY_FORMAT_I:
    case CY_FORMAT_SHIFT: return uop->run[0] != cy_exec_scalar_generic && scalar_row(f, uop, insn);
    case CY_FORMAT_FR:
    case CY_FORMAT_FRN:
    case CY_FORMAT_FU:
    case CY_FORMAT_FUN:
    case CY_FORMAT_FR4: return uop->run[0] != cy_exec_scalar_generic && float_row(f, uop, insn);
    case CY_FORMAT_BRANCH:
        if (!is_fixed(f, uop->a) || !is_fixed(f, uop->b) || !cy_is_near(uop))
            return false;
        if (cy_evals_32[insn->op](&e, f->x[uop->a].value, f->x[uop->b].value, 0))
            *at = next - uop->step + (uint32_t)(uop->imm >> 1);
        return true;
    default: return lanes_row(f, uop, insn);
    }
}

/* Leaves out copies whose result no other needs.  After the last one all registers count. */
static void drop_dead(struct following *f)
{
    uint64_t live = ~0ull;
    unsigned to = f->count;
    for (unsigned i = f->count; i-- > 0;) {
        if (!f->is_needed[i] && !(live >> f->writes[i] & 1))
            continue;
        if (f->writes[i] < 64)
            live &= ~(1ull << f->writes[i]);
        live |= f->reads[i];
        f->start->uops[--to] = f->start->uops[i];
    }
    f->count -= to;
    memmove(f->start->uops, f->start->uops + to, f->count * sizeof(f->start->uops[0]));
}

/* The last copy: continues in the code, and does not count. */
static const struct cy_uop *resume(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    const struct cy_uop *next = w->run->code->uops + u->imm;
    return next->run[w->mode](w, next, left);
}

struct cy_start *cy_start_build(const struct cy_run *run, uint32_t entry, const struct cy_constants *constants)
{
    enum { ROOM = 64 + 4 }; /* an instruction needs at most two registers settled, the end all of them */
    const struct cy_code *code = run->code;
    const uint32_t offset = entry - code->base;
    const bool is_plain = offset < code->size && !(offset & 3) && !code->reads_flags;
    struct cy_start *start = is_plain ? cy_try_alloc(sizeof(*start)) : NULL;
    struct following *f = start ? cy_try_alloc(sizeof(*f)) : NULL;
    if (!f) {
        cy_free(start);
        return NULL;
    }
    *f = (struct following){.run = run, .constants = constants, .start = start};
    start->vtype = 2 << 3;
    for (unsigned i = 0; i < CY_COUNT(f->x); i++)
        f->x[i] = (struct known){.kind = FIXED, .holds_fixed = true};
    uint32_t at = offset / 4;
    while (f->count + ROOM < CY_START_MOST && start->total < CY_START_MOST) {
        uint32_t next = at;
        if (!follow(f, &next))
            break;
        at = next;
        start->total++;
    }
    for (unsigned i = 1; i < 64; i++)
        settle(f, i);
    drop_dead(f);
    start->uops[f->count] = (struct cy_uop){.run = {resume, resume, resume}, .step = 1, .imm = (int32_t)at};
    start->skipped = start->total - f->count;
    const bool gains = f->count + 4 < start->total;
    cy_free(f);
    if (gains)
        return start;
    cy_free(start);
    return NULL;
}

void cy_start_free(struct cy_start *start)
{
    cy_free(start);
}
