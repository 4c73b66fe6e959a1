// A text area for JSON: line numbers, colours, marks on lines, completions, and
// a history of its own, so that changes made by the page can be undone too. Only
// the lines that can be seen are painted.

const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
const kept = 200; // steps of the history
const keptText = 16e6; // characters of all of them

function span(name, text) {
  const e = document.createElement("span");
  e.className = name;
  e.textContent = text;
  return e;
}

// painted is a line with its tokens in spans.
function painted(line) {
  const parts = document.createElement("div");
  const shown = line.length > 2000 ? line.slice(0, 2000) : line;
  let last = 0;
  for (const m of shown.matchAll(token)) {
    parts.append(shown.slice(last, m.index));
    const text = m[1] ?? m[0];
    parts.append(span(m[1] ? (m[2] ? "f" : "s") : /[tfn]/.test(text[0]) ? "k" : "n", text), m[2] ?? "");
    last = m.index + m[0].length;
  }
  parts.append(shown.slice(last), "\u200b"); // an empty line has a height too
  return parts;
}

export class Editor {
  constructor(root, { onInput, complete }) {
    this.area = root.querySelector("textarea");
    this.gutter = root.querySelector(".gutter");
    this.paint = root.querySelector(".paint");
    this.list = root.querySelector(".choices");
    this.complete = complete;
    this.onInput = onInput;
    this.marks = new Map(); // by line: {severity, text}
    this.past = [];
    this.future = [];
    this.lines = [""];
    this.choices = [];
    this.area.addEventListener("input", (e) => this.typed(e));
    this.area.addEventListener("scroll", () => this.draw());
    this.area.addEventListener("keydown", (e) => this.key(e));
    this.area.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.area.addEventListener("click", () => this.close());
    this.list.addEventListener("mousedown", (e) => {
      e.preventDefault();
      const item = e.target.closest("li");
      if (item) this.take([...this.list.children].indexOf(item));
    });
    new ResizeObserver(() => this.draw()).observe(this.area);
  }

  get text() {
    return this.area.value;
  }

  // begin shows a text without a history.
  begin(text) {
    this.area.value = text;
    this.past = [];
    this.future = [];
    this.changed();
    this.area.scrollTop = 0;
  }

  // replace is a change made by the page, which can be undone.
  replace(text) {
    if (text === this.text) return;
    this.remember(this.now ?? this.text);
    this.set(text);
  }

  set(text) {
    const { scrollTop, selectionStart } = this.area;
    let at = 0; // the caret stays with what stands before it
    while (at < selectionStart && text[at] === this.area.value[at]) at++;
    this.area.value = text;
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = scrollTop;
    this.changed();
  }

  remember(text) {
    this.past.push(text);
    this.future = [];
    let size = 0;
    for (let i = this.past.length - 1; i >= 0; i--) {
      size += this.past[i].length;
      if (size > keptText || this.past.length - i > kept) {
        this.past.splice(0, i + 1);
        break;
      }
    }
  }

  undo() {
    if (!this.past.length) return;
    this.future.push(this.text);
    this.set(this.past.pop());
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(this.text);
    this.set(this.future.pop());
  }

