/* The engine verify on a device.  Its translator is sound, or given the code of another program: then everything that both
 * programs do otherwise must be told, and memory must have what the interpreter gave. */
#include "verify/wrong.h"

enum { ITEMS = 1000, LOCAL = 64 };

/* The two programs differ in one immediate each. */
static const char source[] =
    "kernel void words(global uint *a) { uint i = get_global_id(0); a[i] = i * 3 + (i == 77 ? V : 5); }\n"
    "kernel void prints(global uint *a)\n"
    "{ uint i = get_global_id(0); a[i] = i; if (i % 100 == 0) printf(\"%u %u\\n\", i, i == 300 ? V : 5u); }\n"
    "kernel void faults(global uint *a) { uint i = get_global_id(0); if (i == V * 90) i = 0x10000000u; a[i] = 1; }\n"
    "kernel void counts(global uint *a) { uint i = get_global_id(0), x = i; for (uint n = 0; n < (i & 31) + V; n++) x "
    "= x * 5 + 1; a[i] = x == 12345u; }\n"
    "kernel void racy(global uint *a) { a[0] = get_global_id(0) + V; }\n"
    "kernel void slots(global uint *a) { uint i = get_global_id(0); a[1 + atomic_inc(a)] = i; }\n"
    "kernel void add(global uint *a) { a[get_global_id(0)] += V; }\n"
    "global uint total;\n"
    "kernel void variable(global uint *a) { atomic_add(&total, V); }\n"
    "kernel void get(global uint *a) { a[get_global_id(0)] = total; }\n"
    "kernel void local_race(global uint *a)\n"
    "{ local uint t[64]; uint l = get_local_id(0); t[l] = V; t[(l + 9) & 63] = l; a[get_global_id(0)] = t[l]; }\n"
    "kernel void plain(global uint *a) { a[get_global_id(0)] = 1; }\n";

/* ---- one device ---- */

struct told {
    unsigned count;
    struct cy_difference last;
    uint64_t before; /* the first word of memory, when it was told */
    char texts[2][256];
};
struct setting {
    struct cy_device *device;
    struct cy_program *programs[2];
    struct told told;
    uint64_t buffer;
    uint32_t words[ITEMS + 1];
    struct cy_buf printed;
    bool is_far;
};

static void differs(void *context, struct cy_launch *launch, const struct cy_difference *difference)
{
    struct setting *setting = context;
    uint32_t word;
    (void)launch;
    CHECK_EQ(cy_device_read(setting->device, setting->buffer, &word, 4), CY_OK);
    setting->told.before = word;
    setting->told.count++;
    setting->told.last = *difference;
    for (unsigned i = 0; i < 2; i++)
        snprintf(setting->told.texts[i], sizeof(setting->told.texts[i]), "%s",
                 difference->texts[i] ? difference->texts[i] : "");
}

static void open_setting(struct setting *setting, const char *settings, bool is_broken, bool is_far)
{
    memset(setting, 0, sizeof(*setting));
    setting->device = guest_device(settings);
    setting->is_far = is_far;
    cy_device_set_translator(setting->device, &(struct cy_translator){.translate = translate});
    cy_device_set_verifier(setting->device, &(struct cy_verifier){.context = setting, .differs = differs});
    for (unsigned i = 0; i < 2; i++)
        CHECK_EQ(cy_program_load(setting->device, "engine", elfs[i].data, elfs[i].size, &setting->programs[i], NULL),
                 CY_OK);
    other = is_broken ? setting->programs[1] : NULL;
    uint32_t near = 0;
    const uint64_t bytes = sizeof(setting->words);
    CHECK_EQ(is_far ? cy_device_alloc_far(setting->device, bytes, 0, &setting->buffer)
                    : cy_device_alloc(setting->device, bytes, 0, &near),
             CY_OK);
    setting->buffer += near;
}

static void close_setting(struct setting *setting)
{
    for (unsigned i = 0; i < 2; i++)
        cy_program_release(setting->programs[i]);
    cy_device_close(setting->device);
    cy_buf_free(&setting->printed);
    other = NULL;
}

