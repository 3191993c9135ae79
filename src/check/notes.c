/* What the compiler tells by accesses to addresses that no memory is behind (abi.def). */
#include "check/check_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void index_out_of_range(struct cy_check_launch *l, const struct access *a, unsigned lane)
{
    if (!(l->tools & CY_CHECK_MEMORY) || !report_is_new(l, K_INDEX, a->pc, 0, 0))
        return;
    const uint32_t item =
        a->state->group->first + a->warp->tid + (a->uniform ? (unsigned)__builtin_ctzll(a->warp->active) : lane) + 1;
    struct finding f = {.kind = K_INDEX, .self = {a->pc, item, ""}};
    snprintf(f.text, sizeof(f.text), "index %" PRId32 " of an array of %" PRIu32 " elements", (int32_t)a->data[lane],
             a->state->bound);
    report_show(l, &f);
}

/* Of a type that needs more than the words it is accessed by. */
static void alignment(struct cy_check_launch *l, const struct access *a, unsigned lane)
{
    const uint32_t low = a->data[lane] & 0xffff, align = a->data[lane] >> 16;
    if (!low || !(l->tools & CY_CHECK_MEMORY) || !report_is_new(l, K_MISALIGNED, a->pc, 0, 0))
        return;
    const unsigned who = a->uniform ? (unsigned)__builtin_ctzll(a->warp->active) : lane;
    struct finding f = {.kind = K_MISALIGNED, .self = {a->pc, item_of(l, a, who), ""}};
    snprintf(f.text, sizeof(f.text),
             "access at an address that is not a multiple of %" PRIu32
             ", as its type requires: the remainder is %" PRIu32,
             align, low);
    report_show(l, &f);
}

/* ---- images ---- */

static void set_coordinate(struct cy_check_launch *l, const struct access *a, unsigned which)
{
    struct warp_state *s = a->state;
    if (!s->image_at && !(s->image_at = cy_try_alloc(3 * sizeof(*s->image_at)))) {
        l->no_memory = true;
        return;
    }
    for (unsigned lane = 0; lane < a->warp->numt; lane++)
        s->image_at[which][lane] = a->data[a->uniform ? 0 : lane];
}

/* The element that a coordinate names, as far as it can be in the image. */
static int64_t element_at(uint32_t bits, uint32_t count, uint32_t how)
{
    float at;
    if (!(how >> 16 & CY_CHECK_IMAGE_FLOAT))
        return (int32_t)bits;
    memcpy(&at, &bits, sizeof(at));
    at = how & 1 ? at * (float)count : at; /* normalised coordinates */
    return !(at >= 0) ? -1 : at >= (float)count ? count : (int64_t)at;
}

static void outside_of_image(struct cy_check_launch *l, const struct access *a, unsigned lane, const uint32_t *sizes,
                             const struct object *object)
{
    const struct warp_state *s = a->state;
    const unsigned flags = s->image_how >> 16;
    const bool write = flags & CY_CHECK_IMAGE_WRITE;
    char at[96], size[64];
    if (!report_is_new(l, K_OUT_OF_BOUNDS, a->pc, 0, object ? object->start : 0))
        return;
    size_t at_length = 0, size_length = 0;
    for (unsigned i = 0; i < (flags & CY_CHECK_IMAGE_Z ? 3u : flags & CY_CHECK_IMAGE_Y ? 2u : 1u); i++) {
        float number;
        memcpy(&number, &s->image_at[i][lane], sizeof(number));
        at_length +=
            (size_t)(flags & CY_CHECK_IMAGE_FLOAT
                         ? snprintf(at + at_length, sizeof(at) - at_length, "%s%g", i ? ", " : "", (double)number)
                         : snprintf(at + at_length, sizeof(at) - at_length, "%s%" PRId32, i ? ", " : "",
                                    (int32_t)s->image_at[i][lane]));
        size_length +=
            (size_t)snprintf(size + size_length, sizeof(size) - size_length, "%s%" PRIu32, i ? " x " : "", sizes[i]);
    }
    struct finding f = {.kind = K_OUT_OF_BOUNDS,
                        .self = {a->pc, a->state->group->first + a->warp->tid + lane + 1, write ? "write" : "read"},
                        .object = object};
    char name[128] = "an image";
    if (object)
        snprintf(name, sizeof(name), "`%s`, argument %u of `%s`", object->name, object->index, l->kernel);
    snprintf(f.text, sizeof(f.text), "%s of the element (%s), outside of %s, an image of %s", write ? "write" : "read",
             at, name, size);
    report_show(l, &f);
}

