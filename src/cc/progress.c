#define _GNU_SOURCE /* strnlen */
#include "cc/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct {
    const char *word, *text;
} stages[CC_STAGE_COUNT] = {
#define STAGE(id, word, text) {word, text},
#include "cc/stages.def"
};

/* Memory runs out for real: no more address space, and what the heap has left is taken. */
static void take_all_memory(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_AS, &none);
    for (size_t size = (size_t)1 << 20; size >= 8; size /= 2)
        while (malloc(size))
            ;
}

void cc_fault_now(enum cc_fault fault)
{
    switch (fault) {
    case CC_FAULT_CRASH: raise(SIGSEGV); break;
    case CC_FAULT_ABORT: abort();
    case CC_FAULT_HANG:
        for (;;)
            pause();
    case CC_FAULT_OOM: take_all_memory(); break;
    case CC_FAULT_NONE:
    case CC_FAULT_COUNT: break;
    }
}

void cc_progress_enter(struct cc_progress *progress, enum cc_stage stage, const char *function)
{
    if (!progress)
        return;
    progress->stage = stage;
    snprintf(progress->function, sizeof(progress->function), "%s", function ? function : "");
    if (progress->fault && progress->fault_stage == stage &&
        (!*progress->fault_function || !strcmp(progress->function, progress->fault_function)))
        cc_fault_now((enum cc_fault)progress->fault);
}

void cc_progress_print(const struct cc_progress *progress, struct cy_buf *out)
{
    size_t length = strnlen(progress->function, sizeof(progress->function));
    cy_buf_puts(out, stages[progress->stage < CC_STAGE_COUNT ? progress->stage : 0].text);
    if (length)
        cy_buf_printf(out, " of function '%.*s'", (int)length, progress->function);
}

bool cc_progress_set_fault(struct cc_progress *progress, const char *setting)
{
    static const char *const faults[CC_FAULT_COUNT] = {"", "crash", "abort", "hang", "oom"};
    const char *at = strchr(setting, '@');
    uint32_t fault = CC_FAULT_CRASH, stage = 0;
    if (!at)
        return false;
    while (fault < CC_FAULT_COUNT &&
           (strlen(faults[fault]) != (size_t)(at - setting) || strncmp(setting, faults[fault], (size_t)(at - setting))))
        fault++;
    size_t length = strcspn(at + 1, ":");
    while (stage < CC_STAGE_COUNT &&
           (strlen(stages[stage].word) != length || strncmp(at + 1, stages[stage].word, length) != 0))
        stage++;
    if (fault == CC_FAULT_COUNT || stage == CC_STAGE_COUNT)
        return false;
    progress->fault = fault;
    progress->fault_stage = stage;
    snprintf(progress->fault_function, sizeof(progress->fault_function), "%s", at[1 + length] ? at + length + 2 : "");
    return true;
}
