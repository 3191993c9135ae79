/* Everything after clang: bitcode in, a Ventus executable out. */
#define _GNU_SOURCE /* strdup */
#include "cc/compile.h"

#include "ld/link.h"
#include "base/fenv_guard.h"
#include "cc/codegen/backend.h"
#include "cc/codegen/debug.h"
#include "cc/import/import.h"
#include "cc/passes/progress.h"
#include "cc/run_passes.h"
#include "cc/codegen/start.h"
#include "obj/notes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const char *name;
    const struct cy_cc_options *options;
    struct cy_cc_result *result;
    struct cy_diags diags;
    struct cc_pipeline pipeline;
    struct cc_program program;
    struct ir_module module;
    struct cy_object object;
    struct cy_buf assembly, dump;
    int optimize;
    bool wants_debug, wants_lines; /* -g; -gline-tables-only: the same without the directory */
    bool wants_uniform;            /* work-groups: the global size is a multiple of the local one */
};

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

/* Sets the pipeline up. */
static bool is_pass(struct job *job)
{
    const struct cy_cc_options *options = job->options;
    enum cc_pass dumped;
    job->pipeline.dump = (struct cc_dump){options->dump, &job->dump};
    job->program.pipeline = &job->pipeline;
    job->pipeline.is_timed = options->time_passes;
    job->pipeline.ns[PASS_clang] = job->pipeline.progress ? job->pipeline.progress->clang_ns : 0;
    job->pipeline.sgprs = options->sgprs;
    job->pipeline.vgprs = options->vgprs;
    bool is_one = options->dump && strcmp(options->dump, "all");
    bool ok = is_named_pass(job, is_one ? options->dump : NULL, "--dump", &dumped) &&
              is_named_pass(job, options->run_pass, "--run-pass", &job->pipeline.only) &&
              is_named_pass(job, options->stop_after, "--stop-after", &job->pipeline.stop);
    if (job->pipeline.only)
        job->pipeline.stop = job->pipeline.only;
    return ok;
}

/* One kernel or function from IR to machine code. */
static bool compile_function(struct job *job, struct ir_func *func, struct backend_stats *stats)
{
    struct cc_unit unit = {.pipeline = &job->pipeline,
                           .name = job->name,
                           .func = func,
                           .module = &job->module,
                           .object = &job->object,
                           .stats = stats,
                           .assembly = job->options->want_assembly ? &job->assembly : NULL,
                           .diags = &job->diags};
    return cc_run_passes(&unit, PASS_import, PASS_emit);
}

/* ---- data ---- */

static uint32_t section_index(struct cy_object *object, const char *name, uint32_t type, uint32_t flags)
{
    for (uint32_t i = 0; i < object->sections.count; i++)
        if (!strcmp(object->sections.at[i].name, name))
            return i;
    cy_object_add_section(object, name, type, flags);
    return (uint32_t)object->sections.count - 1;
}

static uint32_t find_symbol(const struct cy_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->symbols.count; i++)
        if (!strcmp(object->symbols.at[i].name, name))
            return i;
    return CY_NO_SYMBOL;
}

/* The back end may already have created the symbol as an undefined one. */
static uint32_t define_symbol(struct cy_object *object, const struct ir_symbol *symbol, uint32_t section,
                              uint32_t value)
{
    uint32_t index = find_symbol(object, symbol->name);
    if (index == CY_NO_SYMBOL) {
        index = (uint32_t)object->symbols.count;
        *cy_vec_push(&object->symbols) =
            (struct cy_symbol){.name = cy_arena_strndup(&object->arena, symbol->name, strlen(symbol->name))};
    }
    struct cy_symbol *made = &object->symbols.at[index];
    made->section = section + 1;
    made->value = value;
    made->size = symbol->size;
    made->binding = CY_STB_GLOBAL;
    made->type = CY_STT_OBJECT;
    return index;
}

/* Kernels whose work-items do not wait for each other: an engine may run them in any order (docs/jit.md). */
static void mark_independent(const struct ir_module *module, struct cy_object *object)
{
    struct cy_buf names = {0};
    for (size_t i = 0; i < module->funcs.count; i++) {
        const struct ir_func *func = &module->funcs.at[i];
        if (!func->is_function && (!func->may_spin || !ir_may_wait(func)))
            cy_buf_append(&names, func->name, strlen(func->name) + 1);
    }
    if (names.size) {
        struct cy_section *section = cy_object_add_section(object, ".cy.lanes", CY_SHT_PROGBITS, 0);
        cy_buf_append(&section->data, names.data, names.size);
        section->size = (uint32_t)section->data.size;
    }
    cy_buf_free(&names);
}

