// Forms for changes of a graph: one for the layer that is selected, made from
// the declaration of its type, and one for any operation, made from its own.
import { values } from "./completion.js";

// field makes a labelled control. given is the value now, undefined for none.
function field(name, doc, options, given, kind) {
  const label = document.createElement("label");
  label.title = doc;
  let input;
  if (options.length && options.every((o) => typeof o !== "object")) {
    input = document.createElement("select");
    input.append(new Option("", ""), ...options.map((o) => new Option(String(o), JSON.stringify(o))));
    if (given !== undefined && ![...input.options].some((o) => o.value === given)) input.append(new Option(given, given));
    input.value = given ?? "";
  } else {
    input = document.createElement("input");
    input.value = given === undefined ? "" : kind === "text" ? given.replace(/^"(.*)"$/, "$1") : given;
  }
  input.name = name;
  input.autocomplete = "off";
  label.append(name, input);
  return label;
}

// literal is what was written in a field as JSON: what is no JSON is text.
function literal(text) {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

export class Forms {
  constructor(page, { core, apply, select }) {
    this.core = core;
    this.apply = apply;
    this.select = select;
    this.layer = page.querySelector("form.layer");
    this.change = page.querySelector("form.change");
    this.row = 0;
    this.layer.addEventListener("submit", (e) => e.preventDefault());
    this.layer.addEventListener("change", (e) => this.set(e.target));
    this.change.addEventListener("submit", (e) => {
      e.preventDefault();
      this.doIt();
    });
    this.change.elements.operation.addEventListener("change", () => this.offer());
  }

  // open shows the layer of a row.
  async open(row) {
    this.row = row;
    this.select(row);
    try {
      this.component = JSON.parse(await this.core.ask("component", String(row)));
    } catch {
      this.layer.hidden = true;
      return;
    }
    this.fill();
    this.offer();
  }

  // refresh shows the selected layer as it is now.
  async refresh(there) {
    if (!this.operations) {
      this.operations = JSON.parse(await this.core.ask("operations"));
      this.change.elements.operation.append(...this.operations.map((o) => new Option(o.title, o.name)));
    }
    this.change.hidden = !there;
    if (!there) this.layer.hidden = true;
    else if (this.row && !this.layer.contains(document.activeElement)) await this.open(this.row);
    if (there && !this.change.querySelector(".fields").childElementCount) this.offer();
  }

  fill() {
    const { id, type, params, instances } = this.component;
    const declared = this.schema?.$defs[`params.${type}`]?.properties ?? {};
    this.layer.hidden = false;
    this.layer.querySelector("h3").textContent = id;
    this.layer.querySelector(".what").textContent = instances > 1 ? `One of ${instances} that are written once: a change is of all of them.` : "";
    const types = this.schema?.$defs.component.properties.type.anyOf.map((t) => t.const).filter(Boolean) ?? [];
    const fields = [field("type", "layer type", types, JSON.stringify(type))];
    const names = [...Object.keys(declared), ...Object.keys(params).filter((name) => !(name in declared))];
    for (const name of names) {
      const s = declared[name] ?? {};
      const kind = s.anyOf?.some((a) => a.type === "string") ? "text" : "";
      const one = field(`params.${name}`, s.description ?? "", values(s), params[name], kind);
      one.firstChild.data = name;
      if (s.default !== undefined) one.lastElementChild.placeholder = JSON.stringify(s.default);
      fields.push(one);
    }
    this.layer.querySelector(".fields").replaceChildren(...fields);
  }

  // set changes what a field of the layer stands for.
  async set(input) {
    const { id, params } = this.component;
    if (input.name === "type") {
      await this.apply("change", { component: id, type: JSON.parse(input.value || '""') });
      return;
    }
    const name = input.name.replace("params.", "");
    const value = input.value === "" ? null : JSON.parse(literal(input.value));
    if (value === null && params[name] === undefined) return;
    if (!(await this.apply("change", { component: id, params: { [name]: value } }))) this.fill();
  }

  // offer shows the fields of the operation that is chosen.
  offer() {
    const o = this.operations?.find((x) => x.name === this.change.elements.operation.value);
    if (!o) return;
    this.change.querySelector(".what").textContent = `${o.doc[0].toUpperCase()}${o.doc.slice(1)}.`;
    const types = this.schema?.$defs.component.properties.type.anyOf.map((t) => t.const).filter(Boolean) ?? [];
    this.change.querySelector(".fields").replaceChildren(
      ...o.fields.map((f) => {
        const options = f.kind === "type" ? types : f.kind === "flag" ? [true, false] : (f.enum ?? []);
        const given = ["component", "from"].includes(f.name) && this.component ? this.component.id : undefined;
        const label = field(f.name, f.doc, options, given, "text");
        label.lastElementChild.required = f.required;
        label.lastElementChild.dataset.kind = f.kind;
        return label;
      }),
    );
  }

  async doIt() {
    const params = {};
    for (const input of this.change.querySelectorAll(".fields :is(input, select)")) {
      if (input.value === "") continue;
      const { kind } = input.dataset;
      try {
        if (kind === "sources") params[input.name] = input.value.split(/[\s,]+/).filter(Boolean);
        else if (["number", "flag", "parameters", "patch"].includes(kind) || input.localName === "select") params[input.name] = JSON.parse(input.value);
        else params[input.name] = input.value;
      } catch {
        input.setCustomValidity("This is not JSON.");
        input.reportValidity();
        input.addEventListener("input", () => input.setCustomValidity(""), { once: true });
        return;
      }
    }
    if (await this.apply(this.change.elements.operation.value, params)) this.offer();
  }
}
