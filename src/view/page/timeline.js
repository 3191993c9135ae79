/* The warps of each SM over time.  From far away a column of a track shows what its warp mostly waits for, and from below how often
 * it issues; from near by, every stretch of cycles. */

const TRACK = 13, GAP = 3, SM_HEAD = 19, GUTTER = 74, AXIS = 22;

class Timeline {
  constructor(app) {
    this.app = app;
    this.box = document.getElementById("timeline");
    this.spacer = document.getElementById("timeline-space");
    this.drawing = new Drawing(document.getElementById("timeline-canvas"), (context, width, height) => this.draw(context, width, height));
    this.from = 0;
    this.to = 1;
    this.listen();
  }

  show(launch) {
    this.launch = launch;
    this.rows = []; /* y of each track, SMs with a heading */
    let y = AXIS, sm = -1;
    for (const track of launch.tracks) {
      if (track.sm !== sm) y += SM_HEAD;
      sm = track.sm;
      this.rows.push(y);
      y += TRACK + GAP;
    }
    this.full = y + 6;
    this.spacer.style.height = `${this.full}px`;
    this.box.style.height = `${Math.min(this.full + 2, Math.max(170, Math.round(innerHeight * 0.34)))}px`;
    this.drawing.canvas.style.height = `${this.box.clientHeight}px`;
    this.fit();
  }

  /* ---- the visible cycles ---- */

