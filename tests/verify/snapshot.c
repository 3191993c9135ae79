/* Views of memory: what is written there nobody else sees, what was written is found, and it can be copied back. */
#define _GNU_SOURCE
#include "gpu/memory/snapshot.h"
#include "support/test.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint8_t *at(struct cy_memory *memory, uint64_t address)
{
    return cy_memory_host(memory, address);
}

static struct cy_memory backed(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    CHECK(cy_memory_init(&memory, 0, &diags));
    CHECK(cy_memory_back(&memory));
    return memory;
}

/* How many bytes were written, and that the first page is the one expected. */
static uint64_t written(struct cy_snapshot *snapshot, uint64_t first)
{
    uint64_t address = 0, bytes = 0;
    struct cy_snapshot_range range;
    while (cy_snapshot_written(snapshot, &address, &range)) {
        if (!bytes && first)
            CHECK_EQ(range.address, first);
        CHECK(range.host == at(&snapshot->memory, range.address));
        CHECK(range.original == at(snapshot->of, range.address));
        bytes += range.bytes;
    }
    return bytes;
}

static void test_window(void)
{
    struct cy_memory memory = backed();
    struct cy_snapshot a = {0}, b = {0};
    const uint32_t page = memory.host_page, buffer = cy_memory_alloc(&memory, 64u * page, 0);
    memset(at(&memory, buffer), 7, 64u * page);
    CHECK(cy_snapshot_take(&a, &memory));
    CHECK(cy_snapshot_take(&b, &memory));
    CHECK(a.memory.generation != b.memory.generation && a.memory.generation != memory.generation);
    CHECK_EQ(cy_memory_rights(&a.memory, buffer), CY_READ | CY_WRITE);
    CHECK_EQ(at(&a.memory, buffer)[5], 7);
    CHECK_EQ(written(&a, 0), 0);
    at(&a.memory, buffer + 3 * page)[0] = 1;
    at(&a.memory, buffer + 4 * page)[1] = 1;
    at(&a.memory, buffer + 63 * page)[page - 1] = 1;
    CHECK_EQ(written(&a, buffer + 3 * page), 3 * page);
    CHECK_EQ(written(&b, 0), 0);
    CHECK_EQ(at(&memory, buffer + 3 * page)[0], 7);
    CHECK_EQ(at(&b.memory, buffer + 3 * page)[0], 7);
    at(&memory, buffer)[9] = 8; /* what nobody wrote in the view is as in the memory */
    CHECK_EQ(at(&a.memory, buffer)[9], 8);
    cy_snapshot_commit(&a);
    CHECK_EQ(at(&memory, buffer + 3 * page)[0], 1);
    CHECK_EQ(at(&b.memory, buffer + 63 * page)[page - 1], 1);
    const unsigned before = a.memory.generation;
    CHECK(cy_snapshot_take(&a, &memory));
    CHECK(a.memory.generation != before);
    CHECK_EQ(written(&a, 0), 0);
    cy_snapshot_free(&a);
    cy_snapshot_free(&b);
    cy_memory_destroy(&memory);
}

/* A host that does not tell which pages were written: all of them may have been. */
static void test_without_pagemap(void)
{
    struct cy_memory memory = backed();
    struct cy_snapshot view = {0};
    const uint32_t buffer = cy_memory_alloc(&memory, 100000, 0);
    CHECK(cy_snapshot_take(&view, &memory));
    if (view.pagemap >= 0)
        close(view.pagemap);
    view.pagemap = -1;
    at(&view.memory, buffer + 50000)[0] = 3;
    CHECK(written(&view, buffer) >= 100000);
    cy_snapshot_commit(&view);
    CHECK_EQ(at(&memory, buffer + 50000)[0], 3);
    cy_snapshot_free(&view);
    cy_memory_destroy(&memory);
}

