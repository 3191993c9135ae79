/* Requests for the kernels of a program, without a device: of workgroups of one shape. */
#ifndef CY_TESTS_JIT_IMPORT_REQUEST_H
#define CY_TESTS_JIT_IMPORT_REQUEST_H

#include "isa/isa.h"
#include "jit/abi.h"
#include "obj/obj.h"
#include "support/test.h"

#include <string.h>

struct shape {
    uint32_t threads, local[3];
    bool exchanges, counts;
};

/* The words of the metadata that every launch of a shape knows: all of them but what the host's buffers and the grid decide. */
static inline void request_metadata(struct cy_jit_request *request, const struct cy_symbol *kernel, uint32_t stack,
                                    uint32_t private_bytes)
{
    enum {
        ENTRY,
        WORK_DIM = 2,
        LOCAL_SIZE = 6,
        OFFSET = 9,
        STACK = 14,
        PRIVATE = 16,
        SIZE_HIGH = 17,
        OFFSET_HIGH = 20
    };
    request->metadata[ENTRY] = kernel->value;
    request->metadata[WORK_DIM] = request->local[2] > 1 ? 3 : request->local[1] > 1 ? 2 : 1;
    memcpy(&request->metadata[LOCAL_SIZE], request->local, sizeof(request->local));
    request->metadata[STACK] = stack;
    request->metadata[PRIVATE] = private_bytes;
    request->known = 1u << ENTRY | 1u << WORK_DIM | 7u << LOCAL_SIZE | 7u << OFFSET | 1u << STACK | 1u << PRIVATE |
                     7u << SIZE_HIGH | 7u << OFFSET_HIGH;
}

/* Appends the request and the code. */
static inline bool make_request(const struct cy_object *program, const char *kernel, const struct shape *shape,
                                enum cy_target target, struct cy_buf *out)
{
    enum { STACK = 1024, PRIVATE = 1024 };
    const struct cy_symbol *symbol = cy_object_find_symbol(program, kernel);
    const struct cy_segment *code = NULL;
    for (size_t i = 0; i < program->segments.count; i++)
        if (program->segments.at[i].flags & 1 && program->segments.at[i].memory_size)
            code = &program->segments.at[i];
    if (!CHECK(symbol && code))
        return false;
    const uint32_t items = shape->local[0] * shape->local[1] * shape->local[2];
    struct cy_jit_request request = {.version = CY_JIT_VERSION,
                                     .frame_bytes = sizeof(struct cy_jit_frame),
                                     .target = target,
                                     .threads = shape->threads,
                                     .warps = (items + shape->threads - 1) / shape->threads,
                                     .local = {shape->local[0], shape->local[1], shape->local[2]},
                                     .start = program->entry,
                                     .code_base = code->address,
                                     .code_bytes = code->memory_size & ~3u,
                                     .private_bytes = PRIVATE,
                                     .whole = true,
                                     .exchanges = shape->exchanges,
                                     .counts = shape->counts};
    request_metadata(&request, symbol, STACK, PRIVATE);
    cy_buf_append(out, &request, sizeof(request));
    cy_buf_zeros(out, request.code_bytes);
    cy_object_copy(program, request.code_base, out->data + sizeof(request), request.code_bytes);
    return true;
}

#endif
