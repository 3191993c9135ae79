/* The compiler's IR: SSA over 32-bit words, and 64-bit values for the operations that the machine has on them.
 *
 * The importer has already split vectors and 64-bit integers into words and laid out memory, so what is left is small:
 * a value is the instruction that defines it, named by its index; a block is a list of values and a terminator.  Value
 * 0 means none. */
#ifndef CY_CC_IR_IR_H
#define CY_CC_IR_IR_H

#include "abi/abi.h"
#include "base/diag.h"
#include "base/graph.h"
#include "cc/ir/asm.h"
#include "cc/ir/debug_info.h"
#include "cc/ir/target.h"

/* In the immediate of IR_BARRIER. */
enum { IR_BARRIER_WARP = 32 };
/* The immediate of IR_FENCE is the instruction's: which earlier accesses come before which later ones. */
enum {
    IR_FENCE_ACQUIRE = 0x023, /* r, rw */
    IR_FENCE_RELEASE = 0x031, /* rw, w */
    IR_FENCE_FULL = 0x033,    /* rw, rw */
    IR_FENCE_TSO = 0x833      /* the same, but for loads after stores */
};

enum ir_op {
    IR_NONE,
#define OP(id, name, arguments, flags) IR_##id,
#include "cc/ir/ir.def"
    IR_COUNT
};

enum ir_op_flag {
    IR_PURE = 1,
    IR_EFFECT = 2,
    IR_IS_LOAD = 4,
    IR_COMMUTES = 8,
    IR_WIDE = 16,
    IR_WIDE_ARGS = 32,
    IR_WIDE_DATA = 64
};
extern const struct ir_op_info {
    const char *name;
    uint8_t arguments, flags;
} ir_ops[IR_COUNT];

typedef uint32_t ir_value;

/* A source location: a file of the module and a line, in one word; 0: unknown.  With -g the upper half is the site, an
 * index in the module's debug information, which is not part of the text form. */
typedef uint64_t ir_location;
#define IR_MOST_LINES 0xfffffu
#define IR_MOST_FILES 0xfffu
#define IR_LOCATION(file, line) ((uint32_t)(file) << 20 | (uint32_t)(line))
#define IR_LINE(location) ((uint32_t)(location)&IR_MOST_LINES)
#define IR_FILE(location) ((uint32_t)(location) >> 20)
#define IR_SITE(location) ((uint32_t)((location) >> 32))

struct ir_insn {
    uint16_t op;
    bool is_private : 1;   /* memory: private address space */
    bool is_volatile : 1;  /* LOAD, STORE: volatile or atomic, others may use the memory meanwhile */
    unsigned variable : 6; /* LOAD, STORE: the local variable that it is in, by a number; 0: not known, or none */
    uint8_t is_divergent;  /* may differ between lanes: set by uniformity analysis */
    int32_t imm, extra;
    ir_value args[3]; /* PHI: args[0] = index in func->phi_args of its first argument, one per predecessor */
    uint32_t block;
    ir_location line;
};

enum ir_terminator { IR_RETURN, IR_JUMP, IR_BRANCH, IR_UNREACHABLE };

struct ir_block {
    CY_VEC(ir_value) list;
    CY_VEC(uint32_t) preds;
    enum ir_terminator terminator;
    ir_value condition; /* IR_BRANCH: nonzero goes to succ[0] */
    ir_location line;   /* -g: of the terminator; 0: its last instruction's */
    uint32_t succ[2], succ_count;
    /* cfg.c */
    uint32_t order;                /* position in func->rpo; UINT32_MAX: unreachable */
    uint32_t idom, ipdom;          /* UINT32_MAX: none (entry; exit) */
    uint32_t dom_first, dom_count; /* the blocks it dominates are numbered dom_first ... dom_first + dom_count - 1 */
    uint32_t loop_header;          /* header of the innermost loop; UINT32_MAX: none */
    uint32_t loop_parent;          /* of a header: the header of the enclosing loop; UINT32_MAX: none */
    uint32_t loop_depth;
    bool is_divergent_branch, needs_join;
};

struct ir_argument {
    const char *name, *type;
    uint32_t address_space, qualifiers, size, align;
    bool is_pointer, is_struct; /* a structure passed by value */
};

