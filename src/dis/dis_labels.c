/* Labels, looked up by address. */
#include "dis/dis_priv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const struct dis_label *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_label(const struct cy_symbol *symbol)
{
    return symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_ABS && symbol->section != CY_SHN_COMMON &&
           symbol->type != CY_STT_SECTION && symbol->type != CY_STT_FILE && symbol->name[0] &&
           !dis_is_mark(symbol->name);
}

static bool is_nameless(const struct cy_symbol *symbol)
{
    return strcmp(symbol->name, ".L0 ") == 0;
}

void dis_labels_make(struct dis_labels *labels, const struct cy_object *object, bool nameless)
{
    *labels = (struct dis_labels){.section_count = object->sections.count};
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (is_label(symbol) && (nameless || !is_nameless(symbol)))
            *cy_vec_push(&labels->all) = (struct dis_label){symbol->section, symbol->value, symbol->name, symbol};
    }
    if (labels->all.count)
        qsort(labels->all.at, labels->all.count, sizeof(*labels->all.at), by_place);
    labels->first = cy_xrealloc(NULL, (object->sections.count + 2) * sizeof(*labels->first));
    size_t at = 0;
    for (size_t section = 0; section <= object->sections.count + 1; section++) {
        while (at < labels->all.count && labels->all.at[at].section < section)
            at++;
        labels->first[section] = at;
    }
}

void dis_labels_free(struct dis_labels *labels)
{
    cy_vec_free(&labels->all);
    cy_free(labels->first);
    labels->first = NULL;
}

size_t dis_labels_after(const struct dis_labels *labels, uint32_t section, uint32_t address)
{
    size_t low = labels->first[section], high = labels->first[section + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (labels->all.at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* In an executable an address belongs to the loaded section that starts last at or below it. */
static uint32_t section_at(const struct cy_object *object, uint32_t address)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < object->sections.count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        if (!(section->flags & CY_SHF_ALLOC) || section->address > address)
            continue;
        if (!best || section->address >= object->sections.at[best - 1].address)
            best = i + 1;
    }
    return best;
}

uint32_t dis_section_of(const struct cy_object *object, uint32_t section, uint32_t address)
{
    const struct cy_section *own = &object->sections.at[section - 1];
    if (object->type == CY_ET_REL || (address >= own->address && address - own->address < own->size))
        return section;
    return section_at(object, address);
}

const struct dis_label *dis_label_of(const struct dis_labels *labels, uint32_t section, uint32_t address)
{
    if (!section)
        return NULL;
    size_t after = dis_labels_after(labels, section, address);
    return after > labels->first[section] ? &labels->all.at[after - 1] : NULL;
}

/* ---- operands of rows ---- */

static struct dis_roles roles[CY_OP_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_roles(void)
{
    for (int op = 0; op < CY_OP_COUNT; op++) {
        roles[op] = (struct dis_roles){-1, -1, -1, -1, -1};
        if (op == CY_OP_INVALID)
            continue;
        enum cy_field fields[CY_MAX_OPERANDS];
        size_t count = cy_format_operands(cy_insns[op].format, fields);
        for (size_t i = 0; i < count; i++) {
            int8_t index = (int8_t)i;
            if (cy_fields[fields[i]].kind == CY_PCREL)
                roles[op].pcrel = index;
            else if (fields[i] == CY_FIELD_rd)
                roles[op].rd = index;
            else if (fields[i] == CY_FIELD_rs1)
                roles[op].rs1 = index;
            else if (fields[i] == CY_FIELD_csr)
                roles[op].csr = index;
            else if (fields[i] == CY_FIELD_imm12)
                roles[op].imm = index;
        }
    }
}

const struct dis_roles *dis_roles(void)
{
    pthread_once(&once, find_roles);
    return roles;
}
