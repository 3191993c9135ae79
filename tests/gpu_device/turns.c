/* Time-sliced launches: each has the same result as alone, however often it was suspended. */
#include "gpu/device/machine.h"

#include "cc/driver/driver.h"
#include "guest.h"

enum { PROGRAMS = 3, LAUNCHES = 9, ITEMS = 512, LOCAL = 64 };

/* Local memory with barriers, private memory, local arguments, printing, a variable of the program. */
static const char source[] =
    "global uint total;\n"
    "kernel void mix(global uint *out, local uint *more, uint seed, uint rounds)\n"
    "{\n"
    "    local uint tile[64];\n"
    "    uint mine[16] = {0};\n"
    "    uint id = get_local_id(0), x = seed + get_global_id(0) * 2654435761u;\n"
    "    for (uint r = 0; r < rounds; r++) {\n"
    "        tile[id] = x;\n"
    "        more[63 - id] = x ^ r;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        x = x * 1664525u + tile[(id + r) & 63] + more[(id * 7 + r) & 63] + FACTOR;\n"
    "        mine[x >> 28] += x;\n"
    "        if (x & 64) x ^= x >> 7;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    for (uint i = 0; i < 16; i++) x = x * 31 + mine[i];\n"
    "    out[get_global_id(0)] = x;\n"
    "    atomic_add(&total, x);\n"
    "    if (get_global_id(0) % 100 == 0) printf(\"%u: %u\\n\", (uint)get_global_id(0), x);\n"
    "}\n"
    "kernel void get(global uint *out) { *out = total; }\n"
    "kernel void forever(global volatile uint *out) { while (*out == 0) ; }\n"
    "kernel void hoard(global uint *out)\n"
    "{\n"
    "    uint mine[2000];\n"
    "    uint x = get_global_id(0);\n"
    "    for (uint i = 0; i < 400; i++) { mine[x % 2000] = x ^ i; x = x * 1664525u + mine[(x >> 9) % 2000 & i]; }\n"
    "    out[get_global_id(0)] = 7;\n"
    "}\n";

static struct cy_buf elfs[PROGRAMS];

static void compile(void)
{
    char library[4096], helpers[4096];
    snprintf(library, sizeof(library), "%s/lib/ventus", test_env("CY_BUILD"));
    snprintf(helpers, sizeof(helpers), "%s/lib/chengying", test_env("CY_BUILD"));
    struct cc_driver driver = {.helpers = helpers, .library_dir = library, .no_cache = true};
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char factor[32];
        const char *args[] = {factor, "-cl-std=CL3.0"};
        struct cy_cc_options options = {.optimize = 2, .args = args, .arg_count = 2, .library_dir = library};
        struct cy_cc_result result;
        snprintf(factor, sizeof(factor), "-DFACTOR=%uu", i * 1000 + 1);
        if (!CHECK(cc_drive(&driver, "turns.cl", source, strlen(source), &options, &result))) {
            fputs(result.log, stderr);
            exit(test_finish());
        }
        cy_buf_append(&elfs[i], result.elf, result.elf_size);
        cy_cc_result_free(&result);
    }
}

static void load(struct cy_device *device, struct cy_program *programs[PROGRAMS])
{
    for (unsigned i = 0; i < PROGRAMS; i++)
        CHECK_EQ(cy_program_load(device, "turns", elfs[i].data, elfs[i].size, &programs[i], NULL), CY_OK);
}

/* ---- many at once ---- */

struct outcome {
    uint32_t out[ITEMS];
    struct cy_buf printed;
    struct cy_counters counters;
};

static void print(void *context, const char *text, size_t size)
{
    cy_buf_append(context, text, size);
}

/* All launches, one after the other or concurrently; then the programs' variables go to `totals`. */
static void run_all(const char *settings, bool independent, struct outcome outcomes[LAUNCHES],
                    uint32_t totals[PROGRAMS])
{
    struct cy_device *device = guest_device(settings);
    struct cy_program *programs[PROGRAMS];
    struct cy_launch *launches[LAUNCHES];
    uint32_t buffers[LAUNCHES];
    device->turn_ns = device->later_turn_ns = 0; /* as often as possible */
    load(device, programs);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        struct cy_arguments *arguments = cy_arguments_create();
        uint32_t numbers[] = {i * 77, 10 + i * 5};
        memset(&outcomes[i], 0, sizeof(outcomes[i]));
        CHECK_EQ(cy_device_alloc(device, sizeof(outcomes[i].out), 0, &buffers[i]), CY_OK);
        cy_arguments_pointer(arguments, buffers[i]);
        cy_arguments_local(arguments, LOCAL * 4);
        cy_arguments_aligned(arguments, &numbers[0], 4, 4);
        cy_arguments_aligned(arguments, &numbers[1], 4, 4);
        struct cy_launch_desc desc = {.program = programs[i % PROGRAMS],
                                      .kernel = "mix",
                                      .arguments = arguments,
                                      .global = {ITEMS - i},
                                      .local = {LOCAL},
                                      .print = print,
                                      .print_context = &outcomes[i].printed,
                                      .count_lanes = true,
                                      .independent = independent};
        CHECK_EQ(cy_launch_start(device, &desc, &launches[i], NULL), CY_OK);
        cy_arguments_destroy(arguments);
    }
    for (unsigned i = 0; i < LAUNCHES; i++) {
        if (!CHECK_EQ(cy_launch_wait(launches[i]), CY_OK))
            fputs(cy_launch_message(launches[i]), stderr);
        cy_launch_counters(launches[i], &outcomes[i].counters);
        CHECK_EQ(cy_device_read(device, buffers[i], outcomes[i].out, sizeof(outcomes[i].out)), CY_OK);
        cy_launch_release(launches[i]);
    }
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct cy_arguments *arguments = cy_arguments_create();
        struct cy_launch *launch;
        cy_arguments_pointer(arguments, buffers[0]);
        struct cy_launch_desc desc = {
            .program = programs[i], .kernel = "get", .arguments = arguments, .global = {1}, .local = {1}};
        CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
        CHECK_EQ(cy_device_read(device, buffers[0], &totals[i], 4), CY_OK);
        cy_launch_release(launch);
        cy_arguments_destroy(arguments);
        cy_program_release(programs[i]);
    }
    cy_device_close(device);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* SMs print in any order. */
