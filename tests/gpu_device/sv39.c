/* SV39: the walk against tables written by hand, then guests that run with page tables. */
#include "gpu/engine/engine.h"
#include "gpu_device/guest.h"

enum { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };
#define ROOT 0x90000000u
#define MIDDLE 0x90001000u
#define LOW 0x90002000u
#define DATA 0x90003000u /* two pages */

static struct cy_memory memory;
static struct cy_tlb *tlb;

static uint64_t *entry(uint32_t table, unsigned index)
{
    return (uint64_t *)(void *)(memory.base + table) + index;
}
static uint64_t pte(uint64_t physical, unsigned flags)
{
    return physical >> 12 << 10 | flags;
}

static void set_up(void)
{
    struct cy_diags diags = {0};
    CHECK(cy_memory_init(&memory, 0, &diags));
    CHECK(cy_memory_alloc_at(&memory, ROOT, 0x5000, CY_READ | CY_WRITE));
    tlb = cy_tlb_create();
    /* virtual 0x40201000 -> DATA: indices 1, 1, 1 */
    *entry(ROOT, 1) = pte(MIDDLE, V);
    *entry(MIDDLE, 1) = pte(LOW, V);
    *entry(LOW, 1) = pte(DATA, V | R | W);
}

static void tear_down(void)
{
    cy_tlb_free(tlb);
    cy_memory_destroy(&memory);
}

static struct cy_walk_fault why; /* of the last walk that failed */

/* The physical address, or 0 for a fault; with an empty TLB. */
static uint64_t look(uint64_t address, unsigned access)
{
    uint64_t physical = 0;
    cy_tlb_flush(tlb);
    return cy_mmu_translate(&memory, ROOT, tlb, address, (uint8_t)access, &physical, &why) ? physical : 0;
}

/* The walk fails, for this reason at this level. */
static void fails(uint64_t address, unsigned access, enum cy_walk_problem problem, unsigned level)
{
    why = (struct cy_walk_fault){.problem = 0xff, .level = 0xff};
    CHECK_EQ(look(address, access), 0);
    CHECK_EQ(why.problem, problem);
    CHECK_EQ(why.level, level);
}

static void test_small_page(void)
{
    set_up();
    CHECK_EQ(look(0x40201000, CY_READ), DATA);
    CHECK_EQ(look(0x40201abc, CY_READ), DATA + 0xabc);
    CHECK_EQ(look(0x40202000, CY_READ), 0); /* no entry */
    CHECK_EQ(look(0x40400000, CY_READ), 0); /* no table */
    CHECK_EQ(look(0x80000000, CY_READ), 0);
    CHECK_EQ(look(0x40201000, CY_EXECUTE), 0);
    tear_down();
}

static void test_accessed_and_dirty(void)
{
    uint64_t physical;
    set_up();
    look(0x40201000, CY_READ);
    CHECK_EQ(*entry(LOW, 1) & (A | D), A);
    /* the entry cached for reading must not satisfy the first write */
    CHECK(cy_mmu_translate(&memory, ROOT, tlb, 0x40201000, CY_WRITE, &physical, &why));
    CHECK_EQ(*entry(LOW, 1) & (A | D), A | D);
    CHECK_EQ(*entry(MIDDLE, 1) & (A | D), 0);
    tear_down();
}

static void test_permissions(void)
{
    static const struct {
        unsigned flags, access;
        bool allowed;
    } rows[] = {
        {R, CY_READ, true},
        {R, CY_WRITE, false},
        {R, CY_EXECUTE, false},
        {R | W, CY_WRITE, true},
        {R | W, CY_READ, true},
        {X, CY_EXECUTE, true},
        {X, CY_READ, false},
        {R | X, CY_READ, true},
        {R | W, CY_READ | CY_WRITE, true},
        {R, CY_READ | CY_WRITE, false},
        {R | U, CY_READ, true},
        {W, CY_WRITE, false},
        {W | X, CY_WRITE, false}, /* reserved: W without R */
    };
    set_up();
    cy_memory_protect(&memory, DATA, 0x2000, CY_READ | CY_WRITE | CY_EXECUTE);
    for (size_t i = 0; i < CY_COUNT(rows); i++) {
        *entry(LOW, 1) = pte(DATA, V | rows[i].flags);
        CHECK_EQ(look(0x40201000, rows[i].access) != 0, rows[i].allowed);
    }
    *entry(LOW, 1) = pte(DATA, R | W); /* not valid */
    CHECK_EQ(look(0x40201000, CY_READ), 0);
    tear_down();
}

