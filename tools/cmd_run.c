/* `cy run`: launches a kernel straight from the shell. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "check/check.h"
#include "commands.h"
#include "debug/debug.h"
#include "gpu/replay/trace.h"
#include "machine_options.h"
#include "compiler.h"
#include "paths.h"
#include "page_table.h"
#include "profile_options.h"
#include "record_launch.h"
#include "run_arguments.h"
#include "run_attributes.h"
#include "run_program.h"
#include "run_check.h"
#include "run_executable.h"
#include "run_kernel.h"
#include "run_signature.h"
#include "run_stats.h"
#include "timing_options.h"
#include "verify/verify.h"
#include "view_options.h"

enum {
    OPT_KERNEL = 1,
    OPT_GLOBAL,
    OPT_LOCAL,
    OPT_OFFSET,
    OPT_ARG,
    OPT_PRINT,
    OPT_OUT,
    OPT_STATS,
    OPT_TRACE,
    OPT_TRACE_FORMAT,
    OPT_LIST,
    OPT_PROGRESS,
    OPT_SCALAR_ATOMICS,
    OPT_MARCH,
    OPT_LIBDIR,
    OPT_DEBUG,
    OPT_BUILD,
    OPT_NO_START,
    OPT_TIMING,
    OPT_TIMING_PRINT,
    OPT_GDB,
    OPT_OPTIMIZE,
    OPT_PAGE_TABLE,
    OPT_RECORD,
    OPT_VERIFY_STOP,
};

static const struct cy_option options[] = {
    {OPT_KERNEL, 'k', "kernel", "NAME", "the kernel (required if there are several)", 0},
    {OPT_GLOBAL, 0, "global", "X[,Y[,Z]]", "work-items", 0},
    {OPT_LOCAL, 'l', "local", "X[,Y[,Z]]", "work-items of a workgroup (default: what the kernel requires, or chosen)",
     0},
    {OPT_OFFSET, 0, "offset", "X[,Y[,Z]]", "added to global ids", 0},
    {OPT_ARG, 'a', "arg", "ARG", "an argument, in order; forms below", 0},
    {OPT_PRINT, 'p', "print", "N[:COUNT]", "print the buffer of argument N (from 0) afterwards", 0},
    {OPT_OUT, 'o', "out", "N=FILE", "write it to a file: .npy, .txt, anything else raw", 0},
    {OPT_STATS, 's', "stats", NULL, "count instructions, lanes, divergence, memory traffic", 0},
    {OPT_TRACE, 't', "trace", "FILE", "trace every instruction; -: to standard output (implies --deterministic)", 0},
    {OPT_TRACE_FORMAT, 0, "trace-format", "FORMAT", "full (default), or commit: the simulator's commit log", 0},
    {OPT_RECORD, 0, "record", "FOLDER",
     "write the launch to FOLDER, for 'cy verify' and 'cy replay' (docs/replay.md); the interpreter runs it", 0},
    {OPT_LIST, 0, "list", NULL, "list the kernels and their resources; run nothing", 0},
    {OPT_PROGRESS, 0, "no-progress", NULL, "no progress line on long runs", 0},
    {OPT_SCALAR_ATOMICS, 0, "scalar-atomics", NULL, "AMO, LR and SC operate on x registers, for old binaries", 0},
    {OPT_PAGE_TABLE, 0, "page-table", "FILE", "run with SV39 page tables: lines of mappings (docs/machine.md)", 0},
    {OPT_VERIFY_STOP, 0, "verify-stop", NULL, "--engine verify, and a difference ends the command at once", 0},
    {OPT_MARCH, 0, "march", "TARGET", "instruction set of sources: ventus, ventus-gen2", CY_OPTION_ONE_DASH},
    {OPT_LIBDIR, 0, "libdir", "DIR", "the device library for linking", 0},
    {OPT_GDB, 0, "gdb", "WHERE",
     "let GDB control the launch (docs/debug.md): a port, the path of a socket, or - (implies -g)", 0},
    {OPT_DEBUG, 'g', NULL, NULL,
     "compile FILE.cl with variables and its directory in the debug information, not only lines", 0},
    {OPT_OPTIMIZE, 'O', NULL, "LEVEL", "compile FILE.cl with 0: unoptimised; 2: everything (default)", 0},
    {OPT_BUILD, 0, "build-options", "OPTIONS",
     "more options for FILE.cl, as clBuildProgram takes them: '-cl-std=CL3.0 -DN=4'", 0},
    {OPT_NO_START, 0, "no-start", NULL, "link without start-up code: the image starts with the code", 0},
    CY_TIMING_OPTION_ROW(OPT_TIMING),
    CY_TIMING_PRINT_ROW(OPT_TIMING_PRINT),
    {CY_PROFILE_TABLE, 0, "profile", NULL, "print a profile: per kernel, source line and instruction", 0},
    CY_PROFILE_FILE_ROWS,
    CY_VIEW_OPTION_ROWS,
    CY_MACHINE_OPTION_ROWS};

static const struct cy_usage usage = {
    "run",
    "[options] FILE...",
    "Launches a kernel of an executable, of OpenCL C (FILE.cl), or of objects and assembly sources, which are linked\n"
    "first.",
    "arguments:\n"
    "  buffer:TYPE:COUNT[=HOW]   a buffer; HOW is iota, zeros, ones, random[:SEED], a number or @FILE\n"
    "  buffer:TYPE=@FILE         a buffer as large as the file (.npy, .txt, anything else raw)\n"
    "  TYPE:NUMBER[,NUMBER...]   a scalar or vector; TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64\n"
    "  NUMBER                    of the type declared in FILE.cl; otherwise 7 and 0x10 are i32, 3.5 is "
    "f32\n"
    "  local:BYTES               local memory of the workgroup\n"
    "\n"
    "examples:\n"
    "  cy run vecadd.cl --global 1024 --arg buffer:f32:1024=iota --arg buffer:f32:1024=ones \\\n"
    "      --arg buffer:f32:1024 --arg 1024 --print 2:8\n"
    "  cy run vecadd.s --global 1024 --local 256 --arg buffer:f32:1024=iota --arg buffer:f32:1024=ones \\\n"
    "      --arg buffer:f32:1024 --print 2:8\n"
    "  cy run --config rtl.conf --stats kernel.riscv --kernel scale --global 64,64 --local 8,8 --arg "
    "buffer:i32=@in.npy\n",
    options,
    CY_COUNT(options)};

struct wish {
    unsigned argument;
    uint64_t count;   /* to print; UINT64_MAX: all */
    const char *file; /* to write */
};

