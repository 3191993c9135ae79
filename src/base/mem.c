#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "chengying: out of memory (%zu bytes wanted)\n", size);
    abort();
}

void *cy_xrealloc(void *old, size_t size)
{
    if (size == 0) {
        free(old);
        return NULL;
    }
    void *fresh = realloc(old, size);
    if (!fresh)
        out_of_memory(size);
    return fresh;
}

/* ---- arena ---- */

#define ARENA_BLOCK_BYTES ((size_t)16 << 10)

/* Blocks form a list with the one being filled in front. */
struct cy_arena_block {
    struct cy_arena_block *next;
    size_t used, capacity;
    _Alignas(max_align_t) unsigned char bytes[];
};

static struct cy_arena_block *new_block(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct cy_arena_block))
        out_of_memory(capacity);
    struct cy_arena_block *block = calloc(1, sizeof(*block) + capacity);
    if (!block)
        out_of_memory(capacity);
    block->capacity = capacity;
    return block;
}

void *cy_arena_alloc(struct cy_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - align)
        out_of_memory(size);
    size = (size + align - 1) / align * align;

    struct cy_arena_block *block = arena->block;
    if (size > ARENA_BLOCK_BYTES / 4) {
        /* A large piece gets a block of its own behind the current one, which keeps being filled. */
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
        out_of_memory(length);
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
        free(block);
    }
    arena->block = NULL;
}

/* ---- byte buffer ---- */

void cy_buf_reserve(struct cy_buf *buf, size_t more)
{
    if (more > SIZE_MAX / 2 - buf->size - 1)
        out_of_memory(more);
    size_t wanted = buf->size + more + 1; /* the terminating NUL */
    if (wanted <= buf->capacity)
        return;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < wanted)
        capacity *= 2;
    buf->data = cy_xrealloc(buf->data, capacity);
    buf->capacity = capacity;
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

void cy_buf_zeros(struct cy_buf *buf, size_t count)
{
    cy_buf_reserve(buf, count);
    memset(buf->data + buf->size, 0, count);
    buf->size += count;
    buf->data[buf->size] = 0;
}

void cy_buf_free(struct cy_buf *buf)
{
    free(buf->data);
    *buf = (struct cy_buf){0};
}

/* ---- vector ---- */

void *cy_vec_grow(void *at, size_t *capacity, size_t count, size_t element)
{
    if (count <= *capacity)
        return at;
    size_t fresh = *capacity ? *capacity : 8;
    while (fresh < count) {
        if (fresh > SIZE_MAX / 2)
            out_of_memory(SIZE_MAX);
        fresh *= 2;
    }
    if (fresh > SIZE_MAX / element)
        out_of_memory(SIZE_MAX);
    *capacity = fresh;
    return cy_xrealloc(at, fresh * element);
}
