#include "build.h"

#include "support/test.h"

static void add_record(struct cy_object *object, const char *section, uint16_t vgprs, uint16_t sgprs, uint16_t lds,
                       uint16_t pds)
{
    const uint16_t values[4] = {vgprs, sgprs, lds, pds};
    struct cy_section *found = cy_object_find_section(object, section);
    if (!found)
        found = cy_object_add_section(object, section, CY_SHT_PROGBITS, 0);
    for (size_t i = 0; i < 4; i++) {
        cy_buf_putc(&found->data, (char)(values[i] & 0xff));
        cy_buf_putc(&found->data, (char)(values[i] >> 8));
    }
    found->size = (uint32_t)found->data.size;
}

static void check_kernel(const struct cy_kernel *kernel, const char *name, uint32_t entry, bool has,
                         struct cy_resources expected)
{
    CHECK_STR(kernel->name, name);
    CHECK_EQ(kernel->entry, entry);
    CHECK_EQ(kernel->has_resources, has);
    CHECK_EQ(kernel->resources.vgprs, expected.vgprs);
    CHECK_EQ(kernel->resources.sgprs, expected.sgprs);
    CHECK_EQ(kernel->resources.lds_bytes, expected.lds_bytes);
    CHECK_EQ(kernel->resources.pds_bytes, expected.pds_bytes);
}

static const struct cy_resources defaults = {256, 64, 1024, 1024};

/* Three functions, given out of order, beside _start, a local one, an undefined one and an object. */
static void build(struct cy_object *object)
{
    static const char code[64];
    *object = (struct cy_object){.type = CY_ET_EXEC, .machine = CY_EM_RISCV};
    uint32_t text = build_section(object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR, 0x80000000, code,
                                  sizeof(code));
    build_symbol(object, "_start", text, 0x80000000, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "mul", text, 0x80000020, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "add", text, 0x80000010, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "sub", text, 0x80000030, CY_STB_WEAK, CY_STT_FUNC);
    build_symbol(object, "inner", text, 0x80000038, CY_STB_LOCAL, CY_STT_FUNC);
    build_symbol(object, "outer", CY_SHN_UNDEF, 0, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "table", text, 0x8000003c, CY_STB_GLOBAL, CY_STT_OBJECT);
}

static void test_records(void)
{
    struct cy_object object;
    struct cy_kernel *kernels;
    build(&object);
    build_symbol(&object, "add", 1, 0x80000038, CY_STB_LOCAL, CY_STT_FUNC); /* a global one wins */
    add_record(&object, CY_RESOURCE_SECTION "sub", 0x1234, 60, 4096, 8);
    add_record(&object, CY_RESOURCE_SECTION "add", 4, 7, 16, 8);
    add_record(&object, CY_RESOURCE_SECTION "add2", 1, 1, 1, 1);  /* no such symbol */
    add_record(&object, CY_RESOURCE_SECTION "outer", 1, 1, 1, 1); /* not defined here */
    add_record(&object, CY_RESOURCE_SECTION_OLD, 1, 1, 1, 1);     /* new ones win */
    CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
    check_kernel(&kernels[0], "sub", 0x80000030, true, (struct cy_resources){0x1234, 60, 4096, 8});
    check_kernel(&kernels[1], "add", 0x80000010, true, (struct cy_resources){4, 7, 16, 8});

    /* a record of the wrong size still says that it is a kernel */
    cy_object_find_section(&object, CY_RESOURCE_SECTION "add")->data.size = 6;
    CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
    check_kernel(&kernels[1], "add", 0x80000010, false, defaults);
    cy_object_find_section(&object, CY_RESOURCE_SECTION "add")->data.size = 8;

    /* two records of one name (two sections, as a plain link leaves them): the first counts */
    struct cy_section *again = cy_object_add_section(&object, CY_RESOURCE_SECTION "add", CY_SHT_PROGBITS, 0);
    cy_buf_zeros(&again->data, 8);
    again->size = 8;
    CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
    check_kernel(&kernels[1], "add", 0x80000010, true, (struct cy_resources){4, 7, 16, 8});
    cy_object_free(&object);
}

static void test_no_records(void)
{
    struct cy_object object;
    struct cy_kernel *kernels;
    build(&object);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    check_kernel(&kernels[0], "mul", 0x80000020, false, defaults);
    check_kernel(&kernels[1], "add", 0x80000010, false, defaults);
    check_kernel(&kernels[2], "sub", 0x80000030, false, defaults);
    cy_object_free(&object);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 0);
    cy_object_free(&object);
}

static void test_old_records(void)
{
    struct cy_object object;
    struct cy_kernel *kernels;
    build(&object);
    add_record(&object, CY_RESOURCE_SECTION_OLD, 10, 20, 30, 400);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(kernels[i].resources.pds_bytes, 400);
    add_record(&object, CY_RESOURCE_SECTION_OLD, 100, 2, 3, 4);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    check_kernel(&kernels[2], "sub", 0x80000030, true, (struct cy_resources){100, 20, 30, 400});
    /* as many as functions: one by one in the order of the code */
    add_record(&object, CY_RESOURCE_SECTION_OLD, 7, 8, 9, 10);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    check_kernel(&kernels[0], "add", 0x80000010, true, (struct cy_resources){10, 20, 30, 400});
    check_kernel(&kernels[1], "mul", 0x80000020, true, (struct cy_resources){100, 2, 3, 4});
    check_kernel(&kernels[2], "sub", 0x80000030, true, (struct cy_resources){7, 8, 9, 10});
    cy_object_free(&object);
}

TEST_MAIN(test_records, test_no_records, test_old_records)
