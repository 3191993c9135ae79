# make.sh DIR: one of each kind.
set -eu
"$CY_PYTHON" - "$1" <<'END'
import struct
import sys

settings = ["sms=4,warps=16", "preset=rtl", "threads=8,lds=64K,memory=1G", "watchdog-seconds=5,guards=yes,mask=lane", "checking=no"]
files = ["# a machine\nsms = 4\nwarps = 16\n\npreset = rtl\nmask = packed\n"]
arguments = ["buffer:f32:1024=iota", "buffer:i8:16=random:7", "u64:1,2,3", "3.5", "0x10", "local:4096", "buffer:f16:3=-1e3", "f64:nan"]
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".ljust(117) + b"\n"
timing = ["memory_latency=40", "preset=ventus-verilog"]
timing_files = ["# slow memory\nmemory_latency = 40\nl2_ways = 4\n"]
pages = ["# a mapping\nmap 0x10000 0x90000000 0x2000 rw\nmap 0x20000 argument 1 rwx\nentry 2 0x40000000 0xf\n"]
values = [b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(16), b"1 2.5 -3e4\n0x10 inf\n", bytes(range(64))]
number = 0
for kind, texts in ((0, settings), (1, files), (2, arguments), (4, timing), (5, timing_files), (6, pages)):
    for text in texts:
        with open(f"{sys.argv[1]}/seed{number:02}", "wb") as file:
            file.write(bytes((kind,)) + text.encode())
        number += 1
for kind, data in enumerate(values):
    for type in range(5):
        with open(f"{sys.argv[1]}/seed{number:02}", "wb") as file:
            file.write(bytes((3 | (kind + 3 * type) << 2,)) + data)
        number += 1
END
