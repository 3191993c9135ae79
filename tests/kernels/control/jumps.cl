// switch and goto: tables, falling through, loops made of gotos, loops with two entries.
//
// data: a int[256] random -3 20
// data: out int[256] zero
// run: dense 256/64 a out
// gives: a=ee0980c2e29639c9 out=7adfaad7c0e8e02e
// data: a int[256] random -3 20
// data: out int[256] zero
// run: falling 256/64 a out
// gives: a=ee0980c2e29639c9 out=5ed9f75b71615029
// data: a long[128] random -2 2
// data: out int[128] zero
// run: sparse 128/32 a out
// gives: a=491acd33b0f7d114 out=456d5862c2e0c728
// data: a uchar[300] random
// data: out int[300] zero
// run: machine 300/50 a out
// gives: a=184508e193964ce6 out=a9839723b42bd4e6
// data: a int[192] random 0 12
// data: out int[192] zero
// run: two_entries 192/64 a out
// gives: a=1795fb3eb73064a6 out=cc2e7bc46e7f3583
// data: a int[192] random 0 12
// data: out int[192] zero
// run: three_nodes 192/64 a out
// gives: a=1795fb3eb73064a6 out=d0ea874275aab9a5
// data: a int[192] random 0 9
// data: out int[192] zero
// run: ahead 192/32 a out
// gives: a=620354dd1abff114 out=084c64e88124db38

kernel void dense(global const int *a, global int *out)
{
    int i = get_global_id(0), r;
    switch (a[i]) {
    case 0: r = i; break;
    case 1: r = 17; break;
    case 2: r = -i; break;
    case 3: r = i * i; break;
    case 4: r = 5; break;
    case 5: r = i << 4; break;
    case 6: r = ~i; break;
    case 7: r = 99; break;
    case 9: r = i ^ 0x55; break;
    case 10: r = 1; break;
    default: r = -1;
    }
    out[i] = r;
}

kernel void falling(global const int *a, global int *out)
{
    int i = get_global_id(0), r = 0;
    switch (a[i] & 7) {
    case 5: r += 5;
    case 4: r += 4; break;
    case 3: r = 3;
    default: r += 1;
    case 1: r *= 2;
    case 0: r -= 7;
    }
    out[i] = r;
}

kernel void sparse(global const long *a, global int *out)
{
    int i = get_global_id(0), r = 0;
    switch (a[i] * 0x100000001L) {
    case 0x100000001L: r = 1; break;
    case -0x100000001L: r = 2; break;
    case 0x200000002L: r = 3; break;
    case 0: r = 4; break;
    }
    out[i] = r + i * 10;
}

// An interpreter: every work-item runs its own program.
kernel void machine(global const uchar *code, global int *out)
{
    int i = get_global_id(0), pc = i, acc = i, stack[8], sp = 0;
    for (int step = 0; step < 40; step++) {
        int op = code[pc % 300];
        pc++;
        switch (op % 9) {
        case 0: acc += op; continue;
        case 1: acc ^= acc << 3; break;
        case 2: stack[sp++ & 7] = acc; break;
        case 3:
            if (sp > 0)
                acc -= stack[--sp & 7];
            break;
        case 4: pc += op >> 4; break;
        case 5:
            if (acc & 1)
                pc += 2;
            else
                acc >>= 1;
            break;
        case 6: acc = acc * 3 + 1; break;
        case 7:
            if (op > 240)
                goto halt;
            break;
        default: acc = -acc;
        }
        acc &= 0xffffff;
    }
halt:
    out[i] = acc * 16 + sp;
}

kernel void two_entries(global const int *a, global int *out)
{
    int i = get_global_id(0), n = a[i], r = 0;
    if (n & 1)
        goto middle;
top:
    r += 3;
middle:
    r = r * 2 + n;
    if (n-- > 0)
        goto top;
    out[i] = r;
}

// Every block can follow every other.
kernel void three_nodes(global const int *a, global int *out)
{
    int i = get_global_id(0), n = a[i] + 5, r = i;
    switch (n % 3) {
    case 0: goto one;
    case 1: goto two;
    default: goto three;
    }
one:
    r = r * 3 + 1;
    if (--n <= 0)
        goto end;
    if (r & 2)
        goto three;
two:
    r ^= n << 2;
    if (--n <= 0)
        goto end;
    if (r & 4)
        goto one;
three:
    r += n;
    if (--n <= 0)
        goto end;
    if (r & 1)
        goto two;
    goto one;
end:
    out[i] = r;
}

kernel void ahead(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], r = 0;
    if (x == 0)
        goto zero;
    if (x < 4) {
        r = 1;
        if (x == 2)
            goto two;
        r += 10;
        goto end;
    }
    r = 100;
    if (x > 7)
        goto zero;
two:
    r += 1000;
    goto end;
zero:
    r += 5;
end:
    out[i] = r;
}
