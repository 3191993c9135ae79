/* The strip IR: a kernel between guest code and LLVM's, for workgroups of one shape.
 *
 * A value is the instruction that defines it, named by its index; 0 is none.  Every value exists once per lane: that one number is
 * enough for all of them is not said here but found out by the analyses, and kept beside.  A block is a list of instructions and a
 * terminator.  There are two forms:
 *
 *   SIMT    as the guest means it.  Which lanes are active is implicit; at a `vbranch` they part, and meet at its join.
 *   VECTOR  no divergent control.  What only some lanes may do has a mask, a value of type i1; in the other lanes results are junk.
 *
 *   ops.def      the operations        sources.def  what the launch gives
 *   sir.c        building              validate.c   what must hold, of either form
 *   print.c      the text form         read.c       and back
 *   sweep.c      what nobody uses goes
 *   evaluate.c   runs it, slowly and obviously: the oracle for every pass */
#ifndef CY_JIT_SIR_H
#define CY_JIT_SIR_H

#include "base/diag.h"
#include "base/mem.h"
#include "jit/abi.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t cy_sir_value;

enum cy_sir_type { CY_SIR_VOID, CY_SIR_I1, CY_SIR_I8, CY_SIR_I16, CY_SIR_I32, CY_SIR_I64, CY_SIR_TYPES };

enum cy_sir_op {
    CY_SIR_NONE,
#define OP(id, name, arguments, result, flags, value) CY_SIR_##id,
#include "jit/sir/ops.def"
    CY_SIR_OPS
};

enum cy_sir_source {
#define SOURCE(id, name, type, is_uniform, text) CY_SIR_SOURCE_##id,
#include "jit/sir/sources.def"
    CY_SIR_SOURCES
};

enum cy_sir_flag {
    CY_SIR_PURE = 1,
    CY_SIR_COMMUTES = 2,
    CY_SIR_READS = 4,
    CY_SIR_WRITES = 8,
    CY_SIR_FAULTS = 16,
    CY_SIR_ORDERED = 32,
    CY_SIR_LANES = 64,
    CY_SIR_VECTOR = 128
};
enum cy_sir_result { CY_SIR_RESULT_SAME, CY_SIR_RESULT_BOOL, CY_SIR_RESULT_FREE, CY_SIR_RESULT_VOID };

extern const struct cy_sir_op_info {
    const char *name;
    uint8_t arguments, result; /* enum cy_sir_result */
    uint16_t flags;
} cy_sir_ops[CY_SIR_OPS];

extern const struct cy_sir_source_info {
    const char *name, *text;
    enum cy_sir_type type;
    bool is_uniform;
} cy_sir_sources[CY_SIR_SOURCES];

#define CY_SIR_NOTHING UINT32_MAX /* no access, group, register, block */

struct cy_sir_insn {
    uint16_t op;          /* enum cy_sir_op */
    uint8_t type;         /* enum cy_sir_type, of the result */
    uint8_t flags;        /* of passes; 0 between them */
    cy_sir_value args[4]; /* phi: args[0] is the index in func->phi_args of its first argument, one per predecessor */
    cy_sir_value mask;    /* vector form: the lanes for which it is executed; 0: all, or it does not matter */
    uint64_t imm;
    uint32_t access; /* a row of func->accesses, or NOTHING */
    uint32_t block;
    uint32_t pc;       /* of the guest instruction it comes from; 0: none */
    uint32_t variable; /* for people: the register it was, x0 to x63, then v0 to v255; NOTHING: none */
};

/* Where a block goes.  The sides of a vbranch meet at `join`, a block that every path of either side reaches. */
enum cy_sir_terminator {
    CY_SIR_UNREACHABLE, /* behind a trap */
    CY_SIR_JUMP,        /* succ[0] */
    CY_SIR_BRANCH,      /* succ[0] if the condition holds, which is the same in all active lanes; else succ[1] */
    CY_SIR_VBRANCH,     /* SIMT: the same for each lane */
    CY_SIR_SWITCH, /* to the case whose number the condition has, in all active lanes; the last case is the default */
    CY_SIR_END,    /* the work-items end */
    CY_SIR_PHASE   /* vector: the strip waits until all have come to a barrier, and goes on in phase `phase` */
};

