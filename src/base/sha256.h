/* SHA-256 (FIPS 180-4): content hashes. */
#ifndef CY_BASE_SHA256_H
#define CY_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct cy_sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
};

struct cy_digest {
    unsigned char bytes[32];
};

void cy_sha256_start(struct cy_sha256 *sha);
void cy_sha256_add(struct cy_sha256 *sha, const void *bytes, size_t size);
struct cy_digest cy_sha256_finish(struct cy_sha256 *sha);
struct cy_digest cy_sha256(const void *bytes, size_t size);

/* The host's instructions are used where there are any, unless tests want the plain way. */
enum cy_sha256_way { CY_SHA256_BEST, CY_SHA256_PLAIN, CY_SHA256_HOST };
void cy_sha256_use(enum cy_sha256_way wanted);

#endif
