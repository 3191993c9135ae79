/* Recorded launches: written, read and run, on both generations; what the pair alone does not hold is refused by its reader; folders
 * that are wrong are refused with a message. */
#include "gpu/replay/record.h"

#include "base/file.h"
#include "gpu/device/machine.h"
#include "gpu/replay/replay.h"
#include "gpu_device/guest.h"

#include <unistd.h>

static char folder[512];

/* One word per work-item: a[id] = id + a variable, which the first one counts up; an argument in local memory is read back. */
static const char *const kernel_text =
    GUEST_ID "    lw t1, 4(a0)\n    lw t6, 8(a0)\n    la t2, count\n    lw t3, 0(t2)\n    vsll.vi v1, v0, 2\n    "
             "vadd.vx v2, v1, t0\n"
             "    vid.v v4\n    csrr t5, CSR_TID\n    vadd.vx v4, v4, t5\n    vsll.vi v4, v4, 2\n    vadd.vx v4, v4, "
             "t6\n    vadd.vx v3, v0, t3\n    vadd.vx v3, v3, t1\n    vsw12.v v3, 0(v4)\n    vlw12.v v3, 0(v4)\n"
             "    vsw12.v v3, 0(v2)\n    addi t3, t3, 1\n    barrier x0, x0, 0\n    sw t3, 4(t2)\n" GUEST_END
             "    .data\ncount: .word 1000\n    .word 0\n";
struct machine {
    struct cy_device *device;
    struct cy_program *program;
    struct cy_arguments *arguments;
    struct cy_launch *launch;
    struct cy_record record;
    struct cy_diags diags;
    uint32_t buffer;
    const uint32_t *words;
};

static bool open_machine(struct machine *m, const char *settings, const char *kernel, const char *march)
{
    *m = (struct machine){.device = guest_device(settings), .arguments = cy_arguments_create()};
    m->program = guest_program_for(m->device, kernel, march);
    uint32_t other;
    CHECK_EQ(cy_device_alloc(m->device, 100, 0, &other), CY_OK); /* so that the buffer is not the first */
    CHECK_EQ(cy_device_alloc(m->device, 4096, 0, &m->buffer), CY_OK);
    m->words = cy_device_map(m->device, m->buffer, 4096);
    const uint32_t value = 7;
    cy_arguments_pointer(m->arguments, m->buffer);
    cy_arguments_value(m->arguments, &value, sizeof(value));
    cy_arguments_local(m->arguments, 1024);
    return m->program != NULL;
}

static void close_machine(struct machine *m)
{
    cy_record_free(&m->record);
    cy_launch_release(m->launch);
    cy_arguments_destroy(m->arguments);
    cy_program_release(m->program);
    cy_device_close(m->device);
    if (m->diags.text.size)
        fputs(m->diags.text.data, stderr);
    cy_diags_free(&m->diags);
}

static bool record(struct machine *m, const struct cy_launch_desc *launch)
{
    struct cy_launch_desc desc = *launch;
    desc.program = m->program;
    desc.kernel = "k";
    desc.arguments = m->arguments;
    cy_record_add_memory(&m->record, m->device, m->program);
    guest_launch(m->device, &desc, &m->launch);
    return CHECK(cy_record_of_launch(&m->record, m->launch, &m->diags)) &&
           CHECK(cy_record_set_result(&m->record, m->device, m->launch, "", 0, &m->diags)) &&
           CHECK(cy_record_write(&m->record, folder, &m->diags));
}

