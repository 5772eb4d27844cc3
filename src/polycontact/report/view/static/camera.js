// A camera that turns about a point, z upwards: mouse, touch and fitted views.

class Camera {
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.target = [0, 0, 0];
    this.distance = 1;
    this.azimuth = -0.9;
    this.elevation = 0.42;
    this.fieldOfView = 0.6;
    this.radius = 1; // of all there is: how far one can go
    this.focus = 1; // of what the picture is about: how large arrows are
    this.inset = [0, 0, 0, 0];
    this.handled = false; // moved by hand since it was fitted
    this.followed = null; // the body that the camera goes along with, and where it was when last drawn
    this.pointers = new Map();
    for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
      element.addEventListener(kind, (event) => this.pointer(event));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  // Show all points as large as possible within what no panel covers: inset = left, top, right, bottom.
  fit(points) {
    this.followed = null;
    this.handled = true;
    const { width, height, left, top } = this.free();
    const [w, h] = [this.element.clientWidth || 1, this.element.clientHeight || 1];
    const tangent = Math.tan(this.fieldOfView / 2);
    const { right, up, back } = this.axes();
    const local = points.map((p) => [dot(p, right), dot(p, up), dot(p, back)]);
    const middle = [0, 1, 2].map((k) => (Math.min(...local.map((p) => p[k])) + Math.max(...local.map((p) => p[k]))) / 2);
    const [across, upwards] = [(tangent * width) / h, (tangent * height) / h];
    this.distance = 1e-9;
    for (const p of local) {
      const need = Math.max(Math.abs(p[0] - middle[0]) / across, Math.abs(p[1] - middle[1]) / upwards);
      this.distance = Math.max(this.distance, 1.06 * need + p[2] - middle[2]);
    }
    // The middle of the points goes to the middle of what is free.
    const metres = (2 * this.distance * tangent) / h;
    const dx = left + width / 2 - w / 2;
    const dy = top + height / 2 - h / 2;
    middle[0] -= dx * metres;
    middle[1] += dy * metres;
    this.target = add(add(scaled(right, middle[0]), scaled(up, middle[1])), scaled(back, middle[2]));
    for (let i = 0; i < 4; i++) this.refit(points);
    this.changed();
  }

  // What is near moves more than what is far when the middle of the picture is moved: once more with what is seen.
  refit(points) {
    const { width, height, left, top } = this.free();
    const seen = points.map((p) => this.pixel(p)).filter(Boolean);
    if (!seen.length) return;
    const [low, high] = [0, 1].map((side) => [0, 1].map((k) => Math[side ? "max" : "min"](...seen.map((p) => p[k]))));
    const metres = (2 * this.distance * Math.tan(this.fieldOfView / 2)) / (this.element.clientHeight || 1);
    const off = [(low[0] + high[0]) / 2 - left - width / 2, (low[1] + high[1]) / 2 - top - height / 2];
    const { right, up } = this.axes();
    this.target = add(this.target, add(scaled(right, off[0] * metres), scaled(up, -off[1] * metres)));
    this.distance *= clamp(1.04 * Math.max((high[0] - low[0]) / width, (high[1] - low[1]) / height), 1, 2);
  }

