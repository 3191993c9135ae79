/* What is known of a kernel.  The compiler finds it out and writes it into the program's ELF file; the device and the OpenCL
 * runtime read it there.  Hand-written kernels have resources, or not even those, and no signature. */
#ifndef CHENGYING_KERNEL_H
#define CHENGYING_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cy_address { CY_ADDRESS_PRIVATE, CY_ADDRESS_GLOBAL, CY_ADDRESS_CONSTANT, CY_ADDRESS_LOCAL };
enum cy_qualifier {
    CY_TYPE_CONST = 1,
    CY_TYPE_RESTRICT = 2,
    CY_TYPE_VOLATILE = 4,
    CY_TYPE_PIPE = 8,
    CY_ACCESS_READ = 16, /* of images and pipes */
    CY_ACCESS_WRITE = 32,
    CY_TYPE_SAMPLER = 64,
    CY_TYPE_IMAGE = 128, /* with an enum cy_image_type above these bits: */
    CY_IMAGE_TYPE_SHIFT = 8,
    CY_MOST_QUALIFIERS = 0xfff, /* all bits */
};
enum cy_image_type {
    CY_IMAGE_1D,
    CY_IMAGE_1D_BUFFER,
    CY_IMAGE_1D_ARRAY,
    CY_IMAGE_2D,
    CY_IMAGE_2D_ARRAY,
    CY_IMAGE_3D,
    CY_IMAGE_2D_DEPTH,
    CY_IMAGE_2D_ARRAY_DEPTH,
};

struct cy_kernel_argument {
    const char *name; /* "" without -cl-kernel-arg-info */
    const char *type;
    enum cy_address address; /* of what a pointer points to; a value is private */
    uint32_t qualifiers;     /* set of enum cy_qualifier */
    uint32_t size, align;    /* in the argument buffer; a pointer's are 4 */
    bool is_pointer;
};

struct cy_kernel_info {
    const char *name;
    uint32_t entry;        /* address of its code; 0 before the program is linked */
    uint32_t generation;   /* of the instruction set: 1 or 2 */
    bool has_resources;    /* false: the figures of the next three lines are the ABI's defaults */
    uint32_t vgprs, sgprs; /* registers of a warp, with those of called functions */
    uint32_t lds_bytes;    /* local variables of a workgroup, without stacks and __local arguments */
    uint32_t pds_bytes;    /* private memory of a work-item */

    bool has_signature;      /* false: nothing is known of what follows */
    bool observes_workgroup; /* false: the kernel does not observe the work-group decomposition */
    bool may_spin;           /* false: no work-item waits for another one, except at barriers */
    bool uniform_groups;     /* the global size has to be a multiple of the local one: OpenCL C before 2.0 */
    uint32_t reqd_size[3];   /* reqd_work_group_size; zeros: not given */
    uint32_t row_dimension;  /* along which work-items access consecutive memory, a guess; 3: along 0 and along 1 */
    uint32_t reqd_sub_group; /* intel_reqd_sub_group_size: threads of a warp; 0: not given */
    const char *attributes;  /* as CL_KERNEL_ATTRIBUTES has them */
    struct cy_kernel_argument *arguments;
    size_t argument_count;
    uint32_t instructions, spills, uniform_percent, code_bytes, calls; /* what the compiler made of it */
    uint32_t spill_bytes; /* of pds_bytes: spilled registers, and stacks of called functions */
};

#ifdef __cplusplus
}
#endif

#endif
