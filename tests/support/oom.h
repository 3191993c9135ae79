/* Makes allocations fail: the n-th from now on, that one alone or it and all that follow.
 *
 *     oom_arm(n, OOM_ONCE);
 *     bool ok = scenario();
 *     unsigned long failed = oom_disarm();        // how many were refused; 0: there were fewer than n
 *
 * Included by one file of a test program, which thereby gets its own malloc, calloc, realloc, aligned_alloc, mmap and
 * pthread_create: the whole process calls these, shared libraries too.  AddressSanitizer has to keep its malloc, so there
 * the linker's --wrap redirects the calls of what is linked into the program itself (cy_memory_test in
 * tests/memory/CMakeLists.txt), and leaks are found by LeakSanitizer instead of by counting. */
#ifndef CY_TESTS_SUPPORT_OOM_H
#define CY_TESTS_SUPPORT_OOM_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum oom_mode { OOM_ONCE, OOM_FROM_THEN_ON };

static struct {
    atomic_long left; /* allocations until one fails; 0: none will */
    atomic_ulong failed;
    atomic_bool on, from_then_on;
    atomic_long live; /* blocks */
} oom;

static inline void oom_arm(unsigned long n, enum oom_mode mode)
{
    atomic_store(&oom.left, (long)n);
    atomic_store(&oom.failed, 0);
    atomic_store(&oom.from_then_on, mode == OOM_FROM_THEN_ON);
    atomic_store(&oom.on, true);
}

static inline unsigned long oom_disarm(void)
{
    atomic_store(&oom.on, false);
    return atomic_load(&oom.failed);
}

static bool oom_refuses(void)
{
    if (!atomic_load(&oom.on))
        return false;
    long left = atomic_fetch_sub(&oom.left, 1);
    if (left > 1 || (left < 1 && !atomic_load(&oom.from_then_on)))
        return false;
    atomic_fetch_add(&oom.failed, 1);
    errno = ENOMEM;
    return true;
}

#ifdef OOM_WRAP
#define OOM_NAME(name) __wrap_##name
#define OOM_REAL(name) __real_##name
#else
#define OOM_NAME(name) name
#define OOM_REAL(name) __libc_##name
#define __libc_aligned_alloc __libc_memalign
#endif
void *OOM_REAL(malloc)(size_t size);
void *OOM_REAL(calloc)(size_t count, size_t size);
void *OOM_REAL(realloc)(void *old, size_t size);
void *OOM_REAL(aligned_alloc)(size_t align, size_t size);

static void *oom_counted(void *block)
{
    if (block)
        atomic_fetch_add(&oom.live, 1);
    return block;
}

void *OOM_NAME(malloc)(size_t size);
void *OOM_NAME(malloc)(size_t size)
{
    return oom_refuses() ? NULL : oom_counted(OOM_REAL(malloc)(size));
}

void *OOM_NAME(calloc)(size_t count, size_t size);
void *OOM_NAME(calloc)(size_t count, size_t size)
{
    return oom_refuses() ? NULL : oom_counted(OOM_REAL(calloc)(count, size));
}

void *OOM_NAME(realloc)(void *old, size_t size);
void *OOM_NAME(realloc)(void *old, size_t size)
{
    if (oom_refuses())
        return NULL;
    void *block = OOM_REAL(realloc)(old, size);
    return old ? block : oom_counted(block);
}

void *OOM_NAME(aligned_alloc)(size_t align, size_t size);
void *OOM_NAME(aligned_alloc)(size_t align, size_t size)
{
    return oom_refuses() ? NULL : oom_counted(OOM_REAL(aligned_alloc)(align, size));
}

#ifdef OOM_WRAP
#define OOM_COUNTS_LIVE false
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
#define OOM_REAL_MMAP __real_mmap
#define OOM_REAL_THREAD __real_pthread_create
#else
#include <dlfcn.h>
#define OOM_COUNTS_LIVE true
void __libc_free(void *block);
void free(void *block)
{
    if (block)
        atomic_fetch_sub(&oom.live, 1);
    __libc_free(block);
}
/* The real ones, found before anything fails. */
static void *(*oom_mmap)(void *, size_t, int, int, int, off_t);
static int (*oom_thread)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static void oom_find(void)
{
    if (oom_thread)
        return;
    *(void **)&oom_mmap = dlsym(RTLD_NEXT, "mmap");
    *(void **)&oom_thread = dlsym(RTLD_NEXT, "pthread_create");
}
#define OOM_REAL_MMAP (oom_find(), oom_mmap)
#define OOM_REAL_THREAD (oom_find(), oom_thread)
#endif

void *OOM_NAME(mmap)(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *OOM_NAME(mmap)(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return oom_refuses() ? MAP_FAILED : OOM_REAL_MMAP(at, size, protection, flags, file, offset);
}

int OOM_NAME(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int OOM_NAME(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    return oom_refuses() ? EAGAIN : OOM_REAL_THREAD(thread, attributes, run, argument);
}

static inline long oom_live(void)
{
    return OOM_COUNTS_LIVE ? atomic_load(&oom.live) : 0;
}

/* Both ways of failing, for every n until nothing was refused any more.  run(context, true) checks that what failed was
 * reported as an error, and after oom_disarm() that it succeeds now. */
static inline void oom_each(void (*run)(void *context, bool failing), void *context)
{
    run(context, false);
    for (int mode = OOM_ONCE; mode <= OOM_FROM_THEN_ON; mode++) {
        for (unsigned long n = 1, failed = 1; failed; n++) {
            oom_arm(n, (enum oom_mode)mode);
            run(context, true);
            failed = oom_disarm();
        }
    }
    run(context, false); /* nothing is left of it */
}

#endif
