/* `cy epic`: command streams for EpicGPU, and the machine that runs them. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "chengying/epic.h"
#include "commands.h"
#include "epic_frames.h"
#include "epic_program.h"
#include "isa/isa.h"
#include "options.h"
#include "paths.h"

enum {
    OPT_OUTPUT = 1,
    OPT_SLOT,
    OPT_ADDR,
    OPT_MARCH,
    OPT_DEFINE,
    OPT_BLOCKS,
    OPT_PROGRAM,
    OPT_LAUNCH,
    OPT_REPEAT,
    OPT_CORES,
    OPT_LANES,
    OPT_MEM,
    OPT_WIDTH,
    OPT_HEIGHT,
    OPT_THREADS,
    OPT_WATCHDOG,
    OPT_TIMEOUT,
    OPT_KEEP_DEPTH,
    OPT_LOAD,
    OPT_DATA,
    OPT_DUMP,
    OPT_SAVE,
    OPT_FRAMES,
    OPT_PNG,
    OPT_GIF,
    OPT_VIEW,
    OPT_SCALE,
    OPT_DELAY,
    OPT_STATS,
    OPT_TRACE,
    OPT_TIME,
};

enum {
    DATA_ADDRESS = 0x100000, /* after the frame buffers that programs put at 0 */
    MAX_WORD_ADDRESS = (1 << 24) - 1,
    MAX_SCALE = 16,
};

/* ---- cy epic pack ---- */

static const struct cy_option pack_options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "write the stream to FILE, '-' is standard output (default a.stream)", 0},
    {OPT_SLOT, 0, "slot", "N", "program slot, 0 to 7 (default 0)", 0},
    {OPT_ADDR, 0, "addr", "WORDS", "instruction word address of the program (default 0)", 0},
    {OPT_DEFINE, 'D', NULL, "NAME=VALUE", "define a symbol for the source (without =VALUE: as 1)", 0},
    {OPT_MARCH, 0, "march", "TARGET", "epic (default), or epic-fpga: only the FPGA's instructions", CY_OPTION_ONE_DASH},
};

static const struct cy_usage pack_usage = {
    "epic pack",
    "[options] FILE",
    "Creates a command stream from a program: a source (.s), an object or an executable.  Streams may be concatenated "
    "each\n"
    "(cat) to load several programs.",
    "examples:\n"
    "  cy epic pack examples/epic/mandelbrot.s -o mandelbrot.stream\n"
    "  cy epic pack b.s --slot 1 --addr 0x400 -o b.stream\n",
    pack_options,
    CY_COUNT(pack_options),
};

struct file {
    const char *path;
    bool has_slot, has_address;
    unsigned slot;
    uint32_t word_address;
};

struct launch {
    unsigned program;
    uint32_t blocks;
};

struct region { /* FILE@ADDRESS, FILE@ADDRESS:BYTES or ADDRESS:WORDS */
    const char *path;
    uint32_t address, size;
};

struct job {
    struct cy_diags diags;
    struct cy_epic_config config;
    struct epic_load_options load;
    struct epic_frames frames;
    const char *output;
    bool stats, trace, time;
    CY_VEC(const char *) defines;
    CY_VEC(struct file) files;
    struct file next; /* --slot and --addr of the next file */
    CY_VEC(struct launch) launches;
    CY_VEC(struct region) loads;
    CY_VEC(struct region) saves;
    CY_VEC(struct region) dumps;
    uint32_t blocks, repeat;
    int program; /* -1: not given */
    struct cy_arena arena;
};

static void free_job(struct job *job)
{
    cy_vec_free(&job->defines);
    cy_vec_free(&job->files);
    cy_vec_free(&job->launches);
    cy_vec_free(&job->loads);
    cy_vec_free(&job->saves);
    cy_vec_free(&job->dumps);
    cy_arena_free(&job->arena);
}

static int number_error(const struct cy_usage *usage, const char *option, const char *text, uint64_t low, uint64_t high)
{
    return cy_usage_error(usage, "--%s needs a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, low, high,
                          text);
}

