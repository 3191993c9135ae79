/* Random kernels in IR, and functions that they call: nested ifs and loops with uniform and divergent conditions, break, continue and return from
 * anywhere, and arithmetic over a pool of values.  Lanes do not depend on each other: each writes its own part of memory,
 * or what all write alike. */
#ifndef CY_TESTS_CC_IR_RANDOM_H
#define CY_TESTS_CC_IR_RANDOM_H

#include "cc/ir/ir.h"
#include "gpu/random.h"

#define TABLE 0x1000u /* offsets in the data: read only */
#define TABLE_WORDS 512u
#define COUNTERS 0x8000u /* atomics: every word has its operation */
#define FLAGS 0x9000u    /* uniform stores: every place has its value */
#define OUTPUT 0x10000u  /* 256 bytes for each lane */
#define VARIABLES 5u

struct gen_edge {
    uint32_t from;
    ir_value variables[VARIABLES];
};
struct gen_label {
    CY_VEC(struct gen_edge) edges;
};

struct gen {
    struct rng rng;
    struct ir_func *func;
    uint32_t block;
    bool is_open; /* the block has no terminator yet */
    ir_value variables[VARIABLES];
    CY_VEC(ir_value) pool;
    ir_value lane, table, output, counters, flags;
    struct gen_label *breaks[8], *continues[8];
    unsigned loops, depth, budget, flag_count;
    struct gen_label *exit;
    unsigned pressure;              /* more values in the pool, all used at the end */
    const struct ir_module *module; /* functions to call: those before this one */
    size_t callees;
    ir_value frame;     /* of a function: its private memory; 0: a kernel's begins at 0 */
    unsigned max_loops; /* nested */
    unsigned bulk;      /* straight-line code is sometimes this many times longer: for out-of-range branches */
};

static inline ir_value gen_op(struct gen *g, enum ir_op op, ir_value a, ir_value b, ir_value c)
{
    ir_value value = ir_append(g->func, g->block, op, a, b, c);
    ir_at(g->func, value)->line = g->block + 1;
    return value;
}
static inline ir_value gen_const(struct gen *g, uint32_t constant)
{
    ir_value value = gen_op(g, IR_CONST, 0, 0, 0);
    ir_at(g->func, value)->imm = (int32_t)constant;
    return value;
}
static inline ir_value gen_pick(struct gen *g)
{
    switch (rng_below(&g->rng, 8)) {
    case 0: return gen_const(g, rng_value(&g->rng));
    case 1: return gen_const(g, rng_below(&g->rng, 20) - 4);
    case 2:
    case 3:
    case 4: return g->variables[rng_below(&g->rng, VARIABLES)];
    default: return g->pool.at[rng_below(&g->rng, (uint32_t)g->pool.count)];
    }
}
static inline ir_value gen_masked(struct gen *g, uint32_t mask)
{
    ir_value picked = gen_pick(g);
    return gen_op(g, IR_AND, picked, gen_const(g, mask), 0);
}
static inline ir_value gen_index(struct gen *g, ir_value base, uint32_t mask, unsigned shift)
{
    ir_value masked = gen_masked(g, mask);
    return gen_op(g, IR_ADD, base, gen_op(g, IR_SHL, masked, gen_const(g, shift), 0), 0);
}

static inline ir_value gen_condition(struct gen *g)
{
    static const uint8_t compares[] = {IR_EQ, IR_NE, IR_LTS, IR_GES, IR_LTU, IR_GEU, IR_FEQ, IR_FLT, IR_FLE};
    ir_value a = gen_pick(g), b = gen_pick(g);
    if (rng_chance(&g->rng, 2)) { /* true and false about equally often */
        a = gen_op(g, IR_AND, a, gen_const(g, 7), 0);
        b = rng_chance(&g->rng, 2) ? gen_const(g, rng_below(&g->rng, 8)) : gen_op(g, IR_AND, b, gen_const(g, 7), 0);
    }
    return gen_op(g, compares[rng_below(&g->rng, sizeof(compares))], a, b, 0);
}

static inline ir_value gen_private(struct gen *g)
{
    return g->frame ? g->frame : gen_const(g, 0);
}

