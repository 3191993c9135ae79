/* `cy jit`: what the fast engine makes of a kernel, pass by pass. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cc/driver/driver.h"
#include "cc/driver/request.h"
#include "commands.h"
#include "jit/import/import.h"
#include "jit/transform/transform.h"
#include "jit_assembly.h"
#include "jit_request.h"
#include "machine_options.h"
#include "options.h"
#include "run_kernel.h"

enum {
    OPT_DUMP = 1,
    OPT_STOP_AFTER,
    OPT_RUN_PASS,
    OPT_PASSES,
    OPT_TIME,
    OPT_LLVM,
    OPT_ASM,
    OPT_KERNEL,
    OPT_GLOBAL,
    OPT_LOCAL,
    OPT_LEVEL,
    OPT_WIDTH,
    OPT_COUNT,
    OPT_MARCH,
    OPT_LIBDIR,
    OPT_OPTIMIZE,
    OPT_BUILD,
};

static const struct cy_option options[] = {
    {OPT_DUMP, 0, "dump", "PASS", "print the kernel after a pass, after import, or after all of them", 0},
    {OPT_STOP_AFTER, 0, "stop-after", "PASS", "run no pass behind this one; import: none at all", 0},
    {OPT_RUN_PASS, 0, "run-pass", "PASS", "run this pass alone", 0},
    {OPT_PASSES, 0, "passes", NULL, "list the passes, in order", 0},
    {OPT_TIME, 0, "time-passes", NULL, "print on standard error how long each pass took", 0},
    {OPT_LLVM, 0, "llvm", "WHEN",
     "print LLVM's code instead: 'first', as it is made of the strip IR, or 'last', behind\n"
     "the passes over it (default)",
     CY_OPTION_OPTIONAL},
    {OPT_ASM, 0, "asm", NULL, "print the host's assembly instead, with the guest's instructions and source lines", 0},
    {OPT_KERNEL, 'k', "kernel", "NAME", "the kernel (required if there are several)", 0},
    {OPT_GLOBAL, 0, "global", "X[,Y[,Z]]", "work-items (default: one workgroup)", 0},
    {OPT_LOCAL, 'l', "local", "X[,Y[,Z]]", "work-items of a workgroup (default: what the kernel requires, or 64)", 0},
    {OPT_LEVEL, 0, "level", "LEVEL",
     "make code for sse2, avx2, avx512, avx512_slow_gather, neon, sve256 or sve512\n(default: for this processor)", 0},
    {OPT_WIDTH, 0, "width", "N", "work-items that run together, where the kernel allows it: 1 to 32", 0},
    {OPT_COUNT, 0, "count", "WHAT", "make code that counts: lanes, as for --stats, or insns, as for profiles", 0},
    {OPT_MARCH, 0, "march", "TARGET", "instruction set of sources: ventus, ventus-gen2", CY_OPTION_ONE_DASH},
    {OPT_LIBDIR, 0, "libdir", "DIR", "the device library for linking", 0},
    {OPT_OPTIMIZE, 'O', NULL, "LEVEL", "compile FILE.cl with 0: unoptimised; 2: everything (default)", 0},
    {OPT_BUILD, 0, "build-options", "OPTIONS",
     "more options for FILE.cl, as clBuildProgram takes them: '-cl-std=CL3.0 -DN=4'", 0},
    {CY_MACHINE_THREADS, 0, "threads", "N", "threads per warp: 4, 8, 16, 32 or 64", 0},
    {CY_MACHINE_WARPS, 0, "warps", "N", "warps per SM", 0},
    {CY_MACHINE_SET, 0, "set", "KEY=VALUE", "a setting of the machine (repeatable); docs/machine.md lists the keys", 0},
};

static const struct cy_usage usage = {
    "jit",
    "[options] FILE...",
    "Shows what the fast engine makes of a kernel of an executable, of OpenCL C (FILE.cl), or of objects and assembly\n"
    "sources: the strip IR behind its passes.  FILE.sir is strip IR as printed by --dump, and goes on from there.",
    "examples:\n"
    "  cy jit --passes\n"
    "  cy jit vecadd.cl --local 64                    the strip IR behind all passes\n"
    "  cy jit --stop-after=import vecadd.cl > k.sir   as the guest means it\n"
    "  cy jit --run-pass=masks k.sir                  what one pass does\n"
    "  cy jit --asm --level avx2 vecadd.cl            the host's code\n",
    options,
    CY_COUNT(options)};

struct jit {
    struct cy_diags diags;
    struct cy_buf out;
    struct cy_sir_pipeline pipeline;
    struct jit_kernel kernel;
    const char *text; /* CC_TEXT_..., what is printed instead of strip IR; or NULL */
    bool is_timed, only_list, is_over;
    CY_VEC(const char *) files;
};

