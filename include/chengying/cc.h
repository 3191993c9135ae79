/* Chengying's OpenCL C compiler as a library: source text in, a Ventus executable and a build log out.
 *
 *     struct cy_cc_result result;
 *     if (cy_cc("kernel.cl", text, size, NULL, &result))
 *         use(result.elf, result.elf_size);
 *     fputs(result.log, stderr);
 *     cy_cc_result_free(&result);
 *
 * clang-19, LLVM and the back end run in other processes: whatever a program does to them, this function returns.
 * Nothing is printed, calls from different threads are independent, and programs compiled before come from the cache.
 * The only file left behind is the input of a compile that crashed; the log says where. */
#ifndef CHENGYING_CC_H
#define CHENGYING_CC_H

#include "chengying/api.h"
#include "chengying/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -g puts a line table into the executable.  This does the same but omits the directory, so that the result does not
 * depend on where it is compiled. */
#define CY_CC_LINE_TABLES "-gline-tables-only"
/* Code for a checker (`cy check`): it keeps accesses that are undefined, and says what only the source shows.  It runs
 * nowhere else. */
#define CY_CC_CHECK "-cy-check"
/* Says that the code was made for a debugger; it changes nothing. */
#define CY_CC_DEBUG "-cy-debug"
/* The executable does not carry its source, which it otherwise does, compressed, for checker, debugger, profiler and viewer. */
#define CY_CC_NO_SOURCE "-cy-no-source"

struct cy_cc_options {
    const char *const
        *args; /* options of clBuildProgram and clang: -D -I -cl-std= -cl-fast-relaxed-math -w -Werror ... */
    size_t arg_count;
    int optimize;           /* 0: unoptimised, 2: everything (also for any other value) */
    bool want_assembly;     /* fill result.assembly */
    const char *dump;       /* a pass after which the program is printed into result.dump, or "all", or NULL; the IR and
                             * machine passes of `cy cc --passes` can be named here */
    const char *stop_after; /* print the program after this pass into result.dump and produce no executable; or NULL */
    const char *run_pass;   /* of the IR passes run only this one, and stop there; before a machine pass run only what
                             * it needs; or NULL */
    bool is_ir;             /* the source is IR text, not OpenCL C */
    bool time_passes;       /* fill result.pass_ns */
    unsigned sgprs, vgprs;  /* allocate only register numbers below these; 0: all */
    unsigned generation;    /* of Ventus: 1 or 2; 0 means 1 */
    const char
        *library_dir;  /* the device library, of this generation; NULL: next to the program or the shared library */
    bool compile_only; /* stop at bitcode: fill result.bitcode instead of result.elf */
    const struct cy_cc_header *headers; /* found by #include before all others, without being files */
    size_t header_count;
    const struct cy_cc_part *parts; /* bitcode from earlier calls: linked instead of compiling the source */
    size_t part_count;
};

struct cy_cc_header {
    const char *name; /* as written in #include */
    const char *text;
    size_t size;
};

struct cy_cc_part {
    const void *bitcode;
    size_t size;
};

struct cy_cc_result {
    unsigned char *elf; /* the executable; NULL on error */
    size_t elf_size;
    unsigned char *bitcode; /* with compile_only */
    size_t bitcode_size;
    char *log;                   /* clang's and our diagnostics; NULL only if there is no memory for them */
    char *assembly;              /* when asked for */
    char *dump;                  /* when asked for */
    unsigned long long *pass_ns; /* if requested: nanoseconds by row of the pass table */
    size_t pass_count;
    struct cy_kernel_info *kernels; /* texts and arguments of each in one allocation, `arguments` */
    size_t kernel_count;
    struct cy_kernel_info *functions; /* that are called, not inlined */
    size_t function_count;
    bool no_memory; /* it failed because the host ran out of memory; the log says so too */
};

CY_API bool cy_cc(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                  struct cy_cc_result *result);
CY_API void cy_cc_result_free(struct cy_cc_result *result);
/* The compile server as a device's translator, for the engines jit and auto:
 *     cy_device_set_translator(device, &(struct cy_translator){.translate = cy_cc_translate}); */
CY_API bool cy_cc_translate(void *context, const void *request, size_t size, void **image, size_t *image_size,
                            char *why, size_t room);

#ifdef __cplusplus
}
#endif

#endif
