/* The steps of the import, in order. */
#include "jit/import/import_priv.h"

#include <stdarg.h>

bool import_cannot(struct importer *im, const char *format, ...)
{
    va_list args;
    if (im->has_failed)
        return false;
    im->has_failed = true;
    va_start(args, format);
    cy_buf_vprintf(im->why, format, args);
    va_end(args);
    return false;
}

static bool open_request(struct importer *im, const struct cy_jit_request *request, size_t size)
{
    if (size < sizeof(*request) || request->version != CY_JIT_VERSION ||
        request->code_bytes > size - sizeof(*request) || request->code_bytes & 3)
        return import_cannot(im, "a request of a different version");
    const uint64_t items = (uint64_t)request->local[0] * request->local[1] * request->local[2];
    if (!request->threads || request->threads & (request->threads - 1) || !items || items > 1u << 20)
        return import_cannot(im, "an invalid shape");
    if (request->target != CY_GEN1 && request->target != CY_GEN2)
        return import_cannot(im, "another instruction set");
    im->request = request;
    im->words = (const uint32_t *)(request + 1);
    im->count = request->code_bytes / 4;
    return true;
}

static void begin_function(struct importer *im)
{
    const struct cy_jit_request *request = im->request;
    struct cy_sir_func *func = cy_sir_new("kernel");
    func->target = request->target;
    func->threads = request->threads;
    func->warps = request->warps;
    for (unsigned i = 0; i < CY_COUNT(func->local); i++)
        func->local[i] = request->local[i];
    func->strip.items = request->local[0] * request->local[1] * request->local[2];
    func->private_bytes = request->private_bytes;
    func->argument_bytes = request->argument_bytes;
    func->host = (uint8_t)request->forms;
    func->exchanges = im->sees_order;
    im->func = func;
}

/* Registers are values at first; those that turn out to be the warp's state become cells, and all is made again. */
static bool make_function(struct importer *im)
{
    for (;;) {
        begin_function(im);
        if (!make_blocks(im) || im->has_failed)
            return false;
        if (has_all_cells(im))
            break;
        cy_sir_free(im->func);
        im->func = NULL;
    }
    finish_registers(im);
    return true;
}

static bool import(struct importer *im)
{
    if (!decode_all(im) || !order_pieces(im))
        return false;
    find_live(im);
    import_compare_exchanges(im);
    if (!order_pieces(im) || !find_joins(im))
        return false;
    find_live(im);
    find_cells(im);
    return make_function(im);
}

static void close_import(struct importer *im)
{
    for (size_t i = 0; i < im->pieces.count; i++) {
        cy_vec_free(&im->pieces.at[i]->returns);
        cy_vec_free(&im->pieces.at[i]->resumes);
    }
    cy_vec_free(&im->pieces);
    cy_vec_free(&im->contexts);
    cy_vec_free(&im->work);
    cy_vec_free(&im->sites);
    cy_vec_free(&im->blocks);
    cy_vec_free(&im->listing);
    cy_vec_free(&im->partings);
    cy_vec_free(&im->phis);
    cy_arena_free(&im->arena);
}

struct cy_sir_func *cy_jit_import(const struct cy_jit_request *request, size_t size, struct cy_buf *why)
{
    struct importer im = {.why = why};
    const bool is_done = open_request(&im, request, size) && import(&im);
    close_import(&im);
    if (!is_done)
        cy_sir_free(im.func);
    return is_done ? im.func : NULL;
}
