/* GDB's agent expressions: conditions of breakpoints, compiled by GDB, evaluated here for each lane.
 *
 * The bytecode is described in "The Agent Expression Mechanism" of GDB's manual.  It comes over the wire: every read of it,
 * the stack and the number of steps are checked. */
#include "debug/debug_priv.h"

#include <string.h>

enum { STACK = 64, MOST_STEPS = 10000 };

struct machine {
    const struct cy_debugger *debugger;
    const struct debug_item *item;
    const uint8_t *code;
    size_t size, at;
    int64_t stack[STACK];
    unsigned depth;
    bool bad;
};

static int64_t pop(struct machine *m)
{
    if (!m->depth) {
        m->bad = true;
        return 0;
    }
    return m->stack[--m->depth];
}

static void push(struct machine *m, int64_t value)
{
    if (m->depth == STACK)
        m->bad = true;
    else
        m->stack[m->depth++] = value;
}

static uint64_t operand(struct machine *m, unsigned bytes)
{
    uint64_t value = 0;
    for (; bytes; bytes--) {
        m->bad |= m->at >= m->size;
        value = value << 8 | (m->at < m->size ? m->code[m->at++] : 0);
    }
    return value;
}

static void load(struct machine *m, unsigned bytes)
{
    uint64_t value = 0;
    const uint64_t address = (uint64_t)pop(m);
    const uint64_t thread = debug_thread(m->debugger, m->item->slot, m->item->lane);
    if (debug_read_memory(m->debugger, thread, address, &value, bytes) != bytes)
        m->bad = true;
    push(m, (int64_t)value);
}

static int64_t extend(int64_t value, uint64_t bits, bool is_signed)
{
    if (!bits || bits >= 64)
        return value;
    const uint64_t cut = (uint64_t)value << (64 - bits);
    return is_signed ? (int64_t)cut >> (64 - bits) : (int64_t)(cut >> (64 - bits));
}

static int64_t divide(struct machine *m, int64_t a, int64_t b, unsigned op)
{
    const bool is_signed = op == 0x05 || op == 0x07, is_rem = op >= 0x07;
    if (!b || (is_signed && a == INT64_MIN && b == -1)) {
        m->bad = true;
        return 0;
    }
    if (is_signed)
        return is_rem ? a % b : a / b;
    return (int64_t)(is_rem ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
}

static int64_t shift(int64_t a, int64_t b, unsigned op)
{
    if ((uint64_t)b > 63)
        return op == 0x0a && a < 0 ? -1 : 0;
    return op == 0x09 ? (int64_t)((uint64_t)a << b) : op == 0x0a ? a >> b : (int64_t)((uint64_t)a >> b);
}

static void binary(struct machine *m, unsigned op)
{
    const int64_t b = pop(m), a = pop(m);
    const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case 0x02: push(m, (int64_t)(ua + ub)); break;
    case 0x03: push(m, (int64_t)(ua - ub)); break;
    case 0x04: push(m, (int64_t)(ua * ub)); break;
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08: push(m, divide(m, a, b, op)); break;
    case 0x09:
    case 0x0a:
    case 0x0b: push(m, shift(a, b, op)); break;
    case 0x0f: push(m, a & b); break;
    case 0x10: push(m, a | b); break;
    case 0x11: push(m, a ^ b); break;
    case 0x13: push(m, a == b); break;
    case 0x14: push(m, a < b); break;
    case 0x15: push(m, ua < ub); break;
    default: m->bad = true; break;
    }
}

static void stack_op(struct machine *m, unsigned op)
{
    const int64_t top = pop(m);
    if (op == 0x28) { /* dup */
        push(m, top);
        push(m, top);
    } else if (op == 0x2b) { /* swap */
        const int64_t next = pop(m);
        push(m, top);
        push(m, next);
    } else if (op == 0x33) { /* rot: c b a -> a c b, a on top before */
        const int64_t b = pop(m), c = pop(m);
        push(m, top);
        push(m, c);
        push(m, b);
    } /* 0x29: pop */
}

static void pick(struct machine *m)
{
    const uint64_t from_top = operand(m, 1);
    if (from_top >= m->depth)
        m->bad = true;
    else
        push(m, m->stack[m->depth - 1 - from_top]);
}

/* False: the end. */
static bool step(struct machine *m)
{
    const unsigned op = (unsigned)operand(m, 1);
    switch (op) {
    case 0x0e: push(m, !pop(m)); break;
    case 0x12: push(m, ~pop(m)); break;
    case 0x16:
    case 0x2a: {
        const uint64_t bits = operand(m, 1);
        push(m, extend(pop(m), bits, op == 0x16));
        break;
    }
    case 0x17: load(m, 1); break;
    case 0x18: load(m, 2); break;
    case 0x19: load(m, 4); break;
    case 0x1a: load(m, 8); break;
    case 0x20:
    case 0x21: {
        const uint64_t to = operand(m, 2);
        if (op == 0x21 || pop(m))
            m->at = to;
        break;
    }
    case 0x22: push(m, (int64_t)operand(m, 1)); break;
    case 0x23: push(m, (int64_t)operand(m, 2)); break;
    case 0x24: push(m, (int64_t)operand(m, 4)); break;
    case 0x25: push(m, (int64_t)operand(m, 8)); break;
    case 0x26: push(m, debug_read_register(m->debugger, m->item, (unsigned)operand(m, 2))); break;
    case 0x27: return false;
    case 0x28:
    case 0x29:
    case 0x2b:
    case 0x33: stack_op(m, op); break;
    case 0x32: pick(m); break;
    default: binary(m, op); break;
    }
    return !m->bad;
}

bool debug_evaluate(const struct cy_debugger *debugger, const struct debug_item *item, const uint8_t *code, size_t size)
{
    struct machine m = {.debugger = debugger, .item = item, .code = code, .size = size};
    unsigned steps = 0;
    while (step(&m))
        if (++steps == MOST_STEPS)
            return true;
    return m.bad || pop(&m) != 0; /* GDB's rule: when in doubt, stop */
}
