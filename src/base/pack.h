/* Serialised numbers and strings.  All numbers are 32 bits, little endian; strings carry their length and a terminating
 * zero.  A reader trusts nothing: malformed input sets `failed`, and everything read from then on is 0 or "". */
#ifndef CY_BASE_PACK_H
#define CY_BASE_PACK_H

#include "base/mem.h"

void cy_pack(struct cy_buf *out, size_t number);
void cy_pack_bytes(struct cy_buf *out, const void *bytes, size_t size);
void cy_pack_text(struct cy_buf *out, const char *text);

struct cy_unpack {
    const unsigned char *at, *end;
    bool failed;
};

uint32_t cy_unpack(struct cy_unpack *in);
uint32_t cy_unpack_at_most(struct cy_unpack *in, uint32_t limit);
bool cy_unpack_bool(struct cy_unpack *in);
/* A count of items of at least `least` bytes each: no more than the input can hold. */
size_t cy_unpack_count(struct cy_unpack *in, size_t least);
const unsigned char *cy_unpack_bytes(struct cy_unpack *in, size_t *size);
const char *cy_unpack_text(struct cy_unpack *in);                  /* contains no zero byte */
unsigned char *cy_unpack_copy(struct cy_unpack *in, size_t *size); /* allocated, with a terminating zero */

#endif
