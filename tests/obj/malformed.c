/* Malformed files: each row changes one field of a good file and expects exactly one message. */
#include "build.h"

#include "support/test.h"

enum place { NOTHING, HEADER, PROGRAM, SECTION, SYMBOL, RELOC };
enum base { OBJECT, PROGRAM_FILE };

/* The sections of the two files:
 *   object   1 .text 2 .data 3 .bss 4 .rela.text 5 .rela.data 6 .symtab 7 .strtab 8 .shstrtab
 *   program  1 .text 2 .rodata 3 .data 4 .bss 5 .comment 6 .symtab 7 .strtab 8 .shstrtab */
struct row {
    enum base base;
    struct change {
        enum place place;
        uint32_t index; /* which program header, section header, symbol, relocation (of section 4) */
        uint32_t field, width, value;
    } changes[2];
    const char *message; /* {size} stands for the size of the file */
};

/* One row, a line or two. */
/* clang-format off */
#define EHDR(field, width, value) {HEADER, 0, field, width, value}
#define PHDR(index, field, value) {PROGRAM, index, field, 4, value}
#define SHDR(index, field, value) {SECTION, index, field, 4, value}
#define SYM(index, field, width, value) {SYMBOL, index, field, width, value}
#define RELA(index, field, value) {RELOC, index, field, 4, value}

