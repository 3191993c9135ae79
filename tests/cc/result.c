/* Serialised results: what is saved is loaded identically, and an incomplete one is rejected. */
#include "base/mem.h"
#include "cc/driver/result.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define TEN(text) text text text text text text text text text text
#define LONG TEN(TEN("long"))

static struct cy_kernel_argument arguments[] = {
    {.name = "first",
     .type = "float4*",
     .address = CY_ADDRESS_GLOBAL,
     .qualifiers = CY_TYPE_CONST,
     .size = 4,
     .align = 4,
     true},
    {.name = "", .type = "", .size = 16, .align = 16},
    {.name = LONG,
     .type = "x",
     .address = CY_ADDRESS_LOCAL,
     .qualifiers = CY_TYPE_RESTRICT,
     .size = 4,
     .align = 4,
     true},
};
static struct cy_kernel_info kernels[] = {
    {.name = "k", .instructions = 7, .attributes = "", .arguments = arguments, .argument_count = 3},
    {.name = LONG LONG, .vgprs = 9, .reqd_size = {4, 2, 1}, .attributes = "reqd_work_group_size(4,2,1)"},
    {.name = "n", .attributes = LONG, .arguments = arguments + 1, .argument_count = 1},
};
static struct cy_kernel_info functions[] = {{.name = "f" LONG, .calls = 3, .attributes = ""}};

static void check_texts(const char *got, const char *expected)
{
    CHECK_EQ(got != NULL, expected != NULL);
    if (got && expected)
        CHECK_STR(got, expected);
}

static void check_kernels(const struct cy_kernel_info *got, const struct cy_kernel_info *expected, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        CHECK_STR(got[k].name, expected[k].name);
        CHECK_STR(got[k].attributes, expected[k].attributes);
        CHECK_EQ(got[k].instructions, expected[k].instructions);
        CHECK_EQ(got[k].vgprs, expected[k].vgprs);
        CHECK_EQ(got[k].calls, expected[k].calls);
        CHECK_EQ(memcmp(got[k].reqd_size, expected[k].reqd_size, sizeof(got[k].reqd_size)), 0);
        if (!CHECK_EQ(got[k].argument_count, expected[k].argument_count))
            continue;
        for (size_t i = 0; i < got[k].argument_count; i++) {
            const struct cy_kernel_argument *a = &got[k].arguments[i], *b = &expected[k].arguments[i];
            CHECK_STR(a->name, b->name);
            CHECK_STR(a->type, b->type);
            CHECK_EQ(a->address, b->address);
            CHECK_EQ(a->qualifiers, b->qualifiers);
            CHECK_EQ(a->size, b->size);
            CHECK_EQ(a->align, b->align);
            CHECK_EQ(a->is_pointer, b->is_pointer);
        }
    }
}

static void check_round(const struct cy_cc_result *result)
{
    struct cy_buf row = {0};
    struct cy_cc_result got;
    cc_result_save(result, &row);
    for (size_t size = 0; size < row.size; size++) {
        void *part = cy_xrealloc(NULL, size + 1); /* its end is the end of an allocation */
        memcpy(part, row.data, size);
        CHECK_EQ(cc_result_load(&got, part, size), false);
        CHECK_EQ(got.kernels == NULL && got.elf == NULL && got.kernel_count == 0, true);
        free(part);
    }
    if (CHECK_EQ(cc_result_load(&got, row.data, row.size), true)) {
        CHECK_EQ(got.elf_size, result->elf_size);
        CHECK_EQ(got.elf != NULL, result->elf != NULL);
        CHECK_EQ(got.elf_size && memcmp(got.elf, result->elf, got.elf_size), false);
        CHECK_EQ(got.bitcode_size, result->bitcode_size);
        CHECK_EQ(got.bitcode != NULL, result->bitcode != NULL);
        check_texts(got.log, result->log);
        check_texts(got.assembly, result->assembly);
        check_texts(got.dump, result->dump);
        CHECK_EQ(got.pass_ns != NULL, result->pass_ns != NULL);
        if (CHECK_EQ(got.pass_count, result->pass_count))
            for (size_t i = 0; i < got.pass_count; i++)
                CHECK_EQ(got.pass_ns[i], result->pass_ns[i]);
        if (CHECK_EQ(got.kernel_count, result->kernel_count))
            check_kernels(got.kernels, result->kernels, got.kernel_count);
        if (CHECK_EQ(got.function_count, result->function_count))
            check_kernels(got.functions, result->functions, got.function_count);
        cy_cc_result_free(&got);
    }
    cy_buf_free(&row);
}

/* No compiler produces these, so they are rejected, however complete. */
static void check_unsound(void)
{
    struct cy_kernel_argument wrong[] = {
        {.name = "", .type = "", .size = 4, .align = 0},
        {.name = "", .type = "", .size = 4, .align = 12},
        {.name = "", .type = "", .size = 0, .align = 4, .address = CY_ADDRESS_GLOBAL, .is_pointer = true},
        {.name = "", .type = "", .size = 1u << 31, .align = 4},
        {.name = "", .type = "", .size = 4, .align = 4, .address = CY_ADDRESS_GLOBAL},
        {.name = "", .type = "", .size = 4, .align = 4, .is_pointer = true},
        {.name = "", .type = "", .size = 8, .align = 4, .address = CY_ADDRESS_GLOBAL, .is_pointer = true},
        {.name = "", .type = "", .size = 4, .align = 4, .qualifiers = CY_MOST_QUALIFIERS + 1},
    };
    struct cy_kernel_info unsound[CY_COUNT(wrong) + 4] = {
        {.name = "k", .attributes = "", .reqd_size = {1, 0, 1}},
        {.name = "k", .attributes = "", .reqd_size = {0, 0, 1}},
        {.name = "k", .attributes = "", .reqd_size = {1u << 31, 1u << 31, 4}},
        {.name = "", .attributes = ""},
    };
    for (size_t i = 0; i < CY_COUNT(wrong); i++)
        unsound[4 + i] =
            (struct cy_kernel_info){.name = "k", .attributes = "", .arguments = &wrong[i], .argument_count = 1};
    char empty[] = "";
    for (size_t i = 0; i < CY_COUNT(unsound); i++) {
        struct cy_buf row = {0};
        struct cy_cc_result got;
        cc_result_save(&(struct cy_cc_result){.log = empty, .kernels = &unsound[i], .kernel_count = 1}, &row);
        CHECK_EQ(cc_result_load(&got, row.data, row.size), false);
        cy_buf_free(&row);
    }
}

int main(void)
{
    check_unsound();
    unsigned char bytes[] = {0x7f, 0, 1, 2, 0};
    char text[] = "said", empty[] = "";
    unsigned long long times[] = {5, 0, 1ull << 40};
    check_round(&(struct cy_cc_result){.log = empty});
    check_round(&(struct cy_cc_result){.log = text, .bitcode = bytes, .bitcode_size = sizeof(bytes)});
    check_round(&(struct cy_cc_result){.log = empty,
                                       .elf = bytes,
                                       .elf_size = sizeof(bytes),
                                       .assembly = empty,
                                       .dump = text,
                                       .pass_ns = times,
                                       .pass_count = CY_COUNT(times),
                                       .kernels = kernels,
                                       .kernel_count = CY_COUNT(kernels),
                                       .functions = functions,
                                       .function_count = CY_COUNT(functions)});
    check_round(&(struct cy_cc_result){.log = text, .functions = functions, .function_count = 1});
    return test_finish();
}
