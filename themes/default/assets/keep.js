// Keeps the work of the workbench: in the browser until the next visit, and in
// the fragment of an address to pass on. Nothing leaves the browser by itself.

const place = "workbench"; // of the list of what is kept, the newest first
const most = 1_500_000; // characters of one graph
const many = 8; // graphs

const read = (key) => JSON.parse(localStorage.getItem(key));
const key = (id) => `${place}:${id}`;

// save keeps work under the template that it began with, "" for one's own.
export function save(work) {
  try {
    const list = [work.id, ...(read(place) ?? []).filter((id) => id !== work.id)];
    for (const id of list.splice(many)) localStorage.removeItem(key(id));
    const text = JSON.stringify(work);
    if (text.length > most) throw new Error("too long");
    localStorage.setItem(key(work.id), text);
    localStorage.setItem(place, JSON.stringify(list));
    return true;
  } catch {
    return false; // too long, or storage is full or switched off
  }
}

// saved is the work on a template, or the newest of all.
export function saved(id) {
  try {
    return read(key(id ?? read(place)[0]));
  } catch {
    return null;
  }
}

async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}

// packed is work as text for a fragment: deflated, in base64url.
export async function packed(work) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(work)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const largest = 32 << 20; // bytes that a graph may have

export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > largest) throw new Error("the link holds more than 32 MiB");
    parts.push(part.value);
  }
  const work = JSON.parse(await new Blob(parts).text());
  if (typeof work?.text !== "string") throw new Error("the link holds no graph");
  return work;
}