struct run {
    struct cy_diags diags;
    const struct cy_usage *usage; /* of the command that launches: cy run, or cy profile */
    int status;                   /* CY_EXIT_OK, or that of a message that has been printed */
    struct cy_config config;
    struct cy_run_inputs inputs;
    struct cy_timing_options timing;
    const char *kernel, *trace, *config_file, *gdb, *page_table, *record;
    struct cy_profile_options profiling;
    struct cy_view_options viewing;
    enum cy_trace_format trace_format;
    struct cy_run_range range;
    bool threads_given; /* by the command line or a file */
    bool stats, list, no_progress, scalar_atomics, verify_stop;
    CY_VEC(const char *) files;
    CY_VEC(struct cy_run_argument) arguments;
    CY_VEC(struct wish) wishes;

    struct cy_device *device;
    struct cy_program *program;
    struct cy_arguments *packed;
    struct cy_space *space; /* NULL: no page tables */
    struct cy_page_table mappings;
    struct cy_debugger *debugger;
    struct cy_check *check;         /* NULL: not checked */
    struct cy_verifying *verifying; /* NULL: not verified */
    struct cy_buf elf;              /* for the checker and the profile */
    struct cy_profile profile;
    struct cy_profile_launch profiled;
    bool is_profiled; /* and the launch has ended */
    struct cy_view_output view;
    struct cy_view_launch *viewed;
    struct cy_recorded recorded;
};

/* ---- the command line ---- */

static int parse_sizes(struct run *run, const char *name, const char *text, uint64_t sizes[3])
{
    unsigned count;
    const bool is_offset = sizes == run->range.offset;
    const int status = cy_run_parse_sizes(run->usage, name, text, sizes == run->range.local ? UINT32_MAX : UINT64_MAX,
                                          !is_offset, sizes, &count);
    if (status == CY_EXIT_OK && !is_offset && count > run->range.dimensions)
        run->range.dimensions = count;
    return status;
}

static int parse_wish(struct run *run, const char *text, bool to_file)
{
    struct wish wish = {.count = UINT64_MAX};
    const char *separator = strchr(text, to_file ? '=' : ':');
    char digits[16];
    size_t length = separator ? (size_t)(separator - text) : strlen(text);
    uint64_t number;
    if (length >= sizeof(digits))
        return cy_usage_error(run->usage, "'%s' does not name an argument", text);
    memcpy(digits, text, length);
    digits[length] = 0;
    if (!cy_parse_number(digits, UINT32_MAX, &number) || (to_file && (!separator || !separator[1])))
        return cy_usage_error(run->usage,
                              to_file ? "--out needs N=FILE, not '%s'" : "--print needs N or N:COUNT, not '%s'", text);
    if (!to_file && separator && !cy_parse_number(separator + 1, UINT64_MAX, &wish.count))
        return cy_usage_error(run->usage, "--print needs N or N:COUNT, not '%s'", text);
    wish.argument = (unsigned)number;
    wish.file = to_file ? separator + 1 : NULL;
    *cy_vec_push(&run->wishes) = wish;
    return CY_EXIT_OK;
}

