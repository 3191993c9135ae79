/* Devices for tests. */
#ifndef CY_TESTS_EPIC_GPU_H
#define CY_TESTS_EPIC_GPU_H

#include "chengying/epic.h"
#include "epic/words.h"
#include "support/test.h"

static inline struct cy_epic *make_gpu(const struct cy_epic_config *config)
{
    struct cy_epic *gpu;
    if (cy_epic_create(config, &gpu) != CY_EPIC_OK) {
        fprintf(stderr, "no device\n");
        exit(2);
    }
    return gpu;
}

static inline void load_code(struct cy_epic *gpu, const struct code *code, unsigned program, uint32_t address)
{
    uint32_t *stream = malloc((2 * code->count + 2) * sizeof(*stream));
    struct cy_epic_stream_error error;
    if (!CHECK_EQ(cy_epic_load(gpu, stream, make_stream(code, program, address, stream), &error), CY_EPIC_OK))
        fprintf(stderr, "word %zu: %s\n", error.word, error.text);
    free(stream);
}

/* Loads at address 0 of slot 0 and runs; a fault is a failed check. */
static inline bool run_code(struct cy_epic *gpu, const struct code *code, uint32_t blocks)
{
    struct cy_epic_fault fault;
    load_code(gpu, code, 0, 0);
    if (CHECK_EQ(cy_epic_launch(gpu, 0, blocks, &fault), CY_EPIC_OK))
        return true;
    fprintf(stderr, "%s\n", fault.text);
    return false;
}

static inline uint32_t read_word(struct cy_epic *gpu, uint32_t address)
{
    uint32_t word = 0;
    CHECK_EQ(cy_epic_read(gpu, address, &word, 4), CY_EPIC_OK);
    return word;
}

/* xorshift: the same numbers everywhere. */
static inline uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

#endif
