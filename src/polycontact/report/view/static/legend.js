// The colour scale with round numbers and its unit.

// A number in four digits, without needless zeros.
function digits(value, n = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(n)));
}

// A number for a narrow column.
const short = (value) => (value > 0 && value < 0.001 ? "< 0.001" : digits(value, 3));

class Legend {
  constructor(scene, contact) {
    this.scene = scene;
    this.contact = contact;
    this.root = document.getElementById("legend");
    this.title = element("div", { class: "title" });
    this.bar = element("canvas", { width: 1, height: 256 });
    this.ticks = element("div", { class: "ticks" });
    this.note = element("div", { class: "note" });
    this.root.append(this.title, element("div", { class: "scale" }, [this.bar, this.ticks]), this.note);
    const context = this.bar.getContext("2d");
    const image = context.createImageData(1, 256);
    for (let i = 0; i < 256; i++)
      image.data.set([...scene.scale.subarray(3 * (255 - i), 3 * (255 - i) + 3), 255], 4 * i);
    context.putImageData(image, 0, 0);
  }

  show(shown, frame) {
    const map = this.scene.maps?.[shown.map];
    const quantity = map ?? this.scene.quantities[shown.quantity];
    this.root.hidden = !quantity || !quantity.max || !(map || shown.patches);
    if (this.root.hidden) return;
    const top = (map ? map.max : this.contact.top(frame, shown)) * quantity.factor;
    const key = `${shown.map} ${shown.quantity} ${top} ${shown.scaleTo}`;
    if (this.key === key) return;
    this.key = key;
    this.title.textContent = `${quantity.label}, ${quantity.unit}`;
    this.ticks.replaceChildren(
      ...ticksUpTo(top).map(({ value, share }) =>
        element("span", { text: digits(value), style: `bottom:${(100 * share).toFixed(2)}%` }),
      ),
    );
    const all = quantity.whole ? "greatest of the run" : "greatest of the frames";
    const whole = this.scene.kind === "run" ? all : "greatest";
    this.note.textContent = map ? `greatest: ${digits(top)} ${map.unit}` : `${shown.scaleTo === "frame" ? "greatest now" : whole}: ${digits(top)} ${quantity.unit}`;
  }
}

// Round numbers from 0 to the top of the scale, and the top itself where there is room for it.
function ticksUpTo(top) {
  if (!(top > 0)) return [{ value: 0, share: 0 }];
  const step = roundUp(top / 6);
  const out = [];
  for (let i = 0; i * step <= top * 1.0001; i++)
    out.push({ value: Number((i * step).toPrecision(6)), share: (i * step) / top });
  return out;
}
