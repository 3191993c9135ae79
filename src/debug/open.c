/* Opening and closing: where GDB connects. */
#define _POSIX_C_SOURCE 200809L
#include "debug/debug_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct cy_debugger *create(void)
{
    struct cy_debugger *debugger = cy_try_alloc(sizeof(*debugger));
    if (!debugger)
        return NULL;
    debugger->controller = (struct cy_controller){debugger, debug_control};
    debugger->link.listener = debugger->link.input = debugger->link.output = -1;
    if (!cy_buf_try_reserve(&debugger->reply, 256)) { /* short replies never fail */
        cy_free(debugger);
        return NULL;
    }
    debugger->first_thread = 1; /* 0 means any */
    pthread_mutex_init(&debugger->turn, NULL);
    return debugger;
}

struct cy_debugger *cy_debugger_on(int input, int output)
{
    struct cy_debugger *debugger = create();
    if (!debugger)
        return NULL;
    debugger->link.input = input;
    debugger->link.output = output;
    return debugger;
}

static bool listen_on_port(struct cy_debugger *debugger, unsigned port)
{
    const int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* whoever connects controls the program */
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    debugger->link.listener = file;
    if (file < 0)
        return false;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(file, (struct sockaddr *)&address, size) || listen(file, 1) ||
        getsockname(file, (struct sockaddr *)&address, &size))
        return false;
    fprintf(stderr, "waiting for GDB: target remote localhost:%u\n", ntohs(address.sin_port));
    return true;
}

/* The socket gets its name when one can connect to it: scripts wait for the file to appear. */
static bool listen_on_path(struct cy_debugger *debugger, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s.%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    debugger->path = cy_try_alloc(strlen(path) + 1);
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    debugger->link.listener = file;
    if (!debugger->path || file < 0 || bind(file, (struct sockaddr *)&address, sizeof(address)))
        return false;
    const bool ok = !listen(file, 1) && !link(address.sun_path, path);
    const int error = errno;
    unlink(address.sun_path);
    errno = error;
    if (ok)
        strcpy(debugger->path, path);
    return ok;
}

/* Standard output becomes the protocol's; what the program prints goes to standard error. */
static bool take_standard(struct cy_debugger *debugger)
{
    debugger->link.input = dup(STDIN_FILENO);
    debugger->link.output = dup(STDOUT_FILENO);
    fflush(stdout);
    return debugger->link.input >= 0 && debugger->link.output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}

static bool parse_number(const char *text, unsigned long most, unsigned *number)
{
    char *end;
    const unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : most + 1;
    *number = (unsigned)value;
    return value <= most && !*end;
}

enum cy_status cy_debugger_open(const char *where, struct cy_debugger **result, char **message)
{
    struct cy_debugger *debugger = create();
    struct cy_buf why = {0};
    unsigned number;
    bool ok = false, known = true;
    if (!debugger)
        return CY_ERROR_HOST;
    if (!strcmp(where, "-")) {
        ok = take_standard(debugger);
    } else if (!strncmp(where, "fd:", 3) && parse_number(where + 3, INT32_MAX, &number)) {
        debugger->link.listener = (int)number;
        ok = true;
    } else if (strchr(where, '/')) {
        ok = listen_on_path(debugger, where);
    } else if (parse_number(where, 65535, &number)) {
        ok = listen_on_port(debugger, number);
    } else {
        known = false;
    }
    if (ok) {
        *result = debugger;
        return CY_OK;
    }
    if (known)
        cy_buf_try_printf(&why, "error: GDB cannot be served at '%s': %s\n", where, strerror(errno));
    else
        cy_buf_try_printf(&why, "error: where GDB connects is a port, the path of a socket, or -, not '%s'\n", where);
    cy_debugger_close(debugger, 0);
    if (message)
        *message = why.data;
    else
        cy_buf_free(&why);
    return known ? CY_ERROR_HOST : CY_ERROR_INVALID;
}

const struct cy_controller *cy_debugger_controller(struct cy_debugger *debugger)
{
    return &debugger->controller;
}

bool cy_debugger_is_killed(const struct cy_debugger *debugger)
{
    return debugger->killed;
}

void cy_debugger_end(struct cy_debugger *debugger, int status)
{
    char text[8];
    if (link_is_open(&debugger->link) && debugger->met)
        link_send(&debugger->link, text, (size_t)snprintf(text, sizeof(text), "W%02x", status & 0xff));
    link_close(&debugger->link);
    if (debugger->link.listener >= 0)
        close(debugger->link.listener);
    debugger->link.listener = -1;
    if (debugger->path)
        unlink(debugger->path);
}

void cy_debugger_close(struct cy_debugger *debugger, int status)
{
    if (!debugger)
        return;
    cy_debugger_end(debugger, status);
    cy_free(debugger->path);
    debug_clear_points(debugger);
    cy_free(debugger->marked);
    cy_buf_free(&debugger->reply);
    cy_buf_free(&debugger->text);
    cy_buf_free(&debugger->wide_file);
    cy_program_release(debugger->program);
    pthread_mutex_destroy(&debugger->turn);
    cy_free(debugger);
}
