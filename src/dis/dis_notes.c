/* The compiler's notes in words. */
#include "dis/dis_priv.h"
#include "obj/notes.h"

static const char *text_of(struct cy_note *note)
{
    const unsigned char *at = note->bytes.at, *end = note->bytes.end;
    return at < end && !end[-1] ? (const char *)at : "(damaged)";
}

static void put_argument(struct cy_buf *out, const struct cy_kernel_argument *argument)
{
    static const char *const addresses[] = {[CY_ADDRESS_PRIVATE] = "",
                                            [CY_ADDRESS_GLOBAL] = "global ",
                                            [CY_ADDRESS_CONSTANT] = "constant ",
                                            [CY_ADDRESS_LOCAL] = "local "};
    static const struct {
        enum cy_qualifier qualifier;
        const char *text;
    } before[] = {{CY_TYPE_CONST, "const "}, {CY_TYPE_VOLATILE, "volatile "}, {CY_TYPE_PIPE, "pipe "}};
    cy_buf_puts(out, addresses[argument->address]);
    for (size_t i = 0; i < CY_COUNT(before); i++)
        if (argument->qualifiers & before[i].qualifier &&
            !(before[i].qualifier == CY_TYPE_CONST && argument->address == CY_ADDRESS_CONSTANT)) /* it always is */
            cy_buf_puts(out, before[i].text);
    cy_buf_printf(out, "%s%s%s%s", argument->type, argument->qualifiers & CY_TYPE_RESTRICT ? " restrict" : "",
                  *argument->name ? " " : "", argument->name);
}

static void put_kernel(struct cy_buf *out, const struct cy_kernel_info *kernel)
{
    static const char *const rows[] = {"", ", rows along dimension 1", ", rows along dimension 2",
                                       ", rows along dimensions 0 and 1"};
    cy_buf_printf(out, "kernel    %s(", kernel->name);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        cy_buf_puts(out, i ? ", " : "");
        put_argument(out, &kernel->arguments[i]);
    }
    cy_buf_printf(out, ")\n          %u vGPRs, %u sGPRs, %u bytes local, %u bytes private\n", kernel->vgprs,
                  kernel->sgprs, kernel->lds_bytes, kernel->pds_bytes);
    cy_buf_printf(out, "          %u instructions in %u bytes, %u spills, %u calls\n", kernel->instructions,
                  kernel->code_bytes, kernel->spills, kernel->calls);
    cy_buf_printf(out, "          %s the work-group decomposition%s%s%s\n",
                  kernel->observes_workgroup ? "observes" : "does not observe",
                  kernel->uniform_groups ? ", wants uniform work-groups" : "",
                  kernel->may_spin ? ", may spin on another work-item" : "", rows[kernel->row_dimension]);
    if (*kernel->attributes)
        cy_buf_printf(out, "          %s\n", kernel->attributes);
}

static void put_checksum(struct cy_buf *out, const struct cy_note *note)
{
    cy_buf_puts(out, "checksum  ");
    for (const unsigned char *at = note->bytes.at; at < note->bytes.end; at++)
        cy_buf_printf(out, "%02x", *at);
    cy_buf_putc(out, '\n');
}

static void put_sources(const struct cy_object *object, struct cy_buf *out)
{
    struct cy_sources sources;
    if (!cy_sources_read(&sources, object))
        cy_buf_puts(out, "source    (damaged)\n");
    for (size_t i = 0; i < sources.files.count; i++)
        cy_buf_printf(out, "source    %s, %zu bytes\n", sources.files.at[i].name, sources.files.at[i].size);
    cy_sources_free(&sources);
}

void cy_dis_notes(struct cy_object *object, struct cy_buf *out)
{
    static const char *const kinds[] = {"(damaged)", "executable", "compiled object", "library"};
    struct cy_kernel_info *kernels;
    struct cy_program_note program;
    size_t count = cy_object_kernels(object, &kernels);
    cy_buf_puts(out, "\nNOTES:\n");
    for (struct cy_note note = {0}; cy_note_next(object, &note);) {
        switch (note.type) {
        case CY_NOTE_PROGRAM:
            cy_note_read_program(object, &program);
            cy_buf_printf(out, "program   %s, format %u\n", kinds[program.kind], program.version);
            break;
        case CY_NOTE_COMPILER: cy_buf_printf(out, "compiler  %s\n", text_of(&note)); break;
        case CY_NOTE_OPTIONS: cy_buf_printf(out, "options   %s\n", text_of(&note)); break;
        case CY_NOTE_CHECKSUM: put_checksum(out, &note); break;
        case CY_NOTE_SOURCE: put_sources(object, out); break;
        default: break;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (kernels[i].has_signature)
            put_kernel(out, &kernels[i]);
}