static const struct row rows[] = {
    /* the ELF header */
    {OBJECT, {EHDR(0, 1, 0x7e)}, "not an ELF file"},
    {OBJECT, {EHDR(4, 1, 2)}, "a 64-bit ELF file; only 32-bit ones are supported"},
    {OBJECT, {EHDR(4, 1, 7)}, "the ELF class is 7; only 1 (32 bits) is supported"},
    {OBJECT, {EHDR(5, 1, 2)}, "a big-endian ELF file; only little-endian ones are supported"},
    {OBJECT, {EHDR(5, 1, 0)}, "the ELF data encoding is 0; only 1 (little-endian) is supported"},
    {OBJECT, {EHDR(6, 1, 0)}, "the ELF version is 0; only 1 is supported"},
    {OBJECT, {EHDR(20, 4, 9)}, "the ELF version is 9; only 1 is supported"},
    {OBJECT, {EHDR(16, 2, 3)},
     "the ELF type is 3 (shared object or position-independent executable); only 1 (relocatable) "
     "and 2 (executable) are supported"},
    {OBJECT, {EHDR(16, 2, 4)}, "the ELF type is 4; only 1 (relocatable) and 2 (executable) are supported"},
    {OBJECT, {EHDR(18, 2, 62)}, "the file is for machine 62; only RISC-V (243) and EpicGPU (59676) are supported"},
    {OBJECT, {EHDR(40, 2, 64)}, "the ELF header says it has 64 bytes instead of 52"},
    {PROGRAM_FILE, {EHDR(42, 2, 56)}, "program headers have 56 bytes each instead of 32"},
    {OBJECT, {EHDR(46, 2, 64)}, "section headers have 64 bytes each instead of 40"},
    {PROGRAM_FILE, {EHDR(44, 2, 0xffff)}, "more than 65534 program headers are not supported"},
    {OBJECT, {EHDR(48, 2, 0)}, "more than 65279 sections are not supported"},
    {OBJECT, {EHDR(48, 2, 0xff00)}, "more than 65279 sections are not supported"},
    {OBJECT, {EHDR(50, 2, 0xffff)}, "more than 65279 sections are not supported"},
    {OBJECT, {EHDR(48, 2, 0xfeff)},
     "the table of section headers (65279 of 40 bytes at {sections}) is beyond the end of "
     "the file ({size} bytes)"},
    {OBJECT, {EHDR(32, 4, 0xffffffff)},
     "the table of section headers (9 of 40 bytes at 0xffffffff) is beyond the end of "
     "the file ({size} bytes)"},
    {PROGRAM_FILE, {EHDR(28, 4, 0xfffffff0)},
     "the table of program headers (3 of 32 bytes at 0xfffffff0) is beyond the "
     "end of the file ({size} bytes)"},
    {OBJECT, {EHDR(50, 2, 9)}, "the section names are in section 9, but there are only 9 sections"},
    {OBJECT, {EHDR(50, 2, 1)}, "the section names are in section 1, which is not a string table"},
    {OBJECT, {EHDR(32, 4, 0)}, "section 0 is not the null section but of type 65793"},
    {PROGRAM_FILE, {EHDR(28, 4, 0)}, "the ELF header and the table of program headers overlap in the file at 0x0"},
    {PROGRAM_FILE, {EHDR(28, 4, 51)}, "the ELF header and the table of program headers overlap in the file at 0x33"},
    {PROGRAM_FILE, {EHDR(28, 4, 0x1000)},
     "section 1 (.text) and the table of program headers overlap in the file at 0x1000"},

    /* sections */
    {OBJECT, {SHDR(0, 4, 1)}, "section 0 is not the null section but of type 1"},
    {OBJECT, {SHDR(1, 0, 0x4000)}, "section 1: name offset 0x4000 is outside the string table (0x42 bytes)"},
    {OBJECT, {SHDR(1, 16, 0xfffffff8)},
     "section 1 (.text): offset 0xfffffff8 + size 0x10 is beyond the end of the file "
     "({size} bytes)"},
    {OBJECT, {SHDR(1, 20, 0xffffffff)},
     "section 1 (.text): offset 0x34 + size 0xffffffff is beyond the end of the file "
     "({size} bytes)"},
    {OBJECT, {SHDR(1, 20, 20)}, "section 1 (.text) and section 2 (.data) overlap in the file at 0x44"},
    {OBJECT, {SHDR(2, 16, 16)}, "the ELF header and section 2 (.data) overlap in the file at 0x10"},
    {OBJECT, {SHDR(3, 4, 1)}, "section 3 (.bss) and section 4 (.rela.text) overlap in the file at 0x4c"},
    {OBJECT, {SHDR(8, 20, 0x60)},
     "section 8 (.shstrtab) and the table of section headers overlap in the file at {sections}"},
    {OBJECT, {SHDR(1, 32, 3)}, "section 1 (.text): alignment 3 is not a power of two"},
    {OBJECT, {SHDR(3, 32, 0xffffffff)}, "section 3 (.bss): alignment 4294967295 is not a power of two"},
    {OBJECT, {SHDR(4, 4, 9)},
     "section 4 (.rela.text): relocations without addends (SHT_REL) are not supported, only SHT_RELA"},
    {OBJECT, {SHDR(2, 4, 18)}, "section 2 (.data): more than 65279 sections are not supported"},
    {PROGRAM_FILE, {SHDR(4, 20, 0x7fffe000)}, "section 4 (.bss): address 0x80002010 + size 0x7fffe000 is beyond 4 GiB"},
    {PROGRAM_FILE, {SHDR(3, 12, 0x80002010)}, "section 3 (.data) and section 4 (.bss) overlap in memory at 0x80002010"},
    {OBJECT, {SHDR(8, 16, 0x100000)},
     "section 8: offset 0x100000 + size 0x42 is beyond the end of the file ({size} bytes)"},
    {OBJECT, {SHDR(8, 20, 0x41)}, "section 8: the string table does not end in a zero byte"},

    /* symbols */
    {OBJECT, {SHDR(6, 36, 24)}, "section 6 (.symtab): entries have 24 bytes each instead of 16"},
    {OBJECT, {SHDR(6, 36, 0)}, "section 6 (.symtab): entries have 0 bytes each instead of 16"},
    {OBJECT, {SHDR(6, 20, 0x8f)}, "section 6 (.symtab): size 0x8f is not a multiple of the entry size 16"},
    {OBJECT, {SHDR(6, 24, 1)}, "section 6 (.symtab): the names are in section 1, which is not a string table"},
    {OBJECT, {SHDR(6, 24, 0x10000)},
     "section 6 (.symtab): the names are in section 65536, which is not a string table"},
    {OBJECT, {SHDR(6, 28, 10)}, "section 6 (.symtab): the first global symbol is 10, but there are only 9 symbols"},
    {OBJECT, {SHDR(7, 20, 0x20)}, "section 7 (.strtab): the string table does not end in a zero byte"},
    {OBJECT, {SYM(4, 0, 4, 0xffffffff)}, "symbol 4: name offset 0xffffffff is outside the string table (0x2f bytes)"},
    {OBJECT, {SYM(4, 14, 2, 9)}, "symbol 4 (kernel): section 9 does not exist, there are only 9"},
    {OBJECT, {SYM(4, 14, 2, 0xff00)}, "symbol 4 (kernel): section 65280 does not exist, there are only 9"},
    {OBJECT, {SYM(4, 14, 2, 0xffff)}, "symbol 4 (kernel): more than 65279 sections are not supported"},
    {OBJECT, {SYM(4, 14, 2, 6)}, "symbol 4 (kernel): section 6 (.symtab) is a table of the file format"},
    {OBJECT, {SHDR(7, 4, 2), EHDR(50, 2, 8)},
     "section 6 (.symtab): the names are in section 7, which is not a string table"},
    {OBJECT, {SHDR(5, 4, 2)}, "section 5 (.rela.data): entries have 12 bytes each instead of 16"},
    {OBJECT, {SHDR(8, 4, 2), EHDR(50, 2, 0)}, "section 8: a second symbol table; the first is section 6"},
    {OBJECT, {SHDR(2, 4, 2), SHDR(2, 20, 0)}, "section 2 (.data): entries have 0 bytes each instead of 16"},

    /* relocations */
    {OBJECT, {SHDR(4, 36, 8)}, "section 4 (.rela.text): entries have 8 bytes each instead of 12"},
    {OBJECT, {SHDR(4, 20, 35)}, "section 4 (.rela.text): size 0x23 is not a multiple of the entry size 12"},
    {OBJECT, {SHDR(4, 24, 7)}, "section 4 (.rela.text): the symbols are in section 7, which is not the symbol table"},
    {OBJECT, {SHDR(4, 28, 0)}, "section 4 (.rela.text): the relocations are for section 0, which has no contents"},
    {OBJECT, {SHDR(4, 28, 9)}, "section 4 (.rela.text): the relocations are for section 9, which has no contents"},
    {OBJECT, {SHDR(4, 28, 7)}, "section 4 (.rela.text): the relocations are for section 7, which has no contents"},
    {OBJECT, {SHDR(4, 28, 3)}, "section 4 (.rela.text): the relocations are for section 3, which has no contents"},
    {OBJECT, {RELA(2, 0, 16)}, "section 4 (.rela.text): relocation 2: offset 0x10 is outside .text (0x10 bytes)"},
    {OBJECT, {RELA(2, 0, 17)}, "section 4 (.rela.text): relocation 2: offset 0x11 is outside .text (0x10 bytes)"},
    {OBJECT, {RELA(0, 0, 0xffffffff)},
     "section 4 (.rela.text): relocation 0: offset 0xffffffff is outside .text (0x10 bytes)"},
    {OBJECT, {RELA(1, 4, 9 << 8 | 51)},
     "section 4 (.rela.text): relocation 1: symbol 9 does not exist, there are only 9"},

    /* segments */
    {PROGRAM_FILE, {PHDR(0, 4, 0xffffffff)},
     "segment 0: offset 0xffffffff + size 0x8 is beyond the end of the file "
     "({size} bytes)"},
    {PROGRAM_FILE, {PHDR(1, 16, 0x80000000)},
     "segment 1: offset 0x2000 + size 0x80000000 is beyond the end of the file "
     "({size} bytes)"},
    {PROGRAM_FILE, {PHDR(1, 16, 9)}, "segment 1: 0x9 bytes in the file are more than the 0x8 bytes in memory"},
    {PROGRAM_FILE, {PHDR(2, 20, 0x80000000)}, "segment 2: address 0x80002004 + size 0x80000000 is beyond 4 GiB"},
    {PROGRAM_FILE, {PHDR(2, 28, 0x1001)}, "segment 2: alignment 4097 is not a power of two"},
    {PROGRAM_FILE, {PHDR(0, 20, 0x1001)}, "segment 0 and segment 1 overlap in memory at 0x80001000"},
    {PROGRAM_FILE, {PHDR(2, 8, 0x80000007)}, "segment 0 and segment 2 overlap in memory at 0x80000007"},

    /* changes that are allowed */
    {OBJECT, {SHDR(1, 32, 0)}, NULL},
    {OBJECT, {SHDR(3, 20, 0xffffffff)}, NULL},
    {OBJECT, {EHDR(50, 2, 0)}, NULL},
    {OBJECT, {RELA(2, 0, 16), RELA(2, 4, 0)}, NULL}, /* R_RISCV_NONE at the end */
    {OBJECT, {RELA(2, 4, 250)}, NULL},               /* an unknown type: reported by its user */
    {PROGRAM_FILE, {PHDR(2, 0, 0x70000003)}, NULL},
    {PROGRAM_FILE, {PHDR(2, 20, 0x7fffdffc)}, NULL}, /* up to the last byte of the address space */
    {PROGRAM_FILE, {EHDR(32, 4, 0), EHDR(48, 2, 0)}, NULL},
};
/* clang-format on */

