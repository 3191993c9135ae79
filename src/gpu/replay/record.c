/* Recorded launches: the keys of launch.toml, names, and what follows from a record's sizes. */
#include "gpu/replay/record_priv.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *const cy_record_files[RECORD_FILES] = {"launch.metadata", "launch.data",    "launch.riscv",
                                                   "launch.after",    "launch.printed", "launch.toml"};

const char *const cy_record_kinds[] = {"value", "buffer", "image", "sampler", "local", NULL};
const char *const cy_record_places[] = {"near", "far", "shared", "variables", NULL};

#define OF_record struct cy_record
#define OF_argument struct cy_record_argument
#define OF_memory struct cy_record_memory
#define ROW(table, key, kind, of, member, required) {table, key, RECORD_##kind, required, offsetof(OF_##of, member)},
const struct cy_record_field cy_record_fields[cy_record_field_count] = {
#define RECORD_FIELD(table, key, kind, of, member, text) ROW(table, key, kind, of, member, false)
#define REQUIRED_FIELD(table, key, kind, of, member, text) ROW(table, key, kind, of, member, true)
#include "gpu/replay/record_fields.def"
};

int cy_record_find(const char *const *names, const char *name)
{
    for (int i = 0; name && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

uint64_t cy_record_pages(uint64_t size)
{
    return size > CY_FAR_END ? UINT64_MAX : (size + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
}

void cy_record_arguments(const struct cy_record *record, struct cy_arguments *arguments)
{
    cy_buf_append(&arguments->bytes, record->argument_bytes.data, record->argument_bytes.size);
    arguments->has_wide_pointers = record->wide_pointers;
    for (size_t i = 0; i < record->arguments.count; i++) {
        const struct cy_record_argument *argument = &record->arguments.at[i];
        if (argument->local)
            *cy_vec_push(&arguments->locals) = (struct cy_local_argument){argument->offset, argument->local};
    }
}

struct cy_launch *cy_record_imagine(const struct cy_record *record, struct cy_object *object, struct cy_diags *diags)
{
    struct cy_kernel_info *kernels, *kernel = NULL;
    const size_t count = cy_object_kernels(object, &kernels);
    for (size_t i = 0; i < count; i++)
        if (strcmp(kernels[i].name, record->kernel) == 0)
            kernel = &kernels[i];
    if (!kernel) {
        cy_diag_file(diags, CY_ERROR, record->program, "no kernel '%s'", record->kernel);
        return NULL;
    }
    struct cy_launch *launch = cy_xrealloc(NULL, sizeof(*launch));
    memset(launch, 0, sizeof(*launch));
    launch->kernel = *kernel;
    launch->dimensions = record->dimensions;
    for (unsigned i = 0; i < 3; i++) {
        launch->global[i] = record->global[i];
        launch->offset[i] = record->offset[i];
        launch->local[i] = (uint32_t)record->local[i];
        launch->grid[i] = (uint32_t)((record->global[i] - 1) / record->local[i] + 1);
    }
    launch->lds_bytes = record->lds_bytes;
    launch->stack_bytes = record->stack_bytes;
    launch->pds_bytes = record->private_bytes;
    launch->print_bytes = record->print_bytes;
    cy_record_arguments(record, &launch->arguments);
    if (cy_dispatch_plan(launch, &record->machine, diags))
        return launch;
    cy_record_forget(launch);
    return NULL;
}

void cy_record_forget(struct cy_launch *launch)
{
    if (!launch)
        return;
    cy_buf_free(&launch->arguments.bytes);
    cy_vec_free(&launch->arguments.locals);
    cy_free(launch);
}

const char *cy_record_file_name(size_t index)
{
    return index < RECORD_FILES ? cy_record_files[index] : NULL;
}

bool cy_record_is_folder(const char *path)
{
    struct stat status;
    char file[4096];
    const int length = snprintf(file, sizeof(file), "%s/%s", path, cy_record_files[RECORD_TOML]);
    return length > 0 && (size_t)length < sizeof(file) && stat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void cy_record_free(struct cy_record *record)
{
    cy_vec_free(&record->arguments);
    cy_vec_free(&record->memory);
    cy_arena_free(&record->arena);
    for (size_t i = 0; i < CY_COUNT(record->files); i++)
        cy_buf_free(&record->files[i]);
    *record = (struct cy_record){0};
}
