/* Out of memory while a launch is recorded for the viewer: the trace is then of no use and its writer says so, and nothing is lost. */
#define _GNU_SOURCE
#include "support/oom.h"

#include "chengying/asm.h"
#include "support/test.h"
#include "view/view.h"

struct scenario {
    struct cy_asm_result program;
    FILE *file;
    char buffer[4096];
    struct cy_config config;
    struct cy_timing_config timing;
};

/* A warp that diverges, loads a word per lane, and waits a little, as the machine and the model report it. */
static void drive(struct cy_view_launch *launch)
{
    const struct cy_simt_entry stack[2] = {{0x80000020, 0x80000020, 0xff}, {0x80000020, 0x80000010, 0xf0}};
    const struct cy_launch_shape shape = {
        .sms = 1, .warps = 2, .threads = 8, .host_sms = 1, .grid = {2, 1, 1}, .group_warps = 1, .resident_groups = 2};
    const struct cy_observers observers = cy_view_observers(launch, NULL);
    const struct cy_timing_events events = cy_view_events(launch, NULL);
    uint64_t address[8];
    for (unsigned lane = 0; lane < 8; lane++)
        address[lane] = 0x90000000u + 4 * (lane ^ 3);
    observers.launch(observers.context, &shape);
    for (uint32_t group = 0; group < 2; group++) {
        const uint32_t id[3] = {group, 0, 0};
        for (uint32_t step = 0; step < 2000; step++) {
            const bool apart = step % 16 > 8;
            struct cy_event event = {.workgroup = {group},
                                     .number = group,
                                     .lanes = 8,
                                     .pc = 0x80000000u + 4 * (step % 16),
                                     .active = apart ? 0x0f : 0xff,
                                     .depth = apart ? 2 : 0,
                                     .stack = stack};
            const struct cy_memory_event access = {.read = true, .size = 4, .lanes = event.active, .address = address};
            const struct cy_timing_event cycles[] = {
                {.begin = 8 * step,
                 .end = 8 * step + 7,
                 .group = group,
                 .ordinal = step,
                 .stall = CY_STALL_MEMORY,
                 .slot = group},
                {.begin = 8 * step + 7, .end = 8 * step + 8, .group = group, .ordinal = step, .slot = group}};
            observers.before(observers.context, &event);
            if (step % 4 == 0)
                observers.memory(observers.context, &event, &access);
            for (size_t i = 0; i < CY_COUNT(cycles); i++)
                events.cycles(events.context, &cycles[i]);
        }
        observers.workgroup_end(observers.context, 0, id);
    }
}

static void record(void *context, bool failing)
{
    struct scenario *scenario = context;
    const long live = oom_live();
    const struct cy_view_buffer buffer = {"in", 0x90000000u, 32};
    const struct cy_view_info info = {.key = scenario,
                                      .name = "k.s",
                                      .elf = scenario->program.object,
                                      .elf_size = scenario->program.object_size,
                                      .kernel = "k",
                                      .buffers = &buffer,
                                      .buffer_count = 1};
    rewind(scenario->file);
    struct cy_view_writer *writer = cy_view_open(scenario->file, &scenario->config, &scenario->timing, 100000);
    if (!writer) {
        CHECK(failing);
        CHECK_EQ(oom_live(), live);
        return;
    }
    struct cy_view_launch *launch = cy_view_begin(writer, &info);
    if (launch) {
        drive(launch);
        cy_view_end(launch, 16000, "");
    }
    const bool ok = cy_view_close(writer);
    CHECK(ok || (failing && errno == 0));
    CHECK(!ok || launch);
    CHECK_EQ(oom_live(), live);
    if (!ok || failing)
        return;
    const long size = ftell(scenario->file);
    struct cy_buf bytes = {0};
    struct cy_diags diags = {0};
    struct cy_view_summary summary;
    cy_buf_reserve(&bytes, (size_t)size);
    rewind(scenario->file);
    CHECK_EQ(fread(bytes.data, 1, (size_t)size, scenario->file), (size_t)size);
    CHECK(cy_view_read("a.cytrace", bytes.data, (size_t)size, NULL, &summary, &diags));
    CHECK_EQ(summary.instructions, 4000);
    CHECK_EQ(summary.warps, 2);
    cy_buf_free(&bytes);
    cy_diags_free(&diags);
}

static void test_recording(void)
{
    static struct scenario scenario;
    static const char text[] = "k:\n    nop\n    endprg\n";
    cy_config_default(&scenario.config);
    cy_timing_config_default(&scenario.timing);
    if (!CHECK(cy_asm("k.s", text, strlen(text), NULL, &scenario.program)) || !CHECK(scenario.file = tmpfile()))
        return;
    setvbuf(scenario.file, scenario.buffer, _IOFBF, sizeof(scenario.buffer));
    oom_each(record, &scenario);
    fclose(scenario.file);
    cy_asm_result_free(&scenario.program);
}

TEST_MAIN(test_recording)
