#!/bin/bash
# forms.sh MARCH RANDOM [FILE|DIRECTORY]...: the forms of AVX2 and AVX-512 on this processor against the interpreter (forms.c), with
# RANDOM random programs.
set -euo pipefail
march=$1 random=$2
shift 2
if [ "$random" -gt 0 ]; then
    "$CY_PYTHON" tests/jit/random_code.py --only-write --march "$march" --seed 500 --count "$random"
    set -- "$@" "$CY_TMP"
fi
"$CY_BUILD/tests/jit_forms" "-march=$march" "$@"
