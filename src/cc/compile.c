/* The compiler's pipeline after clang: bitcode in, a Ventus executable out, by the rows of passes.def. */
#define _GNU_SOURCE /* strdup */
#include "cc/compile.h"

#include "ld/link.h"
#include "base/fenv_guard.h"
#include "cc/codegen/data.h"
#include "cc/codegen/debug.h"
#include "cc/codegen/kernel_info.h"
#include "cc/codegen/start.h"
#include "cc/driver/spirv.h"
#include "cc/import/import.h"
#include "cc/passes/progress.h"
#include "cc/run_passes.h"
#include "obj/notes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const char *name, *source; /* source: NULL for bitcode alone */
    size_t source_size;
    const struct cy_cc_options *options;
    const struct cy_buf *note; /* the source, compressed */
    struct cy_cc_result *result;
    struct cy_diags diags;
    struct cc_pipeline pipeline;
    struct cy_buf library; /* the device library's directory, once needed */
    struct cy_buf bitcode;
    struct cc_program program;
    struct ir_module module;
    struct backend_stats *stats; /* by module function */
    struct cy_object object;
    struct cy_buf assembly, dump;
    bool wants_debug, wants_lines; /* -g; -gline-tables-only: the same without the directory */
    bool wants_uniform;            /* work-groups: the global size is a multiple of the local one */
    bool is_done;                  /* the rows left were not asked for */
};

/* ---- set-up ---- */

static bool is_named_pass(struct job *job, const char *name, const char *option, enum cc_pass *pass)
{
    *pass = name ? cc_find_pass(name) : PASS_clang;
    if (!name || *pass)
        return true;
    struct cy_buf list = {0};
    cc_list_passes(&list);
    cy_diag_file(&job->diags, CY_ERROR, job->name, "%s: there is no IR or machine pass '%s'; the passes are %s", option,
                 name, list.data);
    cy_buf_free(&list);
    return false;
}

static bool set_up_pipeline(struct job *job)
{
    const struct cy_cc_options *options = job->options;
    struct cc_pipeline *pipeline = &job->pipeline;
    enum cc_pass dumped;
    pipeline->dump = (struct cc_dump){options->dump, &job->dump};
    pipeline->is_timed = options->time_passes;
    pipeline->ns[PASS_clang] = pipeline->progress ? pipeline->progress->clang_ns : 0;
    pipeline->sgprs = options->sgprs;
    pipeline->vgprs = options->vgprs;
    bool is_one = options->dump && strcmp(options->dump, "all");
    bool ok = is_named_pass(job, is_one ? options->dump : NULL, "--dump", &dumped) &&
              is_named_pass(job, options->run_pass, "--run-pass", &pipeline->only) &&
              is_named_pass(job, options->stop_after, "--stop-after", &pipeline->stop);
    if (pipeline->only)
        pipeline->stop = pipeline->only;
    return ok;
}

static void read_arguments(struct job *job)
{
    bool is_text = job->source && !cc_is_spirv(job->source, job->source_size);
    bool is_old = is_text; /* OpenCL C before 2.0, which is the default */
    job->pipeline.optimize = job->options->optimize ? 2 : 0;
    for (size_t i = 0; i < job->options->arg_count; i++) {
        const char *arg = job->options->args[i];
        job->wants_debug |= !strcmp(arg, "-g");
        job->wants_lines |= !strcmp(arg, CY_CC_LINE_TABLES);
        job->module.check |= !strcmp(arg, CY_CC_CHECK);
        job->wants_uniform |= !strcmp(arg, "-cl-uniform-work-group-size");
        if (!strncmp(arg, "-cl-std=", 8))
            is_old = is_text && !strncmp(arg, "-cl-std=CL1.", 12);
        if (!strcmp(arg, "-cl-opt-disable"))
            job->pipeline.optimize = 0;
    }
    job->wants_uniform |= is_old;
}

/* The assembly listing and messages about inline assembly quote the source. */
static void keep_source(struct job *job)
{
    job->module.source_name = job->name;
    job->module.source = job->source;
    *cy_vec_push(&job->module.source_lines) = 0;
    for (size_t at = 0; at < job->source_size; at++)
        if (job->source[at] == '\n' || at + 1 == job->source_size)
            *cy_vec_push(&job->module.source_lines) = (uint32_t)at + 1;
}

static bool set_up(struct job *job)
{
    job->object.name = job->name;
    job->object.type = CY_ET_REL;
    job->object.machine = CY_EM_RISCV;
    job->module.target = cc_target(job->options->generation);
    if (!job->module.target) {
        cy_diag_file(&job->diags, CY_ERROR, job->name, "there is no generation %u of Ventus", job->options->generation);
        return false;
    }
    job->object.flags = job->module.target->object_flags;
    if (job->source && !job->options->is_ir && !cc_is_spirv(job->source, job->source_size))
        keep_source(job);
    read_arguments(job);
    if (job->options->is_ir && job->options->compile_only) {
        cy_diag_file(&job->diags, CY_ERROR, job->name, "IR text cannot be compiled to bitcode");
        return false;
    }
    return set_up_pipeline(job);
}

