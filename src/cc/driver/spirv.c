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

/* ---- what llvm-spirv 15 ends with an assertion on ---- */

enum {
    OP_UNDEF = 1,
    OP_NAME = 5,
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_CONSTANT_NULL = 46,
    OP_FUNCTION = 54,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COMPOSITE_INSERT = 82,
};

struct module {
    const void *bytes;
    size_t size;
    struct cy_buf *out;
    uint32_t bound;
    uint32_t *places, place_count; /* by id: the words before the instruction that makes it; 0: there is none */
    bool *says_nothing;            /* by id: a non-semantic set of instructions, or one of these */
};

static bool is_type(unsigned opcode)
{
    return opcode >= OP_TYPE_BOOL && opcode <= OP_TYPE_POINTER;
}

/* Types have their id in word 1, constants and values of functions in word 2, after their type.  The others have none, but may
 * use one there: an id's first place is where it is made. */
static void find_ids(struct module *module)
{
    enum { MOST_IDS = 1 << 22, FIRST_DECORATION = 71, LAST_DECORATION = 75 }; /* the specification's limit */
    struct cc_spirv_insn insn;
    module->place_count = module->bound < MOST_IDS ? module->bound : MOST_IDS;
    const size_t bytes = module->place_count * sizeof(module->places[0]);
    module->places = cy_xrealloc(NULL, bytes + 1);
    memset(module->places, 0, bytes);
    for (size_t at = CC_SPIRV_HEADER_WORDS, start = at; cc_spirv_next(module->bytes, module->size, &at, &insn);
         start = at) {
        const bool has_result =
            insn.opcode == OP_UNDEF ||
            (insn.opcode > OP_TYPE_POINTER && (insn.opcode < FIRST_DECORATION || insn.opcode > LAST_DECORATION));
        const uint32_t id = is_type(insn.opcode) ? cc_spirv_word(&insn, 1) : has_result ? cc_spirv_word(&insn, 2) : 0;
        if (id < module->place_count && !module->places[id])
            module->places[id] = (uint32_t)start;
    }
}

/* Is the string from word `from` on the text, or, if it ends in a dot, does it begin with it? */
static bool names(const struct cc_spirv_insn *insn, unsigned from, const char *text)
{
    const size_t length = strlen(text), room = insn->word_count > from ? (insn->word_count - from) * 4ul : 0;
    return room > length && !memcmp(insn->words + from * 4ul, text, length + (text[length - 1] != '.'));
}

/* The sets of instructions that SPV_KHR_non_semantic_info allows a consumer to ignore, whatever they are, and their uses. */
static void find_nonsemantic(struct module *module)
{
    struct cc_spirv_insn insn;
    module->says_nothing = cy_xrealloc(NULL, module->place_count + 1ul);
    memset(module->says_nothing, 0, module->place_count + 1ul);
    for (size_t at = CC_SPIRV_HEADER_WORDS; cc_spirv_next(module->bytes, module->size, &at, &insn);) {
        const uint32_t import = cc_spirv_word(&insn, 1), set = cc_spirv_word(&insn, 3), id = cc_spirv_word(&insn, 2);
        if (insn.opcode == OP_EXT_INST_IMPORT && import < module->place_count && names(&insn, 2, "NonSemantic."))
            module->says_nothing[import] = true;
        if (insn.opcode == OP_EXT_INST && set < module->place_count && module->says_nothing[set] &&
            id < module->place_count)
            module->says_nothing[id] = true;
    }
}

static bool is_nonsemantic(const struct module *module, const struct cc_spirv_insn *insn)
{
    const bool is_named = insn->opcode == OP_NAME || insn->opcode == OP_EXT_INST_IMPORT;
    const uint32_t id = cc_spirv_word(insn, is_named ? 1 : 2);
    if (insn->opcode == OP_EXTENSION)
        return names(insn, 1, "SPV_KHR_non_semantic_info");
    return (is_named || insn->opcode == OP_EXT_INST) && id < module->place_count && module->says_nothing[id];
}

static bool find(const struct module *module, uint32_t id, struct cc_spirv_insn *insn)
{
    size_t at = id && id < module->place_count ? module->places[id] : 0;
    return at && cc_spirv_next(module->bytes, module->size, &at, insn);
}

static bool find_type(const struct module *module, uint32_t id, struct cc_spirv_insn *type)
{
    return find(module, id, type) && is_type(type->opcode);
}

static bool find_type_of(const struct module *module, uint32_t value, struct cc_spirv_insn *type)
{
    struct cc_spirv_insn insn;
    return find(module, value, &insn) && !is_type(insn.opcode) && find_type(module, cc_spirv_word(&insn, 1), type);
}

/* The type that a pointer points to, or 0. */
static uint32_t pointee(const struct module *module, uint32_t pointer)
{
    struct cc_spirv_insn type;
    return find_type_of(module, pointer, &type) && type.opcode == OP_TYPE_POINTER ? cc_spirv_word(&type, 3) : 0;
}

static void put_word(struct module *module, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        cy_buf_putc(module->out, (char)(word >> 8 * i));
}

/* A constant of zero instead of a null of a number. */
static bool mend_null(struct module *module, const struct cc_spirv_insn *insn)
{
    struct cc_spirv_insn type;
    if (insn->opcode != OP_CONSTANT_NULL || !find_type(module, cc_spirv_word(insn, 1), &type) ||
        type.opcode > OP_TYPE_FLOAT)
        return false;
    uint32_t zeros = type.opcode == OP_TYPE_BOOL ? 0 : cc_spirv_word(&type, 2) > 32 ? 2 : 1;
    put_word(module, (3 + zeros) << 16 | (zeros ? OP_CONSTANT : OP_CONSTANT_FALSE));
    put_word(module, cc_spirv_word(insn, 1));
    put_word(module, cc_spirv_word(insn, 2));
    for (uint32_t i = 0; i < zeros; i++)
        put_word(module, 0);
    return true;
}

