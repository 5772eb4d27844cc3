// Curves over time: one behind the slider, and the same one large, with axes, in a plot that moves time when it is clicked.

const MARGIN = { left: 58, right: 12, top: 8, bottom: 20 }; // of the plot, pixels

class Curves {
  constructor(scene, shown, player, framing, redraw) {
    Object.assign(this, { scene, shown, player, framing, redraw });
    this.slide = element("canvas", { class: "history", "aria-hidden": "true" });
    this.scale = element("span", { class: "scale" });
    this.selects = [];
    this.buildPlot();
  }

  // All that can be shown: what was recorded, and the slip speed of the frames.
  list() {
    const slip = this.scene.quantities[2];
    return [...this.scene.curves, ...(slip && this.scene.pairings.length ? [{ ...slip, group: "Contact", label: "greatest slip speed", top: 2 }] : [])];
  }

  behindSlider() {
    return [this.slide, this.scale];
  }

  switches() {
    if (!this.list().length) return [];
    this.button = button("plot", "Plot over time (V)", () => this.togglePlot(), { id: "toggle-plot", "aria-pressed": "false" });
    return [this.select("history-of"), this.button];
  }

  // A list of the curves, in groups; all such lists choose together.
  select(id) {
    const made = element(
      "select", { id, title: "What the curve shows", "aria-label": "Curve", onchange: () => this.choose(Number(made.value)) }, this.options(),
    );
    this.selects.push(made);
    return made;
  }

  options() {
    const groups = new Map();
    this.list().forEach(({ group, label }, i) => {
      if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
      groups.get(group).append(element("option", { value: i, text: label, selected: i === this.shown.history }));
    });
    return [...groups.values()];
  }

  // Take the curves of a run that goes on: other pairings may be the most loaded now. The chosen curve stays.
  renew(curves) {
    const names = (list) => list.map(({ group, label }) => `${group}/${label}`).join("\n");
    const chosen = this.list()[this.shown.history];
    const kept = chosen?.pairing !== undefined && !curves.some(({ pairing }) => pairing === chosen.pairing) ? [chosen] : [];
    const before = names(this.list());
    this.scene.curves = [...curves, ...kept];
    if (names(this.list()) === before) return;
    this.shown.history = Math.max(0, this.list().findIndex(({ label }) => label === chosen?.label));
    for (const select of this.selects) select.replaceChildren(...this.options());
  }

  choose(i) {
    this.shown.history = i;
    for (const select of this.selects) select.value = i;
    this.redraw();
  }

  buildPlot() {
    this.canvas = element("canvas", { "aria-label": "Curve over time; click to go to a time" });
    this.reading = element("output", { id: "plot-now" });
    const close = element("button", { type: "button", class: "close", title: "Close the plot (V)", "aria-label": "Close the plot", text: "×", onclick: () => this.togglePlot() });
    this.root = document.getElementById("plot");
    this.root.append(element("div", { class: "head" }, [this.select("plot-of"), this.reading, close]), this.canvas);
    const seek = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
      this.player.pause();
      this.player.seek(this.player.start + clamp(share, 0, 1) * (this.player.end - this.player.start));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
  }

  togglePlot() {
    this.root.hidden = !this.root.hidden;
    document.body.classList.toggle("plotted", !this.root.hidden);
    this.button?.setAttribute("aria-pressed", String(!this.root.hidden));
    if (!this.framing.camera.handled) this.framing.fit();
    this.redraw();
  }

  // Times and values of the chosen curve: of recorded samples where the page has them, else of its frames.
  chosen() {
    const all = this.list();
    const index = clamp(this.shown.history, 0, all.length - 1);
    const curve = all[index];
    if (!curve) return null;
    const { frames } = this.player;
    const { times, values } = this.scene.history;
    if (curve.top !== undefined) return { ...curve, times: frames.times, values: frames.list.map((frame) => frame.tops[curve.top]) };
    if (curve.pairing !== undefined) return { ...curve, times: frames.times, values: frames.list.map((frame) => forceOf(frame, curve.pairing)) };
    if (this.scene.live) return { ...curve, times: frames.times, values: frames.list.map((frame) => frame.curves?.[index] ?? 0) };
    return { ...curve, times, values: values.subarray(index * times.length, (index + 1) * times.length) };
  }

