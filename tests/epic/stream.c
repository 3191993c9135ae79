/* Command streams, good and bad. */
#include "epic/gpu.h"

/* A program that stores `value` at `address` and ends. */
static void store_program(struct code *code, uint32_t address, int value)
{
    code->count = 0;
    load_value(code, 10, address);
    emit(code, i_type(ADD, 11, 0, value));
    emit(code, sw(11, 10));
    emit(code, EXIT);
}

static uint32_t run_slot(struct cy_epic *gpu, unsigned slot, uint32_t address)
{
    const uint32_t before = 0xdeadbeef;
    struct cy_epic_fault fault;
    CHECK_EQ(cy_epic_write(gpu, address, &before, 4), CY_EPIC_OK);
    if (!CHECK_EQ(cy_epic_launch(gpu, slot, 1, &fault), CY_EPIC_OK))
        fprintf(stderr, "%s\n", fault.text);
    return read_word(gpu, address);
}

/* Eight programs in one stream, at the far ends of instruction memory too; don't-care bits are ignored. */
static void test_all_slots(void)
{
    struct cy_epic *gpu = make_gpu(NULL);
    uint32_t stream[2048];
    size_t count = 0;
    struct code code;
    for (unsigned slot = 0; slot < 8; slot++) {
        store_program(&code, slot * 4, 100 + (int)slot);
        const uint32_t address = slot == 7 ? (1 << 24) - (uint32_t)code.count : slot * 0x1000 + 3;
        const size_t first = count;
        count += make_stream(&code, slot, address, stream + count);
        for (size_t i = first; i < count; i++)
            if (stream[i] == XINSTR || stream[i] == XEND)
                stream[i] |= 0x05a5a5a5;
    }
    struct cy_epic_stream_error error = {.text = ""};
    CHECK_EQ(cy_epic_load(gpu, stream, count, &error), CY_EPIC_OK);
    CHECK_STR(error.text, "");
    for (unsigned slot = 0; slot < 8; slot++)
        CHECK_EQ(run_slot(gpu, slot, slot * 4), 100 + slot);
    /* A slot is replaced; the others stay. */
    store_program(&code, 0x40, 55);
    load_code(gpu, &code, 3, 0x3003);
    CHECK_EQ(run_slot(gpu, 3, 0x40), 55);
    CHECK_EQ(run_slot(gpu, 2, 8), 102);
    /* A program that is overwritten is removed. */
    load_code(gpu, &code, 3, 0x2003);
    CHECK_EQ(cy_epic_launch(gpu, 2, 1, NULL), CY_EPIC_EMPTY);
    CHECK_EQ(run_slot(gpu, 3, 0x40), 55);
    /* Programs that touch do not overlap, whichever comes first. */
    store_program(&code, 0x44, 66);
    load_code(gpu, &code, 0, 0x100);
    load_code(gpu, &code, 1, 0x100 + (uint32_t)code.count);
    load_code(gpu, &code, 2, 0x100 - (uint32_t)code.count);
    for (unsigned slot = 0; slot < 3; slot++)
        CHECK_EQ(run_slot(gpu, slot, 0x44), 66);
    count = make_stream(&code, 5, 0x500, stream);
    count += make_stream(&code, 6, 0x500 + (uint32_t)code.count, stream + count);
    count += make_stream(&code, 7, 0x500 - (uint32_t)code.count, stream + count);
    CHECK_EQ(cy_epic_load(gpu, stream, count, &error), CY_EPIC_OK);
    for (unsigned slot = 5; slot < 8; slot++)
        CHECK_EQ(run_slot(gpu, slot, 0x44), 66);
    /* An empty stream contains no programs. */
    CHECK_EQ(cy_epic_load(gpu, stream, 0, &error), CY_EPIC_OK);
    CHECK_EQ(run_slot(gpu, 1, 0x44), 66);
    cy_epic_destroy(gpu);
}

