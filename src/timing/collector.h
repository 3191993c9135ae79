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

/* Most machines have at most 8 collector units and 8 banks: their operands are 32 bits for each bank, and the turns of all banks are
 * taken at once, four to a vector. */
typedef uint32_t bank_lanes __attribute__((vector_size(16), may_alias));

/* The operands of an instruction are added to their banks in registers: a vector that is loaded soon after a part of it was stored
 * would stall the host. */
static inline void narrow_want(bank_lanes wants[2], const uint8_t operands[NARROW_BANKS], unsigned unit)
{
    typedef uint8_t bank_bytes __attribute__((vector_size(4), may_alias));
    for (unsigned i = 0; i < 2; i++)
        wants[i] |= __builtin_convertvector(*(const bank_bytes *)&operands[4 * i], bank_lanes) << unit * 4;
}

/* Each bank reads an operand; the one that has arrived is not wanted any more, and no other bank has it. */
static inline void narrow_grant(struct narrow_banks *banks, const bank_lanes wants[2], uint32_t arrived)
{
    for (unsigned i = 0; i < 2; i++) {
        bank_lanes *after = (bank_lanes *)&banks->after[4 * i];
        const bank_lanes rest = wants[i] & *after;
        const bank_lanes later = rest | (wants[i] & (bank_lanes)(rest == 0)); /* it starts over */
        const bank_lanes granted = later & -later;
        *(bank_lanes *)&banks->granted[4 * i] = granted;
        *after = (*after & (bank_lanes)(granted == 0)) | (-granted ^ granted);
        *(bank_lanes *)&banks->wants[4 * i] = wants[i] & ~arrived;
    }
}

/* Accepts the instructions issued in the last cycle; those that find no unit wait, and nothing issues. */
static inline __attribute__((always_inline)) void accept(struct sm *sm, bank_lanes *narrow)
{
    uint32_t free_units = ~sm->units_used & sm->units_all;
    unsigned kept = 0;
    for (unsigned i = 0; i < sm->staged_count; i++) {
        if (!free_units) {
            struct unit *unit = sm->staged[i];
            sm->staged[i] = sm->staged[kept];
            sm->staged[kept++] = unit;
            continue;
        }
        const unsigned at = (unsigned)__builtin_ctz(free_units);
        struct unit *unit = sm->staged[i];
        sm->staged[i] = sm->units[at];
        sm->units[at] = unit;
        const struct op *op = unit->op;
        const unsigned count = op->source_count, warp = unit->warp;
        const uint32_t bit = free_units & -free_units;
        free_units ^= bit;
        sm->units_used |= bit;
        if (!count)
            sm->units_ready |= bit; /* seen by the units in the next cycle */
        sm->lacking |= ((1ull << count) - 1) << at * 4;
        if (narrow) {
            narrow_want(narrow, op->bank_operands[warp % BANK_TURNS], at);
            sm->wanted |= op->banks[warp % BANK_TURNS];
        }
        for (unsigned k = 0; !narrow && k < count; k++) {
            const unsigned bank = register_bank(&sm->p, warp, op->source[k]);
            sm->wants[bank] |= 1ull << (at * 4 + k);
            sm->wanted |= 1u << bank;
        }
    }
    sm->staged_count = kept;
}

static inline uint32_t collector_is_busy(const struct sm *sm)
{
    return sm->granted_banks | sm->wanted | sm->units_done | sm->staged_count;
}

/* With one port, as in the Verilog, only the operand that the lowest bank read gets through.  Returns whether there was anything to do,
 * as a number other than 0. */
static inline __attribute__((always_inline)) uint32_t narrow_cycle(struct sm *sm)
{
    struct narrow_banks *banks = &sm->narrow;
    const uint32_t granted = sm->granted_banks, done = sm->units_done, staged = sm->staged_count, before = sm->wanted;
    const unsigned bank = (unsigned)__builtin_ctz(granted | 1u << NARROW_BANKS); /* none: one that nobody wants */
    const uint32_t wants = banks->wants[bank];
    const uint32_t operand = banks->granted[bank] & wants; /* if its unit still lacks it */
    bank_lanes all[2] = {*(const bank_lanes *)&banks->wants[0], *(const bank_lanes *)&banks->wants[4]};
    uint32_t lacking = (uint32_t)sm->lacking & ~operand;
    const unsigned unit = (unsigned)__builtin_ctz(operand | 1u << 31) / 4;
    sm->units_done = (uint32_t)((operand != 0) & !(lacking >> unit * 4 & 15)) << unit;
    sm->lacking = lacking;
    sm->wanted = before & ~((uint32_t)(wants == operand) << bank);
    if (staged)
        accept(sm, all);
    const uint32_t wanted = before | sm->wanted; /* an operand is still asked for in the cycle in which it arrives */
    sm->granted_banks = wanted;
    narrow_grant(banks, all, operand);
    sm->units_ready |= done;
    return granted | wanted | done | staged;
}

static inline void grant(struct sm *sm, unsigned bank)
{
    const uint64_t wants = sm->wants[bank], later = wants & sm->bank_after[bank];
    const unsigned id = (unsigned)__builtin_ctzll(later ? later : wants);
    sm->granted[bank] = (uint8_t)id;
    sm->bank_after[bank] = ~1ull << id;
}

static inline void take_operand(struct sm *sm, unsigned bank, unsigned id)
{
    const uint64_t wants = sm->wants[bank] & ~(1ull << id);
    sm->wants[bank] = wants;
    sm->wanted &= ~((uint32_t)!wants << bank);
    const uint64_t lacking = sm->lacking & ~(1ull << id);
    sm->lacking = lacking;
    sm->units_done |= (uint32_t) !(lacking >> (id & ~3u) & 15) << id / 4;
}

/* Of any number of ports, banks and units. */
static inline uint32_t wide_cycle(struct sm *sm)
{
    const uint32_t activity = sm->granted_banks | sm->wanted | sm->units_done | sm->staged_count;
    uint32_t left = sm->p.collector_ports, delivered = 0; /* banks */
    uint8_t ids[2 * MOST_BANKS];
    for (uint32_t banks = sm->granted_banks; banks && left; banks &= banks - 1, left--) {
        const unsigned bank = (unsigned)__builtin_ctz(banks);
        ids[bank] = sm->granted[bank];
        delivered |= (uint32_t)(sm->wants[bank] >> ids[bank] & 1) << bank; /* its unit may have got it already */
    }
    if (sm->staged_count)
        accept(sm, NULL);
    sm->granted_banks = sm->wanted;
    for (uint32_t banks = sm->wanted; banks; banks &= banks - 1)
        grant(sm, (unsigned)__builtin_ctz(banks));
    sm->units_ready |= sm->units_done;
    sm->units_done = 0;
    for (; delivered; delivered &= delivered - 1)
        take_operand(sm, (unsigned)__builtin_ctz(delivered), ids[__builtin_ctz(delivered)]);
    return activity;
}

static inline __attribute__((always_inline)) uint32_t collector_cycle(struct sm *sm, bool is_plain)
{
    if (!is_plain && !sm->is_narrow)
        return wide_cycle(sm);
    return collector_is_busy(sm) ? narrow_cycle(sm) : 0;
}

#endif
