#!/bin/bash
# subgroups.sh [MARCH]: kernels whose work-items exchange values are translated and compute the interpreter's bits, in full and partial
# sub-groups, in ranges of several dimensions, with lanes that went different ways, and with every number of threads.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
cd "$CY_TMP"

cat > groups.cl <<'CL'
#define SELF (get_global_id(1) * get_global_size(0) + get_global_id(0))
kernel void reduce(global const float *in, global float *out)
{
    float x = in[SELF];
    out[SELF] = sub_group_reduce_add(x) + sub_group_reduce_max(x) * 3 - sub_group_reduce_min(x);
}
kernel void scan(global const float *in, global float *out)
{
    float x = in[SELF];
    out[SELF] = sub_group_scan_inclusive_add(x) + 1000 * sub_group_scan_exclusive_max(x);
}
kernel void wide(global const float *in, global float *out)
{
    long x = (long)(in[SELF] * 1e6f) << 20;
    out[SELF] = (float)(sub_group_reduce_max(x) - sub_group_scan_inclusive_min(x));
}
kernel void moves(global const float *in, global float *out)
{
    float x = in[SELF];
    uint i = get_sub_group_local_id(), n = get_sub_group_size();
    float y = sub_group_broadcast(x, n / 2) + 2 * sub_group_shuffle(x, (i * 5 + 1) % n);
    y += 4 * sub_group_shuffle_xor(x, i % 2 ? 0 : i + 1 < n) + 8 * sub_group_shuffle_up(x, i ? 1 : 0);
    out[SELF] = y + 16 * sub_group_shuffle_down(x, i + 1 < n ? 1 : 0);
}
kernel void turns(global const float *in, global float *out)
{
    float x = in[SELF];
    uint i = get_sub_group_local_id(), n = get_sub_group_size(), c = i / 4 * 4;
    float y = n == get_max_sub_group_size() ? sub_group_rotate(x, 3) : x;
    out[SELF] = y + (c + 4 <= n ? sub_group_clustered_rotate(x, -1, 4) : 0) + sub_group_clustered_reduce_add(x, 4);
}
kernel void votes(global const float *in, global float *out)
{
    bool p = in[SELF] > 0.4f;
    uint4 b = sub_group_ballot(p);
    out[SELF] = sub_group_ballot_bit_count(b) + 64 * sub_group_ballot_exclusive_scan(b) + 4096 * sub_group_any(p) +
                8192 * sub_group_all(p) + 16384 * sub_group_ballot_find_msb(b);
}
kernel void parted(global const float *in, global float *out)
{
    float x = in[SELF], y;
    if (x > 0.7f)
        y = sub_group_non_uniform_reduce_add(x);
    else if (x > 0.3f)
        y = sub_group_non_uniform_scan_inclusive_add(x) + sub_group_elect();
    else
        y = sub_group_non_uniform_reduce_max(x) + sub_group_broadcast_first(x);
    out[SELF] = y;
}
kernel void leaving(global const float *in, global float *out)
{
    float x = in[SELF], y = 0;
    for (int i = 0; i < 20; i++) {
        x = x * 1.9f - (x > 0.5f);
        if (x > 0.9f) {
            y += sub_group_non_uniform_reduce_add(x);
            break;
        }
        y += sub_group_non_uniform_scan_exclusive_add(x);
    }
    out[SELF] = y;
}
kernel void shared(global const float *in, global float *out)
{
    local float part[256];
    uint at = get_sub_group_id() * get_max_sub_group_size(), i = get_sub_group_local_id();
    part[at + i] = in[SELF];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[SELF] = part[at + (i + 1) % get_sub_group_size()];
}
kernel void reduce_group(global const float *in, global float *out)
{
    local float part[64];
    uint l = get_local_linear_id();
    float x = sub_group_reduce_add(in[SELF]);
    if (get_sub_group_local_id() == 0)
        part[get_sub_group_id()] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = sub_group_reduce_add(get_sub_group_local_id() < get_num_sub_groups() ? part[get_sub_group_local_id()] : 0);
    out[SELF] = x;
}
CL
"$CY" cc "-march=${1:-ventus}" -cl-std=CL3.0 groups.cl -o groups.elf

launch() { # ENGINE KERNEL GLOBAL LOCAL ITEMS SETTING
    "$CY" run groups.elf --engine "$1" --kernel "$2" --global "$3" --local "$4" --set "$6" \
        --arg "buffer:f32:$5=random:7" --arg "buffer:f32:$5" --out "1=$1.raw" > "$1.said" 2>&1 || { cat "$1.said"; exit 1; }
}
compare() { # GLOBAL LOCAL ITEMS SETTING KERNEL...
    local kernel shape=("$1" "$2" "$3" "$4")
    shift 4
    for kernel; do
        rm -f ./*.raw
        launch interp "$kernel" "${shape[@]}"
        launch jit "$kernel" "${shape[@]}"
        cmp interp.raw jit.raw || { echo "$kernel in ${shape[*]}"; exit 1; }
        case $kernel:$(cat jit.said) in
        leaving:*"sub-groups where lanes of several branches meet"*) ;; # lanes of several turns would meet
        leaving:* | *:*interpreter*) echo "$kernel in ${shape[*]}: $(cat jit.said)"; exit 1 ;;
        esac
    done
}
all=(reduce scan wide moves turns votes parted leaving shared reduce_group)
compare 512 128 512 threads=32 "${all[@]}"
compare 300 100 300 threads=32 reduce moves turns votes parted reduce_group
compare 22,9 8,4 198 threads=32 reduce parted shared
compare 100 40 100 threads=8 scan moves reduce_group
compare 64 32 64 threads=16 reduce votes
