/* Traces for the viewer: any bytes, and the same with the checksums mended, so that what the chunks hold is read.  Whatever is
 * accepted must be consistent with what the reader says about it, and what is salvaged of the others must be accepted. */
#include "fuzz/fuzz.h"
#include "view/view_priv.h"

#include <string.h>

struct seen {
    uint64_t insns, stretches;
};

static void see_insn(void *context, const struct cy_view_insn *insn)
{
    struct seen *seen = context;
    seen->insns++;
    FUZZ_CHECK(insn->size == 4 || insn->size == 8);
    for (uint32_t i = 0; i < insn->depth; i++)
        FUZZ_CHECK(insn->stack[i].mask + 1 > 0 || insn->stack[i].mask == UINT64_MAX); /* reads every entry */
    if (insn->access_count)
        FUZZ_CHECK(insn->access.lanes && (insn->access.read || insn->access.write));
}

static void see_stretch(void *context, const struct cy_view_stretch *stretch)
{
    struct seen *seen = context;
    seen->stretches++;
    FUZZ_CHECK(stretch->begin < stretch->end && stretch->stall < CY_STALL_COUNT);
}

static void try_salvage(const uint8_t *data, size_t size)
{
    struct cy_diags diags = {0};
    struct cy_buf whole = {0};
    struct cy_view_summary summary;
    if (cy_view_salvage(data, size, &whole))
        FUZZ_CHECK(cy_view_read("a.cytrace", whole.data, whole.size, NULL, &summary, &diags));
    cy_diags_free(&diags);
    cy_buf_free(&whole);
}

static void try_trace(const uint8_t *data, size_t size)
{
    struct cy_diags diags = {0};
    struct seen seen = {0};
    struct cy_view_summary summary;
    const struct cy_view_visitor visitor = {.context = &seen, .insn = see_insn, .stretch = see_stretch};
    const bool ok = cy_view_read("a.cytrace", data, size, &visitor, &summary, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    FUZZ_CHECK(!ok || seen.insns == summary.instructions);
    cy_diags_free(&diags);
    if (!ok)
        try_salvage(data, size);
}

static uint32_t get32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void mend(uint8_t *data, size_t size)
{
    if (size < VIEW_HEADER)
        return;
    memcpy(data, VIEW_MAGIC, sizeof(VIEW_MAGIC) - 1);
    memcpy(data + sizeof(VIEW_MAGIC) - 1, (const uint8_t[]){VIEW_VERSION, 0, 0, 0}, 4);
    for (size_t at = VIEW_HEADER; size - at >= VIEW_CHUNK && get32(data + at + 4) <= size - at - VIEW_CHUNK;) {
        const uint32_t length = get32(data + at + 4);
        const uint32_t crc = view_crc(view_crc(0, data + at, 8), data + at + VIEW_CHUNK, length);
        for (unsigned i = 0; i < 4; i++)
            data[at + 8 + i] = (uint8_t)(crc >> 8 * i);
        at += VIEW_CHUNK + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_buf copy = {0};
    try_trace(data, size);
    cy_buf_append(&copy, data, size);
    if (size) {
        mend((uint8_t *)copy.data, size);
        try_trace((const uint8_t *)copy.data, size);
    }
    cy_buf_free(&copy);
    return 0;
}
