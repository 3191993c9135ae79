#include "record_launch.h"

void cy_recorded_begin(struct cy_recorded *recorded, struct cy_device *device, const struct cy_program *program)
{
    cy_record_add_memory(&recorded->record, device, program);
}

/* Arguments by what the user wrote, for kernels without a signature. */
static void describe(struct cy_record *record, const struct cy_run_argument *arguments, size_t count)
{
    record->arguments.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cy_run_argument *from = &arguments[i];
        static const char *const kinds[] = {
            [CY_ARG_VALUE] = "value", [CY_ARG_BUFFER] = "buffer", [CY_ARG_LOCAL] = "local"};
        const bool is_value = from->kind == CY_ARG_VALUE;
        *cy_vec_push(&record->arguments) =
            (struct cy_record_argument){.kind = kinds[from->kind],
                                        .type = from->type ? from->type->name : "",
                                        .offset = from->offset,
                                        .size = is_value        ? (uint32_t)from->bytes.size
                                                : from->is_wide ? 8
                                                                : 4,
                                        .local = from->kind == CY_ARG_LOCAL ? (uint32_t)from->size : 0};
    }
}

bool cy_recorded_end(struct cy_recorded *recorded, struct cy_device *device, struct cy_launch *launch,
                     const struct cy_run_argument *arguments, size_t count, const char *folder, struct cy_diags *diags)
{
    struct cy_record *record = &recorded->record;
    if (!cy_record_of_launch(record, launch, diags))
        return false;
    if (record->arguments.count < count)
        describe(record, arguments, count);
    record->number = 1;
    return cy_record_set_result(record, device, launch, recorded->printed.data, recorded->printed.size, diags) &&
           cy_record_write(record, folder, diags);
}

void cy_recorded_free(struct cy_recorded *recorded)
{
    cy_record_free(&recorded->record);
    cy_buf_free(&recorded->printed);
}

void cy_recorded_paths(const char *folder, struct cy_paths *paths)
{
    for (size_t i = 0; folder && cy_record_file_name(i); i++)
        cy_paths_write_made(paths, cy_arena_printf(&paths->arena, "%s/%s", folder, cy_record_file_name(i)));
}
