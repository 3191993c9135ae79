#!/bin/bash
# The engine verify on the command line: what it says of sound programs, of programs that depend on the order of their work-items, and
# of launches that it does not see.
set -eu
cd "$(mktemp -d "${TMPDIR:-/tmp}/verify.XXXXXX")"
trap 'rm -rf "$PWD"' EXIT
export CHENGYING_CACHE_DIR=$PWD/cache
fail() { echo "$*"; cat said; exit 1; }
says() { # a pattern, then arguments of cy run
    local pattern=$1
    shift
    "$CY" run --no-progress "$@" > out 2> said || status=$?
    grep -q -- "$pattern" said || fail "no '$pattern' in what 'cy run $*' said"
}
cat > k.cl <<'END'
kernel void plain(global int *a) { a[get_global_id(0)] = get_global_id(0) * 3; }
kernel void parts(global int *a) { uint i = get_global_id(0); for (uint k = 0; k < (i * 7 & 15); k++) a[i] = a[i] * 3 + k; }
kernel void racy(global int *a) { a[0] = get_global_id(0); }
kernel void waits(global volatile int *a) { while (a[0] != 7) ; a[get_global_id(0)] = 2; }
END
args=(--global 4096 --local 64 --arg buffer:i32:4096)
for march in ventus ventus-gen2; do
    says "^verify: 1 launch verified, no difference$" -march=$march k.cl --kernel plain --engine verify "${args[@]}" --print 0:4
    grep -q "0: 0 3 6 9" out || fail "not the kernel's words: $(cat out)"
    says "1 launch verified, no difference" -march=$march k.cl --kernel plain --verify-every 5 "${args[@]}"
    says "1 launch verified, no difference" -march=$march k.cl --kernel plain --engine verify --stats "${args[@]}"
    # many workgroups, so that counters are translated ones; joins have no lanes
    says "1 launch verified, no difference" -march=$march k.cl --kernel parts --engine verify --stats --global 16384 --local 64 --arg buffer:i32:16384
    # one of several work-items wins; which of them, the order decides
    says "verified" -march=$march k.cl --kernel racy --engine verify --set sms=1 --host-threads 1 "${args[@]}"
    says "nothing was compared.*1 interpreted anyway" -march=$march k.cl --kernel plain --engine verify --deterministic "${args[@]}"
done
# a race between the lanes of a warp, which the interpreter takes together in any order of warps: the checker knows it
cat > wave.cl <<'END'
kernel void wave(global int *in, global int *out)
{
    local int t[64];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = in[i];
    int left = t[(l + 63) & 63];
    t[l] = left * 3 + 1;
    out[i] = t[(l + 1) & 63] + left;
}
END
says "depends on the order of work-items: wave.cl:[5678]: data race on" wave.cl --engine verify --set strip=4 --global 1024 --local 64 \
    --arg buffer:i32:1024=iota --arg buffer:i32:1024
grep -q "1 launch verified, 1 depends on the order of its work-items" said || fail "the summary"
[ ! -e chengying-verify ] || fail "what depends on the order is no difference to be recorded"
says "the interpreter ran 'plain': a deterministic device" k.cl --kernel plain --engine verify --deterministic "${args[@]}"
says "'verify-every' needs a number" k.cl --kernel plain --verify-every x "${args[@]}"
says "'order' needs a number" k.cl --kernel plain --set order=up "${args[@]}"
# options that contradict each other; the command line has the last word
for words in "--engine interp --verify-every 3" "--verify-every 3 --engine jit"; do
    says "'verify-every' (CHENGYING_VERIFY) is for 'engine=verify', but the engine is '[a-z]*'" k.cl --kernel plain $words "${args[@]}"
done
says "verify-stop is for --engine verify" k.cl --kernel plain --verify-stop --engine interp "${args[@]}"
says "record does not go with --engine verify" k.cl --kernel plain --record recorded --engine verify "${args[@]}"
says "'verify-every' (CHENGYING_VERIFY) is for 'engine=verify', but the engine is 'auto'" k.cl --kernel plain --set verify-every=3 "${args[@]}"
CHENGYING_VERIFY=2 "$CY" run --engine jit k.cl --kernel plain "${args[@]}" > out 2> said
! grep -q "verify" said || fail "--engine jit has the last word"

# ---- OpenCL programs ----
program() { # a pattern, then a command, all of whose standard error is what is said
    local pattern=$1
    shift
    "$@" > out 2> said || status=$?
    grep -q -- "$pattern" said || fail "no '$pattern' in what '$*' said"
}
host=$CY_BUILD/tests/verify_host
for device in Ventus gen2; do
    # of 32 launches numbers 1, 11, 21 and 31 (the last of them of the third kernel), and the first of the second and third
    program "^verify: 6 launches verified, no difference, 26 skipped$" "$CY" exec --verify-every 10 -- "$host" "$device" buffers 25 again 3 picture 4
    program "^verify: 6 launches verified, no difference, 26 skipped$" env CHENGYING_VERIFY=10 "$host" "$device" buffers 25 again 3 picture 4
    program "^verify: 3 launches verified, no difference$" "$CY" exec --verify-stop -- "$host" "$device" variable 3
    program "^verify: 2 launches verified, no difference$" env CHENGYING_ENGINE=verify "$host" "$device" picture 2
    program "^verify: 0 launches verified: nothing was compared, 2 interpreted anyway$" env CHENGYING_VERIFY=1 "$CY" check -- "$host" "$device" buffers 2
done
program "^verify: 2 launches verified, no difference$" "$CY" exec --engine verify -- "$host" gen2 pointers 2
program "verify-every and --verify-stop are for --engine verify, not 'jit'" "$CY" exec --engine jit --verify-stop -- "$host" gen2 buffers 1
program "'verify-every' needs a number" env CHENGYING_VERIFY=some "$host" gen2 buffers 1
CHENGYING_VERIFY=1 "$CY" exec --engine jit -- "$host" gen2 buffers 1 2> said
! grep -q "verify" said || fail "--engine jit has the last word"