/* Sets a 32-bit number from an option; returns the exit status. */
static int take_number(const struct cy_usage *usage, const char *option, const char *text, uint32_t low, uint32_t high,
                       uint32_t *number)
{
    uint64_t value;
    if (!cy_parse_number(text, high, &value) || value < low)
        return number_error(usage, option, text, low, high);
    *number = (uint32_t)value;
    return CY_EXIT_OK;
}

static int take_march(struct job *job, const struct cy_usage *usage, const char *text)
{
    if (strcmp(text, "epic") != 0 && strcmp(text, "epic-fpga") != 0)
        return cy_usage_error(usage, "--march is epic or epic-fpga, not '%s'", text);
    job->load.march = text;
    job->config.fpga = strcmp(text, "epic-fpga") == 0;
    return CY_EXIT_OK;
}

static int take_slot(struct job *job, const struct cy_usage *usage, const char *text)
{
    job->next.has_slot = true;
    return take_number(usage, "slot", text, 0, CY_EPIC_PROGRAMS - 1, &job->next.slot);
}

static int take_address(struct job *job, const struct cy_usage *usage, const char *text)
{
    job->next.has_address = true;
    return take_number(usage, "addr", text, 0, MAX_WORD_ADDRESS, &job->next.word_address);
}

static void take_file(struct job *job, const char *path)
{
    job->next.path = path;
    *cy_vec_push(&job->files) = job->next;
    job->next = (struct file){0};
}

static int parse_pack(struct job *job, int id, const char *value)
{
    switch (id) {
    case OPT_OUTPUT: job->output = value; return CY_EXIT_OK;
    case OPT_SLOT: return take_slot(job, &pack_usage, value);
    case OPT_ADDR: return take_address(job, &pack_usage, value);
    case OPT_DEFINE: *cy_vec_push(&job->defines) = value; return CY_EXIT_OK;
    case OPT_MARCH: return take_march(job, &pack_usage, value);
    default: take_file(job, value); return CY_EXIT_OK;
    }
}

static bool pack_program(struct job *job, const struct epic_program *program)
{
    if (program->is_stream) {
        cy_diag_file(&job->diags, CY_ERROR, program->file, "neither a source (.s) nor an object");
        return false;
    }
    if (program->data.count) {
        cy_diag_file(&job->diags, CY_ERROR, program->file,
                     "it has data, which a command stream cannot carry; `cy epic run` of the program itself loads it");
        return false;
    }
    uint32_t *stream = cy_arena_alloc(&job->arena, cy_epic_pack_words(program->code.count) * sizeof(*stream));
    const size_t words =
        cy_epic_pack(program->slot, program->word_address, program->code.at, program->code.count, stream);
    if (words == 0) {
        cy_diag_file(&job->diags, CY_ERROR, program->file, "%zu words do not fit in instruction memory at word 0x%x",
                     program->code.count, program->word_address);
        return false;
    }
    return cy_file_write(job->output, stream, words * sizeof(*stream), false, &job->diags);
}

static int run_pack(struct job *job)
{
    const struct file *file = &job->files.at[0];
    struct epic_program program;
    job->load.defines = job->defines.at;
    job->load.define_count = job->defines.count;
    /* An option after the file applies to it as well: there is only one. */
    const unsigned slot = job->next.has_slot ? job->next.slot : file->slot;
    const uint32_t address = job->next.has_address ? job->next.word_address : file->word_address;
    if (epic_program_read(&program, file->path, slot, address, &job->load, &job->diags)) {
        if ((job->next.has_address || file->has_address) && program.word_address != address)
            cy_diag_file(&job->diags, CY_ERROR, file->path, "it is linked for word 0x%x and cannot be placed at 0x%x",
                         program.word_address, address);
        else
            pack_program(job, &program);
    }
    epic_program_free(&program);
    return job->diags.errors ? CY_EXIT_INPUT : CY_EXIT_OK;
}

/* ---- cy epic run: the command line ---- */

