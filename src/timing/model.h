/* The cycle model's parts.
 *
 *   decode.c     what the model knows about an instruction: operands, unit, kind of control flow
 *   stream.c     what each warp did, recorded by the observer on the threads that run SMs
 *   dispatch.c   the model's clock: workgroups to SMs, the end of the launch
 *   pipeline.c   fetch, instruction buffer, issue, units, control flow of one SM
 *   collector.h  operand collectors and register banks
 *   lsu.c        load/store unit;  l1d.h, l1i.c the L1 caches;  l2.c the L2 and memory
 *   memo.c       an SM that is in a state it was in before repeats what it did then
 *   repeat.c     and so does the device, with repeat_state.c; state.h, names.h: states that can be compared
 *   sample.c     long launches: workgroups that are only executed, and their cycles estimated
 *
 * The model is trace-driven: a stream holds the instructions of one warp in order, with the lines they access, and the
 * model decides when each of them issues.  It reads a stream only as far as it was recorded and pauses when a warp that
 * could issue has nothing recorded, so its results are a function of the streams alone. */
#ifndef CY_TIMING_MODEL_H
#define CY_TIMING_MODEL_H

#include "chengying/timing.h"

#include <pthread.h>

#include "isa/isa.h"

/* ---- parameters ---- */

enum timing_parameter {
#define PARAMETER(name, ...) P_##name,
#include "timing/timing.def"
    PARAMETER_COUNT
};

struct parameters {
#define PARAMETER(name, ...) uint32_t name;
#include "timing/timing.def"
    /* derived */
    uint32_t l1d_shift, l1i_shift, l2_shift;
};

/* ---- instructions (decode.c) ---- */

enum kind {
    KIND_ALU, /* a unit with a fixed latency and an interval of 1 */
    KIND_SFU,
    KIND_MEMORY,
    KIND_BRANCH,  /* conditional */
    KIND_JUMP,    /* always taken */
    KIND_VBRANCH, /* vector branch or join */
    KIND_BARRIER,
    KIND_FENCE,
    KIND_END,
};

#define NO_REGISTER 0xffff
#define VECTOR_REGISTER 64 /* added to a vGPR's number */
#define MOST_SOURCES 3
#define REGISTER_WORDS 5 /* of sets of registers: one of sGPRs, four of vGPRs */
#define BANK_TURNS 4     /* the banks of an instruction's operands depend on its warp modulo their number */

struct op {
    uint32_t index;
    uint32_t start, pc; /* with its prefix; of itself */
    uint16_t branch;    /* enum cy_op of a conditional branch to the next instruction, else 0 */
    uint8_t kind;
    uint16_t latency;
    uint8_t priority; /* at the write-back port: lowest first */
    uint8_t source_count;
    bool is_write, is_atomic, is_vector, is_masked, is_signed;
    bool is_control; /* the warp issues nothing until it is resolved */
    bool has_extra;  /* its record has more than one word */
    bool has_more;   /* or there is something else to record */
    uint8_t sfu;     /* enum sfu */
    bool uses_high;  /* of the vector registers, more than v0 to v63 */
    uint16_t source[MOST_SOURCES];
    uint16_t dividend, divisor; /* registers of an integer division */
    uint16_t destination;
    uint8_t banks[BANK_TURNS]; /* that it reads, by its warp, if there are few: see collector.h; */
    _Alignas(8) uint8_t bank_operands[BANK_TURNS][2 * BANK_TURNS]; /* and which operands */
    uint64_t used[REGISTER_WORDS]; /* registers that block it: sources, destination, mask */
    struct op_counts *counts;      /* NULL: not profiled */
};
_Static_assert(sizeof(struct op) == 128, "quickly multiplied by");
/* Scalar and vector banks alternate. */
static inline unsigned register_bank(const struct parameters *p, unsigned warp, uint16_t reg)
{
    return ((warp + reg) & (p->register_banks - 1)) * 2 + (reg >= VECTOR_REGISTER);
}
struct op_counts {
    uint64_t cycles[CY_STALL_COUNT];
    uint64_t l1d_requests, l1d_hits;
};
enum sfu { SFU_NONE, SFU_FP, SFU_INT };

