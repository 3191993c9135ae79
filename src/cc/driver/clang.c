/* The input and output files of clang-19.  All are files in memory (memfd): there is nothing to pump or clean up, and a
 * child that dies early breaks no pipe.
 *
 * The program's text and headers that are not files are overlaid on the file system (clang's -ivfsoverlay) under their
 * user-visible names, so that messages and #include use those names. */
#define _GNU_SOURCE /* memfd_create, prlimit */
#include "cc/driver/clang.h"
#include "cc/driver/spirv.h"

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's file descriptors after the three standard ones; the headers follow. */
enum { OVERLAY = 3, DEPENDENCIES, ARGUMENTS, SOURCE, PRELUDE, VENTUS, HEADERS };
_Static_assert(OVERLAY == 3 && DEPENDENCIES == CC_CLANG_DEPENDENCIES && ARGUMENTS == CC_CLANG_ARGUMENTS,
               "they are named in arguments");

/* A clang that needs more is building an array that fits no device. */
#define LIMIT_BYTES (UINT64_C(4) << 30)

/* Targets spir (32-bit pointers) and spir64 give OpenCL's address spaces, vectors by value and kernel metadata.  We use
 * clang's internal command line (-cc1): the driver insists on a real input file and reads environment variables. */
static const char *const fixed_args[] = {
    "clang-19",
    "-cc1",
    "-emit-llvm-bc",
    "-O2",
    "-disable-llvm-passes",
    "-disable-llvm-verifier",
    "-disable-free",
    "-fdeclare-opencl-builtins",
    "-dwarf-version=4",
    "-U__SPIR__", /* clang's target spir has every extension; the device does not */
    "-D__OPENCL_VERSION__=300",
    "-ffp-contract=on",
    "-fno-rounding-math",
    "-fgnuc-version=4.2.1",
    "-ferror-limit",
    "19",
    "-fbracket-depth",
    "4096",
    "-x",
    "cl",
    "-o",
    "-",
    "-ivfsoverlay",
    "/proc/self/fd/3",
    "-dependency-file",
    "/proc/self/fd/4",
    "-MT",
    "bitcode",
    "-sys-header-deps",
};

/* What kernels of each generation see of extensions.def: one option with all that clang knows, and macros. */
#define WHEN_GEN1(text_1, text_2) text_1
#define WHEN_ALL(text_1, text_2) text_2
#define OPTION_OPTION(name) ",+" #name
#define OPTION_BOTH(name) ",+" #name
#define OPTION_DEFINE(name)
#define OPTION_NONE(name)
#define OPTION_SPIRV(name)
#define FEATURE(name, generations, clang, library) WHEN_##generations(, OPTION_##clang(name))
#define MACRO(name, generations, clang, library) WHEN_##generations(, OPTION_##clang(name))
#define EXTENSION(name, major, minor, patch, generations, clang, library) WHEN_##generations(, OPTION_##clang(name))
static const char options_of_all[] = "-cl-ext=-all"
#include "cc/driver/extensions.def"
    ;
#define FEATURE(name, generations, clang, library) OPTION_##clang(name)
#define MACRO(name, generations, clang, library) OPTION_##clang(name)
#define EXTENSION(name, major, minor, patch, generations, clang, library) OPTION_##clang(name)
static const char options_of_gen1[] = "-cl-ext=-all"
#include "cc/driver/extensions.def"
    ;
#define DEFINE_OPTION(name, generations)
#define DEFINE_NONE(name, generations)
#define DEFINE_SPIRV(name, generations)
#define DEFINE_DEFINE(name, generations) {"-D" #name "=1", WHEN_##generations(true, false)},
#define DEFINE_BOTH(name, generations) DEFINE_DEFINE(name, generations)
#define FEATURE(name, generations, clang, library) DEFINE_##clang(name, generations)
#define MACRO(name, generations, clang, library) DEFINE_##clang(name, generations)
#define EXTENSION(name, major, minor, patch, generations, clang, library) DEFINE_##clang(name, generations)
static const struct {
    const char *text;
    bool only_gen1;
} defines[] = {
#include "cc/driver/extensions.def"
};

static void push_extensions(struct cc_clang *clang, unsigned generation)
{
    *cy_vec_push(&clang->argv) = generation == 2 ? options_of_all : options_of_gen1;
    for (size_t i = 0; i < CY_COUNT(defines); i++)
        if (generation != 2 || !defines[i].only_gen1)
            *cy_vec_push(&clang->argv) = defines[i].text;
}