static inline ir_value gen_load(struct gen *g, bool in_private)
{
    static const int8_t sizes[] = {4, 4, 4, 1, -1, 2, -2};
    int32_t size = sizes[rng_below(&g->rng, sizeof(sizes))];
    unsigned shift = size == 4 ? 2 : size == 2 || size == -2 ? 1 : 0;
    ir_value address = in_private ? gen_index(g, gen_private(g), 31, shift) : gen_index(g, g->table, 127, shift);
    if (in_private && rng_chance(&g->rng, 2)) {
        ir_value base = gen_private(g);
        address = gen_op(g, IR_ADD, base, gen_const(g, rng_below(&g->rng, 32) * 4), 0);
    }
    ir_value value = gen_op(g, IR_LOAD, address, 0, 0);
    struct ir_insn *insn = ir_at(g->func, value);
    insn->imm = size;
    insn->is_private = in_private;
    insn->extra = rng_chance(&g->rng, 2) ? (int32_t)rng_below(&g->rng, 32) * 4 : 0;
    return value;
}

static inline void gen_store(struct gen *g)
{
    static const int8_t sizes[] = {4, 4, 1, 2};
    int32_t size = sizes[rng_below(&g->rng, sizeof(sizes))];
    unsigned shift = size == 4 ? 2 : size == 2 ? 1 : 0, what = rng_below(&g->rng, 6);
    ir_value value = gen_pick(g), address;
    if (what == 0) { /* uniform */
        value = gen_const(g, rng_word(&g->rng));
        address = gen_const(g, DATA + FLAGS + 4 * (g->flag_count++ % 256));
        size = 4;
        if (g->flag_count > 256)
            return;
    } else if (what == 1) {
        static const uint16_t rows[] = {CY_OP_amoadd_w, CY_OP_amoxor_w, CY_OP_amoor_w,   CY_OP_amoand_w,
                                        CY_OP_amomin_w, CY_OP_amomax_w, CY_OP_amominu_w, CY_OP_amomaxu_w};
        uint32_t row = rng_below(&g->rng, 8);
        address = gen_op(g, IR_ADD, g->counters, gen_const(g, 4 * row), 0);
        ir_value amo = gen_op(g, IR_AMO, address, value, 0);
        ir_at(g->func, amo)->imm = rows[row];
        return;
    } else if (what == 2) {
        address = gen_index(g, g->output, 31, 2);
        ir_value old = gen_op(g, IR_CAS, address, gen_masked(g, 1), value);
        *cy_vec_push(&g->pool) = old;
        return;
    } else {
        address = what == 3 ? gen_index(g, gen_private(g), 31, shift) : gen_index(g, g->output, 31, shift);
    }
    ir_value store = gen_op(g, IR_STORE, address, value, 0);
    struct ir_insn *insn = ir_at(g->func, store);
    insn->imm = size;
    insn->is_private = what == 3;
    insn->extra = what ? (int32_t)rng_below(&g->rng, 16) * 4 : 0;
}

static inline ir_value gen_value(struct gen *g)
{
    static const uint8_t two[] = {IR_ADD,  IR_ADD,  IR_SUB,  IR_MUL,  IR_MULHU, IR_MULHS, IR_DIVU, IR_DIVS, IR_REMU,
                                  IR_REMS, IR_AND,  IR_OR,   IR_XOR,  IR_SHL,   IR_SHRU,  IR_SHRS, IR_MINS, IR_MINU,
                                  IR_MAXS, IR_MAXU, IR_EQ,   IR_NE,   IR_LTS,   IR_GES,   IR_LTU,  IR_GEU,  IR_FADD,
                                  IR_FSUB, IR_FMUL, IR_FDIV, IR_FMIN, IR_FMAX,  IR_FSGNJ, IR_FEQ,  IR_FLT,  IR_FLE};
    static const uint8_t one[] = {IR_FSQRT, IR_FTOS, IR_FTOU, IR_STOF, IR_UTOF, IR_COPY};
    ir_value a = gen_pick(g), b = gen_pick(g);
    switch (rng_below(&g->rng, 12)) {
    case 0: return gen_load(g, false);
    case 1: return gen_load(g, true);
    case 2: return gen_op(g, one[rng_below(&g->rng, sizeof(one))], a, 0, 0);
    case 3: return gen_op(g, IR_SELECT, gen_condition(g), a, b);
    case 4: {
        ir_value condition = gen_condition(g);
        const struct ir_insn *c = ir_at(g->func, condition);
        ir_value then = c->args[rng_below(&g->rng, 2)], otherwise = c->args[rng_below(&g->rng, 2)];
        return gen_op(g, IR_SELECT, condition, then, otherwise);
    }
    case 5: {
        ir_value product = gen_op(g, IR_MUL, a, b, 0);
        return gen_op(g, IR_ADD, product, gen_pick(g), 0);
    }
    case 6: {
        ir_value product = gen_op(g, IR_MUL, a, b, 0); /* operands of a call are unordered */
        return gen_op(g, IR_SUB, gen_pick(g), product, 0);
    }
    case 7: {
        ir_value c = gen_pick(g);
        if (rng_chance(&g->rng, 3))
            a = gen_op(g, IR_XOR, a, gen_const(g, 0x80000000), 0);
        if (rng_chance(&g->rng, 3))
            c = gen_op(g, IR_XOR, c, gen_const(g, 0x80000000), 0);
        return gen_op(g, IR_FMA, a, b, c);
    }
    default: return gen_op(g, two[rng_below(&g->rng, sizeof(two))], a, b, 0);
    }
}

