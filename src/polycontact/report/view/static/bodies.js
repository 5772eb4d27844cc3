// The bodies: surfaces, their edges, bounding volumes and markers.

class Bodies {
  constructor(gl, programs, scene) {
    this.gl = gl;
    this.programs = programs;
    this.scene = scene;
    this.matrices = scene.bodies.map(() => poseMatrix([0, 0, 0], [1, 0, 0, 0]));
    this.parts = scene.parts.map((part) => this.prepare(part));
    this.axes = new Segments(gl, programs.line, new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]));
  }

  prepare(part) {
    const gl = this.gl;
    const indices = makeBuffer(gl, part.triangles, gl.ELEMENT_ARRAY_BUFFER);
    const positions = makeBuffer(gl, part.positions);
    const attributes = [
      { name: "aPosition", buffer: positions },
      { name: "aNormal", buffer: makeBuffer(gl, padded(part.normals)), type: gl.BYTE, normalized: true, stride: 4 },
    ];
    return {
      ...part,
      light: lightOf(part.colour),
      count: part.triangles.length,
      array: makeVertexArray(gl, this.programs.surface, attributes, indices),
      shadow: makeVertexArray(gl, this.programs.shadow, attributes.slice(0, 1), indices),
      reach: farthest(part.positions),
      box: boxAround(part.positions),
    };
  }

  place(player) {
    this.matrices = this.scene.bodies.map((_, i) => player.pose(i));
  }

  // The nearest part on a ray: its body and the distance along the ray; null where there is none.
  hit(eye, direction, shown) {
    let best = null;
    for (const part of this.parts) {
      if (!shown.bodies[part.body]) continue;
      const matrix = this.matrices[part.body];
      const [start, along] = [unplace(matrix, eye, 1), unplace(matrix, direction, 0)];
      if (!hitsBox(start, along, part.box)) continue;
      const triangles = { positions: part.positions, stride: 3, corners: part.triangles, count: part.triangles.length };
      const found = nearestTriangle(triangles, start, along, best?.t);
      if (found) best = { t: found.t, body: part.body };
    }
    return best;
  }

  // Sheets first, for they are what others lie in; then the others from the farthest to the nearest.
  order(eye, shown) {
    const distance = (part) => length(subtract(this.matrices[part.body].slice(12, 15), eye));
    return this.parts
      .filter((part) => shown.bodies[part.body])
      .sort((a, b) => Number(b.open) - Number(a.open) || distance(b) - distance(a));
  }

  drawSurfaces(view, shown) {
    const gl = this.gl;
    const opaque = shown.opacity > 0.99;
    const parts = this.order(view.uEye, shown);
    this.programs.surface.use(view);
    for (const part of parts) {
      this.setPart(part, shown.opacity, shown);
      if (part.open) {
        gl.enable(gl.CULL_FACE);
        gl.cullFace(gl.BACK);
      }
      if (!opaque) {
        // Depth first, then colour: of each body only the nearest layer shows, not a mess of its own back sides.
        gl.colorMask(false, false, false, false);
        this.drawPart(part);
        gl.colorMask(true, true, true, true);
      }
      this.drawPart(part);
      if (part.open) this.drawBack(part, shown);
      gl.disable(gl.CULL_FACE);
    }
  }

  // The back of a sheet is a veil: one looks into the container from behind its wall.
  drawBack(part, shown) {
    const gl = this.gl;
    gl.cullFace(gl.FRONT);
    gl.depthMask(false);
    this.setPart(part, shown.solidBacks ? shown.opacity : 0.16 * shown.opacity, shown);
    this.drawPart(part);
    gl.depthMask(true);
  }

  setPart(part, alpha, shown) {
    this.programs.surface.set({
      uModel: this.matrices[part.body],
      uColour: part.light,
      uBack: shown.back ?? scaled(part.light, 0.6),
      uAlpha: alpha,
      uGloss: 0.12,
    });
  }

  drawPart(part) {
    this.gl.bindVertexArray(part.array);
    this.gl.drawElements(this.gl.TRIANGLES, part.count, this.gl.UNSIGNED_INT, 0);
  }

  // What the surfaces went through: each triangle in the colour of its value, those without any in that of the body.
  drawMaps(view, shown, texture) {
    const gl = this.gl;
    const quantity = this.scene.maps?.[shown.map];
    if (!quantity) return;
    const program = this.programs.patch.use(view, { uQuantity: [1, 0, 0], uStretch: 1, uAlpha: 1, uScale: 0, uSize: 1 });
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(-1.5, -3);
    for (const part of this.parts) {
      if (!shown.bodies[part.body] || !part.maps[quantity.key]) continue;
      part.mapped ??= {};
      part.mapped[quantity.key] ??= this.prepareMap(part, part.maps[quantity.key]);
      const { array, count } = part.mapped[quantity.key];
      if (!count) continue;
      program.set({ uModel: this.matrices[part.body] });
      gl.bindVertexArray(array);
      gl.drawArrays(gl.TRIANGLES, 0, count);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  // The triangles with a value, corner by corner.
  prepareMap(part, shares) {
    const gl = this.gl;
    const [places, values] = [[], []];
    shares.forEach((share, t) => {
      if (!share) return;
      for (let k = 3 * t; k < 3 * t + 3; k++) {
        places.push(...part.positions.subarray(3 * part.triangles[k], 3 * part.triangles[k] + 3));
        values.push(share / 65535);
      }
    });
    const attributes = [
      { name: "aPosition", buffer: makeBuffer(gl, new Float32Array(places)) },
      { name: "aValues", buffer: makeBuffer(gl, new Float32Array(values)), size: 1 },
    ];
    return { array: makeVertexArray(gl, this.programs.patch, attributes), count: values.length };
  }

  drawShadows(view, shown, ground, sun) {
    this.programs.shadow.use(view, { uGround: ground, uSun: sun });
    for (const part of this.parts) {
      if (part.open || !shown.bodies[part.body]) continue;
      this.programs.shadow.set({ uModel: this.matrices[part.body] });
      this.gl.bindVertexArray(part.shadow);
      this.gl.drawElements(this.gl.TRIANGLES, part.count, this.gl.UNSIGNED_INT, 0);
    }
  }

  // Sharp edges always, faintly; all edges where the wireframe is asked for.
  drawEdges(view, shown, theme) {
    const program = this.programs.line.use(view, { uSize: 1, uLift: 1.2e-4, uColour: theme.edge });
    for (const part of this.parts) {
      if (!shown.bodies[part.body]) continue;
      part.lines ??= new Segments(this.gl, this.programs.line, edgePoints(part));
      program.set({ uModel: this.matrices[part.body] });
      if (shown.wireframe) {
        program.set({ uWidth: 0.9, uAlpha: shown.surfaces ? 0.34 : 0.6 });
        part.lines.draw(part.sharp, part.lines.count - part.sharp);
      }
      if (shown.wireframe || shown.surfaces) {
        program.set({ uWidth: 1.2, uAlpha: shown.wireframe ? 0.75 : 0.3 + 0.25 * shown.opacity });
        part.lines.draw(0, part.sharp);
      }
    }
  }

  drawBoxes(view, shown) {
    const program = this.programs.line.use(view, { uSize: 1, uLift: 0, uWidth: 1.3, uAlpha: 0.85 });
    for (const part of this.parts) {
      if (!shown.bodies[part.body] || !part.boxes.length) continue;
      const level = Math.min(shown.boxLevel, part.boxes.length - 1);
      part.boxLines ??= [];
      part.boxLines[level] ??= new Segments(this.gl, this.programs.line, boxEdges(part.boxes[level]));
      program.set({ uModel: this.matrices[part.body], uColour: part.light.map((x) => 0.75 * x) });
      part.boxLines[level].draw();
    }
  }

  // The frame of each body, and those of its named markers, which are smaller.
  drawMarkers(view, shown, theme, radius) {
    const program = this.programs.line.use(view, { uLift: 0, uWidth: 2.4, uAlpha: 1 });
    this.scene.bodies.forEach((body, i) => {
      if (!shown.bodies[i]) return;
      const own = [body.origin, [1, 0, 0], [0, 1, 0], [0, 0, 1]];
      [own, ...body.markers].forEach(([at, x, y, z], k) => {
        const local = new Float32Array([...x, 0, ...y, 0, ...z, 0, ...at, 1]);
        program.set({ uModel: multiply(this.matrices[i], local), uSize: (k ? 0.05 : 0.09) * radius });
        theme.axes.forEach((colour, axis) => {
          program.set({ uColour: colour });
          this.axes.draw(axis, 1);
        });
      });
    });
  }
}

// Whether a ray meets a box, by the ways on which it is between opposite faces.
function hitsBox(start, along, { low, high }) {
  let [first, last] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const ways = [low[k], high[k]].map((face) => (face - start[k]) / (along[k] || 1e-300));
    first = Math.max(first, Math.min(...ways));
    last = Math.min(last, Math.max(...ways));
  }
  return first <= last * (1 + 1e-9);
}

