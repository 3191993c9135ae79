//! options -cl-std=CL3.0
// Kernels as applications have them: tiles, trees, filters, sorts, queues, each with one slip.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define N 16

// ---- tiles ----

//! wrong tile_halo_corner 16,16/8,8 buffer:f32:256=iota buffer:f32:256 -> uninitialised-store
//! right tile_halo_whole 16,16/8,8 buffer:f32:256=iota buffer:f32:256
int at(int x, int y) { return clamp(y, 0, N - 1) * N + clamp(x, 0, N - 1); }
void load_halo(local float (*t)[10], global const float *in, bool corners)
{
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    t[ly + 1][lx + 1] = in[at(x, y)];
    if (lx == 0) t[ly + 1][0] = in[at(x - 1, y)];
    if (lx == 7) t[ly + 1][9] = in[at(x + 1, y)];
    if (ly == 0) t[0][lx + 1] = in[at(x, y - 1)];
    if (ly == 7) t[9][lx + 1] = in[at(x, y + 1)];
    if (corners && (lx == 0 || lx == 7) && (ly == 0 || ly == 7))
        t[ly ? 9 : 0][lx ? 9 : 0] = in[at(lx ? x + 1 : x - 1, ly ? y + 1 : y - 1)];
}
float box(local float (*t)[10])
{
    float sum = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += t[get_local_id(1) + dy][get_local_id(0) + dx];
    return sum / 9;
}
kernel void tile_halo_corner(global const float *in, global float *out)
{
    local float t[10][10];
    load_halo(t, in, false);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * N + get_global_id(0)] = box(t);
}
kernel void tile_halo_whole(global const float *in, global float *out)
{
    local float t[10][10];
    load_halo(t, in, true);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * N + get_global_id(0)] = box(t);
}

//! wrong matmul_one_barrier 16,16/8,8 buffer:f32:256=iota buffer:f32:256=iota buffer:f32:256 -> data-race
//! right matmul_two_barriers 16,16/8,8 buffer:f32:256=iota buffer:f32:256=iota buffer:f32:256
kernel void matmul_one_barrier(global const float *a, global const float *b, global float *c)
{
    local float ta[8][8], tb[8][8];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < N; t += 8) {
        ta[ly][lx] = a[y * N + t + lx];
        tb[ly][lx] = b[(t + ly) * N + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += ta[ly][k] * tb[k][lx];
    }
    c[y * N + x] = sum;
}
kernel void matmul_two_barriers(global const float *a, global const float *b, global float *c)
{
    local float ta[8][8], tb[8][8];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < N; t += 8) {
        ta[ly][lx] = a[y * N + t + lx];
        tb[ly][lx] = b[(t + ly) * N + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * N + x] = sum;
}

//! wrong matmul_ragged 12,12/8,4 buffer:f32:100=iota buffer:f32:100 i32:10 -> out-of-bounds
//! right matmul_ragged_guarded 12,12/4,4 buffer:f32:100=iota buffer:f32:100 i32:10
kernel void matmul_ragged(global const float *a, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * a[k * n + x];
    if (x < n)
        c[y * n + x] = sum;
}
kernel void matmul_ragged_guarded(global const float *a, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * a[k * n + x];
    c[y * n + x] = sum;
}

