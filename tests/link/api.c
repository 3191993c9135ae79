/* The linker as a library: objects made in memory, EpicGPU's relocations, shared inputs. */
#include "support/test.h"

#include "ld/link.h"

static struct cy_object *new_object(const char *name, uint16_t machine)
{
    struct cy_object *object = calloc(1, sizeof(*object));
    object->name = name;
    object->type = CY_ET_REL;
    object->machine = machine;
    return object;
}

static struct cy_section *add_words(struct cy_object *object, const char *name, uint32_t flags, const uint32_t *words,
                                    size_t count)
{
    struct cy_section *section = cy_object_add_section(object, name, CY_SHT_PROGBITS, CY_SHF_ALLOC | flags);
    section->align = 4;
    cy_buf_append(&section->data, words, count * 4);
    section->size = (uint32_t)count * 4;
    return section;
}

static uint32_t add_symbol(struct cy_object *object, const char *name, uint32_t section, uint32_t value)
{
    *cy_vec_push(&object->symbols) =
        (struct cy_symbol){.name = name, .section = section, .value = value, .binding = CY_STB_GLOBAL};
    return (uint32_t)object->symbols.count - 1;
}

static void add_reloc(struct cy_section *section, uint32_t offset, uint32_t type, uint32_t symbol, int32_t addend)
{
    *cy_vec_push(&section->relocs) = (struct cy_reloc){offset, type, symbol, addend};
}

static void free_object(struct cy_object *object)
{
    cy_object_free(object);
    free(object);
}

static uint32_t word_of(const struct cy_object *program, const char *section, uint32_t index)
{
    const struct cy_section *found = cy_object_find_section(program, section);
    uint32_t word = 0;
    if (CHECK(found && found->data.size >= index * 4 + 4))
        memcpy(&word, found->data.data + index * 4, 4);
    return word;
}

/* Links one EpicGPU object with a word that has this relocation to `target`, an absolute symbol.  Returns the word. */
static bool link_epic(uint32_t word, uint32_t type, uint32_t target, uint32_t *result, struct cy_buf *messages)
{
    const uint32_t words[] = {0, 0, word};
    struct cy_object *object = new_object("epic.o", CY_EM_EPIC);
    struct cy_section *text = add_words(object, ".text", CY_SHF_EXECINSTR, words, 3);
    add_reloc(text, 8, type, add_symbol(object, "target", CY_SHN_ABS, target), 0);
    struct cy_link_job job = {.objects = (const struct cy_object *const[]){object}, .object_count = 1};
    struct cy_diags diags = {0};
    struct cy_object program;
    bool ok = cy_link(&job, &program, &diags);
    CHECK_EQ(ok, diags.errors == 0);
    if (ok) {
        *result = word_of(&program, ".text", 2);
        CHECK_EQ(program.machine, CY_EM_EPIC);
        CHECK_EQ(program.entry, 0);
    } else {
        cy_buf_append(messages, diags.text.data, diags.text.size);
    }
    cy_object_free(&program);
    cy_diags_free(&diags);
    free_object(object);
    return ok;
}

