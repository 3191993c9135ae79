"""`cy as` as a function: lines to words."""
import os
import struct
import subprocess
import sys

from llvm import TMP


def text_section(path):
    """The contents of .text of an ELF32 file."""
    with open(path, "rb") as file:
        image = file.read()
    table, = struct.unpack_from("<I", image, 32)
    size, count, names = struct.unpack_from("<HHH", image, 46)
    sections = [struct.unpack_from("<10I", image, table + i * size) for i in range(count)]
    for section in sections:
        at = sections[names][4] + section[0]
        if image[at:image.index(b"\0", at)] == b".text":
            return image[section[4]:section[4] + section[5]]
    return b""


def assemble(lines, march):
    source, target = os.path.join(TMP, "lines.s"), os.path.join(TMP, "lines.o")
    with open(source, "w", encoding="ascii") as out:
        out.writelines(line + "\n" for line in lines)
    done = subprocess.run([os.environ["CY"], "as", f"-march={march}", "-o", target, source], stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"cy as -march={march}:\n{done.stderr.decode()[:4000]}")
    code = text_section(target)
    return list(struct.unpack(f"<{len(code) // 4}I", code))
