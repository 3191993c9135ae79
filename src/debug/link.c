/* Frames, checksums and acknowledgements of GDB's remote protocol. */
#define _POSIX_C_SOURCE 200809L
#include "debug/link.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { INTERRUPT = 3, TRIES = 10 };
enum { NOTHING = -1, GONE = -2 }; /* instead of a byte */

bool link_is_open(const struct debug_link *link)
{
    return link->input >= 0;
}

void link_close(struct debug_link *link)
{
    if (link->input >= 0)
        close(link->input);
    if (link->output >= 0 && link->output != link->input)
        close(link->output);
    link->input = link->output = -1;
    link->from = link->to = 0;
    link->no_ack = link->interrupted = false;
}

static bool is_readable(int file, int timeout_ms)
{
    struct pollfd poller = {file, POLLIN, 0};
    return poll(&poller, 1, timeout_ms) > 0;
}

bool link_accept(struct debug_link *link, int timeout_ms)
{
    if (link->listener < 0 || !is_readable(link->listener, timeout_ms))
        return false;
    int file = accept(link->listener, NULL, NULL);
    if (file < 0)
        return false;
    link_close(link);
    link->input = link->output = file;
    return true;
}

/* ---- bytes ---- */

static bool fill(struct debug_link *link)
{
    ssize_t count;
    do
        count = read(link->input, link->ahead, sizeof(link->ahead));
    while (count < 0 && errno == EINTR);
    link->from = 0;
    link->to = count > 0 ? (size_t)count : 0;
    link->reads++;
    return count > 0;
}

static int next_byte(struct debug_link *link)
{
    if (link->from == link->to && (!link_is_open(link) || !fill(link)))
        return GONE;
    return link->ahead[link->from++];
}

static void write_all(struct debug_link *link, const char *data, size_t size)
{
    while (size && link->output >= 0) {
        ssize_t count = send(link->output, data, size, MSG_NOSIGNAL);
        if (count < 0 && errno == ENOTSOCK)
            count = write(link->output, data, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return; /* the next read finds it closed */
        data += count;
        size -= (size_t)count;
    }
}

/* ---- packets ---- */

static int digit(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The rest of a packet after its `$`.  False: it is damaged, too long, or cut off. */
static bool read_packet(struct debug_link *link)
{
    unsigned char sum = 0;
    bool escaped = false, fits = true;
    link->size = 0;
    for (;;) {
        int c = next_byte(link);
        if (c == GONE)
            return false;
        if (c == '$') { /* a new one: the other was cut off */
            link->size = sum = 0;
            escaped = false;
            fits = true;
            continue;
        }
        if (c == '#')
            break;
        sum = (unsigned char)(sum + c);
        if (c == '}' && !escaped) {
            escaped = true;
            continue;
        }
        if (link->size < LINK_MOST)
            link->packet[link->size++] = (char)(escaped ? c ^ 0x20 : c);
        else
            fits = false;
        escaped = false;
    }
    link->packet[link->size] = 0;
    int high = digit(next_byte(link)), low = digit(next_byte(link));
    return fits && (link->no_ack || (high >= 0 && low >= 0 && (high << 4 | low) == sum));
}

/* GDB sends a packet again if nobody acknowledges it within two seconds, which compiling a kernel may take: it expects one
 * answer nevertheless. */
static void skip_repeats(struct debug_link *link, size_t start)
{
    const size_t size = link->from - start;
    while (link->to - link->from >= size && !memcmp(link->ahead + start, link->ahead + link->from, size))
        link->from += size;
}

enum link_event link_receive(struct debug_link *link)
{
    for (;;) {
        int c = next_byte(link);
        if (c == GONE) {
            link_close(link);
            return LINK_CLOSED;
        }
        if (c == INTERRUPT)
            return LINK_INTERRUPT;
        if (c != '$')
            continue; /* an acknowledgement, or noise */
        const size_t start = link->from - 1, reads = link->reads;
        const bool ok = read_packet(link);
        if (ok && !link->no_ack && link->reads == reads)
            skip_repeats(link, start);
        if (!link->no_ack)
            write_all(link, ok ? "+" : "-", 1);
        if (ok)
            return LINK_PACKET;
    }
}

/* True: the packet has arrived, or there is no point in sending it again. */
static bool is_acknowledged(struct debug_link *link)
{
    for (;;) {
        int c = next_byte(link);
        if (c == '-')
            return false;
        if (c == INTERRUPT)
            link->interrupted = true;
        if (c == '$')
            link->from--; /* the next request: it came through */
        if (c == '+' || c == '$' || c == GONE)
            return true;
    }
}

void link_send(struct debug_link *link, const char *data, size_t size)
{
    char out[2 * LINK_MOST + 8];
    unsigned char sum = 0;
    size_t n = 0;
    out[n++] = '$';
    for (size_t i = 0; i < size && i < LINK_MOST; i++) {
        bool special = data[i] && strchr("#$}*", data[i]);
        if (special)
            sum = (unsigned char)(sum + (out[n++] = '}'));
        out[n] = special ? (char)(data[i] ^ 0x20) : data[i];
        sum = (unsigned char)(sum + (unsigned char)out[n++]);
    }
    out[n++] = '#';
    out[n++] = "0123456789abcdef"[sum >> 4];
    out[n++] = "0123456789abcdef"[sum & 15];
    for (int tries = 0; tries < TRIES && link_is_open(link); tries++) {
        write_all(link, out, n);
        if (link->no_ack || is_acknowledged(link))
            return;
    }
}

bool link_wants_stop(struct debug_link *link)
{
    while (!link->interrupted && link_is_open(link) && (link->from < link->to || is_readable(link->input, 0))) {
        int c = next_byte(link);
        if (c == GONE) {
            link_close(link);
        } else if (c == '$') { /* not expected while the program runs: leave it for later */
            link->from--;
            break;
        }
        link->interrupted |= c == INTERRUPT;
    }
    bool wanted = link->interrupted;
    link->interrupted = false;
    return wanted;
}
