/* Machine IR: rows of the instruction tables and a few pseudo-instructions on virtual registers, no longer SSA.
 *
 * The row's format gives each operand's role: rd and vd are written, other registers are read, and vd of a row with the
 * ACC flag is both.  Operands are in assembler order, as in struct cy_insn. */
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

/* Private accesses reach from 1024 bytes below to 1020 bytes above their base, which points to the middle of these. */
enum { MIR_SLOTS_PER_BASE = 512, MIR_SLOT_BIAS = 1024 };

/* Numbered after the ISA's rows. */
enum mir_pseudo {
    MIR_COPY =
        CY_OP_COUNT, /* d, s: between any classes; a vGPR read as a scalar holds the same value in all active lanes */
    MIR_LI,          /* d, value */
    MIR_LA,          /* d, symbol, offset */
    MIR_LABEL,       /* d, block: the block's address */
    MIR_SETRPC,      /* d (scratch), block */
    MIR_SPILL,       /* slot, s, base: v register to private memory */
    MIR_RELOAD,      /* d, slot, base */
    MIR_CALL,        /* function of the module: clobbers what the ABI lets a callee change */
    MIR_USES,        /* registers read by the call or return that follows */
    MIR_DEFS,        /* registers written by the call, or the caller, just before */
    MIR_FRAME,       /* d, offset: an address in the function's private memory */
    MIR_ASM,         /* inline assembly of the module: reads the registers of ASM_USES just before and writes those of
                      * ASM_DEFS just after; between them only spill code can come */
    MIR_ASM_USES,    /* live up to the assembly */
    MIR_ASM_DEFS,    /* live from the end of the assembly on, */
    MIR_ASM_EARLY,   /* or from its start */
    MIR_DEBUG,       /* number of a debug value that begins here: no instruction, and no position in live ranges */
    MIR_OP_COUNT
};

/* A wide operand of a row is two operands here, the low and the high half. */
#define MIR_MAX_OPERANDS 8

struct mir_insn {
    uint16_t op;
    uint8_t operand_count;
    uint8_t wide;              /* set of the row's operands that are 64-bit pairs */
    uint8_t prefix;            /* enum cc_prefix */
    uint8_t words;             /* memory: if above 1, as many data operands, the registers of consecutive words */
    uint8_t absolute, negated; /* sets of the row's operands that are read so, by the target's sign_prefix */
    bool is_volatile;
    ir_location line;
    int32_t operand[MIR_MAX_OPERANDS];
};

enum mir_role { MIR_IMM, MIR_USE, MIR_DEF, MIR_DEF_USE };

enum mir_kind { MIR_JUMP, MIR_BRANCH, MIR_VBRANCH, MIR_RETURN };

struct mir_block {
    CY_VEC(struct mir_insn) insns;
    CY_VEC(uint32_t) preds;
    uint8_t kind;       /* enum mir_kind: the terminator */
    uint16_t branch_op; /* BRANCH, VBRANCH: the row, on a and b in assembler order */
    mir_reg a, b;
    uint32_t succ[2], succ_count; /* taken first */
    uint32_t rpc;                 /* VBRANCH: the reconvergence point */
    ir_location line;
    uint32_t loop_depth;
    bool has_join;   /* starts with one */
    bool is_removed; /* empty: its predecessors go to succ[0] */
};

/* The two halves of a pair are vregs of their own, one after the other: each has its live ranges and coalesces with
 * other vregs.  Only allocation puts them side by side, the low half in an even register. */
enum mir_half { MIR_WHOLE, MIR_LOW, MIR_HIGH };

struct mir_vreg {
    uint8_t class;     /* enum mir_class */
    uint8_t half;      /* enum mir_half */
    uint8_t role;      /* of a leader: the half that its group is; MIR_WHOLE: neither */
    bool is_temporary; /* created by spilling: must get a register */
    int16_t physical;  /* allocated: number in its class; -1: none */
    int16_t fixed;     /* the only number allowed; -1: any */
    uint32_t leader;   /* union-find parent: the vreg (index) it is coalesced with, or itself */
    uint32_t partner;  /* of a leader whose group is a half: a vreg of the other half's group */
    int32_t home;      /* it alone was spilled: slot + 1, or minus (the index of the vector + 1); 0: not */
};

/* What a debug value (struct ir_debug_value) is in machine code. */
struct mir_value {
    uint32_t variable, offset, bytes;
    uint8_t kind; /* enum ir_debug_kind */
    mir_reg reg;
    uint32_t constant;
};

