/* Between the files of this room. */
#ifndef CY_CL_MEMORY_MEMORY_PRIV_H
#define CY_CL_MEMORY_MEMORY_PRIV_H

#include "cl/memory/memory.h"

/* ---- mem.c ---- */
bool cy_cl_mem_flags_valid(cl_mem_flags flags);
bool cy_cl_mem_has_contents(cl_mem_flags flags);
bool cy_cl_mem_inherit(cl_mem_flags parent, cl_mem_flags *flags);
/* Memory of a buffer or an image in all machines of the context; NULL: an error, see errcode_ret. */
cl_mem cy_cl_mem_allocate(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret);
/* Memory that is a part of the parent's. */
cl_mem cy_cl_mem_share(cl_mem parent, cl_mem_flags flags, size_t offset, size_t size);

/* For functions with a list of properties: there are none, and the list is kept.  mem: just created, or NULL. */
cl_mem cy_cl_mem_with_properties(cl_mem mem, const cl_mem_properties *properties, cl_int *errcode_ret);

/* ---- image.c ---- */
void cy_cl_image_destroy(cl_mem mem); /* what only an image has */

/* ---- image_format.c ---- */
bool cy_cl_image_is_format(const cl_image_format *format); /* of the specification, supported or not */
bool cy_cl_image_supports(const cl_image_format *format, cl_mem_flags flags, cl_mem_object_type type);
size_t cy_cl_image_element(const cl_image_format *format); /* bytes */

#endif
