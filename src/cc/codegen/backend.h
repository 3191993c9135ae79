/* The back end: our IR to Ventus machine code, rows isel to emit of passes.def. */
#ifndef CY_CC_CODEGEN_BACKEND_H
#define CY_CC_CODEGEN_BACKEND_H

#include "cc/ir/ir.h"
#include "obj/obj.h"

/* Code from `offset` in .text onwards belongs to this source line. */
struct backend_line {
    uint32_t offset, line;
};

struct backend_stats {
    unsigned instructions;    /* a prefix and its instruction count as one */
    unsigned scalar;          /* of these: on sGPRs */
    unsigned vgprs, sgprs;    /* as in the resource record: a multiple of 4 */
    unsigned spills;          /* registers spilled to private memory or (scalars) to a vGPR */
    unsigned spill_bytes;     /* private memory used for them */
    unsigned uniform_percent; /* scalar / instructions */
    unsigned calls;           /* call instructions */
    uint32_t code_offset, code_bytes;
    CY_VEC(struct backend_line) lines; /* ascending offsets; freed by cy_backend_stats_free */
};
void cy_backend_stats_free(struct backend_stats *stats);

#endif
