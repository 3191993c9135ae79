/* `cy replay`: replays recorded launches, the vendor's pairs and our folders, with a commit log and dumps of all buffers. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "chengying/device.h"
#include "commands.h"
#include "gpu/replay/replay.h"
#include "gpu/replay/trace.h"
#include "compiler.h"
#include "options.h"
#include "paths.h"
#include "record_show.h"
#include "run_stats.h"
#include "timing_options.h"

enum {
    OPT_ELF = 1,
    OPT_TRACE,
    OPT_TRACE_FORMAT,
    OPT_DUMP,
    OPT_SCALAR_ATOMICS,
    OPT_MASK,
    OPT_CHECKING,
    OPT_WATCHDOG,
    OPT_ENGINE,
    OPT_QUIET,
    OPT_TIMING,
    OPT_TIMING_PRINT,
    OPT_SET,
    OPT_STATS,
};

static const struct cy_option options[] = {
    {OPT_ELF, 'e', "elf", "FILE", "an executable whose segments are loaded before every launch", 0},
    {OPT_TRACE, 0, "trace", "DIR", "write the trace of each launch to DIR/NAME.log; -: all to standard output", 0},
    {OPT_TRACE_FORMAT, 0, "trace-format", "FORMAT", "commit (default): the simulator's commit log, or full", 0},
    {OPT_DUMP, 0, "dump", "DIR",
     "after each launch, write every buffer so far to DIR/NAME_ADDRESS.bin\nand, a word per line, to "
     "DIR/NAME_ADDRESS.txt",
     0},
    {OPT_SCALAR_ATOMICS, 0, "scalar-atomics", NULL, "AMO, LR and SC operate on x registers, for old binaries", 0},
    {OPT_MASK, 0, "mask", "KIND", "what v0.t reads: packed (default) or lane", 0},
    {OPT_CHECKING, 0, "checking", NULL, "endprg and barrier under divergence are faults", 0},
    {OPT_WATCHDOG, 0, "watchdog-instructions", "N", "stop a launch that retires more instructions (default: no limit)",
     0},
    {OPT_ENGINE, 0, "engine", "ENGINE",
     "of a FOLDER: interp (default), jit or auto; a pair is interpreted, which keeps\nthe recorder's order", 0},
    {OPT_STATS, 's', "stats", NULL, "count instructions, lanes, divergence, memory traffic of each launch", 0},
    CY_TIMING_OPTION_ROW(OPT_TIMING),
    CY_TIMING_PRINT_ROW(OPT_TIMING_PRINT),
    {OPT_SET, 0, "set", "PARAMETER=VALUE", "one parameter of the cycle model (repeatable); docs/timing.md lists them",
     0},
    {OPT_QUIET, 'q', "quiet", NULL, "print nothing but errors", 0},
};

static const struct cy_usage usage = {
    "replay",
    "[options] FILE.metadata|FOLDER...",
    "Replays recorded launches, in order, in one memory; FILE.data is next to FILE.metadata.\n"
    "Workgroups run one after the other, their warps round-robin by instruction, all lanes active.\n"
    "A FOLDER that cy run --record has written runs on a machine of its own and is compared with what it gave.",
    "examples:\n"
    "  cy replay vecadd4x8.metadata\n"
    "  cy replay -e bfs.riscv --trace logs --dump memory bfs_0.metadata bfs_1.metadata\n"
    "  cy replay --timing launch/\n",
    options,
    CY_COUNT(options)};

struct job {
    struct cy_diags diags;
    const char *elf, *trace, *dump;
    enum cy_trace_format trace_format;
    struct cy_replay_options replay_options;
    struct cy_timing_options timing_options;
    struct cy_timing *timing; /* NULL: off */
    struct cy_timing_said said;
    struct cy_observers observers;
    enum cy_engine engine;
    bool quiet, stats;
    CY_VEC(const char *) files;
    struct cy_arena arena;
};

/* ---- names ---- */

/* The name of a launch: its file without directory and .metadata. */
static const char *launch_name(struct job *job, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name), suffix = strlen(".metadata");
    if (slash && !slash[1]) { /* a folder */
        for (length = (size_t)(slash - path); length && path[length - 1] == '/';)
            length--;
        for (name = path + length; name > path && name[-1] != '/';)
            name--;
        length -= (size_t)(name - path);
    } else if (length > suffix && strcmp(name + length - suffix, ".metadata") == 0) {
        length -= suffix;
    }
    return cy_arena_strndup(&job->arena, name, length);
}

