// A panel of curves: choice of items, of the view and, where curves are stacked, of the run.

const ROW_HEIGHT = 172;
const GAP = 26;
const NOISE = 1e-7;

class CurvePanel {
  constructor(place, panel) {
    this.place = place;
    this.panel = panel;
    this.chosen = new Set(panel.chosen);
    this.runs = panel.runs || report.runs.map((_, i) => i);
    this.view = 0;
    this.buildControls();
    this.chart = document.createElement("div");
    this.chart.className = "chart";
    this.note = document.createElement("p");
    this.note.className = "note";
    place.append(this.chart, this.note);
    this.chart.style.height = `${this.height()}px`;
  }

  buildControls() {
    const controls = document.createElement("div");
    controls.className = "controls";
    if (this.panel.views.length > 1) {
      controls.append(this.makeSelect("quantity", this.panel.views.map((view) => view.name), (i) => { this.view = i; }));
    }
    this.run = this.runs[0];
    const names = this.runs.map((i) => report.runs[i].label);
    this.runSelect = this.makeSelect("run", names, (i) => { this.run = this.runs[i]; });
    controls.append(this.runSelect);
    const chips = document.createElement("div");
    chips.className = "chips";
    this.chips = this.panel.items.map((name, i) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      chip.append(document.createElement("i"), name);
      chip.addEventListener("click", () => { this.toggle(i); });
      chips.append(chip);
      return chip;
    });
    controls.append(chips);
    if (this.panel.items.length > 3) {
      controls.append(this.makeButton("all", () => this.panel.items.map((_, i) => i)));
      controls.append(this.makeButton("reset", () => this.panel.chosen));
    }
    this.keys = document.createElement("div");
    this.keys.className = "keys";
    this.place.append(controls, this.keys);
  }

  makeSelect(label, names, choose) {
    const select = document.createElement("select");
    select.setAttribute("aria-label", label);
    names.forEach((name) => select.add(new Option(name)));
    select.addEventListener("change", () => { choose(select.selectedIndex); this.draw(); });
    return select;
  }

  makeButton(text, choose) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = text;
    button.addEventListener("click", () => { this.chosen = new Set(choose()); this.draw(); });
    return button;
  }

  toggle(i) {
    if (this.chosen.has(i)) this.chosen.delete(i); else this.chosen.add(i);
    this.draw();
  }

  get current() { return this.panel.views[this.view]; }

  // Curves of the chosen items; those of a stack belong to one run.
  curves() {
    const { stacked, curves } = this.current;
    return curves.filter(([run, item]) => (item < 0 || this.chosen.has(item)) && (!stacked || run === this.run));
  }

  rows() {
    const used = new Set(this.curves().map((curve) => curve[2]));
    return this.current.rows.map((_, i) => i).filter((i) => used.has(i));
  }

  height() {
    const n = Math.max(1, this.rows().length);
    return Math.max(n === 1 ? 380 : 0, n * ROW_HEIGHT + (n - 1) * GAP + 52);
  }

  traces(rows) {
    const shades = new Map();
    return this.curves().map((curve) => {
      const [run, item, row, name] = curve;
      const label = [this.panel.items[item], name].filter(Boolean).join(" ");
      const nth = shades.get(`${item} ${run} ${row}`) || 0;  // of curves with the same colour in the same row
      shades.set(`${item} ${run} ${row}`, nth + 1);
      const dash = this.current.stacked ? 0 : this.runs.length > 1 ? this.runs.indexOf(run) : nth;
      const values = valuesOf(curve);
      const isTotal = this.current.stacked && item < 0;
      const trace = {
        type: "scatter", mode: "lines", x: report.runs[run].time, y: values,
        name: this.runs.length > 1 && !this.current.stacked ? `${label} · ${report.runs[run].label}` : label,
        line: { color: item < 0 ? ink("--ink") : colour(item), width: isTotal ? 1.5 : 1.8,
          dash: isTotal ? "dash" : DASHES[dash % DASHES.length] },
        yaxis: rows.indexOf(row) ? `y${rows.indexOf(row) + 1}` : "y",
        hovertemplate: "%{y:.4~g}",
      };
      if (this.current.stacked && !isTotal) {
        Object.assign(trace, { stackgroup: "all", line: { color: colour(item), width: 0.6 } });
      }
      return trace;
    });
  }

  layout(rows) {
    const height = this.height();
    const layout = baseLayout(height, 78);
    const inner = height - 52;
    const share = (inner - (rows.length - 1) * GAP) / rows.length / inner;
    const steady = this.current.stacked ? new Map() : steadyRanges(this.curves(), this.current.rows);
    rows.forEach((row, i) => {
      const top = 1 - i * (share + GAP / inner);
      layout[i ? `yaxis${i + 1}` : "yaxis"] = axis(this.current.rows[row], {
        domain: [Math.max(0, top - share), top], exponentformat: "power", nticks: 6, automargin: true,
        ...steady.get(row),
      });
    });
    layout.xaxis = axis("time, s", { anchor: rows.length > 1 ? `y${rows.length}` : "y", domain: [0, 1] });
    layout.hoversubplots = "axis";
    return layout;
  }

  paintControls() {
    const { stacked, curves } = this.current;
    const there = new Set(curves.map((curve) => curve[1]));
    this.chips.forEach((chip, i) => {
      chip.style.setProperty("--dot", colour(i));
      chip.setAttribute("aria-pressed", String(this.chosen.has(i)));
      chip.hidden = !there.has(i);
    });
    this.runSelect.hidden = !(stacked && this.runs.length > 1);
    this.note.textContent = this.current.note;
    this.note.hidden = !this.current.note;
    const shown = this.runs.length > 1 && !stacked ? this.runs : [];
    this.keys.replaceChildren(...shown.map((run, i) => lineKey(report.runs[run], i)));
  }

  draw() {
    this.paintControls();
    const rows = this.rows();
    this.chart.style.height = `${this.height()}px`;
    const layout = this.layout(rows.length ? rows : [0]);
    if (!rows.length) {
      layout.annotations = [{ text: "Choose something above to see it here.", showarrow: false, xref: "paper", yref: "paper",
        x: 0.5, y: 0.5, font: { color: ink("--soft") } }];
    }
    this.drawn = true;
    return Plotly.react(this.chart, this.traces(rows), layout, CONFIG);
  }
}

