#!/bin/bash
# prints.sh [MARCH]: printf and 64-bit atomics in translated kernels: the interpreter's records, in its order, and its results.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
march=-march=${1:-ventus}
cd "$CY_TMP"
fail() { echo "prints.sh: $*"; exit 1; }
cat > prints.cl <<'CL'
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void sides(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int x = in[i];
    if (x % 3 == 0)
        printf("%d: three, %f\n", x, x * 0.5f);
    else if (x % 5 == 1)
        printf("%d: five, %v4d %s\n", x, (int4)(x, 1, 2, 3), "one");
    else
        printf("%d: none\n", x);
    out[i] = x + 1;
}
kernel void turns(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < (in[i] & 3); k++) {
        sum += k * in[i];
        printf("turn %d of %u: %ld\n", k, i, (long)sum << 20);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        printf("group %u\n", (uint)get_group_id(0));
    out[i] = sum;
}
kernel void empty(global const int *in, global int *out) /* sides of inner branches without lanes */
{
    uint i = get_global_id(0);
    int x = in[i] & 7, y = out[i];
    if (x > 2) {
        if (y)
            printf("%d: never\n", x);
        else
            printf("%d: always\n", x);
        if (!y)
            printf("%d: again\n", x);
        else
            printf("%d: never again\n", x);
    } else
        printf("%d: small\n", x);
    out[i] = x;
}
kernel void silent(global const int *in, global int *out) { out[get_global_id(0)] = 3 * in[get_global_id(0)]; }
kernel void sums(global const int *in, global long *out)
{
    uint i = get_global_id(0);
    long x = in[i] * 12345678901l;
    atom_add(out, x);
    atom_max(out + 1 + i % 3, x);
    atom_xor(out + 4, x ^ i);
    if (in[i] & 1)
        atom_cmpxchg(out + 5, 0l, 77l);
}
CL
"$CY" cc $march -cl-std=CL3.0 prints.cl -o prints.elf
launch() { # ENGINE KERNEL LOCAL RESULT
    "$CY" run prints.elf --engine "$1" --kernel "$2" --global 150 --local "$3" --set sms=1 --arg buffer:i32:150=random:9 \
        --arg "buffer:$4:150" --out "1=$1.raw" > "$1.said" 2> "$1.notes" || { cat "$1.notes"; exit 1; }
}
for local in 150 50 32 6; do
    for kernel in sides turns empty silent sums; do
        result=i32
        [ $kernel != sums ] || result=i64
        launch interp $kernel $local $result
        launch jit $kernel $local $result
        cmp interp.raw jit.raw || fail "$kernel, local size $local: results"
        if [ $kernel = turns ] && [ $local != 150 ]; then # the interpreter runs a group while another one waits at the barrier
            sort -o interp.said interp.said
            sort -o jit.said jit.said
        fi
        cmp interp.said jit.said || { diff interp.said jit.said | head; fail "$kernel, local size $local: records"; }
        ! grep "the interpreter ran" jit.notes || fail "$kernel was not translated"
        [ $kernel = silent ] || [ $kernel = sums ] || [ "$(wc -l < jit.said)" -ge 150 ] || fail "$kernel prints too little"
    done
done