static const char *data_path(struct job *job, const char *path)
{
    size_t length = strlen(path), suffix = strlen(".metadata");
    if (length > suffix && strcmp(path + length - suffix, ".metadata") == 0)
        length -= suffix;
    return cy_arena_printf(&job->arena, "%.*s.data", (int)length, path);
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool make_directory(struct job *job, const char *path)
{
    if (!path || is_stdout(path) || mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    cy_diag_file(&job->diags, CY_ERROR, path, "cannot create the directory: %s", strerror(errno));
    return false;
}

/* ---- one launch ---- */

static bool write_log(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size;
}

/* The trace of one launch, and where it goes. */
struct tracing {
    struct cy_trace *trace; /* NULL: none */
    const char *path;
    FILE *file;
};

static bool begin_trace(struct job *job, const char *name, struct tracing *tracing)
{
    *tracing = (struct tracing){0};
    if (!job->trace)
        return true;
    const bool to_stdout = is_stdout(job->trace);
    tracing->path = to_stdout ? "standard output" : cy_arena_printf(&job->arena, "%s/%s.log", job->trace, name);
    tracing->file = to_stdout ? stdout : fopen(tracing->path, "w");
    if (!tracing->file) {
        cy_diag_file(&job->diags, CY_ERROR, tracing->path, "cannot write: %s", strerror(errno));
        return false;
    }
    tracing->trace = cy_trace_open(job->trace_format, write_log, tracing->file);
    if (!tracing->trace)
        cy_mem_fail();
    return true;
}

static const struct cy_observer *observer_of(const struct tracing *tracing)
{
    return tracing->trace ? cy_trace_observer(tracing->trace) : NULL;
}

static bool end_trace(struct job *job, struct tracing *tracing)
{
    if (!tracing->trace)
        return true;
    const bool written = cy_trace_close(tracing->trace);
    if ((tracing->file == stdout ? fflush(stdout) : fclose(tracing->file)) == 0 && written)
        return true;
    cy_diag_file(&job->diags, CY_ERROR, tracing->path, "cannot write: %s", strerror(errno));
    return false;
}

static bool run_traced(struct job *job, struct cy_replay *replay, const struct cy_recording *recording,
                       const char *name, struct cy_replay_counts *counts, struct cy_buf *message)
{
    struct tracing tracing;
    if (!begin_trace(job, name, &tracing))
        return false;
    const bool ok = cy_replay_run(replay, recording, observer_of(&tracing), counts, message);
    return end_trace(job, &tracing) && ok;
}

static bool dump_bytes(struct job *job, const char *name, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct cy_buf text = {0};
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + i, size - i < 4 ? size - i : 4);
        cy_buf_printf(&text, "%08x\n", word);
    }
    const char *stem = cy_arena_printf(&job->arena, "%s/%s_%08llx", job->dump, name, (unsigned long long)address);
    bool ok = cy_file_write(cy_arena_printf(&job->arena, "%s.bin", stem), bytes, size, false, &job->diags) &&
              cy_file_write(cy_arena_printf(&job->arena, "%s.txt", stem), text.size ? text.data : "", text.size, false,
                            &job->diags);
    cy_buf_free(&text);
    return ok;
}

static bool dump_buffer(struct job *job, const struct cy_replay *replay, const char *name,
                        struct cy_recorded_buffer buffer)
{
    return dump_bytes(job, name, buffer.base, cy_replay_bytes(replay, (uint32_t)buffer.base),
                      (size_t)(buffer.size ? buffer.size : buffer.allocated));
}

static bool dump_buffers(struct job *job, const struct cy_replay *replay, const char *name)
{
    for (size_t i = 0; job->dump && i < cy_replay_buffer_count(replay); i++)
        if (!dump_buffer(job, replay, name, cy_replay_buffer(replay, i)))
            return false;
    return true;
}

/* ---- statistics ---- */

static struct cy_stats *begin_stats(struct job *job, uint32_t sms, struct cy_observers_pair *pair)
{
    if (!job->stats)
        return NULL;
    struct cy_stats *stats = cy_stats_create(sms);
    pair->first = cy_stats_observers(stats);
    if (job->timing)
        pair->second = cy_timing_observers(job->timing);
    job->observers = job->timing ? cy_observers_both(pair) : pair->first;
    return stats;
}

static const char *best_level(void)
{
    const char *best = "";
    for (uint32_t level = 1; cy_engine_level_name(level); level++)
        best = cy_engine_level_name(level);
    return best;
}

