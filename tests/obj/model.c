/* What is read is what was written, and the writer's layout. */
#include "build.h"

#include "support/test.h"

static struct cy_object read_back(const struct cy_object *object, struct cy_buf *file)
{
    struct cy_object back = {0};
    struct cy_diags diags = {0};
    file->size = 0;
    cy_object_write(object, file);
    CHECK(cy_object_is_elf(file->data, file->size));
    if (!CHECK(cy_object_read(&back, "back", file->data, file->size, &diags)))
        fprintf(stderr, "%s", diags.text.data);
    cy_diags_free(&diags);
    return back;
}

static void check_same_section(const struct cy_section *a, const struct cy_section *b)
{
    CHECK_STR(a->name, b->name);
    CHECK_EQ(a->type, b->type);
    CHECK_EQ(a->flags, b->flags);
    CHECK_EQ(a->address, b->address);
    CHECK_EQ(a->align, b->align);
    CHECK_EQ(a->entry_size, b->entry_size);
    CHECK_EQ(a->size, b->size);
    CHECK_EQ(a->data.size, b->data.size);
    CHECK(a->data.size == 0 || memcmp(a->data.data, b->data.data, a->data.size) == 0);
}

static void test_relocatable(void)
{
    struct cy_object object;
    struct cy_buf file = {0};
    build_relocatable(&object);
    object.sections.at[0].align = 16;
    object.sections.at[1].entry_size = 4;
    object.flags = CY_EF_VENTUS_GEN2;
    struct cy_object back = read_back(&object, &file);
    CHECK_STR(back.name, "back");
    CHECK_EQ(back.type, CY_ET_REL);
    CHECK_EQ(back.machine, CY_EM_RISCV);
    CHECK_EQ(back.flags, CY_EF_VENTUS_GEN2);
    CHECK_EQ(back.segments.count, 0);
    CHECK_EQ(back.sections.count, 3);
    for (size_t i = 0; i < 3; i++)
        check_same_section(&back.sections.at[i], &object.sections.at[i]);

    /* locals first, each group in its order */
    static const uint32_t order[] = {1, 2, 5, 0, 3, 4, 6, 7};
    uint32_t place[CY_COUNT(order)];
    CHECK_EQ(back.symbols.count, CY_COUNT(order));
    for (uint32_t i = 0; i < CY_COUNT(order); i++) {
        const struct cy_symbol *got = &back.symbols.at[i], *expected = &object.symbols.at[order[i]];
        place[order[i]] = i;
        CHECK_STR(got->name, expected->name);
        CHECK_EQ(got->value, expected->value);
        CHECK_EQ(got->size, expected->size);
        CHECK_EQ(got->section, expected->section);
        CHECK_EQ(got->binding, expected->binding);
        CHECK_EQ(got->type, expected->type);
        CHECK_EQ(got->visibility, expected->visibility);
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(back.sections.at[i].relocs.count, object.sections.at[i].relocs.count);
        for (size_t j = 0; j < object.sections.at[i].relocs.count; j++) {
            const struct cy_reloc *got = &back.sections.at[i].relocs.at[j],
                                  *expected = &object.sections.at[i].relocs.at[j];
            CHECK_EQ(got->offset, expected->offset);
            CHECK_EQ(got->type, expected->type);
            CHECK_EQ(got->symbol, expected->symbol == CY_NO_SYMBOL ? CY_NO_SYMBOL : place[expected->symbol]);
            CHECK_EQ(got->addend, expected->addend);
        }
    }
    cy_object_free(&back);
    CHECK(back.sections.at == NULL && back.arena.block == NULL);
    cy_object_free(&back);
    cy_object_free(&object);
    cy_buf_free(&file);
}

static void test_executable(void)
{
    struct cy_object object;
    struct cy_buf file = {0};
    build_executable(&object);
    struct cy_object back = read_back(&object, &file);
    CHECK_EQ(back.type, CY_ET_EXEC);
    CHECK_EQ(back.entry, 0x80000000);
    static const char *const names[] = {".text", ".rodata", ".data", ".bss", ".comment"};
    CHECK_EQ(back.sections.count, 5);
    for (size_t i = 0; i < 5; i++) {
        CHECK_STR(back.sections.at[i].name, names[i]);
        check_same_section(&back.sections.at[i], cy_object_find_section(&object, names[i]));
    }
    static const struct {
        uint32_t flags, address, file_size, memory_size;
        const char *data;
    } segments[] = {
        {5, 0x80000000, 8, 8, "\x13"},
        {4, 0x80001000, 8, 8, "constant"},
        {6, 0x80002004, 4, 0x500c, "data"},
    };
    CHECK_EQ(back.segments.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct cy_segment *segment = &back.segments.at[i];
        CHECK_EQ(segment->type, 1);
        CHECK_EQ(segment->flags, segments[i].flags);
        CHECK_EQ(segment->address, segments[i].address);
        CHECK_EQ(segment->file_size, segments[i].file_size);
        CHECK_EQ(segment->memory_size, segments[i].memory_size);
        CHECK_EQ(segment->align, 0x1000);
        CHECK_EQ(segment->offset % 0x1000, segment->address % 0x1000);
        CHECK(segment->data == (const uint8_t *)file.data + segment->offset);
        CHECK(memcmp(segment->data, segments[i].data, strlen(segments[i].data)) == 0);
    }
    CHECK_EQ(cy_object_find_symbol(&back, "buffer")->value, 0x80002010);
    CHECK_STR(back.sections.at[cy_object_find_symbol(&back, "buffer")->section - 1].name, ".bss");
    CHECK_STR(back.sections.at[cy_object_find_symbol(&back, "kernel")->section - 1].name, ".text");
    cy_object_free(&back);
    cy_object_free(&object);
    cy_buf_free(&file);
}

