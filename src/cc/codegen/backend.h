/* The back end: our IR to Ventus machine code, the rows from isel to emit of passes.def. */
#ifndef CY_CC_CODEGEN_BACKEND_H
#define CY_CC_CODEGEN_BACKEND_H

#include "cc/ir/ir.h"
#include "obj/obj.h"

/* Code from `offset` in .text on belongs to this line of the source. */
struct backend_line {
    uint32_t offset, line;
};

struct backend_stats {
    unsigned instructions;    /* a prefix counts with its instruction */
    unsigned scalar;          /* of these: on sGPRs */
    unsigned vgprs, sgprs;    /* as in the resource record: multiples of 4 */
    unsigned spills;          /* registers that live in private memory or (scalars) in a vGPR */
    unsigned spill_bytes;     /* private memory for them */
    unsigned uniform_percent; /* scalar of instructions */
    unsigned calls;           /* instructions that call */
    uint32_t code_offset, code_bytes;
    CY_VEC(struct backend_line) lines; /* ascending offsets; freed by cy_backend_stats_free */
};
void cy_backend_stats_free(struct backend_stats *stats);

#endif