static void print_stats(const struct cy_stats *stats, const struct cy_recording *recording,
                        const struct cy_replay_counts *counts)
{
    const struct cy_capabilities device = {.config = {.sms = 1, .threads = recording->threads}};
    const uint64_t warps = counts->workgroups * recording->warps;
    const struct cy_counters counters = {.instructions = counts->instructions,
                                         .workgroups = counts->workgroups,
                                         .warps = warps,
                                         .work_items = warps * recording->threads,
                                         .barriers = counts->barriers,
                                         .not_translated = "recordings keep the recorder's order of instructions",
                                         .engine_level = best_level(),
                                         .most_workgroups = 1,
                                         .most_warps = recording->warps,
                                         .limited_by = "the recorder's order"};
    struct cy_buf table = {0};
    cy_stats_print(stats, &counters, &device, &table);
    fputs(table.data, stdout);
    cy_buf_free(&table);
}

static bool replay_file(struct job *job, struct cy_replay *replay, const char *path)
{
    const char *name = launch_name(job, path), *data_name = data_path(job, path);
    struct cy_buf metadata = {0}, data = {0}, message = {0};
    struct cy_recording recording = {0};
    struct cy_replay_counts counts = {0};
    struct cy_observers_pair pair = {0};
    struct cy_stats *stats = begin_stats(job, 1, &pair);
    bool ok = cy_file_read(path, &metadata, &job->diags) && cy_file_read(data_name, &data, &job->diags) &&
              cy_recording_read(&recording, path, &metadata, data_name, &data, &job->diags);
    if (ok) {
        ok = run_traced(job, replay, &recording, name, &counts, &message);
        if (message.size)
            cy_diag_file(&job->diags, CY_ERROR, path, "%.*s", (int)message.size - 1, message.data);
        ok = dump_buffers(job, replay, name) && ok;
        if (ok && !job->quiet)
            printf("%s: %u x %u x %u workgroups of %u warps x %u threads, %llu instructions\n", name, recording.grid[0],
                   recording.grid[1], recording.grid[2], recording.warps, recording.threads,
                   (unsigned long long)counts.instructions);
        if (ok && stats)
            print_stats(stats, &recording, &counts);
        ok = ok && (!job->timing || cy_timing_report(job->timing, &job->said, path, stdout, &job->diags) != UINT64_MAX);
    }
    cy_stats_free(stats);
    cy_recording_free(&recording);
    cy_buf_free(&metadata);
    cy_buf_free(&data);
    cy_buf_free(&message);
    return ok;
}

/* ---- a folder ---- */

struct folder {
    struct job *job;
    const char *name;
    const struct cy_record *record;
    bool ok; /* the dumps are written */
};

static void give_translator(void *context, struct cy_device *device)
{
    (void)context;
    cy_give_translator(device);
}

static void dump_folder(void *context, struct cy_device *device, struct cy_launch *launch)
{
    struct folder *folder = context;
    (void)launch;
    for (size_t i = 0; folder->job->dump && folder->ok && i < folder->record->memory.count; i++) {
        const struct cy_record_memory *memory = &folder->record->memory.at[i];
        const void *bytes = cy_device_map(device, memory->address, memory->size);
        folder->ok = !bytes || dump_bytes(folder->job, folder->name, memory->address, bytes, (size_t)memory->size);
    }
}

static void print_folder(struct job *job, const struct folder *folder, const struct cy_record_result *result,
                         const struct cy_stats *stats)
{
    if (!job->quiet) {
        fwrite(result->printed.data ? result->printed.data : "", 1, result->printed.size, stdout);
        printf("%s: ", folder->name);
        cy_record_show_size(folder->record, stdout);
        if (!result->translated || stats) /* translated code counts only when it is asked to */
            printf(", %llu instructions", (unsigned long long)result->counters.instructions);
        fputs(": ", stdout);
        cy_record_show(folder->name, folder->record, result, stdout);
    }
    if (stats) {
        const struct cy_capabilities device = {.config = folder->record->machine};
        struct cy_counters counters = result->counters;
        struct cy_buf table = {0};
        counters.not_translated = result->not_translated;
        counters.engine_level = result->level;
        cy_stats_print(stats, &counters, &device, &table);
        fputs(table.data, stdout);
        cy_buf_free(&table);
    }
    if (job->engine == CY_ENGINE_JIT && !result->translated && !job->quiet)
        cy_diag_file(&job->diags, CY_NOTE, NULL, "the interpreter ran '%s': %s", folder->record->kernel,
                     result->not_translated);
}