  // Look at a place and what is within a reach of it, from where the camera looks now.
  goTo(at, reach) {
    const arms = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].flatMap((axis) => [scaled(axis, reach), scaled(axis, -reach)]);
    this.fit(arms.map((arm) => add(at, arm)));
  }

  // Where a point is on the element, in pixels; null behind the eye.
  pixel(point) {
    const m = this.matrices().viewProjection;
    const [x, y, w] = [0, 1, 3].map((row) => m[row] * point[0] + m[4 + row] * point[1] + m[8 + row] * point[2] + m[12 + row]);
    if (w <= 0) return null;
    return [((x / w + 1) / 2) * this.element.clientWidth, ((1 - y / w) / 2) * this.element.clientHeight];
  }

  // Go along with a body that is now at a place.
  follow(body, at) {
    if (this.followed?.body === body) this.target = add(this.target, subtract(at, this.followed.at));
    this.followed = { body, at };
  }

  free() {
    const [left, top, right, bottom] = this.inset;
    const width = Math.max(200, this.element.clientWidth - left - right);
    const height = Math.max(150, this.element.clientHeight - top - bottom);
    return { width, height, left, top };
  }

  look(azimuth, elevation) {
    this.azimuth = azimuth;
    this.elevation = elevation;
    this.changed();
  }

  axes() {
    const [ca, sa, ce, se] = [
      Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.elevation), Math.sin(this.elevation),
    ];
    const back = [ce * ca, ce * sa, se];
    const right = [-sa, ca, 0];
    return { right, back, up: cross(back, right) };
  }

  matrices() {
    const aspect = this.element.clientWidth / Math.max(1, this.element.clientHeight);
    const { right, up, back } = this.axes();
    const eye = add(this.target, scaled(back, this.distance));
    const far = this.distance + 12 * this.radius;
    const near = Math.max(this.distance * 0.02, far * 2e-4);
    const view = lookingAt(eye, right, up, back);
    return { eye, right, up, back, viewProjection: multiply(perspective(this.fieldOfView, aspect, near, far), view) };
  }

  // Direction from the eye through a pixel of the element.
  ray(x, y) {
    const { right, up, back, eye } = this.matrices();
    const tangent = Math.tan(this.fieldOfView / 2);
    const [w, h] = [this.element.clientWidth, this.element.clientHeight];
    const across = ((2 * x) / w - 1) * tangent * (w / h);
    const upwards = (1 - (2 * y) / h) * tangent;
    return { eye, direction: unit(add(add(scaled(right, across), scaled(up, upwards)), scaled(back, -1))) };
  }

  turn(dx, dy) {
    this.azimuth -= dx * 0.0065;
    this.elevation = clamp(this.elevation + dy * 0.0065, -1.553, 1.553);
    this.changed();
  }

  pan(dx, dy) {
    const { right, up } = this.axes();
    const metres = (2 * this.distance * Math.tan(this.fieldOfView / 2)) / this.element.clientHeight;
    this.target = add(this.target, add(scaled(right, -dx * metres), scaled(up, dy * metres)));
    this.changed();
  }

  // Towards what is under the pointer, so that it stays there.
  zoom(factor, x, y) {
    const next = clamp(this.distance * factor, 1e-3 * this.radius, 40 * this.radius);
    const share = 1 - next / this.distance;
    const { direction, eye } = this.ray(x, y);
    const { back } = this.axes();
    const depth = this.distance / Math.max(0.2, -dot(direction, back));
    const aimed = add(eye, scaled(direction, depth));
    this.target = add(this.target, scaled(subtract(aimed, this.target), share));
    this.distance = next;
    this.handled = true;
    this.changed();
  }

  wheel(event) {
    event.preventDefault();
    const box = this.element.getBoundingClientRect();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    this.zoom(Math.exp(clamp(pixels, -240, 240) * 0.0012), event.clientX - box.left, event.clientY - box.top);
  }

  pointer(event) {
    if (event.type === "pointerdown") {
      this.element.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.element.classList.add("held");
      return;
    }
    if (event.type !== "pointermove") {
      this.pointers.delete(event.pointerId);
      if (!this.pointers.size) this.element.classList.remove("held");
      this.changed(); // once more at rest, with all pixels
      return;
    }
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    this.pointers.set(event.pointerId, now);
    this.handled = true;
    if (others.length) this.pinch(others[0][1], before, now, dx, dy);
    else if (event.buttons & 6 || event.shiftKey || event.ctrlKey) this.pan(dx, dy);
    else this.turn(dx, dy);
  }

  // Two fingers: their distance zooms, their middle pans.
  pinch(other, before, now, dx, dy) {
    const box = this.element.getBoundingClientRect();
    const size = (a) => Math.max(10, Math.hypot(a[0] - other[0], a[1] - other[1]));
    this.pan(dx / 2, dy / 2);
    this.zoom(size(before) / size(now), (now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top);
  }
}
