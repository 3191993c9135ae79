#include "build.h"

#include "obj/notes.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

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

struct resources {
    uint32_t vgprs, sgprs, lds_bytes, pds_bytes;
};

static void check_kernel(const struct cy_kernel_info *kernel, const char *name, uint32_t entry, bool has,
                         struct resources expected)
{
    CHECK_STR(kernel->name, name);
    CHECK_EQ(kernel->entry, entry);
    CHECK_EQ(kernel->has_resources, has);
    CHECK_EQ(kernel->vgprs, expected.vgprs);
    CHECK_EQ(kernel->sgprs, expected.sgprs);
    CHECK_EQ(kernel->lds_bytes, expected.lds_bytes);
    CHECK_EQ(kernel->pds_bytes, expected.pds_bytes);
}

static const struct resources defaults = {256, 64, 0, 1024};

/* Three functions, listed out of order, next to _start, a local one, an undefined one and an object. */
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
    struct cy_kernel_info *kernels;
    build(&object);
    build_symbol(&object, "add", 1, 0x80000038, CY_STB_LOCAL, CY_STT_FUNC); /* a global one takes precedence */
    add_record(&object, CY_RESOURCE_SECTION "sub", 0x1234, 60, 4096, 8);
    add_record(&object, CY_RESOURCE_SECTION "add", 4, 7, 16, 8);
    add_record(&object, CY_RESOURCE_SECTION "add2", 1, 1, 1, 1);  /* no such symbol */
    add_record(&object, CY_RESOURCE_SECTION "outer", 1, 1, 1, 1); /* not defined here */
    add_record(&object, CY_RESOURCE_SECTION_OLD, 1, 1, 1, 1);     /* new ones win */
    CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
    check_kernel(&kernels[0], "sub", 0x80000030, true, (struct resources){0x1234, 60, 4096, 8});
    check_kernel(&kernels[1], "add", 0x80000010, true, (struct resources){4, 7, 16, 8});

    /* a record of the wrong size still marks a kernel */
    cy_object_find_section(&object, CY_RESOURCE_SECTION "add")->data.size = 6;
    CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
    check_kernel(&kernels[1], "add", 0x80000010, false, defaults);
    cy_object_find_section(&object, CY_RESOURCE_SECTION "add")->data.size = 8;

    /* two records of one name (two sections, as a plain link leaves them): the first counts */
    struct cy_section *again = cy_object_add_section(&object, CY_RESOURCE_SECTION "add", CY_SHT_PROGBITS, 0);
    cy_buf_zeros(&again->data, 8);
    again->size = 8;
    CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
    check_kernel(&kernels[1], "add", 0x80000010, true, (struct resources){4, 7, 16, 8});
    cy_object_free(&object);
}

static void test_no_records(void)
{
    struct cy_object object;
    struct cy_kernel_info *kernels;
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
    struct cy_kernel_info *kernels;
    build(&object);
    add_record(&object, CY_RESOURCE_SECTION_OLD, 10, 20, 30, 400);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(kernels[i].pds_bytes, 400);
    add_record(&object, CY_RESOURCE_SECTION_OLD, 100, 2, 3, 4);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    check_kernel(&kernels[2], "sub", 0x80000030, true, (struct resources){100, 20, 30, 400});
    /* as many as functions: one by one in the order of the code */
    add_record(&object, CY_RESOURCE_SECTION_OLD, 7, 8, 9, 10);
    CHECK_EQ(cy_object_kernels(&object, &kernels), 3);
    check_kernel(&kernels[0], "add", 0x80000010, true, (struct resources){10, 20, 30, 400});
    check_kernel(&kernels[1], "mul", 0x80000020, true, (struct resources){100, 2, 3, 4});
    check_kernel(&kernels[2], "sub", 0x80000030, true, (struct resources){7, 8, 9, 10});
    cy_object_free(&object);
}

static struct cy_kernel_argument arguments[] = {
    {"out", "int*", CY_ADDRESS_GLOBAL, CY_TYPE_RESTRICT, 4, 4, true},
    {"value", "struct pair", CY_ADDRESS_PRIVATE, 0, 16, 8, false},
};
static const struct cy_kernel_info described = {.name = "add",
                                                .may_spin = true,
                                                .row_dimension = 2,
                                                .reqd_size = {4, 2, 1},
                                                .attributes = "reqd_work_group_size(4,2,1)",
                                                .arguments = arguments,
                                                .argument_count = 2,
                                                .instructions = 9};

