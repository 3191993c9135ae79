/* Guest code on its way to the strip IR:
 *
 *     import.c            the steps, in order
 *     constants.c         what is known of scalar registers and of the warp's state
 *     decode.c            instructions and pieces of straight code that are reached, by following constants
 *     returns.c           calls: each has a copy of what it calls, unless that becomes too much
 *     compare_exchange.c  LR and SC that are one operation
 *     blocks.c            pieces -> blocks, in reverse post-order
 *     reconverge.c        where lanes meet that a branch has parted
 *     cells.c             registers that are the warp's state, not values of lanes
 *     registers.c         registers -> values
 *     build.c             operations, simplified where they are made
 *     instructions.c      one instruction: which of the following makes its operations
 *     expressions.c       rows with an expression
 *     memory.c            loads, stores, atomic operations
 *     state.c             CSRs and vtype
 *     interpret.c         what has no operations
 *     counts.c            what is counted */
#ifndef CY_JIT_IMPORT_IMPORT_PRIV_H
#define CY_JIT_IMPORT_IMPORT_PRIV_H

#include "base/graph.h"
#include "isa/effects.h"
#include "jit/abi.h"
#include "jit/import/import.h"

#define NONE UINT32_MAX

/* ---- constants.c ---- */

enum { E32_M1 = 2 << 3, VTYPE_AGNOSTIC = 0xc0 }; /* bits of a vtype: what compilers set, and those that do not matter */

enum knowledge { UNSEEN, KNOWN, METADATA, UNKNOWN }; /* METADATA: its address, plus the value */
struct constant {
    uint8_t is; /* enum knowledge */
    uint32_t value;
};

/* What is known at one point.  Of state of the warp, which is what the last instruction has left, whichever lanes executed it. */
struct facts {
    struct constant x[64], rpc, vtype, rounding;
    uint64_t changed[4]; /* vGPRs that may have been changed from 0, which they are at the start */
};

/* ---- decode.c ---- */

struct inst {
    struct cy_insn insn;
    struct cy_effects effects; /* with vtype e32, m1 */
    bool is_decoded;
};

enum exchange_part { NO_PART, LOADS }; /* of a compare-exchange: compare_exchange.c */

/* A piece of straight code, in one context: from an instruction that is jumped to, to one that jumps or the next such one. */
struct piece {
    uint32_t number;               /* of importer.pieces */
    uint32_t context, first, last; /* rows of importer.insts; `last` is inclusive */
    struct facts arrival;          /* what lanes come with that have just been in a piece before it */
    struct facts in;               /* and those that waited here while others ran */
    uint32_t next, target;         /* pieces; NONE */
    uint32_t join;                 /* of a vector branch: the piece; NONE: it is not known (yet) */
    bool is_return_known;          /* where it returns to is what the register holds */
    CY_VEC(uint32_t) returns;      /* pieces to which it returns */
    CY_VEC(uint32_t) resumes;      /* of a join: pieces in which lanes wait that go on when others arrive here */
    uint8_t part;                  /* enum exchange_part: it begins with LR */
    uint32_t store;                /* LOADS: the SC with which that is one operation */
    uint8_t expected;              /* and the register with what it compares with */
    uint32_t block;                /* that it is in; NONE: not reached */
};

/* The code of one call, or of all if calls are not copied. */
struct context {
    uint32_t parent;
    uint32_t callee, site; /* rows of importer.insts: where it begins, and where it returns to; NONE */
};

/* ---- blocks.c ---- */

/* Pieces one after the other, of which only the first one is jumped to from elsewhere. */
struct block {
    const struct piece *head, *tail;
    uint32_t first, count; /* of importer.listing */
};

/* ---- reconverge.c ---- */

struct parting { /* blocks */
    uint32_t join, branch;
};

/* ---- registers.c ---- */

/* Variables: sGPRs, vGPRs, and pairs of each that are one value of 64 bits. */
enum { FIRST_V = 64, FIRST_X_PAIR = FIRST_V + 256, FIRST_V_PAIR = FIRST_X_PAIR + 32, VARIABLES = FIRST_V_PAIR + 128 };

