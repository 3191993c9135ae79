/* Device memory: the allocator against a model, rights and extents against a byte per page, memory given back. */
#define _GNU_SOURCE
#include "chengying/device.h"
#include "gpu/memory/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

#define SANITIZED 0
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#undef SANITIZED
#define SANITIZED 1
#endif
#endif

static uint64_t seed = 1;
static uint32_t random_below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % limit);
}

/* What the extents must say, from the model's bytes. */
static struct cy_extent model_extent(const uint8_t *rights, uint32_t page, uint32_t pages)
{
    struct cy_extent none = {0};
    if (!rights[page])
        return none;
    uint32_t first = page, end = page;
    while (first && rights[first - 1] == rights[page])
        first--;
    while (end < pages && rights[end] == rights[page])
        end++;
    return (struct cy_extent){.start = (uint64_t)first << 12, .end = (uint64_t)end << 12, .rights = rights[page]};
}

static void test_rights(void)
{
    enum { PAGES = 64 }; /* from address 0 on */
    struct cy_memory memory;
    struct cy_diags diags = {0};
    uint8_t model[PAGES] = {0};
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    for (int round = 0; round < 20000; round++) {
        uint32_t first = random_below(PAGES), count = 1 + random_below(PAGES - first > 9 ? 9 : PAGES - first);
        uint8_t rights = (uint8_t)random_below(4);
        unsigned generation = atomic_load(&memory.generation);
        CHECK(cy_memory_protect(&memory, first << 12, (uint64_t)count << 12, rights));
        CHECK(atomic_load(&memory.generation) != generation);
        memset(model + first, rights, count);
        for (uint32_t page = 0; page < PAGES; page++) {
            struct cy_extent got = cy_memory_extent(&memory, ((uint64_t)page << 12) + random_below(4096));
            struct cy_extent want = model_extent(model, page, PAGES);
            if (!CHECK(got.start == want.start && got.end == want.end && got.rights == want.rights))
                return;
            CHECK_EQ(atomic_load(&memory.page_rights[page]), model[page]);
        }
    }
    CHECK_EQ(cy_memory_extent(&memory, 1ull << 32).end, 0);
    CHECK_EQ(cy_memory_extent(&memory, UINT64_MAX).end, 0);
    cy_memory_destroy(&memory);
}

static void test_allows(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    cy_memory_protect(&memory, 0x1000, 0x1000, CY_READ);
    cy_memory_protect(&memory, 0x2000, 0x1000, CY_READ | CY_WRITE);
    CHECK(cy_memory_allows(&memory, 0x1000, 0x2000, CY_READ));
    CHECK(!cy_memory_allows(&memory, 0x1000, 0x2000, CY_WRITE));
    CHECK(cy_memory_allows(&memory, 0x2000, 0x1000, CY_WRITE));
    CHECK(!cy_memory_allows(&memory, 0x2fff, 2, CY_READ));
    CHECK(!cy_memory_allows(&memory, 0xfff, 1, CY_READ));
    CHECK(!cy_memory_allows(&memory, UINT64_MAX, 2, CY_READ));
    cy_memory_protect(&memory, 0xfffff000u, 0x1000, CY_READ);
    CHECK(cy_memory_allows(&memory, 0xffffffffu, 1, CY_READ));
    CHECK(!cy_memory_allows(&memory, 0xffffffffu, 2, CY_READ));
    cy_memory_destroy(&memory);
}

/* A model that only tracks which pages from 0x90000000 on are taken, and does first fit naively. */
enum { MODEL_PAGES = 0x70000, MAX_LIVE = 64 };
struct live {
    uint32_t address;
    uint64_t size;
    uint8_t mark;
};

static uint32_t model_alloc(uint8_t *taken, uint32_t limit_pages, uint64_t size, uint32_t align)
{
    uint32_t pages = (uint32_t)((size + 4095) / 4096), step = align > 4096 ? align / 4096 : 1, used = 0;
    for (uint32_t i = 0; i < MODEL_PAGES; i++)
        used += taken[i];
    if (used + pages > limit_pages)
        return 0;
    for (uint32_t at = 0; at + pages <= MODEL_PAGES; at++) {
        uint32_t length = 0;
        if ((at + 0x90000) % step)
            continue;
        while (length < pages && !taken[at + length])
            length++;
        if (length == pages) {
            memset(taken + at, 1, pages);
            return (at + 0x90000u) << 12;
        }
    }
    return 0;
}

