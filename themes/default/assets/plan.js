// Answers again when a reader changes a setting of memory or cost. The
// coefficients come with the page; whole numbers are exact, as they are where
// the page is made.

let sheet; // of the page
const find = (list, name) => list.find((x) => x.name === name);
const ceil = (n, by) => (n + by - 1n) / by;
const least = (a, b) => (a < b ? a : b);

// What the layers keep of some sequences.
function cache(bits, batch, context) {
  const bytes = (elements) => ceil(elements * BigInt(bits), 8n);
  const block = BigInt(sheet.block);
  const sum = { least: 0n, reserved: 0n };
  for (const keep of sheet.keeps) {
    const [layers, token, window, fixed] = [keep.layers, keep.token, keep.window, keep.fixed].map(BigInt);
    const always = BigInt(keep.state) + (fixed ? bytes(token * fixed) : 0n);
    const at = (length) => layers * (always + (fixed ? 0n : bytes(token * length)));
    sum.least += at(window ? least(context, window) : context);
    sum.reserved += at(ceil(context, block) * block);
  }
  return { least: sum.least * batch, reserved: sum.reserved * batch };
}

function serving({ format, cache: cached, batch = "1", context = "0", card }) {
  const weights = find(sheet.formats, format);
  const on = find(sheet.cards, card);
  const overhead = BigInt(sheet.overhead);
  const stored = BigInt(weights.stored);
  const bits = cached && find(sheet.formats, cached).bits;
  const kept = (length) => (cached ? cache(bits, BigInt(batch), length) : { least: 0n, reserved: 0n });
  const total = (length) => stored + overhead + kept(length).reserved;
  const now = kept(BigInt(context));
  const need = total(BigInt(context));
  const results = { weights: size(stored), reserved: size(now.reserved), least: size(now.least), overhead: size(overhead), total: size(need) };
  results.fit = fit(need - overhead, overhead, BigInt(on.memory));
  results.decode = rate((Number(batch) * on.bandwidth) / (Number(weights.read) + Number(now.least)));
  results.read = rate((on.flops * Number(sheet.declared)) / Number(sheet.causal));
  const lines = {
    total,
    weights: () => stored,
    reserved: (length) => kept(length).reserved,
    least: (length) => kept(length).least,
    card: () => BigInt(on.memory),
  };
  return { results, lines };
}

// What can be divided among cards, and what stands on each.
function fit(divided, whole, memory) {
  if (divided + whole <= memory) return sheet.lower_bound ? { text: "not known" } : { text: "fits" };
  const room = memory - whole;
  if (room <= 0n || sheet.lower_bound) return { text: "no" };
  const cards = ceil(divided, room);
  return { text: `no, ${exact(cards)} cards`, exact: `${exact(ceil(divided, cards) + whole)} bytes on each` };
}

function training({ units, card, mfu, price }) {
  const n = BigInt(units);
  const work = ceil(3n * BigInt(sheet.forward) * n, BigInt(sheet.declared));
  const hours = Number(work) / (find(sheet.cards, card).flops * Number(mfu)) / 3600;
  return {
    results: {
      data: { text: `${short(n)} ${sheet.unit}s`, exact: exact(n) },
      work: { text: metric(work, "FLOPs"), exact: exact(work) },
      time: { text: hours <= 1 ? "1 hour" : `${short(BigInt(Math.ceil(hours)))} hours` },
      price: { text: money(hours * Number(price)) },
    },
  };
}

// Numbers as the page shows them. Halves go to the even digit.
const exact = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");

// toFixed takes the larger one of two that are equally near.
function fixed(x, digits) {
  const whole = x.toFixed(20);
  const end = whole.indexOf(".") + (digits && digits + 1);
  const cut = whole.slice(0, end);
  return /^\.?50*$/.test(whole.slice(end)) && "02468".includes(cut.at(-1)) ? cut : x.toFixed(digits);
}

// scaled divides by thousands until the printed number is below 1000.
function scaled(n, units, digits) {
  let x = Number(n);
  for (const [i, unit] of units.entries()) {
    x /= 1000;
    const s = fixed(x, digits(x));
    if (Number(s) < 1000 || i === units.length - 1) return s + unit;
  }
}

const size = (n) => ({
  text: n < 1000n ? `${n} B` : scaled(n, [" kB", " MB", " GB", " TB", " PB", " EB"], () => 1),
  exact: `${exact(n)} bytes`,
});
const short = (n) => (n < 1000n ? `${n}` : scaled(n, ["K", "M", "B", "T", "Q"], (x) => (x < 9.95 ? 1 : 0)));
const metric = (n, unit) => (n < 1000n ? `${n} ${unit}` : scaled(n, [..."kMGTPEZY"].map((p) => ` ${p}${unit}`), () => 2));
const money = (usd) => (usd < 999.995 ? `$${fixed(usd, 2)}` : `$${exact(BigInt(Math.floor(usd + 0.5)))}`);

function rate(x) {
  if (!(x > 0 && x < Infinity)) return { text: "not known" };
  return { text: `${x < 100 ? Number(x.toPrecision(3)) : short(BigInt(Math.floor(x)))} ${sheet.unit}s/s` };
}

// The lines of the chart, on the axes that it has.
function draw(chart, lines) {
  const [from, to, low, high] = ["from", "to", "low", "high"].map((name) => Number(chart.dataset[name]));
  for (const [name, at] of Object.entries(lines)) {
    const points = [];
    for (let n = from; n <= to; n++) {
      const value = Number(at(2n ** BigInt(n)));
      if (value > 0) points.push(`${((1000 * (n - from)) / (to - from)).toFixed(1)},${(1000 * (1 - (Math.log10(value) - low) / (high - low))).toFixed(1)}`);
    }
    chart.querySelector(`.lines .line-${name}`).setAttribute("points", points.join(" "));
  }
}

const answers = { serving, training };

// plan lets the controls of a planner answer.
export function plan(planner) {
  sheet = JSON.parse(planner.dataset.sheet);
  for (const form of planner.querySelectorAll("form")) {
    const chart = form.querySelector(".chart");
    const answer = () => {
      if (!form.checkValidity()) return; // the last answer stays, and the field shows why
      const { results, lines } = answers[form.dataset.plan](Object.fromEntries(new FormData(form)));
      for (const place of form.querySelectorAll("[data-result]")) {
        const result = results[place.dataset.result];
        place.textContent = result.text;
        if (result.exact) place.title = result.exact;
        else place.removeAttribute("title");
      }
      if (chart) draw(chart, lines);
    };
    form.addEventListener("submit", (e) => e.preventDefault());
    form.addEventListener("input", answer);
    form.addEventListener("reset", () => setTimeout(answer));
    if (document.readyState !== "loading") answer(); // a browser may have kept what was set before
  }
}

const planner = document.querySelector(".planner");
if (planner) plan(planner);
