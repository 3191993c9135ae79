/* Contents of the output sections, with every relocation applied.  S + A and P are as in the RISC-V psABI: the symbol's
 * address plus the addend, and the relocated address.  EpicGPU's types are in link_reloc_epic.c. */
#include "ld/link_priv.h"

#include <string.h>

enum shape {
    SHAPE_NO = 0, /* no such type */
    SHAPE_MARK,   /* without effect here */
    SHAPE_BRANCH, /* conditional branch, scalar or vector: ±4 KiB */
    SHAPE_JAL,
    SHAPE_CALL, /* auipc + jalr */
    SHAPE_HI,   /* upper 20 bits, rounded for the signed lower part */
    SHAPE_LO_I,
    SHAPE_LO_S,
    SHAPE_PC_HI,
    SHAPE_PC_LO_I, /* the symbol labels the instruction with the upper part */
    SHAPE_PC_LO_S,
    SHAPE_GOT_HI,
    SHAPE_SET, /* data */
    SHAPE_ADD,
    SHAPE_SUB,
    SHAPE_SET6, /* the low six bits of a byte */
    SHAPE_SUB6,
    SHAPE_PC_DATA,
    SHAPE_GOT_DATA,
    SHAPE_SET_ULEB,
    SHAPE_SUB_ULEB,
    SHAPE_C_BRANCH, /* compressed instructions */
    SHAPE_C_JUMP,
    SHAPE_C_LUI,
    SHAPE_TLS,
    SHAPE_DYNAMIC,
};

static const struct kind {
    uint8_t shape, bytes;
} kinds[] = {
    [CY_R_RISCV_NONE] = {SHAPE_MARK, 0},
    [CY_R_RISCV_RELAX] = {SHAPE_MARK, 0},
    [CY_R_RISCV_ALIGN] = {SHAPE_MARK, 0},
    [CY_R_RISCV_TPREL_ADD] = {SHAPE_TLS, 4},
    [CY_R_RISCV_BRANCH] = {SHAPE_BRANCH, 4},
    [CY_R_RISCV_JAL] = {SHAPE_JAL, 4},
    [CY_R_RISCV_CALL] = {SHAPE_CALL, 8},
    [CY_R_RISCV_CALL_PLT] = {SHAPE_CALL, 8},
    [CY_R_RISCV_HI20] = {SHAPE_HI, 4},
    [CY_R_RISCV_LO12_I] = {SHAPE_LO_I, 4},
    [CY_R_RISCV_LO12_S] = {SHAPE_LO_S, 4},
    [CY_R_RISCV_PCREL_HI20] = {SHAPE_PC_HI, 4},
    [CY_R_RISCV_PCREL_LO12_I] = {SHAPE_PC_LO_I, 4},
    [CY_R_RISCV_PCREL_LO12_S] = {SHAPE_PC_LO_S, 4},
    [CY_R_RISCV_GOT_HI20] = {SHAPE_GOT_HI, 4},
    [CY_R_RISCV_GOT32_PCREL] = {SHAPE_GOT_DATA, 4},
    [CY_R_RISCV_32] = {SHAPE_SET, 4},
    [CY_R_RISCV_64] = {SHAPE_SET, 8},
    [CY_R_RISCV_SET8] = {SHAPE_SET, 1},
    [CY_R_RISCV_SET16] = {SHAPE_SET, 2},
    [CY_R_RISCV_SET32] = {SHAPE_SET, 4},
    [CY_R_RISCV_ADD8] = {SHAPE_ADD, 1},
    [CY_R_RISCV_ADD16] = {SHAPE_ADD, 2},
    [CY_R_RISCV_ADD32] = {SHAPE_ADD, 4},
    [CY_R_RISCV_ADD64] = {SHAPE_ADD, 8},
    [CY_R_RISCV_SUB8] = {SHAPE_SUB, 1},
    [CY_R_RISCV_SUB16] = {SHAPE_SUB, 2},
    [CY_R_RISCV_SUB32] = {SHAPE_SUB, 4},
    [CY_R_RISCV_SUB64] = {SHAPE_SUB, 8},
    [CY_R_RISCV_SET6] = {SHAPE_SET6, 1},
    [CY_R_RISCV_SUB6] = {SHAPE_SUB6, 1},
    [CY_R_RISCV_32_PCREL] = {SHAPE_PC_DATA, 4},
    [CY_R_RISCV_PLT32] = {SHAPE_PC_DATA, 4},
    [CY_R_RISCV_SET_ULEB128] = {SHAPE_SET_ULEB, 1},
    [CY_R_RISCV_SUB_ULEB128] = {SHAPE_SUB_ULEB, 1},
    [CY_R_RISCV_RVC_BRANCH] = {SHAPE_C_BRANCH, 2},
    [CY_R_RISCV_RVC_JUMP] = {SHAPE_C_JUMP, 2},
    [CY_R_RISCV_RVC_LUI] = {SHAPE_C_LUI, 2},
    [CY_R_RISCV_TLS_GOT_HI20] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLS_GD_HI20] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TPREL_HI20] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TPREL_LO12_I] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TPREL_LO12_S] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLS_DTPMOD32] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLS_DTPMOD64] = {SHAPE_TLS, 8},
    [CY_R_RISCV_TLS_DTPREL32] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLS_DTPREL64] = {SHAPE_TLS, 8},
    [CY_R_RISCV_TLS_TPREL32] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLS_TPREL64] = {SHAPE_TLS, 8},
    [CY_R_RISCV_TLSDESC] = {SHAPE_TLS, 8},
    [CY_R_RISCV_TLSDESC_HI20] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLSDESC_LOAD_LO12] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLSDESC_ADD_LO12] = {SHAPE_TLS, 4},
    [CY_R_RISCV_TLSDESC_CALL] = {SHAPE_TLS, 4},
    [CY_R_RISCV_RELATIVE] = {SHAPE_DYNAMIC, 4},
    [CY_R_RISCV_COPY] = {SHAPE_DYNAMIC, 4},
    [CY_R_RISCV_JUMP_SLOT] = {SHAPE_DYNAMIC, 4},
    [CY_R_RISCV_IRELATIVE] = {SHAPE_DYNAMIC, 4},
};