void parameters_of(const struct cy_timing_config *config, struct parameters *parameters);
bool timing_decode(const struct parameters *parameters, uint32_t pc, uint32_t word, uint32_t prefix, struct op *op);

/* ---- streams (stream.c) ---- */

/* A record: the index of its op; memory instructions: count of lines and flags, then lines; divisions: cycles. */
#define RECORD_TAKEN (1u << 31)
#define RECORD_INDEX (RECORD_TAKEN - 1)
#define LINES_SHARED (1u << 31)
#define LINES_COUNT 0xffffu

struct stream {
    uint32_t *words;
    size_t size, capacity;
    size_t read;          /* next record */
    size_t keep;          /* words before this one may be dropped */
    uint64_t dropped;     /* words so far */
    uint64_t total;       /* records so far */
    uint64_t records;     /* not read */
    bool ends_at_barrier; /* the last one recorded is a barrier: the warp cannot continue by itself */
    bool complete;
    bool is_marked; /* words from `mark` on are kept, too: see repeat.c */
    size_t mark;
};

/* What a thread that runs an SM writes before it is handed to the model. */
struct recorder {
    uint32_t number; /* of the warp in the launch */
    struct stream *stream;
    struct group *group;
    uint32_t *words;
    uint32_t size, records;
    uint32_t memory_at; /* index of the line count of the current instruction; 0: it has none */
    bool at_barrier, ended;
};

/* ---- the machine ---- */

#define MOST_WARPS 64
#define MOST_UNITS 16
#define MOST_BANKS 8
#define MOST_LINES 64
#define MOST_L2_LINES 256
#define MOST_WAITING 32 /* requests for one line in the L2 */
#define MOST_FETCHES 64 /* bits of a set, not below the range of fetch_latency */

/* A workgroup from its first recorded instruction until the model has finished it. */
struct group {
    struct recorder *recorders; /* by warp id */
    struct stream *streams;     /* with records: 0 and complete: there is no such warp */
    bool ended;                 /* recorded completely */
    uint64_t executed;          /* its instructions, if not all were recorded */
    bool is_skipped;            /* see sample.c: what it does is counted, and not kept */
};

struct fetch_block {
    uint32_t pc;
    uint16_t words; /* which of its words are on the path */
};

struct warp {
    struct stream *stream;
    const struct op *next;         /* of the next record; NULL: not looked up */
    uint64_t busy[REGISTER_WORDS]; /* registers that will be written */
    struct fetch_block open;       /* the block whose words issue one by one */
    uint8_t buffered;
    uint8_t accesses; /* memory instructions in the LSU */
    bool fenced;
    uint8_t wid;
    uint16_t fetch_words;
    bool is_seen;           /* for profiles, */
    uint8_t seen_stall;     /* see below */
    const struct op *first; /* the first instruction of the open block, when it has issued */
    uint32_t fetch_pc;
    uint32_t path;       /* counts how often what was asked for became useless */
    uint64_t buffer[8];  /* fetch blocks: the pc, and the words << 32 */
    uint64_t fetch_from; /* of a warp that is held */
    struct resident *resident;
    uint64_t start_cycle;
    uint32_t issued; /* instructions so far */
    /* for profiles */
    uint32_t seen_ordinal;
    const struct op *last;         /* issued */
    uint64_t last_cycle;           /* of it */
    uint64_t load[REGISTER_WORDS]; /* of the busy registers, those that loads will write */
    const struct op *seen_op;      /* what it does since `seen_since` */
    uint64_t seen_since;
};
_Static_assert(sizeof(struct warp) == 256, "quickly multiplied by");

/* A workgroup on an SM. */
struct resident {
    uint64_t number; /* of the workgroup */
    unsigned live, waiting;
    uint64_t slots; /* its warps */
    uint64_t release_at;
};

