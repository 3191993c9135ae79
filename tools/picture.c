/* Pictures as PNG, by libpng. */
#include "picture.h"

#include <stdlib.h>

#include <png.h>

#include "base/file.h"

bool cy_png_write(const char *path, const uint32_t *pixels, uint32_t width, uint32_t height, struct cy_diags *diags)
{
    const size_t count = (size_t)width * height;
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    unsigned char *rgb = malloc(count * 3), *bytes = malloc(size);
    if (!rgb || !bytes)
        abort();
    for (size_t i = 0; i < count; i++)
        for (size_t part = 0; part < 3; part++)
            rgb[i * 3 + part] = (unsigned char)(pixels[i] >> (16 - 8 * part) & 0xff);
    bool ok = png_image_write_to_memory(&image, bytes, &size, 0, rgb, 0, NULL);
    if (!ok)
        cy_diag_file(diags, CY_ERROR, path, "cannot write it as PNG: %s", image.message);
    ok = ok && cy_file_write(path, bytes, size, false, diags);
    free(rgb);
    free(bytes);
    return ok;
}