/* A load and a store instead of a copy. */
static bool mend_copy(struct module *module, const struct cc_spirv_insn *insn)
{
    uint32_t type = insn->opcode == OP_COPY_MEMORY ? pointee(module, cc_spirv_word(insn, 1)) : 0;
    if (!type)
        return false;
    uint32_t value = module->bound++, more = insn->word_count - 3; /* memory operands */
    put_word(module, (4 + more) << 16 | OP_LOAD);
    put_word(module, type);
    put_word(module, value);
    put_word(module, cc_spirv_word(insn, 2));
    for (uint32_t i = 0; i < more; i++)
        put_word(module, cc_spirv_word(insn, 3 + i));
    put_word(module, (3 + more) << 16 | OP_STORE);
    put_word(module, cc_spirv_word(insn, 1));
    put_word(module, value);
    for (uint32_t i = 0; i < more; i++)
        put_word(module, cc_spirv_word(insn, 3 + i));
    return true;
}

/* A function that is Const is Pure, too; it refuses to be told both. */
static bool mend_function(struct module *module, const struct cc_spirv_insn *insn)
{
    enum { PURE = 4, CONST = 8 };
    if (insn->opcode != OP_FUNCTION || insn->word_count != 5 || !(cc_spirv_word(insn, 3) & CONST))
        return false;
    for (unsigned i = 0; i < 5; i++)
        put_word(module, cc_spirv_word(insn, i) & (i == 3 ? ~(uint32_t)PURE : UINT32_MAX));
    return true;
}

enum { MOST_ELEMENTS = 16 };

/* The elements of a vector, or 1; 0: the value's type is no type of numbers, or not a valid one. */
static uint32_t elements_of(const struct module *module, uint32_t value, uint32_t *element_type)
{
    struct cc_spirv_insn type;
    if (!find_type_of(module, value, &type))
        return 0;
    if (type.opcode != OP_TYPE_VECTOR)
        return type.opcode <= OP_TYPE_FLOAT;
    *element_type = cc_spirv_word(&type, 2);
    return cc_spirv_word(&type, 3) <= MOST_ELEMENTS ? cc_spirv_word(&type, 3) : 0;
}

static void put_part(struct module *module, unsigned opcode, uint32_t type, uint32_t result, const uint32_t *operands,
                     unsigned count)
{
    put_word(module, (3 + count) << 16 | opcode);
    put_word(module, type);
    put_word(module, result);
    for (unsigned i = 0; i < count; i++)
        put_word(module, operands[i]);
}

/* An insertion for each part of a composite, which it takes for a constant.  Of a vector, parts may be vectors. */
static bool mend_construct(struct module *module, const struct cc_spirv_insn *insn)
{
    if (insn->opcode != OP_COMPOSITE_CONSTRUCT || insn->word_count < 4)
        return false;
    struct cc_spirv_insn shape;
    const uint32_t type = cc_spirv_word(insn, 1), parts = insn->word_count - 3;
    const bool is_vector = find_type(module, type, &shape) && shape.opcode == OP_TYPE_VECTOR;
    const bool joins = is_vector && parts < cc_spirv_word(&shape, 3) && parts < MOST_ELEMENTS;
    uint32_t whole = module->bound++, index = 0;
    put_part(module, OP_UNDEF, type, whole, NULL, 0);
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t part = cc_spirv_word(insn, 3 + i), element_type = 0;
        const uint32_t elements = joins ? elements_of(module, part, &element_type) : 1;
        for (uint32_t k = 0; k < elements; k++) {
            uint32_t value = part;
            if (elements > 1) {
                value = module->bound++;
                put_part(module, OP_COMPOSITE_EXTRACT, element_type, value, (uint32_t[]){part, k}, 2);
            }
            const bool last = i == parts - 1 && k == elements - 1;
            const uint32_t result = last ? cc_spirv_word(insn, 2) : module->bound++;
            put_part(module, OP_COMPOSITE_INSERT, type, result, (uint32_t[]){value, whole, index++}, 3);
            whole = result;
        }
    }
    return true;
}

void cc_spirv_mend(const void *bytes, size_t size, struct cy_buf *out)
{
    struct module module = {bytes, size, out, word_at((const unsigned char *)bytes + 12), NULL, 0, NULL};
    struct cc_spirv_insn insn;
    size_t at = CC_SPIRV_HEADER_WORDS;
    find_ids(&module);
    find_nonsemantic(&module);
    cy_buf_append(out, bytes, CC_SPIRV_HEADER_WORDS * 4);
    while (cc_spirv_next(bytes, size, &at, &insn))
        if (!is_nonsemantic(&module, &insn) && !mend_null(&module, &insn) && !mend_copy(&module, &insn) &&
            !mend_function(&module, &insn) && !mend_construct(&module, &insn))
            cy_buf_append(out, insn.words, (size_t)insn.word_count * 4);
    cy_free(module.places);
    cy_free(module.says_nothing);
    cy_buf_append(out, (const char *)bytes + at * 4, size - at * 4); /* of a damaged module, which it will refuse */
    for (unsigned i = 0; i < 4; i++)
        out->data[12 + i] = (char)(module.bound >> 8 * i);
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
