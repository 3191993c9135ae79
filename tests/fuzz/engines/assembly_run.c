/* assembly_run [OPTION...] FILE: runs the programs of FILE (assembly.py writes it), each on a device of its own, in one configuration;
 * prints a line of JSON for each.
 *
 *     engine=interp|jit  level=NAME  strip=auto|NUMBER  host-threads=NUMBER  run=first|cache  attached=plain|counting|debug
 *     forms=128|256|512|gathers  in which translated code is made, instead of those of the level (jit/abi.h)
 *     translator=server  translated code is made by the compile server, which leaves it in the cache
 *     rows=1             which instructions each program executed, and how often
 *     dump=DIRECTORY     writes the buffers to DIRECTORY/PROGRAM.BUFFER
 *
 * Translated code is made in this process, or with run=cache by the compile server, once to fill the cache and once from it.
 * What attaches itself as counting compares its counters with the interpreter's; what attaches itself as debug looks at every instruction.
 *
 * FILE: for each program a line `program NUMBER TARGET SETTINGS DIMENSIONS GX GY GZ LX LY LZ SOURCE-BYTES BUFFERS`, the source,
 * and for each buffer a line `buffer BYTES COMPARED` and its bytes.  The kernel is `k`, whose arguments are the buffers. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "cc/driver/translator.h"
#include "gpu_device/guest.h"
#include "isa/isa.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"

#include <inttypes.h>

enum { MAX_BUFFERS = 8 };

struct buffer {
    const char *bytes;
    size_t size;
    bool is_compared;
};

struct program {
    unsigned long long number;
    char target[32], settings[128];
    unsigned dimensions, global[3], local[3];
    char *source;
    struct buffer buffers[MAX_BUFFERS];
    unsigned buffer_count;
};

static struct {
    const char *engine, *level, *strip, *dump;
    unsigned host_threads;
    int forms; /* enum cy_jit_forms, or -1 */
    bool is_cached, uses_server, counts, tallies, observes, rows;
    struct cy_translator server;
} the = {.engine = "interp", .level = "best", .strip = "0", .host_threads = 1, .forms = -1};

/* ---- translating ---- */

static bool translate_here(const struct cy_buf *request, void **image, size_t *image_size, char *why, size_t room)
{
    struct cy_buf made = {0}, reason = {0};
    const bool ok = cy_jit_translate(NULL, request->data, request->size, &made, &reason);
    if (ok) {
        *image = malloc(made.size);
        *image_size = made.size;
        memcpy(*image, made.data, made.size);
    } else {
        snprintf(why, room, "%s", reason.data);
    }
    cy_buf_free(&made);
    cy_buf_free(&reason);
    return ok;
}

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_buf copy = {0};
    (void)context;
    cy_buf_append(&copy, request, size);
    struct cy_jit_request *head = (struct cy_jit_request *)(void *)copy.data;
    if (the.forms >= 0)
        head->forms = (uint32_t)the.forms;
    bool ok;
    if (!the.is_cached && !the.uses_server) {
        ok = translate_here(&copy, image, image_size, why, room);
    } else {
        ok = the.server.translate(the.server.context, copy.data, copy.size, image, image_size, why, room);
        if (ok && the.is_cached) { /* what the cache has */
            free(*image);
            ok = the.server.find(the.server.context, copy.data, copy.size, image, image_size, why, room);
            if (!ok)
                snprintf(why, room, "the cache has lost it");
        }
    }
    cy_buf_free(&copy);
    return ok;
}

/* ---- what a launch gives ---- */

struct outcome {
    enum cy_status status;
    struct cy_counters counters;
    struct cy_insn_counts *counts;
    size_t words;
    unsigned char *bytes[MAX_BUFFERS];
    uint64_t observed;
    char fault[512];
};

static void free_outcome(struct outcome *outcome)
{
    for (size_t i = 0; i < MAX_BUFFERS; i++)
        free(outcome->bytes[i]);
    free(outcome->counts);
}

static void observe(void *context, const struct cy_event *event)
{
    uint64_t *count = context;
    *count += event->mnemonic != NULL;
}

static void observe_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    (void)context, (void)event, (void)access;
}

static void describe_fault(const struct cy_launch *launch, struct outcome *outcome)
{
    const struct cy_fault_info *fault = cy_launch_fault(launch);
    if (fault)
        snprintf(outcome->fault, sizeof(outcome->fault), "%s at %s+%u: %s", fault->kind, fault->symbol, fault->offset,
                 fault->instruction);
    else if (outcome->status != CY_OK)
        snprintf(outcome->fault, sizeof(outcome->fault), "%s", cy_status_text(outcome->status));
}

