// Puts the parts together: what is shown, when a new picture is drawn, and a small interface for scripts.

function firstShown(scene) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const isRun = scene.kind === "run";
  const isMesh = scene.kind === "mesh";
  const isModel = scene.kind === "model";
  const triangles = scene.parts.reduce((sum, part) => sum + part.triangles.length / 3, 0);
  return {
    theme: dark ? "dark" : "light",
    surfaces: true,
    opacity: isRun || isModel ? 0.5 : isMesh ? 1 : 0.4,
    solidBacks: isMesh,
    // A back side that shows in a mesh is a finding: no colour of the surface itself.
    back: isMesh ? lightOf("#8a4b5b") : undefined,
    wireframe: triangles < (isMesh ? 20000 : isRun || isModel ? 0 : 1500),
    patches: true,
    through: true,
    polygons: true,
    forces: true,
    forceScale: 1,
    boxes: false,
    boxLevel: 3,
    markers: false,
    ground: isRun || isModel,
    quantity: isModel ? 1 : 0, // of an overlap the depth is what matters
    scaleTo: "run",
    map: -1, // which map bodies are coloured by; of none, patches are
    follow: -1,
    followPairing: -1,
    history: 0, // which curve is behind the slider and in the plot
    bodies: scene.bodies.map(() => true),
    layers: Object.fromEntries(scene.layers.map((layer) => [layer.key, layer.on])),
  };
}

// Instead of a picture: why there is none, and what to do.
function explain(error) {
  const box = document.getElementById("message");
  const current = "use a Firefox, Chrome, Edge or Safari from 2023 or later";
  let why = `The picture cannot be shown: ${error.message}`;
  if (typeof DecompressionStream === "undefined") why = `This browser is too old for the page; ${current}.`;
  else if (error.message === "no WebGL 2")
    why = `This browser offers no WebGL 2, which the picture needs. Switch on hardware acceleration, or ${current}.`;
  box.hidden = false;
  box.firstElementChild.textContent = why;
  console.error(error);
}

// Draws when something has changed, and while time goes on.
function startDrawing(view, changes) {
  const { shown, player, camera, renderer, controls, legend } = view;
  const axes = document.getElementById("axes");
  let last = null;
  const loop = (now) => {
    const since = last === null ? 0 : now - last;
    last = now;
    player.tick(Math.min(0.1, since / 1000));
    if (changes.any) {
      changes.any = false;
      renderer.pace.note(since, player.playing || camera.pointers.size > 0);
      goAlong(view);
      renderer.draw(shown);
      drawAxes(axes, camera, shown.theme === "dark");
      legend.show(shown, player.frame);
      controls.update();
      view.picking.again();
      view.live?.update();
    }
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}

// The camera goes along with a contact while it lasts, else with a body.
function goAlong({ shown, player, camera, renderer }) {
  const mark = renderer.contact.marks(player.frame).find(([pairing]) => pairing === shown.followPairing);
  if (mark) camera.follow(`pairing ${mark[0]}`, place(player.pose(mark[1]), mark.slice(2, 5)));
  else if (shown.follow >= 0 && shown.followPairing < 0) camera.follow(shown.follow, [...player.pose(shown.follow).slice(12, 15)]);
}

async function main() {
  const scene = await loadScene();
  if (innerWidth < 760) document.body.classList.add("wide"); // the panel would cover a small picture
  const shown = firstShown(scene);
  document.documentElement.dataset.theme = shown.theme;
  const canvas = document.getElementById("view");
  const changes = { any: true };
  const redraw = () => (changes.any = true);
  const frames = new Frames(scene);
  const player = new Player(scene, frames, redraw);
  const camera = new Camera(canvas, redraw);
  const renderer = new Renderer(canvas, scene, frames, camera, player);
  const framing = new Framing(scene, shown, renderer, player);
  const controls = new Controls(scene, shown, renderer, player, framing, redraw);
  const legend = new Legend(scene, renderer.contact);
  const picking = new Picking(renderer, shown);
  canvas.addEventListener("dblclick", (event) => turnAbout(event, camera, renderer, shown));
  canvas.addEventListener("webglcontextlost", () => explain(new Error("the graphics were reset; load the page again")));
  new ResizeObserver(redraw).observe(canvas);
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", () => controls.setTheme(scheme.matches ? "dark" : "light"));

  legend.show(shown, 0); // the camera has to know whether it is there
  framing.fit();
  document.getElementById("message").hidden = true;
  const view = { scene, frames, shown, player, framing, camera, renderer, controls, legend, picking, redraw, ready: true };
  startDrawing(view, changes);
  if (scene.live) view.live = new Live(view);
  if (player.moves && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
  window.polycontactView = view;
}

// After a double click the camera turns about the place that was hit.
function turnAbout(event, camera, renderer, shown) {
  const box = renderer.canvas.getBoundingClientRect();
  const { eye, direction } = camera.ray(event.clientX - box.left, event.clientY - box.top);
  const found = renderer.bodies.hit(eye, direction, shown);
  if (!found) return;
  const hit = add(eye, scaled(direction, found.t));
  camera.distance = Math.max(dot(subtract(eye, hit), camera.axes().back), 1e-3 * camera.radius);
  camera.target = hit;
  camera.changed();
}

main().catch(explain);
