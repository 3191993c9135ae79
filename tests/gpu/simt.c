/* Divergence: random programs with the shapes compilers emit (if/else, conditions in chains, switches, loops with breaks
 * and continues, exits to a join shared by several branches), run on the engine and on two models written for this test:
 *
 *   threads   each thread alone, a vector branch is a branch and a join is nothing: registers and memory must agree
 *   warp      isa.md's rules word for word on the list of operations: the order in which lanes append to a log, and how
 *             deep the stack gets, must be exactly the same */
#include "gpu/random.h"

#include <stdarg.h>

#define MAX_OPS 600
#define ENOUGH 120 /* then only simple operations are added: a vector branch reaches 4 KiB */
#define VARS 8
#define LOG_WORDS 20000
#define LOG (DATA + 0x20000) /* a counter, then the entries */

enum kind { ADD, XOR, MULTIPLY, ADD_CONSTANT, STORE, LOAD, APPEND, BRANCH, JUMP, JOIN, END };
enum condition { EQ, NE, LT, GE, LTU, GEU };
static const char *const condition_names[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};

/* One operation; a, b, d are variables (0-7), or the registers of loop counters and zero (8 and up). */
struct op {
    enum kind kind;
    unsigned d, a, b;
    int32_t value; /* constant, slot of memory, name of a log entry */
    enum condition condition;
    unsigned target; /* label */
    unsigned rpc;    /* operation where a branch reconverges: filled in by find_joins */
};
#define ZERO 16

struct program {
    struct op ops[MAX_OPS];
    unsigned count;
    unsigned labels[MAX_OPS]; /* where each label is */
    unsigned label_count;
    struct rng *rng;
    unsigned entries; /* names of log entries so far */
};

/* ---- writing a program ---- */

/* Where control may leave to, from the inside out: the index is the nesting level, 0 the outermost. */
struct scope {
    unsigned exits[16]; /* labels of joins that an escape may lead to */
    unsigned levels;
    unsigned loops; /* loop counters in use */
};

static unsigned new_label(struct program *p)
{
    return p->label_count++;
}
static void place(struct program *p, unsigned label)
{
    p->labels[label] = p->count;
}
static struct op *emit(struct program *p, enum kind kind)
{
    struct op *op = &p->ops[p->count++];
    *op = (struct op){.kind = kind};
    return op;
}
static unsigned variable(struct program *p)
{
    return rng_below(p->rng, VARS);
}
static void emit_branch_on(struct program *p, enum condition condition, unsigned a, unsigned b, unsigned target)
{
    struct op *op = emit(p, BRANCH);
    op->condition = condition, op->a = a, op->b = b;
    op->target = target;
}
static void emit_branch(struct program *p, unsigned target)
{
    unsigned a = variable(p), b = rng_chance(p->rng, 5) ? ZERO : variable(p);
    emit_branch_on(p, (enum condition)rng_below(p->rng, 6), a, b, target);
}
static void emit_jump(struct program *p, unsigned target)
{
    emit(p, JUMP)->target = target;
}

static void simple(struct program *p)
{
    static const enum kind kinds[] = {ADD, XOR, MULTIPLY, ADD_CONSTANT, STORE, LOAD, APPEND, APPEND};
    enum kind kind = kinds[rng_below(p->rng, 8)];
    struct op *op = emit(p, kind);
    op->d = variable(p), op->a = variable(p), op->b = variable(p);
    op->value = kind == APPEND         ? (int32_t)p->entries++
                : kind == ADD_CONSTANT ? (int32_t)rng_below(p->rng, 9) - 4
                                       : 4 * (int32_t)rng_below(p->rng, 8);
}

static void block(struct program *p, struct scope *s, unsigned depth);

/* Opens a level that escapes may lead to; its join closes it. */
static unsigned open_level(struct program *p, struct scope *s)
{
    s->exits[s->levels] = new_label(p);
    return s->exits[s->levels++];
}
static void close_level(struct program *p, struct scope *s)
{
    place(p, s->exits[--s->levels]);
    emit(p, JOIN);
}

