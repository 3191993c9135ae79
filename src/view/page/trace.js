/* The trace that the page carries: unpacking it, and its chunks (docs/view.md describes the format).  `cy view` has checked it, so
 * nothing is checked again. */

function decodeBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/* Unpacks one piece after the other, so that the page stays alive; each leaves the document once it is read. */
async function unpackTrace(onProgress) {
  const bytes = new Uint8Array(Number(document.getElementById("trace-size").textContent));
  const pieces = document.querySelectorAll("script.trace");
  let at = 0;
  for (const piece of pieces) {
    const packed = decodeBase64(piece.textContent);
    piece.remove();
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes.set(part.value, at);
      at += part.value.length;
    }
    await onProgress(at / bytes.length);
  }
  return bytes;
}

/* Reads the numbers of a chunk. */
class Cursor {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
    this.low = 0; /* of the last mask */
    this.high = 0;
  }
  byte() {
    return this.bytes[this.at++];
  }
  number() {
    let part = this.bytes[this.at++];
    if (part < 0x80) return part;
    let value = part & 0x7f;
    for (let scale = 0x80; part >= 0x80; scale *= 0x80) {
      part = this.bytes[this.at++];
      value += (part & 0x7f) * scale;
    }
    return value;
  }
  signed() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
  /* A set of up to 64 lanes, in two words. */
  mask() {
    let low = 0, high = 0, shift = 0, part;
    do {
      part = this.bytes[this.at++];
      const bits = part & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift > 25) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
      shift += 7;
    } while (part >= 0x80);
    this.low = low >>> 0;
    this.high = high >>> 0;
  }
}

const INSN = { JUMP: 1, MASK: 2, STACK: 4, MEMORY: 8, WIDE: 16, RPC: 32 };
const ACCESS = { READ: 1, WRITE: 2, MORE: 4, LANES: 8 };
const STRIDE = 1, ANY = 2; /* patterns of addresses */
const LINE = 128; /* bytes of a line of memory */

/* The instructions of a chunk, one at a time: next() leaves the state of the next one in the members. */
class InsnCursor extends Cursor {
  constructor(bytes, chunk) {
    super(bytes, chunk.at);
    this.pc = this.size = this.rpc = this.base = 0;
    this.activeLow = this.activeHigh = 0;
    this.stack = [];
    this.accesses = [];
  }
  distance(from) {
    return (from + 4 * this.signed()) >>> 0;
  }
  next() {
    const flags = this.byte();
    this.pc = (this.pc + this.size) >>> 0;
    if (flags & INSN.JUMP) this.pc = this.distance(this.pc);
    this.size = flags & INSN.WIDE ? 8 : 4;
    if (flags & INSN.MASK) {
      this.mask();
      this.activeLow = (this.activeLow ^ this.low) >>> 0;
      this.activeHigh = (this.activeHigh ^ this.high) >>> 0;
    }
    if (flags & INSN.RPC) this.rpc = this.distance(this.pc);
    if (flags & INSN.STACK) this.readStack();
    if (flags & INSN.MEMORY) this.readAccesses();
    else if (this.accesses.length) this.accesses = [];
  }
  readStack() {
    this.stack.length = this.number();
    for (let more = this.number(); more > 0; more--) {
      const rpc = this.distance(this.pc), pc = this.distance(this.pc);
      this.mask();
      this.stack.push({ rpc, pc, low: this.low, high: this.high });
    }
  }
  readAccesses() {
    this.accesses = [];
    for (let flags = ACCESS.MORE; flags & ACCESS.MORE;) {
      flags = this.byte();
      const access = { read: !!(flags & ACCESS.READ), write: !!(flags & ACCESS.WRITE), size: 1 << ((flags >> 4) & 3) };
      if (flags & ACCESS.LANES) this.mask();
      access.low = flags & ACCESS.LANES ? this.low : this.activeLow;
      access.high = flags & ACCESS.LANES ? this.high : this.activeHigh;
      this.base += this.signed();
      const pattern = flags >> 6;
      const stride = pattern === STRIDE ? this.signed() : 0;
      access.lanes = lanesOf(access.low, access.high);
      access.addresses = [];
      let last = this.base;
      for (let i = 0; i < access.lanes.length; i++) {
        if (pattern === ANY && i) last += this.signed();
        access.addresses.push(pattern === ANY ? last : this.base + stride * (access.lanes[i] - access.lanes[0]));
      }
      this.accesses.push(access);
    }
  }
}

