/* Instructions as the tools see them, decoded once per launch, and the function that the engine calls. */
#include "check/check_priv.h"

#include "isa/isa.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* ---- decoding ---- */

void effects_of(const struct cy_insn *insn, struct cy_effects *effects)
{
    struct cy_insn prefix; /* the generations agree on all instructions, but not on prefixes */
    const bool is_first = insn->prefix && !cy_decode_word(CY_GEN2, insn->prefix, &prefix);
    cy_effects(is_first ? CY_GEN1 : CY_GEN2, insn, effects);
}

static enum op_kind kind_of(const struct cy_effects *effects)
{
    const struct cy_effects_access *access = &effects->access;
    const struct cy_operand *data = cy_effects_operand(effects, access->writes ? CY_ROLE_DATA : CY_ROLE_RESULT);
    const bool is_word = access->bytes == 4 && data && data->bits == 32;
    switch ((enum cy_addressing)access->addressing) {
    case CY_ADDRESS_SCALAR: return OP_SCALAR;
    case CY_ADDRESS_LANE: return access->atomic ? OP_AMO : access->space == CY_SPACE_PRIVATE ? OP_PRIVATE : OP_LANES;
    case CY_ADDRESS_UNIT: return is_word ? OP_UNIT : OP_NONE;
    case CY_ADDRESS_STRIDED: return is_word ? OP_STRIDED : OP_NONE;
    case CY_ADDRESS_INDEXED: return access->index_bytes == 4 ? OP_INDEXED : OP_NONE;
    default: return OP_NONE;
    }
}

static uint8_t number_of(const struct cy_effects *effects, enum cy_role role)
{
    const struct cy_operand *operand = cy_effects_operand(effects, role);
    return operand ? (uint8_t)operand->value : 0;
}

/* Registers: a has the address, d what is loaded; b what is stored, but for vectors with a scalar base: theirs is in d, and b has the
 * stride or the indices. */
static void set_registers(struct op *op, const struct cy_effects *effects)
{
    const bool is_vector =
        op->kind == OP_UNIT || op->kind == OP_STRIDED || op->kind == OP_INDEXED || op->kind == OP_NONE;
    op->a = number_of(effects, CY_ROLE_BASE);
    op->d = number_of(effects, op->store && is_vector ? CY_ROLE_DATA : CY_ROLE_RESULT);
    op->b = number_of(effects, op->kind == OP_STRIDED   ? CY_ROLE_STRIDE
                               : op->kind == OP_INDEXED ? CY_ROLE_INDEX
                               : op->atomic             ? CY_ROLE_B
                                                        : CY_ROLE_DATA);
}

static void decode_access(struct op *op, const struct cy_effects *effects)
{
    const struct cy_effects_access *access = &effects->access;
    const struct cy_expr *expr = effects->expr;
    op->kind = (uint8_t)kind_of(effects);
    op->store = access->writes;
    op->atomic = access->atomic;
    op->wide = access->is_far;
    op->size = access->bytes;
    op->words = access->words;
    op->align = access->align;
    op->space = effects->row->flags & CY_F_PRIVATE ? CY_SPACE_DEFAULT : access->space;
    op->imm = access->offset;
    op->masked = effects->is_masked;
    op->may_read = expr && expr->kind == CY_EXPR_BINARY && expr->op == CY_EXPR_OR;
    set_registers(op, effects);
}

