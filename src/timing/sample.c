/* Sampling: the cycles of a long launch are computed for some of its workgroups and estimated for the others.
 *
 * The model sees the launch with stretches of workgroups cut out: when the first of a stretch is to be placed, the one after the last
 * is placed instead, and the device goes on as it was.  It never runs empty, and start and end of the launch are computed.  The
 * workgroups of a stretch are executed, but not recorded; how many instructions they had is known.
 *
 * Between two cuts there are a warm-up, in which the device gets used to other workgroups, and intervals that are measured: cycles per
 * instruction.  A cut takes its instructions times the mean of the intervals before and after it.  The scatter of the intervals gives
 * the error to expect, and that decides how much may be cut out; if it is large, nothing is.
 *
 * Which workgroups are cut out, and the estimate, depend on nothing but cycles in which workgroups are placed and released, and on
 * their instructions: not on the host. */
#include "timing/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* How long cuts are. */
#define FEWEST_CUTS 32   /* of a launch with many workgroups: it may change its behaviour */
#define LONGEST_CUT 4    /* of a launch with few: as long as so many intervals, */
#define LONGEST_ALIKE 16 /* or as so many, if its workgroups are alike: */
#define ALIKE 0.1        /* the standard deviation of their instructions, in proportion */
#define LONGEST_GROWTH 4 /* and not more than this, next to what is known of the launch */
#define COMPUTED_END 1   /* at the end of a launch, as often as the device holds workgroups */
#define STALE_PART 4     /* of a cache: if a cut would have replaced more than this part of it, the warm-up fills it */
#define L2_REFILLS 2     /* as often, if it is the L2: its sets are not filled alike */
#define JUMP_WEIGHT 2    /* of work done by jumps: where it is more than a third, nothing is cut out */
/* What the scatter of intervals does not show. */
#define BIAS 0.02      /* of the cycles that are estimated: no interval is quite like what it stands for */
#define LONG_GROUP 4   /* times the instructions of others */
#define SLOW_GROUP 1.5 /* times the cycles that its instructions let expect */
#define LONG_DRAIN 2   /* times the cycles of a workgroup, from the last that is placed until the end */

/* What is known of the scatter beforehand: as if so many differences had been seen already. */
#define PRIOR_DEGREES 3
#define PRIOR_DEVIATION 0.01 /* of the cycles of an interval of this many instructions; longer ones scatter less */
#define PRIOR_INTERVAL 10000
#define COLD_START 256     /* the first interval counts if the device takes less than this part of it to fill up */
#define LEAST_INTERVAL 128 /* part of a launch whose workgroups are not alike that is measured at a time */
#define NEIGHBOURS 2       /* intervals on each side of a cut, of launches whose workgroups are not alike */
#define LEAST_CHANGE 0.2   /* of the lengths of workgroups, that tells two parts of a launch apart */
#define OTHER_LENGTH 0.05  /* the same for a whole cut at the end */
#define MOST_PARTS 4       /* of a launch that does one thing after the other */

enum { L1DS, L2, CACHES };

struct mark { /* a cycle in which a workgroup was placed */
    uint64_t cycle;
    double work;      /* instructions until then, of workgroups that were on the device in proportion to their cycles */
    double cpi;       /* of the interval that begins here: cycles of the device per instruction; 0: not known */
    bool is_measured; /* it counts: it is no warm-up */
    bool has_jumps;   /* in it, whose work is not known here */
    uint64_t groups;  /* that were placed in it */
    uint64_t fills[CACHES]; /* lines that the caches had taken */
};

struct cut {
    size_t mark;           /* where it is */
    uint64_t first, count; /* workgroups */
    uint64_t work;         /* their instructions */
    uint64_t longest, longest_work;
    bool is_stale; /* the L2 has lines that would have been replaced: the first workgroups after it are too fast */
};

struct placed { /* a workgroup on the device */
    uint64_t number, cycle;
    size_t cuts; /* before it was placed */
};

