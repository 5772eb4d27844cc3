// One picture: in which order things are drawn so that contact can be seen inside the bodies.

const THEMES = {
  light: {
    top: [0.86, 0.9, 0.945], bottom: [0.985, 0.988, 0.992], grid: lightOf("#5c6b7c"), gridAlpha: 0.42, shadow: 0.13,
    edge: lightOf("#18222e"), line: lightOf("#0d1b2a"), force: lightOf("#c81d3c"), sky: [0.5, 0.52, 0.56],
    earth: [0.24, 0.23, 0.22], axes: ["#d23c3c", "#2f9348", "#2f6fd6"].map(lightOf),
  },
  dark: {
    top: [0.062, 0.078, 0.102], bottom: [0.125, 0.15, 0.185], grid: lightOf("#9fb4cc"), gridAlpha: 0.26, shadow: 0.34,
    edge: lightOf("#05080c"), line: lightOf("#f2f7ff"), force: lightOf("#ff5d73"), sky: [0.56, 0.6, 0.66],
    earth: [0.22, 0.22, 0.23], axes: ["#ff6b6b", "#58c272", "#6aa5ff"].map(lightOf),
  },
};

// Where the graphics are slow, pictures in motion have fewer pixels; a picture at rest has them all.
class Pace {
  constructor() {
    this.sharpness = 1;
    this.reduced = 1;
    this.times = [];
  }

  // milliseconds since the last picture; moving: whether another one follows at once.
  note(milliseconds, moving) {
    this.times = moving ? [...this.times, milliseconds].slice(-5) : [];
    if (this.times.length === 5) {
      const usual = [...this.times].sort((a, b) => a - b)[2];
      const wanted = usual > 50 ? this.reduced * 0.7 : usual < 22 ? this.reduced * 1.25 : this.reduced;
      const next = clamp(wanted, 0.35, 1);
      if (next !== this.reduced) this.times = [];
      this.reduced = next;
    }
    this.sharpness = moving ? this.reduced : 1;
  }
}

class Renderer {
  constructor(canvas, scene, frames, camera, player) {
    this.canvas = canvas;
    this.scene = scene;
    this.camera = camera;
    this.player = player;
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, alpha: false, powerPreference: "default" });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.programs = {};
    for (const name in SHADERS) this.programs[name] = new Program(gl, name, SHADERS[name]);
    this.bodies = new Bodies(gl, this.programs, scene);
    this.contact = new Contact(gl, this.programs, scene, frames);
    this.layers = new Layers(gl, this.programs, scene);
    this.ground = new Ground(gl, this.programs);
    this.empty = gl.createVertexArray();
    this.pace = new Pace();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * this.pace.sharpness;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((x) => Math.max(1, Math.round(x * ratio)));
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    this.ratio = ratio;
  }

  // What all programs share: eye, lights, size of the picture.
  view(theme) {
    const { eye, right, up, back, viewProjection } = this.camera.matrices();
    const from = (x, y, z) => unit(add(add(scaled(right, x), scaled(up, y)), scaled(back, z)));
    return {
      uViewProjection: viewProjection, uEye: eye, uKey: from(-0.55, 0.75, 0.65), uFill: from(0.8, 0.1, 0.5),
      uSky: theme.sky, uEarth: theme.earth, distance: this.camera.distance, uRoom: 0,
      uPixels: this.canvas.height / this.ratio / (2 * Math.tan(this.camera.fieldOfView / 2)),
      uViewport: [this.canvas.width / this.ratio, this.canvas.height / this.ratio],
    };
  }

  draw(shown) {
    const gl = this.gl;
    const theme = THEMES[shown.theme];
    this.resize();
    this.bodies.place(this.player);
    const view = this.view(theme);
    const frame = this.player.frame;
    this.contact.load(frame);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawBackground(view, shown, theme);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    this.drawInside(view, shown, theme, frame);
    if (shown.surfaces) this.bodies.drawSurfaces(view, shown);
    this.bodies.drawMaps(view, shown, this.contact.texture);
    gl.depthMask(false);
    this.bodies.drawEdges(view, shown, theme);
    gl.depthMask(true);
    if (shown.boxes) this.bodies.drawBoxes(view, shown);
    this.drawThrough(view, shown, theme, frame);
    this.drawOnTop(view, shown, theme, frame);
  }

  drawBackground(view, shown, theme) {
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    this.programs.sky.use({ uTop: theme.top, uBottom: theme.bottom });
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (!shown.ground) return;
    if (shown.surfaces) this.ground.drawShadows(view, shown, this.bodies, theme);
    this.ground.draw(view, theme, this.scene.origin);
  }

  // Before the surfaces, so that transparent ones show it.
  drawInside(view, shown, theme, frame) {
    if (shown.patches && shown.map < 0) this.contact.drawPatches(view, shown, this.bodies, frame, 1);
    this.layers.draw(view, shown, this.bodies);
    if (shown.polygons)
      this.contact.drawPolygons(view, shown, this.bodies, frame, { uWidth: 2, uAlpha: 1, uColour: theme.line });
  }

  // Contact lies inside the bodies: show it once more through them, so that its colours stay those of the legend.
  drawThrough(view, shown, theme, frame) {
    if (!shown.through || !shown.surfaces || shown.map >= 0) return;
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    if (shown.patches) this.contact.drawPatches(view, shown, this.bodies, frame, 0.65);
    if (shown.polygons)
      this.contact.drawPolygons(view, shown, this.bodies, frame, { uWidth: 1.4, uAlpha: 0.5, uColour: theme.line });
    this.layers.draw(view, shown, this.bodies, 0.35);
    gl.enable(gl.DEPTH_TEST);
  }

  // Forces and markers hide behind nothing but each other.
  drawOnTop(view, shown, theme, frame) {
    const radius = this.camera.focus;
    this.gl.clear(this.gl.DEPTH_BUFFER_BIT);
    if (shown.forces) this.contact.drawForces(view, shown, this.bodies, frame, theme.force, radius);
    if (shown.markers) this.bodies.drawMarkers(view, shown, theme, radius);
  }
}

// The little cross of axes in the corner, on a canvas of its own.
function drawAxes(canvas, camera, dark) {
  const ratio = window.devicePixelRatio || 1;
  const size = canvas.clientWidth;
  if (!size) return;
  Object.assign(canvas, { width: size * ratio, height: size * ratio });
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const { right, up, back } = camera.axes();
  const colours = dark ? ["#ff6b6b", "#58c272", "#6aa5ff"] : ["#d23c3c", "#2f9348", "#2f6fd6"];
  const arms = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis, i) => ({
    x: dot(axis, right), y: -dot(axis, up), depth: dot(axis, back), colour: colours[i], name: "xyz"[i],
  }));
  context.lineCap = "round";
  context.lineWidth = 2.2;
  context.font = "600 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  const [middle, reach] = [size / 2, size * 0.33];
  for (const arm of arms.sort((a, b) => a.depth - b.depth)) {
    context.globalAlpha = 0.65 + 0.35 * arm.depth;
    context.strokeStyle = context.fillStyle = arm.colour;
    context.beginPath();
    context.moveTo(middle, middle);
    context.lineTo(middle + reach * arm.x, middle + reach * arm.y);
    context.stroke();
    context.fillText(arm.name, middle + (reach + 9) * arm.x, middle + (reach + 9) * arm.y);
  }
}
