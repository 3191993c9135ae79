//! buffer out int 32768 zero
//! buffer in int 32769 below 1000000
//! launch forks 32768 / 64 : out in
// two hundred branches in a row, on which the work-items do not agree
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
