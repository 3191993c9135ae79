/* What one decoded instruction does, with its prefix: registers that it reads and writes, its access to memory, where it goes on,
 * and the rest of a warp's state that it uses.  It is computed from the tables and the row's expression, and is the only place
 * that does; tests/isa/effects.c holds it against what the interpreter's results depend on. */
#ifndef CY_ISA_EFFECTS_H
#define CY_ISA_EFFECTS_H

#include "isa/expr.h"
#include "isa/isa.h"

/* ---- sets of registers ---- */

struct cy_regs {
    uint64_t x, v[4];
};

static inline bool cy_regs_has_x(const struct cy_regs *set, unsigned number)
{
    return set->x >> number & 1;
}
static inline bool cy_regs_has_v(const struct cy_regs *set, unsigned number)
{
    return set->v[number >> 6] >> (number & 63) & 1;
}
/* x0 is in no set: nothing depends on it. */
static inline void cy_regs_add_x(struct cy_regs *set, unsigned number)
{
    set->x |= number ? 1ull << number : 0;
}
static inline void cy_regs_add_v(struct cy_regs *set, unsigned number)
{
    set->v[number >> 6] |= 1ull << (number & 63);
}
void cy_regs_unite(struct cy_regs *into, const struct cy_regs *other);
void cy_regs_remove(struct cy_regs *from, const struct cy_regs *other);
bool cy_regs_meet(const struct cy_regs *a, const struct cy_regs *b); /* have they a register in common? */
bool cy_regs_same(const struct cy_regs *a, const struct cy_regs *b);

/* ---- operands ---- */

enum cy_operand_kind {
    CY_OPERAND_OTHER, /* vm, csr, rm, vtype ...: not data */
    CY_OPERAND_X,
    CY_OPERAND_V,
    CY_OPERAND_E, /* EpicGPU's registers */
    CY_OPERAND_IMMEDIATE,
};

/* What an operand is to its instruction. */
enum cy_role {
    CY_ROLE_NONE,   /* none: the registers of join and endprg, flags of other operands */
    CY_ROLE_A,      /* sources, as the row's expression has them (enum cy_expr_source) */
    CY_ROLE_B,      /* of atomic operations: the operand; of sc: what it stores */
    CY_ROLE_C,      /* rs3; an old destination is a result that is read */
    CY_ROLE_RESULT, /* also of loads and atomic operations */
    CY_ROLE_DATA,   /* what a store stores */
    CY_ROLE_BASE,   /* of an address */
    CY_ROLE_OFFSET, /* of an address: an immediate */
    CY_ROLE_STRIDE,
    CY_ROLE_INDEX,
    CY_ROLE_TARGET, /* the distance to the target of a branch or jump */
    CY_ROLE_MASK,   /* vm */
    CY_ROLE_CSR,
    CY_ROLE_ROUNDING, /* rm */
};

struct cy_operand {
    uint8_t kind;  /* enum cy_operand_kind */
    uint8_t role;  /* enum cy_role */
    uint8_t field; /* enum cy_field */
    uint8_t count; /* consecutive registers, from the one that is written; 2: a pair */
    uint8_t bits;  /* of an element of registers: 8, 16, 32, 64 */
    bool is_read, is_written;
    bool crosses_lanes; /* a lane's result needs, or changes, this register's elements of other lanes */
    int32_t value;      /* the first register, or the immediate */
};

/* ---- the shapes of formats.def ---- */

enum cy_lane_source { CY_LANE_NOTHING, CY_LANE_VECTOR, CY_LANE_WIDE, CY_LANE_SCALAR, CY_LANE_IMMEDIATE };
enum cy_result {
    CY_RESULT_ELEMENT, /* also of everything that does not compute in lanes */
    CY_RESULT_WIDE,    /* twice as wide as the sources */
    CY_RESULT_BIT,     /* 0 or 1 in each lane */
    CY_RESULT_PACKED,  /* sources and result are packed masks: bit i belongs to lane i */
    CY_RESULT_BRANCH,  /* lanes that branch */
};
enum cy_computes { CY_COMPUTES_NOTHING, CY_COMPUTES_SCALAR, CY_COMPUTES_LANES, CY_COMPUTES_ATOMIC };
enum cy_memory_width { CY_WIDTH_NONE, CY_WIDTH_RVV, CY_WIDTH_RISCV, CY_WIDTH_STORE12 };

/* The column as data: how a row of the format computes, or how it accesses memory. */
struct cy_shape {
    uint8_t computes; /* enum cy_computes, by an expression */
    uint8_t a, b;     /* enum cy_lane_source */
    uint8_t result;   /* enum cy_result */
    bool is_float;
    uint8_t addressing; /* enum cy_addressing */
    uint8_t width;      /* enum cy_memory_width: what the width in funct3 means */
    bool is_private, is_far;
};
extern const struct cy_shape cy_shapes[CY_FORMAT_COUNT];

/* ---- memory ---- */

/* Address spaces, numbered as in the prefixes of memory accesses. */
enum cy_place { CY_SPACE_DEFAULT, CY_SPACE_GLOBAL, CY_SPACE_PRIVATE, CY_SPACE_LOCAL };

