/* The L2 and memory: one request per cycle, a table of lines that are on their way, memory that answers in order.
 *
 * A write reads its line first and writes it back afterwards; nothing waits for the second part. */
#include "timing/model.h"

bool l2_init(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const uint64_t most = (uint64_t)model->sm_count * (p->l1i_mshrs + p->l1d_mshrs + p->l1d_write_entries);
    for (l2->input_size = 1; l2->input_size < most;)
        l2->input_size *= 2;
    l2->input = cy_try_alloc(l2->input_size * sizeof(l2->input[0]));
    l2->mshrs = cy_try_alloc(p->l2_mshrs * sizeof(l2->mshrs[0]));
    l2->due = l2->memory_due = l2->ask_due = l2->input_due = UINT64_MAX;
    return tags_init(&l2->tags, p->l2_sets, p->l2_ways) && l2->mshrs && l2->input;
}

void l2_free(struct timing_model *model)
{
    cy_free(model->l2.input);
    cy_free(model->l2.mshrs);
    tags_free(&model->l2.tags);
}

static struct request *input_at(struct l2 *l2, unsigned i)
{
    return &l2->input[(l2->input_head + i) & (l2->input_size - 1)];
}

static bool is_before(const struct request *a, const struct request *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->sent != b->sent ? a->sent < b->sent : a->sm < b->sm;
}

/* Requests come from sources at different distances, and from SMs that have run ahead: they are kept in order of arrival, then
 * as they were sent. */
void l2_request(struct sm *sm, struct request request)
{
    struct l2 *l2 = &sm->model->l2;
    request.sent = sm->now;
    request.cycle = request.cycle > sm->now ? request.cycle : sm->now + 1;
    sm->l2_requests++;
    unsigned i = l2->input_count++;
    for (; i > 0 && is_before(&request, input_at(l2, i - 1)); i--)
        *input_at(l2, i) = *input_at(l2, i - 1);
    *input_at(l2, i) = request;
    if (i) /* it waits for the others */
        return;
    l2->input_due = request.cycle;
    l2->due = request.cycle < l2->due ? request.cycle : l2->due;
    if (sm->run == ALONE && l2->due < sm->limit)
        sm->limit = l2->due;
}

static void answer(struct timing_model *model, struct request request, uint64_t cycle)
{
    const struct parameters *p = &model->p;
    struct sm *sm = &model->sms[request.sm];
    request.cycle =
        cycle + (request.source == FROM_L1I                                             ? p->l1i_fill
                 : request.source == FROM_L1D_READ || request.source == FROM_L1D_ATOMIC ? 1
                                                                                        : p->l1d_write_free - 1);
    sm_memory_answer(sm, &request);
    if (sm->memory_due < model->due[request.sm])
        model->due[request.sm] = sm->memory_due;
}

static void want_memory(struct l2 *l2, uint64_t cycle, int mshr)
{
    if (l2->wanted_count == QUEUE)
        return;
    unsigned i = l2->wanted_count++;
    for (; i > 0 && l2->wanted[(l2->wanted_head + i - 1) % QUEUE].cycle > cycle; i--)
        l2->wanted[(l2->wanted_head + i) % QUEUE] = l2->wanted[(l2->wanted_head + i - 1) % QUEUE];
    l2->wanted[(l2->wanted_head + i) % QUEUE].cycle = cycle;
    l2->wanted[(l2->wanted_head + i) % QUEUE].mshr = mshr;
}

/* The first request.  Returns when the next one may be taken, or this one if it could not be; UINT64_MAX: not before memory answers, or a
 * request comes. */