static bool wants(void *context, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_check_launch *l = context;
    struct cy_effects effects;
    if (!l->op_count)
        l->base = pc;
    const uint32_t index = (pc - l->base) / 4;
    if (index >= l->op_count) {
        const uint32_t more = index + 1024;
        struct op *ops = cy_try_realloc(l->ops, more * sizeof(*ops));
        if (!ops) {
            l->no_memory = true;
            return false;
        }
        memset(ops + l->op_count, 0, (more - l->op_count) * sizeof(*ops));
        l->ops = ops;
        l->op_count = more;
    }
    struct op *op = &l->ops[index];
    op->insn = insn;
    op->low = UINT64_MAX;
    effects_of(insn, &effects);
    const bool is_memory = effects.access.addressing != CY_ADDRESS_NONE;
    if (is_memory) {
        decode_access(op, &effects);
        uint32_t *site = op->kind != OP_NONE && l->sites.count < SITE_NUMBER ? cy_vec_try_push(&l->sites) : NULL;
        if (site)
            *site = pc;
        op->site = (uint16_t)((site ? l->sites.count : 0) | (op->atomic ? SITE_ATOMIC : 0) |
                              (op->atomic && !op->store ? SITE_READS : 0));
    }
    if (is_memory && op->kind == OP_NONE && l->tools & CY_CHECK_INIT) {
        init_decode(op, insn, &effects); /* not followed: what it loads is defined */
    } else if (effects.flow == CY_FLOW_BARRIER) {
        op->kind = OP_BARRIER;
        op->imm = cy_insn_field(insn, CY_FIELD_zimm5, 0);
    } else if (effects.flow == CY_FLOW_END) {
        op->kind = OP_END;
    } else if (!is_memory && l->tools & CY_CHECK_INIT) {
        init_decode(op, insn, &effects);
    }
    return op->kind != OP_NONE;
}

/* Is the register read from here on, before it is written?  Looks a few instructions and branches ahead. */
static bool is_read(const struct cy_check_launch *l, uint32_t at, unsigned number, unsigned branches)
{
    for (unsigned steps = 0; steps < 64; steps++, at++) {
        const struct cy_insn *insn = at < l->op_count ? l->ops[at].insn : NULL;
        struct cy_effects effects;
        if (!insn)
            return true;
        effects_of(insn, &effects);
        at += insn->prefix != 0;
        if (cy_regs_has_v(&effects.reads, number))
            return true;
        if (cy_regs_has_v(&effects.writes, number) || effects.flow == CY_FLOW_END)
            return false;
        if (effects.flow == CY_FLOW_BRANCH || effects.flow == CY_FLOW_VECTOR_BRANCH) {
            if (!branches || is_read(l, at + (uint32_t)(effects.distance / 4), number, branches - 1))
                return true;
        } else if (effects.flow == CY_FLOW_JUMP || effects.flow == CY_FLOW_INDIRECT) {
            return true;
        }
    }
    return true;
}

/* The code of this kernel, as indices in `ops`; everything if it calls functions, or that is not known. */
static void own_code(const struct cy_check_launch *l, uint32_t *first, uint32_t *end)
{
    const struct cy_object *object = &l->program.object;
    *first = 0;
    *end = l->op_count;
    for (size_t i = 0; l->has_private && !l->has_calls && i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (symbol->type != CY_STT_FUNC || !symbol->size || strcmp(symbol->name, l->kernel) != 0)
            continue;
        const uint32_t at = (symbol->value - l->base) / 4, after = at + symbol->size / 4;
        *first = at < l->op_count ? at : 0;
        *end = after < l->op_count ? after : l->op_count;
    }
}

/* Work-items wait for each other by looking at what an atomic operation returns, or fence. */
static void find_waits(struct cy_check_launch *l)
{
    uint32_t first, end;
    bool looks = false, fences = false;
    own_code(l, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        looks |= l->tracks_sync && !looks && l->ops[i].kind == OP_AMO &&
                 is_read(l, i + l->ops[i].insn->size / 4, l->ops[i].d, 3);
        fences |= l->ops[i].insn && cy_insns[l->ops[i].insn->op].flags & CY_F_FENCE;
    }
    l->tracks_sync = looks || fences;
}

/* ---- the launch, as its first warp sees it ---- */