static unsigned sorted_lines(struct cy_buf *text, char *lines[64])
{
    unsigned count = 0;
    for (char *line = strtok(text->data, "\n"); line && count < 64; line = strtok(NULL, "\n"))
        lines[count++] = line;
    qsort(lines, count, sizeof(lines[0]), compare_lines);
    return count;
}

static void check_same(struct outcome *a, struct outcome *b)
{
    CHECK(memcmp(a->out, b->out, sizeof(a->out)) == 0);
    CHECK_EQ(a->counters.instructions, b->counters.instructions);
    CHECK_EQ(a->counters.workgroups, b->counters.workgroups);
    CHECK_EQ(a->counters.warps, b->counters.warps);
    CHECK_EQ(a->counters.work_items, b->counters.work_items);
    CHECK_EQ(a->counters.barriers, b->counters.barriers);
    CHECK_EQ(a->counters.prints, b->counters.prints);
    CHECK_EQ(a->counters.prints_dropped, 0);
    CHECK_EQ(a->counters.resident_workgroups, b->counters.resident_workgroups);
    CHECK(memcmp(&a->counters.lanes, &b->counters.lanes, sizeof(a->counters.lanes)) == 0);
    char *lines[2][64];
    unsigned count = sorted_lines(&a->printed, lines[0]);
    CHECK_EQ(sorted_lines(&b->printed, lines[1]), count);
    for (unsigned i = 0; i < count; i++)
        CHECK_STR(lines[0][i], lines[1][i]);
    CHECK(count >= 5);
    cy_buf_free(&a->printed);
    cy_buf_free(&b->printed);
}

static void test_together(void)
{
    static const char *const machines[] = {
        "sms=4 host-threads=4 slice=20",
        "sms=4 host-threads=2 slice=5",
        "sms=1 host-threads=1 slice=20",
        "sms=3 threads=8 warps=16",
        "sms=2 threads=16 deterministic=yes slice=20",
    };
    static struct outcome alone[LAUNCHES], together[LAUNCHES];
    for (unsigned m = 0; m < CY_COUNT(machines); m++) {
        uint32_t totals[2][PROGRAMS];
        run_all(machines[m], false, alone, totals[0]);
        run_all(machines[m], true, together, totals[1]);
        for (unsigned i = 0; i < LAUNCHES; i++)
            check_same(&alone[i], &together[i]);
        CHECK(memcmp(totals[0], totals[1], sizeof(totals[0])) == 0);
    }
}

/* ---- one that does not end ---- */

static struct cy_launch *start(struct cy_device *device, struct cy_program *program, const char *kernel,
                               uint32_t buffer, uint32_t items, bool independent)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch = NULL;
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = kernel,
                                  .arguments = arguments,
                                  .global = {items},
                                  .local = {items < 32 ? items : 32},
                                  .independent = independent};
    CHECK_EQ(cy_launch_start(device, &desc, &launch, NULL), CY_OK);
    cy_arguments_destroy(arguments);
    return launch;
}

