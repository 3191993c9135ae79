/* Reading commit traces and aligning two of them.
 *
 * Warps are compared one by one: how a simulator interleaves them is its own affair.  After a difference both sides continue at the
 * nearest place from which they run the same instructions again, so an instruction that one of them lost is one finding. */
#include "diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum {
    AGREEMENT = 4, /* instructions that must be the same for the sides to be aligned again */
    WINDOW = 256,  /* instructions that one side may be ahead */
};

/* ---- reading ---- */

static bool take_hex(char **at, uint32_t *value)
{
    char *end;
    if (strncmp(*at, "0x", 2) != 0)
        return false;
    *value = (uint32_t)strtoul(*at, &end, 16);
    const bool ok = end > *at + 2;
    *at = end;
    return ok;
}

/* core   N: 3 0xPC (0xWORD) effect ; comments */
static bool parse(char *at, struct cy_trace_record *record)
{
    char *end;
    at += strlen("core");
    at += strspn(at, " ");
    record->warp = (uint32_t)strtoul(at, &end, 10);
    if (end == at || *end != ':')
        return false;
    at = end + 1;
    at += strspn(at, " 0123456789");
    if (at[-1] == '0' && *at == 'x') /* the blanks' span took the first digit of the address */
        at--;
    if (!take_hex(&at, &record->pc))
        return false;
    at += strspn(at, " ");
    if (*at++ != '(' || !take_hex(&at, &record->word) || *at++ != ')')
        return false;
    at += strspn(at, " ");
    char *comment = strstr(at, "; ");
    if (comment)
        *comment = 0;
    for (end = at + strlen(at); end > at && (end[-1] == ' ' || end[-1] == '\r'); end--)
        end[-1] = 0;
    record->effect = at;
    return true;
}

static int by_warp(const void *a, const void *b)
{
    const struct cy_trace_record *left = a, *right = b;
    if (left->warp != right->warp)
        return left->warp < right->warp ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

bool cy_trace_log_read(struct cy_trace_log *log, const char *path, struct cy_diags *diags)
{
    *log = (struct cy_trace_log){.name = path};
    if (!cy_file_read(path, &log->text, diags))
        return false;
    uint32_t number = 1;
    for (char *line = log->text.data, *next; line && *line; line = next, number++) {
        struct cy_trace_record record = {.line = number};
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        else if (!strncmp(line, "core", 4)) {
            cy_diag_file(diags, CY_ERROR, path, "line %u is cut off: the trace is not complete", number);
            return false;
        }
        if (strncmp(line, "core", 4) != 0)
            continue; /* simulators print other things between */
        if (!parse(line, &record)) {
            cy_diag_file(diags, CY_ERROR, path, "line %u is not of the form 'core N: 3 0xPC (0xWORD) ...'", number);
            return false;
        }
        if (*record.effect) /* the other trace may not have those that write nothing */
            *cy_vec_push(&log->records) = record;
        next = next ? next : line + strlen(line);
    }
    if (!log->records.count) {
        cy_diag_file(diags, CY_ERROR, path, "not a commit trace: no line 'core N: 3 0xPC (0xWORD) ...'");
        return false;
    }
    qsort(log->records.at, log->records.count, sizeof(log->records.at[0]), by_warp);
    return true;
}

void cy_trace_log_free(struct cy_trace_log *log)
{
    cy_vec_free(&log->records);
    cy_buf_free(&log->text);
}

/* ---- comparing ---- */

struct side {
    const struct cy_trace_record *at;
    size_t first, count;
};

static bool is_same_instruction(const struct cy_trace_record *a, const struct cy_trace_record *b)
{
    return a->pc == b->pc && a->word == b->word;
}

static bool is_same(const struct cy_trace_record *a, const struct cy_trace_record *b)
{
    return is_same_instruction(a, b) && !strcmp(a->effect, b->effect);
}

/* Do both run the same instructions from here on?  Near the end of both, as many as there are. */
static bool agree(const struct side *left, size_t i, const struct side *right, size_t k)
{
    for (size_t n = 0; n < AGREEMENT; n++, i++, k++) {
        if (i == left->count && k == right->count)
            return true;
        if (i >= left->count || k >= right->count || !is_same_instruction(&left->at[i], &right->at[k]))
            return false;
    }
    return true;
}

/* How far each side has to move so that they agree, as little as possible. */
static void align(const struct side *left, size_t i, const struct side *right, size_t k, size_t *skip_left,
                  size_t *skip_right)
{
    for (size_t sum = 1; sum <= 2 * WINDOW; sum++)
        for (size_t a = sum > WINDOW ? sum - WINDOW : 0; a <= sum && a <= WINDOW; a++) {
            if (i + a > left->count || k + (sum - a) > right->count || !agree(left, i + a, right, k + (sum - a)))
                continue;
            *skip_left = a;
            *skip_right = sum - a;
            return;
        }
    *skip_left = left->count - i; /* they never meet again */
    *skip_right = right->count - k;
}

static void compare_warp(uint32_t warp, const struct side *left, const struct side *right,
                         struct cy_trace_findings *findings)
{
    size_t i = 0, k = 0;
    while (i < left->count || k < right->count) {
        size_t skip_left = 1, skip_right = 1;
        if (i < left->count && k < right->count && is_same(&left->at[i], &right->at[k])) {
            i++;
            k++;
            continue;
        }
        if (i >= left->count || k >= right->count || !is_same_instruction(&left->at[i], &right->at[k]))
            align(left, i, right, k, &skip_left, &skip_right);
        *cy_vec_push(&findings->list) =
            (struct cy_trace_finding){warp, left->first + i, skip_left, right->first + k, skip_right};
        i += skip_left;
        k += skip_right;
    }
    findings->instructions += left->count;
}

static struct side take_warp(const struct cy_trace_log *log, size_t *at, uint32_t warp)
{
    struct side side = {log->records.at + *at, *at, 0};
    while (*at < log->records.count && log->records.at[*at].warp == warp) {
        ++*at;
        side.count++;
    }
    return side;
}

void cy_trace_compare(const struct cy_trace_log *left, const struct cy_trace_log *right,
                      struct cy_trace_findings *findings)
{
    size_t i = 0, k = 0;
    while (i < left->records.count || k < right->records.count) {
        const uint32_t a = i < left->records.count ? left->records.at[i].warp : UINT32_MAX,
                       b = k < right->records.count ? right->records.at[k].warp : UINT32_MAX, warp = a < b ? a : b;
        const struct side from_left = take_warp(left, &i, warp), from_right = take_warp(right, &k, warp);
        compare_warp(warp, &from_left, &from_right, findings);
    }
}
