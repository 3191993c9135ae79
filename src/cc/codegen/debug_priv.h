/* Shared by the writers of debug information. */
#ifndef CY_CC_CODEGEN_DEBUG_PRIV_H
#define CY_CC_CODEGEN_DEBUG_PRIV_H

#include "abi/abi.h"
#include "base/strmap.h"
#include "cc/codegen/debug.h"

/* The DWARF constants used by several files, under the standard's names. */
enum {
    DW_FORM_addr = 0x01,
    DW_FORM_data2 = 0x05,
    DW_FORM_data4 = 0x06,
    DW_FORM_string = 0x08,
    DW_FORM_strp = 0x0e,
    DW_FORM_udata = 0x0f,
    DW_OP_addr = 0x03,
    DW_OP_deref = 0x06,
    DW_OP_const4u = 0x0c,
    DW_OP_const4s = 0x0d,
    DW_OP_minus = 0x1c,
    DW_OP_plus_uconst = 0x23,
    DW_OP_lit0 = 0x30,
    DW_OP_breg0 = 0x70,
    DW_OP_reg0 = 0x50,
    DW_OP_regx = 0x90,
    DW_OP_fbreg = 0x91,
    DW_OP_piece = 0x93,
    DW_OP_call_frame_cfa = 0x9c,
    DW_OP_implicit_value = 0x9e,
    DW_OP_stack_value = 0x9f,
    DEBUG_VERSION = 5,
    /* The canonical frame address counts private memory backwards from here: debuggers expect that callees have smaller
     * ones, and our stacks grow upwards. */
    DEBUG_CFA_TOP = CY_LDS_BASE,
};

struct debug_writer {
    const struct cc_debug *debug;
    uint32_t abbrev, line, text, locations, ranges, frame; /* section symbols */
    uint32_t strings;
    const char *directory;

    /* debug_unit.c */
    struct cy_strmap abbreviations;
    struct debug_instance *instances;
    size_t instance_count;
    uint32_t *type_at;                                 /* by type: the offset of its entry */
    uint32_t *abstract_at;                             /* by scope: of the function that was inlined; 0: none */
    uint32_t *func_at;                                 /* by function of the module */
    CY_VEC(uint32_t) type_references, call_references; /* offsets of words to fill in */
    uint32_t dwarf_types;
};

struct cy_section *debug_section(const struct debug_writer *w, const char *name);
uint32_t debug_add_section(struct debug_writer *w, const char *name);
void debug_put(struct cy_section *to, unsigned bytes, uint32_t value);
void debug_put_udata(struct cy_section *to, uint32_t value);
void debug_put_sdata(struct cy_section *to, int32_t value);
/* A word that the linker fills in. */
void debug_put_reference(struct cy_section *to, uint32_t symbol, uint32_t addend);
void debug_put_string(struct debug_writer *w, struct cy_section *to, const char *text);
/* Fills in a unit's length once its end is known. */
void debug_close_unit(struct cy_section *unit);

void debug_put_unit(struct debug_writer *w);
void debug_put_frames(struct debug_writer *w);

#endif
