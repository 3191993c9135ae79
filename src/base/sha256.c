#include "base/sha256.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static uint32_t load_big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* One round, with the new a in place of h, and the new e in place of d: the next one names its words accordingly. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                               \
    do {                                                                                                               \
        const uint32_t t =                                                                                             \
            h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g))) + constants[i] + words[i];        \
        d += t;                                                                                                        \
        h = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)));                            \
    } while (0)

static void compress_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 16; i++)
        words[i] = load_big_endian(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t x = words[i - 15], y = words[i - 2];
        words[i] = words[i - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + words[i - 7] +
                   (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    for (int i = 0; i < 64; i += 8) {
        ROUND(a, b, c, d, e, f, g, h, i);
        ROUND(h, a, b, c, d, e, f, g, i + 1);
        ROUND(g, h, a, b, c, d, e, f, i + 2);
        ROUND(f, g, h, a, b, c, d, e, i + 3);
        ROUND(e, f, g, h, a, b, c, d, i + 4);
        ROUND(d, e, f, g, h, a, b, c, i + 5);
        ROUND(c, d, e, f, g, h, a, b, i + 6);
        ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

#if defined(__x86_64__)
#include "base/sha256_x86.h"
#elif defined(__aarch64__) && defined(__linux__)
#include "base/sha256_aarch64.h"
#else
static bool has_instructions(void)
{
    return false;
}
static void compress_by_instructions(uint32_t state[8], const unsigned char *blocks, size_t count)
{
    (void)state, (void)blocks, (void)count;
}
#endif

static atomic_int way; /* enum cy_sha256_way */

void cy_sha256_use(enum cy_sha256_way wanted)
{
    atomic_store_explicit(&way, (int)wanted, memory_order_relaxed);
}

/* Asking a virtual machine's processor takes as long as many blocks. */
static bool by_instructions(void)
{
    int known = atomic_load_explicit(&way, memory_order_relaxed);
    if (known == CY_SHA256_BEST) {
        known = has_instructions() ? CY_SHA256_HOST : CY_SHA256_PLAIN;
        atomic_store_explicit(&way, known, memory_order_relaxed);
    }
    return known == CY_SHA256_HOST;
}

static void compress(struct cy_sha256 *sha, const unsigned char *blocks, size_t count)
{
    if (by_instructions()) {
        compress_by_instructions(sha->state, blocks, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        compress_block(sha->state, blocks + 64 * i);
}

void cy_sha256_start(struct cy_sha256 *sha)
{
    /* the same of the square roots of the first 8 primes */
    *sha = (struct cy_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void cy_sha256_add(struct cy_sha256 *sha, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t held = sha->size % 64;
    sha->size += size;
    if (held) {
        size_t take = size < 64 - held ? size : 64 - held;
        memcpy(sha->block + held, at, take);
        if (held + take < 64)
            return;
        compress(sha, sha->block, 1);
        at += take;
        size -= take;
    }
    compress(sha, at, size / 64);
    if (size % 64)
        memcpy(sha->block, at + size / 64 * 64, size % 64);
}

struct cy_digest cy_sha256_finish(struct cy_sha256 *sha)
{
    struct cy_digest digest;
    unsigned char padding[72] = {0x80}, *length;
    uint64_t bits = sha->size * 8;
    size_t zeros = (119 - sha->size % 64) % 64 + 1; /* up to 8 bytes before the end of a block */
    length = padding + zeros;
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    cy_sha256_add(sha, padding, zeros + 8);
    for (int i = 0; i < 32; i++)
        digest.bytes[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

struct cy_digest cy_sha256(const void *bytes, size_t size)
{
    struct cy_sha256 sha;
    cy_sha256_start(&sha);
    cy_sha256_add(&sha, bytes, size);
    return cy_sha256_finish(&sha);
}