// Three signed bytes do not start at multiples of four; four do.
function padded(normals) {
  const out = new Int8Array((normals.length / 3) * 4);
  for (let i = 0; i < normals.length / 3; i++) out.set(normals.subarray(3 * i, 3 * i + 3), 4 * i);
  return out;
}

function farthest(positions) {
  let most = 0;
  for (let i = 0; i < positions.length; i += 3)
    most = Math.max(most, Math.hypot(positions[i], positions[i + 1], positions[i + 2]));
  return most;
}

function boxAround(positions) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = 0; i < positions.length; i++) {
    low[i % 3] = Math.min(low[i % 3], positions[i]);
    high[i % 3] = Math.max(high[i % 3], positions[i]);
  }
  return { low, high };
}

function edgePoints(part) {
  const out = new Float32Array(part.edges.length * 3);
  part.edges.forEach((vertex, i) => out.set(part.positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
  return out;
}

// The twelve edges of boxes, each given by a corner and the three edges from it.
function boxEdges(boxes) {
  const out = [];
  for (let i = 0; i < boxes.length; i += 12) {
    const [o, ...edges] = [0, 3, 6, 9].map((k) => [...boxes.subarray(i + k, i + k + 3)]);
    edges.forEach((edge, axis) => {
      const [a, b] = edges.filter((_, other) => other !== axis);
      for (const start of [o, add(o, a), add(o, b), add(add(o, a), b)]) out.push(...start, ...add(start, edge));
    });
  }
  return new Float32Array(out);
}
