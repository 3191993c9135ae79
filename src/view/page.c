/* The page: its parts from page/, and the trace, compressed and in pieces that the page unpacks one after the other. */
#include "view/view_priv.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "view/page_parts.h"

enum { PIECE = 3 << 20 }; /* bytes of the trace in a piece */

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc(*text, out);
        }
    }
}

static void put_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        const char text[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                              left > 2 ? digits[group & 63] : '='};
        fwrite(text, 1, 4, out);
    }
}

static void put_trace(FILE *out, const unsigned char *trace, size_t size)
{
    unsigned char *packed = cy_xrealloc(NULL, compressBound(PIECE));
    for (size_t at = 0; at < size; at += PIECE) {
        uLongf length = compressBound(PIECE);
        const int status = compress2(packed, &length, trace + at, size - at < PIECE ? size - at : PIECE, 6);
        if (status != Z_OK)
            cy_mem_fail(); /* the only thing that can be missing */
        fputs("<script type=\"text/plain\" class=\"trace\">", out);
        put_base64(out, packed, length);
        fputs("</script>\n", out);
    }
    cy_free(packed);
}

bool cy_view_page(const char *title, const void *trace, size_t size, FILE *out)
{
    errno = 0;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    put_text(out, title);
    fputs("</title>\n<style>\n", out);
    fwrite(view_style, 1, view_style_size, out);
    fputs("</style>\n</head>\n", out);
    fwrite(view_body, 1, view_body_size, out);
    fprintf(out, "<script type=\"text/plain\" id=\"trace-size\">%zu</script>\n", size);
    put_trace(out, trace, size);
    fputs("<script>\n\"use strict\";\n", out);
    fwrite(view_script, 1, view_script_size, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return fflush(out) == 0 && !ferror(out);
}
