/* Memory: an arena for everything that lives as long as one job, a growable byte buffer, a typed vector, and the
 * handling of failed allocations.
 *
 * A library never ends its host, so every failed allocation is reported to the interface that was called.  There are
 * two ways:
 *
 *   - Functions named `try` return NULL or false and change nothing.  Modules that hold state (devices, queues, locks)
 *     use these and undo what they had begun.
 *   - All others do not return: they end the innermost cy_mem_try() of the thread, which frees whatever was allocated
 *     since it began and returns false.  Code that only turns its input into output (assembler, linker, ELF reader,
 *     messages) runs in one, so that nothing in between has to check.
 *
 * Sizes that come from a user or a guest (device buffers, .space 1<<40) are checked against a limit before they get
 * here: with overcommit, an allocation that succeeds now may be missing elsewhere later. */
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

/* Runs run(argument).  False: memory ran out, run() was abandoned, and every block that it had allocated with these
 * functions and not freed has been freed; pointers to them are dangling.  True: its blocks belong to the caller, as if
 * there had been no scope.
 *
 * Blocks from outside that grow inside remain the caller's: see cy_buf_undo.  Arenas, maps and vectors from outside
 * must not grow inside.  Blocks of other allocators, files and locks are not tracked: acquire them outside, or
 *
 *     bool ok = cy_mem_try(read_into, &job);
 *     close(job.fd);
 *     if (!ok)
 *         cy_mem_fail();
 *
 * User callbacks must not run inside: what they allocate is not ours to free.  Scopes may be nested; each thread has
 * its own.  Inside, a block is freed by cy_free(), never by free(); outside, both work. */
bool cy_mem_try(void (*run)(void *argument), void *argument);
/* Ends the innermost scope.  Without one it calls the handler, which only a program's main (never a library) may set
 * and which does not return. */
_Noreturn void cy_mem_fail(void);
void cy_mem_on_failure(void (*handler)(void));

void *cy_try_alloc(size_t size); /* zeros */
void *cy_try_alloc_aligned(size_t align, size_t size);
void *cy_try_realloc(void *old, size_t size); /* NULL: the old block is unchanged */
void *cy_xrealloc(void *old, size_t size);
void cy_free(void *block);

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
bool cy_buf_try_reserve(struct cy_buf *buf, size_t more);
bool cy_buf_try_append(struct cy_buf *buf, const void *bytes, size_t size);
bool cy_buf_try_printf(struct cy_buf *buf, const char *format, ...) CY_PRINTF(2, 3);
/* After a scope failed: restores a buffer from outside to the contents it had when `before` was copied from it. */
void cy_buf_undo(struct cy_buf *buf, struct cy_buf before);

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
/* NULL: no memory. */
bool cy_vec_try_grow(void *at, size_t *capacity, size_t count, size_t element);
#define cy_vec_try_push(v)                                                                                             \
    ((v)->count < (v)->capacity || cy_vec_try_grow(&(v)->at, &(v)->capacity, (v)->count + 1, sizeof(*(v)->at))         \
         ? &(v)->at[(v)->count++]                                                                                      \
         : NULL)
#define cy_vec_free(v) (cy_free((v)->at), (v)->at = NULL, (v)->count = (v)->capacity = 0)

#endif
