/* Source beside disassembly.  The bar of a line is its share of what is measured: cycles of warps, instructions issued, or lanes that
 * were idle. */

const HEATS = {
  cycles: { name: "cycles", of: (launch, row) => launch.cost[row], text: "cycles of all warps: issued and waited" },
  issued: { name: "issued", of: (launch, row) => launch.issued[row], text: "warp instructions issued" },
  idle: {
    name: "idle lanes",
    of: (launch, row) => (launch.program.at(row).isVector ? launch.issued[row] * launch.lanes - launch.activeLanes[row] : 0),
    text: "lanes that were switched off while the others executed",
  },
};

class Code {
  constructor(app) {
    this.app = app;
    this.source = document.getElementById("source-lines");
    this.assembly = document.getElementById("assembly-lines");
    this.files = document.getElementById("source-file");
    this.files.addEventListener("change", () => this.showFile(Number(this.files.value)));
    this.heat = "cycles";
  }

  show(launch) {
    this.launch = launch;
    this.file = -1;
    this.byLine = new Map(); /* "file:line": rows */
    launch.program.rows.forEach((row, at) => {
      const key = `${row.file}:${row.line}`;
      if (!row.line) return;
      if (!this.byLine.has(key)) this.byLine.set(key, []);
      this.byLine.get(key).push(at);
    });
    const { files } = launch.program;
    this.files.replaceChildren(...files.map((file, at) => make("option", { value: at }, file.path.split("/").pop())));
    this.files.hidden = files.length < 2;
    this.showAssembly();
    this.showFile(this.hottestFile());
  }
  hottestFile() {
    const sums = this.launch.program.files.map(() => 0);
    this.launch.program.rows.forEach((row, at) => row.file >= 0 && (sums[row.file] += this.launch.cost[at]));
    return sums.length ? sums.indexOf(Math.max(...sums)) : -1;
  }

  /* ---- rows ---- */

  showFile(at) {
    const file = this.launch.program.files[at];
    this.file = at;
    this.files.value = String(at);
    this.sourceRows = [];
    document.getElementById("source-name").textContent = file ? file.path.split("/").pop() : "";
    if (!file || !file.lines) {
      this.source.replaceChildren(make("p", { class: "quiet empty" }, file ? `${file.path} could not be read when the run was recorded.`
        : "The program has no line table: it was assembled, or compiled without one. The disassembly has everything else."));
      return;
    }
    const lines = file.lines.length && !file.lines[file.lines.length - 1] ? file.lines.slice(0, -1) : file.lines;
    this.source.replaceChildren(...lines.map((text, i) => {
      const node = this.row(String(i + 1), text);
      node.dataset.line = i + 1;
      this.sourceRows[i + 1] = node;
      if (this.byLine.has(`${at}:${i + 1}`)) node.addEventListener("click", () => this.app.runTo(this.byLine.get(`${at}:${i + 1}`)));
      else node.classList.add("cold");
      return node;
    }));
    this.paint();
    this.mark(this.row_);
  }
  showAssembly() {
    const { program, issued } = this.launch;
    this.assemblyRows = [];
    const ran = new Set(program.rows.filter((row, at) => issued[at]).map((row) => row.function));
    const nodes = [];
    let current, hidden = new Set();
    program.rows.forEach((row, at) => {
      if (!ran.has(row.function)) return hidden.add(row.function);
      if (row.function !== current) nodes.push(make("div", { class: "function" }, row.function ? row.function.name : "(no symbol)"));
      current = row.function;
      const node = this.row(hex(row.pc).slice(2), row.text);
      node.dataset.row = at;
      node.classList.toggle("cold", !issued[at]);
      if (issued[at]) node.addEventListener("click", () => this.app.runTo([at]));
      nodes.push((this.assemblyRows[at] = node));
    });
    if (hidden.size) nodes.push(make("p", { class: "quiet empty" }, `${plural(hidden.size, "function")} that did not run: not shown.`));
    if (!nodes.length) nodes.push(make("p", { class: "quiet empty" }, "The program has no code that could be shown."));
    this.assembly.replaceChildren(...nodes);
  }
  row(label, text) {
    return make("div", { class: "row" }, make("span", { class: "share" }), make("span", { class: "label" }, label), make("code", {}, text || " "));
  }

