/* Failure scopes: what they free, what they leave, how they nest. */
#define _GNU_SOURCE
#include "support/oom.h"
#include "support/test.h"

#include "base/diag.h"
#include "base/file.h"
#include "base/strmap.h"

#include <unistd.h>

/* ---- one scope ---- */

/* Blocks of every kind, freed in a different order than allocated. */
static void make_and_free(void *argument)
{
    struct cy_arena arena = {0};
    struct cy_strmap map = {0};
    struct cy_buf buf = {0};
    CY_VEC(void *) blocks = {0};
    for (unsigned i = 0; i < 200; i++) {
        *cy_vec_push(&blocks) = cy_xrealloc(NULL, 8 + i);
        cy_strmap_add(&map, (const char *)&i, sizeof(i));
        cy_arena_alloc(&arena, 100 * i);
        cy_buf_printf(&buf, "%u ", i);
        if (i % 3 == 0)
            blocks.at[i / 2] = cy_xrealloc(blocks.at[i / 2], 5000);
    }
    for (unsigned i = 0; i < 200; i++)
        cy_free(blocks.at[(i * 77) % 200]);
    cy_vec_free(&blocks);
    cy_strmap_free(&map);
    cy_arena_free(&arena);
    *(struct cy_buf *)argument = buf;
}

static void try_once(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    struct cy_buf buf = {0};
    bool ok = cy_mem_try(make_and_free, &buf);
    if (!CHECK(ok || failing))
        return;
    if (ok) {
        CHECK(strncmp(buf.data, "0 1 2 ", 6) == 0); /* its blocks belong to the caller */
        cy_buf_free(&buf);
    }
    CHECK_EQ(oom_live(), live);
}

static void test_every_allocation(void)
{
    oom_each(try_once, NULL);
}

/* ---- what comes from outside ---- */

struct outside {
    struct cy_buf filled, empty;
};

static void grow_and_fail(void *argument)
{
    struct outside *outside = argument;
    cy_buf_zeros(&outside->filled, 10000);
    cy_buf_zeros(&outside->empty, 10000);
    cy_mem_fail();
}

static void test_outside(void)
{
    long live = oom_live();
    struct outside outside = {0};
    cy_buf_puts(&outside.filled, "before");
    struct cy_buf filled = outside.filled, empty = outside.empty;
    CHECK(!cy_mem_try(grow_and_fail, &outside));
    cy_buf_undo(&outside.filled, filled);
    cy_buf_undo(&outside.empty, empty);
    CHECK_STR(outside.filled.data, "before");
    CHECK_EQ(outside.filled.size, 6);
    CHECK(!outside.empty.data && !outside.empty.capacity);
    cy_buf_puts(&outside.filled, " and after");
    CHECK_STR(outside.filled.data, "before and after");
    cy_buf_free(&outside.filled);
    CHECK_EQ(oom_live(), live);
}

/* A block from outside may be freed inside: it is gone, whatever happens afterwards. */
static void free_and_fail(void *argument)
{
    cy_free(argument);
    cy_mem_fail();
}

static void test_outside_freed(void)
{
    long live = oom_live();
    CHECK(!cy_mem_try(free_and_fail, cy_xrealloc(NULL, 100)));
    CHECK_EQ(oom_live(), live);
}

/* ---- nested scopes ---- */

struct nested {
    char *outer[40], *inner[40];
    bool inner_fails, outer_fails, inner_ok;
};

static void run_inner(void *argument)
{
    struct nested *nested = argument;
    for (int i = 0; i < 40; i++) {
        nested->inner[i] = cy_xrealloc(NULL, 10);
        nested->outer[i] = cy_xrealloc(nested->outer[i], 3000); /* stays the outer scope's */
        nested->outer[i][2999] = 'o';
    }
    if (nested->inner_fails)
        cy_mem_fail();
}

static void run_outer(void *argument)
{
    struct nested *nested = argument;
    for (int i = 0; i < 40; i++)
        nested->outer[i] = cy_xrealloc(NULL, 10);
    nested->inner_ok = cy_mem_try(run_inner, nested);
    if (nested->outer_fails)
        cy_mem_fail();
}

static void test_nested(void)
{
    for (int fails = 0; fails < 4; fails++) {
        long live = oom_live();
        struct nested nested = {.inner_fails = fails & 1, .outer_fails = fails & 2};
        bool ok = cy_mem_try(run_outer, &nested);
        CHECK_EQ(ok, !nested.outer_fails);
        CHECK_EQ(nested.inner_ok, !nested.inner_fails);
        for (int i = 0; i < 40 && !nested.outer_fails; i++) {
            CHECK_EQ(nested.outer[i][2999], 'o');
            cy_free(nested.outer[i]);
            if (nested.inner_ok)
                cy_free(nested.inner[i]);
        }
        CHECK_EQ(oom_live(), live);
    }
}

