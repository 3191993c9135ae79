/* Memory at the cursor: the lines that an instruction touches, and which lane touches which word of them; below, the lines that the
 * warp touches over time. */

const WORDS = 32, MEMORY_LABEL = 112, MOST_ROWS = 64, NEAR = 20000;

class Memory {
  constructor(app) {
    this.app = app;
    this.head = document.getElementById("memory-head");
    this.empty = document.getElementById("memory-empty");
    this.rows = [];
    this.pattern = new Drawing(document.getElementById("memory-canvas"), (context, width) => this.drawPattern(context, width));
    this.history = new Drawing(document.getElementById("history-canvas"), (context, width, height) => this.drawHistory(context, width, height));
    this.dots = [];
    const hover = (event) => this.hover(event);
    this.pattern.canvas.addEventListener("pointermove", hover);
    this.pattern.canvas.addEventListener("pointerleave", () => app.tip(null));
    this.history.canvas.addEventListener("click", (event) => {
      const dot = this.nearest(this.history.place(event));
      if (dot) app.select(app.warp, dot.step);
    });
  }

  show(launch) {
    this.launch = launch;
    this.known = null;
  }
  isLocal(address) {
    const { local_base: base, local_end: end } = this.app.trace.machine;
    return base !== undefined && address >= base && address < end;
  }

  /* ---- the instruction at the cursor ---- */

  at(insn) {
    this.insn = insn;
    this.rows = [];
    const lines = new Map();
    for (const access of insn.accesses)
      access.lanes.forEach((lane, i) => {
        const address = access.addresses[i], line = Math.floor(address / LINE);
        if (!lines.has(line)) lines.set(line, []);
        lines.get(line).push({ lane, word: Math.floor((address % LINE) / 4), words: Math.max(1, access.size / 4), address, access });
      });
    this.rows = [...lines].sort((a, b) => a[0] - b[0]).map(([line, touches]) => ({ line, touches }));
    const none = !this.rows.length;
    this.empty.hidden = !none;
    this.pattern.canvas.hidden = none;
    this.head.replaceChildren(...(none ? [] : this.summary(insn.accesses)));
    this.high = this.rows.length > 8 ? 12 : 17; /* of a row */
    this.pattern.canvas.style.height = `${Math.min(this.rows.length, MOST_ROWS) * this.high + 20}px`;
    this.pattern.now();
    this.findHistory();
    this.history.request();
  }

  summary(accesses) {
    const lanes = new Set(accesses.flatMap((access) => access.lanes)).size;
    const local = accesses.every((access) => access.addresses.every((address) => this.isLocal(address)));
    const kind = accesses.some((access) => access.read && access.write) ? "update" : accesses[0].write ? "write" : "read";
    const words = [make("span", { class: "chip" }, kind), ` ${plural(lanes, "lane")} × ${accesses[0].size} bytes `];
    if (local) {
      const passes = this.passes();
      words.push(make("b", {}, `${plural(passes, "pass").replace("passs", "passes")} through the banks`),
        passes > 1 ? ": lanes want different words of the same bank" : ": no bank conflict");
    } else {
      const count = this.rows.length, least = Math.max(1, Math.ceil((lanes * accesses[0].size) / LINE));
      words.push(make("b", {}, `${plural(count, "line")} of memory`),
        lanes === 1 ? "" : count <= least ? ": coalesced" : count >= lanes ? ": scattered, every lane its own line" : `: ${least} would do`);
    }
    return words;
  }
  /* Times that an access goes through the banks of local memory: words of the busiest bank. */
  passes() {
    const banks = new Map();
    for (const row of this.rows)
      for (const touch of row.touches) {
        const bank = touch.word % WORDS;
        if (!banks.has(bank)) banks.set(bank, new Set());
        banks.get(bank).add(Math.floor(touch.address / 4));
      }
    return Math.max(...[...banks.values()].map((set) => set.size));
  }