/* ---- the machinery ---- */

static uint32_t get32(const struct cy_buf *file, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)file->data + at;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void make_file(enum base base, struct cy_buf *file)
{
    struct cy_object object;
    if (base == OBJECT)
        build_relocatable(&object);
    else
        build_executable(&object);
    file->size = 0;
    cy_object_write(&object, file);
    cy_object_free(&object);
}

static void apply(struct cy_buf *file, uint32_t sections, const struct change *change)
{
    size_t at = change->field;
    switch (change->place) {
    case NOTHING: return;
    case HEADER: break;
    case PROGRAM: at += 52 + change->index * 32; break;
    case SECTION: at += sections + change->index * 40; break;
    case SYMBOL: at += get32(file, sections + 6 * 40 + 16) + change->index * 16; break;
    case RELOC: at += get32(file, sections + 4 * 40 + 16) + change->index * 12; break;
    }
    for (uint32_t i = 0; i < change->width; i++)
        file->data[at + i] = (char)(change->value >> 8 * i & 0xff);
}

/* The text with {size} and {sections} put in. */
static void expand(const char *text, const struct cy_buf *file, uint32_t sections, struct cy_buf *out)
{
    cy_buf_puts(out, "lie.o: error: ");
    while (*text) {
        if (strncmp(text, "{size}", 6) == 0) {
            cy_buf_printf(out, "0x%zx", file->size);
            text += 6;
        } else if (strncmp(text, "{sections}", 10) == 0) {
            cy_buf_printf(out, "0x%" PRIx32, sections);
            text += 10;
        } else {
            cy_buf_putc(out, *text++);
        }
    }
    cy_buf_putc(out, '\n');
}

