/* Blocks of kernels, and symbolised kernels: what the writers walk. */
#ifndef CY_PROFILE_PROFILE_PRIV_H
#define CY_PROFILE_PROFILE_PRIV_H

#include "profile/profile.h"

#include "isa/isa.h"

/* ---- a kernel's block: all that launches add to (record.c) ---- */
size_t profile_block_size(size_t sms, size_t words, bool has_counts, bool has_sampled, bool has_cycles);
void profile_place(struct cy_profile_kernel *kernel, unsigned char *block, size_t words, bool has_counts,
                   bool has_sampled, bool has_cycles);
/* What was counted since the sums were made. */
void profile_add_counted(const struct cy_profile_kernel *kernel, size_t words, struct cy_insn_counts *sums);
/* shared.c: a block of zeros in a file, for the next kernel of a profile.  NULL: there is none. */
void *profile_share(const struct cy_profile *profile, struct cy_profile_kernel *kernel, size_t block_size);
void profile_unshare(struct cy_profile_kernel *kernel);

#define PROFILE_SOURCE "<source>" /* the name of what a host program passes to clCreateProgramWithSource */

struct profile_row { /* one instruction that was issued */
    uint32_t pc;     /* of its prefix, if it has one */
    uint32_t size;
    bool is_vector_branch;
    char *text;           /* disassembled */
    const char *function; /* "" if no symbol covers it */
    uint32_t offset;      /* in the function */
    const char *file;     /* "" and line 0: unknown */
    uint32_t line;
    struct cy_figures_of figures;
};
struct profile_line {
    const char *file; /* "" and line 0: unknown */
    uint32_t line;
    const char *text; /* without leading blanks; "" if the source cannot be read */
    struct cy_figures_of figures;
};
struct profile_view {
    const struct cy_profile *profile;
    const struct cy_profile_kernel *kernel;
    const struct cy_profile_program *program;
    struct cy_arena arena;
    CY_VEC(struct profile_row) rows;   /* by pc */
    CY_VEC(struct profile_line) lines; /* by cost, highest first */
    struct cy_figures_of total;
};
void profile_view_open(struct profile_view *view, const struct cy_profile *profile, size_t kernel);
void profile_view_close(struct profile_view *view);
void profile_figures_add(struct cy_figures_of *sum, const struct cy_figures_of *more);
uint64_t profile_cycles(const struct cy_figures_of *figures); /* issued and stalled */
/* What a table is sorted by: cycles, or issues without the cycle model. */
uint64_t profile_cost(const struct profile_view *view, const struct cy_figures_of *figures);
/* Active lanes of all vector instructions. */
uint64_t profile_lanes(const struct profile_view *view, const struct cy_figures_of *figures);
/* Bytes between the device and its memory: of the model's memory requests, else of all lines accessed. */
double profile_bytes(const struct profile_view *view);

/* The machine's limits per cycle. */
struct profile_peak {
    double flops;
    double bytes; /* 0: unknown without the cycle model */
};
struct profile_peak profile_peak(const struct cy_profile *profile);
double profile_ratio(double part, double whole); /* 0 if there is no whole */

#endif
