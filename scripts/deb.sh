#!/bin/bash
# deb.sh: builds the Debian packages of debian/ into build-deb/, from a copy of the sources, and checks them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rm -rf build-deb
mkdir -p build-deb/chengying
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract --directory=build-deb/chengying
cd build-deb/chengying
dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary ${JOBS:+--jobs=$JOBS}
lintian --fail-on error,warning ../chengying_*.changes
cd ..
ls *.deb
