/* Libraries without archives: a directory of objects, each linked only if it defines something needed. */
#define _POSIX_C_SOURCE 200809L
#include "ld/link_priv.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cy_library {
    struct cy_arena arena;
    CY_VEC(const struct cy_object *) members;
    CY_VEC(struct cy_object *) owned;
    CY_VEC(struct cy_buf) images;
    struct cy_strmap names;  /* every symbol defined by a member */
    CY_VEC(uint32_t) owners; /* by id of the name: the first member that defines it */
};

static void add_member(struct cy_library *library, const struct cy_object *object)
{
    uint32_t member = (uint32_t)library->members.count;
    *cy_vec_push(&library->members) = object;
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (symbol->binding == CY_STB_LOCAL || symbol->section == CY_SHN_UNDEF || symbol->section == CY_SHN_COMMON)
            continue;
        uint32_t id = cy_strmap_add(&library->names, symbol->name, strlen(symbol->name));
        if (id == library->owners.count)
            *cy_vec_push(&library->owners) = member;
    }
}

static int is_object(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".o") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not alphasort: the order must not depend on the locale */
}

static bool read_member(struct cy_library *library, const char *path, struct cy_diags *diags)
{
    struct cy_buf image = {0};
    if (!cy_file_read(path, &image, diags)) {
        cy_buf_free(&image);
        return false;
    }
    *cy_vec_push(&library->images) = image;
    struct cy_object *object = CY_NEW(&library->arena, struct cy_object);
    if (!cy_object_read(object, path, image.data, image.size, diags))
        return false;
    *cy_vec_push(&library->owned) = object;
    if (object->type != CY_ET_REL) {
        cy_diag_file(diags, CY_ERROR, path, "not a relocatable object, so it cannot be part of a library");
        return false;
    }
    add_member(library, object);
    return true;
}

struct opening {
    const char *directory;
    struct dirent **entries;
    int count, error;
    struct cy_diags *diags;
    struct cy_library *library;
};

static void read_members(void *argument)
{
    struct opening *opening = argument;
    if (opening->count < 0) {
        cy_diag_file(opening->diags, CY_ERROR, opening->directory, "cannot read the library: %s",
                     strerror(opening->error));
        return;
    }
    struct cy_library *library = cy_xrealloc(NULL, sizeof(*library));
    *library = (struct cy_library){0};
    bool ok = true;
    for (int i = 0; i < opening->count; i++) {
        const char *name = opening->entries[i]->d_name;
        ok =
            read_member(library, cy_arena_printf(&library->arena, "%s/%s", opening->directory, name), opening->diags) &&
            ok;
    }
    if (ok)
        opening->library = library;
    else
        cy_library_close(library);
}

struct cy_library *cy_library_open(const char *directory, struct cy_diags *diags)
{
    struct opening opening = {.directory = directory, .diags = diags};
    opening.count = scandir(directory, &opening.entries, is_object, by_name);
    opening.error = errno;
    if (!cy_diags_try(diags, read_members, &opening))
        opening.library = NULL;
    for (int i = 0; i < opening.count; i++)
        free(opening.entries[i]); /* libc's */
    free(opening.entries);        /* libc's */
    return opening.library;
}

struct cy_library *cy_library_of(const struct cy_object *const *objects, size_t count)
{
    struct cy_library *library = cy_xrealloc(NULL, sizeof(*library));
    *library = (struct cy_library){0};
    for (size_t i = 0; i < count; i++)
        add_member(library, objects[i]);
    return library;
}

void cy_library_close(struct cy_library *library)
{
    if (!library)
        return;
    for (size_t i = 0; i < library->owned.count; i++)
        cy_object_free(library->owned.at[i]);
    for (size_t i = 0; i < library->images.count; i++)
        cy_buf_free(&library->images.at[i]);
    cy_vec_free(&library->members);
    cy_vec_free(&library->owned);
    cy_vec_free(&library->images);
    cy_vec_free(&library->owners);
    cy_strmap_free(&library->names);
    cy_arena_free(&library->arena);
    cy_free(library);
}

bool cy_library_directory(const char *name, struct cy_buf *path)
{
    static const char *const beside[] = {"lib", "share/chengying"};
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
    if (length <= 0 || (size_t)length >= sizeof(program))
        return false;
    for (int levels = 0; levels < 2; levels++) /* the program's name, then "bin" */
        while (length > 0 && program[--length] != '/')
            continue;
    for (size_t i = 0; i < CY_COUNT(beside); i++) {
        struct stat status;
        size_t start = path->size;
        cy_buf_printf(path, "%.*s/%s/%s", (int)length, program, beside[i], name);
        if (stat(path->data + start, &status) == 0 && S_ISDIR(status.st_mode))
            return true;
        path->size = start;
        path->data[start] = 0;
    }
    return false;
}

const struct cy_object *link_library_find(const struct cy_library *library, const char *name, size_t length)
{
    uint32_t id = cy_strmap_find(&library->names, name, length);
    return id == CY_STR_NONE ? NULL : library->members.at[library->owners.at[id]];
}

void link_library_names(const struct cy_library *library, void (*visit)(void *context, const char *name), void *context)
{
    for (size_t i = 0; i < library->names.strings.count; i++)
        visit(context, library->names.strings.at[i].text);
}
