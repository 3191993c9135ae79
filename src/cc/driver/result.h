/* Serialised results. */
#ifndef CY_CC_DRIVER_RESULT_H
#define CY_CC_DRIVER_RESULT_H

#include "base/pack.h"
#include "chengying/cc.h"

void cc_result_save(const struct cy_cc_result *result, struct cy_buf *out);
/* False: malformed, and `result` is empty. */
bool cc_result_load(struct cy_cc_result *result, const void *bytes, size_t size);

/* An empty result whose log says "out of memory". */
void cc_result_no_memory(struct cy_cc_result *result);

/* The sizes of what programs and libchengying.so hand each other.  Both have this function: a library that was replaced
 * while a program runs, or an older one that was found instead, must not be believed. */
uint32_t cc_result_layout(void);

#endif
