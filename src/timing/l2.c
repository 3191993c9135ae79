/* The L2 and memory: one request per cycle, a table of lines that are on their way, memory that answers in order.
 *
 * A write reads its line first and writes it back afterwards; nothing waits for the second part.
 *
 * Requests are taken in the order of their arrival, and a request that comes later changes nothing about those before it.  So the L2 has
 * no clock of its own: when a request arrives, everything up to the cycle in which it is taken is done, and its answer is passed
 * on at once, for the cycle that it belongs to.
 *
 * If there are no hits, and what a read causes comes after it, requests are taken one after the other without memory being stepped at
 * all: see "requests at once". */
#include "timing/model.h"

#define MOST_BEHIND (QUEUE / 2)
#define MOST_DIRECT 63 /* MSHRs: their writes, which are wanted sooner than elsewhere, find room in the queue */

bool l2_init(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const uint64_t most = (uint64_t)model->sm_count * (p->l1i_mshrs + p->l1d_mshrs + p->l1d_write_entries);
    for (l2->input_size = 1; l2->input_size < most;)
        l2->input_size *= 2;
    l2->input = cy_try_alloc(l2->input_size * sizeof(l2->input[0]));
    l2->waiting = cy_try_alloc(p->l2_mshrs * sizeof(l2->waiting[0]));
    l2->due = UINT64_MAX;
    l2->memory_last = CY_COUNT(l2->memory) - 1;
    l2->is_direct = !p->l2_sets && p->l2_request <= p->l2_write && p->l2_mshrs <= MOST_DIRECT &&
                    !model->is_profiled; /* the other way checks this one */
    while (l2->is_direct && l2->memory_last / 2 > p->memory_outstanding && l2->memory_last / 2 > QUEUE)
        l2->memory_last /= 2; /* it stays in the host's cache */
    l2->way_back[FROM_L1I] = p->l1i_fill;
    l2->way_back[FROM_L1D_READ] = l2->way_back[FROM_L1D_ATOMIC] = 1;
    l2->way_back[FROM_L1D_WRITE] = l2->way_back[FROM_L1D_EVICT] = p->l1d_write_free - 1;
    return tags_init(&l2->tags, p->l2_sets, p->l2_ways) && l2->waiting && l2->input;
}

void l2_free(struct timing_model *model)
{
    cy_free(model->l2.input);
    cy_free(model->l2.waiting);
    tags_free(&model->l2.tags);
}

/* ---- requests and answers ---- */

static struct request *input_at(struct l2 *l2, unsigned i)
{
    return &l2->input[(l2->input_head + i) & (l2->input_size - 1)];
}

static bool is_before(uint64_t cycle, uint64_t sent, uint16_t sm, const struct request *other)
{
    return cycle != other->cycle ? cycle < other->cycle : sent != other->sent ? sent < other->sent : sm < other->sm;
}

/* Requests come from sources at different distances, and from SMs that have run ahead: they are kept in order of arrival, then
 * as they were sent. */
struct request *l2_request(struct sm *sm, uint64_t cycle, uint64_t sent)
{
    struct l2 *l2 = &sm->model->l2;
    const uint16_t index = (uint16_t)sm->index;
    cycle = cycle > sent ? cycle : sent + 1;
    sm->l2_requests++;
    unsigned i = l2->input_count++;
    for (; i > 0 && is_before(cycle, sent, index, input_at(l2, i - 1)); i--)
        *input_at(l2, i) = *input_at(l2, i - 1);
    struct request *request = input_at(l2, i);
    request->cycle = cycle;
    request->sent = sent;
    request->sm = index;
    if (i) /* it waits for the others */
        return request;
    l2->due = cycle < l2->due ? cycle : l2->due;
    if (sm->run == ALONE && l2->due < sm->limit)
        sm->limit = l2->due;
    return request;
}

