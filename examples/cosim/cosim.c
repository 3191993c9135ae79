/* Two machines in step: a launch on a reference machine that is executed warp instruction by warp instruction, beside another
 * implementation, and a stop at the first difference.
 *
 *     cosim commits [plant]     beside a machine that reports what each instruction did, as an RTL test bench does
 *     cosim jit [plant]         beside our translating engine, which only shows the memory that it leaves
 *
 * `plant` makes the other machine wrong in one place; with `gen2` as the last word both are of generation 2.  The status is 1 if they differ.
 * Build: cc cosim.c $(pkg-config --cflags --libs chengying) */
#include <chengying/cc.h>
#include <chengying/cosim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 256, LOCAL = 64 };

/* `clock` stands for anything that the two machines see differently: a timer, a register of a device, a race. */
static const char source[] = "kernel void mix(global const uint *in, global uint *out, volatile global uint *clock)\n"
                             "{\n"
                             "    local uint steps[64];\n"
                             "    uint i = get_global_id(0), l = get_local_id(0), n = 0;\n"
                             "    for (uint x = in[i]; x != 1; n++)\n"
                             "        x = x & 1 ? 3 * x + 1 : x / 2;\n"
                             "    steps[l] = n;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    out[i] = steps[l] + steps[(l + 1) % 64] + *clock;\n"
                             "}\n";

struct machine {
    struct cy_device *device;
    struct cy_program *program;
    struct cy_arguments *arguments;
    struct cy_launch_desc desc;
    uint32_t in, out, clock;
};

static void fail(const char *what, char *why)
{
    fprintf(stderr, "%s: %s", what, why ? why : "no memory\n");
    free(why);
    exit(2);
}

static void open_machine(struct machine *machine, const struct cy_cc_result *built, enum cy_engine engine, bool gen2)
{
    struct cy_config config;
    uint32_t input[ITEMS];
    char *why = NULL;
    cy_config_default(&config);
    config.engine = engine;
    config.threads = 16;
    if (cy_device_open(&config, &machine->device, &why) != CY_OK)
        fail("the device", why);
    if (engine == CY_ENGINE_JIT)
        cy_device_set_translator(machine->device, &(struct cy_translator){.translate = cy_cc_translate});
    if (cy_program_load(machine->device, "mix", built->elf, built->elf_size, &machine->program, &why) != CY_OK)
        fail("the program", why);
    for (uint32_t i = 0; i < ITEMS; i++)
        input[i] = i + 1;
    if (cy_device_alloc(machine->device, sizeof(input), 0, &machine->in) != CY_OK ||
        cy_device_alloc(machine->device, sizeof(input), 0, &machine->out) != CY_OK ||
        cy_device_alloc(machine->device, sizeof(uint32_t), 0, &machine->clock) != CY_OK ||
        cy_device_write(machine->device, machine->in, input, sizeof(input)) != CY_OK)
        fail("memory", NULL);
    machine->arguments = cy_arguments_create();
    cy_arguments_set_pointer_bytes(machine->arguments, gen2 ? 8 : 4);
    cy_arguments_pointer(machine->arguments, machine->in);
    cy_arguments_pointer(machine->arguments, machine->out);
    cy_arguments_pointer(machine->arguments, machine->clock);
    machine->desc = (struct cy_launch_desc){.program = machine->program,
                                            .kernel = "mix",
                                            .arguments = machine->arguments,
                                            .global = {ITEMS},
                                            .local = {LOCAL}};
}

static void close_machine(struct machine *machine)
{
    cy_arguments_destroy(machine->arguments);
    cy_program_release(machine->program);
    cy_device_close(machine->device);
}

/* ---- beside a machine that reports instructions ---- */

/* What they loaded from the clock, our next instruction loads too. */
static void agree_on_clock(struct cy_cosim *ours, const struct cy_commit *theirs, uint32_t clock)
{
    for (size_t i = 0; i < theirs->access_count; i++)
        if (theirs->accesses[i].address == clock)
            cy_cosim_inject(ours, clock, &theirs->accesses[i].value, sizeof(uint32_t));
}

