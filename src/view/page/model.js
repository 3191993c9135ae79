/* A launch in memory: one typed array per property of an instruction, sums per line of code, and levels of detail of the
 * timeline.  Stacks, addresses and stalls stay packed; a chunk is decoded again when the cursor is in it. */

const STALLS = 9; /* as in enum cy_stall: 0 issues, 8 empty */
const ISSUED = 0, EMPTY = 8;
const MOST_BUCKETS = 1 << 17;

class Launch {
  constructor(trace, info) {
    this.trace = trace;
    this.info = info;
    this.lanes = info.threads;
    this.program = new Program(trace.programs[info.program]);
    this.warps = info.warpList.filter((warp) => warp.count).sort((a, b) => a.key - b.key);
    this.count = 0;
    for (const [at, warp] of this.warps.entries()) {
      warp.at = at;
      warp.start = this.count;
      this.count += warp.count;
    }
  }

  /* Decodes everything once; `pause` is awaited now and then with what is done of it. */
  async load(pause) {
    const rows = this.program.rows.length;
    this.row = rows < 0xffff ? new Uint16Array(this.count) : new Uint32Array(this.count);
    this.low = new Uint32Array(this.count);
    this.high = this.lanes > 32 ? new Uint32Array(this.count) : null;
    this.memory = new Uint8Array((this.count + 7) >> 3); /* which instructions access memory */
    this.issued = new Float64Array(rows + 1);
    this.activeLanes = new Float64Array(rows + 1);
    this.stalls = new Float64Array((rows + 1) * STALLS);
    this.touched = new Float64Array(rows + 1); /* accesses, */
    this.lines = new Float64Array(rows + 1); /* and lines of memory */
    let done = 0;
    for (const warp of this.warps) {
      for (const chunk of warp.chunks) {
        this.decodeChunk(warp, chunk);
        done += chunk.count;
        await pause(0.6 * (done / this.count));
      }
    }
    await this.placeInTime((part) => pause(0.6 + 0.4 * part));
    this.sumUp();
  }

  decodeChunk(warp, chunk) {
    const cursor = new SkimCursor(this.trace.bytes, chunk);
    const { row, low, high, issued, activeLanes } = this;
    for (let i = warp.start + chunk.first, end = i + chunk.count; i < end; i++) {
      cursor.next();
      const at = this.program.rowOf(cursor.pc);
      row[i] = at;
      low[i] = cursor.activeLow;
      let lanes = countBits(cursor.activeLow);
      if (high) {
        high[i] = cursor.activeHigh;
        lanes += countBits(cursor.activeHigh);
      }
      issued[at]++;
      activeLanes[at] += lanes;
      if (cursor.lineCount) {
        this.memory[i >> 3] |= 1 << (i & 7);
        this.touched[at]++;
        this.lines[at] += cursor.lineCount;
      }
    }
  }

  /* ---- time ---- */

  async placeInTime(pause) {
    this.end = Math.max(this.info.cycles || 0, 1);
    for (const warp of this.warps) {
      warp.times.sort((a, b) => a.begin - b.begin);
      warp.begin = warp.times.length ? warp.times[0].begin : 0;
    }
    this.cycle = this.end < 0xffffffff ? new Uint32Array(this.count) : new Float64Array(this.count);
    this.untimed = 0;
    this.tracks = this.makeTracks();
    let done = 0;
    const total = this.tracks.reduce((sum, track) => sum + track.times.length, 0) || 1;
    const width = this.bucketWidth();
    const sums = new Uint32Array((Math.floor(this.end / width) + 1) * STALLS);
    for (const track of this.tracks) {
      sums.fill(0);
      for (const time of track.times) {
        this.decodeTime(time, sums, width);
        if (++done % 16 === 0) await pause(done / total);
      }
      track.levels = makeLevels(sums, width);
    }
    for (const warp of this.warps) this.fillUntimed(warp);
  }

  /* Cycles of the finest level of detail. */
  bucketWidth() {
    let width = 16;
    while (this.end / width > MOST_BUCKETS) width *= 2;
    return width;
  }

