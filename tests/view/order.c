/* Launches of several queues: one that was enqueued later starts first, and both run at the same time. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "support/test.h"
#include "view/view.h"

static void put_instruction(const struct cy_observers *observers, uint32_t pc)
{
    const struct cy_event event = {.pc = pc, .active = 1};
    observers->before(observers->context, &event);
}

static void check_read(const char *bytes, size_t size)
{
    struct cy_diags diags = {0};
    struct cy_view_summary summary;
    CHECK(cy_view_read("trace", bytes, size, NULL, &summary, &diags));
    CHECK_STR(diags.text.data ? diags.text.data : "", "");
    CHECK_EQ(summary.launches, 2);
    CHECK_EQ(summary.instructions, 3);
    cy_diags_free(&diags);
}

int main(void)
{
    char bytes[65536] = {0};
    struct cy_config config;
    cy_config_default(&config);
    FILE *file = fmemopen(bytes, sizeof(bytes), "w");
    struct cy_view_writer *writer = cy_view_open(file, &config, NULL, 100);
    const struct cy_view_info info = {.key = &config, .name = "x.cl", .elf = "", .kernel = "k"};
    struct cy_view_launch *first = cy_view_begin(writer, &info), *second = cy_view_begin(writer, &info);
    const struct cy_observers early = cy_view_observers(first, NULL), late = cy_view_observers(second, NULL);
    const struct cy_launch_shape shape = {
        .sms = 1, .host_sms = 1, .warps = 1, .threads = 4, .group_warps = 1, .grid = {1, 1, 1}, .resident_groups = 1};
    late.launch(late.context, &shape);
    early.launch(early.context, &shape);
    put_instruction(&early, 0x80000000);
    put_instruction(&late, 0x80000000);
    put_instruction(&early, 0x80000004);
    cy_view_end(first, UINT64_MAX, "");
    cy_view_end(second, UINT64_MAX, "");
    CHECK(cy_view_close(writer));
    const long size = ftell(file);
    fclose(file);
    check_read(bytes, (size_t)size);
    return test_finish();
}