static bool all_bytes(const uint8_t *bytes, uint64_t size, uint8_t value)
{
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static void free_one(struct cy_memory *memory, uint8_t *taken, struct live *live, unsigned *count, unsigned i)
{
    CHECK(all_bytes(memory->base + live[i].address, live[i].size, live[i].mark)); /* nothing else wrote here */
    CHECK(cy_memory_free(memory, live[i].address));
    CHECK(!cy_memory_free(memory, live[i].address));
    CHECK_EQ(cy_memory_extent(memory, live[i].address).end, 0);
    memset(taken + ((live[i].address >> 12) - 0x90000), 0, (live[i].size + 4095) / 4096);
    live[i] = live[--*count];
}

static void test_allocator(void)
{
    static uint8_t taken[MODEL_PAGES];
    struct live live[MAX_LIVE];
    unsigned count = 0;
    struct cy_memory memory;
    struct cy_diags diags = {0};
    const uint32_t limit_pages = 300;
    if (!CHECK(cy_memory_init(&memory, (uint64_t)limit_pages * 4096, &diags)))
        return;
    for (int round = 0; round < 5000; round++) {
        if (count == MAX_LIVE || (count && random_below(5) < 2)) {
            free_one(&memory, taken, live, &count, random_below(count));
            continue;
        }
        uint64_t size = 1 + random_below(random_below(8) ? 20000 : 400000);
        uint32_t align = random_below(4) ? 0 : 1u << random_below(18);
        uint32_t expected = model_alloc(taken, limit_pages, size, align);
        uint32_t address = cy_memory_alloc(&memory, size, align);
        if (!CHECK_EQ(address, expected))
            return;
        if (!address)
            continue;
        CHECK(all_bytes(memory.base + address, size, 0)); /* a new buffer reads as zero, whatever was there before */
        struct live fresh = {address, size, (uint8_t)(1 + random_below(255))};
        memset(memory.base + address, fresh.mark, size);
        live[count++] = fresh;
        uint64_t start;
        uint64_t bytes;
        CHECK(cy_memory_find(&memory, address + random_below((uint32_t)size), &start, &bytes));
        CHECK_EQ(start, address);
        CHECK_EQ(bytes, size);
    }
    while (count)
        free_one(&memory, taken, live, &count, 0);
    CHECK_EQ(cy_memory_used(&memory), 0);
    CHECK_EQ(cy_memory_extent(&memory, 0x90000000u).end, 0);
    cy_memory_destroy(&memory);
}

static void test_fixed(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    CHECK(cy_memory_alloc_at(&memory, 0x90002000u, 0x2000, CY_READ | CY_WRITE));
    CHECK(!cy_memory_alloc_at(&memory, 0x90003000u, 0x1000, CY_READ));
    CHECK(!cy_memory_alloc_at(&memory, 0x90001000u, 0x1001, CY_READ));
    CHECK(cy_memory_alloc_at(&memory, 0x90001000u, 0x1000, CY_READ));
    CHECK(!cy_memory_alloc_at(&memory, 0x90000800u, 1, CY_READ));      /* no page */
    CHECK(!cy_memory_alloc_at(&memory, 0xfffff000u, 0x1001, CY_READ)); /* over the end */
    CHECK(cy_memory_alloc_at(&memory, 0xfffff000u, 0x1000, CY_READ));
    CHECK_EQ(cy_memory_alloc(&memory, 0x1000, 0), 0x90000000u); /* the hole before */
    CHECK_EQ(cy_memory_alloc(&memory, 0x1000, 0), 0x90004000u);
    CHECK_EQ(cy_memory_alloc(&memory, 0x1000, 0x10000), 0x90010000u);
    CHECK_EQ(cy_memory_alloc(&memory, 1ull << 32, 0), 0);
    CHECK_EQ(cy_memory_alloc(&memory, UINT64_MAX, 0), 0);
    CHECK(!cy_memory_free(&memory, 0x90004800u));
    cy_memory_destroy(&memory);
}

static void test_guards(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    memory.guard_bytes = 4096;
    CHECK_EQ(cy_memory_alloc(&memory, 4096, 0), 0x90000000u);
    CHECK_EQ(cy_memory_alloc(&memory, 4097, 0), 0x90002000u);
    CHECK_EQ(cy_memory_alloc(&memory, 4096, 0), 0x90005000u);
    CHECK(cy_memory_free(&memory, 0x90002000u));
    CHECK_EQ(cy_memory_alloc(&memory, 3 * 4096, 0), 0x90007000u); /* the hole has two pages between its guards */
    CHECK_EQ(cy_memory_alloc(&memory, 2 * 4096, 0), 0x90002000u);
    CHECK_EQ(cy_memory_extent(&memory, 0x90001000u).end, 0);
    CHECK_EQ(cy_memory_alloc(&memory, 0x70000000u - 0xb000, 0), 0); /* the last page is a guard too */
    CHECK_EQ(cy_memory_alloc(&memory, 0x70000000u - 0xc000, 0), 0x9000b000u);
    cy_memory_destroy(&memory);
}

/* Pages that are resident in a range. */
static size_t resident(const struct cy_memory *memory, uint32_t start, size_t size)
{
    static unsigned char map[1 << 16];
    size_t count = 0;
    if (mincore(memory->base + start, size, map) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < size / 4096; i++)
        count += map[i] & 1;
    return count;
}

static void test_gives_back(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    const size_t size = 32 << 20;
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    uint32_t address = cy_memory_alloc(&memory, size, 0);
    CHECK_EQ(resident(&memory, address, size), 0); /* allocated is not yet used */
    memset(memory.base + address, 7, size);
    CHECK_EQ(resident(&memory, address, size), size / 4096);
    cy_memory_free(&memory, address);
    CHECK_EQ(resident(&memory, address, size), 0);
    cy_memory_destroy(&memory);
}

/* A host that refuses address space: a message, no crash. */
static void test_refused(void)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {1ull << 31, 1ull << 31};
        struct cy_memory memory;
        struct cy_diags diags = {0};
        setrlimit(RLIMIT_AS, &limit);
        bool ok = !cy_memory_init(&memory, 0, &diags) && strstr(diags.text.data, "4 GiB of address space");
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (SANITIZED || getenv("CY_EMULATED"))
        CHECK(WIFEXITED(status) || WIFSIGNALED(status)); /* the sanitizer needs terabytes of it; qemu sets none */
    else
        CHECK_EQ(status, 0);
}

