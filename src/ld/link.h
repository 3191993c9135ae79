/* The linker: relocatable objects in, one executable by the Ventus ABI out.
 *
 *     struct cy_link_job job = {.objects = objects, .object_count = n, .libraries = &library, .library_count = 1};
 *     struct cy_object program;
 *     if (cy_link(&job, &program, diags))
 *         cy_object_write(&program, &file);
 *     cy_object_free(&program);
 *
 * Inputs are not changed and may be shared between jobs.  They are our own objects or standard RISC-V ones; a library
 * is a directory of objects, of which only those are linked that define a needed symbol. */
#ifndef CY_LD_LINK_H
#define CY_LD_LINK_H

#include "obj/obj.h"

struct cy_library;
/* Reads every *.o in a directory, in order of name.  NULL after a diagnostic. */
struct cy_library *cy_library_open(const char *directory, struct cy_diags *diags);
/* A library of objects in memory, which must outlive it.  Called in a scope (base/mem.h). */
struct cy_library *cy_library_of(const struct cy_object *const *objects, size_t count);
void cy_library_close(struct cy_library *library);
/* Appends the directory `name` ("ventus", "ventus-gen2") of the device libraries that came with the running program:
 * BIN/../lib/NAME in a build directory, BIN/../share/chengying/NAME where it is installed.  False: neither exists. */
bool cy_library_directory(const char *name, struct cy_buf *path);

struct cy_link_place {
    const char *section;
    uint32_t address;
};

struct cy_link_job {
    const struct cy_object *const *objects; /* all are linked, in this order */
    size_t object_count;
    const struct cy_library *const *libraries; /* searched in this order */
    size_t library_count;

    const char *entry;    /* NULL: _start; without start-up code: _start if there is one, else the base address */
    const uint32_t *base; /* NULL: CY_IMAGE_BASE, for EpicGPU 0 */
    const struct cy_link_place *places; /* output sections with a fixed address */
    size_t place_count;

    bool no_start;              /* do not search the libraries for _start */
    bool gc_sections;           /* drop sections that neither the entry nor a kernel reaches */
    const char *const *kernels; /* if given: only these kernels are kept (implies gc_sections) */
    size_t kernel_count;
    bool strip_debug;
    bool gen2; /* the program is gen2 even if no object says so: unmarked objects count as gen2 */
    bool gen1; /* the program must be gen1 */

    struct cy_buf *map; /* if not NULL: receives the link map */
};

/* True: `output` is the executable.  Returns false after diagnostics, out of memory included; `output` is empty then.
 * Free it in both cases. */
bool cy_link(const struct cy_link_job *job, struct cy_object *output, struct cy_diags *diags);

#endif
