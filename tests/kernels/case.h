/* What a kernel file says about how it is run: lines of its comments.
 *
 *     // options: -cl-std=CL3.0                       for every build of the file
 *     // data: a int[256] random -100 100             a buffer and what is in it
 *     // data: b float[256] zero
 *     // image: i RGBA UNSIGNED_INT8 16x8 random      an image of one to three dimensions, for programs of tests/fuzz/engines only
 *     // sampler: s raw CLAMP_TO_EDGE NEAREST         raw or normalised coordinates
 *     // run: scale 256/64 a b float:1.5 local:1024   a launch: kernel, global size / local size + offset, arguments
 *     // run: sum 16x16/4x4+1x0 b                     sizes of two or three dimensions
 *     // near: 1e-5                                   floats need only agree so far (the default: every bit)
 *     // gives: a=0123456789abcdef b=...              digests of the buffers after the launches; ends the case
 *
 * Fills: zero; value V; iota [START [STEP]]; random [LOW HIGH]; steps LOW HIGH, a running sum from 0; perm, the numbers
 * from 0 in some order; list V,V,...  They depend on nothing but the position of the buffer in its case.
 * An argument is a buffer's name, TYPE:VALUE[,VALUE...] (a scalar, a vector, a structure of equal members), or
 * local:BYTES.  A file has any number of cases; the last one ends with the file when it has no `gives`. */
#ifndef CY_TESTS_KERNELS_CASE_H
#define CY_TESTS_KERNELS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CASES = 256, MAX_DATA = 48, MAX_RUNS = 48, MAX_ARGS = 80, MAX_SCALAR = 128 };

enum element { E_CHAR, E_UCHAR, E_SHORT, E_USHORT, E_INT, E_UINT, E_LONG, E_ULONG, E_FLOAT, E_COUNT };
enum data_kind { A_BUFFER, AN_IMAGE, A_SAMPLER };

extern const char *const element_names[E_COUNT];
extern const size_t element_sizes[E_COUNT];

struct data {
    char name[32];
    enum data_kind kind;
    enum element type; /* of an image: uchar, for its bytes */
    size_t count;
    unsigned char *initial;
    unsigned order, channel, dims; /* of images: cl_channel_order, cl_channel_type */
    size_t size[3];
    unsigned is_normalised, addressing, filter; /* of samplers */
    char gives[256];                            /* the launches' expected results, from the file */
};

struct arg {
    enum { ARG_DATA, ARG_VALUE, ARG_LOCAL } kind;
    size_t data, size;
    unsigned char value[MAX_SCALAR];
};

struct run {
    char kernel[64];
    unsigned dims;
    size_t global[3], local[3], offset[3];
    bool has_local;
    size_t arg_count;
    struct arg args[MAX_ARGS];
};

struct test_case {
    unsigned line;       /* of its first `run` */
    unsigned gives_line; /* 0: there is none */
    double near;
    size_t data_count, run_count;
    struct data data[MAX_DATA];
    struct run *runs; /* MAX_RUNS of them */
};

struct kernel_file {
    const char *path;
    char *source;
    char options[256];
    bool has_images; /* or samplers */
    size_t case_count;
    struct test_case *cases; /* MAX_CASES of them */
};

/* Reads and parses; an error is printed with its line and the result is false.  close frees in either case. */
bool kernel_file_open(struct kernel_file *file, const char *path);
void kernel_file_close(struct kernel_file *file);

/* What the `gives` line holds for a buffer: a digest, or with `near` and floats a mean and samples. */
void describe(char *text, size_t size, const struct data *data, const void *bytes, double near);
/* Whether a description of a result and the recorded one agree. */
bool agrees(const char *result, const char *recorded, double near);
/* Are two floats as close as `near` requires? */
bool close_enough(double a, double b, double near);

#endif
