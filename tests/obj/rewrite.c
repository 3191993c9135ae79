/* rewrite IN OUT           reads an object and writes it again
 * rewrite --truncate IN    reads every proper prefix of it, each of which must give one message
 * rewrite --kernels IN     prints the kernels
 * rewrite --relocs OUT     writes an object with a relocation of every number, and prints what we call them
 * The status is 0 when that went well, 1 with the message on stderr otherwise. */
#include "base/file.h"
#include "obj/obj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int truncate_all(const char *path, struct cy_diags *diags)
{
    struct cy_buf file = {0};
    int status = 0;
    if (!cy_file_read(path, &file, diags))
        return 1;
    for (size_t size = 0; size < file.size && status == 0; size++) {
        char *copy = malloc(size ? size : 1); /* exactly as large, for the sanitizer */
        memcpy(copy, file.data, size);
        struct cy_object object;
        struct cy_diags inner = {0};
        if (cy_object_read(&object, path, copy, size, &inner) || inner.errors != 1) {
            fprintf(stderr, "%s: the first %zu of %zu bytes are read without one error\n", path, size, file.size);
            status = 1;
        }
        cy_object_free(&object);
        cy_diags_free(&inner);
        free(copy);
    }
    printf("%zu prefixes\n", file.size);
    cy_buf_free(&file);
    return status;
}

static void print_kernels(struct cy_object *object)
{
    struct cy_kernel_info *kernels;
    size_t count = cy_object_kernels(object, &kernels);
    for (size_t i = 0; i < count; i++)
        printf("%s 0x%x %s %u %u %u %u\n", kernels[i].name, kernels[i].entry,
               kernels[i].has_resources ? "record" : "defaults", kernels[i].vgprs, kernels[i].sgprs,
               kernels[i].lds_bytes, kernels[i].pds_bytes);
}

static bool write_relocs(const char *path, struct cy_diags *diags)
{
    struct cy_object object = {.type = CY_ET_REL, .machine = CY_EM_RISCV};
    struct cy_section *section = cy_object_add_section(&object, ".data", CY_SHT_PROGBITS, CY_SHF_ALLOC);
    cy_buf_zeros(&section->data, 1024);
    section->size = 1024;
    for (uint32_t i = 0; i < 256; i++) {
        const char *name = cy_reloc_name(CY_EM_RISCV, i);
        printf("%s\n", name ? name : "Unknown");
        *cy_vec_push(&section->relocs) = (struct cy_reloc){.offset = 4 * i, .type = i, .symbol = 0};
    }
    *cy_vec_push(&object.symbols) = (struct cy_symbol){.name = "symbol", .binding = CY_STB_GLOBAL};
    struct cy_buf file = {0};
    cy_object_write(&object, &file);
    bool ok = cy_file_write(path, file.data, file.size, false, diags);
    cy_buf_free(&file);
    cy_object_free(&object);
    return ok;
}

int main(int argc, char **argv)
{
    struct cy_diags diags = {0};
    struct cy_buf in = {0}, out = {0};
    struct cy_object object = {0};
    int status = 1;
    if (argc != 3) {
        fprintf(stderr, "usage: rewrite IN OUT | --truncate IN | --kernels IN | --relocs OUT\n");
        return 2;
    }
    bool kernels = strcmp(argv[1], "--kernels") == 0;
    if (strcmp(argv[1], "--truncate") == 0) {
        status = truncate_all(argv[2], &diags);
    } else if (strcmp(argv[1], "--relocs") == 0) {
        status = !write_relocs(argv[2], &diags);
    } else if (cy_file_read(argv[kernels ? 2 : 1], &in, &diags) &&
               cy_object_read(&object, argv[kernels ? 2 : 1], in.data, in.size, &diags)) {
        if (kernels)
            print_kernels(&object);
        else
            cy_object_write(&object, &out);
        if (kernels || cy_file_write(argv[2], out.data, out.size, object.type == CY_ET_EXEC, &diags))
            status = 0;
    }
    if (diags.text.size)
        fprintf(stderr, "%s", diags.text.data);
    cy_object_free(&object);
    cy_buf_free(&in);
    cy_buf_free(&out);
    cy_diags_free(&diags);
    return status;
}