static void run_again(const char *fault, uint64_t differences)
{
    for (uint32_t level = 1; cy_engine_level_name(level); level++) {
        struct cy_record again;
        struct cy_diags diags = {0};
        struct cy_record_result result = {0};
        const struct cy_record_settings settings = {.level = cy_engine_level_name(level)};
        if (CHECK(cy_record_read(&again, folder, &diags)) && CHECK(cy_record_run(&again, &settings, &result, &diags))) {
            CHECK_STR(result.fault, fault);
            CHECK_STR(result.level, settings.level);
            CHECK_EQ(result.differences, differences);
            CHECK_EQ(result.first.count, differences);
            CHECK_EQ(result.is_same, !differences);
            CHECK_EQ(result.memory_is_compared, !*fault);
        }
        if (diags.text.size)
            fputs(diags.text.data, stderr);
        cy_record_result_free(&result);
        cy_record_free(&again);
        cy_diags_free(&diags);
    }
}

/* ---- the pair ---- */

static const char *path(const char *name)
{
    static char text[1024];
    snprintf(text, sizeof(text), "%s/%s", folder, name);
    return text;
}

static bool read_pair(struct cy_recording *recording, struct cy_diags *diags)
{
    struct cy_buf metadata = {0}, data = {0};
    CHECK(cy_file_read(path("launch.metadata"), &metadata, diags));
    CHECK(cy_file_read(path("launch.data"), &data, diags));
    const bool ok = cy_recording_read(recording, "launch.metadata", &metadata, "launch.data", &data, diags);
    cy_buf_free(&metadata);
    cy_buf_free(&data);
    return ok;
}

/* The pair alone gives these words, by the recorder's model, which shares neither scheduling nor memory with the device. */
static void check_pair(const struct machine *m, size_t count)
{
    struct cy_diags diags = {0};
    struct cy_recording recording = {0};
    const struct cy_replay_options options = {0};
    struct cy_replay *replay = cy_replay_create(&options, &diags);
    struct cy_replay_counts counts;
    struct cy_buf message = {0};
    CHECK(read_pair(&recording, &diags));
    CHECK(cy_replay_run(replay, &recording, NULL, &counts, &message));
    if (message.size)
        fputs(message.data, stderr);
    CHECK(!memcmp(cy_replay_bytes(replay, m->buffer), m->words, count * sizeof(uint32_t)));
    CHECK(m->words[count - 1] != 0);
    cy_replay_free(replay);
    cy_recording_free(&recording);
    cy_buf_free(&message);
    cy_diags_free(&diags);
}

/* Its reader refuses it; so would others: line by line there is no number, and no number of buffers that could be allocated. */
static void check_marked(const char *why)
{
    struct cy_diags diags = {0};
    struct cy_recording recording = {0};
    struct cy_buf metadata = {0};
    struct cy_record again;
    CHECK(!read_pair(&recording, &diags));
    CHECK(diags.errors == 1 && strstr(diags.text.data, "does not hold all"));
    cy_recording_free(&recording);
    CHECK(cy_record_read(&again, folder, &diags));
    CHECK_STR(again.marked, why);
    cy_record_free(&again);
    CHECK(cy_file_read(path("launch.metadata"), &metadata, &diags));
    const size_t first = strcspn(metadata.data, "\n");
    CHECK(strcspn(metadata.data, "0123456789abcdefABCDEF") > first);
    CHECK(!strncmp(metadata.data + first + 1 + 9 * 27, "7fffffff\n",
                   9)); /* the 28th word: 2 x 13 come before the number */
    cy_buf_free(&metadata);
    cy_diags_free(&diags);
}

static const struct shape {
    struct cy_launch_desc desc;
    size_t words;
    const char *marked; /* "": the pair holds it */
} shapes[] = {
    {{.global = {64}, .local = {32}}, 64, ""},
    {{.global = {64}, .local = {16}}, 64, ""},
    {{.dimensions = 2, .global = {32, 2}, .local = {32, 1}}, 32, ""},
    {{.dimensions = 3, .global = {16, 2, 3}, .local = {16, 1, 1}}, 16, ""},
    {{.global = {50}, .local = {16}}, 50, "partial workgroups"},
    {{.global = {60}, .local = {12}}, 60, "partial warps"},
    {{.global = {64}, .local = {32}, .offset = {3}}, 64, "global offsets"},
    {{.global = {64}, .local = {32}, .print_bytes = 64}, 64, "printf"},
    {{.global = {64}, .local = {32}, .scalar_atomics = true}, 64, "atomics on scalar registers"},
};

