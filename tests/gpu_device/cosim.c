/* Co-simulation: stepping, commits, comparing, injecting, and everything that can go wrong. */
#include "gpu_device/guest.h"

#include "chengying/cosim.h"

#include <pthread.h>

/* k(global uint *in, global uint *out): a load, a masked and a divergent instruction, a barrier, a store. */
static const char *const kernel =
    "    .text\n    .globl k\n    .type k, @function\nk:\n"
    "    lw t0, 0(a0)\n    lw t1, 4(a0)\n    csrr t2, CSR_TID\n"
    "    vid.v v1\n    vadd.vx v1, v1, t2\n    vsll.vi v1, v1, 2\n"
    "    vadd.vx v2, v1, t0\n    vlw12.v v3, 0(v2)\n" /* v3 = in[id] */
    "    li t3, 5\n    vmv.s.x v0, t3\n    vadd.vi v4, v3, 1, v0.t\n"
    "    la t4, together\n    setrpc zero, t4, 0\n    vmv.v.i v5, 2\n    vblt v3, v5, small\n"
    "    vadd.vi v3, v3, 7\n"
    "small:\ntogether:\n    join\n    barrier\n"
    "    vadd.vv v3, v3, v4\n    vadd.vx v2, v1, t1\n    vsw12.v v3, 0(v2)\n" GUEST_END;

enum { THREADS = 4, WARPS = 2, ITEMS = THREADS * WARPS };

struct bench {
    struct cy_device *device;
    struct cy_program *program;
    struct cy_arguments *arguments;
    struct cy_launch_desc desc;
    uint32_t in, out;
};

static void open_bench(struct bench *b, const char *source)
{
    uint32_t input[ITEMS];
    b->device = guest_device("sms=1 threads=4 warps=8");
    b->program = guest_program(b->device, source);
    for (uint32_t i = 0; i < ITEMS; i++)
        input[i] = i;
    CHECK_EQ(cy_device_alloc(b->device, sizeof(input), 0, &b->in), CY_OK);
    CHECK_EQ(cy_device_alloc(b->device, sizeof(input), 0, &b->out), CY_OK);
    CHECK_EQ(cy_device_write(b->device, b->in, input, sizeof(input)), CY_OK);
    b->arguments = cy_arguments_create();
    cy_arguments_pointer(b->arguments, b->in);
    cy_arguments_pointer(b->arguments, b->out);
    b->desc = (struct cy_launch_desc){
        .program = b->program, .kernel = "k", .arguments = b->arguments, .global = {ITEMS}, .local = {ITEMS}};
}

static void close_bench(struct bench *b)
{
    cy_arguments_destroy(b->arguments);
    cy_program_release(b->program);
    cy_device_close(b->device);
}

static struct cy_cosim *start(struct bench *b)
{
    struct cy_cosim *cosim = NULL;
    char *why = NULL;
    if (!CHECK_EQ(cy_cosim_start(b->device, &b->desc, &cosim, &why), CY_OK))
        fprintf(stderr, "%s", why);
    free(why);
    return cosim;
}

/* Steps until the warp has executed this instruction. */
static bool run_to(struct cy_cosim *cosim, uint32_t warp, const char *mnemonic, struct cy_commit *commit)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (cy_cosim_step(cosim, warp, commit) != CY_OK)
            break;
        if (!strcmp(commit->mnemonic, mnemonic))
            return true;
    }
    return CHECK(!"the warp executes it");
}

static uint32_t expected(uint32_t id)
{
    const uint32_t masked = 5 >> id % THREADS & 1 ? id + 1 : 0;
    return (id < 2 ? id : id + 7) + masked;
}

