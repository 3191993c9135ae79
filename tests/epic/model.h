/* EpicGPU in its simplest form: one lane at a time, from the ISA document's bits, integers only.  No groups, masks or
 * threads; tests compare the machine with it. */
#ifndef CY_TESTS_EPIC_MODEL_H
#define CY_TESTS_EPIC_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MODEL_LANES = 64 };
enum model_state { MODEL_RUNS, MODEL_WAITS, MODEL_ENDED, MODEL_FAULTED };

struct model_lane {
    uint32_t r[32], pc;
    bool predicate;
    enum model_state state;
};

struct model {
    const uint32_t *code; /* at word address 0 */
    uint32_t code_words;
    uint32_t *memory;
    int32_t *depth;
    uint32_t memory_words;
    uint32_t lanes;
    uint64_t steps_left;
    struct model_lane lane[MODEL_LANES];
};

static inline uint32_t model_integer(unsigned func5, uint32_t x, uint32_t y, uint32_t d, bool *known)
{
    const int32_t a = (int32_t)x, b = (int32_t)y;
    *known = true;
    switch (func5) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return d + x * y;
    case 4: return b == 0 ? 0xffffffff : b == -1 ? 0 - x : (uint32_t)(a / b);
    case 5: return b == 0 ? x : b == -1 ? 0 : (uint32_t)(a % b);
    case 6: return a < 0 ? 0 - x : x;
    case 7: return x & y;
    case 8: return x | y;
    case 9: return x ^ y;
    case 10: return x << y % 32;
    case 11: return x >> y % 32;
    case 12: return (uint32_t)(((int64_t)a) >> y % 32);
    case 24: return a < b ? x : y;
    case 25: return x < y ? x : y;
    case 26: return a > b ? x : y;
    case 27: return x > y ? x : y;
    case 28: return a < b;
    case 29: return x == y;
    default: *known = false; return 0;
    }
}

static inline void model_write(struct model_lane *lane, unsigned rd, uint32_t value)
{
    if (rd != 0 && rd != 2 && rd != 3)
        lane->r[rd] = value;
}

static inline bool model_memory(struct model *model, struct model_lane *lane, uint32_t word)
{
    const uint32_t address = lane->r[word >> 5 & 31], value = lane->r[word >> 15 & 31];
    if (address % 4 || address / 4 >= model->memory_words)
        return false;
    switch (word >> 10 & 3) {
    case 0: model_write(lane, word & 31, model->memory[address / 4]); return true;
    case 1: model->memory[address / 4] = value; return true;
    case 3:
        lane->predicate = (int32_t)value < model->depth[address / 4];
        if (lane->predicate)
            model->depth[address / 4] = (int32_t)value;
        return true;
    default: return false;
    }
}

static inline uint32_t model_extend(uint32_t value, unsigned bits)
{
    return value >> (bits - 1) & 1 ? value | ~(uint32_t)0 << bits : value;
}

static inline bool model_control(struct model_lane *lane, uint32_t word)
{
    const uint32_t offset = model_extend((word >> 13 & 0xffff) << 12 | (word & 0x3ff) << 2, 28);
    const uint32_t base = lane->r[word >> 5 & 31];
    switch (word >> 10 & 7) {
    case 0: lane->pc += offset - 4; return true;
    case 1: lane->pc += lane->predicate ? offset - 4 : 0; return true;
    case 2:
        model_write(lane, word & 31, lane->pc);
        lane->pc = base + model_extend((word >> 13 & 0xffff) << 2, 18);
        return true;
    case 3: lane->pc = base; return true;
    case 6: lane->state = MODEL_WAITS; return true;
    case 7: lane->state = MODEL_ENDED; return true;
    default: return false;
    }
}

/* One instruction; lane->pc is already past it. */
static inline bool model_step(struct model *model, struct model_lane *lane, uint32_t word)
{
    const unsigned opcode = word >> 29, func5 = word >> 10 & 31, rd = word & 31;
    bool known = true;
    if (opcode != 5 && opcode != 7 && word >> 28 & 1 && !lane->predicate)
        return true;
    switch (opcode) {
    case 0:
    case 1: {
        const uint32_t y = opcode ? model_extend(word >> 15 & 0x1fff, 13) : lane->r[word >> 15 & 31];
        const uint32_t value = model_integer(func5, lane->r[word >> 5 & 31], y, lane->r[rd], &known);
        if (!known || (opcode == 1 && func5 == 6))
            return false;
        model_write(lane, rd, value);
        if (func5 == 28 || func5 == 29)
            lane->predicate = value;
        return true;
    }
    case 2: model_write(lane, rd, (word >> 15 & 0x1fff) << 19 | (word >> 5 & 31) << 14); return func5 == 31;
    case 4: return model_memory(model, lane, word);
    case 6: return true; /* frames are not modelled */
    case 7: return model_control(lane, word);
    default: return false;
    }
}

/* One lane until it ends, waits or faults. */
static inline void model_run_lane(struct model *model, struct model_lane *lane)
{
    while (lane->state == MODEL_RUNS) {
        if (lane->pc % 4 || lane->pc / 4 >= model->code_words || model->steps_left-- == 0) {
            lane->state = MODEL_FAULTED;
            return;
        }
        const uint32_t word = model->code[lane->pc / 4];
        lane->pc += 4;
        if (!model_step(model, lane, word))
            lane->state = MODEL_FAULTED;
    }
}

/* One block; false when a lane faulted or ran too long. */
static inline bool model_run(struct model *model, uint32_t block)
{
    memset(model->lane, 0, sizeof(model->lane));
    for (uint32_t i = 0; i < model->lanes; i++) {
        model->lane[i].r[1] = block;
        model->lane[i].r[2] = model->lanes;
        model->lane[i].r[3] = i;
    }
    for (bool waits = true; waits;) {
        waits = false;
        for (uint32_t i = 0; i < model->lanes; i++) {
            model_run_lane(model, &model->lane[i]);
            if (model->lane[i].state == MODEL_FAULTED)
                return false;
            waits |= model->lane[i].state == MODEL_WAITS;
        }
        for (uint32_t i = 0; i < model->lanes; i++)
            if (model->lane[i].state == MODEL_WAITS)
                model->lane[i].state = MODEL_RUNS;
    }
    return true;
}

#endif
