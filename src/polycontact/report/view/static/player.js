// Time: which frame is shown, and the poses of bodies between frames.

class Player {
  constructor(scene, frames, changed) {
    this.frames = frames;
    this.changed = changed;
    this.time = this.start;
    this.frame = 0;
    this.playing = false;
    this.loop = true;
    this.live = false; // more is to come
    this.following = false; // and time stays where it comes
    this.speed = scene.speed;
  }

  get times() {
    return this.frames.times;
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.times.length - 1];
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
    this.following = false;
    this.changed();
  }

  pause() {
    this.playing = false;
    this.following = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  tick(seconds) {
    if (this.following) this.approach(seconds);
    if (!this.playing) return;
    let next = this.time + seconds * this.speed;
    if (next >= this.end) {
      if (this.live) {
        next = this.end;
        this.playing = false;
        this.following = true;
      } else if (this.loop) next = this.start + ((next - this.start) % (this.end - this.start));
      else {
        next = this.end;
        this.playing = false;
      }
    }
    this.seek(next);
  }

  // What is new comes once a second: time goes there in about as long.
  approach(seconds) {
    if (this.time >= this.end) return;
    const left = (this.end - this.time) * Math.exp(-3 * seconds);
    this.seek(left > 1e-4 * (this.end - this.start) ? this.end - left : this.end);
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
    const { poses } = this.frames.at(frame);
    return { p: poses.slice(7 * body, 7 * body + 3), q: poses.slice(7 * body + 3, 7 * body + 7) };
  }
}
