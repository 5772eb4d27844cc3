// The charts of a study: all runs along parallel axes, responses, one quantity against another, the Pareto front.

const study = JSON.parse(document.getElementById("study-data").textContent);
const columns = [...study.parameters, ...study.results];
const nParameters = study.parameters.length;
const SCALE = [[0, "#2c5aa0"], [0.5, "#3fa58a"], [1, "#e8b93a"]];
const SCALE_DARK = [[0, "#5f93e8"], [0.5, "#57cfae"], [1, "#f5d15f"]];

function command(i) { return `run ${study.runs[i]}: polycontact study open ${study.file} ${study.runs[i]}`; }

function ticks(column) {
  return column.labels ? { tickvals: column.labels.map((_, i) => i), ticktext: column.labels } : {};
}

function isLog(column) { return Boolean(column.log) && !column.labels; }

class StudyPanel {
  constructor(place, height) {
    this.place = place;
    this.height = height;
    this.controls = document.createElement("div");
    this.controls.className = "controls";
    this.chart = document.createElement("div");
    this.chart.className = "chart";
    this.chart.style.height = `${height}px`;
    this.note = document.createElement("p");
    this.note.className = "note";
    place.append(this.controls, this.chart, this.note);
  }

  choice(label, names, first, choose) {
    const select = document.createElement("select");
    select.setAttribute("aria-label", label);
    names.forEach((name) => select.add(new Option(name)));
    select.selectedIndex = first;
    select.addEventListener("change", () => { choose(select.selectedIndex); this.draw(); });
    const text = document.createElement("span");
    text.textContent = label;
    this.controls.append(text, select);
  }

  react(traces, layout) {
    Plotly.react(this.chart, traces, layout, CONFIG);
  }
}

class ParallelPanel extends StudyPanel {
  constructor(place) {
    super(place, 420);
    this.by = nParameters;
    this.choice("coloured by", columns.map((each) => each.title), this.by, (i) => { this.by = i; });
  }

  draw() {
    const number = (each) => (isLog(each) ? each.values.map((v) => (v === null ? null : Math.log10(v))) : each.values);
    const known = study.runs.map((_, i) => columns.every((each) => each.values[i] !== null));
    const kept = (values) => values.filter((_, i) => known[i]);
    const dimensions = columns.map((each) => Object.assign({
      label: isLog(each) ? `${each.title} (log₁₀)` : each.title, values: kept(number(each)),
    }, ticks(each)));
    const n = known.filter((each) => !each).length;
    this.note.textContent = n ? `${n} of the runs lack a result and are not drawn.` : "";
    this.react([{
      type: "parcoords", dimensions,
      line: { color: dimensions[this.by].values, colorscale: isDark() ? SCALE_DARK : SCALE, showscale: false },
      labelfont: { size: 12, color: ink("--ink") }, tickfont: { size: 11, color: ink("--soft") },
      rangefont: { size: 10, color: "rgba(0,0,0,0)" }, unselected: { line: { opacity: 0.06 } },
      labelangle: columns.length > 6 ? -18 : 0, labelside: "top",
    }], Object.assign(baseLayout(this.height, 80), { margin: { l: 80, r: 80, t: columns.length > 6 ? 100 : 60, b: 24 } }));
  }
}

class ResponsePanel extends StudyPanel {
  constructor(place) {
    super(place, 400);
    this.parameter = 0;
    this.result = 0;
    this.choice("parameter", study.parameters.map((each) => each.title), 0, (i) => { this.parameter = i; });
    this.choice("result", study.results.map((each) => each.title), 0, (i) => { this.result = i; });
  }

  draw() {
    const x = study.parameters[this.parameter];
    const y = study.results[this.result];
    const points = study.curves[this.parameter][this.result];
    const at = points.map((point) => point[0]);
    const single = points.every((point) => point[3] === 1); // every point is a run: nothing to take means of
    const runs = {
      type: "scattergl", mode: "markers", x: x.values, y: y.values, name: "runs", hoverinfo: "x+y+text",
      text: study.runs.map((_, i) => command(i)),
      marker: single ? { size: 7, color: colour(0) } : { size: 5, color: colour(0), opacity: 0.3 },
    };
    const line = {
      type: "scatter", mode: "lines", x: at, y: points.map((point) => point[1]), name: "line through the runs",
      hoverinfo: "skip", line: { color: colour(0), width: 1.5 },
    };
    const traces = single ? [...(x.labels ? [] : [line]), runs] : [runs, {
      type: "scatter", mode: x.labels ? "markers" : "lines+markers", x: at, y: points.map((point) => point[1]),
      name: "mean", line: { color: colour(1), width: 2 }, marker: { size: 8, color: colour(1) },
      error_y: { type: "data", array: study.is_sample ? points.map((point) => point[2] || 0) : [], color: colour(1),
        thickness: 1.6, width: 5 },
      text: points.map((point) => `${point[3]} runs`), hoverinfo: "x+y+text",
    }];
    this.react(traces, Object.assign(baseLayout(this.height, 84), {
      hovermode: "closest",
      xaxis: axis(x.title, Object.assign({ type: isLog(x) ? "log" : "linear" }, ticks(x))),
      yaxis: axis(y.title, { exponentformat: "power" }),
    }));
  }
}