/* At the end of a block, or while it is made: 0: a half of the pair's value, or the pair of the halves' values. */
struct values {
    cy_sir_value of[VARIABLES];
};

struct pending_phi {
    cy_sir_value phi;
    uint32_t block;
    uint16_t variable;
};

struct importer {
    const struct cy_jit_request *request;
    const uint32_t *words;
    uint32_t count; /* of words */
    struct cy_arena arena;
    struct cy_buf *why;
    bool has_failed;

    struct inst *insts; /* by word */
    bool *is_leader;    /* by word: pieces begin here */
    CY_VEC(struct context) contexts;
    CY_VEC(struct piece *) pieces;
    uint32_t *piece_table, piece_table_size; /* by context and first instruction */
    CY_VEC(uint32_t) work;                   /* pieces whose facts have changed */
    uint32_t reached;                        /* instructions in all contexts */
    bool is_shared;                          /* calls are not copied */
    bool begins_again;                       /* another leader was found */
    CY_VEC(uint32_t) sites;                  /* is_shared: instructions after calls */

    CY_VEC(struct block) blocks;     /* in reverse post-order */
    CY_VEC(uint32_t) listing;        /* instructions of blocks */
    struct cy_graph graph;           /* of blocks */
    struct cy_regs *live;            /* by block: at its start */
    uint64_t *live_pairs;            /* by block, PAIR_WORDS each: pairs whose next reader takes them as one */
    struct cy_regs cells;            /* registers that are cells */
    uint32_t cell[FIRST_X_PAIR];     /* by register: its cell; NONE */
    CY_VEC(struct parting) partings; /* by join */
    bool *is_parted;                 /* by block: some lanes of a warp may be elsewhere */
    bool sees_order;

    struct cy_sir_func *func;
    cy_sir_value *number_table; /* constants, in the entry */
    uint32_t number_table_size, number_count;
    cy_sir_value sources[CY_SIR_SOURCES];
    struct values *ends; /* by block */
    CY_VEC(struct pending_phi) phis;
    cy_sir_value *replaced; /* by value, up to `replaced_count`: what it is the same as; 0: itself */
    size_t replaced_count;

    /* what is being made */
    uint32_t block, at; /* `at`: the instruction */
    const struct piece *piece;
    struct facts now;
    struct values values;
    uint32_t interpreted; /* instructions that are left to the interpreter */
};

#define PAIR_WORDS 3 /* 160 pairs */

static inline const struct inst *inst_at(const struct importer *im, uint32_t number)
{
    return &im->insts[number];
}
static inline uint32_t pc_of(const struct importer *im, uint32_t number)
{
    return im->request->code_base + 4 * number;
}
static inline uint32_t after(const struct importer *im, uint32_t number)
{
    return number + im->insts[number].insn.size / 4;
}

/* import.c: records the reason, if it is the first one; false. */
bool import_cannot(struct importer *im, const char *format, ...) CY_PRINTF(2, 3);

/* constants.c */
struct facts facts_at_start(void);
bool merge_facts(struct facts *into, const struct facts *other);
/* What the instruction changes; the pc is of its first word. */
void follow_facts(const struct importer *im, uint32_t number, struct facts *facts);
struct constant plus(struct constant a, uint32_t b);
/* A metadata word whose value is part of the shape. */
bool known_metadata(const struct cy_jit_request *request, uint32_t offset, uint32_t *value);
bool is_zero_vgpr(const struct facts *facts, int32_t number);

/* decode.c */
bool decode_all(struct importer *im);
uint32_t word_at(const struct importer *im, uint32_t pc); /* NONE: not in the code */
bool decode(struct importer *im, uint32_t number);
/* Facts change, or the piece is new; NONE after import_cannot(). */
uint32_t reach(struct importer *im, uint32_t context, uint32_t number, const struct facts *facts);
bool ends_piece(const struct inst *inst);

/* returns.c */
uint32_t context_of_call(struct importer *im, uint32_t context, uint32_t callee, uint32_t site);
bool leave_by_return(struct importer *im, struct piece *piece, const struct facts *out);
bool add_site(struct importer *im, uint32_t site);
bool may_grow(struct importer *im);
void share_calls(struct importer *im);

/* compare_exchange.c */
void import_compare_exchanges(struct importer *im);

