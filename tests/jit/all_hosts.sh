#!/bin/bash
# all_hosts.sh [COUNT]: translating succeeds for every kind of host and level, also for those that neither this machine nor qemu has, and no
# access is to fewer aligned bytes than it claims: x86-64 faults where aarch64 does not.
set -euo pipefail
cat > "$CY_TMP/kernels.cl" <<'CL'
kernel void numbers(global float *f, global int *i, global uint *u)
{
    uint at = get_global_id(0);
    float x = f[at], y = f[at + 64], z = fma(x, y, f[at + 128]);
    i[at] = convert_int_sat(x) + convert_int_rte(y) + (int)z + convert_char_sat_rte(x);
    u[at] = convert_uint_sat(x) ^ (uint)y ^ mul_hi(u[at], u[at + 64]) ^ u[at] / (u[at + 1] | 1) ^ u[at] % 7;
    f[at] = sqrt(fabs(x)) + exp(y) + rint(z) / fmin(x, fmax(y, z)) + ldexp(x, i[at]) + (float)i[at] + (float)u[at];
}
#ifdef WIDE
kernel void doubles(global double *d, global long *l, global ulong *u)
{
    uint at = get_global_id(0);
    double x = d[at], y = d[at + 64], z = fma(x, y, d[at + 128]);
    l[at] = (long)z + mul_hi(l[at], l[at + 64]) + convert_long_rte(x);
    u[at] = (ulong)y ^ u[at] / (u[at + 1] | 1) ^ u[at] << (at & 63);
    d[at] = sqrt(x) / fmin(x, y) + (double)l[at] + (double)u[at];
}
#endif
kernel void shared(global float4 *data, local float *part, global int *count)
{
    uint at = get_global_id(0), l = get_local_id(0);
    float4 x = data[at * 3];
    part[l] = x.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x.y > part[l ^ 1])
        data[at * 3] = x + data[count[at]];
    else if (l & 1)
        atomic_add(count + (int)x.z, 3);
    data[at] += part[l / 2];
}
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void exchanged(volatile global uint *u, global long *l, global const char4 *c, uint by)
{
    uint at = get_global_id(0), old;
    do
        old = u[at / by];
    while (atomic_cmpxchg(&u[at / by], old, old + at % by) != old);
    l[at] = atom_cmpxchg(&l[at + 64], (long)at, 3l) + atom_add(&l[at + 128], 5l) + c[old & 63].x * c[old & 63].z;
}
kernel void groups(global float *f, global long *l)
{
    uint at = get_global_id(0);
    float x = sub_group_reduce_add(f[at]) + sub_group_scan_inclusive_max(f[at]) + sub_group_shuffle(f[at], (at * 5) & 7);
    l[at] = sub_group_reduce_min(l[at]);
    if (f[at] > 0)
        x = sub_group_non_uniform_reduce_add(x) + sub_group_elect();
    f[at] = x + sub_group_ballot_bit_count(sub_group_ballot(x > 1));
}
CL
"$CY" cc -cl-std=CL3.0 "$CY_TMP/kernels.cl" -o "$CY_TMP/gen1.riscv"
"$CY" cc -cl-std=CL3.0 -march=ventus-gen2 -DWIDE "$CY_TMP/kernels.cl" -o "$CY_TMP/gen2.riscv"
mkdir "$CY_TMP/ir"
programs=()
if [ "${1:-0}" -gt 0 ]; then # random ones
    for generation in 1 2; do
        mkdir "$CY_TMP/gen$generation"
        "$CY_PYTHON" tests/fuzz/engines/assembly.py write --generation gen$generation --folder "$CY_TMP/gen$generation" --count "$1"
    done
    programs=("$CY_TMP"/gen1/*.s -march=ventus-gen2 "$CY_TMP"/gen2/*.s)
fi
"$CY_BUILD/tests/jit_all_hosts" "$CY_TMP/ir" "$CY_TMP"/gen?.riscv "${programs[@]}" | tee "$CY_TMP/said"
grep -q ' 0 rejected$' "$CY_TMP/said"
for file in "$CY_TMP"/ir/*.ll; do
    opt-19 -passes=lint -disable-output "$file" 2>&1 | grep -A1 misaligned && { echo "in $file"; exit 1; }
done
echo "all accesses are aligned"
