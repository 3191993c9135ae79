/* The packed argument buffer (docs/machine.md, "What a kernel sees"). */
#include "gpu/device/machine.h"

struct cy_arguments *cy_arguments_create(void)
{
    return cy_try_alloc(sizeof(struct cy_arguments));
}

void cy_arguments_clear(struct cy_arguments *arguments)
{
    arguments->bytes.size = 0;
    arguments->locals.count = 0;
    arguments->incomplete = false;
}

void cy_arguments_destroy(struct cy_arguments *arguments)
{
    if (!arguments)
        return;
    cy_buf_free(&arguments->bytes);
    cy_vec_free(&arguments->locals);
    cy_free(arguments);
}

void cy_arguments_aligned(struct cy_arguments *arguments, const void *value, size_t size, size_t align)
{
    size_t padding = (align - arguments->bytes.size % align) % align;
    if (size > SIZE_MAX - padding || !cy_buf_try_reserve(&arguments->bytes, padding + size)) {
        arguments->incomplete = true;
        return;
    }
    cy_buf_zeros(&arguments->bytes, padding);
    cy_buf_append(&arguments->bytes, value, size);
}

void cy_arguments_value(struct cy_arguments *arguments, const void *value, size_t size)
{
    size_t align = 4;
    while (align < size)
        align *= 2;
    cy_arguments_aligned(arguments, value, size, align);
}

void cy_arguments_set_pointer_bytes(struct cy_arguments *arguments, unsigned bytes)
{
    arguments->has_wide_pointers = bytes == 8;
}

void cy_arguments_pointer(struct cy_arguments *arguments, uint64_t address)
{
    size_t size = arguments->has_wide_pointers ? 8 : 4;
    cy_arguments_aligned(arguments, &address, size, size); /* hosts are little-endian, too */
}

void cy_arguments_local(struct cy_arguments *arguments, uint32_t size)
{
    cy_arguments_pointer(arguments, 0);
    size_t pointer = arguments->has_wide_pointers ? 8 : 4;
    struct cy_local_argument *local = arguments->incomplete ? NULL : cy_vec_try_push(&arguments->locals);
    if (local)
        *local = (struct cy_local_argument){(uint32_t)(arguments->bytes.size - pointer), size};
    else
        arguments->incomplete = true;
}

size_t cy_arguments_size(const struct cy_arguments *arguments)
{
    return arguments->bytes.size;
}

bool cy_arguments_complete(const struct cy_arguments *arguments)
{
    return !arguments->incomplete;
}
