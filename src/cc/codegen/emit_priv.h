/* Shared by the parts of emission. */
#ifndef CY_CC_CODEGEN_EMIT_PRIV_H
#define CY_CC_CODEGEN_EMIT_PRIV_H

#include "cc/codegen/mir.h"

enum fix {
    FIX_NONE,
    FIX_BRANCH,
    FIX_LABEL_HI,
    FIX_LABEL_LO,
    FIX_SYMBOL_HI,
    FIX_SYMBOL_LO,
    FIX_CALL, /* jal, or auipc and jalr if out of range */
    FIX_CALL_HI,
    FIX_CALL_LO
};

/* One instruction of the output. */
struct item {
    struct cy_insn insn;
    uint8_t fix;     /* enum fix: the kind of its last operand */
    uint32_t target; /* BRANCH, LABEL_HI: block, or NONE + `skip`; SYMBOL_HI, CALL: a symbol, a function of the
                      * module */
    int32_t addend;  /* SYMBOL_HI */
    uint32_t high;   /* ..._LO: index of the auipc */
    uint32_t skip;   /* BRANCH without a block: the number of items to skip */
    ir_location line;
    uint32_t offset;
    bool is_raw;      /* a word of inline assembly, which need not be an instruction */
    const char *text; /* of the assembly, at its first word */
};

/* What the linker has to do for inline assembly. */
struct asm_reloc {
    uint32_t item, type;
    const char *symbol; /* NULL: the word `target` of the same assembly */
    uint32_t first, target;
    int32_t addend;
};

/* What a function saves, and where (emit_frame.c). */
struct frame {
    uint8_t vectors[224], scalars[13]; /* their numbers */
    unsigned vector_count, scalar_count;
    uint32_t vector_offset; /* in private memory, after everything else */
    uint32_t private_bytes; /* total size: a callee's starts after it */
    /* items from which on sp has moved, registers are saved, tp has moved; and in the epilogue tp and sp are back, and the
     * first one after it */
    uint32_t sp_moved, saved, tp_moved, epilogue, tp_back, sp_back, left;
};

/* The instructions of a block start at an item; `insn` NONE: the block itself. */
struct mark {
    uint32_t item, block, insn;
};

struct emitter {
    struct mir_func *func;
    const struct ir_func *ir;
    struct cy_object *object;
    struct cy_diags *diags;
    CY_VEC(struct item) items;
    CY_VEC(struct mark) marks; /* with -g, in layout order */
    CY_VEC(uint32_t) layout;
    uint32_t *first;  /* by block: its first item */
    uint32_t *offset; /* by block */
    uint8_t *is_long; /* by block: its branch is out of range */
    uint32_t size;
    ir_location line;
    uint32_t base; /* offset of the code in .text */
    struct frame frame;
    CY_VEC(struct asm_reloc) asm_relocs;
    struct cy_arena arena; /* texts */
    unsigned asm_count;
    bool has_far_calls;
    bool failed;
};

/* emit.c */
struct item *emit_put(struct emitter *e, unsigned op, unsigned count, const int32_t *operands);
#define PUT(e, op, ...) emit_put(e, op, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t), (int32_t[]){__VA_ARGS__})
void emit_put_private(struct emitter *e, bool is_store, int32_t data, int32_t offset, int32_t base); /* one word */
void emit_li(struct emitter *e, int32_t d, int32_t value);

/* emit_asm.c: the assembly that is instruction k of a block */
void emit_asm(struct emitter *e, const struct mir_block *block, size_t k);

/* emit_frame.c */
void emit_plan_frame(struct emitter *e);
void emit_prologue(struct emitter *e);
void emit_epilogue(struct emitter *e);
void emit_frame_address(struct emitter *e, int32_t d, int32_t offset);

/* values.c: where variables are; before blocks are removed, and once everything has its offset. */
struct values;
struct values *emit_find_values(const struct mir_func *func); /* NULL: nothing to find */
void emit_places(const struct emitter *e, const struct values *values, struct backend_stats *stats);
void emit_free_values(struct values *values);

/* A prefixed instruction follows its prefix. */
static inline uint32_t own_offset(const struct item *item)
{
    return item->offset + item->insn.size - 4u;
}

/* emit_object.c */
uint32_t emit_text_size(struct cy_object *object); /* where the next function starts */
void emit_object(struct emitter *e, struct backend_stats *stats);
bool emit_resources(struct emitter *e);
void emit_assembly(const struct emitter *e, struct cy_buf *out);

#endif
