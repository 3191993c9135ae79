/* The result of building a program: code in the machine and a description of its kernels. */
#include "abi/abi.h"
#include "cl/cl_priv.h"

struct cy_cl_build *cy_cl_build_create(void)
{
    struct cy_cl_build *build = cy_try_alloc(sizeof(*build));
    if (build)
        atomic_init(&build->references, 1);
    return build;
}

void cy_cl_build_retain(struct cy_cl_build *build)
{
    atomic_fetch_add_explicit(&build->references, 1, memory_order_relaxed);
}

void cy_cl_build_release(struct cy_cl_build *build)
{
    if (!build || atomic_fetch_sub_explicit(&build->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < CY_CL_MAX_DEVICES; i++)
        if (build->code[i])
            cy_program_release(build->code[i]);
    cy_free(build->elf);
    cy_free(build->bitcode);
    cy_arena_free(&build->arena);
    cy_free(build);
}

/* Descriptions also come from files: every kernel must be in the code, with the local memory that is described, and
 * with no more registers than an instruction can name. */
static bool check_kernels(const struct cy_cl_build *build, const struct cy_program *code, struct cy_buf *log)
{
    for (size_t i = 0; i < build->kernel_count; i++) {
        const struct cy_cl_kernel_info *kernel = &build->kernels[i];
        struct cy_kernel_info found;
        if (!cy_program_find_kernel(code, kernel->name, &found)) {
            cy_buf_try_printf(log, "error: the program has no kernel '%s'\n", kernel->name);
            return false;
        }
        if (!found.has_resources || found.lds_bytes != kernel->local_bytes || found.vgprs > CY_VGPRS ||
            found.sgprs > CY_SGPRS) {
            cy_buf_try_printf(log, "error: the resources of kernel '%s' do not match its code\n", kernel->name);
            return false;
        }
    }
    return true;
}

cl_int cy_cl_build_load(struct cy_cl_build *build, cl_context context, cl_uint device, struct cy_buf *log)
{
    char *why = NULL;
    struct cy_program *code = NULL;
    if (build->code[device])
        return CL_SUCCESS;
    enum cy_status status =
        cy_program_load(context->devices[device]->machine, "program", build->elf, build->elf_size, &code, &why);
    if (status != CY_OK) {
        cy_buf_try_printf(log, "%s", why ? why : "the device rejected the program\n");
        cy_free(why);
        return cy_cl_error(status, CL_BUILD_PROGRAM_FAILURE);
    }
    if (!check_kernels(build, code, log)) {
        cy_program_release(code);
        return CL_BUILD_PROGRAM_FAILURE;
    }
    build->code[device] = code;
    return CL_SUCCESS;
}

static void take_kernel(struct cy_cl_build *build, const struct cy_cc_kernel_info *from, struct cy_cl_kernel_info *to)
{
    to->name = cy_arena_strndup(&build->arena, from->name, strlen(from->name));
    to->local_bytes = from->local_bytes;
    to->private_bytes = from->private_bytes;
    memcpy(to->reqd_size, from->reqd_size, sizeof(to->reqd_size));
    to->observes_workgroup = from->observes_workgroup;
    to->may_spin = from->may_spin;
    to->attributes = cy_arena_strndup(&build->arena, from->attributes, strlen(from->attributes));
    to->argument_count = from->argument_count;
    to->arguments = cy_arena_alloc(&build->arena, (from->argument_count + 1) * sizeof(*to->arguments));
    for (size_t i = 0; i < from->argument_count; i++) {
        to->arguments[i] = from->arguments[i];
        to->arguments[i].name =
            cy_arena_strndup(&build->arena, from->arguments[i].name, strlen(from->arguments[i].name));
        to->arguments[i].type =
            cy_arena_strndup(&build->arena, from->arguments[i].type, strlen(from->arguments[i].type));
    }
}

struct taking {
    struct cy_cl_build *build;
    const struct cy_cc_result *result;
};

static void take_kernels(void *argument)
{
    struct taking *taking = argument;
    struct cy_cl_build *build = taking->build;
    const struct cy_cc_result *result = taking->result;
    build->kernels = cy_arena_alloc(&build->arena, (result->kernel_count + 1) * sizeof(*build->kernels));
    for (size_t i = 0; i < result->kernel_count; i++)
        take_kernel(build, &result->kernels[i], &build->kernels[i]);
}

bool cy_cl_build_take(struct cy_cl_build *build, struct cy_cc_result *result)
{
    struct taking taking = {build, result};
    build->elf = result->elf;
    build->elf_size = result->elf_size;
    build->bitcode = result->bitcode;
    build->bitcode_size = result->bitcode_size;
    result->elf = result->bitcode = NULL;
    if (!cy_mem_try(take_kernels, &taking)) {
        build->arena = (struct cy_arena){0};
        return false;
    }
    build->kernel_count = result->kernel_count;
    return true;
}
