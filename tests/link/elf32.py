"""Just enough of ELF32 to look into what a linker wrote, independent of the code under test."""
import struct


class Elf:
    def __init__(self, path):
        self.bytes = data = open(path, "rb").read()
        assert data[:4] == b"\x7fELF"
        (self.type, self.machine, _, self.entry, phoff, shoff, self.flags, _, phsize, phnum, shsize, shnum,
         shstrndx) = struct.unpack_from("<HHIIIIIHHHHHH", data, 16)
        headers = [struct.unpack_from("<10I", data, shoff + i * shsize) for i in range(shnum)]
        strings = headers[shstrndx]
        self.sections = {}
        self.order = []
        self.symbols = {}
        self.locals = []
        for name, kind, flags, address, offset, size, link, info, align, entry in headers[1:]:
            text = self.string(strings[4], name)
            contents = b"" if kind == 8 else data[offset:offset + size]
            self.sections[text] = {"type": kind, "flags": flags, "address": address, "size": size, "data": contents,
                                   "align": align}
            self.order.append(text)
            if kind == 2:
                self.read_symbols(headers, contents, headers[link][4])
        self.segments = [struct.unpack_from("<8I", data, phoff + i * phsize) for i in range(phnum)]

    def string(self, table, offset):
        start = table + offset
        return self.bytes[start:self.bytes.index(b"\0", start)].decode()

    def read_symbols(self, headers, contents, strings):
        for at in range(16, len(contents), 16):
            name, value, size, info, other, section = struct.unpack_from("<IIIBBH", contents, at)
            text = self.string(strings, name)
            if info & 15 in (3, 4):
                continue
            if info >> 4:
                self.symbols[text] = (value, size, info & 15, section)
            else:
                self.locals.append((text, value, size, info & 15))

    def word(self, section, offset):
        return struct.unpack_from("<I", self.sections[section]["data"], offset)[0]