/* Table, output and counters, then values; as many as the callee takes. */
static inline void gen_call(struct gen *g)
{
    uint32_t callee = rng_below(&g->rng, (uint32_t)g->callees);
    const struct ir_func *to = &g->module->funcs.at[callee];
    ir_value args[IR_CALL_REGISTERS] = {g->table, g->output, g->counters};
    for (uint32_t i = 3; i < to->params; i++)
        args[i] = gen_pick(g);
    for (uint32_t i = 0; i < to->params; i++)
        ir_at(g->func, gen_op(g, IR_ARG, args[i], 0, 0))->imm = (int32_t)i;
    ir_value call = gen_op(g, IR_CALL, 0, 0, 0);
    ir_at(g->func, call)->imm = (int32_t)callee;
    ir_at(g->func, call)->extra = (int32_t)to->params;
    ir_value first = 0;
    for (uint32_t i = 0; i < to->results; i++) {
        ir_value result = gen_op(g, IR_RESULT, call, 0, 0);
        ir_at(g->func, result)->imm = (int32_t)i;
        if (i < 8)
            *cy_vec_push(&g->pool) = result;
        first = i ? first : result;
    }
    if (first)
        g->variables[rng_below(&g->rng, VARIABLES)] = first;
    for (size_t i = 0; i < g->func->callees.count; i++)
        if (g->func->callees.at[i] == callee)
            return;
    *cy_vec_push(&g->func->callees) = callee;
}

/* ---- control flow ---- */

static inline void gen_edge_to(struct gen *g, struct gen_label *label, uint32_t from)
{
    struct gen_edge *edge = cy_vec_push(&label->edges);
    edge->from = from;
    memcpy(edge->variables, g->variables, sizeof(edge->variables));
}

static inline void gen_jump(struct gen *g, struct gen_label *label)
{
    if (g->is_open)
        gen_edge_to(g, label, g->block);
    g->is_open = false;
}

static inline ir_value gen_phi(struct gen *g, uint32_t block, size_t count)
{
    ir_value phi = ir_append(g->func, block, IR_PHI, (ir_value)g->func->phi_args.count, 0, 0);
    for (size_t i = 0; i < count; i++)
        *cy_vec_push(&g->func->phi_args) = 0;
    return phi;
}

/* Makes `block` the target of the label's edges.  With `closed` every variable gets a phi (after loops). */
static inline void gen_place(struct gen *g, struct gen_label *label, uint32_t block, bool closed)
{
    g->is_open = label->edges.count > 0;
    g->block = block;
    for (size_t e = 0; e < label->edges.count; e++) {
        struct ir_block *from = &g->func->blocks.at[label->edges.at[e].from];
        *cy_vec_push(&g->func->blocks.at[block].preds) = label->edges.at[e].from;
        if (from->terminator == IR_BRANCH) {
            from->succ[from->succ[0] == UINT32_MAX ? 0 : 1] = block;
        } else {
            from->terminator = IR_JUMP;
            from->succ[0] = block;
            from->succ_count = 1;
        }
    }
    for (unsigned v = 0; v < VARIABLES && label->edges.count; v++) {
        bool same = !closed;
        for (size_t e = 1; e < label->edges.count; e++)
            same &= label->edges.at[e].variables[v] == label->edges.at[0].variables[v];
        g->variables[v] = label->edges.at[0].variables[v];
        if (same)
            continue;
        ir_value phi = gen_phi(g, block, label->edges.count);
        for (size_t e = 0; e < label->edges.count; e++)
            g->func->phi_args.at[ir_at(g->func, phi)->args[0] + e] = label->edges.at[e].variables[v];
        g->variables[v] = phi;
    }
    cy_vec_free(&label->edges);
}