int link_reloc_bytes(const struct link *link, uint32_t type, const char **why)
{
    if (link->machine == CY_EM_EPIC)
        return link_reloc_bytes_epic(type, why);
    enum shape shape = type < CY_COUNT(kinds) ? (enum shape)kinds[type].shape : SHAPE_NO;
    switch (shape) {
    case SHAPE_NO: *why = "it is not supported"; return -1;
    case SHAPE_TLS: *why = "there are no thread-local variables on this machine"; return -1;
    case SHAPE_DYNAMIC: *why = "it belongs to dynamic linking, which this machine does not have"; return -1;
    default: return kinds[type].bytes;
    }
}

bool link_is_got(const struct link *link, uint32_t type)
{
    return link->machine == CY_EM_RISCV && (type == CY_R_RISCV_GOT_HI20 || type == CY_R_RISCV_GOT32_PCREL);
}

/* ---- addresses ---- */

uint32_t link_target_address(const struct link_target *target, int32_t addend)
{
    if (target->global && target->global->state == LINK_PROVIDED)
        return target->global->value + (uint32_t)addend;
    if (!target->input)
        return target->value + (uint32_t)addend;
    const struct link_input *input = target->input;
    if (!input->output)
        return 0;
    uint32_t base = input->output->address + input->offset;
    /* An addend to a section symbol is an offset in the section as it was read; one to another symbol moves with the
     * symbol. */
    if (target->is_section)
        return base + link_cut_offset(input, target->value + (uint32_t)addend);
    return base + link_cut_offset(input, target->value) + (uint32_t)addend;
}

static uint32_t place_address(const struct link_input *input, uint32_t offset)
{
    return input->output->address + input->offset + link_cut_offset(input, offset);
}

/* ---- one relocation ---- */

struct place {
    struct link *link;
    const struct link_input *input;
    const struct cy_reloc *reloc;
    uint8_t *at;
    uint8_t *end;     /* of the section */
    uint32_t address; /* P */
    struct link_target target;
    uint32_t value; /* S + A */
};

