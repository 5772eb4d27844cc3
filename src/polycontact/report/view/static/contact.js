// Contact: patches in colour, intersection polygons, forces. The frame that is shown lies on the graphics card.

class Contact {
  constructor(gl, programs, scene, frames) {
    this.gl = gl;
    this.scene = scene;
    this.frames = frames;
    this.programs = programs;
    this.buffer = makeBuffer(gl, new Int16Array(6));
    this.array = makeVertexArray(gl, programs.patch, [
      { name: "aPosition", buffer: this.buffer, type: gl.SHORT, normalized: true, stride: 12 },
      { name: "aValues", buffer: this.buffer, type: gl.UNSIGNED_SHORT, normalized: true, stride: 12, offset: 6 },
    ]);
    this.polygons = new Segments(gl, programs.line, new Int16Array(6));
    this.texture = scaleTexture(gl, scene.scale);
    this.arrow = new Arrows(gl, programs.arrow);
    this.measure();
  }

  // The forces that arrows are drawn in proportion to; once more when frames have come.
  measure() {
    this.forceReference = typicalForce(this.frames.list);
  }

  ranges(frame) {
    return this.frames.at(frame).patches.ranges;
  }

  marks(frame) {
    return this.frames.at(frame).contacts;
  }

  // The arrows of a frame, one for each patch: pairing, body, point, force, area.
  arrows(frame) {
    const { arrows } = this.frames.at(frame);
    return Array.from({ length: arrows.length / 9 }, (_, i) => arrows.subarray(9 * i, 9 * i + 9));
  }

  // Put the patches and polygons of a frame where they are drawn from.
  load(frame) {
    const { patches, polygons } = this.frames.at(frame);
    if (this.loaded === patches) return;
    this.loaded = patches;
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, patches.data, gl.DYNAMIC_DRAW);
    this.polygons.replace(polygons.data);
  }

  // What the greatest value of the scale is: that of the whole run, or that of this frame.
  top(frame, shown) {
    const quantity = this.scene.quantities[shown.quantity];
    return shown.scaleTo === "frame" ? this.frames.at(frame).tops[shown.quantity] || quantity.max : quantity.max;
  }

  drawPatches(view, shown, bodies, frame, alpha) {
    const quantity = this.scene.quantities[shown.quantity];
    if (!quantity) return;
    const gl = this.gl;
    const program = this.programs.patch.use(view, {
      uQuantity: [0, 1, 2].map((i) => Number(i === shown.quantity)),
      uStretch: this.frames.at(frame).tops[shown.quantity] / (this.top(frame, shown) || 1),
      uAlpha: alpha,
      uScale: 0,
    });
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.bindVertexArray(this.array);
    // Patches lie in the surface they belong to; pull them a little to the front.
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1.5, -3);
    for (const [body, first, count] of this.ranges(frame)) {
      if (!shown.bodies[body]) continue;
      program.set({ uModel: bodies.matrices[body], uSize: this.scene.bodies[body].half });
      gl.drawArrays(gl.TRIANGLES, first, count);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  drawPolygons(view, shown, bodies, frame, style) {
    const program = this.programs.line.use(view, { uLift: 1e-4, ...style });
    for (const [body, first, count, width] of this.frames.at(frame).polygons.ranges) {
      if (!shown.bodies[body]) continue;
      // The two borders of a narrow patch leave most of its width to its colour.
      program.set({ uModel: bodies.matrices[body], uSize: this.scene.bodies[body].half, uRoom: 0.2 * (width ?? 0) });
      this.polygons.draw(first, count);
    }
  }

  // Arrows grow with the force, a typical one to a fifth of the scene; peaks grow more slowly and stay in the picture.
  // Scaled to now, the greatest force of the frame takes the place of the typical one.
  arrowLength(force, radius, reference) {
    const most = 0.5 * radius;
    const linear = (0.2 * radius * force) / (reference || 1);
    return most * (1 - Math.exp(-linear / most));
  }

  drawForces(view, shown, bodies, frame, colour, radius) {
    const data = [];
    const now = Math.max(0, ...this.marks(frame).map((mark) => Math.hypot(mark[5], mark[6], mark[7])));
    const reference = shown.scaleTo === "frame" ? now : this.forceReference;
    for (const arrow of this.arrows(frame)) {
      const body = arrow[1];
      if (!shown.bodies[body]) continue;
      const force = arrow.subarray(5, 8);
      const size = shown.forceScale * this.arrowLength(length(force), radius, reference);
      if (size > 0) data.push(...place(bodies.matrices[body], arrow.subarray(2, 5)), ...scaled(unit(force), size));
    }
    const thick = 0.0075 * Math.min(radius, view.distance * 0.55);
    this.arrow.draw(view, new Float32Array(data), { uColour: colour, uAlpha: 1, uRadius: thick });
  }
}

// 90 % of the forces of the run are below it.
function typicalForce(frames) {
  const marks = frames.flatMap((frame) => frame.contacts);
  const sizes = marks.map((mark) => Math.hypot(mark[5], mark[6], mark[7])).sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 0;
}

function scaleTexture(gl, bytes) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, bytes.length / 3, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, bytes);
  for (const [key, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ])
    gl.texParameteri(gl.TEXTURE_2D, key, value);
  return texture;
}

class Arrows {
  constructor(gl, program) {
    this.gl = gl;
    this.program = program;
    const vertices = arrowMesh(20);
    this.count = vertices.length / 7;
    this.instances = gl.createBuffer();
    const buffer = makeBuffer(gl, vertices);
    this.array = makeVertexArray(gl, program, [
      { name: "aPosition", buffer, stride: 28 },
      { name: "aNormal", buffer, stride: 28, offset: 12 },
      { name: "aHead", buffer, size: 1, stride: 28, offset: 24 },
      { name: "aFoot", buffer: this.instances, stride: 24, divisor: 1 },
      { name: "aVector", buffer: this.instances, stride: 24, offset: 12, divisor: 1 },
    ]);
  }

  // data: foot and vector of each arrow.
  draw(view, data, style) {
    if (!data.length) return;
    const gl = this.gl;
    this.program.use(view, style);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, this.count, data.length / 6);
  }
}

// Shaft of radius 1 and head of radius 2.4, each from z = 0 to 1: rows of position, normal, 1 for the head.
function arrowMesh(n) {
  const out = [];
  const triangle = (...corners) => corners.forEach((corner) => out.push(...corner));
  for (let i = 0; i < n; i++) {
    const [a, b] = [i, i + 1].map((k) => [Math.cos((2 * Math.PI * k) / n), Math.sin((2 * Math.PI * k) / n)]);
    const ring = ([x, y], radius, z, normal, head) => [radius * x, radius * y, z, ...normal, head];
    const [na, nb] = [[...a, 0], [...b, 0]];
    triangle(ring(a, 1, 0, na, 0), ring(b, 1, 0, nb, 0), ring(b, 1, 1, nb, 0));
    triangle(ring(a, 1, 0, na, 0), ring(b, 1, 1, nb, 0), ring(a, 1, 1, na, 0));
    const down = [0, 0, -1];
    triangle(ring(a, 2.4, 0, down, 1), ring(a, 0, 0, down, 1), ring(b, 2.4, 0, down, 1));
    const [ha, hb] = [a, b].map(([x, y]) => [0.9 * x, 0.9 * y, 0.43]);
    triangle(ring(a, 2.4, 0, ha, 1), ring(b, 2.4, 0, hb, 1), ring(a, 0, 1, ha, 1));
  }
  return new Float32Array(out);
}
