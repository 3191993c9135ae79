#define _GNU_SOURCE /* realpath */
#include "cc/driver/spirv.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OP_MEMORY_MODEL = 14, PHYSICAL32 = 1, PHYSICAL64 = 2 };

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool cc_is_spirv(const void *bytes, size_t size)
{
    static const unsigned char swapped[] = {0x07, 0x23, 0x02, 0x03};
    return bytes && size >= 4 && (word_at(bytes) == CC_SPIRV_MAGIC || !memcmp(bytes, swapped, sizeof(swapped)));
}

bool cc_spirv_next(const void *bytes, size_t size, size_t *at, struct cc_spirv_insn *insn)
{
    size_t words = size / 4;
    if (*at >= words)
        return false;
    insn->words = (const unsigned char *)bytes + *at * 4;
    insn->opcode = word_at(insn->words) & 0xffff;
    insn->word_count = word_at(insn->words) >> 16;
    if (!insn->word_count || insn->word_count > words - *at)
        return false;
    *at += insn->word_count;
    return true;
}

uint32_t cc_spirv_word(const struct cc_spirv_insn *insn, unsigned index)
{
    return index < insn->word_count ? word_at(insn->words + index * 4) : 0;
}

const char *cc_spirv_wrong(const void *bytes, size_t size, unsigned *generation)
{
    struct cc_spirv_insn insn;
    size_t at = CC_SPIRV_HEADER_WORDS;
    if (size < CC_SPIRV_HEADER_WORDS * 4 || size % 4)
        return "the SPIR-V module is truncated";
    if (word_at(bytes) != CC_SPIRV_MAGIC)
        return "the SPIR-V module is big-endian";
    while (cc_spirv_next(bytes, size, &at, &insn))
        if (insn.opcode == OP_MEMORY_MODEL) {
            const uint32_t addressing = cc_spirv_word(&insn, 1);
            *generation = addressing == PHYSICAL64 ? 2 : 1;
            return addressing == PHYSICAL32 || addressing == PHYSICAL64
                       ? NULL
                       : "the SPIR-V module's addressing model is neither Physical32 nor Physical64";
        }
    return "the SPIR-V module has no memory model";
}

char *cc_spirv_find(void)
{
    static const char *const names[] = {"llvm-spirv-19", "llvm-spirv-18", "llvm-spirv-17", "llvm-spirv-16",
                                        "llvm-spirv-15", "llvm-spirv-14", "llvm-spirv"};
    const char *named = getenv("CHENGYING_LLVM_SPIRV"), *path = getenv("PATH");
    char candidate[PATH_MAX], *found = NULL;
    if (named && *named)
        return access(named, X_OK) ? NULL : realpath(named, NULL);
    for (size_t i = 0; i < CY_COUNT(names) && !found; i++)
        for (size_t at = 0, length; path && path[at] && !found; at += length + (path[at + length] == ':')) {
            length = strcspn(path + at, ":");
            snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)length, path + at, names[i]);
            if (length && !access(candidate, X_OK))
                found = realpath(candidate, NULL);
        }
    return found;
}

bool cc_spirv_exists(void)
{
    char *program = cc_spirv_find();
    free(program); /* libc's */
    return program != NULL;
}