  // typed remembers the text before a run of typing.
  typed(e) {
    const time = Date.now();
    const together = e.inputType?.startsWith("insertText") && time - (this.time ?? 0) < 600;
    if (!together && this.now !== undefined) this.remember(this.now);
    this.time = time;
    this.future = [];
    this.changed();
    const typedWord = e.inputType === "insertText" && /["\w]/.test(e.data ?? "");
    if (typedWord || (!this.list.hidden && e.inputType?.startsWith("delete"))) this.suggest();
    else this.close();
  }

  changed() {
    this.now = this.text;
    this.lines = this.now.split("\n");
    this.marks = new Map();
    this.draw();
    this.onInput();
  }

  mark(marks) {
    this.marks = marks;
    this.draw();
  }

  draw() {
    const style = getComputedStyle(this.area);
    const height = parseFloat(style.lineHeight);
    const first = Math.max(0, Math.floor(this.area.scrollTop / height) - 5);
    const last = Math.min(this.lines.length, first + Math.ceil(this.area.clientHeight / height) + 10);
    const numbers = [];
    const rows = [];
    for (let i = first; i < last; i++) {
      const number = span("", i + 1);
      const row = painted(this.lines[i]);
      const mark = this.marks.get(i + 1);
      if (mark) {
        number.className = row.className = mark.severity;
        number.title = mark.text;
      }
      numbers.push(number);
      rows.push(row);
    }
    this.gutter.replaceChildren(...numbers);
    this.paint.replaceChildren(...rows);
    const top = first * height - this.area.scrollTop;
    this.gutter.style.transform = `translateY(${top}px)`;
    this.paint.style.transform = `translate(${-this.area.scrollLeft}px, ${top}px)`;
    this.height = height;
  }

  // go puts the caret on a line.
  go(line, column = 1) {
    let at = 0;
    for (let i = 0; i < line - 1 && i < this.lines.length; i++) at += this.lines[i].length + 1;
    const chars = [...(this.lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    this.area.focus();
    this.area.setSelectionRange(at + chars, at + chars);
    this.area.scrollTop = Math.max(0, (line - 6) * this.height);
  }

  key(e) {
    const control = e.ctrlKey || e.metaKey;
    if (control && !e.altKey && e.key.toLowerCase() === "z") {
      e.preventDefault();
      if (e.shiftKey) this.redo();
      else this.undo();
    } else if (control && e.key.toLowerCase() === "y") {
      e.preventDefault();
      this.redo();
    } else if (control && e.key === " ") {
      e.preventDefault();
      this.suggest();
    } else if (!this.list.hidden) this.choose(e);
  }

  choose(e) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) {
      e.preventDefault();
      this.pick((this.picked + step + this.choices.length) % this.choices.length);
    } else if (e.key === "Enter" || e.key === "Tab") {
      e.preventDefault();
      this.take(this.picked);
    } else if (e.key === "Escape") {
      e.preventDefault();
      this.close();
    }
  }

  // suggest shows what may stand at the caret.
  suggest() {
    const at = this.area.selectionStart;
    const { choices, from } = this.complete(this.text, at);
    if (!choices.length) return this.close();
    this.choices = choices;
    this.from = from;
    this.list.replaceChildren(
      ...choices.map(({ label, note }, i) => {
        const item = document.createElement("li");
        item.id = `choice-${i}`;
        item.setAttribute("role", "option");
        item.append(span("", label), span("note", note ?? ""));
        return item;
      }),
    );
    const before = this.text.slice(0, at).split("\n");
    this.list.hidden = false;
    const left = Math.min(before.at(-1).length * this.width(), this.area.clientWidth - this.list.offsetWidth);
    this.list.style.left = `${Math.max(0, left - this.area.scrollLeft)}px`;
    this.list.style.top = `${before.length * this.height - this.area.scrollTop + 8}px`;
    this.area.setAttribute("aria-controls", "choices");
    this.pick(0);
  }

  width() {
    if (!this.letter) {
      const probe = span("", "0".repeat(100));
      this.paint.append(probe);
      this.letter = probe.getBoundingClientRect().width / 100;
      probe.remove();
    }
    return this.letter;
  }

  pick(i) {
    this.picked = i;
    for (const [k, item] of [...this.list.children].entries()) item.setAttribute("aria-selected", k === i);
    this.list.children[i].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `choice-${i}`);
  }

  take(i) {
    const { insert } = this.choices[i];
    const at = this.area.selectionStart;
    let end = at;
    if (this.text[end] === '"' && insert.endsWith('"')) end++;
    const text = this.text.slice(0, this.from) + insert + this.text.slice(end);
    this.close();
    this.remember(this.now);
    this.area.value = text;
    this.area.setSelectionRange(this.from + insert.length, this.from + insert.length);
    this.changed();
  }

  close() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }
}
