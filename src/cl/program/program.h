/* The room of programs and kernels, and the door of this folder. */
#ifndef CY_CL_PROGRAM_PROGRAM_H
#define CY_CL_PROGRAM_PROGRAM_H

#include "cl/memory/memory.h"
#include "cl/object/object.h"

extern const struct cy_cl_class cy_cl_program_class, cy_cl_kernel_class;
extern const struct cy_cl_attachment cy_cl_compiler_attachment;

/* The result of a build: a description of the kernels, and code in the machines it was built for. */
struct cy_cl_build {
    atomic_uint references;
    struct cy_program *code[CY_CL_MAX_DEVICES]; /* NULL: not for this device */
    unsigned char *elf;
    size_t elf_size;
    unsigned char *bitcode; /* of a compiled program or a library */
    size_t bitcode_size;
    cl_program_binary_type type;
    unsigned ventus;                /* the generation it is for */
    bool uniform_groups;            /* of a compiled program or a library: kernels linked from it want them */
    bool no_argument_info;          /* compiled without -cl-kernel-arg-info */
    struct cy_kernel_info *kernels; /* of an executable that was loaded; their texts belong to the code */
    size_t kernel_count;
};

void cy_cl_build_retain(struct cy_cl_build *build);
void cy_cl_build_release(struct cy_cl_build *build); /* NULL does nothing */

/* A program's state on one device. */
struct cy_cl_device_build {
    cl_build_status status;
    char *options, *log;       /* NULL: "" */
    struct cy_cl_build *build; /* NULL: not built */
};

struct _cl_program {
    struct cy_cl_object object;
    cl_context context;
    char *source;     /* NULL: created from a binary or SPIR-V, or linked */
    void *il;         /* SPIR-V, or NULL */
    void *special_il; /* the same with the specialization constants that were set */
    size_t il_size;
    bool has_binary; /* created from a binary, which `device_builds` holds from the start */
    bool has_device[CY_CL_MAX_DEVICES];
    pthread_mutex_t lock; /* what follows */
    pthread_cond_t done;  /* signalled when a build has ended */
    struct cy_cl_device_build device_builds[CY_CL_MAX_DEVICES];
    unsigned kernels;       /* attached */
    CY_VEC(char *) faulted; /* kernels whose fault has been printed */
};

struct cy_cl_argument {
    bool is_set;
    cl_mem mem;      /* not retained: the specification leaves that to the application */
    const void *svm; /* a pointer to shared virtual memory, if `is_svm` */
    bool is_svm;
    cl_sampler sampler; /* likewise */
    size_t size;        /* of `value`; for a local argument: the requested bytes */
    void *value;        /* a copy */
};

/* A kernel on one device; `build` is NULL when the program was not built for it. */
struct cy_cl_kernel_part {
    struct cy_cl_build *build;
    const struct cy_kernel_info *info;
};

struct _cl_kernel {
    struct cy_cl_object object;
    cl_program program;
    const struct cy_kernel_info *info; /* of the first part: name and arguments are the same in all */
    struct cy_cl_argument *arguments;
    struct cy_cl_kernel_part parts[]; /* of the context's devices */
};

bool cy_cl_all_arguments_set(cl_kernel kernel);
uint32_t cy_cl_kernel_max_size(cl_kernel kernel, cl_uint device); /* work-items of a workgroup */
/* As cy_cl_notify, for a fault of a kernel, which is printed by default. */
void cy_cl_notify_fault(cl_kernel kernel, const char *text);

#endif