/* ---- the passes ---- */

static const char *const forms[] = {"SIMT", "vector", "any"};

static void list_passes(void)
{
    printf("%-12s%-17s%s\n", "pass", "form", "what it does");
    for (size_t i = 0; i < CY_SIR_PASSES; i++) {
        const struct cy_sir_pass *pass = &cy_sir_passes[i];
        char form[32];
        snprintf(form, sizeof(form), pass->from == pass->to ? "%s" : "%s to %s", forms[pass->from], forms[pass->to]);
        printf("%-12s%-17s%s\n", pass->name, form, pass->text);
    }
}

static void print_times(const struct cy_sir_pipeline *pipeline)
{
    uint64_t total = 0;
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        total += pipeline->ns[i];
    fprintf(stderr, "%-12s%12s%8s\n", "pass", "time/ms", "share");
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        if (pipeline->ns[i])
            fprintf(stderr, "%-12s%12.3f%7.1f%%\n", cy_sir_passes[i].name, (double)pipeline->ns[i] / 1e6,
                    100.0 * (double)pipeline->ns[i] / (double)total);
    fprintf(stderr, "%-12s%12.3f\n", "all", (double)total / 1e6);
}

/* Prints the function at the end, unless another one was to be printed. */
static void run_passes(struct jit *jit, struct cy_sir_func *func)
{
    const char *wrong = cy_sir_run_passes(func, &jit->pipeline);
    if (wrong)
        cy_diag_file(&jit->diags, CY_ERROR, jit->files.at[0], "%s", wrong);
    else if (!jit->pipeline.dump)
        cy_sir_print(func, &jit->out);
}

/* ---- from a file ---- */

static bool is_strip_ir(const char *file)
{
    const size_t length = strlen(file);
    return length > 4 && strcmp(file + length - 4, ".sir") == 0;
}

static void run_strip_ir(struct jit *jit)
{
    const char *file = jit->files.at[0];
    struct cy_buf text = {0};
    struct cy_sir_func *func = NULL;
    if (cy_file_read(file, &text, &jit->diags))
        func = cy_sir_read(file, text.data, text.size, &jit->diags);
    if (func)
        run_passes(jit, func);
    cy_sir_free(func);
    cy_buf_free(&text);
}

static void import(struct jit *jit, const struct cy_buf *bytes)
{
    const struct cy_jit_request *request = (const void *)bytes->data;
    struct cy_buf why = {0};
    struct cy_sir_func *func = cy_jit_import(request, bytes->size, &why);
    if (func)
        func->name = cy_arena_printf(&func->arena, "%s", jit->kernel.label.data);
    if (!func)
        cy_diag_file(&jit->diags, CY_ERROR, jit->files.at[0], "the interpreter runs this kernel: %s", why.data);
    else if (!cy_sir_choose_strip(func, request))
        cy_diag_file(&jit->diags, CY_ERROR, jit->files.at[0],
                     "the interpreter runs this kernel: warps of %u work-items in lockstep", request->threads);
    else
        run_passes(jit, func);
    cy_sir_free(func);
    cy_buf_free(&why);
}

/* What only the compile server can tell. */
static void print_translation(struct jit *jit, const struct cy_buf *request)
{
    struct cc_places places;
    struct cy_buf text = {0};
    char why[512];
    cc_find_places(&places);
    const struct cc_driver driver = {.helpers = places.helpers, .library_dir = places.library_dir};
    if (!cc_print_translation(&driver, request->data, request->size, jit->text, &text, why, sizeof(why)))
        cy_diag_file(&jit->diags, CY_ERROR, jit->files.at[0], "the interpreter runs this kernel: %s", why);
    else if (strcmp(jit->text, CC_TEXT_ASSEMBLY) == 0)
        cy_jit_put_assembly(text.data, jit->files.at[0], &jit->kernel.elf, (const void *)request->data, &jit->out);
    else
        cy_buf_append(&jit->out, text.data, text.size);
    cy_buf_free(&text);
}