/* Ends the block with a branch, whose edges `then` and `otherwise` collect, in the order in which they are placed. */
static inline void gen_branch(struct gen *g, ir_value condition, struct gen_label *then, struct gen_label *otherwise)
{
    struct ir_block *block = &g->func->blocks.at[g->block];
    block->terminator = IR_BRANCH;
    block->condition = condition;
    block->succ[0] = block->succ[1] = UINT32_MAX;
    block->succ_count = 2;
    gen_edge_to(g, then, g->block);
    gen_edge_to(g, otherwise, g->block);
    g->is_open = false;
}

static inline void gen_code(struct gen *g);

static inline void gen_straight(struct gen *g)
{
    unsigned long_one = g->bulk && rng_chance(&g->rng, 4) ? g->bulk : 1;
    for (unsigned n = (1 + rng_below(&g->rng, 6)) * long_one; n-- > 0;) {
        if (rng_chance(&g->rng, 5)) {
            gen_store(g);
            continue;
        }
        ir_value value = gen_value(g);
        if (rng_chance(&g->rng, 2) || long_one > 1)
            g->variables[rng_below(&g->rng, VARIABLES)] = value;
        else
            *cy_vec_push(&g->pool) = value;
    }
}

static inline void gen_if(struct gen *g)
{
    struct gen_label then = {0}, otherwise = {0}, after = {0};
    bool has_else = rng_chance(&g->rng, 2);
    ir_value condition = gen_condition(g);
    size_t pool = g->pool.count;
    gen_branch(g, condition, &then, has_else ? &otherwise : &after);
    gen_place(g, &then, ir_new_block(g->func), false);
    gen_code(g);
    g->pool.count = pool;
    gen_jump(g, &after);
    if (has_else) {
        gen_place(g, &otherwise, ir_new_block(g->func), false);
        gen_code(g);
        g->pool.count = pool;
        gen_jump(g, &after);
    }
    gen_place(g, &after, ir_new_block(g->func), rng_chance(&g->rng, 6));
}

/* for (i = 0; i < limit; i++) body;   or do ... while: at most seven iterations, uniform or not */
static inline void gen_loop(struct gen *g)
{
    struct gen_label enter = {0}, body = {0}, latch = {0}, again = {0}, out = {0};
    bool test_first = rng_chance(&g->rng, 2), swap = rng_chance(&g->rng, 2);
    ir_value zero = gen_const(g, 0), one = gen_const(g, 1);
    ir_value limit = rng_chance(&g->rng, 2) ? gen_const(g, 1 + rng_below(&g->rng, 6)) : gen_masked(g, 3);
    size_t pool = g->pool.count;
    ir_value phis[VARIABLES + 1];
    gen_jump(g, &enter);
    uint32_t header = ir_new_block(g->func);
    ir_value before[VARIABLES];
    memcpy(before, g->variables, sizeof(before));
    gen_place(g, &enter, header, false);
    for (unsigned v = 0; v <= VARIABLES; v++) { /* their second argument is set with the latch, if there is one */
        phis[v] = gen_phi(g, header, 2);
        g->func->phi_args.at[ir_at(g->func, phis[v])->args[0]] = v < VARIABLES ? before[v] : zero;
        if (v < VARIABLES)
            g->variables[v] = phis[v];
    }
    *cy_vec_push(&g->pool) = phis[VARIABLES];
    g->breaks[g->loops] = &out;
    g->continues[g->loops++] = &latch;
    if (test_first) {
        ir_value condition = gen_op(g, IR_LTU, phis[VARIABLES], limit, 0);
        gen_branch(g, condition, &body, &out);
        gen_place(g, &body, ir_new_block(g->func), false);
    }
    gen_code(g);
    gen_jump(g, &latch);
    g->loops--;
    bool loops = latch.edges.count > 0;
    if (loops) {
        gen_place(g, &latch, ir_new_block(g->func), false);
        ir_value next = gen_op(g, IR_ADD, phis[VARIABLES], one, 0);
        uint32_t from = g->block;
        if (test_first) {
            gen_jump(g, &again);
        } else {
            ir_value condition = gen_op(g, swap ? IR_GEU : IR_LTU, next, limit, 0);
            gen_branch(g, condition, swap ? &out : &again, swap ? &again : &out);
        }
        for (unsigned v = 0; v <= VARIABLES; v++)
            g->func->phi_args.at[ir_at(g->func, phis[v])->args[0] + 1] = v < VARIABLES ? g->variables[v] : next;
        struct ir_block *block = &g->func->blocks.at[from];
        *cy_vec_push(&g->func->blocks.at[header].preds) = from;
        if (block->terminator == IR_BRANCH) {
            block->succ[swap ? 1 : 0] = header;
        } else {
            block->terminator = IR_JUMP;
            block->succ[0] = header;
            block->succ_count = 1;
        }
        cy_vec_free(&again.edges);
    }
    g->pool.count = pool;
    gen_place(g, &out, ir_new_block(g->func), true);
}

