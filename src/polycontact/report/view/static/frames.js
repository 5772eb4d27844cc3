// The frames that the page has: poses, patches, polygons, forces, each with the time and the sample it shows.

class Frames {
  constructor(scene) {
    this.nBodies = scene.bodies.length;
    this.list = unpackFrames(scene, this.nBodies);
    this.note();
  }

  note() {
    this.times = this.list.map((frame) => frame.time);
  }

  get length() {
    return this.list.length;
  }

  at(i) {
    return this.list[i];
  }

  // Take frames of a run that goes on, whose samples have numbers; what the page has of a sample is replaced.
  add(batch) {
    const found = unpackFrames(batch, this.nBodies, true);
    const samples = new Set(found.map((frame) => frame.sample));
    this.list = [...this.list.filter((frame) => !samples.has(frame.sample)), ...found].sort((a, b) => a.sample - b.sample);
    this.note();
  }

  // Let go of all frames but those of some samples.
  keep(samples) {
    const kept = this.list.filter((frame) => samples.has(frame.sample));
    if (!kept.length) return;
    this.list = kept;
    this.note();
  }
}

// Frames from what frame_packing.py has packed. ``copied``: each in memory of its own, so that it can be let go.
function unpackFrames(batch, nBodies, copied = false) {
  const part = (array, from, to) => (copied ? array.slice(from, to) : array.subarray(from, to));
  // Ranges in the data of all frames become ranges in that of one.
  const own = (store, i, size) => {
    const rows = store.frames[i] ?? [];
    const first = rows.length ? rows[0][1] : 0;
    const last = rows.length ? rows[rows.length - 1][1] + rows[rows.length - 1][2] : 0;
    return {
      data: part(store.data, first * size, last * size),
      ranges: rows.map((row) => [row[0], row[1] - first, ...row.slice(2)]),
    };
  };
  return batch.times.map((time, i) => {
    const [first, count] = batch.arrows.frames[i] ?? [0, 0];
    return {
      time,
      sample: batch.samples ? batch.samples[i] : i,
      poses: part(batch.poses, 7 * nBodies * i, 7 * nBodies * (i + 1)),
      tops: batch.tops[i] ?? [0, 0, 0],
      patches: own(batch.patches, i, 6),
      polygons: own(batch.polygons, i, 6),
      arrows: part(batch.arrows.data, 9 * first, 9 * (first + count)),
      contacts: batch.contacts[i] ?? [],
      curves: batch.rows ? part(batch.rows, batch.width * i, batch.width * (i + 1)) : null,
    };
  });
}