static void test_rows(void)
{
    struct cy_buf file = {0};
    for (size_t i = 0; i < CY_COUNT(rows); i++) {
        make_file(rows[i].base, &file);
        uint32_t sections = get32(&file, 32);
        for (size_t j = 0; j < 2; j++)
            apply(&file, sections, &rows[i].changes[j]);
        struct cy_object object;
        struct cy_diags diags = {0};
        bool ok = cy_object_read(&object, "lie.o", file.data, file.size, &diags);
        if (rows[i].message) {
            struct cy_buf expected = {0};
            expand(rows[i].message, &file, sections, &expected);
            CHECK(!ok);
            CHECK_STR(diags.text.data ? diags.text.data : "", expected.data);
            CHECK(object.arena.block == NULL && object.sections.at == NULL);
            cy_buf_free(&expected);
        } else {
            CHECK_STR(diags.text.data ? diags.text.data : "", "");
            CHECK(ok);
        }
        cy_diags_free(&diags);
        cy_object_free(&object);
    }
    cy_buf_free(&file);
}

/* A copy of exactly the file's size, so that a sanitizer detects every byte read past it. */
static bool read_exactly(const char *bytes, size_t size, struct cy_diags *diags, struct cy_buf *again)
{
    char *copy = malloc(size ? size : 1);
    if (size)
        memcpy(copy, bytes, size);
    struct cy_object object;
    bool ok = cy_object_read(&object, "lie.o", copy, size, diags);
    if (ok) {
        struct cy_kernel_info *kernels;
        again->size = 0;
        cy_object_kernels(&object, &kernels);
        cy_object_write(&object, again);
    }
    cy_object_free(&object);
    free(copy);
    return ok;
}