static void if_else(struct program *p, struct scope *s, unsigned depth)
{
    unsigned end = open_level(p, s), then = new_label(p), other = new_label(p);
    if (rng_chance(p->rng, 3)) /* a condition of two parts: the first decides for the other side alone */
        emit_branch(p, other);
    emit_branch(p, then);
    place(p, other);
    if (rng_chance(p->rng, 2))
        block(p, s, depth - 1);
    emit_jump(p, end);
    place(p, then);
    block(p, s, depth - 1);
    close_level(p, s);
}

static void switch_case(struct program *p, struct scope *s, unsigned depth)
{
    unsigned end = open_level(p, s), cases[3], count = 2 + rng_below(p->rng, 2), which = variable(p);
    for (unsigned i = 0; i < count; i++) {
        cases[i] = new_label(p);
        emit_branch_on(p, i ? LTU : LT, which, variable(p), cases[i]);
    }
    for (unsigned i = 0; i <= count; i++) { /* the default first; a case may fall into the next */
        if (i) {
            place(p, cases[i - 1]);
            emit(p, JOIN);
        }
        block(p, s, depth - 1);
        if (rng_chance(p->rng, 2))
            emit_jump(p, end);
    }
    close_level(p, s);
}

/* counter = 1 to 5; do { ... } while (--counter), or the test before: lanes leave one after the other.  Inside, escapes
 * lead out (break) or to the join before the test (continue). */
static void loop(struct program *p, struct scope *s, unsigned depth)
{
    unsigned end = open_level(p, s), head = new_label(p), counter = 8 + s->loops++, test_first = rng_below(p->rng, 2);
    struct op *op = emit(p, LOAD); /* slot 8 of memory holds the thread's number of iterations */
    op->d = counter, op->value = 32;
    place(p, head);
    if (test_first)
        emit_branch_on(p, EQ, counter, ZERO, end);
    open_level(p, s);
    block(p, s, depth - 1);
    close_level(p, s);
    op = emit(p, ADD_CONSTANT);
    op->d = op->a = counter, op->value = -1;
    if (test_first)
        emit_jump(p, head);
    else
        emit_branch_on(p, LT, ZERO, counter, head);
    close_level(p, s);
    s->loops--;
}

static void construct(struct program *p, struct scope *s, unsigned depth)
{
    unsigned choice = rng_below(p->rng, 8);
    if (!depth || choice < 2 || p->count > ENOUGH)
        simple(p);
    else if (choice == 2 && s->levels) /* if (condition) goto one of the joins around */
        emit_branch(p, s->exits[rng_below(p->rng, s->levels)]);
    else if (choice < 5)
        if_else(p, s, depth);
    else if (choice == 5)
        switch_case(p, s, depth);
    else
        loop(p, s, depth);
}

static void block(struct program *p, struct scope *s, unsigned depth)
{
    for (unsigned n = 1 + rng_below(p->rng, 3); n > 0; n--)
        construct(p, s, depth);
}

/* A branch reconverges at the first operation that all paths from it pass: its immediate post-dominator.  Computed from
 * the textbook equations: the sets of operations on every path from i, starting with everything and shrinking in every
 * round. */
static uint8_t passes[MAX_OPS][MAX_OPS];

static unsigned taken_from(const struct program *p, unsigned at)
{
    bool jumps = p->ops[at].kind == JUMP || p->ops[at].kind == BRANCH;
    return jumps ? p->labels[p->ops[at].target] : at + 1;
}

static bool find_joins(struct program *p)
{
    const unsigned n = p->count;
    memset(passes, 1, sizeof(passes));
    memset(passes[n - 1], 0, n);
    passes[n - 1][n - 1] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = n - 1; i-- > 0;) {
            unsigned a = taken_from(p, i), b = p->ops[i].kind == JUMP ? a : i + 1;
            for (unsigned k = 0; k < n; k++) {
                uint8_t both = k == i || (passes[a][k] && passes[b][k]);
                changed |= both != passes[i][k];
                passes[i][k] = both;
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        if (p->ops[i].kind != BRANCH)
            continue;
        unsigned best = n;
        for (unsigned k = 0; k < n; k++) /* the nearest is the one that passes all the others */
            if (k != i && passes[i][k] && (best == n || passes[k][best]))
                best = k;
        if (p->ops[best].kind != JOIN)
            return false;
        p->ops[i].rpc = best;
    }
    return true;
}

