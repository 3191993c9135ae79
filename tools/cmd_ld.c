/* `cy ld`: links objects into an executable. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ld/link.h"
#include "base/file.h"
#include "commands.h"
#include "isa/isa.h"
#include "options.h"
#include "paths.h"

enum {
    OPT_OUTPUT = 1,
    OPT_ENTRY,
    OPT_BASE,
    OPT_SECTION_START,
    OPT_GC,
    OPT_KERNEL,
    OPT_NO_START,
    OPT_NO_LIBRARY,
    OPT_LIBRARY,
    OPT_LIBRARY_PATH,
    OPT_LIBDIR,
    OPT_MAP,
    OPT_STRIP_DEBUG,
    OPT_MARCH,
};

static const struct cy_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "write the executable to FILE (default a.out)", 0},
    {OPT_ENTRY, 'e', "entry", "SYMBOL", "start at SYMBOL (default _start)", 0},
    {OPT_BASE, 0, "base", "ADDRESS", "start of the image (default 0x80000000; EpicGPU: 0)", 0},
    {OPT_SECTION_START, 0, "section-start", "NAME=ADDRESS", "place one output section (repeatable)", 0},
    {OPT_GC, 0, "gc-sections", NULL, "drop sections that neither a kernel nor the entry reaches", 0},
    {OPT_KERNEL, 'k', "kernel", "NAME", "keep only this kernel (repeatable) and what it reaches", 0},
    {OPT_NO_START, 0, "no-start", NULL, "do not add the start-up code", 0},
    {OPT_NO_LIBRARY, 0, "no-library", NULL, "do not search the device library that comes with cy", 0},
    {OPT_LIBRARY, 'l', "library", "NAME",
     "link what is needed from the directory of objects NAME,\nsearched for in the -L directories; a path is used as "
     "it is",
     0},
    {OPT_LIBRARY_PATH, 'L', "library-path", "DIR", "search DIR for -l NAME (repeatable)", 0},
    {OPT_LIBDIR, 0, "libdir", "DIR", "use the device library in DIR", 0},
    {OPT_MAP, 0, "map", "FILE", "write the link map to FILE", 0},
    {OPT_STRIP_DEBUG, 'S', "strip-debug", NULL, "omit the debug sections", 0},
    {OPT_MARCH, 0, "march", "TARGET", "ventus-gen2: treat unmarked objects as gen2; ventus: refuse those of gen2",
     CY_OPTION_ONE_DASH},
};

static const struct cy_usage usage = {
    "ld",
    "[options] OBJECT...",
    "Links relocatable objects, ours or standard riscv32 ones, into an executable by the ABI.",
    "examples:\n"
    "  cy ld -o vecadd.riscv vecadd.o\n"
    "  cy ld --gc-sections --kernel vecadd --map vecadd.map -o vecadd.riscv kernels.o\n"
    "  cy ld -L build -l mylib -o a.riscv a.o      objects of build/mylib/ as needed\n",
    options,
    CY_COUNT(options)};

struct ld {
    struct cy_diags diags;
    struct cy_link_job job;
    const char *output, *map, *libdir;
    bool no_library;
    uint32_t base;
    CY_VEC(const char *) files;
    CY_VEC(const char *) kernels;
    CY_VEC(const char *) library_names;
    CY_VEC(const char *) library_paths;
    CY_VEC(struct cy_link_place) places;
    struct cy_arena arena;

    CY_VEC(struct cy_buf) images;
    CY_VEC(const struct cy_object *) objects;
    CY_VEC(struct cy_object *) owned;
    CY_VEC(const struct cy_library *) libraries;
    CY_VEC(struct cy_library *) owned_libraries;
};

/* ---- the command line ---- */

static int parse_place(struct ld *ld, const char *text)
{
    const char *equals = strrchr(text, '=');
    uint64_t address;
    if (!equals || equals == text || !cy_parse_number(equals + 1, UINT32_MAX, &address))
        return cy_usage_error(&usage, "--section-start needs NAME=ADDRESS, not '%s'", text);
    *cy_vec_push(&ld->places) =
        (struct cy_link_place){cy_arena_strndup(&ld->arena, text, (size_t)(equals - text)), (uint32_t)address};
    return CY_EXIT_OK;
}

