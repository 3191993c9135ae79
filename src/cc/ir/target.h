/* What the compiler must know of a generation of the machine.  Everything that differs between generations is a field
 * here; no pass asks for a generation by name. */
#ifndef CY_CC_IR_TARGET_H
#define CY_CC_IR_TARGET_H

#include "isa/isa.h"

/* A prefix that selects how an instruction works, besides the one that extends its register numbers. */
enum cc_prefix {
    CC_PREFIX_NONE,
    CC_PREFIX_PAIRS,   /* operands are 64-bit pairs */
    CC_PREFIX_WIDE,    /* memory: the address is a 64-bit pair */
    CC_PREFIX_PRIVATE, /* memory: the address is in private memory */
    CC_PREFIX_COUNT
};

/* Rows by size of the access, and whether a load sign-extends. */
struct cc_memory_rows {
    uint16_t load[3][2], store[3]; /* 1, 2, 4 bytes; zero-extended, sign-extended */
    uint8_t prefix;                /* enum cc_prefix: of words; */
    uint8_t small_prefix;          /* and of smaller accesses */
    uint8_t offset_bits;           /* of the signed immediate */
};

struct cc_target {
    const char *name; /* as in -march */
    enum cy_target isa;
    unsigned generation;
    unsigned pointer_words;           /* of a pointer: 2 needs the wide rows below and pairs of registers */
    uint32_t object_flags;            /* e_flags */
    uint32_t prefix[CC_PREFIX_COUNT]; /* their words; 0: the generation has none */
    uint32_t move_prefix;             /* of accesses to several words, but for their number; 0: there are none */
    uint32_t sign_prefix;             /* takes absolute values and negations of operands; 0: there is none */
    struct cc_memory_rows scalar, lanes, private;
    struct cc_memory_rows wide_scalar, wide_lanes; /* with 64-bit addresses */
    uint16_t wide_atomic[11][2];                   /* a row with a 32-bit address, and the same with a 64-bit one */
};

const struct cc_target *cc_target(unsigned generation); /* 0: the default; NULL: there is none */
/* The word of a prefix, for an access to `words` words. */
uint32_t cc_prefix_word(const struct cc_target *target, unsigned prefix, unsigned words);
/* What the operands in these sets add to the prefix; 0 if there are none. */
uint32_t cc_sign_word(const struct cc_target *target, unsigned row, unsigned absolute, unsigned negated);
unsigned cc_wide_atomic(const struct cc_target *target, unsigned row);

#endif