/* The same, faster, for a look at everything: instead of addresses it counts the lines that an instruction touches. */
class SkimCursor extends InsnCursor {
  constructor(bytes, chunk) {
    super(bytes, chunk);
    this.lineCount = 0;
    this.lines = new Float64Array(64);
  }
  next() {
    this.lineCount = 0;
    super.next();
  }
  readAccesses() {
    let flags;
    do {
      flags = this.byte();
      let low = this.activeLow, high = this.activeHigh;
      if (flags & ACCESS.LANES) {
        this.mask();
        low = this.low;
        high = this.high;
      }
      this.base += this.signed();
      const pattern = flags >> 6;
      if (pattern === ANY) this.countAny(countBits(low) + countBits(high));
      else this.countStride(low, high, pattern === STRIDE ? this.signed() : 0);
    } while (flags & ACCESS.MORE);
  }
  countAny(lanes) {
    let count = 0, address = this.base;
    for (let i = 0; i < lanes; i++) {
      if (i) address += this.signed();
      const line = Math.floor(address / LINE);
      let k = count;
      while (k > 0 && this.lines[k - 1] !== line) k--;
      if (!k) this.lines[count++] = line;
    }
    this.lineCount += count;
  }
  /* Addresses go one way, so a line that is left does not come back. */
  countStride(low, high, stride) {
    let last = -1, first = -1;
    for (let lane = 0; lane < 64; lane++) {
      if (!((lane < 32 ? low >>> lane : high >>> (lane - 32)) & 1)) continue;
      if (first < 0) first = lane;
      const line = Math.floor((this.base + stride * (lane - first)) / LINE);
      if (line !== last) this.lineCount++;
      last = line;
      if (!stride) return;
    }
  }
}

function lanesOf(low, high) {
  const lanes = [];
  for (let lane = 0; lane < 32; lane++) if ((low >>> lane) & 1) lanes.push(lane);
  for (let lane = 0; lane < 32; lane++) if ((high >>> lane) & 1) lanes.push(32 + lane);
  return lanes;
}

function countBits(word) {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/* The stretches of cycles of a chunk; next() is false after the last one. */
class TimeCursor extends Cursor {
  constructor(bytes, chunk) {
    super(bytes, chunk.at);
    this.left = chunk.count;
    this.end = chunk.begin;
    this.begin = this.stall = 0;
    this.ordinal = chunk.ordinal;
  }
  next() {
    if (!this.left--) return false;
    const code = this.bytes[this.at++];
    this.stall = code & 15;
    const step = (code >> 4) & 3;
    if (step === 1) this.ordinal++;
    else if (step === 2) this.ordinal--;
    else if (step === 3) this.ordinal += this.signed();
    this.begin = this.end;
    this.end += code >> 6 || this.number();
    return true;
  }
}

/* Splits the file into launches with their warps; calls `pause` now and then. */
async function parseTrace(bytes, pause) {
  const view = new DataView(bytes.buffer);
  const decoder = new TextDecoder();
  const trace = { bytes, machine: {}, programs: [], launches: [], leftOut: 0 };
  const cursor = new Cursor(bytes, 0);
  for (let at = 12, chunks = 0; at < bytes.length; chunks++) {
    const type = String.fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
    const begin = at + 12;
    at = begin + view.getUint32(at + 4, true);
    if (type === "WARP" || type === "TIME") {
      cursor.at = begin;
      const launch = trace.launches[cursor.number()];
      const warp = warpOf(launch, cursor.number(), cursor.number());
      if (type === "WARP") {
        warp.hostSm = cursor.number();
        const chunk = { first: cursor.number(), count: cursor.number(), at: cursor.at };
        warp.chunks.push(chunk);
        warp.count += chunk.count;
      } else {
        warp.sm = cursor.number();
        warp.slot = cursor.number();
        warp.times.push({ begin: cursor.number(), ordinal: cursor.number(), count: cursor.number(), at: cursor.at, warp });
      }
    } else {
      const text = JSON.parse(decoder.decode(bytes.subarray(begin, at)));
      if (type === "MACH") trace.machine = text;
      else if (type === "PROG") trace.programs.push(text);
      else if (type === "LNCH") trace.launches.push({ ...text, warpList: [], warpByKey: new Map(), cycles: null, message: "" });
      else if (type === "DONE") Object.assign(trace.launches[text.launch], { cycles: text.cycles, message: text.message });
      else trace.leftOut = text.left_out;
    }
    if (chunks % 4096 === 4095) await pause(at / bytes.length);
  }
  return trace;
}

function warpOf(launch, group, index) {
  const key = group * launch.group_warps + index;
  let warp = launch.warpByKey.get(key);
  if (!warp) {
    warp = { key, group, index, hostSm: 0, sm: -1, slot: -1, start: 0, count: 0, chunks: [], times: [] };
    launch.warpByKey.set(key, warp);
    launch.warpList.push(warp);
  }
  return warp;
}
