/* An animated GIF (version 89a): each frame with its own colour table, exact when it has at most 256 colours, otherwise
 * the 256 that halving the most populous box of colours again and again gives (median cut). */
#include "epic_frames.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLORS = 256,
    HASH_SIZE = 1 << 12,
    CELLS = 1 << 15, /* colours with five bits for each part, for the median cut */
    CLEAR_CODE = 256,
    END_CODE = 257,
    FIRST_CODE = 258,
    MAX_CODES = 4096,
};

static void put_u16(struct cy_buf *out, unsigned value)
{
    cy_buf_putc(out, (char)(value & 0xff));
    cy_buf_putc(out, (char)(value >> 8 & 0xff));
}

void epic_gif_begin(struct cy_buf *out, uint32_t width, uint32_t height)
{
    static const unsigned char repeat_for_ever[] = {0x21, 0xff, 11,  'N', 'E', 'T', 'S', 'C', 'A', 'P',
                                                    'E',  '2',  '.', '0', 3,   1,   0,   0,   0};
    cy_buf_puts(out, "GIF89a");
    put_u16(out, width);
    put_u16(out, height);
    cy_buf_append(out, "\x70\0\0", 3); /* no global colours; background, aspect */
    cy_buf_append(out, repeat_for_ever, sizeof(repeat_for_ever));
}

void epic_gif_end(struct cy_buf *out)
{
    cy_buf_putc(out, 0x3b);
}

/* ---- colours ---- */

struct palette {
    uint32_t colors[COLORS];
    unsigned count;
};

/* Every colour of the frame, and each pixel's index; false: there are too many. */
static bool exact_palette(struct palette *palette, const uint32_t *pixels, size_t count, uint8_t *indices)
{
    static const uint32_t empty = UINT32_MAX;
    uint32_t keys[HASH_SIZE];
    uint8_t values[HASH_SIZE];
    for (size_t i = 0; i < HASH_SIZE; i++)
        keys[i] = empty;
    palette->count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t color = pixels[i] & 0xffffff;
        uint32_t slot = color * 2654435761u >> 20;
        while (keys[slot] != color && keys[slot] != empty)
            slot = (slot + 1) % HASH_SIZE;
        if (keys[slot] == empty) {
            if (palette->count == COLORS)
                return false;
            keys[slot] = color;
            values[slot] = (uint8_t)palette->count;
            palette->colors[palette->count++] = color;
        }
        indices[i] = values[slot];
    }
    return true;
}

static unsigned cell_part(unsigned cell, int part)
{
    return cell >> (10 - 5 * part) & 31;
}

static unsigned cell_of(uint32_t color)
{
    return (color >> 19 & 31) << 10 | (color >> 11 & 31) << 5 | (color >> 3 & 31);
}

struct box {
    unsigned low[3], high[3];
    uint64_t pixels;
};

static bool in_box(const struct box *box, unsigned cell)
{
    for (int part = 0; part < 3; part++)
        if (cell_part(cell, part) < box->low[part] || cell_part(cell, part) > box->high[part])
            return false;
    return true;
}

/* The box as small as its colours allow. */
static void shrink(struct box *box, const uint32_t *histogram)
{
    struct box small = {{31, 31, 31}, {0, 0, 0}, 0};
    for (unsigned cell = 0; cell < CELLS; cell++) {
        if (!histogram[cell] || !in_box(box, cell))
            continue;
        for (int part = 0; part < 3; part++) {
            const unsigned value = cell_part(cell, part);
            small.low[part] = value < small.low[part] ? value : small.low[part];
            small.high[part] = value > small.high[part] ? value : small.high[part];
        }
        small.pixels += histogram[cell];
    }
    *box = small;
}

/* Cuts the box across its longest side, so that both halves hold about as many pixels; false: it is a single colour. */
static bool cut(struct box *box, struct box *other, const uint32_t *histogram)
{
    int longest = 0;
    for (int part = 1; part < 3; part++)
        if (box->high[part] - box->low[part] > box->high[longest] - box->low[longest])
            longest = part;
    if (box->high[longest] == box->low[longest])
        return false;
    uint64_t slices[32] = {0}, below = 0;
    for (unsigned cell = 0; cell < CELLS; cell++)
        if (histogram[cell] && in_box(box, cell))
            slices[cell_part(cell, longest)] += histogram[cell];
    unsigned at = box->low[longest];
    while (at < box->high[longest] - 1 && (below + slices[at]) * 2 < box->pixels)
        below += slices[at++];
    *other = *box;
    box->high[longest] = at;
    other->low[longest] = at + 1;
    shrink(box, histogram);
    shrink(other, histogram);
    return true;
}

