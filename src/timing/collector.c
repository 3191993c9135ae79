/* Operand collectors and register banks.
 *
 * Each cycle a unit asks for every operand that it lacks, a bank reads one of those it was asked for, and the next cycle a few
 * of the operands read (in the Verilog: one, of the lowest bank) reach their unit; the rest is asked for again.  An operand is
 * asked for once more in the cycle in which it arrives, so it can cost its bank two reads. */
#include "timing/model.h"

/* A bank's turn goes round those that want it, one per cycle, also while its operand does not get through.  Nobody needs to know
 * where it is until somebody comes or goes, or the bank is among the lowest. */
static void catch_up(struct sm *sm, unsigned bank, uint64_t cycle)
{
    const uint64_t wants = sm->wants[bank];
    uint64_t turns = cycle - sm->bank_since[bank];
    sm->bank_since[bank] = cycle;
    if (!wants || !turns)
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

static void deliver(struct sm *sm)
{
    uint32_t ports = sm->p.collector_ports;
    for (uint32_t banks = sm->granted_banks; banks && ports; banks &= banks - 1, ports--) {
        const unsigned bank = (unsigned)__builtin_ctz(banks), id = sm->granted[bank];
        const struct unit *unit = &sm->units[id / 4];
        if (sm->units_used & 1u << id / 4 && unit->use == sm->granted_use[bank] && unit->needs & 1u << id % 4)
            sm->delivered |= 1ull << id;
    }
}

/* Takes the instructions issued in the last cycle; those that find no unit wait, and nothing issues. */
static void accept(struct sm *sm, uint32_t free_units)
{
    const struct parameters *p = &sm->p;
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
        unit->use = ++sm->uses;
        unit->needs = (uint8_t)((1u << unit->op->source_count) - 1);
        sm->units_used |= 1u << at;
        for (unsigned k = 0; k < unit->op->source_count; k++) {
            const uint16_t reg = unit->op->source[k];
            const unsigned bank = ((unit->warp + reg) & (p->register_banks - 1)) * 2 + (reg & VECTOR_REGISTER ? 1 : 0);
            unit->bank[k] = (uint8_t)bank;
            catch_up(sm, bank, sm->now - 1); /* its turns until the last cycle were among the others */
            sm->wants[bank] |= 1ull << (at * 4 + k);
            sm->wanted |= 1u << bank;
        }
        if (!unit->needs)
            sm->units_ready |= 1u << at; /* seen by the units in the next cycle */
    }
    sm->staged_count = kept;
}

static void arbitrate(struct sm *sm)
{
    uint32_t ports = sm->p.collector_ports;
    sm->granted_banks = 0;
    for (uint32_t banks = sm->wanted; banks && ports; banks &= banks - 1, ports--) {
        const unsigned bank = (unsigned)__builtin_ctz(banks);
        catch_up(sm, bank, sm->now - 1);
        const unsigned turn = sm->bank_turn[bank];
        const uint64_t wants = sm->wants[bank], later = wants >> turn << turn;
        const unsigned id = (unsigned)__builtin_ctzll(later ? later : wants);
        sm->granted_banks |= 1u << bank;
        sm->granted[bank] = (uint8_t)id;
        sm->granted_use[bank] = sm->units[id / 4].use;
        sm->bank_turn[bank] = (uint8_t)(id < 63 ? id + 1 : 0);
        sm->bank_since[bank] = sm->now;
    }
}

static void advance(struct sm *sm)
{
    sm->units_ready |= sm->units_done;
    sm->units_done = 0;
    for (uint64_t operands = sm->delivered; operands; operands &= operands - 1) {
        const unsigned id = (unsigned)__builtin_ctzll(operands);
        struct unit *unit = &sm->units[id / 4];
        unit->needs &= (uint8_t) ~(1u << id % 4);
        release_operand(sm, id / 4, id % 4);
        if (!unit->needs)
            sm->units_done |= 1u << id / 4;
    }
    sm->delivered = 0;
}

void collector_cycle(struct sm *sm, uint32_t free_units)
{
    deliver(sm);
    accept(sm, free_units);
    arbitrate(sm);
    advance(sm);
}