//! wrong transpose_padded_index 8,8/8,8 buffer:i32:64=iota buffer:i32:64 -> uninitialised-store|data-race|array-index
//! right transpose_padded 8,8/8,8 buffer:i32:64=iota buffer:i32:64
kernel void transpose_padded_index(global const int *in, global int *out)
{
    local int t[8 * 9];
    int lx = get_local_id(0), ly = get_local_id(1);
    t[ly * 9 + lx] = in[ly * 8 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[ly * 8 + lx] = t[lx * 9 + ly + 1];
}
kernel void transpose_padded(global const int *in, global int *out)
{
    local int t[8 * 9];
    int lx = get_local_id(0), ly = get_local_id(1);
    t[ly * 9 + lx] = in[ly * 8 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[ly * 8 + lx] = t[lx * 9 + ly];
}

// ---- reductions and scans ----

//! wrong reduce_odd_size 48/48 buffer:i32:48=ones buffer:i32:1 -> out-of-bounds|array-index|uninitialised-store|data-race
//! right reduce_any_size 48/48 buffer:i32:48=ones buffer:i32:1
kernel void reduce_odd_size(global const int *in, global int *out)
{
    local int s[48];
    int i = get_local_id(0);
    s[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 32; step; step >>= 1) {
        if (i < step) s[i] += s[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) *out = s[0];
}
kernel void reduce_any_size(global const int *in, global int *out)
{
    local int s[48];
    int i = get_local_id(0);
    s[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 32; step; step >>= 1) {
        if (i < step && i + step < 48) s[i] += s[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) *out = s[0];
}

//! wrong reduce_unrolled_tail 64/64 buffer:i32:64=ones buffer:i32:1 -> data-race
//! right reduce_unrolled_barriers 64/64 buffer:i32:64=ones buffer:i32:1
kernel void reduce_unrolled_tail(global const int *in, global int *out)
{
    local volatile int s[64];
    int i = get_local_id(0);
    s[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 32) {
        s[i] += s[i + 32];
        s[i] += s[i + 16];
        s[i] += s[i + 8];
        s[i] += s[i + 4];
        s[i] += s[i + 2];
        s[i] += s[i + 1];
    }
    if (i == 0) *out = s[0];
}
kernel void reduce_unrolled_barriers(global const int *in, global int *out)
{
    local int s[64];
    int i = get_local_id(0);
    s[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int step = 32; step; step /= 2) {
        int sum = i < step ? s[i] + s[i + step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step) s[i] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) *out = s[0];
}

//! wrong scan_ping_pong_same 32/32 buffer:i32:32=ones buffer:i32:32 -> data-race
//! right scan_ping_pong 32/32 buffer:i32:32=ones buffer:i32:32
kernel void scan_ping_pong_same(global const int *in, global int *out)
{
    local int s[2][32];
    int i = get_local_id(0), from = 0;
    s[0][i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 32; step *= 2) {
        s[from][i] = i >= step ? s[from][i] + s[from][i - step] : s[from][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s[from][i];
}
kernel void scan_ping_pong(global const int *in, global int *out)
{
    local int s[2][32];
    int i = get_local_id(0), from = 0;
    s[0][i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 32; step *= 2) {
        s[1 - from][i] = i >= step ? s[from][i] + s[from][i - step] : s[from][i];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s[from][i];
}

//! wrong scan_exclusive_first 64/32 buffer:i32:64=ones buffer:i32:64 -> out-of-bounds|array-index
//! right scan_exclusive 64/32 buffer:i32:64=ones buffer:i32:64
kernel void scan_exclusive_first(global const int *in, global int *out)
{
    local int s[32];
    int i = get_local_id(0);
    s[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[i - 1] + s[i];
}
kernel void scan_exclusive(global const int *in, global int *out)
{
    local int s[32];
    int i = get_local_id(0);
    s[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = (i ? s[i - 1] : 0) + s[i];
}

//! wrong group_sums_read_early 64/16 buffer:i32:64=ones buffer:i32:4 buffer:i32:64 -> data-race
//! right group_sums_apart 64/16 buffer:i32:64=ones buffer:i32:4 buffer:i32:64
kernel void group_sums_read_early(global const int *in, global int *sums, global int *out)
{
    int sum = work_group_reduce_add(in[get_global_id(0)]), base = 0;
    if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < get_group_id(0); k++) base += sums[k];
    out[get_global_id(0)] = base;
}
kernel void group_sums_apart(global const int *in, global int *sums, global int *out)
{
    int sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = sums[get_group_id(0)];
}

// ---- histograms, queues, hash tables ----

//! wrong histogram_merge_plain 64/32 buffer:i32:64=iota buffer:i32:8=zeros -> data-race
//! right histogram_merge_atomic 64/32 buffer:i32:64=iota buffer:i32:8=zeros
kernel void histogram_merge_plain(global const int *in, global int *out)
{
    local int bins[8];
    int i = get_local_id(0);
    if (i < 8) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8) out[i] += bins[i];
}
kernel void histogram_merge_atomic(global const int *in, global int *out)
{
    local int bins[8];
    int i = get_local_id(0);
    if (i < 8) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8) atomic_add(&out[i], bins[i]);
}

//! wrong histogram_cleared_late 64/64 buffer:i32:64=iota buffer:i32:8 -> data-race|uninitialised-store
//! right histogram_cleared 64/64 buffer:i32:64=iota buffer:i32:8
kernel void histogram_cleared_late(global const int *in, global int *out)
{
    local int bins[8];
    int i = get_local_id(0);
    if (i < 8) bins[i] = 0;
    atomic_inc(&bins[in[i] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8) out[i] = bins[i];
}
kernel void histogram_cleared(global const int *in, global int *out)
{
    local int bins[8];
    int i = get_local_id(0);
    if (i < 8) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[i] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8) out[i] = bins[i];
}

//! wrong histogram_of_bytes 32/32 buffer:u8:32=200 buffer:i32:128=zeros -> out-of-bounds
//! right histogram_of_seven_bits 32/32 buffer:u8:32=100 buffer:i32:128=zeros
kernel void histogram_of_bytes(global const uchar *in, global int *bins) { atomic_inc(bins + in[get_global_id(0)]); }
kernel void histogram_of_seven_bits(global const uchar *in, global int *bins) { atomic_inc(bins + in[get_global_id(0)]); }

//! wrong append_past 32/8 buffer:i32:1=zeros buffer:i32:16 -> out-of-bounds
//! right append_limited 32/8 buffer:i32:1=zeros buffer:i32:16
kernel void append_past(global int *count, global int *list) { if (get_global_id(0) % 3 != 1) list[atomic_inc(count)] = get_global_id(0); }
kernel void append_limited(global int *count, global int *list)
{
    if (get_global_id(0) % 3 != 1) {
        int slot = atomic_inc(count);
        if (slot < 16) list[slot] = get_global_id(0);
    }
}

//! wrong hash_insert_plain 16/8 buffer:i32:16=iota buffer:i32:32=-1 buffer:i32:32=zeros -> data-race
//! right hash_insert_cas 16/8 buffer:i32:16=iota buffer:i32:32=-1 buffer:i32:32=zeros
kernel void hash_insert_plain(global const int *keys, global int *table, global int *values)
{
    int key = keys[get_global_id(0)];
    uint slot = (uint)key * 7 % 8;
    while (table[slot] != -1) slot = (slot + 1) % 32;
    table[slot] = key;
    values[slot] = key;
}
kernel void hash_insert_cas(global const int *keys, global int *table, global int *values)
{
    int key = keys[get_global_id(0)];
    uint slot = (uint)key * 7 % 8;
    while (atomic_cmpxchg(&table[slot], -1, key) != -1) slot = (slot + 1) % 32;
    values[slot] = key;
}

//! wrong hash_probe_wraps 8/8 buffer:i32:8=40 buffer:i32:8=ones buffer:i32:8 -> out-of-bounds
//! right hash_probe_masked 8/8 buffer:i32:8=40 buffer:i32:8=ones buffer:i32:8
kernel void hash_probe_wraps(global const int *keys, global const int *table, global int *out)
{
    int slot = keys[get_global_id(0)] % 8 + get_global_id(0), steps = 0;
    while (table[slot] != 2 && steps < 2) { slot++; steps++; }
    out[get_global_id(0)] = slot;
}
kernel void hash_probe_masked(global const int *keys, global const int *table, global int *out)
{
    int slot = keys[get_global_id(0)] % 8 + get_global_id(0), steps = 0;
    while (table[slot & 7] != 2 && steps < 2) { slot++; steps++; }
    out[get_global_id(0)] = slot;
}

//! wrong bfs_frontier 16/8 buffer:i32:16=iota buffer:i32:16=zeros buffer:i32:1=zeros -> data-race|data-race-same-value
//! right bfs_frontier_atomic 16/8 buffer:i32:16=iota buffer:i32:16=zeros buffer:i32:1=zeros
kernel void bfs_frontier(global const int *edge, global int *cost, global int *again)
{
    int i = get_global_id(0), to = edge[i] / 2;
    if (!cost[to]) { cost[to] = i + 1; *again = 1; }
}
kernel void bfs_frontier_atomic(global const int *edge, global int *cost, global int *again)
{
    int i = get_global_id(0), to = edge[i] / 2;
    if (atomic_cmpxchg(&cost[to], 0, i + 1) == 0) atomic_xchg(again, 1);
}

// ---- sorts ----

//! wrong bitonic_no_barrier_inside 32/32 buffer:i32:32=iota -> data-race
//! right bitonic_sorted 32/32 buffer:i32:32=iota
void exchange(local int *s, int i, int j, bool up) { if ((s[i] > s[j]) == up) { int t = s[i]; s[i] = s[j]; s[j] = t; } }
kernel void bitonic_no_barrier_inside(global int *io)
{
    local int s[32];
    int i = get_local_id(0);
    s[i] = io[31 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 32; k *= 2) {
        for (int j = k / 2; j; j /= 2)
            if ((i ^ j) > i) exchange(s, i, i ^ j, !(i & k));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    io[i] = s[i];
}
kernel void bitonic_sorted(global int *io)
{
    local int s[32];
    int i = get_local_id(0);
    s[i] = io[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            if ((i ^ j) > i) exchange(s, i, i ^ j, !(i & k));
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    io[i] = s[i];
}

//! wrong radix_offset 32/32 buffer:i32:32=iota buffer:i32:32 -> out-of-bounds
//! right radix_split 32/32 buffer:i32:32=iota buffer:i32:32
kernel void radix_offset(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], bit = v & 1;
    int before = work_group_scan_inclusive_add(bit), zeros = work_group_reduce_add(1 - bit);
    out[bit ? zeros + before : (int)get_local_id(0) - before] = v;
}
kernel void radix_split(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], bit = v & 1;
    int before = work_group_scan_exclusive_add(bit), zeros = work_group_reduce_add(1 - bit);
    out[bit ? zeros + before : (int)get_local_id(0) - before] = v;
}

//! wrong merge_reads_past 8/8 buffer:i32:8=iota buffer:i32:8=iota buffer:i32:16 -> out-of-bounds
//! right merge_within 8/8 buffer:i32:8=iota buffer:i32:8=iota buffer:i32:16
kernel void merge_reads_past(global const int *a, global const int *b, global int *out)
{
    if (get_global_id(0)) return;
    int i = 0, j = 0;
    for (int k = 0; k < 16; k++) out[k] = a[i] < b[j] || j >= 8 ? a[i++] : b[j++];
}
kernel void merge_within(global const int *a, global const int *b, global int *out)
{
    if (get_global_id(0)) return;
    int i = 0, j = 0;
    for (int k = 0; k < 16; k++) out[k] = i < 8 && (j >= 8 || a[i] < b[j]) ? a[i++] : b[j++];
}

//! wrong binary_search_high 8/8 buffer:i32:8=iota buffer:i32:8 -> out-of-bounds
//! right binary_search 8/8 buffer:i32:8=iota buffer:i32:8
kernel void binary_search_high(global const int *a, global int *out)
{
    int low = 0, high = 8, key = get_global_id(0) + 1;
    while (low <= high) { int mid = (low + high) / 2; if (a[mid] < key) low = mid + 1; else high = mid - 1; }
    out[get_global_id(0)] = low;
}
kernel void binary_search(global const int *a, global int *out)
{
    int low = 0, high = 8, key = get_global_id(0) + 1;
    while (low < high) { int mid = (low + high) / 2; if (a[mid] < key) low = mid + 1; else high = mid; }
    out[get_global_id(0)] = low;
}

// ---- numbers ----

//! wrong spmv_row_pointer 8/8 buffer:i32:8=iota buffer:i32:16=ones buffer:f32:16=ones buffer:f32:8 -> out-of-bounds|uninitialised
//! right spmv 8/8 buffer:i32:9=iota buffer:i32:16=ones buffer:f32:16=ones buffer:f32:8
kernel void spmv_row_pointer(global const int *row, global const int *col, global const float *val, global float *y)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++) sum += val[k] * val[col[k]];
    y[i] = sum;
}
kernel void spmv(global const int *row, global const int *col, global const float *val, global float *y)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++) sum += val[k] * val[col[k]];
    y[i] = sum;
}

//! wrong gauss_seidel 32/8 buffer:f32:34=iota -> data-race
//! right red_black 32/8 buffer:f32:34=iota i32:1
kernel void gauss_seidel(global float *u) { int i = get_global_id(0) + 1; u[i] = 0.5f * (u[i - 1] + u[i + 1]); }
kernel void red_black(global float *u, int colour) { int i = get_global_id(0) + 1; if (i % 2 == colour) u[i] = 0.5f * (u[i - 1] + u[i + 1]); }

//! wrong fft_stride 8/8 buffer:f32:32=iota -> data-race|out-of-bounds
//! right fft_stage 8/8 buffer:f32:32=iota
kernel void fft_stride(global float2 *v)
{
    int i = get_global_id(0);
    float2 a = v[i], b = v[i + 4];
    v[i] = a + b;
    v[i + 4] = a - b;
}
kernel void fft_stage(global float2 *v)
{
    int i = get_global_id(0);
    float2 a = v[i], b = v[i + 8];
    v[i] = a + b;
    v[i + 8] = a - b;
}

//! wrong lu_pivot_race 16/16 buffer:f32:256=ones -> data-race
//! right lu_step 16/16 buffer:f32:256=ones
kernel void lu_pivot_race(global float *a)
{
    int r = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        if (r > k) {
            float f = a[r * 16 + k] / a[k * 16 + k];
            for (int c = k; c < 16; c++) a[r * 16 + c] -= f * a[k * 16 + c];
        }
    }
}
kernel void lu_step(global float *a)
{
    int r = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        if (r > k) {
            float f = a[r * 16 + k] / a[k * 16 + k];
            for (int c = k; c < 16; c++) a[r * 16 + c] -= f * a[k * 16 + c];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

//! wrong random_state_shared 16/8 buffer:u32:1=7 buffer:u32:16 -> data-race
//! right random_state_own 16/8 buffer:u32:16=7 buffer:u32:16
uint next(global uint *s) { *s = *s * 1664525u + 1013904223u; return *s >> 8; }
kernel void random_state_shared(global uint *state, global uint *out) { out[get_global_id(0)] = next(state); }
kernel void random_state_own(global uint *state, global uint *out) { out[get_global_id(0)] = next(state + get_global_id(0)); }

//! wrong particles_both_updated 16/8 buffer:f32:64=iota -> data-race
//! right particles_old_and_new 16/8 buffer:f32:64=iota buffer:f32:64
kernel void particles_both_updated(global float4 *p)
{
    int i = get_global_id(0);
    float4 f = 0;
    for (int k = 0; k < 16; k++) f += p[k] - p[i];
    p[i] += 0.01f * f;
}
kernel void particles_old_and_new(global const float4 *p, global float4 *q)
{
    int i = get_global_id(0);
    float4 f = 0;
    for (int k = 0; k < 16; k++) f += p[k] - p[i];
    q[i] = p[i] + 0.01f * f;
}

//! wrong median_unset 16/16 buffer:f32:16=iota buffer:f32:16 -> uninitialised-store|uninitialised-branch
//! right median_of_five 16/16 buffer:f32:16=iota buffer:f32:16
float middle(float *w, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k + 1 < n - i; k++)
            if (w[k] > w[k + 1]) { float t = w[k]; w[k] = w[k + 1]; w[k + 1] = t; }
    return w[n / 2];
}
kernel void median_unset(global const float *in, global float *out)
{
    float w[5];
    int i = get_global_id(0), n = 0;
    for (int d = -2; d <= 2; d++) if (i + d >= 0 && i + d < 16) w[n++] = in[i + d];
    out[i] = middle(w, 5);
}
kernel void median_of_five(global const float *in, global float *out)
{
    float w[5];
    int i = get_global_id(0), n = 0;
    for (int d = -2; d <= 2; d++) if (i + d >= 0 && i + d < 16) w[n++] = in[i + d];
    out[i] = middle(w, n);
}
