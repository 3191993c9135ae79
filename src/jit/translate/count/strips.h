/* Counters per instruction of strips that are parts of warps: between the files of this folder. */
#ifndef CY_JIT_TRANSLATE_STRIPS_H
#define CY_JIT_TRANSLATE_STRIPS_H

#include "jit/translate/translator.h"

/* tally.c */
bool is_dominated(const struct translator *t, uint32_t block, uint32_t by);
void add_tally_amount(struct translator *t, uint32_t counter, LLVMValueRef amount);
void tally_block(struct translator *t, const struct block *block);
void tally_join(struct translator *t);

/* trails.c */
bool may_have_trail(const struct translator *t, uint32_t block);
bool leads_to_block(const struct translator *t, uint32_t from, uint32_t to); /* the next one */
bool may_count_edges(const struct translator *t, uint32_t block);            /* of a block on both ways from a branch */
bool is_on_trail(const struct translator *t, uint32_t block);                /* it has one */
void plan_trails(struct translator *t);                                      /* once leaders are known */
void mark_trails(struct translator *t);                                      /* once counters are */
void make_trail_allocas(struct translator *t);
void begin_trail(struct translator *t); /* a strip's */
void end_trail(struct translator *t, LLVMValueRef is_last);
/* False: it is not on the trail. */
bool trail_block(struct translator *t, uint32_t block);
bool trail_join(struct translator *t, uint32_t block);
bool trail_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest);
/* A lane of a strip that is part of a warp, alone: it is in a block; it goes from the present instruction to another one. */
void trail_block_alone(struct translator *t, uint32_t block);
bool is_reached_alone(const struct translator *t, uint32_t block);
void add_mark(struct translator *t, enum cy_jit_mark_kind kind, unsigned bit, unsigned other, uint32_t counter);

/* rounds.c */
bool open_round(struct translator *t, uint32_t number, const bool *inside);
void make_round_allocas(struct translator *t);
bool rounds_block(struct translator *t, const struct counter *counter);
bool rounds_join(struct translator *t, const struct counter *counter);
bool rounds_sides(struct translator *t, const struct counter *counter, LLVMValueRef taken, LLVMValueRef rest);
void begin_rounds(struct translator *t, LLVMValueRef is_first);
void end_rounds(struct translator *t, LLVMValueRef is_last);

/* laps.c */
bool is_only_way(const struct translator *t, uint32_t from, uint32_t to);
void find_loaded(struct translator *t);
bool depends_on_loads(const struct translator *t, uint32_t number); /* once that is found */
void find_lap_loops(struct translator *t);
bool plan_laps(struct translator *t);     /* once counters are empty */
bool give_lap_bits(struct translator *t); /* once branches are planned */
void mark_laps(struct translator *t);     /* once counters are known */
void make_lap_allocas(struct translator *t);
bool lap_block(struct translator *t, uint32_t block); /* false: it is not in such a loop */
bool lap_join(struct translator *t, uint32_t block);
bool lap_sides(struct translator *t, uint32_t block, LLVMValueRef taken, LLVMValueRef rest);
void end_laps(struct translator *t, LLVMValueRef is_last);

/* turns.c */
LLVMValueRef log_field(struct translator *t, size_t log, size_t offset);
LLVMValueRef log_words(struct translator *t, size_t log);
LLVMBasicBlockRef add_to_log(struct translator *t, size_t log, LLVMValueRef index, LLVMValueRef bits);
LLVMBasicBlockRef lengthen_log(struct translator *t, size_t log, LLVMValueRef index);
LLVMValueRef words_used(struct translator *t, size_t log, LLVMValueRef length);
void plan_turns(struct translator *t);
bool has_room_for_turns(const struct translator *t);
void make_turn_allocas(struct translator *t);
void turns_block(struct translator *t, uint32_t block);

/* paths.c */
bool is_on_path(const struct translator *t, uint32_t block);
bool plan_paths(struct translator *t, const struct inst *branch, const bool *region);
void mark_paths(struct translator *t);
void make_path_allocas(struct translator *t);
void begin_paths(struct translator *t);
void path_block(struct translator *t, uint32_t block);
void path_edge(struct translator *t, uint32_t number);
void end_paths(struct translator *t);

/* chains.c */
void find_chains(struct translator *t);
bool is_in_chain(const struct translator *t, uint32_t block);
uint32_t chain_leader(const struct translator *t, uint32_t block);
void make_chain_allocas(struct translator *t);
void begin_chain_strip(struct translator *t);
void chain_block(struct translator *t, uint32_t block);
void end_chains(struct translator *t, LLVMValueRef is_last);

#endif
