/* Memory: lw, sw, sz (depth test) and disp.  The lanes of one instruction act in lane order, blocks in block order: a
 * block that runs before its turn reads and writes in its log (order.c). */
#include "epic/epic_priv.h"

/* An address as a word index; a misaligned one, or one beyond 4 GiB of words, becomes too large for any memory. */
static inline uint32_t word_index(uint32_t address)
{
    return address >> 2 | address << 30;
}

static inline uint32_t enabled_mask(const uint32_t *active, const uint32_t *pred, uint32_t always, size_t lane)
{
    return active[lane] & (pred[lane] | always);
}

/* Does an enabled lane have a bad address?  Then the lowest such lane faults. */
static inline bool addresses_are_good(const struct core *core, const struct insn *insn)
{
    const uint32_t *const addresses = core->rows + insn->rs1;
    const uint32_t *const active = core_row(core, ROW_ACTIVE), *const pred = core_row(core, ROW_PRED);
    const uint32_t words = core->memory_words, always = insn->always;
    const size_t lanes = core->stride / CHUNK * CHUNK;
    uint32_t bad = 0;
    for (size_t i = 0; i < lanes; i++)
        bad |= (word_index(addresses[i]) >= words ? UINT32_MAX : 0) & enabled_mask(active, pred, always, i);
    return !bad;
}

static const struct insn *address_fault(struct core *core, const struct insn *insn)
{
    const uint32_t *const addresses = core->rows + insn->rs1;
    uint64_t lanes = cy_epic_enabled(core, insn);
    while (word_index(addresses[lowest_lane(lanes)]) < core->memory_words)
        lanes &= lanes - 1;
    unsigned lane = lowest_lane(lanes);
    return cy_epic_fault(core, insn, addresses[lane] & 3 ? CY_EPIC_FAULT_MISALIGNED : CY_EPIC_FAULT_OUT_OF_RANGE, lane,
                         addresses[lane]);
}

/* ---- before the block's turn ---- */

/* Makes room in the log for what the enabled lanes access.  False: there is none, and the block has waited for its turn
 * (it has no log any more), or is abandoned. */
static bool is_covered(struct core *core, const struct insn *insn, bool is_depth)
{
    const uint32_t *const addresses = core->rows + insn->rs1;
    bool covered = true;
    for (uint64_t lanes = cy_epic_enabled(core, insn); lanes && covered; lanes &= lanes - 1)
        covered = cy_epic_log_cover(core->log, is_depth, addresses[lowest_lane(lanes)] / 4);
    return covered || (cy_epic_take_turn(core), false);
}

static const struct insn *load_early(struct core *core, const struct insn *insn)
{
    const uint32_t *const addresses = core->rows + insn->rs1;
    uint32_t *const rd = core->rows + insn->rd;
    uint32_t values[CY_EPIC_MAX_LANES];
    const uint64_t enabled = cy_epic_enabled(core, insn);
    for (uint64_t lanes = enabled; lanes; lanes &= lanes - 1) /* rd may also be the address row */
        values[lowest_lane(lanes)] =
            cy_epic_log_load(core->log, false, addresses[lowest_lane(lanes)] / 4, core->memory);
    for (uint64_t lanes = enabled; lanes; lanes &= lanes - 1)
        rd[lowest_lane(lanes)] = values[lowest_lane(lanes)];
    return insn + 1;
}

static const struct insn *store_early(struct core *core, const struct insn *insn)
{
    const uint32_t *const addresses = core->rows + insn->rs1, *const values = core->rows + insn->rs2;
    for (uint64_t lanes = cy_epic_enabled(core, insn); lanes; lanes &= lanes - 1)
        cy_epic_log_store(core->log, false, addresses[lowest_lane(lanes)] / 4, values[lowest_lane(lanes)]);
    return insn + 1;
}

static const struct insn *test_depth_early(struct core *core, const struct insn *insn)
{
    const uint32_t *const addresses = core->rows + insn->rs1, *const values = core->rows + insn->rs2;
    uint32_t *const pred = core_row(core, ROW_PRED);
    for (uint64_t lanes = cy_epic_enabled(core, insn); lanes; lanes &= lanes - 1) {
        const unsigned lane = lowest_lane(lanes);
        const uint32_t word = addresses[lane] / 4;
        const uint32_t stored = cy_epic_log_load(core->log, true, word, core->depth);
        const bool nearer = (int32_t)values[lane] < (int32_t)(stored ^ CY_EPIC_DEPTH_FAR);
        if (nearer)
            cy_epic_log_store(core->log, true, word, values[lane] ^ CY_EPIC_DEPTH_FAR);
        pred[lane] = nearer ? UINT32_MAX : 0;
    }
    return insn + 1;
}

/* ---- lw, sw, sz ---- */

