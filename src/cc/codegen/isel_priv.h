/* Shared by the parts of instruction selection.
 *
 * Selection walks blocks and instructions backwards: a value's users are selected before the value itself, so a value
 * that all of them folded away is never emitted.  Each IR instruction's sequence is written forwards. */
#ifndef CY_CC_CODEGEN_ISEL_PRIV_H
#define CY_CC_CODEGEN_ISEL_PRIV_H

#include "cc/codegen/mir.h"

/* Values that are not emitted where the IR has them but materialised where they are needed: once, in a block that
 * dominates all users and, as far as their operand allows, outside loops. */
enum isel_made_kind {
    MATERIALIZE_CONST,
    MATERIALIZE_SYMBOL,
    MATERIALIZE_LABEL,
    MATERIALIZE_SPLAT,
    MATERIALIZE_SPLAT_CONST
};
struct materialized {
    uint8_t kind;
    bool is_placed;
    int32_t a, b; /* constant; symbol and offset; block; value */
    mir_reg reg;
    uint32_t place; /* IR block */
    ir_location line;
};

struct isel {
    struct ir_func *ir;
    struct mir_func *mir;
    struct cy_diags *diags;
    mir_reg *reg;          /* by value */
    mir_reg *phi_temp;     /* by phi: the register that predecessors write */
    uint8_t *needed;       /* by value: an already selected user reads its register */
    uint8_t *inverted;     /* by value: a compare whose only user wants the inverse */
    uint32_t *uses;        /* by value */
    uint8_t *is_index;     /* by value: base + index read only by accesses, which add it up themselves */
    uint32_t *head, *tail; /* by IR block: its first and last machine block */
    uint32_t *meetings;    /* by IR block, the last for the exit: number of divergent branches that reconverge there */
    uint32_t *loop_rpc;    /* by IR block that is a loop header: the single rpc of all branches in the loop; NONE: they
                         * differ */
    uint32_t *next_piece;  /* by machine block: the next machine block of the same IR block */
    size_t next_capacity;
    uint32_t block, out; /* the IR block, and the machine block being filled */
    ir_location line;
    mir_reg argbase;                                             /* 0: not needed */
    mir_reg param[IR_CALL_REGISTERS], retval[IR_CALL_REGISTERS]; /* of the function; 0: not needed */
    mir_reg arg[IR_CALL_REGISTERS], result[IR_CALL_REGISTERS];   /* of the current call */
    unsigned result_count;
    ir_value assembly;                 /* the current one */
    mir_reg asm_regs[IR_ASM_OPERANDS]; /* of its operands, a pair by its low half; 0: none yet */
    CY_VEC(struct mir_insn) sequence;
    CY_VEC(struct materialized) materialized;
    uint32_t *materialized_map; /* open addressing: index + 1 */
    size_t materialized_size;
    bool failed;
};

#define EMIT(s, op, ...) isel_emit(s, op, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t), (int32_t[]){__VA_ARGS__})
/* The same for operands that emit instructions themselves: evaluated in the order given, which C would leave open. */
#define EMIT_2(s, op, d, first, second)                                                                                \
    do {                                                                                                               \
        int32_t first_ = first, second_ = second;                                                                      \
        EMIT(s, op, d, first_, second_);                                                                               \
    } while (0)
#define EMIT_3(s, op, d, first, second, third)                                                                         \
    do {                                                                                                               \
        int32_t first_ = first, second_ = second, third_ = third;                                                      \
        EMIT(s, op, d, first_, second_, third_);                                                                       \
    } while (0)
void isel_emit(struct isel *s, unsigned op, unsigned count, const int32_t *operands);
/* A row on pairs: those of its operands in the set `wide`. */
#define EMIT_WIDE(s, op, wide, ...)                                                                                    \
    isel_emit_wide(s, op, wide, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t), (int32_t[]){__VA_ARGS__})
void isel_emit_wide(struct isel *s, unsigned op, unsigned wide, unsigned count, const int32_t *operands);

static inline const struct ir_insn *isel_at(const struct isel *s, ir_value value)
{
    return &s->ir->insns.at[value];
}
static inline bool isel_is_v(const struct isel *s, ir_value value)
{
    return isel_at(s, value)->is_divergent;
}
static inline bool isel_is_const(const struct isel *s, ir_value value, int32_t *constant)
{
    *constant = isel_at(s, value)->imm;
    return isel_at(s, value)->op == IR_CONST;
}
static inline bool isel_is(const struct isel *s, ir_value value, int32_t constant)
{
    return isel_at(s, value)->op == IR_CONST && isel_at(s, value)->imm == constant;
}
/* Does operand `index` of a row accept this number without a prefix? */
bool isel_fits(unsigned op, unsigned index, int64_t value);

