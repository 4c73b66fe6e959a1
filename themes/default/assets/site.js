// Adds what a page can do without: the switch of the colour scheme, copying of
// code, and search and sorting of the catalog.
"use strict";
{
  const schemes = ["auto", "light", "dark"];
  const button = document.querySelector("button.scheme");

  function setUpSchemes() {
    const label = button.querySelector("span");
    label.textContent = document.documentElement.dataset.scheme || "auto";
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = schemes[(schemes.indexOf(label.textContent) + 1) % schemes.length];
      label.textContent = next;
      if (next === "auto") delete document.documentElement.dataset.scheme;
      else document.documentElement.dataset.scheme = next;
      try {
        if (next === "auto") localStorage.removeItem("scheme");
        else localStorage.setItem("scheme", next);
      } catch {
        // Storage is switched off: the choice holds for this page.
      }
    });
  }
  if (button) setUpSchemes();

  // A button copies the text of the element that it names, and says so.
  function setUpCopy(copier) {
    const source = document.getElementById(copier.dataset.copy);
    const label = copier.textContent;
    copier.hidden = false;
    copier.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        copier.textContent = "Copied";
      } catch {
        // Not allowed here: what is to be copied gets selected instead.
        getSelection().selectAllChildren(source);
        copier.textContent = "Selected";
      }
      setTimeout(() => (copier.textContent = label), 2000);
    });
  }
  document.querySelectorAll("button.copy").forEach(setUpCopy);

  const table = document.querySelector("table.entries");
  const form = document.querySelector("form.filter");

  function setUpFilter(rows) {
    const query = form.elements.q;
    const selects = [...form.querySelectorAll("select")];
    const output = form.querySelector("output");
    const columns = { category: 1, verdict: 5 };
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const value = (row, name) => row.cells[columns[name]].textContent.trim();

    function apply() {
      const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        const fits = words.every((w) => texts[i].includes(w)) && selects.every((s) => !s.value || value(row, s.name) === s.value);
        row.hidden = !fits;
        shown += fits;
      });
      output.textContent = `${shown} of ${rows.length}`;
      remember();
    }

    // The address keeps what is searched for, so that it can be passed on.
    function remember() {
      const address = new URL(location.href);
      for (const field of [query, ...selects]) {
        if (field.value) address.searchParams.set(field.name, field.value);
        else address.searchParams.delete(field.name);
      }
      try {
        if (address.href !== location.href) history.replaceState(null, "", address);
      } catch {
        // Not allowed for files: the address stays as it is.
      }
    }

    const given = new URLSearchParams(location.search);
    for (const field of [query, ...selects]) field.value = given.get(field.name) || "";
    for (const s of selects) if (s.selectedIndex < 0) s.value = "";
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", (e) => e.preventDefault());
    apply();
  }

  // key is what a row is sorted by in a column: a number as BigInt, else text.
  function key(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.sort !== undefined) return BigInt(cell.dataset.sort);
    return (cell.querySelector("a") || cell).textContent.trim().toLowerCase();
  }

  function setUpSorting(rows) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const sorter = document.createElement("button");
      sorter.type = "button";
      sorter.append(...head.childNodes);
      head.append(sorter);
      sorter.addEventListener("click", () => {
        // Numbers come largest first, words from a to z; a second click turns it.
        const first = head.classList.contains("num") ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const keys = new Map(rows.map((row) => [row, key(row, column)]));
        const sorted = [...rows].sort((a, b) => (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : 0));
        table.tBodies[0].append(...sorted);
      });
    });
    heads[0].setAttribute("aria-sort", "ascending");
  }

  if (table && form) {
    const rows = [...table.tBodies[0].rows];
    setUpSorting(rows);
    setUpFilter(rows);
  }
}