static void emit_data(struct job *job)
{
    struct cy_object *object = &job->object;
    for (size_t i = 0; i < job->module.symbols.count; i++) {
        const struct ir_symbol *symbol = &job->module.symbols.at[i];
        if (symbol->is_local)
            continue;
        uint32_t index = symbol->is_constant ? section_index(object, ".rodata", CY_SHT_PROGBITS, CY_SHF_ALLOC)
                         : symbol->is_zero
                             ? section_index(object, ".bss", CY_SHT_NOBITS, CY_SHF_ALLOC | CY_SHF_WRITE)
                             : section_index(object, ".data", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_WRITE);
        struct cy_section *section = &object->sections.at[index];
        uint32_t at = (section->size + symbol->align - 1) & ~(symbol->align - 1);
        section->align = section->align < symbol->align ? symbol->align : section->align;
        if (section->type == CY_SHT_PROGBITS) {
            cy_buf_zeros(&section->data, at - section->size);
            if (symbol->is_zero)
                cy_buf_zeros(&section->data, symbol->size);
            else
                cy_buf_append(&section->data, symbol->data.data, symbol->size);
        }
        section->size = at + symbol->size;
        define_symbol(object, symbol, index, at);
    }
    for (size_t i = 0; i < job->module.symbols.count; i++) { /* pointers in initialisers, once every symbol has its
                                                              * offset */
        const struct ir_symbol *symbol = &job->module.symbols.at[i];
        for (size_t r = 0; r < symbol->relocs.count; r++) {
            const struct cy_symbol *own = &object->symbols.at[find_symbol(object, symbol->name)];
            struct cy_reloc reloc = {own->value + symbol->relocs.at[r].offset, CY_R_RISCV_32,
                                     find_symbol(object, job->module.symbols.at[symbol->relocs.at[r].symbol].name),
                                     symbol->relocs.at[r].addend};
            *cy_vec_push(&object->sections.at[own->section - 1].relocs) = reloc;
        }
    }
    mark_independent(&job->module, object);
    if (job->module.formats.count) {
        struct cy_section *section = cy_object_add_section(object, CY_PRINTF_SECTION, CY_SHT_PROGBITS, 0);
        for (size_t i = 0; i < job->module.formats.count; i++)
            cy_buf_append(&section->data, job->module.formats.at[i].text, job->module.formats.at[i].length + 1);
        section->size = (uint32_t)section->data.size;
    }
}

/* ---- the pipeline ---- */

static bool library_path(struct job *job, struct cy_buf *path)
{
    if (job->options->library_dir)
        cy_buf_puts(path, job->options->library_dir);
    else if (!cy_library_directory("ventus", path)) {
        cy_diag_file(&job->diags, CY_ERROR, job->name,
                     "the device library was not found next to the program; is it installed?");
        return false;
    }
    return true;
}

static bool front(struct job *job, const char *source, size_t size)
{
    struct cy_buf bitcode = {0}, library = {0};
    job->optimize = job->options->optimize ? 2 : 0;
    bool is_old = source != NULL; /* OpenCL C before 2.0, which is the default */
    for (size_t i = 0; i < job->options->arg_count; i++) {
        const char *arg = job->options->args[i];
        job->wants_debug |= !strcmp(arg, "-g");
        job->wants_lines |= !strcmp(arg, CY_CC_LINE_TABLES);
        job->wants_uniform |= !strcmp(arg, "-cl-uniform-work-group-size");
        if (!strncmp(arg, "-cl-std=", 8))
            is_old = source && !strncmp(arg, "-cl-std=CL1.", 12);
        if (!strcmp(arg, "-cl-opt-disable"))
            job->optimize = 0;
    }
    job->wants_uniform |= is_old;
    bool ok = true;
    if (job->options->is_ir && source) {
        if (job->options->compile_only) {
            cy_diag_file(&job->diags, CY_ERROR, job->name, "IR text cannot be compiled to bitcode");
            return false;
        }
        cc_pass_begin(&job->pipeline, PASS_import, NULL);
        ok = ir_read(job->name, source, size, &job->module, &job->diags);
        cc_pass_end(&job->pipeline, PASS_import);
        return ok;
    }
    if (job->options->part_count == 1 && !job->options->compile_only) {
        cy_buf_append(&bitcode, job->options->parts->bitcode, job->options->parts->size);
    } else {
        cc_pass_begin(&job->pipeline, PASS_parts, NULL);
        ok = cc_link_parts(job->name, job->options->parts, job->options->part_count, &bitcode, &job->diags);
        cc_pass_end(&job->pipeline, PASS_parts);
    }
    if (ok && job->options->compile_only) {
        job->result->bitcode = (unsigned char *)bitcode.data;
        job->result->bitcode_size = bitcode.size;
        bitcode = (struct cy_buf){0};
    } else {
        job->program.as_written = !job->optimize;
        ok = ok && library_path(job, &library) &&
             cc_program_load(&job->program, job->name, &bitcode, library.data, job->optimize, &job->diags);
        if (ok) {
            cc_pass_begin(&job->pipeline, PASS_import, NULL);
            ok = cc_import(&job->program, job->name, &job->module, &job->diags);
            cc_pass_end(&job->pipeline, PASS_import);
        }
    }
    cy_buf_free(&bitcode);
    cy_buf_free(&library);
    return ok;
}

