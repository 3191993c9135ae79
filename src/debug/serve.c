/* GDB's requests while the machine stands still.  They come from outside: nothing in a packet is trusted. */
#define _POSIX_C_SOURCE 200809L
#include "debug/debug_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum verdict { GO_ON, RESUMED };

bool debug_parse_hex(const char **at, uint64_t *value)
{
    char *end;
    if (!strchr("0123456789abcdefABCDEF", **at) || !**at)
        return false;
    const char *start = *at;
    *value = strtoull(start, &end, 16);
    *at = end;
    return end - start <= 16 && end > start && start[1] != 'x' && start[1] != 'X';
}

static void put(struct cy_debugger *debugger, const char *text)
{
    cy_buf_puts(&debugger->reply, text);
}

static void put_hex(struct cy_buf *out, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        cy_buf_printf(out, "%02x", ((const uint8_t *)bytes)[i]);
}

/* Pairs of digits to bytes; how many were good. */
static size_t take_hex(const char *at, uint8_t *to, size_t room)
{
    size_t count = 0;
    for (; count < room && at[0] && at[1]; count++, at += 2) {
        const char pair[3] = {at[0], at[1], 0};
        char *end;
        to[count] = (uint8_t)strtoul(pair, &end, 16);
        if (end != pair + 2)
            break;
    }
    return count;
}

static bool parse_thread(const char **at, uint64_t *thread)
{
    if ((*at)[0] == '-' && (*at)[1] == '1') {
        *at += 2;
        *thread = UINT64_MAX; /* all */
        return true;
    }
    return debug_parse_hex(at, thread);
}

/* ---- registers and memory ---- */

static bool current(struct cy_debugger *debugger, struct debug_item *item)
{
    if (debug_find(debugger, debugger->general, item))
        return true;
    put(debugger, "E03");
    return false;
}

/* On a machine of 64 bits GDB insists on x0 to x31 and pc being as wide; the upper half reads as 0. */
static unsigned register_bytes(const struct cy_debugger *debugger, unsigned number)
{
    return debugger->is_wide && number <= DEBUG_PC ? 8 : 4;
}

static void put_register(struct cy_debugger *debugger, const struct debug_item *item, unsigned number)
{
    const uint32_t value = debug_read_register(debugger, item, number);
    const uint8_t bytes[8] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put_hex(&debugger->reply, bytes, register_bytes(debugger, number));
}

static void read_registers(struct cy_debugger *debugger)
{
    struct debug_item item;
    if (current(debugger, &item))
        for (unsigned i = 0; i < debug_register_count(); i++)
            put_register(debugger, &item, i);
}

static uint32_t word_of(const uint8_t bytes[4])
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* GDB sends all of them to change one: those that stay are not touched, which matters for the pc of a masked lane. */
static void write_registers(struct cy_debugger *debugger, const char *at)
{
    struct debug_item item;
    uint8_t bytes[8];
    bool ok = true;
    if (!current(debugger, &item))
        return;
    for (unsigned i = 0; i < debug_register_count(); i++) {
        const unsigned size = register_bytes(debugger, i);
        if (take_hex(at, bytes, size) != size)
            break;
        if (word_of(bytes) != debug_read_register(debugger, &item, i))
            ok &= debug_write_register(&item, i, word_of(bytes));
        at += 2 * (size_t)size;
    }
    put(debugger, ok ? "OK" : "E04");
}

static void one_register(struct cy_debugger *debugger, const char *packet)
{
    struct debug_item item;
    uint64_t number;
    uint8_t bytes[8];
    const char *at = packet + 1;
    if (!debug_parse_hex(&at, &number) || number >= debug_register_count()) {
        put(debugger, "E01");
        return;
    }
    if (!current(debugger, &item))
        return;
    const unsigned size = register_bytes(debugger, (unsigned)number);
    if (*packet == 'p')
        put_register(debugger, &item, (unsigned)number);
    else
        put(debugger, *at == '=' && take_hex(at + 1, bytes, size) == size &&
                              debug_write_register(&item, (unsigned)number, word_of(bytes))
                          ? "OK"
                          : "E04");
}

