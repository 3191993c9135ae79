/* Two programs that differ in an immediate V each, and a translator that is sound or takes the code of the second for the first's. */
#ifndef CY_TESTS_VERIFY_WRONG_H
#define CY_TESTS_VERIFY_WRONG_H

#include "gpu/device/machine.h"

#include "cc/driver/driver.h"
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"

static struct cy_buf elfs[2];

static void compile(const char *source, const char *march)
{
    char library[4096], helpers[4096];
    snprintf(library, sizeof(library), "%s/lib/%s", test_env("CY_BUILD"), march);
    snprintf(helpers, sizeof(helpers), "%s/lib/chengying", test_env("CY_BUILD"));
    struct cc_driver driver = {.helpers = helpers, .library_dir = library, .no_cache = true};
    for (unsigned i = 0; i < 2; i++) {
        const char *args[] = {i ? "-DV=12" : "-DV=11", "-cl-std=CL3.0", "-gline-tables-only", "-cl-kernel-arg-info"};
        struct cy_cc_options options = {.optimize = 2, .args = args, .arg_count = 4, .library_dir = library};
        struct cy_cc_result result;
        options.generation = strcmp(march, "ventus") == 0 ? 1 : 2;
        if (!CHECK(cc_drive(&driver, "wrong.cl", source, strlen(source), &options, &result))) {
            fputs(result.log, stderr);
            exit(test_finish());
        }
        elfs[i].size = 0;
        cy_buf_append(&elfs[i], result.elf, result.elf_size);
        cy_cc_result_free(&result);
    }
}

/* ---- a translator that may be given other code ---- */

static const struct cy_program *other; /* NULL: the code is that of the request */

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_buf out = {0}, reason = {0};
    char *copy = malloc(size);
    const struct cy_jit_request *head = request;
    (void)context;
    memcpy(copy, request, size);
    if (other && CHECK(other->code_base == head->code_base && other->code_size >= head->code_bytes)) {
        char *code = malloc(other->code_size);
        cy_program_code(other, code);
        memcpy(copy + sizeof(*head), code, head->code_bytes);
        free(code);
    }
    const bool ok = cy_jit_translate(NULL, copy, size, &out, &reason);
    snprintf(why, room, "%s", reason.data ? reason.data : "");
    *image = out.data;
    *image_size = out.size;
    cy_buf_free(&reason);
    free(copy);
    return ok;
}

#endif
