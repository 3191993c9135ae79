# make.sh DIR: line tables of clang, as ELF files and as bare sections.
set -eu
to=$1
for version in 2 3 4 5; do
    printf 'int g(int x);\nint f(int x)\n{\n    for (int i = 0; i < x; i++)\n        x += g(i);\n    return x;\n}\n' |
        clang-19 --target=riscv32 -gdwarf-$version -O1 -c -x c - -o "$to/elf.o"
    { printf '\1'; cat "$to/elf.o"; } >"$to/elf$version"
    for section in .debug_line_str .debug_str .debug_line; do
        : >"$to/part$section"
        llvm-objcopy-19 --dump-section "$section=$to/part$section" "$to/elf.o" "$to/other.o" 2>/dev/null || :
    done
    "$CY_PYTHON" - "$to" "$version" <<'END'
import struct
import sys

to, version = sys.argv[1:]
parts = [open(f"{to}/part{name}", "rb").read() for name in (".debug_line_str", ".debug_str", ".debug_line")]
with open(f"{to}/sections{version}", "wb") as file:
    file.write(b"\0" + struct.pack("<HH", len(parts[0]), len(parts[1])) + b"".join(parts))
END
    rm -f "$to"/part.* "$to/elf.o" "$to/other.o"
done