/* "m address,size", "M address,size:hex", "X address,size:bytes". */
static void access_memory(struct cy_debugger *debugger, const char *packet, size_t packet_size)
{
    static const char bad[] = "E01";
    uint8_t bytes[LINK_MOST / 2];
    uint64_t address, size;
    const char *at = packet + 1;
    if (!debug_parse_hex(&at, &address) || *at++ != ',' || !debug_parse_hex(&at, &size)) {
        put(debugger, bad);
        return;
    }
    if (*packet == 'm') {
        size = size < sizeof(bytes) ? size : sizeof(bytes);
        const size_t done = debug_read_memory(debugger, debugger->general, address, bytes, size);
        if (!done && size)
            put(debugger, "E0e");
        put_hex(&debugger->reply, bytes, done);
        return;
    }
    const size_t left = (size_t)(packet + packet_size - at);
    if (!left || *at++ != ':' || size > sizeof(bytes) || (*packet == 'X' && size != left - 1) ||
        (*packet == 'M' && take_hex(at, bytes, size) != size)) {
        put(debugger, bad);
        return;
    }
    if (*packet == 'X')
        memcpy(bytes, at, size);
    put(debugger, debug_write_memory(debugger, debugger->general, address, bytes, size) == size ? "OK" : "E0e");
}

/* ---- transfers and files ---- */

/* GDB loads libraries only into an executable: this one is empty, so that programs, which share one address, may come and
 * go as libraries. */
static const uint8_t machine_file[52] = {0x7f, 'E', 'L', 'F', 1, 1, 1, [16] = 2, [18] = 0xf3, [20] = 1, [40] = 52};
static const uint8_t wide_machine_file[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, [16] = 2, [18] = 0xf3, [20] = 1, [52] = 64};
#define MACHINE_NAME "/chengying/machine"

/* "object:read:annex:offset,length", with the contents in debugger->text. */
static bool fill_transfer(struct cy_debugger *debugger, const char *what)
{
    struct cy_buf *out = &debugger->text;
    out->size = 0;
    if (!strcmp(what, "features:read:target.xml"))
        debug_describe_target(debugger->is_wide, out);
    else if (!strcmp(what, "threads:read:"))
        debug_describe_threads(debugger, out);
    else if (!strcmp(what, "libraries:read:"))
        debug_describe_libraries(debugger, out);
    else if (!strncmp(what, "exec-file:read:", 15))
        cy_buf_puts(out, MACHINE_NAME);
    else
        return false;
    return true;
}

static void transfer(struct cy_debugger *debugger, const char *packet)
{
    char what[sizeof(debugger->transfer)];
    const char *colon = strrchr(packet, ':'), *at = colon ? colon + 1 : packet;
    uint64_t offset, length;
    if (!colon || (size_t)(colon - packet) >= sizeof(what) || !debug_parse_hex(&at, &offset) || *at++ != ',' ||
        !debug_parse_hex(&at, &length)) {
        put(debugger, "E01");
        return;
    }
    memcpy(what, packet, (size_t)(colon - packet));
    what[colon - packet] = 0;
    if (!strncmp(what, "threads:", 8))
        debugger->is_presented = true;
    if (offset == 0 || strcmp(debugger->transfer, what) != 0) {
        if (!fill_transfer(debugger, what)) {
            put(debugger, "E00");
            return;
        }
        strcpy(debugger->transfer, what);
    }
    const size_t size = debugger->text.size;
    const size_t from = offset < size ? (size_t)offset : size, most = LINK_MOST / 2;
    length = length < most ? length : most;
    const bool is_last = size - from <= length;
    cy_buf_putc(&debugger->reply, is_last ? 'l' : 'm');
    cy_buf_append(&debugger->reply, debugger->text.data + from, is_last ? size - from : length);
}

/* The files there are: that one and the program that runs.  Nothing of the host's is opened. */
enum { PROGRAM_FILE = 3, MACHINE_FILE };

static const void *file_contents(const struct cy_debugger *debugger, uint64_t file, size_t *size)
{
    if (file == MACHINE_FILE) {
        *size = debugger->is_wide ? sizeof(wide_machine_file) : sizeof(machine_file);
        return debugger->is_wide ? wide_machine_file : machine_file;
    }
    if (file != PROGRAM_FILE || !debugger->is_open)
        return NULL;
    *size = debugger->is_wide ? debugger->wide_file.size : debugger->program->elf_size;
    return debugger->is_wide ? debugger->wide_file.data : debugger->program->elf;
}