static void learn(struct cy_check_launch *l, const struct cy_warp *warp)
{
    const uint8_t *knl = warp->memory_base + warp->knl;
    uint32_t stack;
    l->memory = warp->memory_base;
    memcpy(l->global_size, knl + CY_KNL_GL_SIZE, sizeof(l->global_size));
    memcpy(l->local_size, knl + CY_KNL_LC_SIZE, sizeof(l->local_size));
    memcpy(l->offset, knl + CY_KNL_GL_OFFSET, sizeof(l->offset));
    memcpy(&stack, knl + CY_KNL_LDS_STACK_SIZE_PER_WF, sizeof(stack));
    for (unsigned i = 0; i < 3; i++)
        l->grid[i] = (uint32_t)(((uint64_t)l->global_size[i] + l->local_size[i] - 1) / l->local_size[i]);
    l->group_items = l->local_size[0] * l->local_size[1] * l->local_size[2];
    while (l->shift < 31 && 1u << l->shift <= l->group_items) /* one number more, for asynchronous copies */
        l->shift++;
    l->lanes = warp->numt;
    l->stack = stack;
    place_locals(l, stack * warp->numw);
    find_waits(l);
    l->is_known = true;
}

/* The warps of this one's group that have work-items: fewer at the border of the range. */
static unsigned count_warps(const struct cy_check_launch *l, const struct cy_warp *warp)
{
    uint32_t inside[3];
    unsigned count = 0;
    bool whole = true;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t left = l->global_size[i] - warp->gid[i] * l->local_size[i];
        inside[i] = left < l->local_size[i] ? left : l->local_size[i];
        whole &= inside[i] == l->local_size[i];
    }
    for (uint32_t first = 0; !whole && first < l->group_items; first += warp->numt) {
        bool any = false;
        for (uint32_t item = first; item < first + warp->numt && item < l->group_items; item++)
            any |= item % l->local_size[0] < inside[0] && item / l->local_size[0] % l->local_size[1] < inside[1] &&
                   item / l->local_size[0] / l->local_size[1] < inside[2];
        count += any;
    }
    return whole ? warp->numw : count;
}

static struct group *group_of(struct cy_check_launch *l, const struct cy_warp *warp)
{
    const uint32_t number = warp->number / warp->numw;
    struct group *group = l->groups;
    for (; group; group = group->next)
        if (group->number == number && group->ended < group->warps)
            return group;
    group = cy_try_alloc(sizeof(*group));
    struct cell *cells = cy_try_alloc((warp->lds_size / 4 + 1) * sizeof(*cells));
    if (!group || !cells) {
        cy_free(group);
        cy_free(cells);
        return NULL;
    }
    group->number = number;
    group->first = number << l->shift;
    group->lds = warp->lds;
    group->lds_size = warp->lds_size;
    group->stacks = l->stacks;
    group->local = cells;
    group->warps = count_warps(l, warp);
    group->fewest_at_end = group->fewest_asyncs = UINT_MAX;
    group->next = l->groups;
    l->groups = group;
    return group;
}

static void free_group(struct cy_check_launch *l, struct group *group)
{
    struct group **at = &l->groups;
    while (*at != group)
        at = &(*at)->next;
    *at = group->next;
    cy_free(group->local);
    cy_vec_free(&group->barriers);
    cy_vec_free(&group->asyncs);
    cy_vec_free(&group->waits);
    cy_free(group);
}

/* The state of a warp; a slot of the machine that holds a new warp begins anew.  NULL: no memory. */
static struct warp_state *state_of(struct cy_check_launch *l, struct cy_warp *warp)
{
    struct warp_state *state = warp->watched;
    if (LIKELY(state != NULL))
        return state;
    if (!l->is_known)
        learn(l, warp);
    state = l->spare;
    if (state)
        l->spare = state->next_spare;
    else if ((state = cy_try_alloc(sizeof(*state)))) {
        state->next = l->warps;
        l->warps = state;
    }
    if (!state)
        return NULL;
    *state = (struct warp_state){
        .next = state->next, .v = state->v, .image_at = state->image_at, .poll.v = state->poll.v, .order = ORDER_OLD};
    state->group = group_of(l, warp);
    if (!state->group) {
        l->no_memory = true;
        return NULL;
    }
    warp->watched = state;
    if (l->tools & CY_CHECK_INIT && l->private_bytes)
        init_forget_private(l, warp);
    return state;
}