  drawPattern(context, width) {
    const cell = (width - MEMORY_LABEL) / WORDS;
    context.textBaseline = "middle";
    context.font = "10px " + palette.mono;
    context.fillStyle = palette.muted;
    for (let word = 0; word < WORDS; word += 8) context.fillText(`+${(4 * word).toString(16)}`, MEMORY_LABEL + word * cell + 1, 8);
    this.rows.slice(0, MOST_ROWS).forEach((row, at) => {
      const y = 18 + at * this.high;
      context.font = "10px " + palette.mono;
      context.fillStyle = palette.muted;
      context.fillText(this.label(row.line * LINE), 4, y + this.high / 2 - 1);
      context.fillStyle = palette.absent;
      for (let word = 0; word < WORDS; word++) context.fillRect(MEMORY_LABEL + word * cell, y, cell - 1, this.high - 3);
      const seen = new Map();
      for (const touch of row.touches)
        for (let word = touch.word; word < touch.word + touch.words && word < WORDS; word++) {
          context.fillStyle = palette.lane(touch.lane, this.launch.lanes);
          context.fillRect(MEMORY_LABEL + word * cell, y, cell - 1, this.high - 3);
          seen.set(word, [...(seen.get(word) || []), touch.lane]);
        }
      context.fillStyle = "#fff";
      context.font = "9px " + palette.mono;
      if (cell >= 10)
        for (const [word, lanes] of seen) {
          const text = lanes.length > 1 ? `×${lanes.length}` : String(lanes[0]);
          const half = context.measureText(text).width / 2;
          if (2 * half < cell + 2) context.fillText(text, MEMORY_LABEL + (word + 0.5) * cell - 0.5 - half, y + this.high / 2 - 1);
        }
    });
  }
  label(address) {
    const buffer = this.launch.bufferOf(address) || this.launch.bufferOf(address + LINE - 1);
    if (!buffer || !buffer.name) return this.isLocal(address) ? `local ${hex(address).slice(-5)}` : hex(address);
    const offset = address - buffer.address;
    return `${buffer.name.slice(0, 9)} ${offset < 0 ? "-" : "+"}0x${Math.abs(offset).toString(16)}`;
  }
  hover(event) {
    const place = this.pattern.place(event);
    const row = this.rows[Math.floor((place.y - 18) / this.high)];
    const word = Math.floor(((place.x - MEMORY_LABEL) / (this.pattern.width - MEMORY_LABEL)) * WORDS);
    if (!row || word < 0) return this.app.tip(null);
    const touches = row.touches.filter((touch) => word >= touch.word && word < touch.word + touch.words);
    const address = row.line * LINE + 4 * word;
    const lanes = touches.map((touch) => touch.lane);
    this.app.tip([`${hex(address)} ${this.launch.bufferOf(address) ? this.launch.bufferOf(address).name : ""}`,
      lanes.length ? `${lanes.length === 1 ? "lane" : "lanes"} ${lanes.slice(0, 12).join(", ")}${lanes.length > 12 ? " …" : ""}` : "not touched"], event);
  }

  /* ---- over time ---- */

  /* The accesses near the cursor, decoded once per place. */
  findHistory() {
    const { warp, step } = this.app;
    const from = Math.max(0, Math.floor((step - NEAR / 2) / NEAR) * NEAR);
    const key = `${warp.key} ${from}`;
    if (this.known === key) return;
    this.known = key;
    this.dots = [];
    for (const chunk of warp.chunks) {
      if (chunk.first + chunk.count <= from || chunk.first >= from + 2 * NEAR) continue;
      const cursor = new InsnCursor(this.launch.trace.bytes, chunk);
      for (let i = 0; i < chunk.count && this.dots.length < 60000; i++) {
        cursor.next();
        for (const access of cursor.accesses)
          access.lanes.forEach((lane, k) =>
            this.dots.push({ step: chunk.first + i, line: Math.floor(access.addresses[k] / LINE), write: access.write, lane }));
      }
    }
    const lines = [...new Set(this.dots.map((dot) => dot.line))].sort((a, b) => a - b);
    this.rank = new Map(lines.map((line, at) => [line, at]));
  }
  historyX(step, width) {
    const first = this.dots[0].step, last = this.dots[this.dots.length - 1].step;
    return 8 + ((step - first) / Math.max(1, last - first)) * (width - 16);
  }
  historyY(line, height) {
    return height - 10 - (this.rank.get(line) / Math.max(1, this.rank.size - 1)) * (height - 20);
  }
  drawHistory(context, width, height) {
    document.getElementById("history").hidden = !this.dots.length;
    if (!this.dots.length) return;
    const size = this.dots.length > 4000 ? 2 : 3.5;
    for (const dot of this.dots) {
      context.fillStyle = dot.write ? palette.stall[5] : palette.stall[ISSUED];
      context.fillRect(this.historyX(dot.step, width) - size / 2, this.historyY(dot.line, height) - size / 2, size, size);
    }
    const x = this.historyX(this.app.step, width);
    context.fillStyle = palette.cursor;
    context.fillRect(x - 0.75, 0, 1.5, height);
  }
  nearest(place) {
    let best = null, least = Infinity;
    for (const dot of this.dots) {
      const far = Math.abs(this.historyX(dot.step, this.history.width) - place.x);
      if (far < least) [best, least] = [dot, far];
    }
    return best;
  }
}
