/* The connection to GDB: packets over a socket or a pipe. */
#ifndef CY_DEBUG_LINK_H
#define CY_DEBUG_LINK_H

#include <stdbool.h>
#include <stddef.h>

enum { LINK_MOST = 0x8000 }; /* bytes of a packet, without its frame */

struct debug_link {
    int listener;      /* -1: none */
    int input, output; /* -1: not connected */
    bool no_ack;
    bool interrupted; /* Ctrl-C came while nobody was waiting for a packet */
    unsigned char ahead[4096];
    size_t from, to; /* what is left in `ahead` */
    size_t reads;    /* how often it was filled */
    char packet[LINK_MOST + 1];
    size_t size;
};

enum link_event { LINK_PACKET, LINK_INTERRUPT, LINK_CLOSED };

bool link_is_open(const struct debug_link *link);
/* Takes a connection that waits; false: none came within the time (0: does not wait). */
bool link_accept(struct debug_link *link, int timeout_ms);
/* Waits for a packet and acknowledges it; it is in `packet`, unescaped, with a NUL after its `size` bytes. */
enum link_event link_receive(struct debug_link *link);
void link_send(struct debug_link *link, const char *data, size_t size);
/* Has GDB asked for a stop?  Does not wait; a connection that has gone is closed. */
bool link_wants_stop(struct debug_link *link);
void link_close(struct debug_link *link);

#endif