static void end_warp(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc)
{
    struct group *group = state->group;
    sync_end(l, warp, state, pc);
    warp->watched = NULL;
    state->group = NULL;
    l->changes++;
    state->next_spare = l->spare;
    l->spare = state;
    /* a group at the border may have warps without work-items, which never start */
    if (++group->ended >= group->warps)
        free_group(l, group);
}

static uint64_t stop(struct cy_warp *warp, enum cy_fault_kind kind, int lane)
{
    warp->fault.kind = kind;
    warp->fault.lane = lane;
    return UINT64_MAX;
}

/* ---- accesses ---- */

static bool is_local(const struct access *a, uint32_t address)
{
    return address >= CY_LDS_BASE && address < CY_LDS_END && !a->base;
}

/* The range of the addresses and their common bits.  Most accesses are those of all lanes. */
struct span {
    uint32_t low, high, bits;
};

/* The common case: everything inside the object that this instruction used last. */
static bool is_quick(const struct op *op, const struct access *a, const struct span *span)
{
    if (span->bits & (op->align - 1u))
        return false;
    if (is_local(a, span->low))
        return span->low - a->warp->lds >= op->local_start &&
               (uint64_t)span->high - a->warp->lds + op->size <= op->local_end;
    return (a->base | span->low) >= op->start && (a->base | span->high) + op->size <= op->end;
}

static struct span span_of(const uint32_t *address, uint64_t lanes, unsigned count)
{
    struct span span = {UINT32_MAX, 0, 0};
    if (lanes == (count == 64 ? UINT64_MAX : (1ull << count) - 1)) {
        for (unsigned i = 0; i < count; i++) {
            span.low = address[i] < span.low ? address[i] : span.low;
            span.high = address[i] > span.high ? address[i] : span.high;
            span.bits |= address[i];
        }
        return span;
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint32_t at = address[__builtin_ctzll(left)];
        span.low = at < span.low ? at : span.low;
        span.high = at > span.high ? at : span.high;
        span.bits |= at;
    }
    return span;
}

/* Races, definedness; the lanes that memory.c refused do not count. */
static void tools(struct cy_check_launch *l, struct access *a, struct span span)
{
    const bool local = is_local(a, span.low);
    const uint64_t low = a->base | span.low, high = a->base | span.high;
    if (!a->lanes)
        return;
    if (local != is_local(a, span.high)) { /* generic pointers into both */
        const uint64_t lanes = a->lanes;
        uint64_t in_local = 0;
        for (uint64_t left = lanes; left; left &= left - 1)
            in_local |= (uint64_t)is_local(a, a->address[__builtin_ctzll(left)]) << __builtin_ctzll(left);
        a->lanes = in_local;
        tools(l, a, span_of(a->address, a->lanes, a->warp->numt));
        a->lanes = lanes & ~in_local;
        tools(l, a, span_of(a->address, a->lanes, a->warp->numt));
        a->lanes = lanes;
        return;
    }
    const struct op *op = a->op;
    const bool is_known = local ? span.low - a->warp->lds >= a->state->group->stacks
                                : (low >= op->start && high < op->end) || find_object(&l->global, low);
    if (!is_known) { /* the stack, arguments, print buffers */
        if (local && op->store)
            sync_own_store(l, a);
        if (l->tools & CY_CHECK_INIT)
            init_driver(l, a);
        return;
    }
    if (UNLIKELY(a->state->pending_count) && l->tools & CY_CHECK_RACE)
        sync_pending(l, a, local);
    if (UNLIKELY(local && span.low - a->warp->lds < l->ours_end && span.low - a->warp->lds >= l->ours_start)) {
        if (l->tools & CY_CHECK_INIT)
            init_access(l, a, true);
        return;
    }
    if (!a->uniform && shadow_touch(l, a, local, span.low, span.high))
        return;
    if (l->tools & CY_CHECK_RACE) {
        race_check(l, a, local);
        if (op->atomic && l->tracks_sync)
            order_atomic(l, a, local);
        else
            l->changes += op->store;
    }
    if (l->tools & CY_CHECK_INIT)
        init_access(l, a, local);
}

