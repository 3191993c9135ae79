#define _GNU_SOURCE /* strdup */
#include "cc/worker.h"

#include "cc/driver/cache.h"
#include "cc/driver/clang.h"
#include "cc/driver/included.h"
#include "cc/compile.h"
#include "cc/passes/progress.h"
#include "cc/driver/protocol.h"
#include "cc/driver/result.h"
#include "jit/translate/translate.h"
#include "sources/sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint32_t cc_worker_version(void)
{
    return CC_WORKER_VERSION;
}

static bool keeps_source(const struct cc_request *request)
{
    const struct cy_cc_options *options = &request->options;
    bool keeps = request->source && !options->is_ir && !options->compile_only;
    for (size_t i = 0; i < options->arg_count; i++)
        keeps &= strcmp(options->args[i], CY_CC_NO_SOURCE) != 0;
    return keeps;
}

/* Given by the caller, or a file as an earlier compile found it: its name is then the one that clang uses. */
static struct cy_source_file header_of(const struct cc_request *request, const struct cy_cc_header *header)
{
    const size_t length = strlen(request->directory);
    const bool is_here = length && !strncmp(header->name, request->directory, length) && header->name[length] == '/';
    return (struct cy_source_file){*header->name == '/' ? CY_SOURCE_FILE : CY_SOURCE_HEADER,
                                   header->name + (is_here ? length + 1 : 0), header->text, header->size};
}

/* What a tool needs to show the source and to compile it again, wherever the executable will be. */
static void pack_sources(const struct cc_request *request, const struct cy_buf *dependencies, struct cy_buf *note)
{
    const struct cy_cc_options *options = &request->options;
    CY_VEC(struct cy_source_file) files = {0};
    struct cc_included included;
    if (!keeps_source(request))
        return;
    cc_included_read(&included, request, dependencies->data ? dependencies->data : "");
    *cy_vec_push(&files) = (struct cy_source_file){CY_SOURCE_PROGRAM, request->name, request->source, request->size};
    for (size_t i = 0; i < options->header_count; i++)
        *cy_vec_push(&files) = header_of(request, &options->headers[i]);
    for (size_t i = 0; i < included.count; i++)
        *cy_vec_push(&files) = (struct cy_source_file){CY_SOURCE_FILE, included.files[i].name, included.files[i].text,
                                                       included.files[i].size};
    cy_sources_pack(options, files.at, files.count, note);
    cy_vec_free(&files);
    cc_included_free(&included);
}

static bool compile(const struct cc_request *request, struct cc_progress *progress)
{
    struct cy_cc_options options = request->options;
    struct cy_buf bitcode = {0}, log = {0}, dependencies = {0}, note = {0};
    struct cy_cc_result result;
    cc_read_memory_file(CC_WORK_BITCODE, &bitcode);
    cc_read_memory_file(CC_WORK_LOG, &log);
    cc_read_memory_file(CC_WORK_DEPENDENCIES, &dependencies);
    struct cy_cc_part part = {bitcode.data, bitcode.size};
    if (request->source && !options.is_ir) {
        options.parts = &part;
        options.part_count = 1;
    }
    cc_progress_enter(progress, PASS_COUNT, NULL);
    pack_sources(request, &dependencies, &note);
    bool ok = cc_compile(request->name, request->source, request->size, &options, &note, progress, &result);
    cy_buf_puts(&log, result.log ? result.log : "");
    free(result.log);
    result.log = log.data;
    return cc_write_answer(CC_WORK_ANSWER, ok, &dependencies, &result);
}

static bool recall_fact(const void *context, const char *name, bool *holds)
{
    return cc_cache_recall(context, name, holds);
}

static void remember_fact(const void *context, const char *name, bool holds)
{
    cc_cache_remember(context, name, holds);
}

/* What the translator makes on its way, as text; the log is the reason why not. */
static bool print_translation(const struct cc_request *request)
{
    struct cy_buf text = {0}, why = {0}, dependencies = {0}, copy = {0};
    cy_buf_append(&copy, request->source, request->size); /* aligned */
    const char *what = request->options.dump;
    const bool ok = strcmp(what, CC_TEXT_ASSEMBLY) == 0
                        ? cy_jit_print_assembly(copy.data, copy.size, &text, &why)
                        : cy_jit_print_ir(copy.data, copy.size, strcmp(what, CC_TEXT_OPTIMISED) == 0, &text, &why);
    cy_buf_append(&text, "", 1);
    struct cy_cc_result result = {.log = why.data ? why.data : (char[]){""}, .dump = ok ? text.data : NULL};
    return cc_write_answer(CC_WORK_ANSWER, ok, &dependencies, &result);
}

/* Guest code to host code; the log is the reason why not. */
static bool translate(const struct cc_request *request)
{
    if (request->options.dump)
        return print_translation(request);
    struct cy_buf image = {0}, why = {0}, dependencies = {0}, copy = {0};
    cy_buf_append(&copy, request->source, request->size); /* aligned */
    const char *directory = request->options.arg_count == 2 ? request->options.args[0] : NULL;
    const struct cy_jit_facts facts = {directory, recall_fact, remember_fact};
    const bool ok = cy_jit_translate(directory ? &facts : NULL, copy.data, copy.size, &image, &why);
    struct cy_cc_result result = {.log = why.data ? why.data : (char[]){""}};
    const struct cy_buf *said = ok ? &image : &why;
    struct cy_buf entry = {0};
    struct cy_digest key;
    if (directory && cc_key_parse(request->options.args[1], &key) &&
        cc_cache_pack_translation(&entry, ok, said->data, said->size))
        cc_cache_store(directory, &key, &entry);
    cy_buf_free(&entry);
    if (ok) {
        result.bitcode = (unsigned char *)image.data;
        result.bitcode_size = image.size;
    }
    return cc_write_answer(CC_WORK_ANSWER, ok, &dependencies, &result);
}

bool cc_worker(void)
{
    struct cy_buf bytes = {0};
    struct cc_request request;
    void *arrays;
    cc_read_memory_file(CC_WORK_REQUEST, &bytes);
    void *shared = mmap(NULL, sizeof(struct cc_progress), PROT_READ | PROT_WRITE, MAP_SHARED, CC_WORK_PROGRESS, 0);
    return shared != MAP_FAILED &&
           cc_request_unpack(&request, &arrays, (const unsigned char *)bytes.data, bytes.size) &&
           (request.translates ? translate(&request) : compile(&request, shared));
}
