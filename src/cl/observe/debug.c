/* CHENGYING_GDB: launches are controlled by a debugger (docs/debug.md), and programs are built with variables in their debug
 * information, under the name of a file that the debugger can show. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/observe_priv.h"

#include "base/file.h"
#include "debug/debug.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static struct cy_debugger *debugger;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

/* At the end of the program: GDB must learn of it, but threads may still be running, so nothing is freed. */
static void say_goodbye(void)
{
    cy_debugger_end(debugger, 0);
}

static void open_debugger(void)
{
    char *why = NULL;
    if (cy_debugger_open(getenv("CHENGYING_GDB"), &debugger, &why) == CY_OK)
        atexit(say_goodbye);
    else
        fprintf(stderr, "chengying: CHENGYING_GDB: %s", why ? why : "no memory\n");
    cy_free(why);
}

static bool launch_begins(cl_event event, struct cy_observers *observers)
{
    (void)observers;
    pthread_once(&opened, open_debugger);
    event->command.launch.controller = debugger ? cy_debugger_controller(debugger) : NULL;
    return true;
}

/* GDB's `kill` means the program, not the kernel. */
static void launch_stopped(cl_event event)
{
    (void)event;
    if (debugger && cy_debugger_is_killed(debugger))
        raise(SIGTERM);
}

/* ---- the source ---- */

static bool is_same(const char *path, const char *source)
{
    struct cy_buf text = {0};
    struct cy_diags diags = {0};
    const size_t size = strlen(source);
    const bool same = cy_file_read(path, &text, &diags) && text.size == size && !memcmp(text.data, source, size);
    cy_buf_free(&text);
    cy_buf_free(&diags.text);
    return same;
}

/* A file FILE.cl of the current directory with this text: most programs read theirs from one. */
static bool find_file(const char *source, char *name, size_t room)
{
    DIR *directory = opendir(".");
    bool found = false;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".cl") != 0 || strlen(entry->d_name) >= room || !is_same(entry->d_name, source))
            continue;
        strcpy(name, entry->d_name);
        found = true;
    }
    if (directory)
        closedir(directory);
    return found;
}

struct naming {
    const char *source;
    char *name;
    size_t room;
};

static void find_name(void *argument)
{
    const struct naming *naming = argument;
    static atomic_uint count;
    const char *directory = getenv("CHENGYING_GDB_DIR");
    struct cy_diags diags = {0};
    if (find_file(naming->source, naming->name, naming->room) || !directory || !*directory)
        return;
    const int length =
        snprintf(naming->name, naming->room, "%s/program%u.cl", directory, atomic_fetch_add(&count, 1) + 1);
    if (length < 0 || (size_t)length >= naming->room ||
        !cy_file_write(naming->name, naming->source, strlen(naming->source), false, &diags))
        naming->name[0] = 0;
    cy_buf_free(&diags.text);
}

static void name_source(const char *source, char *name, size_t size)
{
    struct naming naming = {source, name, size};
    if (!cy_mem_try(find_name, &naming))
        name[0] = 0;
}

/* ---- the platform ---- */

/* GDB knows addresses of 32 bits. */
static void prepare(struct cy_config *config)
{
    static const struct cy_cl_watcher watcher = {.demands = {.near_memory = true, .variables = "cy debug"},
                                                 .names = name_source,
                                                 .launch_begins = launch_begins,
                                                 .launch_stopped = launch_stopped};
    (void)config;
    if (cy_cl_setting("CHENGYING_GDB"))
        cy_cl_watch(&watcher);
}

const struct cy_cl_attachment cy_cl_debug_attachment = {.prepare = prepare};
