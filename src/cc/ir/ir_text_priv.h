/* What printing and reading the IR's text share (ir_text.c). */
#ifndef CY_CC_IR_IR_TEXT_PRIV_H
#define CY_CC_IR_IR_TEXT_PRIV_H

#include "cc/ir/ir.h"

bool ir_shows_imm(unsigned op); /* the operation's imm always stands in the text */
bool ir_has_value(unsigned op);
bool ir_is_plain_char(char c); /* of a name that needs no quotes */
/* The functions called, each once, in the order of the calls; returns how many.  `found` has room for every call. */
size_t ir_find_callees(const struct ir_func *func, uint32_t *found);
size_t ir_count_calls(const struct ir_func *func);

#endif
