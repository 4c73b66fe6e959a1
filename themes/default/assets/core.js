// The page's side of the worker.

// A Core asks the worker. What is asked while it works waits in line; a stop
// ends the worker, and everything that was asked fails.
export class Core {
  constructor(addresses, onBusy) {
    this.addresses = addresses;
    this.onBusy = onBusy;
    this.begin();
  }

  begin() {
    this.asked = new Map();
    this.next = 0;
    this.worker = new Worker(this.addresses.worker);
    this.worker.onmessage = ({ data: { id, ok, error, took } }) => {
      const { resolve, reject } = this.asked.get(id);
      this.asked.delete(id);
      this.onBusy(this.asked.size > 0);
      this.took = took;
      if (error === undefined) resolve(ok);
      else reject(new Error(error));
    };
    this.worker.onerror = (e) => this.fail(e.message || "the program could not be loaded");
    this.ready = this.ask("start", this.addresses);
    this.ready.catch(() => {}); // whoever asks first says so
  }

  ask(method, ...args) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.asked.set(id, { resolve, reject });
      this.onBusy(true);
      this.worker.postMessage({ id, method, args });
    });
  }

  fail(message) {
    const waiting = [...this.asked.values()];
    this.asked.clear();
    this.onBusy(false);
    for (const { reject } of waiting) reject(new Error(message));
  }

  stop() {
    this.worker.terminate();
    this.fail("stopped");
    this.begin();
  }
}