// Ranges for rows that vary by rounding errors only, against their values and the other rows with their unit: drawn
// to their own size, noise would look like motion.
function steadyRanges(curves, titles) {
  const limits = new Map();
  for (const curve of curves) {
    let [low, high] = limits.get(curve[2]) || [Infinity, -Infinity];
    for (const value of valuesOf(curve)) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    limits.set(curve[2], [low, high]);
  }
  const unitOf = (row) => titles[row].split(", ").pop();
  const size = new Map();
  for (const [row, [low, high]] of limits) size.set(unitOf(row), Math.max(size.get(unitOf(row)) || 0, high - low));
  const ranges = new Map();
  for (const [row, [low, high]] of limits) {
    const least = NOISE * Math.max(size.get(unitOf(row)), Math.abs(low), Math.abs(high));
    const middle = 0.5 * (low + high);
    const half = 5e5 * least;  // a twentieth of the motion
    if (high >= low && high - low < least) ranges.set(row, { range: [middle - half, middle + half] });
  }
  return ranges;
}

// A short line with the dashes of a run, for the key above the chart.
function lineKey(run, i) {
  const key = document.createElement("span");
  key.innerHTML = `<svg viewBox="0 0 34 8"><line x1="0" x2="34" y1="4" y2="4" stroke="currentColor" stroke-width="2" `
    + `stroke-dasharray="${DASH_ARRAYS[i % DASH_ARRAYS.length]}"/></svg>`;
  key.append(run.label);
  return key;
}
