/* The compiler behind clang: bitcode in, a Ventus executable out. */
#define _GNU_SOURCE /* strdup */
#include "cc/compile.h"

#include "asm/link.h"
#include "base/host_fp.h"
#include "cc/backend.h"
#include "cc/debug.h"
#include "cc/import.h"
#include "cc/opt.h"
#include "cc/progress.h"
#include "cc/start.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const char *name;
    const struct cy_cc_options *options;
    struct cy_cc_result *result;
    struct cy_diags diags;
    struct cc_program program;
    struct ir_module module;
    struct cy_object object;
    struct cy_buf assembly, dump;
    int optimize;
    bool wants_debug;
};

static void dump(const struct ir_dump *to, const struct ir_func *func, const char *pass)
{
    if (!ir_is_dumped(to, pass))
        return;
    cy_buf_printf(to->out, "; after %s\n", pass);
    ir_print(func, to->out);
}

static bool is_valid(struct job *job, const struct ir_func *func, const char *wrong, const char *pass)
{
    if (wrong)
        cy_diag_file(&job->diags, CY_ERROR, job->name, "internal error: '%s' after %s: %s", func->name, pass, wrong);
    return !wrong;
}

static bool is_pass(struct job *job)
{
    static const char *const passes[] = {"import", "optimise", "uniformity", "isel",
                                         "spill",  "regalloc", "peephole",   "all"};
    for (size_t i = 0; i < CY_COUNT(passes); i++)
        if (!job->options->dump || !strcmp(job->options->dump, passes[i]))
            return true;
    cy_diag_file(
        &job->diags, CY_ERROR, job->name,
        "there is no pass '%s' to dump; there are import, optimise, uniformity, isel, spill, regalloc, peephole and "
        "all",
        job->options->dump);
    return false;
}

/* One kernel or function from IR to machine code.  Every pass's result is validated. */
static bool compile_function(struct job *job, struct ir_func *func, struct backend_stats *stats)
{
    struct cy_arena *arena = &job->module.arena;
    const struct ir_dump to = {job->options->dump, &job->dump};
    ir_analyse_cfg(func);
    dump(&to, func, "import");
    if (!is_valid(job, func, ir_validate(func, arena), "import"))
        return false;
    cc_progress_enter(job->module.progress, CC_STAGE_OPTIMISE, func->name);
    if (job->optimize)
        ir_improve(func);
    dump(&to, func, "optimise");
    if (!is_valid(job, func, ir_validate(func, arena), "optimise"))
        return false;
    cc_progress_enter(job->module.progress, CC_STAGE_UNIFORMITY, func->name);
    ir_analyse_uniformity(func);
    dump(&to, func, "uniformity");
    return is_valid(job, func, ir_validate_uniformity(func, arena), "uniformity") &&
           cy_backend(func, &job->module, &job->object, stats, job->options->want_assembly ? &job->assembly : NULL, &to,
                      &job->diags);
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

/* The back end may have named the symbol already, as something undefined. */
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
    for (size_t i = 0; i < job->module.symbols.count; i++) { /* pointers in initial values, once all have a place */
        const struct ir_symbol *symbol = &job->module.symbols.at[i];
        for (size_t r = 0; r < symbol->relocs.count; r++) {
            const struct cy_symbol *own = &object->symbols.at[find_symbol(object, symbol->name)];
            struct cy_reloc reloc = {own->value + symbol->relocs.at[r].offset, CY_R_RISCV_32,
                                     find_symbol(object, job->module.symbols.at[symbol->relocs.at[r].symbol].name),
                                     symbol->relocs.at[r].addend};
            *cy_vec_push(&object->sections.at[own->section - 1].relocs) = reloc;
        }
    }
    if (job->module.formats.count) {
        struct cy_section *section = cy_object_add_section(object, ".cy.printf", CY_SHT_PROGBITS, 0);
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
                     "the device library is not beside the program; was it installed?");
        return false;
    }
    return true;
}

static bool front(struct job *job)
{
    struct cy_buf bitcode = {0}, library = {0};
    job->optimize = job->options->optimize ? 2 : 0;
    for (size_t i = 0; i < job->options->arg_count; i++) {
        job->wants_debug |= !strcmp(job->options->args[i], "-g");
        if (!strcmp(job->options->args[i], "-cl-opt-disable"))
            job->optimize = 0;
    }
    bool ok = true;
    if (job->options->part_count == 1 && !job->options->compile_only) {
        cy_buf_append(&bitcode, job->options->parts->bitcode, job->options->parts->size);
    } else {
        cc_progress_enter(job->module.progress, CC_STAGE_PARTS, NULL);
        ok = cc_link_parts(job->name, job->options->parts, job->options->part_count, &bitcode, &job->diags);
    }
    if (ok && job->options->compile_only) {
        job->result->bitcode = (unsigned char *)bitcode.data;
        job->result->bitcode_size = bitcode.size;
        bitcode = (struct cy_buf){0};
    } else {
        job->program.as_written = !job->optimize;
        job->program.progress = job->module.progress;
        ok = ok && library_path(job, &library) &&
             cc_program_load(&job->program, job->name, &bitcode, library.data, job->optimize, &job->diags) &&
             cc_import(&job->program, job->name, &job->module, &job->diags);
    }
    cy_buf_free(&bitcode);
    cy_buf_free(&library);
    return ok;
}