static void test_shapes(void)
{
    for (size_t i = 0; i < CY_COUNT(shapes); i++)
        for (unsigned gen = 1; gen <= 2; gen++) {
            struct machine m;
            if (gen == 2 && shapes[i].desc.scalar_atomics)
                continue;
            if (open_machine(&m, "sms=2 threads=16 deterministic=yes", kernel_text, gen == 2 ? "ventus-gen2" : NULL) &&
                record(&m, &shapes[i].desc)) {
                CHECK_EQ(m.words[1], 1008);
                run_again("", 0);
                if (gen == 2 || *shapes[i].marked)
                    check_marked(gen == 2 ? "code of generation 2" : shapes[i].marked);
                else
                    check_pair(&m, shapes[i].words);
            }
            close_machine(&m);
        }
}

/* The second launch finds the variables of the first. */
static void test_variables(void)
{
    struct machine m;
    const struct cy_launch_desc desc = {.global = {32}, .local = {32}};
    if (!open_machine(&m, "sms=1", kernel_text, NULL))
        return;
    uint32_t count;
    CHECK(cy_program_symbol(m.program, "count", &count));
    struct cy_launch_desc first = desc;
    first.program = m.program;
    first.kernel = "k";
    first.arguments = m.arguments;
    CHECK_EQ(guest_launch(m.device, &first, &m.launch), CY_OK);
    cy_launch_release(m.launch);
    *(uint32_t *)(void *)(m.device->memory.base + count) = 2000;
    if (record(&m, &desc)) {
        CHECK_EQ(m.words[3], 2010);
        CHECK_EQ(*(uint32_t *)(void *)(m.device->memory.base + count + 4), 2001);
        run_again("", 0);
    }
    close_machine(&m);
}

static void test_fault(void)
{
    struct machine m;
    const struct cy_launch_desc desc = {.global = {4096}, .local = {32}}; /* beyond the buffer */
    if (open_machine(&m, "sms=1 guards=yes", kernel_text, NULL) && record(&m, &desc)) {
        CHECK_STR(m.record.status, "fault");
        run_again("UNMAPPED", 0);
    }
    close_machine(&m);
}

/* What differs is found, with its argument and place. */
static void test_difference(void)
{
    struct machine m;
    const struct cy_launch_desc desc = {.global = {64}, .local = {32}};
    struct cy_buf after = {0};
    if (open_machine(&m, "sms=1", kernel_text, NULL) && record(&m, &desc)) {
        CHECK(cy_file_read(path("launch.after"), &after, &m.diags));
        char *at = strstr(after.data, "000003f5\n"); /* 1007 + 6 */
        if (CHECK(at != NULL)) {
            memcpy(at, "00000bad", 8);
            CHECK(cy_file_write(path("launch.after"), after.data, after.size, false, &m.diags));
            run_again("", 1);
            struct cy_record again;
            struct cy_record_result result;
            const struct cy_record_settings settings = {0};
            CHECK(cy_record_read(&again, folder, &m.diags) && cy_record_run(&again, &settings, &result, &m.diags));
            CHECK_EQ(result.first.at[0].expected, 0xbad);
            CHECK_EQ(result.first.at[0].got, 1013);
            CHECK_EQ(result.first.at[0].address, m.buffer + 24);
            cy_record_result_free(&result);
            cy_record_free(&again);
        }
        cy_buf_free(&after);
    }
    close_machine(&m);
}

/* ---- memory above 4 GiB; record.py has kernels that access it ---- */