static const struct cy_option run_options[] = {
    {OPT_BLOCKS, 'b', "blocks", "N", "blocks to launch (default 1)", 0},
    {OPT_PROGRAM, 'p', "program", "N", "slot to launch (default: that of the first program)", 0},
    {OPT_LAUNCH, 0, "launch", "N:BLOCKS", "launch slot N; repeatable, one after the other, instead of -b and -p", 0},
    {OPT_REPEAT, 'n', "repeat", "TIMES", "repeat all launches N times (default 1)", 0},
    {OPT_SLOT, 0, "slot", "N", "slot of the next source or object (default: the next free one)", 0},
    {OPT_ADDR, 0, "addr", "WORDS", "its instruction word address (default: after the previous one)", 0},
    {OPT_DEFINE, 'D', NULL, "NAME=VALUE", "define a symbol for the sources (without =VALUE: as 1)", 0},
    {OPT_MARCH, 0, "march", "TARGET", "epic (default), or epic-fpga: instructions that the FPGA lacks are illegal",
     CY_OPTION_ONE_DASH},
    {OPT_CORES, 0, "cores", "N", "cores (default 4)", 0},
    {OPT_LANES, 0, "lanes", "N", "lanes per core, 1 to 64 (default 8)", 0},
    {OPT_MEM, 0, "mem", "BYTES", "data and frame-buffer memory; 512K, 16M ... (default 4M)", 0},
    {OPT_WIDTH, 0, "width", "PIXELS", "of a frame (default 320)", 0},
    {OPT_HEIGHT, 0, "height", "PIXELS", "of a frame (default 240)", 0},
    {OPT_THREADS, 0, "threads", "N", "host threads (default: one per core, at most one per host processor)", 0},
    {OPT_WATCHDOG, 0, "watchdog", "N", "stop a block after N instructions (default 1000000000; 0: never)", 0},
    {OPT_TIMEOUT, 0, "timeout", "SECONDS", "stop a launch after this time (default: never)", 0},
    {OPT_KEEP_DEPTH, 0, "keep-depth", NULL, "disp does not clear the depth buffer", 0},
    {OPT_DATA, 0, "data", "ADDRESS", "address of non-code sections in data memory (default 0x100000)", 0},
    {OPT_LOAD, 0, "load", "FILE@ADDRESS", "load a file into data memory first (repeatable)", 0},
    {OPT_SAVE, 0, "save", "FILE@ADDRESS:BYTES", "write data memory to a file at the end (repeatable)", 0},
    {OPT_DUMP, 0, "dump-mem", "ADDRESS:WORDS", "print words of data memory at the end (repeatable)", 0},
    {OPT_FRAMES, 'f', "frames", "DIR", "write each frame to DIR/frame-0000.png ...", 0},
    {OPT_PNG, 'o', "png", "FILE", "write the last frame", 0},
    {OPT_GIF, 'g', "gif", "FILE", "write all frames as an animated GIF", 0},
    {OPT_VIEW, 'v', "view", NULL, "show frames in a window; Escape closes it", 0},
    {OPT_SCALE, 0, "scale", "N", "enlarge pictures by N, 1 to 16", 0},
    {OPT_DELAY, 0, "delay", "N", "hundredths of a second for each frame of GIF and window (default 4)", 0},
    {OPT_STATS, 's', "stats", NULL, "print counts of what was executed and drawn", 0},
    {OPT_TIME, 0, "time", NULL, "print the time and speed of the launches", 0},
    {OPT_TRACE, 't', "trace", NULL, "print every instruction with its lanes and results (one thread)", 0},
};

static const struct cy_usage run_usage = {
    "epic run",
    "[options] FILE...",
    "Loads programs - command streams, objects, executables or sources (.s) - and launches them.  A fault or an "
    "invalid\n"
    "stream is reported and ends with status 1.",
    "examples:\n"
    "  cy epic run examples/epic/mandelbrot.s --blocks 240 --png mandelbrot.png\n"
    "  cy epic run examples/epic/cube.s --blocks 48 --mem 16M --gif cube.gif --stats\n"
    "  cy epic run draw.stream show.stream --launch 0:240 --launch 1:1 --frames out\n",
    run_options,
    CY_COUNT(run_options),
};