static bool replay_record(struct job *job, struct folder *folder, const char *path)
{
    const struct cy_record *record = folder->record;
    struct cy_observers_pair pair = {0};
    struct cy_stats *stats = begin_stats(job, record->machine.sms, &pair);
    struct tracing tracing;
    struct cy_record_result result = {0};
    bool ok = begin_trace(job, folder->name, &tracing);
    const struct cy_record_settings settings = {.engine = job->engine,
                                                .deterministic = job->trace || job->timing || job->stats,
                                                .observers = job->timing || job->stats ? &job->observers : NULL,
                                                .engine_observer = observer_of(&tracing),
                                                .watchdog_instructions = job->replay_options.watchdog_instructions,
                                                .checking = job->replay_options.checking,
                                                .scalar_atomics = job->replay_options.scalar_atomics,
                                                .mask_per_lane = job->replay_options.mask_per_lane,
                                                .opened = give_translator,
                                                .ended = dump_folder,
                                                .context = folder};
    if (ok) {
        ok = cy_record_run(record, &settings, &result, &job->diags);
        if (ok)
            print_folder(job, folder, &result, stats);
        ok = end_trace(job, &tracing) && ok && folder->ok;
        if (ok && !result.is_same)
            cy_diag_file(&job->diags, CY_ERROR, path, "the launch gave something else than when it was recorded");
        ok = ok && (!job->timing || *result.fault ||
                    cy_timing_report(job->timing, &job->said, path, stdout, &job->diags) != UINT64_MAX);
    }
    cy_record_result_free(&result);
    cy_stats_free(stats);
    return ok;
}

static bool replay_folder(struct job *job, const char *path)
{
    struct cy_record record;
    struct folder folder = {.job = job, .name = launch_name(job, path), .record = &record, .ok = true};
    bool ok = cy_record_read(&record, path, &job->diags);
    if (ok && job->elf) {
        cy_diag_file(&job->diags, CY_ERROR, path, "the folder has its executable: --elf is for pairs of files");
        ok = false;
    }
    ok = ok && replay_record(job, &folder, path);
    cy_record_free(&record);
    return ok;
}

/* ---- the command ---- */

static bool start_timing(struct job *job)
{
    struct cy_timing_config config;
    if (!cy_timing_options_read(&job->timing_options, &config, &job->diags))
        return false;
    if (job->timing_options.print) {
        cy_timing_options_print(&config, stdout);
        return false;
    }
    job->timing = cy_timing_create(&config);
    if (!job->timing)
        cy_mem_fail();
    job->observers = cy_timing_observers(job->timing);
    if (!cy_timing_config_get(&config, "shared_window"))
        job->replay_options.low_bytes = cy_timing_config_get(&config, "shared_size");
    return true;
}

static void run(struct job *job)
{
    struct cy_buf image = {0};
    struct cy_object program = {0};
    struct cy_replay *replay = NULL;
    if (!make_directory(job, job->trace) || !make_directory(job, job->dump))
        return;
    if (job->elf) {
        if (!cy_file_read(job->elf, &image, &job->diags) ||
            !cy_object_read(&program, job->elf, image.data, image.size, &job->diags)) {
            cy_buf_free(&image);
            return;
        }
        if (program.flags & CY_EF_VENTUS_GEN2)
            cy_diag_file(&job->diags, CY_ERROR, job->elf,
                         "for generation 2 of Ventus: recordings as pairs of files are of generation 1");
        job->replay_options.program = &program;
    }
    if ((job->timing_options.on && start_timing(job)) || job->stats)
        job->replay_options.observers = &job->observers;
    if (!job->diags.errors && !job->timing_options.print)
        replay = cy_replay_create(&job->replay_options, &job->diags);
    for (size_t i = 0; replay && i < job->files.count; i++)
        if (cy_record_is_folder(job->files.at[i]) ? !replay_folder(job, job->files.at[i])
                                                  : !replay_file(job, replay, job->files.at[i]))
            break; /* later launches depend on this one's memory */
    bool any_pair = false;
    for (size_t i = 0; i < job->files.count; i++)
        any_pair |= !cy_record_is_folder(job->files.at[i]);
    if (replay && any_pair && job->engine == CY_ENGINE_JIT && !job->quiet)
        cy_diag_file(&job->diags, CY_NOTE, NULL,
                     "the interpreter replayed this: recordings keep the recorder's order of instructions");
    if (replay)
        cy_replay_free(replay);
    cy_timing_destroy(job->timing);
    if (job->elf)
        cy_object_free(&program);
    cy_buf_free(&image);
}