static int parse_march(struct ld *ld, const char *text)
{
    enum cy_target target;
    if (!cy_target_find(text, &target))
        return cy_usage_error(&usage, "unknown target '%s'", text);
    ld->job.gen2 = target == CY_GEN2;
    ld->job.gen1 = target == CY_GEN1;
    return CY_EXIT_OK;
}

static int parse_option(struct ld *ld, int id, const char *value)
{
    uint64_t number;
    switch (id) {
    case OPT_OUTPUT: ld->output = value; break;
    case OPT_ENTRY: ld->job.entry = value; break;
    case OPT_BASE:
        if (!cy_parse_number(value, UINT32_MAX, &number))
            return cy_usage_error(&usage, "--base needs a 32-bit address, not '%s'", value);
        ld->base = (uint32_t)number;
        ld->job.base = &ld->base;
        break;
    case OPT_SECTION_START: return parse_place(ld, value);
    case OPT_GC: ld->job.gc_sections = true; break;
    case OPT_KERNEL: *cy_vec_push(&ld->kernels) = value; break;
    case OPT_NO_START: ld->job.no_start = true; break;
    case OPT_NO_LIBRARY: ld->no_library = true; break;
    case OPT_LIBRARY: *cy_vec_push(&ld->library_names) = value; break;
    case OPT_LIBRARY_PATH: *cy_vec_push(&ld->library_paths) = value; break;
    case OPT_LIBDIR: ld->libdir = value; break;
    case OPT_MAP: ld->map = value; break;
    case OPT_STRIP_DEBUG: ld->job.strip_debug = true; break;
    case OPT_MARCH: return parse_march(ld, value);
    case CY_ARGS_FILE: *cy_vec_push(&ld->files) = value; break;
    default: break;
    }
    return CY_EXIT_OK;
}

/* ---- inputs ---- */

static bool read_object(struct ld *ld, const char *path)
{
    struct cy_buf image = {0};
    if (!cy_file_read(path, &image, &ld->diags)) {
        cy_buf_free(&image);
        return false;
    }
    *cy_vec_push(&ld->images) = image;
    struct cy_object *object = CY_NEW(&ld->arena, struct cy_object);
    if (!cy_object_read(object, path, image.data, image.size, &ld->diags))
        return false;
    *cy_vec_push(&ld->owned) = object;
    *cy_vec_push(&ld->objects) = object;
    return true;
}