/* "4096", "512K", "16M", "1G" */
static int take_memory(struct job *job, const char *text)
{
    char digits[32];
    size_t length = strlen(text);
    unsigned shift = 0;
    uint64_t value;
    if (length > 0 && strchr("KMG", text[length - 1])) {
        shift = text[length - 1] == 'K' ? 10 : text[length - 1] == 'M' ? 20 : 30;
        length--;
    }
    if (length >= sizeof(digits))
        return cy_usage_error(&run_usage, "--mem needs a number of bytes, not '%s'", text);
    memcpy(digits, text, length);
    digits[length] = 0;
    if (!cy_parse_number(digits, UINT32_MAX, &value) || value << shift > UINT32_MAX || value == 0 ||
        (value << shift) % 4)
        return cy_usage_error(&run_usage, "--mem needs a multiple of 4 bytes below 4G, not '%s'", text);
    job->config.memory_bytes = (uint32_t)(value << shift);
    return CY_EXIT_OK;
}

/* "[FILE@]ADDRESS[:SIZE]" */
static int take_region(struct job *job, const char *option, const char *text, bool with_file, bool with_size,
                       struct region *region)
{
    const char *at = with_file ? strrchr(text, '@') : NULL;
    const char *address = at ? at + 1 : text, *colon = with_size ? strrchr(address, ':') : NULL;
    uint64_t first = 0, size = 0;
    bool ok = (!with_file || (at && at > text)) && (!with_size || colon);
    if (ok) {
        const size_t length = colon ? (size_t)(colon - address) : strlen(address);
        ok = cy_parse_number(cy_arena_strndup(&job->arena, address, length), UINT32_MAX, &first) &&
             (!colon || cy_parse_number(colon + 1, UINT32_MAX / 4, &size));
    }
    if (!ok)
        return cy_usage_error(&run_usage, "--%s needs %sADDRESS%s, not '%s'", option, with_file ? "FILE@" : "",
                              !with_size  ? ""
                              : with_file ? ":BYTES"
                                          : ":WORDS",
                              text);
    *region = (struct region){at ? cy_arena_strndup(&job->arena, text, (size_t)(at - text)) : NULL, (uint32_t)first,
                              (uint32_t)size};
    return CY_EXIT_OK;
}

static int take_launch(struct job *job, const char *text)
{
    const char *colon = strchr(text, ':');
    uint64_t program = 0, blocks = 0;
    if (!colon ||
        !cy_parse_number(cy_arena_strndup(&job->arena, text, (size_t)(colon - text)), CY_EPIC_PROGRAMS - 1, &program) ||
        !cy_parse_number(colon + 1, UINT32_MAX, &blocks))
        return cy_usage_error(&run_usage, "--launch needs SLOT:BLOCKS, not '%s'", text);
    *cy_vec_push(&job->launches) = (struct launch){(unsigned)program, (uint32_t)blocks};
    return CY_EXIT_OK;
}

static int take_watchdog(struct job *job, const char *text)
{
    uint64_t value;
    if (!cy_parse_number(text, UINT64_MAX - 1, &value))
        return cy_usage_error(&run_usage, "--watchdog needs a number of instructions, not '%s'", text);
    job->config.watchdog_instructions = value ? value : UINT64_MAX;
    return CY_EXIT_OK;
}

static int take_timeout(struct job *job, const char *text)
{
    char *end;
    job->config.watchdog_seconds = strtod(text, &end);
    if (*end || end == text || !(job->config.watchdog_seconds >= 0))
        return cy_usage_error(&run_usage, "--timeout needs a number of seconds, not '%s'", text);
    return CY_EXIT_OK;
}