/* The L2 has the answer at `decided` and sends it at `cycle`. */
static void answer(struct timing_model *model, const struct request *to, uint64_t decided, uint64_t cycle)
{
    struct sm *sm = &model->sms[to->sm];
    struct queue *queue = to->source == FROM_L1I ? &sm->l1i_answers : &sm->answers;
    struct request *at = queue_insert(queue, decided);
    *at = *to;
    at->sent = decided;
    at->cycle = cycle + model->l2.way_back[to->source];
    if (at != queue_first(queue)) /* the first is due as before */
        return;
    uint64_t due;
    if (to->source == FROM_L1I)
        due = sm->l1i_due = next_l1i_answer(sm);
    else
        due = sm->answer_due = next_l1d_answer(sm);
    caches_wake(sm, due);
    memory_wake(sm, due);
    if (due < model->due[to->sm])
        model->due[to->sm] = due;
}

/* ---- memory ---- */

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

/* When memory takes a request that is wanted in this cycle, after all others so far: it answers in order, so there is room when it has
 * answered the one that was asked for so many before.  That does not depend on what has been taken from it since. */
static inline uint64_t ask_time(const struct timing_model *model, uint64_t wanted)
{
    const struct l2 *l2 = &model->l2;
    const uint64_t asked = l2->memory_head + l2->memory_count, most = model->p.memory_outstanding;
    const uint64_t next = l2->memory_next > wanted ? l2->memory_next : wanted;
    if (asked < most)
        return next;
    const uint64_t room = l2->memory[(asked - most) & l2->memory_last].cycle;
    return room > next ? room : next;
}

/* Memory takes the first request that is wanted then, if none comes before it. */
static inline uint64_t next_ask(const struct timing_model *model)
{
    const struct l2 *l2 = &model->l2;
    return l2->wanted_count ? ask_time(model, l2->wanted[l2->wanted_head].cycle) : UINT64_MAX;
}

/* Memory takes a request in this cycle, of an MSHR or -1, a write.  Returns when it answers. */
static inline uint64_t push_memory(struct timing_model *model, uint64_t cycle, int index)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const uint64_t at = (l2->memory_head + l2->memory_count++) & l2->memory_last;
    const uint64_t response = cycle + p->memory_latency;
    l2->memory[at].cycle = response;
    l2->memory[at].mshr = index;
    l2->memory_next = cycle + p->memory_interval;
    if (index < 0) {
        model->counters.memory_writes++;
        return response;
    }
    model->counters.memory_reads++;
    l2->response[index] = response;
    l2->free_at[index] = response + p->l2_mshr_free;
    return response;
}

/* The same, with answers to those that wait for a line. */
static void ask_memory(struct timing_model *model, uint64_t cycle, int index)
{
    const uint64_t response = push_memory(model, cycle, index);
    const struct l2 *l2 = &model->l2;
    for (unsigned i = 0; index >= 0 && i < l2->count[index]; i++)
        answer(model, &l2->waiting[index][i], response, response + model->p.l2_response + i);
}

static void ask_first(struct timing_model *model, uint64_t cycle)
{
    struct l2 *l2 = &model->l2;
    const int index = l2->wanted[l2->wanted_head].mshr;
    l2->wanted_head = (l2->wanted_head + 1) % QUEUE;
    l2->wanted_count--;
    ask_memory(model, cycle, index);
}

static inline void take_response(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const uint64_t at = l2->memory_head++ & l2->memory_last, cycle = l2->memory[at].cycle;
    const int index = l2->memory[at].mshr;
    l2->memory_count--;
    if (index >= 0 && (l2->tags.sets ? tags_fill(&l2->tags, l2->line[index], cycle) != 0 : l2->writes[index]))
        want_memory(l2, cycle + model->p.l2_write, -1);
}

static inline uint64_t next_response(const struct l2 *l2)
{
    return l2->memory_count ? l2->memory[l2->memory_head & l2->memory_last].cycle : UINT64_MAX;
}

/* Memory's part up to and with this cycle. */
static __attribute__((noinline)) void run_memory(struct timing_model *model, uint64_t cycle)
{
    for (;;) {
        const uint64_t response = next_response(&model->l2);
        if (model->l2.wanted_count) {
            const uint64_t ask = next_ask(model);
            if (ask < response) {
                if (ask > cycle)
                    return;
                ask_first(model, ask);
                continue;
            }
        }
        if (response > cycle)
            return;
        take_response(model);
    }
}

