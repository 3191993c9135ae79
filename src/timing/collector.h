/* Operand collectors and register banks.
 *
 * Each cycle a unit requests every missing operand, a bank reads one of those requested, and in the next cycle a few of
 * the operands read (in the Verilog: one, of the lowest bank) reach their unit; the others are requested again.  An
 * operand is still requested in the cycle in which it arrives, so it can cost its bank two reads.
 *
 * For pipeline.c alone, a header because every cycle is here. */
#ifndef CY_TIMING_COLLECTOR_H
#define CY_TIMING_COLLECTOR_H

#include "timing/model.h"

/* A bank's turn goes round those that want it, one per cycle, also while its operand does not get through.  Nobody needs to know
 * where it is until somebody comes or goes, or the bank is among the lowest. */
static inline void catch_up(struct sm *sm, unsigned bank, uint64_t cycle)
{
    enum { SOME = 6 }; /* turns that are counted one by one */
    const uint64_t wants = sm->wants[bank];
    uint64_t turns = cycle - sm->bank_since[bank];
    if (!turns)
        return;
    sm->bank_since[bank] = cycle;
    if (!wants)
        return;
    uint64_t last = wants;
    if (wants & (wants - 1)) {
        uint64_t left = wants & sm->bank_after[bank];
        if (turns > SOME)
            turns = (turns - 1) % (unsigned)__builtin_popcountll(wants) + 1;
        for (; turns; turns--) {
            left = left ? left : wants;
            last = left & -left;
            left ^= last;
        }
    }
    sm->bank_after[bank] = -last ^ last;
}

/* The operand that a bank read in the last cycle, if its unit still lacks it.  No unit has taken another instruction since. */
static inline bool is_wanted(const struct sm *sm, unsigned bank)
{
    return sm->wants[bank] >> sm->granted[bank] & 1;
}

/* Accepts the instructions issued in the last cycle; those that find no unit wait, and nothing issues. */
static inline void accept(struct sm *sm)
{
    uint32_t free_units = ~sm->units_used & sm->units_all;
    const uint32_t banks = sm->p.register_banks - 1;
    unsigned kept = 0;
    for (unsigned i = 0; i < sm->staged_count; i++) {
        if (!free_units) {
            sm->staged[kept++] = sm->staged[i];
            continue;
        }
        const unsigned at = (unsigned)__builtin_ctz(free_units);
        struct unit *unit = &sm->units[at];
        *unit = sm->staged[i];
        const struct op *op = unit->op;
        const unsigned count = op->source_count, warp = unit->warp;
        const uint32_t bit = free_units & -free_units;
        free_units ^= bit;
        sm->units_used |= bit;
        if (!count)
            sm->units_ready |= bit; /* seen by the units in the next cycle */
        sm->lacking |= ((1ull << count) - 1) << at * 4;
        for (unsigned k = 0; k < count; k++) {
            const uint16_t reg = op->source[k];
            const unsigned bank = ((warp + reg) & banks) * 2 + (reg / VECTOR_REGISTER & 1);
            catch_up(sm, bank, sm->now - 1); /* its turns until the last cycle were among the others */
            sm->wants[bank] |= 1ull << (at * 4 + k);
            sm->wanted |= 1u << bank;
        }
    }
    sm->staged_count = kept;
}

static inline void grant(struct sm *sm, unsigned bank)
{
    const uint64_t wants = sm->wants[bank];
    uint64_t later = wants;
    if (wants & (wants - 1)) { /* else it does not matter whose turn it is */
        catch_up(sm, bank, sm->now - 1);
        later &= sm->bank_after[bank];
        later = later ? later : wants;
    }
    const unsigned id = (unsigned)__builtin_ctzll(later);
    sm->granted[bank] = (uint8_t)id;
    sm->bank_after[bank] = ~1ull << id;
    sm->bank_since[bank] = sm->now;
}

static inline void take_operand(struct sm *sm, unsigned bank, unsigned id)
{
    catch_up(sm, bank, sm->now);
    const uint64_t wants = sm->wants[bank] & ~(1ull << id);
    sm->wants[bank] = wants;
    sm->wanted &= ~((uint32_t)!wants << bank);
    const uint64_t lacking = sm->lacking & ~(1ull << id);
    sm->lacking = lacking;
    sm->units_done |= (uint32_t) !(lacking >> (id & ~3u) & 15) << id / 4;
}

/* With one port, as in the Verilog, only the lowest bank matters.  Returns whether there was anything to do, as a number other than 0. */
static inline __attribute__((always_inline)) uint32_t cycle_one_port(struct sm *sm)
{
    const uint32_t granted = sm->granted_banks, done = sm->units_done, staged = sm->staged_count;
    unsigned bank = 0, id = 0;
    bool delivers = false;
    if (granted) {
        bank = (unsigned)__builtin_ctz(granted);
        id = sm->granted[bank];
        delivers = is_wanted(sm, bank);
    }
    if (staged)
        accept(sm);
    const uint32_t wanted = sm->wanted;
    sm->granted_banks = wanted;
    if (wanted)
        grant(sm, (unsigned)__builtin_ctz(wanted));
    sm->units_ready |= done;
    sm->units_done = 0;
    if (delivers)
        take_operand(sm, bank, id);
    return granted | wanted | done | staged;
}

static inline uint32_t cycle_ports(struct sm *sm, uint32_t ports)
{
    const uint32_t activity = sm->granted_banks | sm->wanted | sm->units_done | sm->staged_count;
    uint32_t left = ports, delivered = 0; /* banks */
    uint8_t ids[2 * MOST_BANKS];
    for (uint32_t banks = sm->granted_banks; banks && left; banks &= banks - 1, left--) {
        const unsigned bank = (unsigned)__builtin_ctz(banks);
        ids[bank] = sm->granted[bank];
        delivered |= (uint32_t)is_wanted(sm, bank) << bank;
    }
    if (sm->staged_count)
        accept(sm);
    sm->granted_banks = sm->wanted;
    left = ports;
    for (uint32_t banks = sm->wanted; banks && left; banks &= banks - 1, left--)
        grant(sm, (unsigned)__builtin_ctz(banks));
    sm->units_ready |= sm->units_done;
    sm->units_done = 0;
    for (; delivered; delivered &= delivered - 1)
        take_operand(sm, (unsigned)__builtin_ctz(delivered), ids[__builtin_ctz(delivered)]);
    return activity;
}

static inline __attribute__((always_inline)) uint32_t collector_cycle(struct sm *sm, bool has_one_port)
{
    if (has_one_port || sm->p.collector_ports == 1)
        return cycle_one_port(sm);
    return cycle_ports(sm, sm->p.collector_ports);
}

#endif