static bool find_library(struct job *job)
{
    if (job->library.data)
        return true;
    if (job->options->library_dir)
        cy_buf_puts(&job->library, job->options->library_dir);
    else if (!cy_library_directory(job->module.target->name, &job->library)) {
        cy_diag_file(&job->diags, CY_ERROR, job->name,
                     "the device library was not found next to the program; is it installed?");
        return false;
    }
    return true;
}

/* ---- rows that work on the whole program ---- */

static bool run_parts(struct job *job, enum cc_pass pass)
{
    (void)pass;
    const struct cy_cc_options *options = job->options;
    if (options->part_count == 1 && !options->compile_only) {
        cy_buf_append(&job->bitcode, options->parts->bitcode, options->parts->size);
        return true;
    }
    if (!cc_link_parts(job->name, options->parts, options->part_count, &job->bitcode, &job->diags))
        return false;
    if (options->compile_only) {
        job->result->bitcode = (unsigned char *)job->bitcode.data;
        job->result->bitcode_size = job->bitcode.size;
        job->bitcode = (struct cy_buf){0};
        job->is_done = true;
    }
    return true;
}

static bool run_llvm(struct job *job, enum cc_pass pass)
{
    if (!find_library(job))
        return false;
    job->program.name = job->name;
    job->program.bitcode = &job->bitcode;
    job->program.library = job->library.data;
    job->program.check = job->module.check;
    job->program.as_written = !job->pipeline.optimize;
    job->program.diags = &job->diags;
    job->program.progress = job->pipeline.progress;
    return cc_run_llvm(&job->program, pass);
}

static bool run_import(struct job *job, enum cc_pass pass)
{
    (void)pass;
    job->module.wants_debug = job->wants_debug;
    return job->options->is_ir ? ir_read(job->name, job->source, job->source_size, &job->module, &job->diags)
                               : cc_import(&job->program, job->name, &job->module, &job->diags);
}

static bool run_data(struct job *job, enum cc_pass pass)
{
    (void)pass;
    cc_emit_data(&job->module, &job->object);
    return true;
}

static bool run_startup(struct job *job, enum cc_pass pass)
{
    (void)pass;
    if (!cc_needs_stack(&job->module))
        cc_emit_start(&job->object, job->module.target);
    return true;
}

static bool run_debug(struct job *job, enum cc_pass pass)
{
    (void)pass;
    struct cc_debug debug = {&job->object, job->name, &job->module, job->stats, !job->wants_debug};
    if (job->wants_debug || job->wants_lines)
        cc_emit_debug(&debug);
    if (job->module.check)
        cc_emit_calls(&job->module, job->stats, &job->object);
    return true;
}

static bool run_notes(struct job *job, enum cc_pass pass)
{
    (void)pass;
    struct cy_cc_result *result = job->result;
    struct cy_buf options = {0};
    size_t count = job->module.funcs.count;
    result->kernels = cy_xrealloc(NULL, (count + 1) * sizeof(*result->kernels));
    result->functions = cy_xrealloc(NULL, (count + 1) * sizeof(*result->functions));
    for (size_t i = 0; i < count; i++) {
        const struct ir_func *func = &job->module.funcs.at[i];
        struct cy_kernel_info *info =
            func->is_function ? &result->functions[result->function_count++] : &result->kernels[result->kernel_count++];
        cc_kernel_info(func, &job->stats[i], info);
        info->generation = job->module.target->generation;
        info->uniform_groups = job->wants_uniform;
    }
    for (size_t i = 0; i < job->options->arg_count; i++)
        if (strcmp(job->options->args[i], CY_CC_NO_SOURCE) != 0) /* the code is the same */
            cy_buf_printf(&options, "%s%s", options.size ? " " : "", job->options->args[i]);
    cy_note_add_program(&job->object, CY_PROGRAM_EXECUTABLE, job->wants_uniform);
    cy_note_add_text(&job->object, CY_NOTE_COMPILER, "Chengying " CY_VERSION);
    cy_note_add_text(&job->object, CY_NOTE_OPTIONS, options.data ? options.data : "");
    for (size_t i = 0; i < result->kernel_count; i++)
        cy_note_add_kernel(&job->object, &result->kernels[i]);
    if (job->note->size)
        cy_note_add(&job->object, CY_NOTE_SOURCE, job->note->data, job->note->size);
    cy_note_add_checksum(&job->object);
    cy_buf_free(&options);
    return true;
}

static bool run_link(struct job *job, enum cc_pass pass)
{
    (void)pass;
    struct cy_buf file = {0};
    struct cy_object program = {0};
    struct cy_library *library = find_library(job) ? cy_library_open(job->library.data, &job->diags) : NULL;
    const struct cy_object *objects[] = {&job->object};
    const struct cy_library *libraries[] = {library};
    struct cy_link_job link = {.objects = objects,
                               .object_count = 1,
                               .libraries = libraries,
                               .library_count = 1,
                               .gen2 = job->module.target->generation == 2};
    bool ok = library && cy_link(&link, &program, &job->diags);
    if (ok) {
        cy_object_write(&program, &file);
        bool has_checksum = cy_checksum_set(file.data, file.size);
        assert(has_checksum && "the linker keeps notes");
        (void)has_checksum;
        job->result->elf = (unsigned char *)file.data;
        job->result->elf_size = file.size;
    }
    cy_object_free(&program);
    if (library)
        cy_library_close(library);
    return ok;
}

