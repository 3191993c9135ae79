/* Search: text of source and disassembly, addresses, and conditions on instructions.  Matches are found in the order of warps and
 * their instructions, from the cursor on and round. */

const SEARCH_HELP = [
  ["vlw12", "instructions, functions or source lines with this text"],
  ["0x80000040", "an instruction's address, or an address in memory"],
  ["line 12", "instructions of a source line"],
  ["lanes<8", "instructions with fewer than 8 active lanes (also = and >)"],
  ["wait>100", "instructions that waited for more than 100 cycles"],
  ["stall memory", "instructions that waited for memory (or: barrier, scoreboard …)"],
  ["warp 5", "goes to warp 5 of the launch"],
  ["cycle 1200", "goes to a cycle"],
];

class Search {
  constructor(app) {
    this.app = app;
    this.input = document.getElementById("search");
    this.status = document.getElementById("search-status");
    this.query = null;
    this.input.addEventListener("input", () => this.set(this.input.value));
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") {
        this.input.value = "";
        this.set("");
        this.input.blur();
      } else return;
      event.preventDefault();
    });
  }

  set(text) {
    text = text.trim();
    this.query = text ? this.parse(text) : null;
    this.app.code.showMatches(this.query && this.query.rows);
    this.status.textContent = !this.query ? "" : this.query.rows ? (this.query.count ? `${grouped(this.query.count)} ×` : "nothing") : "↵";
    this.status.classList.toggle("none", !!this.query && this.query.rows !== undefined && !this.query.count);
  }

  parse(text) {
    const { launch } = this.app;
    const number = /^(warp|cycle|line|lanes|wait)\s*([<>=]?)\s*(\d+)$/i.exec(text);
    const stall = /^stall\s*[: ]\s*(.+)$/i.exec(text);
    if (stall) {
      const at = STALL_WORDS.findIndex((word) => word.name.startsWith(stall[1].toLowerCase()));
      return { steps: (warp) => (at > 0 ? launch.stepsThatWait(warp, at) : []) };
    }
    if (number) {
      const value = Number(number[3]), compare = { "<": (a) => a < value, ">": (a) => a > value, "=": (a) => a === value, "": (a) => a === value }[number[2]];
      switch (number[1].toLowerCase()) {
        case "warp": return { go: () => launch.warps[value] && this.app.select(launch.warps[value], 0) };
        case "cycle": return { go: () => this.app.select(this.app.warp, launch.stepAt(this.app.warp, value)) };
        case "line": return this.rows((row) => row.line === value);
        case "lanes": return { test: (warp, step) => launch.program.at(launch.row[warp.start + step]).isVector && compare(launch.lanesAt(warp.start + step)) };
        case "wait": return { test: (warp, step) => compare(this.app.waited(warp, step)) };
      }
    }
    if (/^(0x)?[0-9a-f]{6,8}$/i.test(text)) {
      const address = parseInt(text.replace(/^0x/i, ""), 16);
      if (launch.program.rowOf(address) < launch.program.rows.length) return this.rows((row) => row.pc === address);
      return { steps: (warp) => launch.stepsThatTouch(warp, address) };
    }
    const wanted = text.toLowerCase();
    const source = (row) => row.line && launch.program.files[row.file].lines ? launch.program.files[row.file].lines[row.line - 1] || "" : "";
    return this.rows((row) => [row.text, row.function ? row.function.name : "", source(row)].some((one) => one.toLowerCase().includes(wanted)));
  }
  rows(test) {
    const { launch } = this.app;
    const rows = new Uint8Array(launch.program.rows.length + 1);
    let count = 0;
    launch.program.rows.forEach((row, at) => {
      rows[at] = test(row) ? 1 : 0;
      count += rows[at] * launch.issued[at];
    });
    return { rows, count, test: (warp, step) => rows[launch.row[warp.start + step]] };
  }

  /* To the next match (1) or the last one (-1). */
  next(direction) {
    const { query } = this;
    if (!query) return this.input.focus();
    if (query.go) return query.go();
    if (!(query.steps ? this.app.findStep(direction, query.steps) : this.app.find(direction, query.test))) this.status.textContent = "nothing";
  }
}