/* The other machine executes; its order of the warps is its own. */
static int beside_commits(struct machine *reference, struct machine *other, bool plant)
{
    struct cy_cosim *ours, *theirs;
    struct cy_commit commit;
    char *why = NULL;
    unsigned long count = 0;
    if (cy_cosim_start(reference->device, &reference->desc, &ours, &why) != CY_OK ||
        cy_cosim_start(other->device, &other->desc, &theirs, &why) != CY_OK)
        fail("the launch", why);
    enum cy_status status = CY_OK;
    for (uint32_t now = 0; status == CY_OK && cy_cosim_step(theirs, CY_COSIM_ANY, &commit) == CY_OK; count++) {
        uint32_t wrong[64];
        if (plant && count >= 1000 && commit.file == CY_COSIM_V &&
            commit.lanes >> 2 & 1) { /* lane 2 computes wrongly */
            memcpy(wrong, commit.value, 16 * sizeof(uint32_t));
            wrong[2] ^= 4;
            commit.value = wrong;
            plant = false;
        }
        agree_on_clock(ours, &commit, other->clock);
        status = cy_cosim_check(ours, &commit, NULL, &why);
        cy_cosim_write(theirs, other->clock, &now, sizeof(now)); /* time passes, there */
        now++;
    }
    if (status != CY_OK)
        printf("after %lu instructions that agree:\n%s", count - 1, why ? why : "");
    else
        printf("%lu instructions agree\n", count);
    free(why);
    cy_cosim_destroy(ours);
    cy_cosim_destroy(theirs);
    return status != CY_OK;
}

/* ---- beside the translating engine ---- */

/* This kernel writes each result once: a store that differs from what the other engine left is where they part. */
static bool is_wrong_store(const struct machine *machine, const struct cy_commit *commit, const uint32_t *expected)
{
    for (size_t i = 0; i < commit->access_count; i++) {
        const struct cy_commit_access *access = &commit->accesses[i];
        const uint64_t index = (access->address - machine->out) / sizeof(uint32_t);
        if (!access->write || access->address < machine->out || index >= ITEMS || expected[index] == access->value)
            continue;
        printf("  lane %u stores %u to out[%u], the other engine stored %u\n", access->lane, access->value,
               (unsigned)index, expected[index]);
        return true;
    }
    return false;
}

static int beside_jit(struct machine *reference, struct machine *other, bool plant)
{
    struct cy_cosim *ours;
    struct cy_launch *launch;
    struct cy_counters counters;
    struct cy_commit commit;
    uint32_t expected[ITEMS];
    char *why = NULL;
    unsigned long count = 0;
    bool differs = false;
    const uint32_t other_input = 27;
    if (plant)
        cy_device_write(other->device, other->in + 100 * sizeof(uint32_t), &other_input, sizeof(other_input));
    if (cy_launch_run(other->device, &other->desc, &launch, &why) != CY_OK)
        fail("the other engine", why);
    cy_launch_counters(launch, &counters);
    printf("the other engine ran %s\n", counters.translated ? "translated code" : "the interpreter");
    cy_launch_release(launch);
    cy_device_read(other->device, other->out, expected, sizeof(expected));
    if (cy_cosim_start(reference->device, &reference->desc, &ours, &why) != CY_OK)
        fail("the launch", why);
    while (!differs && cy_cosim_step(ours, CY_COSIM_ANY, &commit) == CY_OK) {
        count++;
        differs = is_wrong_store(reference, &commit, expected);
    }
    if (differs)
        printf("  instruction %lu: %s at 0x%08x, warp %u\n", count, commit.mnemonic, commit.pc, commit.warp);
    else
        printf("%lu instructions, every store as the other engine left it\n", count);
    cy_cosim_destroy(ours);
    return differs;
}

int main(int argc, char **argv)
{
    static const char *const args[] = {CY_CC_LINE_TABLES};
    struct cy_cc_options options = {.args = args, .arg_count = 1, .optimize = 2};
    struct cy_cc_result built;
    struct machine reference, other;
    const bool gen2 = argc > 2 && !strcmp(argv[argc - 1], "gen2");
    const int words = argc - gen2;
    const bool jit = words > 1 && !strcmp(argv[1], "jit"), plant = words > 2 && !strcmp(argv[2], "plant");
    if (words < 2 || words > 3 || (!jit && strcmp(argv[1], "commits")) || (words == 3 && !plant)) {
        fprintf(stderr, "usage: %s commits|jit [plant] [gen2]\n", argv[0]);
        return 2;
    }
    options.generation = gen2 ? 2 : 1;
    if (!cy_cc("mix.cl", source, strlen(source), &options, &built))
        fail("the compiler", built.log);
    open_machine(&reference, &built, CY_ENGINE_INTERP, gen2);
    open_machine(&other, &built, jit ? CY_ENGINE_JIT : CY_ENGINE_INTERP, gen2);
    const int status = jit ? beside_jit(&reference, &other, plant) : beside_commits(&reference, &other, plant);
    close_machine(&reference);
    close_machine(&other);
    cy_cc_result_free(&built);
    return status;
}