static bool write_program(struct program *p, struct rng *rng)
{
    struct scope scope = {0};
    p->count = p->label_count = p->entries = 0;
    p->rng = rng;
    for (unsigned i = 0; i < 4; i++)
        construct(p, &scope, 4);
    emit(p, END);
    return find_joins(p);
}

/* ---- as assembly: variables in v8-v15, counters v16-v23, zero v24 ---- */

static unsigned reg(unsigned number)
{
    return number + 8;
}

static void line(struct cy_buf *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(out, format, args);
    va_end(args);
    cy_buf_putc(out, '\n');
}

static void as_text(const struct program *p, struct cy_buf *out)
{
    for (unsigned i = 0; i < p->count; i++) {
        const struct op *op = &p->ops[i];
        for (unsigned l = 0; l < p->label_count; l++)
            if (p->labels[l] == i)
                line(out, "L%u:", l);
        switch (op->kind) {
        case ADD: line(out, "vadd.vv v%u, v%u, v%u", reg(op->d), reg(op->a), reg(op->b)); break;
        case XOR: line(out, "vxor.vv v%u, v%u, v%u", reg(op->d), reg(op->a), reg(op->b)); break;
        case MULTIPLY: line(out, "vmul.vv v%u, v%u, v%u", reg(op->d), reg(op->a), reg(op->b)); break;
        case ADD_CONSTANT: line(out, "vadd12.vi v%u, v%u, %d", reg(op->d), reg(op->a), op->value); break;
        case STORE: line(out, "vsw12.v v%u, %d(v2)", reg(op->a), op->value); break;
        case LOAD: line(out, "vlw12.v v%u, %d(v2)", reg(op->d), op->value); break;
        case APPEND:
            line(out, "amoadd.w v6, v3, (v4)\n vsll.vi v6, v6, 2\n vadd.vv v6, v6, v4\n li t0, %u", op->value << 8);
            line(out, "vor.vx v7, v1, t0\n vsw12.v v7, 4(v6)");
            break;
        case BRANCH:
            line(out, "B%u: auipc t1, %%pcrel_hi(J%u)\n setrpc zero, t1, %%pcrel_lo(B%u)", i, op->rpc, i);
            line(out, "%s v%u, v%u, L%u", condition_names[op->condition], reg(op->a), reg(op->b), op->target);
            break;
        case JUMP: line(out, "j L%u", op->target); break;
        case JOIN: line(out, "J%u: join", i); break;
        case END: line(out, "endprg"); break;
        }
    }
}

/* ---- the models ---- */

struct thread {
    uint32_t vars[17];
    uint32_t memory[16];
};

static bool holds(enum condition condition, uint32_t a, uint32_t b)
{
    switch (condition) {
    case EQ: return a == b;
    case NE: return a != b;
    case LT: return (int32_t)a < (int32_t)b;
    case GE: return (int32_t)a >= (int32_t)b;
    case LTU: return a < b;
    default: return a >= b;
    }
}

/* What one thread does; its next operation is determined by the caller. */
static void step(const struct op *op, struct thread *t)
{
    uint32_t a = t->vars[op->a], b = t->vars[op->b];
    switch (op->kind) {
    case ADD: t->vars[op->d] = a + b; break;
    case XOR: t->vars[op->d] = a ^ b; break;
    case MULTIPLY: t->vars[op->d] = a * b; break;
    case ADD_CONSTANT: t->vars[op->d] = a + (uint32_t)op->value; break;
    case STORE: t->memory[op->value / 4] = a; break;
    case LOAD: t->vars[op->d] = t->memory[op->value / 4]; break;
    default: break;
    }
}

static void run_thread(const struct program *p, struct thread *t)
{
    for (unsigned at = 0; p->ops[at].kind != END;) {
        const struct op *op = &p->ops[at];
        bool taken = op->kind == JUMP || (op->kind == BRANCH && holds(op->condition, t->vars[op->a], t->vars[op->b]));
        step(op, t);
        at = taken ? p->labels[op->target] : at + 1;
    }
}

struct warp_model {
    uint32_t log[LOG_WORDS];
    unsigned log_count, deepest;
};