/* What lanes of a vbranch do up to its join, which is an order that others do not see. */
enum cy_sir_alone {
    CY_SIR_TOGETHER,
    CY_SIR_ALONE,      /* one lane after the other, if they part */
    CY_SIR_ALONE_FIRST /* also if all that do not go to the join go the same way */
};

struct cy_sir_case {
    uint32_t value, block;
};

struct cy_sir_block {
    CY_VEC(cy_sir_value) list; /* phis first */
    CY_VEC(uint32_t) preds;    /* each once per edge */
    enum cy_sir_terminator terminator;
    cy_sir_value condition;
    uint32_t succ[2];
    uint32_t join; /* VBRANCH */
    bool in_order; /* VBRANCH: the side with fewer lanes first, the then-side on a tie; else any order will do */
    uint8_t alone; /* VBRANCH: enum cy_sir_alone */
    CY_VEC(struct cy_sir_case) cases; /* SWITCH */
    uint32_t phase;                   /* PHASE */
    uint32_t pc;                      /* of its first instruction, or 0 */
};

/* A variable in both forms, 0 at the start and, unless it is restored, after a barrier.  Of a warp it has one value in all lanes,
 * which a `set` by any of them changes for all. */
struct cy_sir_cell {
    enum cy_sir_type type;
    bool is_warp;              /* else each lane has its own, and `set` changes those of active lanes, or of the mask */
    uint32_t variable;         /* for people, as above */
    bool is_empty_at_barriers; /* it holds lanes that wait: then there are none */
};

enum cy_sir_space {
    CY_SIR_NEAR,   /* 32-bit addresses of the window */
    CY_SIR_FAR,    /* 64-bit addresses */
    CY_SIR_PRIVATE /* offsets in the work-item's private memory, before words are interleaved */
};

/* What a memory access does, beside its operands: address + offset + (index extended << scale). */
struct cy_sir_access {
    uint32_t pc;
    uint32_t word, prefix; /* the guest instruction, for faults */
    uint16_t op;           /* enum cy_op */
    uint8_t bytes;         /* of each lane's word */
    uint8_t rights;        /* enum cy_jit_rights: 1 reads, 2 writes */
    uint8_t space;         /* enum cy_sir_space */
    uint8_t scale;
    bool is_index_signed;
    bool is_scalar;     /* one access of the warp, not one per lane: loads and stores of scalar registers */
    bool is_apart;      /* an LR and an SC that are not one operation */
    uint8_t words, nth; /* of an instruction that moves several words: how many, and which one this is */
    int64_t offset;
    uint32_t align; /* the access is a multiple of it, in bytes, or it faults */
    uint32_t group; /* checked together; NOTHING */
    uint8_t form;   /* enum cy_sir_form */
};

/* How lanes' words are moved, chosen by a pass: the lowering does what it says. */
enum cy_sir_form {
    CY_SIR_FORM_ANY,      /* not chosen yet */
    CY_SIR_FORM_CONSTANT, /* of what does not change while a workgroup runs: one number, loaded when the function begins */
    CY_SIR_FORM_SCALAR,    /* one word for all lanes */
    CY_SIR_FORM_ROW,       /* consecutive words */
    CY_SIR_FORM_MAYBE_ROW, /* consecutive words, one, or words anywhere: the lanes' addresses decide */
    CY_SIR_FORM_STRIDE,    /* words at even distances */
    CY_SIR_FORM_CHUNK,
    CY_SIR_FORM_PAIR,
    CY_SIR_FORM_NARROW,
    CY_SIR_FORM_INTERLEAVED, /* the same word of each work-item's private memory */
    CY_SIR_FORM_GATHER,      /* words anywhere, at once */
    CY_SIR_FORM_LANES,       /* one lane after the other */
    CY_SIR_FORM_HELPER       /* by a function of the runtime */
};

/* Bytes [low, high) from the address are accessed, in one piece of memory. */
struct cy_sir_group {
    int64_t low, high;
    uint8_t rights, space;
    uint32_t align;
};

