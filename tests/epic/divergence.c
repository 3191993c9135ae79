/* Divergent programs: random nested branches, loops, calls, early ends and barriers, against a model that runs one lane after
 * the other. */
#include "epic/gpu.h"
#include "epic/model.h"

enum {
    MEMORY_BYTES = 1 << 18,
    BLOCKS = 3,
    LANE_BYTES = 256,   /* of memory that only one lane touches */
    CELLS_AT = 0x20000, /* what lanes tell each other: [phase][block][lane] */
    MAX_PHASES = 8,
    R_BASE = 30, /* where the lane's memory is */
    R_TEMP = 29,
    R_COUNT = 16, /* loop counters, two for each level of calls */
    R_LINK = 24,  /* return addresses, one for each level of calls */
    FIRST = 4,    /* registers that random code plays with: 4 ... 15 */
    LAST = 15,
    MAX_CALLS = 64,
};

struct gen {
    struct code code;
    uint64_t seed;
    bool talks; /* lanes exchange values at syncs, which then are only in uniform places */
    bool ends_early;
    unsigned phases;
    int depth, level, loops; /* statements, calls and loops around the place that is being written */
    struct patch {
        size_t at;
        int level;
    } calls[MAX_CALLS]; /* to functions that are not there yet */
    size_t call_count;
    size_t ends[256]; /* jumps to the end of the program */
    size_t end_count;
};

static uint32_t pick(struct gen *gen, uint32_t below)
{
    return next_random(&gen->seed) % below;
}

static unsigned some_register(struct gen *gen)
{
    return FIRST + pick(gen, LAST - FIRST + 1);
}

static void gen_compute(struct gen *gen)
{
    static const uint8_t funcs[] = {ADD, SUB, MUL, MAC, DIV,  REM, ABS,  AND, OR, XOR,
                                    SLL, SRL, SRA, MIN, MINU, MAX, MAXU, SLT, SEQ};
    const unsigned func = funcs[pick(gen, sizeof(funcs))];
    const uint32_t predicated = pick(gen, 4) == 0 ? PREDICATED : 0;
    const unsigned destination = some_register(gen), first = some_register(gen), second = some_register(gen);
    if (func == ABS || pick(gen, 2))
        emit(&gen->code, r_type(func, destination, pick(gen, 8) ? first : 3, second) | predicated);
    else
        emit(&gen->code, i_type(func, destination, first, (int)pick(gen, 8192) - 4096) | predicated);
    if (pick(gen, 12) == 0)
        emit(&gen->code, lui(destination, pick(gen, 1 << 18)) | predicated);
}

/* The lane's own memory: a load, a store, or a depth test with a dependent store. */
static void gen_memory(struct gen *gen)
{
    const uint32_t predicated = pick(gen, 3) == 0 ? PREDICATED : 0;
    emit(&gen->code, i_type(AND, R_TEMP, some_register(gen), 0x7c));
    emit(&gen->code, r_type(ADD, R_TEMP, R_TEMP, R_BASE));
    switch (pick(gen, 3)) {
    case 0: emit(&gen->code, lw(some_register(gen), R_TEMP) | predicated); break;
    case 1: emit(&gen->code, sw(some_register(gen), R_TEMP) | predicated); break;
    default:
        emit(&gen->code, sz(some_register(gen), R_TEMP) | predicated);
        emit(&gen->code, sw(some_register(gen), R_TEMP) | PREDICATED);
        break;
    }
}

/* A divergent condition. */
static void gen_condition(struct gen *gen)
{
    const unsigned first = some_register(gen);
    switch (pick(gen, 3)) {
    case 0: emit(&gen->code, r_type(SLT, R_TEMP, first, some_register(gen))); break;
    case 1:
        emit(&gen->code, i_type(AND, R_TEMP, first, (int)(1 + pick(gen, 7))));
        emit(&gen->code, i_type(SEQ, R_TEMP, R_TEMP, (int)pick(gen, 3)));
        break;
    default: emit(&gen->code, i_type(SLT, R_TEMP, 3, (int)pick(gen, 9))); break;
    }
}

static void patch_jump(struct gen *gen, size_t at, unsigned func3)
{
    gen->code.words[at] = c_jump(func3, (int32_t)(gen->code.count - at) * 4);
}

static void gen_statements(struct gen *gen, unsigned count);

static void gen_if(struct gen *gen)
{
    gen_condition(gen);
    const size_t branch_at = gen->code.count;
    emit(&gen->code, 0);
    gen_statements(gen, 1 + pick(gen, 3));
    const size_t jump_at = gen->code.count;
    emit(&gen->code, 0);
    patch_jump(gen, branch_at, 1);
    if (pick(gen, 2))
        gen_statements(gen, 1 + pick(gen, 3));
    patch_jump(gen, jump_at, 0);
}

