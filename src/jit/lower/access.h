/* Accesses: between checks.c, memory.c, atomics.c and far.c. */
#ifndef CY_JIT_LOWER_ACCESS_H
#define CY_JIT_LOWER_ACCESS_H

#include "jit/analyse/address.h"
#include "jit/lower/lower.h"
#include "jit/translate/memory/access.h"

/* An access whose group was checked. */
struct move {
    const struct cy_sir_insn *insn;
    const struct cy_sir_access *access;
    const struct cy_sir_group *group;
    struct cy_sir_address address;
    struct access lanes; /* as the translator's functions take it */
    LLVMValueRef lowest; /* the group's pointer; NULL: lanes are anywhere */
    LLVMTypeRef element, row;
    bool is_full; /* all lanes are active */
};

/* elements.c */
LLVMValueRef lower_pair_load(struct lower *l, const struct move *m);
LLVMValueRef lower_chunk_load(struct lower *l, const struct move *m);
LLVMValueRef lower_narrow_load(struct lower *l, const struct move *m);
void lower_element_store(struct lower *l, const struct move *m, LLVMValueRef row);

/* checks.c */
/* What is added to the base already, so that offsets are small. */
int64_t lower_bias(const struct lower *l, const struct cy_sir_access *access);
LLVMValueRef lower_base(struct lower *l, const struct cy_sir_insn *insn, bool is_vector);
LLVMValueRef lower_plus(struct lower *l, LLVMValueRef value, int64_t offset);
LLVMValueRef lower_first_active(struct lower *l, LLVMValueRef vector, cy_sir_value mask);
struct cy_sir_address lower_address(struct lower *l, const struct cy_sir_insn *insn);
struct value lower_address_value(struct lower *l, const struct cy_sir_insn *insn, struct cy_sir_address address);
bool lower_under(struct lower *l, cy_sir_value mask); /* true: all lanes are active */
uint32_t lower_site(struct lower *l);

/* far.c */
void lower_far_check(struct lower *l, const struct cy_sir_insn *insn);
LLVMValueRef lower_far_load(struct lower *l, const struct cy_sir_insn *insn);
void lower_far_store(struct lower *l, const struct cy_sir_insn *insn);

#endif
