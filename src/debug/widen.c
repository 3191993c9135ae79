/* An executable of generation 2 as GDB must see it.
 *
 * Our files are ELF32, because code and variables are below 4 GiB.  GDB takes the width of pointers from the class of the
 * file, and refuses one that differs from the width of the registers.  So it gets the same contents in an ELF64 file: the
 * old file as a whole, moved up by a page, then symbols and headers in their wide form. */
#include "debug/debug_priv.h"

#include <elf.h>
#include <string.h>

enum { MOVED = 4096 };

static void put_symbol(struct cy_buf *out, const Elf32_Sym *from)
{
    const Elf64_Sym to = {.st_name = from->st_name,
                          .st_info = from->st_info,
                          .st_other = from->st_other,
                          .st_shndx = from->st_shndx,
                          .st_value = from->st_value,
                          .st_size = from->st_size};
    cy_buf_append(out, &to, sizeof(to));
}

static void put_segment(struct cy_buf *out, const Elf32_Phdr *from)
{
    const Elf64_Phdr to = {.p_type = from->p_type,
                           .p_flags = from->p_flags,
                           .p_offset = (Elf64_Off)from->p_offset + MOVED,
                           .p_vaddr = from->p_vaddr,
                           .p_paddr = from->p_paddr,
                           .p_filesz = from->p_filesz,
                           .p_memsz = from->p_memsz,
                           .p_align = from->p_align};
    cy_buf_append(out, &to, sizeof(to));
}

static void put_section(struct cy_buf *out, const Elf32_Shdr *from, uint64_t symbols)
{
    Elf64_Shdr to = {.sh_name = from->sh_name,
                     .sh_type = from->sh_type,
                     .sh_flags = from->sh_flags,
                     .sh_addr = from->sh_addr,
                     .sh_offset = from->sh_type ? (Elf64_Off)from->sh_offset + MOVED : 0,
                     .sh_size = from->sh_size,
                     .sh_link = from->sh_link,
                     .sh_info = from->sh_info,
                     .sh_addralign = from->sh_addralign,
                     .sh_entsize = from->sh_entsize};
    if (to.sh_type == SHT_RELA || to.sh_type == SHT_REL) { /* of no use in an executable */
        to.sh_type = SHT_NULL;
        to.sh_size = 0;
    } else if (to.sh_type == SHT_SYMTAB) {
        to.sh_offset = symbols;
        to.sh_entsize = sizeof(Elf64_Sym);
        to.sh_size = from->sh_size / sizeof(Elf32_Sym) * sizeof(Elf64_Sym);
    }
    cy_buf_append(out, &to, sizeof(to));
}

static bool has_table(size_t size, uint64_t offset, uint64_t count, uint64_t entry)
{
    return offset <= size && count * entry <= size - offset;
}

bool debug_widen(const void *file, size_t size, struct cy_buf *out)
{
    const uint8_t *bytes = file;
    Elf32_Ehdr old;
    Elf32_Phdr segment;
    Elf32_Shdr section;
    out->size = 0;
    if (size < sizeof(old))
        return false;
    memcpy(&old, bytes, sizeof(old));
    if (!has_table(size, old.e_phoff, old.e_phnum, sizeof(segment)) ||
        !has_table(size, old.e_shoff, old.e_shnum, sizeof(section)))
        return false;
    Elf64_Ehdr header = {.e_type = old.e_type,
                         .e_machine = old.e_machine,
                         .e_version = old.e_version,
                         .e_entry = old.e_entry,
                         .e_flags = old.e_flags,
                         .e_ehsize = sizeof(header),
                         .e_phentsize = old.e_phnum ? sizeof(Elf64_Phdr) : 0,
                         .e_phnum = old.e_phnum,
                         .e_shentsize = old.e_shnum ? sizeof(Elf64_Shdr) : 0,
                         .e_shnum = old.e_shnum,
                         .e_shstrndx = old.e_shstrndx};
    memcpy(header.e_ident, old.e_ident, sizeof(header.e_ident));
    header.e_ident[EI_CLASS] = ELFCLASS64;
    cy_buf_zeros(out, MOVED); /* with the header, when it is complete */
    cy_buf_append(out, bytes, size);
    cy_buf_zeros(out, -out->size % 8);
    uint64_t symbols = out->size;
    for (uint32_t i = 0; i < old.e_shnum; i++) {
        memcpy(&section, bytes + old.e_shoff + i * sizeof(section), sizeof(section));
        const uint32_t count = section.sh_size / sizeof(Elf32_Sym);
        if (section.sh_type != SHT_SYMTAB)
            continue;
        if (!has_table(size, section.sh_offset, count, sizeof(Elf32_Sym)))
            return false;
        symbols = out->size;
        for (uint32_t k = 0; k < count; k++) {
            Elf32_Sym symbol;
            memcpy(&symbol, bytes + section.sh_offset + k * sizeof(symbol), sizeof(symbol));
            put_symbol(out, &symbol);
        }
    }
    header.e_phoff = old.e_phnum ? out->size : 0;
    for (uint32_t i = 0; i < old.e_phnum; i++) {
        memcpy(&segment, bytes + old.e_phoff + i * sizeof(segment), sizeof(segment));
        put_segment(out, &segment);
    }
    header.e_shoff = old.e_shnum ? out->size : 0;
    for (uint32_t i = 0; i < old.e_shnum; i++) {
        memcpy(&section, bytes + old.e_shoff + i * sizeof(section), sizeof(section));
        put_section(out, &section, symbols);
    }
    memcpy(out->data, &header, sizeof(header));
    return true;
}
