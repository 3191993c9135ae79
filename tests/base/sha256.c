#include "base/sha256.h"

#include "support/test.h"

/* The digest in hexadecimal, of a text repeated `times`. */
static const char *hash(const char *text, size_t times, char out[65])
{
    struct cy_sha256 sha;
    cy_sha256_start(&sha);
    for (size_t i = 0; i < times; i++)
        cy_sha256_add(&sha, text, strlen(text));
    struct cy_digest digest = cy_sha256_finish(&sha);
    for (size_t i = 0; i < sizeof(digest.bytes); i++)
        snprintf(out + 2 * i, 3, "%02x", digest.bytes[i]);
    return out;
}

/* The examples that NIST publishes for FIPS 180-4. */
static void test_published(void)
{
    char hex[65];
    CHECK_STR(hash("", 1, hex), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_STR(hash("abc", 1, hex), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_STR(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, hex),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK_STR(hash("a", 1000000, hex), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* However a text is cut, the hash is the same: all lengths around the ends of blocks. */
static void test_pieces(void)
{
    char text[200];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 7);
    for (size_t size = 0; size < sizeof(text); size++) {
        struct cy_digest whole = cy_sha256(text, size);
        struct cy_sha256 sha;
        cy_sha256_start(&sha);
        cy_sha256_add(&sha, text, size / 3);
        cy_sha256_add(&sha, text + size / 3, size - size / 3);
        struct cy_digest pieces = cy_sha256_finish(&sha);
        CHECK(!memcmp(&whole, &pieces, sizeof(whole)));
    }
}

/* The host's instructions compute the same. */
static void test_ways(void)
{
    char text[1000];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * i >> 3);
    for (size_t size = 0; size < sizeof(text); size++) {
        cy_sha256_use(CY_SHA256_PLAIN);
        struct cy_digest plain = cy_sha256(text, size);
        cy_sha256_use(CY_SHA256_BEST);
        struct cy_digest best = cy_sha256(text, size);
        CHECK(!memcmp(&plain, &best, sizeof(plain)));
    }
    cy_sha256_use(CY_SHA256_PLAIN);
    test_published();
    cy_sha256_use(CY_SHA256_BEST);
}

TEST_MAIN(test_published, test_pieces, test_ways)
