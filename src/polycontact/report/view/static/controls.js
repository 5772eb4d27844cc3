// Buttons, switches and tables around the picture. They change `shown` or the player and ask for a new picture.

function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(key, value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const ICONS = {
  play: "M7 4.5v15l12-7.5z", pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  back: "M6 5h2.5v14H6zM19 5v14l-9.5-7z", forth: "M15.5 5H18v14h-2.5zM5 5l9.5 7L5 19z",
  loop: "M17 4l3.5 3.5L17 11V8.5H8A2.5 2.5 0 0 0 5.5 11v1H3.5v-1A4.5 4.5 0 0 1 8 6.5h9zM7 20l-3.5-3.5L7 13v2.5h9a2.5 2.5 0 0 0 2.5-2.5v-1h2v1a4.5 4.5 0 0 1-4.5 4.5H7z",
  aim: "M11 2h2v3.100a7 7 0 0 1 5.900 5.900H22v2h-3.100a7 7 0 0 1-5.900 5.900V22h-2v-3.100a7 7 0 0 1-5.900-5.900H2v-2h3.100a7 7 0 0 1 5.900-5.900zm1 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zm0 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  fit: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z",
  picture: "M9 4l-1.6 2H4a1.5 1.5 0 0 0-1.5 1.5v11A1.5 1.5 0 0 0 4 20h16a1.5 1.5 0 0 0 1.5-1.5v-11A1.5 1.5 0 0 0 20 6h-3.400L15 4zm3 4.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zm0 2a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 14.800a1.200 1.200 0 1 1 0-2.400 1.200 1.200 0 0 1 0 2.400zm1-4.700V14h-2v-2.200l.8-.6c1-.7 1.700-1.200 1.700-2a1.500 1.500 0 0 0-3 0H8.500a3.500 3.500 0 0 1 7 0c0 1.900-1.300 2.800-2.500 3.900z",
  plot: "M4 4h2v14h14v2H4zM8.300 15.300l3.200-5.100 3.100 2.600 4.200-6.300 1.600 1.100-5.400 8.100-3.100-2.600-2 3.200z",
  panel: "M4 5h16v2H4zm0 6h16v2H4zm0 6h16v2H4z",
};

function icon(name) {
  const holder = document.createElement("span");
  holder.className = "icon";
  holder.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
  return holder;
}

function button(name, label, action, attributes = {}) {
  return element("button", { type: "button", title: label, "aria-label": label, onclick: action, ...attributes }, [icon(name)]);
}

// Two or more choices of which one is pressed.
function choice(options, current, choose) {
  const root = element("div", { class: "choice", role: "group" });
  options.forEach(([value, label]) =>
    root.append(
      element("button", {
        type: "button", text: label, "data-value": value, "aria-pressed": String(value === current()),
        onclick: () => {
          choose(value);
          for (const each of root.children)
            each.setAttribute("aria-pressed", String(each.dataset.value === String(current())));
        },
      }),
    ),
  );
  return root;
}

class Controls {
  constructor(scene, shown, renderer, player, framing, redraw) {
    Object.assign(this, { scene, shown, renderer, player, framing, redraw, live: Boolean(scene.live) });
    this.switches = {};
    this.buildHeading();
    this.buildButtons();
    this.buildPanel();
    this.buildTransport();
    this.buildHelp();
    window.addEventListener("keydown", (event) => this.key(event));
    // What was pressed with the mouse gives the keys back to the picture: space then plays and pauses.
    for (const kind of ["click", "change"])
      window.addEventListener(kind, (event) => {
        if (kind === "change" ? event.target.tagName === "SELECT" : event.detail) document.activeElement?.blur();
      });
  }

  get hasContact() {
    return this.live ? this.scene.pairings.length > 0 : this.player.frames.list.some((frame) => frame.contacts.length || frame.patches.ranges.length);
  }

  buildHeading() {
    const { title, subtitle } = this.scene;
    document.getElementById("heading").append(
      element("h1", { text: title }), element("p", { text: subtitle }),
    );
  }

  buildButtons() {
    document.getElementById("buttons").append(
      button("fit", "Fit the view (R)", () => this.framing.fit()),
      ...(this.hasContact ? [button("aim", "Look at the contact (C)", () => this.fitContact())] : []),
      button("picture", "Save a picture (PNG)", () => this.savePicture()),
      button("theme", "Light or dark (T)", () => this.setTheme(this.shown.theme === "dark" ? "light" : "dark"), { id: "theme" }),
      button("help", "Keys and mouse (?)", () => document.getElementById("help").showModal()),
      button("panel", "Show or hide the panel (H)", () => this.togglePanel(), { id: "toggle-panel" }),
    );
  }

  setTheme(theme) {
    this.shown.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.redraw();
  }

  togglePanel() {
    document.body.classList.toggle("wide");
    this.redraw();
  }

  savePicture() {
    this.renderer.draw(this.shown); // the buffer is empty unless the picture was drawn just now
    this.renderer.canvas.toBlob((blob) => {
      const url = URL.createObjectURL(blob);
      element("a", { href: url, download: `${this.scene.title.replace(/[^\w.-]+/g, "_")}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    });
  }

  // The panel, from what is asked for most to what is asked for least.
  buildPanel() {
    const panel = document.getElementById("panel");
    const { scene } = this;
    if (this.hasContact && (this.live || scene.quantities.some((quantity) => quantity.max > 0))) panel.append(this.colourSection());
    if (scene.maps?.length) panel.append(this.mapSection());
    if (scene.kind === "evaluation") panel.append(this.factSection("Result"));
    panel.append(...itemSections(scene, this.renderer.camera));
    if (scene.layers.length) panel.append(this.layerSection());
    panel.append(this.showSection());
    if (scene.kind === "run" && this.hasContact) panel.append(this.contactSection());
    if (scene.bodies.length > 1) panel.append(this.bodySection());
    if (scene.kind !== "evaluation") panel.append(this.factSection("About"));
  }

  section(title, children, open = true) {
    return element("details", { open }, [element("summary", { text: title }), ...children]);
  }

  colourSection() {
    const { scene, shown } = this;
    const quantities = scene.quantities.map((quantity, i) => [i, quantity.label]);
    const rows = [
      choice(quantities, () => shown.quantity, (value) => this.set("quantity", value)),
    ];
    if (scene.kind === "run")
      rows.push(
        element("div", { class: "row" }, [
          element("span", { text: "Scaled to", title: "Colours and arrows" }),
          choice([["run", "the whole run"], ["frame", "now"]], () => shown.scaleTo, (value) => this.set("scaleTo", value)),
        ]),
      );
    return this.section("Colour of the patches", rows);
  }

  // What the surfaces went through in the whole run, instead of the patches of one moment.
  mapSection() {
    const options = [["-1", "the patches now"], ...this.scene.maps.map(({ label }, i) => [String(i), label.toLowerCase()])];
    const select = element(
      "select",
      { id: "map", onchange: () => this.set("map", Number(select.value)) },
      options.map(([value, text]) => element("option", { value, text, selected: Number(value) === this.shown.map })),
    );
    const row = element("label", { class: "row" }, [element("span", { text: "Colours show" }), select]);
    return this.section("Over the whole run", [row]);
  }

  set(key, value) {
    this.shown[key] = value;
    this.redraw();
  }

  // A row with a switch, and below it a slider that matters only while the switch is on.
  switchRow(key, label, letter, slider) {
    const input = element("input", {
      type: "checkbox", id: `show-${key}`, checked: Boolean(this.shown[key]),
      onchange: () => this.flip(key, input.checked),
    });
    this.switches[key] = input;
    const row = element("label", { class: "row" }, [
      element("span", { text: label, title: letter ? `Key ${letter.toUpperCase()}` : "" }), input,
    ]);
    return slider ? element("div", {}, [row, slider]) : row;
  }

  flip(key, value = !this.shown[key]) {
    if (!(key in this.switches)) return;
    this.shown[key] = value;
    this.switches[key].checked = value;
    this.redraw();
  }

  slider(key, label, low, high, step, format) {
    const value = element("output", { text: format(this.shown[key]) });
    const input = element("input", {
      type: "range", id: `set-${key}`, min: low, max: high, step, value: this.shown[key], "aria-label": label,
      oninput: () => {
        this.shown[key] = Number(input.value);
        value.textContent = format(this.shown[key]);
        this.redraw();
      },
    });
    return element("div", { class: "slider" }, [element("span", { text: label }), input, value]);
  }

  showSection() {
    const levels = Math.max(0, ...this.scene.parts.map((part) => part.boxes.length - 1));
    const percent = (x) => `${Math.round(100 * x)} %`;
    const rows = [this.switchRow("surfaces", "Surfaces", "s", this.slider("opacity", "opacity", 0.1, 1, 0.01, percent))];
    rows.push(this.switchRow("wireframe", "Wireframe", "w"));
    if (!this.hasContact && this.scene.layers.length) rows.push(this.switchRow("through", "See marks through the surface", "x"));
    if (this.hasContact) {
      const areal = this.live || this.scene.kind !== "run" || this.scene.hasAreas; // points have no patches
      if (areal) rows.push(this.switchRow("patches", "Contact patches", "p"));
      rows.push(this.switchRow("through", "See contact through bodies", "x"));
      if (areal) rows.push(this.switchRow("polygons", "Intersection polygons", "i"));
      const times = (x) => `× ${digits(x, 2)}`;
      rows.push(this.switchRow("forces", "Contact forces", "f", this.slider("forceScale", "length", 0.2, 5, 0.1, times)));
    }
    if (levels) {
      const level = (x) => (x === 0 ? "root" : String(x));
      rows.push(this.switchRow("boxes", "Bounding volumes", "b", this.slider("boxLevel", "level", 0, levels, 1, level)));
    }
    rows.push(this.switchRow("markers", "Markers and body frames", "m"));
    rows.push(this.switchRow("ground", "Ground and shadows", "g"));
    return this.section("Show", rows);
  }

  // Marked problems or parts of a contact: colour, count, words, and a button that goes to the next place.
  layerSection() {
    const rows = this.scene.layers.map((layer) => {
      const input = element("input", {
        type: "checkbox", checked: layer.on, id: `layer-${layer.key}`, disabled: !layer.data.length,
        onchange: () => {
          this.shown.layers[layer.key] = input.checked;
          this.redraw();
        },
      });
      const count = layer.count === null ? [] : [element("span", { class: "count", text: layer.count.toLocaleString("en") })];
      const head = element("div", { class: `row layer ${layer.severity}` }, [
        element("i", { class: `chip ${layer.kind}`, style: `--chip:${layer.colour}` }),
        element("span", { text: layer.label }), ...count, input,
      ]);
      const words = [layer.text, layer.remedy && `Remedy: ${layer.remedy}`].filter(Boolean);
      const body = words.map((text) => element("p", { text }));
      if (layer.data.length && layer.severity) body.push(this.findButton(layer));
      return element("details", { class: "entry" }, [element("summary", {}, [head]), ...body]);
    });
    const titles = { mesh: "Found in this mesh", evaluation: "This contact", model: "Drawn in the picture" };
    return this.section(titles[this.scene.kind], rows);
  }

  findButton(layer) {
    const size = { faces: 9, lines: 6, points: 3 }[layer.kind];
    const n = layer.data.length / size;
    let next = 0;
    const label = () => (n > 1 ? `Go to ${next + 1} of ${n.toLocaleString("en")}` : "Go there");
    const made = element("button", {
      type: "button", class: "find", text: label(),
      onclick: () => {
        this.goTo(layer, layer.data.subarray(size * next, size * (next + 1)));
        next = (next + 1) % n;
        made.textContent = label();
      },
    });
    return made;
  }

  // Look at one place from outside, near enough to see it and far enough to know where it is.
  goTo(layer, points) {
    const corners = [];
    for (let i = 0; i < points.length; i += 3) corners.push(place(this.renderer.bodies.matrices[layer.body], points.subarray(i, i + 3)));
    const middle = scaled(corners.reduce(add), 1 / corners.length);
    const reach = Math.max(...corners.map((corner) => length(subtract(corner, middle))));
    const { camera } = this.renderer;
    const outward = unit(subtract(middle, this.renderer.bodies.matrices[layer.body].slice(12, 15)));
    if (length(outward) > 0.5) camera.look(Math.atan2(outward[1], outward[0]) - 0.35, clamp(Math.asin(outward[2]) + 0.25, -1.4, 1.4));
    camera.goTo(middle, clamp(4 * reach, 0.08 * camera.focus, 0.5 * camera.focus));
  }

  // The patches of this frame fill the middle of the picture.
  fitContact() {
    const { renderer, scene, player } = this;
    const { data, ranges } = player.frames.at(player.frame).patches;
    const points = [];
    renderer.bodies.place(player);
    for (const [body, first, count] of ranges) {
      const scale = scene.bodies[body].half / 32767;
      for (let i = first; i < first + count; i++)
        points.push(place(renderer.bodies.matrices[body], [0, 1, 2].map((c) => data[6 * i + c] * scale)));
    }
    if (!points.length) return;
    const { low, high } = boxOf(points);
    const middle = scaled(add(low, high), 0.5);
    renderer.camera.fit(points.map((p) => add(middle, scaled(subtract(p, middle), 1.5))));
  }

  contactSection() {
    this.contactHead = element("thead");
    this.contactRows = element("tbody");
    return this.section("In contact now", [element("table", { class: "contacts" }, [this.contactHead, this.contactRows])]);
  }

  showContacts(frame) {
    const found = this.player.frames.at(frame);
    if (!this.contactRows || this.shownFrame === found) return;
    this.shownFrame = found;
    const { force, area, pressure, depth } = this.scene.units;
    // Points have neither area nor pressure: where there is nothing else, the depth stands there instead.
    const areal = this.scene.hasAreas;
    const sizes = areal ? [`area\n${area.unit}`, `peak\n${pressure.unit}`] : [`depth\n${depth.unit}`];
    const head = ["", `force\n${force.unit}`, ...sizes];
    this.contactHead.replaceChildren(element("tr", {}, head.map((text) => element("th", { text }))));
    const marks = [...this.renderer.contact.marks(frame)].sort((a, b) => a[0] - b[0]);
    const cells = (mark) => [
      this.scene.pairings[mark[0]],
      short(Math.hypot(mark[5], mark[6], mark[7]) * force.factor),
      ...(!areal ? [short(mark[9] * depth.factor)]
        : mark[8] > 0 ? [short(mark[8] * area.factor), short(mark[10] * pressure.factor)] : ["point", ""]),
    ];
    const rows = marks.map((mark) =>
      element(
        "tr", { class: `place${mark[0] === this.shown.followPairing ? " chosen" : ""}`, onclick: () => this.choosePairing(mark) },
        cells(mark).map((text) => element("td", { text, title: `${text}: go there and stay with it; once more to leave it` })),
      ),
    );
    const none = element("tr", {}, [element("td", { colspan: head.length, class: "none", text: "nothing touches" })]);
    this.contactRows.replaceChildren(...(rows.length ? rows : [none]));
  }

  // Go to a contact and stay with it; chosen once more, the camera stays where it is.
  choosePairing(mark) {
    const { shown, renderer } = this;
    const leave = shown.followPairing === mark[0];
    shown.followPairing = leave ? -1 : mark[0];
    this.shownFrame = null;
    if (!leave) {
      const around = clamp(2 * Math.sqrt(mark[8]), 0.1 * renderer.camera.focus, 0.6 * renderer.camera.focus);
      renderer.camera.goTo(place(renderer.bodies.matrices[mark[1]], mark.slice(2, 5)), around);
    }
    this.redraw();
  }

  bodySection() {
    const rows = this.scene.bodies.map((body, i) => {
      const input = element("input", {
        type: "checkbox", checked: this.shown.bodies[i], id: `body-${i}`,
        onchange: () => {
          this.shown.bodies[i] = input.checked;
          this.redraw();
        },
      });
      return element("label", { class: "row" }, [
        element("i", { class: "chip", style: `--chip:${body.colour}` }), element("span", { text: body.name }),
        ...(body.note ? [element("span", { class: "value", text: body.note })] : []), input,
      ]);
    });
    if (this.scene.kind === "run") {
      const options = [["-1", "nothing"], ...this.scene.bodies.map((body, i) => [String(i), body.name])];
      const select = element(
        "select",
        { id: "follow", onchange: () => this.set("follow", Number(select.value)) },
        options.map(([value, text]) => element("option", { value, text, selected: Number(value) === this.shown.follow })),
      );
      rows.unshift(element("label", { class: "row" }, [element("span", { text: "Camera follows" }), select]));
    }
    return this.section("Bodies", rows, this.scene.bodies.length <= 6);
  }

  // What is to be said of a run that goes on.
  remark(notes) {
    if (notes.length === this.scene.notes.length) return;
    this.scene.notes = notes;
    const table = document.querySelector("#panel .facts");
    table?.parentElement.querySelectorAll(".remark").forEach((each) => each.remove());
    table?.after(...notes.map((text) => element("p", { class: "remark", text })));
  }

  factSection(title) {
    const rows = this.scene.facts.map(([key, value]) =>
      element("tr", {}, [element("th", { text: key }), element("td", { text: value })]),
    );
    const notes = this.scene.notes.map((text) => element("p", { class: "remark", text }));
    const open = this.scene.kind !== "run" || notes.length > 0;
    return this.section(title, [element("table", { class: "facts" }, rows), ...notes], open);
  }

  buildTransport() {
    const { player } = this;
    const root = document.getElementById("transport");
    root.hidden = !player.moves && !this.live;
    if (root.hidden) return;
    this.curves = new Curves(this.scene, this.shown, player, this.framing, this.redraw);
    document.body.classList.add("moves");
    this.playButton = button("play", "Play or pause (space)", () => player.toggle(), { id: "play", class: "main" });
    this.slideTime = element("input", {
      type: "range", id: "time", min: player.start, max: player.end, step: "any", value: player.time, "aria-label": "Time",
      oninput: () => {
        player.pause();
        player.seek(Number(this.slideTime.value));
      },
    });
    this.clock = element("output", { id: "clock" }, [element("span"), element("span", { class: "end" })]);
    const speeds = [0.25, 0.5, 1, 2, 4].flatMap((factor) => [factor, factor * player.speed].map((speed) => Number(speed.toPrecision(6))));
    const choice = [...new Set(speeds)].sort((a, b) => a - b);
    this.speed = element(
      "select", { id: "speed", title: "Speed of the playback", "aria-label": "Speed", onchange: () => (player.speed = Number(this.speed.value)) },
      choice.map((value) => element("option", { value, text: `${value}×`, selected: value === player.speed })),
    );
    this.loopButton = button("loop", "Start again at the end (L)", () => this.flipLoop(), { id: "loop", "aria-pressed": "true" });
    root.append(
      button("back", "One frame back (←)", () => player.step(-1), { id: "back" }), this.playButton,
      button("forth", "One frame forth (→)", () => player.step(1), { id: "forth" }),
      element("div", { class: "track" }, [...this.curves.behindSlider(), this.slideTime]), ...this.curves.switches(), this.clock, this.speed, this.loopButton,
    );
  }

  flipLoop() {
    this.player.loop = !this.player.loop;
    this.loopButton.setAttribute("aria-pressed", String(this.player.loop));
  }

  buildHelp() {
    const lines = [
      ["drag", "turn"], ["right button, Shift or two fingers", "move"], ["wheel or pinch", "zoom to the pointer"],
      ["double click", "turn about this place"], ["space", "play or pause"], ["← →", "one frame (with Shift ten)"],
      ["Home, End", "first and last frame"], [", .", "slower, faster"], ["1 2 3 4", "view from x, y, z, askew"],
      ["R, C", "fit the view, look at the contact"], ["T", "light or dark"], ["H", "hide the panel"], ["V", "plot over time"], ["L", "loop"],
      ["S W P X I F B M G", "switches, in their order"],
    ];
    const rows = lines.map(([key, text]) => element("tr", {}, [element("th", { text: key }), element("td", { text })]));
    const dialog = document.getElementById("help");
    dialog.append(
      element("h2", { text: "Mouse and keys" }), element("table", {}, rows),
      element("button", { type: "button", text: "Close", class: "find", onclick: () => dialog.close() }),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.keepsKey(event)) return;
    const { player } = this;
    const views = { 1: [0, 0], 2: [Math.PI / 2, 0], 3: [-Math.PI / 2, 1.553], 4: [-0.9, 0.42] };
    const letters = {
      s: "surfaces", w: "wireframe", p: "patches", x: "through", i: "polygons", f: "forces", b: "boxes", m: "markers", g: "ground",
    };
    const frames = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => player.toggle(), ArrowLeft: () => player.step(-frames), ArrowRight: () => player.step(frames),
      Home: () => player.step(-1e9), End: () => player.step(1e9), ",": () => this.changeSpeed(-1), ".": () => this.changeSpeed(1),
      r: () => this.framing.fit(), c: () => this.fitContact(), t: () => this.setTheme(this.shown.theme === "dark" ? "light" : "dark"),
      h: () => this.togglePanel(), v: () => this.curves?.togglePlot(), l: () => this.loopButton && this.flipLoop(), "?": () => document.getElementById("help").showModal(),
    };
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (name in views) this.renderer.camera.look(...views[name]);
    else if (name in letters) this.flip(letters[name]);
    else if (name in actions) actions[name]();
    else return;
    event.preventDefault();
  }

  // Keys that belong to what has the focus: a list, a slider, a switch, or the open help.
  keepsKey({ key, target }) {
    if (document.getElementById("help").open || target.tagName === "SELECT") return true;
    if (target.type === "range") return target.id !== "time" && /^(Arrow|Home|End|Page)/.test(key);
    return [" ", "Enter"].includes(key) && ["BUTTON", "INPUT", "SUMMARY"].includes(target.tagName);
  }

  changeSpeed(by) {
    if (!this.speed) return;
    this.speed.selectedIndex = clamp(this.speed.selectedIndex + by, 0, this.speed.options.length - 1);
    this.player.speed = Number(this.speed.value);
  }

  // How wide a square of the ground is.
  showGrid() {
    const grid = document.getElementById("grid");
    grid.hidden = !this.shown.ground;
    const { step } = this.renderer.ground;
    const [factor, unit] = step >= 1 ? [1, "m"] : step >= 1e-3 ? [1e3, "mm"] : [1e6, "µm"];
    grid.textContent = `grid ${digits(step * factor)} ${unit}`;
  }

  // What depends on time.
  update() {
    const { player } = this;
    this.showContacts(player.frame);
    this.showGrid();
    if (!this.curves) return;
    this.curves.draw();
    Object.assign(this.slideTime, { min: player.start, max: player.end });
    this.slideTime.value = player.time;
    const places = clamp(3 - Math.floor(Math.log10(player.end - player.start || 1)), 3, 9);
    this.clock.firstChild.textContent = player.time.toFixed(places);
    this.clock.lastChild.textContent = ` / ${player.end.toFixed(places)} s`;
    if (this.wasPlaying !== player.playing) {
      this.wasPlaying = player.playing;
      this.playButton.replaceChildren(icon(player.playing ? "pause" : "play"));
    }
  }
}
