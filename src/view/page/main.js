/* The page: what is selected, keys, and the parts that show it. */

class App {
  constructor(trace) {
    this.trace = trace;
    this.warp = null;
    this.step = 0;
    this.code = new Code(this);
    this.timeline = new Timeline(this);
    this.lanes = new Lanes(this);
    this.stack = new Stack(this);
    this.memory = new Memory(this);
    this.search = new Search(this);
    this.tipBox = document.getElementById("tip");
    this.fillLegend();
    this.listen();
  }

  /* ---- launches ---- */

  async open(number, onProgress) {
    const info = this.trace.launches[number];
    if (!info.loaded) {
      info.loaded = new Launch(this.trace, info);
      await info.loaded.load(onProgress);
    }
    this.launch = info.loaded;
    this.number = number;
    document.body.classList.toggle("no-warps", !this.launch.warps.length);
    document.getElementById("launch").value = String(number);
    this.showFacts();
    if (!this.launch.warps.length) return;
    this.warp = null;
    for (const part of [this.code, this.timeline, this.lanes, this.stack, this.memory]) part.show(this.launch);
    this.search.set(this.search.input.value);
    this.select(this.launch.warps[0], 0);
  }

  showFacts() {
    const { launch } = this, { info } = launch;
    const issued = launch.count, cycles = info.cycles;
    const facts = [[cycles === null ? "?" : grouped(cycles), "cycles"], [grouped(issued), "warp instructions"], [grouped(launch.warps.length), "warps"]];
    if (cycles) facts.push([(issued / cycles / Math.max(1, new Set(launch.tracks.map((track) => track.sm)).size)).toFixed(2), "per cycle and SM"]);
    if (launch.vectorIssued) facts.push([percent(launch.vectorLanes, launch.vectorIssued * launch.lanes), "of lanes active"]);
    document.getElementById("facts").replaceChildren(...facts.map(([value, name]) => make("span", { class: "fact" }, make("b", {}, value), ` ${name}`)));
    document.title = `${info.kernel} – Chengying`;
    const notes = [];
    if (info.message) notes.push(info.message);
    if (launch.untimed) notes.push(`${plural(launch.untimed, "instruction")} without a cycle: shown one after the other.`);
    if (this.trace.leftOut) notes.push(`${plural(this.trace.leftOut, "instruction")} beyond the limit of the trace: not recorded.`);
    const box = document.getElementById("notes");
    box.hidden = !notes.length;
    box.textContent = notes.join("\n");
  }

  /* ---- the cursor ---- */

  select(warp, step) {
    this.warp = warp;
    this.step = Math.max(0, Math.min(step, warp.count - 1));
    const i = warp.start + this.step;
    const insn = this.launch.insn(warp, this.step);
    this.code.mark(this.launch.row[i]);
    this.timeline.reveal(this.launch.cycle[i], warp.track);
    this.lanes.drawing.request();
    this.stack.at(insn);
    this.memory.at(insn);
    this.showNow(i);
    Object.assign(document.body.dataset, { launch: this.number, warp: warp.at, step: this.step, cycle: this.launch.cycle[i] });
    history.replaceState(null, "", `#launch=${this.number}&warp=${warp.at}&step=${this.step}`);
  }
  waited(warp, step) {
    const { cycle } = this.launch, i = warp.start + step;
    return step ? cycle[i] - cycle[i - 1] - 1 : cycle[i] - warp.begin;
  }

  showNow(i) {
    const { launch, warp, step } = this;
    const row = launch.program.at(launch.row[i]);
    const waits = launch.waits(warp, step);
    const total = waits.reduce((sum, cycles) => sum + cycles, 0);
    const bar = make("div", { class: "waits" });
    const words = [];
    for (let stall = 1; stall < STALLS; stall++) {
      if (!waits[stall]) continue;
      bar.append(make("i", { style: `flex-grow:${waits[stall]};background:var(--${STALL_WORDS[stall].key})` }));
      words.push(`${grouped(waits[stall])} ${STALL_WORDS[stall].name}`);
    }
    const lanes = launch.lanesAt(i);
    document.getElementById("now").replaceChildren(
      make("div", { class: "now-place" }, `workgroup ${warp.group} · warp ${warp.index} · SM ${warp.sm} slot ${warp.slot}`,
        make("span", {}, `step ${grouped(step)} of ${grouped(warp.count)} · cycle ${grouped(launch.cycle[i])}`)),
      make("div", { class: "now-insn" }, make("code", {}, row.text)),
      make("div", { class: "now-words" },
        row.isVector ? `${lanes} of ${launch.lanes} lanes execute it` : "scalar: executed once for the warp",
        total ? make("span", {}, `waited ${plural(total, "cycle")}: ${words.join(", ")}`) : make("span", {}, "did not wait")),
      ...(total ? [bar] : []));
  }