static void launch(struct cy_device *device, struct cy_program *program, const struct program *p,
                   const uint32_t *places, bool counts, struct outcome *outcome)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *started = NULL;
    struct cy_capabilities capabilities;
    cy_device_capabilities(device, &capabilities);
    for (unsigned i = 0; i < p->buffer_count; i++)
        cy_arguments_pointer(arguments, places[i]);
    const struct cy_observers observers = {
        .context = &outcome->observed, .before = observe, .retired = observe, .memory = observe_memory};
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .dimensions = p->dimensions,
                                  .count_lanes = counts,
                                  .observers = the.observes ? &observers : NULL};
    memcpy(desc.global, p->global, sizeof(desc.global));
    memcpy(desc.local, p->local, sizeof(desc.local));
    struct cy_insn_counts *raw = NULL;
    if (the.rows || the.tallies) {
        outcome->words = cy_program_count_words(program);
        raw = calloc(outcome->words * capabilities.config.sms, sizeof(*raw));
        desc.insn_counts = raw;
        desc.insn_counts_before =
            the.tallies; /* of a kernel's first launch the interpreter counts the first workgroups */
    }
    outcome->status = guest_launch(device, &desc, &started);
    if (started) {
        describe_fault(started, outcome);
        cy_launch_counters(started, &outcome->counters);
    } else {
        snprintf(outcome->fault, sizeof(outcome->fault), "not started");
    }
    if (raw) {
        outcome->counts = calloc(outcome->words, sizeof(*outcome->counts));
        cy_insn_counts_sum(raw, capabilities.config.sms, outcome->words, outcome->counts);
        free(raw);
    }
    cy_arguments_destroy(arguments);
    cy_launch_release(started);
}

/* The counters' texts live as long as the program. */
static char not_translated[256], interpreted[512];

static bool run(const struct program *p, const struct cy_buf *elf, const char *engine, bool counts,
                struct outcome *outcome)
{
    char settings[512], *message = NULL;
    uint32_t places[MAX_BUFFERS];
    struct cy_program *program = NULL;
    snprintf(settings, sizeof(settings),
             "sms=2 engine=%s engine-level=%s strip=%s host-threads=%u watchdog-seconds=20 %s", engine, the.level,
             the.strip, the.host_threads, p->settings);
    for (char *c = settings; *c; c++)
        if (*c == ',')
            *c = ' ';
    struct cy_device *device = guest_device(settings);
    cy_device_set_translator(device, &(struct cy_translator){.translate = translate});
    bool ok = CHECK_EQ(cy_program_load(device, "k.riscv", elf->data, elf->size, &program, &message), CY_OK);
    for (unsigned i = 0; ok && i < p->buffer_count; i++)
        ok = CHECK_EQ(cy_device_alloc(device, p->buffers[i].size, 0, &places[i]), CY_OK) &&
             CHECK_EQ(cy_device_write(device, places[i], p->buffers[i].bytes, p->buffers[i].size), CY_OK);
    if (ok) {
        launch(device, program, p, places, counts, outcome);
        for (unsigned i = 0; i < p->buffer_count; i++) {
            outcome->bytes[i] = malloc(p->buffers[i].size);
            CHECK_EQ(cy_device_read(device, places[i], outcome->bytes[i], p->buffers[i].size), CY_OK);
        }
        const struct cy_counters *counters = &outcome->counters;
        snprintf(not_translated, sizeof(not_translated), "%s",
                 counters->not_translated ? counters->not_translated : "");
        snprintf(interpreted, sizeof(interpreted), "%s", counters->interpreted ? counters->interpreted : "");
    }
    cy_program_release(program);
    cy_device_close(device);
    free(message);
    return ok;
}

/* ---- printing ---- */

static uint64_t digest(const unsigned char *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3;
    return sum;
}

static void print_text(const char *name, const char *text)
{
    printf(", \"%s\": \"", name);
    for (; *text; text++)
        if ((unsigned char)*text >= ' ')
            printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    printf("\"");
}

/* By mnemonic; a prefix counts by itself. */
static void print_rows(enum cy_target target, const struct cy_buf *elf, const struct outcome *outcome)
{
    static uint64_t sums[CY_OP_COUNT];
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    memset(sums, 0, sizeof(sums));
    if (CHECK(cy_object_read(&object, "k.riscv", elf->data, elf->size, &diags))) {
        const struct cy_section *text = cy_object_find_section(&object, ".text");
        for (size_t i = 0; text && i < text->size / 4 && i < outcome->words; i++) {
            uint32_t word;
            struct cy_insn insn;
            memcpy(&word, text->data.data + 4 * i, 4);
            if (cy_decode_word(target, word, &insn))
                sums[insn.op] += outcome->counts[i].issued;
        }
    }
    printf(", \"rows\": {");
    const char *comma = "";
    for (size_t op = 0; op < CY_OP_COUNT; op++)
        if (sums[op]) {
            printf("%s\"%s\": %" PRIu64, comma, cy_insns[op].mnemonic, sums[op]);
            comma = ", ";
        }
    printf("}");
    cy_object_free(&object);
    cy_diags_free(&diags);
}

