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
