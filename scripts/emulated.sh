#!/bin/bash
# emulated.sh BUILD TEST...: runs tests of an x86-64 build on an emulated PC whose processor has AVX-512, which qemu 7.2 does not.
# Bochs executes some 20 million instructions per second: Linux starts in two minutes, a kernel compiles in ten seconds.  What it
# does wrong is in docs/testing.md.
#
# The machine's disk holds the packages that our programs need, the build and the tests' sources, at the same paths as here; its
# processor is $CY_EMULATED_CPU (corei7_skylake_x; `bochs --help cpu`).  Its files are in BUILD/emulated.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 work=$PWD/$1/emulated root=$PWD/$1/emulated/root
shift
mkdir -p "$work"

# ---- the packages; none of their scripts is run ----
packages=linux-image-amd64,busybox-static,bash,coreutils,diffutils,findutils,grep,mawk,sed,python3-minimal,libpython3-stdlib
packages+=,libc6,llvm-19,clang-19,libllvm19,libclang-cpp19,libmpfr6,libpng16-16,libgif7,libsdl2-2.0-0,ocl-icd-libopencl1
if [ "$(cat "$root/.packages" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$root"
    mmdebstrap --arch=amd64 --variant=extract --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=$packages bookworm "$root"
    echo $packages >"$root/.packages"
fi

# ---- the tests: commands and environments as ctest has them ----
pattern="^($(IFS='|' && echo "$*"))\$"
ctest --test-dir "$build" --show-only=json-v1 -R "$pattern" | python3 -c '
import json, shlex, sys
for test in json.load(sys.stdin)["tests"]:
    properties = {p["name"]: p["value"] for p in test["properties"]}
    command = ["env", "-C", properties["WORKING_DIRECTORY"], *properties.get("ENVIRONMENT", []), *test["command"]]
    print(test["name"], shlex.join(command))' >"$work/tests"
[ -s "$work/tests" ] || { echo "error: $build has none of these tests: $*" >&2; exit 1; }
cat >"$work/start" <<'START'
export PATH=/usr/bin:/usr/sbin CY_EMULATED=1 CHENGYING_COMPILE_SECONDS=6000
log=$(mktemp)
grep -o -m1 'avx512[a-z]*' /proc/cpuinfo | sort -u | tr '\n' ' '
echo
while read -r name command; do
    if eval "$command" >"$log" 2>&1 </dev/null; then
        echo "passed $name: $(tail -n 1 "$log")"
    else
        echo "FAILED $name: status $?"
        tail -n 40 "$log"
    fi
done </tests
echo "the tests have ended"
busybox poweroff -f
START

# ---- the disk ----
disk=$work/disk
rm -rf "$disk"
cp -al "$root" "$disk"
rm -rf "$disk"/boot "$disk"/usr/{include,share,lib/modules,lib/x86_64-linux-gnu/dri}
mkdir -p "$disk"/{proc,sys,dev,tmp} "$disk$PWD/$build/tests"
cp "$work/tests" "$work/start" "$disk"
cp -a tests lib scripts "$disk$PWD"
cp -a "$build/bin" "$build/lib" "$disk$PWD/$build"
grep -oE "$PWD/$build/tests/[a-z0-9_]+" "$work/tests" | sort -u |
    xargs cp -at "$disk$PWD/$build/tests" "$build/tests/run_kernels"
find "$disk$PWD/$build" -name '*.a' -delete
rm -f "$work/disk.img"*
truncate -s $(($(du -sm "$disk" | cut -f1) + 300))M "$work/disk.img"
mkfs.ext4 -q -O ^has_journal -d "$disk" "$work/disk.img"
rm -rf "$disk"

# ---- the first file system: drivers of the disk ----
modules=(scsi_common scsi_mod libata ata_piix crct10dif_common crct10dif_generic crc-t10dif crc64 crc64_rocksoft_generic crc64-rocksoft
    t10-pi sd_mod crc32c_generic libcrc32c crc16 mbcache jbd2 ext4)
rm -rf "$work/first"
mkdir -p "$work"/first/{bin,dev,proc,sys,disk}
cp "$root/usr/bin/busybox" "$work/first/bin"
for module in "${modules[@]}"; do
    find "$root/usr/lib/modules" -name "$module.ko" -exec cp {} "$work/first" \;
done
cat >"$work/first/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install /bin
mount -t proc proc /proc && mount -t sysfs sys /sys && mount -t devtmpfs dev /dev
for module in ${modules[*]}; do insmod /\$module.ko; done
until [ -b /dev/sda ]; do sleep 0.1; done
mount -t ext4 /dev/sda /disk
for each in proc sys dev; do mount -o move /\$each /disk/\$each; done
mount -t tmpfs tmp /disk/tmp
exec chroot /disk /usr/bin/bash /start
INIT
chmod +x "$work/first/init"

# ---- the CD ----
rm -rf "$work/cd"
mkdir -p "$work/cd/isolinux"
(cd "$work/first" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/cd/first.gz"
cp "$root"/boot/vmlinuz-* "$work/cd/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/cd/isolinux"
# Bochs's XSAVEC differs from what Linux expects, which would turn all of AVX off.
cat >"$work/cd/isolinux/isolinux.cfg" <<'CD'
default linux
label linux
    kernel /vmlinuz
    append initrd=/first.gz console=ttyS0 loglevel=3 panic=1 mitigations=off nokaslr nosmp noapic tsc=unstable lpj=1000000 noxsaves clearcpuid=xsavec,xsaves
CD
xorriso -as mkisofs -quiet -o "$work/cd.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 \
    -boot-info-table "$work/cd" 2>/dev/null

# ---- the machine ----
cat >"$work/bochsrc" <<RC
display_library: rfb, options="timeout=0"
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=${CY_EMULATED_CPU:-corei7_skylake_x}, ips=50000000, ignore_bad_msrs=1
megs: 2048
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, path=$work/disk.img, mode=flat
ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
ata1-master: type=cdrom, path=$work/cd.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/console
log: $work/log
panic: action=fatal
RC
echo c >"$work/commands" # its debugger's: continue
: >"$work/console"
bochs -q -f "$work/bochsrc" -rc "$work/commands" </dev/null >"$work/output" 2>&1 &
machine=$!
trap 'kill $machine 2>/dev/null || true' EXIT
echo "the machine starts (two minutes); its console is $work/console"
tail -n +1 --pid=$machine -F "$work/console" 2>/dev/null
wait $machine || true
grep -aq '^the tests have ended' "$work/console" || { echo "error: the machine stopped: see $work/log" >&2; exit 1; }
! grep -aq '^FAILED' "$work/console"