static int parse_machine(struct job *job, int id, const char *value)
{
    struct cy_epic_config *config = &job->config;
    uint32_t number = 0;
    int status = CY_EXIT_OK;
    switch (id) {
    case OPT_CORES: return take_number(&run_usage, "cores", value, 1, CY_EPIC_MAX_CORES, &config->cores);
    case OPT_LANES: return take_number(&run_usage, "lanes", value, 1, CY_EPIC_MAX_LANES, &config->lanes);
    case OPT_MEM: return take_memory(job, value);
    case OPT_WIDTH: return take_number(&run_usage, "width", value, 1, 16384, &config->width);
    case OPT_HEIGHT: return take_number(&run_usage, "height", value, 1, 16384, &config->height);
    case OPT_THREADS: return take_number(&run_usage, "threads", value, 1, CY_EPIC_MAX_THREADS, &config->threads);
    case OPT_WATCHDOG: return take_watchdog(job, value);
    case OPT_TIMEOUT: return take_timeout(job, value);
    case OPT_KEEP_DEPTH: config->keep_depth = true; return CY_EXIT_OK;
    case OPT_DATA: return take_number(&run_usage, "data", value, 0, UINT32_MAX, &job->load.data_address);
    case OPT_BLOCKS: return take_number(&run_usage, "blocks", value, 0, UINT32_MAX, &job->blocks);
    case OPT_REPEAT: return take_number(&run_usage, "repeat", value, 0, UINT32_MAX, &job->repeat);
    case OPT_LAUNCH: return take_launch(job, value);
    case OPT_PROGRAM:
        status = take_number(&run_usage, "program", value, 0, CY_EPIC_PROGRAMS - 1, &number);
        job->program = (int)number;
        return status;
    default: return CY_EXIT_OK;
    }
}

static int parse_run(struct job *job, int id, const char *value)
{
    switch (id) {
    case OPT_SLOT: return take_slot(job, &run_usage, value);
    case OPT_ADDR: return take_address(job, &run_usage, value);
    case OPT_DEFINE: *cy_vec_push(&job->defines) = value; return CY_EXIT_OK;
    case OPT_MARCH: return take_march(job, &run_usage, value);
    case OPT_LOAD: return take_region(job, "load", value, true, false, cy_vec_push(&job->loads));
    case OPT_SAVE: return take_region(job, "save", value, true, true, cy_vec_push(&job->saves));
    case OPT_DUMP: return take_region(job, "dump-mem", value, false, true, cy_vec_push(&job->dumps));
    case OPT_FRAMES: job->frames.directory = value; return CY_EXIT_OK;
    case OPT_PNG: job->frames.png = value; return CY_EXIT_OK;
    case OPT_GIF: job->frames.gif = value; return CY_EXIT_OK;
    case OPT_VIEW: job->frames.view = true; return CY_EXIT_OK;
    case OPT_SCALE: return take_number(&run_usage, "scale", value, 1, MAX_SCALE, &job->frames.scale);
    case OPT_DELAY: return take_number(&run_usage, "delay", value, 1, 65535, &job->frames.delay_centiseconds);
    case OPT_STATS: job->stats = job->config.counters = true; return CY_EXIT_OK;
    case OPT_TRACE: job->trace = true; return CY_EXIT_OK;
    case OPT_TIME: job->time = true; return CY_EXIT_OK;
    case CY_ARGS_FILE: take_file(job, value); return CY_EXIT_OK;
    default: return parse_machine(job, id, value);
    }
}

/* ---- cy epic run: loading ---- */

static bool load_words(struct job *job, struct cy_epic *gpu, const char *file, const uint32_t *words, size_t count)
{
    struct cy_epic_stream_error error;
    const enum cy_epic_status status = cy_epic_load(gpu, words, count, &error);
    if (status == CY_EPIC_BAD_STREAM)
        cy_diag_file(&job->diags, CY_ERROR, file, "word %zu: %s", error.word, error.text);
    else if (status != CY_EPIC_OK)
        cy_diag_file(&job->diags, CY_ERROR, file, "%s", cy_epic_status_text(status));
    return status == CY_EPIC_OK;
}

/* The slot that a stream fills first: its first word is an xstart. */
static unsigned first_slot(const uint32_t *words)
{
    return (unsigned)cy_field_extract(CY_FIELD_eprog, words[0]);
}

static bool load_program(struct job *job, struct cy_epic *gpu, const struct epic_program *program)
{
    if (program->is_stream)
        return load_words(job, gpu, program->file, program->code.at, program->code.count);
    uint32_t *stream = cy_arena_alloc(&job->arena, cy_epic_pack_words(program->code.count) * sizeof(*stream));
    const size_t words =
        cy_epic_pack(program->slot, program->word_address, program->code.at, program->code.count, stream);
    if (words == 0) {
        cy_diag_file(&job->diags, CY_ERROR, program->file, "%zu words do not fit in instruction memory at word 0x%x",
                     program->code.count, program->word_address);
        return false;
    }
    if (!load_words(job, gpu, program->file, stream, words))
        return false;
    if (program->lines.count)
        cy_epic_set_lines(gpu, program->slot, program->file, program->lines.at, program->lines.count);
    for (size_t i = 0; i < program->data.count; i++) {
        const struct epic_data *data = &program->data.at[i];
        if (cy_epic_write(gpu, data->address, data->bytes.data, data->bytes.size) != CY_EPIC_OK) {
            cy_diag_file(&job->diags, CY_ERROR, program->file,
                         "its data at 0x%x does not fit in memory; see --mem and --data", data->address);
            return false;
        }
    }
    return true;
}

