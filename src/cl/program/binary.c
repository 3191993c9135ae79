/* Program binaries are ELF files: the compiler's executable as it is; or bitcode in a relocatable object if a program
 * was only compiled.  Notes (obj/notes.h) tell which.  `cy cc` writes executables too.
 *
 * The checksum detects damage; it does not make a file trustworthy, so every field is checked as well, and
 * cy_cl_build_load checks the kernels. */
#include "cl/program/program_priv.h"

#include "obj/notes.h"

static const enum cy_program_kind kinds[] = {[CL_PROGRAM_BINARY_TYPE_EXECUTABLE] = CY_PROGRAM_EXECUTABLE,
                                             [CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT] = CY_PROGRAM_OBJECT,
                                             [CL_PROGRAM_BINARY_TYPE_LIBRARY] = CY_PROGRAM_LIBRARY};

static void write_bitcode(const struct cy_cl_build *build, const char *options, struct cy_buf *out)
{
    struct cy_object object = {.name = "binary", .type = CY_ET_REL, .machine = CY_EM_RISCV};
    object.flags = build->ventus == 2 ? CY_EF_VENTUS_GEN2 : 0;
    struct cy_section *section = cy_object_add_section(&object, CY_BITCODE_SECTION, CY_SHT_PROGBITS, 0);
    size_t start = out->size;
    section->align = 4;
    section->size = (uint32_t)build->bitcode_size;
    cy_buf_append(&section->data, build->bitcode, build->bitcode_size);
    cy_note_add_program(&object, kinds[build->type], build->uniform_groups);
    cy_note_add_text(&object, CY_NOTE_COMPILER, "Chengying " CY_VERSION);
    cy_note_add_text(&object, CY_NOTE_OPTIONS, options);
    cy_note_add_checksum(&object);
    cy_object_write(&object, out);
    cy_object_free(&object);
    cy_checksum_set(out->data + start, out->size - start);
}

void cy_cl_binary_write(const struct cy_cl_build *build, const char *options, struct cy_buf *out)
{
    if (build->elf)
        cy_buf_append(out, build->elf, build->elf_size);
    else
        write_bitcode(build, options, out);
}

static unsigned char *copy(const void *bytes, size_t size)
{
    return memcpy(cy_xrealloc(NULL, size), bytes, size);
}

static bool take_bitcode(struct cy_cl_build *build, const struct cy_object *object)
{
    static const unsigned char magic[4] = {'B', 'C', 0xc0, 0xde};
    const struct cy_section *section = cy_object_find_section(object, CY_BITCODE_SECTION);
    if (!section || section->data.size < sizeof(magic) || memcmp(section->data.data, magic, sizeof(magic)) != 0)
        return false;
    build->bitcode_size = section->data.size;
    build->bitcode = copy(section->data.data, section->data.size);
    return true;
}

static const char *take_object(struct cy_cl_build *build, const struct cy_object *object, const unsigned char *bytes,
                               size_t size)
{
    struct cy_program_note note;
    bool described = cy_note_read_program(object, &note);
    if (described && note.version != CY_NOTE_VERSION)
        return "it is from a different version of Chengying: rebuild the program from source";
    for (size_t i = 0; i < CY_COUNT(kinds); i++)
        if (described && kinds[i] == note.kind)
            build->type = (cl_program_binary_type)i;
    build->uniform_groups = note.uniform_groups;
    build->ventus = object->flags & CY_EF_VENTUS_GEN2 ? 2 : 1;
    if (!described || object->type != (note.kind == CY_PROGRAM_EXECUTABLE ? CY_ET_EXEC : CY_ET_REL))
        return "it describes no program";
    if (note.kind != CY_PROGRAM_EXECUTABLE)
        return take_bitcode(build, object) ? NULL : "it describes no program";
    build->elf_size = size;
    build->elf = copy(bytes, size);
    return NULL;
}

const char *cy_cl_binary_read(struct cy_cl_build *build, const unsigned char *bytes, size_t size)
{
    static const char before[] = "CYCLBIN"; /* how binaries began when they were no ELF files */
    struct cy_diags diags = {0};
    struct cy_object object;
    if (size >= strlen(before) && !memcmp(bytes, before, strlen(before)))
        return "it is from a different version of Chengying: rebuild the program from source";
    if (!cy_object_is_elf(bytes, size))
        return "it is not a Chengying binary";
    enum cy_checksum checksum = cy_checksum_check(bytes, size);
    if (checksum != CY_CHECKSUM_RIGHT)
        return checksum == CY_CHECKSUM_WRONG ? "it is damaged: its checksum is wrong"
                                             : "it has no checksum: it was not written by Chengying's compiler";
    const char *wrong = "it describes no program";
    if (cy_object_read(&object, "binary", bytes, size, &diags)) {
        wrong = take_object(build, &object, bytes, size);
        cy_object_free(&object);
    }
    bool no_memory = diags.no_memory;
    cy_diags_free(&diags);
    if (no_memory)
        cy_mem_fail();
    return wrong;
}
