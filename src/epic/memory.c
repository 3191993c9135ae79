/* Memory: lw, sw, sz (depth test) and disp.  The lanes of one instruction act in the order of their numbers. */
#include "epic/epic_priv.h"

/* An address as a word index; what is misaligned or beyond 4 GiB of words becomes too large for any memory. */
static inline uint32_t word_index(uint32_t address)
{
    return address >> 2 | address << 30;
}

static inline uint32_t enabled_mask(const uint32_t *active, const uint32_t *pred, uint32_t always, size_t lane)
{
    return active[lane] & (pred[lane] | always);
}

/* Is there an enabled lane whose address is wrong?  Then the lowest one faults. */
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

const struct insn *cy_exec_epic_lw(struct core *core, const struct insn *insn)
{
    if (!addresses_are_good(core, insn))
        return address_fault(core, insn);
    const uint32_t *const addresses = core->rows + insn->rs1;
    const uint32_t *const active = core_row(core, ROW_ACTIVE), *const pred = core_row(core, ROW_PRED);
    uint32_t *const rd = core->rows + insn->rd;
    const guest_word *const memory =
        core->memory; /* local: the stores below could change the core's, for all C knows */
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

/* True and the pixel's depth lowered, if the new depth is nearer. */
static bool depth_test(guest_word *depth, int32_t value)
{
    uint32_t stored = atomic_load_explicit(depth, memory_order_relaxed);
    while (value < (int32_t)(stored ^ CY_EPIC_DEPTH_FAR))
        if (atomic_compare_exchange_weak_explicit(depth, &stored, (uint32_t)value ^ CY_EPIC_DEPTH_FAR,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

const struct insn *cy_exec_epic_sz(struct core *core, const struct insn *insn)
{
    if (!addresses_are_good(core, insn))
        return address_fault(core, insn);
    const uint32_t *const addresses = core->rows + insn->rs1, *const values = core->rows + insn->rs2;
    const uint32_t *const active = core_row(core, ROW_ACTIVE);
    uint32_t *const pred = core_row(core, ROW_PRED);
    for (uint32_t i = 0; i < core->stride; i++)
        if (enabled_mask(active, pred, insn->always, i))
            pred[i] = depth_test(&core->depth[word_index(addresses[i])], (int32_t)values[i]) ? UINT32_MAX : 0;
    return insn + 1;
}

/* Lanes that show the same frame buffer together show one frame; different ones are shown in the order of the lanes. */
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
