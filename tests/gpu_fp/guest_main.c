/* The guest program: reads cases, executes the instruction that each one names, writes result and flags.
 * For riscv64 with Zfh, V and no C library, run by qemu. */
#include "guest_case.h"

static long system_call(long number, long a, void *b, unsigned long c)
{
    register long a7 __asm__("a7") = number, a0 __asm__("a0") = a;
    register unsigned long a2 __asm__("a2") = c;
    register void *a1 __asm__("a1") = b;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    return a0;
}
#define SYS_READ 63
#define SYS_WRITE 64
#define SYS_EXIT 93

/* By kind of operand: its type, its register class, and its bits. */
#define TYPE_h _Float16
#define TYPE_w float
#define TYPE_d double
#define TYPE_x uint64_t
#define REGISTER_h "f"
#define REGISTER_w "f"
#define REGISTER_d "f"
#define REGISTER_x "r"

#define OPERAND(kind, name)                                                                                            \
    TYPE_##kind name;                                                                                                  \
    __builtin_memcpy(&name, &item->name, sizeof(name))
#define SCALAR(in, out, instruction)                                                                                   \
    {                                                                                                                  \
        TYPE_##out r;                                                                                                  \
        OPERAND(in, a);                                                                                                \
        OPERAND(in, b);                                                                                                \
        OPERAND(in, c);                                                                                                \
        __asm__ volatile(                                                                                              \
            "fscsr zero, %[fcsr]\n" instruction "\n frflags %[flags]"                                                  \
            : [r] "=&" REGISTER_##out(r), [flags] "=&r"(flags)                                                         \
            : [fcsr] "r"((long)item->rm << 5), [a] REGISTER_##in(a), [b] REGISTER_##in(b), [c] REGISTER_##in(c));      \
        __builtin_memcpy(&item->result, &r, sizeof(r));                                                                \
    }
#define VECTOR(in, out, instruction)                                                                                   \
    __asm__ volatile("fscsr zero, %[fcsr]\n vsetivli zero, 1, e" #in ", m1, ta, ma\n vle" #in                          \
                     ".v v1, (%[a])\n" instruction "\n vsetivli zero, 1, e" #out ", m1, ta, ma\n vse" #out             \
                     ".v v2, (%[r])\n"                                                                                 \
                     "frflags %[flags]"                                                                                \
                     : [flags] "=&r"(flags)                                                                            \
                     : [fcsr] "r"((long)item->rm << 5), [a] "r"(&item->a), [r] "r"(&item->result)                      \
                     : "memory");

static void execute(struct guest_case *item)
{
    long flags = 0;
    switch (item->instruction) {
#define SCALAR1(name, format, in, out, instruction, exact)                                                             \
    case GUEST_##name: {                                                                                               \
        SCALAR(in, out, instruction)                                                                                   \
        break;                                                                                                         \
    }
#define SCALAR2 SCALAR1
#define SCALAR3 SCALAR1
#define VECTOR1(name, format, in, out, instruction, exact)                                                             \
    case GUEST_##name: {                                                                                               \
        VECTOR(in, out, instruction)                                                                                   \
        break;                                                                                                         \
    }
#include "guest.h"
    }
    item->flags = (uint8_t)flags;
}

static struct guest_case cases[4096];

__attribute__((noreturn)) void _start(void);

void _start(void)
{
    for (;;) {
        unsigned long size = 0;
        long got;
        while (size < sizeof(cases) && (got = system_call(SYS_READ, 0, (char *)cases + size, sizeof(cases) - size)) > 0)
            size += (unsigned long)got;
        if (size == 0)
            system_call(SYS_EXIT, 0, 0, 0);
        for (unsigned long i = 0; i < size / sizeof(cases[0]); i++)
            execute(&cases[i]);
        for (unsigned long done = 0; done < size;) {
            long written = system_call(SYS_WRITE, 1, (char *)cases + done, size - done);
            if (written <= 0)
                system_call(SYS_EXIT, 1, 0, 0);
            done += (unsigned long)written;
        }
    }
}
