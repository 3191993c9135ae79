/* The packed argument buffer, isa.md section 4. */
#include "gpu/machine.h"

#include <string.h>

struct cy_arguments *cy_arguments_create(void)
{
    struct cy_arguments *arguments = cy_xrealloc(NULL, sizeof(*arguments));
    memset(arguments, 0, sizeof(*arguments));
    return arguments;
}

void cy_arguments_clear(struct cy_arguments *arguments)
{
    arguments->bytes.size = 0;
    arguments->locals.count = 0;
}

void cy_arguments_destroy(struct cy_arguments *arguments)
{
    if (!arguments)
        return;
    cy_buf_free(&arguments->bytes);
    cy_vec_free(&arguments->locals);
    cy_xrealloc(arguments, 0);
}

void cy_arguments_aligned(struct cy_arguments *arguments, const void *value, size_t size, size_t align)
{
    cy_buf_zeros(&arguments->bytes, (align - arguments->bytes.size % align) % align);
    cy_buf_append(&arguments->bytes, value, size);
}

void cy_arguments_value(struct cy_arguments *arguments, const void *value, size_t size)
{
    size_t align = 4;
    while (align < size)
        align *= 2;
    cy_arguments_aligned(arguments, value, size, align);
}

void cy_arguments_pointer(struct cy_arguments *arguments, uint32_t address)
{
    cy_arguments_aligned(arguments, &address, sizeof(address), sizeof(address));
}

void cy_arguments_local(struct cy_arguments *arguments, uint32_t size)
{
    cy_arguments_pointer(arguments, 0);
    *cy_vec_push(&arguments->locals) = (struct cy_local_argument){(uint32_t)(arguments->bytes.size - 4), size};
}

size_t cy_arguments_size(const struct cy_arguments *arguments)
{
    return arguments->bytes.size;
}