/* The argument strings follow the array. */
static void take_arguments(const struct ir_func *func, struct cy_kernel_info *out)
{
    const char *attributes = func->attributes ? func->attributes : ""; /* not set for functions */
    size_t texts = strlen(func->name) + strlen(attributes) + 2;
    for (uint32_t i = 0; i < func->argument_count; i++)
        texts += strlen(func->arguments[i].name) + strlen(func->arguments[i].type) + 2;
    out->argument_count = func->argument_count;
    out->arguments = cy_xrealloc(NULL, func->argument_count * sizeof(*out->arguments) + texts);
    char *text = (char *)(out->arguments + func->argument_count);
    for (uint32_t i = 0; i < func->argument_count; i++) {
        const struct ir_argument *from = &func->arguments[i];
        out->arguments[i] = (struct cy_kernel_argument){.name = text,
                                                        .address = (enum cy_address)from->address_space,
                                                        .qualifiers = from->qualifiers,
                                                        .size = from->size,
                                                        .align = from->align,
                                                        .is_pointer = from->is_pointer};
        text = stpcpy(text, from->name) + 1;
        out->arguments[i].type = text;
        text = stpcpy(text, from->type) + 1;
    }
    memcpy(out->reqd_size, func->reqd_size, sizeof(out->reqd_size));
    out->observes_workgroup = func->observes_workgroup;
    out->may_spin = func->may_spin;
    out->name = text;
    text = stpcpy(text, func->name) + 1;
    out->attributes = strcpy(text, attributes);
}

static void take_stats(const struct job *job, const struct ir_func *func, const struct backend_stats *stats,
                       struct cy_kernel_info *out)
{
    *out = (struct cy_kernel_info){.instructions = stats->instructions,
                                   .vgprs = func->needs.vgprs,
                                   .sgprs = func->needs.sgprs,
                                   .spills = stats->spills,
                                   .calls = stats->calls,
                                   .uniform_percent = stats->uniform_percent,
                                   .code_bytes = stats->code_bytes,
                                   .generation = 1,
                                   .has_resources = true,
                                   .lds_bytes = func->local_bytes,
                                   .pds_bytes = (func->needs.private_bytes + 3) & ~3u,
                                   .has_signature = true,
                                   .uniform_groups = job->wants_uniform};
    take_arguments(func, out);
}

/* What the host asks about a program, for everybody who opens the file. */
static void add_notes(struct job *job)
{
    struct cy_buf options = {0};
    for (size_t i = 0; i < job->options->arg_count; i++)
        cy_buf_printf(&options, "%s%s", i ? " " : "", job->options->args[i]);
    cy_note_add_program(&job->object, CY_PROGRAM_EXECUTABLE, job->wants_uniform);
    cy_note_add_text(&job->object, CY_NOTE_COMPILER, "Chengying " CY_VERSION);
    cy_note_add_text(&job->object, CY_NOTE_OPTIONS, options.data ? options.data : "");
    for (size_t i = 0; i < job->result->kernel_count; i++)
        cy_note_add_kernel(&job->object, &job->result->kernels[i]);
    cy_note_add_checksum(&job->object);
    cy_buf_free(&options);
}

/* Callees first: their code offsets and resource needs are inputs to the callers. */
static bool compile_all(struct job *job, const uint32_t *order, struct backend_stats *stats)
{
    bool ok = true;
    job->pipeline.optimize = job->optimize;
    for (size_t i = 0; i < job->module.funcs.count && ok; i++)
        ok = compile_function(job, &job->module.funcs.at[order[i]], &stats[order[i]]);
    return ok;
}