/* All lanes use the same image. */
static void image_access(struct cy_check_launch *l, const struct access *a)
{
    const struct warp_state *s = a->state;
    const uint32_t description = a->data[__builtin_ctzll(a->lanes)], flags = s->image_how >> 16;
    const uint32_t addressing = s->image_how & 0xe;
    const struct object *object = find_object(&l->global, description);
    if (!(l->tools & CY_CHECK_MEMORY) || addressing || !s->image_at || !object ||
        description - object->start + CY_IMG_BYTES > object->size)
        return;
    uint32_t words[CY_IMG_BYTES / 4], sizes[3];
    memcpy(words, l->memory + description, sizeof(words));
    const bool layers = flags & CY_CHECK_IMAGE_LAYERS;
    sizes[0] = words[CY_IMG_WIDTH / 4];
    sizes[1] = layers && !(flags & CY_CHECK_IMAGE_Z) ? words[CY_IMG_LAYERS / 4] : words[CY_IMG_HEIGHT / 4];
    sizes[2] = layers ? words[CY_IMG_LAYERS / 4] : words[CY_IMG_DEPTH / 4];
    unsigned count = flags & CY_CHECK_IMAGE_Z ? 3 : flags & CY_CHECK_IMAGE_Y ? 2 : 1;
    if (layers && s->image_how & 0xffff) /* a sampler takes the nearest layer */
        count--;
    for (uint64_t left = a->warp->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        bool inside = true;
        for (unsigned i = 0; i < count; i++) {
            const int64_t at = element_at(s->image_at[i][lane], sizes[i], s->image_how);
            inside = inside && at >= 0 && at < sizes[i];
        }
        if (!inside)
            outside_of_image(l, a, lane, sizes, object);
    }
}

static void note(struct cy_check_launch *l, const struct access *a, uint32_t address, unsigned lane)
{
    struct warp_state *s = a->state;
    const uint32_t value = a->data[lane];
    switch (address) {
    case CY_CHECK_NOTE_BOUND: s->bound = value; break;
    case CY_CHECK_NOTE_INDEX: index_out_of_range(l, a, lane); break;
    case CY_CHECK_NOTE_ALIGN: alignment(l, a, lane); break;
    case CY_CHECK_NOTE_COPY: s->copying = value != 0; break;
    case CY_CHECK_NOTE_ASYNC_TO: s->async.to = value; break;
    case CY_CHECK_NOTE_ASYNC_FROM: s->async.from = value; break;
    case CY_CHECK_NOTE_ASYNC_SIZE: s->async.size = value; break;
    case CY_CHECK_NOTE_ASYNC_TO_STEP: s->async.to_step = value; break;
    case CY_CHECK_NOTE_ASYNC_FROM_STEP: s->async.from_step = value; break;
    case CY_CHECK_NOTE_EVENT: s->async.event = value; break;
    case CY_CHECK_NOTE_ORDER: s->order = value; break;
    case CY_CHECK_NOTE_IMAGE_HOW: s->image_how = value; break;
    case CY_CHECK_NOTE_ORDER_END: s->order = ORDER_OLD; break;
    default: break;
    }
}

/* The event of an asynchronous copy is the only note that is read. */
static void give_event(const struct access *a)
{
    const uint32_t event = sync_event_of(a->state);
    uint32_t *row = a->warp->v + (size_t)a->op->d * a->warp->numt;
    if (a->uniform)
        a->warp->x[a->op->d] = event;
    for (uint64_t left = a->uniform ? 0 : a->lanes; left; left &= left - 1)
        row[__builtin_ctzll(left)] = event;
}

uint64_t note_access(struct cy_check_launch *l, const struct access *a)
{
    const uint64_t lanes = a->lanes;
    const uint32_t first = a->address[__builtin_ctzll(lanes)];
    if (!a->op->store && first == CY_CHECK_NOTE_EVENT)
        give_event(a);
    if (!a->op->store && l->tools & CY_CHECK_INIT)
        (first < CY_CHECK_NOTES ? init_undefined : init_defined)(l, a);
    if (a->op->store)
        for (uint64_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            note(l, a, a->address[lane], lane);
        }
    if (a->op->store && first >= CY_CHECK_NOTE_IMAGE_X && first <= CY_CHECK_NOTE_IMAGE_Z)
        set_coordinate(l, a, (first - CY_CHECK_NOTE_IMAGE_X) / 4);
    if (a->op->store && first == CY_CHECK_NOTE_IMAGE)
        image_access(l, a);
    if (a->op->store)
        sync_note(l, a, first);
    if (a->op->store && first == CY_CHECK_NOTE_FENCE && l->tools & CY_CHECK_RACE)
        order_fence(l, a, a->data[__builtin_ctzll(lanes)]);
    return a->uniform ? 1 : lanes;
}