static uint64_t check_lanes(struct cy_check_launch *l, struct op *op, struct access *a);

/* LLVM may make one load at two addresses out of an undefined value and a load on the other side of a branch. */
static uint64_t check_mixed(struct cy_check_launch *l, struct op *op, struct access *a)
{
    const uint64_t lanes = a->lanes;
    uint64_t notes = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        notes |= (uint64_t)(a->address[lane] >= CY_CHECK_UNDEFINED) << lane;
    }
    a->lanes = notes;
    const uint64_t refused = note_access(l, a);
    a->lanes = lanes & ~notes;
    return refused | check_lanes(l, op, a);
}

static uint64_t check_lanes(struct cy_check_launch *l, struct op *op, struct access *a)
{
    struct span span = a->uniform ? (struct span){a->address[0], a->address[0], a->address[0]}
                                  : span_of(a->address, a->lanes, a->warp->numt);
    uint64_t refused = 0;
    if (UNLIKELY(!a->lanes))
        return 0;
    if (UNLIKELY(span.high >= CY_CHECK_UNDEFINED) && !a->base)
        return span.low >= CY_CHECK_UNDEFINED ? note_access(l, a) : check_mixed(l, op, a);
    if (l->tools & CY_CHECK_MEMORY) {
        if (UNLIKELY(!is_quick(op, a, &span))) {
            refused = memory_check(l, op, a);
        } else if (!is_local(a, span.low)) {
            const uint64_t low = a->base | span.low, high = a->base | span.high;
            op->low = low < op->low ? low : op->low;
            op->high = high > op->high ? high : op->high;
        }
    }
    if (!(l->tools & (CY_CHECK_RACE | CY_CHECK_INIT)))
        return refused;
    if (UNLIKELY(refused)) {
        a->lanes &= ~refused;
        span = span_of(a->address, a->lanes, a->uniform ? 1 : a->warp->numt);
    }
    tools(l, a, span);
    if (!op->store && !op->atomic && a->lanes)
        sync_poll(l, a);
    if (UNLIKELY(a->state->spins >= MOST_SPINS) && sync_hangs(l, a, is_local(a, span.low))) {
        l->stops = 0;
        return stop(a->warp, CY_FAULT_CANCELLED, __builtin_ctzll(a->lanes));
    }
    return refused;
}

static uint64_t check_private(struct cy_check_launch *l, struct op *op, struct access *a)
{
    const uint64_t refused = l->tools & CY_CHECK_MEMORY ? memory_check_private(l, op, a) : 0;
    a->lanes &= ~refused;
    if (op->store)
        sync_own_store(l, a);
    if (l->tools & CY_CHECK_INIT)
        init_private(l, a);
    return refused;
}

static bool has_data_in_d(const struct op *op)
{
    return op->kind == OP_UNIT || op->kind == OP_STRIDED || op->kind == OP_INDEXED;
}

/* One word of each lane, all in the same 4 GiB. */
static uint64_t check_word(struct cy_check_launch *l, struct op *op, struct access *a)
{
    if (op->kind == OP_SCALAR)
        a->data = op->store ? &a->warp->x[op->b] : NULL;
    else
        a->data = op->store ? a->warp->v + (size_t)(has_data_in_d(op) ? op->d : op->b) * a->warp->numt : NULL;
    return op->kind == OP_PRIVATE ? check_private(l, op, a) : check_lanes(l, op, a);
}