/* An instruction between issue and its unit.  A warp has one at most, so its stream keeps what belongs to it. */
struct unit {
    const struct op *op;
    uint64_t issued; /* cycle */
    uint32_t ordinal;
    uint8_t warp;
    bool is_taken; /* a branch */
};

/* What is written soon before it is read, here and below, is read in the same pieces: the host passes a store on to a load only if it
 * has all of what the load wants. */
struct writeback {
    uint64_t cycle;
    uint32_t what; /* the register, its warp << 16, the priority << 24 */
};

struct resolve {
    uint64_t cycle;
    uint8_t warp;
    bool redirect;
};

struct fetch {
    uint32_t pc;
    uint32_t path; /* of its warp when it was asked for: an answer for another one is dropped */
    uint16_t words;
    uint8_t warp;
    bool hit;
};

struct tags {
    uint32_t sets, ways;
    uint32_t *line; /* line + 1; 0: empty */
    uint64_t *used; /* cycle of the last use */
    bool *dirty;
    uint64_t fills;
};
bool tags_init(struct tags *tags, uint32_t sets, uint32_t ways);
void tags_free(struct tags *tags);
void tags_clear(struct tags *tags);
static inline int tags_find(const struct tags *tags, uint32_t line) /* index; -1 */
{
    if (!tags->sets)
        return -1;
    const uint32_t first = (line & (tags->sets - 1)) * tags->ways;
    if (tags->ways == 2)
        return tags->line[first] == line + 1 ? (int)first : tags->line[first + 1] == line + 1 ? (int)first + 1 : -1;
    for (uint32_t i = first; i < first + tags->ways; i++)
        if (tags->line[i] == line + 1)
            return (int)i;
    return -1;
}
void tags_remove(struct tags *tags, int index);
/* Replaces the least recently used one; returns the victim's line + 1 if it was dirty, else 0. */
static inline uint32_t tags_fill(struct tags *tags, uint32_t line, uint64_t cycle)
{
    if (!tags->sets)
        return 0;
    const uint32_t first = (line & (tags->sets - 1)) * tags->ways;
    uint32_t victim = first;
    if (tags->ways == 2) {
        const uint32_t *at = &tags->line[first];
        if (at[0] == line + 1 || (at[0] && at[1] == line + 1))
            return 0;
        victim += at[0] && (!at[1] || tags->used[first + 1] < tags->used[first]);
    }
    for (uint32_t i = first; tags->ways != 2 && i < first + tags->ways; i++) {
        if (tags->line[i] == line + 1)
            return 0;
        if (!tags->line[i]) {
            victim = i;
            break;
        }
        if (tags->used[i] < tags->used[victim])
            victim = i;
    }
    const uint32_t written = tags->dirty[victim] ? tags->line[victim] : 0;
    tags->line[victim] = line + 1;
    tags->fills++;
    tags->used[victim] = cycle;
    tags->dirty[victim] = false;
    return written;
}

/* Which of the four places have this line, as bits. */
static inline uint64_t match_four(const uint32_t *places, uint32_t line)
{
    return (uint64_t)(places[0] == line) | (uint64_t)(places[1] == line) << 1 | (uint64_t)(places[2] == line) << 2 |
           (uint64_t)(places[3] == line) << 3;
}
/* The first place of this line among those that are used; -1: none.  The table has 64 places. */
static inline int find_line(const uint32_t *places, uint64_t used, uint32_t line)
{
    uint64_t found = match_four(places, line) & used;
    for (unsigned i = 4; !found && i < 64 && used >> i; i += 4)
        found = match_four(places + i, line) << i & used;
    return found ? __builtin_ctzll(found) : -1;
}

struct access { /* a memory instruction in the LSU */
    const struct op *op;
    uint8_t warp;
    bool is_shared;
    uint16_t count, sent, answered;
    uint64_t ready;        /* cycle of its first request, if the unit is idle then */
    uint32_t ordinal, wid; /* for profiles: the warp may have ended when its store is done */
    uint64_t issued, group;
    uint32_t line[MOST_LINES];
};
#define MOST_ACCESSES 65 /* in the unit, and one in its input register */

