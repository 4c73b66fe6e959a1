// Sets the colour scheme that the reader chose before anything is painted.
try {
  const chosen = localStorage.getItem("scheme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
} catch {
  // Storage is switched off: the system's scheme holds.
}