static void run_program(struct jit *jit)
{
    struct cy_buf request = {0};
    jit->kernel.inputs.files = jit->files.at;
    jit->kernel.inputs.file_count = jit->files.count;
    jit->kernel.config.sir = true;
    if (cy_jit_kernel_request(&jit->kernel, &request, &jit->diags)) {
        if (jit->text)
            print_translation(jit, &request);
        else
            import(jit, &request);
    }
    cy_buf_free(&jit->kernel.elf);
    cy_buf_free(&jit->kernel.label);
    cy_buf_free(&request);
}

/* ---- the command line ---- */

static int parse_sizes(struct jit *jit, const char *name, const char *text, uint64_t limit, uint64_t sizes[3])
{
    unsigned count;
    const int status = cy_run_parse_sizes(&usage, name, text, limit, 1, sizes, &count);
    if (status == CY_EXIT_OK && count > jit->kernel.range.dimensions)
        jit->kernel.range.dimensions = count;
    return status;
}

static int parse_width(struct jit *jit, const char *text)
{
    uint64_t width;
    if (!cy_parse_number(text, CY_JIT_MAX_STRIP, &width) || !width)
        return cy_usage_error(&usage, "--width needs a number from 1 to %u, not '%s'", CY_JIT_MAX_STRIP, text);
    jit->kernel.config.strip = (uint32_t)width;
    return CY_EXIT_OK;
}

static int parse_level(struct jit *jit, const char *name)
{
    struct cy_buf names = {0};
    int status = CY_EXIT_OK;
    if (!cy_jit_knows_level(name, &names))
        status = cy_usage_error(&usage, "--level: there is no level '%s'; there are %s", name, names.data);
    jit->kernel.level = name;
    cy_buf_free(&names);
    return status;
}

static int parse_llvm(struct jit *jit, const char *when)
{
    if (when && strcmp(when, "first") != 0 && strcmp(when, "last") != 0)
        return cy_usage_error(&usage, "--llvm is first or last, not '%s'", when);
    jit->text = when && *when == 'f' ? CC_TEXT_LLVM : CC_TEXT_OPTIMISED;
    return CY_EXIT_OK;
}

static int parse_count(struct jit *jit, const char *what)
{
    static const char *const names[] = {
        [CY_JIT_COUNT_NOTHING] = "nothing", [CY_JIT_COUNT_LANES] = "lanes", [CY_JIT_COUNT_INSNS] = "insns"};
    for (size_t i = CY_JIT_COUNT_LANES; i < CY_COUNT(names); i++)
        if (strcmp(what, names[i]) == 0) {
            jit->kernel.counts = (enum cy_jit_counting)i;
            return CY_EXIT_OK;
        }
    return cy_usage_error(&usage, "--count is lanes or insns, not '%s'", what);
}

static int parse_program_option(struct jit *jit, int id, const char *value)
{
    struct jit_kernel *kernel = &jit->kernel;
    switch (id) {
    case OPT_KERNEL: kernel->name = value; break;
    case OPT_GLOBAL: return parse_sizes(jit, "global", value, UINT64_MAX, kernel->range.global);
    case OPT_LOCAL: return parse_sizes(jit, "local", value, UINT32_MAX, kernel->range.local);
    case OPT_LEVEL: return parse_level(jit, value);
    case OPT_WIDTH: return parse_width(jit, value);
    case OPT_COUNT: return parse_count(jit, value);
    case OPT_MARCH: kernel->inputs.march = value; break;
    case OPT_LIBDIR: kernel->inputs.libdir = value; break;
    case OPT_BUILD: kernel->inputs.options = value; break;
    case OPT_OPTIMIZE:
        if (strchr("0123s", *value) == NULL || !*value || value[1])
            return cy_usage_error(&usage, "-O takes 0, 1, 2, 3 or s, not '%s'", value);
        kernel->inputs.unoptimized = *value == '0';
        break;
    default:
        kernel->threads_given |= id == CY_MACHINE_THREADS || (id == CY_MACHINE_SET && !strncmp(value, "threads", 7));
        cy_machine_option(&kernel->config, id, value, &jit->diags);
        break;
    }
    return CY_EXIT_OK;
}

