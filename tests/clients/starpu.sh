#!/bin/bash
# StarPU, a runtime that schedules tasks: its examples with OpenCL code, on our device alone.  Each checks its own result.
set -euo pipefail
directory=$(dirname "$(dpkg -L starpu-examples | grep '/examples/vector_scal$')")
export HOME=$CY_TMP STARPU_HOME=$CY_TMP STARPU_NOPENCL=1 STARPU_SILENT=1
for example in block complex fblock incrementer matvecmult variable vector_scal; do
    [[ $example == complex ]] && cpus=1 || cpus=0 # its numbers are shown by a task for the host
    STARPU_NCPU=$cpus CHENGYING_STATS=1 "$CY" ${CY_CLIENT:-exec} -- "$directory/$example" >"$CY_TMP/$example" 2>&1 || {
        cat "$CY_TMP/$example"
        echo "error: $example failed" >&2
        exit 1
    }
    grep -Eq '^[A-Za-z_]+ +[1-9][0-9]* ' "$CY_TMP/$example" || {
        echo "error: $example launched no kernel" >&2
        exit 1
    }
done
echo "StarPU: 7 examples passed"
