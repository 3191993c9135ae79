/* Maps addresses to source lines, from an object's line table. */
#ifndef CY_OBJ_LINES_H
#define CY_OBJ_LINES_H

#include "obj/obj.h"

struct cy_line_row {
    uint32_t address, line, order;
    uint32_t column; /* from 1; 0: not known */
    uint32_t file;   /* UINT32_MAX: none */
    bool is_end;     /* ends the code that the preceding rows describe */
};
struct cy_line_file {
    const char *directory, *name; /* point into the object's sections */
};
struct cy_lines {
    CY_VEC(struct cy_line_row) rows; /* by address */
    CY_VEC(struct cy_line_file) files;
};

/* False: no line table, or an empty one.  The object must outlive the lines. */
bool cy_lines_read(struct cy_lines *lines, const struct cy_object *object);
/* The row that an address belongs to, or NULL. */
const struct cy_line_row *cy_lines_find(const struct cy_lines *lines, uint32_t address);
void cy_lines_path(const struct cy_lines *lines, const struct cy_line_row *row, struct cy_buf *path);
void cy_lines_free(struct cy_lines *lines);

#endif
