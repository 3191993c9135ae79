/* CSRs and vtype: what the launch gives, or what is known. */
#include "jit/import/import_priv.h"

static cy_sir_value known(struct importer *im, struct constant what, const char *name)
{
    if (what.is != KNOWN)
        import_cannot(im, "%s, which is not known, at 0x%x", name, pc_of(im, im->at));
    return number(im, CY_SIR_I32, what.value);
}

/* 0 after import_cannot(). */
static cy_sir_value read_csr(struct importer *im, unsigned csr)
{
    switch (csr) {
    case CY_CSR_KNL: return source(im, CY_SIR_SOURCE_METADATA);
    case CY_CSR_TID: return source(im, CY_SIR_SOURCE_TID);
    case CY_CSR_WID: return source(im, CY_SIR_SOURCE_WARP);
    case CY_CSR_WGID: return source(im, CY_SIR_SOURCE_SLOT);
    case CY_CSR_LDS: return source(im, CY_SIR_SOURCE_LDS);
    case CY_CSR_PDS: return source(im, CY_SIR_SOURCE_PDS);
    case CY_CSR_GIDX: return source(im, CY_SIR_SOURCE_GROUP_X);
    case CY_CSR_GIDY: return source(im, CY_SIR_SOURCE_GROUP_Y);
    case CY_CSR_GIDZ: return source(im, CY_SIR_SOURCE_GROUP_Z);
    case CY_CSR_NUMW: return number(im, CY_SIR_I32, im->request->warps);
    case CY_CSR_NUMT:
    case CY_CSR_vl: return number(im, CY_SIR_I32, im->request->threads);
    case CY_CSR_vlenb: return number(im, CY_SIR_I32, 4 * im->request->threads);
    case CY_CSR_GDS:
    case CY_CSR_vstart: return number(im, CY_SIR_I32, 0);
    case CY_CSR_RPC: return known(im, im->now.rpc, "the reconvergence point");
    case CY_CSR_frm: return known(im, im->now.rounding, "the rounding mode");
    default: import_cannot(im, "CSR 0x%x at 0x%x", csr, pc_of(im, im->at)); return 0;
    }
}

/* What is written is followed as a fact (constants.c), or nobody can read it: flags of floating point and of saturation. */
static bool may_write(unsigned csr)
{
    return csr == CY_CSR_frm || csr == CY_CSR_fflags || csr == CY_CSR_vxsat || csr == CY_CSR_RPC ||
           csr == CY_CSR_vstart;
}

bool make_csr(struct importer *im, const struct inst *inst)
{
    const unsigned csr = (unsigned)inst->effects.csr;
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT);
    if (inst->effects.state_writes && !may_write(csr))
        return import_cannot(im, "%s of CSR 0x%x at 0x%x", inst->effects.row->mnemonic, csr, pc_of(im, im->at));
    if (!to->value && inst->effects.state_writes)
        return true;
    const cy_sir_value value = read_csr(im, csr);
    if (value)
        import_write_x(im, (unsigned)to->value, value);
    return !im->has_failed;
}

bool make_vsetvl(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT);
    struct facts facts = im->now;
    follow_facts(im, im->at, &facts);
    if (facts.vtype.is != KNOWN)
        return import_cannot(im, "another vtype than e32, m1 for all lanes at 0x%x", pc_of(im, im->at));
    import_write_x(im, (unsigned)to->value, number(im, CY_SIR_I32, im->request->threads));
    return true;
}
