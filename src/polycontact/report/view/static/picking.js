// What is under the pointer: body and patch with the values there, or the name of a body or of a part of a model.

class Picking {
  constructor(renderer, shown) {
    this.renderer = renderer;
    this.shown = shown;
    this.tip = document.getElementById("tip");
    this.rest = 0;
    const canvas = renderer.canvas;
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", () => this.hide());
    canvas.addEventListener("pointerdown", (event) => {
      this.hide();
      this.pressed = [event.clientX, event.clientY];
    });
    canvas.addEventListener("click", (event) => this.click(event)); // a finger does not hover
  }

  // A drag ends with a click, too.
  click(event) {
    const [x, y] = this.pressed ?? [event.clientX, event.clientY];
    if (Math.hypot(event.clientX - x, event.clientY - y) < 5) this.show(event);
  }

  // What is there when the picture has changed.
  again() {
    if (!this.tip.hidden) this.timed(this.last);
  }

  hide() {
    this.tip.hidden = true;
  }

  // Large meshes take a while to search: then not at every move.
  move(event) {
    if (event.buttons || event.pointerType === "touch") return this.hide();
    this.timed(event);
  }

  timed(event) {
    const begin = performance.now();
    if (begin < this.rest) return;
    this.show(event);
    const cost = performance.now() - begin;
    this.rest = cost > 8 ? begin + 4 * cost : 0;
  }

  show(event) {
    this.last = event;
    const box = this.renderer.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const hit = this.shown.patches && this.shown.map < 0 ? this.find(x, y) : null;
    const content = hit ? this.values(hit) : this.names(x, y);
    if (!content) return this.hide();
    this.tip.replaceChildren(...content);
    this.tip.hidden = false;
    this.tip.style.left = `${Math.max(8, Math.min(event.clientX + 16, innerWidth - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${Math.max(8, Math.min(event.clientY + 14, innerHeight - this.tip.offsetHeight - 8))}px`;
  }

  // The contact at a hit: its body, its pairing and patch, the values there, and the force of the patch.
  values(hit) {
    const { scene, contact, player } = this.renderer;
    const { tops } = player.frames.at(player.frame);
    const { force, area } = scene.units;
    const arrows = contact.arrows(player.frame).filter((arrow) => arrow[0] === hit.pairing);
    const arrow = arrows[Math.min(hit.patch, arrows.length - 1)];
    const rows = [
      ["On", scene.bodies[hit.body].name],
      ...scene.quantities.map((q, i) => [q.label, `${digits(hit.values[i] * tops[i] * q.factor)} ${q.unit}`]),
    ];
    if (arrow) {
      const whose = arrows.length > 1 ? "patch" : "contact";
      rows.push([`Force of the ${whose}`, `${digits(length(arrow.subarray(5, 8)) * force.factor)} ${force.unit}`]);
      rows.push([`Area of the ${whose}`, `${digits(arrow[8] * area.factor)} ${area.unit}`]);
    }
    const title = scene.pairings[hit.pairing];
    const patch = arrows.length > 1 ? `patch ${hit.patch + 1} of ${arrows.length}` : "";
    const head = [...(title ? [element("b", { text: title })] : []), ...(patch ? [element("div", { class: "value", text: patch })] : [])];
    return [...head, element("table", {}, rows.map(([key, text]) => element("tr", {}, [element("th", { text: key }), element("td", { text })])))];
  }

  // Of a model: all parts whose place is near the pointer, else the body under it.
  names(x, y) {
    const { scene, camera, bodies } = this.renderer;
    if (!["model", "run"].includes(scene.kind)) return null;
    const near = scene.items.filter((item) => {
      const at = item.place && camera.pixel(item.place);
      return at && Math.hypot(at[0] - x, at[1] - y) < 14;
    });
    if (near.length)
      return near.slice(0, 6).map((item) =>
        element("div", {}, [element("b", { text: item.name }), element("span", { class: "value", text: ` ${item.value}` })]),
      );
    const { eye, direction } = camera.ray(x, y);
    const hit = this.shown.surfaces ? bodies.hit(eye, direction, this.shown) : null;
    if (!hit) return null;
    const body = scene.bodies[hit.body];
    return [element("b", { text: body.name }), element("span", { class: "value", text: ` ${body.fixed ? "fixed" : body.note}` })];
  }

  // The nearest triangle of the patches of this frame on the ray through a pixel.
  find(x, y) {
    const { renderer, shown } = this;
    const { eye, direction } = renderer.camera.ray(x, y);
    const { scene, bodies, player } = renderer;
    const { data, ranges } = player.frames.at(player.frame).patches;
    let best = null;
    for (const [body, first, count, pairing, patch] of ranges) {
      if (!shown.bodies[body]) continue;
      const matrix = bodies.matrices[body];
      const triangles = { positions: data, stride: 6, scale: scene.bodies[body].half / 32767, first, count };
      const hit = nearestTriangle(triangles, unplace(matrix, eye, 1), unplace(matrix, direction, 0), best?.t);
      if (hit) best = { t: hit.t, row: hit.row, body, pairing, patch };
    }
    if (!best || (!shown.through && this.isHidden(eye, direction, best))) return null;
    best.values = [3, 4, 5].map((c) => (data[6 * best.row + c] & 65535) / 65535);
    return best;
  }

  // Whether an opaque body lies before a patch that does not shine through.
  isHidden(eye, direction, { t }) {
    const { shown, renderer } = this;
    if (!shown.surfaces || shown.opacity < 0.99) return false;
    const hit = renderer.bodies.hit(eye, direction, shown);
    return Boolean(hit) && hit.t < t - 1e-3 * renderer.camera.focus;
  }
}

// The nearest triangle on a ray, nearer than `before`: how far along and its first corner; null where there is none
// (Möller and Trumbore, 1997). Corners are rows of `positions`, in a row or by `corners`.
function nearestTriangle({ positions, stride, scale = 1, corners, first = 0, count }, start, along, before = Infinity) {
  let found = null;
  const [dx, dy, dz] = along;
  for (let i = first; i < first + count; i += 3) {
    const a = stride * (corners ? corners[i] : i);
    const b = stride * (corners ? corners[i + 1] : i + 1);
    const c = stride * (corners ? corners[i + 2] : i + 2);
    const [ax, ay, az] = [positions[a] * scale, positions[a + 1] * scale, positions[a + 2] * scale];
    const [ux, uy, uz] = [positions[b] * scale - ax, positions[b + 1] * scale - ay, positions[b + 2] * scale - az];
    const [vx, vy, vz] = [positions[c] * scale - ax, positions[c + 1] * scale - ay, positions[c + 2] * scale - az];
    const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
    const determinant = ux * px + uy * py + uz * pz;
    if (Math.abs(determinant) < 1e-300) continue;
    const [fx, fy, fz] = [start[0] - ax, start[1] - ay, start[2] - az];
    const u = (fx * px + fy * py + fz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const [qx, qy, qz] = [fy * uz - fz * uy, fz * ux - fx * uz, fx * uy - fy * ux];
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const t = (vx * qx + vy * qy + vz * qz) / determinant;
    if (t > 0 && t < before) {
      before = t;
      found = { t, row: i };
    }
  }
  return found;
}
