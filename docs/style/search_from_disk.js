// Lets the search work where pages are opened from a folder: browsers start no workers there, so a hidden frame takes the
// place of one. Messages go both ways as with a worker; scripts that it imports are loaded one after the other.
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        if (this.onmessage) this.onmessage(event);
        this.dispatchEvent(event);
      };
      this.inside.importScripts = (...scripts) => scripts.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      this.load(url).then(() => {
        for (const data of this.waiting.splice(0)) this.hand(data);
        this.ready = true;
      });
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: String(url), onload: done, onerror: failed });
        this.inside.document.documentElement.append(script);
      });
    }

    hand(data) {
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.ready) this.hand(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  }

  window.Worker = FrameWorker;
})();
