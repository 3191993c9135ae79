/* What the two parts of emission share. */
#ifndef CY_CC_EMIT_PRIV_H
#define CY_CC_EMIT_PRIV_H

#include "cc/mir.h"

enum fix { FIX_NONE, FIX_BRANCH, FIX_LABEL_HI, FIX_LABEL_LO, FIX_SYMBOL_HI, FIX_SYMBOL_LO };

/* One instruction of the output. */
struct item {
    struct cy_insn insn;
    uint8_t fix;     /* enum fix: what its last operand is */
    uint32_t target; /* BRANCH, LABEL_HI: block, or NONE + `skip`; SYMBOL_HI: symbol of the module */
    int32_t addend;  /* SYMBOL_HI */
    uint32_t high;   /* ..._LO: index of the auipc */
    uint32_t skip;   /* BRANCH without a block: so many items on */
    uint32_t line, offset;
};

struct emitter {
    struct mir_func *func;
    struct cy_object *object;
    struct cy_diags *diags;
    CY_VEC(struct item) items;
    CY_VEC(uint32_t) layout;
    uint32_t *first;  /* by block: its first item */
    uint32_t *offset; /* by block */
    uint8_t *is_long; /* by block: its branch does not reach */
    uint32_t size;
    uint32_t line;
    bool failed;
};

/* A prefixed instruction stands behind its prefix. */
static inline uint32_t own_offset(const struct item *item)
{
    return item->offset + item->insn.size - 4u;
}

/* emit_object.c */
void emit_object(struct emitter *e, struct backend_stats *stats);
bool emit_resources(struct emitter *e, const struct ir_func *ir, const struct backend_stats *stats);
void emit_assembly(const struct emitter *e, const struct ir_func *ir, const struct backend_stats *stats,
                   struct cy_buf *out);

#endif