static void nest_once(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    struct nested nested = {0};
    if (cy_mem_try(run_outer, &nested)) {
        CHECK(nested.inner_ok || failing);
        for (int i = 0; i < 40; i++) {
            cy_free(nested.outer[i]);
            if (nested.inner_ok)
                cy_free(nested.inner[i]);
        }
    } else {
        CHECK(failing);
    }
    CHECK_EQ(oom_live(), live);
}

static void test_nested_every_allocation(void)
{
    oom_each(nest_once, NULL);
}

/* ---- functions that check ---- */

static void test_try(void)
{
    CY_VEC(int) numbers = {0};
    struct cy_buf buf = {0};
    for (int i = 0; i < 1000; i++) {
        oom_arm(1, OOM_FROM_THEN_ON);
        int *fresh = cy_vec_try_push(&numbers);
        bool appended = cy_buf_try_append(&buf, "x", 1);
        oom_disarm();
        if (!fresh) {
            CHECK_EQ(numbers.count, i);
            fresh = cy_vec_try_push(&numbers);
        }
        if (!appended) {
            CHECK_EQ(buf.size, i);
            appended = cy_buf_try_append(&buf, "x", 1);
        }
        if (!CHECK(fresh && appended))
            break;
        *fresh = i;
    }
    bool same = numbers.count == 1000;
    for (int i = 0; same && i < 1000; i++)
        same = numbers.at[i] == i && buf.data[i] == 'x';
    CHECK(same);
    cy_vec_free(&numbers);
    cy_buf_free(&buf);
    CHECK(!cy_buf_try_reserve(&buf, SIZE_MAX / 2));
    CHECK(!buf.data);
    CHECK(!cy_try_alloc_aligned(64, SIZE_MAX - 8));
}

/* ---- messages ---- */

static void complain(void *argument)
{
    for (int i = 0; i < 30; i++)
        cy_diag_file(argument, CY_ERROR, "name", "message %d", i);
}

static void complain_once(void *context, bool failing)
{
    (void)context;
    struct cy_diags diags = {0};
    bool ok = cy_diags_try(&diags, complain, &diags);
    CHECK(ok || failing);
    CHECK_EQ(diags.errors, ok ? 30 : 1);
    if (!ok && diags.text.data)
        CHECK_STR(diags.text.data, "error: out of memory\n");
    cy_diags_free(&diags);
}

static void test_messages(void)
{
    struct cy_diags diags = {0};
    cy_diag_file(&diags, CY_WARNING, NULL, "first");
    oom_arm(1, OOM_ONCE);
    CHECK(!cy_diags_try(&diags, complain, &diags));
    oom_disarm();
    CHECK_STR(diags.text.data, "warning: first\nerror: out of memory\n");
    CHECK_EQ(diags.errors, 1);
    cy_diags_free(&diags);
    for (unsigned long n = 1, failed = 1; failed; n++) {
        oom_arm(n, OOM_FROM_THEN_ON);
        complain_once(NULL, true);
        failed = oom_disarm();
    }
}

/* ---- files ---- */

static void read_self(void *argument)
{
    struct cy_buf *buf = argument;
    struct cy_diags diags = {0};
    CHECK(cy_file_read("/proc/self/exe", buf, &diags));
}

static int lowest_free_fd(void)
{
    int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

static void read_once(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    int fd = lowest_free_fd();
    struct cy_buf buf = {0};
    bool ok = cy_mem_try(read_self, &buf);
    CHECK(ok || failing);
    if (ok)
        cy_buf_free(&buf);
    CHECK_EQ(lowest_free_fd(), fd); /* the file was closed */
    CHECK_EQ(oom_live(), live);
}

static void test_files(void)
{
    oom_each(read_once, NULL);
}

/* ---- threads ---- */

static void *run_thread(void *argument)
{
    for (int i = 0; i < 100; i++) {
        struct nested nested = {.inner_fails = i & 1, .outer_fails = true};
        *(bool *)argument &= !cy_mem_try(run_outer, &nested) && nested.inner_ok == !nested.inner_fails;
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    bool ok[4] = {true, true, true, true};
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, run_thread, &ok[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(ok[i]);
    }
}

TEST_MAIN(test_every_allocation, test_outside, test_outside_freed, test_nested, test_nested_every_allocation, test_try,
          test_messages, test_files, test_threads)
