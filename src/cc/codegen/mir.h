/* Machine IR: rows of the instruction tables and a few pseudo-instructions on virtual registers, no longer SSA.
 *
 * What an operand is follows from the row's format: rd and vd are written, the other registers are read, vd of a row
 * with the flag ACC both.  Operands stand in the order of the assembler, as in struct cy_insn. */
#ifndef CY_CC_CODEGEN_MIR_H
#define CY_CC_CODEGEN_MIR_H

#include "abi/abi.h"
#include "cc/codegen/backend.h"
#include "isa/isa.h"

#define NONE UINT32_MAX

/* A register: x0-x63, v0-v255, then virtual ones. */
typedef int32_t mir_reg;
enum {
    MIR_X0 = CY_REG_ZERO,
    MIR_RA = CY_REG_RA,
    MIR_SP = CY_REG_SP,
    MIR_TP = CY_REG_TP,
    MIR_T0 = CY_REG_T0,
    MIR_A0 = CY_REG_A0,
    MIR_V0 = CY_SGPRS,
    MIR_FIRST_VREG = CY_SGPRS + CY_VGPRS
};

enum mir_class { MIR_S, MIR_V }; /* sGPR, vGPR */

/* Private accesses reach 1024 bytes down and 1020 up from their base, which is in the middle of these. */
enum { MIR_SLOTS_PER_BASE = 512, MIR_SLOT_BIAS = 1024 };

/* Behind the ISA's rows. */
enum mir_pseudo {
    MIR_COPY =
        CY_OP_COUNT, /* d, s: between any classes; a v register read as a scalar holds the same in all active lanes */
    MIR_LI,          /* d, value */
    MIR_LA,          /* d, symbol, offset */
    MIR_LABEL,       /* d, block: its address */
    MIR_SETRPC,      /* d (scratch), block */
    MIR_SPILL,       /* slot, s, base: v register to private memory */
    MIR_RELOAD,      /* d, slot, base */
    MIR_CALL,        /* function of the module: what the ABI lets it change is lost */
    MIR_USES,        /* registers that a call or return reads right behind it */
    MIR_DEFS,        /* registers that a call or the caller has written right before it */
    MIR_FRAME,       /* d, offset: an address in the function's private memory */
    MIR_OP_COUNT
};

struct mir_insn {
    uint16_t op;
    uint8_t operand_count;
    uint32_t line;
    int32_t operand[CY_MAX_OPERANDS];
};

enum mir_role { MIR_IMM, MIR_USE, MIR_DEF, MIR_DEF_USE };

enum mir_kind { MIR_JUMP, MIR_BRANCH, MIR_VBRANCH, MIR_RETURN };

struct mir_block {
    CY_VEC(struct mir_insn) insns;
    CY_VEC(uint32_t) preds;
    uint8_t kind;       /* enum mir_kind: how it ends */
    uint16_t branch_op; /* BRANCH, VBRANCH: the row, on a and b in the order of the assembler */
    mir_reg a, b;
    uint32_t succ[2], succ_count; /* taken first */
    uint32_t rpc;                 /* VBRANCH: where the sides meet */
    uint32_t line;
    uint32_t loop_depth;
    bool has_join;   /* starts with one */
    bool is_removed; /* empty: who came here goes to succ[0] */
};

struct mir_vreg {
    uint8_t class;     /* enum mir_class */
    bool is_temporary; /* made by spilling: must get a register */
    int16_t physical;  /* allocated: number in its class; -1: none */
    int16_t fixed;     /* the only number it may get; -1: any */
    uint32_t leader;   /* coalesced with this vreg (index): itself, or look further */
};

struct mir_func {
    const char *name;
    const struct ir_module *module;
    bool is_function, has_calls;
    CY_VEC(struct mir_block) blocks; /* 0 is the entry */
    CY_VEC(uint32_t) order;          /* layout */
    CY_VEC(struct mir_vreg) vregs;
    uint32_t exit;          /* the one block that returns */
    uint32_t private_bytes; /* frame, grows with spilling */
    uint32_t spill_base;    /* where spill slots begin */
    unsigned spill_slots, spills;
    CY_VEC(mir_reg) spill_bases;     /* address registers for them: one for every MIR_SLOTS_PER_BASE */
    unsigned vgprs, sgprs;           /* used: highest number + 1 */
    unsigned most_sgprs, most_vgprs; /* to allocate from, as register numbers below this; 0: all */
};

static inline bool mir_is_virtual(mir_reg reg)
{
    return reg >= MIR_FIRST_VREG;
}
static inline uint32_t mir_index(mir_reg reg)
{
    return (uint32_t)(reg - MIR_FIRST_VREG);
}
static inline enum mir_class mir_class_of(const struct mir_func *func, mir_reg reg)
{
    if (mir_is_virtual(reg))
        return (enum mir_class)func->vregs.at[mir_index(reg)].class;
    return reg >= MIR_V0 ? MIR_V : MIR_S;
}

