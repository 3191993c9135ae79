#!/bin/sh
# link.sh OUTPUT LLVM-SUFFIX FILE.ll...: makes one bitcode module of the library's files.
#
# - Attributes that only describe how clang was run go: they would keep LLVM from inlining.  `convergent` stays in sync.ll
#   alone; OpenCL C gives it to every function.
# - The vectors stay calls of the scalar functions, so that the module is small: only parts marked so are inlined here.
# - What is loaded from constant memory never changes: LLVM is told so.
# - Everything becomes linkonce_odr: LLVM's linker then takes over what is called and leaves the rest.
set -eu
output=$1 suffix=$2
shift 2
work=$(dirname "$1")/link
mkdir -p "$work"
for file; do
    name=${file##*/}
    convergent='s/ convergent / /'
    [ "$name" = sync.ll ] && convergent=
    sed -e "/^attributes /{$convergent;s/ nobuiltin / /;s/ \"[^\"]*\"=\"[^\"]*\"//g;s/ \"no-builtins\"//}" "$file" > "$work/$name"
done
cd "$work"
llvm-link"$suffix" ./*.ll -o all.bc
tidy='instcombine<no-verify-fixpoint>,simplifycfg'
# It warns that LLVM has no code generator for this target; that is ours.
opt"$suffix" -S all.bc -o all.opt 2> opt.log -passes="always-inline,function(sroa,early-cse,$tidy,gvn,$tidy,adce),\
cgscc(function-attrs),globaldce,strip-dead-prototypes" || { cat opt.log >&2; exit 1; }
sed -e 's/^define dso_local /define linkonce_odr /' -e 's/^declare dso_local /declare /' \
    -e '/^!llvm.module.flags/d' -e '/^!llvm.ident/d' -e '/^!opencl/d' -e '/^source_filename/d' \
    -e '/^; ModuleID/d' -e 's/ = load .* ptr addrspace(2) .*$/&, !invariant.load !900000/' all.opt > all.named
echo '!900000 = !{}' >> all.named
llvm-as"$suffix" all.named -o "$output.new"
mv "$output.new" "$output"