static void median_cut(struct palette *palette, const uint32_t *pixels, size_t count, uint8_t *indices)
{
    uint32_t *histogram = calloc(CELLS, sizeof(*histogram));
    uint8_t *nearest = calloc(CELLS, 1);
    struct box boxes[COLORS] = {{{0, 0, 0}, {31, 31, 31}, 0}};
    unsigned box_count = 1;
    uint64_t sums[COLORS][4] = {{0}};
    if (!histogram || !nearest)
        abort();
    for (size_t i = 0; i < count; i++)
        histogram[cell_of(pixels[i])]++;
    shrink(&boxes[0], histogram);
    while (box_count < COLORS) {
        unsigned largest = COLORS;
        for (unsigned i = 0; i < box_count; i++)
            if (memcmp(boxes[i].low, boxes[i].high, sizeof(boxes[i].low)) != 0 &&
                (largest == COLORS || boxes[i].pixels > boxes[largest].pixels))
                largest = i;
        if (largest == COLORS || !cut(&boxes[largest], &boxes[box_count], histogram))
            break;
        box_count++;
    }
    for (unsigned cell = 0; cell < CELLS; cell++)
        for (unsigned i = 0; histogram[cell] && i < box_count; i++)
            if (in_box(&boxes[i], cell))
                nearest[cell] = (uint8_t)i;
    for (size_t i = 0; i < count; i++) {
        const uint8_t index = indices[i] = nearest[cell_of(pixels[i])];
        for (int part = 0; part < 3; part++)
            sums[index][part] += pixels[i] >> (16 - 8 * part) & 0xff;
        sums[index][3]++;
    }
    palette->count = box_count;
    for (unsigned i = 0; i < box_count; i++) {
        const uint64_t n = sums[i][3] ? sums[i][3] : 1;
        palette->colors[i] = (uint32_t)((sums[i][0] / n) << 16 | (sums[i][1] / n) << 8 | sums[i][2] / n);
    }
    free(histogram);
    free(nearest);
}

/* ---- LZW ---- */

struct packer {
    struct cy_buf *out;
    unsigned char block[255];
    unsigned block_size, bit_count;
    uint32_t bits;
};

static void flush_block(struct packer *packer)
{
    if (packer->block_size) {
        cy_buf_putc(packer->out, (char)packer->block_size);
        cy_buf_append(packer->out, packer->block, packer->block_size);
        packer->block_size = 0;
    }
}

static void put_code(struct packer *packer, unsigned code, unsigned width)
{
    packer->bits |= code << packer->bit_count;
    packer->bit_count += width;
    while (packer->bit_count >= 8) {
        packer->block[packer->block_size++] = (unsigned char)(packer->bits & 0xff);
        packer->bits >>= 8;
        packer->bit_count -= 8;
        if (packer->block_size == sizeof(packer->block))
            flush_block(packer);
    }
}

/* Strings of indices as a tree: the child of string s by index i is next[s][i]; 0: none. */
static void compress(struct cy_buf *out, const uint8_t *indices, size_t count)
{
    struct packer packer = {.out = out};
    uint16_t(*next)[COLORS] = calloc(MAX_CODES, sizeof(*next));
    unsigned width = 9, codes = FIRST_CODE;
    if (!next)
        abort();
    put_code(&packer, CLEAR_CODE, width);
    unsigned string = indices[0];
    for (size_t i = 1; i < count; i++) {
        const uint8_t index = indices[i];
        if (next[string][index]) {
            string = next[string][index];
            continue;
        }
        put_code(&packer, string, width);
        if (codes < MAX_CODES) {
            next[string][index] = (uint16_t)codes++;
            if (codes - 1 == 1u << width && width < 12)
                width++;
        } else {
            put_code(&packer, CLEAR_CODE, width);
            memset(next, 0, MAX_CODES * sizeof(*next));
            width = 9;
            codes = FIRST_CODE;
        }
        string = index;
    }
    put_code(&packer, string, width);
    put_code(&packer, END_CODE, width);
    put_code(&packer, 0, 7); /* the last bits to a whole byte */
    flush_block(&packer);
    cy_buf_putc(out, 0);
    free(next);
}

void epic_gif_add(struct cy_buf *out, const uint32_t *pixels, uint32_t width, uint32_t height,
                  unsigned delay_centiseconds)
{
    const size_t count = (size_t)width * height;
    uint8_t *indices = malloc(count);
    struct palette palette = {.count = 0};
    if (!indices)
        abort();
    if (!exact_palette(&palette, pixels, count, indices))
        median_cut(&palette, pixels, count, indices);
    cy_buf_append(out, "\x21\xf9\x04\x04", 4); /* graphic control: stays until the next frame */
    put_u16(out, delay_centiseconds);
    cy_buf_append(out, "\0\0\x2c\0\0\0\0", 7); /* no transparent colour; the image, at 0, 0 */
    put_u16(out, width);
    put_u16(out, height);
    cy_buf_putc(out, (char)0x87); /* 256 colours of its own */
    for (unsigned i = 0; i < COLORS; i++)
        for (int shift = 16; shift >= 0; shift -= 8)
            cy_buf_putc(out, (char)(i < palette.count ? palette.colors[i] >> shift & 0xff : 0));
    cy_buf_putc(out, 8); /* bits of an index */
    compress(out, indices, count);
    free(indices);
}
