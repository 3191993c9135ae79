/* The SIMT stack at the cursor, the lanes that run now on top. */

class Stack {
  constructor() {
    this.box = document.getElementById("stack");
  }
  show(launch) {
    this.launch = launch;
  }
  at(insn) {
    this.depth = insn.stack.length;
    const rows = [this.entry("running", insn.activeLow, insn.activeHigh, insn.pc, insn.rpc, "now")];
    for (const entry of [...insn.stack].reverse()) rows.push(this.entry("waiting", entry.low, entry.high, entry.pc, entry.rpc, "at"));
    if (!insn.stack.length)
      rows.push(make("p", { class: "quiet" }, "The stack is empty: no branch has split the warp, all its lanes run together."));
    this.box.replaceChildren(...rows);
  }
  entry(kind, low, high, pc, rpc, word) {
    const cells = make("span", { class: "mask" });
    for (let lane = 0; lane < this.launch.lanes; lane++)
      cells.append(make("i", (lane < 32 ? low >>> lane : high >>> (lane - 32)) & 1 ? { class: "on" } : {}));
    const lanes = countBits(low) + countBits(high);
    const where = (at) => `${hex(at).slice(2)} ${this.launch.program.describe(at)}`.trim();
    const joins = kind === "waiting" && pc === rpc;
    return make("div", { class: `entry ${kind}` },
      make("div", { class: "entry-head" },
        make("b", {}, kind === "running" ? `${plural(lanes, "lane")} run` : `${plural(lanes, "lane")} ${joins ? "meet again" : "wait"}`),
        make("code", {}, `${word} ${where(pc)}`),
        kind === "running" && rpc && this.depth ? make("code", { class: "quiet" }, `joins at ${where(rpc)}`) : ""),
      cells);
  }
}