/* The same after the object was written and read. */
static void check_described(const struct cy_kernel_info *kernel)
{
    check_kernel(kernel, "add", 0x80000010, true, (struct resources){4, 7, 16, 8});
    CHECK(kernel->has_signature && kernel->may_spin && kernel->row_dimension == 2 && !kernel->observes_workgroup &&
          !kernel->uniform_groups);
    CHECK_STR(kernel->attributes, described.attributes);
    CHECK(kernel->reqd_size[0] == 4 && kernel->reqd_size[1] == 2 && kernel->reqd_size[2] == 1);
    CHECK_EQ(kernel->instructions, 9);
    CHECK_EQ(kernel->generation, 1);
    if (!CHECK_EQ(kernel->argument_count, 2))
        return;
    for (size_t i = 0; i < 2; i++) {
        CHECK_STR(kernel->arguments[i].name, arguments[i].name);
        CHECK_STR(kernel->arguments[i].type, arguments[i].type);
        CHECK_EQ(kernel->arguments[i].address, arguments[i].address);
        CHECK_EQ(kernel->arguments[i].qualifiers, arguments[i].qualifiers);
        CHECK_EQ(kernel->arguments[i].size, arguments[i].size);
        CHECK_EQ(kernel->arguments[i].align, arguments[i].align);
        CHECK_EQ(kernel->arguments[i].is_pointer, arguments[i].is_pointer);
    }
}

static void build_described(struct cy_object *object)
{
    build(object);
    add_record(object, CY_RESOURCE_SECTION "add", 4, 7, 16, 8);
    add_record(object, CY_RESOURCE_SECTION "sub", 1, 2, 3, 4);
    cy_note_add_program(object, CY_PROGRAM_LIBRARY, true);
    cy_note_add(object, CY_NOTE_KERNEL, "\1\0\0\0", 4);    /* damaged */
    cy_note_add(object, CY_NOTE_KERNEL + 100, "later", 5); /* not known yet */
    cy_note_add_kernel(object, &described);
    cy_note_add_kernel(object, &(struct cy_kernel_info){.name = "add", .attributes = "second"});
    cy_note_add_kernel(object, &(struct cy_kernel_info){.name = "gone", .attributes = ""});
    cy_note_add_text(object, CY_NOTE_OPTIONS, "-cl-std=CL3.0");
    cy_note_add_checksum(object);
}

static void test_notes(void)
{
    struct cy_object object, back;
    struct cy_kernel_info *kernels;
    struct cy_program_note program;
    struct cy_note note;
    struct cy_diags diags = {0};
    struct cy_buf file = {0};
    build_described(&object);
    cy_object_write(&object, &file);
    CHECK_EQ(cy_checksum_check(file.data, file.size), CY_CHECKSUM_WRONG);
    CHECK(cy_checksum_set(file.data, file.size));
    CHECK_EQ(cy_checksum_check(file.data, file.size), CY_CHECKSUM_RIGHT);
    if (CHECK(cy_object_read(&back, "file", file.data, file.size, &diags))) {
        if (CHECK_EQ(cy_object_kernels(&back, &kernels), 2)) {
            check_described(&kernels[0]);
            CHECK(!kernels[1].has_signature && !kernels[1].argument_count && !*kernels[1].attributes);
        }
        CHECK(cy_note_read_program(&back, &program) && program.kind == CY_PROGRAM_LIBRARY && program.uniform_groups);
        CHECK(cy_note_find(&back, CY_NOTE_OPTIONS, &note));
        CHECK_STR((const char *)note.bytes.at, "-cl-std=CL3.0");
        CHECK(!cy_note_find(&back, CY_NOTE_COMPILER, &note));
        cy_object_free(&back);
    }
    for (size_t at = 0; at < file.size; at++) { /* no bit of the file is outside the checksum */
        file.data[at] = (char)(file.data[at] ^ 1);
        CHECK(cy_checksum_check(file.data, file.size) != CY_CHECKSUM_RIGHT);
        file.data[at] = (char)(file.data[at] ^ 1);
    }
    for (size_t size = 0; size < file.size; size++) {
        char *part = malloc(size + 1); /* its end is the end of an allocation */
        memcpy(part, file.data, size);
        CHECK(cy_checksum_check(part, size) != CY_CHECKSUM_RIGHT);
        free(part);
    }
    cy_buf_free(&file);
    cy_object_free(&object);
}

/* Notes that end anywhere, and with every byte other: what is read never lies outside, and is sound. */
static void test_damaged_notes(void)
{
    struct cy_object object;
    struct cy_kernel_info *kernels;
    build_described(&object);
    struct cy_section *section = cy_object_find_section(&object, CY_NOTE_SECTION);
    struct cy_buf whole = section->data;
    unsigned lost = 0;
    for (size_t i = 0; i < 3 * whole.size; i++) {
        size_t size = i < whole.size ? i : whole.size;
        section->data = (struct cy_buf){0};
        cy_buf_append(&section->data, whole.data, size);
        if (i >= whole.size)
            section->data.data[i % whole.size] =
                (char)(section->data.data[i % whole.size] + (i / whole.size > 1 ? 127 : 1));
        CHECK_EQ(cy_object_kernels(&object, &kernels), 2);
        lost += !kernels[0].has_signature;
        for (size_t a = 0; a < kernels[0].argument_count; a++)
            CHECK(kernels[0].arguments[a].align && strlen(kernels[0].arguments[a].name) <= whole.size);
        cy_buf_free(&section->data);
    }
    CHECK(lost > whole.size / 2);
    section->data = whole;
    cy_object_free(&object);
}

TEST_MAIN(test_records, test_no_records, test_old_records, test_notes, test_damaged_notes)
