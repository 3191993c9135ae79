#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- arena ---- */

#define ARENA_BLOCK_BYTES ((size_t)16 << 10)

/* A list of blocks, with the one being filled first. */
struct cy_arena_block {
    struct cy_arena_block *next;
    size_t used, capacity;
    _Alignas(max_align_t) unsigned char bytes[];
};

static struct cy_arena_block *new_block(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct cy_arena_block))
        cy_mem_fail();
    struct cy_arena_block *block = cy_try_alloc(sizeof(*block) + capacity);
    if (!block)
        cy_mem_fail();
    block->capacity = capacity;
    return block;
}

void *cy_arena_alloc(struct cy_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - align)
        cy_mem_fail();
    size = (size + align - 1) / align * align;

    struct cy_arena_block *block = arena->block;
    if (size > ARENA_BLOCK_BYTES / 4) {
        /* A large allocation gets its own block after the current one, which continues to be filled. */
        struct cy_arena_block *own = new_block(size);
        own->used = size;
        if (block) {
            own->next = block->next;
            block->next = own;
        } else {
            arena->block = own;
        }
        return own->bytes;
    }
    if (!block || block->capacity - block->used < size) {
        block = new_block(ARENA_BLOCK_BYTES);
        block->next = arena->block;
        arena->block = block;
    }
    void *result = block->bytes + block->used;
    block->used += size;
    return result;
}

char *cy_arena_strndup(struct cy_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX)
        cy_mem_fail();
    char *copy = cy_arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *cy_arena_printf(struct cy_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list measure;
    va_copy(measure, args);
    int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    assert(length >= 0 && "a printf format of ours is valid");
    char *text = cy_arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void cy_arena_free(struct cy_arena *arena)
{
    for (struct cy_arena_block *block = arena->block, *next; block; block = next) {
        next = block->next;
        cy_free(block);
    }
    arena->block = NULL;
}

/* ---- byte buffer ---- */

bool cy_buf_try_reserve(struct cy_buf *buf, size_t more)
{
    if (more > SIZE_MAX / 2 - buf->size - 1)
        return false;
    size_t wanted = buf->size + more + 1; /* the terminating NUL */
    if (wanted <= buf->capacity)
        return true;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < wanted)
        capacity *= 2;
    char *data = cy_try_realloc(buf->data, capacity);
    if (!data)
        return false;
    buf->data = data;
    buf->capacity = capacity;
    buf->data[buf->size] = 0;
    return true;
}

void cy_buf_reserve(struct cy_buf *buf, size_t more)
{
    if (!cy_buf_try_reserve(buf, more))
        cy_mem_fail();
}

bool cy_buf_try_append(struct cy_buf *buf, const void *bytes, size_t size)
{
    if (!cy_buf_try_reserve(buf, size))
        return false;
    cy_buf_append(buf, bytes, size);
    return true;
}

void cy_buf_undo(struct cy_buf *buf, struct cy_buf before)
{
    if (!before.data) {
        *buf = before;
        return;
    }
    buf->size = before.size;
    buf->data[buf->size] = 0;
}

void cy_buf_append(struct cy_buf *buf, const void *bytes, size_t size)
{
    cy_buf_reserve(buf, size);
    if (size)
        memcpy(buf->data + buf->size, bytes, size);
    buf->size += size;
    buf->data[buf->size] = 0;
}

void cy_buf_puts(struct cy_buf *buf, const char *text)
{
    cy_buf_append(buf, text, strlen(text));
}

void cy_buf_printf(struct cy_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(buf, format, args);
    va_end(args);
}

void cy_buf_vprintf(struct cy_buf *buf, const char *format, va_list args)
{
    va_list measure;
    va_copy(measure, args);
    int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    assert(length >= 0 && "a printf format of ours is valid");
    cy_buf_reserve(buf, (size_t)length);
    vsnprintf(buf->data + buf->size, (size_t)length + 1, format, args);
    buf->size += (size_t)length;
}

bool cy_buf_try_printf(struct cy_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !cy_buf_try_reserve(buf, (size_t)length))
        return false;
    va_start(args, format);
    cy_buf_vprintf(buf, format, args);
    va_end(args);
    return true;
}

void cy_buf_zeros(struct cy_buf *buf, size_t count)
{
    cy_buf_reserve(buf, count);
    memset(buf->data + buf->size, 0, count);
    buf->size += count;
    buf->data[buf->size] = 0;
}

void cy_buf_free(struct cy_buf *buf)
{
    cy_free(buf->data);
    *buf = (struct cy_buf){0};
}

/* ---- vector ---- */

bool cy_vec_try_grow(void *at, size_t *capacity, size_t count, size_t element)
{
    if (count <= *capacity)
        return true;
    size_t fresh = *capacity ? *capacity : 8;
    while (fresh < count) {
        if (fresh > SIZE_MAX / 2)
            return false;
        fresh *= 2;
    }
    if (fresh > SIZE_MAX / element)
        return false;
    void *elements; /* `at` is the address of a pointer to any type */
    memcpy(&elements, at, sizeof(elements));
    elements = cy_try_realloc(elements, fresh * element);
    if (!elements)
        return false;
    memcpy(at, &elements, sizeof(elements));
    *capacity = fresh;
    return true;
}

void *cy_vec_grow(void *at, size_t *capacity, size_t count, size_t element)
{
    if (!cy_vec_try_grow(&at, capacity, count, element))
        cy_mem_fail();
    return at;
}
