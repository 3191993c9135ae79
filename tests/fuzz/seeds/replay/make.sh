# make.sh DIR: a launch of a few instructions, with and without a start address.
set -eu
"$CY_PYTHON" - "$1" <<'END'
import struct
import sys

code = struct.pack("<4I", 0x803022F3, 0x0042A503, 0x00000013, 0x0000400B)  # csrr, lw, nop, endprg
knl = struct.pack("<14I", 0x80000000, 0x90004000, 1, 64, 1, 1, 16, 1, 1, 0, 0, 0, 0, 0)
for name, start, grid in (("one", [0x80000000], (1, 1, 1)), ("old", [], (2, 1, 1)), ("many", [0x80000000], (3, 2, 1))):
    buffers = [(0x80000000, code, 4096), (0x90003000, knl, 4096), (0x90004000, bytes(12), 4096)]
    values = start + [0, *grid, 4, 4, 0x90003000, 4096, 1024, 32, 48, 0x90100000, len(buffers)]
    values += [base for base, _, _ in buffers] + [len(data) for _, data, _ in buffers] + [size for _, _, size in buffers]
    with open(f"{sys.argv[1]}/{name}", "w") as file:
        file.write("".join(f"{v & 0xffffffff:08x}\n{v >> 32:08x}\n" for v in values) + "=")
        file.write("\n".join(f"{w:08x}" for _, data, _ in buffers for (w,) in struct.iter_unpack("<I", data)) + "\n")
END
