/* The text form with what is known of each value behind it, as a comment: `cy jit --shapes`.
 *
 *     %4 = add i32 %2, %3 ; even 4, align 2, group + 4 x item
 *     %5 = load i32 %4, access 0 ; lanes */
#include "jit/analyse/shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With its sign, as a number of 32 bits where it was one. */
static int64_t with_sign(uint64_t number)
{
    return number >> 32 ? (int64_t)number : (int32_t)(uint32_t)number;
}

static void print_base(const struct cy_sir_shape *shape, struct cy_buf *out)
{
    static const char *const origins[] = {"", "metadata + ", "arguments + "};
    if (shape->is_const)
        cy_buf_printf(out, ", %s%" PRId64, origins[shape->origin], with_sign(shape->constant));
    else if (shape->align)
        cy_buf_printf(out, ", align %u", shape->align);
    if (shape->is_const || !shape->in_group)
        return;
    cy_buf_puts(out, ", group");
    if (shape->item_factor)
        cy_buf_printf(out, " + %" PRId64 " x item", with_sign(shape->item_factor));
    if (shape->lane_factor)
        cy_buf_printf(out, " + %" PRId64 " x lane", with_sign(shape->lane_factor));
}

static void print_shape(const struct cy_sir_shapes *shapes, cy_sir_value value, struct cy_buf *out)
{
    static const char *const kinds[] = {"none", "one", "even", "lanes"};
    const struct cy_sir_shape *shape = &shapes->value[value];
    cy_buf_printf(out, " ; %s", kinds[shape->kind]);
    if (shape->kind == CY_SIR_SHAPE_EVEN)
        cy_buf_printf(out, " %" PRId64, with_sign(shape->stride));
    if (shape->kind == CY_SIR_SHAPE_ONE || shape->kind == CY_SIR_SHAPE_EVEN)
        print_base(shape, out);
    if (shape->is_boolean && !shape->is_const && cy_sir_at(shapes->func, value)->type != CY_SIR_I1)
        cy_buf_puts(out, ", boolean");
    if (shape->is_computed)
        cy_buf_puts(out, ", computed");
    if (shape->is_for_active)
        cy_buf_puts(out, ", for active lanes");
    for (uint32_t i = 0; shape->table && i < shapes->func->strip.lanes; i++)
        cy_buf_printf(out, "%s%" PRId64, i ? " " : ": ", with_sign(shapes->tables.at[shape->table - 1][i]));
}

void cy_sir_print_shapes(const struct cy_sir_func *func, struct cy_buf *out)
{
    static const char definition[] = "  %";
    struct cy_arena arena = {0};
    struct cy_buf text = {0};
    struct cy_sir_shapes shapes = cy_sir_find_shapes(&arena, func);
    cy_sir_print(func, &text);
    for (size_t at = 0; at < text.size;) {
        const char *line = (const char *)text.data + at;
        const char *end = memchr(line, '\n', text.size - at);
        const size_t length = end ? (size_t)(end - line) : text.size - at;
        cy_buf_append(out, line, length);
        if (length > strlen(definition) && memcmp(line, definition, strlen(definition)) == 0)
            print_shape(&shapes, (cy_sir_value)strtoul(line + strlen(definition), NULL, 10), out);
        cy_buf_putc(out, '\n');
        at += length + 1;
    }
    cy_buf_free(&text);
    cy_sir_free_shapes(&shapes);
    cy_arena_free(&arena);
}
