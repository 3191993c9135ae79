/* Inline assembly as the back end sees it: a text with places for registers, and what it does to registers.
 *
 * Both have a text form.  The constraints are a list: outputs, inputs, then what else it does.
 *
 *     =v  =&r  v  r       an output, one written before all inputs are read, an input: in a vGPR, in an sGPR
 *     v2  r2              64 bits, in an even-numbered pair
 *     *v  *r              the address of a memory operand
 *     ={v5}  {v4}2        in this register, in v4 and v5
 *     #0                  an input in the register of output 0
 *     ~v12                it changes this register
 *     @v12                it reads this register, which nobody else may use
 *     !rpc                it sets the reconvergence pc
 *
 * In the text %{1} is the register of operand 1, %{1L} and %{1H} the halves of a pair, %{1N} its number, %{=} a number of
 * its own for each copy of the text, and %% a percent sign. */
#ifndef CY_CC_IR_ASM_H
#define CY_CC_IR_ASM_H

#include "base/mem.h"

enum { IR_ASM_OPERANDS = 30, IR_ASM_PLACES = 5 }; /* words of a set of registers: x0-x63, v0-v255 */

struct ir_asm_operand {
    bool is_output, is_early, is_vector, is_pair, is_memory;
    int16_t fixed; /* the register's number; -1: any */
    int16_t tie;   /* input: the output in whose register it is; -1: none */
};

struct ir_asm {
    const char *constraints, *text;
    struct ir_asm_operand operands[IR_ASM_OPERANDS];
    unsigned count, outputs;
    uint64_t clobbers[IR_ASM_PLACES], reserved[IR_ASM_PLACES];
    bool sets_rpc;
};

/* False: the constraints or the text are malformed.  The strings must outlive the result. */
bool ir_asm_parse(struct ir_asm *to, const char *constraints, const char *text);
/* The text with these registers, by operand; a pair by its low one.  `from` (may be NULL) receives for each byte where in the
 * text it comes from. */
struct ir_asm_origins {
    uint32_t *at;
    size_t count, capacity;
};
void ir_asm_render(const struct ir_asm *from, const unsigned *registers, unsigned number, struct cy_buf *out,
                   struct ir_asm_origins *origins);

#endif
