// The ground: a net of lines that fades out, and the shadows of the bodies on it.

class Ground {
  constructor(gl, programs) {
    this.gl = gl;
    this.programs = programs;
    this.empty = gl.createVertexArray();
    this.height = 0;
    this.middle = [0, 0];
    this.reach = 1;
    this.step = 1;
  }

  // Below a box in the world, with a step of 1, 2 or 5 times a power of ten.
  lieBelow(low, high, radius) {
    this.height = low[2] - 1e-3 * radius;
    this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.reach = 3.2 * Math.max(radius, 0.6 * Math.hypot(high[0] - low[0], high[1] - low[1]));
    this.step = roundUp(radius / 8);
  }

  draw(view, theme, origin) {
    this.programs.ground.use(view, {
      uGround: this.height, uMiddle: this.middle, uReach: this.reach, uStep: this.step, uColour: theme.grid,
      uAlpha: theme.gridAlpha, uOrigin: [origin[0] % (5 * this.step), origin[1] % (5 * this.step)],
    });
    this.gl.bindVertexArray(this.empty);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }

  // Each place is darkened once, however many triangles are above it: the stencil counts.
  drawShadows(view, shown, bodies, theme) {
    const gl = this.gl;
    gl.enable(gl.STENCIL_TEST);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    bodies.drawShadows({ ...view, uAlpha: theme.shadow }, shown, this.height, [0.25, -0.18, 1]);
    gl.disable(gl.STENCIL_TEST);
  }
}

// The least of 1, 2, 5, 10, … times a power of ten that is not below x.
function roundUp(x) {
  if (!(x > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([1, 2, 5, 10].find((digit) => digit * power >= x * 0.999999) ?? 10);
}