static void print(void *context, const char *text, size_t size)
{
    cy_buf_append(context, text, size);
}

static enum cy_status run_counting(struct setting *setting, const char *kernel, bool count,
                                   struct cy_counters *counters)
{
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_set_pointer_bytes(arguments, elfs[0].data[4] && setting->programs[0]->target == CY_GEN1 ? 4 : 8);
    cy_arguments_pointer(arguments, setting->buffer);
    struct cy_launch_desc desc = {.program = setting->programs[0],
                                  .kernel = kernel,
                                  .arguments = arguments,
                                  .global = {ITEMS},
                                  .local = {LOCAL},
                                  .print = print,
                                  .print_context = &setting->printed,
                                  .count_lanes = count};
    struct cy_launch *launch = NULL;
    char *message = NULL;
    setting->printed.size = 0;
    const enum cy_status status = cy_launch_run(setting->device, &desc, &launch, &message);
    if (message)
        fputs(message, stderr);
    free(message);
    if (launch && counters)
        cy_launch_counters(launch, counters);
    CHECK_EQ(cy_device_read(setting->device, setting->buffer, setting->words, sizeof(setting->words)), CY_OK);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return status;
}

static enum cy_status run(struct setting *setting, const char *kernel)
{
    return run_counting(setting, kernel, false, NULL);
}

static struct cy_verified sums_of(const struct setting *setting)
{
    struct cy_verified sums;
    cy_device_verified(setting->device, &sums);
    return sums;
}

/* ---- what is told ---- */

static void test_words(bool is_far)
{
    struct setting setting;
    open_setting(&setting, "engine=verify", true, is_far);
    CHECK_EQ(run(&setting, "words"), CY_OK);
    CHECK_EQ(setting.told.count, 1);
    CHECK_EQ(setting.told.before, 0); /* memory is as before the launch, so that it can be recorded */
    const struct cy_difference *told = &setting.told.last;
    CHECK_EQ(told->kind, CY_DIFFERENT_WORDS);
    CHECK(!told->depends_on_order);
    CHECK_EQ(told->words, 1);
    CHECK_EQ(told->address, setting.buffer + 77 * 4);
    CHECK_EQ(told->buffer, setting.buffer);
    CHECK_EQ(told->translated, 77 * 3 + 12);
    CHECK_EQ(told->interpreted, 77 * 3 + 11);
    CHECK(told->is_written);
    CHECK_EQ(told->item[0], 77);
    CHECK_EQ(told->line, 1);
    CHECK_EQ(told->launch, 1);
    CHECK(told->strip >= 4 && told->level);
    for (unsigned i = 0; i < ITEMS; i++) /* the run goes on with the interpreter's words */
        CHECK_EQ(setting.words[i], i * 3 + (i == 77 ? 11 : 5));
    close_setting(&setting);
}

static void test_variable(void)
{
    struct setting setting;
    open_setting(&setting, "engine=verify", true, false);
    CHECK_EQ(run(&setting, "variable"), CY_OK);
    CHECK_EQ(setting.told.last.kind, CY_DIFFERENT_WORDS);
    CHECK_EQ(setting.told.last.interpreted, ITEMS * 11);
    CHECK_EQ(setting.told.last.translated, ITEMS * 12);
    CHECK_EQ(setting.told.last.buffer, 0);
    CHECK_EQ(run(&setting, "get"), CY_OK);
    CHECK_EQ(setting.told.count, 1);
    CHECK_EQ(setting.words[0], ITEMS * 11);
    close_setting(&setting);
}

static void test_prints(void)
{
    struct setting setting;
    open_setting(&setting, "engine=verify", true, false);
    CHECK_EQ(run(&setting, "prints"), CY_OK);
    CHECK_EQ(setting.told.count, 1);
    CHECK_EQ(setting.told.last.kind, CY_DIFFERENT_TEXT);
    CHECK(strstr(setting.told.texts[0], "300 12\n") && strstr(setting.told.texts[1], "300 11\n"));
    CHECK(strstr(setting.printed.data, "300 11\n") && !strstr(setting.printed.data, "300 12"));
    size_t lines = 0;
    for (size_t i = 0; i < setting.printed.size; i++)
        lines += setting.printed.data[i] == '\n';
    CHECK_EQ(lines, 10); /* once, not once per run */
    close_setting(&setting);
}

