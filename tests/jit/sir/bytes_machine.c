#include "bytes_machine.h"

#include <string.h>

enum { LDS = 0x70000000, STEPS = 3000000 };

static uint8_t *at(void *memory, uint64_t address, uint64_t size)
{
    const bool is_there = address >= LDS && address - LDS <= RANDOM_SIR_BYTES - size;
    return is_there ? (uint8_t *)memory + (address - LDS) : NULL;
}

static bool read_word(void *memory, uint64_t address, void *bytes, uint32_t size)
{
    const uint8_t *from = at(memory, address, size);
    return from && memcpy(bytes, from, size);
}

static bool write_word(void *memory, uint64_t address, const void *bytes, uint32_t size)
{
    uint8_t *to = at(memory, address, size);
    return to && memcpy(to, bytes, size);
}

static bool check(void *memory, uint64_t address, uint64_t size, uint32_t rights)
{
    (void)rights;
    return size <= RANDOM_SIR_BYTES && at(memory, address, size);
}

/* The only row is that of atomic sums. */
static uint64_t row(void *memory, uint32_t op, unsigned bits, unsigned rounding, uint64_t a, uint64_t b, uint64_t d)
{
    (void)memory, (void)op, (void)bits, (void)rounding, (void)d;
    return (uint32_t)(a + b);
}

void fill_bytes(uint64_t seed, uint8_t memory[RANDOM_SIR_BYTES])
{
    for (size_t i = 0; i < RANDOM_SIR_BYTES; i++)
        memory[i] = (uint8_t)((i * 2654435761u + seed * 40503u) >> 13);
}

enum cy_sir_outcome evaluate_on_bytes(const struct cy_sir_func *func, uint64_t seed, uint8_t memory[RANDOM_SIR_BYTES],
                                      struct cy_sir_fault *fault)
{
    return count_on_bytes(func, seed, memory, NULL, fault);
}

enum cy_sir_outcome count_on_bytes(const struct cy_sir_func *func, uint64_t seed, uint8_t memory[RANDOM_SIR_BYTES],
                                   uint64_t *counters, struct cy_sir_fault *fault)
{
    struct cy_sir_machine machine = {.context = memory,
                                     .read = read_word,
                                     .write = write_word,
                                     .check = check,
                                     .row = row,
                                     .lds = LDS,
                                     .pds = LDS,
                                     .slot = 1,
                                     .group = {1, 2, 3},
                                     .most_steps = STEPS,
                                     .junk = seed,
                                     .counters = counters};
    memcpy(machine.inside, func->local, sizeof(machine.inside));
    if (seed % 3 == 0 && !func->strip.is_whole)
        machine.inside[0] = (machine.inside[0] + 1) / 2;
    fill_bytes(seed, memory);
    return cy_sir_evaluate(func, &machine, fault);
}
