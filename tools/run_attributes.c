#include "run_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "obj/obj.h"

/* "work_group_size_hint(8,8,1)", as the compiler writes attributes down.  False: there is none. */
static bool find_hint(const struct cy_kernel_info *kernel, uint64_t hint[3])
{
    static const char name[] = "work_group_size_hint(";
    const char *at = kernel->attributes ? strstr(kernel->attributes, name) : NULL;
    if (!at)
        return false;
    at += strlen(name);
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        hint[i] = strtoull(at, &end, 10);
        if (!hint[i])
            return false;
        at = end + (*end == ',');
    }
    return true;
}

static void use(struct cy_run_range *range, const uint64_t local[3])
{
    for (unsigned i = 0; i < 3; i++) {
        range->local[i] = local[i];
        if (local[i] > 1 && i >= range->dimensions)
            range->dimensions = i + 1;
    }
}

/* OpenCL C before 2.0 has no partial workgroups. */
static bool divides(const struct cy_run_range *range)
{
    for (unsigned i = 0; i < 3; i++)
        if (range->global[i] % range->local[i])
            return false;
    return true;
}

static bool obey_required(const struct cy_kernel_info *kernel, const char *file, struct cy_run_range *range,
                          struct cy_diags *diags)
{
    const uint64_t required[3] = {kernel->reqd_size[0], kernel->reqd_size[1], kernel->reqd_size[2]};
    if (range->local[0] && memcmp(range->local, required, sizeof(required)) != 0) {
        cy_diag_file(diags, CY_ERROR, file,
                     "kernel '%s' requires workgroups of %ux%ux%u work-items (reqd_work_group_size), but --local says "
                     "%llux%llux%llu; leave --local out",
                     kernel->name, kernel->reqd_size[0], kernel->reqd_size[1], kernel->reqd_size[2],
                     (unsigned long long)range->local[0], (unsigned long long)range->local[1],
                     (unsigned long long)range->local[2]);
        return false;
    }
    use(range, required);
    if (kernel->uniform_groups && !divides(range)) {
        cy_diag_file(diags, CY_ERROR, file,
                     "kernel '%s' requires workgroups of %ux%ux%u work-items (reqd_work_group_size), of which the "
                     "global size %llux%llux%llu is not a multiple, as OpenCL C before 2.0 needs it",
                     kernel->name, kernel->reqd_size[0], kernel->reqd_size[1], kernel->reqd_size[2],
                     (unsigned long long)range->global[0], (unsigned long long)range->global[1],
                     (unsigned long long)range->global[2]);
        return false;
    }
    return true;
}

bool cy_run_obey_attributes(const struct cy_kernel_info *kernel, const struct cy_config *config, const char *file,
                            struct cy_run_range *range, struct cy_diags *diags)
{
    uint64_t hint[3];
    if (!kernel->has_signature)
        return true;
    if (kernel->reqd_size[0])
        return obey_required(kernel, file, range, diags);
    if (range->local[0] || !find_hint(kernel, hint))
        return true;
    const uint64_t most = (uint64_t)config->warps * config->threads;
    if (hint[0] <= most && hint[1] <= most && hint[2] <= most && hint[0] * hint[1] * hint[2] <= most)
        use(range, hint);
    else
        cy_diag_file(diags, CY_NOTE, file,
                     "work_group_size_hint(%llu,%llu,%llu) of kernel '%s' does not fit on an SM of %u warps of %u "
                     "threads: another size is chosen",
                     (unsigned long long)hint[0], (unsigned long long)hint[1], (unsigned long long)hint[2],
                     kernel->name, config->warps, config->threads);
    return true;
}

uint32_t cy_run_required_threads(const struct cy_buf *elf, const char *kernel)
{
    struct cy_object object;
    struct cy_diags unheard = {0}; /* it is loaded later, with messages */
    struct cy_kernel_info *kernels;
    uint32_t threads = 0;
    if (cy_object_read(&object, "", elf->data, elf->size, &unheard)) {
        const size_t count = cy_object_kernels(&object, &kernels);
        for (size_t i = 0; i < count; i++)
            if (kernels[i].has_signature && (kernel ? !strcmp(kernels[i].name, kernel) : count == 1))
                threads = kernels[i].reqd_sub_group;
        cy_object_free(&object);
    }
    cy_diags_free(&unheard);
    return threads;
}
