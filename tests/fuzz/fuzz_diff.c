/* Two traces or (bit 0 of byte 0) two profiles to compare: the rest of the input, split where byte 1 says. */
#define _GNU_SOURCE /* memfd_create */
#include "diff/diff.h"
#include "fuzz/file.h"

static void compare_traces(const char *paths[2])
{
    struct cy_trace_log logs[2] = {{0}};
    struct cy_diags diags = {0};
    struct cy_trace_findings findings = {0};
    bool ok = true;
    for (int i = 0; i < 2; i++)
        ok = cy_trace_log_read(&logs[i], paths[i], &diags) && ok;
    FUZZ_CHECK(ok == (diags.errors == 0));
    if (ok) {
        cy_trace_compare(&logs[0], &logs[1], &findings);
        for (size_t i = 0; i < findings.list.count; i++) {
            const struct cy_trace_finding *finding = &findings.list.at[i];
            FUZZ_CHECK(finding->left_at + finding->left <= logs[0].records.count);
            FUZZ_CHECK(finding->right_at + finding->right <= logs[1].records.count);
        }
        cy_vec_free(&findings.list);
        findings = (struct cy_trace_findings){0};
        cy_trace_compare(&logs[0], &logs[0], &findings);
        FUZZ_CHECK(findings.list.count == 0);
    }
    cy_vec_free(&findings.list);
    for (int i = 0; i < 2; i++)
        cy_trace_log_free(&logs[i]);
    cy_diags_free(&diags);
}

static void compare_profiles(const char *paths[2])
{
    for (int i = 0; i < 2; i++) { /* with each other, and with itself */
        struct cy_diags diags = {0};
        struct cy_buf out = {0};
        bool is_same = false;
        const bool ok = cy_profile_compare(paths[0], paths[1 - i], &out, &is_same, &diags);
        FUZZ_CHECK(ok == (diags.errors == 0));
        FUZZ_CHECK(!ok || !i || is_same);
        cy_buf_free(&out);
        cy_diags_free(&diags);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const size_t split = (size - 2) * data[1] / 255;
    struct fuzz_file left = fuzz_file_open(data + 2, split), right = fuzz_file_open(data + 2 + split, size - 2 - split);
    const char *paths[2] = {left.path, right.path};
    if (data[0] & 1)
        compare_profiles(paths);
    else
        compare_traces(paths);
    fuzz_file_close(&left);
    fuzz_file_close(&right);
    return 0;
}
