/* Results as rows of bytes. */
#ifndef CY_CC_RESULT_H
#define CY_CC_RESULT_H

#include "base/mem.h"
#include "chengying/cc.h"

void cc_result_save(const struct cy_cc_result *result, struct cy_buf *out);
/* False: these are no such bytes, and `result` is empty. */
bool cc_result_load(struct cy_cc_result *result, const void *bytes, size_t size);

/* The sizes of what programs and libchengying_cc.so hand each other.  Both have this function: a library that was replaced
 * while a program runs, or an older one that was found instead, must not be believed. */
size_t cc_result_layout(void);

#endif