/* The fields are assembled here from the encoding table in epic.md, not from the linker's masks. */
static void test_epic_relocs(void)
{
    static const struct {
        uint32_t type, word, target, expected;
    } cases[] = {
        {CY_R_EPIC_NONE, 0x12345678, 99, 0x12345678},
        {CY_R_EPIC_32, 0xffffffff, 0x87654321, 0x87654321},
        {CY_R_EPIC_32_PCREL, 0, 0x108, 0x100},
        {CY_R_EPIC_16, 0xabcd0000, 0xfffe, 0xabcdfffe},
        {CY_R_EPIC_8, 0xabcdef00, 0xfe, 0xabcdeffe},
        /* jump: 111 imm[27:12] 000 imm[11:2]; from 8 to 0x3008: distance 0x3000 */
        {CY_R_EPIC_JUMP, 0xe0000000, 0x3008, 0xe0000000 | 3u << 13},
        {CY_R_EPIC_JUMP, 0xe0000000, 0xffc, 0xe0000000 | 0xff4 >> 2},
        {CY_R_EPIC_JUMP, 0xe0000400, 4, 0xe0000400 | 0xffffu << 13 | 0x3ff}, /* -4 */
        {CY_R_EPIC_JUMP, 0xe0000000, (1u << 27) + 4, 0xe0000000 | 0x7fffu << 13 | 0x3ff},
        /* call: 111 imm[17:2] 010 rs1 rd */
        {CY_R_EPIC_CALL, 0xe0000821, 0x1fffc, 0xe0000821 | 0x7fffu << 13},
        {CY_R_EPIC_CALL, 0xe0000821, 0xfffffffc, 0xe0000821 | 0xffffu << 13},
        /* lui: 010 P imm18[17:5] 11111 imm18[4:0] rd */
        {CY_R_EPIC_LUI18, 0x40007c05, 0xffffffff, 0x40007c05 | 0x1fffu << 15 | 0x1f << 5},
        {CY_R_EPIC_LUI18, 0x40007c05, 0x00084000, 0x40007c05 | 1u << 15 | 1 << 5},
        {CY_R_EPIC_HI18, 0x40007c05, 0x00002000, 0x40007c05 | 1 << 5},
        {CY_R_EPIC_HI18, 0x40007c05, 0x00001fff, 0x40007c05},
        /* I-type: 001 P imm13 f5 rs1 rd */
        {CY_R_EPIC_LO13, 0x20000000, 4095, 0x20000000 | 4095u << 15},
        {CY_R_EPIC_LO13, 0x20000000, (uint32_t)-4096, 0x20000000 | 0x1000u << 15},
        {CY_R_EPIC_LO13A, 0x20000000, 0x1ffc, 0x20000000 | 0xffeu << 15},
        {CY_R_EPIC_LO13B, 0x20000000, 0x1ffc, 0x20000000 | 0xffeu << 15},
        {CY_R_EPIC_LO13A, 0x20000000, 0x2001, 0x20000000 | 0x1000u << 15}, /* l = -8191: -4096 and -4095 */
        {CY_R_EPIC_LO13B, 0x20000000, 0x2001, 0x20000000 | 0x1001u << 15},
    };
    for (size_t i = 0; i < CY_COUNT(cases); i++) {
        uint32_t word = 0;
        struct cy_buf messages = {0};
        if (CHECK(link_epic(cases[i].word, cases[i].type, cases[i].target, &word, &messages)) &&
            !CHECK_EQ(word, cases[i].expected))
            fprintf(stderr, "  in case %zu\n", i);
        cy_buf_free(&messages);
    }
}

/* lui HI18, addi LO13A, addi LO13B must add up to any address: the machine's arithmetic, done here. */
static void test_epic_address(void)
{
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t address = i * 0x9e3779b1u & ~3u, high = 0, a = 0, b = 0;
        struct cy_buf messages = {0};
        CHECK(link_epic(0, CY_R_EPIC_HI18, address, &high, &messages));
        CHECK(link_epic(0, CY_R_EPIC_LO13A, address, &a, &messages));
        CHECK(link_epic(0, CY_R_EPIC_LO13B, address, &b, &messages));
        uint32_t imm18 = (high >> 15 & 0x1fff) << 5 | (high >> 5 & 0x1f);
        int32_t first = (int32_t)(a << 4) >> 19, second = (int32_t)(b << 4) >> 19;
        CHECK_EQ((imm18 << 14) + (uint32_t)first + (uint32_t)second, address);
        cy_buf_free(&messages);
    }
}

static void test_epic_ranges(void)
{
    static const struct {
        uint32_t type, target;
        const char *message;
    } cases[] = {
        {CY_R_EPIC_JUMP, (1u << 27) + 8,
         "error: R_EPIC_JUMP in epic.o(.text+0x8) to 'target' is 134217728 bytes away, reach is \302\261134217728\n"},
        {CY_R_EPIC_JUMP, 10, "error: R_EPIC_JUMP in epic.o(.text+0x8) to 'target': 2 is not a multiple of 4\n"},
        {CY_R_EPIC_CALL, 1u << 17,
         "error: R_EPIC_CALL in epic.o(.text+0x8) to 'target' is 131072 bytes away, reach is \302\261131072\n"},
        {CY_R_EPIC_LO13, 4096,
         "error: R_EPIC_LO13 in epic.o(.text+0x8) to 'target': 4096 does not fit, the limit is 4096\n"},
        {CY_R_EPIC_LO13B, 0x1fff,
         "error: R_EPIC_LO13B in epic.o(.text+0x8) to 'target': 8191 does not fit, the limit is 4096\n"},
        {CY_R_EPIC_16, 0x10000,
         "error: R_EPIC_16 in epic.o(.text+0x8) to 'target': 65536 does not fit, the limit is 32768\n"},
        {CY_R_EPIC_8, 0x100, "error: R_EPIC_8 in epic.o(.text+0x8) to 'target': 256 does not fit, the limit is 128\n"},
        {77, 0, "epic.o: error: relocation of unknown type (type 77) at .text+0x8: it is not supported\n"},
    };
    for (size_t i = 0; i < CY_COUNT(cases); i++) {
        uint32_t word;
        struct cy_buf messages = {0};
        CHECK(!link_epic(0, cases[i].type, cases[i].target, &word, &messages));
        CHECK_STR(messages.data, cases[i].message);
        cy_buf_free(&messages);
    }
}

