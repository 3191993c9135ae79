/* The assembler on arbitrary input, for every target.  Either there is an object, which can be read, or there are
 * messages; limits hold, and the same text gives the same result. */
#include "chengying/asm.h"
#include "fuzz/fuzz.h"
#include "obj/obj.h"

#include <string.h>

enum { MAX_OUTPUT = 1 << 20, MAX_EXPANSION = 1 << 18 };

static bool assemble(const uint8_t *data, size_t size, unsigned target, struct cy_asm_result *result)
{
    static const char *const targets[] = {"ventus", "ventus-gen2", "epic", "epic-fpga"};
    static const char *const defines[] = {"fuzz=1"};
    struct cy_asm_options options = {
        .march = targets[target],
        .defines = defines,
        .define_count = 1,
        .flags = CY_ASM_NO_FILES | (size % 16 == 0 ? CY_ASM_LISTING : 0),
        .error_limit = 10,
        .max_output_bytes = MAX_OUTPUT,
        .max_expansion_bytes = MAX_EXPANSION,
    };
    return cy_asm("input.s", (const char *)data, size, &options, result);
}

static void check_object(const struct cy_asm_result *result)
{
    struct cy_object object;
    struct cy_diags diags = {0};
    FUZZ_CHECK(cy_object_read(&object, "output", result->object, result->object_size, &diags));
    size_t total = 0;
    for (size_t i = 0; i < object.sections.count; i++)
        if (strncmp(object.sections.at[i].name, CY_RESOURCE_SECTION, strlen(CY_RESOURCE_SECTION)) != 0)
            total += object.sections.at[i].data.size;
    FUZZ_CHECK(total <= MAX_OUTPUT + MAX_EXPANSION);
    cy_object_free(&object);
    cy_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned target = size ? data[size / 2] % 4 : 0;
    if (size && data[0] != '#')
        target = target == 3 ? 1 : 0; /* most seeds are for Ventus */
    struct cy_asm_result first, second;
    bool ok = assemble(data, size, target, &first);
    FUZZ_CHECK(first.messages != NULL && ok == (first.errors == 0) && ok == (first.object != NULL));
    if (ok)
        check_object(&first);
    else
        FUZZ_CHECK(strstr(first.messages, "error: ") != NULL);
    if (size % 4 == 0) {
        FUZZ_CHECK(assemble(data, size, target, &second) == ok);
        FUZZ_CHECK(strcmp(first.messages, second.messages) == 0 && first.object_size == second.object_size);
        FUZZ_CHECK(!ok || memcmp(first.object, second.object, first.object_size) == 0);
        cy_asm_result_free(&second);
    }
    cy_asm_result_free(&first);
    return 0;
}
