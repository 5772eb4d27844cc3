// Charts of an identification: curves over their residuals, intervals, and how the cost fell.

const fit = JSON.parse(document.getElementById("fit-data").textContent);

function faded(i) { return { color: colour(i), size: 5, opacity: 0.55 }; }

// Measured points and the fitted line; below them the residuals with one standard deviation to both sides.
function drawCurve(place, i) {
  const curve = fit.curves[i];
  const layout = baseLayout(470, 78);
  layout.xaxis = axis("time, s", { anchor: "y2", domain: [0, 1] });
  layout.yaxis = axis(`${curve.quantity}, ${curve.unit}`, { domain: [0.37, 1], automargin: true });
  layout.yaxis2 = axis(`residual, ${curve.unit}`, { domain: [0, 0.28], automargin: true, nticks: 5 });
  layout.showlegend = true;
  layout.legend = { orientation: "h", x: 0, xanchor: "left", y: 1.01, yanchor: "bottom" };
  layout.margin.t = 30;
  const width = curve.standard_deviation;
  layout.shapes = [
    { type: "rect", xref: "paper", x0: 0, x1: 1, yref: "y2", y0: -width, y1: width, fillcolor: colour(i), opacity: 0.12,
      line: { width: 0 } },
    { type: "line", xref: "paper", x0: 0, x1: 1, yref: "y2", y0: 0, y1: 0, line: { color: ink("--axis"), width: 1 } },
  ];
  const residuals = curve.fitted.map((value, k) => value - curve.measured[k]);
  const traces = [
    { x: curve.time, y: curve.measured, name: "measured", mode: "markers", marker: faded(i), hovertemplate: "%{y:.5~g}" },
    { x: curve.time, y: curve.fitted, name: "fitted", mode: "lines", line: { color: ink("--ink"), width: 1.6 },
      hovertemplate: "%{y:.5~g}" },
    { x: curve.time, y: residuals, name: "residual", mode: "markers", marker: faded(i), yaxis: "y2", showlegend: false,
      hovertemplate: "%{y:.3~g}" },
  ];
  return Plotly.react(place, traces, layout, CONFIG);
}

// Each estimate with its interval, as deviations from the estimate in per cent.
function drawIntervals(place) {
  const shown = fit.estimates.filter((each) => each.determined && each.low !== null && each.high !== null && each.value).reverse();
  const layout = baseLayout(90 + 44 * Math.max(shown.length, 1), 20);
  const share = (each, end) => 100 * (end / each.value - 1) * Math.sign(each.value);
  const middle = shown.map(() => 0);
  layout.hovermode = "closest";
  layout.xaxis = axis("95 % interval about the estimate, %", { zeroline: true, automargin: true });
  layout.yaxis = axis("", { automargin: true, tickvals: shown.map((_, k) => k), ticktext: shown.map((each) => each.key),
    range: [-0.6, shown.length - 0.4], showgrid: false });
  const traces = [{
    x: middle, y: shown.map((_, k) => k), mode: "markers", marker: { color: colour(0), size: 10 },
    error_x: { type: "data", symmetric: false, array: shown.map((each) => Math.abs(share(each, each.high))),
      arrayminus: shown.map((each) => Math.abs(share(each, each.low))), color: colour(0), thickness: 2, width: 7 },
    text: shown.map((each) => each.text), hovertemplate: "%{text}<extra></extra>",
  }];
  return Plotly.react(place, traces, layout, CONFIG);
}

function drawHistory(place) {
  const layout = baseLayout(300, 78);
  layout.xaxis = axis("runs", {});
  layout.yaxis = axis("least cost so far", { type: "log", automargin: true, exponentformat: "power", nticks: 6 });
  const traces = [...new Set(fit.history.map((each) => each.weighing))].map((weighing) => {
    const part = fit.history.filter((each) => each.weighing === weighing);
    return { x: part.map((each) => each.runs), y: part.map((each) => each.cost), mode: "lines+markers",
      line: { color: colour(weighing), width: 1.8, shape: "hv" }, marker: { size: 6 },
      hovertemplate: "%{y:.4~g}<extra></extra>" };
  });
  return Plotly.react(place, traces, layout, CONFIG);
}

const DRAW = {
  curve: (place) => drawCurve(place, Number(place.dataset.index)), intervals: drawIntervals, history: drawHistory,
};

function drawAll() {
  document.querySelectorAll("[data-fit]").forEach((place) => DRAW[place.dataset.fit](place));
}

drawAll();
darkScheme.addEventListener("change", drawAll);
window.addEventListener("beforeprint", () => { isPrinting = true; drawAll(); });
window.addEventListener("afterprint", () => { isPrinting = false; drawAll(); });
