#!/bin/sh
# finish.sh FILE.ll FILE.bc SUFFIX: turns clang's output into a module of the device library; SUFFIX is that of LLVM's tools.
#
# - Attributes that only describe how clang was run are removed: they would keep LLVM from inlining.  `convergent` stays where there are
#   barriers; OpenCL C gives it to every function.
# - Vector functions keep calling the scalar ones, so that the module is small: only marked parts are inlined here.
# - Loads from constant memory are marked invariant for LLVM.
# - Everything becomes linkonce_odr: LLVM's linker then takes only what is called.
set -eu
source=$1 output=$2 suffix=$3
convergent='s/ convergent / /'
case ${source##*/} in sync.ll | pipe.ll | *collective.ll | *subgroup*.ll) convergent= ;; esac
sed -e "/^attributes /{$convergent;s/ nobuiltin / /;s/ \"[^\"]*\"=\"[^\"]*\"//g;s/ \"no-builtins\"//}" \
    "$source" > "$source.plain"
tidy='instcombine<no-verify-fixpoint>,simplifycfg'
# Hides the warning that LLVM has no code generator for this target: we have our own.
opt"$suffix" -S "$source.plain" -o "$source.opt" 2> "$source.log" \
    -passes="always-inline,function(sroa,early-cse,$tidy,gvn,$tidy,adce),cgscc(function-attrs),globaldce" ||
    { cat "$source.log" >&2; exit 1; }
{
    sed -e 's/^declare dso_local /declare /' -e '/^!llvm.module.flags/d' -e '/^!llvm.ident/d' -e '/^!opencl/d' \
        -e '/^source_filename/d' -e 's/^define dso_local /define linkonce_odr /' \
        -e 's/ = load .* ptr addrspace(2) .*$/&, !invariant.load !900000/' "$source.opt"
    echo '!900000 = !{}'
} | llvm-as"$suffix" -o "$output"