static void test_far(void)
{
    struct machine m;
    const struct cy_launch_desc desc = {.global = {16}, .local = {16}};
    if (open_machine(&m, "sms=1 threads=16", kernel_text, "ventus-gen2")) {
        uint64_t far[3];
        void *shared;
        for (size_t i = 0; i < CY_COUNT(far); i++) {
            CHECK_EQ(cy_device_alloc_far(m.device, 5000, 0, &far[i]), CY_OK);
            CHECK_EQ(cy_device_fill(m.device, far[i] + 4000, &far[i], sizeof(far[i]), 64), CY_OK);
        }
        CHECK_EQ(cy_device_alloc_svm(&m.device, 1, 12345, 0, &shared), CY_OK);
        memset(shared, 0x5a, 12345);
        if (record(&m, &desc)) {
            struct cy_record again;
            unsigned places[2] = {0};
            CHECK(cy_record_read(&again, folder, &m.diags));
            for (size_t i = 0; i < again.memory.count; i++) {
                const struct cy_record_memory *memory = &again.memory.at[i];
                places[0] += !strcmp(memory->place, "far") && memory->before_bytes == 4064;
                if (!strcmp(memory->place, "shared")) {
                    places[1]++;
                    CHECK_EQ(memory->address, (uintptr_t)shared);
                    CHECK_EQ(memory->before_bytes, 12348);
                    CHECK(!memcmp(memory->before, shared, 12345));
                }
            }
            CHECK_EQ(places[0], 3);
            CHECK_EQ(places[1], 1);
            cy_record_free(&again);
            run_again("", 0); /* in this process, where the address of the shared memory is taken */
            check_marked("code of generation 2");
        }
        cy_device_free_svm(&m.device, 1, shared);
    }
    close_machine(&m);
}

/* ---- what is refused ---- */

static const struct wrong {
    const char *file, *from, *to, *message;
} wrongs[] = {
    {"launch.toml", "version = 1", "version = 2", "version"},
    {"launch.toml", "kernel = ", "colonel = ", "no such key"},
    {"launch.toml", "kernel = \"k\"\n", "", "'kernel' of table launch is missing"},
    {"launch.toml", "\n[launch]", "\n[lunch]", "no such table"},
    {"launch.toml", "dimensions = 1", "dimensions = 4", "1 to 3 dimensions"},
    {"launch.toml", "dimensions = 1", "dimensions = 99999999999", "32 bits"},
    {"launch.toml", "local = [32", "local = [0", "is 0 or too large"},
    {"launch.toml", "local = [32", "local = [99999999999", "is 0 or too large"},
    {"launch.toml", "offset = [0, 0, 0]", "offset = [0, 0]", "three numbers"},
    {"launch.toml", "arguments = \"", "arguments = \"f", "two hexadecimal digits"},
    {"launch.toml", "arguments = \"", "arguments = \"0x", "two hexadecimal digits"},
    {"launch.toml", "offset = 8\n", "offset = 4000\n", "outside the argument buffer"},
    {"launch.toml", "kind = \"local\"", "kind = \"global\"", "unknown kind"},
    {"launch.toml", "place = \"near\"", "place = \"../near\"", "unknown place"},
    {"launch.toml", "size = 100\n", "size = 0xffffffffffffffff\n", "not where it can be"},
    {"launch.toml", "size = 100\n", "size = 100\nbefore = 4097\n", "more bytes"},
    {"launch.toml", "address = 0x90001000", "address = 0x90001001", "not where it can be"},
    {"launch.toml", "address = 0x90001000", "address = 0x90000000", "not the memory"},
    {"launch.toml", "after = 256", "after = 4096", "fewer words"},
    {"launch.toml", "threads = 32", "threads = 33", "setting of the machine"},
    {"launch.toml", "constants = 0x9", "constants = 0x1", "driver's memory"},
    {"launch.toml", "version = 1", "version = 1\nmarked = \"no\"", "marked in one file"},
    {"launch.metadata", "\n", "\n\n7\n", "lines are not two per value"},
    {"launch.data", "\n", "\nxyz\n", "hexadecimal"},
    {"launch.after", "\n", "\nxyz\n", "hexadecimal"},
};