/* The arguments' texts follow the array. */
static void take_arguments(const struct ir_func *func, struct cy_cc_kernel_stats *out)
{
    const char *attributes = func->attributes ? func->attributes : ""; /* a function has none */
    size_t texts = strlen(func->name) + strlen(attributes) + 2;
    for (uint32_t i = 0; i < func->argument_count; i++)
        texts += strlen(func->arguments[i].name) + strlen(func->arguments[i].type) + 2;
    out->argument_count = func->argument_count;
    out->arguments = cy_xrealloc(NULL, func->argument_count * sizeof(*out->arguments) + texts);
    char *text = (char *)(out->arguments + func->argument_count);
    for (uint32_t i = 0; i < func->argument_count; i++) {
        const struct ir_argument *from = &func->arguments[i];
        out->arguments[i] = (struct cy_cc_argument){.name = text,
                                                    .address = (enum cy_cc_address)from->address_space,
                                                    .qualifiers = from->qualifiers,
                                                    .size = from->size,
                                                    .align = from->align,
                                                    .is_pointer = from->is_pointer};
        text = stpcpy(text, from->name) + 1;
        out->arguments[i].type = text;
        text = stpcpy(text, from->type) + 1;
    }
    memcpy(out->reqd_size, func->reqd_size, sizeof(out->reqd_size));
    out->sees_groups = func->sees_groups;
    out->may_wait = func->may_wait;
    out->name = text;
    text = stpcpy(text, func->name) + 1;
    out->attributes = strcpy(text, attributes);
    out->local_bytes = func->local_bytes;
    out->private_bytes = func->private_bytes;
}

static void take_stats(const struct ir_func *func, const struct backend_stats *stats, struct cy_cc_kernel_stats *out)
{
    *out = (struct cy_cc_kernel_stats){.instructions = stats->instructions,
                                       .vgprs = func->needs.vgprs,
                                       .sgprs = func->needs.sgprs,
                                       .spills = stats->spills,
                                       .calls = stats->calls,
                                       .uniform_percent = stats->uniform_percent,
                                       .code_bytes = stats->code_bytes};
    take_arguments(func, out);
    out->private_bytes = func->needs.private_bytes;
}

/* Callees first: a caller wants to know where they are and what they need. */
static bool compile_all(struct job *job, const uint32_t *order, struct backend_stats *stats)
{
    bool ok = true;
    for (size_t i = 0; i < job->module.funcs.count && ok; i++)
        ok = compile_function(job, &job->module.funcs.at[order[i]], &stats[order[i]]);
    return ok;
}

/* The assembly quotes the source. */
static void keep_source(struct job *job, const char *source, size_t size)
{
    job->module.source_name = job->name;
    job->module.source = source;
    *cy_vec_push(&job->module.source_lines) = 0;
    for (size_t at = 0; at < size; at++)
        if (source[at] == '\n' || at + 1 == size)
            *cy_vec_push(&job->module.source_lines) = (uint32_t)at + 1;
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
    bool ok = compile_all(job, order, stats);
    result->kernels = cy_xrealloc(NULL, (count + 1) * sizeof(*result->kernels));
    result->functions = cy_xrealloc(NULL, (count + 1) * sizeof(*result->functions));
    for (size_t i = 0; i < count && ok; i++) {
        const struct ir_func *func = &job->module.funcs.at[i];
        take_stats(func, &stats[i],
                   func->is_function ? &result->functions[result->function_count++]
                                     : &result->kernels[result->kernel_count++]);
    }
    if (ok)
        emit_data(job);
    if (ok && !cc_needs_stack(&job->module))
        cc_emit_start(&job->object);
    struct cc_debug debug = {&job->object, job->name, &job->module, stats};
    if (ok && job->wants_debug)
        cc_emit_debug(&debug);
    for (size_t i = 0; i < count; i++)
        cy_backend_stats_free(&stats[i]);
    cy_xrealloc(stats, 0);
    cy_xrealloc(order, 0);
    return ok;
}

static bool link_program(struct job *job)
{
    struct cy_buf directory = {0}, file = {0};
    struct cy_object program = {0};
    cc_progress_enter(job->module.progress, CC_STAGE_LINK, NULL);
    if (!library_path(job, &directory))
        return false;
    struct cy_library *library = cy_library_open(directory.data, &job->diags);
    const struct cy_object *objects[] = {&job->object};
    const struct cy_library *libraries[] = {library};
    struct cy_link_job link = {.objects = objects, .object_count = 1, .libraries = libraries, .library_count = 1};
    bool ok = library && cy_link(&link, &program, &job->diags);
    if (ok) {
        cy_object_write(&program, &file);
        job->result->elf = (unsigned char *)file.data;
        job->result->elf_size = file.size;
    }
    cy_object_free(&program);
    if (library)
        cy_library_close(library);
    cy_buf_free(&directory);
    return ok;
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
    struct job job = {.name = name, .options = options, .result = result, .module.progress = progress};
    *result = (struct cy_cc_result){0};
    job.object.name = name;
    job.object.type = CY_ET_REL;
    job.object.machine = CY_EM_RISCV;
    if (source && job.options->want_assembly)
        keep_source(&job, source, size);
    fenv_t callers;
    cy_host_fp_enter(&callers); /* LLVM folds constants and the register allocator weighs with the host's numbers */
    bool ok = is_pass(&job) && front(&job) && (job.options->compile_only || (back(&job) && link_program(&job)));
    result->log = take_text(&job.diags.text);
    if (job.options->want_assembly)
        result->assembly = take_text(&job.assembly);
    if (job.options->dump)
        result->dump = take_text(&job.dump);
    if (!progress) { /* else this is a worker, which ends now: taking LLVM's modules apart would only cost time */
        cy_buf_free(&job.assembly);
        cy_buf_free(&job.dump);
        cy_object_free(&job.object);
        ir_module_free(&job.module);
        cc_program_free(&job.program);
    }
    cy_host_fp_leave(&callers);
    return ok;
}
