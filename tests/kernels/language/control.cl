// Control flow that is not nested: goto in and out of loops, switches of all kinds, loops that only end inside.
//
// data: in int[256] random 0 100000
// data: out int[256] zero
// data: l long[256] random -4 300
// run: gotos 256/64 in out
// run: into_loop 256/64 in out
// run: two_entries 256/64 in out
// run: switches 256/64 in out
// run: on_char 256/64 in out
// run: on_long 256/64 l out
// run: many 256/64 in out
// run: duff 256/64 in out
// run: endless 256/64 in out
// run: machine 256/64 in out
// run: early 256/64 in out
// run: shortcuts 256/64 in out
// gives: in=c21ddf5fc9e3f87f out=91fd9842e4e15d17 l=b19d44bfffdc5eae

kernel void gotos(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i], n = 0;
again:
    n++;
    if (x & 1)
        goto odd;
    x /= 2;
    if (x)
        goto again;
    goto done;
odd:
    if (x == 1 || n > 40)
        goto done;
    x = (3 * x + 1) & 0xffffff;
    goto again;
done:
    out[i] += n * 1000 + x;
}

kernel void into_loop(global const int *in, global int *out)
{
    int i = get_global_id(0), k = in[i] & 15, sum = 0;
    if (in[i] & 16)
        goto inside;
    for (k = 0; k < 20; k++) {
        sum += k;
        if (sum > in[i] % 500)
            goto out_of_two;
    inside:
        sum ^= k * 3;
        for (int m = 0; m < 3; m++)
            if (sum % 97 == m)
                goto out_of_two;
    }
    sum += 5;
out_of_two:
    out[i] += sum;
}

kernel void two_entries(global const int *in, global int *out) /* not reducible */
{
    int i = get_global_id(0), x = in[i], n = 0;
    if (x & 1)
        goto a;
    else
        goto b;
a:
    x = x * 5 + 1;
    if (++n > 10)
        goto end;
    if (x & 4)
        goto a;
b:
    x = x / 3 + n;
    if (++n > 12)
        goto end;
    if (x & 2)
        goto a;
    goto b;
end:
    out[i] += x;
}

kernel void switches(global const int *in, global int *out)
{
    int i = get_global_id(0), r = 0;
    switch (in[i] % 9) {
    case 0: r = 5; break;
    case 1: r = 7; /* fall through */
    case 2: r += 9; break;
    case 3:
    case 4:
        switch (i & 3) {
        case 0: r = 1; break;
        case 3: r = in[i]; goto leave;
        default: r = 2;
        }
        break;
    case 7: return;
    default: r = -1;
    }
    r *= 3;
leave:
    out[i] += r;
}

kernel void on_char(global const int *in, global int *out)
{
    int i = get_global_id(0), r = 0;
    for (int k = 0; k < 4; k++)
        switch ((char)(in[i] >> (4 * k))) {
        case 'a' ... 'z': r += 1; break;
        case -128 ... -100: r += 10; break;
        case 0: r += 100; break;
        case 'A': r = -r; break;
        default: r ^= k; continue;
        }
    out[i] += r;
}

kernel void on_long(global const long *l, global int *out)
{
    int i = get_global_id(0);
    switch (l[i] * 0x100000000l + (i & 1)) {
    case 0x100000000l: out[i] += 1; break;
    case 0x100000001l: out[i] += 2; break;
    case -0x200000000l: out[i] += 3; break;
    case 0x7f00000001l: out[i] += 4; break;
    case 5: out[i] += 5; break;
    default: out[i] += (int)l[i] & 15;
    }
}

#define C4(n) case n: r = n * 7 ^ 3; break; case n + 1: r = n - 5; break; case n + 2: r += n; break; case n + 3: r = r * n;
#define C16(n) C4(n) C4(n + 4) C4(n + 8) C4(n + 12)
#define C64(n) C16(n) C16(n + 16) C16(n + 32) C16(n + 48)
kernel void many(global const int *in, global int *out)
{
    int i = get_global_id(0), r = i;
    for (int k = 0; k < 3; k++)
        switch ((in[i] + k * 77) % 300) {
            C64(0)
            C64(64)
            C64(128)
            C16(200)
        default: r++;
        }
    out[i] += r;
}

kernel void duff(global const int *in, global int *out)
{
    int i = get_global_id(0), n = in[i] % 30 + 1, k = 0, sum = 0, rounds = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { sum += in[(i + k++) & 255];
    case 3:      sum ^= in[(i + k++) & 255];
    case 2:      sum -= in[(i + k++) & 255];
    case 1:      sum += in[(i + k++) & 255] * 3;
            } while (--rounds > 0);
    }
    out[i] += sum + k;
}

kernel void endless(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i], n = 0;
    for (;;) {
        while (1) {
            if (++n % 7 == 0)
                break;
            x = x * 1103515245 + 12345;
            if ((x >> 16) % 50 == 3)
                goto end;
        }
        if (n > 60)
            break;
    }
end:
    out[i] += x + n;
}

kernel void machine(global const int *in, global int *out)
{
    int i = get_global_id(0), state = in[i] % 5, acc = 0, steps = 0;
    while (state != 9 && steps++ < 50) {
        switch (state) {
        case 0: acc += 3; state = acc & 1 ? 1 : 2; break;
        case 1: acc *= 5; state = acc % 3 ? 4 : 2; continue;
        case 2: acc -= in[(i + steps) & 255] & 7; state = 3; break;
        case 3: for (int k = 0; k < (acc & 3); k++) acc ^= k << 2; state = acc % 4; break;
        case 4: if (acc % 11 == 0) { state = 9; break; } acc++; state = 0; break;
        }
        acc &= 0xffff;
    }
    out[i] += acc * 64 + steps;
}

int find(global const int *in, int what, int from)
{
    for (int k = 0; k < 256; k++) {
        int at = (k + from) & 255;
        if (in[at] % 100 == what)
            return at;
        if (in[at] % 1000 == 999)
            return -k;
    }
    return 1000;
}

kernel void early(global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] % 10 == 3)
        return;
    int at = find(in, in[i] % 120, i);
    if (at < 0 && (i & 1))
        return;
    do {
        if (at % 3 == 1)
            break;
        at += 7;
        if (at % 5 == 0)
            continue;
        at ^= 2;
    } while (at < 900);
    out[i] += at;
}

int touch(int *n, int v) { *n += v; return v & 1; }
kernel void shortcuts(global const int *in, global int *out)
{
    int i = get_global_id(0), n = 0, x = in[i];
    bool b = touch(&n, x & 3) && touch(&n, x & 12) || touch(&n, 100) && !touch(&n, x & 32);
    int y = b ? touch(&n, 7) ? x : -x : (touch(&n, 9), x / 2);
    out[i] += n + y + (x > 5 && x < 50000 || i == 3);
}
