/* Out of memory while a recording is read and replayed. */
#define _GNU_SOURCE
#include "support/oom.h"

#include "chengying/asm.h"
#include "gpu/replay/replay.h"
#include "support/test.h"

#define CODE 0x80000000u
#define DATA 0x90000000u

/* Two warps: each adds 1 to its word. */
static const char *const text = "    csrr t0, CSR_WID\n    slli t0, t0, 2\n    li t1, 0x90000000\n    add t0, t0, t1\n"
                                "    lw t2, 0(t0)\n    addi t2, t2, 1\n    sw t2, 0(t0)\n    endprg\n";

struct files {
    struct cy_buf metadata, data;
};

static void put(struct cy_buf *out, uint64_t value)
{
    cy_buf_printf(out, "%08x\n%08x\n", (uint32_t)value, (uint32_t)(value >> 32));
}

static bool record(struct files *files)
{
    struct cy_asm_result result;
    struct cy_object object;
    struct cy_diags diags = {0};
    if (!CHECK(cy_asm("replay.s", text, strlen(text), NULL, &result)) ||
        !CHECK(cy_object_read(&object, "replay.o", result.object, result.object_size, &diags)))
        return false;
    const struct cy_buf *code = &cy_object_find_section(&object, ".text")->data;
    const uint64_t launch[] = {CODE, 0, 1, 1, 1, 8, 2, DATA, 4096, 0, 16, 16, 0x70000000, 2};
    for (size_t i = 0; i < CY_COUNT(launch); i++)
        put(&files->metadata, launch[i]);
    const uint64_t buffers[] = {CODE, DATA, code->size, 8, code->size, 4096};
    for (size_t i = 0; i < CY_COUNT(buffers); i++)
        put(&files->metadata, buffers[i]);
    for (size_t i = 0; i < code->size; i += 4) {
        uint32_t word;
        memcpy(&word, code->data + i, 4);
        cy_buf_printf(&files->data, "%08x\n", word);
    }
    cy_buf_printf(&files->data, "%08x\n%08x\n", 41, 99);
    cy_object_free(&object);
    cy_asm_result_free(&result);
    return true;
}

static void check_lack(const char *message, bool failing)
{
    CHECK(failing && (!message || strstr(message, "memory")));
    oom_disarm();
}

static void replay_once(void *context, bool failing)
{
    const struct files *files = context;
    long live = oom_live();
    struct cy_diags diags = {0};
    struct cy_recording recording;
    struct cy_replay_options options = {.checking = true};
    struct cy_replay_counts counts;
    struct cy_buf message = {0};
    if (!cy_recording_read(&recording, "metadata", &files->metadata, "data", &files->data, &diags)) {
        check_lack(diags.text.data, failing);
        cy_diags_free(&diags);
        CHECK(cy_recording_read(&recording, "metadata", &files->metadata, "data", &files->data, &diags));
    }
    struct cy_replay *replay = cy_replay_create(&options, &diags);
    if (!replay) {
        check_lack(diags.text.data, failing);
        replay = cy_replay_create(&options, &diags);
    }
    if (!CHECK(replay))
        return;
    if (!cy_replay_run(replay, &recording, NULL, &counts, &message)) {
        check_lack(message.data, failing);
        CHECK(cy_replay_run(replay, &recording, NULL, &counts, &message));
    }
    CHECK_EQ(counts.workgroups, 1);
    uint32_t words[2];
    memcpy(words, cy_replay_bytes(replay, DATA), sizeof(words));
    CHECK_EQ(words[0], 42);
    CHECK_EQ(words[1], 100);
    cy_replay_free(replay);
    cy_recording_free(&recording);
    cy_buf_free(&message);
    cy_diags_free(&diags);
    CHECK_EQ(oom_live(), live);
}

static void test_replay(void)
{
    struct files files = {0};
    if (record(&files))
        oom_each(replay_once, &files);
    cy_buf_free(&files.metadata);
    cy_buf_free(&files.data);
}

TEST_MAIN(test_replay)
