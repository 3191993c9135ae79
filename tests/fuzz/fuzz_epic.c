/* EpicGPU on anything at all: the first four bytes choose a machine, the rest is a command stream or, when it is not one,
 * the words of a program.  Whatever it does comes back as a value; the same input does the same twice; and with a single
 * lane it does what the model of tests/epic does, down to the instruction that faults. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "chengying/epic.h"
#include "epic/model.h"

enum { MEMORY_BYTES = 1 << 14, MAX_WORDS = 1 << 14, BUDGET = 3000 };

struct outcome {
    enum cy_epic_status status;
    struct cy_epic_fault fault;
    uint32_t memory[MEMORY_BYTES / 4];
    int32_t depth[MEMORY_BYTES / 4];
    uint64_t issued, frames;
};

struct input {
    struct cy_epic_config config;
    uint32_t blocks;
    const uint32_t *stream;
    size_t count;
    bool wrap; /* the words are a program, not a stream */
};

static bool see_frame(void *user, const struct cy_epic_frame *frame)
{
    uint64_t *frames = user;
    FUZZ_CHECK(frame->number == *frames && frame->address % 4 == 0);
    FUZZ_CHECK(frame->address + frame->width * frame->height * 4 <= MEMORY_BYTES);
    ++*frames;
    return *frames < 100;
}

static void check_stream_error(const struct input *input, const struct cy_epic_stream_error *error)
{
    FUZZ_CHECK(error->word <= input->count);
    FUZZ_CHECK(error->text[0] != 0);
}

static void check_fault(const struct input *input, const struct cy_epic_fault *fault)
{
    FUZZ_CHECK(fault->kind != CY_EPIC_FAULT_NONE);
    FUZZ_CHECK(fault->block < input->blocks && fault->lane < input->config.lanes);
    FUZZ_CHECK(fault->core == fault->block % input->config.cores && fault->pc % 4 == 0);
    FUZZ_CHECK(strstr(fault->text, cy_epic_fault_name(fault->kind)) == fault->text);
}

static bool load(struct cy_epic *gpu, const struct input *input)
{
    static uint32_t wrapped[2 * MAX_WORDS + 2];
    struct cy_epic_stream_error error;
    enum cy_epic_status status;
    if (input->wrap)
        status = cy_epic_load(gpu, wrapped, cy_epic_pack(0, 0, input->stream, input->count, wrapped), &error);
    else
        status = cy_epic_load(gpu, input->stream, input->count, &error);
    FUZZ_CHECK(status == CY_EPIC_OK || (status == CY_EPIC_BAD_STREAM && !input->wrap));
    if (status == CY_EPIC_BAD_STREAM)
        check_stream_error(input, &error);
    return status == CY_EPIC_OK;
}

/* Launches every slot; the outcome is that of the last one that is not empty. */
static void run(const struct input *input, struct outcome *outcome)
{
    struct cy_epic *gpu;
    struct cy_epic_counters counters;
    memset(outcome, 0, sizeof(*outcome));
    outcome->status = CY_EPIC_EMPTY;
    FUZZ_CHECK(cy_epic_create(&input->config, &gpu) == CY_EPIC_OK);
    cy_epic_on_frame(gpu, see_frame, &outcome->frames);
    if (load(gpu, input)) {
        for (unsigned slot = 0; slot < CY_EPIC_PROGRAMS; slot++) {
            struct cy_epic_fault fault;
            const enum cy_epic_status status = cy_epic_launch(gpu, slot, input->blocks, &fault);
            FUZZ_CHECK(status == CY_EPIC_OK || status == CY_EPIC_EMPTY || status == CY_EPIC_FAULT ||
                       status == CY_EPIC_STOPPED);
            if (status == CY_EPIC_FAULT)
                check_fault(input, &fault);
            if (status != CY_EPIC_EMPTY) {
                outcome->status = status;
                outcome->fault = fault;
            }
        }
    }
    FUZZ_CHECK(cy_epic_read(gpu, 0, outcome->memory, MEMORY_BYTES) == CY_EPIC_OK);
    FUZZ_CHECK(cy_epic_read_depth(gpu, 0, outcome->depth, MEMORY_BYTES / 4) == CY_EPIC_OK);
    cy_epic_read_counters(gpu, &counters);
    outcome->issued = counters.issued;
    cy_epic_destroy(gpu);
}

/* The model has neither floating point nor frames. */
static bool model_can(const struct input *input)
{
    if (!input->wrap || input->config.fpga)
        return false;
    for (size_t i = 0; i < input->count; i++)
        if (input->stream[i] >> 29 == 3 || input->stream[i] >> 29 == 6)
            return false;
    return true;
}

static void compare_with_model(const struct input *input)
{
    static struct outcome machine;
    static uint32_t memory[MEMORY_BYTES / 4];
    static int32_t depth[MEMORY_BYTES / 4];
    struct input single = *input;
    single.config.lanes = single.config.cores = single.config.threads = 1;
    single.blocks = 1;
    run(&single, &machine);
    struct model model = {
        .code = input->stream,
        .code_words = (uint32_t)input->count,
        .memory = memory,
        .depth = depth,
        .memory_words = MEMORY_BYTES / 4,
        .lanes = 1,
        .steps_left = BUDGET,
    };
    memset(memory, 0, sizeof(memory));
    for (size_t i = 0; i < MEMORY_BYTES / 4; i++)
        depth[i] = CY_EPIC_DEPTH_FAR;
    const bool ok = model_run(&model, 0);
    FUZZ_CHECK(ok == (machine.status == CY_EPIC_OK));
    FUZZ_CHECK(memcmp(memory, machine.memory, sizeof(memory)) == 0);
    FUZZ_CHECK(memcmp(depth, machine.depth, sizeof(depth)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t words[MAX_WORDS];
    static struct outcome first, second;
    if (size < 8 || size > 4 + sizeof(words))
        return 0;
    struct input input = {
        .config = {.cores = 1 + data[0] % 8u,
                   .lanes = 1 + data[1] % 64u,
                   .memory_bytes = MEMORY_BYTES,
                   .width = 1 + data[2] % 32u,
                   .height = 4,
                   .threads = 1,
                   .watchdog_instructions = BUDGET,
                   .fpga = data[2] & 64,
                   .counters = data[2] & 128},
        .blocks = 1 + data[3] % 16u,
        .stream = words,
        .count = (size - 4) / 4,
        .wrap = data[3] & 128,
    };
    memcpy(words, data + 4, input.count * 4);
    run(&input, &first);
    run(&input, &second);
    FUZZ_CHECK(memcmp(&first, &second, sizeof(first)) == 0);
    if (model_can(&input))
        compare_with_model(&input);
    if (data[0] & 128) { /* whatever the threads do, it must not harm the host */
        input.config.threads = input.config.cores;
        run(&input, &second);
        if (first.status == CY_EPIC_FAULT && second.status == CY_EPIC_FAULT)
            FUZZ_CHECK(second.fault.block < input.blocks);
    }
    return 0;
}
