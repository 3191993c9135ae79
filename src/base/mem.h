/* Memory: an arena for everything that lives as long as one job, a growable byte buffer, a typed vector.
 *
 * Small host allocations do not fail in practice; when one does there is nothing sensible left to do, so these
 * helpers abort() with a message.  Sizes that come from a user or a guest (device buffers, .space 1<<40) are not
 * allocated here: their callers check the size first and report it. */
#ifndef CY_BASE_MEM_H
#define CY_BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CY_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CY_PRINTF(fmt, args)
#endif

#define CY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

void *cy_xrealloc(void *old, size_t size);

/* An arena hands out zeroed memory and frees it all at once. */
struct cy_arena {
    struct cy_arena_block *block;
};
void *cy_arena_alloc(struct cy_arena *arena, size_t size);
char *cy_arena_strndup(struct cy_arena *arena, const char *text, size_t length);
char *cy_arena_printf(struct cy_arena *arena, const char *format, ...) CY_PRINTF(2, 3);
void cy_arena_free(struct cy_arena *arena);
#define CY_NEW(arena, type) ((type *)cy_arena_alloc((arena), sizeof(type)))

/* A byte buffer; `data` is always NUL-terminated one past `size` once anything was appended. */
struct cy_buf {
    char *data;
    size_t size, capacity;
};
void cy_buf_reserve(struct cy_buf *buf, size_t more);
void cy_buf_append(struct cy_buf *buf, const void *bytes, size_t size);
void cy_buf_puts(struct cy_buf *buf, const char *text);
void cy_buf_printf(struct cy_buf *buf, const char *format, ...) CY_PRINTF(2, 3);
void cy_buf_vprintf(struct cy_buf *buf, const char *format, va_list args);
void cy_buf_zeros(struct cy_buf *buf, size_t count);
void cy_buf_free(struct cy_buf *buf);

static inline void cy_buf_putc(struct cy_buf *buf, char c)
{
    if (buf->size + 1 >= buf->capacity)
        cy_buf_reserve(buf, 1);
    buf->data[buf->size++] = c;
    buf->data[buf->size] = 0;
}

/* CY_VEC(struct foo) v = {0};  *cy_vec_push(&v) = x;  v.at[i], v.count;  cy_vec_free(&v); */
#define CY_VEC(type)                                                                                                   \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t count, capacity;                                                                                        \
    }
void *cy_vec_grow(void *at, size_t *capacity, size_t count, size_t element);
#define cy_vec_push(v)                                                                                                 \
    (((v)->count == (v)->capacity                                                                                      \
          ? (void)((v)->at = cy_vec_grow((v)->at, &(v)->capacity, (v)->count + 1, sizeof(*(v)->at)))                   \
          : (void)0),                                                                                                  \
     &(v)->at[(v)->count++])
#define cy_vec_free(v) (cy_xrealloc((v)->at, 0), (v)->at = NULL, (v)->count = (v)->capacity = 0)

#endif
