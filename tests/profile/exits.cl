/* Loops that lanes leave in several places, with something to do on the way out, at different times: alone, in each other, and in
 * branches.  `seed` decides. */
uint mix(uint x)
{
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

kernel void places(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint sum = mix(i + seed), found = 0;
    for (uint k = 0; k < 40; k++) {
        sum = mix(sum + in[(i + k) % 512]);
        if (sum % 11 == 0) {
            found = in[sum % 512] * 3 + k;
            break;
        }
        if (sum % 13 == 1) {
            out[i + 32768] = k;
            found = k;
            break;
        }
        if (sum % 3)
            sum += in[(sum >> 3) % 512];
        if (sum % 17 == 4) {
            if (sum & 64)
                found = sum;
            else
                found = in[k];
            break;
        }
    }
    out[i] = sum + found;
}

kernel void nested(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint sum = mix(i * 3 + seed), last = 0;
    for (uint row = 0; row < 6; row++) {
        for (uint k = 0; k < 8 + sum % 5; k++) {
            sum = mix(sum + in[(i + 8 * row + k) % 512]);
            if (sum % 7 == 0) {
                last += in[sum % 512];
                break;
            }
            if (sum % 31 == 3) {
                out[i] = last + k;
                return;
            }
            for (uint m = sum % 4; m; m--)
                last ^= in[(m * sum) % 512];
        }
        if (sum % 5 == 2)
            continue;
        last += row;
        if (last % 19 == 0)
            break;
    }
    out[i] = sum + last;
}

kernel void chain(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint at = mix(i ^ seed) % 512, steps = 0;
    if (i % 3 != 1)
        while (in[at] % 23) {
            at = (in[at] + i) % 512;
            if (++steps > 30)
                goto far;
            if (in[at] % 29 == 5)
                goto stop;
        }
    else
        do {
            at = (at * 5 + 1) % 512;
            if (at == seed % 512)
                goto far;
        } while (at % 9);
    out[i] = at;
    return;
far:
    out[i] = at + 1000;
    if (at % 2)
        return;
stop:
    out[i] += steps;
}

/* Lanes go through these loops one after the other, as they gather: some of them many times. */
kernel void alone(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint at = mix(i + seed) % 512, sum = 0, turns = i % 97 ? at % 29 : i == 2910 || i == 2813 ? 40000 : 600 + i % 50;
    if (at % 5)
        for (uint k = 0; k < turns; k++)
            sum += in[(sum + k * at) % 512];
    for (uint k = 0; k < turns; k++) {
        at = in[at] % 512;
        if (at & 4)
            sum += in[(at * k + sum) % 512];
        else if (at & 8)
            out[32768 + (i * 31 + k) % 32768] = sum;
    }
    if (sum & 1) {
        while (at % 11) {
            sum ^= in[(at + sum) % 512];
            at = (at + 3) % 512;
        }
        sum += at;
    }
    out[i] = sum;
}

kernel void rows(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint sum = 0;
    for (uint row = 0; row < 5; row++) {
        const uint first = mix(i * 5 + row + seed) % 400, end = first + in[first] % 9;
        for (uint k = first; k < end; k++)
            sum += in[in[k] % 512] * in[(k * 7) % 512];
        if (sum % 37 == 1)
            break;
    }
    out[i] = sum;
}

/* Not all work-items, and not in every turn, do what is in this loop, which they leave together. */
kernel void edges(global uint *out, global const uint *in, uint seed)
{
    const uint x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;
    uint sum = 0;
    if (x + 3 < get_global_size(0) && mix(i / 8) % 4) {
        for (uint k = 0; k < 9 + seed % 8; k++) {
            if ((x + k) % 64 < 20 && y + k > 3)
                sum += in[(i + k) % 512];
            else if ((x + 2 * k) % 32 > 11)
                sum ^= x * k;
            sum += k;
            if (in[(k * 5) % 512] % 3 && (x + y) % 16 > k)
                sum = sum * 3 + in[(y + k) % 512];
        }
        sum += y;
    }
    for (uint k = 0; k < 600; k++)
        if (x % 48 + k > 600)
            sum += in[(x + k) % 512];
    out[i] = sum;
}

/* Rows of a tile, loops in each other that lanes leave by their ids: warps go on with rows that others have not. */
kernel void tiles(global uint *out, global const uint *in, uint seed)
{
    const uint x = get_local_id(0), y = get_local_id(1), width = get_local_size(0), height = get_local_size(1);
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint sum = 0;
    for (uint k = y; k < height + 3; k += height) {
        for (uint n = x; n < width + 5; n += width)
            sum += in[(k * 31 + n * 7 + seed) % 512];
        if ((x ^ y) & 2)
            sum ^= k;
        for (uint n = 0; n < (x + y) % 7; n++)
            for (uint m = n; m < y % 4; m++)
                sum = sum * 3 + m;
    }
    for (uint k = x; k < 90; k += 11)
        sum += k;
    out[i] = sum;
}

/* A barrier on one of the ways through a loop. */
kernel void fences(global uint *out, global const uint *in, uint seed)
{
    local uint shared[512];
    const uint x = get_local_id(0), y = get_local_id(1), lid = y * get_local_size(0) + x;
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint sum = 0;
    for (uint k = 0; k < 12; k++) {
        if ((k * seed) % 5 < 2) {
            shared[lid] = sum + k;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += shared[lid ^ 1];
        }
        if ((x + k) % 16 < 5)
            sum ^= in[(x + k) % 512];
        for (uint n = y + x / 8; n < 5; n += 2)
            sum = sum * 3 + n;
    }
    out[i] = sum;
}

/* Chains of ?:, in a loop and before it. */
static uint letter(uint v)
{
    return v < 26 ? v + 'A' : v < 52 ? v - 26 + 'a' : v < 62 ? v - 52 + '0' : v == 62 ? '+' : '/';
}
kernel void letters(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint sum = letter(mix(i + seed) % 64);
    for (uint k = 0; k < 5; k++)
        sum = sum * 5 + letter((in[i % 512] >> k) % 64);
    if (i % 3)
        sum += letter(sum % 64);
    out[i] = sum;
}

/* Of lanes that exchange the same word, one succeeds, even if it stores what is there. */
kernel void exchanges(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0), at = 32768 + mix(i + seed) % 48;
    volatile global uint *word = (volatile global uint *)out + at;
    uint seen = *word, next, turns = 0;
    do {
        next = seen & 3 ? seen + 1 : seen ^ (i & 1);
        const uint before = atomic_cmpxchg(word, seen, next);
        if (before == seen)
            break;
        seen = before;
    } while (++turns < 50);
    out[i] = atomic_cmpxchg(&out[40000 + i % 5], 0, 0) + (turns > 100);
}

