/* Any words into the decoder and printer, and what the disassembler writes of them back through the assembler: the first
 * byte chooses the instruction set, the rest is code.  `dis --as | as` must give the same bytes. */
#include "dis/dis.h"
#include "chengying/asm.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void check_words(enum cy_target target, const uint8_t *code, size_t size)
{
    struct cy_buf text = {0};
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t words[2] = {0, 0};
        struct cy_insn insn, again;
        size_t count = size - at >= 8 ? 2 : 1;
        memcpy(words, code + at, count * 4);
        text.size = 0;
        if (cy_decode(target, words, count, &insn) != CY_DECODE_OK) {
            FUZZ_CHECK(insn.size == 4 && insn.word == words[0]);
            cy_print(&text, target, &insn, (uint32_t)at, 0);
            continue;
        }
        FUZZ_CHECK(insn.op > CY_OP_INVALID && insn.op < CY_OP_COUNT);
        FUZZ_CHECK(insn.size == 4 || insn.prefix == words[0]);
        for (unsigned flags = 0; flags < 16; flags++) {
            text.size = 0;
            cy_print(&text, target, &insn, (uint32_t)at, flags);
            FUZZ_CHECK(text.size > 0 && text.data[text.size] == 0 && strlen(text.data) == text.size);
        }
        /* Encoding what was decoded gives an instruction that decodes to the same operands. */
        struct cy_insn back = insn;
        if (cy_encode(target, &back, NULL))
            continue;
        uint32_t encoded[2] = {back.prefix ? back.prefix : back.word, back.word};
        FUZZ_CHECK(cy_decode(target, encoded, back.prefix ? 2 : 1, &again) == CY_DECODE_OK);
        FUZZ_CHECK(again.op == insn.op);
        FUZZ_CHECK(memcmp(again.operand, insn.operand, sizeof(again.operand)) == 0);
    }
    cy_buf_free(&text);
}

static void check_round_trip(enum cy_target target, const uint8_t *code, size_t size)
{
    struct cy_object object = {.name = "code", .type = CY_ET_REL, .machine = CY_EM_RISCV}, again;
    if (target == CY_EPIC || target == CY_EPIC_FPGA)
        object.machine = CY_EM_EPIC;
    struct cy_section *text = cy_object_add_section(&object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR);
    text->align = 4;
    text->size = (uint32_t)size;
    cy_buf_append(&text->data, code, size);

    struct cy_buf source = {0};
    struct cy_diags diags = {0};
    struct cy_dis listing = {.target = target};
    FUZZ_CHECK(cy_dis_source(&listing, &object, &source, &diags));
    struct cy_asm_options options = {.march = cy_target_name(target)};
    struct cy_asm_result result;
    if (!cy_asm("listing", source.data, source.size, &options, &result)) {
        fprintf(stderr, "%s", result.messages);
        abort();
    }
    FUZZ_CHECK(cy_object_read(&again, "again", result.object, result.object_size, &diags));
    const struct cy_section *back = cy_object_find_section(&again, ".text");
    FUZZ_CHECK(back && back->data.size == size && (size == 0 || memcmp(back->data.data, code, size) == 0));
    cy_object_free(&again);
    cy_object_free(&object);
    cy_asm_result_free(&result);
    cy_buf_free(&source);
    cy_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    enum cy_target target = (enum cy_target)(data[0] % CY_TARGET_COUNT);
    /* Aligned, so that words can be read. */
    uint8_t *code = malloc(size);
    memcpy(code, data + 1, size - 1);
    check_words(target, code, size - 1);
    check_round_trip(target, code, size - 1);
    free(code);
    return 0;
}
