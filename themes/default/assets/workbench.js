// The workbench: a graph is edited on this page, and everything that is said of
// it is made by the program in a worker. The graph does not leave the browser.
import { Core } from "./core.js";
import { Editor } from "./editor.js";
import { completer } from "./completion.js";
import { packed, save, saved, unpacked } from "./keep.js";
import { plan } from "./plan.js";
import { Forms } from "./forms.js";

const page = document.querySelector(".workbench");
const { frame, worker, runtime, program, importer, schema, index, root, empty } = page.dataset;
const find = (selector) => page.querySelector(selector);
const button = (name) => find(`[data-do=${name}]`);
const absolute = (address) => new URL(address, location.href).href;
const severe = ["error", "warning", "advice"];
const longest = 2e6; // characters that are edited here; a longer graph is checked all the same
const widest = 6e6; // characters of HTML that are shown at once

const none = "This graph was written here and has no original.";

function say(text) {
  find(".said").textContent = text;
}

// The work: the text with the template that it began with. A text that is too
// long for the editor is kept here.
let work = { id: "", original: "", text: "" };
let template = ""; // as the site keeps it, "" for a graph of one's own
let answer = null; // of the last check
let remark = ""; // on the import that the graph is of
let pages = false; // there are parts of a page
const made = new Set(); // sections that are up to date
const seen = new Set(); // sections on the screen

function able() {
  return typeof WebAssembly === "object" && typeof Worker === "function" && typeof DecompressionStream === "function";
}

