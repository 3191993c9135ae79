/* bench_machine: how fast the Ventus machine runs, in warp-instructions per second per core.
 *
 *     bench_machine [--callgrind] [--seconds S] [--only NAME] [--iterations N] [--threads T]
 *
 * Each row is a loop of one kind of instruction on 32-lane warps, one SM and one host thread, eight warps resident; the
 * best of three runs counts.  --callgrind also counts host instructions per guest instruction: it runs this program under
 * valgrind, with two numbers of iterations, and takes the difference.  --only with --iterations runs one row once (that is
 * what it runs). */
#define _POSIX_C_SOURCE 200809L
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ld/link.h"
#include "chengying/asm.h"
#include "chengying/device.h"

extern char **environ;

#define HEAD                                                                                                           \
    "    .text\n    .globl k\n    .type k, @function\nk:\n    lw s0, 0(a0)\n    lw s1, 4(a0)\n    csrr t4, CSR_TID\n"  \
    "    vid.v v1\n    vadd.vx v1, v1, t4\n    vsll.vi v2, v1, 2\n    vadd.vx v3, v2, s0\n"
#define TAIL "    addi s1, s1, -1\n    bnez s1, 1b\n    ret\n    .size k, .-k\n    .ventus_kernel k, pds=0\n"
#define TIMES8(text) text text text text text text text text

/* ---- the loops ---- */

static const struct loop {
    const char *name, *what;
    const char *body;
    double target; /* million per second that the machine is meant to reach; 0: none was set */
} loops[] = {
    {"alu", "integer: add, xor, shift, multiply, min",
     HEAD "    vmv.v.x v4, t4\n1:\n" TIMES8(
         "    vadd.vv v4, v4, v1\n    vxor.vv v5, v4, v2\n    vsll.vi v6, v5, 3\n    vmul.vv v7, v6, v1\n"
         "    vmin.vv v4, v7, v5\n    vadd.vi v5, v5, 1\n    vand.vv v6, v6, v7\n    vsub.vv v4, v4, v6\n") TAIL,
     80},
    {"fp", "floating point: fused multiply-add, add, multiply",
     HEAD "    vfcvt.f.xu.v v8, v1\n    vfcvt.f.xu.v v9, v2\n    vmv.v.i v10, 0\n    vmv.v.i v11, 0\n1:\n" TIMES8(
         "    vfmacc.vv v10, v8, v9\n    vfadd.vv v11, v10, v8\n    vfmul.vv v12, v8, v9\n    vfsub.vv v13, v11, v12\n"
         "    vfmacc.vv v11, v9, v12\n    vfmul.vv v10, v13, v8\n    vfadd.vv v12, v12, v9\n    vfmin.vv v10, v10, "
         "v8\n") TAIL,
     80},
    {"coalesced", "loads and stores of consecutive words",
     HEAD "1:\n" TIMES8(
         "    vlw12.v v4, 0(v3)\n    vlw12.v v5, 1024(v3)\n    vsw12.v v4, 512(v3)\n    vlw12.v v6, 256(v3)\n") TAIL,
     80},
    {"scattered", "loads from addresses all over 256 KiB",
     HEAD "    li t0, 0x9e3779b1\n    vmul.vx v4, v1, t0\n    li t1, 0x3fffc\n    vand.vx v5, v4, t1\n    vadd.vx v5, "
          "v5, s0\n"
          "    vsrl.vi v6, v4, 7\n    vand.vx v6, v6, t1\n    vadd.vx v6, v6, s0\n    vsrl.vi v7, v4, 11\n    vand.vx "
          "v7, v7, t1\n"
          "    vadd.vx v7, v7, s0\n1:\n" TIMES8(
              "    vlw12.v v8, 0(v5)\n    vlw12.v v9, 0(v6)\n    vlw12.v v10, 0(v7)\n    vlw12.v v11, 4(v5)\n") TAIL,
     25},
    {"divergent", "every branch splits the warp: vbranch, both sides, join",
     HEAD "    vand.vi v4, v1, 1\n    vmv.v.i v5, 0\n    vmv.v.i v6, 0\n1:\n"
          "2:  auipc t0, %pcrel_hi(4f)\n    setrpc zero, t0, %pcrel_lo(2b)\n    vbeq v4, v5, 3f\n    vadd.vi v6, v6, "
          "1\n    vxor.vi v6, v6, 3\n"
          "    j 4f\n3:  vadd.vi v6, v6, 2\n    vsll.vi v7, v6, 1\n4:  join zero, zero, 0\n" TAIL,
     0},
    {"barrier", "a barrier every eight instructions, eight warps",
     HEAD "1:\n" TIMES8("    vadd.vv v4, v4, v1\n    vadd.vv v5, v4, v1\n    vadd.vv v6, v4, v1\n    vadd.vv v7, v4, "
                        "v1\n    vadd.vv v4, v4, v1\n"
                        "    vadd.vv v5, v4, v1\n    vadd.vv v6, v4, v1\n    barrier x0, x0, 0\n") TAIL,
     0},
    {"scalar", "scalar integer code, a branch every eighth",
     HEAD "1:\n" TIMES8("    addi t0, t0, 1\n    xor t1, t0, t2\n    slli t2, t1, 3\n    add t3, t2, t1\n    sub t4, "
                        "t3, t0\n    and t5, t4, t3\n"
                        "    beq zero, t6, 9f\n    nop\n9:  or t2, t5, t1\n") TAIL,
     0},
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_machine: %s: %s\n", what, why ? why : "failed");
    exit(1);
}