/* The assembly listing quotes the source. */
static void keep_source(struct job *job, const char *source, size_t size)
{
    job->module.source_name = job->name;
    job->module.source = source;
    *cy_vec_push(&job->module.source_lines) = 0;
    for (size_t at = 0; at < size; at++)
        if (source[at] == '\n' || at + 1 == size)
            *cy_vec_push(&job->module.source_lines) = (uint32_t)at + 1;
}

/* The rows that run after every function's code has been emitted. */
static void finish_object(struct job *job, const struct backend_stats *stats)
{
    struct cc_pipeline *pipeline = &job->pipeline;
    struct cc_debug debug = {&job->object, job->name, &job->module, stats, !job->wants_debug};
    cc_pass_begin(pipeline, PASS_data, NULL);
    emit_data(job);
    cc_pass_end(pipeline, PASS_data);
    cc_pass_begin(pipeline, PASS_startup, NULL);
    if (!cc_needs_stack(&job->module))
        cc_emit_start(&job->object);
    cc_pass_end(pipeline, PASS_startup);
    cc_pass_begin(pipeline, PASS_debug, NULL);
    if (job->wants_debug || job->wants_lines)
        cc_emit_debug(&debug);
    cc_pass_end(pipeline, PASS_debug);
    add_notes(job);
}

static bool back(struct job *job)
{
    struct cy_cc_result *result = job->result;
    size_t count = job->module.funcs.count;
    uint32_t *order = cy_xrealloc(NULL, (count + 1) * sizeof(*order));
    struct backend_stats *stats = cy_xrealloc(NULL, (count + 1) * sizeof(*stats));
    memset(stats, 0, (count + 1) * sizeof(*stats));
    const struct ir_func *recursive = ir_order_funcs(&job->module, order);
    assert(!recursive && "inline.c refuses recursion");
    (void)recursive;
    bool ok = compile_all(job, order, stats), stops = job->pipeline.stop;
    result->kernels = cy_xrealloc(NULL, (count + 1) * sizeof(*result->kernels));
    result->functions = cy_xrealloc(NULL, (count + 1) * sizeof(*result->functions));
    for (size_t i = 0; i < count && ok && !stops; i++) {
        const struct ir_func *func = &job->module.funcs.at[i];
        take_stats(job, func, &stats[i],
                   func->is_function ? &result->functions[result->function_count++]
                                     : &result->kernels[result->kernel_count++]);
    }
    if (ok && !stops)
        finish_object(job, stats);
    for (size_t i = 0; i < count; i++)
        cy_backend_stats_free(&stats[i]);
    cy_free(stats);
    cy_free(order);
    return ok;
}

static bool link_program(struct job *job)
{
    struct cy_buf directory = {0}, file = {0};
    struct cy_object program = {0};
    if (job->pipeline.stop)
        return true;
    if (!library_path(job, &directory))
        return false;
    cc_pass_begin(&job->pipeline, PASS_link, NULL);
    struct cy_library *library = cy_library_open(directory.data, &job->diags);
    const struct cy_object *objects[] = {&job->object};
    const struct cy_library *libraries[] = {library};
    struct cy_link_job link = {.objects = objects, .object_count = 1, .libraries = libraries, .library_count = 1};
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
    cy_buf_free(&directory);
    cc_pass_end(&job->pipeline, PASS_link);
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

bool cc_compile(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                struct cc_progress *progress, struct cy_cc_result *result)
{
    struct job job = {.name = name, .options = options, .result = result, .pipeline.progress = progress};
    *result = (struct cy_cc_result){0};
    job.object.name = name;
    job.object.type = CY_ET_REL;
    job.object.machine = CY_EM_RISCV;
    if (source && job.options->want_assembly)
        keep_source(&job, source, size);
    fenv_t callers;
    cy_fenv_enter(&callers); /* LLVM's constant folding and the spill weights use the host's floating point: take the
                              * default environment */
    bool ok =
        is_pass(&job) && front(&job, source, size) && (job.options->compile_only || (back(&job) && link_program(&job)));
    result->log = take_text(&job.diags.text);
    if (job.options->want_assembly && !job.pipeline.stop)
        result->assembly = take_text(&job.assembly);
    if (job.options->dump || job.pipeline.stop)
        result->dump = take_text(&job.dump);
    if (job.pipeline.is_timed)
        take_times(&job.pipeline, result);
    if (!progress) { /* otherwise this is a worker process about to exit: freeing LLVM's modules would only cost time */
        cy_buf_free(&job.assembly);
        cy_buf_free(&job.dump);
        cy_object_free(&job.object);
        ir_module_free(&job.module);
        cc_program_free(&job.program);
    }
    cy_fenv_leave(&callers);
    return ok;
}