/* Guest instructions that are counted: those in [first, end), one after the other.  Of a branch where lanes part, the join in
 * [join, join_end) is issued twice more. */
struct cy_sir_code {
    uint32_t first, end, join, join_end;
    uint16_t insns;       /* so many */
    uint16_t vectors;     /* of these, on lanes */
    uint16_t branches;    /* vector branches */
    uint16_t interpreted; /* by the interpreter */
    bool is_looping;      /* lanes may come there again */
};

/* The work-items that are executed together. */
struct cy_sir_strip {
    uint32_t lanes; /* of a strip */
    uint32_t width; /* of vectors, a power of two; lanes above `lanes` hold junk */
    uint32_t items; /* of a workgroup */
    uint32_t row;   /* of so many work-items, with which strips end; one row is the workgroup */
    bool straddles; /* its lanes may be of two warps */
    bool is_whole;  /* all of them are work-items, in each strip */
};

enum cy_sir_form_of_function { CY_SIR_FORM_SIMT, CY_SIR_FORM_VECTOR };

struct cy_sir_func {
    struct cy_arena arena;
    const char *name;
    enum cy_sir_form_of_function form;
    struct cy_sir_strip strip;
    uint32_t target; /* enum cy_target: the guest's generation */
    uint32_t threads, warps, local[3];
    uint32_t private_bytes;  /* per work-item; 0: not checked */
    uint32_t argument_bytes; /* of the argument buffer, which does not change while a workgroup runs */
    uint8_t host;            /* enum cy_jit_forms: what the host's vector unit is good at */
    bool converts_halves;    /* the host has instructions for HTOF and FTOH */
    bool exchanges;          /* lanes of a warp exchange values: a strip is a warp */
    CY_VEC(struct cy_sir_insn) insns;
    CY_VEC(struct cy_sir_block) blocks; /* the first one is the entry */
    CY_VEC(cy_sir_value) phi_args;
    CY_VEC(struct cy_sir_cell) cells;
    CY_VEC(struct cy_sir_access) accesses;
    CY_VEC(struct cy_sir_group) groups;
    CY_VEC(struct cy_sir_code) codes;
    CY_VEC(uint32_t) phases; /* vector form: the block in which each phase starts */
    uint32_t slots;          /* of a strip's record */
    /* With COUNT_LANES those of enum cy_jit_count; with COUNT_INSNS two of each row of codes: how often it was issued, or lanes parted
     * there, and by how many active lanes. */
    uint32_t counters;
    uint8_t counts; /* enum cy_jit_counting */
};

/* ---- sir.c: building ---- */

struct cy_sir_func *cy_sir_new(const char *name);
void cy_sir_free(struct cy_sir_func *func);
struct cy_sir_func *cy_sir_clone(const struct cy_sir_func *func);
static inline struct cy_sir_insn *cy_sir_at(const struct cy_sir_func *func, cy_sir_value value)
{
    return &func->insns.at[value];
}
unsigned cy_sir_bits(enum cy_sir_type type);
uint32_t cy_sir_block_new(struct cy_sir_func *func);
/* Not in a block yet. */
cy_sir_value cy_sir_make(struct cy_sir_func *func, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a,
                         cy_sir_value b, cy_sir_value c);
cy_sir_value cy_sir_append(struct cy_sir_func *func, uint32_t block, enum cy_sir_op op, enum cy_sir_type type,
                           cy_sir_value a, cy_sir_value b, cy_sir_value c);
void cy_sir_insert(struct cy_sir_func *func, uint32_t block, size_t at, cy_sir_value value);
cy_sir_value cy_sir_const(struct cy_sir_func *func, uint32_t block, enum cy_sir_type type, uint64_t value);
/* A phi at the start of the block, with room for an argument of each predecessor. */
cy_sir_value cy_sir_phi(struct cy_sir_func *func, uint32_t block, enum cy_sir_type type);
void cy_sir_set_jump(struct cy_sir_func *func, uint32_t from, uint32_t to);
void cy_sir_set_branch(struct cy_sir_func *func, uint32_t from, cy_sir_value condition, uint32_t then,
                       uint32_t otherwise);
