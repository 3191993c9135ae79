#!/bin/bash
# forms.sh MARCH FILE|DIRECTORY...: the forms of AVX2 and AVX-512 on this processor against the interpreter (forms.c).
set -euo pipefail
march=$1
shift
"$CY_BUILD/tests/jit_forms" "-march=$march" "$@"