struct mir_func {
    const char *name;
    const struct ir_module *module;
    const struct cc_target *target;
    bool is_function, has_calls, has_asm;
    CY_VEC(struct mir_block) blocks; /* 0 is the entry */
    CY_VEC(uint32_t) order;          /* layout */
    CY_VEC(struct mir_vreg) vregs;
    uint32_t exit;          /* the single returning block */
    uint32_t private_bytes; /* the frame, which spilling grows */
    uint32_t spill_base;    /* where the spill slots start */
    unsigned spill_slots, spills;
    CY_VEC(struct mir_value) values; /* of MIR_DEBUG */
    CY_VEC(mir_reg) spill_bases;     /* their address registers: one per MIR_SLOTS_PER_BASE */
    unsigned vgprs, sgprs;           /* highest number used + 1 */
    unsigned most_sgprs, most_vgprs; /* allocatable register numbers are below this; 0: all */
    bool has_wide_moves;             /* accesses of several words are wanted (wide_moves.c) */
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
mir_reg mir_new_pair(struct mir_func *func, enum mir_class class); /* its low half; the high half is the next vreg */
mir_reg mir_new_fixed(struct mir_func *func, enum mir_class class, unsigned number);
/* May a callee change this register?  Numbered like mir_reg: x0-x63, v0-v255. */
bool mir_is_caller_saved(mir_reg reg);
/* The assembly of MIR_ASM.  A set of registers is numbered like mir_reg. */
static inline const struct ir_asm *mir_asm(const struct mir_func *func, const struct mir_insn *insn)
{
    return &func->module->asms.at[insn->operand[0]];
}
static inline bool mir_asm_has(const uint64_t *set, mir_reg reg)
{
    return set[reg / 64] >> (reg % 64) & 1;
}
uint32_t mir_new_block(struct mir_func *func, uint32_t loop_depth);
struct mir_insn mir_make(unsigned op, unsigned count, const int32_t *operands); /* missing operands get their
                                                                                 * defaults */
/* `operands` has one register per operand of the row: of those in `wide`, the low half of a pair.  The prefix is the one
 * that makes operands pairs. */
struct mir_insn mir_make_wide(unsigned op, unsigned wide, unsigned count, const int32_t *operands);
/* A function of a test has no module. */
static inline bool mir_wants_debug(const struct mir_func *func)
{
    return func->module && func->module->wants_debug;
}
unsigned mir_roles(const struct mir_insn *insn, enum mir_role roles[MIR_MAX_OPERANDS]);
/* Operand `index` as a half of a wide one. */
enum mir_half mir_half_of(const struct mir_insn *insn, unsigned index);
/* How many instructions come before number `at` of a block; SIZE_MAX: how many it has.  Debug values do not count. */
uint32_t mir_position(const struct mir_block *block, size_t at);
/* Inserts the instructions of `list` before position `at` of a block. */
void mir_insert(struct mir_block *block, size_t at, const struct mir_insn *insns, size_t count);
/* A register's physical number after allocation, among x0-x63 or v0-v255. */
unsigned mir_location(const struct mir_func *func, mir_reg reg);
mir_reg mir_leader(struct mir_func *func, mir_reg reg);
bool mir_is_identity(const struct mir_func *func, const struct mir_insn *insn); /* after allocation: a copy to itself */
void mir_set_preds(struct mir_func *func);
void mir_set_order(struct mir_func *func);
void mir_print(const struct mir_func *func, const char *title, struct cy_buf *out);
/* Coalesced registers are shown as one. */
void mir_print_joined(struct mir_func *func, const char *title, struct cy_buf *out);
void mir_free(struct mir_func *func);
/* The blocks in the layout. */
struct cy_graph mir_graph(const struct mir_func *func, struct cy_arena *arena);
/* The blocks that lanes can run from `start` until they reconverge at `stop`. */
void mir_find_region(struct cy_graph_region *region, uint32_t start, uint32_t stop);
float mir_frequency(const struct mir_block *block);

/* isel.c */
bool mir_select(struct ir_func *ir, const struct ir_module *module, struct mir_func *func, struct cy_diags *diags);

/* live.c: the ranges in which registers are live.  Instruction k (numbered in layout order; a terminator counts as one)
 * reads at 2k and writes at 2k + 1. */
struct mir_range {
    uint32_t from, to; /* both included */
};
struct mir_ranges {
    struct mir_range *at; /* ascending and disjoint */
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

/* coalesce.c: merges the two registers of a copy if they do not interfere; the leaders' ranges grow. */
void mir_coalesce(struct mir_func *func, struct mir_live *live);

/* also live.c: prints where each register is live. */
void mir_print_live(const struct mir_func *func, const struct mir_live *live, struct cy_buf *out);

/* regalloc.c: one round, from live ranges (mir_start_round) to assignment; then mir_spill, and another round. */
struct mir_allocation {
    struct mir_live live;
    uint8_t *spilled; /* by vreg: it got no register */
    size_t failed;    /* how many got none */
    unsigned rounds;
};
void mir_start_round(struct mir_func *func, struct mir_allocation *allocation);
const char *mir_assign(struct mir_func *func, struct mir_allocation *allocation); /* NULL, or what is wrong */
void mir_allocation_free(struct mir_allocation *allocation);
/* spill.c: rewrites the function so that these vregs (one flag each) are in registers only around their uses. */
void mir_spill(struct mir_func *func, const uint8_t *spilled);

/* wide_moves.c.  A run: accesses of a block to consecutive words that can be executed as one, if their registers are
 * consecutive too. */
enum { MIR_MOST_WORDS = 4 };
struct mir_run {
    uint32_t block, count, at[MIR_MOST_WORDS]; /* positions in the block */
};
struct mir_runs {
    struct mir_run *at;
    size_t count, capacity;
};
void mir_find_runs(struct mir_func *func, struct mir_runs *runs); /* before allocation */
void mir_merge_moves(struct mir_func *func);                      /* after it */

/* reconvergence.c: drops each setrpc that repeats the current rpc.  The second returns what is wrong with the rest, or
 * NULL. */
void mir_drop_setrpc(struct mir_func *func);
const char *mir_validate_rpc(const struct mir_func *func, struct cy_arena *arena);

/* peephole.c: optimises allocated code. */
void mir_peephole(struct mir_func *func);

/* validate_mir.c: returns what is wrong with the code, allocated or not, or NULL. */
const char *mir_validate_code(const struct mir_func *func, struct cy_arena *arena);
/* validate_ra.c: returns what is wrong with the allocation, or NULL. */
const char *mir_validate(const struct mir_func *func, struct cy_arena *arena);

/* emit.c */
bool mir_emit(struct mir_func *func, struct ir_func *ir, struct cy_object *object, struct backend_stats *stats,
              struct cy_buf *assembly, struct cy_diags *diags);

#endif
