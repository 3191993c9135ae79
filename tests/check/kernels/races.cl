// Data races in global and local memory.

//! wrong write_write 8/8 buffer:i32:1 -> data-race
//! right write_by_one 8/8 buffer:i32:1
kernel void write_write(global int *p) { *p = get_global_id(0); }
kernel void write_by_one(global int *p) { if (get_global_id(0) == 0) *p = 1; }

//! wrong read_and_write 8/8 buffer:i32:8=iota -> data-race
//! right read_then_write 8/8 buffer:i32:8=iota
kernel void read_and_write(global int *p) { int i = get_global_id(0); p[i] = p[(i + 1) % 8]; }
kernel void read_then_write(global int *p) { int i = get_global_id(0), v = p[(i + 1) % 8]; barrier(CLK_GLOBAL_MEM_FENCE); p[i] = v; }

//! wrong wrong_fence 8/8 buffer:i32:8=iota -> data-race
//! right right_fence 8/8 buffer:i32:8=iota
kernel void wrong_fence(global int *p) { int i = get_global_id(0), v = p[(i + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE); p[i] = v; }
kernel void right_fence(global int *p) { int i = get_global_id(0), v = p[(i + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); p[i] = v; }

//! wrong local_wrong_fence 8/8 buffer:i32:8 local:32 -> data-race
//! right local_right_fence 8/8 buffer:i32:8 local:32
kernel void local_wrong_fence(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; barrier(CLK_GLOBAL_MEM_FENCE); p[i] = t[7 - i]; }
kernel void local_right_fence(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; barrier(CLK_LOCAL_MEM_FENCE); p[i] = t[7 - i]; }

//! wrong between_groups 8/2 buffer:i32:4 -> data-race
//! right by_group 8/2 buffer:i32:4
kernel void between_groups(global int *p) { p[get_global_id(0) % 4] = get_global_id(0); }
kernel void by_group(global int *p) { if (get_local_id(0) == 0) p[get_group_id(0)] = get_global_id(0); }

//! wrong barrier_between_groups 8/2 buffer:i32:8=iota -> data-race
//! right barrier_in_group 8/2 buffer:i32:8=iota
kernel void barrier_between_groups(global int *p) { int i = get_global_id(0), v = p[(i + 2) % 8]; barrier(CLK_GLOBAL_MEM_FENCE); p[i] = v; }
kernel void barrier_in_group(global int *p) { int i = get_global_id(0), v = p[i ^ 1]; barrier(CLK_GLOBAL_MEM_FENCE); p[i] = v; }

//! wrong neighbour_group 8/4 buffer:i32:8=iota buffer:i32:8 -> data-race
//! right own_group 8/4 buffer:i32:8=iota buffer:i32:8
kernel void neighbour_group(global int *p, global int *out) { int i = get_global_id(0); out[i] = p[7 - i]; p[i] = i; }
kernel void own_group(global int *p, global int *out) { int i = get_global_id(0); out[i] = p[i]; p[i] = i; }

//! wrong increment 16/4 buffer:i32:1=zeros -> data-race
//! right increment_atomic 16/4 buffer:i32:1=zeros
kernel void increment(global int *p) { (*p)++; }
kernel void increment_atomic(global int *p) { atomic_inc(p); }

//! wrong atomic_and_plain 16/4 buffer:i32:1=zeros buffer:i32:16 -> data-race
//! right atomic_only 16/4 buffer:i32:1=zeros buffer:i32:16
kernel void atomic_and_plain(global int *p, global int *out) { atomic_inc(p); out[get_global_id(0)] = *p; }
kernel void atomic_only(global int *p, global int *out) { out[get_global_id(0)] = atomic_inc(p); }

//! wrong plain_write_and_atomic 16/16 buffer:i32:1=zeros -> data-race
//! right init_then_atomic 16/16 buffer:i32:1=zeros
kernel void plain_write_and_atomic(global int *p) { if (get_local_id(0) == 0) *p = 5; atomic_inc(p); }
kernel void init_then_atomic(global int *p) { if (get_local_id(0) == 0) *p = 5; barrier(CLK_GLOBAL_MEM_FENCE); atomic_inc(p); }

//! wrong histogram 32/8 buffer:i32:32=iota buffer:i32:4=zeros -> data-race
//! right histogram_atomic 32/8 buffer:i32:32=iota buffer:i32:4=zeros
kernel void histogram(global const int *in, global int *bins) { bins[in[get_global_id(0)] % 4]++; }
kernel void histogram_atomic(global const int *in, global int *bins) { atomic_inc(&bins[in[get_global_id(0)] % 4]); }

//! wrong overlap_bytes 8/4 buffer:u8:9 -> data-race
//! right neighbour_bytes 8/4 buffer:u8:9
kernel void overlap_bytes(global uchar *p) { int i = get_global_id(0); p[i] = i; p[i + 1] = i; }
kernel void neighbour_bytes(global uchar *p) { p[get_global_id(0)] = get_global_id(0); }

//! wrong overlap_vector 4/2 buffer:i32:8 -> data-race
//! right vectors_apart 4/2 buffer:i32:8
kernel void overlap_vector(global int *p) { int i = get_global_id(0); vstore2((int2)(i, i), 0, p + i); }
kernel void vectors_apart(global int *p) { int i = get_global_id(0); vstore2((int2)(i, i), i, p); }

//! wrong scan_without_barrier 8/8 buffer:i32:8=ones -> data-race
//! right scan_with_barriers 8/8 buffer:i32:8=ones
kernel void scan_without_barrier(global int *p) { int i = get_local_id(0); for (int d = 1; d < 8; d *= 2) if (i >= d) p[i] += p[i - d]; }
kernel void scan_with_barriers(global int *p) { int i = get_local_id(0); for (int d = 1; d < 8; d *= 2) { int v = i >= d ? p[i - d] : 0; barrier(CLK_GLOBAL_MEM_FENCE); p[i] += v; barrier(CLK_GLOBAL_MEM_FENCE); } }

//! wrong reduce_global 8/8 buffer:i32:8=ones -> data-race
//! right reduce_global_barrier 8/8 buffer:i32:8=ones
kernel void reduce_global(global int *p) { int i = get_local_id(0); for (int d = 4; d; d /= 2) if (i < d) p[i] += p[i + d]; }
kernel void reduce_global_barrier(global int *p) { int i = get_local_id(0); for (int d = 4; d; d /= 2) { barrier(CLK_GLOBAL_MEM_FENCE); if (i < d) p[i] += p[i + d]; } }

//! wrong swap_ends 8/8 buffer:i32:8=iota -> data-race
//! right swap_half 8/8 buffer:i32:8=iota
kernel void swap_ends(global int *p) { int i = get_global_id(0), v = p[7 - i]; p[7 - i] = p[i]; p[i] = v; }
kernel void swap_half(global int *p) { int i = get_global_id(0); if (i < 4) { int v = p[7 - i]; p[7 - i] = p[i]; p[i] = v; } }

//! wrong reader_of_other_group 32/8 buffer:i32:4 buffer:i32:4 -> data-race
//! right reader_of_own_group 32/8 buffer:i32:4 buffer:i32:4
kernel void reader_of_other_group(global int *p, global int *out) { int g = get_group_id(0); if (get_local_id(0) == 0) { p[g] = g; out[g] = p[3 - g]; } }
kernel void reader_of_own_group(global int *p, global int *out) { int g = get_group_id(0); if (get_local_id(0) == 0) { p[g] = g; out[g] = p[g]; } }

//! wrong in_loop_race 4/4 buffer:i32:8=zeros -> data-race
//! right in_loop_own 4/4 buffer:i32:8=zeros
kernel void in_loop_race(global int *p) { int i = get_global_id(0); for (int k = 0; k < 2; k++) p[i + k] += i; }
kernel void in_loop_own(global int *p) { int i = get_global_id(0); for (int k = 0; k < 2; k++) p[2 * i + k] += i; }

//! wrong hidden_by_order 4/2 buffer:i32:4=zeros -> data-race
//! right not_hidden 4/2 buffer:i32:4=zeros
kernel void hidden_by_order(global int *p) { int i = get_global_id(0); if (i == 3) p[0] = 1; if (i == 0) p[1] = p[0]; }
kernel void not_hidden(global int *p) { int i = get_global_id(0); if (i == 3) p[0] = 1; if (i == 0) p[1] = p[2]; }

//! wrong many_readers 8/4 buffer:i32:1=7 buffer:i32:8 -> data-race
//! right only_readers 8/4 buffer:i32:1=7 buffer:i32:8
kernel void many_readers(global int *p, global int *out) { int i = get_global_id(0); out[i] = *p; if (i == 7) *p = 3; }
kernel void only_readers(global int *p, global int *out) { int i = get_global_id(0); out[i] = *p; }

//! wrong local_write_write 8/8 buffer:i32:8 -> data-race
//! right local_write_by_one 8/8 buffer:i32:8
kernel void local_write_write(global int *p) { local int t; t = get_local_id(0); barrier(1); p[get_local_id(0)] = t; }
kernel void local_write_by_one(global int *p) { local int t; if (get_local_id(0) == 3) t = 5; barrier(1); p[get_local_id(0)] = t; }

//! wrong local_read_write 8/8 buffer:i32:8 local:32 -> data-race
//! right local_read_after_barrier 8/8 buffer:i32:8 local:32
kernel void local_read_write(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; p[i] = t[(i + 1) % 8]; }
kernel void local_read_after_barrier(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; barrier(1); p[i] = t[(i + 1) % 8]; }

//! wrong local_second_barrier 8/8 buffer:i32:8 local:32 -> data-race
//! right local_two_barriers 8/8 buffer:i32:8 local:32
kernel void local_second_barrier(global int *p, local int *t) { int i = get_local_id(0), s = 0; for (int k = 0; k < 3; k++) { t[i] = i * k; barrier(1); s += t[7 - i]; } p[i] = s; }
kernel void local_two_barriers(global int *p, local int *t) { int i = get_local_id(0), s = 0; for (int k = 0; k < 3; k++) { t[i] = i * k; barrier(1); s += t[7 - i]; barrier(1); } p[i] = s; }

//! wrong local_reduce 64/64 buffer:i32:64=ones buffer:i32:1 local:256 -> data-race
//! right local_reduce_barriers 64/64 buffer:i32:64=ones buffer:i32:1 local:256
kernel void local_reduce(global const int *in, global int *out, local int *t) { int i = get_local_id(0); t[i] = in[i]; barrier(1); for (int d = 32; d; d /= 2) if (i < d) t[i] += t[i + d]; if (!i) *out = t[0]; }
kernel void local_reduce_barriers(global const int *in, global int *out, local int *t) { int i = get_local_id(0); t[i] = in[i]; barrier(1); for (int d = 32; d; d /= 2) { if (i < d) t[i] += t[i + d]; barrier(1); } if (!i) *out = t[0]; }

//! wrong local_two_warps 64/64 buffer:i32:64 local:256 -> data-race
//! right local_two_warps_barrier 64/64 buffer:i32:64 local:256
kernel void local_two_warps(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; p[i] = t[63 - i]; }
kernel void local_two_warps_barrier(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; barrier(1); p[i] = t[63 - i]; }

//! wrong local_bytes 8/8 buffer:u8:8 local:16 -> data-race
//! right local_bytes_own 8/8 buffer:u8:8 local:16
kernel void local_bytes(global uchar *p, local uchar *t) { int i = get_local_id(0); t[i] = i; t[i + 1] = i; barrier(1); p[i] = t[i]; }
kernel void local_bytes_own(global uchar *p, local uchar *t) { int i = get_local_id(0); t[i] = i; barrier(1); p[i] = t[i]; }

//! wrong local_counter 8/8 buffer:i32:1 -> data-race
//! right local_counter_atomic 8/8 buffer:i32:1
kernel void local_counter(global int *p) { local int n; if (get_local_id(0) == 0) n = 0; barrier(1); n++; barrier(1); if (get_local_id(0) == 0) *p = n; }
kernel void local_counter_atomic(global int *p) { local int n; if (get_local_id(0) == 0) n = 0; barrier(1); atomic_inc(&n); barrier(1); if (get_local_id(0) == 0) *p = n; }

//! wrong tile_not_loaded 16/16 buffer:i32:16=iota buffer:i32:16 local:64 -> data-race
//! right tile_loaded 16/16 buffer:i32:16=iota buffer:i32:16 local:64
kernel void tile_not_loaded(global const int *in, global int *out, local int *t) { int i = get_local_id(0); t[i] = in[i]; int s = 0; for (int k = 0; k < 16; k++) s += t[k]; out[i] = s; }
kernel void tile_loaded(global const int *in, global int *out, local int *t) { int i = get_local_id(0); t[i] = in[i]; barrier(1); int s = 0; for (int k = 0; k < 16; k++) s += t[k]; out[i] = s; }

//! wrong same_value 8/4 buffer:i32:1 -> data-race-same-value
//! right one_value 8/4 buffer:i32:8
kernel void same_value(global int *p) { *p = 42; }
kernel void one_value(global int *p) { p[get_global_id(0)] = 42; }

//! wrong broadcast 8/8 buffer:i32:8 -> data-race
//! right broadcast_barrier 8/8 buffer:i32:8
kernel void broadcast(global int *p) { local int t; if (get_local_id(0) == 0) t = 9; p[get_local_id(0)] = t; }
kernel void broadcast_barrier(global int *p) { local int t; if (get_local_id(0) == 0) t = 9; barrier(1); p[get_local_id(0)] = t; }
