/* What `cy epic run` does with frames: PNG files, an animated GIF, a window. */
#ifndef CY_TOOLS_EPIC_FRAMES_H
#define CY_TOOLS_EPIC_FRAMES_H

#include "base/diag.h"
#include "chengying/epic.h"

struct epic_frames {
    /* requested outputs: NULL, false: not */
    const char *directory; /* every frame as frame-0000.png ... */
    const char *png;       /* the last frame */
    const char *gif;
    bool view;
    unsigned scale;              /* pixels of a picture for one of the GPU, in each direction; 0: 1 */
    unsigned delay_centiseconds; /* between frames of the GIF and the window; 0: 4 */

    struct cy_diags *diags;
    struct epic_window *window;
    struct epic_gif *gif_file;
    bool gif_failed;
    struct cy_buf last;     /* last: words */
    uint32_t width, height; /* of the last frame */
    uint64_t count;
    bool closed; /* the user closed the window */
};

/* Creates the directory, opens the window.  Returns false after a diagnostic. */
bool epic_frames_open(struct epic_frames *frames, uint32_t width, uint32_t height);
/* The callback of cy_epic_on_frame; `user` is the struct epic_frames. */
bool epic_frames_add(void *user, const struct cy_epic_frame *frame);
/* Writes the files written at the end; with a window waits until it is closed if `wait`. */
bool epic_frames_close(struct epic_frames *frames, bool wait);

/* A GIF in memory, by giflib: begin, frames of the same size, end, which appends the file to `out` and frees everything.  NULL and
 * false: giflib failed, or this cy was built without it. */
struct epic_gif;
struct epic_gif *epic_gif_begin(uint32_t width, uint32_t height);
bool epic_gif_add(struct epic_gif *gif, const uint32_t *pixels, uint32_t width, uint32_t height,
                  unsigned delay_centiseconds);
bool epic_gif_end(struct epic_gif *gif, struct cy_buf *out);

/* A window (SDL2).  NULL after a diagnostic. */
struct epic_window *epic_window_open(const char *title, uint32_t width, uint32_t height, unsigned scale,
                                     struct cy_diags *diags);
/* False: the user closed it. */
bool epic_window_show(struct epic_window *window, const uint32_t *pixels, unsigned delay_milliseconds);
void epic_window_close(struct epic_window *window, bool wait);

#endif