/* Two devices, one memory; what one frees the other keeps, and what comes next at that place is new. */
static void test_shared(void)
{
    struct cy_device *devices[2];
    struct cy_config config;
    uint32_t own;
    uint64_t addresses[2];
    uint64_t word = 0x1122334455667788u, got = 0;
    cy_config_default(&config);
    config.memory_bytes = 64 << 20;
    CHECK_EQ(cy_device_open(&config, &devices[0], NULL), CY_OK);
    CHECK_EQ(cy_device_open(&config, &devices[1], NULL), CY_OK);
    CHECK_EQ(cy_device_alloc(devices[1], 100, 0, &own), CY_OK); /* so that the addresses differ */
    CHECK_EQ(cy_device_alloc_shared(devices, 2, NULL, 10000, addresses), CY_OK);
    CHECK(addresses[0] != addresses[1]);
    CHECK_EQ(cy_device_write(devices[0], addresses[0] + 9000, &word, 8), CY_OK);
    CHECK_EQ(cy_device_read(devices[1], addresses[1] + 9000, &got, 8), CY_OK);
    CHECK_EQ(got, word);
    CHECK_EQ(cy_device_free(devices[0], addresses[0]), CY_OK);
    CHECK_EQ(cy_device_alloc(devices[0], 10000, 0, &own), CY_OK);
    CHECK_EQ(own, addresses[0]);
    CHECK_EQ(cy_device_read(devices[0], own + 9000, &got, 8), CY_OK);
    CHECK_EQ(got, 0);
    CHECK_EQ(cy_device_write(devices[0], own + 9000, &own, 4), CY_OK);
    CHECK_EQ(cy_device_read(devices[1], addresses[1] + 9000, &got, 8), CY_OK);
    CHECK_EQ(got, word);
    CHECK_EQ(cy_device_alloc_shared(devices, 2, NULL, 65 << 20, addresses), CY_ERROR_MEMORY);
    struct cy_capabilities after;
    cy_device_capabilities(devices[1], &after);
    CHECK_EQ(after.memory_used_bytes, 4096 + 12288); /* nothing is left of what failed */
    cy_device_close(devices[0]);
    cy_device_close(devices[1]);
}