/* Leaves by break, continue or return, mostly under a condition. */
static inline void gen_leave(struct gen *g)
{
    struct gen_label go = {0}, stay = {0};
    bool conditional = !rng_chance(&g->rng, 4);
    size_t pool = g->pool.count;
    if (conditional) {
        gen_branch(g, gen_condition(g), &go, &stay);
        gen_place(g, &go, ir_new_block(g->func), false);
        if (rng_chance(&g->rng, 3))
            gen_straight(g);
    }
    unsigned which = rng_below(&g->rng, 8);
    if (which == 0 || !g->loops)
        gen_jump(g, g->exit);
    else if (which < 4)
        gen_jump(g, g->continues[g->loops - 1]);
    else
        gen_jump(g, g->breaks[which < 7 ? g->loops - 1 : rng_below(&g->rng, g->loops)]);
    g->pool.count = pool;
    if (conditional)
        gen_place(g, &stay, ir_new_block(g->func), false);
}

static inline void gen_code(struct gen *g)
{
    size_t pool = g->pool.count;
    g->depth++;
    for (unsigned n = 1 + rng_below(&g->rng, 3); n-- > 0 && g->is_open;) {
        unsigned what = rng_below(&g->rng, 10);
        bool deep = g->depth > 5 || g->budget == 0;
        if (g->budget)
            g->budget--;
        if (g->callees && g->loops < 2 && rng_chance(&g->rng, 6))
            gen_call(g);
        else if (deep || what < 4)
            gen_straight(g);
        else if (what < 7)
            gen_if(g);
        else if (what < 9 && g->loops < g->max_loops)
            gen_loop(g);
        else if (g->depth > 1)
            gen_leave(g);
        if (g->pool.count > pool + 12 && !g->pressure)
            g->pool.count = pool + 12;
    }
    g->depth--;
}

static inline void gen_start(struct gen *g, struct ir_func *func, const char *name, uint64_t seed, unsigned pressure)
{
    memset(func, 0, sizeof(*func));
    memset(g, 0, sizeof(*g));
    func->name = name;
    func->private_bytes = 512;
    g->rng.state = seed;
    g->func = func;
    g->pressure = pressure;
    g->max_loops = 3;
    g->block = ir_new_block(func);
    g->is_open = true;
}

/* The body, from the existing values; the variables are its results. */
static inline void gen_body(struct gen *g, struct gen_label *exit)
{
    g->exit = exit;
    for (unsigned v = 0; v < VARIABLES; v++)
        g->variables[v] = g->lane;
    for (unsigned v = 0; v < VARIABLES; v += 2)
        g->variables[v] = gen_pick(g);
    for (unsigned i = 0; i < g->pressure; i++) {
        ir_value value = gen_value(g);
        *cy_vec_push(&g->pool) = value;
    }
    while (g->is_open && g->budget)
        gen_code(g);
    if (g->is_open) /* everything is live up to here */
        for (size_t i = 0; i < g->pool.count && g->pressure; i++)
            g->variables[i % VARIABLES] =
                gen_op(g, i % 3 ? IR_XOR : IR_ADD, g->variables[i % VARIABLES], g->pool.at[i], 0);
    gen_jump(g, exit);
    gen_place(g, exit, ir_new_block(g->func), true);
}