void cy_sir_set_vbranch(struct cy_sir_func *func, uint32_t from, cy_sir_value condition, uint32_t then,
                        uint32_t otherwise, uint32_t join);
/* Predecessors in the order of blocks and edges.  Arguments of phis follow their edges; those of new edges are 0, to be set. */
void cy_sir_find_preds(struct cy_sir_func *func);
/* Edges in the order of the text: succ[0], succ[1], or the cases. */
uint32_t cy_sir_succ_count(const struct cy_sir_block *block);
uint32_t cy_sir_succ(const struct cy_sir_block *block, uint32_t nth);
/* All uses of the first become uses of the second. */
void cy_sir_replace(struct cy_sir_func *func, cy_sir_value old, cy_sir_value by);
/* What a pure operation gives for constants, zero-extended from their types, in the type of its result.  `of_arguments` is the type
 * of the first argument.  For operations that have no value of their own in ops.def, cy_sir_folds is false. */
bool cy_sir_folds(enum cy_sir_op op);
uint64_t cy_sir_fold(enum cy_sir_op op, enum cy_sir_type type, enum cy_sir_type of_arguments, uint64_t a, uint64_t b,
                     uint64_t c);

/* ---- sweep.c ---- */

/* Takes what nobody uses out of the blocks. */
void cy_sir_sweep(struct cy_sir_func *func);

/* ---- validate.c ---- */

/* What is wrong with a function, in words, on its arena; NULL: nothing. */
const char *cy_sir_validate(struct cy_sir_func *func);

/* Why lanes cannot go one after the other from a vbranch to its join; NULL: they can. */
const char *cy_sir_check_alone(const struct cy_sir_func *func, uint32_t branch);

/* ---- print.c, read.c ---- */

void cy_sir_print(const struct cy_sir_func *func, struct cy_buf *out);
/* NULL after a diagnostic with the location. */
struct cy_sir_func *cy_sir_read(const char *name, const char *text, size_t size, struct cy_diags *diags);

/* ---- evaluate.c ---- */

/* The machine on which a function runs.  Addresses are the guest's. */
struct cy_sir_machine {
    void *context;
    /* False: the access faults. */
    bool (*read)(void *context, uint64_t address, void *bytes, uint32_t size);
    bool (*write)(void *context, uint64_t address, const void *bytes, uint32_t size);
    /* May it be accessed with these rights, enum cy_jit_rights? */
    bool (*check)(void *context, uint64_t address, uint64_t size, uint32_t rights);
    /* The value of a row's expression for an element of so many bits, as the interpreter computes it (gpu/engine/eval.h). */
    uint64_t (*row)(void *context, uint32_t op, unsigned bits, unsigned rounding, uint64_t a, uint64_t b, uint64_t d);
    /* One instruction on the registers of a warp, x[number] and v[number * threads + lane], whose first work-item is `item`;
     * false: it faults. */
    bool (*interpret)(void *context, const struct cy_sir_access *access, uint32_t *x, uint32_t *v, uint64_t mask,
                      uint32_t item);
    uint32_t metadata, lds, pds, slot, group[3];
    uint32_t inside[3];  /* work-items of this workgroup that are in the launch's range, in each dimension */
    uint64_t most_steps; /* instructions of strips before it gives up */
    uint64_t junk;       /* seed of what inactive lanes and undefined values hold */
    uint64_t *counters;
};
enum cy_sir_outcome { CY_SIR_DONE, CY_SIR_FAULTED, CY_SIR_ENDLESS, CY_SIR_INVALID };
struct cy_sir_fault {
    uint32_t access; /* NOTHING: a trap, of kind `trap` */
    uint32_t trap;   /* enum cy_jit_trap */
    uint32_t item;
    uint64_t address;
    const char *why; /* CY_SIR_INVALID: what a pass has let out, such as a use of junk */
};
/* Runs one workgroup: its strips take turns at barriers. */
enum cy_sir_outcome cy_sir_evaluate(const struct cy_sir_func *func, const struct cy_sir_machine *machine,
                                    struct cy_sir_fault *fault);

#endif