struct mshr {
    uint64_t free_at; /* once its line has arrived: the entry is busy until then */
    uint8_t count;
    uint8_t access[64]; /* which instructions wait */
};

enum source { FROM_L1I, FROM_L1D_READ, FROM_L1D_WRITE, FROM_L1D_EVICT, FROM_L1D_ATOMIC };
struct request {
    uint64_t cycle;
    uint64_t sent;   /* on the way back: when the L2 had the answer */
    uint32_t line;   /* of the L2, on its way there */
    uint32_t origin; /* of the requesting L1 */
    uint16_t sm;
    uint8_t source;
    uint8_t entry; /* of the L1D: its MSHR, or its write entry */
    uint8_t access;
};

#define QUEUE 256 /* a power of two, larger than what can be in flight */
struct queue {
    unsigned head, count;
    struct request at[QUEUE];
};

/* Warps as bit sets of slots: those that all stages use.  A cycle works on a copy in registers, where stores to other fields
 * cannot touch them. */
struct sets {
    uint64_t active;     /* runs, and may fetch */
    uint64_t opened;     /* has words to issue in its open block */
    uint64_t blocked;    /* branch, barrier */
    uint64_t collecting; /* has an instruction in the collector */
    uint64_t hazard;     /* scoreboard */
    uint64_t stale;      /* hazard must be re-evaluated */
    uint64_t full;       /* instruction buffer */
    uint64_t buffered;   /* something in it */
    uint64_t activity;   /* not 0: something happened in this cycle, so the next one cannot be skipped */
};

/* Register banks of machines that are not larger: see collector.h.  One more that nobody wants, and a whole number of vectors. */
#define NARROW_BANKS (2 * BANK_TURNS)
#define NARROW_UNITS 8
struct narrow_banks {
    _Alignas(16) uint32_t wants[NARROW_BANKS + 4];
    uint32_t after[NARROW_BANKS + 4];
    uint32_t granted[NARROW_BANKS + 4]; /* the operand itself */
};

