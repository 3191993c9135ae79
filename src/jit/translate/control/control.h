/* The function that runs a workgroup, and the ways through it.
 *
 *     phases.c   the function around the blocks: strips, phases between barriers
 *     frame.c    its frame, calls of helpers
 *     lower.c    one instruction, and the edges between blocks
 *     diverge.c  vector branches, joins
 *     flat.c     short branches whose sides are executed for all lanes
 *     lanes.c    divergent regions whose lanes run one after the other
 *     tags.c     loops that do although their lanes exchange values
 *     interpret.c  instructions that are left to the interpreter */
#ifndef CY_JIT_TRANSLATE_CONTROL_H
#define CY_JIT_TRANSLATE_CONTROL_H

#include "jit/abi.h"
#include "jit/translate/code/code.h"
#include "jit/translate/values/values.h"

struct numbers;

/* Lanes that wait at `target` until the others reach the join at `join`. */
struct pending {
    uint32_t join, target;
    LLVMValueRef mask;
};

/* Of a join whose lanes wait apart from each other (diverge.c). */
struct stack {
    bool is_needed;
    LLVMValueRef depth, lanes, places; /* allocas: entries; bits of each; rows of t->pendings, where they wait */
};

/* A position in the translated code: a block in one of its versions.  FULL: every lane of the strip is active.  MASKED:
 * those of t->mask.  ALONE: only t->lane, and every value is uniform. */
enum version { FULL, MASKED, ALONE, VERSIONS };
struct node {
    bool reached, queued;
    uint64_t *open; /* MASKED, ALONE: where the other lanes may be (diverge.c); NULL: nowhere */
    struct state *in;
    LLVMBasicBlockRef block;
};

#define MAX_PHASES 96
struct phase {      /* from the start or a barrier to the next ones */
    uint32_t entry; /* instruction */
    bool reached, can_end;
    struct state *in;
    struct regs changed; /* registers that its code may change */
    LLVMBasicBlockRef begin, strip_end;
    bool outcomes[MAX_PHASES]; /* phases that may come next */
};

/* A branch from which lanes go on one by one, and where they return to. */
struct detour {
    uint32_t join;
    LLVMBasicBlockRef back;
    LLVMBasicBlockRef together; /* where its lane and those that follow go on in lockstep; NULL: they never do */
};

/* A word of the frame, the metadata or the arguments, loaded when the function begins. */
struct early {
    uint8_t from; /* enum pointer; NO_POINTER: the frame */
    uint8_t size;
    bool zero_extend;
    uint32_t offset;
    LLVMValueRef value;
};

/* frame.c */
#define RARE_CALL "chengying.rare" /* metadata of calls of such helpers */
/* Of LLVM's calling conventions, for functions that are rarely called: the first keeps 128 bits of vectors at most, the second half of SVE's. */
enum { PRESERVE_ALL = 15, PRESERVE_VECTORS = 98 };
void mark(struct translator *t, LLVMValueRef instruction, const char *name); /* by metadata of this name */
void mark_invariant(struct translator *t, LLVMValueRef load);
LLVMValueRef at_offset(struct translator *t, LLVMValueRef pointer, int64_t offset);
/* The lanes of a vector as numbers: those that a group's accesses of a block have in common are taken once; NONE: no group's. */
struct numbers *numbers_of(struct translator *t, uint32_t group, LLVMValueRef vector);
bool takes_lanes_by_memory(const struct translator *t);
LLVMValueRef number_of_lane(struct translator *t, struct numbers *numbers, unsigned lane);
LLVMValueRef host_pointer(struct translator *t, LLVMValueRef address);      /* of a guest address of 32 bits */
struct early *early_word(struct translator *t, const struct early *wanted); /* the same one whenever it is asked for */
/* Weights of a conditional branch: its first way is the rare one, or the second. */
void make_rare(struct translator *t, LLVMValueRef conditional, bool first);
LLVMValueRef frame_word(struct translator *t, size_t offset);
LLVMValueRef call_helper(struct translator *t, size_t offset, LLVMTypeRef result, LLVMValueRef *args, unsigned count);
LLVMValueRef lane_word(struct translator *t, LLVMValueRef row, LLVMValueRef lane); /* a pointer to the lane's word */
LLVMValueRef call_rare_helper(struct translator *t, size_t offset, LLVMValueRef *args, unsigned count);
/* The value, which LLVM's strength reduction takes for another one: of what only rare blocks compute from it, it would keep a sum of its own
 * all the way through the loop, on the stack in the end.  Stores there are not free: between rows that miss the cache, some
 * processors wait for one after the other. */
LLVMValueRef hidden(struct translator *t, LLVMValueRef value);
uint32_t strips_of_row(const struct translator *t);
LLVMValueRef row_number(struct translator *t, LLVMValueRef strip);  /* of the row that the strip is in */
LLVMValueRef item_in_row(struct translator *t, LLVMValueRef strip); /* the strip's first work-item there */
LLVMValueRef first_item(struct translator *t, LLVMValueRef strip);
unsigned item_align(const struct translator *t); /* strips' first work-items are multiples of 2 to the power of this */
uint32_t last_item(const struct translator *t);  /* the last strip's first work-item */
LLVMValueRef rare_item(struct translator *t);    /* the strip's first work-item, for a rare block */
void stop_if(struct translator *t, LLVMValueRef word); /* leaves the function when it is not 0 */
void trap(struct translator *t, uint32_t access, enum cy_jit_trap kind, LLVMValueRef mask);