static int parse_option(struct run *run, int id, const char *value)
{
    if (id == CY_MACHINE_CONFIG)
        run->config_file = value;
    if (id == CY_MACHINE_SET && cy_timing_is_setting(value)) {
        *cy_vec_push(&run->timing.settings) = value;
        return CY_EXIT_OK;
    }
    run->threads_given |= id == CY_MACHINE_THREADS || id == CY_MACHINE_CONFIG || id == CY_MACHINE_PRESET ||
                          (id == CY_MACHINE_SET && (!strncmp(value, "threads", 7) || !strncmp(value, "preset", 6)));
    int status = CY_EXIT_OK;
    if (cy_machine_option(&run->config, id, value, &run->diags) ||
        cy_profile_option(&run->profiling, id, value, run->usage, &status) || cy_view_option(&run->viewing, id, value))
        return status;
    switch (id) {
    case OPT_KERNEL: run->kernel = value; break;
    case OPT_GLOBAL: return parse_sizes(run, "global", value, run->range.global);
    case OPT_LOCAL: return parse_sizes(run, "local", value, run->range.local);
    case OPT_OFFSET: return parse_sizes(run, "offset", value, run->range.offset);
    case OPT_ARG: cy_run_argument_parse(cy_vec_push(&run->arguments), value, &run->diags); break;
    case OPT_PRINT: return parse_wish(run, value, false);
    case OPT_OUT: return parse_wish(run, value, true);
    case OPT_STATS: run->stats = true; break;
    case OPT_TIMING_PRINT: run->timing.print = run->timing.on = true; break;
    case OPT_TIMING:
        run->timing.on = true;
        run->timing.what = value;
        break;
    case OPT_TRACE: run->trace = value; break;
    case OPT_TRACE_FORMAT:
        if (!cy_trace_format_parse(value, &run->trace_format))
            return cy_usage_error(run->usage, "--trace-format is full or commit, not '%s'", value);
        break;
    case OPT_LIST: run->list = true; break;
    case OPT_PROGRESS: run->no_progress = true; break;
    case OPT_SCALAR_ATOMICS: run->scalar_atomics = true; break;
    case OPT_VERIFY_STOP:
        run->verify_stop = true;
        run->config.engine = run->config.engine == CY_ENGINE_AUTO ? CY_ENGINE_VERIFY : run->config.engine;
        break;
    case OPT_PAGE_TABLE: run->page_table = value; break;
    case OPT_RECORD: run->record = value; break;
    case OPT_MARCH: run->inputs.march = value; break;
    case OPT_LIBDIR: run->inputs.libdir = value; break;
    case OPT_DEBUG: run->inputs.debug = true; break;
    case OPT_BUILD: run->inputs.options = value; break;
    case OPT_GDB:
        run->gdb = value;
        run->inputs.debug = run->no_progress = true;
        break;
    case OPT_OPTIMIZE:
        if (strchr("0123s", *value) == NULL || !*value || value[1])
            return cy_usage_error(run->usage, "-O takes 0, 1, 2, 3 or s, not '%s'", value);
        run->inputs.unoptimized = *value == '0';
        break;
    case OPT_NO_START: run->inputs.no_start = true; break;
    case CY_ARGS_FILE: *cy_vec_push(&run->files) = value; break;
    default: break;
    }
    return CY_EXIT_OK;
}

static void add_outputs(const struct run *run, struct cy_paths *paths)
{
    cy_paths_write(paths, run->trace);
    cy_profile_paths(&run->profiling, paths);
    cy_view_paths(&run->viewing, paths);
    for (size_t i = 0; i < run->wishes.count; i++)
        cy_paths_write(paths, run->wishes.at[i].file);
    cy_recorded_paths(run->record, paths);
}

static int check_paths(const struct run *run)
{
    struct cy_paths paths = {0};
    cy_paths_read(&paths, run->config_file);
    cy_paths_read(&paths, run->page_table);
    cy_timing_paths(&run->timing, &paths);
    for (size_t i = 0; i < run->files.count; i++)
        cy_paths_read(&paths, run->files.at[i]);
    for (size_t i = 0; i < run->arguments.count; i++)
        cy_paths_read(&paths, run->arguments.at[i].file);
    add_outputs(run, &paths);
    return cy_paths_check(&paths, run->usage);
}