  /* A track is a warp slot of an SM; warps follow each other in it. */
  makeTracks() {
    const bySlot = new Map();
    for (const warp of this.warps) {
      if (!warp.times.length) { /* the launch ended before the model got there */
        warp.sm = warp.hostSm;
        warp.slot = warp.key % this.info.warps;
      }
      const key = warp.sm * this.info.warps + warp.slot;
      if (!bySlot.has(key)) bySlot.set(key, { key, sm: warp.sm, slot: warp.slot, warps: [], times: [], levels: [] });
      bySlot.get(key).warps.push(warp);
    }
    const tracks = [...bySlot.values()].sort((a, b) => a.key - b.key);
    for (const [at, track] of tracks.entries()) {
      track.at = at;
      track.warps.sort((a, b) => a.begin - b.begin);
      track.times = track.warps.flatMap((warp) => warp.times);
      for (const warp of track.warps) warp.track = track;
    }
    return tracks;
  }

  decodeTime(time, sums, width) {
    const cursor = new TimeCursor(this.trace.bytes, time);
    const { cycle, row, stalls } = this;
    const start = time.warp.start;
    while (cursor.next()) {
      const { stall, begin, end } = cursor;
      const i = start + cursor.ordinal;
      if (stall === ISSUED) cycle[i] = begin;
      stalls[row[i] * STALLS + stall] += end - begin;
      let bucket = Math.floor(begin / width);
      for (let from = begin; from < end; bucket++) {
        const to = Math.min(end, (bucket + 1) * width);
        sums[bucket * STALLS + stall] += to - from;
        from = to;
      }
    }
    time.end = cursor.end;
  }

  /* Instructions without a cycle follow their predecessor. */
  fillUntimed(warp) {
    const { cycle } = this;
    let last = warp.begin;
    for (let i = warp.start; i < warp.start + warp.count; i++) {
      if (!cycle[i]) {
        cycle[i] = last + 1;
        this.untimed++;
      }
      last = cycle[i];
    }
    warp.end = Math.max(last + 1, warp.times.length ? warp.times[warp.times.length - 1].end : 0);
    this.end = Math.max(this.end, warp.end);
  }

  sumUp() {
    const sum = (array) => array.reduce((a, b) => a + b, 0);
    this.cost = new Float64Array(this.issued.length);
    for (let row = 0; row < this.cost.length; row++)
      for (let stall = 0; stall < EMPTY; stall++) this.cost[row] += this.stalls[row * STALLS + stall];
    this.vectorIssued = 0;
    this.vectorLanes = 0;
    this.program.rows.forEach((row, at) => {
      if (!row.isVector) return;
      this.vectorIssued += this.issued[at];
      this.vectorLanes += this.activeLanes[at];
    });
    this.totalCost = sum(this.cost);
    this.totalStalls = new Float64Array(STALLS);
    this.stalls.forEach((cycles, i) => (this.totalStalls[i % STALLS] += cycles));
  }

  /* ---- at the cursor ---- */

  /* Everything that is known of an instruction. */
  insn(warp, step) {
    const chunk = warp.chunks.find((one) => step < one.first + one.count);
    const cursor = new InsnCursor(this.trace.bytes, chunk);
    for (let i = chunk.first; i <= step; i++) cursor.next();
    return cursor;
  }
  /* Calls back for every stretch of the warp that overlaps [from, to). */
  stretches(times, from, to, callback) {
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle].end <= from) low = middle + 1;
      else high = middle;
    }
    for (; low < times.length && times[low].begin < to; low++) {
      const cursor = new TimeCursor(this.trace.bytes, times[low]);
      while (cursor.next() && cursor.begin < to)
        if (cursor.end > from) callback(cursor, times[low].warp);
    }
  }
  /* Cycles that the warp waited before it issued, by stall. */
  waits(warp, step) {
    const sums = new Float64Array(STALLS);
    const to = this.cycle[warp.start + step];
    const from = step ? this.cycle[warp.start + step - 1] + 1 : warp.begin;
    if (warp.times.length && to > from)
      this.stretches(warp.times, from, to, (stretch) => {
        if (stretch.stall !== ISSUED) sums[stretch.stall] += Math.min(stretch.end, to) - Math.max(stretch.begin, from);
      });
    return sums;
  }
  /* Steps before which the warp waited for a reason. */
  stepsThatWait(warp, stall) {
    const steps = [];
    let next = 0;
    for (const time of warp.times) {
      const cursor = new TimeCursor(this.trace.bytes, time);
      while (cursor.next()) {
        if (cursor.stall === ISSUED) next = cursor.ordinal + 1;
        else if (cursor.stall === stall && steps[steps.length - 1] !== next && next < warp.count) steps.push(next);
      }
    }
    return steps;
  }
  /* Steps that access a byte of memory. */
  stepsThatTouch(warp, address) {
    const steps = [];
    for (const chunk of warp.chunks) {
      const cursor = new InsnCursor(this.trace.bytes, chunk);
      for (let i = 0; i < chunk.count; i++) {
        cursor.next();
        if (cursor.accesses.some((access) => access.addresses.some((one) => address >= one && address < one + access.size)))
          steps.push(chunk.first + i);
      }
    }
    return steps;
  }
  accessesMemory(i) {
    return (this.memory[i >> 3] >> (i & 7)) & 1;
  }
  /* The last instruction that the warp has issued at a cycle. */
  stepAt(warp, cycle) {
    let low = warp.start, high = warp.start + warp.count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.cycle[middle] <= cycle) low = middle;
      else high = middle;
    }
    return low - warp.start;
  }
  lanesAt(i) {
    return countBits(this.low[i]) + (this.high ? countBits(this.high[i]) : 0);
  }
  isActive(i, lane) {
    return lane < 32 ? (this.low[i] >>> lane) & 1 : (this.high[i] >>> (lane - 32)) & 1;
  }
  bufferOf(address) {
    return this.info.buffers.find((buffer) => address >= buffer.address && address < buffer.address + buffer.size);
  }
}