/* Relocations in any order, a library in memory, the same objects in two jobs. */
static void test_shared_inputs(void)
{
    const uint32_t code[] = {0x00000517, 0x00050513, 0x00000097, 0x000080e7}; /* la a0, datum; call helper */
    const uint32_t ret = 0x00008067;
    struct cy_object *user = new_object("user.o", CY_EM_RISCV), *helper = new_object("helper.o", CY_EM_RISCV);
    struct cy_section *text = add_words(user, ".text", CY_SHF_EXECINSTR, code, 4);
    uint32_t needed = add_symbol(user, "helper", CY_SHN_UNDEF, 0), here = add_symbol(user, "here", 1, 0);
    uint32_t datum = add_symbol(user, "datum", CY_SHN_ABS, 0x80000804);
    add_reloc(text, 8, CY_R_RISCV_CALL_PLT, needed, 0);
    add_reloc(text, 4, CY_R_RISCV_PCREL_LO12_I, here, 0);
    add_reloc(text, 0, CY_R_RISCV_PCREL_HI20, datum, 0);
    add_words(helper, ".text", CY_SHF_EXECINSTR, &ret, 1);
    add_symbol(helper, "helper", 1, 0);
    struct cy_library *library = cy_library_of((const struct cy_object *const[]){helper}, 1);

    for (int round = 0; round < 2; round++) {
        struct cy_link_job job = {.objects = (const struct cy_object *const[]){user},
                                  .object_count = 1,
                                  .libraries = (const struct cy_library *const[]){library},
                                  .library_count = 1,
                                  .no_start = true};
        struct cy_diags diags = {0};
        struct cy_object program;
        if (CHECK(cy_link(&job, &program, &diags))) {
            CHECK_EQ(program.type, CY_ET_EXEC);
            CHECK_EQ(word_of(&program, ".text", 0), 0x00001517); /* 0x804 needs the upper part rounded up */
            CHECK_EQ(word_of(&program, ".text", 1), 0x80450513);
            CHECK_EQ(word_of(&program, ".text", 2), 0x00000097);
            CHECK_EQ(word_of(&program, ".text", 3), 0x008080e7);
            CHECK_EQ(word_of(&program, ".text", 4), ret);
            CHECK(cy_object_find_symbol(&program, "helper") != NULL);
        } else {
            fputs(diags.text.data, stderr);
        }
        cy_object_free(&program);
        cy_diags_free(&diags);
    }
    CHECK(memcmp(text->data.data, code, sizeof(code)) == 0);
    CHECK_EQ(text->relocs.at[0].offset, 8);
    cy_library_close(library);
    free_object(user);
    free_object(helper);
}

/* Errors of an earlier job in the same cy_diags are not this job's. */
static void test_old_errors(void)
{
    const uint32_t ret = 0x00008067;
    struct cy_object *user = new_object("user.o", CY_EM_RISCV);
    add_words(user, ".text", CY_SHF_EXECINSTR, &ret, 1);
    struct cy_link_job job = {.objects = (const struct cy_object *const[]){user}, .object_count = 1, .no_start = true};
    struct cy_diags diags = {0};
    struct cy_object program;
    cy_diag_file(&diags, CY_ERROR, "earlier", "something else");
    CHECK(cy_link(&job, &program, &diags));
    CHECK_EQ(diags.errors, 1);
    cy_object_free(&program);
    job.object_count = 0;
    CHECK(!cy_link(&job, &program, &diags));
    CHECK_STR(diags.text.data, "earlier: error: something else\nerror: nothing to link\n");
    cy_object_free(&program);
    cy_diags_free(&diags);
    free_object(user);
}

/* A local symbol in the common section, which no assembler writes, has no address: it is omitted, from the map too. */
static void test_local_common(void)
{
    const uint32_t ret = 0x00008067;
    struct cy_object *user = new_object("user.o", CY_EM_RISCV);
    add_words(user, ".text", CY_SHF_EXECINSTR, &ret, 1);
    *cy_vec_push(&user->symbols) =
        (struct cy_symbol){.name = "odd", .section = CY_SHN_COMMON, .value = 4, .size = 4, .binding = CY_STB_LOCAL};
    struct cy_buf map = {0};
    struct cy_link_job job = {
        .objects = (const struct cy_object *const[]){user}, .object_count = 1, .no_start = true, .map = &map};
    struct cy_diags diags = {0};
    struct cy_object program;
    CHECK(cy_link(&job, &program, &diags));
    CHECK(cy_object_find_symbol(&program, "odd") == NULL);
    cy_object_free(&program);
    cy_buf_free(&map);
    cy_diags_free(&diags);
    free_object(user);
}

TEST_MAIN(test_local_common, test_epic_relocs, test_epic_address, test_epic_ranges, test_shared_inputs, test_old_errors)