/* What most cycles look at comes first, so that it is in few cache lines. */
struct sm {
    struct timing_model *model;
    uint64_t now;          /* the model's cycle */
    uint64_t pipeline_due; /* nothing can happen in the pipeline before, */
    uint64_t memory_due;   /* nor in the LSU and the L1D: */
    uint64_t lsu_due;      /* the LSU sends a request, or takes an instruction up, */
    uint64_t answer_due;   /* the L1D takes the first answer, */
    uint64_t send_due;     /* its first request leaves the queue to the L2, */
    uint64_t mshr_due;     /* an MSHR becomes free, */
    uint64_t l1i_due;      /* the L1I takes the first answer; each UINT64_MAX: not before something else happens */
    uint64_t caches_due;   /* the earliest of the last four */
    uint64_t limit;        /* the current run ends before this cycle; what ends it earlier lowers it */
    uint8_t run;           /* enum run */
    bool reached_out;      /* sent something towards the L2, or a warp is about to end: see sm_is_detached */
    bool at_checkpoint;    /* the lowest warp took a branch, or the leader while that one does not get on */
    uint64_t lowest_seen;  /* when the lowest warp did */
    uint64_t leader_seen;
    unsigned leader;       /* a warp */
    unsigned ending;       /* warps that have issued their end */
    unsigned l1i_missing;  /* lines */
    uint64_t l2_requests;  /* so far */
    uint64_t warp_changes; /* starts and ends so far */
    uint64_t l1d_writes;   /* that hit, so far */
    uint64_t l1d_ties; /* sets of the L1D, modulo 64, of which two lines were used in the same cycle: see repeat.c */
    struct cy_timing_counters counters;
    struct memo *memo; /* NULL: not allocated yet */
    struct sets sets;
    /* warps as bit sets of slots, too */
    uint64_t occupied; /* has a warp */
    uint64_t starting; /* will be active at its start cycle */
    uint64_t at_barrier;
    uint64_t fetching;     /* cycles, modulo 64, in which fetches answer */
    uint16_t all_words;    /* of a fetch block */
    uint64_t next_release; /* of a workgroup */
    uint64_t next_writeback;
    uint64_t issue_after; /* warps whose turn to issue comes before it starts over */
    uint64_t held;        /* redirected, and may not fetch yet */
    uint64_t unfenced;    /* whose fence ended in this cycle */
    unsigned writeback_count, resolve_count, staged_count;
    int lsu_current;    /* that sends requests; -1: none */
    int lsu_input;      /* the input register; -1: empty */
    bool write_waits;   /* a store to a missing line: nothing is accepted until nothing is missing */
    bool lsu_blocked;   /* its request was refused, and nothing has changed since */
    bool queue_blocked; /* the same for the first request in the queue to the L2 */
    /* collector */
    uint32_t units_used, units_ready, units_done; /* taken; may leave; complete since this cycle */
    uint32_t units_refused;                       /* could have left in this cycle and did not */
    uint32_t lsu_refused;   /* the one that the LSU has no room for, and nothing has changed there since */
    uint32_t units_all;     /* those that there are */
    uint32_t wanted;        /* banks from which operands are wanted */
    uint32_t granted_banks; /* that read an operand last cycle, for whom: */
    uint8_t granted[2 * MOST_BANKS];
    uint64_t lacking;                    /* operands that are missing: unit * 4 + operand */
    uint64_t wants[2 * MOST_BANKS];      /* the same by bank, scalar and vector alternately */
    uint64_t bank_after[2 * MOST_BANKS]; /* those whose turn comes before it starts over */
    bool is_narrow;                      /* the three are in `narrow` instead */
    struct narrow_banks narrow;
    struct unit *units[MOST_UNITS];
    struct unit *staged[4]; /* issued in the last cycle; these and the units are in: */
    struct unit unit_pool[MOST_UNITS + 4];
    struct parameters p; /* a copy */
    unsigned index;
    uint64_t sfu_free;
    struct fetch fetches[MOST_FETCHES]; /* by the cycle of the response */
    struct warp warps[MOST_WARPS];
    struct tags l1i, l1d;

    uint64_t residents_used;
    uint64_t lsu_next;     /* earliest cycle of the next request */
    uint64_t lsu_answer;   /* cycle of the last answer: one per cycle */
    unsigned access_count; /* not counting the one in the input register */
    unsigned free_access_count;
    uint64_t mshrs_used, mshrs_all;
    uint64_t missing;      /* of these, those whose line has not arrived: */
    uint64_t missing_near; /* their lines modulo 64, and perhaps others: see find_mshr */
    struct request write_waiting;
    uint64_t l1d_busy;            /* a fill takes this cycle */
    uint64_t writing, writes_all; /* write entries in use; those that there are */
    uint32_t flushed;             /* lines that the flush at the end has looked at */
    uint64_t next_answer;         /* the L1D takes none before, */
    uint64_t next_send;           /* and none leaves its queue before */
    /* the small ones first: their offsets fit into instructions */
    uint32_t missing_line[64];
    uint32_t write_line[64];
    struct resolve resolves[MOST_WARPS];
    uint8_t free_accesses[MOST_ACCESSES];
    struct {
        uint32_t line;
        bool used;
    } l1i_mshrs[64];
    struct resident residents[MOST_WARPS];
    struct mshr mshrs[64];
    struct queue l1d_queue;
    struct queue answers;     /* of the L2 to the L1D, */
    struct queue l1i_answers; /* and to the L1I */
    struct access accesses[MOST_ACCESSES];
    struct writeback writebacks[4608]; /* more than units with the longest latencies and the LSU can have under way */
};

