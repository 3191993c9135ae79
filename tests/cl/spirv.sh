#!/bin/bash
# SPIR-V modules, assembled and validated by the Khronos tools, through OpenCL and through `cy run`.
set -e
mkdir -p "$CY_TMP"
for name in barrier constants; do
    spirv-as --target-env spv1.0 "$CY_SOURCE/tests/cl/spirv/$name.spvasm" -o "$CY_TMP/$name.spv"
    spirv-val --target-env opencl1.2 "$CY_TMP/$name.spv"
done
"$CY_BUILD/tests/test_cl_spirv" "$CY_TMP/barrier.spv" "$CY_TMP/constants.spv"
"$CY" run "$CY_TMP/constants.spv" --global 1 --arg buffer:u32:1 --print 0 | grep -qx '     0: 7'
! CHENGYING_LLVM_SPIRV=/none "$CY" cc "$CY_TMP/barrier.spv" -o "$CY_TMP/x" 2> "$CY_TMP/log"
grep -q 'install the package llvm-spirv-15' "$CY_TMP/log"
