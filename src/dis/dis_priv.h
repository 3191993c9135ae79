/* Shared by the disassembler's files. */
#ifndef CY_DIS_DIS_PRIV_H
#define CY_DIS_DIS_PRIV_H

#include "dis/dis.h"
#include "obj/lines.h"
#include "sources/sources.h"

/* A named location.  Sections count from 1, as in cy_symbol. */
struct dis_label {
    uint32_t section, address;
    const char *name;
    const struct cy_symbol *symbol;
};

/* The labels of an object by section, address and name; with or without the nameless ones of llvm's debug information,
 * to which relocations refer. */
struct dis_labels {
    CY_VEC(struct dis_label) all;
    size_t *first; /* by section: index of its first label; plus an end entry */
    size_t section_count;
};
void dis_labels_make(struct dis_labels *labels, const struct cy_object *object, bool nameless);
void dis_labels_free(struct dis_labels *labels);
/* The index after the last label of a section at or below an address. */
size_t dis_labels_after(const struct dis_labels *labels, uint32_t section, uint32_t address);
/* The section an address belongs to, seen from code in `section`; 0: none. */
uint32_t dis_section_of(const struct cy_object *object, uint32_t section, uint32_t address);
/* The best label for an address: the last one of the section at or below it.  NULL: none. */
const struct dis_label *dis_label_of(const struct dis_labels *labels, uint32_t section, uint32_t address);

/* Operands of a row that matter to the disassembler; -1: the row has none. */
struct dis_roles {
    int8_t pcrel, rd, rs1, csr, imm;
};
const struct dis_roles *dis_roles(void); /* by enum cy_op */

/* dis_lines.c: source lines, if requested and present in the object. */
struct dis_lines {
    bool is_on, lines_too, sources_too;
    struct cy_lines lines;
    struct cy_sources sources;
    struct dis_text *texts; /* by file */
    const char *last_function;
    uint32_t last_file, last_line;
};
void dis_lines_open(struct dis_lines *l, const struct cy_dis *listing, const struct cy_object *object);
/* Prints what is new at this address, which belongs to a function. */
void dis_lines_put(struct dis_lines *l, uint32_t address, const struct dis_label *function, struct cy_buf *out);
void dis_lines_close(struct dis_lines *l);

static inline uint32_t dis_word(const struct cy_section *section, uint32_t offset)
{
    const uint8_t *at = (const uint8_t *)section->data.data + offset;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Mapping symbols of the psABI: where code and data start. */
static inline bool dis_is_mark(const char *name)
{
    return name[0] == '$' && (name[1] == 'x' || name[1] == 'd');
}

#endif
