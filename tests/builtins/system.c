/* Work-item functions over uniform and ragged NDRanges, barriers and fences, atomics, copies by the workgroup: the library
 * on the host, with CSRs and metadata as the machine gives them. */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "support/test.h"

#include "abi/abi.h"
#include "intrinsics.h"
#include "isa/isa.h"

#include <sys/mman.h>

/* Metadata is found through a 32-bit CSR, so it must be in low memory here, too. */
#define METADATA 0x20000000u
static uint32_t *metadata;
enum { TID = CY_CSR_TID - CY_CSR_TID, KNL = CY_CSR_KNL - CY_CSR_TID, GIDX = CY_CSR_GIDX - CY_CSR_TID };

struct range {
    uint32_t dims, global[3], size[3], offset[3];
};
static const struct range ranges[] = {
    {1, {64, 1, 1}, {16, 1, 1}, {0, 0, 0}}, {1, {50, 1, 1}, {16, 1, 1}, {7, 0, 0}},
    {2, {12, 6, 1}, {4, 3, 1}, {0, 0, 0}},  {2, {13, 7, 1}, {4, 3, 1}, {100, 50, 0}},
    {3, {4, 4, 4}, {2, 2, 2}, {0, 0, 0}},   {3, {5, 7, 3}, {2, 4, 2}, {1, 2, 3}},
    {3, {8, 1, 9}, {8, 1, 4}, {0, 0, 0}},   {2, {1, 40, 1}, {1, 20, 1}, {0, 5, 0}},
    {1, {1, 1, 1}, {1, 1, 1}, {3, 0, 0}},
};

void call_work_item(uint32_t *r);

static void enter(const struct range *range, const uint32_t *group)
{
    memset(metadata, 0, CY_METADATA_BYTES);
    metadata[CY_KNL_WORK_DIM / 4] = range->dims;
    for (unsigned d = 0; d < 3; d++) {
        metadata[CY_KNL_GL_SIZE / 4 + d] = range->global[d];
        metadata[CY_KNL_LC_SIZE / 4 + d] = range->size[d];
        metadata[CY_KNL_GL_OFFSET / 4 + d] = range->offset[d];
        csr[GIDX + d] = group[d];
    }
    csr[KNL] = METADATA;
}
static uint32_t inside(const struct range *range, const uint32_t *group, unsigned d)
{
    uint32_t left = range->global[d] - group[d] * range->size[d];
    return left < range->size[d] ? left : range->size[d];
}

/* Calls `visit` for every work-item of the group with the CSRs of its warp of 8 lanes. */
static void each_item(const struct range *range, const uint32_t *group,
                      void (*visit)(const struct range *, const uint32_t *, const uint32_t *, void *), void *context)
{
    uint32_t number = 0;
    enter(range, group);
    for (uint32_t z = 0; z < range->size[2]; z++)
        for (uint32_t y = 0; y < range->size[1]; y++)
            for (uint32_t x = 0; x < range->size[0]; x++, number++) {
                uint32_t id[3] = {x, y, z};
                csr[TID] = number / 8 * 8;
                lane = number % 8;
                if (x < inside(range, group, 0) && y < inside(range, group, 1) && z < inside(range, group, 2))
                    visit(range, group, id, context);
            }
}

static void check_item(const struct range *range, const uint32_t *group, const uint32_t *id, void *seen)
{
    uint32_t r[35], n[3], at[3];
    call_work_item(r);
    for (unsigned d = 0; d < 3; d++) {
        n[d] = inside(range, group, d);
        at[d] = group[d] * range->size[d] + id[d];
        const uint32_t wanted[8] = {
            range->offset[d] + at[d], id[d],         group[d],
            range->global[d],         n[d],          (range->global[d] + range->size[d] - 1) / range->size[d],
            range->offset[d],         range->size[d]};
        for (unsigned k = 0; k < 8; k++)
            CHECK_EQ(r[8 * d + k], wanted[k]);
    }
    const uint32_t beyond[8] = {0, 0, 0, 1, 1, 1, 0, 1};
    CHECK(memcmp(r + 24, beyond, sizeof(beyond)) == 0);
    CHECK_EQ(r[32], range->dims);
    CHECK_EQ(r[33], (at[2] * range->global[1] + at[1]) * range->global[0] + at[0]);
    CHECK_EQ(r[34], (id[2] * n[1] + id[1]) * n[0] + id[0]);
    ((uint8_t *)seen)[r[33]]++;
}

static void test_work_items(void)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const struct range *range = &ranges[i];
        uint8_t seen[1024] = {0};
        uint32_t items = range->global[0] * range->global[1] * range->global[2], group[3];
        for (group[2] = 0; group[2] * range->size[2] < range->global[2]; group[2]++)
            for (group[1] = 0; group[1] * range->size[1] < range->global[1]; group[1]++)
                for (group[0] = 0; group[0] * range->size[0] < range->global[0]; group[0]++)
                    each_item(range, group, check_item, seen);
        for (uint32_t k = 0; k < items; k++)
            CHECK_EQ(seen[k], 1);
    }
}

/* ---- barriers and fences ---- */

void call_barrier(uint32_t flags), call_work_group_barrier(uint32_t flags), call_wait(void), call_fences(void);
void call_scoped_barrier(uint32_t flags, int scope);

