//! buffer out uint 32768 zero
//! launch md5 32768 / 256 : out 12345
#define F(x, y, z) ((x & y) | (~x & z))
#define G(x, y, z) ((x & z) | (y & ~z))
#define H(x, y, z) (x ^ y ^ z)
#define I(x, y, z) (y ^ (x | ~z))
#define STEP(f, a, b, c, d, w, s, k) a = rotate(a + f(b, c, d) + (w) + k##u, s##u) + b
kernel void md5(global uint *out, uint seed)
{
    uint i = get_global_id(0), w0 = i, w1 = seed ^ i, w2 = 0x80, w14 = 64;
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#define ROUND(f, s1, s2, s3, s4, k)                                                                                             \
    STEP(f, a, b, c, d, w0, s1, k##1), STEP(f, d, a, b, c, w1, s2, k##2), STEP(f, c, d, a, b, w2, s3, k##3),                    \
        STEP(f, b, c, d, a, 0, s4, k##4), STEP(f, a, b, c, d, w14, s1, k##5), STEP(f, d, a, b, c, 0, s2, k##6),                 \
        STEP(f, c, d, a, b, w0, s3, k##7), STEP(f, b, c, d, a, w1, s4, k##8)
    ROUND(F, 7, 12, 17, 22, 0xd76aa47), ROUND(F, 7, 12, 17, 22, 0x698098d);
    ROUND(G, 5, 9, 14, 20, 0xf61e256), ROUND(G, 5, 9, 14, 20, 0x21e1cde);
    ROUND(H, 4, 11, 16, 23, 0xfffa394), ROUND(H, 4, 11, 16, 23, 0x289b7ec);
    ROUND(I, 6, 10, 15, 21, 0xf429224), ROUND(I, 6, 10, 15, 21, 0x6fa87e4);
    out[i] = a ^ b ^ c ^ d;
}