/* docs/isa.md, "Divergence". */
static bool run_warp(const struct program *p, struct thread *threads, uint64_t mask, unsigned lanes,
                     struct warp_model *w)
{
    struct {
        unsigned rpc, pc;
        uint64_t mask;
    } stack[256];
    unsigned depth = 0, pc = 0;
    w->log_count = w->deepest = 0;
    for (unsigned steps = 0; p->ops[pc].kind != END; steps++) {
        const struct op *op = &p->ops[pc];
        uint64_t taken = 0;
        if (steps > 200000 || w->log_count + lanes > LOG_WORDS - 1)
            return false;
        for (unsigned i = 0; i < lanes; i++)
            if (mask >> i & 1) {
                if (op->kind == APPEND)
                    w->log[w->log_count++] = (uint32_t)op->value << 8 | i;
                if (op->kind == BRANCH && holds(op->condition, threads[i].vars[op->a], threads[i].vars[op->b]))
                    taken |= 1ull << i;
                step(op, &threads[i]);
            }
        if (op->kind == JOIN && depth && stack[depth - 1].rpc == pc) {
            depth--;
            pc = stack[depth].pc, mask = stack[depth].mask;
        } else if (op->kind == JUMP || (op->kind == BRANCH && taken == mask)) {
            pc = p->labels[op->target];
        } else if (op->kind == BRANCH && taken) {
            unsigned rpc = op->rpc, there = p->labels[op->target], next = pc + 1;
            uint64_t rest = mask & ~taken;
            bool taken_first = __builtin_popcountll(taken) <= __builtin_popcountll(rest);
            stack[depth].rpc = stack[depth].pc = rpc, stack[depth++].mask = mask;
            stack[depth].rpc = rpc, stack[depth].pc = taken_first ? next : there,
            stack[depth++].mask = taken_first ? rest : taken;
            pc = taken_first ? there : next, mask = taken_first ? taken : rest;
            w->deepest = depth > w->deepest ? depth : w->deepest;
        } else {
            pc++;
        }
    }
    return CHECK_EQ(depth, 0);
}

/* ---- comparing ---- */

static void watch_depth(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    unsigned *deepest = context;
    (void)pc, (void)insn;
    *deepest = warp->depth > *deepest ? warp->depth : *deepest;
}

static struct thread alone[64], together[64];
static struct warp_model model;

static bool run_engine(struct harness *h, const struct program *p, uint64_t mask, unsigned *deepest)
{
    struct cy_observer observer = {.context = deepest, .retired = watch_depth};
    struct cy_buf text = {0};
    as_text(p, &text);
    bool ok = harness_text(h, text.data);
    cy_buf_free(&text);
    if (!ok)
        return false;
    struct cy_warp *w = &h->warp;
    cy_warp_start(w, CODE, mask);
    memset(h->memory.base + LOG, 0, 4 * LOG_WORDS);
    for (unsigned i = 0; i < h->run.lanes; i++) {
        harness_vreg(h, 1)[i] = i;
        harness_vreg(h, 2)[i] = DATA + 64 * i;
        harness_vreg(h, 3)[i] = 1;
        harness_vreg(h, 4)[i] = LOG;
        for (unsigned v = 0; v < VARS; v++)
            harness_vreg(h, 8 + v)[i] = alone[i].vars[v];
        for (unsigned k = 0; k < 16; k++)
            harness_set_word(h, DATA + 64 * i + 4 * k, alone[i].memory[k]);
    }
    *deepest = 0;
    h->run.observer = rng_chance(p->rng, 4) ? &observer : NULL; /* sometimes under an observer: then the depth is
                                                                 * known */
    enum cy_stop stop = cy_warp_run(w, 10000000);
    bool watched = h->run.observer != NULL;
    h->run.observer = NULL;
    if (!watched)
        *deepest = UINT32_MAX;
    if (!CHECK_EQ(stop, CY_STOP_END))
        fprintf(stderr, "  fault %d at %#x\n", w->fault.kind, w->fault.pc);
    return stop == CY_STOP_END;
}