struct l2 {
    uint64_t due;                     /* nothing can happen before, unless a request comes */
    uint64_t next_take;               /* takes no request before */
    bool is_direct;                   /* see "requests at once" in l2.c */
    uint32_t line[MOST_L2_LINES];     /* by MSHR: what it waits for, */
    uint64_t response[MOST_L2_LINES]; /* when memory answers, */
    uint64_t free_at[MOST_L2_LINES];  /* and until when it is in use; UINT64_MAX: not known yet */
    struct request *input;            /* a ring that holds all that the L1s can ask for */
    unsigned input_size, input_head, input_count;
    bool writes[MOST_L2_LINES];              /* by MSHR, too: its line will be changed; */
    uint8_t count[MOST_L2_LINES];            /* requests for it, */
    struct request (*waiting)[MOST_WAITING]; /* as long as it is not known when memory answers */
    struct tags tags;
    struct {
        uint64_t cycle; /* may be taken by memory from then on */
        int mshr;       /* -1: a write */
    } wanted[QUEUE];
    unsigned wanted_head, wanted_count;
    struct {
        uint64_t cycle; /* of the answer */
        int mshr;
    } memory[8192];                         /* more than memory_outstanding and `wanted` */
    unsigned memory_last;                   /* of the places that are used: a power of two less one */
    uint64_t memory_head;                   /* answers that have been taken; where the next is, modulo the size */
    unsigned memory_count;                  /* not taken */
    uint64_t memory_next;                   /* takes no request before */
    uint32_t way_back[FROM_L1D_ATOMIC + 1]; /* cycles of an answer on its way to an L1, by source */
};

#define OPS_CHUNK 256

struct timing_model {
    struct parameters p;
    uint64_t cycle;
    struct sm *sms;
    uint64_t *due; /* by SM: nothing can happen in it before; all that most cycles need to know of the others */
    unsigned sm_count;
    struct l2 l2;
    struct cy_timing_counters counters;
    struct op **ops; /* by record: chunks of OPS_CHUNK */
    struct cy_launch_shape shape;
    uint64_t group_count, next_group, groups_left;
    uint64_t next_dispatch; /* cycle; UINT64_MAX: no workgroup is left, or no SM has room */
    unsigned next_sm;
    uint64_t window;    /* cycles that SMs may run before they must hear from each other: see dispatch.c */
    uint64_t end_cycle; /* of the last warp */
    enum { RUNS, FLUSHES, DRAINS, ENDED } phase;
    struct group *(*find_group)(void *context, uint64_t number); /* NULL: not recorded far enough */
    void (*free_group)(void *context, uint64_t number);
    uint64_t (*group_work)(void *context, uint64_t number); /* instructions of a workgroup that has ended */
    void *context;
    bool failed;           /* nothing issues any more: a mistake of the model */
    uint64_t last_issue;   /* cycle */
    uint64_t longest_wait; /* no launch waits this long for an instruction to issue */
    bool starved;          /* a warp that could issue has nothing recorded */
    bool is_profiled;
    bool is_plain;         /* see cycle() in pipeline.c */
    struct repeat *repeat; /* NULL: not allocated yet */
    struct sample *sample; /* NULL: every cycle is computed */
    struct cy_timing_sampled sampled;
    uint32_t code_first, code_last; /* addresses of the instructions so far */
    struct cy_timing_events events;
};

/* ---- dispatch.c ---- */
bool model_begin(struct timing_model *model); /* for the launch of model->shape; false: no memory */
void model_end(struct timing_model *model);
void model_run(struct timing_model *model); /* as far as the streams go */
bool model_is_starved(const struct timing_model *model);

/* ---- pipeline.c ---- */
void sm_cycle(struct sm *sm);
/* Cycles of one SM before `until`.  DETACHED: the L2 has nothing for it; stops when that changes.  ALONE: nothing else is due
 * before; stops when the L2 is.  IN_WINDOW: nothing from outside can reach it before. */
enum run { DETACHED, ALONE, IN_WINDOW };
void sm_run(struct sm *sm, uint64_t until, enum run run);
/* What ends a run: the SM needs an instruction that is not recorded, sends something towards the L2, or is about to end a warp. */
static inline void sm_starve(struct sm *sm)
{
    sm->model->starved = true;
    sm->limit = 0;
}
static inline void sm_reach_out(struct sm *sm)
{
    sm->reached_out = true;
    if (sm->run == DETACHED)
        sm->limit = 0;
}
/* Nothing under way between the SM and the L2, and no warp about to end: the rest of the device does not matter to it.  That
 * lasts until the SM reaches out. */
