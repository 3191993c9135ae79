/* Engine auto: a launch begins on the interpreter and goes on as translated code; short kernels are not translated; those of
 * programs that end soon are left to the compile server; one is translated at a time; a translation may outlive its device, and
 * the process need not wait for it. */
#define _POSIX_C_SOURCE 200809L
#include "base/sha256.h"
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Item i gets i after some turns of x = 5 * x + 1.  Arguments: where, turns. */
static const char *const turns_kernel = "    .section .cy.lanes,\"\",@progbits\n    .asciz \"k\"\n"
                                        "    .text\n    .globl k\n    .type k, @function\nk:\n"
                                        "    lw t0, 0(a0)\n    lw t1, 4(a0)\n    csrr t2, CSR_KNL\n    lw t3, 24(t2)\n"
                                        "    csrr t4, CSR_GIDX\n    mul t3, t3, t4\n    csrr t4, CSR_TID\n"
                                        "    add t3, t3, t4\n    vid.v v0\n    vadd.vx v0, v0, t3\n"
                                        "    vsll.vi v1, v0, 2\n    vadd.vx v1, v1, t0\n    li t5, 5\n"
                                        "again:\n    vmul.vx v0, v0, t5\n    vadd.vi v0, v0, 1\n    addi t1, t1, -1\n"
                                        "    bnez t1, again\n    vsw12.v v0, 0(v1)\n" GUEST_END;
enum { ITEMS = 1 << 14, LOCAL = 64, LEFT = 42 };

/* ---- a translator with a door, which tests may close ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_closed;
    unsigned calls, done;
    unsigned strange; /* requests whose digest is not that of their code, for which caches take it */
} door = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void set_door(bool is_closed)
{
    pthread_mutex_lock(&door.lock);
    door.is_closed = is_closed;
    if (is_closed)
        door.calls = door.done = 0;
    pthread_cond_broadcast(&door.changed);
    pthread_mutex_unlock(&door.lock);
}

static void wait_for(const unsigned *count)
{
    pthread_mutex_lock(&door.lock);
    while (!*count)
        pthread_cond_wait(&door.changed, &door.lock);
    pthread_mutex_unlock(&door.lock);
}

static unsigned calls(void)
{
    pthread_mutex_lock(&door.lock);
    const unsigned count = door.calls;
    pthread_mutex_unlock(&door.lock);
    return count;
}

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* LLVM's options are global */
    struct cy_buf out = {0}, reason = {0};
    const struct cy_jit_request *head = request;
    const struct cy_digest digest = cy_sha256(head + 1, head->code_bytes);
    (void)context;
    pthread_mutex_lock(&door.lock);
    door.calls++;
    door.strange += memcmp(head->digest, &digest, sizeof(digest)) != 0;
    pthread_cond_broadcast(&door.changed);
    while (door.is_closed)
        pthread_cond_wait(&door.changed, &door.lock);
    pthread_mutex_unlock(&door.lock);
    pthread_mutex_lock(&one_at_a_time);
    const bool ok = cy_jit_translate(NULL, request, size, &out, &reason);
    pthread_mutex_unlock(&one_at_a_time);
    snprintf(why, room, "%s", reason.data ? reason.data : "");
    *image = out.data;
    *image_size = out.size;
    cy_buf_free(&reason);
    pthread_mutex_lock(&door.lock);
    door.done++;
    pthread_cond_broadcast(&door.changed);
    pthread_mutex_unlock(&door.lock);
    return ok;
}

/* What another process has translated, when tests say so. */
static bool is_kept;

static bool find(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                 size_t room)
{
    *why = 0;
    return is_kept && translate(context, request, size, image, image_size, why, room);
}

/* What a process leaves when it ends is the exit status of the next one. */
static bool leave(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                  size_t room)
{
    (void)context, (void)request, (void)size, (void)image, (void)image_size, (void)room;
    *why = 0;
    _exit(LEFT);
}

