#define _GNU_SOURCE /* strnlen */
#include "cc/passes/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Exhausts memory for real: limits the address space and takes what the heap has left. */
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

void cc_progress_enter(struct cc_progress *progress, enum cc_pass pass, const char *function)
{
    if (!progress)
        return;
    progress->pass = pass;
    snprintf(progress->function, sizeof(progress->function), "%s", function ? function : "");
    if (progress->fault && progress->fault_pass == pass &&
        (!*progress->fault_function || !strcmp(progress->function, progress->fault_function)))
        cc_fault_now((enum cc_fault)progress->fault);
}

void cc_progress_print(const struct cc_progress *progress, struct cy_buf *out)
{
    size_t length = strnlen(progress->function, sizeof(progress->function));
    if (progress->pass < PASS_COUNT)
        cy_buf_printf(out, "the pass '%s'", cc_passes[progress->pass].name);
    else
        cy_buf_puts(out, "its start");
    if (length)
        cy_buf_printf(out, " of function '%.*s'", (int)length, progress->function);
}

static const char *word_of(uint32_t pass)
{
    return pass < PASS_COUNT ? cc_passes[pass].name : "start";
}

bool cc_progress_set_fault(struct cc_progress *progress, const char *setting)
{
    static const char *const faults[CC_FAULT_COUNT] = {"", "crash", "abort", "hang", "oom"};
    const char *at = strchr(setting, '@');
    uint32_t fault = CC_FAULT_CRASH, pass = 0;
    if (!at)
        return false;
    while (fault < CC_FAULT_COUNT &&
           (strlen(faults[fault]) != (size_t)(at - setting) || strncmp(setting, faults[fault], (size_t)(at - setting))))
        fault++;
    size_t length = strcspn(at + 1, ":");
    while (pass <= PASS_COUNT && (strlen(word_of(pass)) != length || strncmp(at + 1, word_of(pass), length) != 0))
        pass++;
    if (fault == CC_FAULT_COUNT || pass > PASS_COUNT)
        return false;
    progress->fault = fault;
    progress->fault_pass = pass;
    snprintf(progress->fault_function, sizeof(progress->fault_function), "%s", at[1 + length] ? at + length + 2 : "");
    return true;
}