static bool (*const runs[PASS_COUNT])(struct job *, enum cc_pass) = {
#define ROW_FRONT(name)
#define ROW_LLVM(name) [PASS_##name] = run_llvm,
#define ROW_IR(name)
#define ROW_MACHINE(name)
#define ROW_ALLOC(name)
#define ROW_EMIT(name)
#define ROW_OBJECT(name) [PASS_##name] = run_##name,
#define PASS(name, stage, level, help, check) ROW_##stage(name)
#include "cc/passes/passes.def"
    [PASS_parts] = run_parts, /* clang, the row before it, is the driver's */
    [PASS_import] = run_import};

/* ---- the pipeline ---- */

/* The rows from import's validation to emit, for each function.  Callees first: their code offsets and resource needs
 * are inputs to the callers. */
static bool compile_functions(struct job *job)
{
    size_t count = job->module.funcs.count;
    uint32_t *order = cy_xrealloc(NULL, (count + 1) * sizeof(*order));
    job->stats = cy_xrealloc(NULL, (count + 1) * sizeof(*job->stats));
    memset(job->stats, 0, (count + 1) * sizeof(*job->stats));
    const struct ir_func *recursive = ir_order_funcs(&job->module, order);
    assert(!recursive && "inline.c refuses recursion");
    (void)recursive;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        struct cc_unit unit = {.pipeline = &job->pipeline,
                               .name = job->name,
                               .func = &job->module.funcs.at[order[i]],
                               .module = &job->module,
                               .object = &job->object,
                               .stats = &job->stats[order[i]],
                               .assembly = job->options->want_assembly ? &job->assembly : NULL,
                               .diags = &job->diags};
        ok = cc_run_passes(&unit, PASS_import, PASS_emit);
    }
    cy_free(order);
    job->is_done = job->pipeline.stop;
    return ok;
}

static bool run_pipeline(struct job *job)
{
    bool ok = true;
    for (unsigned p = job->options->is_ir ? PASS_import : PASS_parts; p < PASS_COUNT && ok && !job->is_done; p++) {
        if (runs[p]) {
            cc_pass_begin(&job->pipeline, (enum cc_pass)p, NULL);
            ok = runs[p](job, (enum cc_pass)p);
            cc_pass_end(&job->pipeline, (enum cc_pass)p);
        }
        if (p == PASS_import)
            ok = ok && compile_functions(job);
    }
    return ok;
}

static void take_times(const struct cc_pipeline *pipeline, struct cy_cc_result *result)
{
    result->pass_count = PASS_COUNT;
    result->pass_ns = cy_xrealloc(NULL, PASS_COUNT * sizeof(*result->pass_ns));
    for (unsigned p = 0; p < PASS_COUNT; p++)
        result->pass_ns[p] = pipeline->ns[p];
}

static char *take_text(struct cy_buf *buf)
{
    char *text = buf->data;
    *buf = (struct cy_buf){0};
    return text ? text : strdup("");
}

static void take_results(struct job *job)
{
    struct cy_cc_result *result = job->result;
    result->log = take_text(&job->diags.text);
    if (job->options->want_assembly && !job->pipeline.stop)
        result->assembly = take_text(&job->assembly);
    if (job->options->dump || job->pipeline.stop)
        result->dump = take_text(&job->dump);
    if (job->pipeline.is_timed)
        take_times(&job->pipeline, result);
}

static void free_job(struct job *job)
{
    for (size_t i = 0; job->stats && i < job->module.funcs.count; i++)
        cy_backend_stats_free(&job->stats[i]);
    cy_free(job->stats);
    cy_buf_free(&job->library);
    cy_buf_free(&job->bitcode);
    cy_buf_free(&job->assembly);
    cy_buf_free(&job->dump);
    cy_object_free(&job->object);
    ir_module_free(&job->module);
    cc_program_free(&job->program);
}

bool cc_compile(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                const struct cy_buf *note, struct cc_progress *progress, struct cy_cc_result *result)
{
    struct job job = {.name = name,
                      .source = source,
                      .source_size = size,
                      .options = options,
                      .note = note,
                      .result = result,
                      .pipeline.progress = progress};
    *result = (struct cy_cc_result){0};
    fenv_t callers;
    cy_fenv_enter(&callers); /* LLVM's constant folding and the spill weights use the host's floating point: take the
                              * default environment */
    bool ok = set_up(&job) && run_pipeline(&job);
    take_results(&job);
    if (!progress) /* otherwise this is a worker process about to exit: freeing LLVM's modules would only cost time */
        free_job(&job);
    cy_fenv_leave(&callers);
    return ok;
}