  draw() {
    const curve = this.chosen();
    if (!curve) return;
    let [low, high] = [0, 0];
    for (const value of curve.values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    this.drawSlide(curve, Math.max(high, -low));
    if (!this.root.hidden) this.drawPlot(curve, low, high);
  }

  // A canvas with as many pixels as the screen has there, and what draws on it; null where it is not seen.
  surface(canvas) {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return null;
    const ratio = window.devicePixelRatio || 1;
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    return { context, width, height };
  }

  // Behind the slider, so that one sees where something happens.
  drawSlide({ times, values, label, factor, unit }, most) {
    const { player } = this;
    const key = `${this.slide.clientWidth} ${this.shown.theme} ${label} ${times.length} ${player.end} ${most}`;
    if (this.slideKey === key) return;
    const made = this.surface(this.slide);
    if (!made) return;
    this.slideKey = key;
    const { context, width, height } = made;
    this.scale.textContent = most > 0 ? `${label}, up to ${digits(most * factor, 3)} ${unit} (root scale)` : "";
    if (!(most > 0)) return;
    context.fillStyle = getComputedStyle(this.slide).color;
    context.beginPath();
    context.moveTo(0, height);
    // Square roots: one impact must not flatten all the rest.
    const span = player.end - player.start || 1;
    times.forEach((time, i) =>
      context.lineTo(((time - player.start) / span) * width, height * (1 - 0.95 * Math.sqrt(Math.abs(values[i]) / most))),
    );
    context.lineTo(width, height);
    context.fill();
  }

  drawPlot(curve, low, high) {
    const made = this.surface(this.canvas);
    if (!made) return;
    const { context, width, height } = made;
    const { player } = this;
    const style = getComputedStyle(this.root);
    const [w, h] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
    if (high === low) high = low + 1;
    const span = player.end - player.start || 1;
    const x = (time) => MARGIN.left + ((time - player.start) / span) * w;
    const y = (value) => MARGIN.top + (1 - (value - low) / (high - low)) * h;
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 1;
    context.strokeStyle = style.getPropertyValue("--line");
    context.fillStyle = style.getPropertyValue("--soft");
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const value of ticksBetween(low * curve.factor, high * curve.factor, h / 26)) {
      const at = Math.round(y(value / curve.factor)) + 0.5;
      this.line(context, [[MARGIN.left, at], [width - MARGIN.right, at]]);
      context.fillText(digits(value, 3), MARGIN.left - 6, at);
    }
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const time of ticksBetween(player.start, player.end, w / 80)) {
      const at = Math.round(x(time)) + 0.5;
      this.line(context, [[at, MARGIN.top], [at, MARGIN.top + h]]);
      context.fillText(`${digits(time)} s`, clamp(at, MARGIN.left, width - 24), height - 5);
    }
    context.strokeStyle = style.getPropertyValue("--curve");
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    this.line(context, Array.from(curve.values, (value, i) => [x(curve.times[i]), y(value)]));
    context.strokeStyle = context.fillStyle = style.getPropertyValue("--accent");
    const now = valueAt(curve, player.time);
    this.line(context, [[x(player.time), MARGIN.top], [x(player.time), MARGIN.top + h]]);
    context.beginPath();
    context.arc(x(player.time), y(now), 4, 0, 2 * Math.PI);
    context.fill();
    this.reading.textContent = `${digits(now * curve.factor)} ${curve.unit} at ${digits(player.time)} s`;
  }

  line(context, points) {
    context.beginPath();
    points.forEach(([px, py], i) => (i ? context.lineTo(px, py) : context.moveTo(px, py)));
    context.stroke();
  }
}

// The size of the force of a pairing at a frame, N.
function forceOf({ contacts }, pairing) {
  const row = contacts.find(([number]) => number === pairing);
  return row ? Math.hypot(row[5], row[6], row[7]) : 0;
}

// The value of a curve at a time, on the straight line between two of its points.
function valueAt({ times, values }, time) {
  let high = 0;
  while (high < times.length - 1 && times[high] < time) high++;
  const low = Math.max(0, high - 1);
  const step = times[high] - times[low];
  const share = step > 0 ? clamp((time - times[low]) / step, 0, 1) : 1;
  return values[low] + share * (values[high] - values[low]);
}

// At most about n round numbers from low to high.
function ticksBetween(low, high, n) {
  const step = roundUp((high - low) / Math.max(1, n));
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}
