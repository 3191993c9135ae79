"""A trace file (docs/view.md) read once more, independently of the C and JavaScript readers."""
import json
import struct
import zlib


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            part = self.byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value

    def signed(self):
        value = self.number()
        return -(value + 1) // 2 if value & 1 else value // 2


def chunks(data):
    """(type, payload) of each chunk; the framing is checked by asserts."""
    assert data[:8] == b"CYTRACE\n" and struct.unpack_from("<I", data, 8)[0] == 1
    at = 12
    while at < len(data):
        kind, size, crc = struct.unpack_from("<4sII", data, at)
        payload = data[at + 12:at + 12 + size]
        assert len(payload) == size and zlib.crc32(data[at:at + 8] + payload) == crc
        yield kind.decode(), payload
        at += 12 + size


def insns(payload):
    """(launch, group, warp), then a dictionary for each instruction of a chunk WARP."""
    read = Bytes(payload)
    place = read.number(), read.number(), read.number()
    read.number()  # SM
    first, count = read.number(), read.number()
    pc = size = rpc = active = base = 0
    stack, result = [], []
    for step in range(first, first + count):
        flags = read.byte()
        pc = (pc + size + (4 * read.signed() if flags & 1 else 0)) & 0xFFFFFFFF
        size = 8 if flags & 16 else 4
        if flags & 2:
            active ^= read.number()
        if flags & 32:
            rpc = (pc + 4 * read.signed()) & 0xFFFFFFFF
        if flags & 4:
            stack = stack[:read.number()]
            for _ in range(read.number()):
                stack.append(((pc + 4 * read.signed()) & 0xFFFFFFFF, (pc + 4 * read.signed()) & 0xFFFFFFFF, read.number()))
        accesses, more = [], bool(flags & 8)
        while more:
            code = read.byte()
            more = bool(code & 4)
            mask = read.number() if code & 8 else active
            base += read.signed()
            stride = read.signed() if code >> 6 == 1 else 0
            lanes, addresses, last = [lane for lane in range(64) if mask >> lane & 1], {}, base
            for lane in lanes:
                if code >> 6 == 2 and lane != lanes[0]:
                    last += read.signed()
                addresses[lane] = last if code >> 6 == 2 else base + stride * (lane - lanes[0])
            accesses.append({"read": bool(code & 1), "write": bool(code & 2), "size": 1 << (code >> 4 & 3), "addresses": addresses})
        result.append({"step": step, "pc": pc, "size": size, "active": active, "rpc": rpc, "stack": list(stack), "accesses": accesses})
    assert read.at == len(payload)
    return place, result


def stretches(payload):
    """(launch, group, warp), (sm, slot), then (begin, end, stall, step) for each stretch of a chunk TIME."""
    read = Bytes(payload)
    place = read.number(), read.number(), read.number()
    slot = read.number(), read.number()
    at, step, count = read.number(), read.number(), read.number()
    result = []
    for _ in range(count):
        code = read.byte()
        step += (0, 1, -1, 0)[code >> 4 & 3]
        if code >> 4 & 3 == 3:
            step += read.signed()
        length = code >> 6 or read.number()
        result.append((at, at + length, code & 15, step))
        at += length
    assert read.at == len(payload)
    return place, slot, result


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.texts, self.warps, self.times, self.slots = {}, {}, {}, {}
        for kind, payload in chunks(data):
            if kind == "WARP":
                place, some = insns(payload)
                self.warps.setdefault(place, []).extend(some)
            elif kind == "TIME":
                place, slot, some = stretches(payload)
                self.times.setdefault(place, []).extend(some)
                self.slots[place] = slot
            else:
                self.texts.setdefault(kind.strip(), []).append(json.loads(payload))