static int check_options(struct run *run, const struct cy_args *args)
{
    static const struct cy_need needs[] = {
        {"trace-format", {"trace"}},
        {"exact", {"profile", "json", "callgrind", "flamegraph", "roofline", "perfetto", "kanata"}},
        {"events", {"perfetto", "kanata", "cytrace", "html"}},
    };
    const int unmet = cy_args_check_needs(args, needs, CY_COUNT(needs));
    if (unmet != CY_EXIT_OK)
        return unmet;
    if (run->timing.print)
        return CY_EXIT_OK;
    if (run->files.count == 0)
        return cy_usage_error(run->usage, "no input file");
    if (!run->list && !run->range.global[0])
        return cy_usage_error(run->usage, "how many work-items?  --global X[,Y[,Z]] is missing");
    for (size_t i = 0; i < run->wishes.count; i++) {
        unsigned number = run->wishes.at[i].argument;
        if (number >= run->arguments.count || run->arguments.at[number].kind != CY_ARG_BUFFER)
            return cy_usage_error(run->usage, "argument %u is not a buffer (arguments are numbered from 0)", number);
    }
    if (run->record && (run->page_table || run->gdb))
        return cy_usage_error(run->usage, "--record does not go with --%s: a record has %s",
                              run->page_table ? "page-table" : "gdb",
                              run->page_table ? "plain device memory only" : "what a launch gives by itself");
    if (run->verify_stop && run->config.engine != CY_ENGINE_VERIFY)
        return cy_usage_error(run->usage, "--verify-stop is for --engine verify");
    if (run->record && run->config.engine == CY_ENGINE_VERIFY)
        return cy_usage_error(run->usage,
                              "--record does not go with --engine verify: 'cy verify' runs the record on both "
                              "engines");
    if (run->record) /* whose words are the expected ones */
        run->config.engine = CY_ENGINE_INTERP;
    run->timing.on |= cy_view_is_on(&run->viewing); /* a page shows what happens when */
    if (run->timing.settings.count && !run->timing.on)
        return cy_usage_error(run->usage, "--set %s is for the cycle model: it needs --timing",
                              run->timing.settings.at[0]);
    if (run->gdb && (run->trace || run->timing.on || run->stats))
        return cy_usage_error(run->usage, "--gdb does not go with --trace, --stats, --timing, --cytrace or --html");
    if (run->timing.on && !run->config.sms)
        run->config.sms = CY_TIMING_SMS;
    if (run->gdb && !run->config.sms) /* fewer threads for GDB */
        run->config.sms = 1;
    if (run->trace || run->timing.on || run->gdb ||
        run->check) /* where a workgroup runs decides the addresses of its local and private memory */
        run->config.deterministic = true;
    run->config.guards |= run->check != NULL; /* what is next to a buffer must not be another one */
    int status = cy_profile_check(&run->profiling, run->timing.on, run->usage);
    if (status == CY_EXIT_OK)
        status = cy_view_check(&run->viewing, cy_profile_uses_stdout(&run->profiling), run->usage);
    return status == CY_EXIT_OK ? check_paths(run) : status;
}

/* ---- setting up ---- */

/* Reports and frees the message of a failed call.  It is passed by address: as an argument by value it could be read
 * before the call next to it has set it. */
static bool take(struct run *run, enum cy_status status, char **message)
{
    if (status != CY_OK) {
        cy_buf_puts(&run->diags.text, *message ? *message : "error\n");
        run->diags.errors++;
    }
    free(*message);
    *message = NULL;
    return status == CY_OK;
}

static void attach_verifying(struct run *run)
{
    struct cy_verifying_options wanted;
    if (run->config.engine != CY_ENGINE_VERIFY) {
        cy_verifying_note_idle(stderr);
        return;
    }
    cy_verifying_from_environment(&wanted);
    wanted.stop = false; /* there is one launch */
    run->verifying = cy_verifying_create(&wanted);
    if (!run->verifying || !cy_verifying_attach(run->verifying, run->device))
        cy_mem_fail();
}

static bool load_program(struct run *run)
{
    char *message = NULL;
    run->inputs.files = run->files.at;
    run->inputs.file_count = run->files.count;
    run->inputs.lines = cy_profile_is_on(&run->profiling) || cy_view_is_on(&run->viewing);
    struct cy_paths paths = {0};
    struct cy_buf included = {0};
    bool ok = cy_run_program(&run->inputs, &run->elf, &included, &run->diags);
    add_outputs(run, &paths);
    cy_paths_read_lines(&paths, included.data);
    cy_buf_free(&included);
    run->status = cy_paths_check(&paths, run->usage);
    const uint32_t threads = ok ? cy_run_required_threads(&run->elf, run->kernel) : 0;
    if (threads && !run->threads_given)
        run->config.threads = threads;
    ok = ok && run->status == CY_EXIT_OK && take(run, cy_device_open(&run->config, &run->device, &message), &message);
    if (ok)
        cy_give_translator(run->device);
    if (ok)
        attach_verifying(run);
    ok =
        ok &&
        take(run, cy_program_load(run->device, run->files.at[0], run->elf.data, run->elf.size, &run->program, &message),
             &message);
    return ok;
}

static void list_kernels(const struct cy_program *program, FILE *out)
{
    struct cy_kernel_info info;
    for (size_t i = 0; cy_program_kernel(program, i, &info); i++)
        fprintf(out, "%-24s at 0x%08x  %3u vGPRs  %2u sGPRs  %5u bytes local  %5u bytes private per thread%s\n",
                info.name, info.entry, info.vgprs, info.sgprs, info.lds_bytes, info.pds_bytes,
                info.has_resources ? "" : "  (no record: defaults)");
}

static bool choose_kernel(struct run *run)
{
    struct cy_kernel_info info;
    if (!cy_run_choose_kernel(run->program, run->kernel, run->files.at[0], &info, &run->diags))
        return false;
    run->kernel = info.name;
    return true;
}

static bool check_arguments(struct run *run)
{
    struct cy_kernel_info kernel;
    return !cy_program_find_kernel(run->program, run->kernel, &kernel) || !kernel.has_signature ||
           cy_run_check_arguments(&kernel, run->arguments.at, run->arguments.count, &run->diags);
}

