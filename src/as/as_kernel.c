/* .ventus_kernel NAME [, vgpr=N] [, sgpr=N] [, lds=N] [, pds=N]
 *
 * Declares NAME as a global function and writes its resource record, the section .ventus.resource.NAME with four u16:
 * vGPRs, sGPRs, bytes of local memory, bytes of private memory per thread.  Omitted register counts are derived from
 * the kernel's code, from its label to its .size or the next function: the highest number above v31 and x31 rounded up
 * to 4, and at least 32, because the start-up code and the calling convention use the first 32 freely.  The callee's
 * code is unknown here: a kernel that calls gets the counts of the whole source, and at least 64. */
#include "abi/abi.h"
#include "as/as_priv.h"

#include <string.h>

enum { VGPR, SGPR, LDS, PDS };
static const char *const key_names[] = {"vgpr", "sgpr", "lds", "pds"};
static const unsigned key_limits[] = {CY_VGPRS, CY_SGPRS, UINT16_MAX, UINT16_MAX};
static const uint8_t key_offsets[] = {CY_RESOURCE_VGPRS, CY_RESOURCE_SGPRS, CY_RESOURCE_LDS, CY_RESOURCE_PDS};

/* ---- registers used by the code ---- */

void as_note_label(struct as *as, struct as_symbol *symbol)
{
    if (!(as->section->flags & CY_SHF_EXECINSTR))
        return;
    *cy_vec_push(&as->regions) = (struct as_region){.symbol = symbol, .section = as->section};
    symbol->region = (uint32_t)as->regions.count;
}

void as_note_end(struct as *as, const struct as_symbol *symbol)
{
    if (as->regions.count == 0 || !(as->section->flags & CY_SHF_EXECINSTR) || symbol->section != as->section)
        return;
    *cy_vec_push(&as->regions) = (struct as_region){.symbol = NULL, .section = as->section};
}

static void take_most(struct as_region *most, const struct as_region *region)
{
    if (region->vgprs > most->vgprs)
        most->vgprs = region->vgprs;
    if (region->sgprs > most->sgprs)
        most->sgprs = region->sgprs;
    most->calls |= region->calls;
}

static bool begins_function(const struct as_region *region)
{
    return !region->symbol || region->symbol->is_kernel || region->symbol->type == CY_STT_FUNC;
}

/* `all`: the whole source's use. */
static struct as_region kernel_use(const struct as *as, const struct as_symbol *symbol, const struct as_region *all)
{
    struct as_region most = {0};
    if (symbol->region == 0)
        return most;
    for (size_t i = symbol->region - 1; i < as->regions.count; i++) {
        const struct as_region *region = &as->regions.at[i];
        if (region->section != symbol->section)
            continue;
        if (i >= symbol->region && begins_function(region))
            break;
        take_most(&most, region);
    }
    if (most.calls) {
        take_most(&most, all);
        take_most(&most, &(struct as_region){.vgprs = 2 * CY_CALL_VGPRS, .sgprs = CY_SGPRS});
    }
    return most;
}

/* ---- the directive ---- */

static bool read_key(struct as *as, struct as_kernel *kernel)
{
    struct as_text key = as_word(as);
    int which = -1;
    for (int i = 0; i < 4; i++)
        if (as_text_is(key, key_names[i]))
            which = i;
    if (which < 0)
        return as_fail(as, key.text, key.length ? key.length : 1, "expected vgpr=, sgpr=, lds= or pds=");
    if (kernel->given[which])
        return as_fail(as, key.text, key.length, "'%s' is given twice", key_names[which]);
    if (!as_expect(as, '='))
        return false;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_expression(as, &kernel->values[which]))
        return false;
    kernel->value_locs[which] = as_loc(as, at, (size_t)(as->p - at));
    kernel->given[which] = true;
    return true;
}

bool as_dir_ventus_kernel(struct as *as, int unused)
{
    (void)unused;
    struct as_kernel kernel = {0};
    struct as_text name;
    as_skip_blank(as);
    const char *at = as->p;
    if (as->is_epic)
        return as_fail(as, as->start, 1, "EpicGPU has no kernel records");
    if (!as_name_text(as, "the name of the kernel", &name))
        return false;
    kernel.loc = as_loc(as, at, (size_t)(as->p - at));
    while (as_accept(as, ','))
        if (!read_key(as, &kernel))
            return false;
    if (!as_expect_end(as))
        return false;
    const char *section_name = cy_arena_printf(&as->arena, CY_RESOURCE_SECTION "%.*s", (int)name.length, name.text);
    kernel.symbol = as_find_symbol(as, name.text, name.length);
    kernel.record = as_get_section(as, section_name, strlen(section_name), CY_SHT_PROGBITS, CY_SHF_WRITE);
    if (!kernel.record)
        return as_fail(as, at, name.length, "there are more than %d sections", AS_MAX_SECTIONS);
    if (kernel.symbol->is_kernel || as_here(kernel.record) > 0)
        return as_fail(as, at, name.length, "'%s' already has a resource record", kernel.symbol->name);
    kernel.symbol->is_kernel = true;
    kernel.symbol->declared = true;
    kernel.symbol->is_private = false;
    kernel.symbol->type = CY_STT_FUNC;
    if (kernel.symbol->binding == CY_STB_LOCAL)
        kernel.symbol->binding = CY_STB_GLOBAL;
    kernel.record->declared = true;
    kernel.record->align = 2;
    cy_buf_zeros(&kernel.record->data, CY_RESOURCE_BYTES);
    *cy_vec_push(&as->kernels) = kernel;
    return true;
}

/* ---- the records ---- */

static uint32_t default_of(const struct as_region *use, int which)
{
    uint32_t registers = which == VGPR ? use->vgprs : use->sgprs;
    if (which == LDS || which == PDS)
        return which == LDS ? CY_STACK_BYTES : CY_PRIVATE_BYTES;
    return registers < CY_CALL_VGPRS
               ? CY_CALL_VGPRS
               : (registers + CY_REGISTER_GRANULE - 1) / CY_REGISTER_GRANULE * CY_REGISTER_GRANULE;
}

static void finish_kernel(struct as *as, struct as_kernel *kernel, const struct as_region *all)
{
    if (kernel->symbol->kind != AS_LABEL) {
        as_error_at(as, &kernel->loc, "there is no label '%s:' for this kernel", kernel->symbol->name);
        return;
    }
    struct as_region use = kernel_use(as, kernel->symbol, all);
    for (int i = 0; i < 4; i++) {
        int64_t number = default_of(&use, i);
        if (kernel->given[i]) {
            struct as_value value = kernel->values[i];
            if (!as_evaluate(as, &value, &kernel->value_locs[i]))
                continue;
            if (!as_is_constant(&value)) {
                as_not_constant(as, &value, &kernel->value_locs[i]);
                continue;
            }
            number = value.addend;
        }
        if (number < 0 || number > key_limits[i])
            as_error_at(as, &kernel->value_locs[i], "%s must be from 0 to %u", key_names[i], key_limits[i]);
        uint16_t half = (uint16_t)number;
        memcpy(kernel->record->data.data + key_offsets[i], &half, 2);
    }
}

void as_finish_kernels(struct as *as)
{
    struct as_region all = {0};
    for (size_t i = 0; i < as->regions.count; i++)
        take_most(&all, &as->regions.at[i]);
    for (size_t i = 0; i < as->kernels.count; i++)
        finish_kernel(as, &as->kernels.at[i], &all);
}
