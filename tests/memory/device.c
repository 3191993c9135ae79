/* Out of memory while a device is opened, loaded, launched and closed.  Every call that fails reports it, and succeeds
 * when repeated. */
#define _GNU_SOURCE
#include "support/oom.h"

#include "chengying/cosim.h"
#include "chengying/timing.h"
#include "gpu_device/guest.h"

/* Adds 1 to its variable and to every word of the buffer. */
static const char *const counting = "    .data\n    .align 2\nvariable: .word 10\n" GUEST_ID
                                    "    la t1, variable\n    lw t2, 0(t1)\n    addi t2, t2, 1\n    sw t2, 0(t1)\n"
                                    "    vsll.vi v1, v0, 2\n    vadd.vx v1, v1, t0\n    vlw12.v v2, 0(v1)\n    vadd.vi "
                                    "v2, v2, 1\n    vsw12.v v2, 0(v1)\n"
                                    "    li t3, 400\n1:  addi t3, t3, -1\n    bnez t3, 1b\n" GUEST_END;
/* Reads unmapped memory. */
static const char *const faulting = GUEST_ID "    li t0, 0x10\n    lw t1, 0(t0)\n" GUEST_END;
/* One record for each lane: "item %d\n". */
static const char *const printing =
    "    .section .cy.printf, \"\", @progbits\n    .asciz \"item %d\\n\"\n" GUEST_ID
    "    csrr t0, CSR_KNL\n    lw t1, 48(t0)\n    vmv.v.x v1, t1\n    vmv.v.i v2, 12\n    amoadd.w v3, v2, (v1)\n"
    "    vadd.vx v6, v3, t1\n    vmv.v.i v7, 0\n    vsw12.v v7, 12(v6)\n    vsw12.v v0, 16(v6)\n    vsw12.v v2, 8(v6)\n"
    "    csrwi CSR_PRINT, 1\n" GUEST_END;

struct images {
    struct cy_buf counting, faulting, printing;
    const char *settings;
};

/* Makes a call, and again without failures if it had one. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum cy_status status_ = (call);                                                                               \
        if (status_ == CY_OK)                                                                                          \
            break;                                                                                                     \
        CHECK(failing);                                                                                                \
        CHECK(status_ == CY_ERROR_HOST || status_ == CY_ERROR_MEMORY);                                                 \
        oom_disarm();                                                                                                  \
        CHECK_EQ((call), CY_OK);                                                                                       \
    } while (0)

static enum cy_status open_device(const char *settings, struct cy_device **device)
{
    struct cy_config config;
    char copy[200], *rest = copy, *message = NULL;
    snprintf(copy, sizeof(copy), "%s", settings);
    cy_config_default(&config);
    enum cy_status status = CY_OK;
    for (char *word; status == CY_OK && (word = strsep(&rest, " "));)
        status = cy_config_set(&config, word, &message);
    if (status == CY_OK)
        status = cy_device_open(&config, device, &message);
    CHECK(status != CY_OK || !message);
    free(message);
    return status;
}

static enum cy_status load(struct cy_device *device, const struct cy_buf *image, struct cy_program **program)
{
    char *message = NULL;
    enum cy_status status = cy_program_load(device, "memory.riscv", image->data, image->size, program, &message);
    CHECK(!message || strstr(message, "memory") || strstr(message, "resources"));
    free(message);
    return status;
}

/* One launch, on this thread or on the device's own, and its end. */
static enum cy_status launch_once(struct cy_device *device, const struct cy_launch_desc *desc, uint32_t buffer,
                                  bool run_here)
{
    struct cy_arguments *arguments = cy_arguments_create();
    if (!arguments)
        return CY_ERROR_HOST;
    uint64_t wide = 5;
    cy_arguments_pointer(arguments, buffer);
    cy_arguments_value(arguments, &wide, sizeof(wide));
    cy_arguments_local(arguments, 64);
    struct cy_launch_desc copy = *desc;
    copy.arguments = arguments;
    struct cy_launch *launch = NULL;
    char *message = NULL;
    enum cy_status status =
        run_here ? cy_launch_run(device, &copy, &launch, &message) : cy_launch_start(device, &copy, &launch, &message);
    CHECK(launch || status != CY_OK);
    free(message);
    if (launch) {
        CHECK_EQ(status, run_here ? cy_launch_wait(launch) : CY_OK);
        status = cy_launch_wait(launch);
        CHECK((status == CY_OK) == !*cy_launch_message(launch));
        const struct cy_fault_info *fault = cy_launch_fault(launch);
        CHECK((status == CY_ERROR_FAULT) == (fault != NULL));
        if (fault) {
            CHECK_STR(fault->kind, "UNMAPPED");
            CHECK_EQ(fault->address, 0x10);
            CHECK(fault->report && fault->instruction && fault->file && *cy_launch_message(launch));
        }
    }
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return status;
}

