// Lights the box of a row that the pointer is on, and begins a picture that is
// wider than its box with its first layer in the middle.
"use strict";
{
  // Hovering a row lights the box of its layer; of what repeats, the box of the
  // first instance stands for all, and that of a module for all its layers.
  function setUpDiagram(diagram, rows) {
    const runs = [...diagram.querySelectorAll("[data-run]")].map((frame) => frame.dataset.run.split(" ").map(Number));
    const modules = [...diagram.querySelectorAll("[data-last]")].map((a) => [a, Number(a.getAttribute("href").slice(5)), Number(a.dataset.last)]);
    let lit;
    function light(row) {
      lit?.classList.remove("lit");
      let number = Number(row?.id.slice(4));
      for (const [start, period, count] of runs) {
        if (number >= start && number < start + period * count) number = start + ((number - start) % period);
      }
      lit = diagram.querySelector(`a[href="#row-${number}"]`) || modules.find(([, first, last]) => first <= number && number <= last)?.[0];
      lit?.classList.add("lit");
    }
    rows.addEventListener("mouseover", (e) => light(e.target.closest("tr[id^=row-]")));
    rows.addEventListener("mouseleave", () => light());
  }

  function centre(picture) {
    const box = picture.querySelector("a").getBoundingClientRect();
    picture.scrollLeft += box.x + box.width / 2 - picture.getBoundingClientRect().x - picture.clientWidth / 2;
  }

  const diagram = document.querySelector("#diagram svg");
  if (diagram) {
    setUpDiagram(diagram, document.querySelector("table.rows"));
    // Measured when it comes near: until then it is not laid out.
    new IntersectionObserver(([entry], observer) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      centre(entry.target);
    }).observe(diagram.parentElement);
  }
}
