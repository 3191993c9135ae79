/* `cy doctor`: checks everything that compiling and running kernels needs, and tells how to fix what does not work. */
#define _GNU_SOURCE /* dladdr */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc/driver/cache.h"
#include "cc/driver/clang.h"
#include "cc/driver/driver.h"
#include "chengying/device.h"
#include "commands.h"
#include "compiler.h"

static const struct cy_usage usage = {
    "doctor",
    "[options]",
    "Checks what is installed and whether it works: libraries, clang, the compile server, the cache, a small kernel,\n"
    "the OpenCL loader and its platforms.  Each problem is reported with its fix.",
    "The exit status is 0 if everything works.\n",
    NULL,
    0,
};

/* ---- findings ---- */

struct doctor {
    unsigned problems;
};

static void print_finding(const char *verdict, const char *what, const char *format, va_list list) CY_PRINTF(3, 0);
static void print_finding(const char *verdict, const char *what, const char *format, va_list list)
{
    struct cy_buf text = {0};
    cy_buf_vprintf(&text, format, list);
    printf("%-5s %-17s %.*s\n", verdict, what, (int)strcspn(text.data, "\n"), text.data);
    cy_buf_free(&text);
}

static void good(const char *what, const char *format, ...) CY_PRINTF(2, 3);
static void good(const char *what, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_finding("ok", what, format, list);
    va_end(list);
}

static void bad(struct doctor *doctor, const char *what, const char *remedy, const char *format, ...) CY_PRINTF(4, 5);
static void bad(struct doctor *doctor, const char *what, const char *remedy, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_finding("BAD", what, format, list);
    va_end(list);
    printf("      fix: %s\n", remedy);
    doctor->problems++;
}

#define INSTALL                                                                                                        \
    "install it again: make install PREFIX=..., or the packages chengying, libchengying1 and chengying-opencl-icd"

/* ---- what is installed ---- */

static void look_at_settings(void)
{
    static const char *const names[] = {
#define ENVIRONMENT(name, text) name,
#include "base/environment.def"
    };
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (getenv(names[i]))
            good("environment", "%s=%s", names[i], getenv(names[i]));
}

static void look_at_files(struct doctor *doctor, const struct cc_places *places)
{
    static const char *const libraries[] = {CY_LIBRARY, CY_CL_LIBRARY};
    char own[4096] = "";
    struct cy_buf path = {0};
    if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
        *own = 0;
    good("cy", "%s, %s", CY_VERSION, own);
    for (size_t i = 0; i < CY_COUNT(libraries); i++) {
        if (cy_library_beside(libraries[i], &path))
            good("library", "%s", path.data);
        else
            bad(doctor, "library", INSTALL, "%s is not in ../lib or ../" CY_LIBDIR " next to %s", path.data, own);
    }
    if (places->has_library)
        good("device library", "%s", places->library_dir);
    else
        bad(doctor, "device library", INSTALL, "it is not next to %s", own);
    cy_buf_free(&path);
}

static bool look_at_clang(struct doctor *doctor)
{
    struct cc_clang_place place;
    struct cy_buf log = {0};
    bool found = cc_clang_find(&place, "clang", &log), whole = found && place.header;
    if (whole)
        good("clang", "%s", place.program);
    else if (found)
        bad(doctor, "clang",
            "install the package libclang-common-19-dev, or set CHENGYING_CLANG to a complete clang 19",
            "%s has no opencl-c-base.h", place.program);
    else
        bad(doctor, "clang", "install the package clang-19, or set CHENGYING_CLANG to a clang 19", "there is none: %s",
            log.data);
    cc_clang_place_free(&place);
    cy_buf_free(&log);
    return whole;
}

/* Writes an entry and reads it back, as the compiler does. */
static void look_at_cache(struct doctor *doctor)
{
    static char text[] = "cy doctor";
    struct cy_buf kept = {.data = text, .size = sizeof(text)}, found = {0};
    struct cy_digest key = cy_sha256(text, sizeof(text));
    char *directory = cc_cache_directory();
    if (!directory) {
        good("cache", "off: every kernel is compiled each time");
        return;
    }
    cc_cache_store(directory, &key, &kept);
    if (cc_cache_load(directory, &key, &found))
        good("cache", "%s", directory);
    else
        bad(doctor, "cache", "set CHENGYING_CACHE_DIR to a directory that can be written, or CHENGYING_CACHE=0",
            "%s cannot be written: every kernel is compiled each time", directory);
    cy_buf_free(&found);
    free(directory);
}