/* Programs go to the next free slot, one after the other, unless specified. */
static bool load_files(struct job *job, struct cy_epic *gpu)
{
    unsigned slot = 0;
    uint32_t address = 0;
    bool ok = true;
    for (size_t i = 0; i < job->files.count && ok; i++) {
        const struct file *file = &job->files.at[i];
        struct epic_program program;
        ok = epic_program_read(&program, file->path, file->has_slot ? file->slot : slot,
                               file->has_address ? file->word_address : address, &job->load, &job->diags);
        if (ok && program.slot >= CY_EPIC_PROGRAMS) {
            cy_diag_file(&job->diags, CY_ERROR, file->path, "all %d program slots are taken", CY_EPIC_PROGRAMS);
            ok = false;
        }
        ok = ok && load_program(job, gpu, &program);
        if (ok && job->program < 0 && program.code.count)
            job->program = (int)(program.is_stream ? first_slot(program.code.at) : program.slot);
        if (ok && !program.is_stream) {
            slot = program.slot + 1;
            address = program.word_address + (uint32_t)program.code.count;
        }
        epic_program_free(&program);
    }
    return ok;
}

static bool load_regions(struct job *job, struct cy_epic *gpu)
{
    bool ok = true;
    for (size_t i = 0; i < job->loads.count && ok; i++) {
        const struct region *region = &job->loads.at[i];
        struct cy_buf bytes = {0};
        ok = cy_file_read(region->path, &bytes, &job->diags);
        if (ok && cy_epic_write(gpu, region->address, bytes.data, bytes.size) != CY_EPIC_OK) {
            cy_diag_file(&job->diags, CY_ERROR, region->path, "its %zu bytes do not fit in memory at 0x%x", bytes.size,
                         region->address);
            ok = false;
        }
        cy_buf_free(&bytes);
    }
    return ok;
}

/* ---- cy epic run: output ---- */