/* Several words of each lane go to, or come from, adjacent registers. */
static uint64_t check_words(struct cy_check_launch *l, struct op *op, struct access *a)
{
    const uint64_t lanes = a->lanes;
    /* no lane executes a note, but all its words count */
    const bool is_note = !a->base && lanes && a->address[__builtin_ctzll(lanes)] >= CY_CHECK_UNDEFINED;
    uint64_t refused = 0;
    struct op part = *op;
    a->op = &part;
    for (unsigned i = 0; i < op->words && (is_note || lanes & ~refused); i++) {
        a->lanes = is_note ? lanes : lanes & ~refused;
        refused |= check_word(l, &part, a);
        part.d++;
        part.b = (uint8_t)(part.b + (op->kind != OP_STRIDED && op->kind != OP_INDEXED));
        part.align = op->size;
        for (unsigned lane = 0; lane < (a->uniform ? 1 : a->warp->numt); lane++)
            a->address[lane] += 4;
    }
    op->start = part.start, op->end = part.end, op->low = part.low, op->high = part.high;
    op->local_start = part.local_start, op->local_end = part.local_end;
    return refused;
}

/* Addresses of 64 bits, and those in a space that a prefix names. */
static void far_addresses(const struct cy_warp *warp, const struct op *op, uint32_t *low, uint32_t *high)
{
    const uint32_t *row = warp->v + (size_t)op->a * warp->numt, *row_high = row + warp->numt;
    const uint32_t *index = warp->v + (size_t)op->b * warp->numt;
    const uint64_t scalar = warp->x[op->a] | (op->wide && op->a ? (uint64_t)warp->x[(op->a + 1) & 63] << 32 : 0);
    const uint64_t added = op->space == CY_SPACE_LOCAL ? warp->lds : op->space == CY_SPACE_GLOBAL ? warp->run->gds : 0;
    for (unsigned i = 0; i < (op->kind == OP_SCALAR ? 1 : warp->numt); i++) {
        uint64_t at = scalar;
        switch ((enum op_kind)op->kind) {
        case OP_SCALAR: at += (uint64_t)(int64_t)op->imm; break;
        case OP_UNIT: at += 4ull * op->words * i; break;
        case OP_STRIDED: at += (uint64_t)((int64_t)i * (int32_t)warp->x[op->b & 63]); break;
        case OP_INDEXED: at += index[i]; break;
        default: at = (row[i] | (op->wide ? (uint64_t)row_high[i] << 32 : 0)) + (uint64_t)(int64_t)op->imm; break;
        }
        at = op->wide ? at + added : (uint32_t)at + added;
        low[i] = (uint32_t)at;
        high[i] = op->wide ? (uint32_t)(at >> 32) : 0;
    }
}

static uint64_t check_far(struct cy_check_launch *l, struct op *op, struct access *a)
{
    uint32_t high[CY_MAX_LANES], low[CY_MAX_LANES];
    uint64_t refused = 0;
    if (op->space == CY_SPACE_PRIVATE && op->kind != OP_PRIVATE) /* by a scalar or a whole vector: nobody's variable */
        return 0;
    far_addresses(a->warp, op, low, high);
    for (uint64_t left = a->lanes; left;) {
        const uint32_t first = high[__builtin_ctzll(left)];
        uint64_t same = 0;
        for (uint64_t rest = left; rest; rest &= rest - 1)
            same |= (uint64_t)(high[__builtin_ctzll(rest)] == first) << __builtin_ctzll(rest);
        a->base = (uint64_t)first << 32;
        a->lanes = same;
        memcpy(a->address, low, (a->uniform ? 1 : a->warp->numt) * sizeof(*low));
        a->op = op;
        refused |= op->words > 1 ? check_words(l, op, a) : check_word(l, op, a);
        left &= ~same;
    }
    return refused;
}

static uint64_t masked_lanes(const struct cy_warp *warp)
{
    uint64_t lanes = 0;
    for (unsigned i = 0; i < warp->numt; i++)
        lanes |= (uint64_t)(warp->run->mask_per_lane ? warp->v[i] & 1 : warp->v[i >> 5] >> (i & 31) & 1) << i;
    return lanes;
}

