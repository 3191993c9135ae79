/* What a debugger knows about the source (-g): types, scopes, variables and where their values are.
 *
 * The importer fills it from LLVM's metadata; codegen follows the values and writes DWARF.  Indices start at 1, 0 means
 * none. */
#ifndef CY_CC_IR_DEBUG_INFO_H
#define CY_CC_IR_DEBUG_INFO_H

#include "base/mem.h"

/* A member of a structure, a value of an enumeration, a dimension of an array. */
struct debug_member {
    const char *name;
    uint32_t type;
    uint64_t value;      /* offset in bits; the value; the number of elements */
    uint32_t field_bits; /* of a bit field; 0: none */
};

struct debug_type {
    uint16_t tag; /* DWARF's DW_TAG_... */
    uint8_t encoding;
    bool is_vector;
    const char *name; /* NULL: none */
    uint32_t size;    /* bytes */
    uint32_t base;
    uint32_t first, count; /* in debug_info.members */
};

/* A function, or a block in one. */
struct debug_scope {
    const char *name; /* NULL: a block */
    uint32_t parent;  /* of a block */
    uint32_t line;    /* IR_LOCATION of a function */
    uint32_t type;    /* what it returns */
    bool is_prototyped;
};

/* A place in the source: one of LLVM's DILocations. */
struct debug_site {
    uint32_t scope, inlined_at; /* a scope, and the site of the call */
    uint32_t line, column;
};

/* A variable of a function of the module, or (inlined_at) of one that was inlined there. */
struct debug_variable {
    const char *name;
    uint32_t type, scope, inlined_at;
    uint32_t line;
    uint32_t argument; /* number of the parameter; 0: none */
    uint32_t func;     /* index in the module; UINT32_MAX: of the program */
    bool in_frame;     /* it is in private memory, */
    int32_t frame;     /* at this offset of the frame, for as long as it lives */
    uint32_t symbol;   /* of the module: a variable in global, constant or local memory; UINT32_MAX: none */
    uint32_t local;    /* offset in the workgroup's local memory, for one that is there; UINT32_MAX: not */
};

struct debug_info {
    CY_VEC(struct debug_type) types;
    CY_VEC(struct debug_member) members;
    CY_VEC(struct debug_scope) scopes;
    CY_VEC(struct debug_site) sites;
    CY_VEC(struct debug_variable) variables;
};

#endif