struct sample {
    CY_VEC(struct mark) marks;
    CY_VEC(struct cut) cuts;
    CY_VEC(struct placed) placed;
    CY_VEC(uint64_t) latest;           /* by cuts before a workgroup was placed: when the last such one was released */
    uint64_t decided;                  /* workgroup for which it was decided whether there is a cut before it, + 1 */
    uint64_t since_mark;               /* workgroups placed */
    uint64_t interval;                 /* workgroups until the next mark */
    uint64_t awaited[CACHES];          /* fills until which the warm-up lasts */
    uint64_t waiting;                  /* workgroups of the last cut that have not been executed yet */
    uint64_t work, groups;             /* of the workgroups that were released */
    double squared_work;               /* sum of their squares */
    uint64_t stepped;                  /* work, less what was done by jumps */
    uint64_t cut_work;                 /* of those that were cut out */
    uint64_t other_work, other_groups; /* of these, and of those that are gone by jumps */
    uint64_t last_placed;              /* cycle */
    double residency;                  /* cycles of the workgroups that were released, from placement to release, */
    double squared_residency;          /* and the sum of their squares */
    /* intervals that are measured, and complete: */
    size_t complete;     /* marks whose work is final */
    double sum, squares; /* of their cycles per instruction; of the differences from each to the next */
    double measured;     /* their instructions */
    double last;
    uint64_t count;
    double squared_cuts; /* sum of the squares of the cuts' instructions */
};

void sample_free(struct sample *sample)
{
    if (!sample)
        return;
    cy_vec_free(&sample->marks);
    cy_vec_free(&sample->cuts);
    cy_vec_free(&sample->placed);
    cy_vec_free(&sample->latest);
    cy_free(sample);
}

bool sample_begin(struct timing_model *model)
{
    sample_free(model->sample);
    model->sample = NULL;
    if (!model->p.sample_after || model->is_profiled)
        return true;
    return (model->sample = cy_try_alloc(sizeof(*model->sample))) != NULL;
}

/* Workgroups that the device holds. */
static uint64_t capacity(const struct timing_model *model)
{
    const struct cy_launch_shape *shape = &model->shape;
    const uint32_t warps = shape->warps < MOST_WARPS ? shape->warps : MOST_WARPS;
    const uint32_t by_warps = shape->group_warps ? warps / shape->group_warps : 1;
    const uint32_t of_sm = by_warps < shape->resident_groups ? by_warps : shape->resident_groups;
    return (uint64_t)model->sm_count * (of_sm ? of_sm : 1);
}

/* Instructions of a workgroup so far, on average. */
static double mean_of_all(const struct sample *sample)
{
    return (double)(sample->work + sample->other_work) / (double)(sample->groups + sample->other_groups);
}

/* Have the workgroups so far about as many instructions each? */
static bool are_alike(const struct sample *sample)
{
    const double groups = (double)sample->groups, mean = (double)sample->work / groups;
    return sample->squared_work / groups - mean * mean < ALIKE * ALIKE * mean * mean;
}

/* ---- measuring ---- */

/* What is on the device now was placed on the way: intervals that are not complete will never be. */
void sample_jumped(struct timing_model *model, uint64_t groups, uint64_t work)
{
    struct sample *sample = model->sample;
    if (!sample)
        return;
    for (size_t i = sample->complete ? sample->complete - 1 : 0; i < sample->marks.count; i++) {
        sample->marks.at[i].is_measured = false;
        sample->marks.at[i].has_jumps = true;
    }
    sample->complete = sample->marks.count;
    sample->placed.count = 0;
    sample->other_work += work;
    sample->other_groups += groups;
    sample->stepped -= JUMP_WEIGHT * work < sample->stepped ? JUMP_WEIGHT * work : sample->stepped;
}