static uint64_t load(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void store(uint8_t *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_bits(uint8_t *at, uint32_t mask, uint32_t bits)
{
    store(at, 4, (load(at, 4) & ~mask) | (bits & mask));
}

static void put_u(uint8_t *at, uint32_t value)
{
    put_bits(at, 0xfffff000, value + 0x800);
}

static void put_i(uint8_t *at, uint32_t value)
{
    put_bits(at, 0xfff00000, value << 20);
}

static void put_s(uint8_t *at, uint32_t value)
{
    put_bits(at, 0xfe000f80, (value >> 5 & 0x7f) << 25 | (value & 0x1f) << 7);
}

static const char *type_name(const struct place *place)
{
    return cy_reloc_name(place->link->machine, place->reloc->type);
}

void link_report_range(const struct link_report *report, int64_t distance, int64_t reach, unsigned step)
{
    if (distance % step)
        cy_diag_file(report->diags, CY_ERROR, NULL, "%s in %s(%s+0x%x) to '%s': %lld is not a multiple of %u",
                     report->type, report->file, report->section, report->offset, report->target, (long long)distance,
                     step);
    else
        cy_diag_file(report->diags, CY_ERROR, NULL,
                     "%s in %s(%s+0x%x) to '%s' is %lld bytes away, reach is \302\261%lld", report->type, report->file,
                     report->section, report->offset, report->target, (long long)(distance < 0 ? -distance : distance),
                     (long long)reach);
}

/* Distance to the target, checked against ±reach.  A branch to an undefined weak symbol is never taken: it branches to
 * itself, which always fits. */
static bool distance_to(const struct place *place, int32_t reach, uint32_t *distance)
{
    int32_t d = place->target.weak_undefined ? 0 : (int32_t)(place->value - place->address);
    *distance = (uint32_t)d;
    if (d >= -reach && d < reach && d % 2 == 0)
        return true;
    struct link_report report = {place->link->diags, type_name(place),     place->input->file->object->name,
                                 place->input->name, place->reloc->offset, place->target.name};
    link_report_range(&report, d, reach, 2);
    return false;
}

static bool put_branch(const struct place *place)
{
    uint32_t d;
    if (!distance_to(place, 1 << 12, &d))
        return false;
    put_bits(place->at, 0xfe000f80,
             (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | (d >> 1 & 0xf) << 8 | (d >> 11 & 1) << 7);
    return true;
}

static bool put_jal(const struct place *place)
{
    uint32_t d;
    if (!distance_to(place, 1 << 20, &d))
        return false;
    put_bits(place->at, 0xfffff000,
             (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 | (d >> 12 & 0xff) << 12);
    return true;
}

static bool put_compressed(const struct place *place, bool jump)
{
    uint32_t d, word = (uint32_t)load(place->at, 2);
    if (!distance_to(place, jump ? 1 << 11 : 1 << 8, &d))
        return false;
    if (jump)
        word = (word & 0xe003) | (d >> 11 & 1) << 12 | (d >> 4 & 1) << 11 | (d >> 8 & 3) << 9 | (d >> 10 & 1) << 8 |
               (d >> 6 & 1) << 7 | (d >> 7 & 1) << 6 | (d >> 1 & 7) << 3 | (d >> 5 & 1) << 2;
    else
        word = (word & 0xe383) | (d >> 8 & 1) << 12 | (d >> 3 & 3) << 10 | (d >> 6 & 3) << 5 | (d >> 1 & 3) << 3 |
               (d >> 5 & 1) << 2;
    store(place->at, 2, word);
    return true;
}

static bool put_c_lui(const struct place *place)
{
    uint32_t upper = (place->value + 0x800) >> 12, word = (uint32_t)load(place->at, 2);
    if (upper == 0) /* c.lui cannot load 0: use c.li rd, 0 */
        word = (word & 0x0f83) | 0x4000;
    else
        word = (word & 0xef83) | (upper >> 5 & 1) << 12 | (upper & 0x1f) << 2;
    if (upper > 0x1f && upper < 0xfffe0) {
        cy_diag_file(place->link->diags, CY_ERROR, NULL, "%s in %s(%s+0x%x): 0x%x does not fit", type_name(place),
                     place->input->file->object->name, place->input->name, place->reloc->offset, place->value);
        return false;
    }
    store(place->at, 2, word);
    return true;
}

/* The upper-part relocation to which a lower part belongs. */
static const struct cy_reloc *find_upper(const struct link_input *input, uint32_t offset)
{
    if (!input || !input->live)
        return NULL;
    const struct cy_reloc *relocs = input->relocs;
    size_t low = 0, high = input->reloc_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (relocs[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < input->reloc_count && relocs[low].offset == offset; low++)
        if (relocs[low].type == CY_R_RISCV_PCREL_HI20 || relocs[low].type == CY_R_RISCV_GOT_HI20)
            return &relocs[low];
    return NULL;
}

static uint32_t got_address(const struct link *link, const struct link_target *target, int32_t addend)
{
    return place_address(link->got_input, link_got_offset(link, target)) + (uint32_t)addend;
}

static bool put_pc_low(const struct place *place, bool store_form)
{
    const struct link_input *input = place->target.input;
    uint32_t offset = place->target.value + (place->target.is_section ? (uint32_t)place->reloc->addend : 0);
    const struct cy_reloc *upper = find_upper(input, offset);
    if (!upper) {
        cy_diag_file(place->link->diags, CY_ERROR, NULL, "%s in %s(%s+0x%x): there is no %%pcrel_hi at '%s'",
                     type_name(place), place->input->file->object->name, place->input->name, place->reloc->offset,
                     place->target.name);
        return false;
    }
    struct link_target target = link_target_of(input->file, upper->symbol);
    uint32_t value = upper->type == CY_R_RISCV_GOT_HI20 ? got_address(place->link, &target, upper->addend)
                                                        : link_target_address(&target, upper->addend);
    value -= place_address(input, offset);
    if (store_form)
        put_s(place->at, value);
    else
        put_i(place->at, value);
    return true;
}

/* A ULEB128 number keeps its length. */
static bool put_uleb(const struct place *place, uint32_t value)
{
    uint8_t *at = place->at;
    for (;; at++) {
        if (at == place->end) {
            cy_diag_file(place->link->diags, CY_ERROR, NULL,
                         "%s in %s(%s+0x%x): the number runs over the end of its section", type_name(place),
                         place->input->file->object->name, place->input->name, place->reloc->offset);
            return false;
        }
        bool more = *at & 0x80;
        *at = (uint8_t)((value & 0x7f) | (more ? 0x80 : 0));
        value >>= 7;
        if (!more)
            break;
    }
    if (!value)
        return true;
    cy_diag_file(place->link->diags, CY_ERROR, NULL, "%s in %s(%s+0x%x): the number does not fit in its %d bytes",
                 type_name(place), place->input->file->object->name, place->input->name, place->reloc->offset,
                 (int)(at + 1 - place->at));
    return false;
}

static uint32_t load_uleb(const struct place *place)
{
    uint32_t value = 0;
    unsigned shift = 0;
    for (const uint8_t *at = place->at; at < place->end; at++, shift += 7) {
        if (shift < 32)
            value |= (uint32_t)(*at & 0x7f) << shift;
        if (!(*at & 0x80))
            break;
    }
    return value;
}

/* SET and SUB at one place form one difference: the two addresses alone need not fit. */
static bool put_uleb_pair(const struct place *place)
{
    const struct cy_reloc *next = place->reloc + 1;
    if (next < place->input->relocs + place->input->reloc_count && next->offset == place->reloc->offset &&
        next->type == CY_R_RISCV_SUB_ULEB128) {
        struct link_target target = link_target_of(place->input->file, next->symbol);
        return put_uleb(place, place->value - link_target_address(&target, next->addend));
    }
    return put_uleb(place, place->value);
}

static bool sub_uleb(const struct place *place)
{
    const struct cy_reloc *before = place->reloc - 1;
    if (place->reloc > place->input->relocs && before->offset == place->reloc->offset &&
        before->type == CY_R_RISCV_SET_ULEB128)
        return true; /* handled with its SET */
    return put_uleb(place, load_uleb(place) - place->value);
}

static void put_nops(const struct place *place)
{
    const struct cy_reloc *reloc = place->reloc;
    uint32_t bytes = link_cut_offset(place->input, reloc->offset + (uint32_t)reloc->addend) -
                     link_cut_offset(place->input, reloc->offset);
    uint8_t *at = place->at;
    if (bytes == (uint32_t)reloc->addend)
        return; /* nothing was removed */
    for (; bytes >= 4; bytes -= 4, at += 4)
        store(at, 4, 0x00000013);
    if (bytes == 2)
        store(at, 2, 0x0001);
}

static bool apply(const struct place *place)
{
    uint8_t *at = place->at;
    uint32_t value = place->value, relative = value - place->address;
    struct kind kind = kinds[place->reloc->type];
    switch ((enum shape)kind.shape) {
    case SHAPE_BRANCH: return put_branch(place);
    case SHAPE_JAL: return put_jal(place);
    case SHAPE_C_BRANCH: return put_compressed(place, false);
    case SHAPE_C_JUMP: return put_compressed(place, true);
    case SHAPE_C_LUI: return put_c_lui(place);
    case SHAPE_PC_LO_I: return put_pc_low(place, false);
    case SHAPE_PC_LO_S: return put_pc_low(place, true);
    case SHAPE_SET_ULEB: return put_uleb_pair(place);
    case SHAPE_SUB_ULEB: return sub_uleb(place);
    case SHAPE_CALL:
        if (place->target.weak_undefined)
            relative = 0;
        put_u(at, relative);
        put_i(at + 4, relative);
        return true;
    case SHAPE_HI: put_u(at, value); return true;
    case SHAPE_LO_I: put_i(at, value); return true;
    case SHAPE_LO_S: put_s(at, value); return true;
    case SHAPE_PC_HI: put_u(at, relative); return true;
    case SHAPE_GOT_HI:
        put_u(at, got_address(place->link, &place->target, place->reloc->addend) - place->address);
        return true;
    case SHAPE_GOT_DATA:
        store(at, 4, got_address(place->link, &place->target, place->reloc->addend) - place->address);
        return true;
    case SHAPE_SET: store(at, kind.bytes, value); return true;
    case SHAPE_ADD: store(at, kind.bytes, load(at, kind.bytes) + value); return true;
    case SHAPE_SUB: store(at, kind.bytes, load(at, kind.bytes) - value); return true;
    case SHAPE_SET6: *at = (uint8_t)((*at & 0xc0) | (value & 0x3f)); return true;
    case SHAPE_SUB6: *at = (uint8_t)((*at & 0xc0) | ((*at - value) & 0x3f)); return true;
    case SHAPE_PC_DATA: store(at, 4, relative); return true;
    default: break; /* markers; link_scan rejects everything else */
    }
    if (place->reloc->type == CY_R_RISCV_ALIGN)
        put_nops(place);
    return true;
}

/* Debug information about dropped code: address 0, or 1 where a pair of zeros ends a list. */
static bool is_dropped(const struct link_target *target)
{
    return target->input && !target->input->live;
}

static uint32_t tombstone(const struct link_input *input)
{
    return strcmp(input->name, ".debug_ranges") == 0 || strcmp(input->name, ".debug_loc") == 0;
}

static bool relocate_input(struct link *link, const struct link_input *input, uint8_t *bytes)
{
    bool ok = true;
    for (size_t i = 0; i < input->reloc_count; i++) {
        const struct cy_reloc *reloc = &input->relocs[i];
        struct place place = {.link = link,
                              .input = input,
                              .reloc = reloc,
                              .at = bytes + link_cut_offset(input, reloc->offset),
                              .end = bytes + input->size,
                              .address = place_address(input, reloc->offset),
                              .target = link_target_of(input->file, reloc->symbol)};
        place.value = is_dropped(&place.target) ? tombstone(input) : link_target_address(&place.target, reloc->addend);
        if (link->machine == CY_EM_EPIC)
            ok = link_apply_epic(link, input, reloc, place.at, place.value, place.address, place.target.name) && ok;
        else
            ok = apply(&place) && ok;
    }
    return ok;
}

/* ---- contents ---- */

static void copy_input(struct link_output *output, const struct link_input *input)
{
    const struct cy_section *section = input->section;
    cy_buf_zeros(&output->data, input->offset - output->data.size);
    if (!section || section->type == CY_SHT_NOBITS) {
        cy_buf_zeros(&output->data, input->size);
        return;
    }
    uint32_t from = 0, before = 0;
    for (uint32_t i = 0; i < input->cut_count; i++) {
        const struct link_cut *cut = &input->cuts[i];
        uint32_t kept_end = cut->at - (cut->removed - before);
        cy_buf_append(&output->data, section->data.data + from, kept_end - from);
        from = cut->at;
        before = cut->removed;
    }
    if (section->size > from)
        cy_buf_append(&output->data, section->data.data + from, section->size - from);
}

bool link_relocate(struct link *link)
{
    bool ok = true;
    for (size_t i = 0; i < link->outputs.count; i++) {
        struct link_output *output = link->outputs.at[i];
        if (output->type == CY_SHT_NOBITS)
            continue;
        cy_buf_reserve(&output->data, output->size);
        for (size_t k = 0; k < output->inputs.count; k++)
            copy_input(output, output->inputs.at[k]);
        for (size_t k = 0; k < output->inputs.count; k++) {
            const struct link_input *input = output->inputs.at[k];
            uint8_t *bytes = (uint8_t *)output->data.data + input->offset;
            if (input->section)
                ok = relocate_input(link, input, bytes) && ok;
            if (input == link->got_input)
                for (size_t g = 0; g < link->got.count; g++)
                    store(bytes + LINK_GOT_RESERVED + 4 * g, 4, link_target_address(&link->got.at[g], 0));
        }
    }
    return ok;
}
