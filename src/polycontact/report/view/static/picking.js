// What is under the pointer: a contact element with its values, or the name of a part of a model.

class Picking {
  constructor(renderer, shown) {
    this.renderer = renderer;
    this.shown = shown;
    this.tip = document.getElementById("tip");
    const canvas = renderer.canvas;
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", () => this.hide());
    canvas.addEventListener("pointerdown", () => this.hide());
    canvas.addEventListener("click", (event) => this.show(event)); // a finger does not hover
  }

  hide() {
    this.tip.hidden = true;
  }

  move(event) {
    if (event.buttons || event.pointerType === "touch") return this.hide();
    this.show(event);
  }

  show(event) {
    const box = this.renderer.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const hit = this.shown.patches ? this.find(x, y) : null;
    const content = hit ? this.values(hit) : this.names(x, y);
    if (!content) return this.hide();
    this.tip.replaceChildren(...content);
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(event.clientX + 16, innerWidth - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${Math.min(event.clientY + 14, innerHeight - this.tip.offsetHeight - 8)}px`;
  }

  // The contact at a hit: its pairing and its quantities.
  values(hit) {
    const { scene } = this.renderer;
    const rows = scene.quantities.map((quantity, i) =>
      element("tr", {}, [
        element("th", { text: quantity.label }),
        element("td", { text: `${digits(hit.values[i] * quantity.max * quantity.factor)} ${quantity.unit}` }),
      ]),
    );
    const title = scene.pairings[hit.pairing];
    return [...(title ? [element("b", { text: title })] : []), element("table", {}, rows)];
  }

  // Of a model: all parts whose place is near the pointer, else the body under it.
  names(x, y) {
    const { scene, camera, bodies } = this.renderer;
    if (scene.kind !== "model") return null;
    const near = scene.items.filter((item) => {
      const at = item.place && camera.pixel(item.place);
      return at && Math.hypot(at[0] - x, at[1] - y) < 14;
    });
    if (near.length)
      return near.slice(0, 6).map((item) =>
        element("div", {}, [element("b", { text: item.name }), element("span", { class: "value", text: ` ${item.value}` })]),
      );
    const { eye, direction } = camera.ray(x, y);
    const hit = bodies.hit(eye, direction, this.shown);
    if (!hit) return null;
    const body = scene.bodies[hit.body];
    return [element("b", { text: body.name }), element("span", { class: "value", text: ` ${body.fixed ? "fixed" : body.note}` })];
  }

  // The nearest triangle of the patches of this frame on the ray through a pixel.
  find(x, y) {
    const { renderer, shown } = this;
    const { eye, direction } = renderer.camera.ray(x, y);
    const { scene, contact, bodies, player } = renderer;
    const data = scene.patches.data;
    let best = null;
    for (const [body, first, count, pairing] of contact.ranges(player.frame)) {
      if (!shown.bodies[body]) continue;
      const matrix = bodies.matrices[body];
      const scale = scene.bodies[body].half / 32767;
      const start = unplace(matrix, eye, 1);
      const along = unplace(matrix, direction, 0);
      for (let i = first; i < first + count; i += 3) {
        const corners = [0, 1, 2].map((k) => [0, 1, 2].map((c) => data[6 * (i + k) + c] * scale));
        const t = hitTriangle(start, along, corners);
        if (t !== null && (!best || t < best.t)) best = { t, pairing, row: i };
      }
    }
    if (!best) return null;
    best.values = [3, 4, 5].map((c) => (data[6 * best.row + c] & 65535) / 65535);
    return best;
  }
}

// Distance along a ray to a triangle, or null (Möller and Trumbore, 1997).
function hitTriangle(start, along, [a, b, c]) {
  const [ab, ac] = [subtract(b, a), subtract(c, a)];
  const p = cross(along, ac);
  const determinant = dot(ab, p);
  if (Math.abs(determinant) < 1e-300) return null;
  const from = subtract(start, a);
  const u = dot(from, p) / determinant;
  if (u < 0 || u > 1) return null;
  const q = cross(from, ab);
  const v = dot(along, q) / determinant;
  if (v < 0 || u + v > 1) return null;
  const t = dot(ac, q) / determinant;
  return t > 0 ? t : null;
}