static void open_file(struct cy_debugger *debugger, const char *at)
{
    char name[512];
    struct cy_buf own = {0};
    const size_t length = take_hex(at, (uint8_t *)name, sizeof(name) - 1);
    name[length] = 0;
    debug_program_name(debugger, &own);
    bool is_program = debugger->program && own.size == length && !memcmp(own.data, name, length);
    if (is_program && debugger->is_wide)
        is_program = debug_widen(debugger->program->elf, debugger->program->elf_size, &debugger->wide_file);
    debugger->is_open |= is_program;
    cy_buf_free(&own);
    put(debugger, is_program ? "F3" : !strcmp(name, MACHINE_NAME) ? "F4" : "F-1,2");
}

static void read_file(struct cy_debugger *debugger, const char *at)
{
    uint64_t file, count, offset;
    size_t size;
    const char *data = NULL;
    if (debug_parse_hex(&at, &file) && *at++ == ',' && debug_parse_hex(&at, &count) && *at++ == ',' &&
        debug_parse_hex(&at, &offset))
        data = file_contents(debugger, file, &size);
    if (!data) {
        put(debugger, "F-1,9");
        return;
    }
    const size_t from = offset < size ? (size_t)offset : size;
    count = count < LINK_MOST / 2 ? count : LINK_MOST / 2;
    count = count < size - from ? count : size - from;
    cy_buf_printf(&debugger->reply, "F%" PRIx64 ";", count);
    cy_buf_append(&debugger->reply, data + from, count);
}

/* GDB's own struct stat: big-endian; mode at 8, size at 28. */
static void stat_file(struct cy_debugger *debugger, const char *at)
{
    uint8_t bytes[64] = {0};
    uint64_t file;
    size_t size;
    if (!debug_parse_hex(&at, &file) || !file_contents(debugger, file, &size)) {
        put(debugger, "F-1,9");
        return;
    }
    bytes[10] = 0x81; /* a regular file that all may read */
    bytes[11] = 0x24;
    for (unsigned i = 0; i < 8; i++)
        bytes[28 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
    put(debugger, "F40;");
    cy_buf_append(&debugger->reply, bytes, sizeof(bytes));
}

static void file_request(struct cy_debugger *debugger, const char *at)
{
    if (!strncmp(at, "setfs:", 6))
        put(debugger, "F0");
    else if (!strncmp(at, "open:", 5))
        open_file(debugger, at + 5);
    else if (!strncmp(at, "pread:", 6))
        read_file(debugger, at + 6);
    else if (!strncmp(at, "fstat:", 6))
        stat_file(debugger, at + 6);
    else if (!strncmp(at, "close:", 6))
        put(debugger, "F0");
    /* others: an empty reply, not supported */
}

/* ---- queries ---- */

static void supported(struct cy_debugger *debugger, const char *packet)
{
    debugger->has_swbreak = strstr(packet, "swbreak+") != NULL;
    debugger->is_wide = debugger->program && debugger->program->target == CY_GEN2;
    cy_buf_printf(&debugger->reply,
                  "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;qXfer:libraries:read+;"
                  "qXfer:exec-file:read+;"
                  "vContSupported+;swbreak+;hwbreak+;ConditionalBreakpoints+",
                  LINK_MOST);
}

static void put_threads(struct cy_debugger *debugger)
{
    struct debug_item item = {0};
    debugger->is_presented = true;
    const char *separator = "m";
    while (debug_next(debugger, &item) && debugger->reply.size < LINK_MOST - 32) {
        cy_buf_printf(&debugger->reply, "%s%" PRIx64, separator, debug_thread(debugger, item.slot, item.lane));
        separator = ",";
    }
    if (!debugger->reply.size)
        put(debugger, "l");
}

static void thread_name(struct cy_debugger *debugger, const char *at)
{
    struct debug_item item;
    struct cy_buf name = {0};
    uint64_t thread;
    if (!debug_parse_hex(&at, &thread) || !debug_find(debugger, thread, &item)) {
        put(debugger, "E03");
        return;
    }
    debug_put_name(&name, debugger, &item);
    put_hex(&debugger->reply, name.data, name.size);
    cy_buf_free(&name);
}

static void monitor(struct cy_debugger *debugger, const char *at)
{
    char command[256];
    struct cy_buf text = {0};
    const size_t length = take_hex(at, (uint8_t *)command, sizeof(command) - 1);
    command[length] = 0;
    debug_monitor(debugger, command, &text);
    for (size_t i = 0; i < text.size; i += LINK_MOST / 4) { /* console output, in pieces */
        struct cy_buf piece = {0};
        cy_buf_putc(&piece, 'O');
        put_hex(&piece, text.data + i, text.size - i < LINK_MOST / 4 ? text.size - i : LINK_MOST / 4);
        link_send(&debugger->link, piece.data, piece.size);
        cy_buf_free(&piece);
    }
    cy_buf_free(&text);
    put(debugger, "OK");
}

static void query(struct cy_debugger *debugger, const char *packet)
{
    if (!strncmp(packet, "qSupported", 10))
        supported(debugger, packet);
    else if (!strncmp(packet, "qXfer:", 6))
        transfer(debugger, packet + 6);
    else if (!strcmp(packet, "qfThreadInfo"))
        put_threads(debugger);
    else if (!strcmp(packet, "qsThreadInfo"))
        put(debugger, "l");
    else if (!strncmp(packet, "qThreadExtraInfo,", 17))
        thread_name(debugger, packet + 17);
    else if (!strcmp(packet, "qC"))
        cy_buf_printf(&debugger->reply, "QC%" PRIx64, debugger->stop.thread);
    else if (!strcmp(packet, "qAttached"))
        put(debugger, "1");
    else if (!strncmp(packet, "qSymbol:", 8))
        put(debugger, "OK");
    else if (!strncmp(packet, "qRcmd,", 6))
        monitor(debugger, packet + 6);
}

/* ---- running ---- */

void debug_report_stop(struct cy_debugger *debugger)
{
    static const char *const watch_names[] = {"watch", "rwatch", "awatch"};
    struct debug_stop *stop = &debugger->stop;
    struct debug_item item;
    debugger->general = stop->thread;
    if (stop->reason == STOP_NONE || !link_is_open(&debugger->link)) {
        stop->reason = STOP_SIGNAL; /* GDB has just connected: it asks */
        return;
    }
    char text[160];
    int n = snprintf(text, sizeof(text), "T%02x", stop->signal);
    if (stop->reason == STOP_BREAK && debugger->has_swbreak)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "swbreak:;");
    if (stop->reason == STOP_WATCH)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s:%" PRIx64 ";", watch_names[stop->kind - '2'],
                      stop->address);
    if (stop->reason == STOP_LIBRARY)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "library:1;");
    if (debug_find(debugger, stop->thread, &item)) {
        const uint32_t pc = __builtin_bswap32(debug_pc(debugger, &item));
        n += snprintf(text + n, sizeof(text) - (size_t)n, "thread:%" PRIx64 ";%02x:%08x%s;", stop->thread, DEBUG_PC, pc,
                      debugger->is_wide ? "00000000" : "");
    }
    link_send(&debugger->link, text, (size_t)n);
}