/* The section headers are at the end, so every file that lacks a byte is a bad one. */
static void test_truncated(void)
{
    struct cy_buf file = {0}, again = {0};
    for (enum base base = OBJECT; base <= PROGRAM_FILE; base++) {
        make_file(base, &file);
        for (size_t size = 0; size <= file.size; size++) {
            struct cy_diags diags = {0};
            bool ok = read_exactly(file.data, size, &diags, &again);
            CHECK_EQ(ok, size == file.size);
            CHECK_EQ(diags.errors, !ok);
            if (size == 0)
                CHECK_STR(diags.text.data, "lie.o: error: the file is empty\n");
            else if (size < 4)
                CHECK_STR(diags.text.data, "lie.o: error: not an ELF file\n");
            else if (size == 51)
                CHECK_STR(diags.text.data,
                          "lie.o: error: the ELF header is cut off: the file has 51 of its 52 bytes\n");
            cy_diags_free(&diags);
        }
    }
    cy_buf_free(&file);
    cy_buf_free(&again);
}

/* Flips every bit, one at a time: a message, or a file that reads again once written. */
static void test_flipped(void)
{
    struct cy_buf file = {0}, again = {0}, third = {0};
    unsigned good = 0, bad = 0;
    for (enum base base = OBJECT; base <= PROGRAM_FILE; base++) {
        make_file(base, &file);
        for (size_t at = 0; at < file.size; at++) {
            if (base == PROGRAM_FILE && at >= 200 && at < file.size - 800)
                continue; /* contents and padding */
            for (unsigned bit = 0; bit < 8; bit++) {
                struct cy_diags diags = {0};
                file.data[at] ^= (char)(1 << bit);
                bool ok = read_exactly(file.data, file.size, &diags, &again);
                file.data[at] ^= (char)(1 << bit);
                CHECK_EQ(diags.errors, !ok);
                good += ok;
                bad += !ok;
                if (ok && !CHECK(read_exactly(again.data, again.size, &diags, &third)))
                    fprintf(stderr, "byte 0x%zx bit %u: %s", at, bit, diags.text.data);
                cy_diags_free(&diags);
            }
        }
    }
    CHECK(good > 1000 && bad > 1000);
    cy_buf_free(&file);
    cy_buf_free(&again);
    cy_buf_free(&third);
}

/* Names share a string table and may be long: neither may make the work superlinear. */
static void test_long_names(void)
{
    struct cy_object object = {.type = CY_ET_REL, .machine = CY_EM_RISCV};
    struct cy_buf file = {0};
    char *name = malloc(8193);
    memset(name, 'n', 8192);
    name[8192] = 0;
    build_symbol(&object, name + 1, CY_SHN_UNDEF, 0, CY_STB_GLOBAL, CY_STT_NOTYPE);
    cy_object_write(&object, &file);
    struct cy_object back;
    struct cy_diags diags = {0};
    CHECK(cy_object_read(&back, "a.o", file.data, file.size, &diags));
    CHECK_STR(back.symbols.at[0].name, name + 1);
    cy_object_free(&back);
    object.symbols.at[0].name = name;
    file.size = 0;
    cy_object_write(&object, &file);
    CHECK(!cy_object_read(&back, "a.o", file.data, file.size, &diags));
    CHECK_STR(diags.text.data, "a.o: error: symbol 1: the name is longer than 8191 bytes\n");
    cy_diags_free(&diags);
    object.symbols.count = 0;
    cy_object_add_section(&object, name, CY_SHT_PROGBITS, 0);
    file.size = 0;
    cy_object_write(&object, &file);
    CHECK(!cy_object_read(&back, "a.o", file.data, file.size, &diags));
    CHECK_STR(diags.text.data, "a.o: error: section 1: the name is longer than 8191 bytes\n");
    cy_diags_free(&diags);
    cy_object_free(&object);
    cy_buf_free(&file);
    free(name);
}

TEST_MAIN(test_rows, test_truncated, test_flipped, test_long_names)