/* Regions above 4 GiB, also those that come after the first snapshot; freed memory reads as zero again. */
static void test_far(void)
{
    struct cy_memory memory = backed();
    struct cy_snapshot view = {0};
    const uint32_t near = cy_memory_alloc(&memory, 4096, 0);
    at(&memory, near)[0] = 5;
    CHECK(cy_snapshot_take(&view, &memory));
    const uint64_t far = cy_memory_alloc_far(&memory, 1 << 20, 0, false);
    const uint64_t shared = cy_memory_alloc_far(&memory, 1 << 20, 0, true);
    CHECK(far && shared);
    at(&memory, far)[70000] = 1;
    at(&memory, shared)[70000] = 2;
    CHECK(cy_snapshot_take(&view, &memory));
    CHECK_EQ(at(&view.memory, far)[70000], 1);
    CHECK_EQ(at(&view.memory, shared)[70000], 2);
    CHECK(at(&view.memory, shared) != (uint8_t *)(uintptr_t)shared);
    at(&view.memory, far)[70000] = 3;
    at(&view.memory, shared)[70000] = 4;
    at(&view.memory, near)[0] = 6;
    CHECK_EQ(written(&view, near), 3u * memory.host_page);
    CHECK_EQ(((uint8_t *)(uintptr_t)shared)[70000], 2);
    cy_snapshot_commit(&view);
    CHECK_EQ(((uint8_t *)(uintptr_t)shared)[70000], 4);
    CHECK_EQ(at(&memory, far)[70000], 3);
    CHECK(cy_memory_free(&memory, far));
    CHECK_EQ(cy_memory_alloc_far(&memory, 1 << 20, 0, false), far);
    CHECK_EQ(at(&memory, far)[70000], 0);
    CHECK(cy_memory_free(&memory, near));
    CHECK_EQ(cy_memory_alloc(&memory, 4096, 0), near);
    CHECK_EQ(at(&memory, near)[0], 0);
    cy_snapshot_free(&view);
    cy_memory_destroy(&memory);
}

/* Buffers that devices share, and shared virtual memory of another device: the view has a copy. */
static void test_shared(void)
{
    struct cy_memory memory = backed(), other = backed();
    struct cy_snapshot view = {0};
    const uint32_t bytes = memory.host_page * 4, buffer = cy_memory_alloc(&memory, bytes, 0);
    const int file = memfd_create("shared", MFD_CLOEXEC);
    CHECK(file >= 0 && ftruncate(file, bytes) == 0);
    CHECK(cy_memory_share(&memory, buffer, file));
    uint8_t *elsewhere = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const uint64_t svm = cy_memory_alloc_far(&other, bytes, 0, true);
    CHECK(cy_memory_adopt(&memory, svm, bytes));
    elsewhere[3] = 9;
    ((uint8_t *)(uintptr_t)svm)[4] = 10;
    CHECK(cy_snapshot_take(&view, &memory));
    CHECK_EQ(at(&view.memory, buffer)[3], 9);
    CHECK_EQ(at(&view.memory, svm)[4], 10);
    at(&view.memory, buffer)[3] = 11;
    at(&view.memory, svm)[4] = 12;
    CHECK_EQ(elsewhere[3], 9);
    CHECK_EQ(((uint8_t *)(uintptr_t)svm)[4], 10);
    CHECK(written(&view, buffer) >= 2 * memory.host_page);
    cy_snapshot_commit(&view);
    CHECK_EQ(elsewhere[3], 11);
    CHECK_EQ(((uint8_t *)(uintptr_t)svm)[4], 12);
    CHECK(cy_memory_free(&memory, buffer)); /* and the place gets memory of its own again */
    CHECK_EQ(cy_memory_alloc(&memory, bytes, 0), buffer);
    CHECK_EQ(at(&memory, buffer)[3], 0);
    CHECK_EQ(elsewhere[3], 11);
    CHECK(cy_memory_free(&memory, svm));
    CHECK(cy_snapshot_take(&view, &memory));
    CHECK_EQ(written(&view, 0), 0);
    cy_snapshot_free(&view);
    cy_memory_destroy(&memory);
    cy_memory_destroy(&other);
    munmap(elsewhere, bytes);
    close(file);
}

static void test_not_backed(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    struct cy_snapshot view = {0};
    CHECK(cy_memory_init(&memory, 0, &diags));
    CHECK(!cy_snapshot_take(&view, &memory));
    cy_snapshot_free(&view);
    cy_memory_destroy(&memory);
}

int main(void)
{
    test_window();
    test_without_pagemap();
    test_far();
    test_shared();
    test_not_backed();
    return test_finish();
}
