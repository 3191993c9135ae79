#define _GNU_SOURCE /* st_ctim, CLOCK_REALTIME */
#include "cc/driver/driver.h"

#include "cc/driver/cache.h"
#include "cc/driver/clang.h"
#include "cc/driver/client.h"
#include "cc/driver/depend.h"
#include "cc/driver/environment.h"
#include "cc/driver/protocol.h"
#include "cc/driver/reproducer.h"
#include "cc/driver/result.h"
#include "cc/driver/spirv.h"
#include "jit/abi.h"
#include "jit/translate/broken.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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
    struct cc_clang_place place; /* allocated by the C library */
    struct cy_buf log;
    struct timespec started;
    char *directory; /* of the cache; NULL: not used */
    struct cy_digest key, version;
    struct cy_sha256 tools; /* to which the compilers were added, if it has_tools */
    char *dependencies;     /* malloc'ed; NULL: not compiled */
    bool ok, found, no_memory;
    bool has_tools, lends_place; /* the latter: from driver->tools */
    bool is_answered;            /* by the compiler, with yes or no: neither crashed nor out of reach */
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

/* Identifies a file's contents: no tool can set the time of the last change (ctime). */
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
    if (count < 0 && errno == ENOMEM)
        cy_mem_fail(); /* must not become the key of an empty directory */
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    add_text(sha, path);
    for (int i = 0; i < count; i++) {
        if (*entries[i]->d_name != '.')
            add_file(sha, fd, entries[i]->d_name);
        free(entries[i]); /* libc's */
    }
    if (fd >= 0)
        close(fd);
    if (count >= 0)
        free(entries); /* libc's */
}

/* clang with its libraries, and our compiler. */
static void add_compilers(struct cy_sha256 *sha, const struct job *job)
{
    static const char *const libraries[] = {"libclang-cpp.so.19.1", "libLLVM.so.19.1", "libLLVM.so.1"};
    static const char *const ours[] = {CC_SERVER, CC_LLVM};
    struct cy_buf path = {0};
    const char *clang = job->place.program; /* NULL: our IR needs none */
    if (clang)
        add_file(sha, AT_FDCWD, clang);
    if (job->place.header)
        add_file(sha, AT_FDCWD, job->place.header);
    for (size_t i = 0; clang && i < CY_COUNT(libraries); i++) {
        path.size = 0;
        cy_buf_printf(&path, "%.*s/../lib/%s", (int)(strrchr(clang, '/') - clang), clang, libraries[i]);
        add_file(sha, AT_FDCWD, path.data);
    }
    for (size_t i = 0; i < CY_COUNT(ours); i++) {
        path.size = 0;
        cy_buf_printf(&path, "%s/%s", job->driver->helpers, ours[i]);
        add_file(sha, AT_FDCWD, path.data);
    }
    cy_buf_free(&path);
}

static void add_device_library(struct cy_sha256 *sha, const struct job *job)
{
    struct cy_buf path = {0};
    add_directory(sha, job->options.library_dir);
    cy_buf_printf(&path, "%s/builtins", job->options.library_dir);
    add_directory(sha, path.data);
    cy_buf_free(&path);
}

_Static_assert(sizeof(void *) != 8 || sizeof(struct cy_cc_options) == 112, "a new option must go into the key, below");

static void add_options(struct cy_sha256 *sha, const struct cy_cc_options *options)
{
    uint64_t numbers[] = {options->arg_count,    (uint64_t)options->optimize, options->want_assembly,
                          options->compile_only, options->header_count,       options->part_count,
                          options->is_ir,        options->time_passes,        options->sgprs,
                          options->vgprs,        options->generation};
    add_bytes(sha, numbers, sizeof(numbers));
    add_text(sha, options->dump);
    add_text(sha, options->stop_after);
    add_text(sha, options->run_pass);
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
    add_compilers(&sha, job);
    add_device_library(&sha, job);
    add_text(&sha, job->name);
    add_bytes(&sha, job->source, job->size);
    add_options(&sha, &job->options);
    /* Includes are compared when an entry is found; separate entries per directory only keep them from replacing each
     * other.  Debug information names the directory. */
    bool somewhere = job->source && memmem(job->source, job->size, "include", 7);
    for (size_t i = 0; i < job->options.arg_count; i++)
        somewhere |= !strncmp(job->options.args[i], "-g", 2) && strcmp(job->options.args[i], CY_CC_LINE_TABLES) != 0;
    add_text(&sha, somewhere ? getcwd(here, sizeof(here)) : "");
    return cy_sha256_finish(&sha);
}