  /* The next (1) or last (-1) instruction that passes a test, in this warp and then in the others.  False: none does. */
  find(direction, test) {
    const { launch } = this;
    for (let turn = 0, at = this.warp.at; turn <= launch.warps.length; turn++, at = (at + direction + launch.warps.length) % launch.warps.length) {
      const warp = launch.warps[at];
      const first = turn ? (direction > 0 ? 0 : warp.count - 1) : this.step + direction;
      for (let step = first; step >= 0 && step < warp.count; step += direction)
        if (test(warp, step)) {
          this.select(warp, step);
          return true;
        }
    }
    return false;
  }
  /* The same with a function that lists the steps of a warp, in order. */
  findStep(direction, steps) {
    const { launch } = this;
    for (let turn = 0, at = this.warp.at; turn <= launch.warps.length; turn++, at = (at + direction + launch.warps.length) % launch.warps.length) {
      const list = steps(launch.warps[at]);
      const step = direction > 0 ? list.find((one) => turn || one > this.step) : list.findLast((one) => turn || one < this.step);
      if (step === undefined) continue;
      this.select(launch.warps[at], step);
      return true;
    }
    return false;
  }
  /* To the next time that one of these rows is executed. */
  runTo(rows) {
    const wanted = new Set(rows);
    this.find(1, (warp, step) => wanted.has(this.launch.row[warp.start + step]));
  }
  /* To another warp, at the same time if it runs then. */
  changeWarp(by) {
    const { tracks } = this.launch, cycle = this.launch.cycle[this.warp.start + this.step];
    const track = tracks[(this.warp.track.at + by + tracks.length) % tracks.length];
    const warp = track.warps.findLast((one) => one.begin <= cycle) || track.warps[0];
    this.select(warp, this.launch.stepAt(warp, cycle));
  }
  /* To the next or last instruction that any warp of this SM issues. */
  stepSm(direction) {
    const { launch } = this, now = launch.cycle[this.warp.start + this.step];
    let best = null;
    for (const track of launch.tracks) {
      if (track.sm !== this.warp.sm) continue;
      for (const warp of track.warps) {
        if (direction > 0 ? warp.end <= now : warp.begin > now) continue;
        let step = launch.stepAt(warp, now);
        if (direction > 0) while (step < warp.count && launch.cycle[warp.start + step] <= now) step++;
        else while (step >= 0 && launch.cycle[warp.start + step] >= now) step--;
        if (step < 0 || step >= warp.count) continue;
        const cycle = launch.cycle[warp.start + step];
        if (!best || (direction > 0 ? cycle < best.cycle : cycle > best.cycle)) best = { warp, step, cycle };
      }
    }
    if (best) this.select(best.warp, best.step);
  }
  isSplit(warp, step) {
    const i = warp.start + step;
    return step > 0 && this.launch.lanesAt(i) < this.launch.lanesAt(i - 1);
  }

  /* ---- keys and buttons ---- */

