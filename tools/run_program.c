#define _POSIX_C_SOURCE 200809L
#include "run_program.h"

#include <string.h>
#include <unistd.h>

#include "ld/link.h"
#include "base/file.h"
#include "chengying/asm.h"
#include "compiler.h"
#include "preprocess.h"
#include "run_executable.h"

enum { MAX_FILES = 64 };

struct parts {
    struct cy_buf images[MAX_FILES];
    struct cy_object objects[MAX_FILES];
    size_t count;    /* objects that were read */
    bool has_binary; /* one of them is a file, not a source that was compiled or assembled */
    bool has_source; /* one is OpenCL C or SPIR-V */
};

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool assemble(const struct cy_run_inputs *inputs, const char *path, const struct cy_buf *text,
                     struct cy_buf *object, struct cy_buf *included, struct cy_diags *diags)
{
    struct cy_asm_options options = {.march = inputs->march};
    struct cy_asm_result result;
    bool ok = cy_asm(path, text->data ? text->data : "", text->size, &options, &result);
    cy_buf_puts(&diags->text, result.messages); /* already formatted */
    diags->errors += result.errors;
    diags->warnings += result.warnings;
    if (ok)
        cy_buf_append(object, result.object, result.object_size);
    if (result.files)
        cy_buf_puts(included, result.files);
    cy_asm_result_free(&result);
    return ok;
}

static bool compile(const struct cy_run_inputs *inputs, const char *path, const struct cy_buf *text,
                    struct cy_buf *program, struct cy_buf *included, struct cy_diags *diags)
{
    struct cy_cc_result result;
    /* names and types of the parameters, to check arguments; lines, for faults */
    CY_VEC(const char *) args = {0};
    struct cy_arena arena = {0};
    char *words = cy_arena_printf(&arena, "%s", inputs->options ? inputs->options : ""), *rest = NULL;
    *cy_vec_push(&args) = "-cl-kernel-arg-info";
    *cy_vec_push(&args) = inputs->debug ? "-g" : CY_CC_LINE_TABLES;
    if (inputs->check)
        *cy_vec_push(&args) = CY_CC_CHECK;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        *cy_vec_push(&args) = word;
    bool ok = false;
    struct cy_cc_options options = {.args = args.at,
                                    .arg_count = args.count,
                                    .optimize = inputs->unoptimized ? 0 : 2,
                                    .library_dir = inputs->libdir};
    if (inputs->march && !cy_generation(inputs->march, &options.generation)) {
        cy_diag_file(diags, CY_ERROR, path, "OpenCL C is compiled for ventus or ventus-gen2, not for '%s'",
                     inputs->march);
        goto out;
    }
    ok = cy_compile(path, text, &options, &(struct cy_compile_how){.files = included}, &result, diags);
    if (result.log)
        cy_buf_puts(&diags->text, result.log);
    if (ok)
        cy_buf_append(program, result.elf, result.elf_size);
    else
        diags->errors++;
    cy_cc_result_free(&result);
out:
    cy_vec_free(&args);
    cy_arena_free(&arena);
    return ok;
}

/* Is an object or executable for the instruction set that was asked for? */
static bool check_march(const struct cy_run_inputs *inputs, const struct cy_object *object, const char *path,
                        struct cy_diags *diags)
{
    unsigned wanted, made_for = object->flags & CY_EF_VENTUS_GEN2 ? 2 : 1;
    if (!inputs->march || object->machine != CY_EM_RISCV || !cy_generation(inputs->march, &wanted) ||
        wanted == made_for)
        return true;
    cy_diag_file(diags, CY_ERROR, path, "made for generation %u of Ventus, but -march=%s asks for generation %u",
                 made_for, inputs->march, wanted);
    return false;
}

/* The vendor's pair of files, or a folder of `cy run --record`. */
static bool is_recording(const char *path)
{
    struct cy_buf inside = {0};
    cy_buf_printf(&inside, "%s/launch.toml", path);
    const bool is_folder = access(inside.data, F_OK) == 0;
    cy_buf_free(&inside);
    return is_folder || ends_in(path, ".metadata");
}

