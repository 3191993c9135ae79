/* A kernel with its arguments, run and measured. */
#ifndef JOB_H
#define JOB_H

#include "bench.h"

struct job {
    const struct bench *bench;
    cl_kernel kernel;
    cl_uint arguments;
    cl_mem buffers[8];
    unsigned buffer_count;
    unsigned runs;    /* done so far */
    double wall, cpu; /* the best run, seconds */
};

struct job job_load(const struct bench *bench, const char *name);
/* The next argument: a buffer with the host's data in it (NULL: nothing), or a value (NULL: local memory). */
cl_mem job_buffer(struct job *job, size_t size, void *data);
void job_pass(struct job *job, size_t size, const void *value);
/* Once to warm up, then as often as asked for; a kernel must give the same results every time. */
void job_run(struct job *job, cl_uint dimensions, const size_t *global, const size_t *local);
void job_read(const struct job *job, cl_mem buffer, size_t size, void *to);
/* Prints the figures and frees everything; returns `ok`. */
bool job_report(struct job *job, const char *name, double operations, bool ok);

void *job_allocate(size_t size);
float job_noise(void); /* -0.5 to 0.5, the same in every run of the program */
float *job_noises(size_t count);
size_t job_sample(size_t n); /* below n */

#endif
