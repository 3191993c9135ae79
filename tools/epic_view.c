/* A window for frames, through SDL2.  The library is loaded only when a window is opened, so that `cy` does not depend
 * on it. */
#include "epic_frames.h"

#ifdef CY_HAVE_SDL2

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <SDL2/SDL.h>

/* The SDL2 functions used here. */
#define SDL_FUNCTIONS(F)                                                                                               \
    F(SDL_Init)                                                                                                        \
    F(SDL_Quit)                                                                                                        \
    F(SDL_GetError)                                                                                                    \
    F(SDL_GetCurrentVideoDriver)                                                                                       \
    F(SDL_CreateWindow)                                                                                                \
    F(SDL_CreateRenderer)                                                                                              \
    F(SDL_CreateTexture)                                                                                               \
    F(SDL_DestroyTexture)                                                                                              \
    F(SDL_DestroyRenderer)                                                                                             \
    F(SDL_DestroyWindow)                                                                                               \
    F(SDL_UpdateTexture)                                                                                               \
    F(SDL_RenderClear)                                                                                                 \
    F(SDL_RenderCopy)                                                                                                  \
    F(SDL_RenderPresent)                                                                                               \
    F(SDL_PollEvent)                                                                                                   \
    F(SDL_Delay)

struct epic_window {
    void *library;
#define MEMBER(name) __typeof__(name) *name;
    SDL_FUNCTIONS(MEMBER)
#undef MEMBER
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    int pitch;
};

static bool find_functions(struct epic_window *w)
{
    void *address;
    bool all = true;
    /* dlsym returns functions as object pointers; POSIX allows the conversion, C does not. */
#define FIND(name)                                                                                                     \
    address = dlsym(w->library, #name);                                                                                \
    all &= address != NULL;                                                                                            \
    memcpy(&w->name, &address, sizeof(address));
    SDL_FUNCTIONS(FIND)
#undef FIND
    if (!all)
        w->SDL_Quit = NULL; /* then nothing was initialised */
    return all;
}

/* Without a display SDL falls back to drivers that draw where nobody looks: the window would wait for ever to be closed.  Whoever
 * names such a driver means it. */
static bool is_visible(const struct epic_window *w)
{
    static const char *const hidden[] = {"dummy", "evdev", "offscreen"};
    const char *driver = w->SDL_GetCurrentVideoDriver(), *named = getenv("SDL_VIDEODRIVER");
    for (size_t i = 0; driver && !(named && *named) && i < CY_COUNT(hidden); i++)
        if (!strcmp(driver, hidden[i]))
            return false;
    return driver != NULL;
}

static bool create(struct epic_window *w, const char *title, uint32_t width, uint32_t height, unsigned scale)
{
    if (w->SDL_Init(SDL_INIT_VIDEO) != 0 || !is_visible(w))
        return false;
    w->window = w->SDL_CreateWindow(title, (int)SDL_WINDOWPOS_UNDEFINED, (int)SDL_WINDOWPOS_UNDEFINED,
                                    (int)(width * scale), (int)(height * scale), 0);
    w->renderer = w->window ? w->SDL_CreateRenderer(w->window, -1, 0) : NULL;
    w->texture = w->renderer ? w->SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING,
                                                    (int)width, (int)height)
                             : NULL;
    w->pitch = (int)width * 4;
    return w->texture != NULL;
}

static void destroy(struct epic_window *w)
{
    if (w->texture)
        w->SDL_DestroyTexture(w->texture);
    if (w->renderer)
        w->SDL_DestroyRenderer(w->renderer);
    if (w->window)
        w->SDL_DestroyWindow(w->window);
    w->SDL_Quit();
}

struct epic_window *epic_window_open(const char *title, uint32_t width, uint32_t height, unsigned scale,
                                     struct cy_diags *diags)
{
    struct epic_window *w = calloc(1, sizeof(*w));
    if (!w)
        abort();
    w->library = dlopen("libSDL2-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!w->library || !find_functions(w))
        cy_diag_file(diags, CY_ERROR, NULL, "--view needs SDL2, which is not installed (Debian package libsdl2-2.0-0)");
    else if (!create(w, title, width, height, scale))
        cy_diag_file(diags, CY_ERROR, NULL, "--view: there is no display to open a window on%s%s",
                     *w->SDL_GetError() ? ": " : "", w->SDL_GetError());
    else
        return w;
    if (w->SDL_Quit)
        destroy(w);
    if (w->library)
        dlclose(w->library);
    free(w);
    return NULL;
}

static bool is_open(struct epic_window *w)
{
    SDL_Event event;
    bool open = true;
    while (w->SDL_PollEvent(&event))
        open &= event.type != SDL_QUIT && !(event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE);
    return open;
}

bool epic_window_show(struct epic_window *w, const uint32_t *pixels, unsigned delay_milliseconds)
{
    w->SDL_UpdateTexture(w->texture, NULL, pixels, w->pitch);
    w->SDL_RenderClear(w->renderer);
    w->SDL_RenderCopy(w->renderer, w->texture, NULL, NULL);
    w->SDL_RenderPresent(w->renderer);
    w->SDL_Delay(delay_milliseconds);
    return is_open(w);
}

void epic_window_close(struct epic_window *w, bool wait)
{
    while (wait && is_open(w))
        w->SDL_Delay(20);
    destroy(w);
    dlclose(w->library);
    free(w);
}

#else

struct epic_window *epic_window_open(const char *title, uint32_t width, uint32_t height, unsigned scale,
                                     struct cy_diags *diags)
{
    (void)title, (void)width, (void)height, (void)scale;
    cy_diag_file(diags, CY_ERROR, NULL, "--view: this cy was built without SDL2 (Debian package libsdl2-dev)");
    return NULL;
}

bool epic_window_show(struct epic_window *window, const uint32_t *pixels, unsigned delay_milliseconds)
{
    (void)window, (void)pixels, (void)delay_milliseconds;
    return false;
}

void epic_window_close(struct epic_window *window, bool wait)
{
    (void)window, (void)wait;
}

#endif
