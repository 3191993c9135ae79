#define _GNU_SOURCE /* memmem, st_ctim */
#include "cc/driver/depend.h"

#include "base/file.h"
#include "base/sha256.h"
#include "base/strmap.h"
#include "cc/driver/clang.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record {
    struct cy_strmap files;  /* that were read */
    struct cy_strmap places; /* the #include search directories */
    struct cy_strmap absent; /* files that would have been found before those that were read */
    const struct timespec *started;
    struct cy_buf *out;
    bool failed;
};

/* ---- what the compile read ---- */

const char *cc_depend_next(const char *at, struct cy_buf *file)
{
    file->size = 0;
    at += strspn(at, " \n");
    while (at[0] == '\\' && at[1] == '\n')
        at += 2, at += strspn(at, " \n");
    if (!*at)
        return NULL;
    for (; *at && *at != ' ' && *at != '\n'; at++) {
        if (at[0] == '\\' && (at[1] == ' ' || at[1] == '#' || at[1] == '\\'))
            at++;
        else if (at[0] == '$' && at[1] == '$')
            at++;
        cy_buf_putc(file, *at);
    }
    return at;
}

static void add_text(struct cy_strmap *map, const char *text)
{
    cy_strmap_add(map, text, strlen(text));
}

/* Directories are stored without trailing slashes. */
static void add_place(struct record *record, const char *text)
{
    size_t length = strlen(text);
    while (length > 1 && text[length - 1] == '/')
        length--;
    cy_strmap_add(&record->places, length ? text : ".", length ? length : 1);
}

static void add_directory_of(struct cy_strmap *map, const char *file)
{
    const char *slash = strrchr(file, '/');
    cy_strmap_add(map, slash ? file : ".", slash ? (size_t)(slash - file) : 1);
}

/* Words by which a program depends on more than the files it reads. */
static bool asks_for_more(const char *text, size_t size)
{
    static const char *const words[] = {"__has_include", "__has_embed", "__DATE__", "__TIME__", "__TIMESTAMP__"};
    for (size_t i = 0; i < CY_COUNT(words); i++)
        if (memmem(text, size, words[i], strlen(words[i])))
            return true;
    const char *at = text, *end = text + size; /* #embed: the makefile rule does not say under which name the file was
                                                * found */
    while ((at = memmem(at, (size_t)(end - at), "embed", 5))) {
        const char *before = at;
        while (before > text && strchr(" \t\\\r\n", before[-1]))
            before--;
        if (before > text && before[-1] == '#')
            return true;
        at += 5;
    }
    return false;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* A new file could shadow this one: for every search directory, records the path at which #include would look for
 * it. */
static void add_absent(struct record *record, const char *file)
{
    struct cy_buf path = {0};
    for (size_t i = 0; i < record->places.strings.count; i++) {
        const struct cy_str *place = &record->places.strings.at[i];
        bool is_here = !strcmp(place->text, ".");
        if (!is_here && (strncmp(file, place->text, place->length) != 0 || file[place->length] != '/'))
            continue;
        if (is_here && *file == '/')
            continue;
        const char *spelled = is_here ? file : file + place->length;
        spelled += is_here ? 0 : strspn(spelled, "/");
        for (size_t other = 0; other < record->places.strings.count; other++) {
            path.size = 0;
            if (strcmp(record->places.strings.at[other].text, ".") != 0)
                cy_buf_printf(&path, "%s/", record->places.strings.at[other].text);
            cy_buf_puts(&path, spelled);
            if (cy_strmap_find(&record->files, path.data, path.size) == CY_STR_NONE)
                add_text(access(path.data, F_OK) ? &record->absent : &record->files, path.data);
        }
    }
    cy_buf_free(&path);
}

static bool digest_file(const char *path, struct cy_digest *digest, bool *more)
{
    struct cy_diags diags = {0};
    struct cy_buf text = {0};
    bool ok = cy_file_read(path, &text, &diags);
    if (ok) {
        *digest = cy_sha256(text.data ? text.data : "", text.size);
        *more = asks_for_more(text.data ? text.data : "", text.size);
    }
    cy_buf_free(&text);
    cy_buf_free(&diags.text);
    return ok;
}

static void pack_file(struct record *record, const char *path)
{
    struct stat status;
    struct cy_digest digest;
    bool more = false;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || !is_before(&status.st_ctim, record->started) ||
        !digest_file(path, &digest, &more) || more) {
        record->failed = true;
        return;
    }
    cy_pack_text(record->out, path);
    cy_pack_bytes(record->out, digest.bytes, sizeof(digest.bytes));
}