static bool one_program(struct harness *h, struct rng *rng, struct program *p)
{
    unsigned lanes = h->run.lanes, deepest;
    uint64_t mask = rng_chance(rng, 3) ? harness_all(1 + rng_below(rng, lanes)) : harness_all(lanes);
    if (!CHECK(write_program(p, rng)))
        return false;
    for (unsigned i = 0; i < lanes; i++) {
        for (unsigned v = 0; v < VARS; v++)
            alone[i].vars[v] = rng_chance(rng, 2) ? rng_below(rng, 4) : i * (v + 1) % 7;
        for (unsigned v = VARS; v < 17; v++)
            alone[i].vars[v] = 0;
        for (unsigned k = 0; k < 16; k++)
            alone[i].memory[k] = k == 8 ? rng_below(rng, 5) + 1 : rng_below(rng, 100);
    }
    memcpy(together, alone, sizeof(alone));
    if (!run_warp(p, together, mask, lanes, &model))
        return false; /* too long a run: not compared */
    if (!run_engine(h, p, mask, &deepest))
        return true;
    bool ok = CHECK_EQ(h->warp.depth, 0) && CHECK_EQ(h->warp.mask, mask);
    for (unsigned i = 0; i < lanes; i++) {
        if (!(mask >> i & 1))
            continue;
        run_thread(p, &alone[i]);
        for (unsigned v = 0; v < VARS; v++)
            ok = CHECK_EQ(harness_lane(h, 8 + v, i), alone[i].vars[v]) && ok;
        for (unsigned k = 0; k < 16; k++)
            ok = CHECK_EQ(harness_word(h, DATA + 64 * i + 4 * k), alone[i].memory[k]) && ok;
    }
    ok = CHECK_EQ(harness_word(h, LOG), model.log_count) && ok;
    ok = CHECK(!memcmp(h->memory.base + LOG + 4, model.log, 4 * model.log_count)) && ok;
    if (deepest != UINT32_MAX)
        ok = CHECK_EQ(deepest, model.deepest) && ok;
    if (!ok && test_counts.failed < 20) {
        struct cy_buf text = {0};
        as_text(p, &text);
        fprintf(stderr, "%u lanes:\n%.*s\n", lanes, (int)text.size, text.data);
        cy_buf_free(&text);
    }
    return true;
}

static void test_random_programs(void)
{
    static const unsigned lane_counts[] = {4, 8, 16, 32, 64};
    static struct program program;
    struct rng rng = {5};
    unsigned compared = 0;
    for (unsigned c = 0; c < 5; c++) {
        struct harness h;
        if (!harness_init(&h, CY_GEN1, lane_counts[c]))
            return;
        for (unsigned n = 0; n < 120; n++)
            compared += one_program(&h, &rng, &program);
        harness_close(&h);
    }
    CHECK(compared > 400);
}

/* ---- the order of the two sides, written out ---- */

/* if (lane < n) A else B, `taken` says which side is the branch's target: the log holds the side with fewer lanes first,
 * on a tie the taken one. */
static void test_order(void)
{
    for (unsigned n = 0; n <= 8; n++)
        for (int a_taken = 0; a_taken < 2; a_taken++) {
            struct harness h;
            char text[700];
            const char *append = "amoadd.w v6, v3, (v4)\n vsll.vi v6, v6, 2\n vadd.vv v6, v6, v4\n vor.vx v7, v1, t0\n "
                                 "vsw12.v v7, 4(v6)\n";
            snprintf(text, sizeof(text),
                     "1: auipc t1, %%pcrel_hi(end)\n setrpc zero, t1, %%pcrel_lo(1b)\n %s v1, v2, there\n"
                     "li t0, %u\n %s j end\n there: li t0, %u\n %s end: join\n endprg\n",
                     a_taken ? "vblt" : "vbge", a_taken ? 0x200 : 0x100, append, a_taken ? 0x100 : 0x200, append);
            if (!harness_open(&h, "ventus", text, 8))
                return;
            for (unsigned i = 0; i < 8; i++)
                harness_vreg(&h, 1)[i] = i, harness_vreg(&h, 2)[i] = n, harness_vreg(&h, 3)[i] = 1,
                                 harness_vreg(&h, 4)[i] = LOG;
            CHECK_EQ(cy_warp_run(&h.warp, 1000), CY_STOP_END);
            bool a_first = n < 8 - n || (n == 8 - n && a_taken);
            unsigned at = 0;
            for (unsigned side = 0; side < 2; side++)
                for (unsigned i = 0; i < 8; i++)
                    if ((i < n) == (side == 0 ? a_first : !a_first))
                        CHECK_EQ(harness_word(&h, LOG + 4 + 4 * at++), (i < n ? 0x100u : 0x200u) | i);
            CHECK_EQ(harness_word(&h, LOG), 8);
            harness_close(&h);
        }
}