/* ---- the cache ---- */

/* Options with a value may name files that are not in the rule.  Times belong to one run, and IR text is usually
 * compiled once. */
static bool may_be_kept(const struct job *job)
{
    const struct cy_cc_options *options = &job->options;
    if (options->time_passes || options->is_ir)
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
        const struct cy_unpack names = in;
        ok = cc_depend_holds(&in) && cc_result_load(job->result, in.at, (size_t)(in.end - in.at));
        if (ok && job->driver->files)
            cc_depend_list(names, job->driver->files);
    }
    cy_buf_free(&bytes);
    return ok;
}

/* The same of a program that was compiled. */
static void list_files(void *argument)
{
    const struct job *job = argument;
    struct cy_buf file = {0};
    const char *at = job->dependencies ? strstr(job->dependencies, ": ") : NULL;
    for (at = at ? at + 1 : ""; (at = cc_depend_next(at, &file));)
        cy_buf_printf(job->driver->files, "%s\n", file.data);
    cy_buf_free(&file);
}

/* Functions that take a void pointer run in scopes (base/mem.h). */
static void find_clang(void *argument)
{
    struct job *job = argument;
    if (!cc_is_spirv(job->source, job->size)) {
        job->ok = cc_clang_find(&job->place, job->name, &job->log);
    } else {
        job->place.program = cc_spirv_find();
        job->ok = job->place.program != NULL;
        if (!job->ok)
            cy_buf_printf(&job->log, "%s: error: SPIR-V needs llvm-spirv; install the package llvm-spirv-15\n",
                          job->name);
    }
}

/* One of these ran out of memory: its allocations are gone. */
static void lose(struct job *job)
{
    job->log = (struct cy_buf){0};
    job->directory = NULL;
    *job->result = (struct cy_cc_result){0};
    if (job->driver->files)
        *job->driver->files = (struct cy_buf){0};
    job->no_memory = true;
}

/* Everything before the compile itself. */
static void look_up(void *argument)
{
    struct job *job = argument;
    job->ok = true;
    if (!job->options.is_ir) /* our IR is past the front end */
        find_clang(job);
    if (job->ok && !job->driver->no_cache && may_be_kept(job))
        job->directory = cc_cache_directory();
    if (job->directory)
        job->key = key_of(job);
    job->found = job->directory && load(job);
}

/* From here on failure is harmless: the result exists. */
static void touch(void *argument)
{
    const struct job *job = argument;
    cc_cache_touch(job->directory, &job->key);
}

static void store(void *argument)
{
    const struct job *job = argument;
    struct cy_buf bytes = {0};
    bool known = !job->source || *job->dependencies;
    struct cy_digest key = key_of(job); /* have the tools been replaced meanwhile? */
    if (known && !memcmp(&key, &job->key, sizeof(key)) &&
        cc_depend_record(job->source ? job->dependencies : "", job->name, job->source ? job->source : "", job->size,
                         &job->options, job->place.header, &job->started, &bytes)) {
        cc_result_save(job->result, &bytes);
        cc_cache_store(job->directory, &job->key, &bytes);
    }
    cy_buf_free(&bytes);
}

/* ---- compiling ---- */

/* Everything that a server loads and keeps, and what it passes on to clang. */
static void find_version(void *argument)
{
    struct job *job = argument;
    struct cy_sha256 sha = job->tools;
    if (!job->has_tools) {
        cy_sha256_start(&sha);
        add_compilers(&sha, job);
    }
    static const char called[] = "CHENGYING_CALLED="; /* another one in every run, and nothing to a server */
    for (char **variable = cc_environment(); variable && *variable; variable++)
        if (strncmp(*variable, called, sizeof(called) - 1) != 0)
            add_text(&sha, *variable);
    job->version = cy_sha256_finish(&sha);
}

enum { COMPILE_SECONDS = 600, TRANSLATE_SECONDS = 40 }; /* a kernel that takes longer had better be interpreted */

