// Draws each chart when it comes near the window, all of them before printing, and again when the colours change.

const panels = [...document.querySelectorAll(".panel")].map((place) => {
  const panel = report.panels.find((each) => each.key === place.dataset.panel);
  const made = panel.kind === "timeline" ? new TimelinePanel(place, panel) : new CurvePanel(place, panel);
  place.panel = made;
  return made;
});

const watcher = new IntersectionObserver((entries) => {
  entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
    watcher.unobserve(entry.target);
    if (!entry.target.panel.drawn) entry.target.panel.draw();
  });
}, { rootMargin: "600px" });
document.querySelectorAll(".panel").forEach((place) => watcher.observe(place));

darkScheme.addEventListener("change", () => panels.filter((panel) => panel.drawn).forEach((panel) => panel.draw()));
window.addEventListener("beforeprint", () => {
  isPrinting = true;
  panels.forEach((panel) => { panel.draw(); Plotly.relayout(panel.chart, { width: 680 }); });
});
window.addEventListener("afterprint", () => {
  isPrinting = false;
  panels.forEach((panel) => { panel.draw(); Plotly.Plots.resize(panel.chart); });
});

// The entry of the table of contents where the reader is.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const reader = new IntersectionObserver((entries) => {
  entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
    links.forEach((link, key) => link.classList.toggle("here", key === entry.target.id));
  });
}, { rootMargin: "-10% 0px -80% 0px" });
document.querySelectorAll("main > section").forEach((section) => reader.observe(section));
