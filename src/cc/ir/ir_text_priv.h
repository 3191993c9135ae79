/* Shared between printing (ir_text.c) and reading (ir_read.c) the IR's text. */
#ifndef CY_CC_IR_IR_TEXT_PRIV_H
#define CY_CC_IR_IR_TEXT_PRIV_H

#include "cc/ir/ir.h"

bool ir_shows_imm(unsigned op); /* the operation's imm is always printed */
bool ir_has_value(unsigned op);
bool ir_is_plain_char(char c); /* may occur in an unquoted name */
/* The callees, each once, in call order; returns how many.  `found` has room for every call. */
size_t ir_find_callees(const struct ir_func *func, uint32_t *found);
size_t ir_count_calls(const struct ir_func *func);

#endif