/* What the caller or the user has set, else `usual`. */
static unsigned time_limit(const struct job *job, unsigned usual)
{
    enum { MOST = 1000000 };
    const char *text = cc_getenv("CHENGYING_COMPILE_SECONDS");
    char *end;
    if (job->driver->time_limit)
        return *job->driver->time_limit;
    unsigned long seconds = text ? strtoul(text, &end, 10) : usual;
    return text && (end == text || *end) ? usual : seconds > MOST ? MOST : (unsigned)seconds;
}

/* The compiler crashed on this input: keep it. */
static void keep_input(struct job *job, const struct cc_request *request)
{
    char path[PATH_MAX], error[256];
    const char *given = job->driver->reproducer;
    bool kept = given || cc_reproducer_save(request, job->dependencies, path, error, sizeof(error));
    if (kept)
        cy_buf_try_printf(&job->log, "%s: note: its input was saved; reproduce with: cy cc --reproduce %s\n", job->name,
                          given ? given : path);
    else
        cy_buf_try_printf(&job->log, "%s: note: its input could not be saved: %s\n", job->name, error);
}

static bool call(struct job *job, const struct cc_request *request, const char *directory_path)
{
    char server[PATH_MAX], error[PATH_MAX + 256];
    struct cc_client_answer answer = {0};
    size_t size;
    unsigned char *bytes = cc_request_pack(request, &size);
    if (!bytes || !cy_mem_try(find_version, job)) {
        job->no_memory = true;
        free(bytes);
        return false;
    }
    snprintf(server, sizeof(server), "%s/" CC_SERVER, job->driver->helpers);
    int directory = cc_client_directory(directory_path);
    struct cc_client_call client = {server, &job->version, bytes, size, request->seconds, directory, job->driver->ends};
    bool ok = client.ends ? cc_client_leave(&client, error, sizeof(error))
                          : cc_client_run(&client, &answer, error, sizeof(error));
    if (ok && !client.ends) {
        *job->result = answer.result;
        job->dependencies = answer.dependencies;
        job->no_memory = !cy_buf_try_printf(&job->log, "%s", answer.result.log);
        cy_free(job->result->log);
        job->result->log = NULL;
        job->is_answered = !answer.is_broken;
        if (answer.is_broken && !request->translates)
            keep_input(job, request);
    } else if (!ok) {
        job->no_memory = answer.no_memory || !cy_buf_try_printf(&job->log, "%s: error: %s\n", job->name, error);
    }
    if (directory >= 0)
        close(directory);
    free(bytes);
    return ok && answer.ok;
}

static bool compile(struct job *job)
{
    char here[PATH_MAX];
    const char *fault = cc_getenv("CHENGYING_COMPILER_FAULT");
    struct cc_request request = {.name = job->name,
                                 .source = job->source,
                                 .size = job->size,
                                 .options = job->options,
                                 .clang = job->place.program ? job->place.program : "",
                                 .clang_header = job->place.header ? job->place.header : "",
                                 .directory = getcwd(here, sizeof(here)) ? here : "",
                                 .fault = fault,
                                 .seconds = time_limit(job, COMPILE_SECONDS)};
    return call(job, &request, ".");
}

/* Hands over the messages, even if there is no other result. */
static void finish(struct job *job)
{
    if (!job->no_memory && !job->result->log) {
        job->no_memory = !cy_buf_try_reserve(&job->log, 0);
        job->result->log = job->log.data;
        job->log = (struct cy_buf){0};
    }
    if (job->no_memory) {
        job->ok = false;
        cy_cc_result_free(job->result);
        cc_result_no_memory(job->result);
    }
}

static void forget(struct job *job)
{
    cy_buf_free(&job->log);
    if (!job->lends_place)
        cc_clang_place_free(&job->place);
    cy_free(job->directory);
    free(job->dependencies);
}

