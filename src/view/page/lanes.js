/* The lanes of a warp, a row each, over its instructions, a column each.  Before an instruction that had to wait there is a column in
 * the colour of the reason, wider the longer it was.  From far away columns are averages. */

const LANE_GUTTER = 30, LANE_HEAD = 16;

class Lanes {
  constructor(app) {
    this.app = app;
    this.wide = 13; /* pixels of an instruction; below 3 columns are averages */
    this.columns = []; /* what was drawn where: {x, width, step, waits} */
    this.drawing = new Drawing(document.getElementById("lanes-canvas"), (context, width, height) => this.draw(context, width, height));
    const canvas = this.drawing.canvas;
    canvas.addEventListener("click", (event) => {
      const column = this.columnAt(this.drawing.place(event).x);
      if (column) app.select(app.warp, column.step);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1 / 1.3 : 1.3);
    }, { passive: false });
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => app.tip(null));
  }

  zoom(factor) {
    const least = Math.min(3, (this.drawing.width - LANE_GUTTER) / Math.max(1, this.app.warp.count));
    this.wide = Math.min(28, Math.max(least, this.wide * factor));
    this.drawing.request();
  }
  show(launch) {
    this.launch = launch;
    this.high = launch.lanes > 32 ? 4 : launch.lanes > 16 ? 6 : 11;
    this.drawing.canvas.style.height = `${LANE_HEAD + launch.lanes * this.high + 2}px`;
    this.drawing.request();
  }
  columnAt(x) {
    return this.columns.find((column) => x >= column.x && x < column.x + column.width);
  }
  hover(event) {
    const column = this.columnAt(this.drawing.place(event).x);
    if (!column) return this.app.tip(null);
    const lane = Math.floor((this.drawing.place(event).y - LANE_HEAD) / this.high);
    const i = this.app.warp.start + column.step;
    const lines = [`step ${grouped(column.step)}: ${this.launch.program.at(this.launch.row[i]).text}`];
    if (column.waits) lines.push(`waited ${plural(column.waits.reduce((a, b) => a + b, 0), "cycle")} before it`);
    if (lane >= 0 && lane < this.launch.lanes)
      lines.push(`lane ${lane}: ${!this.exists(lane) ? "absent" : this.launch.isActive(i, lane) ? "active" : "masked"}`);
    this.app.tip(lines, event);
  }
  exists(lane) {
    return this.launch.isActive(this.app.warp.start, lane);
  }

  draw(context, width, height) {
    const { warp } = this.app;
    this.columns = [];
    if (!warp) return;
    context.font = "10px " + getComputedStyle(document.body).fontFamily;
    context.textBaseline = "middle";
    context.fillStyle = palette.muted;
    for (let lane = 0; lane < this.launch.lanes; lane += this.launch.lanes > 16 ? 8 : 4)
      context.fillText(String(lane), 8, LANE_HEAD + (lane + 0.5) * this.high);
    context.save();
    context.beginPath();
    context.rect(LANE_GUTTER, 0, width - LANE_GUTTER, height);
    context.clip();
    if (this.wide >= 3) this.drawSteps(context, width);
    else this.drawAverages(context, width);
    context.restore();
  }

  /* ---- every step ---- */

  drawSteps(context, width) {
    const { warp, step } = this.app;
    const middle = LANE_GUTTER + Math.round((width - LANE_GUTTER) * 0.55);
    let left = middle, right = middle, last = step;
    for (; last < warp.count && right < width; last++) right = this.place(last, right);
    for (let at = step - 1; at >= 0 && left > LANE_GUTTER; at--) {
      const wait = this.waitWidth(at), next = left - this.wide - wait;
      this.place(at, next);
      left = next;
    }
    const blank = Math.max(0, left - LANE_GUTTER); /* before the first step: nothing */
    for (const column of this.columns) column.x -= blank;
    for (right -= blank; last < warp.count && right < width; last++) right = this.place(last, right);
    for (const column of this.columns) this.drawColumn(context, column, column.step === step);
  }
  waitWidth(step) {
    const waits = this.launch.waits(this.app.warp, step);
    const cycles = waits.reduce((sum, some) => sum + some, 0);
    return cycles ? Math.round(Math.min(3 * this.wide, 2 + (Math.log2(1 + cycles) * this.wide) / 4)) : 0;
  }
  place(step, x) {
    const waits = this.launch.waits(this.app.warp, step);
    const wait = this.waitWidth(step);
    this.columns.push({ x, width: this.wide + wait, wait, step, waits: wait ? waits : null });
    return x + this.wide + wait;
  }
  drawColumn(context, column, isCursor) {
    const i = this.app.warp.start + column.step;
    const isVector = this.launch.program.at(this.launch.row[i]).isVector;
    const { high, wide } = this;
    const x = column.x + column.wait, gap = wide > 6 ? 1 : 0;
    for (let lane = 0; lane < this.launch.lanes; lane++) {
      const y = LANE_HEAD + lane * high, exists = this.exists(lane), active = this.launch.isActive(i, lane);
      if (column.waits && exists) this.drawWait(context, column, y, active);
      context.fillStyle = !exists ? palette.absent : !active ? palette.masked : isVector ? palette.stall[ISSUED] : palette.scalar;
      context.fillRect(x, y, wide - gap, high - 1);
      context.fillStyle = palette.stall[ISSUED];
      if (active && !isVector) context.fillRect(x, y + high / 2 - 1, wide - gap, 1); /* a thin line: once for all */
    }
    if (!isCursor) return;
    context.strokeStyle = palette.cursor;
    context.lineWidth = 2;
    context.strokeRect(x - 1, LANE_HEAD - 2, wide - gap + 2, high * this.launch.lanes + 2);
    context.fillStyle = palette.cursor;
    context.fillText(`step ${grouped(column.step)}`, x + wide / 2 - context.measureText(`step ${grouped(column.step)}`).width / 2, 6);
  }
  drawWait(context, column, y, active) {
    const total = column.waits.reduce((sum, some) => sum + some, 0);
    let x = column.x;
    context.globalAlpha = active ? 0.75 : 0.22;
    for (let stall = 1; stall < STALLS; stall++) {
      const part = (column.waits[stall] / total) * (column.wait - 1);
      if (!part || stall === EMPTY) continue;
      context.fillStyle = palette.stall[stall];
      context.fillRect(x, y, part, this.high - 1);
      x += part;
    }
    context.globalAlpha = 1;
  }

  /* ---- averages ---- */

  drawAverages(context, width) {
    const { warp, step } = this.app;
    const perPixel = 1 / this.wide, most = width - LANE_GUTTER;
    const first = Math.max(0, Math.min(step - most * 0.55 * perPixel, warp.count - most * perPixel));
    for (let column = 0; column < most; column++) {
      const from = Math.floor(first + column * perPixel), to = Math.min(warp.count, Math.ceil(first + (column + 1) * perPixel));
      if (from >= warp.count) break;
      const stride = Math.max(1, Math.floor((to - from) / 24));
      this.columns.push({ x: LANE_GUTTER + column, width: 1, step: from, waits: null });
      for (let lane = 0; lane < this.launch.lanes; lane++) {
        const y = LANE_HEAD + lane * this.high;
        let active = 0, seen = 0;
        for (let at = from; at < to; at += stride, seen++) active += this.launch.isActive(warp.start + at, lane);
        context.fillStyle = this.exists(lane) ? palette.masked : palette.absent;
        context.fillRect(LANE_GUTTER + column, y, 1, this.high - 1);
        context.globalAlpha = active / Math.max(1, seen);
        context.fillStyle = palette.stall[ISSUED];
        context.fillRect(LANE_GUTTER + column, y, 1, this.high - 1);
        context.globalAlpha = 1;
      }
    }
    context.fillStyle = palette.cursor;
    context.fillRect(LANE_GUTTER + (step - first) * this.wide, LANE_HEAD - 4, 2, this.high * this.launch.lanes + 4);
  }
}
