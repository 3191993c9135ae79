#define _POSIX_C_SOURCE 200809L
#include "cc/passes/passes.h"

#include <string.h>
#include <time.h>

#include "cc/passes/progress.h"

const struct cc_pass_info cc_passes[PASS_COUNT] = {
#define PASS(name, stage, level, help, check) [PASS_##name] = {#name, help, CC_##stage, level, CC_CHECK_##check},
#include "cc/passes/passes.def"
};

bool cc_is_dumped(const struct cc_dump *dump, const char *pass)
{
    return dump && dump->pass && (!strcmp(dump->pass, pass) || !strcmp(dump->pass, "all"));
}

bool cc_has_text(enum cc_pass pass)
{
    return cc_passes[pass].stage >= CC_IR && cc_passes[pass].stage <= CC_ALLOC;
}

enum cc_pass cc_find_pass(const char *name)
{
    for (unsigned p = 0; p < PASS_COUNT; p++)
        if (cc_has_text((enum cc_pass)p) && !strcmp(name, cc_passes[p].name))
            return (enum cc_pass)p;
    return PASS_clang;
}

void cc_list_passes(struct cy_buf *out)
{
    bool is_first = true;
    for (unsigned p = 0; p < PASS_COUNT; p++)
        if (cc_has_text((enum cc_pass)p)) {
            cy_buf_printf(out, "%s%s", is_first ? "" : ", ", cc_passes[p].name);
            is_first = false;
        }
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void cc_pass_begin(struct cc_pipeline *pipeline, enum cc_pass pass, const char *function)
{
    cc_progress_enter(pipeline->progress, pass, function);
    if (pipeline->is_timed)
        pipeline->began = now();
}

void cc_pass_end(struct cc_pipeline *pipeline, enum cc_pass pass)
{
    if (pipeline->is_timed)
        pipeline->ns[pass] += now() - pipeline->began;
}