static int parse_option(struct jit *jit, int id, const char *value)
{
    switch (id) {
    case OPT_DUMP: jit->pipeline.dump = value; break;
    case OPT_STOP_AFTER: jit->pipeline.stop = value; break;
    case OPT_RUN_PASS: jit->pipeline.only = value; break;
    case OPT_PASSES: jit->only_list = true; break;
    case OPT_TIME: jit->is_timed = true; break;
    case OPT_LLVM: return parse_llvm(jit, value);
    case OPT_ASM: jit->text = CC_TEXT_ASSEMBLY; break;
    case CY_ARGS_FILE: *cy_vec_push(&jit->files) = value; break;
    default: return parse_program_option(jit, id, value);
    }
    return CY_EXIT_OK;
}

static int check_pass(const char *option, const char *name, bool may_be_all)
{
    if (!name || (may_be_all && strcmp(name, "all") == 0) || cy_sir_knows_pass(name))
        return CY_EXIT_OK;
    struct cy_buf list = {0};
    for (size_t i = 0; i < CY_SIR_PASSES; i++)
        cy_buf_printf(&list, ", %s", cy_sir_passes[i].name);
    const int status = cy_usage_error(&usage, "--%s: there is no pass '%s'; there are import%s%s", option, name,
                                      list.data, may_be_all ? ", and all" : "");
    cy_buf_free(&list);
    return status;
}

/* Strip IR is of a launch that it knows. */
static int check_strip_ir(const struct jit *jit, const struct cy_args *args)
{
    static const char *const unused[] = {"llvm",  "asm",   "kernel", "global",        "local",   "level", "width",
                                         "count", "march", "libdir", "build-options", "threads", "warps", "set"};
    bool is_any = false;
    for (size_t i = 0; i < jit->files.count; i++)
        is_any |= is_strip_ir(jit->files.at[i]);
    if (is_any && jit->files.count > 1)
        return cy_usage_error(&usage, "strip IR is a kernel by itself: '%s' and '%s'", jit->files.at[0],
                              jit->files.at[1]);
    for (size_t i = 0; is_any && i < CY_COUNT(unused); i++)
        if (cy_args_given(args, unused[i]))
            return cy_usage_error(&usage, "--%s is for programs: strip IR is of a launch that it knows", unused[i]);
    return CY_EXIT_OK;
}

static int check_options(struct jit *jit, const struct cy_args *args)
{
    static const char *const of_strip_ir[] = {"dump", "stop-after", "run-pass", "time-passes"};
    const struct cy_sir_pipeline *pipeline = &jit->pipeline;
    if (!jit->files.count)
        return cy_usage_error(&usage, "no input file");
    for (size_t i = 0; jit->text && i < CY_COUNT(of_strip_ir); i++)
        if (cy_args_given(args, of_strip_ir[i]))
            return cy_usage_error(&usage, "--%s shows strip IR, and --%s something else", of_strip_ir[i],
                                  strcmp(jit->text, CC_TEXT_ASSEMBLY) == 0 ? "asm" : "llvm");
    int status = check_pass("dump", pipeline->dump, true);
    status = status ? status : check_pass("stop-after", pipeline->stop, false);
    status = status ? status : check_pass("run-pass", pipeline->only, false);
    return status ? status : check_strip_ir(jit, args);
}

static int parse(struct jit *jit, int argc, char **argv)
{
    struct cy_args args;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            jit->is_over = true;
            return args.status;
        }
        status = parse_option(jit, id, args.value);
    }
    return status != CY_EXIT_OK || jit->only_list ? status : check_options(jit, &args);
}

static void run(struct jit *jit)
{
    if (is_strip_ir(jit->files.at[0]))
        run_strip_ir(jit);
    else
        run_program(jit);
    if (jit->out.size)
        fwrite(jit->out.data, 1, jit->out.size, stdout);
    if (jit->is_timed)
        print_times(&jit->pipeline);
}

int cy_cmd_jit(int argc, char **argv)
{
    struct jit jit = {0};
    jit.pipeline.out = &jit.out;
    cy_config_default(&jit.kernel.config);
    int status = parse(&jit, argc, argv);
    if (status == CY_EXIT_OK && jit.only_list && !jit.is_over)
        list_passes();
    else if (status == CY_EXIT_OK && !jit.diags.errors && !jit.is_over)
        run(&jit);
    cy_vec_free(&jit.files);
    cy_buf_free(&jit.out);
    const int reported = cy_report(&jit.diags);
    return status ? status : reported;
}
