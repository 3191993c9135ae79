/* `cy cc`: compiles OpenCL C into an executable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "compiler.h"
#include "options.h"
#include "paths.h"

enum {
    OPT_OUTPUT = 1,
    OPT_DEFINE,
    OPT_UNDEFINE,
    OPT_INCLUDE,
    OPT_OPTIMIZE,
    OPT_ASSEMBLY,
    OPT_DUMP,
    OPT_STOP_AFTER,
    OPT_RUN_PASS,
    OPT_PASSES,
    OPT_TIME,
    OPT_SGPRS,
    OPT_VGPRS,
    OPT_STATS,
    OPT_QUIET,
    OPT_NO_INLINE,
    OPT_DEBUG,
    OPT_LIBDIR,
    OPT_MARCH,
    OPT_NO_CACHE,
    OPT_TIME_LIMIT,
    OPT_REPRODUCE,
    OPT_CHECK,
    OPT_NO_SOURCE
};

static const struct cy_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE (default: the source's name with .riscv or .s; a.riscv for -)",
     0},
    {OPT_DEFINE, 'D', NULL, "NAME[=VALUE]", "define a macro", 0},
    {OPT_UNDEFINE, 'U', NULL, "NAME", "undefine a macro", 0},
    {OPT_INCLUDE, 'I', NULL, "DIR", "search DIR for headers", 0},
    {OPT_OPTIMIZE, 'O', NULL, "LEVEL", "0: unoptimised; 2: everything (default; 1, 3 and s mean the same)", 0},
    {OPT_ASSEMBLY, 'S', "assembly", NULL, "write assembly instead of an executable", 0},
    {OPT_DUMP, 0, "dump", "PASS", "print the program after a pass, or after all of them", 0},
    {OPT_STOP_AFTER, 0, "stop-after", "PASS", "print the program after a pass and write no executable", 0},
    {OPT_RUN_PASS, 0, "run-pass", "PASS",
     "the same, but run only this one of the IR passes (before a machine pass\nonly uniformity)", 0},
    {OPT_PASSES, 0, "passes", NULL, "list the passes, in order", 0},
    {OPT_TIME, 0, "time-passes", NULL, "print on standard error how long each pass took", 0},
    {OPT_SGPRS, 0, "sgprs", "N", "allocate sGPRs below xN only (at least 16)", 0},
    {OPT_VGPRS, 0, "vgprs", "N", "allocate vGPRs below vN only (at least 8)", 0},
    {OPT_STATS, 0, "stats", NULL,
     "print a table of kernels and functions: instructions, registers, spills,\npercentage of scalar instructions, "
     "size, calls",
     0},
    {OPT_QUIET, 'w', NULL, NULL, "no warnings", 0},
    {OPT_NO_INLINE, 0, "no-inline", NULL, "call the program's functions instead of inlining them", 0},
    {OPT_DEBUG, 'g', NULL, NULL, "put debug information into the executable: lines, functions, variables, types", 0},
    {OPT_LIBDIR, 0, "libdir", "DIR", "use the device library in DIR", 0},
    {OPT_MARCH, 0, "march", "TARGET", "ventus (default) or ventus-gen2", CY_OPTION_ONE_DASH},
    {OPT_NO_CACHE, 0, "no-cache", NULL, "compile even if the result is in the cache", 0},
    {OPT_TIME_LIMIT, 0, "time-limit", "SECONDS",
     "stop a compile that takes longer; 0: never (default: $CHENGYING_COMPILE_SECONDS,\nor 600)", 0},
    {OPT_REPRODUCE, 0, "reproduce", "FILE", "compile the saved input of a compiler crash again", 0},
    {OPT_CHECK, 0, "check", NULL, "keep what is undefined, for 'cy check' (the executable runs nowhere else)", 0},
    {OPT_NO_SOURCE, 0, "no-source", NULL, "leave the source out of the executable", 0},
};

static const struct cy_usage usage = {"cc",
                                      "[options] FILE.cl | FILE.ir | --reproduce FILE",
                                      "Compiles OpenCL C, or IR text as printed by --dump, to a Ventus executable.\n"
                                      "Options that start with -cl-, -W or -f are passed to clang, the front end.",
                                      "examples:\n"
                                      "  cy cc vecadd.cl -o vecadd.riscv\n"
                                      "  cy cc -S -o - vecadd.cl            look at the code\n"
                                      "  cy cc --stats -cl-fast-relaxed-math nbody.cl\n"
                                      "  cy cc --stop-after=import nbody.cl > nbody.ir\n"
                                      "  cy cc --run-pass=simplify nbody.ir      what one pass does\n",
                                      options,
                                      CY_COUNT(options)};

static bool take_seconds(const char *text, unsigned *seconds)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *seconds = (unsigned)number;
    return *text >= '0' && *text <= '9' && !*end && number <= 1000000;
}

/* Removes clang's own options from the command line. */
static int take_clang_options(int argc, char **argv, const char **taken, size_t *count)
{
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (i && (!strncmp(arg, "-cl-", 4) || !strncmp(arg, "-W", 2) || (!strncmp(arg, "-f", 2) && arg[2])))
            taken[(*count)++] = arg;
        else
            argv[kept++] = argv[i];
    }
    return kept;
}

