/* Results as rows of bytes. */
#ifndef CY_CC_RESULT_H
#define CY_CC_RESULT_H

#include "base/mem.h"
#include "chengying/cc.h"

void cc_result_save(const struct cy_cc_result *result, struct cy_buf *out);
/* False: these are no such bytes, and `result` is empty. */
bool cc_result_load(struct cy_cc_result *result, const void *bytes, size_t size);

#endif