bool cc_drive(const struct cc_driver *driver, const char *name, const char *source, size_t size,
              const struct cy_cc_options *options, struct cy_cc_result *result)
{
    static const struct cy_cc_options defaults = {.optimize = 2};
    struct job job = {.driver = driver, .name = name, .source = source, .size = size, .result = result};
    char library_dir[PATH_MAX];
    *result = (struct cy_cc_result){0};
    job.options = options ? *options : defaults;
    if (!job.options.library_dir) {
        snprintf(library_dir, sizeof(library_dir), "%s%s", driver->library_dir,
                 job.options.generation == 2 ? "-gen2" : "");
        job.options.library_dir = library_dir;
    }
    clock_gettime(CLOCK_REALTIME, &job.started);
    job.started.tv_sec -= 1; /* the file system's clock lags */
    if (!cy_mem_try(look_up, &job))
        lose(&job);
    else if (job.found)
        cy_mem_try(touch, &job);
    else if (job.ok)
        job.ok = compile(&job);
    if (job.ok && !job.found && driver->files && !cy_mem_try(list_files, &job))
        lose(&job);
    finish(&job);
    if (job.ok && !job.found && job.directory)
        cy_mem_try(store, &job);
    forget(&job);
    return job.ok;
}

bool cc_reproduce(const struct cc_driver *driver, struct cy_cc_result *result, char *error, size_t room)
{
    struct cc_reproducer file;
    struct job job = {.driver = driver, .result = result};
    *result = (struct cy_cc_result){0};
    if (!cc_reproducer_load(&file, driver->reproducer, error, room))
        return false;
    struct cc_request request = file.request;
    job.name = request.name;
    char library_dir[PATH_MAX];
    job.source = request.source;
    job.size = request.size;
    snprintf(library_dir, sizeof(library_dir), "%s%s", driver->library_dir,
             request.options.generation == 2 ? "-gen2" : "");
    request.options.library_dir = library_dir;
    request.seconds = time_limit(&job, request.seconds);
    if (cy_mem_try(find_clang, &job)) {
        request.clang = job.place.program;
        request.clang_header = job.place.header;
        job.ok = job.ok && call(&job, &request, *request.directory ? request.directory : "/");
    } else {
        lose(&job);
    }
    finish(&job);
    forget(&job);
    cc_reproducer_free(&file);
    return job.ok;
}

/* ---- translating ---- */

struct translation {
    struct job job;
    const void *request;
    size_t size;
    struct cy_buf entry;
};

enum { TOOLS_UNKNOWN, TOOLS_BEING_WRITTEN, TOOLS_KNOWN };

/* The server that compiles is the one that translates. */
static void find_tools(struct job *job)
{
    struct cc_tools *known = job->driver->only_cached || job->driver->ends ? job->driver->tools : NULL;
    int state = known ? atomic_load_explicit(&known->state, memory_order_acquire) : TOOLS_BEING_WRITTEN;
    job->ok = job->lends_place = job->has_tools = state == TOOLS_KNOWN;
    if (job->ok) {
        job->place = known->place;
        job->tools = known->sha;
        return;
    }
    find_clang(job);
    if (!job->ok)
        return;
    cy_sha256_start(&job->tools);
    add_compilers(&job->tools, job);
    job->has_tools = true;
    if (state == TOOLS_UNKNOWN && atomic_compare_exchange_strong(&known->state, &state, TOOLS_BEING_WRITTEN)) {
        known->place = job->place;
        known->sha = job->tools;
        job->lends_place = true;
        atomic_store_explicit(&known->state, TOOLS_KNOWN, memory_order_release);
    }
}

static void find_translation(void *argument)
{
    struct translation *translation = argument;
    struct cy_buf *entry = &translation->entry;
    struct job *job = &translation->job;
    const size_t head = cy_jit_broken(KEY)
                            ? offsetof(struct cy_jit_request, start)
                            : sizeof(struct cy_jit_request); /* it has a digest of the code that follows */
    struct cy_sha256 sha;
    find_tools(job);
    if (!job->ok || job->driver->no_cache || !(job->directory = cc_cache_directory()))
        return;
    sha = job->tools;
    add_text(&sha, CC_CACHE_TRANSLATION);
#ifdef CY_BREAKABLE
    add_text(&sha, cy_jit_broken_name());
#endif
    add_bytes(&sha, translation->request, translation->size < head ? translation->size : head);
    job->key = cy_sha256_finish(&sha);
    job->found = cc_cache_load(job->directory, &job->key, entry) && entry->size > CC_CACHE_TAG_BYTES &&
                 !memcmp(entry->data, CC_CACHE_TRANSLATION, CC_CACHE_TAG_BYTES - 1);
    if (job->found)
        cc_cache_touch(job->directory, &job->key);
    else
        entry->size = 0;
}

