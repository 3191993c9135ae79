/* Any words as a kernel on the whole device: nothing may crash, hang or touch host memory, and a run that is watched gives
 * the same memory, end and report as one that is not.
 *
 * Byte 0 chooses lanes, generation and options, byte 1 the work-items, the rest is code: as it stands, or (bit 7 of byte
 * 1) six bytes per instruction, a row of the tables and its free bits, so that most words are instructions.  A preamble
 * puts addresses worth using into registers. */
#include "chengying/asm.h"
#include "chengying/device.h"
#include "fuzz/fuzz.h"
#include "isa/isa.h"
#include "obj/obj.h"

#include <string.h>

enum { BUFFER_BYTES = 8192, MAX_WORDS = 2000 };

static const char preamble[] =
    "    lw t0, 0(a0)\n    csrr t1, 0x806\n    csrr t2, 0x803\n    auipc t3, 0\n    li t4, 64\n    li t5, -1\n"
    "    addi sp, t1, 16\n    mv a1, t0\n    addi a2, t0, 256\n    li a3, 3\n"
    "    vid.v v1\n    vsll.vi v2, v1, 2\n    vadd.vx v3, v2, t0\n    vadd.vx v4, v2, t1\n"
    "    vmul.vx v5, v1, a3\n    vmv.v.x v6, t5\n    vmv.v.x v7, t0\n    vadd.vx v8, v1, t0\n"
    "    vand.vi v9, v1, 1\n    vmv.v.i v10, 8\n    vadd.vi v0, v1, 5\n"
    "    setrpc zero, t3, 160\n";

struct outcome {
    enum cy_status status;
    char report[2048];
    uint8_t memory[BUFFER_BYTES];
};

static void append_code(struct cy_buf *text, enum cy_target target, const uint8_t *data, size_t size, bool rows)
{
    if (!rows) {
        cy_buf_append(text, data, size & ~(size_t)3);
        return;
    }
    for (size_t at = 0; at + 6 <= size; at += 6) {
        uint16_t number;
        uint32_t word;
        memcpy(&number, data + at, 2);
        memcpy(&word, data + at + 2, 4);
        const struct cy_insn_info *row = &cy_insns[1 + number % (CY_OP_COUNT - 1)];
        uint32_t mask = cy_formats[row->format].mask;
        if (row->gens & (target == CY_GEN1 ? CY_IN_GEN1 : CY_IN_GEN2))
            word = (word & ~mask) | row->match;
        cy_buf_append(text, &word, 4);
    }
}

static bool build(enum cy_target target, const uint8_t *data, size_t size, bool rows, struct cy_buf *elf)
{
    struct cy_asm_options options = {.march = target == CY_GEN1 ? "ventus" : "ventus-gen2"};
    struct cy_asm_result result;
    struct cy_diags diags = {0};
    struct cy_object head, object = {0};
    FUZZ_CHECK(cy_asm("preamble", preamble, sizeof(preamble) - 1, &options, &result));
    FUZZ_CHECK(cy_object_read(&head, "preamble", result.object, result.object_size, &diags));
    object.type = CY_ET_EXEC;
    object.machine = CY_EM_RISCV;
    object.flags = target == CY_GEN2 ? CY_EF_VENTUS_GEN2 : 0;
    object.entry = 0x80000000u;
    struct cy_section *text =
        cy_object_add_section(&object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR | CY_SHF_WRITE);
    const struct cy_section *code = cy_object_find_section(&head, ".text");
    static const uint32_t start[] = {0x803022f3, 0x0042a503}; /* csrr t0, knl; lw a0, 4(t0) */
    static const uint32_t end[] = {0x0000400b, 0x0000400b, 0x0000400b};
    cy_buf_append(&text->data, start, sizeof(start));
    cy_buf_append(&text->data, code->data.data, code->data.size);
    append_code(&text->data, target, data, size, rows);
    cy_buf_append(&text->data, end, sizeof(end));
    text->size = (uint32_t)text->data.size;
    text->address = 0x80000000u;
    text->align = 4;
    *cy_vec_push(&object.symbols) = (struct cy_symbol){.name = "k",
                                                       .value = 0x80000000u,
                                                       .size = text->size,
                                                       .section = 1,
                                                       .binding = CY_STB_GLOBAL,
                                                       .type = CY_STT_FUNC};
    cy_object_write(&object, elf);
    cy_object_free(&object);
    cy_object_free(&head);
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
    return true;
}

