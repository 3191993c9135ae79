/* The options of every command that can record a run for the viewer: --cytrace and --html. */
#ifndef CY_TOOLS_VIEW_OPTIONS_H
#define CY_TOOLS_VIEW_OPTIONS_H

#include "base/file.h"
#include "options.h"
#include "paths.h"
#include "view/view.h"

enum { CY_VIEW_TRACE = 650, CY_VIEW_HTML };

#define CY_VIEW_OPTION_ROWS                                                                                            \
    {CY_VIEW_TRACE, 0, "cytrace", "FILE", "record the run for 'cy view' (docs/view.md; implies --timing)", 0},         \
    {                                                                                                                  \
        CY_VIEW_HTML, 0, "html", "FILE", "show the run in a page that any browser opens (implies --timing)", 0         \
    }

struct cy_view_options {
    const char *trace, *html;
};

/* False: not an option of this table. */
bool cy_view_option(struct cy_view_options *options, int id, const char *value);
bool cy_view_is_on(const struct cy_view_options *options);
bool cy_view_uses_stdout(const struct cy_view_options *options);
/* CY_EXIT_OK, or CY_EXIT_USAGE after a message. */
int cy_view_check(const struct cy_view_options *options, bool is_stdout_taken, const struct cy_usage *usage);
void cy_view_paths(const struct cy_view_options *options, struct cy_paths *paths);

/* The trace file of a run: the one that was asked for, or a temporary one from which the page is made. */
struct cy_view_output {
    FILE *file;
    struct cy_buf path;
    bool is_temporary;
    struct cy_view_writer *writer;
};
bool cy_view_output_open(struct cy_view_output *output, const struct cy_view_options *options,
                         const struct cy_config *config, const struct cy_timing_config *timing, uint64_t limit,
                         struct cy_diags *diags);
/* Ends the trace and writes the page. */
bool cy_view_output_close(struct cy_view_output *output, const struct cy_view_options *options, struct cy_diags *diags);

/* An empty temporary file. */
bool cy_view_temporary(struct cy_buf *path, struct cy_diags *diags);
/* Reads and checks a trace.  `partial`: of one that was not written to its end, what there is; a note says so. */
bool cy_view_load(const char *trace, bool partial, struct cy_file_bytes *bytes, struct cy_view_summary *summary,
                  struct cy_diags *diags);
/* The page of a trace that was checked; "-": standard output. */
bool cy_view_write_page(const char *html, const char *title, const struct cy_file_bytes *trace, struct cy_diags *diags);
/* Checks the trace and writes its page ("-": standard output); NULL: only checks it. */
bool cy_view_make_page(const char *trace, bool partial, const char *html, struct cy_view_summary *summary,
                       struct cy_diags *diags);

/* Says how much the limit left out. */
void cy_view_note_left_out(const struct cy_view_summary *summary, struct cy_diags *diags);

#endif