/* Ways that meet before the join: there, and with something to do after that. */
kernel void meets(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    const uint a = mix(i / 5 + seed) % 8, b = in[i % 512] % 16;
    uint sum = a == 3 || (a == 2 && in[(i + 9) % 512] & 1);
    if (a > 5 || (b < 7 && in[b] & 4)) {
        out[i + 32768] = in[(a + b) % 512];
        sum += 3;
    }
    out[i] = sum;
}

/* The same after such a choice has been made again. */
kernel void meets_again(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    const uint a = mix(i / 5 + seed) % 8, b = in[i % 512] % 16;
    uint sum = a;
    if ((a < 2 && in[b] & 4) || (b == 5 && a != 6 && in[a] & 8)) {
        out[i + 32768] = in[(a + b) % 512];
        sum += 3;
    }
    if (a + b > 7 && (in[sum] & 1 || (b & 1 && in[a + sum] > 1000))) {
        sum += in[(i + sum) % 512];
        if (sum & 2 || in[b + 3] & 16)
            out[i + 16384] = sum;
    }
    out[i] = sum;
}

/* Before and after a barrier, and in loops with one. */
kernel void meets_at_barriers(global uint *out, global const uint *in, uint seed)
{
    local uint shared[256];
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    const uint at = get_local_id(1) * get_local_size(0) + get_local_id(0);
    uint sum = mix(i / 3 + seed) % 16;
    for (uint turn = 0; turn < 3; turn++) {
        const uint a = sum % 8, b = in[(i + turn) % 512] % 16;
        shared[at] = a == 3 || (a == 2 && in[(i + 9) % 512] & 1) ? in[b] : turn;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (a > 5 || (b < 7 && shared[at / 2] & 4))
            out[i + 32768] = in[(a + b) % 512];
        sum += shared[at ^ (at > 0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

/* Loops that do the same in every turn, and are left by what they load, in one place or in several. */
kernel void searches(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0), v = mix(i + seed);
    uint k = 0, n = 0, steps = in[v % 512] % 150;
    while (k < 300 && in[k] % 61 != v % 61)
        k++;
    if (v % 5 && i % 7 != 3)
        while (in[(v + n) % 512] % 16 && n < steps)
            n++;
    out[i] = k * 1000 + n;
}

/* The same where an exit is the first thing in a turn, and where whole strips leave at once. */
kernel void searches_first(global uint *out, global const uint *in, uint seed)
{
    const uint i = get_global_id(1) * get_global_size(0) + get_global_id(0), v = mix(i / 16 + seed) % 128;
    uint sum = v, left = in[i % 512] % 200;
    do {
        sum = sum * 5 + in[sum % 512];
        if (sum % 128 == v)
            break;
    } while (left-- > 0);
    out[i] = sum;
}
