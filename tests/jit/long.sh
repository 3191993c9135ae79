#!/bin/bash
# long.sh: kernels of more than ten thousand instructions, and of two hundred vector branches, are translated, and give the
# interpreter's bits.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
cd "$CY_TMP"
fail() { echo "long.sh: $*"; exit 1; }

cat > long.cl <<'CL'
#define R(x, n) rotate(x, (ulong)(64 - n))
#define ROUND(r)                                                                                                       \
    if ((r) >= 16)                                                                                                     \
        w[(r) & 15] += (R(w[((r) + 1) & 15], 1) ^ R(w[((r) + 1) & 15], 8) ^ (w[((r) + 1) & 15] >> 7)) + w[((r) + 9) & 15] +\
                     (R(w[((r) + 14) & 15], 19) ^ R(w[((r) + 14) & 15], 61) ^ (w[((r) + 14) & 15] >> 6));              \
    t = h + (R(e, 14) ^ R(e, 18) ^ R(e, 41)) + ((e & f) ^ (~e & g)) + 0x9e3779b97f4a7c15ul * ((r) + 1) + w[(r) & 15];  \
    u = (R(a, 28) ^ R(a, 34) ^ R(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));                                              \
    h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
#define ROUNDS(r) ROUND(r) ROUND(r + 1) ROUND(r + 2) ROUND(r + 3) ROUND(r + 4)
#define MANY_ROUNDS(r) ROUNDS(r) ROUNDS(r + 5) ROUNDS(r + 10) ROUNDS(r + 15)
kernel void hash(global ulong *out, global const ulong *in)
{
    int i = get_global_id(0);
    ulong w[16], a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, t, u;
    for (int k = 0; k < 16; k++)
        w[k] = in[(i * 16 + k) & 1023] * 0x9e3779b97f4a7c15ul;
    MANY_ROUNDS(0) MANY_ROUNDS(20) MANY_ROUNDS(40) MANY_ROUNDS(60)
    out[i] = a + b + c + d + e + f + g + h;
}
#define FORK(r)                                                                                                        \
    if ((a ^ b) & 1 << (r) % 12) {                                                                                     \
        a += in[(b + (r)) & 1023];                                                                                     \
        if ((c ^= a * (3 * (r) + 1)) & 4)                                                                              \
            out[i] += a;                                                                                               \
    } else                                                                                                             \
        b = b * 5 + (r), c += b >> 3;
#define FORKS(r) FORK(r) FORK(r + 1) FORK(r + 2) FORK(r + 3) FORK(r + 4) FORK(r + 5) FORK(r + 6) FORK(r + 7)
kernel void forks(global int *out, global const int *in)
{
    int i = get_global_id(0), a = in[i], b = in[i + 1], c = 0;
    FORKS(0) FORKS(8) FORKS(16) FORKS(24) FORKS(32) FORKS(40) FORKS(48) FORKS(56) FORKS(64) FORKS(72) FORKS(80) FORKS(88)
    out[i] += a + b + c;
}
CL
export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$CY_TMP/cache
run() { # ENGINE KERNEL TYPE
    "$CY" run long.cl --engine "$1" --kernel "$2" --global 256 --local 64 --arg "buffer:$3:256" --arg "buffer:$3:1024=iota" \
        --print 0 2>&1
}
for kernel in "hash u64" "forks i32"; do
    run interp $kernel > interp
    run jit $kernel > jit
    ! grep 'interpreter ran' jit || fail "not translated"
    cmp interp jit || fail "${kernel% *} differs"
done