/* ---- building and running ---- */

static void build(const char *source, struct cy_buf *elf)
{
    struct cy_asm_result result;
    struct cy_diags diags = {0};
    struct cy_object object, program;
    struct cy_buf directory = {0};
    if (!cy_asm("loop.s", source, strlen(source), NULL, &result))
        fail("assembling", result.messages);
    if (!cy_object_read(&object, "loop.o", result.object, result.object_size, &diags) ||
        !cy_library_directory("ventus", &directory))
        fail("the device library", diags.text.data);
    struct cy_library *library = cy_library_open(directory.data, &diags);
    const struct cy_object *objects[] = {&object};
    const struct cy_library *libraries[] = {library};
    struct cy_link_job job = {.objects = objects, .object_count = 1, .libraries = libraries, .library_count = 1};
    if (!library || !cy_link(&job, &program, &diags))
        fail("linking", diags.text.data);
    cy_object_write(&program, elf);
    cy_object_free(&program);
    cy_object_free(&object);
    cy_library_close(library);
    cy_buf_free(&directory);
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
}

struct machine {
    struct cy_device *device;
    struct cy_program *program;
    uint32_t buffer, threads;
};

static void machine_open(struct machine *machine, const char *source, uint32_t threads)
{
    struct cy_config config;
    struct cy_buf elf = {0};
    char *message = NULL;
    cy_config_default(&config);
    config.sms = config.host_threads = machine->threads = threads;
    if (cy_device_open(&config, &machine->device, &message) != CY_OK)
        fail("opening the device", message);
    build(source, &elf);
    if (cy_program_load(machine->device, "loop", elf.data, elf.size, &machine->program, &message) != CY_OK)
        fail("loading", message);
    cy_buf_free(&elf);
    if (cy_device_alloc(machine->device, 1 << 20, 0, &machine->buffer) != CY_OK)
        fail("a buffer", NULL);
    memset(cy_device_map(machine->device, machine->buffer, 1 << 20), 0, 1 << 20);
}

static void machine_close(struct machine *machine)
{
    cy_program_release(machine->program);
    cy_device_close(machine->device);
}

/* One workgroup of eight warps on each SM. */
static struct cy_counters machine_run(struct machine *machine, uint32_t iterations)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    struct cy_counters counters;
    char *message = NULL;
    cy_arguments_pointer(arguments, machine->buffer);
    cy_arguments_value(arguments, &iterations, sizeof(iterations));
    struct cy_launch_desc desc = {.program = machine->program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .global = {256 * machine->threads},
                                  .local = {256}};
    if (cy_launch_start(machine->device, &desc, &launch, &message) != CY_OK)
        fail("launching", message);
    if (cy_launch_wait(launch) != CY_OK)
        fail("running", cy_launch_message(launch));
    cy_launch_counters(launch, &counters);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return counters;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Million warp-instructions per second, the best of three runs of about `seconds`.  One thread is measured in processor
 * time, so that other work on the host does not count; several in wall time. */
static double speed(const char *source, uint32_t threads, double seconds, double *per_core)
{
    struct machine machine;
    machine_open(&machine, source, threads);
    struct cy_counters trial = machine_run(&machine, 2000);
    double scale = 2000 * seconds / 3 / (trial.seconds > 1e-6 ? trial.seconds : 1e-6), best = 0;
    uint32_t iterations = scale > 4e9 ? 4000000000u : scale < 1 ? 1 : (uint32_t)scale;
    for (int i = 0; i < 3; i++) {
        double start = cpu_seconds();
        struct cy_counters counters = machine_run(&machine, iterations);
        double used = cpu_seconds() - start;
        double rate = (double)counters.instructions / (threads == 1 ? used : counters.seconds) * 1e-6;
        if (rate > best) {
            best = rate;
            *per_core = (double)counters.instructions / used * 1e-6;
        }
    }
    machine_close(&machine);
    return best;
}

