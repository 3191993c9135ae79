/* Which input sections are kept: all, or with gc_sections those reachable from the entry and the kernels. */
#include "ld/link_priv.h"

#include <string.h>

struct gc {
    struct link *link;
    CY_VEC(struct link_input *) todo; /* live, with relocations not followed yet */
};

static void mark(struct gc *gc, struct link_input *input)
{
    if (!input || input->live || input->ignored)
        return;
    input->live = true;
    *cy_vec_push(&gc->todo) = input;
}

static void mark_named(struct gc *gc, const char *name)
{
    for (size_t i = 0; i < gc->link->files.count; i++) {
        struct link_file *file = gc->link->files.at[i];
        for (size_t k = 0; k < file->object->sections.count; k++)
            if (strcmp(file->inputs[k].name, name) == 0)
                mark(gc, &file->inputs[k]);
    }
}

static void mark_target(struct gc *gc, const struct link_target *target)
{
    mark(gc, target->input);
    if (target->global && target->global->state == LINK_PROVIDED && link_start_stop(target->name))
        mark_named(gc, link_start_stop(target->name));
}

static void follow(struct gc *gc)
{
    while (gc->todo.count) {
        const struct link_input *input = gc->todo.at[--gc->todo.count];
        /* Debug and unwind information describes other sections; it keeps nothing alive. */
        if (!input->section || !(input->flags & CY_SHF_ALLOC) || strcmp(input->name, ".eh_frame") == 0)
            continue;
        for (size_t i = 0; i < input->reloc_count; i++) {
            struct link_target target = link_target_of(input->file, input->relocs[i].symbol);
            mark_target(gc, &target);
        }
    }
}

static void mark_symbol(struct gc *gc, const char *name)
{
    const struct link_symbol *symbol = link_find(gc->link, name);
    if (symbol && symbol->state == LINK_DEFINED)
        mark(gc, symbol->input);
}

static bool is_wanted_kernel(const struct link *link, const char *name)
{
    for (size_t i = 0; i < link->job->kernel_count; i++)
        if (strcmp(link->job->kernels[i], name) == 0)
            return true;
    return link->job->kernel_count == 0;
}

static bool is_old_record(const char *name)
{
    return strncmp(name, CY_RESOURCE_SECTION_OLD, sizeof(CY_RESOURCE_SECTION_OLD) - 1) == 0;
}

/* Sections kept although nothing refers to them. */
static bool is_kept(const struct link_input *input)
{
    static const char *const names[] = {".init",  ".fini",  ".init_array", ".fini_array", ".preinit_array",
                                        ".ctors", ".dtors", ".text.init",  ".eh_frame",   CY_PRINTF_SECTION};
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (strcmp(input->name, names[i]) == 0)
            return true;
    return !(input->flags & CY_SHF_ALLOC) || is_old_record(input->name);
}

/* Without any record every global function of the user's objects counts as a kernel, as in the loader. */
static void mark_functions(struct gc *gc)
{
    for (size_t i = 0; i < gc->link->symbols.count; i++) {
        const struct link_symbol *symbol = gc->link->symbols.at[i];
        if (symbol->state == LINK_DEFINED && symbol->type == CY_STT_FUNC && !symbol->file->from_library)
            mark(gc, symbol->input);
    }
}

static void mark_roots(struct gc *gc)
{
    struct link *link = gc->link;
    bool any_record = false, any_old = false;
    for (size_t i = 0; i < link->files.count; i++) {
        struct link_file *file = link->files.at[i];
        for (size_t k = 0; k < file->object->sections.count; k++) {
            struct link_input *input = &file->inputs[k];
            const char *kernel = link_resource_kernel(input->name);
            any_record |= kernel != NULL;
            any_old |= is_old_record(input->name);
            if (kernel && is_wanted_kernel(link, kernel)) {
                mark(gc, input);
                mark_symbol(gc, kernel);
            } else if (!kernel && is_kept(input)) {
                mark(gc, input);
            }
        }
    }
    if (!link->job->no_start || !link->job->entry)
        mark_symbol(gc, "_start");
    if (link->job->entry)
        mark_symbol(gc, link->job->entry);
    for (size_t i = 0; i < link->job->kernel_count; i++)
        mark_symbol(gc, link->job->kernels[i]);
    if (link->job->kernel_count == 0 && (!any_record || any_old))
        mark_functions(gc);
}

/* A kernel requested by name must exist. */
static bool check_kernels(struct link *link)
{
    bool ok = true;
    for (size_t i = 0; i < link->job->kernel_count; i++) {
        const char *name = link->job->kernels[i];
        const struct link_symbol *symbol = link_find(link, name);
        if (symbol && symbol->state == LINK_DEFINED)
            continue;
        const char *near = link_nearest(link, name);
        cy_diag_file(link->diags, CY_ERROR, NULL, "there is no kernel '%s'%s%s%s", name, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
        ok = false;
    }
    return ok;
}

bool link_gc(struct link *link)
{
    if (!check_kernels(link))
        return false;
    struct gc gc = {.link = link};
    if (link->job->gc_sections || link->job->kernel_count) {
        mark_roots(&gc);
        follow(&gc);
    } else {
        for (size_t i = 0; i < link->files.count; i++)
            for (size_t k = 0; k < link->files.at[i]->object->sections.count; k++)
                mark(&gc, &link->files.at[i]->inputs[k]);
        for (size_t i = 0; i < link->extra.count; i++)
            mark(&gc, link->extra.at[i]);
    }
    cy_vec_free(&gc.todo);
    return true;
}