enum cy_addressing {
    CY_ADDRESS_NONE,    /* no access */
    CY_ADDRESS_SCALAR,  /* one for the warp: x base + offset */
    CY_ADDRESS_LANE,    /* v base of the lane + offset */
    CY_ADDRESS_UNIT,    /* x base + the lane's number times the element's bytes */
    CY_ADDRESS_STRIDED, /* x base + the lane's number times the stride */
    CY_ADDRESS_INDEXED, /* x base + the lane's index */
    CY_ADDRESS_WHOLE,   /* x base + 4 times the lane's number: whole registers, one after another */
    CY_ADDRESS_BITS,    /* x base: a packed mask of vl bits */
};

enum cy_atomic {
    CY_ATOMIC_NONE,
    CY_ATOMIC_RESERVE,     /* lr */
    CY_ATOMIC_CONDITIONAL, /* sc */
    CY_ATOMIC_UPDATE,      /* the row's expression makes the new word of the old one */
};

struct cy_effects_access {
    uint8_t addressing; /* enum cy_addressing */
    uint8_t space;      /* enum cy_place */
    uint8_t atomic;     /* enum cy_atomic */
    bool reads, writes;
    uint8_t bytes; /* of an element: 1, 2 or 4; a mask: 1 */
    uint8_t words; /* consecutive elements, of consecutive registers; more than 1 only of words */
    uint8_t parts; /* groups of registers: LMUL, or how many whole registers */
    uint8_t align; /* bytes that an address must be a multiple of */
    uint8_t index_bytes;
    bool is_sign_extended;
    bool is_far;         /* the base is a pair of registers, the address has 64 bits */
    bool is_interleaved; /* private memory: words of the lanes lie side by side */
    int32_t offset;
};

/* ---- control ---- */

enum cy_flow_kind {
    CY_FLOW_NEXT,          /* to the instruction after it */
    CY_FLOW_BRANCH,        /* or to the target, if the row's expression says so */
    CY_FLOW_JUMP,          /* to the target */
    CY_FLOW_INDIRECT,      /* to x base + offset */
    CY_FLOW_VECTOR_BRANCH, /* each lane by the row's expression */
    CY_FLOW_JOIN,
    CY_FLOW_BARRIER,      /* of the workgroup */
    CY_FLOW_WARP_BARRIER, /* barriersub: no one to wait for */
    CY_FLOW_END,
};

struct cy_effects {
    const struct cy_insn_info *row;
    const struct cy_expr *expr; /* NULL: a hook */
    uint16_t function;          /* enum cy_function: the outermost one of the expression */
    uint8_t operand_count;
    struct cy_operand operand[CY_MAX_OPERANDS]; /* beside those of struct cy_insn, with the same indices */

    /* Registers of all operands, and v0 where it is read as a mask.  Lanes that are not active keep the elements of what is
     * written; `keeps` has those of which active lanes, too, may keep something: under a mask, or as only some bits or lanes
     * are written. */
    struct cy_regs reads, writes, keeps;
    uint16_t state_reads, state_writes; /* sets of enum cy_state */
    int16_t csr;                        /* the CSR that is read or written; -1: none */

    struct cy_effects_access access;

    uint8_t flow; /* enum cy_flow_kind */
    bool is_call; /* leaves a return address in its result */
    bool is_return;
    int32_t distance; /* to the target, from the instruction's own word (which follows its prefix) */

    bool is_lanes;   /* works on the elements of lanes */
    bool is_float;   /* sources are floating-point numbers */
    bool is_wide;    /* computes with 64 bits, in pairs of registers */
    bool is_masked;  /* vm = 0: only lanes with a bit in v0 */
    bool reads_mask; /* computes with the lane's bit of v0 */
    /* An operand does; or v0 is read as a mask, whose bits are in the elements of the first lanes. */
    bool crosses_lanes;
    bool is_fence;
    uint8_t result;   /* enum cy_result */
    int8_t rounding;  /* the mode in the instruction; 7: frm; -1: nothing is rounded by a mode */
    bool has_pairs;   /* a prefix makes pairs of even-numbered operands */
    uint8_t abs, neg; /* sources that a prefix changes: bit 0 A, 1 B, 2 C; the absolute value is taken first */
    /* Faults whatever registers hold: a pair that begins at an odd number, registers that do not exist, a width that the row
     * does not have. */
    bool is_illegal;
};

/* The machine as far as effects depend on it. */
struct cy_effects_mode {
    enum cy_target target;
    uint8_t sew;          /* vtype: bits of an element */
    uint8_t lmul;         /* vtype: registers of a group */
    bool is_mask_by_lane; /* the machine option mask=lane */
};

void cy_effects_in(const struct cy_effects_mode *mode, const struct cy_insn *insn, struct cy_effects *out);
/* With elements of 32 bits, one register each: what compilers make code for. */
void cy_effects(enum cy_target target, const struct cy_insn *insn, struct cy_effects *out);

/* The operand with this role; NULL: there is none.  C is rs3, or a result that is read. */
const struct cy_operand *cy_effects_operand(const struct cy_effects *effects, enum cy_role role);
/* Where a branch or jump leads; pc is that of the first word, the prefix's if there is one. */
static inline uint32_t cy_effects_target(const struct cy_effects *effects, const struct cy_insn *insn, uint32_t pc)
{
    return pc + insn->size - 4 + (uint32_t)effects->distance;
}

#endif
