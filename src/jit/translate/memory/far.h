/* How lanes access memory by 64-bit addresses: between far.c, far_bounds.c and far_narrow.c. */
#ifndef CY_JIT_FAR_H
#define CY_JIT_FAR_H

#include "jit/translate/memory/rows.h"

/* One address; a constant distance; an index per lane; any. */
enum form { ONE, SPAN, INDEX, ANY };

struct far_access {
    struct wide base;
    enum form form;
    int64_t stride; /* SPAN: bytes from lane to lane */
    uint32_t group;
    int64_t offset;               /* of the instruction */
    unsigned size, words, number; /* bytes; registers, and the first one's number */
    bool zero_extend, is_scalar;
    bool is_line;            /* INDEX: by a step that is known when the code runs */
    bool may_be_row;         /* INDEX: words that may turn out to be consecutive, or one */
    LLVMValueRef index;      /* INDEX: for inactive lanes, that of an active one */
    LLVMValueRef lanes;      /* ANY: the same, addresses */
    struct numbers *numbers; /* of either */
};

/* far.c */
struct far_access describe_far(struct translator *t, const struct inst *inst);
/* This instruction's access, by the same addresses. */
struct far_access far_access_like(const struct far_access *other, const struct inst *inst);
/* The addresses, and the group's check if it is the first of its accesses. */
void prepare_far(struct translator *t, const struct inst *inst, struct far_access *access);
bool are_far_halves(const struct translator *t, const struct far_access *access); /* the words, of 64-bit elements */
LLVMValueRef far_row_pointer(struct translator *t, const struct far_access *access,
                             int64_t offset); /* a SPAN's lowest lane */
bool is_far_row(const struct far_access *access, unsigned bytes);
struct places far_places(const struct translator *t, const struct far_access *access);
/* Of a group that is in one extent. */
void load_far(struct translator *t, const struct far_access *access, LLVMValueRef *out);
/* Lane by lane, by a helper. */
void call_far_access(struct translator *t, const struct inst *inst, const struct far_access *access,
                     const struct value *data, LLVMValueRef *out);
/* Either way, of an access that was prepared. */
void emit_far_access(struct translator *t, const struct inst *inst, struct far_access *access, const struct value *data,
                     LLVMValueRef *out);

/* far_bounds.c */
/* Fields of a site: of an extent, the lowest address, how many units of the alignment from there on are allowed, and what to add for the
 * host's address. */
enum far_field { FAR_LOW, FAR_COUNT, FAR_BIAS };
LLVMValueRef far_site_field(struct translator *t, LLVMValueRef sites, uint64_t site, enum far_field which);
/* An index as 64 bits, or as many vectors of them. */
LLVMValueRef far_index(struct translator *t, const struct wide *base, LLVMValueRef index, LLVMTypeRef type);
LLVMValueRef far_address(struct translator *t, const struct wide *base, LLVMValueRef index); /* i64, of an i32 */
int64_t far_below_base(const struct translator *t, const struct far_access *access); /* how far lanes are below it */
/* Of a line: bytes from lane to lane, and the first lane's address. */
LLVMValueRef far_step(struct translator *t, const struct far_access *access);
LLVMValueRef far_start(struct translator *t, const struct far_access *access);
LLVMValueRef first_active_lane(struct translator *t);
/* The addresses of inactive lanes mean nothing: they are replaced by that of an active one. */
LLVMValueRef of_active_lanes(struct translator *t, LLVMValueRef lanes);
LLVMValueRef find_far_kind(struct translator *t, const struct far_access *access); /* as find_kind() */
/* Sets the group's bias, the pointer to its lowest address, and whether they may be used. */
void check_far_group(struct translator *t, const struct far_access *access);
/* Bytes that the group accesses, of all lanes, from its pointer on. */
uint64_t far_length(const struct translator *t, const struct far_access *access);

/* far_elements.c */
/* Are these accesses done, with those of the same elements that follow? */
bool load_far_elements(struct translator *t, const struct inst *inst, struct far_access *access);
bool store_far_elements(struct translator *t, const struct inst *inst, struct far_access *access);

/* far_narrow.c */
/* The row that was loaded; NULL: it is better loaded alone. */
LLVMValueRef load_together(struct translator *t, const struct inst *inst, struct far_access *access);
/* Is the store done with others, later or now? */
bool store_together(struct translator *t, struct inst *inst, struct far_access *access, struct value data);

#endif