static bool read_part(const struct cy_run_inputs *inputs, struct parts *parts, const char *path,
                      struct cy_buf *included, struct cy_diags *diags)
{
    static const struct cy_preprocess no_macros = {0};
    struct cy_buf *image = &parts->images[parts->count];
    struct cy_buf text = {0};
    if (is_recording(path)) {
        cy_diag_file(diags, CY_ERROR, path,
                     "a recorded launch: 'cy replay' runs it, 'cy verify' a folder of 'cy run --record'");
        return false;
    }
    bool ok = cy_wants_preprocessor(path) ? cy_preprocess(&no_macros, path, &text) : cy_file_read(path, &text, diags);
    if (ok && cy_object_is_elf(text.data, text.size)) {
        cy_buf_append(image, text.data, text.size);
        parts->has_binary = true;
    } else if (ok && (ends_in(path, ".cl") || ends_in(path, ".spv"))) {
        parts->has_source = true;
        ok = compile(inputs, path, &text, image, included, diags);
    } else if (ok)
        ok = assemble(inputs, path, &text, image, included, diags);
    cy_buf_free(&text);
    ok = ok && cy_object_read(&parts->objects[parts->count], path, image->data, image->size, diags);
    parts->count += ok;
    return ok && check_march(inputs, &parts->objects[parts->count - 1], path, diags);
}

static bool link_parts(const struct cy_run_inputs *inputs, const struct parts *parts, struct cy_buf *elf,
                       struct cy_diags *diags)
{
    const struct cy_object *objects[MAX_FILES];
    struct cy_link_job job = {.objects = objects, .object_count = parts->count, .no_start = inputs->no_start};
    for (size_t i = 0; i < parts->count; i++) {
        objects[i] = &parts->objects[i];
        job.gen2 |= (objects[i]->flags & CY_EF_VENTUS_GEN2) != 0;
    }
    struct cy_buf directory = {0};
    struct cy_library *library = NULL;
    if (inputs->libdir)
        cy_buf_puts(&directory, inputs->libdir);
    bool ok = true;
    if (inputs->libdir || cy_library_directory(job.gen2 ? "ventus-gen2" : "ventus", &directory)) {
        library = cy_library_open(directory.data, diags);
        ok = library != NULL;
    }
    const struct cy_library *libraries[] = {library};
    job.libraries = libraries;
    job.library_count = library != NULL;
    if (ok) {
        struct cy_object program;
        ok = cy_link(&job, &program, diags);
        if (ok)
            cy_object_write(&program, elf);
        cy_object_free(&program);
    }
    if (library)
        cy_library_close(library);
    cy_buf_free(&directory);
    return ok;
}

/* Options for what is not done with these files. */
static void say_unused(const struct cy_run_inputs *inputs, const struct parts *parts, bool is_linked,
                       struct cy_diags *diags)
{
    const char *path = inputs->files[0];
    if (!parts->has_source && inputs->options)
        cy_diag_file(diags, CY_NOTE, path, "--build-options has no effect: there is no OpenCL C to compile");
    if (!parts->has_source && is_linked && inputs->unoptimized && !inputs->debug) /* debuggers ask for it always */
        cy_diag_file(diags, CY_NOTE, path, "-O has no effect: there is no OpenCL C to compile");
    if (!is_linked && inputs->no_start)
        cy_diag_file(diags, CY_NOTE, path, "--no-start has no effect: the executable is linked already");
    if (!is_linked && !parts->has_source && inputs->libdir)
        cy_diag_file(diags, CY_NOTE, path, "--libdir has no effect: the executable is linked already");
}

bool cy_run_program(const struct cy_run_inputs *inputs, struct cy_buf *elf, struct cy_buf *included,
                    struct cy_diags *diags)
{
    struct parts *parts = cy_xrealloc(NULL, sizeof(*parts));
    memset(parts, 0, sizeof(*parts));
    bool ok = inputs->file_count <= MAX_FILES;
    if (!ok)
        cy_diag_file(diags, CY_ERROR, NULL, "more than %d input files", MAX_FILES);
    for (size_t i = 0; ok && i < inputs->file_count; i++)
        ok = read_part(inputs, parts, inputs->files[i], included, diags);
    if (ok && parts->count == 1 && parts->objects[0].type == CY_ET_EXEC && !parts->has_binary)
        cy_buf_append(elf, parts->images[0].data, parts->images[0].size);
    else if (ok && parts->count == 1 && parts->objects[0].type == CY_ET_EXEC)
        cy_run_executable(inputs, inputs->files[0], &parts->objects[0], &parts->images[0], elf, diags);
    else if (ok && (ok = link_parts(inputs, parts, elf, diags)))
        cy_run_say_no_lines(inputs, inputs->files[0], elf, diags);
    if (ok)
        say_unused(inputs, parts, parts->count > 1 || parts->objects[0].type != CY_ET_EXEC, diags);
    for (size_t i = 0; i < parts->count; i++)
        cy_object_free(&parts->objects[i]);
    for (size_t i = 0; i < MAX_FILES; i++)
        cy_buf_free(&parts->images[i]);
    cy_free(parts);
    return ok;
}
