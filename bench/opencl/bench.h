/* Shared by the parts of bench_opencl: the platform under test, clocks, error exit. */
#ifndef BENCH_H
#define BENCH_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>

struct bench {
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
    const char *directory; /* of the kernels' sources */
    unsigned reps;         /* measured runs; the best counts */
};

/* Ends the program with the call that failed. */
#define CALL(call) bench_check((call), __FILE__, __LINE__, #call)
void bench_check(cl_int error, const char *file, int line, const char *call);

double bench_wall(void); /* seconds */
double bench_cpu(void);  /* of all threads of the process */
double bench_cpu_since(double start);

cl_kernel bench_kernel(const struct bench *bench, const char *name, const char *source, size_t size);

/* A kernel on `n` (0: its own choice), results checked on the host; false: wrong.  Lists end with NULL. */
struct bench_entry {
    const char *name;
    bool (*run)(const struct bench *bench, size_t n);
};
extern const struct bench_entry bench_five[];  /* kernels.c */
extern const struct bench_entry bench_suite[]; /* suite.c */
/* programs.c: false: there is none of this name. */
bool bench_program(const struct bench *bench, const char *name);
/* images.c: `side` 0: its own choice */
void bench_images(const struct bench *bench, size_t side);
/* overhead.c */
void bench_launches(const struct bench *bench);
void bench_copies(const struct bench *bench);

#endif