enum { ITEMS = 1000 };

static void count_lines(void *context, const char *text, size_t size)
{
    unsigned *lines = context;
    for (size_t i = 0; i < size; i++)
        *lines += text[i] == '\n';
}

/* The variable counts the kernel's runs, whatever ran in between. */
static void check_counts(struct cy_device *device, struct cy_program *program, uint32_t buffer, uint32_t runs)
{
    uint32_t values[ITEMS], address = 0, variable = 0;
    CHECK_EQ(cy_device_read(device, buffer, values, sizeof(values)), CY_OK);
    bool same = true;
    for (unsigned i = 0; i < ITEMS; i++)
        same = same && values[i] == runs;
    CHECK(same);
    CHECK(cy_program_symbol(program, "variable", &address));
    CHECK_EQ(cy_device_read(device, address, &variable, sizeof(variable)), CY_OK);
    CHECK(variable > 10 || !runs);
}

static void life_of_a_device(void *context, bool failing)
{
    const struct images *images = context;
    struct cy_device *device = NULL, *other = NULL;
    struct cy_program *counter = NULL, *faulter = NULL, *printer = NULL;
    struct cy_space *space = NULL;
    uint32_t buffer = 0, again = 0;
    uint64_t shared[2] = {0};
    TRY(open_device(images->settings, &device));
    TRY(open_device("sms=1", &other));
    TRY(load(device, &images->counting, &counter));
    TRY(load(device, &images->faulting, &faulter));
    TRY(load(device, &images->printing, &printer));
    TRY(cy_device_alloc(device, ITEMS * 4, 0, &buffer));
    struct cy_device *devices[] = {device, other};
    TRY(cy_device_alloc_shared(devices, 2, NULL, 5000, shared));

    struct cy_launch_desc desc = {.program = counter, .kernel = "k", .global = {ITEMS}, .local = {50}};
    TRY(launch_once(device, &desc, buffer, false));
    TRY(launch_once(device, &desc, buffer, true));
    check_counts(device, counter, buffer, 2);

    unsigned lines = 0;
    desc.program = printer;
    desc.print = count_lines;
    desc.print_context = &lines;
    desc.print_bytes = 4096;
    enum cy_status status = launch_once(device, &desc, buffer, false);
    if (status != CY_OK) {
        CHECK(failing && (status == CY_ERROR_HOST || status == CY_ERROR_MEMORY));
        oom_disarm();
        lines = 0;
        CHECK_EQ(launch_once(device, &desc, buffer, false), CY_OK);
    }
    CHECK_EQ(lines, ITEMS);

    desc.program = faulter;
    status = launch_once(device, &desc, buffer, false);
    if (status != CY_ERROR_FAULT) {
        CHECK(failing && (status == CY_ERROR_HOST || status == CY_ERROR_MEMORY));
        oom_disarm();
        CHECK_EQ(launch_once(device, &desc, buffer, false), CY_ERROR_FAULT);
    }

    /* with page tables, and the earlier variables */
    TRY(cy_space_create(device, &space));
    TRY(cy_space_map(space, buffer, buffer, 4096, CY_SPACE_READ | CY_SPACE_WRITE));
    desc.program = counter;
    desc.space = space;
    TRY(launch_once(device, &desc, buffer, true));
    check_counts(device, counter, buffer, 3);

    uint32_t word = 77, seen = 0;
    CHECK_EQ(cy_device_write(device, shared[0], &word, 4), CY_OK);
    CHECK_EQ(cy_device_read(other, shared[1], &seen, 4), CY_OK);
    CHECK_EQ(seen, 77);
    cy_space_destroy(space);
    CHECK_EQ(cy_device_free(device, shared[0]), CY_OK);
    CHECK_EQ(cy_device_read(device, shared[0], &seen, 4), CY_ERROR_INVALID);
    CHECK_EQ(cy_device_free(device, shared[0]), CY_ERROR_INVALID);
    /* a new buffer has no other user */
    TRY(cy_device_alloc(device, 5000, 0, &again));
    shared[0] = again;
    CHECK_EQ(cy_device_read(device, shared[0], &seen, 4), CY_OK);
    CHECK_EQ(seen, 0);
    cy_program_release(counter);
    cy_program_release(faulter);
    cy_program_release(printer);
    cy_device_close(device);
    cy_device_close(other);
}

