/* Objects and executables in memory, and ELF32 little-endian RISC-V (or EpicGPU) on disk.
 *
 * One model serves the assembler (writes relocatable objects), the linker (reads them, writes executables), the
 * disassembler and the loader (read both).  Everything is allocated from the object's arena; cy_object_free frees it
 * all. */
#ifndef CY_OBJ_OBJ_H
#define CY_OBJ_OBJ_H

#include "base/diag.h"
#include "chengying/kernel.h"

/* ELF constants used here, under their standard names. */
enum {
    CY_ET_REL = 1,
    CY_ET_EXEC = 2,
    CY_EM_RISCV = 243,
    CY_EM_EPIC = 0xe91c, /* (ours) no registered number exists for EpicGPU */
    CY_SHT_PROGBITS = 1,
    CY_SHT_SYMTAB = 2,
    CY_SHT_STRTAB = 3,
    CY_SHT_RELA = 4,
    CY_SHT_NOTE = 7,
    CY_SHT_NOBITS = 8,
    CY_SHT_RISCV_ATTRIBUTES = 0x70000003,
    CY_SHF_WRITE = 1,
    CY_SHF_ALLOC = 2,
    CY_SHF_EXECINSTR = 4,
    CY_SHF_MERGE = 0x10,
    CY_SHF_STRINGS = 0x20,
    CY_STB_LOCAL = 0,
    CY_STB_GLOBAL = 1,
    CY_STB_WEAK = 2,
    CY_STT_NOTYPE = 0,
    CY_STT_OBJECT = 1,
    CY_STT_FUNC = 2,
    CY_STT_SECTION = 3,
    CY_STT_FILE = 4,
    CY_SHN_UNDEF = 0,
    CY_SHN_ABS = 0xfff1,
    CY_SHN_COMMON = 0xfff2,
    CY_EF_VENTUS_GEN2 = 0x01000000, /* (ours) in the non-standard byte of e_flags: code uses the gen2 instruction set */
};

/* RISC-V relocation types, by their psABI names; RELOC(name, number) rows in obj/relocs.def. */
enum cy_reloc_type {
#define RELOC(name, number) CY_R_RISCV_##name = number,
#include "obj/relocs.def"
};
/* EpicGPU relocation types, ours; obj/epic_relocs.def describes what each one patches. */
enum cy_epic_reloc_type {
#define EPIC_RELOC(name, number) CY_R_EPIC_##name = number,
#include "obj/epic_relocs.def"
};
const char *cy_reloc_name(uint16_t machine, uint32_t type); /* "R_RISCV_PCREL_HI20", "R_EPIC_JUMP", or NULL */

#define CY_NO_SYMBOL UINT32_MAX /* a relocation against ELF's null symbol, value 0 (RELAX, ALIGN) */
struct cy_reloc {
    uint32_t offset; /* in its section, below its size once read; code that patches must check that the whole field
                      * fits */
    uint32_t type;
    uint32_t symbol; /* index into cy_object.symbols, or CY_NO_SYMBOL */
    int32_t addend;
};

struct cy_section {
    const char *name;
    uint32_t type, flags, address;
    uint32_t align; /* a power of two, at least 1 */
    uint32_t entry_size;
    uint32_t size;                  /* size in memory; equals data.size except for NOBITS, which has no data */
    struct cy_buf data;             /* contents, owned by the section */
    CY_VEC(struct cy_reloc) relocs; /* sorted by offset once read */
};

struct cy_symbol {
    const char *name; /* of a STT_SECTION symbol: the section's name */
    uint32_t value, size;
    uint32_t section; /* index into cy_object.sections + 1, or CY_SHN_UNDEF / CY_SHN_ABS / CY_SHN_COMMON */
    uint8_t binding, type, visibility; /* visibility: STV_ 0 default, 1 internal, 2 hidden, 3 protected */
};

struct cy_segment {
    uint32_t type, flags, offset, address, file_size, memory_size, align;
    const uint8_t *data; /* file_size bytes inside the file image; NULL when file_size is 0 */
};

struct cy_object {
    struct cy_arena arena;
    const char *name; /* file name for messages */
    uint16_t type, machine;
    uint32_t flags, entry;
    CY_VEC(struct cy_section) sections; /* program contents only: no symbol, string or relocation tables */
    CY_VEC(struct cy_symbol) symbols;   /* without ELF's null symbol */
    CY_VEC(struct cy_segment) segments; /* as read, PT_LOAD and others; cy_object_write creates them for executables */
};

/* Is this an ELF file at all?  (To distinguish objects, sources and raw binaries.) */
bool cy_object_is_elf(const void *bytes, size_t size);

/* Reads an image into `object`, whose old contents are not freed.  Every offset, size and index is checked: a truncated
 * or malformed file gives a diagnostic that names what is wrong and where, and false; then there is nothing to free.
 * The bytes must stay valid while `object->segments[].data` is used. */
bool cy_object_read(struct cy_object *object, const char *name, const void *bytes, size_t size, struct cy_diags *diags);

/* Appends the ELF file to `out`.  For CY_ET_EXEC the allocated sections are grouped into page-aligned PT_LOAD segments
 * by address and permission.  Locals come before globals in the symbol table, as ELF requires. */
void cy_object_write(const struct cy_object *object, struct cy_buf *out);
void cy_object_free(struct cy_object *object);

/* The pointer is valid until the next section is added. */
struct cy_section *cy_object_add_section(struct cy_object *object, const char *name, uint32_t type, uint32_t flags);
struct cy_section *cy_object_find_section(const struct cy_object *object, const char *name);     /* or NULL */
const struct cy_symbol *cy_object_find_symbol(const struct cy_object *object, const char *name); /* defined, or NULL */
/* What the segments of an executable hold from an address on; bytes that none of them holds stay as they are. */
void cy_object_copy(const struct cy_object *object, uint32_t address, void *bytes, size_t size);

#define CY_PRINTF_SECTION ".cy.printf" /* the formats of printf, NUL-terminated */

/* Kernels whose work-items do not wait for each other, which an engine may run in any order (docs/jit.md): sections with their names,
 * NUL-terminated.  Those of CY_MARK_WARPS exchange values within a warp: only warp by warp; those of CY_MARK_LOCKS take locks: only if
 * none is left half-way meanwhile; those of CY_MARK_ROWS wait for workgroups before them: only in a row of workgroups, one after the
 * other. */
enum cy_mark { CY_MARK_LANES, CY_MARK_WARPS, CY_MARK_LOCKS, CY_MARK_ROWS, CY_MARK_COUNT };
extern const char *const cy_mark_sections[CY_MARK_COUNT];

/* Kernels: the resource record of the Ventus ABI. */
#define CY_RESOURCE_SECTION ".ventus.resource."           /* + kernel name: four u16 */
#define CY_RESOURCE_SECTION_OLD ".rodata.ventus.resource" /* one record per kernel, no names */
/* The kernels of an executable or object: every symbol with a resource record; if there is no record at all, every
 * global function except _start.  Signatures come from notes (obj/notes.h); a kernel whose note is missing or damaged
 * has none.  The array is allocated from the object's arena; strings stay in the object. */
size_t cy_object_kernels(struct cy_object *object, struct cy_kernel_info **kernels);

#endif
