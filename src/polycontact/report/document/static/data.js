// The data of the page: runs with their times, and panels with their curves.

const report = JSON.parse(document.getElementById("report-data").textContent);

function decode(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

report.runs.forEach((run) => { run.time = decode(run.time); });

const decoded = new Map();

// Values of a curve, decoded when they are first drawn.
function valuesOf(curve) {
  if (!decoded.has(curve)) decoded.set(curve, decode(curve[4]));
  return decoded.get(curve);
}
