/* What the colours mean, and the words of the legend.  The colours are those of Okabe and Ito, which people with any kind of colour
 * vision tell apart; style.css has them for both themes. */

const STALL_WORDS = [
  { key: "issued", name: "issues", text: "The warp starts an instruction in this cycle. Everything else is waiting." },
  { key: "fetch", name: "no instruction", text: "The next instruction has not been fetched yet, or a scalar branch is not decided." },
  { key: "scoreboard", name: "scoreboard", text: "The next instruction needs a result that an earlier one is still computing." },
  { key: "bank", name: "bank conflict", text: "The instruction is reading its registers, and their banks serve others first." },
  { key: "unit", name: "unit busy", text: "The unit that should execute it is busy, or another warp had its turn." },
  { key: "memory", name: "memory", text: "It waits for a load, or the load/store unit has no room." },
  { key: "barrier", name: "barrier", text: "It waits for the other warps of its workgroup at a barrier." },
  { key: "divergence", name: "divergence", text: "A branch on which lanes may part, or the join after it, is being resolved." },
  { key: "empty", name: "starting", text: "The warp has its slot, and its registers are being set." },
];

const LANE_WORDS = [
  { key: "active", name: "active", text: "The lane executes the instruction." },
  { key: "scalar", name: "scalar", text: "A scalar instruction: it is executed once, for the whole warp." },
  { key: "masked", name: "masked", text: "The lane is switched off: it took the other side of a branch and waits on the SIMT stack." },
  { key: "absent", name: "absent", text: "The lane has no work-item: the workgroup does not fill the warp." },
  { key: "waiting", name: "waiting", text: "Nothing executes; the colour says why. The wider, the longer." },
];

/* The colours of the current theme. */
const palette = {
  stall: [], ink: "", muted: "", line: "", panel: "", accent: "", masked: "", absent: "",
  read() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    this.stall = STALL_WORDS.map((word) => get(`--${word.key}`));
    for (const name of ["ink", "muted", "line", "panel", "accent", "masked", "absent", "scalar", "cursor", "band"]) this[name] = get(`--${name}`);
    this.mono = get("--mono");
  },
  /* Lanes go round the hues in steps that stay distinct next to each other. */
  lane(lane, lanes) {
    return `hsl(${Math.round(205 + (lane * 300) / lanes) % 360} 62% 52%)`;
  },
};

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("cy-view-theme", theme);
  } catch { /* pages from files may have no storage */ }
  palette.read();
}

function firstTheme() {
  try {
    const kept = localStorage.getItem("cy-view-theme");
    if (kept) return kept;
  } catch { /* see above */ }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