/* Runs 1 ... 4 times, by lane; a `break` may leave it in the middle. */
static void gen_loop(struct gen *gen)
{
    const unsigned counter = R_COUNT + (unsigned)(gen->level * 2 + gen->loops++);
    emit(&gen->code, i_type(AND, counter, some_register(gen), 3));
    const size_t top = gen->code.count;
    gen_statements(gen, 1 + pick(gen, 3));
    size_t break_at = 0;
    if (pick(gen, 3) == 0) {
        gen_condition(gen);
        break_at = gen->code.count;
        emit(&gen->code, 0);
        gen_statements(gen, 1);
    }
    emit(&gen->code, i_type(SUB, counter, counter, 1));
    emit(&gen->code, i_type(SLT, R_TEMP, counter, 0));
    emit(&gen->code, branch(8));
    emit(&gen->code, jump((int32_t)(top - gen->code.count) * 4));
    if (break_at)
        patch_jump(gen, break_at, 1);
    gen->loops--;
}

static void gen_call(struct gen *gen)
{
    if (gen->level >= 3 || gen->call_count == MAX_CALLS)
        return;
    gen->calls[gen->call_count++] = (struct patch){gen->code.count, gen->level};
    emit(&gen->code, 0);
}

static void gen_early_end(struct gen *gen)
{
    if (!gen->ends_early || gen->end_count == 256)
        return;
    emit(&gen->code, i_type(SEQ, R_TEMP, 3, (int)pick(gen, 8)));
    gen->ends[gen->end_count++] = gen->code.count;
    emit(&gen->code, 0);
}

static void gen_statement(struct gen *gen)
{
    const uint32_t kind = pick(gen, gen->depth < 5 ? 12 : 6);
    gen->depth++;
    if (kind < 4)
        gen_compute(gen);
    else if (kind == 4)
        gen_memory(gen);
    else if (kind == 5 && !gen->talks && pick(gen, 3) == 0)
        emit(&gen->code, SYNC);
    else if (kind < 8)
        gen_if(gen);
    else if (kind < 10 && gen->loops < (gen->level ? 1 : 2))
        gen_loop(gen);
    else if (kind == 10)
        gen_call(gen);
    else if (kind == 11 && pick(gen, 4) == 0)
        gen_early_end(gen);
    gen->depth--;
}

static void gen_statements(struct gen *gen, unsigned count)
{
    while (count-- && gen->code.count < 3000)
        gen_statement(gen);
}

/* Lanes pass a value to their neighbours: written before the barrier, read after it. */
static void gen_phase(struct gen *gen)
{
    load_value(&gen->code, R_TEMP, CELLS_AT + gen->phases++ * BLOCKS * MODEL_LANES * 4);
    emit(&gen->code, i_type(MUL, 28, 1, MODEL_LANES * 4));
    emit(&gen->code, r_type(ADD, 28, 28, R_TEMP));
    emit(&gen->code, i_type(SLL, 27, 3, 2));
    emit(&gen->code, r_type(ADD, 27, 27, 28));
    emit(&gen->code, sw(some_register(gen), 27));
    emit(&gen->code, SYNC);
    emit(&gen->code, i_type(ADD, 27, 3, 1));
    emit(&gen->code, r_type(REM, 27, 27, 2));
    emit(&gen->code, i_type(SLL, 27, 27, 2));
    emit(&gen->code, r_type(ADD, 27, 27, 28));
    emit(&gen->code, lw(some_register(gen), 27));
}

/* Every register and the predicate to memory, then the end. */
static void gen_epilogue(struct gen *gen)
{
    emit(&gen->code, i_type(ADD, R_TEMP, 0, 0));
    emit(&gen->code, i_type(ADD, R_TEMP, 0, 1) | PREDICATED);
    emit(&gen->code, i_type(ADD, R_BASE, R_BASE, 128));
    emit(&gen->code, sw(R_TEMP, R_BASE));
    for (unsigned r = FIRST; r <= LAST; r++) {
        emit(&gen->code, i_type(ADD, R_BASE, R_BASE, 4));
        emit(&gen->code, sw(r, R_BASE));
    }
    emit(&gen->code, EXIT);
}

static void gen_functions(struct gen *gen)
{
    for (size_t i = 0; i < gen->call_count; i++) { /* functions may add calls to further functions */
        const struct patch call_site = gen->calls[i];
        const unsigned link = R_LINK + (unsigned)call_site.level;
        gen->code.words[call_site.at] = call(link, (int32_t)gen->code.count * 4, 0);
        gen->level = call_site.level + 1;
        gen->depth = 2;
        gen->loops = 0;
        gen_statements(gen, 1 + pick(gen, 3));
        emit(&gen->code, ret(link));
    }
}