/* Reads what the events provide, so that a sanitizer checks that it exists. */
static void on_retired(void *context, const struct cy_event *event)
{
    uint64_t *sum = context;
    *sum +=
        event->x[event->pc / 4 % 64] + event->v[event->word % 256 * event->lanes] + (unsigned char)event->mnemonic[0];
}
static void on_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    uint64_t *sum = context;
    FUZZ_CHECK(access->lanes <= (event->lanes == 64 ? UINT64_MAX : (1ull << event->lanes) - 1));
    for (uint64_t left = access->lanes; left; left &= left - 1)
        *sum += access->address[__builtin_ctzll(left)] + access->value[__builtin_ctzll(left)];
}
static void on_branch(void *context, const struct cy_event *event, uint64_t taken)
{
    (void)context;
    FUZZ_CHECK((taken & ~event->active) == 0);
}

static void run(const struct cy_buf *elf, const uint8_t *data, bool watched, struct outcome *outcome)
{
    static const uint32_t lanes[] = {4, 8, 16, 32, 64, 8, 32, 4};
    struct cy_config config;
    struct cy_device *device;
    struct cy_program *program;
    struct cy_launch *launch;
    struct cy_space *space = NULL;
    uint32_t buffer;
    uint64_t sum = 0;
    cy_config_default(&config);
    config.sms = 2;
    config.threads = lanes[data[0] & 7];
    config.deterministic = true;
    config.watchdog_instructions = 20000;
    config.slice_instructions = 100;
    config.guards = true;
    config.checking = !(data[0] & 16);
    config.mask = data[0] & 32 ? CY_MASK_LANE : CY_MASK_PACKED;
    FUZZ_CHECK(cy_device_open(&config, &device, NULL) == CY_OK);
    FUZZ_CHECK(cy_program_load(device, "fuzz", elf->data, elf->size, &program, NULL) == CY_OK);
    FUZZ_CHECK(cy_device_alloc(device, BUFFER_BYTES, 0, &buffer) == CY_OK);
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, buffer);
    cy_arguments_local(arguments, 64);
    if (data[0] & 128) {
        FUZZ_CHECK(cy_space_create(device, &space) == CY_OK);
        FUZZ_CHECK(cy_space_map(space, buffer, buffer, BUFFER_BYTES, 3) == CY_OK);
    }
    struct cy_observers observers = {.context = &sum, .retired = on_retired, .memory = on_memory, .branch = on_branch};
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {1u + (data[1] & 63)},
                                  .local = {config.threads * 2},
                                  .scalar_atomics = data[0] & 64,
                                  .space = space,
                                  .observers = watched ? &observers : NULL};
    FUZZ_CHECK(cy_launch_start(device, &desc, &launch, NULL) == CY_OK);
    outcome->status = cy_launch_wait(launch);
    FUZZ_CHECK(outcome->status == CY_OK || outcome->status == CY_ERROR_FAULT);
    snprintf(outcome->report, sizeof(outcome->report), "%s", cy_launch_message(launch));
    FUZZ_CHECK(cy_device_read(device, buffer, outcome->memory, BUFFER_BYTES) == CY_OK);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_space_destroy(space);
    cy_program_release(program);
    cy_device_close(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome alone, watched;
    struct cy_buf elf = {0};
    if (size < 2)
        return 0;
    enum cy_target target = data[0] & 8 ? CY_GEN2 : CY_GEN1;
    size_t length = size - 2 < 4 * MAX_WORDS ? size - 2 : 4 * MAX_WORDS;
    if (build(target, data + 2, length, data[1] & 128, &elf)) {
        run(&elf, data, false, &alone);
        run(&elf, data, true, &watched);
        if (alone.status != watched.status || strcmp(alone.report, watched.report) != 0)
            fprintf(stderr, "alone: %s\nwatched: %s\n", alone.report, watched.report);
        FUZZ_CHECK(alone.status == watched.status);
        FUZZ_CHECK(strcmp(alone.report, watched.report) == 0);
        FUZZ_CHECK(memcmp(alone.memory, watched.memory, BUFFER_BYTES) == 0);
    }
    cy_buf_free(&elf);
    return 0;
}