/* From some place on, bytes of a variable (of the module's debug information) are a value, a constant, or unknown. */
enum ir_debug_kind { IR_DEBUG_UNKNOWN, IR_DEBUG_VALUE, IR_DEBUG_CONSTANT };
struct ir_debug_value {
    uint32_t variable, offset, bytes;
    uint8_t kind;   /* enum ir_debug_kind */
    ir_value value; /* passes that replace values replace it here; 0: it is gone */
    uint32_t constant;
};

/* What a function needs, including its callees; filled in by the back end, callees first. */
struct ir_needs {
    uint32_t vgprs, sgprs, private_bytes, stack_bytes;
};

/* A call passes up to this many words in registers, and returns as many. */
#define IR_CALL_REGISTERS ((uint32_t)CY_CALL_VGPRS)

/* A variable in memory, for a checker. */
struct ir_variable {
    const char *name;
    uint32_t offset, size;
    bool is_local;
};

struct ir_func {
    const char *name;
    uint32_t line;            /* where it is defined */
    uint32_t scope;           /* -g: in the debug information */
    bool is_function;         /* called by kernels, not launched by the host */
    uint32_t params, results; /* of a function: words in registers */
    CY_VEC(uint32_t) callees; /* each once: index into the module's funcs */
    struct ir_needs needs;
    uint32_t code_offset; /* in .text; also filled in by the back end */
    CY_VEC(struct ir_insn) insns;
    CY_VEC(struct ir_block) blocks;
    CY_VEC(ir_value) phi_args;
    CY_VEC(uint32_t) rpo;
    CY_VEC(struct ir_debug_value) debug_values; /* of op DEBUG */
    uint32_t private_bytes, local_bytes;
    uint32_t reqd_size[3], reqd_sub_group;
    uint32_t row_dimension;        /* along which work-items access consecutive memory; 3: along 0 and 1 */
    bool observes_workgroup;       /* its results can depend on the workgroup decomposition */
    bool may_spin;                 /* a work-item may wait for another one */
    bool exchanges_lanes;          /* it, or a function it calls, passes values between the lanes of a warp */
    const char *attributes;        /* in the form the host queries */
    struct ir_argument *arguments; /* on the module's arena */
    uint32_t argument_count;
    CY_VEC(struct ir_variable) variables; /* filled in if the module is for a checker */
};

struct ir_symbol_reloc {
    uint32_t offset, symbol;
    int32_t addend;
};
struct ir_format {
    const char *text;
    uint32_t length;
};

struct ir_symbol {
    const char *name;
    struct cy_buf data;
    uint32_t size, align;
    bool is_constant, is_zero, is_local; /* local: in workgroup memory; the importer computes its address */
    CY_VEC(struct ir_symbol_reloc) relocs;
};

struct ir_module {
    struct cy_arena arena;
    const struct cc_target *target;   /* NULL: the default */
    bool check;                       /* for a checker: there are gaps between variables */
    CY_VEC(struct ir_func) funcs;     /* kernels and callable functions */
    CY_VEC(const char *) files;       /* of source locations */
    const char *source_name, *source; /* the program's source, quoted in the assembly; NULL: unknown */
    CY_VEC(uint32_t) source_lines;    /* where each line starts, and where the last one ends */
    uint32_t private_align;           /* the strictest alignment of a private variable */
    CY_VEC(struct ir_symbol) symbols;
    CY_VEC(struct ir_format) formats; /* printf */
    CY_VEC(struct ir_asm) asms;       /* of op ASM */
    bool wants_debug;                 /* -g: `debug` is filled in */
    struct debug_info debug;
};