/* Gaps, two code sections far apart, contents after a bss, an empty section, thread-local bss, which occupies no
 * memory, relocations kept in an executable. */
static void test_segments(void)
{
    struct cy_object object = {.type = CY_ET_EXEC, .machine = CY_EM_RISCV};
    struct cy_buf file = {0};
    uint32_t code = CY_SHF_ALLOC | CY_SHF_EXECINSTR, data = CY_SHF_ALLOC | CY_SHF_WRITE;
    build_section(&object, ".far", CY_SHT_PROGBITS, code, 0x90000ff0, "farcode!", 8);
    uint32_t text = build_section(&object, ".text", CY_SHT_PROGBITS, code, 0x80000010, "code", 4);
    build_section(&object, ".text.b", CY_SHT_PROGBITS, code, 0x80000020, "more", 4);
    build_section(&object, ".bss", CY_SHT_NOBITS, data, 0x80000024, NULL, 0x10);
    build_section(&object, ".data", CY_SHT_PROGBITS, data, 0x80000034, "late", 4);
    build_section(&object, ".none", CY_SHT_PROGBITS, data, 0x80000034, "", 0);
    build_section(&object, ".tbss", CY_SHT_NOBITS, data | 0x400 /* SHF_TLS */, 0x80000010, NULL, 0x100);
    build_section(&object, ".top", CY_SHT_NOBITS, data, 0xfffff000, NULL, 0x1000);
    build_symbol(&object, "x", text, 0x80000010, CY_STB_GLOBAL, CY_STT_NOTYPE);
    build_reloc(&object, text, 2, CY_R_RISCV_32, 0, 7);
    struct cy_object back = read_back(&object, &file);
    static const uint32_t segments[][4] = {
        {5, 0x80000010, 0x14, 0x14}, {6, 0x80000024, 0, 0x10},   {6, 0x80000034, 4, 4},
        {5, 0x90000ff0, 8, 8},       {6, 0xfffff000, 0, 0x1000},
    };
    CHECK_EQ(back.segments.count, CY_COUNT(segments));
    for (size_t i = 0; i < CY_COUNT(segments); i++) {
        CHECK_EQ(back.segments.at[i].flags, segments[i][0]);
        CHECK_EQ(back.segments.at[i].address, segments[i][1]);
        CHECK_EQ(back.segments.at[i].file_size, segments[i][2]);
        CHECK_EQ(back.segments.at[i].memory_size, segments[i][3]);
        CHECK_EQ(back.segments.at[i].offset % 0x1000, segments[i][1] % 0x1000);
    }
    CHECK(memcmp(back.segments.at[0].data, "code\0\0\0\0\0\0\0\0\0\0\0\0more", 20) == 0);
    const struct cy_section *section = cy_object_find_section(&back, ".text");
    CHECK_EQ(section->relocs.count, 1);
    CHECK_EQ(section->relocs.at[0].offset, 2);
    CHECK_EQ(section->relocs.at[0].addend, 7);
    CHECK(file.size < 0x4000);
    cy_object_free(&back);
    cy_object_free(&object);
    cy_buf_free(&file);
}

/* A gap of less than a page stays inside a segment. */
static void test_gaps(void)
{
    struct cy_object object = {.type = CY_ET_EXEC, .machine = CY_EM_RISCV};
    struct cy_buf file = {0};
    build_section(&object, ".a", CY_SHT_PROGBITS, CY_SHF_ALLOC, 0x10000, "aaaa", 4);
    build_section(&object, ".b", CY_SHT_PROGBITS, CY_SHF_ALLOC, 0x11003, "b", 1);
    build_section(&object, ".c", CY_SHT_PROGBITS, CY_SHF_ALLOC, 0x12004, "c", 1);
    struct cy_object back = read_back(&object, &file);
    CHECK_EQ(back.segments.count, 2);
    CHECK_EQ(back.segments.at[0].address, 0x10000);
    CHECK_EQ(back.segments.at[0].file_size, 0x1004);
    CHECK_EQ(back.segments.at[0].data[0x1003], 'b');
    CHECK_EQ(back.segments.at[1].address, 0x12004);
    CHECK_EQ(back.segments.at[1].data[0], 'c');
    cy_object_free(&back);
    cy_object_free(&object);
    cy_buf_free(&file);
}

