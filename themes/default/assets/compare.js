// Sets two to four templates side by side, from the machine index and their
// JSON files. The address names them: compare.html?t=gpt2,qwen3-8b.
"use strict";
{
  const page = document.querySelector(".comparison");
  const form = page.querySelector(".choose");
  const said = page.querySelector(".said");
  const sheets = page.querySelector(".sheets");
  const most = Number(form.dataset.most);
  const partNames = page.dataset.parts.split(" ");
  const root = page.dataset.index.replace(/a\/index\.json$/, "");
  const whole = new Map(); // what was read of each template

  function element(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
    return e;
  }

  function svg(name, attributes, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  }

  // Numbers as the rest of the site has them. Integers beyond 2^53 are strings
  // in the files. A half is rounded to the even digit.
  const exact = (n) => BigInt(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const round = (x, digits, ties) => ((x * ties) % 4 === 1 ? x - 1 / (2 * ties) : x).toFixed(digits);

  function scaled(n, units, digits, ties) {
    let x = Number(n);
    for (const [i, unit] of units.entries()) {
      x /= 1000;
      const text = round(x, digits, ties);
      if (Number(text) < 1000 || i === units.length - 1) return text + unit;
    }
  }
  const count = (n) => (Number(n) < 1000 ? String(n) : scaled(n, ["K", "M", "B", "T", "Q"], 2, 8));
  const metric = (n, unit) => (Number(n) < 1000 ? `${n} ${unit}` : scaled(n, [" k", " M", " G", " T", " P", " E"], 2, 8) + unit);
  const bytes = (n) => (Number(n) < 1000 ? `${n} B` : scaled(n, [" kB", " MB", " GB", " TB", " PB", " EB"], 1, 4));
  const percent = (part, all) => (Number(all) ? `${((100 * Number(part)) / Number(all)).toFixed(1)}%` : "");

  const bound = (ok) => (ok ? "" : "≥ ");
  const shape = (s) => (s ? s.map((d) => exact(d)).join(" × ") : "not known");

  // A cell is a text, with the exact number below it where that is shortened.
  const number = (n, text, unit = "", before = "") => (n === null || n === undefined ? "" : { text: before + text, exact: Number(n) < 1000 ? "" : exact(n) + unit });
  const size = (n) => number(n, n === null || n === undefined ? "" : bytes(n), " bytes");
  const work = (n, ok) => number(n, metric(n, "MACs"), "", bound(ok));

  // A licence without an SPDX identifier is called by the name behind its prefix.
  const licence = (id) => (id.startsWith("LicenseRef-") ? id.slice(11).replaceAll("-", " ") : id);

  // The rows of the sheets: a label, and what it shows of a template.
  const facts = [
    ["Category", (t) => t.category],
    ["Organisation", (t) => t.organisation],
    ["Licence of the weights", (t) => licence(t.license)],
    ["Released", (t) => t.released],
    ["Density", (t) => t.density],
    ["Attention", (t) => t.attention.join(", ") || "none"],
    ["Layers", (t) => exact(t.layers)],
    ["Components", (t) => exact(t.components)],
    ["Parameters", (t) => number(t.parameters, count(t.parameters), "", bound(t.parameters_complete))],
    ["Active parameters", (t) => number(t.active_parameters, count(t.active_parameters))],
    ["Published parameters", (t) => t.published_parameters !== null && number(t.published_parameters, count(t.published_parameters))],
    ["Input shape", (t) => t.input_shapes.map(shape).join("; ")],
    ["Output shape", (t) => t.output_shapes.map(shape).join("; ")],
    ["MACs", (t) => work(t.macs, t.macs_complete)],
    ["MACs, causal", (t) => work(t.macs_causal, t.macs_complete)],
    ["Verdict", (t) => t.verdict],
    ["Implementation", (t) => t.implementation],
  ];

  const serving = (dtype) => (t) => size(t.memory.serving.find((s) => s.dtype === dtype)?.total_bytes);
  const memory = [
    ["Batch", (t) => exact(t.assumptions.batch)],
    ["Context", (t) => t.memory.cache && exact(t.assumptions.context)],
    ["Weights in bf16", (t) => size(t.memory.serving.find((s) => s.dtype === "bf16")?.weight_bytes)],
    ["Cache for each token", (t) => t.memory.cache && size(t.memory.cache.token_bytes)],
    ["Cache reserved", (t) => t.memory.cache && size(t.memory.cache.reserved_bytes)],
    ["Serving in fp32", serving("fp32")],
    ["Serving in bf16", serving("bf16")],
    ["Serving in int8", serving("int8")],
    ["Serving in int4", serving("int4")],
    ["Training", (t) => size(t.memory.training.total_bytes)],
    ["of this, activations", (t) => size(t.memory.training.activation_bytes)],
  ];

  function cell(value) {
    if (!value) return element("td");
    if (value instanceof Node) return element("td", {}, value);
    if (typeof value === "string") return element("td", {}, value);
    return element("td", {}, value.text, value.exact && value.exact !== value.text ? element("span", { class: "exact" }, value.exact) : "");
  }

  const said1 = (value) => (value instanceof Node ? value.textContent || value.ariaLabel : typeof value === "object" && value ? value.text + value.exact : value || "");

  // A sheet is a table with a column for each template. Rows that say the same
  // of all are set back; rows that say nothing are left out.
  function sheet(id, title, note, templates, rows) {
    const head = element("tr", {}, element("td"), ...templates.map((t) => element("th", { scope: "col" }, element("a", { href: root + t.urls.html }, t.name))));
    const body = element("tbody");
    for (const [label, show] of rows) {
      const values = templates.map(show);
      const texts = values.map(said1);
      if (texts.every((t) => t === "")) continue;
      const row = element("tr", texts.every((t) => t === texts[0]) ? { class: "same" } : {}, element("th", { scope: "row" }, label));
      row.append(...values.map(cell));
      body.append(row);
    }
    const table = element("table", { class: "sheet" }, element("colgroup", {}, element("col"), ...templates.map(() => element("col"))), element("thead", {}, head), body);
    table.style.setProperty("--columns", templates.length);
    return element("section", { id, "aria-labelledby": `h-${id}` },
      element("h2", { id: `h-${id}` }, title),
      note ? element("p", { class: "note" }, note) : "",
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table: ${title}` }, table));
  }

  // Where the parameters are: a row for each kind of layer that one of them has.
  function parts(templates) {
    return partNames.map((name) => [name, (t) => {
      const part = t.parts.find((p) => p.part === name);
      if (!part || Number(part.parameters) === 0) return "";
      const width = (100 * Number(part.parameters)) / Number(t.parameters);
      const bar = svg("svg", { class: "portion", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "all", width: 100, height: 4 }), svg("rect", { class: `part-${name}`, width, height: 4 }));
      return element("div", {}, `${count(part.parameters)}, ${percent(part.parameters, t.parameters)}`, bar);
    }]);
  }

  // The picture of a model, in a box of its own that scrolls, and leads to the one
  // on its page.
  function picture(t) {
    if (!t.urls.diagram) return "not drawn";
    return element("div", { class: "scroll picture", tabindex: "0", role: "region", "aria-label": `Diagram of ${t.name}` },
      element("a", { href: `${root}${t.urls.html}#diagram` }, element("img", { src: root + t.urls.diagram, alt: `Diagram of ${t.name}` })));
  }

  // The layers with repeats folded: what repeats together stands in a frame.
  function structure(t) {
    const top = element("ol");
    let frame = null, of = "";
    for (const r of t.folded) {
      const group = r.repeat > 1 ? `${r.repeat} ${r.block || ""}` : "";
      if (group !== of) {
        frame = null;
        of = group;
        if (group) {
          frame = element("ol");
          top.append(element("li", {}, element("b", { class: "times" }, `×${r.repeat}`), r.block ? ` ${r.block}` : "", frame));
        }
      }
      const n = Number(r.parameters_all) > 0 ? `, ${count(r.parameters_all)}${r.repeat > 1 ? " in all" : ""}` : "";
      (frame || top).append(element("li", {}, element("code", {}, r.type), element("span", { class: "of" }, (r.output_shape ? shape(r.output_shape) : "") + n)));
    }
    return top;
  }

  function diffLinks(index, ids) {
    const links = index.diffs.filter((d) => ids.includes(d.a) && ids.includes(d.b));
    if (links.length === 0) return "";
    const names = (d) => `${index.names.get(d.a)} vs ${index.names.get(d.b)}`;
    return element("section", { id: "diffs", "aria-labelledby": "h-diffs" }, element("h2", { id: "h-diffs" }, "Row by row"),
      element("ul", { class: "pairs" }, ...links.map((d) => element("li", {}, element("a", { href: root + d.urls.html }, names(d)), " ", element("span", { class: "note" }, d.headline)))));
  }

  async function read(path) {
    const answer = await fetch(root + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
    return answer.json();
  }

  function template(index, id) {
    if (!whole.has(id)) whole.set(id, read(index.byID.get(id).urls.json));
    return whole.get(id);
  }

  let last = 0; // the newest choice; answers to earlier ones come too late

  async function show(index) {
    const selects = [...form.querySelectorAll("select")];
    const ids = [...new Set(selects.map((s) => s.value).filter(Boolean))];
    remember(ids);
    const turn = ++last;
    if (ids.length < 2) {
      sheets.replaceChildren();
      said.textContent = ids.length ? "Choose one more." : "Choose two to four architectures.";
      return;
    }
    let templates;
    try {
      templates = await Promise.all(ids.map((id) => template(index, id)));
    } catch (error) {
      if (turn === last) failed(error);
      return;
    }
    if (turn !== last) return;
    const names = templates.map((t) => t.name);
    said.textContent = "";
    document.title = document.title.replace(/^.* · |^Compare$/, "") === "" ? names.join(" vs ") : `${names.join(" vs ")} · ${document.title.replace(/^.* · /, "")}`;
    sheets.replaceChildren(
      sheet("facts", "Facts", "", templates, facts),
      sheet("parameters", "Where the parameters are", "", templates, parts(templates)),
      sheet("memory", "Memory", "Estimates, each under the assumptions of its own page; nothing here was measured.", templates, memory),
      sheet("diagrams", "Diagrams", "Each leads to the one on its page, where boxes lead to their rows.", templates, [["Diagram", picture]]),
      sheet("structure", "Structure", "Layers in the order of the pages, repeats folded.", templates, [["Layers", structure]]),
      diffLinks(index, ids));
  }

  function failed(error) {
    sheets.replaceChildren();
    said.textContent = `The data could not be read (${error.message}). It needs a web server: pages that are opened as files may not read others.`;
  }

  function remember(ids) {
    const address = new URL(location.href);
    address.search = ids.length ? `?t=${ids.map(encodeURIComponent).join(",")}` : "";
    try {
      if (address.href !== location.href) history.replaceState(null, "", address);
    } catch {
      // Not allowed for files: the address stays as it is.
    }
  }

  function choices(index) {
    const groups = new Map();
    const sorted = [...index.templates].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
    for (const t of sorted) {
      if (!groups.has(t.category)) groups.set(t.category, []);
      groups.get(t.category).push(element("option", { value: t.id }, t.name));
    }
    return [element("option", { value: "" }, "none"),
      ...[...groups.keys()].sort().map((name) => element("optgroup", { label: name || "others" }, ...groups.get(name)))];
  }

  async function start() {
    said.textContent = "Reading the index …";
    const index = await read("a/index.json");
    index.byID = new Map(index.templates.map((t) => [t.id, t]));
    index.names = new Map(index.templates.map((t) => [t.id, t.name]));
    const asked = (new URLSearchParams(location.search).get("t") || "").split(",").filter(Boolean);
    const unknown = asked.filter((id) => !index.byID.has(id));
    const given = [...new Set(asked.filter((id) => index.byID.has(id)))].slice(0, most);
    for (let i = 0; i < most; i++) {
      const select = element("select", {}, ...choices(index));
      select.value = given[i] || "";
      form.append(element("label", {}, ["First", "Second", "Third", "Fourth"][i] || String(i + 1), select));
    }
    form.hidden = false;
    form.addEventListener("input", () => show(index));
    form.addEventListener("submit", (e) => e.preventDefault());
    await show(index);
    if (unknown.length) said.textContent = `The catalog has no ${unknown.join(", ")}. ${said.textContent}`.trim();
  }
  start().catch(failed);
}
