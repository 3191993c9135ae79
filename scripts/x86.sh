#!/bin/bash
# x86.sh COMMAND [ARGUMENT...]: runs a command where x86-64 programs are started as if this machine were one, by qemu-x86_64,
# with the amd64 packages of Debian that our own programs link to.  These are unpacked into build-x86/root (or $CY_X86_ROOT)
# the first time; none of their programs or scripts is run for that.
#
# Linux is told about x86-64 programs in a namespace of the command's own: the machine stays as it was.  That needs Linux 6.7;
# on an older one, register qemu-x86_64 with binfmt_misc (Debian's qemu-user-binfmt) and it is used.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CY_X86_ROOT=${CY_X86_ROOT:-$PWD/build-x86/root}
export QEMU_LD_PREFIX=$CY_X86_ROOT
export CY_EMULATED=1 # for tests of processor time and address space
packages=libc6-dev,llvm-19-dev,clang-19,libmpfr-dev,libpng-dev,libsdl2-dev,opencl-headers,ocl-icd-opencl-dev,valgrind,clinfo

make_root() {
    local root=$CY_X86_ROOT.new
    rm -rf "$root"
    mkdir -p "$(dirname "$root")"
    mmdebstrap --arch=amd64 --variant=extract --include=$packages bookworm "$root"
    # Links with an absolute path mean the root's file, not this machine's.
    find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
        ln -sfn "$CY_X86_ROOT$(readlink "$link")" "$link"
    done
    mv "$root" "$CY_X86_ROOT"
}

[ -d "$CY_X86_ROOT" ] || make_root

if [ "$(uname -m)" = x86_64 ] || [ -e /proc/sys/fs/binfmt_misc/qemu-x86_64 ]; then
    exec "$@"
fi

# An ELF file of 64 bits, little-endian, executable or shared, for machine 62.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00'
mask='\xff\xff\xff\xff\xff\xfe\xfe\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
export CY_X86_BINFMT=":qemu-x86_64:M::$magic:$mask:$(command -v qemu-x86_64):OPF"
exec unshare --user --map-root-user --mount bash -c '
    set -e
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    printf %s "$CY_X86_BINFMT" >/proc/sys/fs/binfmt_misc/register
    unset CY_X86_BINFMT
    exec "$@"' x86.sh "$@"