static bool obey_attributes(struct run *run)
{
    struct cy_kernel_info kernel;
    return !cy_program_find_kernel(run->program, run->kernel, &kernel) ||
           cy_run_obey_attributes(&kernel, &run->config, run->files.at[0], &run->range, &run->diags);
}

static bool give_arguments(struct run *run)
{
    run->packed = cy_arguments_create();
    if (!run->packed)
        cy_mem_fail();
    if (run->page_table &&
        !cy_page_table_read(&run->mappings, run->page_table, run->arguments.at, run->arguments.count, &run->diags))
        return false;
    for (size_t i = 0; i < run->arguments.count; i++)
        if (!cy_run_argument_give(&run->arguments.at[i], run->device, run->packed, &run->diags))
            return false;
    return !run->page_table ||
           cy_page_table_install(&run->mappings, run->device, run->arguments.at, &run->space, &run->diags);
}

/* ---- running ---- */

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static void print_text(void *context, const char *text, size_t size)
{
    struct run *run = context;
    fwrite(text, 1, size, stdout);
    if (run->record)
        cy_buf_append(&run->recorded.printed, text, size);
    if (run->debugger)
        fflush(stdout); /* before the program stops again */
}

static void show_progress(const struct cy_counters *counters, bool terminal)
{
    double done = counters->workgroups_total ? (double)counters->workgroups / (double)counters->workgroups_total : 0;
    fprintf(stderr, "%s%llu of %llu workgroups (%.0f %%), %.0f million instructions, %.1f s%s",
            terminal ? "\r\033[K" : "", (unsigned long long)counters->workgroups,
            (unsigned long long)counters->workgroups_total, 100 * done, (double)counters->instructions * 1e-6,
            counters->seconds, terminal ? "" : "\n");
    if (terminal)
        fflush(stderr);
}

/* Waits; if it takes long, shows progress: on a terminal one line that is rewritten, elsewhere a line now and then. */
static enum cy_status wait_for(struct run *run, struct cy_launch *launch)
{
    bool terminal = isatty(STDERR_FILENO), shown = false;
    double next = terminal ? 1 : 2;
    long pause_ns = 200000;
    while (cy_launch_poll(launch) == CY_RUNNING) {
        nanosleep(&(struct timespec){0, pause_ns}, NULL);
        if (pause_ns < 50000000)
            pause_ns *= 2;
        if (interrupted)
            cy_launch_cancel(launch);
        struct cy_counters counters;
        cy_launch_counters(launch, &counters);
        if (!run->no_progress && counters.seconds >= next) {
            show_progress(&counters, terminal);
            shown = terminal;
            next = terminal ? counters.seconds + 0.2 : counters.seconds * 2;
        }
    }
    if (shown)
        fputs("\r\033[K", stderr);
    return cy_launch_wait(launch);
}

static bool write_trace(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size;
}

/* The checker learns what the kernel may touch. */
static struct cy_check_launch *begin_check(struct run *run)
{
    struct cy_kernel_info kernel;
    struct cy_check_argument *arguments = cy_xrealloc(NULL, (run->arguments.count + 1) * sizeof(*arguments));
    if (!cy_program_find_kernel(run->program, run->kernel, &kernel))
        kernel = (struct cy_kernel_info){0};
    for (size_t i = 0; i < run->arguments.count; i++) {
        const struct cy_run_argument *from = &run->arguments.at[i];
        arguments[i] = (struct cy_check_argument){
            .name = kernel.has_signature && i < kernel.argument_count ? kernel.arguments[i].name : NULL,
            .parameter = (unsigned)i,
            .is_buffer = from->kind == CY_ARG_BUFFER,
            .is_local = from->kind == CY_ARG_LOCAL,
            .address = from->address,
            .size = from->size,
            .rights = (from->no_read ? 0 : CY_CHECK_READ) | (from->no_write ? 0 : CY_CHECK_WRITE)};
        if (from->kind != CY_ARG_BUFFER)
            continue;
        cy_check_allocated(run->check, run->device, from->address, from->size);
        if (from->is_written)
            cy_check_written(run->check, run->device, from->address, from->bytes.size ? from->bytes.size : from->size,
                             true);
    }
    struct cy_check_info info = {.machine = run->device,
                                 .program = run->files.at[0],
                                 .elf = run->elf.data,
                                 .elf_size = run->elf.size,
                                 .kernel = run->kernel,
                                 .lds_bytes = kernel.lds_bytes,
                                 .may_spin = !kernel.has_signature || kernel.may_spin,
                                 .argument_bytes = (uint32_t)cy_arguments_size(run->packed),
                                 .arguments = arguments,
                                 .argument_count = run->arguments.count};
    struct cy_check_launch *checked = cy_check_begin(run->check, &info);
    if (!checked)
        cy_mem_fail();
    cy_free(arguments);
    return checked;
}

/* ---- the profile ---- */