/* One instruction at a time, either warp first, gives what a launch gives. */
static void test_steps(void)
{
    struct bench b;
    struct cy_cosim_warp warp;
    struct cy_commit commit;
    struct cy_counters counters;
    uint32_t output[ITEMS];
    open_bench(&b, kernel);
    for (uint32_t first = 0; first < 2; first++) {
        struct cy_cosim *cosim = start(&b);
        CHECK(cy_cosim_warp(cosim, 0, &warp) && warp.number == 0 && warp.lanes == THREADS && warp.retired == 0);
        CHECK(cy_cosim_warp(cosim, 1, &warp) && warp.number == 1 && warp.warp == 1 && warp.state == CY_COSIM_READY);
        CHECK(!cy_cosim_warp(cosim, 2, &warp));
        CHECK(!cy_cosim_find(cosim, 2, &warp));
        run_to(cosim, first, "barrier", &commit);
        CHECK_EQ(commit.state, CY_COSIM_BARRIER);
        CHECK_EQ(cy_cosim_step(cosim, first, &commit), CY_RUNNING);
        CHECK(cy_cosim_find(cosim, first, &warp) && warp.state == CY_COSIM_BARRIER);
        run_to(cosim, !first, "barrier", &commit);
        CHECK_EQ(commit.state, CY_COSIM_READY);
        CHECK(cy_cosim_find(cosim, first, &warp) && warp.state == CY_COSIM_READY);
        run_to(cosim, first, "endprg", &commit);
        CHECK_EQ(commit.state, CY_COSIM_ENDED);
        CHECK_EQ(cy_cosim_step(cosim, first, &commit), CY_ERROR_INVALID);
        while (cy_cosim_step(cosim, CY_COSIM_ANY, NULL) == CY_OK)
            ;
        CHECK(!cy_cosim_warp(cosim, 0, &warp));
        CHECK_EQ(cy_cosim_end(cosim, NULL), CY_OK);
        cy_launch_counters(cy_cosim_launch(cosim), &counters);
        CHECK_EQ(counters.work_items, ITEMS);
        CHECK_EQ(cy_cosim_step(cosim, 0, &commit), CY_ERROR_CANCELLED);
        cy_cosim_destroy(cosim);
        CHECK_EQ(cy_device_read(b.device, b.out, output, sizeof(output)), CY_OK);
        for (uint32_t i = 0; i < ITEMS; i++)
            CHECK_EQ(output[i], expected(i));
    }
    close_bench(&b);
}

/* What a commit says about registers, lanes and memory. */
static void test_commits(void)
{
    struct bench b;
    struct cy_commit commit;
    open_bench(&b, kernel);
    struct cy_cosim *cosim = start(&b);
    run_to(cosim, 1, "csrrs", &commit);
    run_to(cosim, 1, "vlw12.v", &commit);
    CHECK_EQ(commit.warp, 1);
    CHECK_EQ(commit.file, CY_COSIM_V);
    CHECK_EQ(commit.reg, 3);
    CHECK_EQ(commit.regs, 1);
    CHECK_EQ(commit.lanes, 15);
    CHECK_EQ(commit.next_pc, commit.pc + 4);
    CHECK_EQ(commit.access_count, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        CHECK_EQ(commit.value[i], THREADS + i);
        CHECK_EQ(commit.accesses[i].address, b.in + 4 * (THREADS + i));
        CHECK(commit.accesses[i].read && !commit.accesses[i].write && commit.accesses[i].lane == i);
    }
    CHECK_EQ(cy_cosim_step(cosim, 1, &commit), CY_OK); /* li t3, 5 */
    CHECK(commit.file == CY_COSIM_X && commit.reg == 28 && commit.value[0] == 5 && !commit.access_count);
    run_to(cosim, 1, "vadd.vi", &commit);
    CHECK_EQ(commit.active, 15);
    CHECK_EQ(commit.lanes, 5);
    CHECK_EQ(commit.value[0], THREADS + 1);
    CHECK_EQ(commit.value[1], 0);
    run_to(cosim, 0, "vblt", &commit);
    CHECK_EQ(commit.file, CY_COSIM_NONE);
    CHECK_EQ(cy_cosim_step(cosim, 0, &commit), CY_OK);
    CHECK(commit.active == 3 || commit.active == 12);
    run_to(cosim, 0, "barrier", &commit);
    run_to(cosim, 1, "vsw12.v", &commit);
    CHECK_EQ(commit.file, CY_COSIM_NONE);
    CHECK(commit.access_count == THREADS && commit.accesses[3].write && commit.accesses[3].value == expected(7));
    char *why = NULL;
    CHECK_EQ(cy_cosim_end(cosim, &why), CY_ERROR_CANCELLED);
    CHECK(why && strstr(why, "cancel"));
    free(why);
    cy_cosim_destroy(cosim);
    close_bench(&b);
}

