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

#define FORMAT "chengying sweep 1"

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

bool cy_sweep_open(struct cy_sweep_store *store, const char *directory, const char *const *programs,
                   struct cy_diags *diags)
{
    struct cy_sha256 hash;
    *store = (struct cy_sweep_store){0};
    cy_buf_puts(&store->directory, directory);
    cy_sha256_start(&hash);
    hash_text(&hash, FORMAT);
    for (; *programs; programs++)
        hash_file(&hash, *programs);
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
    cy_sha256_start(&hash);
    hash_text(&hash, store->version);
    for (size_t i = 0; i < point->words.count; i++) {
        const char *word = point->words.at[i], *at = strchr(word, '@'), *equals = strchr(word, '=');
        hash_text(&hash, word);
        hash_file(&hash, word);
        hash_file(&hash, at ? at + 1 : "");         /* --arg buffer:f32=@data.npy */
        hash_file(&hash, equals ? equals + 1 : ""); /* --timing=my.conf */
    }
    finish(&hash, key);
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
    unsigned long long cycles, launches;
    int end = 0;
    path_of(store, key, &path);
    /* what is damaged is measured again */
    if (stat(path.data, &status) == 0 && S_ISREG(status.st_mode) && cy_file_read(path.data, &text, &unheard) &&
        text.data &&
        sscanf(text.data, FORMAT "\ncycles %llu\nlaunches %llu\nseconds %lf\nend%n", &cycles, &launches,
               &result.seconds, &end) == 3 &&
        end) {
        result.is_there = true;
        result.cycles = cycles;
        result.launches = launches;
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
    cy_buf_printf(&text, FORMAT "\ncycles %llu\nlaunches %llu\nseconds %.6f\nend\n", (unsigned long long)result->cycles,
                  (unsigned long long)result->launches, result->seconds);
    const bool ok = cy_file_write(path.data, text.data, text.size, false, diags);
    cy_buf_free(&path);
    cy_buf_free(&text);
    return ok;
}

bool cy_sweep_parse(const char *output, struct cy_sweep_result *result)
{
    *result = (struct cy_sweep_result){0};
    for (const char *line = output; line && *line; line = strchr(line, '\n'), line += line != NULL)
        if (!strncmp(line, "cycles: ", 8)) {
            result->cycles += strtoull(line + 8, NULL, 10);
            result->launches++;
        }
    return result->launches != 0;
}