/* Function number `index` of a module: it can call those before it. */
static inline void ir_random_function(struct gen *g, struct ir_func *func, const struct ir_module *module, size_t index,
                                      const char *name, uint64_t seed, unsigned pressure)
{
    struct gen_label exit = {0};
    gen_start(g, func, name, seed, pressure);
    g->module = module;
    g->callees = index;
    g->max_loops = 1;
    g->budget = 1 + rng_below(&g->rng, 10);
    g->flag_count = 64 * (unsigned)(index + 1); /* its own stores */
    func->is_function = true;
    func->params = rng_chance(&g->rng, 6) ? 32 : 4 + rng_below(&g->rng, 6);
    func->results = rng_chance(&g->rng, 8) ? 32 : rng_below(&g->rng, 4);
    ir_value params[IR_CALL_REGISTERS];
    for (uint32_t i = 0; i < func->params; i++) {
        params[i] = gen_op(g, IR_PARAM, 0, 0, 0);
        ir_at(func, params[i])->imm = (int32_t)i;
        if (i > 2)
            *cy_vec_push(&g->pool) = params[i];
    }
    g->table = params[0];
    g->output = params[1];
    g->counters = params[2];
    g->lane = gen_op(g, IR_LANE, 0, 0, 0);
    g->frame = gen_op(g, IR_FRAME, 0, 0, 0);
    ir_value zero = gen_const(g, 0);
    for (int32_t i = 0; i < 80; i++) { /* what others left there must not be visible */
        struct ir_insn *store = ir_at(func, gen_op(g, IR_STORE, g->frame, zero, 0));
        store->imm = 4;
        store->extra = 4 * i;
        store->is_private = 1;
    }
    gen_body(g, &exit);
    for (uint32_t i = 0; i < func->results; i++)
        ir_at(func, gen_op(g, IR_RETVAL, g->variables[i % VARIABLES], 0, 0))->imm = (int32_t)i;
    cy_vec_free(&g->pool);
}

/* A whole kernel; ir_analyse_cfg and the rest are left to the caller. */
static inline void ir_random(struct gen *g, struct ir_func *func, const struct ir_module *module, const char *name,
                             uint64_t seed, unsigned pressure, unsigned bulk)
{
    struct gen_label exit = {0};
    gen_start(g, func, name, seed, pressure);
    g->bulk = bulk;
    g->module = module;
    g->callees = module ? module->funcs.count : 0;
    g->budget = 6 + rng_below(&g->rng, 30);
    ir_value arguments = gen_op(g, IR_ARGBASE, 0, 0, 0), values[4];
    for (int i = 0; i < 4; i++) {
        values[i] = gen_op(g, IR_LOAD, arguments, 0, 0);
        ir_at(func, values[i])->imm = 4;
        ir_at(func, values[i])->extra = 4 * i;
    }
    g->lane = gen_op(g, IR_LANE, 0, 0, 0);
    g->table = values[0];
    ir_value shifted = gen_op(g, IR_SHL, g->lane, gen_const(g, 8), 0);
    g->output = gen_op(g, IR_ADD, values[1], shifted, 0);
    g->counters = values[2];
    *cy_vec_push(&g->pool) = values[3];
    *cy_vec_push(&g->pool) = g->lane;
    ir_value tid = gen_op(g, IR_CSR, 0, 0, 0);
    ir_at(func, tid)->imm = CY_CSR_TID;
    *cy_vec_push(&g->pool) = tid;
    gen_body(g, &exit);
    for (unsigned v = 0; v < VARIABLES; v++) {
        ir_value store = gen_op(g, IR_STORE, g->output, g->variables[v], 0);
        ir_at(func, store)->imm = 4;
        ir_at(func, store)->extra = 200 + 4 * (int32_t)v;
    }
    cy_vec_free(&g->pool);
}

#endif
