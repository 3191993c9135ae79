/* SPIR-V: recognising a module, and the translator that makes bitcode of it. */
#ifndef CY_CC_DRIVER_SPIRV_H
#define CY_CC_DRIVER_SPIRV_H

#include "base/mem.h"

#define CC_SPIRV_MAGIC 0x07230203u

/* Either byte order counts. */
bool cc_is_spirv(const void *bytes, size_t size);
/* The file of llvm-spirv (malloc'ed): $CHENGYING_LLVM_SPIRV, or llvm-spirv-19 down to -14 or llvm-spirv in $PATH; NULL:
 * there is none. */
char *cc_spirv_find(void);

bool cc_spirv_exists(void);

/* The instructions of a module in turn.  `*at` is the number of words before it, at first CC_SPIRV_HEADER_WORDS. */
struct cc_spirv_insn {
    unsigned opcode, word_count;
    const unsigned char *words; /* little-endian, the first one included */
};
#define CC_SPIRV_HEADER_WORDS 5
bool cc_spirv_next(const void *bytes, size_t size, size_t *at, struct cc_spirv_insn *insn);
uint32_t cc_spirv_word(const struct cc_spirv_insn *insn, unsigned index);

/* NULL, or why no device can run the module.  Its pointers are those of one generation of the device: Physical32 is for
 * the first, Physical64 for the second. */
const char *cc_spirv_wrong(const void *bytes, size_t size, unsigned *generation);

/* The module, without what the translator cannot read though it is valid. */
void cc_spirv_mend(const void *bytes, size_t size, struct cy_buf *out);

#endif
