/* The expression of a row (isa/insns.def) as a tree: the same text that the interpreter is compiled from, read once for all who
 * want to know what an instruction computes.  Names are resolved: `x1`, `a` and `x` are the first source whatever the section
 * of the tables calls it, and a function is a row of functions.def. */
#ifndef CY_ISA_EXPR_H
#define CY_ISA_EXPR_H

#include "isa/isa.h"

/* The functions of expressions: CY_FN_f_add ... */
enum cy_function {
    CY_FN_NONE,
#define FUNCTION(name, operands, work, state) CY_FN_##name,
#include "isa/functions.def"
    CY_FN_COUNT
};

/* What kind of work a function is: units of hardware and counts of operations follow from it. */
enum cy_work {
    CY_WORK_NONE,
    CY_WORK_INTEGER,
    CY_WORK_UNSIGNED_DIVISION,
    CY_WORK_SIGNED_DIVISION,
    CY_WORK_ARITHMETIC, /* of floating point: add, multiply, divide, square root */
    CY_WORK_FUSED,      /* multiply and add */
    CY_WORK_COMPARE,    /* comparison, minimum, maximum */
    CY_WORK_CONVERT,    /* between formats */
    CY_WORK_SIGN,       /* bits only: sign, class */
    CY_WORK_ESTIMATE,   /* estimates and transcendental functions */
};

/* State of the warp besides registers and memory (isa/effects.h says who reads and who writes it). */
enum cy_state {
    CY_STATE_VL = 1 << 0,
    CY_STATE_VTYPE = 1 << 1,
    CY_STATE_FRM = 1 << 2,    /* the rounding mode */
    CY_STATE_FFLAGS = 1 << 3, /* exceptions; writes add to them */
    CY_STATE_VXRM = 1 << 4,   /* the rounding mode of fixed point */
    CY_STATE_VXSAT = 1 << 5,  /* saturation; writes add to it */
    CY_STATE_RPC = 1 << 6,    /* the reconvergence pc */
    CY_STATE_STACK = 1 << 7,  /* the SIMT stack, and with it which lanes are active */
    CY_STATE_RESERVATION = 1 << 8,
    CY_STATE_PREDICATE = 1 << 9, /* EpicGPU */
    CY_STATE_CSR = 1 << 10,      /* another CSR: its number is in the effects */
};

extern const struct cy_function_info {
    const char *name;
    uint8_t operand_count;
    uint8_t work;           /* enum cy_work */
    uint16_t reads, writes; /* sets of enum cy_state */
} cy_functions[CY_FN_COUNT];

/* Which source of the computation a name is.  Where the operand is in the instruction follows from the role it has there. */
enum cy_expr_source {
    CY_SOURCE_A,    /* vs1, rs1 or the immediate in their place: a, x1, x */
    CY_SOURCE_B,    /* vs2, rs2 or the immediate in their place: b, x2, imm, shamt, y */
    CY_SOURCE_C,    /* rs3, or the old destination: d, x3 */
    CY_SOURCE_MASK, /* the lane's bit of v0: m */
    CY_SOURCE_WORD, /* the word in memory: m of atomic rows */
    CY_SOURCE_COUNT
};

enum cy_expr_kind {
    CY_EXPR_NUMBER,
    CY_EXPR_SOURCE,
    CY_EXPR_WIDTH, /* SEW or XLEN: the bits of an element */
    CY_EXPR_CALL,
    CY_EXPR_UNARY,
    CY_EXPR_BINARY,
    CY_EXPR_CHOICE, /* part[0] ? part[1] : part[2] */
};

enum cy_expr_op {
    CY_EXPR_NOT, /* ~ */
    CY_EXPR_IS_ZERO,
    CY_EXPR_NEGATE,
    CY_EXPR_CAST, /* to 32 bits, signed or unsigned */
    CY_EXPR_OR,
    CY_EXPR_XOR,
    CY_EXPR_AND,
    CY_EXPR_EQ,
    CY_EXPR_NE,
    CY_EXPR_LE, /* comparisons are signed if both parts are, right shifts if the first one is */
    CY_EXPR_GE,
    CY_EXPR_LT,
    CY_EXPR_GT,
    CY_EXPR_SHL,
    CY_EXPR_SHR,
    CY_EXPR_ADD,
    CY_EXPR_SUB,
    CY_EXPR_MUL,
};

#define CY_EXPR_MAX_PARTS 3
struct cy_expr {
    uint8_t kind; /* enum cy_expr_kind */
    uint8_t op;   /* enum cy_expr_op, of unary and binary ones */
    uint8_t part_count;
    bool is_signed;    /* the type, by C's rules for 32-bit integers */
    bool is_wide;      /* sources: extended to twice the element's width, or that wide already (wa, swb, wd) */
    uint8_t source;    /* enum cy_expr_source */
    uint16_t function; /* enum cy_function, of calls */
    uint32_t number;
    const struct cy_expr *part[CY_EXPR_MAX_PARTS];
};

/* The tree of a row; NULL for a row without an expression.  All of them are made together at the first call, by whichever thread
 * it is, and never change. */
const struct cy_expr *cy_expr_of(enum cy_op op);

/* Does the tree, or a part of it, have this source, or call this function? */
bool cy_expr_reads(const struct cy_expr *expr, enum cy_expr_source source);
bool cy_expr_calls(const struct cy_expr *expr, enum cy_function function);
/* The outermost function; CY_FN_NONE: it calls none. */
enum cy_function cy_expr_function(const struct cy_expr *expr);
/* The states that its functions read or write. */
uint16_t cy_expr_state(const struct cy_expr *expr, bool is_written);

#endif
