// What the picture is about, and how the camera frames it.

// Some frames, the first and the last among them.
function someFrames(n) {
  const count = Math.min(n, 24);
  return Array.from({ length: count }, (_, k) => Math.round((k * (n - 1)) / Math.max(1, count - 1)));
}

// Corners of the boxes around parts, at some frames.
function corners(player, frames, parts) {
  const out = [];
  for (const frame of frames)
    for (const part of parts) {
      const { p, q } = player.poseAt(frame, part.body);
      const matrix = poseMatrix(p, q);
      const { low, high } = part.box;
      for (let k = 0; k < 8; k++) out.push(place(matrix, [0, 1, 2].map((i) => ((k >> i) & 1 ? high[i] : low[i]))));
    }
  return out;
}

function boxOf(points) {
  const low = [0, 1, 2].map((k) => points.reduce((least, p) => Math.min(least, p[k]), Infinity));
  const high = [0, 1, 2].map((k) => points.reduce((most, p) => Math.max(most, p[k]), -Infinity));
  return { low, high, radius: length(subtract(high, low)) / 2 || 1 };
}

class Framing {
  constructor(scene, shown, renderer, player) {
    Object.assign(this, { scene, shown, renderer, player, camera: renderer.camera, frames: player.frames });
    this.measure();
    if (this.travels) shown.follow = this.busiest();
    if (scene.kind === "evaluation") this.lookAskew(this.frames.at(0).contacts);
  }

  // What there is, what moves, and how far; once more when frames have come.
  measure() {
    const { scene, player, renderer } = this;
    const { parts } = renderer.bodies;
    const frames = someFrames(player.times.length);
    this.all = boxOf(corners(player, frames, parts));
    // Large bodies at rest (a floor, a container) are the stage, not what the run is about.
    const isModel = scene.kind === "model";
    const moving = parts.filter((part) => (isModel ? !scene.bodies[part.body].fixed : this.moves(part, frames)));
    const actors = moving.length ? moving : parts;
    this.firstContact = Math.max(0, this.frames.list.findIndex((frame) => frame.contacts.length));
    this.always = [...corners(player, frames, actors), ...(isModel ? this.signs() : [])];
    this.once = corners(player, [this.firstContact], actors);
    this.travels = scene.kind === "run" && this.travelsFar(actors, frames, new Set(moving.map((part) => part.body)));
    this.camera.radius = this.all.radius;
    this.camera.focus = Math.min(boxOf(this.always).radius, 1.1 * boxOf(this.once).radius);
    renderer.ground.lieBelow(this.all.low, this.all.high, this.camera.focus);
  }

  // More of a run has come: what the picture is about may have grown. The camera is left alone once it was moved by hand.
  grow() {
    const before = boxOf(this.always);
    this.measure();
    const now = boxOf(this.always);
    const moved = length(subtract(now.low, before.low)) + length(subtract(now.high, before.high));
    if (!this.camera.handled && moved > 0.05 * now.radius) this.fit();
  }

  // Corners of the boxes around what is drawn in the world: gravity stands beside the bodies.
  signs() {
    return this.scene.layers.filter((layer) => layer.body < 0 && layer.data.length).flatMap((layer) => {
      const { low, high } = boxAround(layer.data);
      return [low, high, [low[0], high[1], low[2]], [high[0], low[1], high[2]]];
    });
  }

  moves(part, frames) {
    const from = this.player.poseAt(0, part.body);
    return frames.some((frame) => {
      const to = this.player.poseAt(frame, part.body);
      return length(subtract(to.p, from.p)) > 1e-3 * part.reach || Math.abs(to.q[0] - from.q[0]) > 1e-3;
    });
  }

  // Everything goes a long way together, and what touches moves: a car and a man, not a ball and a table.
  travelsFar(actors, frames, moving) {
    const middle = (frame) => scaled(actors.map((part) => this.player.poseAt(frame, part.body).p).reduce(add), 1 / actors.length);
    const ways = frames.map((frame) => length(subtract(middle(frame), middle(0))));
    const marks = this.frames.list.flatMap((frame) => frame.contacts);
    const among = marks.filter((mark) => (this.scene.pairBodies[mark[0]] ?? []).every((body) => moving.has(body)));
    return Math.max(...ways) > 2 * boxOf(this.once).radius && among.length >= 0.5 * marks.length;
  }

  // The body that takes part in most contacts.
  busiest() {
    const counts = this.scene.bodies.map(() => 0);
    for (const mark of this.frames.list.flatMap((frame) => frame.contacts))
      for (const body of this.scene.pairBodies[mark[0]] ?? []) counts[body]++;
    return counts.indexOf(Math.max(...counts));
  }

  fit() {
    const { camera, player, shown } = this;
    const narrow = innerWidth < 760;
    const panel = narrow || document.body.classList.contains("wide") ? 10 : 326;
    const legend = narrow || document.getElementById("legend").hidden ? 10 : 150;
    const plot = document.getElementById("plot");
    const bottom = plot.hidden ? 76 : innerHeight - plot.getBoundingClientRect().top + 10;
    camera.inset = [legend, 60, panel, player.moves || this.scene.live ? bottom : 16];
    if (!this.travels) {
      camera.fit(this.always);
      camera.handled = false;
      return;
    }
    // The picture as it is at the first contact, moved along with the body that is followed.
    const body = shown.follow >= 0 ? shown.follow : this.busiest();
    const offset = subtract(player.poseAt(player.frame, body).p, player.poseAt(this.firstContact, body).p);
    camera.fit(this.once.map((p) => add(p, offset)));
    camera.handled = false;
  }

  // Neither along the force nor square to it: then the patch shows its face and the depth its length.
  lookAskew(marks) {
    if (!marks.length) return;
    const { camera } = this;
    const force = unit(marks[0].slice(5, 8));
    const missed = (azimuth) => {
      const across = Math.cos(camera.elevation);
      const back = [Math.cos(azimuth) * across, Math.sin(azimuth) * across, Math.sin(camera.elevation)];
      return Math.abs(Math.abs(dot(back, force)) - 0.5);
    };
    for (let k = 0; k < 24; k++) {
      const azimuth = -0.9 + (k * Math.PI) / 12;
      if (missed(azimuth) < missed(camera.azimuth) - 0.02) camera.azimuth = azimuth;
    }
  }
}
