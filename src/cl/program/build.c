/* The result of building a program: code in the machine and a description of its kernels. */
#include "cl/program/program_priv.h"

#include "abi/abi.h"

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
    cy_free(build->kernels);
    cy_free(build);
}

/* Programs come from files, too: every kernel must have what the compiler says of one, and no more registers than an
 * instruction can name. */
static bool check_kernels(const struct cy_program *code, uint32_t threads, struct cy_buf *log)
{
    struct cy_kernel_info kernel;
    for (size_t i = 0; cy_program_kernel(code, i, &kernel); i++) {
        if (!kernel.has_signature) {
            cy_buf_try_printf(log, "error: nothing describes the arguments of kernel '%s'\n", kernel.name);
            return false;
        }
        if (!kernel.has_resources || kernel.vgprs > CY_VGPRS || kernel.sgprs > CY_SGPRS) {
            cy_buf_try_printf(log, "error: the resources of kernel '%s' do not match its code\n", kernel.name);
            return false;
        }
        if (kernel.reqd_sub_group && kernel.reqd_sub_group != threads) {
            cy_buf_try_printf(log, "error: kernel '%s' requires sub-groups of %u work-items, this device's have %u\n",
                              kernel.name, kernel.reqd_sub_group, threads);
            return false;
        }
    }
    return true;
}

/* False: no memory. */
static bool take_kernels(struct cy_cl_build *build, const struct cy_program *code)
{
    size_t count = cy_program_kernel_count(code);
    build->kernels = cy_try_alloc((count + 1) * sizeof(*build->kernels));
    if (!build->kernels)
        return false;
    for (size_t i = 0; i < count; i++)
        cy_program_kernel(code, i, &build->kernels[i]);
    build->kernel_count = count;
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
    bool is_sound = check_kernels(code, context->devices[device]->capabilities.config.threads, log);
    if (!is_sound || (!build->kernels && !take_kernels(build, code))) {
        cy_program_release(code);
        return is_sound ? CL_OUT_OF_HOST_MEMORY : CL_BUILD_PROGRAM_FAILURE;
    }
    build->code[device] = code;
    return CL_SUCCESS;
}

void cy_cl_build_take(struct cy_cl_build *build, struct cy_cc_result *result)
{
    build->elf = result->elf;
    build->elf_size = result->elf_size;
    build->bitcode = result->bitcode;
    build->bitcode_size = result->bitcode_size;
    result->elf = result->bitcode = NULL;
}
