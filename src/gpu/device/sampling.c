/* Which workgroups of a profiled launch are counted, and which are looked at.
 *
 * All of it follows from the kernel's code, the launch's size and the number of launches before it: a profile depends neither on
 * the host nor on the engine. */
#include "gpu/device/machine.h"

static uint64_t mix(uint64_t number)
{
    const uint64_t hash = number * 0x9e3779b97f4a7c15u;
    return (hash ^ hash >> 32) * 0xd6e8feb86659fd93u >> 32;
}

/* Looking at the addresses of accesses takes longer than translated code takes for the whole workgroup: a hundred times as long.  So only
 * some workgroups are looked at, and what looks is the interpreter: all of a kernel's first launch if that is small, else those at its
 * start; after that one in each OFTEN, be they in one launch or in many, and one in each SELDOM of a launch in which ENOUGH are looked at
 * anyway.  Of some launches that are farther and farther apart one at least, because all together may have fewer workgroups. */
static bool is_often_looked(uint64_t before)
{
    enum { FARTHER = 16 };
    uint64_t next = FARTHER;
    while (next < before && next <= UINT64_MAX / FARTHER)
        next *= FARTHER;
    return next == before;
}

/* The first ones of a kernel's first launch. */
static bool is_at_start(const struct cy_launch *launch, uint64_t number)
{
    enum { EXACT_WARPS = 64, PART = 32 };
    const uint64_t groups = launch->group_count, exact = EXACT_WARPS / launch->warps;
    return !launch->counted_before &&
           (groups <= exact || number < (exact < groups / PART ? exact : groups / PART) || !number);
}

uint64_t cy_sm_next_looked(const struct cy_launch *launch, uint64_t number)
{
    enum { OFTEN = 1024, SELDOM = 4096, ENOUGH = 4 };
    const uint64_t groups = launch->group_count, before = launch->counted_before, share = groups / ENOUGH;
    const bool is_one = is_often_looked(before) && groups < OFTEN;
    const uint64_t every = is_one ? groups : share < OFTEN ? OFTEN : share < SELDOM ? share : SELDOM;
    const uint64_t past = before * groups; /* about as many workgroups have been before this launch */
    if (!launch->counts)
        return UINT64_MAX;
    if (launch->run.observer) /* which costs more */
        return number;
    if (is_at_start(launch, number))
        return number;
    for (uint64_t block = (past + number) / every;; block++) {
        const uint64_t one = block * every + mix(block) % every;
        if (one >= past + number)
            return one - past;
    }
}

/* Where only some workgroups are counted: one of each EVERY.  Of a kernel's first launch, which may be its only one, MANY at least.  The
 * same workgroup of EVERY launches in a row is counted in one of them; by a STEP that is odd, those with one of the first workgroups
 * are apart. */
uint64_t cy_sm_next_sampled(const struct cy_launch *launch, uint64_t number)
{
    enum { EVERY = 32, MANY = 64, STEP = 13 };
    if (!launch->sampled)
        return UINT64_MAX;
    const uint64_t before = launch->counted_before, share = launch->group_count / MANY;
    const uint64_t every = before || share > EVERY ? EVERY : share ? share : 1;
    for (uint64_t block = number / every;; block++) {
        const uint64_t one = block * every + (before * STEP + mix((before / EVERY) << 32 ^ block)) % every;
        if (one >= number)
            return one;
    }
}

struct cy_insn_counts *cy_sm_counts(const struct cy_sm *sm, const struct cy_launch *launch, uint64_t number,
                                    bool *is_sample)
{
    const bool is_counted = !launch->sampled || cy_sm_next_sampled(launch, number) == number;
    *is_sample = false;
    if (!launch->counts || (!is_counted && cy_sm_next_looked(launch, number) != number))
        return NULL;
    *is_sample = launch->sampled && !launch->run.observer && !is_at_start(launch, number);
    return (*is_sample ? launch->sampled : launch->counts) + sm->index * launch->count_words;
}

bool cy_program_is_slow_to_count(const struct cy_program *program, const char *kernel)
{
    const struct cy_kernel_info *info = cy_program_kernel_by_name(program, kernel);
    return info && cy_code_is_branchy(program->code, info->entry);
}
