/* What every drawing needs: a canvas as sharp as the screen that follows its box, and numbers for people. */

class Drawing {
  constructor(canvas, draw) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.width = this.height = 0;
    this.draw = draw;
    this.isDue = false;
    new ResizeObserver(() => this.request()).observe(canvas);
  }
  /* Draws with the next frame, however often it is called. */
  request() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.now();
    });
  }
  now() {
    const box = this.canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    this.width = box.width;
    this.height = box.height;
    const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    if (!width || !height) return;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.draw(this.context, this.width, this.height);
  }
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

const grouped = (number) => Math.round(number).toLocaleString("en-US");
const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)}%` : "–");
const plural = (count, word) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
const hex = (number) => "0x" + Math.max(0, number).toString(16).padStart(8, "0");

/* Steps of an axis: 1, 2 or 5 times a power of ten, at least `least` wide. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) || 10 * power;
}

/* make("div", {class: "a", title: "b"}, child, "text") */
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