static enum cy_status start_cosim(struct cy_device *device, struct cy_program *program, uint32_t buffer,
                                  struct cy_cosim **cosim)
{
    struct cy_arguments *arguments = cy_arguments_create();
    char *message = NULL;
    if (!arguments)
        return CY_ERROR_HOST;
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {8}, .local = {8}};
    const enum cy_status status = cy_cosim_start(device, &desc, cosim, &message);
    CHECK(status != CY_OK || !message);
    free(message);
    cy_arguments_destroy(arguments);
    return status;
}

/* A launch that is stepped beside another implementation, which is wrong. */
static void step_a_launch(void *context, bool failing)
{
    const struct images *images = context;
    struct cy_device *device = NULL;
    struct cy_program *program = NULL;
    struct cy_cosim *cosim = NULL;
    struct cy_commit commit = {0};
    const struct cy_commit wrong = {.warp = 0, .pc = 0x10};
    uint32_t buffer = 0, word = 7;
    char *message = NULL;
    TRY(open_device(images->settings, &device));
    TRY(load(device, &images->counting, &program));
    TRY(cy_device_alloc(device, 4096, 0, &buffer));
    TRY(start_cosim(device, program, buffer, &cosim));
    while (cy_cosim_step(cosim, CY_COSIM_ANY, &commit) == CY_OK && strcmp(commit.mnemonic, "vsll.vi"))
        ;
    if (!cy_cosim_inject(cosim, buffer, &word, sizeof(word))) {
        CHECK(failing);
        oom_disarm();
        CHECK(cy_cosim_inject(cosim, buffer, &word, sizeof(word)));
    }
    CHECK_EQ(cy_cosim_step(cosim, 0, &commit), CY_OK);
    const enum cy_status status = cy_cosim_check(cosim, &wrong, &commit, &message);
    CHECK(status == CY_ERROR_DIFFERENT || (failing && status == CY_ERROR_HOST));
    CHECK_STR(commit.mnemonic, "vlw12.v");
    CHECK(status != CY_ERROR_DIFFERENT || strstr(message, "difference"));
    free(message);
    while (cy_cosim_step(cosim, CY_COSIM_ANY, &commit) == CY_OK)
        ;
    CHECK_EQ(cy_cosim_end(cosim, NULL), CY_OK);
    cy_cosim_destroy(cosim);
    CHECK_EQ(cy_device_read(device, buffer, &word, sizeof(word)), CY_OK);
    CHECK_EQ(word, 1);
    cy_program_release(program);
    cy_device_close(device);
}