/* A uniform branch pushes nothing; a divergent one two entries; the join is passed three times. */
static void test_stack(void)
{
    struct harness h;
    const char *text = "1: auipc t1, %pcrel_hi(end)\n setrpc zero, t1, %pcrel_lo(1b)\n vblt v1, v2, there\n"
                       "nop\n j end\n there: nop\n end: join\n endprg\n";
    for (unsigned n = 0; n <= 4; n++) {
        if (!harness_open(&h, "ventus", text, 4))
            return;
        for (unsigned i = 0; i < 4; i++)
            harness_vreg(&h, 1)[i] = i, harness_vreg(&h, 2)[i] = n;
        cy_warp_run(&h.warp, 3);
        CHECK_EQ(h.warp.depth, n == 0 || n == 4 ? 0 : 2);
        if (h.warp.depth) {
            bool taken_first = n <= 2;
            CHECK_EQ(h.stack[0].rpc, CODE + 24);
            CHECK_EQ(h.stack[0].pc, CODE + 24);
            CHECK_EQ(h.stack[0].mask, 15);
            CHECK_EQ(h.stack[1].rpc, CODE + 24);
            CHECK_EQ(h.stack[1].pc, taken_first ? CODE + 12 : CODE + 20);
            CHECK_EQ(h.stack[1].mask, taken_first ? 15 & ~((1u << n) - 1) : (1u << n) - 1);
            CHECK_EQ(h.warp.mask, taken_first ? (1u << n) - 1 : 15 & ~((1u << n) - 1));
            CHECK_EQ(h.warp.pc, taken_first ? CODE + 20 : CODE + 12);
        }
        CHECK_EQ(cy_warp_run(&h.warp, 1000), CY_STOP_END);
        /* 3 for the branch, one side 1 and the other 2, three joins or one, endprg */
        CHECK_EQ(h.warp.retired, n == 0 ? 3 + 2 + 1 + 1 : n == 4 ? 3 + 1 + 1 + 1 : 3 + 3 + 3 + 1);
        harness_close(&h);
    }
}

/* vs2 OP vs1, in the assembler's order. */
static void test_operands(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus",
                      "1: auipc t1, %pcrel_hi(end)\n setrpc zero, t1, %pcrel_lo(1b)\n vblt v1, v2, end\n"
                      "vmv.v.i v3, 1\n end: join\n endprg\n",
                      8))
        return;
    for (unsigned i = 0; i < 8; i++)
        harness_vreg(&h, 1)[i] = i - 4u, harness_vreg(&h, 2)[i] = 0;
    CHECK_EQ(cy_warp_run(&h.warp, 100), CY_STOP_END);
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(harness_lane(&h, 3, i), i >= 4);
    harness_close(&h);
}

/* Lanes beyond vl do not vote: they follow the lanes that are not taken, or all, and are back at the join. */
static void test_short_vl(void)
{
    const char *text = "li t0, 4\n vsetvli t1, t0, e32, m1, ta, ma\n"
                       "1: auipc t1, %pcrel_hi(end)\n setrpc zero, t1, %pcrel_lo(1b)\n vblt v1, v2, there\n"
                       "vsetvli t1, zero, e32, m1, ta, ma\n vmv.v.i v3, 1\n j end\n"
                       "there: vsetvli t1, zero, e32, m1, ta, ma\n vmv.v.i v3, 2\n end: join\n endprg\n";
    for (unsigned n = 0; n <= 8; n++) {
        struct harness h;
        if (!harness_open(&h, "ventus", text, 8))
            return;
        for (unsigned i = 0; i < 8; i++)
            harness_vreg(&h, 1)[i] = i, harness_vreg(&h, 2)[i] = n;
        CHECK_EQ(cy_warp_run(&h.warp, 100), CY_STOP_END);
        CHECK_EQ(h.warp.mask, 0xff);
        for (unsigned i = 0; i < 8; i++)
            CHECK_EQ(harness_lane(&h, 3, i), (n >= 4 || (i < 4 && i < n)) ? 2 : 1);
        harness_close(&h);
    }
}

TEST_MAIN(test_random_programs, test_order, test_stack, test_operands, test_short_vl)