/* Levels of detail of a track, each half as fine as the last: per bucket what the warp mostly waits for, and in 255ths of its
 * cycles how often it issues and how long there is a warp. */
function makeLevels(sums, width) {
  const levels = [];
  for (let count = sums.length / STALLS; ; count = (count + 1) >> 1, width *= 2) {
    const level = { width, stall: new Uint8Array(count), issue: new Uint8Array(count), busy: new Uint8Array(count) };
    for (let bucket = 0; bucket < count; bucket++) {
      let best = EMPTY, most = 0, busy = 0;
      for (let stall = 0; stall < EMPTY; stall++) {
        const cycles = sums[bucket * STALLS + stall];
        busy += cycles;
        if (stall !== ISSUED && cycles > most) {
          most = cycles;
          best = stall;
        }
      }
      level.stall[bucket] = best;
      level.issue[bucket] = busy ? Math.ceil((255 * sums[bucket * STALLS]) / busy) : 0;
      level.busy[bucket] = Math.min(255, Math.ceil((255 * busy) / width));
    }
    levels.push(level);
    if (count <= 1) return levels;
    const half = (count + 1) >> 1;
    for (let bucket = 0; bucket < half; bucket++)
      for (let stall = 0; stall < STALLS; stall++)
        sums[bucket * STALLS + stall] =
          sums[2 * bucket * STALLS + stall] + (2 * bucket + 1 < count ? sums[(2 * bucket + 1) * STALLS + stall] : 0);
  }
}

/* Source and disassembly. */
class Program {
  constructor(text) {
    this.name = text.name;
    this.files = (text.files || []).map((file) => ({ path: file.path, lines: file.text === null ? null : file.text.split(/\r?\n/) }));
    this.functions = (text.functions || []).map(([pc, name]) => ({ pc, name }));
    this.rows = (text.rows || []).map(([pc, size, disassembly, file, line]) => ({
      pc, size, text: disassembly, file, line, isVector: /\bv\d+\b/.test(disassembly), function: null,
    }));
    this.rows.sort((a, b) => a.pc - b.pc);
    this.base = this.rows.length ? this.rows[0].pc : 0;
    const end = this.rows.length ? this.rows[this.rows.length - 1].pc + 4 : 0;
    this.byWord = new Uint32Array((end - this.base) / 4).fill(this.rows.length);
    this.rows.forEach((row, at) => (this.byWord[(row.pc - this.base) / 4] = at));
    let next = 0, current = null;
    for (const row of this.rows) {
      while (next < this.functions.length && this.functions[next].pc <= row.pc) current = this.functions[next++];
      row.function = current;
    }
  }
  /* The number of a row; one more than there are for code that is not in the program's file. */
  rowOf(pc) {
    const word = (pc - this.base) / 4;
    return word >= 0 && word < this.byWord.length ? this.byWord[word] : this.rows.length;
  }
  at(row) {
    return this.rows[row] || { pc: 0, size: 4, text: "(unknown code)", file: -1, line: 0, isVector: false, function: null };
  }
  describe(pc) {
    const row = this.rows[this.rowOf(pc)];
    return row && row.line ? `line ${row.line}` : "";
  }
}