/* mir.c */
mir_reg mir_new_reg(struct mir_func *func, enum mir_class class);
mir_reg mir_new_fixed(struct mir_func *func, enum mir_class class, unsigned number);
/* May a callee change this register?  Numbers as mir_reg has them: x0-x63, v0-v255. */
bool mir_is_caller_saved(mir_reg reg);
uint32_t mir_new_block(struct mir_func *func, uint32_t loop_depth);
struct mir_insn mir_make(unsigned op, unsigned count, const int32_t *operands); /* missing operands: defaults */
unsigned mir_roles(const struct mir_insn *insn, enum mir_role roles[CY_MAX_OPERANDS]);
/* Puts the instructions of `list` (block-wise) before position `at` of a block. */
void mir_insert(struct mir_block *block, size_t at, const struct mir_insn *insns, size_t count);
/* Where a register's value is after allocation: its number among x0-x63 or v0-v255. */
unsigned mir_location(const struct mir_func *func, mir_reg reg);
mir_reg mir_leader(struct mir_func *func, mir_reg reg);
bool mir_is_identity(const struct mir_func *func, const struct mir_insn *insn); /* allocated: a copy to itself */
void mir_set_preds(struct mir_func *func);
void mir_set_order(struct mir_func *func);
void mir_print(const struct mir_func *func, const char *title, struct cy_buf *out);
/* Registers that were coalesced as the one they are now. */
void mir_print_joined(struct mir_func *func, const char *title, struct cy_buf *out);
void mir_free(struct mir_func *func);
/* The blocks that lanes can run from `start` until they meet others at `stop`. */
struct mir_region {
    uint32_t *blocks, count;
    uint32_t *stamp, now; /* by block: the last search that found it */
};
void mir_region_init(struct mir_region *region, const struct mir_func *func);
void mir_region_find(struct mir_region *region, const struct mir_func *func, uint32_t start, uint32_t stop);
bool mir_region_has(const struct mir_region *region, uint32_t block);
void mir_region_free(struct mir_region *region);
float mir_frequency(const struct mir_block *block);

/* isel.c */
bool mir_select(struct ir_func *ir, const struct ir_module *module, struct mir_func *func, struct cy_diags *diags);

/* live.c: the ranges in which registers are live.  Instruction k (counted through the layout, the end of a block counts as
 * one) reads at 2k and writes at 2k + 1. */
struct mir_range {
    uint32_t from, to; /* both included */
};
struct mir_ranges {
    struct mir_range *at; /* ascending, apart from each other */
    uint32_t count, capacity;
};
struct mir_live {
    struct mir_ranges *ranges; /* by vreg */
    uint32_t *start;           /* by block: position of its first instruction */
    uint32_t positions;
    size_t vreg_count;
};
void mir_find_live(const struct mir_func *func, struct mir_live *live);
void mir_live_free(struct mir_live *live);

/* coalesce.c: joins the two registers of a copy where they are never live together; ranges of leaders grow. */
void mir_coalesce(struct mir_func *func, struct mir_live *live);

/* live.c too: where each register is live. */
void mir_print_live(const struct mir_func *func, const struct mir_live *live, struct cy_buf *out);

/* regalloc.c: one round, from live ranges (mir_start_round) to places; then mir_spill, and another round. */
struct mir_allocation {
    struct mir_live live;
    uint8_t *spilled; /* by vreg: it found no place */
    size_t failed;    /* how many did not */
    unsigned rounds;
};
void mir_start_round(struct mir_func *func, struct mir_allocation *allocation);
const char *mir_assign(struct mir_func *func, struct mir_allocation *allocation); /* NULL, or what is wrong */
void mir_allocation_free(struct mir_allocation *allocation);
/* spill.c: rewrites the function so that these vregs (a flag for each) are in registers only where they are used. */
void mir_spill(struct mir_func *func, const uint8_t *spilled);

/* reconvergence.c: drops setrpc where the rpc is that block already.  The second says what is wrong with them, or NULL. */
void mir_drop_setrpc(struct mir_func *func);
const char *mir_validate_rpc(const struct mir_func *func, struct cy_arena *arena);

/* peephole.c: improves allocated code. */
void mir_peephole(struct mir_func *func);

/* validate_mir.c: NULL, or what is wrong with the code, allocated or not. */
const char *mir_validate_code(const struct mir_func *func, struct cy_arena *arena);
/* validate_ra.c: NULL, or what is wrong with the allocation. */
const char *mir_validate(const struct mir_func *func, struct cy_arena *arena);

/* emit.c */
bool mir_emit(struct mir_func *func, struct ir_func *ir, struct cy_object *object, struct backend_stats *stats,
              struct cy_buf *assembly, struct cy_diags *diags);

#endif