const struct insn *cy_exec_epic_lw(struct core *core, const struct insn *insn)
{
    if (!addresses_are_good(core, insn))
        return address_fault(core, insn);
    if (core->log && is_covered(core, insn, false))
        return load_early(core, insn);
    if (core->abandoned)
        return core->end;
    const uint32_t *const addresses = core->rows + insn->rs1;
    const uint32_t *const active = core_row(core, ROW_ACTIVE), *const pred = core_row(core, ROW_PRED);
    uint32_t *const rd = core->rows + insn->rd;
    const guest_word *const memory =
        core->memory; /* a local copy: as far as C knows, the stores below could change the core's */
    const size_t lanes = core->stride;
    const uint32_t always = insn->always;
    for (size_t i = 0; i < lanes; i++) {
        const uint32_t mask = enabled_mask(active, pred, always, i);
        /* A lane that does not load reads word 0 and drops it: cheaper than a branch. */
        const uint32_t value = atomic_load_explicit(&memory[word_index(addresses[i]) & mask], memory_order_relaxed);
        rd[i] = (value & mask) | (rd[i] & ~mask);
    }
    return insn + 1;
}

const struct insn *cy_exec_epic_sw(struct core *core, const struct insn *insn)
{
    if (!addresses_are_good(core, insn))
        return address_fault(core, insn);
    if (core->log && is_covered(core, insn, false))
        return store_early(core, insn);
    if (core->abandoned)
        return core->end;
    const uint32_t *const addresses = core->rows + insn->rs1, *const values = core->rows + insn->rs2;
    const uint32_t *const active = core_row(core, ROW_ACTIVE), *const pred = core_row(core, ROW_PRED);
    guest_word *const memory = core->memory;
    const size_t lanes = core->stride;
    const uint32_t always = insn->always;
    for (size_t i = 0; i < lanes; i++)
        if (enabled_mask(active, pred, always, i))
            atomic_store_explicit(&memory[word_index(addresses[i])], values[i], memory_order_relaxed);
    return insn + 1;
}

/* True, with the pixel's depth lowered, if the new depth is nearer.  Only one block at a time gets here. */
static bool depth_test(guest_word *depth, int32_t value)
{
    if (value >= (int32_t)(atomic_load_explicit(depth, memory_order_relaxed) ^ CY_EPIC_DEPTH_FAR))
        return false;
    atomic_store_explicit(depth, (uint32_t)value ^ CY_EPIC_DEPTH_FAR, memory_order_relaxed);
    return true;
}

const struct insn *cy_exec_epic_sz(struct core *core, const struct insn *insn)
{
    if (!addresses_are_good(core, insn))
        return address_fault(core, insn);
    if (core->log && is_covered(core, insn, true))
        return test_depth_early(core, insn);
    if (core->abandoned)
        return core->end;
    const uint32_t *const addresses = core->rows + insn->rs1, *const values = core->rows + insn->rs2;
    const uint32_t *const active = core_row(core, ROW_ACTIVE);
    uint32_t *const pred = core_row(core, ROW_PRED);
    for (uint32_t i = 0; i < core->stride; i++)
        if (enabled_mask(active, pred, insn->always, i))
            pred[i] = depth_test(&core->depth[word_index(addresses[i])], (int32_t)values[i]) ? UINT32_MAX : 0;
    return insn + 1;
}

/* Lanes that show the same frame buffer together show one frame; different ones are shown in lane order. */
const struct insn *cy_exec_epic_disp(struct core *core, const struct insn *insn)
{
    const uint32_t *const addresses = core->rows + insn->rs1;
    const struct cy_epic_config *config = &core->device->config;
    const uint64_t frame_words = (uint64_t)config->width * config->height;
    const uint64_t enabled = cy_epic_enabled(core, insn);
    for (uint64_t lanes = enabled; lanes; lanes &= lanes - 1) {
        unsigned lane = lowest_lane(lanes);
        if (addresses[lane] & 3)
            return cy_epic_fault(core, insn, CY_EPIC_FAULT_MISALIGNED, lane, addresses[lane]);
        if (addresses[lane] / 4 + frame_words > core->memory_words)
            return cy_epic_fault(core, insn, CY_EPIC_FAULT_OUT_OF_RANGE, lane, addresses[lane]);
    }
    if (enabled && core->log && !cy_epic_take_turn(core))
        return core->end;
    for (uint64_t lanes = enabled; lanes;) {
        uint32_t address = addresses[lowest_lane(lanes)];
        if (!cy_epic_show(core, address)) {
            core->abandoned = true;
            core->live = 0;
            return core->end;
        }
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            if (addresses[lowest_lane(rest)] == address)
                lanes &= ~((uint64_t)1 << lowest_lane(rest));
    }
    return insn + 1;
}