static void test_device(void)
{
    static const char *const settings[] = {"sms=3 host-threads=3 threads=8", "sms=2 deterministic=yes"};
    struct images images = {0};
    if (!guest_build(counting, NULL, &images.counting) || !guest_build(faulting, NULL, &images.faulting) ||
        !guest_build(printing, NULL, &images.printing))
        return;
    for (size_t i = 0; i < CY_COUNT(settings); i++) {
        images.settings = settings[i];
        oom_each(life_of_a_device, &images);
    }
    images.settings = "sms=1 threads=8";
    oom_each(step_a_launch, &images);
    cy_buf_free(&images.counting);
    cy_buf_free(&images.faulting);
    cy_buf_free(&images.printing);
}

/* Settings: the configuration is all or nothing. */
static void configure(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    struct cy_config config, before;
    char *message = NULL;
    cy_config_default(&config);
    before = config;
    static const char text[] = "sms = 2\nthreads = 8\nlds = 64K # comment\n";
    enum cy_status status = cy_config_parse(&config, "file", text, strlen(text), &message);
    CHECK(status == CY_OK || (failing && status == CY_ERROR_HOST && config.sms == before.sms));
    CHECK_EQ(config.threads, status == CY_OK ? 8 : before.threads);
    free(message);
    message = NULL;
    status = cy_config_set(&config, "treads=3", &message);
    CHECK(status == CY_ERROR_INVALID ? strstr(message, "did you mean 'threads'?") != NULL
                                     : failing && status == CY_ERROR_HOST);
    free(message);
    CHECK_EQ(oom_live(), live);
}

/* The same of the cycle model. */
static void configure_timing(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    struct cy_timing_config config;
    char *message = NULL;
    static const char text[] = "memory_latency = 77\nl1d_sets = 16 # comment\n";
    cy_timing_config_default(&config);
    const uint32_t before = cy_timing_config_get(&config, "memory_latency");
    enum cy_status status = cy_timing_config_parse(&config, "file", text, strlen(text), &message);
    CHECK(status == CY_OK || (failing && status == CY_ERROR_HOST));
    CHECK_EQ(cy_timing_config_get(&config, "memory_latency"), status == CY_OK ? 77 : before);
    free(message);
    message = NULL;
    status = cy_timing_config_set(&config, "memory_latncy=3", &message);
    CHECK(status == CY_ERROR_INVALID ? strstr(message, "memory_latency") != NULL : failing && status == CY_ERROR_HOST);
    free(message);
    struct cy_timing *timing = cy_timing_create(&config);
    CHECK(timing || failing);
    cy_timing_destroy(timing);
    CHECK_EQ(oom_live(), live);
}

static void test_settings(void)
{
    oom_each(configure, NULL);
    oom_each(configure_timing, NULL);
}

/* Memory above 4 GiB, shared with the host, behind page tables. */
static void use_memory(void *context, bool failing)
{
    (void)context;
    struct cy_device *device = NULL;
    struct cy_space *space = NULL;
    uint64_t far = 0;
    void *shared = NULL;
    TRY(open_device("sms=1", &device));
    TRY(cy_device_alloc_far(device, 5ull << 30, 0, &far));
    TRY(cy_device_alloc_svm(&device, 1, 1 << 20, 0, &shared));
    memset(shared, 1, 1 << 20);
    TRY(cy_space_create(device, &space));
    TRY(cy_space_map(space, 0x10000, 0x90000000, 3u << 21, CY_SPACE_READ));
    TRY(cy_space_set_entry(space, 0x40000000, 1, 0xf));
    TRY(cy_space_unmap(space, 0x11000, 0x1000));
    cy_space_destroy(space);
    cy_device_free_svm(&device, 1, shared);
    TRY(cy_device_free(device, far));
    cy_device_close(device);
}

static void test_memory(void)
{
    oom_each(use_memory, NULL);
}

TEST_MAIN(test_settings, test_memory, test_device)
