/* Operand collectors and register banks.
 *
 * Each cycle a unit requests every missing operand, a bank reads one of those requested, and in the next cycle a few of
 * the operands read (in the Verilog: one, of the lowest bank) reach their unit; the others are requested again.  An
 * operand is still requested in the cycle in which it arrives, so it can cost its bank two reads. */
#include "timing/model.h"

/* A bank's turn goes round those that want it, one per cycle, also while its operand does not get through.  Nobody needs to know
 * where it is until somebody comes or goes, or the bank is among the lowest. */
static void catch_up(struct sm *sm, unsigned bank, uint64_t cycle)
{
    const uint64_t wants = sm->wants[bank];
    uint64_t turns = cycle - sm->bank_since[bank];
    if (!turns)
        return;
    sm->bank_since[bank] = cycle;
    if (!wants)
        return;
    const unsigned count = (unsigned)__builtin_popcountll(wants);
    unsigned turn = sm->bank_turn[bank];
    if (turns > count)
        turns = (turns - 1) % count + 1;
    for (; turns; turns--) {
        const uint64_t later = wants >> turn << turn;
        turn = (unsigned)__builtin_ctzll(later ? later : wants) + 1;
    }
    sm->bank_turn[bank] = (uint8_t)(turn < 64 ? turn : 0);
}

static void release_operand(struct sm *sm, unsigned unit, unsigned operand)
{
    const unsigned bank = sm->units[unit].bank[operand];
    catch_up(sm, bank, sm->now);
    sm->wants[bank] &= ~(1ull << (unit * 4 + operand));
    if (!sm->wants[bank])
        sm->wanted &= ~(1u << bank);
}

/* What a bank read in the last cycle reaches its unit, if that still lacks it. */
static bool is_wanted(const struct sm *sm, unsigned bank)
{
    const unsigned id = sm->granted[bank];
    const struct unit *unit = &sm->units[id / 4];
    return sm->units_used >> id / 4 & 1 && unit->use == sm->granted_use[bank] && unit->needs >> id % 4 & 1;
}

/* Accepts the instructions issued in the last cycle; those that find no unit wait, and nothing issues. */
static void accept(struct sm *sm, uint32_t free_units)
{
    const uint32_t banks = sm->p.register_banks - 1;
    unsigned kept = 0;
    for (unsigned i = 0; i < sm->staged_count; i++) {
        if (!free_units) {
            sm->staged[kept++] = sm->staged[i];
            continue;
        }
        const unsigned at = (unsigned)__builtin_ctz(free_units);
        struct unit *unit = &sm->units[at];
        free_units &= free_units - 1;
        *unit = sm->staged[i];
        const struct op *op = unit->op;
        const unsigned count = op->source_count, warp = unit->warp;
        unit->use = ++sm->uses;
        unit->needs = (uint8_t)((1u << count) - 1);
        sm->units_used |= 1u << at;
        if (!count)
            sm->units_ready |= 1u << at; /* seen by the units in the next cycle */
        for (unsigned k = 0; k < count; k++) {
            const uint16_t reg = op->source[k];
            const unsigned bank = ((warp + reg) & banks) * 2 + (reg / VECTOR_REGISTER & 1);
            unit->bank[k] = (uint8_t)bank;
            catch_up(sm, bank, sm->now - 1); /* its turns until the last cycle were among the others */
            sm->wants[bank] |= 1ull << (at * 4 + k);
            sm->wanted |= 1u << bank;
        }
    }
    sm->staged_count = kept;
}

static void grant(struct sm *sm, unsigned bank)
{
    catch_up(sm, bank, sm->now - 1);
    const unsigned turn = sm->bank_turn[bank];
    const uint64_t wants = sm->wants[bank], later = wants >> turn << turn;
    const unsigned id = (unsigned)__builtin_ctzll(later ? later : wants);
    sm->granted[bank] = (uint8_t)id;
    sm->granted_use[bank] = sm->units[id / 4].use;
    sm->bank_turn[bank] = (uint8_t)((id + 1) % 64);
    sm->bank_since[bank] = sm->now;
}

static void take_operand(struct sm *sm, unsigned id)
{
    struct unit *unit = &sm->units[id / 4];
    unit->needs &= (uint8_t) ~(1u << id % 4);
    release_operand(sm, id / 4, id % 4);
    if (!unit->needs)
        sm->units_done |= 1u << id / 4;
}

void collector_cycle(struct sm *sm, uint32_t free_units)
{
    const uint32_t ports = sm->p.collector_ports;
    uint32_t left = ports;
    uint64_t delivered = 0;
    for (uint32_t banks = sm->granted_banks; banks && left; banks &= banks - 1, left--)
        if (is_wanted(sm, (unsigned)__builtin_ctz(banks)))
            delivered |= 1ull << sm->granted[__builtin_ctz(banks)];
    if (sm->staged_count)
        accept(sm, free_units);
    sm->granted_banks = sm->wanted;
    left = ports;
    for (uint32_t banks = sm->wanted; banks && left; banks &= banks - 1, left--)
        grant(sm, (unsigned)__builtin_ctz(banks));
    sm->units_ready |= sm->units_done;
    sm->units_done = 0;
    for (; delivered; delivered &= delivered - 1)
        take_operand(sm, (unsigned)__builtin_ctzll(delivered));
}