/* Replaces the first occurrence; false: there is none. */
static bool replace(struct cy_buf *text, const char *from, const char *to)
{
    const char *at = strstr(text->data, from);
    if (!at)
        return false;
    struct cy_buf changed = {0};
    cy_buf_append(&changed, text->data, (size_t)(at - text->data));
    cy_buf_puts(&changed, to);
    cy_buf_puts(&changed, at + strlen(from));
    cy_buf_free(text);
    *text = changed;
    return true;
}

static void check_wrong(const struct wrong *wrong)
{
    struct cy_diags diags = {0};
    struct cy_buf text = {0}, before = {0};
    struct cy_record again;
    CHECK(cy_file_read(path(wrong->file), &text, &diags));
    cy_buf_append(&before, text.data, text.size);
    if (!CHECK(replace(&text, wrong->from, wrong->to)))
        fprintf(stderr, "no '%s' in %s\n", wrong->from, wrong->file);
    CHECK(cy_file_write(path(wrong->file), text.data, text.size, false, &diags));
    CHECK(!cy_record_read(&again, folder, &diags));
    if (!CHECK(diags.errors == 1 && strstr(diags.text.data, wrong->message)))
        fprintf(stderr, "'%s' for '%s': %s\n", wrong->to, wrong->from, diags.text.size ? diags.text.data : "(read)\n");
    cy_record_free(&again);
    CHECK(cy_file_write(path(wrong->file), before.data, before.size, false, &diags));
    cy_buf_free(&text);
    cy_buf_free(&before);
    cy_diags_free(&diags);
}

static void test_wrong(void)
{
    struct machine m;
    const struct cy_launch_desc desc = {.global = {64}, .local = {32}};
    if (open_machine(&m, "sms=1", kernel_text, NULL) && record(&m, &desc)) {
        for (size_t i = 0; i < CY_COUNT(wrongs); i++)
            check_wrong(&wrongs[i]);
        run_again("", 0);
        for (size_t i = 0; cy_record_file_name(i); i++) {
            struct cy_diags diags = {0};
            struct cy_record again;
            char from[1024], to[1100];
            snprintf(from, sizeof(from), "%s/%s", folder, cy_record_file_name(i));
            snprintf(to, sizeof(to), "%s.gone", from);
            CHECK_EQ(rename(from, to), 0);
            CHECK(!cy_record_read(&again, folder, &diags));
            CHECK_EQ(diags.errors, 1);
            cy_record_free(&again);
            cy_diags_free(&diags);
            CHECK_EQ(rename(to, from), 0);
        }
    }
    close_machine(&m);
}

static void test_page_tables(void)
{
    struct machine m;
    struct cy_space *space;
    if (open_machine(&m, "sms=1", kernel_text, NULL) && CHECK_EQ(cy_space_create(m.device, &space), CY_OK)) {
        struct cy_launch_desc desc = {.program = m.program,
                                      .kernel = "k",
                                      .arguments = m.arguments,
                                      .global = {32},
                                      .local = {32},
                                      .space = space};
        CHECK_EQ(cy_space_map(space, m.buffer, m.buffer, 4096, CY_SPACE_READ | CY_SPACE_WRITE), CY_OK);
        CHECK_EQ(guest_launch(m.device, &desc, &m.launch), CY_OK);
        CHECK(!cy_record_of_launch(&m.record, m.launch, &m.diags));
        CHECK(m.diags.errors == 1 && strstr(m.diags.text.data, "page tables"));
        m.diags.text.size = 0;
        cy_launch_release(m.launch);
        m.launch = NULL;
        cy_space_destroy(space);
    }
    close_machine(&m);
}

int main(void)
{
    const char *directory = getenv("CY_TMP");
    snprintf(folder, sizeof(folder), "%s/launch", directory ? directory : ".");
    test_shapes();
    test_variables();
    test_fault();
    test_difference();
    test_far();
    test_wrong();
    test_page_tables();
    return test_finish();
}