void sample_placed(struct timing_model *model, uint64_t number)
{
    struct sample *sample = model->sample;
    struct placed *placed = sample ? cy_vec_try_push(&sample->placed) : NULL;
    if (!placed) {
        model->failed |= sample != NULL;
        return;
    }
    *placed = (struct placed){number, model->cycle, sample->cuts.count};
    sample->last_placed = model->cycle;
    sample->since_mark++;
}

static void keep_latest(struct timing_model *model, size_t cuts)
{
    struct sample *sample = model->sample;
    while (sample->latest.count <= cuts) {
        uint64_t *latest = cy_vec_try_push(&sample->latest);
        if (!latest) {
            model->failed = true;
            return;
        }
        *latest = 0;
    }
    sample->latest.at[cuts] = model->cycle; /* the last one so far */
}

void sample_released(struct timing_model *model, uint64_t number, uint64_t work)
{
    struct sample *sample = model->sample;
    size_t at = 0;
    while (sample && at < sample->placed.count && sample->placed.at[at].number != number)
        at++;
    if (!sample)
        return;
    if (at == sample->placed.count) { /* placed on the way of a jump */
        keep_latest(model, sample->cuts.count);
        return;
    }
    const struct placed placed = sample->placed.at[at];
    sample->placed.at[at] = sample->placed.at[--sample->placed.count];
    const double cycles = (double)(model->cycle - placed.cycle);
    for (size_t i = sample->marks.count; i-- > 0 && sample->marks.at[i].cycle > placed.cycle;)
        sample->marks.at[i].work += (double)work * (double)(sample->marks.at[i].cycle - placed.cycle) / cycles;
    sample->work += work;
    sample->squared_work += (double)work * (double)work;
    sample->stepped += work;
    sample->groups++;
    sample->residency += cycles;
    sample->squared_residency += cycles * cycles;
    keep_latest(model, placed.cuts);
}

/* The work of marks is final when what was on the device then is gone. */
static void complete_marks(struct sample *sample)
{
    uint64_t earliest = UINT64_MAX;
    for (size_t i = 0; i < sample->placed.count; i++)
        earliest = sample->placed.at[i].cycle < earliest ? sample->placed.at[i].cycle : earliest;
    for (; sample->complete < sample->marks.count && sample->marks.at[sample->complete].cycle <= earliest;
         sample->complete++) {
        if (!sample->complete)
            continue;
        const struct mark *end = &sample->marks.at[sample->complete];
        struct mark *mark = &sample->marks.at[sample->complete - 1];
        const double work = end->work - mark->work;
        if (!mark->is_measured || work <= 0)
            continue;
        mark->cpi = (double)(end->cycle - mark->cycle) / work;
        sample->sum += mark->cpi;
        sample->measured += work;
        if (sample->count++)
            sample->squares += (mark->cpi - sample->last) * (mark->cpi - sample->last);
        sample->last = mark->cpi;
    }
}

/* ---- the error ---- */

/* Student's t for a confidence of 95 %. */
static double confidence(uint64_t degrees)
{
    static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    return degrees <= CY_COUNT(few) ? few[degrees - 1] : 1.96 + 2.6 / (double)degrees;
}

/* Half the width of the interval, at 95 %, for the cycles per instruction of one interval.  The differences of neighbours tell: a slow
 * change over the launch is no error, as each cut is estimated by what is next to it.  A few differences may be small by chance, so they
 * are weighed against what launches do otherwise. */
static double deviation(const struct sample *sample, double squares, uint64_t differences)
{
    const double count = (double)sample->count, usual = PRIOR_DEVIATION * sample->sum / count;
    const double prior = usual * usual * PRIOR_INTERVAL * count / sample->measured;
    const uint64_t degrees = differences + PRIOR_DEGREES;
    return confidence(degrees) * sqrt((squares / 2 + PRIOR_DEGREES * prior) / (double)degrees);
}

