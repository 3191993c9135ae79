/* Between the files of this room. */
#ifndef CY_CL_PROGRAM_PROGRAM_PRIV_H
#define CY_CL_PROGRAM_PROGRAM_PRIV_H

#include "cl/program/program.h"

#include "chengying/cc.h"

/* ---- program.c ---- */
cl_program cy_cl_program_create(cl_context context);
/* Drops the program's state on a device. */
void cy_cl_program_forget(struct cy_cl_device_build *device_build);
/* Waits for builds that run with a callback.  The program's lock is held. */
void cy_cl_program_wait(cl_program program);
/* The program's executable on a device; NULL: not built, or not an executable.  The program's lock is held. */
struct cy_cl_build *cy_cl_program_executable_on(cl_program program, cl_uint device);
/* The first executable of any device; NULL: none.  The program's lock is held. */
struct cy_cl_build *cy_cl_program_executable(cl_program program);

/* ---- build.c ---- */
struct cy_cl_build *cy_cl_build_create(void);
/* Takes over the compiler's result. */
void cy_cl_build_take(struct cy_cl_build *build, struct cy_cc_result *result);
/* Loads the code into a machine of the context, unless it is there, and takes over what its notes say of the kernels; an
 * error: it is refused, and the log says why. */
cl_int cy_cl_build_load(struct cy_cl_build *build, cl_context context, cl_uint device, struct cy_buf *log);

/* ---- binary.c: both in a scope (base/mem.h) ---- */
void cy_cl_binary_write(const struct cy_cl_build *build, const char *options, /* of the program's build */
                        struct cy_buf *out);
/* NULL, or what is wrong with the binary; `build` may hold a part of it then. */
const char *cy_cl_binary_read(struct cy_cl_build *build, const unsigned char *bytes, size_t size);

/* ---- compiler.c ---- */
/* cy_cc through the cache, with our paths filled in; its messages are appended to `log`. */
cl_int cy_cl_run_compiler(const char *name, const char *source, size_t size, struct cy_cc_options *options,
                          struct cy_cc_result *result, struct cy_buf *log);

/* ---- program_again.c ---- */
/* Tools learn that a program has lines, but no text of them. */
void cy_cl_note_linked(void);
/* The build of a binary's executable: itself, retained, or what its source gives for the tools that are attached. */
cl_int cy_cl_build_again(struct cy_cl_build *binary, struct cy_cl_build **build);

/* ---- options.c ---- */
enum cy_cl_stage { CY_CL_BUILD, CY_CL_COMPILE, CY_CL_LINK };
struct cy_cl_options {
    struct cy_arena arena;
    CY_VEC(const char *) args;
    bool create_library, uniform_groups, argument_info;
    unsigned standard; /* 120, 200, 300 */
    struct cy_buf log; /* messages about them, whole lines */
};
/* `error`: the code for a word that is not an option; the log names it. */
cl_int cy_cl_options_parse(struct cy_cl_options *options, const char *text, enum cy_cl_stage stage, cl_int error);
void cy_cl_options_free(struct cy_cl_options *options);

#endif
