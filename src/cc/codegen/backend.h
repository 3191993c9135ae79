/* The back end: our IR to Ventus machine code, rows isel to emit of passes.def. */
#ifndef CY_CC_CODEGEN_BACKEND_H
#define CY_CC_CODEGEN_BACKEND_H

#include "cc/ir/ir.h"
#include "obj/obj.h"

/* Code from `offset` in .text onwards belongs to this source line. */
struct backend_line {
    uint32_t offset;
    ir_location line;
    bool is_not_statement; /* no place for a breakpoint */
};

/* How a debugger gets from a function to its caller: offsets in .text from which on a part of the frame exists. */
struct backend_frame {
    uint32_t sp_moved, saved, tp_moved, epilogue, tp_back, sp_back, left;
    uint32_t private_bytes; /* by which tp moves; 0: it does not */
    uint8_t scalars[13];    /* the registers saved, from the top of the scalar stack downwards */
    unsigned scalar_count;
};
/* A call returns to this offset. */
struct backend_call {
    uint32_t offset, callee; /* a function of the module */
};

/* Where a variable is between two offsets in .text: a DWARF expression in `expressions`. */
struct backend_place {
    uint32_t variable, from, to;
    uint32_t expression, size;
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
    CY_VEC(struct backend_call) callsites;
    struct backend_frame frame;
    CY_VEC(struct backend_place) places; /* by variable, then ascending */
    struct cy_buf expressions;
};
void cy_backend_stats_free(struct backend_stats *stats);

#endif