function begin() {
  find(".bench").hidden = false;
  const core = new Core({ worker, frame, runtime: absolute(runtime), program: absolute(program), importer: absolute(importer) }, (busy) => {
    button("stop").disabled = !busy;
    page.toggleAttribute("data-busy", busy);
  });
  const editor = new Editor(find(".editor"), { onInput: () => changed(), complete: (text, at) => complete(text, at) });
  let complete = () => ({ choices: [], from: 0 });
  const forms = new Forms(page, { core, apply, select });
  const loading = fetch(schema)
    .then((r) => r.json())
    .then((s) => {
      complete = completer(s);
      forms.schema = s;
    })
    .catch(() => {}); // there are no completions then

  // Checks follow the text: one runs, and the newest one waits.
  let timer;
  let running = false;
  let waiting = false;
  let quiet = false;

  function changed() {
    button("undo").disabled = !editor.past.length;
    button("redo").disabled = !editor.future.length;
    if (quiet) return;
    work.text = editor.text;
    clearTimeout(timer);
    timer = setTimeout(check, 40);
  }

  let checking;
  function check() {
    timer = 0;
    if (running) waiting = true;
    else checking = checkAll();
  }

  // settled waits until what the editor holds has been checked: the program
  // compares and writes the graph that it checked last.
  async function settled() {
    if (timer) {
      clearTimeout(timer);
      check();
    }
    await checking;
  }

  async function checkAll() {
    running = true;
    do {
      waiting = false;
      try {
        await checkOnce();
      } catch (error) {
        if (error.message !== "stopped") say(error.message);
      }
    } while (waiting);
    running = false;
  }

  async function checkOnce() {
    const text = work.text;
    button("reset").disabled = text === work.original;
    keepLater();
    if (!text.trim()) {
      answer = null;
      show({ marks: [] });
      pages = false;
      for (const e of page.querySelectorAll("[data-section]")) e.replaceChildren();
      find("#comparison").hidden = true;
      say("");
      page.dataset.checked = "";
      return;
    }
    answer = JSON.parse(await core.ask("check", text));
    page.dataset.took = core.took.toFixed(1);
    if (work.text !== text) return; // a newer one waits
    show({ marks: marksOf(answer) });
    find(".answers").classList.toggle("stale", Boolean(answer.fault));
    if (answer.fault) {
      say(`Not readable${answer.fault.line ? `, line ${answer.fault.line}` : ""}: ${answer.fault.message}`);
      page.dataset.checked = "fault";
      return;
    }
    pages = answer.page;
    const c = answer.check;
    say(`${c.summary} ${c.parameters_complete ? "" : "At least "}${exact(c.parameters)} parameters. ${remark}`);
    find("#comparison").hidden = !pages;
    made.clear();
    await sections();
    page.dataset.checked = c.verdict;
    forms.refresh(pages);
  }

  const exact = (n) => BigInt(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");

  function marksOf({ fault, check: c }) {
    if (fault) return [{ severity: "error", line: fault.line, column: fault.column, text: fault.message }];
    return c.findings
      .filter((f) => !f.accepted)
      .map((f) => ({ severity: f.severity, line: f.line, column: f.column, text: `${f.message}${f.repeat > 1 ? ` (×${f.repeat})` : ""}`, fix: f.fix, rule: f.rule, component: f.components[0], mechanical: f.patch.length > 0 }));
  }

  // show puts marks on their lines, and lists them below the text.
  function show({ marks }) {
    const byLine = new Map();
    for (const m of marks) {
      const there = byLine.get(m.line);
      if (!there) byLine.set(m.line, { severity: m.severity, text: m.text });
      else {
        there.text += `\n${m.text}`;
        if (severe.indexOf(m.severity) < severe.indexOf(there.severity)) there.severity = m.severity;
      }
    }
    editor.mark(byLine);
    const most = 200;
    find("#marks").textContent = marks.length > most ? `The first ${most} of ${marks.length} findings:` : "";
    find(".marks").replaceChildren(...marks.slice(0, most).map(item));
  }

  function item(m) {
    const li = document.createElement("li");
    const severity = document.createElement("b");
    severity.className = m.severity;
    severity.textContent = m.severity;
    const text = document.createElement("span");
    text.textContent = m.fix ? `${m.text}. ${m.fix}` : m.text;
    li.append(severity, text);
    if (m.line) li.append(control(`Line ${m.line}`, () => editor.go(m.line, m.column)));
    if (m.mechanical) {
      const fix = control("Apply the fix", () => apply("fix", { rule: m.rule, component: m.component }));
      fix.className = "fix";
      li.append(fix);
    }
    return li;
  }

  function control(text, action) {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    b.addEventListener("click", action);
    return b;
  }

  // sections makes the parts of the page that can be seen, from the top.
  async function sections() {
    for (const e of page.querySelectorAll("[data-section]")) {
      const name = e.dataset.section;
      if (made.has(name) || (!seen.has(name) && e.childElementCount)) continue;
      if (!pages && name !== "findings") {
        e.replaceChildren();
        continue;
      }
      const html = await core.ask("section", name);
      if (waiting) return;
      made.add(name);
      fill(e, html);
    }
  }

  // fill shows HTML that the program made: its templates have escaped every text.
  function fill(e, html) {
    if (html.length > widest) {
      const p = document.createElement("p");
      p.textContent = `This part has ${exact(html.length)} characters, too many to show here; the downloads have all of it.`;
      e.replaceChildren(p);
      return;
    }
    if (e.shown === html) return;
    e.shown = html;
    const open = new Map([...e.querySelectorAll("details")].map((d) => [d.firstElementChild?.textContent, d.open]));
    const chosen = [...e.querySelectorAll("form.plan")].map((form) => [...new FormData(form)]);
    e.innerHTML = html;
    for (const d of e.querySelectorAll("details")) d.open = open.get(d.firstElementChild?.textContent) ?? d.open;
    for (const copier of e.querySelectorAll("button.copy")) copier.hidden = false;
    const planner = e.querySelector(".planner");
    if (!planner) return;
    plan(planner);
    for (const [i, form] of [...planner.querySelectorAll("form")].entries()) {
      for (const [name, value] of chosen[i] ?? []) if (form.elements[name]) form.elements[name].value = value;
      if (chosen[i]) form.dispatchEvent(new Event("input"));
    }
  }

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target.dataset.section);
        else seen.delete(target.dataset.section);
      }
      if (answer && !answer.fault && !running) sections().catch(() => {});
    },
    { rootMargin: "50%" },
  );
  for (const e of page.querySelectorAll("[data-section]")) watcher.observe(e);

  // apply does an operation on the graph.
  async function apply(operation, params) {
    try {
      const { done, text } = JSON.parse(await core.ask("apply", work.text, operation, JSON.stringify(params)));
      editor.replace(text);
      say(`${done[0].toUpperCase()}${done.slice(1)}.`);
      return true;
    } catch (error) {
      say(error.message);
      return false;
    }
  }

  function select(row) {
    for (const e of page.querySelectorAll(".picked")) e.classList.remove("picked");
    find(`#row-${row}`)?.classList.add("picked");
    find(`.picture a[href="#row-${row}"]`)?.classList.add("picked");
  }

  // What can be opened: a text, a template of the site, a link.
  async function open(text, { id = "", original = text } = {}) {
    const configured = configuration(text);
    if (configured) {
      try {
        const { document, warnings } = JSON.parse(await core.ask("adopt", text));
        await open(document);
        remark = warnings.join(" ");
        return;
      } catch (error) {
        say(error.message);
        return;
      }
    }
    work = { id, original, text };
    remark = "";
    if (!id) template = "";
    await core.ask("know", template);
    const long = text.length > longest;
    quiet = true;
    editor.begin(long ? `${text.slice(0, 20000)}\n` : text);
    quiet = false;
    editor.area.readOnly = long;
    find("#marks").textContent = "";
    changed();
    work.text = text;
    if (long) say(`A graph of ${exact(text.length)} characters is too long to edit here. It is checked.`);
    const url = new URL(location.href);
    url.hash = "";
    url.search = id ? `?template=${id}` : "";
    history.replaceState(null, "", url);
    const choice = page.querySelector("[name=template]");
    if (choice) choice.value = id;
  }

  // configuration tells a config.json of the Hugging Face Hub from a graph.
  function configuration(text) {
    if (text.length > longest || !text.includes("model_type")) return false;
    try {
      const value = JSON.parse(text);
      return typeof value.model_type === "string" && !value.components;
    } catch {
      return false;
    }
  }

  async function written(id) {
    const answer = await fetch(`${root}${encodeURIComponent(id)}/written.json`);
    if (!answer.ok) throw new Error(`The site has no template called “${id}”.`);
    return answer.text();
  }

  async function openTemplate(id, text) {
    try {
      template = await written(id);
      const original = JSON.parse(template).document;
      await open(text ?? original, { id, original });
      return true;
    } catch (error) {
      template = "";
      say(error.message);
      return false;
    }
  }

  let keeping;
  function keepLater() {
    clearTimeout(keeping);
    keeping = setTimeout(keep, 300);
  }
  function keep() {
    clearTimeout(keeping);
    page.dataset.kept = save(work.id ? { id: work.id, text: work.text } : work);
  }
  addEventListener("pagehide", () => work.text && keep());

  // What the reader does.
  const actions = {
    undo: () => editor.undo(),
    redo: () => editor.redo(),
    reset: () => editor.replace(work.original),
    stop: async () => {
      core.stop();
      say("Stopped. Change the graph to check it again.");
      await core.ask("know", template).catch(() => {});
    },
    share: async () => {
      const url = new URL(location.pathname, location.href);
      url.hash = `g=${await packed({ id: work.id, text: work.text })}`;
      page.dataset.link = url.href;
      try {
        await navigator.clipboard.writeText(url.href);
        say(`The link is copied; it holds the whole graph, ${exact(url.href.length)} characters.`);
      } catch {
        history.replaceState(null, "", url);
        say("The address of this page now holds the whole graph.");
      }
    },
    compare: async () => {
      if (!work.original && !find("[name=with]").value) return say(none);
      const place = find("#comparison .compare");
      const id = find("[name=with]").value;
      try {
        const other = id ? await written(id) : template || JSON.stringify({ id: "original", document: work.original, note: null });
        await settled();
        fill(place, await core.ask("compare", other));
      } catch (error) {
        say(error.message);
      }
    },
  };
  page.addEventListener("click", (e) => {
    actions[e.target.closest("[data-do]")?.dataset.do]?.();
    const box = e.target.closest('.picture a[href^="#row-"]');
    if (box) e.preventDefault(); // the layer is shown beside the text, not in the table
    const row = box?.getAttribute("href").slice(5) ?? e.target.closest("#structure tr[id^=row-]")?.id.slice(4);
    if (row) forms.open(Number(row));
  });
  page.querySelector("[name=template]")?.addEventListener("change", (e) => e.target.value && openTemplate(e.target.value.trim()));
  find("[name=file]").addEventListener("change", async (e) => {
    const [file] = e.target.files;
    if (file) await open(await file.text());
    e.target.value = "";
  });
  find("[name=download]").addEventListener("change", async (e) => {
    const form = e.target.value;
    e.target.value = "";
    if (!form) return;
    try {
      await settled();
      const name = answer?.check?.id || work.id || "model";
      if (form === "patch" && !work.original) say(none);
      else if (form === "model.json") give(form, work.text);
      else if (form === "patch") give(`${name}.patch.json`, await core.ask("difference", work.original, work.text));
      else give(`${name}.${form}`, await core.ask("file", form));
    } catch (error) {
      say(error.message);
    }
  });

  function give(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  const area = find(".editor");
  addEventListener("dragover", (e) => {
    e.preventDefault();
    area.classList.add("over");
  });
  addEventListener("dragleave", () => area.classList.remove("over"));
  addEventListener("drop", async (e) => {
    e.preventDefault();
    area.classList.remove("over");
    const [file] = e.dataTransfer.files;
    const text = file ? await file.text() : e.dataTransfer.getData("text");
    if (text) await open(text);
  });
  addEventListener("paste", (e) => {
    const text = e.clipboardData.getData("text");
    const inField = e.target.closest?.("input, select, textarea");
    if (!text || (inField && (inField !== editor.area || (editor.text.trim() && !configuration(text))))) return;
    e.preventDefault();
    open(text);
  });

  // Which templates there are.
  async function catalog() {
    const list = page.querySelector("datalist");
    if (!list) return;
    const { templates } = await (await fetch(index)).json();
    const options = () => templates.map(({ id, name }) => new Option(name, id));
    list.replaceChildren(...options());
    find("[name=with]").append(...options());
    const other = new URLSearchParams(location.search).get("with");
    if (other) find("[name=with]").value = other;
  }

  async function first() {
    const url = new URL(location.href);
    const other = url.searchParams.get("with");
    if (url.hash.startsWith("#g=")) {
      try {
        const { id, text } = await unpacked(url.hash.slice(3));
        if (!id || !(await openTemplate(id, text))) await open(text);
        return;
      } catch (error) {
        say(`The link cannot be read: ${error.message}`);
        return;
      }
    }
    const id = url.searchParams.get("template");
    const before = id || empty === undefined ? saved(id ?? undefined) : null;
    const of = id ?? before?.id;
    if (of) await openTemplate(of, before?.text);
    else if (before?.text) await open(before.text, { original: before.original });
    if (other) {
      find("[name=with]").value = other;
      await actions.compare();
    }
  }

  core.ready.catch((error) => say(`The program cannot be loaded: ${error.message}`));
  const listed = catalog().catch(() => {});
  Promise.all([listed, loading]).then(first).then(async () => {
    await core.ready;
    page.dataset.ready = "";
  }).catch(() => {});
}

if (able()) begin();
else find(".unable").hidden = false;