static void test_bad_launches(void)
{
    struct cy_epic *gpu = make_gpu(NULL);
    struct code code;
    store_program(&code, 0, 7);
    CHECK_EQ(cy_epic_launch(gpu, 0, 1, NULL), CY_EPIC_EMPTY);
    CHECK_EQ(cy_epic_launch(gpu, 8, 1, NULL), CY_EPIC_BAD_ARGUMENT);
    load_code(gpu, &code, 0, 0);
    CHECK_EQ(cy_epic_launch(gpu, 0, 0, NULL), CY_EPIC_OK);
    CHECK_EQ(read_word(gpu, 0), 0);
    /* A program of no instructions runs off its end at once. */
    const uint32_t empty[] = {xstart(5, 0x100), XEND};
    struct cy_epic_fault fault;
    CHECK_EQ(cy_epic_load(gpu, empty, 2, NULL), CY_EPIC_OK);
    CHECK_EQ(cy_epic_launch(gpu, 5, 1, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_FELL_OFF);
    CHECK_EQ(fault.pc, 0x400);
    cy_epic_destroy(gpu);
}

#define WORDS(...) ((const uint32_t[]){__VA_ARGS__}), sizeof((const uint32_t[]){__VA_ARGS__}) / 4

/* Each loads nothing and names the word. */
static void check_bad(struct cy_epic *gpu, const uint32_t *words, size_t count, size_t word, const char *text)
{
    struct cy_epic_stream_error error;
    CHECK_EQ(cy_epic_load(gpu, words, count, &error), CY_EPIC_BAD_STREAM);
    CHECK_EQ(error.word, word);
    CHECK_STR(error.text, text);
    CHECK_EQ(cy_epic_load(gpu, words, count, NULL), CY_EPIC_BAD_STREAM);
    for (unsigned slot = 1; slot < 8; slot++)
        CHECK_EQ(cy_epic_launch(gpu, slot, 1, NULL), CY_EPIC_EMPTY);
    CHECK_EQ(run_slot(gpu, 0, 0x80), 99);
}

static void test_bad_streams(void)
{
    struct cy_epic *gpu = make_gpu(NULL);
    struct code code;
    store_program(&code, 0x80, 99);
    load_code(gpu, &code, 0, 0);
    const uint32_t add = r_type(ADD, 4, 5, 6);
    check_bad(gpu, WORDS(add), 0, "0x000300a4 is not a command: expected xstart");
    check_bad(gpu, WORDS(0xffffffff), 0, "0xffffffff is not a command: expected xstart");
    check_bad(gpu, WORDS(5u << 29 | 3u << 27), 0, "0xb8000000 is not a command: expected xstart");
    check_bad(gpu, WORDS(XINSTR, EXIT), 0, "xinstr outside a program: xstart is missing before it");
    check_bad(gpu, WORDS(XEND), 0, "xend without xstart");
    check_bad(gpu, WORDS(xstart(1, 0)), 1, "the stream ends inside program 1: xend is missing");
    check_bad(gpu, WORDS(xstart(1, 64), XINSTR), 2, "the stream ends after an xinstr, without its instruction");
    check_bad(gpu, WORDS(xstart(1, 64), XINSTR, EXIT), 3, "the stream ends inside program 1: xend is missing");
    check_bad(gpu, WORDS(xstart(1, 64), EXIT, XEND), 1, "0xe0001c00 inside program 1: expected xinstr or xend");
    check_bad(gpu, WORDS(xstart(1, 64), XINSTR, EXIT, xstart(2, 128)), 3,
              "xstart 2 inside program 1: xend is missing before it");
    check_bad(gpu, WORDS(xstart(1, 64), XINSTR, EXIT, XEND, xstart(1, 128), XINSTR, EXIT, XEND), 4,
              "program 1 is opened twice");
    check_bad(gpu, WORDS(xstart(1, 64), XINSTR, EXIT, XEND, add), 4, "0x000300a4 is not a command: expected xstart");
    check_bad(gpu, WORDS(xstart(1, 64), XINSTR, EXIT, XEND, XEND), 4, "xend without xstart");
    check_bad(gpu,
              WORDS(xstart(1, 64), XINSTR, EXIT, XINSTR, EXIT, XEND, xstart(2, 63), XINSTR, EXIT, XINSTR, EXIT, XEND),
              9, "program 2 overlaps program 1 at instruction word 0x40");
    check_bad(gpu, WORDS(xstart(1, 0xffffff), XINSTR, EXIT, XINSTR, EXIT, XEND), 3,
              "program 1 exceeds instruction memory (16777216 words)");
    cy_epic_destroy(gpu);
}

/* pack produces what was built by hand above. */
static void test_pack(void)
{
    struct code code;
    uint32_t by_hand[256], packed[256];
    store_program(&code, 0x80, 99);
    const size_t count = make_stream(&code, 6, 0x123456, by_hand);
    CHECK_EQ(cy_epic_pack_words(code.count), count);
    CHECK_EQ(cy_epic_pack(6, 0x123456, code.words, code.count, packed), count);
    CHECK(memcmp(by_hand, packed, count * 4) == 0);
    CHECK_EQ(cy_epic_pack(8, 0, code.words, code.count, packed), 0);
    CHECK_EQ(cy_epic_pack(0, 1 << 24, code.words, code.count, packed), 0);
    CHECK_EQ(cy_epic_pack(0, (1 << 24) - 1, code.words, code.count, packed), 0);
}

TEST_MAIN(test_all_slots, test_bad_launches, test_bad_streams, test_pack)