/* "s", "c", "r", and with a signal "S", "C"; a thread or none.  The first step counts: GDB steps one at a time. */
static bool parse_action(const char **at, struct debug_resume *resume, bool *seen_default)
{
    const char letter = **at;
    uint64_t start = 0, end = 0, thread = UINT64_MAX, unused;
    ++*at;
    if ((letter == 'S' || letter == 'C') && !debug_parse_hex(at, &unused))
        return false;
    if (letter == 'r' && (!debug_parse_hex(at, &start) || *(*at)++ != ',' || !debug_parse_hex(at, &end)))
        return false;
    if (**at == ':') {
        ++*at;
        if (!parse_thread(at, &thread))
            return false;
    }
    const bool steps = letter == 's' || letter == 'S' || letter == 'r';
    if (!steps && letter != 'c' && letter != 'C')
        return false;
    if (thread == UINT64_MAX && !steps) {
        *seen_default = true;
    } else if (!resume->thread || (steps && !resume->steps)) {
        resume->thread = thread == UINT64_MAX ? 0 : thread;
        resume->steps = steps;
        resume->start = (uint32_t)start;
        resume->end = (uint32_t)end;
    }
    return true;
}

static enum verdict resume(struct cy_debugger *debugger, const char *at)
{
    struct debug_resume wanted = {0};
    bool all = false;
    while (*at) {
        if (!parse_action(&at, &wanted, &all) || (*at && *at++ != ';')) {
            put(debugger, "E01");
            return GO_ON;
        }
    }
    if (wanted.steps && !wanted.thread)
        wanted.thread = debugger->general;
    if (!wanted.steps && all)
        wanted.thread = 0;
    wanted.others = all;
    debugger->resume = wanted;
    return RESUMED;
}

