/* Pictures as files. */
#ifndef CY_TOOLS_PICTURE_H
#define CY_TOOLS_PICTURE_H

#include "base/diag.h"

/* Pixels are 0xRRGGBB, row by row.  False after a diagnostic. */
bool cy_png_write(const char *path, const uint32_t *pixels, uint32_t width, uint32_t height, struct cy_diags *diags);

#endif