/* Two machines in step; `spoil` changes one commit, and the check must find it, with these words. */
static void check_spoilt(void (*spoil)(struct cy_commit *commit), const char *mnemonic, const char *words)
{
    struct bench a, b;
    struct cy_commit commit;
    open_bench(&a, kernel);
    open_bench(&b, kernel);
    struct cy_cosim *ours = start(&a), *theirs = start(&b);
    enum cy_status status = CY_OK;
    char *why = NULL;
    bool spoilt = false;
    while (status == CY_OK && cy_cosim_step(theirs, CY_COSIM_ANY, &commit) == CY_OK) {
        const bool now = spoil && !spoilt && !strcmp(commit.mnemonic, mnemonic);
        if (now)
            spoil(&commit);
        spoilt |= now;
        status = cy_cosim_check(ours, &commit, NULL, &why);
        CHECK_EQ(status, now && words ? CY_ERROR_DIFFERENT : CY_OK);
    }
    CHECK_EQ(spoilt, spoil != NULL);
    if (words ? !CHECK(why && strstr(why, words) && strstr(why, "difference: instruction ")) : !CHECK(!why))
        fprintf(stderr, "%s", why ? why : "no message\n");
    free(why);
    if (!words) {
        CHECK_EQ(cy_cosim_end(ours, NULL), CY_OK);
        CHECK_EQ(cy_cosim_end(theirs, NULL), CY_OK);
    }
    cy_cosim_destroy(ours);
    cy_cosim_destroy(theirs);
    close_bench(&a);
    close_bench(&b);
}

static uint32_t other_values[4] = {1, 2, 3, 4};
static struct cy_commit_access other_accesses[THREADS];

static void wrong_pc(struct cy_commit *c)
{
    c->pc += 8;
}
static void wrong_word(struct cy_commit *c)
{
    c->word ^= 1u << 20;
}
static void wrong_active(struct cy_commit *c)
{
    c->active = 7;
}
static void wrong_value(struct cy_commit *c)
{
    c->value = other_values;
}
static void wrong_register(struct cy_commit *c)
{
    c->reg = 9;
}
static void wrong_file(struct cy_commit *c)
{
    c->file = CY_COSIM_NONE;
}
static void wrong_next(struct cy_commit *c)
{
    c->next_pc += 4;
}
static void lost_lane(struct cy_commit *c)
{
    c->lanes &= ~2ull;
}
static void no_access(struct cy_commit *c)
{
    c->access_count--;
}
static void copy_accesses(struct cy_commit *c)
{
    memcpy(other_accesses, c->accesses, sizeof(other_accesses));
    c->accesses = other_accesses;
}
static void wrong_store(struct cy_commit *c)
{
    copy_accesses(c);
    other_accesses[1].value ^= 1;
}
static void wrong_address(struct cy_commit *c)
{
    copy_accesses(c);
    other_accesses[2].address += 4;
}
static void other_order(struct cy_commit *c)
{
    for (size_t i = 0; i < THREADS; i++)
        other_accesses[i] = c->accesses[THREADS - 1 - i];
    c->accesses = other_accesses;
}
static void unknown_value(struct cy_commit *c)
{
    c->parts &= ~(uint32_t)CY_COMMIT_REGISTER;
    c->value = other_values;
}
/* Lanes whose value does not change need not be written. */
static void same_lanes(struct cy_commit *c)
{
    c->lanes &= ~1ull;
}

static void test_checks(void)
{
    check_spoilt(NULL, "", NULL);
    check_spoilt(wrong_pc, "vadd.vv", "  pc        ours 0x8");
    check_spoilt(wrong_word, "vadd.vv", "  word      ours 0x");
    check_spoilt(wrong_active, "vadd.vv", "  active    ours 0x0000000f, theirs 0x00000007");
    check_spoilt(wrong_value, "vid.v", "  v1        lane 0: ours 0x00000000, theirs 0x00000001");
    check_spoilt(wrong_value, "csrrs", "theirs 0x00000001");
    check_spoilt(wrong_register, "vid.v", "  writes    ours v1, theirs v9");
    check_spoilt(wrong_file, "vid.v", "  writes    ours v1, theirs no register");
    check_spoilt(wrong_next, "vblt", "  next pc   ours 0x");
    check_spoilt(lost_lane, "vid.v", "lane 1: ours 0x00000001, theirs 0x00000000 (not written)");
    check_spoilt(no_access, "vsw12.v", "  memory    ours 4 accesses, theirs 3");
    check_spoilt(wrong_store, "vsw12.v", "  theirs    lane 1: store to 0x");
    check_spoilt(wrong_address, "vlw12.v", "  ours      lane 2: load from 0x");
    check_spoilt(other_order, "vsw12.v", NULL);
    check_spoilt(unknown_value, "vid.v", NULL);
    check_spoilt(same_lanes, "vid.v", NULL);
}