static void begin_profile(struct run *run, const struct cy_config *config, const struct cy_timing_config *timing_config,
                          struct cy_timing *timing)
{
    size_t program, kernel;
    cy_profile_init(&run->profile, config, timing ? timing_config : NULL);
    run->profile.is_exact = run->profiling.exact;
    run->profile.is_machine_said = true;
    run->profile.event_limit = timing ? cy_profile_event_limit(&run->profiling) : 0;
    if (!cy_profile_program(&run->profile, run, run->files.at[0], run->elf.data, run->elf.size, NULL, run->program,
                            &program, NULL) ||
        !cy_profile_kernel(&run->profile, program, run->kernel, run->program, &kernel))
        cy_mem_fail();
    cy_profile_begin(&run->profile, kernel, NULL, &run->profiled);
    if (timing) {
        const struct cy_timing_events events = cy_profile_events(&run->profiled);
        cy_timing_profile(timing, &events);
    }
}

static void end_profile(struct run *run, struct cy_launch *handle, const struct cy_timing *timing, bool ok,
                        uint64_t cycles)
{
    struct cy_counters counters;
    cy_launch_counters(handle, &counters);
    if (ok) {
        cy_profile_add(&run->profiled, handle, timing, cycles); /* the model's failure is reported already */
    } else {
        cy_profile_drop_cycles(&run->profile);
        cy_profile_fail(&run->profiled, handle);
    }
    const uint64_t length_ns = timing && ok ? cycles * 1000 / cy_timing_config_get(&run->profile.timing, "clock_mhz")
                                            : (uint64_t)(counters.seconds * 1e9);
    if (!cy_profile_command(&run->profile, run->kernel, 0, 0, 0, length_ns, 1))
        cy_mem_fail();
    cy_profile_finish(&run->profile);
    run->is_profiled = true;
}

/* ---- the viewer ---- */

static bool begin_view(struct run *run, const struct cy_config *config, const struct cy_timing_config *timing_config,
                       struct cy_timing *timing)
{
    CY_VEC(struct cy_view_buffer) buffers = {0};
    struct cy_kernel_info kernel;
    const uint64_t limit = run->profiling.events ? run->profiling.events : CY_VIEW_LIMIT;
    if (!cy_view_output_open(&run->view, &run->viewing, config, timing_config, limit, &run->diags))
        return false;
    const bool known = cy_program_find_kernel(run->program, run->kernel, &kernel) && kernel.has_signature;
    for (size_t i = 0; i < run->arguments.count; i++)
        if (run->arguments.at[i].kind == CY_ARG_BUFFER)
            *cy_vec_push(&buffers) =
                (struct cy_view_buffer){known && i < kernel.argument_count ? kernel.arguments[i].name : NULL,
                                        run->arguments.at[i].address, run->arguments.at[i].size};
    struct cy_view_info info = {.key = run,
                                .name = run->files.at[0],
                                .elf = run->elf.data,
                                .elf_size = run->elf.size,
                                .kernel = run->kernel,
                                .buffers = buffers.at,
                                .buffer_count = buffers.count};
    for (unsigned i = 0; i < 3; i++) {
        info.global[i] = (uint32_t)run->range.global[i];
        info.local[i] = (uint32_t)run->range.local[i];
    }
    run->viewed = cy_view_begin(run->view.writer, &info);
    if (!run->viewed)
        cy_mem_fail();
    const struct cy_timing_events also =
        run->profiled.profile ? cy_profile_events(&run->profiled) : (struct cy_timing_events){0};
    const struct cy_timing_events events = cy_view_events(run->viewed, &also);
    cy_timing_profile(timing, &events);
    cy_vec_free(&buffers);
    return true;
}

/* A form that a program reads there must be alone. */
static bool uses_stdout(const struct run *run)
{
    return (cy_profile_uses_stdout(&run->profiling) && !run->profiling.table) || cy_view_uses_stdout(&run->viewing);
}

static bool asks_for_translation(const struct run *run)
{
    return run->config.engine == CY_ENGINE_JIT || run->config.engine == CY_ENGINE_VERIFY;
}

/* Its author needs no lines. */
static bool is_assembly(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".s") || !strcmp(dot, ".S"));
}

