// Layers: marked faces, lines and points that do not change with time, each with its switch.

class Layers {
  constructor(gl, programs, scene) {
    this.gl = gl;
    this.programs = programs;
    this.layers = scene.layers.map((layer) => this.prepare(layer));
  }

  prepare(layer) {
    const gl = this.gl;
    const made = { ...layer, light: lightOf(layer.colour) };
    if (layer.kind === "lines") made.lines = new Segments(gl, this.programs.line, layer.data);
    else {
      const program = this.programs[layer.kind === "faces" ? "surface" : "point"];
      made.array = makeVertexArray(gl, program, [{ name: "aPosition", buffer: makeBuffer(gl, layer.data) }]);
    }
    return made;
  }

  // veil: how much of faces shows through the bodies; lines and points show more, for they cover little.
  draw(view, shown, bodies, veil = 1) {
    const gl = this.gl;
    for (const layer of this.layers) {
      const inWorld = layer.body < 0;
      if (!shown.layers[layer.key] || !(inWorld || shown.bodies[layer.body]) || !layer.data.length) continue;
      const alpha = layer.kind === "faces" ? veil : Math.min(1, 2.2 * veil);
      const common = { uModel: inWorld ? IDENTITY : bodies.matrices[layer.body], uColour: layer.light };
      if (layer.kind === "faces") {
        this.programs.surface.use(view, common, { uBack: layer.light, uAlpha: alpha, uGloss: 0 });
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(-1, -2);
        gl.bindVertexArray(layer.array);
        gl.drawArrays(gl.TRIANGLES, 0, layer.data.length / 3);
        gl.disable(gl.POLYGON_OFFSET_FILL);
      } else if (layer.kind === "lines") {
        this.programs.line.use(view, common, { uSize: 1, uLift: 3e-4, uWidth: layer.width, uAlpha: alpha });
        layer.lines.draw();
      } else {
        const width = layer.width * (window.devicePixelRatio || 1);
        this.programs.point.use(view, common, { uLift: 4e-4, uWidth: width, uAlpha: alpha });
        gl.bindVertexArray(layer.array);
        gl.drawArrays(gl.POINTS, 0, layer.data.length / 3);
      }
    }
  }
}
