// What may stand at a place of a graph document, from the schema of graph
// documents. The text before the place need not be whole.

// context reads the text up to a place: the containers that are open there, each
// with the members before, and the beginning of what is being written.
function context(text, at) {
  const open = [];
  let i = 0;
  let key = null;
  while (i < at) {
    const c = text[i];
    const top = open.at(-1);
    if (c === '"') {
      let end = i + 1;
      while (end < at && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      if (end >= at) return { open, key, from: i, word: text.slice(i + 1, at), quoted: true };
      const value = text.slice(i + 1, end);
      if (top && !top.list && key === null) key = value;
      else if (top && !top.list) top.members.set(key, value);
      i = end + 1;
    } else if (c === "{" || c === "[") {
      open.push({ key, list: c === "[", members: new Map() });
      key = null;
      i++;
    } else if (c === "}" || c === "]") {
      key = null;
      open.pop();
      i++;
    } else if (c === ",") {
      key = null;
      i++;
    } else if (/[\w.+-]/.test(c)) {
      const end = i + /^[\w.+-]+/.exec(text.slice(i, at))[0].length;
      if (end === at) return { open, key, from: i, word: text.slice(i, at), quoted: false };
      i = end;
    } else i++;
  }
  return { open, key, from: at, word: "", quoted: false };
}

// memberOf finds a member of the object that a place is in, also behind it.
function sibling(text, at, name) {
  const end = text.indexOf("}", at);
  const start = text.lastIndexOf("{", at);
  const found = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(text.slice(start, end < 0 ? undefined : end));
  return found?.[1];
}

const escape = (text) => JSON.stringify(text);

// values lists what a schema says that a value may be.
export function values(schema) {
  const list = [schema, ...(schema.anyOf ?? [])];
  const found = [];
  for (const s of list) {
    for (const v of s.enum ?? []) if (v !== null) found.push(v);
    if (s.const !== undefined) found.push(s.const);
    if (s.type === "boolean" || s.type?.includes?.("boolean")) found.push(true, false);
  }
  return [...new Set(found)];
}

export function completer(schema) {
  const defs = schema.$defs;
  const types = defs.component.properties.type.anyOf.filter((t) => t.const);

  function place(text, at, { open }) {
    const path = open.map((o) => o.key);
    const top = open.at(-1);
    const depth = path.lastIndexOf("components");
    if (open.length === 1) return { properties: schema.properties };
    if (top.key === "params") {
      const owner = open.at(-2);
      const type = owner.members.get("type") ?? sibling(text, text.lastIndexOf('"params"', at), "type");
      return defs[`params.${type}`] ?? {};
    }
    if (depth >= 0 && open.length === depth + 2) return defs.component;
    if (path[1] === "blocks" && open.length === 3) return defs.block;
    if (path.includes("connections") && !top.list) return defs.connection;
    return {};
  }

  return (text, at) => {
    const ctx = context(text, at);
    const top = ctx.open.at(-1);
    const none = { choices: [], from: at };
    if (!top) return none;
    let found = [];
    if (!top.list && ctx.key === null) {
      const after = /^[\w"]*\s*:/.test(text.slice(at)) ? "" : ": ";
      found = Object.entries(place(text, at, ctx).properties ?? {})
        .filter(([name]) => !top.members.has(name))
        .map(([name, s]) => ({ label: name, note: s.description, insert: escape(name) + after }));
    } else if (top.key === "inputs" || ["from", "to", "output", "sharedWith"].includes(ctx.key)) {
      found = [...new Set([...text.matchAll(/"id"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].slice(0, 20000).map((m) => m[1]))].map((id) => ({ label: id, insert: `"${id}"` }));
    } else if (ctx.key === "type" && ctx.open.some((o) => o.key === "components")) {
      found = types.map((t) => ({ label: t.const, note: t.description, insert: escape(t.const) }));
    } else if (ctx.key === "block" || top.key === "pattern") {
      const start = text.indexOf('"blocks"');
      found = start < 0 ? [] : [...text.slice(start).matchAll(/"([^"\\]+)"\s*:\s*\{\s*"(?:inputs|components|output)"/g)].map((m) => ({ label: m[1], insert: escape(m[1]) }));
    } else if (ctx.key !== null) {
      const s = place(text, at, ctx).properties?.[ctx.key];
      found = s ? values(s).map((v) => ({ label: String(v), insert: JSON.stringify(v) })) : [];
    }
    const word = ctx.word.toLowerCase();
    const begins = found.filter((c) => c.label.toLowerCase().startsWith(word));
    const holds = found.filter((c) => !begins.includes(c) && c.label.toLowerCase().includes(word));
    const choices = [...begins, ...holds].slice(0, 60);
    return choices.length === 1 && choices[0].label === ctx.word ? none : { choices, from: ctx.from };
  };
}