static void dump(const struct program *p, const struct outcome *outcome)
{
    for (unsigned i = 0; i < p->buffer_count; i++) {
        char name[4096];
        snprintf(name, sizeof(name), "%s/%llu.%u", the.dump, p->number, i);
        FILE *file = fopen(name, "wb");
        if (CHECK(file != NULL)) {
            CHECK_EQ(fwrite(outcome->bytes[i], 1, p->buffers[i].size, file), p->buffers[i].size);
            CHECK_EQ(fclose(file), 0);
        }
    }
}

static void print(const struct program *p, enum cy_target target, const struct cy_buf *elf,
                  const struct outcome *outcome, const char *reports)
{
    printf("{\"program\": %llu, \"words\": [", p->number);
    for (unsigned i = 0; i < p->buffer_count; i++)
        printf("%s\"%016" PRIx64 "\"", i ? ", " : "",
               p->buffers[i].is_compared ? digest(outcome->bytes[i], p->buffers[i].size) : 0);
    printf("], \"instructions\": %" PRIu64 ", \"items\": %" PRIu64 ", \"translated\": %" PRIu64,
           outcome->counters.instructions, outcome->counters.work_items, outcome->counters.work_items_translated);
    print_text("fault", outcome->fault);
    print_text("why", not_translated);
    print_text("interpreted", interpreted);
    print_text("reports", reports);
    if (the.rows)
        print_rows(target, elf, outcome);
    printf("}\n");
    fflush(stdout);
}

/* ---- a program ---- */

static void compare_counters(const struct cy_counters *want, const struct cy_counters *got, char *reports, size_t room)
{
    const struct cy_lane_counters *a = &want->lanes, *b = &got->lanes;
    if (want->instructions != got->instructions || want->barriers != got->barriers)
        snprintf(reports, room,
                 "%" PRIu64 " instructions, %" PRIu64 " barriers interpreted; %" PRIu64 ", %" PRIu64 " translated",
                 want->instructions, want->barriers, got->instructions, got->barriers);
    else if (memcmp(a, b, sizeof(*a)) != 0)
        snprintf(reports, room,
                 "lanes: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " interpreted, %" PRIu64 " %" PRIu64
                 " %" PRIu64 " %" PRIu64 " %" PRIu64 " translated",
                 a->vectors, a->partial, a->active, a->branches, a->splits, b->vectors, b->partial, b->active,
                 b->branches, b->splits);
}

/* What profiles count, of every instruction; the interpreter says of scalar ones, too, that lanes are idle. */
static void compare_tallies(const struct program *p, const struct cy_buf *elf, char *reports, size_t room)
{
    struct outcome want = {0}, got = {0};
    the.tallies = true;
    const bool ok = run(p, elf, "interp", false, &want) && run(p, elf, the.engine, false, &got);
    for (size_t i = 0; ok && want.counts && got.counts && i < want.words; i++) {
        const struct cy_insn_counts *a = &want.counts[i], *b = &got.counts[i];
        const bool has_lanes = b->idle_lanes != 0;
        if (a->issued != b->issued || a->divergent != b->divergent || (has_lanes && a->idle_lanes != b->idle_lanes)) {
            snprintf(reports, room,
                     "word %zu: issued %" PRIu64 ", idle lanes %" PRIu64 ", splits %" PRIu64 " interpreted; %" PRIu64
                     ", %" PRIu64 ", %" PRIu64 " translated",
                     i, a->issued, a->idle_lanes, a->divergent, b->issued, b->idle_lanes, b->divergent);
            break;
        }
    }
    the.tallies = false;
    free_outcome(&want);
    free_outcome(&got);
}