static inline bool sm_is_detached(const struct sm *sm)
{
    return !(sm->mshrs_used | sm->writing | sm->l1d_queue.count | sm->answers.count | sm->l1i_answers.count |
             sm->l1i_missing | sm->ending) &&
           sm->next_release == UINT64_MAX;
}

/* ---- memo.c ---- */
void memo_free(struct memo *memo);
/* At the end of a cycle of a detached SM: if its state is known, goes on to where it led, as often as that is so. */
void memo_checkpoint(struct sm *sm, uint64_t until);
void memo_leave(struct memo *memo); /* the SM was put somewhere else */

/* ---- repeat.c ---- */
void repeat_free(struct repeat *repeat);
/* A workgroup has been placed: if the state of the device is known, goes on to where it led, as often as that is so.  False: what
 * comes next has not been recorded far enough to tell. */
bool repeat_checkpoint(struct timing_model *model);
bool repeat_is_waiting(const struct repeat *repeat);
void repeat_leave(struct repeat *repeat); /* the path that it is on is not the device's any more */
void repeat_placed(struct timing_model *model, uint64_t number, struct group *group);
void repeat_released(struct timing_model *model, uint64_t number); /* before its streams are gone */

/* ---- sample.c ---- */
bool sample_begin(struct timing_model *model); /* false: no memory */
void sample_free(struct sample *sample);
/* Before the next workgroup is placed, which may become a later one.  False: workgroups in between have not been executed yet. */
bool sample_dispatch(struct timing_model *model);
void sample_placed(struct timing_model *model, uint64_t number);
void sample_released(struct timing_model *model, uint64_t number, uint64_t work); /* work: instructions */
void sample_jumped(struct timing_model *model, uint64_t groups, uint64_t work);   /* repeat.c has taken a path */
bool sample_has_cuts(const struct timing_model *model);
bool sample_is_waiting(const struct timing_model *model);             /* for workgroups of the last cut */
bool sample_skips(const struct timing_model *model, uint64_t number); /* is the workgroup one of the last cut? */
void sample_executed(struct timing_model *model, uint64_t number, uint64_t work); /* such a one has ended */
void sample_finish(struct timing_model *model); /* the launch has ended: its counters become estimates */
bool sample_note(const struct cy_timing_sampled *sampled, char *text, size_t size);

void sm_start_warp(struct sm *sm, unsigned slot, struct resident *resident, struct stream *stream, uint64_t cycle);
void sm_wake(struct sm *sm, uint64_t cycle); /* its pipeline */
void sm_write_back(struct sm *sm, uint64_t cycle, unsigned warp, uint16_t reg, uint8_t priority);
void sm_memory_done(struct sm *sm, unsigned warp);

/* ---- probe.c: where the cycles go ---- */
void probe_start(struct sm *sm, unsigned slot);
void probe_cycle(struct sm *sm);              /* after sm_cycle */
void probe_end(struct sm *sm, unsigned slot); /* the warp ends in this cycle */
void probe_unit_done(struct sm *sm, const struct unit *unit, uint64_t end);
void probe_access_done(struct sm *sm, const struct access *access, uint64_t end);

/* ---- lsu.c ---- */
bool lsu_take(struct sm *sm, const struct unit *unit); /* false: it has no room */
/* The LSU and the L1D; `runs_on`: and their next cycles, before the pipeline is due and before the run ends. */
void sm_memory_cycle(struct sm *sm, bool runs_on);
void sm_memory_loaded(struct sm *sm); /* the SM was put into another state: finds out what is due */
bool l1d_is_idle(const struct sm *sm);
bool l1d_flush(struct sm *sm); /* queues dirty lines while there is room; true: none is left */

