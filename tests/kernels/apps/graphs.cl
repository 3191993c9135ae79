// Irregular programs: searches over graphs and trees, dynamic programming along diagonals and rows.
//
// data: first int[257] steps 0 6
// data: neighbours int[1600] random 0 255
// data: frontier uchar[256] zero
// data: next uchar[256] zero
// data: seen uchar[256] zero
// data: cost int[256] value -1
// data: more int[1] zero
// run: bfs_start 1/1 frontier seen cost int:7
// run: bfs_expand 256/64 first neighbours frontier next seen cost int:256
// run: bfs_advance 256/64 frontier next seen more int:256
// run: bfs_expand 256/64 first neighbours frontier next seen cost int:256
// run: bfs_advance 256/64 frontier next seen more int:256
// run: bfs_expand 256/64 first neighbours frontier next seen cost int:256
// run: bfs_advance 256/64 frontier next seen more int:256
// gives: first=d0b59273dfab630a neighbours=6b8c918b1d71cbd2 frontier=e8d5ebe54438cc8e next=d80ac658736bb725 seen=8f009a8bd7712915 cost=58b95af1737b6a65 more=ad2aca7747985764
// data: keys int[585] zero
// data: queries int[128] random 0 2000
// data: found int[128] zero
// data: counts int[128] zero
// run: tree_fill 585/65 keys
// run: tree_find 128/32 keys queries found
// run: tree_range 128/32 keys queries counts
// gives: keys=a6a2f81fe2273d73 queries=4a336761cafb5063 found=cefe686a29cdadc6 counts=74e33f1632beed5e
// data: wall int[1040] random 0 9
// data: in int[104] random 0 9
// data: out int[104] zero
// run: pathfinder 128/32 wall in out int:104 int:4 int:0
// run: pathfinder 128/32 wall out in int:104 int:4 int:4
// gives: wall=b3229c9fe6c0b522 in=5be307391103eedc out=effaba2c28f05be2
// data: a int[64] random 0 3
// data: b int[64] random 0 3
// data: score int[4225] zero
// run: align_border 65/65 score int:65 int:2
// run: align 32/16 a b score int:65 int:0
// run: align 32/16 a b score int:65 int:1
// run: align 32/16 a b score int:65 int:2
// run: align 32/16 a b score int:65 int:3
// gives: a=a8803296d378ad75 b=b839433ba66d35e7 score=b977a49eb14e6c55
// data: first int[257] steps 0 6
// data: neighbours int[1600] random 0 255
// data: rank float[256] value 1
// data: out float[256] zero
// run: page_rank 256/64 first neighbours rank out
// run: page_rank 256/64 first neighbours out rank
// near: 1e-5
// gives: first=d0b59273dfab630a neighbours=6b8c918b1d71cbd2 rank=1.26996122,1.17708337,2.53726053,1.48355556,0.648489654,0.150000006,0.150000006,0.732958436,2.47185779 out=1.44691411,0.575000048,2.79916692,1.70833337,0.362500012,0.150000006,0.150000006,0.745000005,2.41666651
// data: labels int[256] iota
// data: edges int[400] random 0 255
// data: changed int[1] zero
// run: components 200/40 labels edges changed
// run: components_settle 1/1 labels edges
// gives: labels=590133a6b90afcfc edges=24c78748c33d7b0e changed=ad2aca7747985764

kernel void bfs_start(global uchar *frontier, global uchar *seen, global int *cost, int source)
{
    frontier[source] = seen[source] = 1;
    cost[source] = 0;
}

kernel void bfs_expand(global const int *first, global const int *neighbours, global uchar *frontier,
                       global uchar *next, global const uchar *seen, global int *cost, int n)
{
    int v = get_global_id(0);
    if (v < n && frontier[v]) {
        frontier[v] = 0;
        for (int e = first[v]; e < first[v + 1]; e++) {
            int w = neighbours[e];
            if (!seen[w]) {
                cost[w] = cost[v] + 1; // all that write here write the same
                next[w] = 1;
            }
        }
    }
}

kernel void bfs_advance(global uchar *frontier, global uchar *next, global uchar *seen, global int *more, int n)
{
    int v = get_global_id(0);
    if (v < n && next[v]) {
        frontier[v] = seen[v] = 1;
        *more = 1;
        next[v] = 0;
    }
}

