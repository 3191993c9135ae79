#!/bin/bash
# SPIR-V modules, assembled and validated by the Khronos tools, through OpenCL and through `cy run`.  Each has both widths of
# addresses, one for each generation of the device.
set -e
mkdir -p "$CY_TMP"
for width in 32 64; do
    size=%uint
    [ $width = 32 ] || size=%ulong
    for name in barrier composites constants various hints linkonce printf nonsemantic; do
        sed "s/NN\b/$width/; s/\bSIZE\b/$size/" "$CY_SOURCE/tests/cl/spirv/$name.spvasm" |
            spirv-as --target-env spv1.0 - -o "$CY_TMP/$name$width.spv"
        spirv-val --target-env spv1.0 "$CY_TMP/$name$width.spv"
    done
    sed "s/NN\b/$width/; s/\bSIZE\b/$size/; /; a\$/d; s/LinkOnceODR/Import/" "$CY_SOURCE/tests/cl/spirv/hints.spvasm" |
        spirv-as --target-env spv1.0 - -o "$CY_TMP/imports$width.spv"
    modules=()
    for name in barrier constants various hints imports linkonce; do
        modules+=("$CY_TMP/$name$width.spv")
    done
    "$CY_BUILD/tests/test_cl_spirv" $width "${modules[@]}"
done
"$CY" run "$CY_TMP/constants32.spv" --global 1 --arg buffer:u32:1 --print 0 | grep -qx '     0: 7'
"$CY" run -march=ventus-gen2 "$CY_TMP/constants64.spv" --global 1 --arg buffer:u32:1 --print 0 | grep -qx '     0: 7'
for march in ventus ventus-gen2; do
    width=$([ $march = ventus ] && echo 32 || echo 64)
    "$CY" run -march=$march "$CY_TMP/composites$width.spv" --global 1 --arg buffer:u32:16 --arg i32:5 --print 0 > "$CY_TMP/log"
    grep -qx '     0: 5 10 5 10 5 5 10 5' "$CY_TMP/log"
    grep -qx '     8: 10 5 10 5 15 10 5 10' "$CY_TMP/log"
    "$CY" run -march=$march "$CY_TMP/printf$width.spv" --global 1 --arg f32:2.5 --arg i32:-3 > "$CY_TMP/log"
    grep -qx '2.5 2.5 -3' "$CY_TMP/log"
    "$CY" run -march=$march "$CY_TMP/nonsemantic$width.spv" --global 1 --arg buffer:u32:1 --print 0 > "$CY_TMP/log"
    grep -qx '     0: 42' "$CY_TMP/log"
done
! "$CY" cc "$CY_TMP/barrier64.spv" -o "$CY_TMP/x" 2> "$CY_TMP/log"
grep -q '64-bit addresses (Physical64)' "$CY_TMP/log"
! CHENGYING_LLVM_SPIRV=/none "$CY" cc "$CY_TMP/barrier32.spv" -o "$CY_TMP/x" 2> "$CY_TMP/log"
grep -q 'install the package llvm-spirv-15' "$CY_TMP/log"
# What the translator says about a damaged module may hold any bytes.
printf '#!/bin/sh\nprintf "a \\377\\303\\251\\000\\033 b\\n" >&2\nexit 1\n' > "$CY_TMP/translator"
chmod +x "$CY_TMP/translator"
! CHENGYING_LLVM_SPIRV="$CY_TMP/translator" "$CY" cc "$CY_TMP/barrier32.spv" -o "$CY_TMP/x" 2> "$CY_TMP/log"
grep -q 'llvm-spirv: a <FF>é<00><1B> b$' "$CY_TMP/log"