static void gen_program(struct gen *gen, uint64_t seed)
{
    *gen = (struct gen){.seed = seed * 0x9e3779b97f4a7c15u + 1};
    gen->talks = pick(gen, 2);
    gen->ends_early = pick(gen, 2);
    emit(&gen->code, r_type(MUL, R_BASE, 1, 2));
    emit(&gen->code, r_type(ADD, R_BASE, R_BASE, 3));
    emit(&gen->code, i_type(MUL, R_BASE, R_BASE, LANE_BYTES));
    for (unsigned r = FIRST; r <= LAST; r++) {
        load_value(&gen->code, r, next_random(&gen->seed));
        emit(&gen->code, r_type(r % 2 ? MUL : XOR, r, r, r % 3 ? 3 : 1));
    }
    const unsigned parts = 1 + pick(gen, MAX_PHASES);
    for (unsigned part = 0; part < parts; part++) {
        gen_statements(gen, 3 + pick(gen, 5));
        if (gen->talks)
            gen_phase(gen);
    }
    for (size_t i = 0; i < gen->end_count; i++)
        patch_jump(gen, gen->ends[i], 1);
    size_t ended = gen->end_count;
    gen_epilogue(gen);
    gen_functions(gen);
    /* What functions left early ends at the same place: a second copy of the epilogue. */
    for (size_t i = ended; i < gen->end_count; i++)
        patch_jump(gen, gen->ends[i], 1);
    gen_epilogue(gen);
}

static void compare(struct cy_epic *gpu, const struct model *model, uint64_t seed, uint32_t lanes)
{
    static uint32_t memory[MEMORY_BYTES / 4];
    static int32_t depth[MEMORY_BYTES / 4];
    CHECK_EQ(cy_epic_read(gpu, 0, memory, MEMORY_BYTES), CY_EPIC_OK);
    CHECK_EQ(cy_epic_read_depth(gpu, 0, depth, MEMORY_BYTES / 4), CY_EPIC_OK);
    if (!CHECK(memcmp(memory, model->memory, MEMORY_BYTES) == 0)) {
        for (uint32_t i = 0; i < MEMORY_BYTES / 4; i++)
            if (memory[i] != model->memory[i]) {
                fprintf(stderr, "  seed %llu, %u lanes: at 0x%x 0x%08x, the model has 0x%08x\n",
                        (unsigned long long)seed, lanes, i * 4, memory[i], model->memory[i]);
                break;
            }
    }
    CHECK(memcmp(depth, model->depth, MEMORY_BYTES) == 0);
}

/* Counts issued instructions and lanes: that the programs do diverge is part of the test. */
static uint64_t issued, lane_instructions, lane_slots;

static void run_seed(uint64_t seed)
{
    static const uint32_t lane_counts[] = {8, 1, 3, 13, 32, 64};
    static struct gen gen;
    static uint32_t memory[MEMORY_BYTES / 4];
    static int32_t depth[MEMORY_BYTES / 4];
    const uint32_t lanes = lane_counts[seed % 3 == 0 ? seed / 3 % 6 : 0];
    gen_program(&gen, seed);
    struct model model = {
        .code = gen.code.words,
        .code_words = (uint32_t)gen.code.count,
        .memory = memory,
        .depth = depth,
        .memory_words = MEMORY_BYTES / 4,
        .lanes = lanes,
        .steps_left = 20000000,
    };
    memset(memory, 0, sizeof(memory));
    for (size_t i = 0; i < MEMORY_BYTES / 4; i++)
        depth[i] = CY_EPIC_DEPTH_FAR;
    bool ok = true;
    for (uint32_t block = 0; block < BLOCKS; block++)
        ok = ok && model_run(&model, block);
    if (!CHECK(ok)) {
        fprintf(stderr, "  seed %llu: the model faulted\n", (unsigned long long)seed);
        return;
    }
    struct cy_epic_config config = {.lanes = lanes, .memory_bytes = MEMORY_BYTES, .counters = seed % 2};
    struct cy_epic *gpu = make_gpu(&config);
    if (run_code(gpu, &gen.code, BLOCKS))
        compare(gpu, &model, seed, lanes);
    struct cy_epic_counters counters;
    cy_epic_read_counters(gpu, &counters);
    issued += counters.issued;
    lane_instructions += counters.lane_instructions;
    lane_slots += counters.issued * lanes;
    cy_epic_destroy(gpu);
}

int main(int argc, char **argv)
{
    uint64_t first = 1, count = 1500;
    if (argc > 1) /* one seed, to look at it */
        first = strtoull(argv[1], NULL, 10), count = 1;
    for (uint64_t seed = first; seed < first + count; seed++)
        run_seed(seed);
    printf("%llu instructions, %.0f%% of the lanes active\n", (unsigned long long)issued,
           100.0 * (double)lane_instructions / (double)lane_slots);
    CHECK(count == 1 || lane_instructions < lane_slots * 3 / 4);
    return test_finish();
}
