/* Stores to neighbouring bytes of each lane become one store, with the last of them: sixteen bytes (chunk), eight (pair) or four
 * (narrow).  They follow each other: between them nothing else is read or written. */
#include "jit/transform/forms_priv.h"

enum { MOST_STORES = 16 }; /* of one element: bytes */

struct run { /* stores of one group, to bytes one after the other */
    struct forms *f;
    const struct cy_sir_insn *first;
    int64_t end;
    uint32_t accesses[MOST_STORES];
    unsigned count;
};

/* Is that what so many bytes of each lane may be stored as?  Elements of lanes anywhere may overlap: then lanes must not look at each
 * other's. */
static bool may_be_one(const struct run *run, unsigned bytes, unsigned size)
{
    struct forms *f = run->f;
    const struct cy_sir_address address = forms_address(f, run->first);
    const int64_t stride = address.stride < 0 ? -address.stride : address.stride;
    if (address.kind == CY_SIR_SHAPE_EVEN)
        return address.stride == bytes || (bytes == 16 && stride >= 16);
    if (address.kind != CY_SIR_SHAPE_LANES || address.may_be_row || size < 4)
        return false;
    return bytes == 16 ? !f->func->exchanges : bytes == 8 && forms_gathers(f->func);
}

/* The first stores that are so many bytes; 0: there are none. */
static unsigned stores_of(const struct run *run, unsigned from, unsigned bytes)
{
    unsigned sum = 0, size = 4;
    for (unsigned i = from; i < run->count; i++) {
        const struct cy_sir_access *access = &run->f->func->accesses.at[run->accesses[i]];
        sum += access->bytes;
        size = access->bytes < size ? access->bytes : size;
        if (sum == bytes)
            return i > from && may_be_one(run, bytes, size) ? i + 1 - from : 0;
    }
    return 0;
}

static void end_run(struct run *run)
{
    static const struct {
        unsigned bytes;
        enum cy_sir_form form;
    } kinds[] = {{16, CY_SIR_FORM_CHUNK}, {8, CY_SIR_FORM_PAIR}, {4, CY_SIR_FORM_NARROW}};
    for (unsigned i = 0; i < run->count;) {
        unsigned stores = 0, kind = 0;
        while (kind < CY_COUNT(kinds) && !(stores = stores_of(run, i, kinds[kind].bytes)))
            kind++;
        for (unsigned k = 0; k < stores; k++)
            run->f->func->accesses.at[run->accesses[i + k]].form = (uint8_t)kinds[kind].form;
        i += stores ? stores : 1;
    }
    run->count = 0;
}

static void add_store(struct run *run, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access = &run->f->func->accesses.at[insn->access];
    const bool follows = run->count && run->count < MOST_STORES && access->offset == run->end &&
                         access->group == run->f->func->accesses.at[run->first->access].group;
    if (!follows) {
        end_run(run);
        run->first = insn;
    }
    run->accesses[run->count++] = insn->access;
    run->end = access->offset + access->bytes;
}

static bool may_be_joined(const struct forms *f, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access = &f->func->accesses.at[insn->access];
    return insn->op == CY_SIR_STORE && access->space == CY_SIR_NEAR && access->group != CY_SIR_NOTHING &&
           access->form != CY_SIR_FORM_SCALAR && access->form != CY_SIR_FORM_ROW && access->bytes <= 4;
}

void forms_join_stores(struct forms *f, uint32_t block)
{
    enum { OTHERS = CY_SIR_READS | CY_SIR_WRITES | CY_SIR_FAULTS | CY_SIR_ORDERED };
    struct run run = {.f = f};
    for (size_t i = 0; i < f->func->blocks.at[block].list.count && f->func->strip.width >= 4; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(f->func, f->func->blocks.at[block].list.at[i]);
        if (may_be_joined(f, insn))
            add_store(&run, insn);
        else if (cy_sir_ops[insn->op].flags & OTHERS && insn->op != CY_SIR_CHECK)
            end_run(&run);
    }
    end_run(&run);
}