static void look_at_engine(void)
{
    const char *best = "";
    for (uint32_t level = 1; cy_engine_level_name(level); level++)
        best = cy_engine_level_name(level);
    good("engine", "%s", best);
}

/* ---- a kernel ---- */

enum { ITEMS = 64 };

/* Does the executable square numbers?  `message` has the reason if not. */
static bool run_kernel(const struct cy_cc_result *built, char **message)
{
    struct cy_config config;
    struct cy_device *device = NULL;
    struct cy_program *program = NULL;
    struct cy_launch *launch = NULL;
    struct cy_arguments *arguments = cy_arguments_create();
    uint32_t buffer, values[ITEMS], right = 0;
    cy_config_default(&config);
    bool ok = arguments && cy_device_open(&config, &device, message) == CY_OK &&
              cy_program_load(device, "doctor", built->elf, built->elf_size, &program, message) == CY_OK &&
              cy_device_alloc(device, sizeof(values), 0, &buffer) == CY_OK;
    if (ok) {
        cy_arguments_pointer(arguments, buffer);
        struct cy_launch_desc desc = {
            .program = program, .kernel = "square", .arguments = arguments, .global = {ITEMS}};
        ok = cy_launch_run(device, &desc, &launch, message) == CY_OK &&
             cy_device_read(device, buffer, values, sizeof(values)) == CY_OK;
        for (uint32_t i = 0; ok && i < ITEMS; i++)
            right += values[i] == i * i;
    }
    cy_launch_release(launch);
    cy_program_release(program);
    cy_device_close(device);
    cy_arguments_destroy(arguments);
    return ok && right == ITEMS;
}

static void look_at_kernel(struct doctor *doctor, const struct cc_places *places, bool has_clang)
{
    static char source[] = "kernel void square(global uint *out) { uint i = get_global_id(0); out[i] = i * i; }";
    struct cy_buf text = {.data = source, .size = strlen(source)};
    struct cy_cc_options options = {.optimize = 2};
    struct cy_compile_how how = {.no_cache = true};
    struct cy_cc_result built = {0};
    struct cy_diags diags = {0};
    char *message = NULL;
    if (!has_clang || !places->has_library)
        return; /* that was said */
    if (!cy_compile("doctor.cl", &text, &options, &how, &built, &diags)) {
        bad(doctor, "compile server", INSTALL, "a kernel does not compile (%s/compile-server): %s", places->helpers,
            built.log ? built.log : "no memory");
    } else {
        good("compile server", "%s/compile-server", places->helpers);
        if (run_kernel(&built, &message))
            good("kernel", "compiled and ran with correct results");
        else
            bad(doctor, "kernel", "see the message; a device needs 4 GiB of address space (ulimit -v)",
                "it does not run: %s", message ? message : "wrong results");
    }
    free(message);
    cy_cc_result_free(&built);
    cy_diags_free(&diags);
}

/* ---- OpenCL ---- */