/* The interpreter faults and the translated code does not, and the reverse. */
static void test_faults(void)
{
    for (unsigned i = 0; i < 2; i++) {
        struct setting setting;
        const struct cy_buf first = elfs[0];
        open_setting(&setting, "engine=verify", true, false);
        CHECK_EQ(run(&setting, "faults"), i ? CY_OK : CY_ERROR_FAULT);
        CHECK_EQ(setting.told.count, 1);
        CHECK_EQ(setting.told.last.kind, CY_DIFFERENT_END);
        CHECK(!setting.told.last.depends_on_order);
        CHECK(strstr(setting.told.texts[!i], "without permission") || strstr(setting.told.texts[!i], "unmapped"));
        CHECK(strcmp(setting.told.texts[i], "no fault") == 0);
        close_setting(&setting);
        elfs[0] = elfs[1];
        elfs[1] = first;
    }
}

static void test_counted(void)
{
    struct setting setting;
    struct cy_counters counters;
    open_setting(&setting, "engine=verify", true, false);
    CHECK_EQ(run_counting(&setting, "counts", false, &counters), CY_OK);
    CHECK_EQ(setting.told.count, 0); /* the words are the same */
    CHECK_EQ(run_counting(&setting, "counts", true, &counters), CY_OK);
    CHECK_EQ(setting.told.count, 1);
    CHECK_EQ(setting.told.last.kind, CY_DIFFERENT_COUNTS);
    CHECK(setting.told.last.instructions[0] > setting.told.last.instructions[1]);
    CHECK_EQ(counters.instructions, setting.told.last.instructions[1]);
    CHECK(counters.translated && counters.work_items_translated == ITEMS);
    CHECK_EQ(counters.work_items, ITEMS);
    close_setting(&setting);
}

/* Programs whose results depend on the order are told apart from wrong translations. */
static void test_orders(void)
{
    struct setting setting;
    open_setting(&setting, "engine=verify", true, false);
    CHECK_EQ(run(&setting, "racy"), CY_OK);
    CHECK_EQ(setting.told.count, 1);
    CHECK(setting.told.last.depends_on_order);
    CHECK_EQ(sums_of(&setting).ordered, 1);
    CHECK_EQ(sums_of(&setting).different, 0);
    close_setting(&setting);
    /* the interpreter's own orders are another setting: results of a program that does not depend on them are the same */
    static const char *const orders[] = {"engine=interp", "engine=interp order=1", "engine=interp order=2",
                                         "engine=interp order=12345 sms=1"};
    uint32_t expected[ITEMS + 1];
    for (size_t i = 0; i < CY_COUNT(orders); i++) {
        open_setting(&setting, orders[i], false, false);
        CHECK_EQ(run(&setting, "words"), CY_OK);
        if (!i)
            memcpy(expected, setting.words, sizeof(expected));
        CHECK(memcmp(expected, setting.words, sizeof(expected)) == 0);
        close_setting(&setting);
    }
    uint32_t first[2];
    for (unsigned i = 0; i < 2; i++) {
        open_setting(&setting, i ? "engine=interp order=1 sms=1" : "engine=interp sms=1", false, false);
        CHECK_EQ(run(&setting, "slots"), CY_OK);
        CHECK_EQ(setting.words[0], ITEMS);
        first[i] = setting.words[1];
        close_setting(&setting);
    }
    CHECK(first[0] == 0 && first[1] >= LOCAL);
}

/* ---- which launches ---- */

