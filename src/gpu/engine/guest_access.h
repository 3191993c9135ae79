/* Loads and stores of guest memory.  Races between work-items are the guest's business; in C they would be undefined,
 * in practice each byte is one or the other.  Atomic accesses tell ThreadSanitizer so: what it still reports are our
 * own races. */
#ifndef CY_GPU_ENGINE_GUEST_ACCESS_H
#define CY_GPU_ENGINE_GUEST_ACCESS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define CY_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CY_TSAN 1
#endif
#endif
#ifndef CY_TSAN
#define CY_TSAN 0
#endif

#if CY_TSAN
/* 1, 2 or 4 bytes, aligned.  Relaxed accesses would do, but ThreadSanitizer does not know fences, by which guests order
 * them: here each load acquires and each store releases, so that it sees what a kernel and its host hand over. */
static inline void cy_guest_load(void *to, const void *guest, size_t size)
{
    uint32_t value = size == 4   ? __atomic_load_n((const uint32_t *)guest, __ATOMIC_ACQUIRE)
                     : size == 2 ? __atomic_load_n((const uint16_t *)guest, __ATOMIC_ACQUIRE)
                                 : __atomic_load_n((const uint8_t *)guest, __ATOMIC_ACQUIRE);
    memcpy(to, &value, size);
}
static inline void cy_guest_store(void *guest, const void *from, size_t size)
{
    uint32_t value = 0;
    memcpy(&value, from, size);
    if (size == 4)
        __atomic_store_n((uint32_t *)guest, value, __ATOMIC_RELEASE);
    else if (size == 2)
        __atomic_store_n((uint16_t *)guest, (uint16_t)value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint8_t *)guest, (uint8_t)value, __ATOMIC_RELEASE);
}
#else
static inline void cy_guest_load(void *to, const void *guest, size_t size)
{
    memcpy(to, guest, size);
}
static inline void cy_guest_store(void *guest, const void *from, size_t size)
{
    memcpy(guest, from, size);
}
#endif

#endif