/* The state of a warp, and what can be done to it between two instructions. */
static void test_state(void)
{
    struct bench b;
    struct cy_commit commit;
    uint32_t value = 0, word = 0;
    open_bench(&b, kernel);
    struct cy_cosim *cosim = start(&b);
    CHECK(cy_cosim_read_register(cosim, 1, CY_COSIM_CSR, 0x800, 0, &value)); /* CSR_TID */
    CHECK_EQ(value, THREADS);
    CHECK(!cy_cosim_read_register(cosim, 1, CY_COSIM_CSR, 0x123, 0, &value));
    CHECK(!cy_cosim_write_register(cosim, 1, CY_COSIM_CSR, 0x123, 0, 1));
    CHECK(!cy_cosim_read_register(cosim, 1, CY_COSIM_X, 64, 0, &value));
    CHECK(!cy_cosim_read_register(cosim, 1, CY_COSIM_V, 256, 0, &value));
    CHECK(!cy_cosim_read_register(cosim, 1, CY_COSIM_V, 0, THREADS, &value));
    CHECK(!cy_cosim_read_register(cosim, 7, CY_COSIM_X, 1, 0, &value));
    CHECK(!cy_cosim_write_register(cosim, 1, CY_COSIM_X, 0, 0, 1));
    CHECK(cy_cosim_write_register(cosim, 1, CY_COSIM_CSR, 0x800, 0, 0)); /* it works on the first warp's items */
    run_to(cosim, 1, "vsll.vi", &commit);
    CHECK(cy_cosim_read_register(cosim, 1, CY_COSIM_V, 1, 3, &value) && value == 12);
    CHECK(cy_cosim_write_register(cosim, 1, CY_COSIM_V, 1, 3, 16));
    CHECK(cy_cosim_read_register(cosim, 1, CY_COSIM_X, 5, 0, &value) && value == b.in);

    /* an injected value is for one instruction */
    word = 1000;
    CHECK(cy_cosim_inject(cosim, b.in + 16, &word, 4));
    CHECK(cy_cosim_step(cosim, 0, &commit) == CY_OK); /* another warp's instruction: it is gone */
    CHECK(cy_cosim_step(cosim, 1, &commit) == CY_OK); /* vadd.vx */
    CHECK(cy_cosim_inject(cosim, b.in, &word, 4));
    CHECK(cy_cosim_read(cosim, b.in, &value, 4) && value == 0);
    CHECK(cy_cosim_step(cosim, 1, &commit) == CY_OK && !strcmp(commit.mnemonic, "vlw12.v"));
    CHECK_EQ(commit.value[0], 1000);
    CHECK_EQ(commit.value[1], 1);
    CHECK_EQ(commit.value[3], 4); /* of the register that was changed */
    CHECK(cy_cosim_read(cosim, b.in, &value, 4) && value == 0);

    /* what is written stays; what a store overwrites is not restored */
    CHECK(cy_cosim_write(cosim, b.in + 4, &word, 4));
    CHECK(cy_cosim_read(cosim, b.in + 4, &value, 4) && value == 1000);
    run_to(cosim, 0, "barrier", &commit);
    run_to(cosim, 1, "barrier", &commit);
    cy_cosim_step(cosim, 1, &commit);
    cy_cosim_step(cosim, 1, &commit);
    CHECK(cy_cosim_inject(cosim, b.out, &word, 4));
    CHECK(cy_cosim_step(cosim, 1, &commit) == CY_OK && !strcmp(commit.mnemonic, "vsw12.v"));
    CHECK(cy_cosim_read(cosim, b.out, &value, 4) && value == commit.accesses[0].value);

    /* local memory is there, other addresses are not */
    CHECK(cy_cosim_write(cosim, 0x70000000, &word, 4) && cy_cosim_read(cosim, 0x70000000, &value, 4) && value == 1000);
    CHECK(!cy_cosim_read(cosim, 0x10, &value, 4));
    CHECK(!cy_cosim_write(cosim, 0xfffffffe, &word, 4));
    CHECK(!cy_cosim_inject(cosim, 0x10, &word, 4));
    CHECK(cy_cosim_read_register(cosim, 1, CY_COSIM_PC, 0, 0, &value));
    CHECK(cy_cosim_write_register(cosim, 1, CY_COSIM_PC, 0, 0, value));
    cy_cosim_destroy(cosim);
    close_bench(&b);
}