/* Does whatever is wanted after a read come after it?  Else it is asked for in time. */
static inline bool is_ask_known(const struct parameters *p)
{
    return p->l2_request <= p->l2_write + 1;
}

/* Memory's part that matters to a request that is taken in this cycle: if reads are asked for at once, the writes before them can wait
 * until the next one is. */
static inline void catch_up(struct timing_model *model, uint64_t cycle)
{
    const struct l2 *l2 = &model->l2;
    if (!is_ask_known(&model->p)) {
        run_memory(model, cycle);
        return;
    }
    while (next_response(l2) <= cycle)
        take_response(model);
}

/* The read of a request that was taken in this cycle, and before it what is wanted sooner. */
static inline void ask_for_read(struct timing_model *model, const struct request *request, uint64_t now, int index)
{
    struct l2 *l2 = &model->l2;
    const uint64_t wanted = now + model->p.l2_request;
    while (l2->wanted_count && l2->wanted[l2->wanted_head].cycle <= wanted)
        ask_first(model, next_ask(model));
    const uint64_t ask = ask_time(model, wanted), response = push_memory(model, ask > now ? ask : now + 1, index);
    answer(model, request, response, response + model->p.l2_response);
}

/* Memory takes the first write that is wanted. */
static inline void write_at_once(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    push_memory(model, next_ask(model), -1);
    l2->wanted_head = (l2->wanted_head + 1) % QUEUE;
    l2->wanted_count--;
}

/* Do too many requests wait for memory?  The rest of the queue is for writes. */
static __attribute__((noinline)) bool is_far_behind(struct timing_model *model, uint64_t now)
{
    const struct l2 *l2 = &model->l2;
    if (!l2->is_direct)
        run_memory(model, now);
    while (l2->is_direct && l2->wanted_count && next_ask(model) <= now)
        write_at_once(model);
    uint64_t asked = l2->memory_head + l2->memory_count;
    unsigned waiting = l2->wanted_count;
    for (unsigned i = 0; l2->is_direct && i < l2->wanted_count; i++) {
        const uint64_t wanted = l2->wanted[(l2->wanted_head + i) % QUEUE].cycle;
        waiting -= wanted > now + model->p.l2_write; /* known already, elsewhere only when memory has answered */
    }
    while (asked > 0 && l2->memory[--asked & l2->memory_last].cycle > now + model->p.memory_latency)
        waiting++;
    return waiting >= MOST_BEHIND;
}

/* Requests that memory will take are at least a cycle apart. */
static inline bool is_behind(struct timing_model *model, uint64_t now)
{
    const struct l2 *l2 = &model->l2;
    const uint64_t asked = l2->memory_next > now ? l2->memory_next - now : 0;
    return l2->wanted_count + asked >= MOST_BEHIND && is_far_behind(model, now);
}

/* ---- the table ---- */

/* When the next entry becomes free. */
static uint64_t next_free(const struct l2 *l2, unsigned count, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < count; i++)
        next = l2->free_at[i] > now && l2->free_at[i] < next ? l2->free_at[i] : next;
    return next;
}

