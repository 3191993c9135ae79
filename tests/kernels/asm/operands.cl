// Inline assembly: every kind of operand, next to the same in C.
//
// data: a int[96] random -1000 1000
// data: out int[1152] zero
// run: classes 96/32 a out int:7
// gives: a=d0a0cf434d661dd7 out=7aeca01855e37144
// data: a int[96] random -1000 1000
// data: out int[288] zero
// run: ties 96/48 a out
// gives: a=d0a0cf434d661dd7 out=0f096aca0d02488b
// data: a int[64] random
// data: out int[256] zero
// run: registers 64/64 a out
// gives: a=eea2983122ddc546 out=f15a5ca4abff7731
// data: a long[64] random
// data: out long[192] zero
// run: wide 64/32 a out
// gives: a=ab2870c14a697fda out=670845d90f92a48c
// data: a int[64] random 0 9
// data: out int[64] zero
// run: diverge 64/64 a out int:3
// gives: a=5eb94749563c0f1f out=493711dbefc00e22
// data: a int[64] random
// data: out int[64] zero
// run: crowded 64/64 a out
// gives: a=eea2983122ddc546 out=c3ce4a76e69e6681
// data: a int[64] random
// data: out int[64] zero
// run: called 64/64 a out
// gives: a=eea2983122ddc546 out=fe8ffde8ad34b937
// data: a short[64] random
// data: out int[64] zero
// run: macros 64/32 a out
// gives: a=6a9f327c141167d9 out=7d0f7362d53df339

kernel void classes(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), x = a[i];
    int v, s, imm, named, mem, early, basic = 5;
    float f = x;
#ifdef __VENTUS__
    __asm__("vadd.vv %0, %1, %2" : "=v"(v) : "v"(x), "v"(i));
    __asm__("slli %0, %1, 3" : "=r"(s) : "r"(n));
    __asm__ volatile("vadd.vi %0, %1, %2" : "=v"(imm) : "v"(x), "i"(3 * 5));
    __asm__("vsub.vv %[to], %[from], %[what]" : [to] "=v"(named) : [from] "v"(x), [what] "v"(i));
#if __VENTUS__ == 2
    __asm__ volatile("vlw12d.v %0, %1" : "=v"(mem) : "m"(a[i]));
#else
    __asm__ volatile("vlw12.v %0, %1" : "=v"(mem) : "m"(a[i]));
#endif
    __asm__("vsll.vi %0, %1, 1\n\t"
            "vadd.vv %0, %0, %1"
            : "=&v"(early)
            : "v"(x));
    __asm__("vfadd.vv %0, %0, %0" : "+v"(f));
    asm volatile("nop");
    __asm__ __volatile__("# nothing but a comment");
#else
    v = x + i, s = n << 3, imm = x + 15, named = x - i, mem = a[i], early = 3 * x, f = f + f;
#endif
    out[i] = v, out[i + 96] = s, out[i + 192] = imm, out[i + 288] = named, out[i + 384] = mem, out[i + 480] = early;
    out[i + 576] = as_int(f), out[i + 672] = basic;
    for (int k = 0; k < 3; k++) { /* %= is another number in each copy */
        int spent = n + k, turns;
#ifdef __VENTUS__
        __asm__ volatile("li %0, 0\n"
                         "loop%=: addi %0, %0, 2\n\t"
                         "addi %1, %1, -1\n\t"
                         "bnez %1, loop%="
                         : "=&r"(turns), "+r"(spent));
#else
        turns = 2 * spent, spent = 0;
#endif
        out[i + 768 + 96 * k] = turns + spent;
    }
}

kernel void ties(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], y, z = x;
    int sum = 0;
    for (int k = 0; k < 5; k++) {
        int step = x + k;
#ifdef __VENTUS__
        __asm__("vadd.vv %0, %0, %2" : "=v"(sum) : "0"(sum), "v"(step));
#else
        sum += step;
#endif
    }
#ifdef __VENTUS__
    __asm__("vadd.vi %[d], %[d], 1" : [d] "=v"(y) : "[d]"(x));
    __asm__("vadd.vv %0, %0, %1\n\tvxor.vv %1, %1, %0" : "+v"(z), "+v"(x));
#else
    y = x + 1;
    z += x;
    x ^= z;
#endif
    out[3 * i] = sum + x, out[3 * i + 1] = y, out[3 * i + 2] = z;
}

kernel void registers(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], kept = x * 3;
#ifdef __VENTUS__
    register int five __asm__("v5") = x;
    register int high __asm__("v200");
    register int scalar __asm__("t3") = 11;
    int sum;
    __asm__ volatile("vadd.vi v200, v5, 9" : "=v"(high) : "v"(five));
    __asm__ volatile("vadd.vx %0, %1, t3" : "=v"(sum) : "v"(high), "r"(scalar));
    __asm__ volatile("vmv.v.i v0, 1\n\tvmv.v.i v1, 2\n\tvmv.v.i v2, 3\n\tvmv.v.i v3, 4\n\tli t0, 5\n\tli t1, 6\n\tli a1, 7"
                     :
                     :
                     : "v0", "v1", "v2", "v3", "t0", "t1", "a1");
    /* what is not declared is found out: v4 is changed, and v250 is kept from one to the other */
    __asm__ volatile("vadd.vi v250, %0, 1\n\tvmv.v.i v4, 0\n\tli s0, 1\n\tli s1, 2" : : "v"(x));
    int later = x * 5;
    __asm__ volatile("vadd.vv %0, %1, v250" : "=v"(later) : "v"(later));
