#include "base/pack.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as the host has them");

void cy_pack(struct cy_buf *out, size_t number)
{
    uint32_t word = (uint32_t)number;
    cy_buf_append(out, &word, sizeof(word));
}

void cy_pack_bytes(struct cy_buf *out, const void *bytes, size_t size)
{
    cy_pack(out, size);
    if (size)
        cy_buf_append(out, bytes, size);
    cy_buf_putc(out, 0);
}

void cy_pack_text(struct cy_buf *out, const char *text)
{
    cy_pack_bytes(out, text, strlen(text));
}

uint32_t cy_unpack(struct cy_unpack *in)
{
    uint32_t word = 0;
    if (in->failed || (size_t)(in->end - in->at) < sizeof(word)) {
        in->failed = true;
        return 0;
    }
    memcpy(&word, in->at, sizeof(word));
    in->at += sizeof(word);
    return word;
}

uint32_t cy_unpack_at_most(struct cy_unpack *in, uint32_t limit)
{
    uint32_t number = cy_unpack(in);
    in->failed |= number > limit;
    return number > limit ? 0 : number;
}

bool cy_unpack_bool(struct cy_unpack *in)
{
    return cy_unpack_at_most(in, 1);
}

size_t cy_unpack_count(struct cy_unpack *in, size_t least)
{
    uint32_t count = cy_unpack(in);
    if (count > (size_t)(in->end - in->at) / least) {
        in->failed = true;
        return 0;
    }
    return count;
}

const unsigned char *cy_unpack_bytes(struct cy_unpack *in, size_t *size)
{
    *size = cy_unpack_count(in, 1);
    const unsigned char *bytes = in->at;
    if (in->failed || (size_t)(in->end - in->at) <= *size || bytes[*size]) {
        in->failed = true;
        *size = 0;
        return (const unsigned char *)"";
    }
    in->at += *size + 1;
    return bytes;
}

const char *cy_unpack_text(struct cy_unpack *in)
{
    size_t size;
    const char *text = (const char *)cy_unpack_bytes(in, &size);
    in->failed |= strlen(text) != size;
    return in->failed ? "" : text;
}

unsigned char *cy_unpack_copy(struct cy_unpack *in, size_t *size)
{
    const unsigned char *bytes = cy_unpack_bytes(in, size);
    unsigned char *copy = cy_xrealloc(NULL, *size + 1);
    memcpy(copy, bytes, *size + 1);
    return copy;
}