static void count_lines(const struct timing_model *model, uint64_t lines[CACHES])
{
    const struct parameters *p = &model->p;
    lines[L1DS] = (uint64_t)model->sm_count * p->l1d_sets * p->l1d_ways;
    lines[L2] = (uint64_t)p->l2_sets * p->l2_ways;
}

/* Lines that a workgroup of the last interval brought into a cache. */
static double fills_of_group(const struct sample *sample, unsigned cache)
{
    const struct mark *now = &sample->marks.at[sample->marks.count - 1], *before = now - 1;
    return (double)(now->fills[cache] - before->fills[cache]) / (double)before->groups;
}

static bool is_stale(const struct timing_model *model, unsigned cache, double groups)
{
    uint64_t lines[CACHES];
    count_lines(model, lines);
    return fills_of_group(model->sample, cache) * groups > (double)lines[cache] / STALE_PART;
}

/* After a cut the L2 is filled anew: would that take more workgroups than are cut out?  They are estimated, too, and by one interval. */
static bool is_in_vain(const struct timing_model *model, double groups)
{
    uint64_t lines[CACHES];
    count_lines(model, lines);
    return is_stale(model, L2, groups) && L2_REFILLS * (double)lines[L2] > groups * fills_of_group(model->sample, L2);
}

/* How many workgroups may be cut out now. */
static uint64_t plan(const struct timing_model *model)
{
    const struct sample *sample = model->sample;
    const uint64_t room = capacity(model), left = model->group_count - model->next_group;
    if (sample->count < 2 || sample->stepped < model->p.sample_after || left <= COMPUTED_END * room)
        return 0;
    const double known = (double)(sample->work + sample->other_work), mean = mean_of_all(sample);
    const double all = mean * (double)model->group_count, rest = mean * (double)left;
    const double error =
        deviation(sample, sample->squares, sample->count - 1) * (double)sample->count / sample->sum; /* in proportion */
    const double interval = sample->measured / (double)sample->count;
    double most = all / FEWEST_CUTS, least = (are_alike(sample) ? LONGEST_ALIKE : LONGEST_CUT) * interval;
    most = most > least ? most : least;
    most = most < LONGEST_GROWTH * known ? most : LONGEST_GROWTH * known;
    if (error > 0) { /* cuts of this size from now on add up to the error that is allowed */
        const double allowed = model->p.sample_error / 10000.0 * all / error;
        const double size = (allowed * allowed - sample->squared_cuts) / rest;
        most = most < size ? most : size;
    }
    const double groups = most / mean;
    const uint64_t end = left - COMPUTED_END * room;
    if (groups < (double)room || is_in_vain(model, groups))
        return 0;
    return groups < (double)end ? (uint64_t)groups : end;
}

/* ---- cuts ---- */

static void count_fills(const struct timing_model *model, uint64_t fills[CACHES])
{
    fills[L1DS] = 0;
    for (unsigned i = 0; i < model->sm_count; i++)
        fills[L1DS] += model->sms[i].l1d.fills;
    fills[L2] = model->l2.tags.fills;
}

/* The workgroups that are cut out do not replace lines.  Where they would have, those of before must be gone before anything is
 * measured: else too many of them would be found again. */
static void await_fills(struct timing_model *model, struct cut *cut)
{
    struct sample *sample = model->sample;
    const struct mark *now = &sample->marks.at[cut->mark];
    uint64_t lines[CACHES];
    count_lines(model, lines);
    for (unsigned i = 0; i < CACHES; i++)
        sample->awaited[i] =
            is_stale(model, i, (double)cut->count) ? now->fills[i] + (i == L2 ? L2_REFILLS : 1) * lines[i] : 0;
    cut->is_stale = sample->awaited[L2] != 0;
}

static bool is_warm(const struct timing_model *model)
{
    const struct sample *sample = model->sample;
    uint64_t fills[CACHES];
    count_fills(model, fills);
    return sample->since_mark >= sample->interval && fills[L1DS] >= sample->awaited[L1DS] &&
           fills[L2] >= sample->awaited[L2];
}

