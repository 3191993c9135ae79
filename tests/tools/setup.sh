#!/bin/bash
# scripts/setup.sh asks apt-get for exactly the packages that are missing, and for nothing when there are none.
# dpkg-query, apt-get, id and sudo are played by small scripts.
failures=0
expect() { # expect WHAT GOT EXPECTED
    [ "$2" = "$3" ] || { printf 'failed: %s\n--- got\n%s\n--- expected\n%s\n' "$1" "$2" "$3"; failures=$((failures + 1)); }
}
fake() { printf '#!%s\n%s\n' "$BASH" "$2" >"$CY_TMP/$1" && chmod +x "$CY_TMP/$1"; }
setup() { PATH=$CY_TMP:$PATH bash scripts/setup.sh 2>&1; echo "status $?"; }

fake apt-get 'echo "apt-get $DEBIAN_FRONTEND $*"'
fake sudo 'echo "sudo $1"; exec "$@"'
fake id 'echo 0'

fake dpkg-query 'printf "install ok installed"'
expect "nothing missing" "$(setup)" "status 0"

fake dpkg-query 'case ${@: -1} in cmake) exit 1 ;; valgrind) printf "deinstall ok config-files" ;; *) printf "install ok installed" ;; esac'
expect "two missing, as root" "$(setup)" "\
installing: cmake valgrind
apt-get noninteractive -qq update
apt-get noninteractive -qq install -y --no-install-recommends cmake valgrind
status 0"

fake id 'echo 1000'
expect "two missing, with sudo" "$(setup)" "\
installing: cmake valgrind
sudo env
apt-get noninteractive -qq update
sudo env
apt-get noninteractive -qq install -y --no-install-recommends cmake valgrind
status 0"

fake id 'echo 0'
fake apt-get 'exit 100'
expect "apt-get fails" "$(setup)" "\
installing: cmake valgrind
status 100"

fake apt-get 'echo "apt-get $DEBIAN_FRONTEND $*"'
fake dpkg-query 'exit 1'
for architecture in arm64:gcc-x86-64-linux-gnu amd64:gcc-aarch64-linux-gnu; do
    fake dpkg "echo ${architecture%:*}"
    list=$(PATH=$CY_TMP:$PATH bash scripts/setup.sh packages-other-host.txt | head -n 1)
    expect "the other host's compiler on ${architecture%:*}" "$list" "installing: ${architecture#*:} mmdebstrap"
done

# What scripts/other-host.sh builds for, and with what, follows from the machine it runs on.
for host in 'aarch64 x86_64 amd64 \x3e' 'x86_64 aarch64 arm64 \xb7'; do
    read -r own other architecture machine <<<"$host"
    shown=$(CY_HOST=$own CY_OTHER_ROOT=/r bash scripts/other-host.sh --show | sed 's/ --variant.*//; s/^magic .*\(\\x..\)\\x00$/magic \1/')
    expect "the other host of $own" "$shown" "\
processor $other
compiler $other-linux-gnu-gcc
root /r
magic $machine
mmdebstrap --arch=$architecture"
done
[ $failures = 0 ] && echo "all passed"
exit $failures