/* Included before the source.  Bit-fields are an extension to the language, but clang's code for them already works
 * here. The a-forms for a single half and cl_khr_extended_async_copies are functions that clang's built-in table lacks. */
static const char prelude_name[] = "chengying.prelude";
#define DECLARE "__attribute__((overloadable)) "
#define STORE(suffix, space)                                                                                           \
    "void " DECLARE "vstorea_half" suffix "(float, size_t, " space " half *);"                                         \
    "void " DECLARE "vstorea_half" suffix "(double, size_t, " space " half *);"
#define STORES(space)                                                                                                  \
    STORE("", space) STORE("_rte", space) STORE("_rtz", space) STORE("_rtp", space) STORE("_rtn", space)
#define LOAD(space) "float " DECLARE "vloada_half(size_t, const " space " half *);"
#define SIZES_3 "size_t, size_t, size_t, "
#define COPY(to, from)                                                                                                 \
    "__attribute__((convergent)) event_t " DECLARE "async_work_group_copy_2D2D(" to " void *, size_t, const " from     \
    " void *, " SIZES_3 SIZES_3 "event_t);"                                                                            \
    "__attribute__((convergent)) event_t " DECLARE "async_work_group_copy_3D3D(" to " void *, size_t, const " from     \
    " void *, " SIZES_3 SIZES_3 SIZES_3 "event_t);"
static const char prelude[] = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n" LOAD("__global")
    LOAD("__local") LOAD("__private") LOAD("__constant") STORES("__global") STORES("__local") STORES("__private")
        COPY("__local", "__global") COPY("__global", "__local") "\n";
#undef DECLARE
#undef STORE
#undef STORES
#undef LOAD
#undef SIZES_3
#undef COPY

/* A program's own header of this name comes first. */
static const char ventus_name[] = "ventus.h";

/* ---- files in memory ---- */