/* The worker keeps the answer, whether it is an image or the reason why there is none: a program that ends before has it
 * the next time. */
static void ask(struct translation *translation)
{
    struct job *job = &translation->job;
    const struct cc_key_text key = cc_key_print(&job->key);
    const char *keep[] = {job->directory, key.text};
    struct cc_request message = {.translates = true,
                                 .name = job->name,
                                 .source = translation->request,
                                 .size = translation->size,
                                 .options = {.args = keep, .arg_count = job->directory ? CY_COUNT(keep) : 0},
                                 .clang = job->place.program,
                                 .clang_header = job->place.header,
                                 .directory = "",
                                 .seconds = time_limit(job, TRANSLATE_SECONDS)};
    job->ok = call(job, &message, "/");
    const void *bytes = job->ok ? (const void *)job->result->bitcode : job->log.data;
    if (!job->is_answered || job->no_memory ||
        !cc_cache_pack_translation(&translation->entry, job->ok, bytes,
                                   job->ok ? job->result->bitcode_size : job->log.size))
        job->ok = false;
}

#define CODE "<code>" /* what is translated has no other name */

/* The message's first line, without that name. */
static void take_reason(const struct job *job, char *why, size_t room)
{
    static const char start[] = CODE ": error: ";
    const char *text = job->no_memory || !job->log.size ? "no memory" : job->log.data;
    text += strncmp(text, start, strlen(start)) ? 0 : strlen(start);
    snprintf(why, room, "%.*s", (int)strcspn(text, "\n"), text);
}

bool cc_translate(const struct cc_driver *driver, const void *request, size_t size, void **image, size_t *image_size,
                  char *why, size_t room)
{
    struct cy_cc_result result = {0};
    struct translation translation = {
        .job = {.driver = driver, .name = CODE, .result = &result}, .request = request, .size = size};
    struct job *job = &translation.job;
    struct cy_buf *entry = &translation.entry;
    cc_environment_use(driver->environment);
    if (!cy_mem_try(find_translation, &translation)) {
        lose(job);
        job->ok = false;
    } else if (job->ok && !job->found && (driver->only_cached || (driver->ends && !job->directory))) {
        job->ok = false;
    } else if (job->ok && !job->found) {
        ask(&translation);
    } else if (job->found) {
        job->ok = entry->data[CC_CACHE_TAG_BYTES - 1];
        if (!job->ok)
            cy_buf_try_printf(&job->log, "%.*s", (int)(entry->size - CC_CACHE_TAG_BYTES),
                              entry->data + CC_CACHE_TAG_BYTES);
    }
    const bool is_absent = (driver->only_cached || driver->ends) && !job->found && !job->no_memory;
    snprintf(why, room, "%s", "");
    if (!job->ok && !is_absent)
        take_reason(job, why, room);
    if (job->ok) {
        *image_size = entry->size - CC_CACHE_TAG_BYTES;
        memmove(entry->data, entry->data + CC_CACHE_TAG_BYTES, *image_size);
        *image = entry->data;
    } else {
        cy_buf_free(entry);
    }
    cy_cc_result_free(&result);
    forget(job);
    cc_environment_use(NULL);
    return job->ok;
}

static void find_tools_of(void *argument)
{
    find_tools(argument);
}

bool cc_print_translation(const struct cc_driver *driver, const void *request, size_t size, const char *what,
                          struct cy_buf *text, char *why, size_t room)
{
    struct cy_cc_result result = {0};
    struct job job = {.driver = driver, .name = CODE, .result = &result};
    if (!cy_mem_try(find_tools_of, &job)) {
        lose(&job);
        job.ok = false;
    } else if (job.ok) {
        struct cc_request message = {.translates = true,
                                     .name = job.name,
                                     .source = request,
                                     .size = size,
                                     .options = {.dump = what},
                                     .clang = job.place.program,
                                     .clang_header = job.place.header,
                                     .directory = "",
                                     .seconds = time_limit(&job, TRANSLATE_SECONDS)};
        job.ok = call(&job, &message, "/") && result.dump;
    }
    if (job.ok)
        cy_buf_puts(text, result.dump);
    else
        take_reason(&job, why, room);
    cy_cc_result_free(&result);
    forget(&job);
    return job.ok;
}