/* In a separate process, because it loads all platforms: prints the loader's path, then the platforms' names. */
static void ask_loader(FILE *out)
{
    cl_int (*get_ids)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int (*get_info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    cl_platform_id platforms[64];
    cl_uint count = 0;
    Dl_info info;
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW), *symbols[2];
    if (!loader) {
        fprintf(out, "!%s\n", dlerror());
        return;
    }
    symbols[0] = dlsym(loader, "clGetPlatformIDs");
    symbols[1] = dlsym(loader, "clGetPlatformInfo");
    if (!symbols[0] || !symbols[1] || !dladdr(symbols[0], &info)) {
        fprintf(out, "!libOpenCL.so.1 is no OpenCL loader\n");
        return;
    }
    fprintf(out, "%s\n", info.dli_fname);
    memcpy(&get_ids, &symbols[0], sizeof(get_ids)); /* POSIX: a function's address is returned as data */
    memcpy(&get_info, &symbols[1], sizeof(get_info));
    if (get_ids(CY_COUNT(platforms), platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < CY_COUNT(platforms); i++) {
        char name[256];
        if (get_info(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL) == CL_SUCCESS)
            fprintf(out, "%s\n", name);
    }
}

/* The vendors' files, in the loader's search order. */
static void look_at_vendors(void)
{
    const char *place = getenv("OCL_ICD_VENDORS");
    if (!place || !*place)
        place = getenv("OPENCL_VENDOR_PATH");
    if (!place || !*place)
        place = "/etc/OpenCL/vendors";
    DIR *directory = opendir(place);
    struct cy_buf names = {0};
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && !strcmp(dot, ".icd"))
            cy_buf_printf(&names, " %s", entry->d_name);
    }
    good("OpenCL vendors", "%s%s%s", place, directory ? ":" : "", names.size ? names.data : directory ? " none" : "");
    cy_buf_free(&names);
    if (directory)
        closedir(directory);
}

static void look_at_platforms(struct doctor *doctor, FILE *answer, const char *remedy)
{
    char line[4096];
    bool has_loader = fgets(line, sizeof(line), answer) != NULL, has_ours = false;
    if (!has_loader || *line == '!') {
        bad(doctor, "OpenCL loader", "install the package ocl-icd-libopencl1", "%s",
            has_loader ? line + 1 : "it crashes: one of the vendors' libraries may be broken");
        return;
    }
    good("OpenCL loader", "%s", line);
    look_at_vendors();
    struct cy_buf names = {0};
    while (fgets(line, sizeof(line), answer)) {
        line[strcspn(line, "\n")] = 0;
        has_ours |= !strcmp(line, "Chengying");
        cy_buf_printf(&names, "%s%s", names.size ? ", " : "", line);
    }
    if (has_ours)
        good("OpenCL platforms", "%s", names.data);
    else
        bad(doctor, "OpenCL platforms", remedy, "Chengying is not among them: %s", names.size ? names.data : "none");
    cy_buf_free(&names);
}

static void look_at_opencl(struct doctor *doctor)
{
    int ends[2];
    struct cy_buf library = {0}, remedy = {0};
    fflush(stdout);
    pid_t child = pipe(ends) ? -1 : fork();
    if (child == 0) {
        alarm(60);
        FILE *out = fdopen(ends[1], "w");
        if (out) {
            ask_loader(out);
            fflush(out);
        }
        _exit(0); /* skip the platforms' exit handlers */
    }
    if (child < 0) {
        bad(doctor, "OpenCL loader", "end other programs", "there are no processes or files left");
        return;
    }
    close(ends[1]);
    if (cy_library_beside(CY_CL_LIBRARY, &library))
        cy_buf_printf(&remedy, "export OCL_ICD_VENDORS=%s, or run programs with cy exec", library.data);
    else
        cy_buf_puts(&remedy, "install the package chengying-opencl-icd, or make install PREFIX=...");
    FILE *answer = fdopen(ends[0], "r");
    if (answer) {
        look_at_platforms(doctor, answer, remedy.data);
        fclose(answer);
    }
    waitpid(child, NULL, 0);
    cy_buf_free(&library);
    cy_buf_free(&remedy);
}

int cy_cmd_doctor(int argc, char **argv)
{
    struct cy_args args;
    struct doctor doctor = {0};
    struct cc_places places;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT)
            return args.status;
        return cy_usage_error(&usage, "unexpected '%s'", args.value);
    }
    cc_find_places(&places);
    look_at_files(&doctor, &places);
    look_at_settings();
    look_at_engine();
    look_at_cache(&doctor);
    look_at_kernel(&doctor, &places, look_at_clang(&doctor));
    look_at_opencl(&doctor);
    if (doctor.problems)
        printf("%u problem%s\n", doctor.problems, doctor.problems > 1 ? "s" : "");
    return doctor.problems ? CY_EXIT_INPUT : CY_EXIT_OK;
}
