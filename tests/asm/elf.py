"""A small ELF32 reader for the tests: sections, symbols and relocations of an object, written without any of ours."""
import struct


class Object:
    def __init__(self, path):
        data = open(path, "rb").read()
        assert data[:5] == b"\x7fELF\x01", path + " is not an ELF32 file"
        (self.type, self.machine, _, self.entry, _, shoff, self.flags, _, _, _, shentsize, shnum,
         shstrndx) = struct.unpack_from("<HHIIIIIHHHHHH", data, 16)
        headers = [struct.unpack_from("<10I", data, shoff + i * shentsize) for i in range(shnum)]
        if shnum == 0 and shoff:
            first = struct.unpack_from("<10I", data, shoff)
            headers = [struct.unpack_from("<10I", data, shoff + i * shentsize) for i in range(first[5])]
            shstrndx = first[6] if shstrndx == 0xffff else shstrndx

        def text(table, offset):
            start = headers[table][4] + offset
            return data[start:data.index(b"\0", start)].decode("latin-1")

        def content(header):
            return b"" if header[1] == 8 else data[header[4]:header[4] + header[5]]

        self.sections = []   # (name, type, flags, size, align, entsize, data) by index
        for h in headers:
            self.sections.append(dict(name=text(shstrndx, h[0]), type=h[1], flags=h[2], size=h[5], align=h[8],
                                      entsize=h[9], data=content(h), relocs=[]))
        self.symbols = []
        for h in headers:
            if h[1] != 2:
                continue
            raw = content(h)
            for i in range(0, len(raw), 16):
                name, value, size, info, other, shndx = struct.unpack_from("<IIIBBH", raw, i)
                self.symbols.append(dict(name=text(h[6], name), value=value, size=size, bind=info >> 4,
                                         type=info & 15, visibility=other & 3, section=self.place(shndx)))
        for h in headers:
            if h[1] != 4:
                continue
            raw = content(h)
            for i in range(0, len(raw), 12):
                offset, info, addend = struct.unpack_from("<IIi", raw, i)
                self.sections[h[7]]["relocs"].append((offset, info & 255, self.symbols[info >> 8], addend))

    def place(self, index):
        special = {0: "UNDEF", 0xfff1: "ABS", 0xfff2: "COMMON"}
        return special[index] if index in special else self.sections[index]["name"]

    def section(self, name):
        found = [s for s in self.sections if s["name"] == name]
        return found[0] if found else None


def is_private(symbol):
    return symbol["name"].startswith((".L", "$x", "$d")) or symbol["type"] in (3, 4) or symbol["name"] == ""


def reloc_text(reloc):
    """A relocation without names that an assembler makes up."""
    offset, kind, symbol, addend = reloc
    if is_private(symbol):
        return "%x type %d %s+%x" % (offset, kind, symbol["section"], (symbol["value"] + addend) & 0xffffffff)
    return "%x type %d %s+%x" % (offset, kind, symbol["name"], addend & 0xffffffff)


def summary(path, ignored=()):
    """Everything in an object that should not depend on the tool that wrote it, as lines of text."""
    obj = Object(path)
    lines = []
    for s in obj.sections:
        if s["type"] in (0, 2, 3, 4) or s["name"] in ignored or (s["size"] == 0 and not s["relocs"]):
            continue
        align = max(4, s["align"]) if s["flags"] & 4 else s["align"]  # code is word-aligned, declared or not
        lines.append("section %s type %x flags %x size %x align %d entsize %d" %
                     (s["name"], s["type"], s["flags"] & ~0x200, s["size"], align, s["entsize"]))
        for i in range(0, len(s["data"]), 16):
            lines.append("  %s+%04x %s" % (s["name"], i, s["data"][i:i + 16].hex(" ", 4)))
        lines += sorted("  reloc %s %s" % (s["name"], reloc_text(r)) for r in s["relocs"])
    lines += sorted("symbol %(name)s %(section)s value %(value)x size %(size)x bind %(bind)d type %(type)d "
                    "visibility %(visibility)d" % s for s in obj.symbols if not is_private(s))
    return lines
