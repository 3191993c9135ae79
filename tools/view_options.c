#define _POSIX_C_SOURCE 200809L
#include "view_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cy_view_option(struct cy_view_options *options, int id, const char *value)
{
    if (id == CY_VIEW_TRACE)
        options->trace = value;
    else if (id == CY_VIEW_HTML)
        options->html = value;
    else
        return false;
    return true;
}

bool cy_view_is_on(const struct cy_view_options *options)
{
    return options->trace || options->html;
}

bool cy_view_uses_stdout(const struct cy_view_options *options)
{
    return options->html && !strcmp(options->html, "-");
}

int cy_view_check(const struct cy_view_options *options, bool is_stdout_taken, const struct cy_usage *usage)
{
    if (options->trace && !strcmp(options->trace, "-"))
        return cy_usage_error(usage, "--cytrace needs a file");
    if (cy_view_uses_stdout(options) && is_stdout_taken)
        return cy_usage_error(usage, "standard output takes either the page or the profile");
    return CY_EXIT_OK;
}

void cy_view_paths(const struct cy_view_options *options, struct cy_paths *paths)
{
    cy_paths_write(paths, options->trace);
    cy_paths_write(paths, options->html);
}

bool cy_view_temporary(struct cy_buf *path, struct cy_diags *diags)
{
    const char *tmp = getenv("TMPDIR");
    cy_buf_printf(path, "%s/cy-view-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    const int fd = mkstemp(path->data);
    if (fd < 0) {
        cy_diag_file(diags, CY_ERROR, path->data, "cannot create: %s", strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

/* ---- the page ---- */

/* A file next to the page, which becomes it once it is complete. */
static FILE *open_beside(const char *html, struct cy_buf *path, struct cy_diags *diags)
{
    cy_buf_printf(path, "%s.XXXXXX", html);
    const int fd = mkstemp(path->data);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) {
        cy_diag_file(diags, CY_ERROR, html, "cannot write: %s", strerror(errno));
        return NULL;
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return out;
}

struct page_job {
    const char *title;
    const struct cy_file_bytes *trace;
    FILE *out;
    bool ok;
};
static void write_page(void *argument)
{
    struct page_job *job = argument;
    job->ok = cy_view_page(job->title, job->trace->data, job->trace->size, job->out);
}

bool cy_view_write_page(const char *html, const char *title, const struct cy_file_bytes *trace, struct cy_diags *diags)
{
    struct stat status;
    struct cy_buf path = {0};
    const bool direct = !strcmp(html, "-") || (stat(html, &status) == 0 && !S_ISREG(status.st_mode));
    struct page_job job = {.title = title, .trace = trace};
    job.out = !direct ? open_beside(html, &path, diags) : !strcmp(html, "-") ? stdout : fopen(html, "w");
    if (!job.out) {
        if (direct)
            cy_diag_file(diags, CY_ERROR, html, "cannot write: %s", strerror(errno));
        cy_buf_free(&path);
        return false;
    }
    const bool enough = cy_mem_try(write_page, &job);
    const int written = job.out == stdout ? 0 : fclose(job.out);
    bool ok = enough && job.ok && written == 0 && (direct || rename(path.data, html) == 0);
    if (!ok) {
        cy_diag_file(diags, CY_ERROR, html, "cannot write: %s", enough ? strerror(errno) : "no memory");
        if (!direct)
            unlink(path.data);
    }
    cy_buf_free(&path);
    return ok;
}

bool cy_view_load(const char *trace, bool partial, struct cy_file_bytes *bytes, struct cy_view_summary *summary,
                  struct cy_diags *diags)
{
    struct cy_diags unheard = {0};
    struct cy_buf whole = {0};
    if (!cy_file_map(trace, bytes, diags))
        return false;
    const bool is_whole = partial && cy_view_read(trace, bytes->data, bytes->size, NULL, summary, &unheard);
    cy_diags_free(&unheard);
    if (is_whole)
        return true;
    if (partial && cy_view_salvage(bytes->data, bytes->size, &whole)) {
        cy_file_unmap(bytes);
        *bytes = (struct cy_file_bytes){.data = whole.data, .size = whole.size, .read = whole};
        cy_diag_file(diags, CY_NOTE, NULL, "the trace was not written to its end: what came last is missing");
    }
    return cy_view_read(trace, bytes->data, bytes->size, NULL, summary, diags);
}

bool cy_view_make_page(const char *trace, bool partial, const char *html, struct cy_view_summary *summary,
                       struct cy_diags *diags)
{
    struct cy_file_bytes bytes;
    const char *slash = strrchr(trace, '/');
    const bool ok = cy_view_load(trace, partial, &bytes, summary, diags) &&
                    (!html || cy_view_write_page(html, slash ? slash + 1 : trace, &bytes, diags));
    cy_file_unmap(&bytes);
    return ok;
}

/* ---- recording ---- */

bool cy_view_output_open(struct cy_view_output *output, const struct cy_view_options *options,
                         const struct cy_config *config, const struct cy_timing_config *timing, uint64_t limit,
                         struct cy_diags *diags)
{
    *output = (struct cy_view_output){.is_temporary = !options->trace};
    if (options->trace)
        cy_buf_puts(&output->path, options->trace);
    else if (!cy_view_temporary(&output->path, diags))
        return false;
    output->file = fopen(output->path.data, "wb");
    if (!output->file) {
        cy_diag_file(diags, CY_ERROR, output->path.data, "cannot write: %s", strerror(errno));
        return false;
    }
    output->writer = cy_view_open(output->file, config, timing, limit);
    if (!output->writer)
        cy_mem_fail();
    return true;
}

void cy_view_note_left_out(const struct cy_view_summary *summary, struct cy_diags *diags)
{
    if (summary->left_out)
        cy_diag_file(diags, CY_NOTE, NULL,
                     "%llu warp instructions (%.1f %%) beyond the first %llu were left out; --events COUNT keeps more",
                     (unsigned long long)summary->left_out,
                     100.0 * (double)summary->left_out / (double)(summary->left_out + summary->instructions),
                     (unsigned long long)summary->instructions);
}

bool cy_view_output_close(struct cy_view_output *output, const struct cy_view_options *options, struct cy_diags *diags)
{
    struct cy_view_summary summary;
    bool ok = output->writer && cy_view_close(output->writer);
    const int error = errno;
    if (output->file && fclose(output->file) != 0)
        ok = false;
    if (output->writer && !ok)
        cy_diag_file(diags, CY_ERROR, output->path.data, "cannot write: %s", error ? strerror(error) : "no memory");
    if (ok && cy_view_make_page(output->path.data, false, options->html, &summary, diags))
        cy_view_note_left_out(&summary, diags);
    if (output->is_temporary && output->path.size)
        unlink(output->path.data);
    cy_buf_free(&output->path);
    return ok;
}