static void run_program(const struct program *p)
{
    struct cy_buf elf = {0};
    struct outcome outcome = {0}, counted = {0};
    char reports[512] = "";
    enum cy_target target = CY_GEN1;
    CHECK(cy_target_find(p->target, &target));
    if (guest_build(p->source, p->target, &elf)) {
        if (run(p, &elf, the.engine, the.counts, &outcome)) {
            if (the.counts && outcome.status == CY_OK && outcome.counters.work_items_translated) {
                char why[256], which[512]; /* of the first one */
                memcpy(why, not_translated, sizeof(why));
                memcpy(which, interpreted, sizeof(which));
                if (run(p, &elf, "interp", true, &counted))
                    compare_counters(&counted.counters, &outcome.counters, reports, sizeof(reports));
                if (!reports[0])
                    compare_tallies(p, &elf, reports, sizeof(reports));
                memcpy(not_translated, why, sizeof(why));
                memcpy(interpreted, which, sizeof(which));
            }
            print(p, target, &elf, &outcome, reports);
            if (the.dump)
                dump(p, &outcome);
        }
    } else {
        printf("{\"program\": %llu, \"words\": [], \"fault\": \"it cannot be assembled\"}\n", p->number);
    }
    free_outcome(&outcome);
    free_outcome(&counted);
    cy_buf_free(&elf);
}

/* ---- the file ---- */

static bool read_program(const char **at, const char *end, struct program *p)
{
    size_t size = 0;
    int length = 0;
    *p = (struct program){0};
    if (*at == end)
        return false;
    const int found = sscanf(*at, "program %llu %31s %127s %u %u %u %u %u %u %u %zu %u%n", &p->number, p->target,
                             p->settings, &p->dimensions, &p->global[0], &p->global[1], &p->global[2], &p->local[0],
                             &p->local[1], &p->local[2], &size, &p->buffer_count, &length);
    if (!CHECK_EQ(found, 12) || !CHECK(p->buffer_count <= MAX_BUFFERS))
        return false;
    *at += length + 1;
    p->source = strndup(*at, size);
    *at += size;
    for (unsigned i = 0; i < p->buffer_count; i++) {
        unsigned is_compared = 0;
        if (!CHECK_EQ(sscanf(*at, "buffer %zu %u%n", &p->buffers[i].size, &is_compared, &length), 2))
            return false;
        p->buffers[i].is_compared = is_compared;
        p->buffers[i].bytes = *at + length + 1;
        *at += (size_t)length + 1 + p->buffers[i].size;
    }
    return CHECK(*at <= end);
}

static bool set(const char *option)
{
    const char *value = strchr(option, '=');
    if (!value++)
        return false;
    if (!strncmp(option, "engine=", 7))
        the.engine = value;
    else if (!strncmp(option, "level=", 6))
        the.level = value;
    else if (!strncmp(option, "strip=", 6))
        the.strip = strcmp(value, "auto") ? value : "0";
    else if (!strncmp(option, "host-threads=", 13))
        the.host_threads = (unsigned)strtoul(value, NULL, 10);
    else if (!strncmp(option, "run=", 4))
        the.is_cached = !strcmp(value, "cache");
    else if (!strncmp(option, "attached=", 9)) {
        the.counts = !strcmp(value, "counting");
        the.observes = !strcmp(value, "debug");
    } else if (!strncmp(option, "forms=", 6))
        the.forms = !strcmp(value, "128")   ? CY_JIT_FORMS_128
                    : !strcmp(value, "256") ? CY_JIT_FORMS_256
                    : !strcmp(value, "512") ? CY_JIT_FORMS_512
                                            : CY_JIT_FORMS_256_GATHERS;
    else if (!strncmp(option, "translator=", 11))
        the.uses_server = !strcmp(value, "server");
    else if (!strncmp(option, "rows=", 5))
        the.rows = *value == '1';
    else if (!strncmp(option, "dump=", 5))
        the.dump = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    static struct cc_places places;
    static struct cc_tools tools;
    static struct cc_driver driver = {.helpers = places.helpers, .library_dir = places.library_dir, .tools = &tools};
    struct cy_buf file = {0};
    struct cy_diags diags = {0};
    for (int i = 1; i < argc - 1; i++)
        if (!set(argv[i])) {
            fprintf(stderr, "assembly_run: '%s' is no option\n", argv[i]);
            return 2;
        }
    cc_find_places(&places);
    the.uses_server |= getenv("CY_NATIVE_COMPILER") != NULL; /* faster than this process, which is emulated */
    the.server = cc_translator(&driver);
    if (argc < 2 || !CHECK(cy_file_read(argv[argc - 1], &file, &diags)))
        return 2;
    const size_t size = file.size;
    cy_buf_append(&file, "", 1); /* ends what sscanf looks at */
    const char *at = file.data;
    struct program p;
    while (read_program(&at, file.data + size, &p)) {
        run_program(&p);
        free(p.source);
    }
    cy_buf_free(&file);
    cy_diags_free(&diags);
    return test_counts.failed != 0;
}