static bool add_mark(struct timing_model *model, bool is_measured)
{
    struct sample *sample = model->sample;
    if (sample->marks.count)
        sample->marks.at[sample->marks.count - 1].groups = sample->since_mark;
    struct mark *mark = cy_vec_try_push(&sample->marks);
    if (!mark) {
        model->failed = true;
        return false;
    }
    *mark = (struct mark){.cycle = model->cycle, .work = (double)sample->work, .is_measured = is_measured};
    count_fills(model, mark->fills);
    sample->since_mark = 0;
    sample->interval = capacity(model);
    if (is_measured && sample->groups) {
        const double round = (double)sample->work / (double)sample->groups * (double)sample->interval;
        const double all = mean_of_all(sample) * (double)model->group_count;
        const double window =
            are_alike(sample) ? model->p.sample_window : fmax(model->p.sample_window, all / LEAST_INTERVAL);
        sample->interval *= round > 0 && round < window ? (uint64_t)(window / round) + 1 : 1;
    }
    return true;
}

static void cut_out(struct timing_model *model, uint64_t count)
{
    struct sample *sample = model->sample;
    struct cut *cut = cy_vec_try_push(&sample->cuts);
    if (!cut) {
        model->failed = true;
        return;
    }
    *cut = (struct cut){.mark = sample->marks.count - 1, .first = model->next_group, .count = count};
    sample->marks.at[cut->mark].is_measured = false;
    sample->interval = capacity(model);
    await_fills(model, cut);
    sample->waiting = count;
    model->next_group += count;
    model->groups_left -= count;
    repeat_leave(model->repeat);
}

static unsigned residents(const struct timing_model *model)
{
    unsigned count = 0;
    for (unsigned i = 0; i < model->sm_count; i++)
        count += (unsigned)__builtin_popcountll(model->sms[i].residents_used);
    return count;
}

/* Does it not matter to an interval of so many cycles that the device had to fill up? */
static bool is_long(const struct timing_model *model, uint64_t cycles)
{
    const struct parameters *p = &model->p;
    return cycles / COLD_START > p->launch_cycles + capacity(model) * p->dispatch_interval;
}

bool sample_dispatch(struct timing_model *model)
{
    struct sample *sample = model->sample;
    if (!sample || sample->decided == model->next_group + 1)
        return !sample || !sample->waiting;
    sample->decided = model->next_group + 1;
    if (sample->placed.count != residents(model)) /* workgroups of which it is not known since when they are there */
        return true;
    if (!sample->marks.count)
        return add_mark(model, false); /* the device fills up: that is not how it goes on */
    if (!is_warm(model))
        return true;
    complete_marks(sample);
    if (sample->marks.count == 1)
        sample->marks.at[0].is_measured = is_long(model, model->cycle - sample->marks.at[0].cycle);
    const bool was_measured = sample->marks.at[sample->marks.count - 1].is_measured;
    if (!add_mark(model, true))
        return false;
    const uint64_t count = was_measured ? plan(model) : 0;
    if (count)
        cut_out(model, count);
    sample->decided = model->next_group + 1;
    return !sample->waiting;
}

bool sample_skips(const struct timing_model *model, uint64_t number)
{
    const struct sample *sample = model->sample;
    const struct cut *cut = sample && sample->cuts.count ? &sample->cuts.at[sample->cuts.count - 1] : NULL;
    return cut && number - cut->first < cut->count;
}

void sample_executed(struct timing_model *model, uint64_t number, uint64_t work)
{
    struct sample *sample = model->sample;
    struct cut *cut = &sample->cuts.at[sample->cuts.count - 1];
    cut->work += work;
    sample->cut_work += work;
    sample->other_work += work;
    sample->other_groups++;
    if (work > cut->longest_work || (work == cut->longest_work && number > cut->longest)) {
        cut->longest_work = work;
        cut->longest = number;
    }
    if (!--sample->waiting)
        sample->squared_cuts += (double)cut->work * (double)cut->work;
}