  listen() {
    const keys = {
      ArrowRight: (event) => this.select(this.warp, this.step + (event.shiftKey ? 10 : 1)),
      ArrowLeft: (event) => this.select(this.warp, this.step - (event.shiftKey ? 10 : 1)),
      ArrowDown: () => this.changeWarp(1),
      ArrowUp: () => this.changeWarp(-1),
      Home: () => this.select(this.warp, 0),
      End: () => this.select(this.warp, this.warp.count - 1),
      "]": () => this.stepSm(1),
      "[": () => this.stepSm(-1),
      m: () => this.find(1, (warp, step) => this.launch.accessesMemory(warp.start + step)),
      M: () => this.find(-1, (warp, step) => this.launch.accessesMemory(warp.start + step)),
      d: () => this.find(1, (warp, step) => this.isSplit(warp, step)),
      D: () => this.find(-1, (warp, step) => this.isSplit(warp, step)),
      w: () => this.find(1, (warp, step) => this.waited(warp, step) >= 20),
      W: () => this.find(-1, (warp, step) => this.waited(warp, step) >= 20),
      n: () => this.search.next(1),
      N: () => this.search.next(-1),
      "/": () => this.search.input.focus(),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.timeline.fit(),
      t: () => this.changeTheme(),
      "?": () => this.help(),
      Escape: () => document.getElementById("help").close(),
    };
    keys.l = keys.ArrowRight;
    keys.h = keys.ArrowLeft;
    keys.j = keys.ArrowDown;
    keys.k = keys.ArrowUp;
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
      const act = keys[event.key];
      if (!act || !this.warp) return;
      event.preventDefault();
      act(event);
    });
    const click = (id, act) => document.getElementById(id).addEventListener("click", act);
    click("step-back", () => keys.ArrowLeft({}));
    click("step-next", () => keys.ArrowRight({}));
    click("zoom-in", () => this.zoom(0.5));
    click("zoom-out", () => this.zoom(2));
    click("zoom-fit", () => this.timeline.fit());
    click("lanes-in", () => this.lanes.zoom(1.5));
    click("lanes-out", () => this.lanes.zoom(1 / 1.5));
    click("theme", () => this.changeTheme());
    click("help-open", () => this.help());
    click("next-memory", () => keys.m());
    for (const button of document.querySelectorAll("#heat button"))
      button.addEventListener("click", () => {
        for (const other of document.querySelectorAll("#heat button")) other.setAttribute("aria-pressed", String(other === button));
        this.code.setHeat(button.value);
      });
    document.getElementById("launch").addEventListener("change", (event) => openLaunch(this, Number(event.target.value)));
    addEventListener("resize", () => this.launch && this.launch.warps.length && this.resize());
  }
  resize() {
    const { from, to } = this.timeline;
    this.timeline.show(this.launch);
    this.timeline.setRange(from, to);
  }
  zoom(factor) {
    this.timeline.zoom(factor, this.launch.cycle[this.warp.start + this.step]);
  }
  changeTheme() {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    for (const part of [this.timeline.drawing, this.lanes.drawing, this.memory.pattern, this.memory.history]) part.request();
  }
  help() {
    const box = document.getElementById("help");
    if (box.open) box.close();
    else box.showModal();
  }

  /* A few lines next to the pointer; null hides them. */
  tip(lines, event) {
    this.tipBox.hidden = !lines;
    if (!lines) return;
    this.tipBox.replaceChildren(...lines.map((line) => make("div", {}, line)));
    const box = this.tipBox.getBoundingClientRect();
    this.tipBox.style.left = `${Math.min(event.clientX + 14, innerWidth - box.width - 8)}px`;
    this.tipBox.style.top = `${Math.min(event.clientY + 16, innerHeight - box.height - 8)}px`;
  }

  fillLegend() {
    const chips = STALL_WORDS.slice(0, EMPTY).map((word) => make("span", { class: "key", title: word.text }, make("i", { style: `background:var(--${word.key})` }), word.name));
    document.getElementById("legend").replaceChildren(...chips);
    const lane = (word) => make("span", { class: "key", title: word.text }, make("i", { class: `lane-${word.key}` }), word.name);
    document.getElementById("lane-legend").replaceChildren(...LANE_WORDS.map(lane));
    const full = (words, chip) => words.flatMap((word) => [make("dt", {}, chip(word), word.name), make("dd", {}, word.text)]);
    document.getElementById("help-stalls").replaceChildren(...full(STALL_WORDS.slice(0, EMPTY), (word) => make("i", { class: "swatch", style: `background:var(--${word.key})` })));
    document.getElementById("help-lanes").replaceChildren(...full(LANE_WORDS, (word) => make("i", { class: `swatch lane-${word.key}` })));
    document.getElementById("help-search").replaceChildren(...SEARCH_HELP.flatMap(([text, words]) => [make("dt", {}, make("code", {}, text)), make("dd", {}, words)]));
  }
}

/* ---- the start ---- */

/* Lets the page draw at most every 40 ms while something is loaded. */
function pacer(show) {
  let last = performance.now();
  return async (part) => {
    if (performance.now() - last < 40) return;
    show(part);
    await new Promise((resume) => setTimeout(resume));
    last = performance.now();
  };
}
function showProgress(part, words) {
  document.getElementById("progress").style.width = `${Math.round(100 * part)}%`;
  document.getElementById("progress-words").textContent = words;
}

async function openLaunch(app, number) {
  document.body.dataset.state = "loading";
  const count = app.trace.launches[number].warpList.reduce((sum, warp) => sum + warp.count, 0);
  await app.open(number, pacer((part) => showProgress(0.3 + 0.7 * part, `decoding ${plural(count, "warp instruction")}`)));
  document.body.dataset.state = "ready";
}

async function start() {
  setTheme(firstTheme());
  const bytes = await unpackTrace(pacer((part) => showProgress(0.2 * part, "unpacking")));
  const trace = await parseTrace(bytes, pacer((part) => showProgress(0.2 + 0.1 * part, "reading")));
  const app = new App(trace);
  window.cyView = app; /* for tests, and for curious people at the console */
  const place = new URLSearchParams(location.hash.slice(1));
  const list = document.getElementById("launch");
  list.replaceChildren(...trace.launches.map((launch, at) =>
    make("option", { value: at }, trace.launches.length > 1 ? `${at + 1}: ${launch.kernel}` : launch.kernel)));
  list.disabled = trace.launches.length < 2;
  if (!trace.launches.length) {
    document.body.classList.add("no-warps");
    document.body.dataset.state = "ready";
    return;
  }
  await openLaunch(app, Math.min(Number(place.get("launch")) || 0, trace.launches.length - 1));
  const warp = app.launch.warps[Number(place.get("warp")) || 0];
  if (warp) app.select(warp, Number(place.get("step")) || 0);
}

start().catch((error) => {
  document.body.dataset.state = "failed";
  showProgress(0, `This browser cannot show the page: ${error.message}`);
  console.error(error);
});