/* A file whose descriptor is at least `floor`, clear of the numbers the child uses; -1: see errno. */
int cc_memory_file(const char *text, size_t size, int floor)
{
    int low = memfd_create("chengying", MFD_CLOEXEC);
    if (low < 0)
        return -1;
    int fd = low >= floor ? low : fcntl(low, F_DUPFD_CLOEXEC, floor);
    if (fd != low)
        close(low);
    if (fd < 0 && errno == EINVAL) /* fcntl's answer when every number from `floor` up is above the limit */
        errno = EMFILE;
    if (fd >= 0 && !(cy_write_all(fd, text, size) && lseek(fd, 0, SEEK_SET) == 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

void cc_read_memory_file(int fd, struct cy_buf *to)
{
    char chunk[16384];
    ssize_t got;
    lseek(fd, 0, SEEK_SET);
    while ((got = read(fd, chunk, sizeof(chunk))) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            cy_buf_append(to, chunk, (size_t)got);
}

/* ---- the overlay ---- */

static void put_file(struct cy_json *overlay, const char *directory, const char *name, int fd)
{
    struct cy_buf path = {0}, contents = {0};
    cy_buf_printf(&contents, "/proc/self/fd/%d", fd);
    cy_buf_printf(&path, "%s%s%s", *name == '/' ? "" : directory,
                  *name == '/' || directory[strlen(directory) - 1] == '/' ? "" : "/", name);
    cy_json_begin(overlay, '{');
    cy_json_key(overlay, "name");
    cy_json_string(overlay, path.data);
    cy_json_key(overlay, "type");
    cy_json_string(overlay, "file");
    cy_json_key(overlay, "external-contents");
    cy_json_string(overlay, contents.data);
    cy_json_end(overlay);
    cy_buf_free(&path);
    cy_buf_free(&contents);
}

/* ---- files and arguments ---- */

/* Passes a file to the child as its next descriptor. */
static bool give(struct cc_clang *clang, const char *text, size_t size, int floor)
{
    int fd = cc_memory_file(text, size, floor);
    if (fd >= 0)
        *cy_vec_push(&clang->files) = fd;
    return fd >= 0;
}

/* In the order of the enum above. */
static bool give_files(struct cc_clang *clang, const struct cc_request *request, const char *directory,
                       const struct cy_buf *text)
{
    const struct cy_cc_options *options = &request->options;
    const struct cy_cc_header *headers = options->headers, *files = request->files;
    int floor = HEADERS + (int)(options->header_count + request->file_count) + 1, next = HEADERS;
    struct cy_buf overlay = {0};
    struct cy_json json = {.out = &overlay, .any_bytes = true};
    cy_json_begin(&json, '{');
    cy_json_key(&json, "version");
    cy_json_int(&json, 0);
    cy_json_key(&json, "use-external-names");
    cy_json_bool(&json, false);
    cy_json_key(&json, "roots");
    cy_json_begin(&json, '[');
    put_file(&json, directory, request->name, SOURCE);
    put_file(&json, CC_HEADER_DIRECTORY, prelude_name, PRELUDE);
    bool has_own = false;
    struct cy_buf ventus = {0};
    for (size_t i = 0; i < options->header_count; i++)
        has_own |= !strcmp(headers[i].name, ventus_name);
    for (size_t i = 0; cc_ventus_header[i]; i++)
        cy_buf_puts(&ventus, cc_ventus_header[i]);
    if (!has_own)
        put_file(&json, CC_HEADER_DIRECTORY, ventus_name, VENTUS);
    for (size_t i = 0; i < options->header_count; i++)
        put_file(&json, CC_HEADER_DIRECTORY, headers[i].name, next++);
    for (size_t i = 0; i < request->file_count; i++)
        put_file(&json, directory, files[i].name, next++);
    cy_json_end(&json);
    cy_json_end(&json);
    bool ok = give(clang, "", 0, floor) && give(clang, "", 0, floor) && give(clang, "", 0, floor) &&
              give(clang, overlay.data, overlay.size, floor) && give(clang, "", 0, floor) &&
              give(clang, "", 0, floor) &&
              give(clang, text ? text->data : request->source, text ? text->size : request->size, floor) &&
              give(clang, prelude, strlen(prelude), floor) && give(clang, ventus.data, ventus.size, floor);
    for (size_t i = 0; i < options->header_count && ok; i++)
        ok = give(clang, headers[i].text, headers[i].size, floor);
    for (size_t i = 0; i < request->file_count && ok; i++)
        ok = give(clang, files[i].text, files[i].size, floor);
    cy_buf_free(&overlay);
    cy_buf_free(&ventus);
    return ok;
}

/* Options that clang must not see: they would promise LLVM that there are no NaNs, which LLVM 19 miscompiles
 * (opaque.c), and no infinities, which leaves a program that uses one as its largest number without a meaning. */
#define FINITE "-U__FINITE_MATH_ONLY__", "-D__FINITE_MATH_ONLY__=1"
#define FAST "-cl-unsafe-math-optimizations", "-D__FAST_MATH__=1", FINITE
static const struct {
    const char *option, *instead[5]; /* up to NULL */
} finite_math[] = {
    {"-cl-finite-math-only", {FINITE}},
    {"-ffinite-math-only", {FINITE}},
    {"-cl-fast-relaxed-math", {FAST, "-D__FAST_RELAXED_MATH__=1"}},
    {"-ffast-math", {FAST}},
};
#undef FINITE
#undef FAST

/* clBuildProgram options that -cc1 spells differently or does not have. */
static void add_option(struct cc_clang *clang, const char *arg)
{
    for (size_t i = 0; i < CY_COUNT(finite_math); i++)
        if (!strcmp(arg, finite_math[i].option)) {
            for (size_t k = 0; k < CY_COUNT(finite_math[i].instead) && finite_math[i].instead[k]; k++)
                *cy_vec_push(&clang->argv) = finite_math[i].instead[k];
            return;
        }
    static const char *const not_clangs[] = {"-cl-denorms-are-zero", "-cl-uniform-work-group-size",
                                             "-cl-no-subgroup-ifp", CY_CC_DEBUG, CY_CC_NO_SOURCE};
    for (size_t i = 0; i < CY_COUNT(not_clangs); i++)
        if (!strcmp(arg, not_clangs[i]))
            return;
    if (!strcmp(arg, CY_CC_CHECK)) {
        static const char *const for_checkers[] = {"-fsanitize=array-bounds", "-fsanitize-recover=array-bounds",
                                                   "-fstrict-flex-arrays=3"};
        for (size_t i = 0; i < CY_COUNT(for_checkers); i++)
            *cy_vec_push(&clang->argv) = for_checkers[i];
        return;
    }
    if (strcmp(arg, "-g") != 0 && strcmp(arg, CY_CC_LINE_TABLES) != 0) /* ours: line information is always generated */
        *cy_vec_push(&clang->argv) = arg;
}

static bool wants_variables(const struct cy_cc_options *options)
{
    bool wanted = false;
    for (size_t i = 0; i < options->arg_count; i++)
        wanted |= !strcmp(options->args[i], "-g");
    return wanted;
}

/* Macros are expanded and files included already, and must not be once more. */
static bool is_for_preprocessor(const struct cy_cc_options *options, size_t i)
{
    const char *arg = options->args[i], *before = i ? options->args[i - 1] : "";
    return !strncmp(arg, "-D", 2) || !strncmp(arg, "-U", 2) || !strncmp(arg, "-include", 8) || !strcmp(before, "-D") ||
           !strcmp(before, "-U") || !strcmp(before, "-include");
}

static void add_headers(struct cc_clang *clang, const struct cc_request *request)
{
    if (*request->clang_header) {
        *cy_vec_push(&clang->argv) = "-include";
        *cy_vec_push(&clang->argv) = request->clang_header;
    } else {
        *cy_vec_push(&clang->argv) = "-finclude-default-header";
    }
    *cy_vec_push(&clang->argv) = "-include";
    *cy_vec_push(&clang->argv) = cy_arena_printf(&clang->arena, CC_HEADER_DIRECTORY "%s", prelude_name);
}

static void add_arguments(struct cc_clang *clang, const struct cc_request *request, enum cc_clang_step step)
{
    const struct cy_cc_options *options = &request->options;
    const char *name = request->name;
    bool has_standard = false;
    for (size_t i = 0; i < CY_COUNT(fixed_args); i++)
        *cy_vec_push(&clang->argv) =
            step == CC_CLANG_PREPROCESS && !strcmp(fixed_args[i], "-emit-llvm-bc") ? "-E" : fixed_args[i];
    push_extensions(clang, options->generation);
    *cy_vec_push(&clang->argv) = "-triple";
    *cy_vec_push(&clang->argv) = options->generation == 2 ? "spir64" : "spir";
    *cy_vec_push(&clang->argv) = options->generation == 2 ? "-D__VENTUS__=2" : "-D__VENTUS__=1";
    *cy_vec_push(&clang->argv) =
        wants_variables(options) ? "-debug-info-kind=standalone" : "-debug-info-kind=line-tables-only";
    if (step != CC_CLANG_PREPROCESSED)
        add_headers(clang, request);
    if (options->header_count)
        *cy_vec_push(&clang->argv) = "-I" CC_HEADER_DIRECTORY;
    *cy_vec_push(&clang->argv) = "-idirafter"; /* our own header */
    *cy_vec_push(&clang->argv) = CC_HEADER_DIRECTORY;
    for (size_t i = 0; i < options->arg_count; i++) {
        has_standard |= !strncmp(options->args[i], "-cl-std=", 8);
        if (step != CC_CLANG_PREPROCESSED || !is_for_preprocessor(options, i))
            add_option(clang, options->args[i]);
    }
    if (!has_standard)
        *cy_vec_push(&clang->argv) = "-cl-std=CL1.2";
    *cy_vec_push(&clang->argv) = *name == '-' ? cy_arena_printf(&clang->arena, "./%s", name) : name;
}

/* llvm-spirv instead of clang: the module is its standard input.  It writes OpenCL's own names of built-in functions. */
static bool prepare_spirv(struct cc_clang *clang, const struct cc_request *request, struct cy_buf *log)
{
    static const char rule[] = "bitcode:\n"; /* it reads no file */
    unsigned generation = 0;
    const char *wrong = cc_spirv_wrong(request->source, request->size, &generation);
    if (!wrong && (generation == 2) != (request->options.generation == 2))
        wrong = generation == 2 ? "the SPIR-V module uses 64-bit addresses (Physical64); the device's have 32 bits"
                                : "the SPIR-V module uses 32-bit addresses (Physical32); the device's have 64 bits";
    if (wrong) {
        cy_buf_printf(log, "%s: error: %s\n", request->name, wrong);
        return false;
    }
    struct cy_buf module = {0};
    cc_spirv_mend(request->source, request->size, &module);
    bool ok = give(clang, module.data, module.size, HEADERS) && give(clang, "", 0, HEADERS) &&
              give(clang, "", 0, HEADERS) && give(clang, "", 0, HEADERS) && give(clang, rule, strlen(rule), HEADERS);
    cy_buf_free(&module);
    if (!ok) {
        cy_buf_printf(log, "%s: error: cannot create a file for llvm-spirv: %s\n", request->name, strerror(errno));
        return false;
    }
    clang->is_spirv = true;
    *cy_vec_push(&clang->argv) = "llvm-spirv";
    *cy_vec_push(&clang->argv) = "-r";
    *cy_vec_push(&clang->argv) = "--spirv-target-env=CL2.0";
    *cy_vec_push(&clang->argv) = "-o";
    *cy_vec_push(&clang->argv) = "-";
    *cy_vec_push(&clang->argv) = "/proc/self/fd/0"; /* it takes "-" for a file of that name */
    return true;
}

bool cc_clang_prepare(struct cc_clang *clang, const struct cc_request *request, const char *directory,
                      enum cc_clang_step step, const struct cy_buf *text, struct cy_buf *log)
{
    *clang = (struct cc_clang){.name = request->name};
    if (cc_is_spirv(request->source, request->size))
        return prepare_spirv(clang, request, log);
    if (!give_files(clang, request, directory, text)) {
        cy_buf_printf(log, "%s: error: cannot create a file for clang: %s\n", request->name, strerror(errno));
        return false;
    }
    add_arguments(clang, request, step);
    return true;
}

bool cc_clang_write_arguments(struct cc_clang *clang)
{
    struct cy_buf text = {0};
    bool ok = true;
    for (size_t i = 2; i < clang->argv.count; i++) { /* after "clang-19 -cc1" */
        ok &= *clang->argv.at[i] != 0;               /* a response file cannot represent an empty argument */
        cy_buf_putc(&text, '"');
        for (const char *at = clang->argv.at[i]; *at; at++) {
            if (*at == '"' || *at == '\\')
                cy_buf_putc(&text, '\\');
            cy_buf_putc(&text, *at);
        }
        cy_buf_puts(&text, "\"\n");
    }
    ok = ok && cy_write_all(clang->files.at[ARGUMENTS], text.data, text.size);
    cy_buf_free(&text);
    return ok;
}

void cc_clang_started(struct cc_clang *clang, pid_t child)
{
    for (size_t i = 0; i < clang->files.count; i++)
        if (i != STDOUT_FILENO && i != STDERR_FILENO && i != DEPENDENCIES) {
            close(clang->files.at[i]);
            clang->files.at[i] = -1;
        }
    struct rlimit bytes = {LIMIT_BYTES, LIMIT_BYTES};
    prlimit(child, RLIMIT_AS, &bytes, NULL);
}

void cc_clang_free(struct cc_clang *clang)
{
    for (size_t i = 0; i < clang->files.count; i++)
        if (clang->files.at[i] >= 0)
            close(clang->files.at[i]);
    cy_vec_free(&clang->files);
    cy_vec_free(&clang->argv);
    cy_arena_free(&clang->arena);
}

/* ---- output ---- */

/* Shows headers to the user without our directory.  Bytes that are not text go out as <FF>, as clang writes them itself; llvm-spirv
 * copies them from the module. */
static void append_messages(struct cy_buf *log, const struct cy_buf *messages)
{
    const size_t prefix = strlen(CC_HEADER_DIRECTORY);
    for (size_t i = 0; i < messages->size;) {
        const char *at = messages->data + i;
        const size_t left = messages->size - i, length = cy_utf8_length(at, left);
        const bool is_control = ((unsigned char)*at < ' ' && *at != '\t' && *at != '\n' && *at != '\r') || *at == 0x7f;
        if (left >= prefix && !memcmp(at, CC_HEADER_DIRECTORY, prefix)) {
            i += prefix;
        } else if (!length || is_control) {
            cy_buf_printf(log, "<%02X>", (unsigned)(unsigned char)*at);
            i++;
        } else {
            cy_buf_append(log, at, length);
            i += length;
        }
    }
}

bool cc_clang_finish(struct cc_clang *clang, int status, struct cy_buf *bitcode, struct cy_buf *log,
                     struct cy_buf *dependencies)
{
    struct cy_buf messages = {0};
    bool ok = WIFEXITED(status) && !WEXITSTATUS(status);
    cc_read_memory_file(clang->files.at[STDERR_FILENO], &messages);
    if (clang->is_spirv && messages.size)
        cy_buf_printf(log, "%s: %s: llvm-spirv: ", clang->name, ok ? "warning" : "error");
    append_messages(log, &messages);
    if (WIFEXITED(status) && !ok && !messages.size)
        cy_buf_printf(log, "%s: error: %s failed without a message\n", clang->name, clang->argv.at[0]);
    if (ok) {
        cc_read_memory_file(clang->files.at[STDOUT_FILENO], bitcode);
        cc_read_memory_file(clang->files.at[DEPENDENCIES], dependencies);
    }
    cy_buf_free(&messages);
    return ok;
}