bool sample_is_waiting(const struct timing_model *model)
{
    return model->sample && model->sample->waiting;
}

bool sample_has_cuts(const struct timing_model *model)
{
    return model->sample && model->sample->cuts.count;
}

/* ---- the estimate ---- */

/* The measured intervals next to a cut: marks[i] begins them. */
static size_t interval_before(const struct sample *sample, const struct cut *cut)
{
    size_t at = cut->mark - 1;
    while (sample->marks.at[at].cpi <= 0) /* there was one when the cut was made */
        at--;
    return at;
}
static size_t interval_after(const struct sample *sample, const struct cut *cut)
{
    const bool is_last = cut + 1 == sample->cuts.at + sample->cuts.count;
    const size_t end = is_last ? sample->marks.count : cut[1].mark;
    for (size_t at = cut->mark + 1; at < end; at++)
        if (sample->marks.at[at].cpi > 0)
            return at;
    return interval_before(sample, cut);
}

/* Instructions of a workgroup in an interval, on average. */
static double mean_work(const struct sample *sample, size_t at)
{
    const struct mark *mark = &sample->marks.at[at];
    return (mark[1].work - mark->work) / (double)mark->groups;
}

/* Have the workgroups of two parts of a launch different lengths? */
static bool is_change(double from, double to)
{
    return fabs(to - from) >= LEAST_CHANGE * from;
}

/* How much of a cut is like the interval after it, from 0 to 1.  If the workgroups of the two are of different lengths, that of the
 * cut's tells where the launch changed. */
static double part_after(const struct sample *sample, const struct cut *cut, size_t before, size_t after)
{
    const double from = mean_work(sample, before), to = mean_work(sample, after);
    const double work = (double)cut->work / (double)cut->count, change = to - from;
    if (!is_change(from, to))
        return 0.5;
    const double part = (work - from) / change; /* of the workgroups */
    return part < 0 ? 0 : part > 1 ? 1 : part * to / work;
}

/* The same of the whole launch, less differences that are no scatter: from one part of it to another, as lengths tell.  If there are many
 * of these, its workgroups are just not alike; and if nothing was measured after the last cut, it may be like no part that is known. */
static double deviation_in_parts(const struct sample *sample)
{
    const struct cut *last_cut = &sample->cuts.at[sample->cuts.count - 1];
    const bool is_known = interval_after(sample, last_cut) > last_cut->mark;
    double squares = 0;
    uint64_t changes = 0;
    for (size_t at = 0, last = SIZE_MAX; at < sample->marks.count; at++) {
        if (sample->marks.at[at].cpi <= 0)
            continue;
        if (last != SIZE_MAX && is_change(mean_work(sample, last), mean_work(sample, at)))
            changes++;
        else if (last != SIZE_MAX)
            squares += (sample->marks.at[at].cpi - sample->marks.at[last].cpi) *
                       (sample->marks.at[at].cpi - sample->marks.at[last].cpi);
        last = at;
    }
    return is_known && changes < MOST_PARTS ? deviation(sample, squares, sample->count - 1 - changes)
                                            : deviation(sample, sample->squares, sample->count - 1);
}

struct estimate {
    double added;   /* cycles of the cuts so far, less those of their warm-ups */
    double end;     /* when the last workgroup ends, of those that were computed */
    double longest; /* and of the others, if it gets on as on average */
    double slowest; /* and if it is one of the long ones, and gets on more slowly */
    double squares; /* of the cuts' instructions, summed up */
    double
        changes; /* of what the intervals before and after a cut differ by, as far as it may be off by that, likewise */
};

/* Cycles per instruction next to a cut, from this interval on in this direction.  Where workgroups differ, a single interval may be like
 * no other; but one of another part of the launch does not help. */