static const char *const bad_kernel = "    .text\n    .globl k\n    .type k, @function\nk:\n"
                                      "    li t0, 16\n    lw t1, 0(t0)\n" GUEST_END;
static const char *const endless_kernel = "    .text\n    .globl k\n    .type k, @function\nk:\n    j k\n";

static void test_failures(void)
{
    struct bench b;
    struct cy_commit commit = {.warp = 9};
    struct cy_cosim *cosim = NULL;
    char *why = NULL;
    open_bench(&b, kernel);
    b.desc.kernel = "other";
    CHECK_EQ(cy_cosim_start(b.device, &b.desc, &cosim, &why), CY_ERROR_INVALID);
    CHECK(why && strstr(why, "no kernel 'other'"));
    free(why);
    b.desc.kernel = "k";
    cosim = start(&b);
    CHECK_EQ(cy_cosim_check(cosim, &commit, NULL, &why), CY_ERROR_INVALID);
    CHECK(why && strstr(why, "warp 9 is not on the machine"));
    free(why);
    run_to(cosim, 0, "barrier", &commit);
    CHECK_EQ(cy_cosim_check(cosim, &commit, NULL, &why), CY_RUNNING);
    CHECK(why && strstr(why, "warp 0 waits at a barrier"));
    free(why);
    cy_device_close(b.device); /* it ends the launch, and the cosim stays readable */
    CHECK_EQ(cy_cosim_step(cosim, 1, &commit), CY_ERROR_CANCELLED);
    CHECK(!cy_cosim_warp(cosim, 0, &(struct cy_cosim_warp){0}));
    CHECK(!cy_cosim_read(cosim, b.in, &commit, 4));
    CHECK_EQ(cy_cosim_end(cosim, NULL), CY_ERROR_CANCELLED);
    cy_cosim_destroy(cosim);
    cy_arguments_destroy(b.arguments);
    cy_program_release(b.program);

    open_bench(&b, bad_kernel);
    cosim = start(&b);
    enum cy_status status;
    while ((status = cy_cosim_step(cosim, CY_COSIM_ANY, &commit)) == CY_OK)
        ;
    CHECK_EQ(status, CY_ERROR_FAULT);
    CHECK_EQ(commit.state, CY_COSIM_FAULTED);
    CHECK_STR(commit.mnemonic, "lw");
    CHECK_EQ(commit.file, CY_COSIM_NONE);
    CHECK_EQ(cy_cosim_check(cosim, &commit, NULL, &why), CY_ERROR_FAULT);
    CHECK(why && strstr(why, "unmapped memory: read of 4 bytes at 0x00000010"));
    free(why);
    CHECK_EQ(cy_cosim_end(cosim, NULL), CY_ERROR_FAULT);
    CHECK(cy_launch_fault(cy_cosim_launch(cosim)) != NULL);
    cy_cosim_destroy(cosim);
    close_bench(&b);

    open_bench(&b, endless_kernel);
    cosim = start(&b);
    for (unsigned i = 0; i < 100; i++)
        CHECK_EQ(cy_cosim_step(cosim, CY_COSIM_ANY, NULL), CY_OK);
    cy_cosim_destroy(cosim); /* without ending it */
    close_bench(&b);
}

/* Several calls at once: each instruction is executed once. */
static void *step_all(void *argument)
{
    static _Thread_local struct cy_commit commit;
    uintptr_t count = 0;
    while (cy_cosim_step(argument, CY_COSIM_ANY, &commit) == CY_OK)
        count++;
    return (void *)count;
}

