/* Relocations of EpicGPU objects; obj/epic_relocs.def describes what each one patches. */
#include "ld/link_priv.h"

#include <string.h>

int link_reloc_bytes_epic(uint32_t type, const char **why)
{
    switch (type) {
    case CY_R_EPIC_NONE: return 0;
    case CY_R_EPIC_8: return 1;
    case CY_R_EPIC_16: return 2;
    case CY_R_EPIC_32:
    case CY_R_EPIC_32_PCREL:
    case CY_R_EPIC_JUMP:
    case CY_R_EPIC_CALL:
    case CY_R_EPIC_LUI18:
    case CY_R_EPIC_LO13:
    case CY_R_EPIC_HI18:
    case CY_R_EPIC_LO13A:
    case CY_R_EPIC_LO13B: return 4;
    default: *why = "it is not supported"; return -1;
    }
}

static uint32_t load32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store_bytes(uint8_t *at, unsigned bytes, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_bits(uint8_t *at, uint32_t mask, uint32_t bits)
{
    store_bytes(at, 4, (load32(at) & ~mask) | (bits & mask));
}

static void put_imm13(uint8_t *at, uint32_t value)
{
    put_bits(at, 0x0fff8000, (value & 0x1fff) << 15);
}

static void put_imm18(uint8_t *at, uint32_t value)
{
    put_bits(at, 0x0fff83e0, (value >> 5 & 0x1fff) << 15 | (value & 0x1f) << 5);
}

bool link_apply_epic(struct link *link, const struct link_input *input, const struct cy_reloc *reloc, uint8_t *at,
                     uint32_t value, uint32_t address, const char *target)
{
    struct link_report report = {
        link->diags, cy_reloc_name(CY_EM_EPIC, reloc->type), input->file->object->name, input->name, reloc->offset,
        target};
    int32_t distance = (int32_t)(value - address), number = (int32_t)value;
    int32_t low = (int32_t)(value << 18) >> 18; /* v[13:0], sign extended */
    int64_t reach = 0;
    switch (reloc->type) {
    case CY_R_EPIC_8:
        if (number < -0x80 || number > 0xff)
            reach = 0x80;
        store_bytes(at, 1, value);
        break;
    case CY_R_EPIC_16:
        if (number < -0x8000 || number > 0xffff)
            reach = 0x8000;
        store_bytes(at, 2, value);
        break;
    case CY_R_EPIC_32: store_bytes(at, 4, value); break;
    case CY_R_EPIC_32_PCREL: store_bytes(at, 4, (uint32_t)distance); break;
    case CY_R_EPIC_JUMP:
        if (distance < -(1 << 27) || distance >= 1 << 27 || distance % 4) {
            link_report_range(&report, distance, 1 << 27, 4);
            return false;
        }
        put_bits(at, 0x1fffe3ff, ((uint32_t)distance >> 12 & 0xffff) << 13 | ((uint32_t)distance >> 2 & 0x3ff));
        break;
    case CY_R_EPIC_CALL:
        if (number < -(1 << 17) || number >= 1 << 17 || number % 4) {
            link_report_range(&report, number, 1 << 17, 4);
            return false;
        }
        put_bits(at, 0x1fffe000, (value >> 2 & 0xffff) << 13);
        break;
    case CY_R_EPIC_LUI18: put_imm18(at, value >> 14); break;
    case CY_R_EPIC_HI18: put_imm18(at, (value + 0x2000) >> 14); break;
    case CY_R_EPIC_LO13:
        if (number < -4096 || number >= 4096)
            reach = 4096;
        put_imm13(at, value);
        break;
    case CY_R_EPIC_LO13A: put_imm13(at, (uint32_t)(low >> 1)); break;
    case CY_R_EPIC_LO13B:
        if (low - (low >> 1) >= 4096)
            reach = 4096;
        put_imm13(at, (uint32_t)(low - (low >> 1)));
        break;
    default: break; /* NONE; link_scan rejects everything else */
    }
    if (!reach)
        return true;
    cy_diag_file(link->diags, CY_ERROR, NULL, "%s in %s(%s+0x%x) to '%s': %d does not fit, the limit is %lld",
                 report.type, report.file, report.section, report.offset, target, number, (long long)reach);
    return false;
}