static double cpi_near(const struct sample *sample, size_t at, int direction)
{
    unsigned left = are_alike(sample) ? 1 : NEIGHBOURS;
    const size_t first = at;
    double cycles = 0, work = 0;
    for (; left && at < sample->marks.count; at += (size_t)direction) { /* before the first one it wraps around */
        const struct mark *mark = &sample->marks.at[at];
        if (mark->cpi <= 0)
            continue;
        if (is_change(mean_work(sample, first), mean_work(sample, at)))
            break;
        cycles += (double)(mark[1].cycle - mark->cycle);
        work += mark[1].work - mark->work;
        left--;
    }
    return cycles / work;
}

/* What a warm-up with too many hits in the L2 would have taken: as the interval after it, or as that before the cut, if its workgroups are
 * rather of that length. */
static double cpi_of_warm_up(const struct sample *sample, const struct cut *cut, size_t before, size_t after)
{
    const double work = mean_work(sample, cut->mark);
    const double from = fabs(work - mean_work(sample, before)), to = fabs(work - mean_work(sample, after));
    return sample->marks.at[from < to ? before : after].cpi;
}

/* After the last cut there may be no interval, but if the workgroups of the cut are of another length than those before it, the launch has
 * changed.  Then what is computed after the cut tells how, though that is the end, too. */
static bool has_changed(const struct sample *sample, const struct cut *cut, size_t before)
{
    const double work = mean_work(sample, before);
    return fabs((double)cut->work / (double)cut->count - work) > OTHER_LENGTH * work;
}
static double cpi_of_end(const struct timing_model *model, const struct cut *cut)
{
    const struct mark *mark = &model->sample->marks.at[cut->mark];
    return (double)(model->end_cycle - mark->cycle) / ((double)model->sample->work - mark->work);
}

static void add_cut(const struct timing_model *model, size_t number, struct estimate *estimate)
{
    const struct sample *sample = model->sample;
    const struct cut *cut = &sample->cuts.at[number];
    const size_t before = interval_before(sample, cut), after = interval_after(sample, cut);
    const double part = part_after(sample, cut, before, after);
    const double from = cpi_near(sample, before, -1);
    const double to = after > before                     ? cpi_near(sample, after, 1)
                      : has_changed(sample, cut, before) ? cpi_of_end(model, cut)
                                                         : from;
    const double cpi = (1 - part) * from + part * to;
    const double change = (to - from) * (after > before ? 0.5 : 1) * (double)cut->work; /* the end is a poor witness */
    const struct mark *mark = &sample->marks.at[cut->mark];
    double work = (double)cut->work, cycles = work * cpi;
    if (cut->is_stale && after > cut->mark && !mark->has_jumps) { /* the warm-up does not count, either */
        const double more = mark[1].work - mark->work;
        work += more;
        cycles += more * cpi_of_warm_up(sample, cut, before, after) - (double)(mark[1].cycle - mark->cycle);
    }
    const double start =
        estimate->added + (double)mark->cycle + cycles * (double)(cut->longest - cut->first) / (double)cut->count;
    const double life = (double)cut->longest_work * sample->residency / (double)sample->work;
    const double mean = (double)sample->work / (double)sample->groups;
    const double slowest = (double)cut->longest_work > LONG_GROUP * mean ? start + SLOW_GROUP * life : 0;
    estimate->longest = fmax(estimate->longest, start + life);
    estimate->slowest = fmax(estimate->slowest, slowest);
    estimate->squares += work * work;
    estimate->changes += change * change;
    estimate->added += cycles;
}

/* Workgroups that were placed after so many cuts: these have made them later, but have not kept them on the device for longer. */
static void add_latest(const struct sample *sample, size_t cuts, struct estimate *estimate)
{
    const double latest = cuts < sample->latest.count ? estimate->added + (double)sample->latest.at[cuts] : 0;
    estimate->end = latest > estimate->end ? latest : estimate->end;
}