/* As if the program had been compiled by this process. */
static bool has_server;

static bool is_started(void *context)
{
    (void)context;
    return has_server;
}

/* ---- launches ---- */

struct machine {
    struct cy_device *device;
    struct cy_program *program;
    uint32_t buffer;
};

static struct machine open_machine(const char *settings)
{
    struct machine machine = {.device = guest_device(settings)};
    const struct cy_translator translator = {
        .translate = translate, .find = find, .leave = leave, .is_started = is_started};
    cy_device_set_translator(machine.device, &translator);
    machine.program = guest_program(machine.device, turns_kernel);
    CHECK_EQ(cy_device_alloc(machine.device, ITEMS * 4, 0, &machine.buffer), CY_OK);
    return machine;
}

static void close_machine(struct machine *machine)
{
    cy_program_release(machine->program);
    cy_device_close(machine->device);
}

static void launch_items(struct machine *machine, uint32_t items, uint32_t turns, struct cy_counters *counters)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    cy_arguments_pointer(arguments, machine->buffer);
    cy_arguments_value(arguments, &turns, sizeof(turns));
    struct cy_launch_desc desc = {.program = machine->program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .dimensions = 1,
                                  .global = {items, 1, 1},
                                  .local = {LOCAL, 1, 1}};
    memset(cy_device_map(machine->device, machine->buffer, items * 4), 0, items * 4);
    CHECK_EQ(guest_launch(machine->device, &desc, &launch), CY_OK);
    cy_launch_counters(launch, counters);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    const uint32_t *out = cy_device_map(machine->device, machine->buffer, items * 4);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < items; i++) {
        uint32_t x = i;
        for (uint32_t k = 0; k < turns; k++)
            x = 5 * x + 1;
        wrong += out[i] != x;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(counters->work_items, items);
    CHECK_EQ(counters->workgroups, items / LOCAL);
}

static void launch(struct machine *machine, uint32_t turns, struct cy_counters *counters)
{
    launch_items(machine, ITEMS, turns, counters);
}

/* ---- tests ---- */

static void test_short_kernels_are_interpreted(void)
{
    struct machine machine = open_machine("engine=auto");
    struct cy_counters counters;
    set_door(true);
    launch(&machine, 2, &counters); /* 20,000 instructions */
    CHECK_EQ(counters.work_items_translated, 0);
    CHECK_EQ(calls(), 0);
    set_door(false);
    close_machine(&machine);
}