class ScatterPanel extends StudyPanel {
  constructor(place) {
    super(place, 460);
    this.chosen = [0, nParameters, columns.length - 1];
    const titles = columns.map((each) => each.title);
    ["across", "up", "coloured by"].forEach((label, k) => {
      this.choice(label, titles, this.chosen[k], (i) => { this.chosen[k] = i; });
    });
  }

  draw() {
    const [x, y, shade] = this.chosen.map((i) => columns[i]);
    this.react([{
      type: "scattergl", mode: "markers", x: x.values, y: y.values, text: study.runs.map((_, i) => command(i)),
      hoverinfo: "x+y+text",
      marker: { size: 7, color: shade.values, colorscale: isDark() ? SCALE_DARK : SCALE, line: { width: 0 },
        colorbar: Object.assign({ title: { text: shade.title, side: "right" }, thickness: 12, outlinewidth: 0,
          exponentformat: "power" }, ticks(shade)) },
    }], Object.assign(baseLayout(this.height, 84), {
      hovermode: "closest",
      xaxis: axis(x.title, Object.assign({ type: isLog(x) ? "log" : "linear", exponentformat: "power" }, ticks(x))),
      yaxis: axis(y.title, Object.assign({ type: isLog(y) ? "log" : "linear", exponentformat: "power" }, ticks(y))),
    }));
    this.note.textContent = study.left_out ? `${study.left_out} further runs are not drawn.` : "";
  }
}

class ParetoPanel extends StudyPanel {
  constructor(place) {
    super(place, 440);
    this.chosen = [0, 1];
    this.signs = [1, 1];
    const titles = study.results.map((each) => each.title);
    ["across", "up"].forEach((label, k) => {
      this.choice(label, titles, this.chosen[k], (i) => { this.chosen[k] = i; });
      this.choice("better is", ["less", "more"], 0, (i) => { this.signs[k] = i ? -1 : 1; });
    });
  }

  // Runs that no other beats in both: in the order of the first, those with a new best of the second.
  front() {
    const [x, y] = this.chosen.map((i, k) => study.results[i].values.map((v) => (v === null ? null : this.signs[k] * v)));
    const order = x.map((_, i) => i).filter((i) => x[i] !== null && y[i] !== null)
      .sort((a, b) => x[a] - x[b] || y[a] - y[b]);
    let best = Infinity;
    return order.filter((i) => { const better = y[i] < best; if (better) best = y[i]; return better; });
  }

  draw() {
    const [x, y] = this.chosen.map((i) => study.results[i]);
    const front = this.front();
    const on = new Set(front);
    const rest = study.runs.map((_, i) => i).filter((i) => !on.has(i));
    const dots = (runs, marker, mode, line) => ({
      type: "scatter", mode, x: runs.map((i) => x.values[i]), y: runs.map((i) => y.values[i]), marker, line,
      text: runs.map(command), hoverinfo: "x+y+text",
    });
    const step = { color: colour(1), width: 1.5, shape: "hv" };
    this.react([
      dots(rest, { size: 6, color: colour(0), opacity: 0.35 }, "markers"),
      dots(front, { size: 9, color: colour(1) }, "lines+markers", step),
    ], Object.assign(baseLayout(this.height, 84), {
      hovermode: "closest", xaxis: axis(x.title, { exponentformat: "power" }), yaxis: axis(y.title, { exponentformat: "power" }),
    }));
    const listed = front.slice(0, 30).map((i) => study.runs[i]).join(", ");
    this.note.textContent = `On the front: ${front.length} of ${study.runs.length} runs (${listed}${front.length > 30 ? ", …" : ""}).`;
  }
}

const KINDS = { parallel: ParallelPanel, response: ResponsePanel, scatter: ScatterPanel, pareto: ParetoPanel };
if (study.sensitivities.length) KINDS.sensitivity = sensitivityPanel(StudyPanel, study.sensitivities);
const places = [...document.querySelectorAll(".panel")];
const panels = places.map((place) => {
  if (!study.runs.length) {
    place.textContent = "No run has results yet.";
    return null;
  }
  const panel = new KINDS[place.dataset.panel](place);
  panel.draw();
  return panel;
}).filter(Boolean);

function drawAll() { panels.forEach((panel) => panel.draw()); }
darkScheme.addEventListener("change", drawAll);
window.addEventListener("beforeprint", () => { isPrinting = true; drawAll(); });
window.addEventListener("afterprint", () => { isPrinting = false; drawAll(); });
