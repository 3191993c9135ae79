/* Results by content.  A result is one small file, named by the hash of everything it depends on and renamed into place. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/sha256.h"

#define FORMAT "chengying sweep 2"

static void hash_text(struct cy_sha256 *hash, const char *text)
{
    cy_sha256_add(hash, text, strlen(text) + 1);
}

/* The contents of a file, or nothing. */
static void hash_file(struct cy_sha256 *hash, const char *path)
{
    struct stat status;
    struct cy_buf bytes = {0};
    struct cy_diags unheard = {0};
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || !cy_file_read(path, &bytes, &unheard)) {
        hash_text(hash, "-");
    } else {
        const uint64_t size = bytes.size;
        cy_sha256_add(hash, &size, sizeof(size));
        cy_sha256_add(hash, bytes.data ? bytes.data : "", bytes.size);
    }
    cy_buf_free(&bytes);
    cy_diags_free(&unheard);
}

/* ---- what sources include: found by their text, so that none is missed because of a condition; names that macros make are ---- */

struct includes {
    struct cy_sha256 *hash;
    const struct cy_sweep_point *point;
    struct cy_arena arena;
    CY_VEC(const char *) seen;
};

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_source(const char *path)
{
    static const char *const suffixes[] = {".cl", ".s", ".S"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < CY_COUNT(suffixes); i++)
        if (!strcmp(dot, suffixes[i]))
            return is_file(path);
    return false;
}

/* The name that a line includes, and whether it is looked for beside its file; NULL: none. */
static const char *included_name(struct cy_arena *arena, const char *line, size_t size, bool *beside)
{
    static const char blanks[] = " \t", *const words[] = {"include", "incbin"};
    const char *const end = line + size;
    line += strspn(line, blanks);
    if (line >= end || (*line != '#' && *line != '.'))
        return NULL;
    line++;
    line += strspn(line, blanks);
    for (size_t i = 0; i < CY_COUNT(words); i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(line, words[i], length) != 0)
            continue;
        const char *name = line + length + strspn(line + length, blanks);
        const char *close = *name == '"' || *name == '<' ? strchr(name + 1, *name == '<' ? '>' : '"') : NULL;
        *beside = *name == '"';
        return close && close < end ? cy_arena_strndup(arena, name + 1, (size_t)(close - name - 1)) : NULL;
    }
    return NULL;
}

/* The file of that name in a directory that an option -I names; NULL: there is none. */
static const char *find_by_options(struct includes *includes, const char *name)
{
    for (size_t i = 0; i < includes->point->words.count; i++)
        for (const char *at = strstr(includes->point->words.at[i], "-I"); at; at = strstr(at, "-I")) {
            at += 2;
            at += strspn(at, " ");
            const char *directory =
                *at || i + 1 == includes->point->words.count ? at : includes->point->words.at[i + 1];
            const char *path =
                cy_arena_printf(&includes->arena, "%.*s/%s", (int)strcspn(directory, " "), directory, name);
            if (is_file(path))
                return path;
        }
    return NULL;
}

static void hash_includes(struct includes *includes, const char *path)
{
    struct cy_buf text = {0};
    struct cy_diags unheard = {0};
    const char *slash = strrchr(path, '/');
    if (!cy_file_read(path, &text, &unheard))
        text.size = 0;
    for (const char *line = text.size ? text.data : NULL, *end; line; line = *end ? end + 1 : NULL) {
        bool beside;
        end = line + strcspn(line, "\n");
        const char *name = included_name(&includes->arena, line, (size_t)(end - line), &beside);
        if (!name)
            continue;
        const char *found =
            cy_arena_printf(&includes->arena, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
        found = *name == '/' || (!is_file(found) && is_file(name)) ? name : found;
        found = beside && is_file(found) ? found : find_by_options(includes, name);
        for (size_t i = 0; found && i < includes->seen.count; i++)
            found = strcmp(includes->seen.at[i], found) != 0 ? found : NULL;
        if (!found)
            continue;
        *cy_vec_push(&includes->seen) = found;
        hash_text(includes->hash, name);
        hash_file(includes->hash, found);
        hash_includes(includes, found);
    }
    cy_buf_free(&text);
    cy_diags_free(&unheard);
}

static void finish(struct cy_sha256 *hash, char key[CY_SWEEP_KEY])
{
    const struct cy_digest digest = cy_sha256_finish(hash);
    for (unsigned i = 0; i < sizeof(digest.bytes); i++)
        snprintf(key + 2 * i, 3, "%02x", digest.bytes[i]);
}

static bool make_directory(const char *path, struct cy_diags *diags)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    cy_diag_file(diags, CY_ERROR, path, "cannot create: %s", strerror(errno));
    return false;
}