/* The first test: there are no threads yet that a child would miss. */
static int status_of_program(uint32_t turns)
{
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        struct machine machine = open_machine("engine=auto");
        struct cy_counters counters;
        set_door(true); /* behind which the translator is when the process ends */
        launch(&machine, turns, &counters);
        if (has_server)
            wait_for(&door.calls);
        close_machine(&machine);
        exit(calls() ? 1 : 0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_short_programs_leave_translations(void)
{
    CHECK_EQ(status_of_program(2), 0);
    CHECK_EQ(status_of_program(100), LEFT);  /* 0.2 million instructions */
    CHECK_EQ(status_of_program(2000), LEFT); /* 4 million: 20 milliseconds, of which starting it would be a tenth */
    has_server = true;
    CHECK_EQ(status_of_program(2000), 1);
    has_server = false;
}

static void test_kept_translations_are_used_at_once(void)
{
    struct machine machine = open_machine("engine=auto");
    struct cy_counters counters;
    is_kept = true;
    launch(&machine, 2, &counters);
    is_kept = false;
    CHECK_EQ(counters.work_items_translated, ITEMS);
    close_machine(&machine);
}

/* Of few warps nobody knows beforehand that they run for long. */
static void test_kept_translations_of_few_warps_are_used(void)
{
    struct machine machine = open_machine("engine=auto");
    struct cy_counters counters;
    is_kept = true;
    launch_items(&machine, LOCAL, 10000, &counters); /* 80,000 instructions */
    CHECK_EQ(counters.work_items_translated, 0);
    launch_items(&machine, LOCAL, 10000, &counters);
    is_kept = false;
    CHECK_EQ(counters.work_items_translated, LOCAL);
    close_machine(&machine);
}

/* Whether the translation arrives before the launch ends depends on the host: not every try is one. */
static void test_launch_changes_engines(void)
{
    enum { TRIES = 30 };
    bool changed = false;
    for (int i = 0; i < TRIES && !changed; i++) {
        struct machine machine = open_machine(i & 1 ? "engine=auto sms=2" : "engine=auto sms=1 host-threads=1");
        struct cy_counters counters;
        launch(&machine, 16000, &counters); /* longer than two translations: the last try's may be in the way */
        changed = counters.work_items_translated > 0 && counters.work_items_translated < ITEMS;
        CHECK(counters.instructions > 0);
        close_machine(&machine);
    }
    CHECK(changed);
}

static void test_later_launches_are_translated(void)
{
    struct machine machine = open_machine("engine=auto");
    struct cy_counters counters;
    set_door(true);
    launch(&machine, 5000, &counters); /* 10 million instructions */
    CHECK_EQ(counters.work_items_translated, 0);
    wait_for(&door.calls);
    set_door(false);
    wait_for(&door.done);
    for (int i = 0; i < 1000 && !counters.translated; i++) /* the thread has returned, or soon will have */
        launch(&machine, 2, &counters);
    CHECK(counters.translated);
    CHECK_EQ(counters.work_items_translated, ITEMS);
    close_machine(&machine);
}

static void test_one_is_translated_at_a_time(void)
{
    struct machine machines[3];
    struct cy_counters counters;
    set_door(true);
    for (int i = 0; i < 3; i++) {
        machines[i] = open_machine("engine=auto");
        launch(&machines[i], 5000, &counters);
        wait_for(&door.calls);
    }
    CHECK_EQ(calls(), 1);
    set_door(false);
    for (int i = 0; i < 3; i++) {
        for (counters.translated = false; !counters.translated;)
            launch(&machines[i], 2, &counters);
        close_machine(&machines[i]);
    }
}

/* Threads leave each other what will soon be done, but not to one that was called too late. */
static void test_no_workgroup_is_left_out(void)
{
    enum { LAUNCHES = 4000 };
    struct machine machine = open_machine("engine=jit sms=2 host-threads=2");
    struct cy_counters counters;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        launch_items(&machine, ITEMS / 4, 20 + i % 50, &counters);
        if (i % 3 == 0) /* the other thread falls asleep */
            nanosleep(&(struct timespec){0, 50000}, NULL);
    }
    close_machine(&machine);
}

static void test_translation_outlives_device(void)
{
    struct machine machine = open_machine("engine=auto");
    struct cy_counters counters;
    set_door(true);
    launch(&machine, 5000, &counters);
    wait_for(&door.calls);
    close_machine(&machine);
    set_door(false);
    wait_for(&door.done);
}

/* The last one: the process ends while a translation waits. */
static void test_process_ends_meanwhile(void)
{
    struct machine machine = open_machine("engine=auto");
    struct cy_counters counters;
    set_door(true);
    launch(&machine, 5000, &counters);
    wait_for(&door.calls);
    close_machine(&machine);
    pthread_mutex_lock(&door.lock);
    CHECK_EQ(door.strange, 0);
    pthread_mutex_unlock(&door.lock);
}

TEST_MAIN(test_short_programs_leave_translations, test_short_kernels_are_interpreted,
          test_kept_translations_are_used_at_once, test_kept_translations_of_few_warps_are_used,
          test_launch_changes_engines, test_later_launches_are_translated, test_one_is_translated_at_a_time,
          test_no_workgroup_is_left_out, test_translation_outlives_device, test_process_ends_meanwhile)
