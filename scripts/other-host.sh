#!/bin/bash
# other-host.sh COMMAND [ARGUMENT...]: runs a command where programs of the host this machine is not - x86-64 on aarch64, aarch64
# on x86-64 - are started through qemu as if they were native, with the Debian packages that our programs link to.  These are
# unpacked into build-other/root (or $CY_OTHER_ROOT) the first time and whenever their list changed; none of their programs or
# scripts is run for that.
#
# qemu is registered in a separate namespace for the command: the machine is not changed.  That needs Linux
# 6.7; on an older one, register qemu with binfmt_misc (Debian's qemu-user-binfmt) and it is used.
#
# CY_NATIVE_COMPILER=1: the compile server of build/ serves the programs of build-other/.  Kernels are compiled, and translated for the
# other host, at this machine's speed: LLVM needs minutes under qemu.
#
# CY_HOST=x86_64 or aarch64 overrides the machine's own architecture (uname -m).  `other-host.sh --show` prints what follows from it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${CY_HOST:-$(uname -m)} in
    aarch64) processor=x86_64 architecture=amd64 machine='\x3e' ;;
    x86_64) processor=aarch64 architecture=arm64 machine='\xb7' ;;
    *) echo "error: ${CY_HOST:-$(uname -m)} is neither x86_64 nor aarch64" >&2 && exit 1 ;;
esac
export CY_OTHER_PROCESSOR=$processor
export CY_OTHER_ROOT=${CY_OTHER_ROOT:-$PWD/build-other/root}
export QEMU_LD_PREFIX=$CY_OTHER_ROOT
# qemu's own choice differs between versions; this processor has no AVX.
[ $processor != x86_64 ] || export QEMU_CPU=${QEMU_CPU:-Nehalem}
export CY_EMULATED=1 # for tests of processor time and address space
packages=libc6-dev,llvm-19-dev,clang-19,libmpfr-dev,libpng-dev,libgif-dev,libsdl2-dev,opencl-headers,ocl-icd-opencl-dev,valgrind,clinfo
# An ELF file of 64 bits, little-endian, executable or shared, for that machine.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00'$machine'\x00'
mask='\xff\xff\xff\xff\xff\xfe\xfe\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
make_root=(mmdebstrap --arch=$architecture --variant=extract --include=$packages bookworm "$CY_OTHER_ROOT.new")

if [ "${1-}" = --show ]; then
    printf '%s\n' "processor $processor" "compiler $processor-linux-gnu-gcc" "root $CY_OTHER_ROOT" "magic $magic" "${make_root[*]}"
    exit
fi

if [ "$(cat "$CY_OTHER_ROOT/.packages" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$CY_OTHER_ROOT.new" "$CY_OTHER_ROOT.old"
    mkdir -p "$(dirname "$CY_OTHER_ROOT")"
    "${make_root[@]}"
    # Absolute links refer to the root's file, not this machine's.
    find "$CY_OTHER_ROOT.new" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
        ln -sfn "$CY_OTHER_ROOT$(readlink "$link")" "$link"
    done
    echo $packages >"$CY_OTHER_ROOT.new/.packages"
    [ ! -d "$CY_OTHER_ROOT" ] || mv "$CY_OTHER_ROOT" "$CY_OTHER_ROOT.old"
    mv "$CY_OTHER_ROOT.new" "$CY_OTHER_ROOT"
    rm -rf "$CY_OTHER_ROOT.old"
fi

if [ "$(uname -m)" != $processor ] && [ ! -e /proc/sys/fs/binfmt_misc/qemu-$processor ]; then
    export CY_OTHER_BINFMT=":qemu-$processor:M::$magic:$mask:$(command -v qemu-$processor):OPF"
elif [ -z "${CY_NATIVE_COMPILER-}" ]; then
    exec "$@"
fi
exec unshare --user --map-root-user --mount bash -c '
    set -e
    if [ -n "${CY_OTHER_BINFMT-}" ]; then
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
        printf %s "$CY_OTHER_BINFMT" >/proc/sys/fs/binfmt_misc/register
        unset CY_OTHER_BINFMT
    fi
    if [ -n "${CY_NATIVE_COMPILER-}" ]; then # read-only: a build would put its compile server for the other host there
        mount --bind build/lib/chengying build-other/lib/chengying
        mount -o remount,bind,ro build-other/lib/chengying
    fi
    exec "$@"' other-host.sh "$@"
