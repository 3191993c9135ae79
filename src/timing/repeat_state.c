/* The state of the device as words: the SMs, what is under way between them and the L2, the L2, memory, the tags of the caches.
 *
 * Cycles are relative to the device's, workgroups to the next one, lines of data have names.  As in state.h each function both writes
 * and reads. */
#include "timing/repeat.h"

#include <string.h>

struct visitor {
    struct timing_model *model;
    struct tape *tape;
    bool saves;
};

/* An access by its number; the first time, with what it is. */
static void visit_access_number(const struct visitor *v, struct sm *sm, uint8_t *index)
{
    struct tape *tape = v->tape;
    struct order *order = &v->model->repeat->orders[sm->index];
    const bool saves = v->saves;
    uint64_t number = saves ? order->number[*index] : 0;
    word(tape, saves, &number);
    if (number < order->count) {
        *index = order->index[number];
        return;
    }
    if (saves)
        order->number[*index] = (uint8_t)order->count;
    else
        *index = sm->free_accesses[--sm->free_access_count];
    order->index[order->count++] = *index;
    visit_access(sm, tape, saves, &sm->accesses[*index]);
}

static void visit_entry(const struct visitor *v, struct sm *sm, int *entry)
{
    uint64_t is_there = *entry >= 0;
    uint8_t index = (uint8_t)*entry;
    word(v->tape, v->saves, &is_there);
    if (is_there)
        visit_access_number(v, sm, &index);
    *entry = is_there ? index : -1;
}

/* A line at the L2: of code, which stays where it is, or of data. */
static void visit_l2_line(const struct visitor *v, uint32_t *line)
{
    struct tape *tape = v->tape;
    const struct names *names = tape->names;
    const bool saves = v->saves;
    uint64_t is_code = *line >= names->code_first && *line <= names->code_last;
    word(tape, saves, &is_code);
    if (is_code)
        WORD(*line);
    else
        line_word(tape, saves, line, true);
}

enum where { IN_L1D_QUEUE, AT_L2, IN_ANSWERS };

static void visit_request(const struct visitor *v, struct request *request, enum where where)
{
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    const uint64_t now = v->model->cycle;
    when(tape, saves, &request->cycle, now);
    WORD(request->source);
    WORD(request->sm);
    if (where == IN_ANSWERS) /* those that are there came first */
        when(tape, saves, &request->sent, now);
    if (where == AT_L2) { /* who came first matters among those that have not arrived */
        uint64_t sent = request->cycle > now ? request->sent + (1u << 20) - now : 0;
        word(tape, saves, &sent);
        request->sent = sent ? now + sent - (1u << 20) : 0;
        visit_l2_line(v, &request->line);
    }
    if (request->source == FROM_L1I) {
        WORD(request->origin);
        return;
    }
    if (where == AT_L2)
        request->origin = request->line;
    else
        line_word(tape, saves, &request->origin, request->source != FROM_L1D_READ);
    if (where != IN_L1D_QUEUE || request->source == FROM_L1D_READ)
        WORD(request->entry);
    if (request->source == FROM_L1D_ATOMIC || (where == IN_L1D_QUEUE && request->source == FROM_L1D_WRITE))
        visit_access_number(v, &v->model->sms[request->sm], &request->access);
}

static void visit_queue(const struct visitor *v, struct queue *queue, enum where where)
{
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    if (!saves)
        queue->head = 0;
    WORD(queue->count);
    for (unsigned i = 0; i < queue->count; i++)
        visit_request(v, &queue->at[(queue->head + i) % QUEUE], where);
}

/* Lines by their places; of the times of their uses only the order within a set. */
static void visit_tags(const struct visitor *v, struct tags *tags,
                       void (*visit_line)(const struct visitor *, uint32_t *))
{
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++) {
        const uint32_t first = i - i % tags->ways;
        uint64_t mark = 0;
        if (saves && tags->line[i]) {
            mark = 1 | (uint64_t)tags->dirty[i] << 1;
            for (uint32_t k = first; k < first + tags->ways; k++)
                mark += (uint64_t)(tags->line[k] && tags->used[k] < tags->used[i]) << 2;
        }
        word(tape, saves, &mark);
        uint32_t line = tags->line[i] - 1;
        if (mark)
            visit_line(v, &line);
        tags->line[i] = mark ? line + 1 : 0;
        tags->dirty[i] = mark >> 1 & 1;
    }
    if (!saves)
        tags->fills++;
}

static bool is_older(const struct tags *tags, uint32_t a, uint32_t b)
{
    return tags->line[a] && (!tags->line[b] || tags->used[a] < tags->used[b]);
}