static void print_row(const struct cy_kernel_info *k)
{
    printf("%-24s %8u %6u %6u %7u %9u %8u %6u\n", k->name, k->instructions, k->vgprs, k->sgprs, k->spills,
           k->uniform_percent, k->code_bytes, k->calls);
}

static void print_stats(const struct cy_cc_result *result)
{
    static const char head[] = "%-24s %8s %6s %6s %7s %9s %8s %6s\n";
    printf(head, "kernel", "insns", "vGPRs", "sGPRs", "spills", "uniform %", "bytes", "calls");
    for (size_t i = 0; i < result->kernel_count; i++)
        print_row(&result->kernels[i]);
    if (result->function_count)
        printf(head, "function", "insns", "vGPRs", "sGPRs", "spills", "uniform %", "bytes", "calls");
    for (size_t i = 0; i < result->function_count; i++)
        print_row(&result->functions[i]);
}

/* "a/x.cl" -> "a/x.riscv", "-" -> "a.riscv" */
static void default_output(const char *file, const char *suffix, struct cy_buf *name)
{
    if (!strcmp(file, "-"))
        file = "a"; /* standard input has no name */
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    cy_buf_append(name, file, dot && dot > base ? (size_t)(dot - file) : strlen(file));
    cy_buf_puts(name, suffix);
}

/* The rows of passes.def. */
static const struct {
    const char *name, *stage, *help;
    int level;
} passes[] = {
#define PASS(name, stage, level, help, check) {#name, #stage, help, level},
#include "cc/passes/passes.def"
};

static void list_passes(void)
{
    printf("%-12s%-9s%-7s%s\n", "pass", "stage", "level", "what it does");
    for (size_t i = 0; i < CY_COUNT(passes); i++)
        printf("%-12s%-9s-O%-5d%s\n", passes[i].name, passes[i].stage, passes[i].level, passes[i].help);
}

static void print_times(const struct cy_cc_result *result)
{
    unsigned long long total = 0;
    for (size_t i = 0; i < result->pass_count; i++)
        total += result->pass_ns[i];
    if (result->pass_count)
        fprintf(stderr, "%-12s%12s%8s\n", "pass", "time/ms", "share");
    for (size_t i = 0; i < result->pass_count && i < CY_COUNT(passes); i++)
        if (result->pass_ns[i])
            fprintf(stderr, "%-12s%12.3f%7.1f%%\n", passes[i].name, (double)result->pass_ns[i] / 1e6,
                    100.0 * (double)result->pass_ns[i] / (double)total);
    if (result->pass_count)
        fprintf(stderr, "%-12s%12.3f\n", "all", (double)total / 1e6);
}

/* A number of registers; 0: not valid. */
static unsigned register_count(const char *text, unsigned least, unsigned most)
{
    char *end;
    unsigned long count = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && count >= least && count <= most ? (unsigned)count : 0;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t size = strlen(name), length = strlen(suffix);
    return size > length && !strcmp(name + size - length, suffix);
}

/* An option that needs a source; without one, none is carried and there are no warnings anyway. */
static const char *option_of_source(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], CY_CC_NO_SOURCE) != 0 && strcmp(words[i], "-w") != 0)
            return words[i];
    return NULL;
}

