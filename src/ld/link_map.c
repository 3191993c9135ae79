/* The link map: addresses section by section, object by object, symbol by symbol; and what was dropped. */
#include "ld/link_priv.h"

#include <stdlib.h>
#include <string.h>

struct map_symbol {
    const struct link_input *input;
    uint32_t address;
    const char *name;
};

struct map {
    CY_VEC(struct map_symbol) symbols;
};

static int by_place(const void *a, const void *b)
{
    const struct map_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_symbol(struct map *map, const struct link_input *input, uint32_t value, const char *name)
{
    if (!input || !input->output || !(input->flags & CY_SHF_ALLOC))
        return;
    uint32_t address = input->output->address + input->offset + link_cut_offset(input, value);
    *cy_vec_push(&map->symbols) = (struct map_symbol){input, address, name};
}

/* Compiler labels (.L...) and mapping symbols ($x) are of no interest in a map. */
static bool is_interesting(const struct cy_symbol *symbol)
{
    return symbol->binding == CY_STB_LOCAL && symbol->type != CY_STT_SECTION && symbol->type != CY_STT_FILE &&
           symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_ABS && symbol->section != CY_SHN_COMMON &&
           strncmp(symbol->name, ".L", 2) != 0 && symbol->name[0] != '$' && symbol->name[0];
}

static void collect(const struct link *link, struct map *map)
{
    for (size_t i = 0; i < link->symbols.count; i++) {
        const struct link_symbol *symbol = link->symbols.at[i];
        if (symbol->state == LINK_DEFINED)
            add_symbol(map, symbol->input, symbol->value, symbol->name);
    }
    for (size_t i = 0; i < link->files.count; i++) {
        const struct link_file *file = link->files.at[i];
        for (size_t k = 0; k < file->object->symbols.count; k++) {
            const struct cy_symbol *symbol = &file->object->symbols.at[k];
            if (is_interesting(symbol))
                add_symbol(map, &file->inputs[symbol->section - 1], symbol->value, symbol->name);
        }
    }
    if (map->symbols.count)
        qsort(map->symbols.at, map->symbols.count, sizeof(*map->symbols.at), by_place);
}

static void print_input(const struct map *map, const struct link_input *input, struct cy_buf *out)
{
    uint32_t address = input->output->address + input->offset;
    cy_buf_printf(out, "%08x %8x     %s(%s)\n", address, input->size, input->file->object->name, input->name);
    size_t low = 0, high = map->symbols.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (map->symbols.at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < map->symbols.count && map->symbols.at[low].address <= address + input->size; low++)
        if (map->symbols.at[low].input == input)
            cy_buf_printf(out, "%08x                  %s\n", map->symbols.at[low].address, map->symbols.at[low].name);
}

void link_map(const struct link *link, struct cy_buf *out)
{
    struct map map = {0};
    collect(link, &map);
    cy_buf_puts(out, "address      size section / object / symbol\n");
    for (size_t i = 0; i < link->outputs.count; i++) {
        const struct link_output *output = link->outputs.at[i];
        cy_buf_printf(out, "%08x %8x %s\n", output->address, (uint32_t)output->size, output->name);
        for (size_t k = 0; k < output->inputs.count; k++)
            print_input(&map, output->inputs.at[k], out);
    }
    for (size_t i = 0; i < link->symbols.count; i++)
        if (link->symbols.at[i]->state == LINK_PROVIDED)
            cy_buf_printf(out, "%08x                  %s (by the linker)\n", link->symbols.at[i]->value,
                          link->symbols.at[i]->name);
    bool any = false;
    for (size_t i = 0; i < link->files.count; i++) {
        const struct link_file *file = link->files.at[i];
        for (size_t k = 0; k < file->object->sections.count; k++) {
            if (file->inputs[k].live || file->inputs[k].ignored || !file->inputs[k].size)
                continue;
            cy_buf_printf(out, "%sdropped  %8x %s(%s)\n", any ? "" : "\n", file->inputs[k].size, file->object->name,
                          file->inputs[k].name);
            any = true;
        }
    }
    cy_vec_free(&map.symbols);
}
