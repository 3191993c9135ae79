/* Compiles on many threads at once give the same results as one after the other: the same and different programs, some
 * with errors, without and with the cache. */
#define _GNU_SOURCE /* setenv */
#include "cc/driver/driver.h"

#include "support/test.h"

#include <pthread.h>

enum { THREADS = 6, PROGRAMS = 4, ROUNDS = 2 };

static const char *const sources[PROGRAMS] = {
    "kernel void a(global int *p) { p[get_global_id(0)] = 1; }\n",
    "kernel void b(global float *p) { p[get_global_id(0)] = sin(p[0]); }\n",
    "kernel void c(global long *p, long x) { if (x > p[1]) p[get_global_id(0)] /= x; }\n",
    "kernel void d(global int *p) { p[0] = missing; }\n",
};

static char library[4096], helpers[4096];
static struct cy_cc_result expected[PROGRAMS];

static bool compile(bool is_cached, unsigned i, struct cy_cc_result *result)
{
    struct cy_cc_options options = {.optimize = 2, .library_dir = library};
    struct cc_driver driver = {.helpers = helpers, .library_dir = library, .no_cache = !is_cached};
    return cc_drive(&driver, "t.cl", sources[i], strlen(sources[i]), &options, result);
}

static bool is_same(const struct cy_cc_result *a, const struct cy_cc_result *b)
{
    return a->elf_size == b->elf_size && (!a->elf_size || !memcmp(a->elf, b->elf, a->elf_size)) &&
           !strcmp(a->log, b->log) && a->kernel_count == b->kernel_count;
}

struct work {
    pthread_t thread;
    unsigned number, wrong;
    bool is_cached;
};

static void *run(void *data)
{
    struct work *work = data;
    for (unsigned i = 0; i < ROUNDS * PROGRAMS; i++) {
        struct cy_cc_result result;
        unsigned program = (i + work->number) % PROGRAMS;
        compile(work->is_cached, program, &result);
        work->wrong += !is_same(&result, &expected[program]);
        cy_cc_result_free(&result);
    }
    return NULL;
}

static void at_once(bool is_cached)
{
    struct work works[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++) {
        works[i] = (struct work){.number = i, .is_cached = is_cached};
        CHECK_EQ(pthread_create(&works[i].thread, NULL, run, &works[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(works[i].thread, NULL);
        CHECK_EQ(works[i].wrong, 0);
    }
}

int main(void)
{
    char cache[4096];
    snprintf(library, sizeof(library), "%s/lib/ventus", test_env("CY_BUILD"));
    snprintf(helpers, sizeof(helpers), "%s/lib/chengying", test_env("CY_BUILD"));
    snprintf(cache, sizeof(cache), "%s/cache", test_env("CY_TMP"));
    setenv("CHENGYING_CACHE", "1", 1);
    setenv("CHENGYING_CACHE_DIR", cache, 1);
    for (unsigned i = 0; i < PROGRAMS; i++)
        CHECK_EQ(compile(false, i, &expected[i]), i < 3);
    CHECK(strstr(expected[3].log, "t.cl:1:39: error:"));
    at_once(false);
    at_once(true);
    for (unsigned i = 0; i < PROGRAMS; i++)
        cy_cc_result_free(&expected[i]);
    return test_finish();
}