/* The pipeline must be stepped at `cycle`, or in this one if it has not been yet. */
static inline void pipeline_wake(struct sm *sm, uint64_t cycle)
{
    if (cycle < sm->pipeline_due)
        sm->pipeline_due = cycle;
}
static inline void caches_wake(struct sm *sm, uint64_t cycle)
{
    if (cycle < sm->caches_due)
        sm->caches_due = cycle;
}
static inline void memory_wake(struct sm *sm, uint64_t cycle)
{
    if (cycle < sm->memory_due)
        sm->memory_due = cycle;
}

/* The input register is free, or a warp has one instruction less in the LSU: the one that waits in the collector may enter. */
static inline void lsu_has_changed(struct sm *sm)
{
    if (sm->lsu_input >= 0)
        return;
    if (sm->lsu_refused && sm->warps[sm->units[__builtin_ctz(sm->lsu_refused)]->warp].accesses < sm->p.lsu_warp_entries)
        sm->lsu_refused = 0;
    if (!sm->units_refused)
        return;
    const struct unit *unit = sm->units[__builtin_ctz(sm->units_refused)]; /* the others wait for it */
    if (unit->op->kind == KIND_MEMORY && sm->warps[unit->warp].accesses < sm->p.lsu_warp_entries)
        pipeline_wake(sm, sm->now);
}

/* ---- l1i.c ---- */
void l1i_miss(struct sm *sm, uint32_t pc);
void l1i_fill(struct sm *sm, uint32_t line);

static inline uint64_t earliest(uint64_t next, uint64_t cycle, uint64_t now)
{
    return cycle > now && cycle < next ? cycle : next; /* what is due already waits for something else */
}

/* ---- l2.c ---- */
bool l2_init(struct timing_model *model);
void l2_free(struct timing_model *model);
/* A request that arrives at `cycle`, or one cycle after it was sent: its place, where only line, origin, source, entry and access are
 * missing. */
struct request *l2_request(struct sm *sm, uint64_t cycle, uint64_t sent);
void l2_cycle(struct timing_model *model);
void l2_run(struct timing_model *model, uint64_t until); /* its cycles before */
void l2_loaded(struct timing_model *model);              /* it was put into another state: finds out what is due */
void l2_settle(struct timing_model *model);              /* memory does what it does until now */
/* Without hits: when memory has answered what is not decided yet, at the earliest. */
uint64_t l2_next_answer(struct timing_model *model, uint64_t cycle);

/* Could the warp need an instruction that is not recorded yet? */
static inline bool stream_is_short(const struct stream *stream)
{
    return !stream->complete && (stream->ends_at_barrier ? stream->records == 0 : stream->records < 4);
}
static inline const struct op *model_op(const struct timing_model *model, uint32_t record)
{
    const uint32_t index = record & RECORD_INDEX;
    return &model->ops[index / OPS_CHUNK][index % OPS_CHUNK];
}

/* ---- queues ---- */
/* A place for an answer, in the order in which the L2 had them. */
static inline struct request *queue_insert(struct queue *queue, uint64_t sent)
{
    unsigned i = queue->count++;
    for (; i > 0 && queue->at[(queue->head + i - 1) % QUEUE].sent > sent; i--)
        queue->at[(queue->head + i) % QUEUE] = queue->at[(queue->head + i - 1) % QUEUE];
    return &queue->at[(queue->head + i) % QUEUE];
}
static inline struct request *queue_first(struct queue *queue)
{
    return &queue->at[queue->head % QUEUE];
}
static inline void queue_pop(struct queue *queue)
{
    queue->count--;
    queue->head = queue->count ? (queue->head + 1) % QUEUE
                               : 0; /* few places are used again and again: they stay in the host's cache */
}

/* ---- answers of the L2 ---- */
static inline uint64_t next_l1i_answer(const struct sm *sm)
{
    return sm->l1i_answers.count ? sm->l1i_answers.at[sm->l1i_answers.head].cycle : UINT64_MAX;
}

static inline uint64_t next_l1d_answer(const struct sm *sm)
{
    if (!sm->answers.count)
        return UINT64_MAX;
    const uint64_t first = sm->answers.at[sm->answers.head].cycle;
    return first > sm->next_answer ? first : sm->next_answer;
}

#endif
