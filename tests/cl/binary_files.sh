# Program binaries as files: what the runtime gives is what other tools open, and what `cy cc` makes is what the runtime takes.
set -euo pipefail
cd "$CY_TMP"
program=$1
cat > k.cl <<'END'
global int base = 100, calls;
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void scale(global int *out, int factor)
{
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    local int mine;
    if (get_local_linear_id() == 0)
        mine = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&calls, 1);
    atomic_add(&mine, 1);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i] = i * factor + base + (calls >= 16 ? 24 : 0) + mine;
}
kernel void says(global int *out)
{
    printf("item %d of %d: %s\n", (int)get_global_id(0), (int)get_global_size(0), "said");
}
END
# (base, calls and printf need the image's data, .cy.printf and OpenCL C 2.0; the second launch has counted 16 before)
fail() { echo "error: $*" >&2; exit 1; }
has() { grep -qF -- "$2" "$1" || { cat "$1"; fail "$1 has no '$2'"; }; }
said='item 0 of 3: said
item 1 of 3: said
item 2 of 3: said'
"$program" write k.cl k.riscv k.o
"$CY" cc -cl-std=CL2.0 -cl-kernel-arg-info -o cc.riscv k.cl
for file in k.riscv k.o cc.riscv; do
    "$program" load $file > $file.out
    [ "$(grep ^item $file.out)" = "$said" ] || { cat $file.out; fail "$file printed something else"; }
done

# Other tools.
readelf -hSn k.riscv > readelf.txt 2> readelf.err || fail "readelf: $(cat readelf.err)"
[ ! -s readelf.err ] || fail "readelf: $(cat readelf.err)"
has readelf.txt 'EXEC (Executable file)'
has readelf.txt '.note.chengying'
has readelf.txt 'Chengying '
readelf -hSn k.o > readelf.txt 2> readelf.err && [ ! -s readelf.err ] || fail "readelf: $(cat readelf.err)"
has readelf.txt 'REL (Relocatable file)'
has readelf.txt '.llvmbc'
llvm-objcopy-19 -O binary --only-section=.llvmbc --set-section-flags=.llvmbc=alloc k.o k.bc
llvm-bcanalyzer-19 k.bc > bitcode.txt 2>&1 || fail "the bitcode cannot be read: $(tail -n 3 bitcode.txt)"
gdb-multiarch -nx -batch -ex 'info functions scale' -ex 'x/2i scale' k.riscv > gdb.txt 2>&1
has gdb.txt '<scale>:'
has gdb.txt csrr

# Ours.
"$CY" dis --notes k.riscv > notes.txt
has notes.txt 'program   executable'
has notes.txt 'compiler  Chengying'
has notes.txt '-cl-std=CL2.0'
has notes.txt 'scale(global int* out, int factor)'
has notes.txt 'reqd_work_group_size(4,2,1)'
"$CY" dis --notes k.o > notes.txt
has notes.txt 'program   compiled object'
"$CY" dis --symbol says k.riscv > code.txt
has code.txt '<says>:'
"$CY" run k.riscv --kernel says --global 3 --arg buffer:i32:1 > run.txt
[ "$(cat run.txt)" = "$said" ] || { cat run.txt; fail "cy run printed something else"; }

! "$CY" run k.riscv --kernel says --global 3 --arg i32:1 2> err.txt || fail "cy run takes a number for a buffer"
has err.txt says

# The checksum guards the whole file, also when somebody else rewrites it.
llvm-objcopy-19 --add-section .mine=k.cl k.riscv changed.riscv
! "$program" load changed.riscv > changed.out 2>&1 || fail "a binary with another section was taken"
"$CY" run changed.riscv --kernel says --global 3 --arg buffer:i32:1 > run.txt
[ "$(cat run.txt)" = "$said" ] || { cat run.txt; fail "cy run printed something else"; }
echo "passed"