/* The ways of a set by the last use of their lines, empty ones last. */
static void sort_ways(const struct tags *tags, uint32_t first, uint8_t *ways)
{
    for (uint32_t i = 0; i < tags->ways; i++) {
        uint32_t k = i;
        for (; k > 0 && is_older(tags, first + i, first + ways[k - 1]); k--)
            ways[k] = ways[k - 1];
        ways[k] = (uint8_t)i;
    }
}

/* The same for the L1D, whose lines move a lot: within a set by the order of their uses.  Which way has which line makes no difference,
 * except where two were used in the same cycle; a path that is taken moves them from and to other ways than it did. */
static void visit_l1d_tags(const struct visitor *v, struct sm *sm)
{
    struct tape *tape = v->tape;
    struct tags *tags = &sm->l1d;
    const bool saves = v->saves;
    uint8_t *ways = v->model->repeat->ways + sm->index * tags->sets * tags->ways;
    for (uint32_t first = 0; first < tags->sets * tags->ways; first += tags->ways, ways += tags->ways) {
        if (saves)
            sort_ways(tags, first, ways);
        for (uint32_t k = 0; k < tags->ways; k++) {
            const uint32_t i = first + ways[k];
            uint64_t mark = tags->line[i] ? 1 + tags->dirty[i] : 0;
            uint32_t line = tags->line[i] - 1;
            word(tape, saves, &mark);
            if (mark)
                line_word(tape, saves, &line, false);
            tags->line[i] = mark ? line + 1 : 0;
            tags->dirty[i] = mark == 2;
        }
    }
    if (!saves)
        tags->fills++;
}

static void visit_code_line(const struct visitor *v, uint32_t *line)
{
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    WORD(*line);
}

static void visit_mshrs(const struct visitor *v, struct sm *sm)
{
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    WIDE(sm->mshrs_used);
    WIDE(sm->missing);
    for (uint64_t set = sm->mshrs_used; set; set &= set - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(set);
        struct mshr *mshr = &sm->mshrs[at];
        if (!(sm->missing >> at & 1)) {
            when(tape, saves, &mshr->free_at, v->model->cycle);
            continue;
        }
        line_word(tape, saves, &sm->missing_line[at], false);
        WORD(mshr->count);
        for (unsigned i = 0; i < mshr->count; i++)
            visit_access_number(v, sm, &mshr->access[i]);
    }
    WIDE(sm->writing);
    for (uint64_t set = sm->writing; set; set &= set - 1)
        line_word(tape, saves, &sm->write_line[__builtin_ctzll(set)], true);
    WORD(sm->l1i_missing);
    for (unsigned i = 0; i < sm->p.l1i_mshrs; i++) {
        WORD(sm->l1i_mshrs[i].used);
        if (sm->l1i_mshrs[i].used)
            WORD(sm->l1i_mshrs[i].line);
    }
}

static void visit_lsu(const struct visitor *v, struct sm *sm)
{
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    const uint64_t now = v->model->cycle;
    when(tape, saves, &sm->lsu_next, now);
    when(tape, saves, &sm->lsu_answer, now);
    when(tape, saves, &sm->next_answer, now);
    when(tape, saves, &sm->next_send, now);
    if (sm->l1d_busy == UINT64_MAX)
        sm->l1d_busy = 0;
    when(tape, saves, &sm->l1d_busy, now);
    WORD(sm->write_waits);
    WORD(sm->lsu_blocked);
    WORD(sm->queue_blocked);
    visit_entry(v, sm, &sm->lsu_current);
    visit_entry(v, sm, &sm->lsu_input);
    visit_mshrs(v, sm);
    if (sm->write_waits) {
        line_word(tape, saves, &sm->write_waiting.origin, true);
        visit_access_number(v, sm, &sm->write_waiting.access);
    }
    visit_queue(v, &sm->l1d_queue, IN_L1D_QUEUE);
    visit_queue(v, &sm->answers, IN_ANSWERS);
    visit_queue(v, &sm->l1i_answers, IN_ANSWERS);
    visit_tags(v, &sm->l1i, visit_code_line);
    visit_l1d_tags(v, sm);
}

