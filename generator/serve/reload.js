// Keeps an open page up to date with its site. The address of this script says
// which page it stands in; a style sheet may come anew without the page.
(() => {
  const me = new URL(document.currentScript.src);
  const root = me.pathname.replace(/\.strata\/reload\.js$/, "");
  const query = new URLSearchParams({ path: decodeURIComponent(location.pathname), sum: me.search.slice(1) });
  let events, overlay;

  // A browser opens few connections to one host, so that a page nobody sees
  // keeps none. Coming back it hears whether it is still the same.
  function connect() {
    events?.close();
    if (document.hidden) return;
    events = new EventSource(root + ".strata/events?" + query);
    events.addEventListener("reload", reload);
    events.addEventListener("styles", e => restyle(JSON.parse(e.data)));
    events.addEventListener("problems", e => show(JSON.parse(e.data)));
  }
  document.addEventListener("visibilitychange", connect);
  connect();

  function reload() {
    events.close();
    location.reload();
  }

  function restyle(styles) {
    for (const [from, to] of styles) {
      for (const old of document.querySelectorAll('link[rel="stylesheet"]')) {
        if (old.getAttribute("href") !== from) continue;
        const link = old.cloneNode();
        link.href = to;
        link.addEventListener("load", () => old.remove());
        old.after(link);
      }
    }
  }

  function show(problems) {
    overlay?.remove();
    if (problems?.length) document.body.append(overlay = lay(problems));
  }

  // The page's own styles do not reach in, and its policy forbids inline ones.
  function lay(problems) {
    const host = document.createElement("strata-problems");
    const shadow = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      section { position: fixed; inset: auto 0 0 0; z-index: 2147483647; max-height: 60vh; overflow: auto; box-sizing: border-box;
        padding: 1rem 1.25rem; border-top: 4px solid #e5484d; background: #1c1d1f; color: #f1f1f1; font: 14px/1.5 ui-monospace, monospace; }
      h2 { margin: 0 2rem .5rem 0; font-size: 15px; }
      pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
      button { position: absolute; top: .75rem; right: 1rem; border: 0; background: none; color: inherit; font-size: 20px; cursor: pointer; }`);
    shadow.adoptedStyleSheets = [sheet];
    const box = make("section", "");
    box.setAttribute("role", "alert");
    const close = make("button", "×");
    close.setAttribute("aria-label", "Hide");
    close.addEventListener("click", () => host.remove());
    const title = problems.length === 1 ? "1 problem" : problems.length + " problems";
    box.append(close, make("h2", title + "; the page shows the last good build"), ...problems.map(p => make("pre", p)));
    shadow.append(box);
    return host;
  }

  function make(name, text) {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  }
})();
