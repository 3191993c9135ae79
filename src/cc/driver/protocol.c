#include "cc/driver/protocol.h"

#include "base/file.h"
#include "base/pack.h"
#include "cc/driver/result.h"

bool cc_write_answer(int file, bool ok, const struct cy_buf *dependencies, const struct cy_cc_result *result)
{
    struct cy_buf bytes = {0};
    cy_pack(&bytes, ok);
    cy_pack_bytes(&bytes, dependencies->data, dependencies->size);
    cc_result_save(result, &bytes);
    bool written = cy_write_all(file, bytes.data, bytes.size);
    cy_buf_free(&bytes);
    return written;
}