static bool open_library(struct ld *ld, const char *directory)
{
    struct cy_library *library = cy_library_open(directory, &ld->diags);
    if (!library)
        return false;
    *cy_vec_push(&ld->owned_libraries) = library;
    *cy_vec_push(&ld->libraries) = library;
    return true;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool find_library(struct ld *ld, const char *name)
{
    if (strchr(name, '/'))
        return open_library(ld, name);
    struct cy_buf tried = {0};
    for (size_t i = 0; i < ld->library_paths.count; i++) {
        const char *path = cy_arena_printf(&ld->arena, "%s/%s", ld->library_paths.at[i], name);
        if (is_directory(path)) {
            cy_buf_free(&tried);
            return open_library(ld, path);
        }
        cy_buf_printf(&tried, "%s%s", i ? ", " : "; there is no ", path);
    }
    cy_diag_file(&ld->diags, CY_ERROR, NULL, "library '%s' not found%s", name,
                 tried.size ? tried.data : ": no -L directory was given");
    cy_buf_free(&tried);
    return false;
}

/* The device library for the objects' generation. */
static bool open_device_library(struct ld *ld)
{
    bool ventus = false, gen2 = ld->job.gen2;
    for (size_t i = 0; i < ld->objects.count; i++) {
        ventus |= ld->objects.at[i]->machine == CY_EM_RISCV;
        gen2 |= (ld->objects.at[i]->flags & CY_EF_VENTUS_GEN2) != 0;
    }
    if (ld->no_library || !ventus)
        return true;
    if (ld->libdir)
        return open_library(ld, ld->libdir);
    struct cy_buf path = {0};
    bool ok = true;
    if (cy_library_directory(gen2 ? "ventus-gen2" : "ventus", &path))
        ok = open_library(ld, path.data); /* else: if something is missing without it, the linker reports it */
    cy_buf_free(&path);
    return ok;
}

static bool read_inputs(struct ld *ld)
{
    bool ok = true;
    for (size_t i = 0; i < ld->files.count; i++)
        ok = read_object(ld, ld->files.at[i]) && ok;
    for (size_t i = 0; i < ld->library_names.count; i++)
        ok = find_library(ld, ld->library_names.at[i]) && ok;
    return ok && open_device_library(ld);
}

/* ---- the job ---- */

static bool link_files(struct ld *ld)
{
    if (!read_inputs(ld))
        return false;
    struct cy_buf map = {0}, image = {0};
    struct cy_object program;
    ld->job.objects = ld->objects.at;
    ld->job.object_count = ld->objects.count;
    ld->job.libraries = ld->libraries.at;
    ld->job.library_count = ld->libraries.count;
    ld->job.kernels = ld->kernels.at;
    ld->job.kernel_count = ld->kernels.count;
    ld->job.places = ld->places.at;
    ld->job.place_count = ld->places.count;
    if (ld->map)
        ld->job.map = &map;
    bool ok = cy_link(&ld->job, &program, &ld->diags);
    if (ok) {
        cy_object_write(&program, &image);
        ok = cy_file_write(ld->output, image.data, image.size, true, &ld->diags) &&
             (!ld->map || cy_file_write(ld->map, map.data, map.size, false, &ld->diags));
    }
    cy_object_free(&program);
    cy_buf_free(&image);
    cy_buf_free(&map);
    return ok;
}

/* An executable of an earlier run must not be mistaken for this one's. */
static void remove_output(const struct ld *ld)
{
    struct stat status;
    if (lstat(ld->output, &status) == 0 && S_ISREG(status.st_mode))
        unlink(ld->output);
}

static void free_ld(struct ld *ld)
{
    for (size_t i = 0; i < ld->owned_libraries.count; i++)
        cy_library_close(ld->owned_libraries.at[i]);
    for (size_t i = 0; i < ld->owned.count; i++)
        cy_object_free(ld->owned.at[i]);
    for (size_t i = 0; i < ld->images.count; i++)
        cy_buf_free(&ld->images.at[i]);
    cy_vec_free(&ld->files);
    cy_vec_free(&ld->kernels);
    cy_vec_free(&ld->library_names);
    cy_vec_free(&ld->library_paths);
    cy_vec_free(&ld->places);
    cy_vec_free(&ld->images);
    cy_vec_free(&ld->objects);
    cy_vec_free(&ld->owned);
    cy_vec_free(&ld->libraries);
    cy_vec_free(&ld->owned_libraries);
    cy_arena_free(&ld->arena);
}

static int check_paths(const struct ld *ld)
{
    struct cy_paths paths = {0};
    for (size_t i = 0; i < ld->files.count; i++)
        cy_paths_read(&paths, ld->files.at[i]);
    cy_paths_write(&paths, ld->output);
    cy_paths_write(&paths, ld->map);
    return cy_paths_check(&paths, &usage);
}

int cy_cmd_ld(int argc, char **argv)
{
    struct ld ld = {.output = "a.out"};
    struct cy_args args;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            free_ld(&ld);
            return args.status;
        }
        status = parse_option(&ld, id, args.value);
    }
    if (status == CY_EXIT_OK && ld.files.count == 0)
        status = cy_usage_error(&usage, "no input file");
    if (status == CY_EXIT_OK)
        status = check_paths(&ld);
    if (status == CY_EXIT_OK) {
        if (!link_files(&ld))
            remove_output(&ld);
        status = cy_report(&ld.diags);
    }
    free_ld(&ld);
    return status;
}