static int parse_option(struct job *job, int id, const char *value)
{
    struct cy_config config;
    switch (id) {
    case OPT_ELF: job->elf = value; break;
    case OPT_TRACE: job->trace = value; break;
    case OPT_TRACE_FORMAT:
        if (!cy_trace_format_parse(value, &job->trace_format))
            return cy_usage_error(&usage, "--trace-format is commit or full, not '%s'", value);
        break;
    case OPT_DUMP: job->dump = value; break;
    case OPT_SCALAR_ATOMICS: job->replay_options.scalar_atomics = true; break;
    case OPT_MASK:
        if (strcmp(value, "lane") != 0 && strcmp(value, "packed") != 0)
            return cy_usage_error(&usage, "--mask is packed or lane, not '%s'", value);
        job->replay_options.mask_per_lane = strcmp(value, "lane") == 0;
        break;
    case OPT_CHECKING: job->replay_options.checking = true; break;
    case OPT_WATCHDOG:
        if (!cy_parse_number(value, UINT64_MAX, &job->replay_options.watchdog_instructions))
            return cy_usage_error(&usage, "--watchdog-instructions needs a number, not '%s'", value);
        break;
    case OPT_ENGINE: {
        char *why = NULL;
        cy_config_default(&config);
        if (cy_config_set(&config, cy_arena_printf(&job->arena, "engine=%s", value), &why) != CY_OK) {
            free(why);
            return cy_usage_error(&usage, "--engine is interp, jit or auto, not '%s'", value);
        }
        if (config.engine == CY_ENGINE_VERIFY)
            return cy_usage_error(&usage, "'cy verify' runs a recorded launch on both engines and compares");
        job->engine = config.engine;
        break;
    }
    case OPT_TIMING:
        job->timing_options.on = true;
        job->timing_options.what = value;
        break;
    case OPT_TIMING_PRINT: job->timing_options.print = true; break;
    case OPT_SET: *cy_vec_push(&job->timing_options.settings) = value; break;
    case OPT_STATS: job->stats = true; break;
    case OPT_QUIET: job->quiet = true; break;
    case CY_ARGS_FILE: *cy_vec_push(&job->files) = value; break;
    default: break;
    }
    return CY_EXIT_OK;
}

static int check_paths(struct job *job)
{
    struct cy_paths paths = {0};
    cy_paths_read(&paths, job->elf);
    cy_timing_paths(&job->timing_options, &paths);
    for (size_t i = 0; i < job->files.count; i++) {
        const char *name = launch_name(job, job->files.at[i]);
        const char *prefix = cy_arena_printf(&job->arena, "%s_", name);
        if (cy_record_is_folder(job->files.at[i])) {
            for (size_t file = 0; cy_record_file_name(file); file++)
                cy_paths_read(&paths,
                              cy_arena_printf(&job->arena, "%s/%s", job->files.at[i], cy_record_file_name(file)));
        } else {
            cy_paths_read(&paths, job->files.at[i]);
            cy_paths_read(&paths, data_path(job, job->files.at[i]));
        }
        if (job->trace && !is_stdout(job->trace))
            cy_paths_write_made(&paths, cy_arena_printf(&job->arena, "%s/%s.log", job->trace, name));
        cy_paths_write_many(&paths, job->dump, prefix, ".bin");
        cy_paths_write_many(&paths, job->dump, prefix, ".txt");
    }
    return cy_paths_check(&paths, &usage);
}

int cy_cmd_replay(int argc, char **argv)
{
    struct job job = {.trace_format = CY_TRACE_COMMIT};
    struct cy_args args;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            cy_vec_free(&job.files);
            return args.status;
        }
        status = parse_option(&job, id, args.value);
    }
    if (status == CY_EXIT_OK)
        status = cy_args_check_needs(&args, &(struct cy_need){"trace-format", {"trace"}}, 1);
    if (status == CY_EXIT_OK && job.timing_options.print)
        job.timing_options.on = true;
    else if (status == CY_EXIT_OK && job.files.count == 0)
        status = cy_usage_error(&usage, "no recorded launch");
    if (status == CY_EXIT_OK && job.timing_options.settings.count && !job.timing_options.on)
        status = cy_usage_error(&usage, "--set is for the cycle model: it needs --timing");
    if (status == CY_EXIT_OK)
        status = check_paths(&job);
    if (status == CY_EXIT_OK) {
        run(&job);
        status = cy_report(&job.diags);
    }
    cy_vec_free(&job.files);
    cy_vec_free(&job.timing_options.settings);
    cy_arena_free(&job.arena);
    return status;
}
