/* The strip IR in vector form as LLVM's code, without decisions: what an operation becomes is said by its row, its type, and the
 * shapes of its values.  Of a value that is one number, or numbers at even distances, only lane 0's is computed; a vector is made of it
 * where one is needed.
 *
 *     function.c   the function, its strips and phases, blocks and where they go
 *     ops.c        operations on values
 *     lanes.c      masks and other lanes
 *     checks.c   tables of accesses, and checks of their addresses
 *     memory.c   loads and stores, one word of each lane
 *     elements.c several words of each lane
 *     far.c      64-bit addresses
 *     atomics.c  atomic operations
 *     cells.c      cells, slots, the interpreter's registers
 *     reservations.c   LR and SC
 *     counts.c     counters
 *     lines.c      which instructions come from which of the guest's
 *
 * Stands on the translator's functions for LLVM's types, calls of helpers and arithmetic (translate/values, translate/control). */
#ifndef CY_JIT_LOWER_H
#define CY_JIT_LOWER_H

#include "jit/analyse/shape.h"
#include "jit/translate/translator.h"

/* Stores to neighbouring bytes of each lane, which are one store: those that came before the last of them. */
struct elements {
    unsigned count, bytes, at[16];
    LLVMValueRef data[16];
};

/* Where strips may be at the end of a phase. */
struct outcome {
    bool ends, waits, differs; /* some have ended; some wait, all for `phase`; or for several */
    uint32_t phase;
};

struct lower {
    struct translator *t;
    const struct cy_sir_func *func;
    struct cy_sir_shapes shapes;
    LLVMValueRef *values;      /* by value: what lane 0 has, or a vector if lanes may have any numbers */
    LLVMValueRef *cells;       /* allocas */
    bool *are_used;            /* by value: something takes it */
    uint32_t *slots;           /* by slot: its place in the strip's record */
    uint32_t *accesses;        /* by access: its row in the image's table */
    LLVMBasicBlockRef *blocks; /* where they begin */
    LLVMBasicBlockRef *ends;   /* where they go on; NULL: not lowered in this phase */
    LLVMBasicBlockRef strip_end;
    LLVMBasicBlockRef *phases;          /* before the first strip */
    LLVMValueRef exists;                /* alloca: lanes that are work-items */
    LLVMValueRef addresses, data;       /* allocas, for calls */
    LLVMValueRef reserved_at, reserved; /* allocas: words that lanes have reserved, and what was there */
    uint32_t block;                     /* the current one */
    struct elements elements;
    struct outcome *outcomes, *outcome; /* by phase; the current one */
    bool ends_early;                    /* strips may end while others wait */
    LLVMMetadataRef lines;              /* NULL: nobody wants them */
};

/* Builds the functions of an image in the translator's module. */
bool lower_function(struct translator *t, const struct cy_sir_func *func);

/* ops.c */
LLVMTypeRef lower_type(const struct lower *l, enum cy_sir_type type);
LLVMValueRef lower_splat(struct lower *l, LLVMValueRef number);
LLVMValueRef lower_vector(struct lower *l, cy_sir_value value); /* in all lanes */
LLVMValueRef lower_number(struct lower *l, cy_sir_value value); /* in lane 0 */
LLVMValueRef lower_as(struct lower *l, cy_sir_value value,
                      const struct cy_sir_shape *shape);      /* as is kept of that shape */
bool lower_is_one(const struct lower *l, cy_sir_value value); /* the same in all lanes */
LLVMValueRef lower_mask(struct lower *l, cy_sir_value mask);  /* a vector of i1; 0: all lanes */
LLVMValueRef lower_bits(struct lower *l, cy_sir_value mask);  /* a number of 32 bits */
LLVMValueRef lower_pure(struct lower *l, const struct cy_sir_insn *insn, bool is_vector);
/* lanes.c */
LLVMValueRef lower_lanes(struct lower *l, const struct cy_sir_insn *insn);
/* memory.c */
LLVMValueRef lower_load(struct lower *l, const struct cy_sir_insn *insn, bool is_vector);
void lower_store(struct lower *l, const struct cy_sir_insn *insn);
/* checks.c */
void lower_check(struct lower *l, const struct cy_sir_insn *insn);
void list_accesses(struct lower *l);
/* atomics.c */
LLVMValueRef lower_atomic_op(struct lower *l, const struct cy_sir_insn *insn);
void lower_fence(struct lower *l, const struct cy_sir_insn *insn);
/* reservations.c */
void make_reservations(struct lower *l);
void begin_reservations(struct lower *l); /* of a strip */
LLVMValueRef lower_reserve(struct lower *l, const struct cy_sir_insn *insn);
LLVMValueRef lower_store_reserved(struct lower *l, const struct cy_sir_insn *insn);
/* cells.c */
void make_cells(struct lower *l);
LLVMValueRef lower_cell(struct lower *l, const struct cy_sir_insn *insn, bool is_vector);
/* counts.c */
void list_counters(struct lower *l);
void lower_count(struct lower *l, const struct cy_sir_insn *insn);
/* lines.c */
void lower_lines_begin(struct lower *l, LLVMValueRef function);
void lower_line(struct lower *l, uint32_t pc); /* of what follows; 0: nothing's */
void lower_lines_end(struct lower *l, LLVMValueRef function);

#endif
