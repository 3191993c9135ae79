/* A row's expression as a tree.  The text is C, the same that the interpreter is compiled from (isa/insns.def), so that the
 * translator has no list of instructions of its own. */
#ifndef CY_JIT_EXPR_H
#define CY_JIT_EXPR_H

#include "base/mem.h"

enum expr_kind { EXPR_NUMBER, EXPR_NAME, EXPR_CALL, EXPR_UNARY, EXPR_BINARY, EXPR_CHOICE };

struct expr {
    enum expr_kind kind;
    char op[3];     /* of unary and binary ones */
    bool is_signed; /* the type, by C's rules for 32-bit integers */
    uint32_t number;
    const char *name; /* of names and calls */
    const struct expr *part[3];
    unsigned count;
};

/* On the arena; NULL: more of C than is known here. */
const struct expr *expr_parse(struct cy_arena *arena, const char *text);

#endif
