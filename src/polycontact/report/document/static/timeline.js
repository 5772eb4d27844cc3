// Bars over time: when each pairing touches.

class TimelinePanel {
  constructor(place, panel) {
    this.panel = panel;
    this.chart = document.createElement("div");
    this.chart.className = "chart";
    place.append(this.chart);
    this.chart.style.height = `${this.height()}px`;
  }

  height() { return 64 + this.panel.rows.length * (14 + 10 * report.runs.length); }

  traces() {
    return this.panel.bars.map(([run, row, spans]) => ({
      type: "bar", orientation: "h", offsetgroup: String(run), legendgroup: String(run),
      name: report.runs[run].label,
      y: spans.map(() => this.panel.rows[row]), base: spans.map((span) => span[0]),
      x: spans.map((span) => Math.max(span[1] - span[0], 1e-9)),
      customdata: spans, marker: { color: colour(run), line: { width: 0 } },
      hovertemplate: "%{y}<br>%{customdata[0]:.4~g} s to %{customdata[1]:.4~g} s<extra>"
        + (report.runs.length > 1 ? "%{fullData.name}" : "") + "</extra>",
    }));
  }

  draw() {
    const longest = Math.max(...this.panel.rows.map((name) => name.length));
    const layout = baseLayout(this.height(), Math.min(260, 24 + 6.8 * longest));
    const times = report.runs.map((run) => run.time);
    layout.hovermode = "closest";
    layout.barmode = "group";
    layout.bargap = 0.35;
    layout.xaxis = axis("time, s", { range: [Math.min(...times.map((t) => t[0])), Math.max(...times.map((t) => t[t.length - 1]))] });
    layout.yaxis = axis("", { type: "category", categoryarray: this.panel.rows, categoryorder: "array", autorange: "reversed",
      showgrid: true, tickmode: "array", tickvals: this.panel.rows });
    if (report.runs.length > 1) {
      layout.legend = { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 };
      layout.showlegend = true;
      layout.margin.t = 34;
    }
    const traces = this.traces();
    const shown = new Set();
    traces.forEach((trace) => { trace.showlegend = !shown.has(trace.name); shown.add(trace.name); });
    this.drawn = true;
    return Plotly.react(this.chart, traces, layout, CONFIG);
  }
}