static void test_empty(void)
{
    struct cy_buf file = {0};
    struct cy_object object = {.type = CY_ET_REL, .machine = CY_EM_EPIC};
    cy_buf_puts(&file, "kept");
    cy_object_write(&object, &file); /* appends */
    CHECK(memcmp(file.data, "kept\177ELF", 8) == 0);
    struct cy_object back = read_back(&object, &file);
    CHECK_EQ(back.machine, CY_EM_EPIC);
    CHECK_EQ(back.sections.count + back.symbols.count + back.segments.count, 0);
    cy_object_free(&back);
    object.type = CY_ET_EXEC;
    back = read_back(&object, &file);
    CHECK_EQ(back.type, CY_ET_EXEC);
    cy_object_free(&back);
    cy_object_free(&object);
    cy_buf_free(&file);
}

static void test_find(void)
{
    struct cy_object object;
    build_relocatable(&object);
    build_symbol(&object, "twice", 1, 4, CY_STB_LOCAL, CY_STT_NOTYPE);
    build_symbol(&object, "twice", 2, 4, CY_STB_GLOBAL, CY_STT_NOTYPE);
    CHECK_EQ(cy_object_find_symbol(&object, "twice")->section, 2);
    CHECK_EQ(cy_object_find_symbol(&object, ".L1")->value, 12);
    CHECK(cy_object_find_symbol(&object, "helper") == NULL);
    CHECK(cy_object_find_symbol(&object, "shared") == NULL);
    CHECK(cy_object_find_symbol(&object, ".data") == NULL);
    CHECK(cy_object_find_symbol(&object, "built.s") == NULL);
    CHECK_EQ(cy_object_find_symbol(&object, "size")->value, 0x1234);
    CHECK(cy_object_find_section(&object, ".bss") == &object.sections.at[2]);
    CHECK(cy_object_find_section(&object, ".rodata") == NULL);
    cy_object_free(&object);
}

/* Relocations come back sorted by offset; those at one offset keep their order. */
static void test_reloc_order(void)
{
    struct cy_object object = {.type = CY_ET_REL, .machine = CY_EM_RISCV};
    struct cy_buf file = {0};
    static const char zeros[4096];
    uint32_t text = build_section(&object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC, 0, zeros, sizeof(zeros));
    build_symbol(&object, "s", CY_SHN_UNDEF, 0, CY_STB_GLOBAL, CY_STT_NOTYPE);
    uint32_t state = 1;
    for (int32_t i = 0; i < 3000; i++) {
        state = state * 1664525 + 1013904223;
        build_reloc(&object, text, (state >> 20) % 512 * 4, CY_R_RISCV_32, 0, i);
    }
    struct cy_object back = read_back(&object, &file);
    const struct cy_section *section = &back.sections.at[0];
    CHECK_EQ(section->relocs.count, 3000);
    int64_t sum = 0;
    for (size_t i = 0; i < 3000; i++) {
        const struct cy_reloc *reloc = &section->relocs.at[i];
        sum += reloc->addend;
        CHECK_EQ(reloc->offset, object.sections.at[0].relocs.at[reloc->addend].offset);
        if (i > 0) {
            const struct cy_reloc *before = &section->relocs.at[i - 1];
            CHECK(before->offset < reloc->offset ||
                  (before->offset == reloc->offset && before->addend < reloc->addend));
        }
    }
    CHECK_EQ(sum, 3000 * 2999 / 2);
    cy_object_free(&back);
    cy_object_free(&object);
    cy_buf_free(&file);
}

static void test_reloc_names(void)
{
    CHECK_STR(cy_reloc_name(CY_EM_RISCV, CY_R_RISCV_PCREL_HI20), "R_RISCV_PCREL_HI20");
    CHECK_STR(cy_reloc_name(CY_EM_RISCV, 32), "R_RISCV_TPREL_ADD");
    CHECK_STR(cy_reloc_name(CY_EM_EPIC, CY_R_EPIC_JUMP), "R_EPIC_JUMP");
    CHECK(cy_reloc_name(CY_EM_RISCV, 13) == NULL);
    CHECK(cy_reloc_name(CY_EM_RISCV, 0xffffffff) == NULL);
    CHECK(cy_reloc_name(CY_EM_EPIC, 250) == NULL);
    CHECK(cy_reloc_name(62, 1) == NULL);
}

TEST_MAIN(test_relocatable, test_executable, test_segments, test_gaps, test_empty, test_find, test_reloc_order,
          test_reloc_names)