/* Takes a request in this cycle.  Returns the cycle, or a later one in which it may be possible; UINT64_MAX: that is not known yet. */
static uint64_t try_request(struct timing_model *model, const struct request *request, uint64_t now)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const bool writes = request->source != FROM_L1I && request->source != FROM_L1D_READ;
    const uint32_t line = request->line, count = p->l2_mshrs;
    const int hit = tags_find(&l2->tags, line);
    unsigned room = count, same = count;
    for (unsigned i = count; i-- > 0;) { /* an entry is busy until its line has arrived and been passed on */
        const bool is_free = l2->free_at[i] <= now;
        room = is_free ? i : room;
        same = !is_free && l2->line[i] == line ? i : same;
    }
    if (hit >= 0) {
        l2->tags.used[hit] = now;
        l2->tags.dirty[hit] |= writes;
        answer(model, request, now, now + p->l2_request);
    } else if (same < count) {
        const uint64_t response = l2->response[same];
        if (l2->count[same] == MOST_WAITING || response <= now)
            return next_free(l2, count, now);
        if (response == UINT64_MAX)
            l2->waiting[same][l2->count[same]] = *request;
        else
            answer(model, request, response, response + p->l2_response + l2->count[same]);
        l2->count[same]++;
        l2->writes[same] |= writes;
    } else {
        if (is_behind(model, now))
            return now + 1;
        if (room == count)
            return next_free(l2, count, now);
        l2->writes[room] = writes;
        l2->count[room] = 1;
        l2->line[room] = line;
        if (is_ask_known(p)) {
            ask_for_read(model, request, now, (int)room);
        } else {
            l2->waiting[room][0] = *request;
            l2->free_at[room] = l2->response[room] = UINT64_MAX;
            want_memory(l2, now + p->l2_request, (int)room);
        }
    }
    return now;
}

/* The first request, as soon as it can be taken. */
static void take_request(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const struct request *request = input_at(l2, 0);
    uint64_t now = request->cycle > l2->next_take ? request->cycle : l2->next_take;
    catch_up(model, now);
    for (uint64_t next; (next = try_request(model, request, now)) != now; catch_up(model, now)) {
        const uint64_t response = next_response(l2), ask = next_ask(model);
        now = next != UINT64_MAX ? next : response < ask ? response : ask;
    }
    l2->next_take = now + 1;
    l2->input_head++;
    l2->input_count--;
}

/* ---- requests at once ---- */

/* A line that a request waits for will have to be written: the write is wanted some cycles after memory has answered, and no read that is
 * taken before that is wanted later. */
static inline void will_write(struct timing_model *model, unsigned at)
{
    struct l2 *l2 = &model->l2;
    if (!l2->writes[at])
        want_memory(l2, l2->response[at] + model->p.l2_write, -1);
    l2->writes[at] = true;
}

/* The entry that becomes free first. */
static unsigned first_free(const struct l2 *l2, unsigned count)
{
    unsigned first = 0;
    for (unsigned i = 1; i < count; i++)
        first = l2->free_at[i] < l2->free_at[first] ? i : first;
    return first;
}

/* Takes a request: as try_request, where neither tags nor responses of memory matter. */
static inline void take_at_once(struct timing_model *model, const struct request *request)
{
    struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const uint32_t line = request->line, count = p->l2_mshrs;
    const bool writes = request->source != FROM_L1I && request->source != FROM_L1D_READ;
    uint64_t now = request->cycle > l2->next_take ? request->cycle : l2->next_take;
    for (;;) {
        uint64_t used = 0, has_line = 0; /* no branches, which the host could not predict */
        for (unsigned i = 0; i < count; i++) {
            used |= (uint64_t)(l2->free_at[i] > now) << i;
            has_line |= (uint64_t)(l2->line[i] == line) << i;
        }
        if (used & has_line) {
            const unsigned same = (unsigned)__builtin_ctzll(used & has_line);
            const uint64_t response = l2->response[same];
            if (l2->count[same] == MOST_WAITING || response <= now) {
                now = next_free(l2, count, now);
                continue;
            }
            answer(model, request, response, response + p->l2_response + l2->count[same]++);
            if (writes)
                will_write(model, same);
            break;
        }
        if (is_behind(model, now)) {
            now++;
            continue;
        }
        unsigned room = (unsigned)__builtin_ctzll(~used);
        if (room == count) {
            room = first_free(l2, count);
            now = l2->free_at[room];
            if (is_behind(model, now))
                continue;
        }
        const uint64_t wanted = now + p->l2_request;
        while (l2->wanted_count && l2->wanted[l2->wanted_head].cycle <= wanted)
            write_at_once(model);
        const uint64_t ask = ask_time(model, wanted);
        const uint64_t response = push_memory(model, ask > now ? ask : now + 1, (int)room);
        l2->line[room] = line;
        l2->count[room] = 1;
        l2->writes[room] = false;
        if (writes)
            will_write(model, room);
        answer(model, request, response, response + p->l2_response);
        break;
    }
    l2->next_take = now + 1;
}