static void test_large_pages(void)
{
    set_up();
    cy_memory_protect(&memory, 0xc0000000u, 1ull << 30, CY_READ | CY_WRITE);
    *entry(MIDDLE, 2) = pte(0xc0200000u, V | R); /* 2 MiB */
    CHECK_EQ(look(0x40400000, CY_READ), 0xc0200000u);
    CHECK_EQ(look(0x405fffff, CY_READ), 0xc03fffffu);
    *entry(MIDDLE, 2) = pte(0xc0201000u, V | R); /* misaligned */
    CHECK_EQ(look(0x40400000, CY_READ), 0);
    *entry(ROOT, 2) = pte(0xc0000000u, V | R | W); /* 1 GiB */
    CHECK_EQ(look(0x80000000u, CY_WRITE), 0xc0000000u);
    CHECK_EQ(look(0xbfffffffu, CY_READ), 0xffffffffu);
    *entry(ROOT, 2) = pte(0xc0200000u, V | R | W);
    CHECK_EQ(look(0x80000000u, CY_READ), 0);
    tear_down();
}

static void test_malformed(void)
{
    set_up();
    *entry(LOW, 1) = pte(MIDDLE, V); /* a pointer on the last level */
    CHECK_EQ(look(0x40201000, CY_READ), 0);
    for (unsigned bit = 54; bit < 64; bit++) {
        *entry(LOW, 1) = pte(DATA, V | R) | 1ull << bit;
        CHECK_EQ(look(0x40201000, CY_READ), 0);
    }
    *entry(LOW, 1) = pte(DATA, V | R);
    static const unsigned reserved[] = {A, D, U};
    for (size_t i = 0; i < CY_COUNT(reserved); i++) { /* on a pointer */
        *entry(MIDDLE, 1) = pte(LOW, V | reserved[i]);
        CHECK_EQ(look(0x40201000, CY_READ), 0);
    }
    *entry(MIDDLE, 1) = pte(0x50000000, V); /* a table outside memory */
    CHECK_EQ(look(0x40201000, CY_READ), 0);
    *entry(MIDDLE, 1) = pte(0x100000000, V);
    CHECK_EQ(look(0x40201000, CY_READ), 0);
    *entry(MIDDLE, 1) = pte(LOW, V);
    *entry(LOW, 1) = pte(0x60000000, V | R); /* a page outside memory */
    CHECK_EQ(look(0x40201000, CY_READ), 0);
    *entry(LOW, 1) = pte(0x3000000000000, V | R);
    CHECK_EQ(look(0x40201000, CY_READ), 0);
    *entry(LOW, 1) = pte(DATA, V | R);
    CHECK_EQ(look(0x40201000, CY_READ), DATA);
    tear_down();
}

static void test_canonical(void)
{
    set_up();
    *entry(ROOT, 511) = pte(MIDDLE, V);
    *entry(MIDDLE, 511) = pte(LOW, V);
    CHECK_EQ(look(0xffffffffffe01000u, CY_READ), DATA); /* indices 511, 511, 1 */
    CHECK_EQ(look(0x0000007fffe01000u, CY_READ), 0);    /* bit 38 without 63:39 */
    CHECK_EQ(look(0x8000000040201000u, CY_READ), 0);
    CHECK_EQ(look(0x0000004040201000u, CY_READ), 0);
    tear_down();
}