static enum verdict v_request(struct cy_debugger *debugger, const char *packet)
{
    if (!strcmp(packet, "vCont?"))
        put(debugger, "vCont;c;C;s;S;r");
    else if (!strncmp(packet, "vCont;", 6))
        return resume(debugger, packet + 6);
    else if (!strncmp(packet, "vFile:", 6))
        file_request(debugger, packet + 6);
    else if (!strncmp(packet, "vKill", 5)) {
        put(debugger, "OK");
        debugger->killed = true;
        return RESUMED;
    }
    return GO_ON;
}

static void select_thread(struct cy_debugger *debugger, const char *at)
{
    uint64_t thread;
    struct debug_item item;
    const char which = *at++;
    if (!parse_thread(&at, &thread)) {
        put(debugger, "E01");
        return;
    }
    if (which == 'g' && thread && thread != UINT64_MAX) {
        if (!debug_find(debugger, thread, &item)) {
            put(debugger, "E03");
            return;
        }
        debugger->general = thread;
    } else if (which == 'g') {
        debugger->general = debugger->stop.thread;
    }
    put(debugger, "OK");
}

static void is_alive(struct cy_debugger *debugger, const char *at)
{
    struct debug_item item;
    uint64_t thread;
    put(debugger, debug_parse_hex(&at, &thread) && debug_find(debugger, thread, &item) ? "OK" : "E03");
}

static enum verdict answer(struct cy_debugger *debugger)
{
    const char *packet = debugger->link.packet;
    switch (*packet) {
    case '?': debug_report_stop(debugger); return GO_ON;
    case 'g': read_registers(debugger); break;
    case 'G': write_registers(debugger, packet + 1); break;
    case 'p':
    case 'P': one_register(debugger, packet); break;
    case 'm':
    case 'M':
    case 'X': access_memory(debugger, packet, debugger->link.size); break;
    case 'Z':
    case 'z': debug_point_request(debugger, packet); break;
    case 'H': select_thread(debugger, packet + 1); break;
    case 'T': is_alive(debugger, packet + 1); break;
    case 'q': query(debugger, packet); break;
    case 'v': return v_request(debugger, packet);
    case 's': return resume(debugger, "s");
    case 'c': return resume(debugger, "c");
    case 'k': debugger->killed = true; return RESUMED;
    case 'D': put(debugger, "OK"); return RESUMED;
    case 'Q':
        if (!strcmp(packet, "QStartNoAckMode"))
            put(debugger, "OK");
        break;
    default: break; /* an empty reply: not supported */
    }
    return GO_ON;
}

struct answering {
    struct cy_debugger *debugger;
    enum verdict verdict;
};

static void answer_in_scope(void *argument)
{
    struct answering *answering = argument;
    answering->verdict = answer(answering->debugger);
}

/* True: the connection is over, and the program goes on without it. */
static bool says_goodbye(struct cy_debugger *debugger)
{
    return debugger->link.packet[0] == 'D' || debugger->killed;
}

void debug_serve(struct cy_debugger *debugger)
{
    while (link_is_open(&debugger->link)) {
        const enum link_event event = link_receive(&debugger->link);
        if (event == LINK_CLOSED)
            break;
        if (event == LINK_INTERRUPT)
            continue; /* it has stopped already */
        struct answering answering = {debugger, GO_ON};
        const struct cy_buf reply = debugger->reply, text = debugger->text, wide_file = debugger->wide_file;
        debugger->reply.size = 0;
        const char first = debugger->link.packet[0];
        if (!cy_mem_try(answer_in_scope, &answering)) {
            cy_buf_undo(&debugger->reply, reply);
            cy_buf_undo(&debugger->text, text);
            cy_buf_undo(&debugger->wide_file, wide_file);
            debugger->reply.size = 0;
            debugger->transfer[0] = 0;
            link_send(&debugger->link, "E0c", 3);
            continue;
        }
        const bool is_run = answering.verdict == RESUMED && !says_goodbye(debugger);
        if (!is_run && first != '?' && first != 'k')
            link_send(&debugger->link, debugger->reply.data ? debugger->reply.data : "", debugger->reply.size);
        if (!strcmp(debugger->link.packet, "QStartNoAckMode"))
            debugger->link.no_ack = true;
        if (is_run)
            return;
        if (answering.verdict == RESUMED) {
            link_close(&debugger->link);
            break;
        }
    }
    /* nobody debugs any longer: the program runs freely, until GDB comes back */
    debug_clear_points(debugger);
    debugger->resume = (struct debug_resume){0};
}
