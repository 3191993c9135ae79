/* Breakpoints and watchpoints, inserted and removed by GDB. */
#include "debug/debug_priv.h"

#include <string.h>

enum { MOST_POINTS = 4096, MOST_CONDITION = 4096 };

/* ---- breakpoints ---- */

/* One mark per instruction word: the look-up of every step. */
static void mark(struct cy_debugger *debugger)
{
    const struct cy_program *program = debugger->launch ? debugger->launch->program : NULL;
    if (!program || !debugger->marked)
        return;
    memset(debugger->marked, 0, debugger->marked_words);
    for (size_t i = 0; i < debugger->breaks.count; i++) {
        const uint32_t word = (debugger->breaks.at[i].address - program->code_base) >> 2;
        if (debugger->breaks.at[i].address >= program->code_base && word < debugger->marked_words)
            debugger->marked[word] = 1;
    }
}

static void free_break(struct debug_break *point)
{
    for (size_t i = 0; i < point->conditions.count; i++)
        cy_free(point->conditions.at[i].code);
    cy_vec_free(&point->conditions);
}

static void remove_break(struct cy_debugger *debugger, uint32_t address)
{
    for (size_t i = 0; i < debugger->breaks.count; i++)
        if (debugger->breaks.at[i].address == address) {
            free_break(&debugger->breaks.at[i]);
            debugger->breaks.at[i] = debugger->breaks.at[--debugger->breaks.count];
            return;
        }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* ";X<size>,<bytes>X<size>,<bytes>;..."  False: malformed, or no memory. */
static bool read_conditions(struct debug_break *point, const char *at)
{
    if (*at != ';')
        return !*at;
    at++;
    while (*at == 'X') {
        uint64_t size;
        at++;
        if (!debug_parse_hex(&at, &size) || *at++ != ',' || !size || size > MOST_CONDITION)
            return false;
        struct debug_condition *condition = cy_vec_try_push(&point->conditions);
        if (!condition)
            return false;
        *condition = (struct debug_condition){cy_try_alloc(size), size};
        if (!condition->code)
            return false;
        for (size_t i = 0; i < size; i++, at += 2) {
            const int high = hex_digit(at[0]), low = high < 0 ? -1 : hex_digit(at[1]);
            if (low < 0)
                return false;
            condition->code[i] = (uint8_t)(high << 4 | low);
        }
    }
    return !*at || *at == ';';
}

static bool insert_break(struct cy_debugger *debugger, uint32_t address, const char *conditions)
{
    struct debug_break made = {.address = address};
    remove_break(debugger, address);
    if (!read_conditions(&made, conditions) || debugger->breaks.count >= MOST_POINTS) {
        free_break(&made);
        return false;
    }
    struct debug_break *point = cy_vec_try_push(&debugger->breaks);
    if (!point) {
        free_break(&made);
        return false;
    }
    *point = made;
    return true;
}

static bool is_due(const struct cy_debugger *debugger, const struct debug_break *point, const struct debug_item *item)
{
    bool due = !point->conditions.count;
    for (size_t i = 0; i < point->conditions.count && !due; i++)
        due = debug_evaluate(debugger, item, point->conditions.at[i].code, point->conditions.at[i].size);
    return due;
}

uint64_t debug_lanes_at_break(struct cy_debugger *debugger, struct cy_warp_slot *slot)
{
    const struct cy_warp *warp = &slot->warp;
    const uint32_t word = (warp->pc - debugger->launch->program->code_base) >> 2;
    if (word >= debugger->marked_words || !debugger->marked[word])
        return 0;
    uint64_t lanes = 0;
    for (size_t i = 0; i < debugger->breaks.count; i++) {
        if (debugger->breaks.at[i].address != warp->pc)
            continue;
        for (unsigned lane = 0; lane < warp->numt; lane++)
            if (warp->mask >> lane & 1 && is_due(debugger, &debugger->breaks.at[i], &(struct debug_item){slot, lane}))
                lanes |= 1ull << lane;
    }
    return lanes;
}

/* ---- watchpoints ---- */

static bool touches(const struct cy_debugger *debugger, const struct debug_watch *watch, uint64_t address, uint8_t size)
{
    uint64_t start = watch->address;
    if (watch->thread) {
        struct debug_item item;
        if (!debug_find(debugger, watch->thread, &item))
            return false;
        for (uint32_t i = 0; i < watch->size; i++) /* words of private memory are apart */
            if (debug_private_address(&item, watch->address + i, &start) && start >= address && start < address + size)
                return true;
        return false;
    }
    return address < start + watch->size && start < address + size;
}

static void on_memory(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      const struct cy_memory_access *access)
{
    struct cy_debugger *debugger = context;
    const struct cy_observer *other = debugger->other;
    if (other && other->memory)
        other->memory(other->context, warp, pc, insn, access);
    for (unsigned lane = 0; lane < warp->numt && debugger->touched.reason == STOP_NONE; lane++)
        for (size_t i = 0; access->lanes >> lane & 1 && i < debugger->watches.count; i++) {
            const struct debug_watch *watch = &debugger->watches.at[i];
            if (!(access->kind & watch->access) || !touches(debugger, watch, access->address[lane], access->size))
                continue;
            const unsigned who = warp->mask >> lane & 1 ? lane : (unsigned)__builtin_ctzll(warp->mask | 1ull << 63);
            debugger->touched = (struct debug_stop){.reason = STOP_WATCH,
                                                    .signal = 5,
                                                    .thread = debug_thread(debugger, warp->owner, who),
                                                    .address = watch->address,
                                                    .kind = watch->kind};
            break;
        }
}

void debug_watch_begin(struct cy_debugger *debugger)
{
    struct cy_launch *launch = debugger->launch;
    if (!launch)
        return;
    if (launch->run.observer != &debugger->watcher)
        debugger->other = launch->run.observer;
    debugger->watcher = debugger->other ? *debugger->other : (struct cy_observer){0};
    debugger->watcher.context = debugger;
    debugger->watcher.memory = on_memory;
    launch->run.observer = debugger->watches.count && !debugger->other ? &debugger->watcher : debugger->other;
}

static void remove_watch(struct cy_debugger *debugger, char kind, uint64_t address, uint32_t size)
{
    for (size_t i = 0; i < debugger->watches.count; i++) {
        struct debug_watch *watch = &debugger->watches.at[i];
        if (watch->kind == kind && watch->address == address && watch->size == size) {
            *watch = debugger->watches.at[--debugger->watches.count];
            return;
        }
    }
}

static bool insert_watch(struct cy_debugger *debugger, char kind, uint64_t address, uint64_t size)
{
    if (!size || size > 4096 || debugger->watches.count >= MOST_POINTS)
        return false;
    if (address >= CY_VGPR_WINDOW && address < CY_LDS_BASE)
        return false; /* registers: GDB steps instead */
    remove_watch(debugger, kind, address, (uint32_t)size);
    struct debug_watch *watch = cy_vec_try_push(&debugger->watches);
    if (!watch)
        return false;
    *watch = (struct debug_watch){.address = address,
                                  .size = (uint32_t)size,
                                  .access = kind == '2'   ? CY_WRITE
                                            : kind == '3' ? CY_READ
                                                          : CY_READ | CY_WRITE,
                                  .kind = kind,
                                  .thread = address < CY_LDS_BASE ? debugger->general : 0};
    return true;
}

/* ---- requests ---- */

void debug_point_request(struct cy_debugger *debugger, const char *packet)
{
    const bool inserts = packet[0] == 'Z';
    const char kind = packet[1], *at = packet + 3;
    uint64_t address, size;
    bool ok = true;
    if (kind < '0' || kind > '4')
        return; /* an empty reply: not supported */
    if (packet[2] != ',' || !debug_parse_hex(&at, &address) || *at++ != ',' || !debug_parse_hex(&at, &size) ||
        (kind <= '1' && address > UINT32_MAX) || size > UINT32_MAX) {
        cy_buf_puts(&debugger->reply, "E01");
        return;
    }
    if (kind <= '1') {
        if (inserts)
            ok = insert_break(debugger, (uint32_t)address, at);
        else
            remove_break(debugger, (uint32_t)address);
        mark(debugger);
    } else {
        if (inserts)
            ok = insert_watch(debugger, kind, address, size);
        else
            remove_watch(debugger, kind, address, (uint32_t)size);
        debug_watch_begin(debugger);
    }
    cy_buf_puts(&debugger->reply, ok ? "OK" : "E02");
}

void debug_clear_points(struct cy_debugger *debugger)
{
    for (size_t i = 0; i < debugger->breaks.count; i++)
        free_break(&debugger->breaks.at[i]);
    cy_vec_free(&debugger->breaks);
    cy_vec_free(&debugger->watches);
    mark(debugger);
    debug_watch_begin(debugger);
}

void debug_mark_begin(struct cy_debugger *debugger)
{
    const struct cy_program *program = debugger->launch->program;
    cy_free(debugger->marked);
    debugger->marked_words = program->code_size / 4;
    debugger->marked = cy_try_alloc(debugger->marked_words + 1);
    if (!debugger->marked)
        debugger->marked_words = 0;
    mark(debugger);
}