static void test_every(void)
{
    struct setting setting;
    open_setting(&setting, "engine=verify verify-every=10", false, false);
    for (unsigned i = 0; i < 30; i++)
        CHECK_EQ(run(&setting, "add"), CY_OK);
    CHECK_EQ(sums_of(&setting).verified, 3);
    CHECK_EQ(sums_of(&setting).skipped, 27);
    CHECK_EQ(run(&setting, "words"), CY_OK); /* the first of another kernel */
    CHECK_EQ(sums_of(&setting).verified, 4);
    CHECK_EQ(sums_of(&setting).different, 0);
    CHECK_EQ(setting.told.count, 0);
    CHECK_EQ(setting.words[1], 8);
    close_setting(&setting);
    open_setting(&setting, "engine=verify", false, false);
    for (unsigned i = 0; i < 30; i++)
        CHECK_EQ(run(&setting, "add"), CY_OK);
    CHECK_EQ(setting.words[5], 330);
    CHECK_EQ(sums_of(&setting).verified, 30);
    close_setting(&setting);
    open_setting(&setting, "engine=verify", false, false);
    cy_device_set_translator(setting.device, &(struct cy_translator){0});
    CHECK_EQ(run(&setting, "add"), CY_OK);
    CHECK_EQ(sums_of(&setting).verified, 0);
    CHECK_EQ(sums_of(&setting).interpreted, 1);
    CHECK_EQ(setting.words[5], 11);
    close_setting(&setting);
}

/* Everything that is sound is the same, on any number of SMs and threads. */
static void test_sound(void)
{
    static const char *const kernels[] = {"words", "prints", "counts", "add", "variable", "get", "plain"};
    static const char *const settings[] = {"engine=verify", "engine=verify sms=8 host-threads=3",
                                           "engine=verify threads=8", "engine=verify sms=1 host-threads=1"};
    for (size_t s = 0; s < CY_COUNT(settings); s++) {
        struct setting setting;
        open_setting(&setting, settings[s], false, false);
        for (size_t i = 0; i < CY_COUNT(kernels); i++)
            CHECK_EQ(run_counting(&setting, kernels[i], i % 2, NULL), CY_OK);
        CHECK_EQ(setting.told.count, 0);
        CHECK_EQ(sums_of(&setting).verified, CY_COUNT(kernels));
        close_setting(&setting);
    }
}

/* Launches that others wait for, and one that is cancelled. */
static void test_several(void)
{
    enum { LAUNCHES = 12 };
    struct setting setting;
    struct cy_launch *launches[LAUNCHES];
    open_setting(&setting, "engine=verify", false, false);
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_set_pointer_bytes(arguments, setting.programs[0]->target == CY_GEN1 ? 4 : 8);
    cy_arguments_pointer(arguments, setting.buffer);
    struct cy_launch_desc desc = {.program = setting.programs[0],
                                  .kernel = "add",
                                  .arguments = arguments,
                                  .global = {ITEMS},
                                  .local = {LOCAL},
                                  .independent = true};
    for (unsigned i = 0; i < LAUNCHES; i++)
        CHECK_EQ(cy_launch_start(setting.device, &desc, &launches[i], NULL), CY_OK);
    cy_launch_cancel(launches[LAUNCHES - 1]);
    unsigned done = 0;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        done += cy_launch_wait(launches[i]) == CY_OK;
        cy_launch_release(launches[i]);
    }
    CHECK(done >= LAUNCHES - 1);
    CHECK_EQ(cy_device_read(setting.device, setting.buffer, setting.words, sizeof(setting.words)), CY_OK);
    CHECK_EQ(setting.words[9], 11 * done);
    CHECK_EQ(setting.told.count, 0);
    cy_arguments_destroy(arguments);
    close_setting(&setting);
}

int main(void)
{
    static const char *const generations[] = {"ventus", "ventus-gen2"};
    for (unsigned i = 0; i < 2; i++) {
        compile(source, generations[i]);
        test_words(false);
        if (i)
            test_words(true);
        test_variable();
        test_prints();
        test_faults();
        test_counted();
        test_orders();
        test_every();
        test_sound();
        test_several();
    }
    for (unsigned i = 0; i < 2; i++)
        cy_buf_free(&elfs[i]);
    return test_finish();
}