/* Every reason, with the level of the entry that is at fault. */
static void test_reasons(void)
{
    set_up();
    fails(0x0000004040201000u, CY_READ, CY_WALK_NOT_CANONICAL, 2);
    fails(0x80000000, CY_READ, CY_WALK_NOT_PRESENT, 2);
    fails(0x40400000, CY_READ, CY_WALK_NOT_PRESENT, 1);
    fails(0x40202000, CY_READ, CY_WALK_NOT_PRESENT, 0);
    *entry(LOW, 1) = pte(DATA, V | R);
    fails(0x40201000, CY_WRITE, CY_WALK_READ_ONLY, 0);
    fails(0x40201000, CY_READ | CY_WRITE, CY_WALK_READ_ONLY, 0);
    fails(0x40201000, CY_EXECUTE, CY_WALK_NOT_EXECUTABLE, 0);
    *entry(LOW, 1) = pte(DATA, V | X);
    fails(0x40201000, CY_READ, CY_WALK_NOT_READABLE, 0);
    fails(0x40201000, CY_WRITE, CY_WALK_NOT_READABLE, 0);
    *entry(LOW, 1) = pte(DATA, V | W);
    fails(0x40201000, CY_WRITE, CY_WALK_RESERVED, 0);
    *entry(LOW, 1) = pte(DATA, V);
    fails(0x40201000, CY_READ, CY_WALK_NO_LEAF, 0);
    *entry(LOW, 1) = pte(0x60000000, V | R);
    fails(0x40201000, CY_READ, CY_WALK_PAGE_UNMAPPED, 0);
    *entry(LOW, 1) = pte(DATA, V | R | X); /* the physical page is data */
    fails(0x40201000, CY_EXECUTE, CY_WALK_PAGE_FORBIDDEN, 0);
    *entry(MIDDLE, 2) = pte(0xc0000000u, V | R);
    cy_memory_protect(&memory, 0xc0000000u, 2 << 20, CY_READ | CY_WRITE);
    fails(0x40400000, CY_WRITE, CY_WALK_READ_ONLY, 1);
    *entry(MIDDLE, 2) = pte(0xc0001000u, V | R);
    fails(0x40400000, CY_READ, CY_WALK_MISALIGNED, 1);
    *entry(ROOT, 2) = pte(0xc0200000u, V | R | W);
    fails(0x80000000u, CY_READ, CY_WALK_MISALIGNED, 2);
    *entry(MIDDLE, 1) = pte(0x50000000, V);
    fails(0x40201000, CY_READ, CY_WALK_TABLE_UNMAPPED, 0);
    tear_down();
}

/* Changed page rights take effect without a flush; changed table entries only after one. */
static void test_tlb(void)
{
    uint64_t physical;
    set_up();
    CHECK(cy_mmu_translate(&memory, ROOT, tlb, 0x40201000, CY_READ, &physical, &why));
    *entry(LOW, 1) = 0;
    CHECK(cy_mmu_translate(&memory, ROOT, tlb, 0x40201000, CY_READ, &physical, &why));
    cy_tlb_flush(tlb);
    CHECK(!cy_mmu_translate(&memory, ROOT, tlb, 0x40201000, CY_READ, &physical, &why));
    *entry(LOW, 1) = pte(DATA, V | R);
    CHECK(cy_mmu_translate(&memory, ROOT, tlb, 0x40201000, CY_READ, &physical, &why));
    cy_memory_protect(&memory, DATA, 0x1000, 0);
    CHECK(!cy_mmu_translate(&memory, ROOT, tlb, 0x40201000, CY_READ, &physical, &why));
    tear_down();
}

/* ---- guests ---- */

/* out[i] = in[i] + 1, both by virtual addresses that differ from the physical ones */
static const char *const copy_kernel =
    GUEST_ID "    lw t1, 4(a0)\n"
             "    vsll.vi v0, v0, 2\n    vadd.vx v1, v0, t0\n    vadd.vx v2, v0, t1\n"
             "    vlw12.v v3, 0(v1)\n    vadd.vi v3, v3, 1\n    vsw12.v v3, 0(v2)\n" GUEST_END;

static enum cy_status run_copy(struct cy_device *device, struct cy_program *program, struct cy_space *space,
                               uint32_t from, uint32_t to, struct cy_launch **launch)
{
    struct cy_arguments *arguments = cy_arguments_create();
    cy_arguments_pointer(arguments, from);
    cy_arguments_pointer(arguments, to);
    struct cy_launch_desc desc = {
        .program = program, .kernel = "k", .arguments = arguments, .global = {2048}, .local = {64}, .space = space};
    enum cy_status status = guest_launch(device, &desc, launch);
    cy_arguments_destroy(arguments);
    return status;
}