/* ---- host instructions ---- */

/* The count that callgrind reports on standard error for a run of this program. */
static double collected(const char *self, const char *name, const char *iterations)
{
    char words[8][4096] = {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "", "--only",
                           "",         "--iterations"};
    char *argv[9] = {0};
    snprintf(words[3], sizeof(words[3]), "%s", self);
    snprintf(words[5], sizeof(words[5]), "%s", name);
    snprintf(words[7], sizeof(words[7]), "%s", iterations);
    for (size_t i = 0; i < 8; i++)
        argv[i] = words[i];
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        fail("callgrind", "no pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (posix_spawnp(&child, "valgrind", &actions, NULL, argv, environ) != 0)
        fail("callgrind", "valgrind is not installed");
    close(ends[1]);
    posix_spawn_file_actions_destroy(&actions);
    FILE *output = fdopen(ends[0], "r");
    char line[512];
    double count = 0;
    while (output && fgets(line, sizeof(line), output)) {
        char *at = strstr(line, "Collected :");
        if (at)
            count = strtod(at + 11, NULL);
    }
    if (output)
        fclose(output);
    int status;
    waitpid(child, &status, 0);
    if (status != 0 || count == 0)
        fail("callgrind", "it did not run through");
    return count;
}

static double host_instructions(const char *self, const struct loop *loop)
{
    struct machine machine;
    machine_open(&machine, loop->body, 1);
    double guest = (double)machine_run(&machine, 4000).instructions;
    guest -= (double)machine_run(&machine, 2000).instructions;
    machine_close(&machine);
    return (collected(self, loop->name, "4000") - collected(self, loop->name, "2000")) / guest;
}

/* ---- the table ---- */

static void print_speeds(const char *self, double seconds, bool callgrind)
{
    printf("%-10s  %-56s  %10s  %8s%s\n", "loop", "one host thread, 32 lanes, 8 warps", "M insn/s", "meant",
           callgrind ? "  host insns each" : "");
    for (size_t i = 0; i < CY_COUNT(loops); i++) {
        double per_core, rate = speed(loops[i].body, 1, seconds, &per_core);
        printf("%-10s  %-56s  %10.1f  ", loops[i].name, loops[i].what, rate);
        if (loops[i].target > 0)
            printf("%8.0f", loops[i].target);
        else
            printf("%8s", "");
        if (callgrind)
            printf("  %15.1f", host_instructions(self, &loops[i]));
        printf("\n");
        fflush(stdout);
    }
}

static void print_scaling(double seconds)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double one = 0;
    printf("\n%-10s  %-56s  %10s  %8s  %15s\n", "threads", "alu on as many SMs", "M insn/s", "times",
           "per core-second");
    for (uint32_t threads = 1;; threads *= 2) {
        if (threads > (uint32_t)cores)
            threads = (uint32_t)cores;
        double per_core, rate = speed(loops[0].body, threads, seconds, &per_core);
        one = threads == 1 ? rate : one;
        printf("%-10u  %-56s  %10.1f  %8.2f  %15.1f\n", threads, "", rate, rate / one, per_core);
        if (threads >= (uint32_t)cores)
            break;
    }
}

int main(int argc, char **argv)
{
    double seconds = 1;
    const char *only = NULL;
    uint32_t iterations = 0, threads = 1;
    bool callgrind = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--callgrind") == 0)
            callgrind = true;
        else if (strcmp(argv[i], "--seconds") == 0 && ++i)
            seconds = strtod(value, NULL);
        else if (strcmp(argv[i], "--only") == 0 && ++i)
            only = value;
        else if (strcmp(argv[i], "--iterations") == 0 && ++i)
            iterations = (uint32_t)strtoul(value, NULL, 0);
        else if (strcmp(argv[i], "--threads") == 0 && ++i)
            threads = (uint32_t)strtoul(value, NULL, 0);
        else
            fail(argv[i], "options are --callgrind, --seconds S, --only NAME, --iterations N, --threads T");
    }
    if (!only) {
        print_speeds(argv[0], seconds, callgrind);
        print_scaling(seconds);
        return 0;
    }
    for (size_t i = 0; i < CY_COUNT(loops); i++) {
        if (strcmp(loops[i].name, only) != 0)
            continue;
        if (iterations) {
            struct machine machine;
            machine_open(&machine, loops[i].body, threads);
            struct cy_counters counters = machine_run(&machine, iterations);
            printf("%llu instructions\n", (unsigned long long)counters.instructions);
            machine_close(&machine);
        } else {
            double per_core;
            printf("%.1f million warp-instructions per second\n", speed(loops[i].body, threads, seconds, &per_core));
        }
        return 0;
    }
    fail(only, "no such loop");
    return 1;
}