static uint64_t check_access(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc,
                             struct op *op)
{
    uint32_t address[CY_MAX_LANES];
    const uint32_t *row = warp->v + (size_t)op->a * warp->numt, *index = warp->v + (size_t)op->b * warp->numt;
    struct access a = {.op = op, .warp = warp, .state = state, .pc = pc, .lanes = warp->active, .address = address};
    a.uniform = op->kind == OP_SCALAR;
    if (a.uniform)
        a.lanes = warp->active != 0;
    if (UNLIKELY(op->masked))
        a.lanes &= masked_lanes(warp);
    if (l->tools & CY_CHECK_INIT)
        init_address(l, &a);
    if (op->wide || op->words > 1 || op->space || op->kind == OP_STRIDED)
        return check_far(l, op, &a);
    if (a.uniform)
        address[0] = warp->x[op->a] + (uint32_t)op->imm;
    else if (has_data_in_d(op))
        for (unsigned i = 0; i < warp->numt; i++)
            address[i] = warp->x[op->a] + (op->kind == OP_UNIT ? 4 * i : index[i]);
    else
        for (unsigned i = 0; i < warp->numt; i++)
            address[i] = row[i] + (uint32_t)op->imm;
    return check_word(l, op, &a);
}

static uint64_t dispatch(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc,
                         struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_LANES:
    case OP_PRIVATE:
    case OP_SCALAR:
    case OP_UNIT:
    case OP_STRIDED:
    case OP_INDEXED:
    case OP_AMO: return check_access(l, warp, state, pc, op);
    case OP_BARRIER: sync_barrier(l, warp, state, pc, (unsigned)op->imm); return 0;
    case OP_END: end_warp(l, warp, state, pc); return 0;
    default: init_step(l, warp, state, pc, op); return 0;
    }
}

static uint64_t check(void *context, struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_check_launch *l = context;
    struct op *op = &l->ops[(pc - l->base) / 4];
    struct warp_state *state = state_of(l, warp);
    (void)insn;
    if (UNLIKELY(!state))
        return 0;
    if (UNLIKELY(state->paused)) { /* what there is to say about it has been said */
        state->paused = false;
        warp->fault.kind = CY_FAULT_NONE;
        return state->refused;
    }
    state->at_barrier = op->kind == OP_BARRIER;
    const uint64_t refused = dispatch(l, warp, state, pc, op);
    if (LIKELY(!l->stops) || op->kind == OP_END) {
        l->stops = 0; /* a warp that ends is not stopped */
        return refused;
    }
    const uint32_t lane = l->stops - 1 - state->group->first - warp->tid;
    l->stops = 0;
    state->paused = true;
    state->refused = refused;
    return stop(warp, CY_FAULT_PAUSED, lane < warp->numt ? (int)lane : -1);
}

static bool set_tool(void *context, const char *name, bool on)
{
    struct cy_check_launch *l = context;
    unsigned tools;
    const char *bad;
    size_t length;
    if (!cy_check_parse_tools(name, &tools, &bad, &length))
        return false;
    l->tools = on ? l->tools | tools : l->tools & ~tools;
    l->check->options.tools = l->tools;
    return true;
}

void observe_init(struct cy_check_launch *l)
{
    l->observer = (struct cy_observer){.context = l, .wants = wants, .check = check, .tool = set_tool};
}

void observe_free(struct cy_check_launch *l)
{
    while (l->groups)
        free_group(l, l->groups);
    for (struct warp_state *next; l->warps; l->warps = next) {
        next = l->warps->next;
        cy_free(l->warps->v);
        cy_free(l->warps->image_at);
        cy_free(l->warps->poll.v);
        cy_free(l->warps);
    }
    cy_free(l->ops);
    cy_vec_free(&l->sites);
}
