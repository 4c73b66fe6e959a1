// Adds what a page can do without: the switch of the colour scheme, and copying
// of code.
"use strict";
{
  const schemes = ["auto", "light", "dark"];
  const button = document.querySelector("button.scheme");

  function setUpSchemes() {
    const label = button.querySelector("span");
    label.textContent = document.documentElement.dataset.scheme || "auto";
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
}
