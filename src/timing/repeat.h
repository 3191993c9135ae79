/* States of the device and the paths between them: for repeat.c, which learns and takes paths, and repeat_state.c, which writes states
 * down and takes them up again. */
#ifndef CY_TIMING_REPEAT_H
#define CY_TIMING_REPEAT_H

#include "timing/known.h"
#include "timing/state.h"

#define STATES 4096            /* a table's size */
#define STATE_WORDS (1u << 17) /* of 32 bits, at most */

struct use { /* of a cache line, since the start of a path */
    uint32_t tags, index;
    uint32_t when; /* its last use, cycles after the start */
};

/* What one warp consumes on a path. */
struct part {
    int64_t group; /* relative to the next one at the start */
    uint32_t wid;
    uint32_t words;   /* of the stream */
    uint32_t records; /* in them */
    uint32_t back;    /* from the next record to the one before, in the end */
    bool is_there;    /* the last workgroup may have fewer warps */
    bool has_next;    /* the first word of the record that follows is known, too */
};

struct path {
    struct path *next;
    struct state *end;
    uint64_t cycles;
    struct cy_timing_counters counters;
    uint32_t groups; /* that were placed */
    uint32_t part_count, use_count, line_count, gone_count;
    struct part *parts;
    struct use *uses;
    uint32_t *words; /* of the parts */
    uint32_t *names; /* from the start or the way, of the lines in the end */
    uint8_t *ways;   /* of the L1Ds by the last use, at the start and in the end */
    uint64_t *ties;  /* by SM: sets, modulo 64, in which the way mattered */
    int64_t *gone;   /* workgroups that have ended, relative to the next one at the start */
};

/* A stream from the start of the current path on. */
struct follow {
    struct stream *stream; /* NULL: gone, the words are in `copy` */
    uint64_t group;
    uint32_t wid;
    uint32_t *copy;
    uint32_t words;
    bool is_there, is_lost;
};

/* Accesses of an SM by the order in which they are met. */
struct order {
    unsigned count;
    uint8_t number[MOST_ACCESSES], index[MOST_ACCESSES];
};

struct repeat {
    struct state *table[STATES];
    uint64_t kept; /* words */
    /* the path that the device is on */
    struct state *from;
    uint64_t cycle, next_group;
    struct cy_timing_counters counters;
    uint8_t *start_ways;
    CY_VEC(struct follow) follows;
    CY_VEC(uint64_t) released;
    uint64_t looked;      /* instructions when a state was last looked at */
    uint32_t size;        /* of that state */
    struct state *at;     /* that the device is in, and waits to know how it goes on */
    struct order *orders; /* by SM */
    struct names *names;  /* of the lines at the start of the path, and on it */
    struct names *other;  /* of those in the end */
    uint8_t *ways;        /* of the L1Ds: in each set by the last use */
    uint8_t *moved;       /* and for a path that is taken: by the way at the time */
    size_t way_count;
    CY_VEC(struct stream *) streams;
    uint32_t *words; /* of the parts of a path that is being kept */
    size_t word_count, word_room;
    uint32_t state[STATE_WORDS];
};

/* Everything that decides what the device does next, except the streams, to or from words.  False: an access that nothing waits for,
 * too much, or a line of data that may be code. */
bool repeat_visit(struct timing_model *model, struct tape *tape, bool saves);
struct stream *repeat_find_stream(const struct repeat *repeat, uint64_t group, uint32_t wid); /* of the current path */

#endif