bool cy_sweep_open(struct cy_sweep_store *store, const char *directory, const char *const *programs, size_t count,
                   struct cy_diags *diags)
{
    struct cy_sha256 hash;
    *store = (struct cy_sweep_store){0};
    cy_buf_puts(&store->directory, directory);
    cy_sha256_start(&hash);
    hash_text(&hash, FORMAT);
    for (size_t i = 0; i < count; i++)
        hash_file(&hash, programs[i]);
    finish(&hash, store->version);
    return make_directory(directory, diags);
}

void cy_sweep_close(struct cy_sweep_store *store)
{
    cy_buf_free(&store->directory);
}

void cy_sweep_key(const struct cy_sweep_store *store, const struct cy_sweep_point *point, char key[CY_SWEEP_KEY])
{
    struct cy_sha256 hash;
    struct includes includes = {.hash = &hash, .point = point};
    cy_sha256_start(&hash);
    hash_text(&hash, store->version);
    for (size_t i = 0; i < point->words.count; i++) {
        const char *word = point->words.at[i], *at = strchr(word, '@'), *equals = strchr(word, '=');
        hash_text(&hash, word);
        hash_file(&hash, word);
        hash_file(&hash, at ? at + 1 : "");         /* --arg buffer:f32=@data.npy */
        hash_file(&hash, equals ? equals + 1 : ""); /* --timing=my.conf */
        if (is_source(word))
            hash_includes(&includes, word);
    }
    finish(&hash, key);
    cy_vec_free(&includes.seen);
    cy_arena_free(&includes.arena);
}

static void path_of(const struct cy_sweep_store *store, const char *key, struct cy_buf *path)
{
    cy_buf_printf(path, "%s/%s.result", store->directory.data, key);
}

struct cy_sweep_result cy_sweep_load(const struct cy_sweep_store *store, const char *key)
{
    struct cy_sweep_result result = {0};
    struct cy_buf path = {0}, text = {0};
    struct cy_diags unheard = {0};
    struct stat status;
    unsigned long long cycles, launches, estimated;
    int end = 0;
    path_of(store, key, &path);
    /* what is damaged is measured again */
    if (stat(path.data, &status) == 0 && S_ISREG(status.st_mode) && cy_file_read(path.data, &text, &unheard) &&
        text.data &&
        sscanf(text.data, FORMAT "\ncycles %llu\nlaunches %llu\nestimated %llu\nseconds %lf\nmachine %63[^\n]\nend%n",
               &cycles, &launches, &estimated, &result.seconds, result.machine, &end) == 5 &&
        end) {
        result.is_there = true;
        result.cycles = cycles;
        result.launches = launches;
        result.estimated = estimated;
    }
    cy_buf_free(&path);
    cy_buf_free(&text);
    cy_diags_free(&unheard);
    return result;
}

bool cy_sweep_save(const struct cy_sweep_store *store, const char *key, const struct cy_sweep_result *result,
                   struct cy_diags *diags)
{
    struct cy_buf path = {0}, text = {0};
    path_of(store, key, &path);
    cy_buf_printf(&text, FORMAT "\ncycles %llu\nlaunches %llu\nestimated %llu\nseconds %.6f\nmachine %s\nend\n",
                  (unsigned long long)result->cycles, (unsigned long long)result->launches,
                  (unsigned long long)result->estimated, result->seconds, result->machine);
    const bool ok = cy_file_write(path.data, text.data, text.size, false, diags);
    cy_buf_free(&path);
    cy_buf_free(&text);
    return ok;
}

bool cy_sweep_parse(const char *output, struct cy_sweep_result *result)
{
    *result = (struct cy_sweep_result){0};
    snprintf(result->machine, sizeof(result->machine), "unknown");
    for (const char *line = output; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (!strncmp(line, "timing: ", 8))
            snprintf(result->machine, sizeof(result->machine), "%.*s", (int)strcspn(line + 8, ",\n"), line + 8);
        if (!strncmp(line, "cycles: ", 8)) {
            char *end;
            result->cycles += strtoull(line + 8, &end, 10);
            result->estimated += !strncmp(end, " estimated", 10);
            result->launches++;
        }
    }
    return result->launches != 0;
}