  /* ---- heat ---- */

  setHeat(heat) {
    this.heat = heat;
    this.paint();
  }
  paint() {
    const { of } = HEATS[this.heat], { launch } = this;
    const heats = launch.program.rows.map((row, at) => of(launch, at));
    const total = heats.reduce((sum, heat) => sum + heat, 0) + of(launch, launch.program.rows.length);
    const sums = (this.sourceRows || []).map((node, line) => (this.byLine.get(`${this.file}:${line}`) || []).reduce((sum, at) => sum + heats[at], 0));
    const warm = (nodes, values, rowsOf) => {
      const most = values.reduce((best, value) => Math.max(best, value), 0);
      nodes.forEach((node, at) => {
        const share = total ? values[at] / total : 0;
        node.style.setProperty("--heat", most ? (values[at] / most).toFixed(4) : 0);
        node.firstChild.textContent = share >= 0.0005 ? `${(100 * share).toFixed(1)}` : "";
        node.title = rowsOf(at).length ? this.describe(rowsOf(at)) : "";
      });
    };
    warm(this.assemblyRows, heats, (at) => (launch.issued[at] ? [at] : []));
    warm(this.sourceRows || [], sums, (line) => (this.byLine.get(`${this.file}:${line}`) || []).filter((at) => launch.issued[at]));
  }
  /* A few words about instructions, for a tool tip. */
  describe(rows) {
    const { launch } = this;
    const sum = (array) => rows.reduce((total, at) => total + array[at], 0);
    const words = [`issued ${grouped(sum(launch.issued))} times, ${grouped(sum(launch.cost))} cycles`];
    const waits = STALL_WORDS.map((word, stall) => [rows.reduce((total, at) => total + launch.stalls[at * STALLS + stall], 0), word.name])
      .filter(([cycles], stall) => cycles && stall !== ISSUED && stall !== EMPTY).sort((a, b) => b[0] - a[0]);
    if (waits.length) words.push("waits: " + waits.slice(0, 3).map(([cycles, name]) => `${name} ${percent(cycles, sum(launch.cost))}`).join(", "));
    const vector = rows.filter((at) => launch.program.at(at).isVector);
    if (vector.length)
      words.push(`lanes ${(vector.reduce((n, at) => n + launch.activeLanes[at], 0) / vector.reduce((n, at) => n + launch.issued[at], 0)).toFixed(1)} of ${launch.lanes}`);
    if (sum(launch.touched)) words.push(`${(sum(launch.lines) / sum(launch.touched)).toFixed(2)} lines of memory per access`);
    return words.join("\n");
  }

  /* ---- the cursor ---- */

  mark(at) {
    this.row_ = at;
    const row = this.launch.program.at(at);
    if (row.line && row.file !== this.file && this.launch.program.files[row.file]) return this.showFile(row.file);
    for (const node of document.querySelectorAll(".row.here, .row.kin")) node.classList.remove("here", "kin");
    const node = this.assemblyRows[at], line = row.line ? (this.sourceRows || [])[row.line] : null;
    for (const kin of (row.line && this.byLine.get(`${row.file}:${row.line}`)) || []) if (this.assemblyRows[kin]) this.assemblyRows[kin].classList.add("kin");
    for (const [one, box] of [[node, this.assembly], [line, this.source]]) {
      if (!one) continue;
      one.classList.add("here");
      reveal(one, box);
    }
  }
  showMatches(rows) {
    this.assemblyRows.forEach((node, at) => node.classList.toggle("match", !!rows && rows[at] === 1));
    (this.sourceRows || []).forEach((node, line) =>
      node.classList.toggle("match", !!rows && (this.byLine.get(`${this.file}:${line}`) || []).some((at) => rows[at])));
  }
}

/* Scrolls a box, and nothing around it, until a row of it is visible with some room; the box is the row's offset parent. */
function reveal(node, box) {
  const top = node.offsetTop, room = Math.min(80, box.clientHeight / 4);
  if (top < box.scrollTop + room) box.scrollTop = Math.max(0, top - room);
  else if (top + node.offsetHeight > box.scrollTop + box.clientHeight - room) box.scrollTop = top + node.offsetHeight - box.clientHeight + room;
}
