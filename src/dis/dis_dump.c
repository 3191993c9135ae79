/* Symbol tables and section contents in the format of llvm-objdump -t and -s. */
#include "dis/dis_priv.h"

#include <string.h>

static const char *section_name(const struct cy_object *object, const struct cy_symbol *symbol)
{
    switch (symbol->section) {
    case CY_SHN_UNDEF: return "*UND*";
    case CY_SHN_ABS: return "*ABS*";
    case CY_SHN_COMMON: return "*COM*";
    default: return object->sections.at[symbol->section - 1].name;
    }
}

void cy_dis_symbols(const struct cy_object *object, struct cy_buf *out)
{
    cy_buf_puts(out, "\nSYMBOL TABLE:\n");
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        bool undefined = symbol->section == CY_SHN_UNDEF, common = symbol->section == CY_SHN_COMMON;
        char scope = symbol->binding == CY_STB_LOCAL                         ? 'l'
                     : symbol->binding == CY_STB_WEAK || undefined || common ? ' '
                                                                             : 'g';
        static const char *const visibilities[] = {"", " .internal", " .hidden", " .protected"};
        char debug = symbol->type == CY_STT_FILE || symbol->type == CY_STT_SECTION ? 'd' : ' ';
        char kind = symbol->type == CY_STT_FILE               ? 'f'
                    : symbol->type == CY_STT_FUNC             ? 'F'
                    : symbol->type == CY_STT_OBJECT || common ? 'O'
                                                              : ' ';
        cy_buf_printf(out, "%08x %c%c   %c%c %s\t%08x%s %s\n", symbol->value, scope,
                      symbol->binding == CY_STB_WEAK ? 'w' : ' ', debug, kind, section_name(object, symbol),
                      symbol->size, visibilities[symbol->visibility & 3], symbol->name);
    }
}

static void put_row(struct cy_buf *out, uint32_t address, const uint8_t *bytes, size_t count)
{
    cy_buf_printf(out, " %04x ", address);
    for (size_t i = 0; i < 16; i++) {
        if (i < count)
            cy_buf_printf(out, "%02x", bytes[i]);
        else
            cy_buf_puts(out, "  ");
        if (i % 4 == 3)
            cy_buf_putc(out, ' ');
    }
    cy_buf_putc(out, ' ');
    for (size_t i = 0; i < count; i++)
        cy_buf_putc(out, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    cy_buf_putc(out, '\n');
}

void cy_dis_contents(const struct cy_object *object, struct cy_buf *out)
{
    for (size_t i = 0; i < object->sections.count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        if (section->size == 0)
            continue;
        cy_buf_printf(out, "Contents of section %s:\n", section->name);
        if (section->type == CY_SHT_NOBITS) {
            cy_buf_printf(out, "<skipping contents of bss section at [%04x, %04x)>\n", section->address,
                          section->address + section->size);
            continue;
        }
        for (size_t at = 0; at < section->data.size; at += 16) {
            size_t rest = section->data.size - at;
            put_row(out, section->address + (uint32_t)at, (const uint8_t *)section->data.data + at,
                    rest < 16 ? rest : 16);
        }
    }
}