#else
    int high = x + 9, sum = high + 11, later = x * 5 + x + 1;
#endif
    out[i] = high, out[i + 64] = sum, out[i + 128] = later, out[i + 192] = kept;
}

kernel void wide(global const long *a, global long *out)
{
    int i = get_global_id(0);
    long x = a[i], swapped, both = 0;
    double d = (double)(x >> 40);
#ifdef __VENTUS__
    __asm__("vmv.v.v %L0, %H1\n\tvmv.v.v %H0, %L1" : "=&v"(swapped) : "v"(x));
    __asm__("vadd.vi %L0, %L0, 7\n\tvadd.vi %H0, %H0, 9" : "+v"(both));
#if __VENTUS__ == 2
    __asm__("prefix 1, 0, 0\n\tvfadd.vv %0, %0, %0" : "+v"(d));
#else
    __asm__("regpair x0, x0, 0\n\tvfadd.vv %0, %0, %0" : "+v"(d));
#endif
#else
    swapped = (long)((ulong)x >> 32 | (ulong)x << 32), both = 9L << 32 | 7, d += d;
#endif
    out[i] = swapped, out[i + 64] = both, out[i + 128] = as_long(d);
}

kernel void diverge(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), x = a[i], r = 0;
    for (int k = 0; k < x; k++) {
        if ((k + i) % 3 == 0) {
#ifdef __VENTUS__
            __asm__ volatile("vadd.vv %0, %0, %1" : "+v"(r) : "v"(k));
#else
            r += k;
#endif
        } else {
            int s;
#ifdef __VENTUS__
            __asm__ volatile("addi %0, %1, 4" : "=r"(s) : "r"(n));
#else
            s = n + 4;
#endif
            r += s;
        }
    }
    out[i] = r;
}

/* Thirty operands, and values that stay alive meanwhile: some are spilled. */
kernel void crowded(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], t[40], sum = 0;
    for (int k = 0; k < 40; k++)
        t[k] = x * (k + 1) + (x >> k % 31);
#ifdef __VENTUS__
    __asm__ volatile("vadd.vv %0, %1, %2\n\tvadd.vv %0, %0, %3\n\tvadd.vv %0, %0, %4\n\tvadd.vv %0, %0, %5\n\t"
                     "vadd.vv %0, %0, %6\n\tvadd.vv %0, %0, %7\n\tvadd.vv %0, %0, %8\n\tvadd.vv %0, %0, %9\n\t"
                     "vadd.vv %0, %0, %10\n\tvadd.vv %0, %0, %11\n\tvadd.vv %0, %0, %12"
                     : "=&v"(sum)
                     : "v"(t[0]), "v"(t[1]), "v"(t[2]), "v"(t[3]), "v"(t[4]), "v"(t[5]), "v"(t[6]), "v"(t[7]), "v"(t[8]),
                       "v"(t[9]), "v"(t[10]), "v"(t[11])
                     : "v13");
    __asm__ volatile("vadd.vv %0, %0, %1" : "+v"(sum) : "v"(t[12]));
#else
    for (int k = 0; k < 12; k++)
        sum += t[k];
    sum += t[12];
#endif
    for (int k = 13; k < 40; k++)
        sum ^= t[k];
    out[i] = sum;
}

__attribute__((noinline)) static int twice(int x)
{
    int y;
#ifdef __VENTUS__
    __asm__("vsll.vi v40, %1, 1\n\tvadd.vi %0, v40, 0" : "=v"(y) : "v"(x) : "v40", "s3");
#else
    y = x * 2;
#endif
    return y;
}

kernel void called(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i];
    out[i] = twice(x) + x * twice(x ^ i);
}

#ifdef __VENTUS__
#define ASM __asm__ volatile
#define OP2(name, d, s, t) ASM(#name " %0, %1, %2" : "=v"(d) : "v"(s), "v"(t))
#define CALL(name, d, s, t) OP2(name, d, s, t)
#endif
kernel void macros(global const short *a, global int *out)
{
    int i = get_global_id(0), x = a[i], y, z;
    if (i & 1)
#ifdef __VENTUS__
        CALL(vmul.vv, y, x, i);
    else
        ASM("vmin.vv %0, %1, %2" : "=v"(y) : "v"(x), "v"(i));
    CALL(vand.vv, z, y, x);
#else
        y = x * i;
    else
        y = min(x, i);
    z = y & x;
#endif
    out[i] = z;
}
