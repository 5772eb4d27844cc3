// The chart of sensitivities of a study: bars with whiskers for indices of Sobol', bars to both sides for a tornado.

function indexTraces(found) {
  const bars = (name, label, shade) => {
    const { value, low, high } = found[name];
    return {
      type: "bar", orientation: "h", name: label, y: found.names, x: value,
      marker: { color: shade },
      error_x: { type: "data", symmetric: false, array: value.map((v, i) => high[i] - v),
        arrayminus: value.map((v, i) => v - low[i]), color: ink("--ink"), thickness: 1.4, width: 5 },
      hovertemplate: value.map((v, i) => `${label} ${v.toFixed(3)} (${low[i].toFixed(3)} to ${high[i].toFixed(3)})<extra></extra>`),
    };
  };
  return [bars("total", "total", `${colour(0)}73`), bars("first", "first order", colour(0))]; // 73: see-through
}

function tornadoTraces(found) {
  const bars = (values, label, shade, end) => ({
    type: "bar", orientation: "h", name: label, y: found.names, base: found.base,
    x: values.map((v) => (v === null ? null : v - found.base)), marker: { color: shade },
    hovertemplate: values.map((v, i) => `${found.names[i]} = ${found.ends[i][end]}: ${v === null ? "–" : v.toPrecision(5)}<extra></extra>`),
  });
  return [bars(found.lower, "at its lower end", colour(1), 0), bars(found.upper, "at its upper end", colour(0), 1)];
}

function sensitivityPanel(Panel, results) {
  const isTornado = results[0].kind === "tornado";
  const perBar = isTornado ? 34 : 52;
  return class extends Panel {
    constructor(place) {
      super(place, 110 + perBar * Math.max(results[0].names.length, 2));
      this.result = 0;
      this.choice("result", results.map((each) => each.title), 0, (i) => { this.result = i; });
    }

    draw() {
      const found = results[this.result];
      const base = { type: "line", yref: "paper", y0: 0, y1: 1, x0: found.base, x1: found.base,
        line: { color: ink("--soft"), width: 1.2 } };
      this.react(isTornado ? tornadoTraces(found) : indexTraces(found), Object.assign(baseLayout(this.height, 84), {
        hovermode: "closest", showlegend: true, barmode: isTornado ? "overlay" : "group",
        legend: { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom", traceorder: isTornado ? "normal" : "reversed" },
        margin: { l: 84, r: 16, t: 36, b: 44 },
        shapes: isTornado ? [base] : [],
        xaxis: axis(isTornado ? found.title : `share of the variance of ${found.name}`,
          { exponentformat: "power", rangemode: isTornado ? "normal" : "tozero" }),
        yaxis: axis("", { automargin: true, type: "category" }),
      }));
    }
  };
}
