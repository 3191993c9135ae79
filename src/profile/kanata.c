/* The pipeline log of Konata ("Kanata" 0004): every instruction with its stages, cycle by cycle.  Launches follow each other, and
 * instructions are numbered as they appear, which is how the format wants them.
 *
 * Stages: Fe waits for the instruction, Sb scoreboard, Me memory, Is issue, Op operands, Un unit busy, Ba barrier, Di divergence,
 * Ex execution until the result is written. */
#include "profile/profile_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const stages[CY_STALL_COUNT] = {"Is", "Fe", "Sb", "Op", "Un", "Me", "Ba", "Di", "Em"};

/* One line of the log, to be sorted by cycle. */
enum command { NEW, STAGE, RETIRE };
struct action {
    uint64_t cycle;
    uint32_t instruction; /* index of the instruction */
    uint8_t command;      /* enum command: also the order within a cycle */
    const char *stage;
};
struct instruction {
    const struct cy_profile_event *event; /* the first one of it */
    uint32_t number;                      /* in the log, once it has appeared */
};

static bool is_before(const struct cy_profile_event *a, const struct cy_profile_event *b, int *order)
{
    const uint64_t keys[][2] = {{a->launch, b->launch},
                                {a->event.group, b->event.group},
                                {a->event.warp, b->event.warp},
                                {a->event.ordinal, b->event.ordinal}};
    for (size_t i = 0; i < CY_COUNT(keys); i++)
        if (keys[i][0] != keys[i][1]) {
            *order = keys[i][0] < keys[i][1] ? -1 : 1;
            return true;
        }
    *order = 0;
    return false;
}

/* By instruction, then by cycle. */
static int by_instruction(const void *a, const void *b)
{
    const struct cy_profile_event *left = *(const struct cy_profile_event *const *)a,
                                  *right = *(const struct cy_profile_event *const *)b;
    int order;
    if (is_before(left, right, &order))
        return order;
    if (left->is_done != right->is_done)
        return left->is_done ? 1 : -1;
    return left->event.begin < right->event.begin ? -1 : left->event.begin > right->event.begin;
}

static int by_cycle(const void *a, const void *b)
{
    const struct action *left = a, *right = b;
    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    if (left->instruction != right->instruction)
        return left->instruction < right->instruction ? -1 : 1;
    return left->command < right->command ? -1 : left->command > right->command;
}

struct log {
    const struct cy_profile *profile;
    struct cy_buf *out;
    CY_VEC(struct instruction) instructions;
    CY_VEC(struct action) actions;
    CY_VEC(struct profile_view) views; /* by kernel, for the instructions' texts */
    uint64_t *starts;                  /* by launch: its first cycle in the log */
};

static void act(struct log *log, uint64_t cycle, enum command command, const char *stage)
{
    *cy_vec_push(&log->actions) =
        (struct action){cycle, (uint32_t)(log->instructions.count - 1), (uint8_t)command, stage};
}

static void add_instruction(struct log *log, const struct cy_profile_event *const *events, size_t count)
{
    const struct cy_timing_event *first = &events[0]->event, *last = &events[count - 1]->event;
    const uint64_t base = log->starts[events[0]->launch];
    uint64_t end = last->end, issued = 0;
    *cy_vec_push(&log->instructions) = (struct instruction){events[0], 0};
    act(log, base + first->begin, NEW, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct cy_timing_event *event = &events[i]->event;
        if (events[i]->is_done) {
            const uint64_t start = issued > event->begin ? issued : event->begin + 1;
            if (start < event->end) /* else it was done as soon as it had its operands */
                act(log, base + start, STAGE, "Ex");
            end = event->end > end ? event->end : end;
        } else {
            act(log, base + event->begin, STAGE, stages[event->stall]);
            issued = event->end;
        }
    }
    act(log, base + end, RETIRE, NULL);
}

