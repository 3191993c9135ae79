/* Chengying's OpenCL C compiler as a library: source text in, a Ventus executable and a build log out.
 *
 *     struct cy_cc_result result;
 *     if (cy_cc("kernel.cl", text, size, NULL, &result))
 *         use(result.elf, result.elf_size);
 *     fputs(result.log, stderr);
 *     cy_cc_result_free(&result);
 *
 * The front end is clang-19, run as a child process; nothing is printed, no file is left behind, and calls in different
 * threads do not disturb each other. */
#ifndef CHENGYING_CC_H
#define CHENGYING_CC_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cy_cc_options {
    const char *const
        *args; /* what clBuildProgram and clang take: -D -I -cl-std= -cl-fast-relaxed-math -w -Werror ... */
    size_t arg_count;
    int optimize;            /* 0: as written, 2: everything (also for any other value) */
    bool want_assembly;      /* fill result.assembly */
    const char *dump;        /* a pass to dump into result.dump ("import", "isel", "regalloc", "all"), or NULL */
    const char *library_dir; /* where the device library is; NULL: beside the program or the shared library */
};

struct cy_cc_kernel_stats {
    char name[128];
    unsigned instructions, vgprs, sgprs, spills, uniform_percent, code_bytes;
};

struct cy_cc_result {
    unsigned char *elf; /* the executable; NULL when there was an error */
    size_t elf_size;
    char *log;      /* clang's and our diagnostics; never NULL */
    char *assembly; /* when asked for */
    char *dump;     /* when asked for */
    struct cy_cc_kernel_stats *kernels;
    size_t kernel_count;
};

bool cy_cc(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
           struct cy_cc_result *result);
void cy_cc_result_free(struct cy_cc_result *result);

#ifdef __cplusplus
}
#endif

#endif