static void run_at_once(struct timing_model *model, uint64_t until)
{
    struct l2 *l2 = &model->l2;
    const unsigned last = l2->input_size - 1;
    unsigned head = l2->input_head, left = l2->input_count;
    for (; left && l2->input[head & last].cycle < until; head++, left--)
        take_at_once(model, &l2->input[head & last]);
    l2->input_head = head;
    l2->input_count = left;
    l2->memory_head += l2->memory_count; /* nobody waits for what memory answers */
    l2->memory_count = 0;
    l2->due = left ? l2->input[head & last].cycle : UINT64_MAX;
}

/* What memory has not answered yet: all that is left of it in a state. */
static void settle_at_once(struct timing_model *model, uint64_t now)
{
    struct l2 *l2 = &model->l2;
    while (l2->wanted_count && next_ask(model) <= now)
        write_at_once(model);
    l2->memory_head += l2->memory_count;
    l2->memory_count = 0;
    while (l2->memory_head && l2->memory[(l2->memory_head - 1) & l2->memory_last].cycle > now) {
        l2->memory_head--;
        l2->memory_count++;
    }
}

/* ---- the clock ---- */

static void find_due(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    const uint64_t arrives = l2->input_count ? input_at(l2, 0)->cycle : UINT64_MAX;
    const uint64_t ask = is_ask_known(&model->p) ? UINT64_MAX : next_ask(model);
    l2->due = arrives < ask ? arrives : ask;
}

void l2_cycle(struct timing_model *model)
{
    struct l2 *l2 = &model->l2;
    if (l2->is_direct) {
        run_at_once(model, model->cycle + 1);
        return;
    }
    while (l2->input_count && input_at(l2, 0)->cycle <= model->cycle)
        take_request(model);
    if (!is_ask_known(&model->p))
        run_memory(model, model->cycle);
    find_due(model);
}

void l2_loaded(struct timing_model *model)
{
    find_due(model);
}

void l2_settle(struct timing_model *model)
{
    if (model->l2.is_direct)
        settle_at_once(model, model->cycle);
    else
        run_memory(model, model->cycle);
}

/* All requests that are not decided yet arrive at `cycle` at the earliest.  They wait for a line that is on its way already, and are
 * answered one cycle after those that asked for it before, or memory has to be asked. */
uint64_t l2_next_answer(struct timing_model *model, uint64_t cycle)
{
    const struct l2 *l2 = &model->l2;
    const struct parameters *p = &model->p;
    const uint64_t ask = is_ask_known(p) && p->l2_request > 1 ? p->l2_request : 1;
    const uint64_t asked = cycle + ask + p->memory_latency;
    if (l2->is_direct) {
        uint64_t first = asked - 1;
        for (unsigned i = 0; i < p->l2_mshrs; i++)
            first = l2->response[i] > cycle && l2->response[i] < first ? l2->response[i] : first;
        return first + 1;
    }
    catch_up(model, cycle);
    for (unsigned i = 0; i < l2->memory_count; i++) {
        const uint64_t at = (l2->memory_head + i) & l2->memory_last;
        if (l2->memory[at].mshr >= 0)
            return l2->memory[at].cycle < asked ? l2->memory[at].cycle + 1 : asked;
    }
    return asked;
}

void l2_run(struct timing_model *model, uint64_t until)
{
    struct l2 *l2 = &model->l2;
    if (l2->is_direct) {
        run_at_once(model, until);
        return;
    }
    if (is_ask_known(&model->p)) { /* nothing is due but requests */
        while (l2->input_count && input_at(l2, 0)->cycle < until)
            take_request(model);
        find_due(model);
        return;
    }
    while (model->l2.due < until) {
        model->cycle = model->l2.due;
        l2_cycle(model);
    }
}