int cy_cmd_cc(int argc, char **argv)
{
    struct cy_args args;
    struct cy_diags diags = {0};
    struct cy_buf source = {0}, name = {0};
    struct cy_arena arena = {0};
    const char *file = NULL, *output = NULL, *reproduce = NULL;
    const char **clang = cy_arena_alloc(&arena, (size_t)(2 * argc + 2) * sizeof(*clang));
    struct cy_cc_options cc = {.optimize = 2};
    size_t count = 0;
    bool stats = false, only_list = false;
    struct cy_compile_how how = {0};
    unsigned seconds;
    argc = take_clang_options(argc, argv, clang, &count);
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_OUTPUT: output = args.value; break;
        case OPT_DEFINE: clang[count++] = cy_arena_printf(&arena, "-D%s", args.value); break;
        case OPT_UNDEFINE: clang[count++] = cy_arena_printf(&arena, "-U%s", args.value); break;
        case OPT_INCLUDE: clang[count++] = cy_arena_printf(&arena, "-I%s", args.value); break;
        case OPT_OPTIMIZE:
            if (!args.value[0] || !strchr("0123s", args.value[0]) || args.value[1]) {
                cy_arena_free(&arena);
                return cy_usage_error(&usage, "unknown level -O%s: use -O0 or -O2 (-O1, -O3 and -Os mean -O2)",
                                      args.value);
            }
            cc.optimize = strcmp(args.value, "0") ? 2 : 0;
            break;
        case OPT_ASSEMBLY: cc.want_assembly = true; break;
        case OPT_CHECK: clang[count++] = CY_CC_CHECK; break;
        case OPT_NO_SOURCE: clang[count++] = CY_CC_NO_SOURCE; break;
        case OPT_NO_CACHE: how.no_cache = true; break;
        case OPT_DUMP: cc.dump = args.value; break;
        case OPT_STOP_AFTER: cc.stop_after = args.value; break;
        case OPT_RUN_PASS: cc.run_pass = args.value; break;
        case OPT_PASSES: only_list = true; break;
        case OPT_TIME: cc.time_passes = true; break;
        case OPT_SGPRS:
            if (!(cc.sgprs = register_count(args.value, 16, 64))) {
                cy_arena_free(&arena);
                return cy_usage_error(&usage, "--sgprs needs a number from 16 to 64, not '%s'", args.value);
            }
            break;
        case OPT_VGPRS:
            if (!(cc.vgprs = register_count(args.value, 8, 256))) {
                cy_arena_free(&arena);
                return cy_usage_error(&usage, "--vgprs needs a number from 8 to 256, not '%s'", args.value);
            }
            break;
        case OPT_STATS: stats = true; break;
        case OPT_QUIET: clang[count++] = "-w"; break;
        case OPT_NO_INLINE: clang[count++] = "-fno-inline"; break;
        case OPT_DEBUG: clang[count++] = "-g"; break;
        case OPT_LIBDIR: cc.library_dir = args.value; break;
        case OPT_MARCH:
            if (!cy_generation(args.value, &cc.generation)) {
                cy_arena_free(&arena);
                return cy_usage_error(&usage, "OpenCL C is compiled for ventus or ventus-gen2, not for '%s'",
                                      args.value);
            }
            break;
        case OPT_REPRODUCE: reproduce = args.value; break;
        case OPT_TIME_LIMIT:
            if (!take_seconds(args.value, &seconds)) {
                cy_arena_free(&arena);
                return cy_usage_error(&usage, "'%s' is not a number of seconds", args.value);
            }
            how.time_limit = &seconds;
            break;
        case CY_ARGS_FILE:
            if (file) {
                cy_arena_free(&arena);
                return cy_usage_error(&usage, "one source at a time: '%s' and '%s'", file, args.value);
            }
            file = args.value;
            break;
        case CY_ARGS_EXIT: cy_arena_free(&arena); return args.status;
        }
    }
    if (only_list) {
        list_passes();
        cy_arena_free(&arena);
        return CY_EXIT_OK;
    }
    if (!file == !reproduce) {
        cy_arena_free(&arena);
        return cy_usage_error(&usage, file ? "a source and --reproduce cannot be combined" : "no input file");
    }
    cc.is_ir = file && has_suffix(file, ".ir");
    const char *const unused = cc.is_ir ? option_of_source(clang, count) : NULL;
    if (unused) {
        const int status = cy_usage_error(&usage, "'%s' is for OpenCL C: it has no effect on IR", unused);
        cy_arena_free(&arena);
        return status;
    }
    bool stops = cc.stop_after || cc.run_pass;
    if (stops) {
        output = NULL; /* nothing is written */
    } else if (!output && file) {
        default_output(file, cc.want_assembly ? ".s" : ".riscv", &name);
        output = name.data;
    }
    struct cy_paths paths = {0};
    cy_paths_read(&paths, file ? file : reproduce);
    cy_paths_write(&paths, output);
    int status = cy_paths_check(&paths, &usage);
    if (status != CY_EXIT_OK) {
        cy_buf_free(&name);
        cy_arena_free(&arena);
        return status;
    }
    cc.args = clang;
    cc.arg_count = count;
    struct cy_cc_result result = {0};
    struct cy_buf included = {0};
    how.files = &included;
    bool ok = reproduce ? cy_compile(reproduce, NULL, &cc, &how, &result, &diags)
                        : cy_file_read(file, &source, &diags) &&
                              cy_compile(strcmp(file, "-") ? file : "<stdin>", &source, &cc, &how, &result, &diags);
    if (result.log)
        fputs(result.log, stderr);
    if (result.dump) /* most useful when something went wrong */
        fputs(result.dump, stdout);
    print_times(&result);
    if (ok && stats && !stops)
        print_stats(&result);
    if (ok) {
        paths = (struct cy_paths){0};
        cy_paths_write(&paths, output);
        cy_paths_read_lines(&paths, included.data);
        status = cy_paths_check(&paths, &usage);
    }
    if (ok && status == CY_EXIT_OK && output && (result.assembly || result.elf))
        ok = result.assembly ? cy_file_write(output, result.assembly, strlen(result.assembly), false, &diags)
                             : cy_file_write(output, result.elf, result.elf_size, true, &diags);
    cy_cc_result_free(&result);
    cy_buf_free(&source);
    cy_buf_free(&name);
    cy_buf_free(&included);
    cy_arena_free(&arena);
    const int reported = cy_report(&diags);
    return !ok ? CY_EXIT_INPUT : status != CY_EXIT_OK ? status : reported;
}
