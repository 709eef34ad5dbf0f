/* The workbench: what is known at each stop, and the arithmetic of costs and prevalences that a reader types.
   Texts, intervals and number marks come from Python, in the element "workbench-data". */
const bench = JSON.parse(document.getElementById("workbench-data").textContent);
const DEFAULTS = { recall: 0.8, flag: 0.05, fp: 1, fn: 1, prevalence: null };
const state = Object.assign({ slice: 0, class: 0, at: bench.views[0][0].start, want: null }, DEFAULTS);

/* The entry of the class and the slice that are chosen, unpacked when it is first needed. */
function view() {
  const entry = bench.views[state.slice][state.class];
  if (entry.stops) return entry;
  entry.stops = entry.t.split("|").map((text, i) => ({
    text, t: valueOf(text), tp: entry.tp[i], fp: entry.fp[i], bounds: entry.bounds.slice(4 * i, 4 * i + 4), texts: {},
  }));
  for (const key of bench.metrics) {
    entry.stops.forEach((stop, i) => { stop.texts[key] = unpacked(entry.texts[key].slice(9 * i, 9 * i + 9)); });
  }
  return entry;
}
/* Value and bounds, each the number of a word in base 36, as a text of Python's: "0.550 [0.452, 0.644]". */
function unpacked(code) {
  const [value, low, high] = [0, 3, 6].map(i => bench.words[parseInt(code.slice(i, i + 3), 36)]);
  return low ? `${value} [${low}${bench.between}${high}]` : value;
}
function isNumber(text) { return text === "inf" || text === "-inf" || isFinite(typed(text)); }
function valueOf(text) { return text.endsWith("inf") ? Number(text.replace("inf", "Infinity")) : typed(text); }

/* Numbers as the language writes them, by the rules of Python's numerals. */
function marked(text) { return text.replace(/^-/, "−").replace(".", bench.decimal); }
function separated(text) {
  const [whole, part] = text.split("."), empty = !/[1-9]/.test(text);
  const grouped = whole.replace("-", empty ? "" : "−").replace(/\B(?=(\d{3})+$)/g, bench.group);
  return part === undefined ? grouped : grouped + bench.decimal + part;
}
function places(x) { return Math.abs(x) < 10 ? 3 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(x)))); }
function decimals(x) {
  if (!isFinite(x)) return "-";
  const powered = x !== 0 && (Math.abs(x) < 0.0005 || Math.abs(x) >= 1e7);
  return powered ? marked(x.toExponential(2).replace("+", "")) : separated(x.toFixed(places(x)));
}
function signed(x) { return (x > 0 ? "+" : "") + decimals(x); }
function count(x) {
  return separated(Number.isInteger(x) || x >= 1000 ? x.toFixed(0) : String(Number(x.toPrecision(3))));
}
function thresholdText(text) { return bench.texts[text] || marked(text); }
/* What a reader typed: 0.05, 5%, and 0,05 where the language has a decimal comma; NaN for anything else. */
function typed(text) {
  let plain = text.trim().replace("−", "-");
  if (bench.decimal === ",") plain = plain.replace(",", ".");
  const percent = plain.endsWith("%");
  if (percent) plain = plain.slice(0, -1).trim();
  return /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) / (percent ? 100 : 1) : NaN;
}
function fill(key, values) {
  return tight(bench.texts[key].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole)));
}
/* Chinese has no space between its own characters. */
function tight(text) { return text.replace(/([，。；：）\u4e00-\u9fff]) (?=[（\u4e00-\u9fff])/g, "$1"); }

/* The numbers of some counts; with a typed prevalence those of a population where the class is that common. */
function rates({ tp, fp }) {
  const [positives, negatives] = view().totals, rows = positives + negatives, prevalence = state.prevalence;
  const recall = tp / positives, fpr = fp / negatives;
  const total = prevalence === null ? positives : prevalence * rows;
  const others = prevalence === null ? negatives : (1 - prevalence) * rows;
  const TP = prevalence === null ? tp : total * recall, FP = prevalence === null ? fp : others * fpr, FN = total - TP;
  return {
    rows, total, others, tp: TP, fp: FP, fn: FN, tn: others - FP, recall, fpr, precision: TP / (TP + FP),
    share: (TP + FP) / rows, f1: 2 * TP / (2 * TP + FP + FN), f2: 5 * TP / (5 * TP + FP + 4 * FN),
    cost: (state.fp * FP + state.fn * FN) / rows,
  };
}
const RESTATED = ["precision", "f1", "f2", "share"];
function numberText(shown, key) {
  if (key === "cost") return costText(shown);
  return state.prevalence !== null && RESTATED.includes(key) ? decimals(rates(shown)[key]) : shown.texts[key];
}
/* The cost is linear in two rates of separate rows, so their bounds combine by squaring and adding (MOVER). */
function costText(shown) {
  const now = rates(shown);
  if (!bench.bounded || shown.bounds.includes(null)) return decimals(now.cost);
  const [low, high, from, to] = shown.bounds.map(x => x / 100000);
  const miss = state.fn * now.total / now.rows, alarm = state.fp * now.others / now.rows;
  const least = now.cost - Math.hypot(miss * (high - now.recall), alarm * (now.fpr - from));
  const most = now.cost + Math.hypot(miss * (now.recall - low), alarm * (to - now.fpr));
  const usual = Math.min(...[now.cost, least, most].map(places)), width = most - least;
  const narrow = width > 0 && width < 2 * 10 ** -usual;
  const digits = narrow ? Math.min(9, 1 - Math.floor(Math.log10(width))) : usual;
  const [value, start, end] = [now.cost, Math.max(0, least), most].map(x => separated(x.toFixed(digits)));
  return `${value} [${start}${bench.between}${end}]`;
}

/* The stop that answers a question; -1 where none does. Among equals the highest threshold wins, as in Python. */
function solve(want) {
  const each = view().stops.map(rates);
  if (want === "flag") return each.findIndex(at => at.share <= state.flag);
  let best = -1;
  for (let i = each.length - 1; i >= 0; i--) {
    if (want === "recall" && each[i].recall >= state.recall) return i;
    if (want === "cost" && (best < 0 || each[i].cost < each[best].cost)) best = i;
    if (want === "f1" && (best < 0 || each[i].f1 > each[best].f1)) best = i;
  }
  return best;
}
/* The stop for any threshold: where every score has one, the stop that cuts the rows in the same place. */
function stopFor(t) {
  const stops = view().stops, same = stops.findIndex(stop => stop.t === t);
  if (same >= 0) return same;
  const above = stops.findIndex(stop => stop.t > t);
  if (view().complete && above >= 0) return above;
  return t === Infinity ? stops.length - 1 : closest(stops.map(stop => Math.abs(stop.t - t)));
}
function closest(distances) {
  return distances.reduce((best, distance, i) => (distance < distances[best] ? i : best), 0);
}

/* Python and shell code of what is shown. */
function prevalenceCode() { return state.prevalence === null ? "" : `.at(prevalence=${state.prevalence})`; }
function atCode(text) {
  return view().python.join(text.endsWith("inf") ? `float("${text}")` : text) + prevalenceCode();
}
function bestCode(want) {
  const rule = want === "cost" ? `cost={"fp": ${state.fp}, "fn": ${state.fn}}` : `"${want}"`;
  return view().best.join(prevalenceCode()) + `(${rule})`;
}