static void test_barriers(void)
{
    for (uint32_t flags = 0; flags < 8; flags++) {
        static const uint32_t fields[] = {1, 0, 2, 3, 0}; /* of work item, workgroup, device, all devices, sub-group */
        call_barrier(flags);
        CHECK_EQ(last_barrier, flags);
        last_barrier = ~0u;
        call_work_group_barrier(flags);
        CHECK_EQ(last_barrier, flags);
        for (int scope = 0; scope < 5; scope++) {
            call_scoped_barrier(flags, scope);
            CHECK_EQ(last_barrier, flags | fields[scope] << 3);
        }
    }
    call_wait();
    CHECK_EQ(last_barrier, 3);
    fences = 0;
    call_fences();
    CHECK_EQ(fences, 4);
}

/* ---- atomics ---- */

typedef void atomics(volatile uint32_t *p, uint32_t v, uint32_t *r);
atomics old_atomic_int_global, old_atomic_uint_global, old_atomic_int_local, old_atomic_uint_local;
atomics old_atom_int_global, old_atom_uint_local, new_int_global, new_uint_local, new_int_generic, new_uint_generic;
float call_xchg_float(volatile float *p, float v), call_float_atomics(volatile float *p);
uint32_t call_flag(volatile uint32_t *p);

static void check_old(atomics *call, bool is_signed)
{
    uint32_t word = 100, r[13];
    call(&word, 42, r);
    const uint32_t wanted[] = {100, 142, 139, 42, 43, 42, 77, 77, is_signed ? (uint32_t)-5 : 77};
    for (unsigned i = 0; i < 9; i++)
        CHECK_EQ(r[i], wanted[i]);
    uint32_t now = is_signed ? (uint32_t)-5 : (uint32_t)-9;
    CHECK_EQ(r[9], now);
    CHECK_EQ(r[10], now &= 0xff0f);
    CHECK_EQ(r[11], now |= 0x10000);
    CHECK_EQ(r[12], now ^= 0x10101);
    CHECK_EQ(word, now);
}
static void check_new(atomics *call, bool is_signed)
{
    uint32_t word = 0, r[13];
    call(&word, 30, r);
    const uint32_t wanted[] = {30,     35,    0,     33,    1, (uint32_t)-7, (uint32_t)-7, (uint32_t)-3,
                               0x1234, 0x230, 0x23f, 0x2c0, 30};
    for (unsigned i = 0; i < 13; i++)
        CHECK_EQ(r[i], wanted[i]);
    (void)is_signed; /* -7 < -6 < -3 either way */
    CHECK_EQ(word, 30);
}
static void test_atomics(void)
{
    check_old(old_atomic_int_global, true);
    check_old(old_atomic_uint_global, false);
    check_old(old_atomic_int_local, true);
    check_old(old_atomic_uint_local, false);
    check_old(old_atom_int_global, true);
    check_old(old_atom_uint_local, false);
    check_new(new_int_global, true);
    check_new(new_uint_local, false);
    check_new(new_int_generic, true);
    check_new(new_uint_generic, false);
    float f = 1.5f;
    CHECK(call_xchg_float(&f, 2.5f) == 1.5f && f == 2.5f);
    CHECK(call_float_atomics(&f) == 26.5f);
    uint32_t flag = 0;
    CHECK_EQ(call_flag(&flag), 2);
}

/* ---- copies ---- */

typedef void copier(void *to, void *from, uint32_t count, uint32_t stride, uint32_t kind);
copier copy_uchar, copy_int, copy_long, copy_float, copy_float4;

struct copying {
    copier *copy;
    void *to, *from;
    uint32_t count, stride, kind;
};
static void copy_share(const struct range *range, const uint32_t *group, const uint32_t *id, void *context)
{
    struct copying *c = context;
    (void)range, (void)group, (void)id;
    c->copy(c->to, c->from, c->count, c->stride, c->kind);
}
static void check_copy(copier *copy, size_t bytes)
{
    static const uint32_t counts[] = {0, 1, 5, 11, 12, 50};
    for (size_t i = 0; i < 4 * 6; i++) {
        static _Alignas(16) unsigned char to[16 * 200], from[16 * 200];
        struct copying c = {copy, to, from, counts[i / 4], 3, (uint32_t)(i % 4)};
        for (size_t k = 0; k < sizeof(from); k++)
            from[k] = (unsigned char)(k * 37 + 1), to[k] = 0xee;
        each_item(&ranges[3], (uint32_t[3]){3, 2, 0}, copy_share, &c); /* 1 x 1: a corner */
        memset(to, 0xee, sizeof(to));
        each_item(&ranges[2], (uint32_t[3]){0, 0, 0}, copy_share, &c);
        for (size_t k = 0; k < 200; k++) {
            bool strided_to = c.kind == 3, strided_from = c.kind == 2;
            size_t element = strided_to ? k / 3 : k;
            bool written = (!strided_to || k % 3 == 0) && element < c.count;
            for (size_t b = 0; b < bytes; b++)
                CHECK_EQ(to[k * bytes + b], written ? from[(strided_from ? element * 3 : element) * bytes + b] : 0xee);
        }
    }
}
static void test_copies(void)
{
    check_copy(copy_uchar, 1);
    check_copy(copy_int, 4);
    check_copy(copy_long, 8);
    check_copy(copy_float, 4);
    check_copy(copy_float4, 16);
}

int main(void)
{
    void *wanted = (void *)(uintptr_t)METADATA;
    metadata = mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (!CHECK(metadata == wanted))
        return test_finish();
    test_work_items();
    test_barriers();
    test_atomics();
    test_copies();
    return test_finish();
}