/* Short ones overtake it, one that depends on the order does not; cancelled while it is suspended, and by closing. */
static void test_endless(void)
{
    static const char *const machines[] = {"sms=4 host-threads=4", "sms=1 host-threads=1", "deterministic=yes"};
    for (unsigned m = 0; m < CY_COUNT(machines); m++) {
        struct cy_device *device = guest_device(machines[m]);
        struct cy_program *programs[PROGRAMS];
        struct cy_launch *endless[5];
        uint32_t zero, out;
        load(device, programs);
        CHECK_EQ(cy_device_alloc(device, 4, 0, &zero), CY_OK);
        CHECK_EQ(cy_device_alloc(device, 4096, 0, &out), CY_OK);
        for (unsigned i = 0; i < CY_COUNT(endless); i++)
            endless[i] = start(device, programs[i % 2], "forever", zero, i % 2 ? 1 : 4096, true);
        for (unsigned i = 0; i < 10; i++) {
            struct cy_launch *launch = start(device, programs[i % PROGRAMS], "get", out, 1, true);
            CHECK_EQ(cy_launch_wait(launch), CY_OK);
            cy_launch_release(launch);
        }
        for (unsigned i = 0; i < CY_COUNT(endless); i++)
            CHECK_EQ(cy_launch_poll(endless[i]), CY_RUNNING);
        struct cy_launch *ordered = start(device, programs[2], "get", out, 1, false);
        struct cy_launch *behind = start(device, programs[2], "get", out, 1, true);
        for (unsigned i = 0; i < 3; i++) {
            CHECK_EQ(cy_launch_poll(ordered), CY_RUNNING);
            cy_launch_cancel(endless[i]);
            CHECK_EQ(cy_launch_wait(endless[i]), CY_ERROR_CANCELLED);
        }
        CHECK_EQ(cy_launch_poll(ordered), CY_RUNNING);
        if (m == 0) {
            cy_device_close(device); /* with one that runs, one that is suspended and two that have not begun */
            CHECK_EQ(cy_launch_wait(ordered), CY_ERROR_CANCELLED);
        } else {
            uint32_t *flag = cy_device_map(device, zero, 4);
            __atomic_store_n(flag, 1, __ATOMIC_RELEASE); /* as the kernels read it */
            CHECK_EQ(cy_launch_wait(ordered), CY_OK);
            CHECK_EQ(cy_launch_wait(behind), CY_OK);
        }
        for (unsigned i = 3; i < CY_COUNT(endless); i++)
            CHECK_EQ(cy_launch_wait(endless[i]), m ? CY_OK : CY_ERROR_CANCELLED);
        for (unsigned i = 0; i < CY_COUNT(endless); i++)
            cy_launch_release(endless[i]);
        cy_launch_release(ordered);
        cy_launch_release(behind);
        for (unsigned i = 0; i < PROGRAMS; i++)
            cy_program_release(programs[i]);
        if (m)
            cy_device_close(device);
    }
}

/* The watchdog counts the time for which a launch had the device. */
static void test_watchdog(void)
{
    struct cy_device *device = guest_device("sms=1 host-threads=1 watchdog-instructions=2000000");
    struct cy_program *programs[PROGRAMS];
    struct cy_launch *endless[4];
    uint32_t zero;
    load(device, programs);
    CHECK_EQ(cy_device_alloc(device, 4, 0, &zero), CY_OK);
    for (unsigned i = 0; i < CY_COUNT(endless); i++)
        endless[i] = start(device, programs[0], "forever", zero, 1, true);
    for (unsigned i = 0; i < CY_COUNT(endless); i++) {
        CHECK_EQ(cy_launch_wait(endless[i]), CY_ERROR_FAULT);
        CHECK_STR(cy_launch_fault(endless[i])->kind, cy_fault_name(CY_FAULT_WATCHDOG));
        cy_launch_release(endless[i]);
    }
    for (unsigned i = 0; i < PROGRAMS; i++)
        cy_program_release(programs[i]);
    cy_device_close(device);
}

/* Private memory for one at a time: the next begins when there is enough again, and gets as much as when alone. */
static void test_memory(void)
{
    struct cy_device *device = guest_device("sms=2 host-threads=2 memory=24M");
    struct cy_program *programs[PROGRAMS];
    struct cy_launch *launches[4];
    struct cy_counters first, counters;
    uint32_t out, fives[2048];
    device->turn_ns = device->later_turn_ns = 0;
    load(device, programs);
    CHECK_EQ(cy_device_alloc(device, sizeof(fives), 0, &out), CY_OK);
    for (unsigned i = 0; i < CY_COUNT(launches); i++)
        launches[i] = start(device, programs[i % PROGRAMS], "hoard", out, 2048, true);
    for (unsigned i = 0; i < CY_COUNT(launches); i++) {
        if (!CHECK_EQ(cy_launch_wait(launches[i]), CY_OK))
            fputs(cy_launch_message(launches[i]), stderr);
        cy_launch_counters(launches[i], i ? &counters : &first);
        if (i)
            CHECK_EQ(counters.resident_workgroups, first.resident_workgroups);
        cy_launch_release(launches[i]);
    }
    CHECK(first.resident_workgroups > 0);
    CHECK_EQ(cy_device_read(device, out, fives, sizeof(fives)), CY_OK);
    for (unsigned i = 0; i < CY_COUNT(fives); i++)
        CHECK_EQ(fives[i], 7);
    for (unsigned i = 0; i < PROGRAMS; i++)
        cy_program_release(programs[i]);
    cy_device_close(device);
}

int main(void)
{
    compile();
    test_together();
    test_endless();
    test_watchdog();
    test_memory();
    for (unsigned i = 0; i < PROGRAMS; i++)
        cy_buf_free(&elfs[i]);
    return test_finish();
}
