// Named parts of a model: lists in the panel, from which one goes to their places.

const MOST_OPEN = 12; // longer lists start closed

function itemSections(scene, camera) {
  const groups = new Map();
  for (const item of scene.items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...groups].map(([title, items]) =>
    element("details", { open: items.length <= MOST_OPEN, class: "items" }, [
      element("summary", { text: `${title} (${items.length})` }), ...items.map((item) => itemRow(item, camera)),
    ]),
  );
}

function itemRow(item, camera) {
  const row = [element("b", { text: item.name }), element("span", { class: "value", text: item.value })];
  const text = item.text ? [element("p", { text: item.text })] : [];
  if (!item.place) return element("div", { class: "item" }, [...row, ...text]);
  const reach = clamp(item.reach, 0.05 * camera.focus, camera.focus);
  return element(
    "button", { type: "button", class: "item", title: "Go there", onclick: () => camera.goTo(item.place, reach) }, [...row, ...text],
  );
}
