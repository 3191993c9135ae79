/* Rules that make one value simpler: rules.def is their table, a row each, and this is what its columns are made of. */
#ifndef CY_JIT_TRANSFORM_RULES_H
#define CY_JIT_TRANSFORM_RULES_H

#include "jit/sir/sir.h"

/* A pattern, or what becomes of it. */
struct cy_sir_node {
    enum cy_sir_node_kind {
        CY_SIR_NODE_OP,
        CY_SIR_NODE_CLASS,    /* one of several operations */
        CY_SIR_NODE_VALUE,    /* a to d */
        CY_SIR_NODE_CONSTANT, /* C, D, E */
        CY_SIR_NODE_NUMBER,
        CY_SIR_NODE_ONCE /* the argument, if its result is used only here */
    } kind;
    uint8_t which; /* enum cy_sir_op, enum cy_sir_class, the letter's number */
    uint8_t type;  /* enum cy_sir_type; VOID: any, or what follows from the arguments */
    int64_t number;
    const struct cy_sir_node *args[3];
};
enum cy_sir_class { CY_SIR_EXT, CY_SIR_MODULAR, CY_SIR_BITWISE, CY_SIR_EQUALITY, CY_SIR_CLASSES };

enum { CY_SIR_LETTERS = 4, CY_SIR_CONSTANTS = 3 };
enum {
    CY_SIR_RULES = 0
#define RULE(name, pattern, result, condition, number) +1
#include "jit/transform/rules.def"
};

extern const struct cy_sir_rule {
    const char *name;
    const struct cy_sir_node *pattern, *result;
} cy_sir_rules[CY_SIR_RULES];

/* What the letters of a rule stand for. */
struct cy_sir_match {
    cy_sir_value value[CY_SIR_LETTERS];
    uint64_t constant[CY_SIR_CONSTANTS]; /* of C and D, which `has` says are there; E */
    bool has[CY_SIR_CONSTANTS];
    uint8_t op[CY_SIR_CLASSES]; /* enum cy_sir_op */
    unsigned w, t;              /* bits of the pattern's argument, and of its result */
};

bool cy_sir_is_in_class(enum cy_sir_class class, unsigned op);
/* Is the value what the rule's pattern says, and does its condition hold?  Then all of the match is set.  `uses`: by value, how often it
 * is used; of those from `count` on it is not known, and taken for once. */
struct cy_sir_uses {
    uint32_t *at;
    size_t count;
};
/* The pattern alone; letters that the match has stay what they are, and after a failure it may have any. */
bool cy_sir_is(const struct cy_sir_func *func, const struct cy_sir_uses *uses, const struct cy_sir_node *pattern,
               cy_sir_value value, struct cy_sir_match *match);
bool cy_sir_matches(const struct cy_sir_func *func, const struct cy_sir_uses *uses, unsigned rule, cy_sir_value value,
                    struct cy_sir_match *match);

#endif
