/* Instructions without operations: the interpreter executes them, one at a time, on registers that are put into its file and taken out
 * again.  They are rare in what compilers make: the end of a printf, masks in v0. */
#include "jit/import/import_priv.h"

/* Instructions that are about more than registers: blocks.c, instructions.c and state.c know them. */
static bool is_control(const struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    return effects->flow != CY_FLOW_NEXT || effects->is_fence || effects->row->format == CY_FORMAT_SETRPC ||
           effects->row->format == CY_FORMAT_U || effects->csr >= 0 || effects->row->sched == CY_SCHED_vcfg;
}

/* Hooks that have operations: numbers of lanes, moves of whole registers, moves to scalar registers. */
static bool is_simple_hook(const struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    const enum cy_format format = effects->row->format;
    return !effects->is_illegal && !effects->is_masked &&
           (format == CY_FORMAT_VID || format == CY_FORMAT_MVR || format == CY_FORMAT_MVXS);
}

bool is_interpreted(const struct importer *im, const struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    if (effects->csr == CY_CSR_PRINT && effects->state_writes)
        return true;
    if (effects->access.addressing)
        return !has_accesses(im, inst);
    if (effects->flow == CY_FLOW_BRANCH || effects->flow == CY_FLOW_VECTOR_BRANCH)
        return false;
    return !is_control(inst) && !is_simple_hook(inst) && !has_operations(im, inst);
}

static cy_sir_value file_op(struct importer *im, enum cy_sir_op op, unsigned number, cy_sir_value value)
{
    const bool is_get = op == CY_SIR_GET_X || op == CY_SIR_GET_V;
    const cy_sir_value made = cy_sir_append(im->func, im->block, op, is_get ? CY_SIR_I32 : CY_SIR_VOID, value, 0, 0);
    cy_sir_at(im->func, made)->imm = number;
    cy_sir_at(im->func, made)->pc = pc_of(im, im->at);
    return made;
}

/* Packed masks are written as bits in the first lanes' elements, whether these lanes are active or not; cells keep what is written in
 * active ones only. */
static bool writes_other_lanes(const struct importer *im, const struct inst *inst)
{
    const struct cy_jit_request *request = im->request;
    const uint32_t items = request->local[0] * request->local[1] * request->local[2];
    const struct cy_effects *effects = &inst->effects;
    const bool writes_bits =
        effects->result == CY_RESULT_PACKED || (effects->access.addressing == CY_ADDRESS_BITS && effects->access.reads);
    return writes_bits && (im->is_parted[im->block] || !request->whole || items % request->threads);
}

/* Registers of which some elements stay as they are must be there before. */
bool make_interpreted(struct importer *im, const struct inst *inst)
{
    if (writes_other_lanes(im, inst))
        return import_cannot(im, "%s where not all lanes are active, at 0x%x", inst->effects.row->mnemonic,
                             pc_of(im, im->at));
    struct cy_regs reads = inst->effects.reads;
    cy_regs_unite(&reads, &inst->effects.keeps);
    for (unsigned r = 1; r < 64; r++)
        if (cy_regs_has_x(&reads, r))
            file_op(im, CY_SIR_PUT_X, r, import_read_x(im, r));
    for (unsigned r = 0; r < 256; r++)
        if (cy_regs_has_v(&reads, r))
            file_op(im, CY_SIR_PUT_V, r, import_read_v(im, r));
    const cy_sir_value made = file_op(im, CY_SIR_INTERPRET, 0, 0);
    const uint32_t access = new_access(im, inst);
    cy_sir_at(im->func, made)->access = access;
    for (unsigned r = 1; r < 64; r++)
        if (cy_regs_has_x(&inst->effects.writes, r))
            import_write_x(im, r, file_op(im, CY_SIR_GET_X, r, 0));
    for (unsigned r = 0; r < 256; r++)
        if (cy_regs_has_v(&inst->effects.writes, r))
            import_write_v(im, r, file_op(im, CY_SIR_GET_V, r, 0));
    im->interpreted++;
    return true;
}

void make_trap(struct importer *im, const struct inst *inst, enum cy_jit_trap kind)
{
    const cy_sir_value made = file_op(im, CY_SIR_TRAP, kind, 0);
    const uint32_t access = new_access(im, inst);
    cy_sir_at(im->func, made)->access = access;
}