static uint64_t take_request(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const struct request *request = input_at(l2, 0);
    const uint64_t now = model->cycle;
    const bool writes = request->source != FROM_L1I && request->source != FROM_L1D_READ;
    const uint32_t line = request->line, count = p->l2_mshrs;
    const int hit = tags_find(&l2->tags, line);
    unsigned room = count, same = count;
    uint64_t next = UINT64_MAX;
    for (unsigned i = count; i-- > 0;) { /* an entry is busy until its line has arrived and been passed on */
        const uint64_t free_at = l2->free_at[i];
        if (free_at <= now) {
            room = i;
        } else {
            same = l2->line[i] == line ? i : same;
            next = free_at < next ? free_at : next;
        }
    }
    if (hit >= 0) {
        l2->tags.used[hit] = now;
        l2->tags.dirty[hit] |= writes;
        answer(model, *request, now + p->l2_request);
    } else if (same < count) {
        struct l2_mshr *mshr = &l2->mshrs[same];
        if (mshr->count == CY_COUNT(mshr->waiting) || l2->free_at[same] != UINT64_MAX)
            return l2->wanted_count >= QUEUE / 2 ? now + 1 : next;
        mshr->waiting[mshr->count++] = *request;
        mshr->writes |= writes;
    } else {
        if (l2->wanted_count >= QUEUE / 2) /* the rest is for writes */
            return now + 1;
        if (room == count)
            return next;
        struct l2_mshr *mshr = &l2->mshrs[room];
        mshr->writes = writes;
        mshr->waiting[0] = *request;
        mshr->count = 1;
        l2->free_at[room] = UINT64_MAX;
        l2->line[room] = line;
        want_memory(l2, now + p->l2_request, (int)room);
    }
    l2->input_head++;
    l2->input_count--;
    return l2->input_count ? input_at(l2, 0)->cycle : UINT64_MAX;
}

static void take_response(struct timing_model *model, unsigned index)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const struct l2_mshr *mshr = &l2->mshrs[index];
    for (unsigned i = 0; i < mshr->count; i++)
        answer(model, mshr->waiting[i], model->cycle + p->l2_response + i);
    const uint32_t written = tags_fill(&l2->tags, l2->line[index], model->cycle);
    if (l2->tags.sets ? written != 0 : mshr->writes)
        want_memory(l2, model->cycle + p->l2_write, -1);
    l2->free_at[index] = model->cycle + p->l2_mshr_free;
}

static uint64_t next_ask(const struct timing_model *model)
{
    const struct l2 *l2 = &model->l2;
    if (!l2->wanted_count || l2->memory_count >= model->p.memory_outstanding ||
        l2->memory_count >= CY_COUNT(l2->memory))
        return UINT64_MAX;
    const uint64_t first = l2->wanted[l2->wanted_head].cycle;
    return first > l2->memory_next ? first : l2->memory_next;
}

static uint64_t next_response(const struct l2 *l2)
{
    return l2->memory_count ? l2->memory[l2->memory_head].cycle : UINT64_MAX;
}

static void ask_memory(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const unsigned at = (l2->memory_head + l2->memory_count++) % (unsigned)CY_COUNT(l2->memory);
    const int mshr = l2->wanted[l2->wanted_head].mshr;
    l2->memory[at].cycle = model->cycle + model->p.memory_latency;
    l2->memory[at].mshr = mshr;
    if (mshr < 0)
        model->counters.memory_writes++;
    else
        model->counters.memory_reads++;
    l2->wanted_head = (l2->wanted_head + 1) % QUEUE;
    l2->wanted_count--;
    l2->memory_next = model->cycle + model->p.memory_interval;
    l2->memory_due = next_response(l2);
    l2->ask_due = next_ask(model);
}

static void take_responses(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const uint64_t now = model->cycle;
    do {
        const int index = l2->memory[l2->memory_head].mshr;
        l2->memory_head = (l2->memory_head + 1) % CY_COUNT(l2->memory);
        l2->memory_count--;
        if (index >= 0)
            take_response(model, (unsigned)index);
        l2->memory_due = next_response(l2);
    } while (l2->memory_due <= now);
    l2->ask_due = next_ask(model);
    if (l2->input_count && l2->input_due > now) /* when there is room is known now */
        l2->input_due = input_at(l2, 0)->cycle;
}

static inline uint64_t first_due(const struct l2 *l2)
{
    const uint64_t memory = l2->memory_due < l2->ask_due ? l2->memory_due : l2->ask_due;
    return memory < l2->input_due ? memory : l2->input_due;
}

void l2_cycle(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const uint64_t now = model->cycle;
    if (l2->memory_due <= now)
        take_responses(model);
    if (l2->ask_due <= now)
        ask_memory(model);
    if (l2->input_due <= now) {
        l2->input_due = take_request(model);
        l2->ask_due = next_ask(model);
    }
    const uint64_t next = first_due(l2);
    l2->due = next > now ? next : now + 1;
}

void l2_loaded(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    l2->memory_due = next_response(l2);
    l2->ask_due = next_ask(model);
    l2->input_due = l2->input_count ? input_at(l2, 0)->cycle : UINT64_MAX;
    l2->due = first_due(l2);
}

void l2_run(struct timing_model *model, uint64_t until)
{
    while (model->l2.due < until) {
        model->cycle = model->l2.due;
        l2_cycle(model);
    }
}
