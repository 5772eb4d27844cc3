// A run that goes on: asks where it stands, takes new frames, lets old ones go, and can pause and stop it.

const ASK_EVERY = 1000; // milliseconds
const AT_ONCE = 16; // frames that are asked for in one go
const TRIES = 5; // after so many unanswered questions the run is given up

class Live {
  constructor(view) {
    this.view = view;
    this.id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.token = location.pathname.split("/")[1];
    this.failed = 0;
    this.build();
    Object.assign(view.player, { live: true, following: true });
    this.ask();
  }

  build() {
    this.words = element("span", { id: "live-words", text: "waiting for the run" });
    this.light = element("i", { class: "light" });
    this.pause = element("button", { type: "button", id: "live-pause", text: "Pause run", onclick: () => this.command(this.paused ? "go on" : "pause") });
    this.stop = element("button", { type: "button", id: "live-stop", text: "Stop run", onclick: () => this.askTwice() });
    this.now = element("button", { type: "button", id: "live-now", text: "Go to now", hidden: true, onclick: () => this.toNow() });
    const root = document.getElementById("live");
    root.append(this.light, this.words, this.pause, this.stop, this.now);
    root.hidden = false;
    document.body.classList.add("live");
  }

  // To stop cannot be undone: the button asks once more.
  askTwice() {
    if (this.sure) return this.command("stop");
    this.sure = setTimeout(() => this.calm(), 4000);
    this.stop.textContent = "Stop: sure?";
    this.stop.classList.add("sure");
  }

  calm() {
    clearTimeout(this.sure);
    this.sure = null;
    this.stop.textContent = "Stop run";
    this.stop.classList.remove("sure");
  }

  toNow() {
    this.view.player.following = true;
    this.view.redraw();
  }

  async fetch(path, options = {}) {
    const answer = await fetch(path, { cache: "no-store", ...options });
    if (!answer.ok) throw new Error(`${(await answer.text()).trim()} (${answer.status})`);
    return answer;
  }

  async command(what, more = {}) {
    this.calm();
    const body = JSON.stringify({ do: what, ...more });
    try {
      await this.fetch("command", { method: "POST", headers: { "X-Polycontact-Token": this.token }, body });
    } catch (error) {
      this.say(error.message, "lost");
    }
  }

  // One question after the other, for as long as the run goes on and the page lacks something.
  async ask() {
    const begin = performance.now();
    try {
      const told = await (await this.fetch(`state?page=${this.id}`)).json();
      const lacking = await this.take(told);
      this.failed = 0;
      if (told.state.over && !lacking) {
        await this.command("seen", { page: this.id });
        return this.end(told.state);
      }
      // While the run goes on, half of the time at most is spent on frames: it may need the machine more.
      const spent = performance.now() - begin;
      setTimeout(() => this.ask(), !lacking ? ASK_EVERY : told.state.over ? 0 : clamp(spent, 200, ASK_EVERY));
    } catch (error) {
      this.failed += 1;
      if (this.failed >= TRIES || error.message.endsWith("(403)")) return this.lose();
      setTimeout(() => this.ask(), ASK_EVERY);
    }
  }

  // Take some frames that the page lacks, and let go of those that it is to have no more; returns how many lack.
  async take(told) {
    const { scene, frames, player, renderer, framing, controls } = this.view;
    const missing = () => {
      const have = new Set(frames.list.filter((frame) => frame.curves).map((frame) => frame.sample));
      return told.chosen.filter((sample) => !have.has(sample));
    };
    const wanted = spread(missing(), AT_ONCE);
    if (wanted.length) {
      const answer = await this.fetch(`frames?samples=${wanted.join(",")}`);
      frames.add(await unpack(new Uint8Array(await answer.arrayBuffer())));
    }
    if (frames.length > told.most) frames.keep(new Set(told.chosen));
    for (const key of ["quantities", "units", "hasAreas"]) if (told[key]) scene[key] = told[key];
    if (told.curves) controls.curves.renew(told.curves);
    controls.shownFrame = null; // its units may have changed
    controls.remark(told.notes ?? []);
    renderer.contact.measure();
    framing.grow();
    player.seek(player.time);
    const lacking = missing().length;
    this.show(told.state, lacking);
    return lacking;
  }

  show(state, lacking) {
    this.paused = state.paused;
    this.pause.textContent = state.paused ? "Go on" : "Pause run";
    document.getElementById("live").dataset.state = state.over ? "over" : state.paused ? "paused" : "running";
    const behind = lacking > 1 ? `, ${lacking} frames to load` : "";
    this.words.textContent = `${state.paused ? "paused at" : "running,"} ${digits(state.time)} of ${digits(state.end_time)} s${behind}`;
    const heading = document.querySelector("#heading p");
    if (heading) heading.textContent = state.over ? state.message || state.status : "";
    this.view.redraw();
  }

  // The page has all there is, and needs nobody any more.
  end(state) {
    Object.assign(this.view.player, { live: false, following: false });
    for (const each of [this.pause, this.stop, this.now]) each.remove();
    this.ended = true;
    this.say(`run ${state.status}`, "over");
  }

  lose() {
    Object.assign(this.view.player, { live: false, following: false });
    for (const each of [this.pause, this.stop, this.now]) each.remove();
    this.ended = true;
    this.say("the run does not answer any more; what was seen of it can be played", "lost");
  }

  say(text, state) {
    this.words.textContent = text;
    document.getElementById("live").dataset.state = state;
    this.view.redraw();
  }

  update() {
    if (!this.ended) this.now.hidden = this.view.player.following;
  }
}

// At most n of some numbers: the last first, then others from all over.
function spread(numbers, n) {
  const last = numbers.slice(-1);
  const rest = numbers.slice(0, -1);
  const count = Math.min(n - 1, rest.length);
  const others = Array.from({ length: count }, (_, k) => rest[Math.floor(((k + 0.5) * rest.length) / count)]);
  // Of those, too, far ones before near ones, for there may be no time for all.
  const order = [...others.keys()].sort((a, b) => reversedBits(a) - reversedBits(b));
  return [...last, ...order.map((i) => others[i])];
}

function reversedBits(i) {
  let out = 0;
  for (let k = 0; k < 5; k++) out = 2 * out + ((i >> k) & 1);
  return out;
}
