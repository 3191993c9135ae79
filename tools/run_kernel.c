#include "run_kernel.h"

#include <string.h>

static void list_kernels(const struct cy_program *program, struct cy_buf *names)
{
    struct cy_kernel_info info;
    for (size_t i = 0; cy_program_kernel(program, i, &info); i++)
        cy_buf_printf(names, "%s%s", i ? ", " : "", info.name);
}

bool cy_run_choose_kernel(const struct cy_program *program, const char *name, const char *file,
                          struct cy_kernel_info *kernel, struct cy_diags *diags)
{
    const size_t count = cy_program_kernel_count(program);
    if (name ? cy_program_find_kernel(program, name, kernel) : count == 1 && cy_program_kernel(program, 0, kernel))
        return true;
    struct cy_buf names = {0};
    list_kernels(program, &names);
    if (name)
        cy_diag_file(diags, CY_ERROR, file, "no kernel '%s'; there %s %s", name, count == 1 ? "is" : "are",
                     count ? names.data : "none");
    else
        cy_diag_file(diags, CY_ERROR, file, count ? "several kernels, choose one with --kernel: %s" : "no kernel%s",
                     count ? names.data : "");
    cy_buf_free(&names);
    return false;
}

/* One of them, up to the separator; NULL: there is none behind it.  False: it is no such number. */
static bool take_size(const char **at, uint64_t limit, uint64_t *size)
{
    const char *comma = strpbrk(*at, ",x");
    if (comma == *at + 1 && **at == '0' && *comma == 'x')
        comma = strpbrk(*at + 2, ",x"); /* 0x10 */
    char digits[24];
    const size_t length = comma ? (size_t)(comma - *at) : strlen(*at);
    if (length >= sizeof(digits))
        return false;
    memcpy(digits, *at, length);
    digits[length] = 0;
    *at = comma ? comma + 1 : NULL;
    return cy_parse_number(digits, limit, size);
}

int cy_run_parse_sizes(const struct cy_usage *usage, const char *option, const char *text, uint64_t limit,
                       uint64_t others, uint64_t sizes[3], unsigned *count)
{
    const char *at = text;
    for (*count = 0; at && *count < 3; ++*count) {
        if (!take_size(&at, limit, &sizes[*count]))
            return cy_usage_error(usage, "--%s needs up to three numbers, X,Y,Z, not '%s'", option, text);
        if (others && !sizes[*count])
            return cy_usage_error(usage, "--%s needs numbers from 1, not '%s'", option, text);
    }
    if (at)
        return cy_usage_error(usage, "--%s needs up to three numbers, X,Y,Z, not '%s'", option, text);
    for (unsigned i = *count; i < 3; i++)
        sizes[i] = others;
    return CY_EXIT_OK;
}