static void test_threads(void)
{
    struct bench b;
    struct cy_counters counters;
    pthread_t threads[3];
    void *count;
    uint64_t sum = 0;
    open_bench(&b, kernel);
    b.desc.global[0] = ITEMS * 20;
    CHECK_EQ(cy_device_free(b.device, b.in), CY_OK);
    CHECK_EQ(cy_device_alloc(b.device, ITEMS * 80, 0, &b.in), CY_OK);
    struct cy_cosim *cosim = start(&b);
    for (int i = 0; i < 3; i++)
        CHECK(!pthread_create(&threads[i], NULL, step_all, cosim));
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &count);
        sum += (uintptr_t)count;
    }
    CHECK_EQ(cy_cosim_end(cosim, NULL), CY_OK);
    cy_launch_counters(cy_cosim_launch(cosim), &counters);
    CHECK_EQ(counters.instructions, sum);
    CHECK_EQ(counters.workgroups, 20);
    cy_cosim_destroy(cosim);
    close_bench(&b);
}

/* Generation 2: both words of a pair, and memory above 4 GiB. */
static void test_pairs(void)
{
    struct cy_device *device = guest_device("sms=1 threads=4");
    struct cy_program *program =
        guest_program_for(device,
                          "    .text\n    .globl k\n    .type k, @function\nk:\n    li t1, -1\n    li t2, 0\n"
                          "    addiw t1, t1, 1\n    ret\n    .size k, .-k\n    .ventus_kernel k\n",
                          "ventus-gen2");
    struct cy_launch_desc desc = {.program = program, .kernel = "k", .global = {1}, .local = {1}};
    uint64_t far = 0;
    CHECK_EQ(cy_device_alloc_far(device, 4096, 0, &far), CY_OK);
    const uint32_t right[] = {0, 1}, low[] = {0}, wrong[] = {0, 0};
    const struct {
        const uint32_t *value;
        uint32_t regs;
        enum cy_status status;
    } cases[] = {{right, 2, CY_OK}, {wrong, 2, CY_ERROR_DIFFERENT}, {low, 1, CY_ERROR_DIFFERENT}};
    for (size_t i = 0; i < CY_COUNT(cases); i++) {
        struct cy_cosim *cosim = NULL;
        struct cy_commit ours;
        char *why = NULL;
        CHECK_EQ(cy_cosim_start(device, &desc, &cosim, &why), CY_OK);
        uint32_t pc = 0, word = 7 + (uint32_t)i, seen = 0;
        CHECK(cy_cosim_write(cosim, far + 4092, &word, 4) && cy_cosim_read(cosim, far + 4092, &seen, 4) &&
              seen == word);
        CHECK(cy_cosim_inject(cosim, far + 4092, &(uint32_t){1}, 4)); /* nobody reads it */
        CHECK(!cy_cosim_read(cosim, far + (1ull << 40), &seen, 4) && !cy_cosim_inject(cosim, UINT64_MAX, &word, 4));
        for (bool found = false; !found && cy_cosim_step(cosim, 0, &ours) == CY_OK;) {
            uint32_t t1 = 0;
            pc = ours.next_pc;
            found = cy_cosim_read_register(cosim, 0, CY_COSIM_X, 6, 0, &t1) && t1 == UINT32_MAX &&
                    !strcmp(ours.mnemonic, "addi") && ours.reg == 7;
        }
        const struct cy_commit theirs = {.warp = 0,
                                         .pc = pc,
                                         .parts = CY_COMMIT_REGISTER,
                                         .file = CY_COSIM_X,
                                         .reg = 6,
                                         .regs = cases[i].regs,
                                         .value = cases[i].value};
        CHECK_EQ(cy_cosim_check(cosim, &theirs, &ours, &why), cases[i].status);
        CHECK(cy_cosim_read(cosim, far + 4092, &seen, 4) && seen == word);
        CHECK_EQ(ours.regs, 2);
        CHECK(ours.value[0] == 0 && ours.value[1] == 1);
        CHECK(cases[i].status == CY_OK || strstr(why, "t2        ours 0x00000001, theirs 0x00000000"));
        free(why);
        cy_cosim_destroy(cosim);
    }
    cy_program_release(program);
    cy_device_close(device);
}

TEST_MAIN(test_pairs, test_steps, test_commits, test_checks, test_state, test_failures, test_threads)