/* blocks.c */
bool order_pieces(struct importer *im);
static inline uint32_t listed(const struct importer *im, uint32_t block, uint32_t nth)
{
    return im->listing.at[im->blocks.at[block].first + nth];
}
void find_live(struct importer *im);
bool make_blocks(struct importer *im);
uint32_t successor_count(const struct piece *piece);
uint32_t successor(const struct piece *piece, uint32_t nth);

/* reconverge.c */
bool find_joins(struct importer *im);
/* What lanes that a branch has parted can reach without passing the join: marked, and listed. */
struct region {
    uint32_t *mark, stamp; /* by block */
    CY_VEC(uint32_t) blocks;
    struct side {         /* by block: what may happen from there to the join */
        uint64_t written; /* sGPRs */
        bool ends, arrives;
    } * sides;
};
void find_region(struct importer *im, struct region *region, uint32_t branch, uint32_t join);
/* Of branches with one join together, with what happens on their sides; and such branches, of which so many begin at `first`. */
void find_sides(struct importer *im, struct region *region, const struct parting *partings, size_t count);
size_t partings_of_join(const struct importer *im, size_t first);
static inline bool is_inside(const struct region *region, uint32_t block)
{
    return region->mark[block] == region->stamp;
}

/* cells.c: what must be a cell whatever values turn out to be; then, false: some register must be one that is none yet. */
void find_cells(struct importer *im);
bool has_all_cells(struct importer *im);

/* registers.c */
void begin_registers(struct importer *im);
void begin_block(struct importer *im, uint32_t block);
void end_block(struct importer *im);
void complete_phis(struct importer *im);
void finish_registers(struct importer *im);
cy_sir_value same_as(const struct importer *im, cy_sir_value value);
/* What a register has at the end of a block: a value, or a half of one.  The same in two places: it is the same number. */
struct held {
    cy_sir_value value;
    bool is_high, is_half;
};
struct held held_at_end(const struct importer *im, uint32_t block, unsigned number);
cy_sir_value import_read_x(struct importer *im, unsigned number);
cy_sir_value import_read_v(struct importer *im, unsigned number);
cy_sir_value import_read_x_pair(struct importer *im, unsigned number);
cy_sir_value read_v_pair(struct importer *im, unsigned number);
void import_write_x(struct importer *im, unsigned number, cy_sir_value value);
void import_write_v(struct importer *im, unsigned number, cy_sir_value value);
void import_write_x_pair(struct importer *im, unsigned number, cy_sir_value value);
void write_v_pair(struct importer *im, unsigned number, cy_sir_value value);

/* build.c */
cy_sir_value make(struct importer *im, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a, cy_sir_value b,
                  cy_sir_value c);
cy_sir_value number(struct importer *im, enum cy_sir_type type, uint64_t value);
cy_sir_value source(struct importer *im, enum cy_sir_source source);
bool is_number(const struct importer *im, cy_sir_value value, uint64_t *what);
enum cy_sir_type type_of(const struct importer *im, cy_sir_value value);

/* instructions.c */
bool make_instruction(struct importer *im, uint32_t number);
/* expressions.c */
bool has_operations(const struct importer *im, const struct inst *inst);
cy_sir_value evaluate(struct importer *im, const struct inst *inst);
cy_sir_value condition_of(struct importer *im, const struct inst *inst);
void make_expression(struct importer *im, const struct inst *inst);
/* memory.c */
bool has_accesses(const struct importer *im, const struct inst *inst);
void make_access(struct importer *im, const struct inst *inst);
uint32_t new_access(struct importer *im, const struct inst *inst);
/* state.c */
bool make_csr(struct importer *im, const struct inst *inst);
bool make_vsetvl(struct importer *im, const struct inst *inst);
/* interpret.c */
bool is_interpreted(const struct importer *im, const struct inst *inst);
bool make_interpreted(struct importer *im, const struct inst *inst);
void make_trap(struct importer *im, const struct inst *inst, enum cy_jit_trap kind);

/* counts.c: nothing, unless the request counts. */
void make_issues(struct importer *im, uint32_t block);
void make_split(struct importer *im); /* behind the condition */
void finish_counts(struct importer *im);

#endif
