#include "build.h"

#include <stdlib.h>

uint32_t build_section(struct cy_object *object, const char *name, uint32_t type, uint32_t flags, uint32_t address,
                       const void *bytes, uint32_t size)
{
    struct cy_section *section = cy_object_add_section(object, name, type, flags);
    section->address = address;
    section->align = 4;
    section->size = size;
    if (type != CY_SHT_NOBITS)
        cy_buf_append(&section->data, bytes, size);
    return (uint32_t)object->sections.count;
}

void build_symbol(struct cy_object *object, const char *name, uint32_t section, uint32_t value, uint8_t binding,
                  uint8_t type)
{
    *cy_vec_push(&object->symbols) =
        (struct cy_symbol){.name = name, .section = section, .value = value, .binding = binding, .type = type};
}

void build_reloc(struct cy_object *object, uint32_t section, uint32_t offset, uint32_t type, uint32_t symbol,
                 int32_t addend)
{
    *cy_vec_push(&object->sections.at[section - 1].relocs) =
        (struct cy_reloc){.offset = offset, .type = type, .symbol = symbol, .addend = addend};
}

void build_relocatable(struct cy_object *object)
{
    static const uint8_t code[16] = {0x97, 0, 0, 0, 0xe7, 0x80, 0, 0, 0x63, 0, 0, 0, 0x13, 0, 0, 0};
    *object = (struct cy_object){.type = CY_ET_REL, .machine = CY_EM_RISCV, .name = "built.o"};
    uint32_t text =
        build_section(object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR, 0, code, sizeof(code));
    uint32_t data = build_section(object, ".data", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_WRITE, 0, "01234567", 8);
    uint32_t bss = build_section(object, ".bss", CY_SHT_NOBITS, CY_SHF_ALLOC | CY_SHF_WRITE, 0, NULL, 64);
    /* a global one before the locals: the writer sorts */
    build_symbol(object, "kernel", text, 0, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "built.s", CY_SHN_ABS, 0, CY_STB_LOCAL, CY_STT_FILE);
    build_symbol(object, ".data", data, 0, CY_STB_LOCAL, CY_STT_SECTION);
    build_symbol(object, "helper", CY_SHN_UNDEF, 0, CY_STB_GLOBAL, CY_STT_NOTYPE);
    build_symbol(object, "scratch", bss, 32, CY_STB_WEAK, CY_STT_OBJECT);
    build_symbol(object, ".L1", text, 12, CY_STB_LOCAL, CY_STT_NOTYPE);
    build_symbol(object, "size", CY_SHN_ABS, 0x1234, CY_STB_GLOBAL, CY_STT_NOTYPE);
    build_symbol(object, "shared", CY_SHN_COMMON, 8, CY_STB_GLOBAL, CY_STT_OBJECT);
    object->symbols.at[0].size = 16;
    object->symbols.at[4].visibility = 2;
    build_reloc(object, text, 0, CY_R_RISCV_CALL_PLT, 3, 0);
    build_reloc(object, text, 0, CY_R_RISCV_RELAX, CY_NO_SYMBOL, 0);
    build_reloc(object, text, 8, CY_R_RISCV_BRANCH, 5, 0);
    build_reloc(object, data, 4, CY_R_RISCV_32, 2, -4);
}

void build_executable(struct cy_object *object)
{
    static const uint8_t code[8] = {0x13, 0, 0, 0, 0x0b, 0x40, 0, 0};
    *object = (struct cy_object){.type = CY_ET_EXEC, .machine = CY_EM_RISCV, .entry = 0x80000000, .name = "built"};
    build_section(object, ".comment", CY_SHT_PROGBITS, 0, 0, "hello", 6);
    uint32_t bss = build_section(object, ".bss", CY_SHT_NOBITS, CY_SHF_ALLOC | CY_SHF_WRITE, 0x80002010, NULL, 0x5000);
    build_section(object, ".data", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_WRITE, 0x80002004, "data", 4);
    build_section(object, ".rodata", CY_SHT_PROGBITS, CY_SHF_ALLOC, 0x80001000, "constant", 8);
    uint32_t text = build_section(object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR, 0x80000000, code,
                                  sizeof(code));
    build_symbol(object, "_start", text, 0x80000000, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "kernel", text, 0x80000004, CY_STB_GLOBAL, CY_STT_FUNC);
    build_symbol(object, "buffer", bss, 0x80002010, CY_STB_LOCAL, CY_STT_OBJECT);
}
