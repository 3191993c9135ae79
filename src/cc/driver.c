#define _GNU_SOURCE /* st_ctim, CLOCK_REALTIME */
#include "cc/driver.h"

#include "base/host_fp.h"
#include "cc/cache.h"
#include "cc/clang.h"
#include "cc/depend.h"
#include "cc/result.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct job {
    const struct cc_driver *driver;
    const char *name, *source;
    size_t size;
    struct cy_cc_options options;
    struct cy_cc_result *result;
    struct cc_clang_place place;
    struct cy_buf log;
    struct timespec started;
    char *directory; /* of the cache; NULL: it is not used */
    struct cy_digest key;
};

/* ---- the key ---- */

static void add_bytes(struct cy_sha256 *sha, const void *bytes, size_t size)
{
    uint64_t length = size;
    cy_sha256_add(sha, &length, sizeof(length));
    if (size)
        cy_sha256_add(sha, bytes, size);
}

static void add_text(struct cy_sha256 *sha, const char *text)
{
    add_bytes(sha, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* A file that cannot have changed while these numbers are the same: no tool can set the time of a file's last change. */
static void add_file(struct cy_sha256 *sha, int directory, const char *path)
{
    struct stat status;
    if (fstatat(directory, path, &status, 0))
        memset(&status, 0, sizeof(status));
    uint64_t numbers[] = {status.st_dev,
                          status.st_ino,
                          (uint64_t)status.st_size,
                          (uint64_t)status.st_mtim.tv_sec,
                          (uint64_t)status.st_mtim.tv_nsec,
                          (uint64_t)status.st_ctim.tv_sec,
                          (uint64_t)status.st_ctim.tv_nsec};
    add_text(sha, path);
    add_bytes(sha, numbers, sizeof(numbers));
}

static void add_directory(struct cy_sha256 *sha, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    add_text(sha, path);
    for (int i = 0; i < count; i++) {
        if (*entries[i]->d_name != '.')
            add_file(sha, fd, entries[i]->d_name);
        free(entries[i]);
    }
    if (fd >= 0)
        close(fd);
    if (count >= 0)
        free(entries);
}

/* clang with its libraries, our compiler, and the device library. */
static void add_tools(struct cy_sha256 *sha, const struct job *job)
{
    static const char *const libraries[] = {"libclang-cpp.so.19.1", "libLLVM.so.19.1", "libLLVM.so.1"};
    struct cy_buf path = {0};
    const char *clang = job->place.program;
    add_file(sha, AT_FDCWD, clang);
    if (job->place.header)
        add_file(sha, AT_FDCWD, job->place.header);
    for (size_t i = 0; i < CY_COUNT(libraries); i++) {
        path.size = 0;
        cy_buf_printf(&path, "%.*s/../lib/%s", (int)(strrchr(clang, '/') - clang), clang, libraries[i]);
        add_file(sha, AT_FDCWD, path.data);
    }
    add_file(sha, AT_FDCWD, job->driver->compiler);
    add_directory(sha, job->driver->library_dir);
    path.size = 0;
    cy_buf_printf(&path, "%s/builtins", job->driver->library_dir);
    add_directory(sha, path.data);
    cy_buf_free(&path);
}

_Static_assert(sizeof(void *) != 8 || sizeof(struct cy_cc_options) == 80, "a new option must go into the key, below");

static void add_options(struct cy_sha256 *sha, const struct cy_cc_options *options)
{
    uint64_t numbers[] = {options->arg_count,    (uint64_t)options->optimize, options->want_assembly,
                          options->compile_only, options->header_count,       options->part_count};
    add_bytes(sha, numbers, sizeof(numbers));
    add_text(sha, options->dump);
    for (size_t i = 0; i < options->arg_count; i++)
        add_text(sha, options->args[i]);
    for (size_t i = 0; i < options->header_count; i++) {
        add_text(sha, options->headers[i].name);
        add_bytes(sha, options->headers[i].text, options->headers[i].size);
    }
    for (size_t i = 0; i < options->part_count; i++)
        add_bytes(sha, options->parts[i].bitcode, options->parts[i].size);
}

static struct cy_digest key_of(const struct job *job)
{
    struct cy_sha256 sha;
    char here[PATH_MAX];
    cy_sha256_start(&sha);
    add_tools(&sha, job);
    add_text(&sha, job->name);
    add_bytes(&sha, job->source, job->size);
    add_options(&sha, &job->options);
    /* What is included is compared when an entry is found; that different directories have different entries only saves
     * them from replacing each other's.  Debug information names the directory. */
    bool somewhere = job->source && memmem(job->source, job->size, "include", 7);
    for (size_t i = 0; i < job->options.arg_count; i++)
        somewhere |= !strncmp(job->options.args[i], "-g", 2);
    add_text(&sha, somewhere ? getcwd(here, sizeof(here)) : "");
    return cy_sha256_finish(&sha);
}

/* ---- the cache ---- */

/* The compiler must be a file that can be looked at; options with a value may name files that nobody lists. */
static bool may_be_kept(const struct job *job)
{
    const struct cy_cc_options *options = &job->options;
    if (!strchr(job->driver->compiler, '/') || access(job->driver->compiler, R_OK))
        return false;
    for (size_t i = 0; i < options->arg_count; i++)
        if (!strncmp(options->args[i], "-f", 2) && strchr(options->args[i], '='))
            return false;
    return true;
}

static bool load(struct job *job)
{
    struct cy_buf bytes = {0};
    bool ok = cc_cache_load(job->directory, &job->key, &bytes);
    if (ok) {
        struct cy_unpack in = {(unsigned char *)bytes.data, (unsigned char *)bytes.data + bytes.size, false};
        ok = cc_depend_holds(&in) && cc_result_load(job->result, in.at, (size_t)(in.end - in.at));
    }
    if (ok)
        cc_cache_touch(job->directory, &job->key);
    cy_buf_free(&bytes);
    return ok;
}

static void store(struct job *job, const struct cy_buf *dependencies)
{
    struct cy_buf bytes = {0};
    bool known = !job->source || dependencies->size;
    struct cy_digest key = key_of(job); /* the tools were not replaced meanwhile? */
    if (known && !memcmp(&key, &job->key, sizeof(key)) &&
        cc_depend_record(job->source ? dependencies->data : "", job->name, job->source ? job->source : "", job->size,
                         &job->options, job->place.header, &job->started, &bytes)) {
        cc_result_save(job->result, &bytes);
        cc_cache_store(job->directory, &job->key, &bytes);
    }
    cy_buf_free(&bytes);
}

/* ---- compiling ---- */

typedef bool (*compile_function)(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
                                 struct cy_cc_result *result);

static compile_function load_compiler(struct job *job)
{
    compile_function compile = NULL;
    size_t (*layout)(void) = NULL;
    fenv_t callers;
    cy_host_fp_enter(&callers);                                            /* LLVM computes while it is loaded */
    void *library = dlopen(job->driver->compiler, RTLD_LAZY | RTLD_LOCAL); /* it stays; a second time costs nothing */
    cy_host_fp_leave(&callers);
    void *symbol = library ? dlsym(library, "cy_cc") : NULL;
    memcpy(&compile, &symbol, sizeof(symbol)); /* POSIX: a pointer to a function comes out as a pointer to data */
    if (!compile) {
        cy_buf_printf(&job->log, "%s: error: cannot load the compiler: %s\n", job->name, dlerror());
        return NULL;
    }
    symbol = dlsym(library, "cc_result_layout");
    memcpy(&layout, &symbol, sizeof(symbol));
    if (!layout || layout() != cc_result_layout()) {
        cy_buf_printf(&job->log, "%s: error: %s is of another version than this program\n", job->name,
                      job->driver->compiler);
        return NULL;
    }
    return compile;
}

/* The rest of the way from bitcode, and our messages behind clang's. */
static bool finish(struct job *job, compile_function compile, struct cy_buf *bitcode)
{
    struct cy_cc_options options = job->options;
    struct cy_cc_part part = {bitcode->data, bitcode->size};
    if (job->source) {
        options.parts = &part;
        options.part_count = 1;
    }
    if (job->source && options.compile_only) {
        job->result->bitcode = (unsigned char *)bitcode->data;
        job->result->bitcode_size = bitcode->size;
        *bitcode = (struct cy_buf){0};
        return true;
    }
    bool ok = compile(job->name, job->source, job->size, &options, job->result);
    cy_buf_puts(&job->log, job->result->log ? job->result->log : "");
    free(job->result->log);
    job->result->log = NULL;
    return ok;
}

static bool compile(struct job *job, struct cy_buf *dependencies)
{
    struct cy_buf bitcode = {0};
    struct cc_clang clang;
    compile_function rest = NULL;
    bool only_clang = job->source && job->options.compile_only, ok;
    if (job->source &&
        !cc_clang_start(&clang, &job->place, job->name, job->source, job->size, &job->options, &job->log))
        return false;
    if (!only_clang)
        rest = load_compiler(job);
    ok = !job->source || cc_clang_finish(&clang, &bitcode, &job->log, dependencies);
    ok = ok && (rest || only_clang) && finish(job, rest, &bitcode);
    cy_buf_free(&bitcode);
    return ok;
}

bool cc_drive(const struct cc_driver *driver, const char *name, const char *source, size_t size,
              const struct cy_cc_options *options, struct cy_cc_result *result)
{
    static const struct cy_cc_options defaults = {.optimize = 2};
    struct job job = {.driver = driver, .name = name, .source = source, .size = size, .result = result};
    struct cy_buf dependencies = {0};
    *result = (struct cy_cc_result){0};
    job.options = options ? *options : defaults;
    if (!job.options.library_dir)
        job.options.library_dir = driver->library_dir;
    clock_gettime(CLOCK_REALTIME, &job.started);
    job.started.tv_sec -= 1; /* the clock of the file system lags */
    bool ok = cc_clang_find(&job.place, name, &job.log);
    if (ok && !driver->no_cache && may_be_kept(&job))
        job.directory = cc_cache_directory();
    if (job.directory)
        job.key = key_of(&job);
    bool found = job.directory && load(&job);
    if (!found) {
        ok = ok && compile(&job, &dependencies);
        result->log = job.log.data ? job.log.data : strdup("");
        job.log = (struct cy_buf){0};
        if (ok && job.directory)
            store(&job, &dependencies);
    }
    cc_clang_place_free(&job.place);
    cy_buf_free(&dependencies);
    cy_buf_free(&job.log);
    free(job.directory);
    return ok;
}