static void gather(struct record *record, const char *rule, const char *name, const struct cy_cc_options *options,
                   const char *default_header)
{
    struct cy_buf file = {0};
    const char *at = strstr(rule, ": ");
    add_directory_of(&record->places, name);
    for (size_t i = 0; i < options->arg_count; i++)
        if (!strncmp(options->args[i], "-I", 2))
            add_place(record, options->args[i] + 2);
    for (at = at ? at + 1 : ""; (at = cc_depend_next(at, &file));) {
        if (!strcmp(file.data, name) || !strncmp(file.data, CC_HEADER_DIRECTORY, strlen(CC_HEADER_DIRECTORY)) ||
            (default_header && !strcmp(file.data, default_header)))
            continue;
        add_text(&record->files, file.data);
        add_directory_of(&record->places, file.data);
    }
    size_t read = record->files.strings.count; /* add_absent adds entries, but no new files */
    for (size_t i = 0; i < read; i++)
        add_absent(record, record->files.strings.at[i].text);
    cy_buf_free(&file);
}

bool cc_depend_record(const char *rule, const char *name, const char *source, size_t size,
                      const struct cy_cc_options *options, const char *default_header, const struct timespec *started,
                      struct cy_buf *out)
{
    struct record record = {.started = started, .out = out, .failed = asks_for_more(source, size)};
    char here[PATH_MAX];
    for (size_t i = 0; i < options->arg_count; i++) /* a macro may expand to these words */
        record.failed |= asks_for_more(options->args[i], strlen(options->args[i]));
    for (size_t i = 0; i < options->header_count; i++)
        record.failed |= asks_for_more(options->headers[i].text, options->headers[i].size);
    gather(&record, rule, name, options, default_header);
    bool is_alone = !record.files.strings.count; /* then the working directory does not matter */
    record.failed |= !is_alone && !getcwd(here, sizeof(here));
    cy_pack_text(out, is_alone || record.failed ? "" : here);
    cy_pack(out, record.files.strings.count);
    for (size_t i = 0; i < record.files.strings.count && !record.failed; i++)
        pack_file(&record, record.files.strings.at[i].text);
    cy_pack(out, record.absent.strings.count);
    for (size_t i = 0; i < record.absent.strings.count; i++)
        cy_pack_text(out, record.absent.strings.at[i].text);
    cy_strmap_free(&record.files);
    cy_strmap_free(&record.places);
    cy_strmap_free(&record.absent);
    return !record.failed;
}

/* ---- validation ---- */

void cc_depend_list(struct cy_unpack in, struct cy_buf *names)
{
    size_t size;
    cy_unpack_text(&in);
    for (size_t count = cy_unpack_count(&in, 42); count > 0 && !in.failed; count--) {
        cy_buf_printf(names, "%s\n", cy_unpack_text(&in));
        cy_unpack_bytes(&in, &size);
    }
}

bool cc_depend_holds(struct cy_unpack *in)
{
    char here[PATH_MAX];
    const char *directory = cy_unpack_text(in);
    bool holds = !*directory || (getcwd(here, sizeof(here)) && !strcmp(here, directory)), more;
    for (size_t count = cy_unpack_count(in, 42); count > 0 && !in->failed; count--) {
        struct cy_digest now;
        size_t size;
        const char *path = cy_unpack_text(in);
        const unsigned char *then = cy_unpack_bytes(in, &size);
        holds = holds && size == sizeof(now.bytes) && digest_file(path, &now, &more) &&
                !memcmp(now.bytes, then, sizeof(now.bytes));
    }
    for (size_t count = cy_unpack_count(in, 5); count > 0 && !in->failed; count--)
        holds = access(cy_unpack_text(in), F_OK) != 0 && holds;
    return holds && !in->failed;
}
