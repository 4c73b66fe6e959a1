// Runs the program that knows graphs, beside the page, so that the page never
// waits for it. The first message says where the program is; each later one
// names a method of it, and is answered in its order.
"use strict";

let ready; // of the program
let importer; // of the one that reads configurations, loaded when first needed

// start loads a program and gives the object that it sets. WebAssembly is
// compiled while it arrives where the host says what it is.
async function start(address, name) {
  const go = new Go();
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const typed = answer.headers.get("content-type")?.startsWith("application/wasm");
  const { instance } = typed
    ? await WebAssembly.instantiateStreaming(answer, go.importObject)
    : await WebAssembly.instantiate(await answer.arrayBuffer(), go.importObject);
  go.run(instance);
  while (!self[name]) await new Promise((done) => setTimeout(done));
  return self[name];
}

const result = ({ ok, error }) => {
  if (error !== undefined) throw new Error(error);
  return ok;
};

let at;
async function answer(method, args) {
  if (method === "start") {
    at = args[0];
    importScripts(at.runtime);
    ready = start(at.program, "strata").then((strata) => (result(strata.open(at.frame)), strata));
    await ready;
    return "";
  }
  if (method === "adopt") {
    importer ??= start(at.importer, "adopt");
    return result((await importer).config(...args));
  }
  return result((await ready)[method](...args));
}

let queue = Promise.resolve();
self.onmessage = ({ data: { id, method, args } }) => {
  queue = queue.then(async () => {
    const began = performance.now();
    try {
      const ok = await answer(method, args);
      self.postMessage({ id, ok, took: performance.now() - began });
    } catch (error) {
      self.postMessage({ id, error: error.message });
    }
  });
};