/* diverge.c */
bool lower_vector_branch(struct translator *t, struct inst *inst);
bool lower_join(struct translator *t, struct inst *inst);
void choose_first_sides(struct translator *t);
bool meets_as_interpreted(struct translator *t);
/* Of the branch's lanes, those of these bits are active, and the others wait at its join. */
void part_lanes(struct translator *t, const struct inst *inst, LLVMValueRef bits);
void make_masks(struct translator *t);
/* Sets of places where lanes may be that are not active: t->open, those of nodes. */
void make_open(struct translator *t);
void open_as_in(struct translator *t, const struct node *node);
bool merge_open(struct translator *t, struct node *node); /* true: it has grown */
void add_partial(struct translator *t, struct node *node);
void clear_unopened(struct translator *t, const struct node *node);
LLVMValueRef mask_of(struct translator *t, LLVMValueRef bits);
unsigned join_index(const struct translator *t, uint32_t join);

/* flat.c */
/* Is everything between the vector branch and its join executed for all lanes? */
bool is_flat(const struct translator *t, const struct inst *inst);
void add_flat_changes(const struct translator *t, const struct inst *branch, struct regs *changed);
bool lower_flat(struct translator *t, struct inst *branch, struct value condition);

/* lanes.c */
bool has_neighbours_alone(const struct translator *t);
bool is_better_by_item(const struct translator *t);
bool is_better_doubled(const struct translator *t);
bool gathers_much(const struct translator *t);
bool choose_detours(struct translator *t); /* true: there are some */
void make_lane_allocas(struct translator *t, const struct regs *used);
/* Those of the branch's lanes that are not at its join. */
LLVMValueRef lanes_going(struct translator *t, const struct inst *inst, LLVMValueRef taken, LLVMValueRef rest);
/* The branch's lanes go on alone and return in the present version at its join. */
void lanes_alone(struct translator *t, struct inst *inst, LLVMValueRef taken, LLVMValueRef rest);
void join_alone(struct translator *t, struct inst *inst);
void lane_gives_up(struct translator *t, uint32_t join); /* it goes on in lockstep with those that follow it */
LLVMValueRef lane_number(struct translator *t);          /* of the strip */

/* tags.c */
bool find_tagged_loops(struct translator *t); /* true: there are some */
/* False: lanes go through the loop that begins here in lockstep, or none begins. */
bool enter_tagged_loop(struct translator *t, uint32_t number);
void check_tag(struct translator *t, const struct inst *inst); /* of a lane alone, before it is added */

/* interpret.c */
/* Finds instructions that have no translation and can be interpreted one by one. */
void leave_to_interpreter(struct translator *t);
void keep_what_others_see(struct translator *t);
void lower_interpreted(struct translator *t, struct inst *inst);

/* lower.c */
bool lower(struct translator *t, struct inst *inst);
/* Continues at an instruction in a version: returns the block to branch to (NULL when not emitting). */
LLVMBasicBlockRef way_to(struct translator *t, enum version version, uint32_t inst);
void go_to(struct translator *t, enum version version, uint32_t inst);
/* Registers that lanes need there, including those that wait elsewhere. */
struct regs needed_at(const struct translator *t, enum version version, uint32_t inst);
bool is_equal_class(const struct class *a, const struct class *b);
struct class merged_class(const struct class *a, const struct class *b, bool meeting);
bool merge_states(struct translator *t, struct state **into, const struct state *from, const struct regs *live,
                  bool meeting);
void unblend(struct state *state);
void work_on(struct translator *t, uint32_t node);
void branch(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise);
LLVMBasicBlockRef new_block(struct translator *t, const char *name);
/* Strips may diverge here, up to `end` (NONE: for good). */
void strips_vary(struct translator *t, uint32_t from, uint32_t end);

/* phases.c */
LLVMValueRef in_record(struct translator *t, uint32_t offset);
void save_value(struct translator *t, struct value value, const struct class *as, LLVMValueRef shared, uint32_t place);
LLVMValueRef saved_value(struct translator *t, const struct class *as, LLVMValueRef shared, uint32_t place);
/* A function for a workgroup, and the one that calls it for each. */
LLVMValueRef open_body(struct translator *t, const char *name, LLVMBasicBlockRef *entry, LLVMBasicBlockRef *begin);
void make_entry(struct translator *t, LLVMValueRef any, LLVMValueRef whole);
bool build_function(struct translator *t);
void add_enum_attribute(struct translator *t, LLVMValueRef function, LLVMAttributeIndex index, const char *name);
bool lower_barrier(struct translator *t, struct inst *inst);
bool lower_end(struct translator *t, struct inst *inst);
void set_body_attributes(struct translator *t, LLVMValueRef function);

#endif