static bool launch(struct run *run, struct cy_stats *stats, struct cy_timing *timing, const struct cy_observer *trace)
{
    const bool profiled = cy_profile_is_on(&run->profiling);
    struct cy_observers observers = {0};
    struct cy_observers_pair pair = {0};
    struct cy_launch_desc desc = {
        .program = run->program,
        .kernel = run->kernel,
        .arguments = run->packed,
        .dimensions = run->range.dimensions,
        .print = print_text,
        .print_context = run,
        .space = run->space,
        .scalar_atomics = run->scalar_atomics,
        .engine_observer = trace,
        .controller = run->debugger ? cy_debugger_controller(run->debugger) : NULL,
    };
    for (unsigned i = 0; i < 3; i++) {
        desc.global[i] = (uint32_t)run->range.global[i];
        desc.global_high[i] = (uint32_t)(run->range.global[i] >> 32);
        desc.local[i] = (uint32_t)run->range.local[i];
        desc.offset[i] = (uint32_t)run->range.offset[i];
        desc.offset_high[i] = (uint32_t)(run->range.offset[i] >> 32);
    }
    if (profiled)
        cy_profile_describe(&run->profiled, &desc);
    const bool counted = stats && asks_for_translation(run) && !timing && !trace && !profiled && !run->check;
    const bool observed = stats && !counted;
    if (counted)
        desc.insn_counts = cy_stats_counts(stats, run->program, &run->elf);
    if (observed)
        pair.first = cy_stats_observers(stats);
    if (timing)
        pair.second = cy_timing_observers(timing);
    if (observed || timing) {
        observers = !timing ? pair.first : !observed ? pair.second : cy_observers_both(&pair);
        desc.observers = &observers;
    }
    if (run->viewed)
        observers = cy_view_observers(run->viewed, &observers);
    struct cy_launch *handle;
    char *message = NULL;
    if (run->record)
        cy_recorded_begin(&run->recorded, run->device, run->program);
    struct cy_check_launch *checked = run->check ? begin_check(run) : NULL;
    if (checked)
        desc.engine_observer = cy_check_observer(checked);
    if (!take(run, cy_launch_start(run->device, &desc, &handle, &message), &message)) {
        cy_check_end(checked);
        if (run->viewed)
            cy_view_end(run->viewed, UINT64_MAX, "it could not be started");
        return false;
    }
    enum cy_status status = wait_for(run, handle);
    cy_check_end(checked);
    if (run->record)
        cy_recorded_end(&run->recorded, run->device, handle, run->arguments.at, run->arguments.count, run->record,
                        &run->diags);
    struct cy_counters counters;
    cy_launch_counters(handle, &counters);
    if (status != CY_OK) {
        const char *text = cy_launch_message(handle);
        size_t length = strlen(text);
        cy_diag_file(&run->diags, CY_ERROR, run->files.at[0], "%.*s", (int)(length ? length - 1 : 0), text);
        if (!run->inputs.debug && !is_assembly(run->files.at[0]) && strncmp(text, "fault: ", strlen("fault: ")) == 0)
            cy_run_note_no_lines(run->files.at[0], &run->elf, &run->diags);
    }
    if (asks_for_translation(run) && !counters.translated)
        cy_diag_file(&run->diags, CY_NOTE, NULL, "the interpreter ran '%s': %s", run->kernel, counters.not_translated);
    cy_say(&run->diags);
    if (counters.prints_dropped)
        cy_diag_file(&run->diags, CY_WARNING, NULL, "%llu printf records did not fit in the buffer and were dropped",
                     (unsigned long long)counters.prints_dropped);
    if (stats) {
        struct cy_capabilities capabilities;
        struct cy_buf table = {0};
        cy_device_capabilities(run->device, &capabilities);
        cy_stats_print(stats, &counters, &capabilities, &table);
        fputs(table.data, stdout);
        cy_buf_free(&table);
    }
    uint64_t cycles = UINT64_MAX;
    if (timing && status == CY_OK)
        cycles = cy_timing_report(timing, NULL, run->files.at[0], uses_stdout(run) ? stderr : stdout, &run->diags);
    if (profiled)
        end_profile(run, handle, timing, status == CY_OK, cycles);
    if (run->viewed)
        cy_view_end(run->viewed, cycles, status == CY_OK ? "" : cy_launch_message(handle));
    run->viewed = NULL;
    cy_launch_release(handle);
    return status == CY_OK;
}

static bool launch_observed(struct run *run)
{
    struct cy_capabilities capabilities;
    cy_device_capabilities(run->device, &capabilities);
    struct cy_timing_config timing_config;
    if (run->timing.on && !cy_timing_options_read(&run->timing, &timing_config, &run->diags))
        return false;
    bool to_stdout = run->trace && !strcmp(run->trace, "-");
    FILE *file = to_stdout ? stdout : run->trace ? fopen(run->trace, "w") : NULL;
    if (run->trace && !file) {
        cy_diag_file(&run->diags, CY_ERROR, run->trace, "cannot write: %s", strerror(errno));
        return false;
    }
    struct cy_stats *stats = run->stats ? cy_stats_create(capabilities.config.sms) : NULL;
    struct cy_trace *trace = file ? cy_trace_open(run->trace_format, write_trace, file) : NULL;
    if (file && !trace)
        cy_mem_fail();
    struct cy_timing *timing = run->timing.on ? cy_timing_create(&timing_config) : NULL;
    if (run->timing.on && !timing)
        cy_mem_fail();
    if (cy_profile_is_on(&run->profiling))
        begin_profile(run, &capabilities.config, &timing_config, timing);
    const bool viewed = cy_view_is_on(&run->viewing);
    bool ok = (!viewed || begin_view(run, &capabilities.config, &timing_config, timing)) &&
              launch(run, stats, timing, trace ? cy_trace_observer(trace) : NULL);
    ok &= !viewed || cy_view_output_close(&run->view, &run->viewing, &run->diags);
    bool written = !trace || cy_trace_close(trace);
    if (file && ((to_stdout ? fflush(file) : fclose(file)) != 0 || !written)) {
        cy_diag_file(&run->diags, CY_ERROR, to_stdout ? "standard output" : run->trace, "cannot write: %s",
                     strerror(errno));
        ok = false;
    }
    if (run->is_profiled) /* the table last: if nobody reads it to its end, everything else has been written */
        cy_profile_show(&run->profiling, &run->profile, &run->diags);
    cy_stats_free(stats);
    cy_timing_destroy(timing);
    return ok;
}