static bool print_step(void *user, const struct cy_epic_step *step)
{
    struct cy_epic_config config;
    cy_epic_get_config(user, &config);
    printf("block %u core %u  %08x  ", step->block, step->core, step->pc);
    for (uint32_t lane = 0; lane < config.lanes; lane++)
        putchar(step->enabled >> lane & 1 ? '*' : step->active >> lane & 1 ? '-' : '.');
    if (step->result && step->enabled) {
        printf("  %-28s r%u =", step->text, step->rd);
        for (uint32_t lane = 0; lane < config.lanes; lane++)
            if (step->enabled >> lane & 1)
                printf(" %x", step->result[lane]);
    } else {
        printf("  %s", step->text);
    }
    putchar('\n');
    return true;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_stats(struct cy_epic *gpu)
{
    struct cy_epic_counters counters;
    cy_epic_read_counters(gpu, &counters);
    printf("launches           %12" PRIu64 "\n", counters.launches);
    printf("blocks             %12" PRIu64 "\n", counters.blocks);
    printf("frames             %12" PRIu64 "\n", counters.frames);
    printf("instructions       %12" PRIu64 "\n", counters.issued);
    printf("lane instructions  %12" PRIu64 "   %.1f%% of the lanes active\n", counters.lane_instructions,
           percent(counters.lane_instructions, counters.lane_slots));
    printf("  predicated off   %12" PRIu64 "   %.1f%%\n", counters.predicated_off,
           percent(counters.predicated_off, counters.lane_instructions));
    for (int i = 0; i < CY_EPIC_CLASSES; i++) {
        const struct cy_epic_class_counter *class = &counters.by_class[i];
        printf("  %-31s %12" PRIu64 " instructions %12" PRIu64 " lanes\n", class->name, class->issued, class->lanes);
    }
    printf("words loaded       %12" PRIu64 "\n", counters.loads);
    printf("pixels drawn       %12" PRIu64 "   words stored by sw\n", counters.stores);
    printf("depth tests passed %12" PRIu64 "\n", counters.depth_passed);
    printf("rejected by depth  %12" PRIu64 "\n", counters.depth_rejected);
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void print_time(struct cy_epic *gpu, double seconds)
{
    struct cy_epic_counters counters;
    struct cy_epic_config config;
    cy_epic_read_counters(gpu, &counters);
    cy_epic_get_config(gpu, &config);
    const double pixels = (double)counters.frames * config.width * config.height;
    printf("time               %12.6f seconds, %" PRIu32 " thread%s\n", seconds, config.threads,
           config.threads == 1 ? "" : "s");
    printf("frames             %12.1f per second\n", (double)counters.frames / seconds);
    printf("pixels             %12.1f million per second\n", pixels / seconds * 1e-6);
    printf("instructions       %12.1f million per second\n", (double)counters.issued / seconds * 1e-6);
    printf("lane instructions  %12.1f million per second\n", (double)counters.lane_instructions / seconds * 1e-6);
}

static void memory_error(struct job *job, const char *option, const struct region *region)
{
    cy_diag_file(&job->diags, CY_ERROR, NULL, "--%s: not enough memory at 0x%x", option, region->address);
}

static void print_dumps(struct job *job, struct cy_epic *gpu)
{
    for (size_t i = 0; i < job->dumps.count; i++) {
        const struct region *region = &job->dumps.at[i];
        for (uint32_t n = 0; n < region->size; n++) {
            uint32_t word;
            if (cy_epic_read(gpu, region->address + n * 4, &word, sizeof(word)) != CY_EPIC_OK) {
                memory_error(job, "dump-mem", region);
                break;
            }
            if (n % 8 == 0)
                printf("%s%08x:", n ? "\n" : "", region->address + n * 4);
            printf(" %08x", word);
        }
        if (region->size)
            putchar('\n');
    }
}

static void write_saves(struct job *job, struct cy_epic *gpu)
{
    for (size_t i = 0; i < job->saves.count; i++) {
        const struct region *region = &job->saves.at[i];
        char *bytes = malloc((size_t)region->size + 1);
        if (!bytes)
            abort();
        if (cy_epic_read(gpu, region->address, bytes, region->size) != CY_EPIC_OK)
            memory_error(job, "save", region);
        else
            cy_file_write(region->path, bytes, region->size, false, &job->diags);
        free(bytes);
    }
}

/* ---- cy epic run: the job ---- */

/* True: all launches ended normally, or the window was closed. */
static bool launch_all(struct job *job, struct cy_epic *gpu)
{
    if (job->launches.count == 0)
        *cy_vec_push(&job->launches) = (struct launch){job->program < 0 ? 0 : (unsigned)job->program, job->blocks};
    for (uint32_t n = 0; n < job->repeat; n++) {
        for (size_t i = 0; i < job->launches.count; i++) {
            const struct launch *launch = &job->launches.at[i];
            struct cy_epic_fault fault;
            const enum cy_epic_status status = cy_epic_launch(gpu, launch->program, launch->blocks, &fault);
            if (status == CY_EPIC_STOPPED)
                return job->frames.closed;
            if (status == CY_EPIC_FAULT)
                cy_diag_file(&job->diags, CY_ERROR, NULL, "%s", fault.text);
            else if (status != CY_EPIC_OK)
                cy_diag_file(&job->diags, CY_ERROR, NULL, "launch of program %u: %s", launch->program,
                             cy_epic_status_text(status));
            if (status != CY_EPIC_OK)
                return false;
        }
    }
    return true;
}

static void run_on(struct job *job, struct cy_epic *gpu)
{
    struct cy_epic_config config;
    cy_epic_get_config(gpu, &config);
    job->frames.diags = &job->diags;
    job->load.defines = job->defines.at;
    job->load.define_count = job->defines.count;
    if (!load_files(job, gpu) || !load_regions(job, gpu) ||
        !epic_frames_open(&job->frames, config.width, config.height))
        return;
    cy_epic_on_frame(gpu, epic_frames_add, &job->frames);
    if (job->trace)
        cy_epic_on_step(gpu, print_step, gpu);
    const double start = now_seconds();
    const bool ok = launch_all(job, gpu);
    const double seconds = now_seconds() - start;
    epic_frames_close(&job->frames, ok);
    print_dumps(job, gpu);
    write_saves(job, gpu);
    if (job->stats)
        print_stats(gpu);
    if (job->time)
        print_time(gpu, seconds);
}

static int run_run(struct job *job)
{
    struct cy_epic *gpu;
    const enum cy_epic_status status = cy_epic_create(&job->config, &gpu);
    if (status == CY_EPIC_OK)
        run_on(job, gpu);
    else
        cy_diag_file(&job->diags, CY_ERROR, NULL, "invalid machine: %s", cy_epic_status_text(status));
    cy_epic_destroy(gpu);
    return job->diags.errors ? CY_EXIT_INPUT : CY_EXIT_OK;
}

/* ---- cy epic ---- */

static const struct cy_usage epic_usage = {
    "epic",
    "pack|run [options] FILE...",
    "EpicGPU, a small graphics GPU: command streams and the machine that runs them.",
    "commands:\n"
    "  pack    create a command stream from a program\n"
    "  run     load programs, launch them, save the frames\n"
    "`cy epic pack --help` and `cy epic run --help` say more.\n",
    NULL,
    0,
};

static int check_paths(const struct job *job, const struct cy_usage *usage)
{
    struct cy_paths paths = {0};
    for (size_t i = 0; i < job->files.count; i++)
        cy_paths_read(&paths, job->files.at[i].path);
    for (size_t i = 0; i < job->loads.count; i++)
        cy_paths_read(&paths, job->loads.at[i].path);
    if (usage == &pack_usage)
        cy_paths_write(&paths, job->output);
    for (size_t i = 0; i < job->saves.count; i++)
        cy_paths_write(&paths, job->saves.at[i].path);
    cy_paths_write(&paths, job->frames.png);
    cy_paths_write(&paths, job->frames.gif);
    cy_paths_write_many(&paths, job->frames.directory, "frame-", ".png");
    return cy_paths_check(&paths, usage);
}

static int run_command(const struct cy_usage *usage, int (*parse)(struct job *job, int id, const char *value),
                       int (*run)(struct job *job), size_t max_files, int argc, char **argv)
{
    struct job job = {.load = {.march = "epic", .data_address = DATA_ADDRESS},
                      .output = "a.stream",
                      .blocks = 1,
                      .repeat = 1,
                      .program = -1};
    struct cy_args args;
    int status = CY_EXIT_OK;
    bool ended = false;
    cy_args_start(&args, usage, argc, argv);
    for (int id; status == CY_EXIT_OK && !ended && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            status = args.status;
            ended = true;
        } else {
            status = parse(&job, id, args.value);
        }
    }
    if (status == CY_EXIT_OK && !ended) {
        if (job.files.count == 0)
            status = cy_usage_error(usage, "no input file");
        else if (job.files.count > max_files)
            status = cy_usage_error(usage, "one file at a time");
        else if ((status = check_paths(&job, usage)) == CY_EXIT_OK) {
            status = run(&job);
            const int reported = cy_report(&job.diags);
            status = status ? status : reported;
        }
    }
    free_job(&job);
    return status;
}

int cy_cmd_epic(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "pack") == 0)
        return run_command(&pack_usage, parse_pack, run_pack, 1, argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "run") == 0)
        return run_command(&run_usage, parse_run, run_run, SIZE_MAX, argc - 1, argv + 1);
    if (argc > 1 && argv[1][0] != '-')
        return cy_usage_error(&epic_usage, "unknown command '%s'", argv[1]);
    struct cy_args args;
    cy_args_start(&args, &epic_usage, argc, argv);
    if (cy_args_next(&args) == CY_ARGS_EXIT)
        return args.status;
    return cy_usage_error(&epic_usage, "which command: pack or run?");
}