// A search tree with eight children per node, in rows: 1 + 8 + 64 + 512 keys, each the largest below its node.
kernel void tree_fill(global int *keys)
{
    int i = get_global_id(0), row = 0, size = 1, at = i;
    while (at >= size) {
        at -= size;
        size *= 8;
        row++;
    }
    keys[i] = (at + 1) * (2048 >> 3 * row) - 1;
}

int descend(global const int *keys, int wanted)
{
    int at = 0, start = 0, size = 1;
    for (int row = 0; row < 3; row++) {
        int child = at * 8;
        start += size;
        size *= 8;
        while (keys[start + child] < wanted && child < at * 8 + 7)
            child++;
        at = child;
    }
    return at;
}

kernel void tree_find(global const int *keys, global const int *queries, global int *found)
{
    int i = get_global_id(0), at = descend(keys, queries[i]);
    found[i] = keys[73 + at] == queries[i] ? at : -at;
}

kernel void tree_range(global const int *keys, global const int *queries, global int *counts)
{
    int i = get_global_id(0), low = queries[i], high = queries[127 - i];
    counts[i] = low <= high ? descend(keys, high) - descend(keys, low) : -1;
}

// Cheapest paths through a grid: a tile with a rim takes several rows before it has to go back to memory.
kernel void pathfinder(global const int *wall, global const int *in, global int *out, int columns, int rows, int start)
{
    local int previous[32], result[32];
    int t = get_local_id(0), border = rows, width = 32 - 2 * border;
    int x = (int)get_group_id(0) * width - border + t;
    bool valid = x >= 0 && x < columns;
    previous[t] = valid ? in[x] : 0x7ffffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < rows; i++) {
        bool computed = t > i && t < 31 - i && valid;
        if (computed) {
            int best = previous[t];
            if (x > 0)
                best = min(best, previous[t - 1]);
            if (x < columns - 1)
                best = min(best, previous[t + 1]);
            result[t] = best + wall[(start + i) * columns + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (computed)
            previous[t] = result[t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t >= border && t < 32 - border && valid)
        out[x] = previous[t];
}

kernel void align_border(global int *score, int width, int penalty)
{
    int i = get_global_id(0);
    score[i] = -i * penalty;
    score[i * width] = -i * penalty;
}

// Sequences aligned block by block: the blocks of one diagonal at a time, inside them the cells of a diagonal.
kernel void align(global const int *a, global const int *b, global int *score, int width, int diagonal)
{
    local int tile[17][17];
    int t = get_local_id(0), g = get_group_id(0);
    for (int by = g; by < 4; by += 2) {
        int bx = diagonal - by;
        if (bx >= 0 && bx < 4) {
            tile[0][t + 1] = score[by * 16 * width + bx * 16 + t + 1];
            tile[t + 1][0] = score[(by * 16 + t + 1) * width + bx * 16];
            if (t == 0)
                tile[0][0] = score[by * 16 * width + bx * 16];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int d = 0; d < 31; d++) {
                int x = t + 1, y = d - t + 1;
                if (y >= 1 && y <= 16) {
                    int same = a[by * 16 + y - 1] == b[bx * 16 + x - 1] ? 5 : -3;
                    tile[y][x] = max(tile[y - 1][x - 1] + same, max(tile[y][x - 1], tile[y - 1][x]) - 2);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            for (int y = 1; y <= 16; y++)
                score[(by * 16 + y) * width + bx * 16 + t + 1] = tile[y][t + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void page_rank(global const int *first, global const int *neighbours, global const float *rank,
                      global float *out)
{
    int v = get_global_id(0);
    float sum = 0;
    for (int e = first[v]; e < first[v + 1]; e++) {
        int w = neighbours[e], degree = first[w + 1] - first[w];
        sum += rank[w] / (float)max(degree, 1);
    }
    out[v] = 0.15f + 0.85f * sum;
}

// Hooks larger labels to smaller ones; what is left over is settled by one work-item, so that the end is the same.
kernel void components(global int *labels, global const int *edges, global int *changed)
{
    int e = get_global_id(0), a = edges[e * 2], b = edges[e * 2 + 1];
    atomic_min(&labels[max(a, b)], min(a, b));
    *changed = 1;
}

kernel void components_settle(global int *labels, global const int *edges)
{
    for (int again = 1; again;) {
        again = 0;
        for (int e = 0; e < 200; e++) {
            int a = labels[edges[e * 2]], b = labels[edges[e * 2 + 1]];
            if (a != b) {
                labels[edges[e * 2]] = labels[edges[e * 2 + 1]] = min(a, b);
                again = 1;
            }
        }
    }
}