/* ---- results ---- */

static void print_buffer(struct run *run, const struct wish *wish)
{
    const struct cy_run_argument *argument = &run->arguments.at[wish->argument];
    const struct cy_value_type *type = argument->type;
    const char *bytes = cy_device_map(run->device, argument->address, argument->size);
    uint64_t count = argument->size / type->size, shown = wish->count < count ? wish->count : count;
    struct cy_buf line = {0};
    if (wish->count != UINT64_MAX && wish->count > count)
        cy_diag_file(&run->diags, CY_NOTE, NULL, "argument %u has %llu elements; --print asks for %llu", wish->argument,
                     (unsigned long long)count, (unsigned long long)wish->count);
    printf("argument %u: %s[%llu]\n", wish->argument, type->name, (unsigned long long)count);
    for (uint64_t i = 0; i < shown; i++) {
        if (i % 8 == 0)
            cy_buf_printf(&line, "%6llu:", (unsigned long long)i);
        cy_buf_putc(&line, ' ');
        cy_value_print(type, bytes + i * type->size, &line);
        if (i % 8 == 7 || i + 1 == shown) {
            puts(line.data);
            line.size = 0;
        }
    }
    cy_buf_free(&line);
}

static void show_results(struct run *run)
{
    for (size_t i = 0; i < run->wishes.count; i++) {
        const struct wish *wish = &run->wishes.at[i];
        const struct cy_run_argument *argument = &run->arguments.at[wish->argument];
        if (wish->file)
            cy_values_write(argument->type, wish->file, cy_device_map(run->device, argument->address, argument->size),
                            argument->size, &run->diags);
        else
            print_buffer(run, wish);
    }
}

/* ---- the command ---- */

static void do_run(struct run *run)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    if (run->timing.print) {
        struct cy_timing_config config;
        if (cy_timing_options_read(&run->timing, &config, &run->diags))
            cy_timing_options_print(&config, stdout);
        return;
    }
    if (!load_program(run))
        return;
    cy_say(&run->diags);
    if (run->list) {
        list_kernels(run->program, stdout);
        if (!cy_program_kernel_count(run->program))
            cy_diag_file(&run->diags, CY_ERROR, run->files.at[0], "no kernel");
        return;
    }
    if (!choose_kernel(run) || !obey_attributes(run) || !check_arguments(run) || !give_arguments(run))
        return;
    char *message = NULL;
    if (run->gdb && !take(run, cy_debugger_open(run->gdb, &run->debugger, &message), &message))
        return;
    sigaction(SIGINT, &action, &before);
    bool ok = launch_observed(run);
    sigaction(SIGINT, &before, NULL);
    if (run->verifying && cy_verifying_finish(run->verifying)) {
        run->status = CY_EXIT_INPUT;
        ok = ok && !run->verify_stop;
    }
    if (ok)
        show_results(run);
}

static void free_run(struct run *run)
{
    for (size_t i = 0; i < run->arguments.count; i++)
        cy_run_argument_free(&run->arguments.at[i]);
    cy_vec_free(&run->arguments);
    cy_vec_free(&run->files);
    cy_vec_free(&run->wishes);
    cy_vec_free(&run->timing.settings);
    cy_recorded_free(&run->recorded);
    cy_buf_free(&run->elf);
    cy_profile_free(&run->profile);
    cy_arguments_destroy(run->packed);
    cy_program_release(run->program);
    cy_page_table_free(&run->mappings);
    cy_space_destroy(run->space);
    cy_device_close(run->device);
    cy_verifying_destroy(run->verifying);
}

int cy_cmd_run(int argc, char **argv)
{
    return cy_run_checked(argc, argv, NULL);
}

int cy_run_checked(int argc, char **argv, struct cy_check *check)
{
    struct run run = {
        .range.dimensions = 1, .trace_format = CY_TRACE_FULL, .check = check, .inputs.check = check != NULL};
    struct cy_args args;
    int status = CY_EXIT_OK;
    struct cy_usage profile = usage; /* which takes the same options */
    profile.command = "profile";
    cy_config_default(&run.config);
    run.threads_given = cy_machine_from_environment(&run.config, &run.diags);
    run.usage = strcmp(argv[0], profile.command) ? &usage : &profile;
    cy_args_start(&args, run.usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            free_run(&run);
            return args.status;
        }
        status = parse_option(&run, id, args.value);
    }
    if (status == CY_EXIT_OK && !run.diags.errors)
        status = check_options(&run, &args);
    if (status == CY_EXIT_OK) {
        if (!run.diags.errors)
            do_run(&run);
        fflush(stdout);
        const int reported = cy_report(&run.diags);
        status = run.status != CY_EXIT_OK ? run.status : reported;
    }
    free_run(&run);
    cy_debugger_close(run.debugger, status);
    return status;
}
