/* lanes.h for another host than this one, run by qemu: a program without a C library, for Linux on x86-64 or aarch64.
 * The status is 0 if nothing differed; what differs is printed. */
#include "lanes.h"

#if defined(__x86_64__)
#define SYS_WRITE 1
#define SYS_EXIT 60
__asm__(".globl _start\n_start: and $-16, %rsp\n call alone_main\n");

static long system_call(long number, long a, const void *b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
#define SYS_WRITE 64
#define SYS_EXIT 93
__asm__(".globl _start\n_start: bl alone_main\n");

static long system_call(long number, long a, const void *b, long c)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x2 __asm__("x2") = c;
    register const void *x1 __asm__("x1") = b;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#endif

/* The compiler calls these. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = (char)value;
    return to;
}

static unsigned differences;

static void print_hex(uint32_t value)
{
    char text[9];
    for (int i = 0; i < 8; i++)
        text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    text[8] = ' ';
    system_call(SYS_WRITE, 1, text, sizeof(text));
}

static void lanes_differ(const struct difference *d)
{
    if (differences++ >= 50)
        return;
    long length = 0;
    while (d->name[length])
        length++;
    system_call(SYS_WRITE, 1, d->name, length);
    const uint32_t values[] = {d->a, d->b, d->c, d->got, d->got_flags, d->expected, d->expected_flags};
    system_call(SYS_WRITE, 1, " ", 1);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        print_hex(values[i]);
    system_call(SYS_WRITE, 1, "\n", 1);
}

__attribute__((noreturn)) void alone_main(void);

void alone_main(void)
{
    lanes_check(500, 7);
    for (;;)
        system_call(SYS_EXIT, differences != 0, NULL, 0);
}