static void visit_warps(const struct visitor *v, struct sm *sm)
{
    struct timing_model *model = v->model;
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    WIDE(sm->occupied);
    WIDE(sm->starting);
    WIDE(sm->residents_used);
    WORD(sm->ending);
    for (uint64_t set = sm->residents_used; set; set &= set - 1) {
        struct resident *resident = &sm->residents[__builtin_ctzll(set)];
        uint64_t back = model->next_group - resident->number;
        wide(tape, saves, &back);
        resident->number = model->next_group - back;
        due(tape, saves, &resident->release_at, model->cycle);
    }
    for (uint64_t set = sm->occupied; set; set &= set - 1) {
        struct warp *warp = &sm->warps[__builtin_ctzll(set)];
        uint64_t resident = saves ? (uint64_t)(warp->resident - sm->residents) : 0;
        word(tape, saves, &resident);
        WORD(warp->wid);
        if (sm->starting >> __builtin_ctzll(set) & 1)
            when(tape, saves, &warp->start_cycle, model->cycle);
        if (saves) { /* what has not been looked up, or cannot be yet, makes no difference */
            const struct stream *stream = warp->stream;
            if (sm->at_barrier >> __builtin_ctzll(set) & 1)
                warp->next = NULL;
            else if (stream->records)
                warp->next = model_op(model, stream->words[stream->read]);
        } else {
            warp->resident = &sm->residents[resident];
            warp->stream = repeat_find_stream(model->repeat, warp->resident->number, warp->wid);
        }
    }
    for (unsigned slot = 0; slot < MOST_WARPS && slot < model->shape.warps; slot++)
        WORD(sm->warps[slot].accesses); /* also of warps that have ended */
}

static void visit_sm(const struct visitor *v, struct sm *sm)
{
    struct timing_model *model = v->model;
    struct tape *tape = v->tape;
    const bool saves = v->saves;
    const uint64_t now = model->cycle;
    when(tape, saves, &sm->now, now); /* it may be ahead */
    due(tape, saves, &model->due[sm->index], now);
    due(tape, saves, &sm->pipeline_due, now);
    due(tape, saves, &sm->memory_due, now);
    due(tape, saves, &sm->next_release, now);
    visit_warps(v, sm);
    visit_pipeline(sm, tape, saves);
    if (!saves)
        forget_accesses(sm);
    visit_lsu(v, sm);
}

static void visit_l2(const struct visitor *v)
{
    struct timing_model *model = v->model;
    struct tape *tape = v->tape;
    struct l2 *l2 = &model->l2;
    const bool saves = v->saves;
    const uint64_t now = model->cycle;
    if (saves)
        l2_settle(model);
    when(tape, saves, &l2->next_take, now);
    when(tape, saves, &l2->memory_next, now);
    for (unsigned i = 0; i < model->p.l2_mshrs; i++) {
        due(tape, saves, &l2->free_at[i], now);
        if (l2->free_at[i] <= now)
            continue;
        visit_l2_line(v, &l2->line[i]);
        due(tape, saves, &l2->response[i], now);
        if (l2->response[i] <= now)
            continue;
        WORD(l2->writes[i]);
        WORD(l2->count[i]);
        for (unsigned k = 0; l2->response[i] == UINT64_MAX && k < l2->count[i]; k++)
            visit_request(v, &l2->waiting[i][k], AT_L2);
    }
    if (!saves) {
        l2->input_head = l2->wanted_head = 0;
        l2->memory_head = 0;
    }
    WORD(l2->input_count);
    for (unsigned i = 0; i < l2->input_count; i++)
        visit_request(v, &l2->input[(l2->input_head + i) & (l2->input_size - 1)], AT_L2);
    WORD(l2->wanted_count);
    for (unsigned i = 0; i < l2->wanted_count; i++) {
        when(tape, saves, &l2->wanted[(l2->wanted_head + i) % QUEUE].cycle, now);
        WORD(l2->wanted[(l2->wanted_head + i) % QUEUE].mshr);
    }
    WORD(l2->memory_count);
    for (unsigned i = 0; i < l2->memory_count; i++) {
        const uint64_t at = (l2->memory_head + i) & l2->memory_last;
        when(tape, saves, &l2->memory[at].cycle, now);
        WORD(l2->memory[at].mshr);
    }
    visit_tags(v, &l2->tags, visit_l2_line);
}

bool repeat_visit(struct timing_model *model, struct tape *tape, bool saves)
{
    const struct visitor v = {model, tape, saves};
    struct repeat *repeat = model->repeat;
    for (unsigned i = 0; i < model->sm_count; i++) {
        repeat->orders[i].count = 0;
        memset(repeat->orders[i].number, 0xff, sizeof(repeat->orders[i].number));
    }
    WORD(model->next_sm);
    due(tape, saves, &model->next_dispatch, model->cycle);
    for (unsigned i = 0; i < model->sm_count; i++)
        visit_sm(&v, &model->sms[i]);
    visit_l2(&v);
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[i];
        const unsigned count = repeat->orders[i].count - (sm->lsu_input >= 0);
        if (saves && sm->access_count != count)
            return false;
        sm->access_count = count;
    }
    return !tape->is_full && !tape->names->has_failed;
}
