#define _GNU_SOURCE /* strdup */
#include "cc/worker.h"

#include "cc/compile.h"
#include "cc/protocol.h"
#include "cc/request.h"
#include "cc/result.h"

#include <stdlib.h>
#include <string.h>

uint32_t cc_worker_version(void)
{
    return CC_PROTOCOL << 24 ^ cc_result_layout();
}

bool cc_worker(const struct cc_work *work)
{
    const struct cc_request *request = work->request;
    struct cy_cc_options options = request->options;
    struct cy_cc_part part = {work->bitcode->data, work->bitcode->size};
    struct cy_cc_result result;
    struct cy_buf log = {0};
    if (request->source) {
        options.parts = &part;
        options.part_count = 1;
    }
    bool ok = cc_compile(request->name, request->source, request->size, &options, work->progress, &result);
    cy_buf_append(&log, work->log->data, work->log->size);
    cy_buf_puts(&log, result.log ? result.log : "");
    free(result.log);
    result.log = log.data ? log.data : strdup("");
    return cc_write_answer(work->answer, ok, work->dependencies, &result);
}
