/* A debugger for launches: a server of GDB's remote protocol.
 *
 *     struct cy_debugger *debugger;
 *     cy_debugger_open("1234", &debugger, &why);
 *     desc.controller = cy_debugger_controller(debugger);     // of every launch that GDB shall see
 *     ...
 *     cy_debugger_close(debugger, 0);                         // GDB is told that the program has ended
 *
 * The first launch waits for GDB to connect.  Every work-item that is on the machine is a thread of GDB; launches of all
 * devices that share a debugger run one after the other.  docs/debug.md is the manual. */
#ifndef CY_DEBUG_DEBUG_H
#define CY_DEBUG_DEBUG_H

#include "chengying/device.h"

struct cy_debugger;

/* `where` is a port of the local host ("1234"; "0": any, which is printed), the path of a socket to create ("./gdb"), a
 * socket that listens already ("fd:3"), or "-": standard input and output, which from then on are the protocol's, while
 * what the process prints goes to standard error. */
enum cy_status cy_debugger_open(const char *where, struct cy_debugger **debugger, char **message);
/* The same on two open files, for tests. */
struct cy_debugger *cy_debugger_on(int input, int output); /* NULL: no memory */
const struct cy_controller *cy_debugger_controller(struct cy_debugger *debugger);
/* GDB asked to kill the program. */
bool cy_debugger_is_killed(const struct cy_debugger *debugger);
/* The program ends with this status: GDB is told so and the connection closed.  No launch may follow. */
void cy_debugger_end(struct cy_debugger *debugger, int status);
/* The same, and frees it. */
void cy_debugger_close(struct cy_debugger *debugger, int status);

#endif