static const char *text_of(const struct log *log, const struct cy_profile_event *event)
{
    const struct cy_profile *profile = log->profile;
    const size_t kernel =
        event->launch && event->launch <= profile->launched.count ? profile->launched.at[event->launch - 1] : SIZE_MAX;
    if (kernel >= log->views.count)
        return "";
    const struct profile_view *view = &log->views.at[kernel];
    size_t low = 0, high = view->rows.count;
    while (low < high) { /* by address; the event has that of the instruction, the row that of its prefix */
        const size_t middle = (low + high) / 2;
        const uint32_t pc = view->rows.at[middle].pc + view->rows.at[middle].size - 4;
        if (pc == event->event.pc)
            return view->rows.at[middle].text;
        if (pc < event->event.pc)
            low = middle + 1;
        else
            high = middle;
    }
    return "";
}

static void put_action(struct log *log, const struct action *action, uint32_t *appeared, uint64_t *retired)
{
    struct instruction *instruction = &log->instructions.at[action->instruction];
    const struct cy_timing_event *event = &instruction->event->event;
    switch ((enum command)action->command) {
    case NEW:
        instruction->number = (*appeared)++;
        cy_buf_printf(log->out, "I\t%u\t%u\t%u\n", instruction->number, event->ordinal,
                      (unsigned)(event->sm * 64 + event->slot));
        cy_buf_printf(log->out, "L\t%u\t0\tSM %u warp %u: %08x %s\n", instruction->number, event->sm, event->slot,
                      event->pc, text_of(log, instruction->event));
        cy_buf_printf(log->out, "L\t%u\t1\tlaunch %u, workgroup %" PRIu64 ", warp %u, instruction %u\n",
                      instruction->number, instruction->event->launch, event->group, event->warp, event->ordinal);
        break;
    case STAGE: cy_buf_printf(log->out, "S\t%u\t0\t%s\n", instruction->number, action->stage); break;
    case RETIRE: cy_buf_printf(log->out, "R\t%u\t%" PRIu64 "\t0\n", instruction->number, (*retired)++); break;
    }
}

static void put_log(struct log *log)
{
    uint64_t cycle = log->actions.count ? log->actions.at[0].cycle : 0, retired = 0;
    uint32_t appeared = 0;
    cy_buf_printf(log->out, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
    for (size_t i = 0; i < log->actions.count; i++) {
        const struct action *action = &log->actions.at[i];
        if (action->cycle != cycle)
            cy_buf_printf(log->out, "C\t%" PRIu64 "\n", action->cycle - cycle);
        cycle = action->cycle;
        put_action(log, action, &appeared, &retired);
    }
}

/* Each launch counts its cycles from 0. */
static uint64_t *find_starts(const struct cy_profile *profile)
{
    uint64_t *starts = cy_xrealloc(NULL, ((size_t)profile->launches + 2) * sizeof(starts[0]));
    memset(starts, 0, ((size_t)profile->launches + 2) * sizeof(starts[0]));
    for (size_t i = 0; i < profile->events.count; i++) {
        const struct cy_profile_event *event = &profile->events.at[i];
        uint64_t *end = &starts[event->launch + 1];
        *end = event->event.end > *end ? event->event.end : *end;
    }
    for (size_t i = 1; i < (size_t)profile->launches + 2; i++)
        starts[i] += starts[i - 1];
    return starts;
}

void cy_profile_kanata(const struct cy_profile *profile, struct cy_buf *out)
{
    struct log log = {.profile = profile, .out = out, .starts = find_starts(profile)};
    const struct cy_profile_event **order = cy_xrealloc(NULL, (profile->events.count + 1) * sizeof(order[0]));
    size_t count = 0;
    int difference;
    for (size_t i = 0; i < profile->events.count; i++)
        if (profile->events.at[i].event.pc)
            order[count++] = &profile->events.at[i];
    qsort(order, count, sizeof(order[0]), by_instruction);
    for (size_t i = 0; i < profile->kernels.count; i++)
        profile_view_open(cy_vec_push(&log.views), profile, i);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !is_before(order[i], order[end], &difference);)
            end++;
        if (!order[i]->is_done) /* its beginning was left out */
            add_instruction(&log, order + i, end - i);
    }
    qsort(log.actions.at, log.actions.count, sizeof(log.actions.at[0]), by_cycle);
    put_log(&log);
    for (size_t i = 0; i < log.views.count; i++)
        profile_view_close(&log.views.at[i]);
    cy_vec_free(&log.views);
    cy_vec_free(&log.instructions);
    cy_vec_free(&log.actions);
    cy_free(log.starts);
    cy_free(order);
}
