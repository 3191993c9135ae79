/* Frames as pictures. */
#define _POSIX_C_SOURCE 200809L
#include "epic_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "picture.h"

static unsigned scale_of(const struct epic_frames *frames)
{
    return frames->scale ? frames->scale : 1;
}

static unsigned delay_of(const struct epic_frames *frames)
{
    return frames->delay_centiseconds ? frames->delay_centiseconds : 4;
}

bool epic_frames_open(struct epic_frames *frames, uint32_t width, uint32_t height)
{
    if (frames->directory && mkdir(frames->directory, 0777) != 0 && errno != EEXIST) {
        cy_diag_file(frames->diags, CY_ERROR, frames->directory, "cannot create the directory: %s", strerror(errno));
        return false;
    }
#ifndef CY_HAVE_GIF
    if (frames->gif) {
        cy_diag_file(frames->diags, CY_ERROR, frames->gif,
                     "this cy was built without giflib, which writes GIFs (Debian package libgif-dev)");
        return false;
    }
#endif
    if (frames->gif && (width * scale_of(frames) > 65535 || height * scale_of(frames) > 65535)) {
        cy_diag_file(frames->diags, CY_ERROR, frames->gif, "a GIF has at most 65535 pixels in each direction");
        return false;
    }
    if (frames->view) {
        frames->window = epic_window_open("EpicGPU", width, height, scale_of(frames), frames->diags);
        return frames->window != NULL;
    }
    return true;
}

/* Every pixel becomes a square of `scale` by `scale`. */
static uint32_t *enlarge(const uint32_t *pixels, uint32_t width, uint32_t height, unsigned scale)
{
    uint32_t *large = malloc((size_t)width * height * scale * scale * sizeof(*large)), *to = large;
    if (!large)
        abort();
    for (size_t y = 0; y < (size_t)height * scale; y++)
        for (size_t x = 0; x < (size_t)width * scale; x++)
            *to++ = pixels[y / scale * width + x / scale];
    return large;
}

static bool write_scaled(const struct epic_frames *frames, const char *path, const uint32_t *pixels)
{
    const unsigned scale = scale_of(frames);
    if (scale == 1)
        return cy_png_write(path, pixels, frames->width, frames->height, frames->diags);
    uint32_t *large = enlarge(pixels, frames->width, frames->height, scale);
    bool ok = cy_png_write(path, large, frames->width * scale, frames->height * scale, frames->diags);
    free(large);
    return ok;
}

static void add_to_gif(struct epic_frames *frames, const uint32_t *pixels)
{
    const unsigned scale = scale_of(frames);
    const uint32_t width = frames->width * scale, height = frames->height * scale;
    uint32_t *large = enlarge(pixels, frames->width, frames->height, scale);
    if (frames->count == 0)
        frames->gif_file = epic_gif_begin(width, height);
    if (!frames->gif_file || !epic_gif_add(frames->gif_file, large, width, height, delay_of(frames)))
        frames->gif_failed = true;
    free(large);
}

bool epic_frames_add(void *user, const struct cy_epic_frame *frame)
{
    struct epic_frames *frames = user;
    bool ok = true;
    frames->width = frame->width;
    frames->height = frame->height;
    if (frames->directory) {
        struct cy_buf path = {0};
        cy_buf_printf(&path, "%s/frame-%04llu.png", frames->directory, (unsigned long long)frames->count);
        ok = write_scaled(frames, path.data, frame->pixels);
        cy_buf_free(&path);
    }
    if (frames->gif)
        add_to_gif(frames, frame->pixels);
    if (frames->png) {
        frames->last.size = 0;
        cy_buf_append(&frames->last, frame->pixels, (size_t)frame->width * frame->height * sizeof(*frame->pixels));
    }
    if (frames->window)
        frames->closed = !epic_window_show(frames->window, frame->pixels, delay_of(frames) * 10);
    frames->count++;
    return ok && !frames->closed;
}

static bool write_last(struct epic_frames *frames)
{
    const size_t count = frames->last.size / sizeof(uint32_t);
    uint32_t *pixels = malloc(frames->last.size);
    if (!pixels)
        abort();
    memcpy(pixels, frames->last.data, count * sizeof(*pixels));
    bool ok = write_scaled(frames, frames->png, pixels);
    free(pixels);
    return ok;
}

static bool write_gif(struct epic_frames *frames)
{
    struct cy_buf bytes = {0};
    bool made = frames->gif_file && epic_gif_end(frames->gif_file, &bytes) && !frames->gif_failed;
    if (!made)
        cy_diag_file(frames->diags, CY_ERROR, frames->gif, "giflib cannot make a GIF of these frames");
    bool ok = made && cy_file_write(frames->gif, bytes.data, bytes.size, false, frames->diags);
    frames->gif_file = NULL;
    cy_buf_free(&bytes);
    return ok;
}

bool epic_frames_close(struct epic_frames *frames, bool wait)
{
    bool ok = true;
    if (frames->count == 0 && (frames->directory || frames->png || frames->gif))
        cy_diag_file(frames->diags, CY_WARNING, NULL, "no frame was shown: there was no disp");
    if (frames->png && frames->count)
        ok = write_last(frames);
    if (frames->gif && frames->count) {
        ok = write_gif(frames) && ok;
    }
    if (frames->window)
        epic_window_close(frames->window, wait && !frames->closed);
    frames->window = NULL;
    cy_buf_free(&frames->last);
    return ok;
}
