// Time: which frame is shown, and the poses of bodies between frames.

class Player {
  constructor(scene, changed) {
    this.times = scene.times;
    this.poses = scene.poses;
    this.nBodies = scene.bodies.length;
    this.changed = changed;
    this.start = this.times[0];
    this.end = this.times[this.times.length - 1];
    this.time = this.start;
    this.frame = 0;
    this.playing = false;
    this.loop = true;
    this.speed = scene.speed;
  }

  get moves() {
    return this.times.length > 1;
  }

  seek(time) {
    this.time = clamp(time, this.start, this.end);
    // The frame that is current from its own time on: contact is shown as it was recorded, not guessed ahead.
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= this.time + 1e-9) low = middle;
      else high = middle - 1;
    }
    this.frame = low;
    this.changed();
  }

  step(frames) {
    this.pause();
    this.seek(this.times[clamp(this.frame + frames, 0, this.times.length - 1)]);
  }

  play() {
    if (!this.moves) return;
    if (this.time >= this.end) this.seek(this.start);
    this.playing = true;
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  tick(seconds) {
    if (!this.playing) return;
    let next = this.time + seconds * this.speed;
    if (next >= this.end) {
      if (this.loop) next = this.start + ((next - this.start) % (this.end - this.start));
      else {
        next = this.end;
        this.playing = false;
      }
    }
    this.seek(next);
  }

  // Pose of a body now: straight and at constant turning speed between two frames.
  pose(body) {
    const from = this.poseAt(this.frame, body);
    if (this.frame + 1 >= this.times.length) return poseMatrix(from.p, from.q);
    const to = this.poseAt(this.frame + 1, body);
    const share = (this.time - this.times[this.frame]) / (this.times[this.frame + 1] - this.times[this.frame]);
    return poseMatrix(add(scaled(from.p, 1 - share), scaled(to.p, share)), slerp(from.q, to.q, share));
  }

  poseAt(frame, body) {
    const row = 7 * (frame * this.nBodies + body);
    return { p: this.poses.slice(row, row + 3), q: this.poses.slice(row + 3, row + 7) };
  }
}