static void test_guest(void)
{
    struct cy_device *device = guest_device("sms=2");
    struct cy_program *program = guest_program(device, copy_kernel);
    struct cy_space *space = NULL;
    struct cy_launch *launch;
    uint32_t a, b;
    CHECK_EQ(cy_device_alloc(device, 8192, 0, &a), CY_OK);
    CHECK_EQ(cy_device_alloc(device, 8192, 0, &b), CY_OK);
    CHECK_EQ(cy_space_create(device, &space), CY_OK);
    uint32_t *in = cy_device_map(device, a, 8192), *out = cy_device_map(device, b, 8192);
    for (uint32_t i = 0; i < 2048; i++)
        in[i] = 3 * i;
    /* the two pages of `a` in reverse order, `b` in one piece, far from where they are */
    CHECK_EQ(cy_space_map(space, 0x10001000, a, 4096, CY_SPACE_READ), CY_OK);
    CHECK_EQ(cy_space_map(space, 0x10000000, a + 4096, 4096, CY_SPACE_READ), CY_OK);
    CHECK_EQ(cy_space_map(space, 0x20000000, b, 8192, CY_SPACE_READ | CY_SPACE_WRITE), CY_OK);
    CHECK_EQ(run_copy(device, program, space, 0x10000000, 0x20000000, &launch), CY_OK);
    fputs(cy_launch_message(launch), stderr);
    cy_launch_release(launch);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < 2048; i++)
        wrong += out[i] != 3 * ((i + 1024) % 2048) + 1;
    CHECK_EQ(wrong, 0);

    /* a page that may not be written; a page that is missing */
    CHECK_EQ(run_copy(device, program, space, 0x20000000, 0x10000000, &launch), CY_ERROR_FAULT);
    CHECK_STR(cy_launch_fault(launch)->kind, "FORBIDDEN");
    CHECK(strstr(cy_launch_message(launch), "write of 4 bytes at 0x10000000; the page is read-only (SV39 level 0, "));
    cy_launch_release(launch);
    CHECK_EQ(cy_space_unmap(space, 0x20001000, 4096), CY_OK);
    CHECK_EQ(run_copy(device, program, space, 0x10000000, 0x20000000, &launch), CY_ERROR_FAULT);
    CHECK_STR(cy_launch_fault(launch)->kind, "TRANSLATION");
    CHECK(strstr(cy_launch_message(launch), "; the page is not present (SV39 level 0, 4 KiB pages)"));
    CHECK(cy_launch_fault(launch)->address >= 0x20001000 && cy_launch_fault(launch)->address < 0x20002000);
    cy_launch_release(launch);
    /* physical addresses are meaningless to a guest with page tables */
    CHECK_EQ(run_copy(device, program, space, a, b, &launch), CY_ERROR_FAULT);
    cy_launch_release(launch);
    CHECK_EQ(run_copy(device, program, NULL, a, b, &launch), CY_OK);
    cy_launch_release(launch);

    CHECK_EQ(cy_space_map(space, 0x10000800, a, 4096, CY_SPACE_READ), CY_ERROR_INVALID);
    CHECK_EQ(cy_space_map(space, 1ull << 40, a, 4096, CY_SPACE_READ), CY_ERROR_INVALID);
    CHECK_EQ(cy_space_map(space, 0x10000000, a, 4096, 0), CY_ERROR_INVALID);
    cy_space_destroy(space);
    cy_program_release(program);
    cy_device_close(device);
}

/* Large pages made by cy_space_map, and one that is split. */
static void test_space_large(void)
{
    struct cy_device *device = guest_device("sms=1");
    struct cy_program *program = guest_program(device, copy_kernel);
    struct cy_space *space = NULL;
    struct cy_launch *launch;
    uint32_t a;
    CHECK_EQ(cy_device_alloc(device, 4 << 20, 2 << 20, &a), CY_OK);
    CHECK_EQ(cy_space_create(device, &space), CY_OK);
    CHECK_EQ(cy_space_map(space, 0x40000000, a, 4 << 20, CY_SPACE_READ | CY_SPACE_WRITE), CY_OK);
    CHECK_EQ(run_copy(device, program, space, 0x40000000, 0x401ff000, &launch), CY_OK); /* crosses two large pages */
    cy_launch_release(launch);
    CHECK_EQ(((uint32_t *)cy_device_map(device, a + 0x1ff000, 4))[0], 1);
    CHECK_EQ(((uint32_t *)cy_device_map(device, a + 0x1ff000 + 2047 * 4, 4))[0], 1);
    CHECK_EQ(cy_space_unmap(space, 0x40200000, 4096), CY_OK);
    CHECK_EQ(run_copy(device, program, space, 0x40000000, 0x401ff000, &launch), CY_ERROR_FAULT);
    cy_launch_release(launch);
    CHECK_EQ(run_copy(device, program, space, 0x40000000, 0x40201000, &launch), CY_OK); /* the rest is still there */
    cy_launch_release(launch);
    cy_space_destroy(space);
    cy_program_release(program);
    cy_device_close(device);
}

TEST_MAIN(test_small_page, test_accessed_and_dirty, test_permissions, test_large_pages, test_malformed, test_canonical,
          test_reasons, test_tlb, test_guest, test_space_large)
