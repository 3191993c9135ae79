/* Device memory on a host with 64 KiB pages, simulated here: returning pages to the host must not free other buffers'
 * memory, and every new buffer still reads as zero. */
#define _GNU_SOURCE
#include "gpu/memory/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/test.h"

#define PAGE 65536

int getpagesize(void)
{
    return PAGE;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    const size_t more = address ? 0 : PAGE;
    uintptr_t at = (uintptr_t)syscall(SYS_mmap, address, size + more, protection, flags, file, offset);
    if ((void *)at == MAP_FAILED || address)
        return (void *)at;
    return (void *)((at + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
}

static bool is_refused(const void *address)
{
    errno = EINVAL;
    return (uintptr_t)address % PAGE != 0;
}

/* As Linux does it: addresses in whole pages only, and sizes rounded up. */
int madvise(void *address, size_t size, int advice)
{
    return is_refused(address) ? -1
                               : (int)syscall(SYS_madvise, address, (size + PAGE - 1) & ~(size_t)(PAGE - 1), advice);
}

int mprotect(void *address, size_t size, int protection)
{
    return is_refused(address)
               ? -1
               : (int)syscall(SYS_mprotect, address, (size + PAGE - 1) & ~(size_t)(PAGE - 1), protection);
}

static bool holds(const struct cy_memory *memory, uint32_t start, uint64_t size, uint8_t value)
{
    for (uint64_t i = 0; i < size; i++)
        if (memory->base[start + i] != value)
            return false;
    return true;
}

enum { BUFFERS = 12 };
static const uint32_t sizes[BUFFERS] = {4096, 8192, 65536, 61440, 4096, 200000, 1, 131072, 65536, 3 << 20, 4096, 65536};

static void check(bool charges)
{
    struct cy_diags diags = {0};
    struct cy_memory memory;
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    memory.commit = charges;
    uint32_t at[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++) {
        at[i] = cy_memory_alloc(&memory, sizes[i], 0);
        CHECK(at[i] && holds(&memory, at[i], sizes[i], 0));
        memset(memory.base + at[i], (int)i + 1, sizes[i]);
    }
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = round; i < BUFFERS; i += 2) /* every second one: each has neighbours that stay */
            CHECK(cy_memory_free(&memory, at[i]));
        for (unsigned i = 1 - round; i < BUFFERS; i += 2)
            CHECK(holds(&memory, at[i], sizes[i], (uint8_t)(i + 1)));
        for (unsigned i = round; i < BUFFERS; i += 2) {
            CHECK_EQ(cy_memory_alloc(&memory, sizes[i], 0), at[i]);
            CHECK(holds(&memory, at[i], sizes[i], 0));
            memset(memory.base + at[i], (int)i + 1, sizes[i]);
        }
    }
    cy_memory_destroy(&memory);
    cy_diags_free(&diags);
}

static void test_neighbours(void)
{
    check(false);
}

static void test_neighbours_where_memory_is_charged(void)
{
    check(true);
}

TEST_MAIN(test_neighbours, test_neighbours_where_memory_is_charged)
