// Search, facets, sorting and views of the catalog, its plots, and the choice of
// what to compare. The address keeps all of it, so that it can be passed on.
"use strict";
{
  const table = document.querySelector("table.entries");
  const form = document.querySelector("form.filter");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const { q: query, sort, order, view } = form.elements;
  const facets = [...form.querySelectorAll("select")].filter((s) => ![sort, order, view].includes(s));
  const fields = [query, ...facets, sort, order, view];
  const labels = new Map(facets.flatMap((f) => [...f.options]).map((o) => [o, o.text.replace(/ \(\d+\)$/, "")]));
  const output = form.querySelector("output");
  const nothing = document.querySelector(".nothing");
  const dots = [...document.querySelectorAll(".plot circle")];
  const types = table.dataset.types.toLowerCase().split("|");

  const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const list = (text) => (text ? text.split(",") : []);
  const link = (row) => row.cells[0].querySelector("a");
  const id = (row) => link(row).getAttribute("href").replace(/^.*\/|\.html$/g, "");

  // What is known of a row, by its place in the page.
  const known = rows.map((row) => {
    const name = link(row).textContent;
    const text = [row.cells[0], row.cells[1], row.cells[2]].map((c) => c.textContent).join(" ").toLowerCase();
    return {
      row, name: name.toLowerCase(), plainName: plain(name) + " " + plain(id(row)), text,
      uses: list(row.dataset.t).map((t) => types[t]).join(" "),
      options: row.dataset.o.split(".").map((f) => new Set(list(f))),
    };
  });

  // score is how well a row fits the words of a search: 0 not at all.
  function score(k, words) {
    let sum = 1;
    for (const w of words) {
      const p = plain(w);
      if (p && k.plainName.startsWith(p)) sum += 8;
      else if (k.name.includes(w)) sum += 4;
      else if (p && k.plainName.includes(p)) sum += 3;
      else if (k.text.includes(w)) sum += 2;
      else if (k.uses.includes(w)) sum += 1;
      else return 0;
    }
    return sum;
  }

  // key is what a row is sorted by in a column: a number as BigInt, else text.
  function key(row, column) {
    const cell = row.cells[column];
    if (column === 0) return link(row).textContent.toLowerCase();
    const digits = cell.title || cell.textContent;
    if (digits === "") return "";
    if (heads[column].classList.contains("num") && !digits.includes("-")) return BigInt(digits.replace(/\D/g, "") || 0);
    return cell.textContent.trim().toLowerCase();
  }

  function sortRows(scores, words) {
    const column = heads.findIndex((h) => h.dataset.name === sort.value);
    const down = (column > 0 && heads[column].classList.contains("num")) !== (order.value !== "");
    const byMatch = column < 0 && words.length > 0;
    heads.forEach((h, i) => {
      h.removeAttribute("aria-sort");
      if (!byMatch && i === Math.max(column, 0)) h.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
    const keys = new Map(known.map((k, i) => [k.row, byMatch ? -scores[i] : key(k.row, Math.max(column, 0))]));
    // What has no value comes last, whatever the order.
    const last = (v) => v === "";
    const compare = (a, b) => {
      const x = keys.get(a.row), y = keys.get(b.row);
      if (last(x) !== last(y)) return last(x) ? 1 : -1;
      return x < y ? (down ? 1 : -1) : x > y ? (down ? -1 : 1) : 0;
    };
    const sorted = [...known].sort(compare).map((k) => k.row);
    if (sorted.some((row, i) => row !== body.rows[i])) body.append(...sorted);
  }

  // A number beside each option says how many architectures it would leave.
  function count(misses) {
    facets.forEach((f, i) => {
      for (const o of f.options) {
        const place = String(o.index - 1);
        const n = known.filter((k, r) => misses[r] && misses[r].every((m) => m === i) && (o.index === 0 || k.options[i].has(place))).length;
        o.text = o.index === 0 ? labels.get(o) : `${labels.get(o)} (${n})`;
        o.disabled = n === 0 && !o.selected;
      }
      f.classList.toggle("set", f.value !== "");
    });
  }

  function apply() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = facets.map((f) => String(f.selectedIndex - 1));
    const scores = known.map((k) => score(k, words));
    // The facets that a row does not fit; null when the search leaves it out.
    const misses = known.map((k, r) => (scores[r] ? facets.map((f, i) => i).filter((i) => facets[i].value && !k.options[i].has(chosen[i])) : null));
    let shown = 0;
    known.forEach((k, r) => {
      const fits = misses[r] !== null && misses[r].length === 0;
      k.row.hidden = !fits;
      shown += fits;
    });
    for (const d of dots) d.classList.toggle("out", rows[d.dataset.i].hidden);
    count(misses);
    sortRows(scores, words);
    setView();
    output.textContent = `${shown} of ${rows.length}`;
    nothing.hidden = shown > 0;
    form.classList.toggle("narrowed", query.value !== "" || facets.some((f) => f.value));
    remember();
  }

  // Cards have a bar of what the parameters are for, drawn when first asked for.
  function setView() {
    const cards = view.value === "cards";
    table.classList.toggle("cards", cards);
    if (!cards || body.querySelector("svg.bar")) return;
    const parts = table.dataset.parts.split(" ");
    const svg = (name, attributes) => {
      const e = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      return e;
    };
    for (const row of rows) {
      const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
      let at = 0;
      for (const share of row.dataset.p.split(" ").filter(Boolean)) {
        const [part, width] = share.split(":");
        bar.append(svg("rect", { class: `part-${parts[part]}`, x: at, width, height: 10 }));
        at += Number(width);
      }
      row.cells[0].append(bar);
    }
  }

  function remember() {
    const address = new URL(location.href);
    const keep = (name, value) => (value ? address.searchParams.set(name, value) : address.searchParams.delete(name));
    for (const f of fields) keep(f.name, f.value);
    keep("pick", picked.join(","));
    address.search = address.search.replaceAll("%2C", ",").replaceAll("%2F", "/");
    try {
      if (address.href !== location.href) history.replaceState(null, "", address);
    } catch {
      // Not allowed for files: the address stays as it is.
    }
  }

  // Headings sort, and a second click turns the order.
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.hasAttribute("aria-sort");
      order.value = now && order.value === "" ? "reversed" : "";
      sort.value = head.dataset.name === "name" ? "" : head.dataset.name;
      if (head.dataset.name === "name" && query.value) sort.value = "name";
      apply();
    });
  }

  // Up and down go through the results, from the search on.
  function move(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const links = [...body.rows].filter((row) => !row.hidden).map(link);
    const at = event.target === query ? -1 : links.indexOf(event.target);
    if (at < 0 && event.target !== query) return;
    const next = at + step < 0 ? query : links[at + step];
    if (!next || next === event.target) return;
    event.preventDefault();
    next.focus();
  }
  query.addEventListener("keydown", move);
  body.addEventListener("keydown", move);

  // A few architectures can be set side by side.
  const most = Number(table.dataset.most);
  const tray = document.querySelector(".picked");
  let picked = [];
  const boxes = new Map();

  function showPicked() {
    for (const [name, box] of boxes) {
      box.checked = picked.includes(name);
      box.disabled = !box.checked && picked.length >= most;
    }
    tray.hidden = picked.length === 0;
    const go = tray.querySelector("a");
    go.href = picked.length ? `${table.dataset.compare}?t=${picked.join(",")}` : table.dataset.compare;
    const names = picked.map((name) => link(boxes.get(name).closest("tr")).textContent).join(", ");
    tray.querySelector("span").textContent = picked.length > 1 ? names : `${names} with …`;
  }

  function setUpPicking() {
    const tick = document.createElement("label");
    const word = document.createElement("span");
    word.textContent = "compare";
    tick.className = "tick";
    tick.append(document.createElement("input"), word);
    tick.firstChild.type = "checkbox";
    for (const row of rows) {
      const label = tick.cloneNode(true);
      label.firstChild.setAttribute("aria-label", `Compare ${link(row).textContent}`);
      row.cells[0].prepend(label);
      boxes.set(id(row), label.firstChild);
    }
    body.addEventListener("change", ({ target }) => {
      const name = id(target.closest("tr"));
      picked = target.checked ? [...picked, name] : picked.filter((other) => other !== name);
      showPicked();
      remember();
    });
    tray.querySelector("button").addEventListener("click", () => {
      picked = [];
      showPicked();
      remember();
    });
  }

  // Over a dot its architecture is named, and a click opens its page.
  function setUpPlot(figure) {
    const said = figure.querySelector(".of");
    const plot = figure.querySelector("svg");
    let here = null;
    plot.addEventListener("pointermove", (event) => {
      const scale = plot.getBoundingClientRect().width / plot.viewBox.baseVal.width;
      const box = plot.getBoundingClientRect();
      const x = (event.clientX - box.left) / scale, y = (event.clientY - box.top) / scale;
      let near = null, best = 14;
      for (const d of plot.querySelectorAll("circle:not(.out)")) {
        const far = Math.hypot(d.getAttribute("cx") - x, d.getAttribute("cy") - y);
        if (far < best) [near, best] = [d, far];
      }
      if (near === here) return;
      here?.classList.remove("here");
      here = near;
      here?.classList.add("here");
      plot.style.cursor = here ? "pointer" : "";
      const cells = here && rows[here.dataset.i].cells;
      said.textContent = here ? `${link(rows[here.dataset.i]).textContent}: ${[cells[3].textContent + " parameters", cells[5].textContent, cells[6].textContent].filter(Boolean).join(", ")}` : "";
    });
    plot.addEventListener("click", () => here && link(rows[here.dataset.i]).click());
  }

  const given = new URLSearchParams(location.search);
  for (const f of fields) {
    f.value = given.get(f.name) || "";
    if (f.selectedIndex < 0) f.value = "";
  }
  if (tray) {
    setUpPicking();
    picked = list(given.get("pick")).filter((name) => boxes.has(name)).slice(0, most);
    showPicked();
  }
  for (const figure of document.querySelectorAll(".plots figure:has(circle)")) setUpPlot(figure);
  // On a wide screen the facets are always there; the style sheet says so to
  // browsers that can take it from there.
  const wide = matchMedia("(width > 40rem)").matches;
  form.querySelector("details").open = wide || [...facets, sort, view].some((f) => f.value);
  form.addEventListener("input", apply);
  form.addEventListener("submit", (e) => e.preventDefault());
  const reset = () => {
    for (const f of [query, ...facets]) f.value = "";
    apply();
    query.focus();
  };
  form.addEventListener("reset", (e) => (e.preventDefault(), reset()));
  nothing.querySelector("button").addEventListener("click", reset);
  apply();
}