/* The register of a value: of its own class, as a scalar (uniform values only), as a vector. */
mir_reg isel_own(struct isel *s, ir_value value);
mir_reg isel_s(struct isel *s, ir_value value);
mir_reg isel_v(struct isel *s, ir_value value);
/* materialize.c */
mir_reg isel_make(struct isel *s, enum isel_made_kind kind, int32_t a, int32_t b, uint32_t block);
void isel_place_made(struct isel *s);
mir_reg isel_const(struct isel *s, int32_t constant);       /* scalar */
mir_reg isel_splat_const(struct isel *s, int32_t constant); /* vector */
mir_reg isel_label(struct isel *s, uint32_t block);
/* isel.c */
mir_reg isel_temp(struct isel *s, enum mir_class class);
/* Writes a value into a register of any class. */
void isel_move(struct isel *s, mir_reg to, ir_value value);
/* Is a vector value dead after this instruction? */
bool isel_dies(const struct isel *s, ir_value value);
/* May the operands of this instruction be read here instead of its result?  (A scalar's live range must not grow beyond
 * the IR's: see temporal.c.) */
bool isel_may_look_through(const struct isel *s, ir_value value);
bool isel_in_loop_of(const struct isel *s, ir_value value); /* is it defined in the current loop? */

/* isel_scalar.c, isel_vector.c: select one instruction, with result d. */
void isel_scalar(struct isel *s, const struct ir_insn *insn, mir_reg d);
void isel_vector(struct isel *s, ir_value value, const struct ir_insn *insn, mir_reg d);
/* isel_wide.c: the same for operations on 64-bit values; false: not one. */
bool isel_wide(struct isel *s, ir_value value, const struct ir_insn *insn);
/* isel_sign.c.  Where the target can: the value whose absolute value or negation `value` is, and that operand of the row
 * emitted last changed in the same way. */
struct isel_sign {
    bool absolute, negated; /* in this order */
};
ir_value isel_float_operand(const struct isel *s, ir_value value, struct isel_sign *sign);
ir_value isel_int_operand(const struct isel *s, ir_value value, struct isel_sign *sign);
ir_value isel_double_operand(const struct isel *s, ir_value value, struct isel_sign *sign);
/* The same for an operand of a fused operation: its negation, which the row takes care of, flips *negative. */
ir_value isel_factor(const struct isel *s, ir_value value, bool *negative, struct isel_sign *sign);
void isel_sign_operand(struct isel *s, unsigned operand, struct isel_sign sign);
/* isel_pair.c.  A pair is named by its low register; `pairs` has a bit for each operand of the row that is one. */
void isel_emit_pairs(struct isel *s, unsigned op, unsigned prefix, unsigned pairs, unsigned count,
                     const int32_t *operands);
mir_reg isel_pair(struct isel *s, ir_value value, enum mir_class class);
mir_reg isel_pair_plus(struct isel *s, enum mir_class class, mir_reg pair, int32_t constant);
bool isel_pair_op(struct isel *s, ir_value value, const struct ir_insn *insn); /* false: not related to pairs */
/* isel_memory.c */
void isel_load(struct isel *s, ir_value value, const struct ir_insn *insn);
void isel_store(struct isel *s, const struct ir_insn *insn);
void isel_atomic(struct isel *s, ir_value value, const struct ir_insn *insn);
/* isel_call.c */
bool isel_call_op(struct isel *s, ir_value value, const struct ir_insn *insn); /* false: not related to calls */
/* isel_asm.c */
bool isel_asm_op(struct isel *s, ir_value value, const struct ir_insn *insn); /* false: not related to assembly */
void isel_function_ends(struct isel *s); /* the parameters at the entry and the results at the exit */
/* isel.c: the rest of the block becomes a new block that starts with a join; returns it. */
uint32_t isel_split(struct isel *s);
void isel_flush(struct isel *s);
uint32_t isel_new_block(struct isel *s);

/* The rows of a two-operand operation; 0: there is none. */
struct isel_forms {
    uint16_t rr, ri;     /* scalar */
    uint16_t vv, vx, vi; /* vector op vector, scalar, immediate */
    uint16_t xv, iv;     /* scalar, immediate op vector */
};
extern const struct isel_forms isel_forms[IR_COUNT];

#endif