/* Is the result of an operation, or its argument `index`, 64 bits wide? */
static inline bool ir_is_pair(unsigned op)
{
    return op == IR_PAIR || op == IR_SUM || op == IR_PSHL || op == IR_WMULS || op == IR_WMULU;
}
static inline bool ir_is_access(unsigned op) /* of memory: its first argument is an address, a word or a pair */
{
    return op == IR_LOAD || op == IR_STORE || op == IR_AMO || op == IR_CAS || op == IR_AMO64 || op == IR_CAS64;
}
static inline const struct cc_target *ir_target(const struct ir_module *module)
{
    return module && module->target ? module->target : cc_target(0);
}
static inline bool ir_is_wide(unsigned op)
{
    return ir_ops[op].flags & IR_WIDE;
}
static inline bool ir_takes_wide(unsigned op, unsigned index)
{
    return ir_ops[op].flags & IR_WIDE_ARGS || (ir_ops[op].flags & IR_WIDE_DATA && index);
}
static inline bool ir_is_atomic(unsigned op)
{
    return op == IR_AMO || op == IR_CAS || op == IR_AMO64 || op == IR_CAS64;
}

static inline struct ir_insn *ir_at(const struct ir_func *func, ir_value value)
{
    return &func->insns.at[value];
}
ir_value ir_new(struct ir_func *func, enum ir_op op); /* not in a block yet */
ir_value ir_append(struct ir_func *func, uint32_t block, enum ir_op op, ir_value a, ir_value b, ir_value c);
uint32_t ir_new_block(struct ir_func *func);
void ir_set_jump(struct ir_func *func, uint32_t from, uint32_t to);
void ir_set_branch(struct ir_func *func, uint32_t from, ir_value condition, uint32_t then, uint32_t otherwise);
enum ir_op ir_opposite(unsigned op); /* the negated integer compare; IR_NONE for other operations */
/* Returns what is wrong with a function, or NULL: definitions dominate uses, phis match predecessors ... */
const char *ir_validate(const struct ir_func *func, struct cy_arena *arena);
/* asm.c: the same for assembly at position `at` of a block, whose inputs are complete and in order, and outputs in order. */
const char *ir_check_asm(const struct ir_module *module, const struct ir_func *func, const struct ir_block *block,
                         size_t at);
void ir_module_free(struct ir_module *module);

/* Can a work-item wait for another one, but for one that has a lock and needs nobody to release it (*takes_locks), or of a workgroup
 * before its own in their row (*follows_groups)?  False is sure if arguments do not point to the same memory (waits.c). */
bool ir_may_wait(const struct ir_func *func, bool *takes_locks, bool *follows_groups);
/* Does the loop turn again only where a compare-exchange has failed (retries.c)? */
bool ir_only_retries(const struct ir_func *func, uint32_t header);

/* ir_text.c: prints a function (with its callees' names when the module is given); a module apart from its functions; a
 * whole module. */
void ir_print(const struct ir_func *func, struct cy_buf *out);
void ir_print_in(const struct ir_func *func, const struct ir_module *module, struct cy_buf *out);
void ir_print_head(const struct ir_module *module, struct cy_buf *out);
void ir_print_module(const struct ir_module *module, struct cy_buf *out);
/* ir_read.c: reads printed text into an empty module and analyses each function's CFG; the functions are valid.
 * Returns false after a diagnostic with the location; the module must be freed in either case. */
bool ir_read(const char *name, const char *text, size_t size, struct ir_module *module, struct cy_diags *diags);

/* call.c: callees before callers; `order` has room for all functions.  Returns NULL, or a function that calls
 * itself. */
const struct ir_func *ir_order_funcs(const struct ir_module *module, uint32_t *order);

/* cfg.c: the blocks as a graph; reverse post-order, dominators, post-dominators, loops. */
struct cy_graph ir_graph(const struct ir_func *func, struct cy_arena *arena);
void ir_analyse_cfg(struct ir_func *func);
bool ir_in_loop(const struct ir_func *func, uint32_t block, uint32_t header);
bool ir_dominates(const struct ir_func *func, uint32_t above, uint32_t below);
/* uniform.c: NULL, or where a uniform value depends on a divergent one or a branch does not match its condition. */
const char *ir_validate_uniformity(const struct ir_func *func, struct cy_arena *arena);
/* uniform.c: sets is_divergent of every value, is_divergent_branch and needs_join of every block. */
void ir_analyse_uniformity(struct ir_func *func);
/* temporal.c: uniform values that must be treated as divergent; returns how many are in `found`, which has room for
 * every value. */
size_t ir_find_temporal(const struct ir_func *func, ir_value *found);
/* simplify.c: constant folding, algebra, common subexpressions, dead code. */
void ir_simplify(struct ir_func *func);

#endif
