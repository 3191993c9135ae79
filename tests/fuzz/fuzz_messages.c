/* What the compiler reads from other processes and from files that may be damaged.  Byte 0 says which: a request, an
 * entry of the cache (the files a result depends on, the result), translated code, a reproducer, a SPIR-V module, inline assembly
 * and rules of make. */
#define _GNU_SOURCE /* memfd_create */
#include "cc/driver/asm_rewrite.h"
#include "cc/driver/depend.h"
#include "cc/driver/reproducer.h"
#include "cc/driver/result.h"
#include "cc/driver/spirv.h"
#include "fuzz/file.h"
#include "jit/run/run.h"

#include <string.h>

/* What is accepted is packed again, and the same then. */
static void try_request(const uint8_t *data, size_t size)
{
    struct cc_request request = {0};
    void *arrays = NULL;
    size_t packed_size, again_size;
    if (cc_request_unpack(&request, &arrays, data, size)) {
        unsigned char *packed = cc_request_pack(&request, &packed_size);
        struct cc_request copy = {0};
        void *copy_arrays = NULL;
        FUZZ_CHECK(packed && cc_request_unpack(&copy, &copy_arrays, packed, packed_size));
        unsigned char *again = cc_request_pack(&copy, &again_size);
        FUZZ_CHECK(again && again_size == packed_size && !memcmp(packed, again, packed_size));
        free(packed);
        free(again);
        free(copy_arrays);
    }
    free(arrays);
}

static void try_entry(const uint8_t *data, size_t size)
{
    struct cy_cc_result result, copy;
    struct cy_unpack in = {data, data + size, false};
    cc_depend_holds(&in);
    if (in.failed || !cc_result_load(&result, in.at, (size_t)(in.end - in.at)))
        return;
    struct cy_buf packed = {0}, again = {0};
    cc_result_save(&result, &packed);
    FUZZ_CHECK(cc_result_load(&copy, packed.data, packed.size));
    cc_result_save(&copy, &again);
    FUZZ_CHECK(packed.size == again.size && !memcmp(packed.data, again.data, packed.size));
    cy_buf_free(&packed);
    cy_buf_free(&again);
    cy_cc_result_free(&result);
    cy_cc_result_free(&copy);
}

static void try_image(const uint8_t *data, size_t size)
{
    char text[64];
    struct cy_jit_code *code = cy_jit_load(data, size);
    if (code)
        cy_jit_list_interpreted(code, text, sizeof(text));
    cy_jit_unload(code);
}

static void try_reproducer(const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file_open(data, size);
    struct cc_reproducer reproducer = {0};
    char error[256] = "";
    const bool ok = cc_reproducer_load(&reproducer, file.path, error, sizeof(error));
    FUZZ_CHECK(ok || error[0]);
    if (ok)
        cc_reproducer_free(&reproducer);
    fuzz_file_close(&file);
}

static void try_spirv(const uint8_t *data, size_t size)
{
    unsigned generation = 0;
    struct cy_buf mended = {0};
    if (!cc_is_spirv(data, size) || cc_spirv_wrong(data, size, &generation))
        return;
    FUZZ_CHECK(generation == 1 || generation == 2);
    cc_spirv_mend(data, size, &mended);
    FUZZ_CHECK(cc_is_spirv(mended.data, mended.size) && !cc_spirv_wrong(mended.data, mended.size, &generation));
    cy_buf_free(&mended);
}

static void try_texts(const char *text, size_t size)
{
    struct cy_buf out = {0}, file = {0};
    (void)(cc_has_asm(text, size) && cc_rewrite_asm(text, size, &out));
    (void)cc_blames_asm(text);
    const char *colon = strchr(text, ':');
    for (const char *at = colon ? colon + 1 : NULL; at && (at = cc_depend_next(at, &file));)
        FUZZ_CHECK(file.size <= size);
    cy_buf_free(&out);
    cy_buf_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_buf copy = {0}; /* at its own address: a read before or after it shows */
    if (size < 2)
        return 0;
    cy_buf_append(&copy, data + 1, size - 1);
    const uint8_t *bytes = (const uint8_t *)copy.data;
    size--;
    switch (data[0] % 6) {
    case 0: try_request(bytes, size); break;
    case 1: try_entry(bytes, size); break;
    case 2: try_image(bytes, size); break;
    case 3: try_reproducer(bytes, size); break;
    case 4: try_spirv(bytes, size); break;
    case 5: try_texts(copy.data, size); break;
    }
    cy_buf_free(&copy);
    return 0;
}
