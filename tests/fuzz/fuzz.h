/* What driver.c (or libFuzzer) calls. */
#ifndef CY_TESTS_FUZZ_FUZZ_H
#define CY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that every input must keep. */
#define FUZZ_CHECK(condition)                                                                                          \
    ((condition) ? (void)0                                                                                             \
                 : (fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