/* Memory in use, in bytes. */
static uint64_t resident_bytes(void)
{
    unsigned long long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!CHECK(file && fscanf(file, "%llu %llu", &total, &pages) == 2))
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Far buffers against a model: disjoint, mapped exactly, zero at first, and given back. */
static void test_far(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    uint64_t address[40] = {0}, size[40] = {0};
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    memory.guard_bytes = 4096;
    for (unsigned round = 0; round < 400; round++) {
        const unsigned i = random_below(40);
        const bool identity = i % 4 == 0, large = i % 8 == 1;
        if (address[i]) {
            uint8_t *bytes = cy_memory_host(&memory, address[i]);
            CHECK_EQ(bytes[0], (uint8_t)i);
            CHECK_EQ(cy_memory_host(&memory, address[i] + size[i] - 1)[0], (uint8_t)i);
            CHECK(cy_memory_free(&memory, address[i]));
            CHECK(!cy_memory_free(&memory, address[i]));
            CHECK_EQ(cy_memory_extent(&memory, address[i]).end, 0);
            CHECK(!cy_memory_host(&memory, address[i]));
            address[i] = 0;
            continue;
        }
        size[i] = large ? (5ull << 30) + random_below(1 << 20) : 1 + random_below(1 << 20);
        address[i] = cy_memory_alloc_far(&memory, size[i], identity ? 65536 : 0, identity);
        if (!CHECK(address[i] >= (identity ? CY_FAR_END : CY_FAR_BASE) && address[i] % 4096 == 0))
            break;
        CHECK(identity || address[i] < CY_FAR_END);
        CHECK(!identity || address[i] % 65536 == 0);
        uint8_t *bytes = cy_memory_host(&memory, address[i]);
        CHECK(!identity || (uintptr_t)bytes == address[i]);
        CHECK(bytes[0] == 0 && bytes[size[i] - 1] == 0);
        bytes[0] = (uint8_t)i;
        bytes[size[i] - 1] = (uint8_t)i;
        CHECK(cy_memory_allows(&memory, address[i], size[i], CY_READ | CY_WRITE));
        CHECK(!cy_memory_allows(&memory, address[i] - 1, 1, CY_READ));
        CHECK(!cy_memory_allows(&memory, address[i] + ((size[i] + 4095) & ~4095ull), 1, CY_READ));
        uint64_t start, found;
        CHECK(cy_memory_find(&memory, address[i] + size[i] / 2, &start, &found));
        CHECK(start == address[i] && found == size[i]);
        for (unsigned k = 0; k < 40; k++)
            CHECK(k == i || !address[k] || address[i] + size[i] <= address[k] || address[k] + size[k] <= address[i]);
    }
    CHECK_EQ(cy_memory_alloc_far(&memory, UINT64_MAX, 0, false), 0);
    CHECK_EQ(cy_memory_alloc_far(&memory, 2ull << 40, 0, false), 0);
    for (unsigned i = 0; i < 40; i++)
        CHECK(!address[i] || cy_memory_free(&memory, address[i]));
    CHECK_EQ(cy_memory_used(&memory), 0);
    cy_memory_destroy(&memory);
}

/* 64 GiB in large and small buffers, of which a page each is touched, take little memory. */
static void test_sparse(void)
{
    struct cy_memory memory;
    struct cy_diags diags = {0};
    if (!CHECK(cy_memory_init(&memory, 0, &diags)))
        return;
    const uint64_t before = resident_bytes();
    uint64_t total = 0;
    for (unsigned i = 0; total < 64ull << 30; i++) {
        const uint64_t size = i % 16 ? 1ull << 28 : 5ull << 30;
        const uint64_t address = cy_memory_alloc_far(&memory, size, 0, false);
        if (!CHECK(address != 0))
            break;
        for (unsigned k = 0; k < 8; k++)
            *cy_memory_host(&memory, address + k * (size / 8)) = 1;
        total += size;
    }
    CHECK(getenv("CY_EMULATED") ||
          resident_bytes() - before < 512ull << 20); /* an emulator keeps tables for what is mapped */
    cy_memory_destroy(&memory);
}

TEST_MAIN(test_far, test_sparse, test_rights, test_allows, test_allocator, test_fixed, test_guards, test_gives_back,
          test_refused, test_shared)