/* After a cut the launch goes on as another draw of the same process: what is computed then differs from what it would have been, and so
 * does what was cut out, each interval by its own scatter and that of its counterpart.  In cycles, at 95 %. */
static double divergence(const struct sample *sample, double spread)
{
    const double after = (double)(sample->work + sample->other_work) - sample->marks.at[sample->cuts.at[0].mark].work;
    return spread * sqrt(2 * after * sample->measured / (double)sample->count);
}

/* The last workgroups end sooner or later than they would have, as workgroups differ. */
static double chance_of_end(const struct sample *sample)
{
    const double mean = sample->residency / (double)sample->groups;
    const double variance = sample->squared_residency / (double)sample->groups - mean * mean;
    return sqrt(fmax(variance, 0));
}

/* What the scatter of intervals does not show: which of the SMs got long workgroups in the end.  In cycles. */
static double uncertain_end(const struct timing_model *model, const struct estimate *estimate, double alone)
{
    const struct sample *sample = model->sample;
    const double latest = fmax(estimate->longest, estimate->slowest) - (estimate->end + alone);
    const double drain = (double)(model->end_cycle - sample->last_placed);
    const double usual = sample->residency / (double)sample->groups;
    return fmax(fmax(latest, alone), drain > LONG_DRAIN * usual ? (drain - usual) / 2 : 0);
}

void sample_finish(struct timing_model *model)
{
    struct sample *sample = model->sample;
    struct cy_timing_counters *counters = &model->counters;
    struct estimate estimate = {0};
    model->sampled = (struct cy_timing_sampled){counters->instructions, counters->instructions, 0};
    if (!sample_has_cuts(model))
        return;
    complete_marks(sample);
    for (size_t i = 0; i < sample->cuts.count; i++) {
        add_latest(sample, i, &estimate);
        add_cut(model, i, &estimate);
    }
    add_latest(sample, sample->cuts.count, &estimate);
    const double end = fmax(estimate.end, estimate.longest);
    /* A long one that is left alone in the end gets on faster, but nobody knows how much. */
    const double alone = (end - estimate.end) / ((double)capacity(model) / model->sm_count);
    const double cycles = estimate.end + alone + (double)(counters->cycles - model->end_cycle);
    const double factor = 1 + (double)sample->cut_work / (double)counters->instructions;
    model->sampled.instructions = counters->instructions + sample->cut_work;
    const double spread = deviation_in_parts(sample);
    const double scatter = fmax(spread * sqrt(estimate.squares), sqrt(estimate.changes));
    const double parts[] = {scatter, BIAS * estimate.added, divergence(sample, spread), chance_of_end(sample)};
    double squares = 0;
    for (size_t i = 0; i < CY_COUNT(parts); i++)
        squares += parts[i] * parts[i];
    model->sampled.error = (sqrt(squares) + uncertain_end(model, &estimate, alone)) / cycles;
    counters->cycles = (uint64_t)cycles;
    counters->instructions += sample->cut_work;
    uint64_t *const others[] = {&counters->l1i_lookups, &counters->l1i_misses,   &counters->l1d_requests,
                                &counters->l1d_misses,  &counters->memory_reads, &counters->memory_writes};
    for (size_t i = 0; i < CY_COUNT(others); i++)
        *others[i] = (uint64_t)((double)*others[i] * factor);
}

bool sample_note(const struct cy_timing_sampled *sampled, char *text, size_t size)
{
    if (sampled->computed == sampled->instructions)
        return false;
    snprintf(text, size,
             "the cycles of %.1f %% of %" PRIu64
             " warp instructions were computed, the others estimated: error up to %.1f %% "
             "(95 %% confidence); sample_after=0 computes all",
             100 * (double)sampled->computed / (double)sampled->instructions, sampled->instructions,
             100 * sampled->error);
    return true;
}