  fit() {
    this.setRange(0, this.launch.end);
  }
  setRange(from, to) {
    const span = Math.min(Math.max(to - from, 24), this.launch.end);
    this.from = Math.max(0, Math.min(from, this.launch.end - span));
    this.to = this.from + span;
    this.drawing.request();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.setRange(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  pan(part) {
    const by = (this.to - this.from) * part;
    this.setRange(this.from + by, this.to + by);
  }
  /* Moves as little as it takes to see a cycle and a track. */
  reveal(cycle, track) {
    const span = this.to - this.from;
    if (cycle < this.from || cycle >= this.to) this.setRange(cycle - span / 2, cycle + span / 2);
    const y = this.rows[track.at], top = this.box.scrollTop + AXIS + SM_HEAD;
    if (y < top) this.box.scrollTop = y - AXIS - SM_HEAD;
    else if (y + TRACK > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = y + TRACK - this.box.clientHeight + 6;
    this.drawing.request();
  }
  x(cycle) {
    return GUTTER + ((cycle - this.from) / (this.to - this.from)) * (this.drawing.width - GUTTER);
  }
  cycleAt(x) {
    return this.from + ((x - GUTTER) / (this.drawing.width - GUTTER)) * (this.to - this.from);
  }
  trackAt(y) {
    const at = this.rows.findIndex((top) => y + this.box.scrollTop >= top && y + this.box.scrollTop < top + TRACK + GAP);
    return at < 0 ? null : this.launch.tracks[at];
  }
  warpAt(place) {
    const track = place.y > AXIS ? this.trackAt(place.y) : null;
    if (!track || place.x < GUTTER) return null;
    const cycle = this.cycleAt(place.x);
    const warp = track.warps.find((one) => cycle < one.end && cycle >= one.begin);
    return warp ? { warp, cycle } : null;
  }

  listen() {
    const canvas = this.drawing.canvas;
    let drag = null;
    canvas.addEventListener("wheel", (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const scrolls = this.full > this.box.clientHeight + 2 && !event.ctrlKey && !event.metaKey;
      if (scrolls && !sideways) return; /* the wheel moves through the tracks */
      event.preventDefault();
      if (sideways) this.pan(event.deltaX / 800);
      else this.zoom(Math.exp(event.deltaY / 400), this.cycleAt(Math.max(GUTTER, this.drawing.place(event).x)));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, from: this.from, to: this.to, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag && Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
      if (drag && drag.moved) {
        const by = ((drag.x - event.clientX) * (drag.to - drag.from)) / (this.drawing.width - GUTTER);
        this.setRange(drag.from + by, drag.to + by);
      }
      this.hover(drag && drag.moved ? null : this.drawing.place(event), event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const hit = drag && !drag.moved ? this.warpAt(this.drawing.place(event)) : null;
      drag = null;
      if (hit) this.app.select(hit.warp, this.launch.stepAt(hit.warp, hit.cycle));
    });
    canvas.addEventListener("pointerleave", () => this.app.tip(null));
    this.box.addEventListener("scroll", () => this.drawing.request());
  }

  hover(place, event) {
    const hit = place && this.warpAt(place);
    if (!hit) return this.app.tip(null);
    let what = null;
    this.launch.stretches(hit.warp.times, Math.floor(hit.cycle), Math.floor(hit.cycle) + 1, (stretch) => {
      what = { stall: stretch.stall, length: stretch.end - stretch.begin, step: stretch.ordinal };
    });
    const lines = [`workgroup ${hit.warp.group}, warp ${hit.warp.index} · cycle ${grouped(Math.floor(hit.cycle))}`];
    if (what) {
      const row = this.launch.program.at(this.launch.row[hit.warp.start + what.step]);
      lines.push(what.stall === ISSUED ? `issues ${row.text}` : `${STALL_WORDS[what.stall].name} for ${plural(what.length, "cycle")}: ${row.text}`);
    }
    this.app.tip(lines, event);
  }

  /* ---- drawing ---- */

  draw(context, width, height) {
    if (!this.launch) return;
    const top = this.box.scrollTop;
    let sm = -1;
    context.font = "11px " + getComputedStyle(document.body).fontFamily;
    context.textBaseline = "middle";
    for (const track of this.launch.tracks) {
      const y = this.rows[track.at] - top;
      if (track.sm !== sm && y > -TRACK && y - SM_HEAD < height) {
        context.fillStyle = palette.ink;
        context.font = "600 " + context.font;
        context.fillText(`SM ${track.sm}`, 8, y - SM_HEAD / 2 + 1);
        context.font = context.font.replace("600 ", "");
        context.fillStyle = palette.line;
        context.fillRect(GUTTER, y - SM_HEAD / 2 + 1, width - GUTTER, 1);
      }
      sm = track.sm;
      if (y > -TRACK && y < height) this.drawTrack(context, track, y, width);
    }
    this.drawCursor(context, height, top);
    this.drawAxis(context, width);
  }

  drawTrack(context, track, y, width) {
    context.fillStyle = palette.muted;
    context.fillText(`slot ${track.slot}`, 18, y + TRACK / 2 + 0.5);
    context.fillStyle = palette.band;
    context.fillRect(GUTTER, y, width - GUTTER, TRACK);
    context.save();
    context.beginPath();
    context.rect(GUTTER, y - 1, width - GUTTER, TRACK + 2);
    context.clip();
    const perPixel = (this.to - this.from) / (width - GUTTER);
    if (perPixel < 0.34) this.drawStretches(context, track, y);
    else this.drawColumns(context, track, y, width, perPixel);
    context.fillStyle = palette.panel;
    for (const warp of track.warps) {
      const x = this.x(warp.begin);
      if (x > GUTTER && x < width && warp !== track.warps[0]) context.fillRect(x - 0.5, y, 1, TRACK);
    }
    context.restore();
    const { warp } = this.app;
    if (warp && warp.track === track) {
      const from = Math.max(GUTTER, this.x(warp.begin)), to = Math.min(width - 1, this.x(warp.end));
      context.strokeStyle = palette.cursor;
      context.lineWidth = 1.5;
      if (to > from) context.strokeRect(from, y - 1, to - from, TRACK + 2);
    }
  }

  /* A column per pixel, from the level whose buckets are not much smaller. */
  drawColumns(context, track, y, width, perPixel) {
    const columns = Math.ceil(width - GUTTER);
    const level = perPixel >= track.levels[0].width ? track.levels.findLast((one) => one.width <= perPixel) : null;
    const exact = level ? null : this.sample(track, columns, perPixel);
    for (let column = 0, run = 1; column < columns; column += run) {
      run = 1;
      let stall, issue, busy;
      if (level) {
        const bucket = Math.min(Math.floor((this.from + column * perPixel) / level.width), level.stall.length - 1);
        stall = level.stall[bucket];
        issue = level.issue[bucket] / 255;
        busy = level.busy[bucket] / 255;
      } else {
        ({ stall, issue, busy } = exact(column));
      }
      if (!busy) continue;
      const full = Math.max(3, TRACK * Math.min(1, busy * 1.02));
      context.fillStyle = palette.stall[stall === EMPTY ? ISSUED : stall];
      context.fillRect(GUTTER + column, y + TRACK - full, 1, full);
      context.fillStyle = palette.stall[ISSUED];
      if (issue) context.fillRect(GUTTER + column, y + TRACK - full * issue, 1, full * issue);
    }
  }
  sample(track, columns, perPixel) {
    const sums = new Float32Array(columns * STALLS);
    this.launch.stretches(track.times, this.from, this.to, (stretch) => {
      const begin = Math.max(0, (stretch.begin - this.from) / perPixel), end = Math.min(columns, (stretch.end - this.from) / perPixel);
      for (let column = Math.floor(begin); column < end; column++)
        sums[column * STALLS + stretch.stall] += Math.min(end, column + 1) - Math.max(begin, column);
    });
    return (column) => {
      let stall = EMPTY, most = 0, busy = 0;
      for (let one = 0; one < EMPTY; one++) {
        const part = sums[column * STALLS + one];
        busy += part;
        if (one !== ISSUED && part > most) [most, stall] = [part, one];
      }
      return { stall, issue: busy ? sums[column * STALLS] / busy : 0, busy };
    };
  }
  drawStretches(context, track, y) {
    const wide = this.x(1) - this.x(0);
    this.launch.stretches(track.times, this.from, this.to, (stretch, warp) => {
      if (stretch.stall === EMPTY) return;
      const x = this.x(stretch.begin), width = this.x(stretch.end) - x;
      context.fillStyle = palette.stall[stretch.stall];
      if (stretch.stall === ISSUED) context.fillRect(x, y, Math.max(width - (wide > 6 ? 1 : 0), 1), TRACK);
      else context.fillRect(x, y + 3, width - (wide > 6 ? 1 : 0), TRACK - 6);
      if (stretch.stall === ISSUED && wide > 34) {
        const text = this.launch.program.at(this.launch.row[warp.start + stretch.ordinal]).text.split(" ")[0];
        context.fillStyle = "#fff";
        context.fillText(text.slice(0, Math.floor(width / 6.6)), x + 3, y + TRACK / 2 + 1);
      }
    });
  }

  drawCursor(context, height, top) {
    const { warp, step } = this.app;
    if (!warp) return;
    const x = this.x(this.launch.cycle[warp.start + step] + 0.5);
    if (x < GUTTER) return;
    context.fillStyle = palette.cursor;
    context.fillRect(x - 0.75, AXIS - 4, 1.5, height);
    const y = this.rows[warp.track.at] - top + TRACK / 2;
    context.beginPath();
    context.arc(x, y, 4.5, 0, 7);
    context.fill();
  }

  drawAxis(context, width) {
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, width, AXIS - 2);
    context.fillStyle = palette.muted;
    context.fillText("cycle", 18, AXIS / 2 - 1);
    const step = niceStep(((this.to - this.from) * 96) / (width - GUTTER));
    for (let cycle = Math.ceil(this.from / step) * step; cycle < this.to; cycle += step) {
      const x = this.x(cycle), text = grouped(cycle);
      context.fillStyle = palette.line;
      context.fillRect(x, AXIS - 7, 1, 5);
      context.fillStyle = palette.muted;
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.min(Math.max(x - half, GUTTER), width - 2 * half - 2), AXIS / 2 - 2);
    }
  }
}
