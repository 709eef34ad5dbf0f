/* The workbench: what a reader does with it, and the link that keeps it. */
const SHARES = ["recall", "flag"], WANTS = ["recall", "flag", "f1", "cost"];
const slider = by("slider"), stage = by("stage"), pickers = ["class", "slice"].filter(by);

/* First as Python drew it: only what a reader does changes the address. */
function show({ silent = false } = {}) {
  const stop = view().stops[state.at];
  drawNames();
  drawNumbers(stop);
  drawScores(stop);
  drawCosts(stop);
  every(".marker").forEach(marker => drawMarker(marker, stop));
  attributes(slider, { "aria-valuemax": view().stops.length - 1, "aria-valuenow": state.at });
  slider.setAttribute("aria-valuetext", thresholdText(stop.text));
  every("[data-want]").forEach(button => button.setAttribute("aria-pressed", button.dataset.want === state.want));
  if (document.activeElement !== by("t")) by("t").value = isFinite(stop.t) ? marked(stop.text) : thresholdText(stop.text);
  keep(stop, silent);
}
function say(text) { by("message").textContent = text; }

/* The link holds everything that is not as at first. */
function keep(stop, silent) {
  const link = new URLSearchParams({ t: stop.text });
  for (const key of pickers) if (state[key] > 0) link.set(key, by(key).options[state[key]].text);
  for (const key in DEFAULTS) if (state[key] !== DEFAULTS[key]) link.set(key, state[key]);
  if (state.want) link.set("want", state.want);
  if (!silent) history.replaceState(null, "", "#" + link);
  by("link").textContent = location.href.split("#")[0] + "#" + link;
  by("python").textContent = atCode(stop.text) + (["f1", "cost"].includes(state.want) ? "\n" + bestCode(state.want) : "");
  if (by("shell")) by("shell").textContent = `${bench.shell} --threshold ${stop.text}`;
}
function follow() {
  if (!location.hash.includes("=")) return false;
  const link = new URLSearchParams(location.hash.slice(1)), problems = [];
  for (const key of pickers) {
    const at = link.has(key) ? Array.from(by(key).options).findIndex(option => option.text === link.get(key)) : 0;
    if (at < 0) problems.push(fill("bad_link", { text: link.get(key) }));
    state[key] = Math.max(0, at);
  }
  if (!bench.views[state.slice][state.class]) state.slice = 0;
  for (const key of pickers) by(key).value = state[key];
  for (const key in DEFAULTS) {
    state[key] = DEFAULTS[key];
    if (link.has(key) && !take(key, link.get(key))) problems.push(complaint(key, link.get(key)));
    by(key).value = state[key] === null ? "" : marked(String(state[key]));
  }
  const t = link.get("t"), want = WANTS.find(each => each === link.get("want"));
  Object.assign(state, { at: view().start, want: null });
  if (t !== null) problems.push(isNumber(t) ? goTo(t) : complaint("t", t));
  if (want && (t === null || solve(want) === state.at)) problems.push(ask(want));
  show();
  say(problems.filter(Boolean).join(" "));
  return true;
}

/* Go to the stop of a threshold, or of a target; both return what the reader should know about it. */
function goTo(text) {
  const wanted = valueOf(text);
  Object.assign(state, { at: stopFor(wanted), want: null });
  const stop = view().stops[state.at], values = { wanted: thresholdText(text), used: thresholdText(stop.text), code: atCode(text) };
  if (stop.t === wanted) return "";
  return fill(view().complete && stop.t > wanted ? "same_rows" : "nearest", values);
}
function ask(want) {
  const at = solve(want);
  if (at < 0) return bench.texts.not_reached;
  Object.assign(state, { want, at });
  if (want !== "cost" || view().exact) return "";
  return fill("not_exact", { count: view().stops.length, code: bestCode("cost") });
}

/* Fields: a possible value is taken while it is typed, an impossible one is named when it is left. */
function take(key, text) {
  const x = typed(text), empty = key === "prevalence" && text.trim() === "";
  const fits = key === "prevalence" ? empty || (x > 0 && x < 1) : x >= 0 && x <= (SHARES.includes(key) ? 1 : Number.MAX_VALUE);
  if (fits) state[key] = empty ? null : x;
  by(key).setAttribute("aria-invalid", !fits);
  return fits;
}
function complaint(key, text) {
  const kind = { recall: "share", flag: "share", fp: "cost", fn: "cost", t: "threshold" }[key] || key;
  by(key).setAttribute("aria-invalid", "true");
  const name = by(key).getAttribute("aria-label") || by(key).closest("label").textContent;
  return fill("bad_" + kind, { field: name.trim(), text });
}
function enter(key, left) {
  const text = by(key).value;
  if (!take(key, text)) return left && say(complaint(key, text));
  const problem = SHARES.includes(key) ? ask(key) : state.want ? ask(state.want) : "";
  show();
  say(problem);
}
for (const key in DEFAULTS) {
  by(key).value = state[key] === null ? "" : marked(String(state[key]));
  by(key).addEventListener("input", () => enter(key, false));
  by(key).addEventListener("change", () => enter(key, true));
}
by("t").addEventListener("change", () => {
  const text = by("t").value, plain = isNumber(text) ? String(typed(text)) : "";
  by("t").setAttribute("aria-invalid", !plain);
  if (!plain) return say(complaint("t", text));
  const problem = goTo(plain);
  show();
  say(problem);
});
every("[data-want]").forEach(button => button.addEventListener("click", () => {
  const problem = ask(button.dataset.want);
  show();
  say(problem);
}));
by("reset").addEventListener("click", () => {
  Object.assign(state, DEFAULTS, { at: view().start, want: null });
  for (const key in DEFAULTS) {
    by(key).value = state[key] === null ? "" : marked(String(state[key]));
    by(key).setAttribute("aria-invalid", "false");
  }
  show();
  say("");
});
for (const key of pickers) {
  by(key).addEventListener("change", () => {
    const before = { slice: state.slice, class: state.class }, stop = view().stops[state.at];
    const today = view().used && view().used.stop === state.at;
    state[key] = Number(by(key).value);
    if (!bench.views[state.slice][state.class]) {
      Object.assign(state, before);
      by(key).value = state[key];
      return say(fill("no_rows", { label: view().labels[0] }));
    }
    if (key === "class") Object.assign(state, { prevalence: null });
    by("prevalence").value = state.prevalence === null ? "" : marked(String(state.prevalence));
    state.at = today || key === "class" ? view().start : stopFor(stop.t);
    const problem = state.want ? ask(state.want) : "";
    show();
    say(problem);
  });
}

/* The line: drag it, or move it by keys from stop to stop. */
function move(to) {
  Object.assign(state, { want: null, at: Math.min(view().stops.length - 1, Math.max(0, to)) });
  show();
  say("");
}
const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8, Home: -1e9, End: 1e9 };
slider.addEventListener("keydown", event => {
  if (!(event.key in KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  move(state.at + KEYS[event.key]);
});
function drag(event) {
  const box = stage.getBoundingClientRect(), x = 100 * (event.clientX - box.left) / box.width;
  move(closest(view().stops.map(stop => Math.abs(place(stop.t) - x))));
}
stage.addEventListener("pointerdown", event => {
  if (event.button) return;
  event.preventDefault();
  stage.setPointerCapture(event.pointerId);
  slider.focus({ preventScroll: true });
  drag(event);
});
stage.addEventListener("pointermove", event => { if (stage.hasPointerCapture(event.pointerId)) drag(event); });

every("[data-copy]").forEach(button => button.addEventListener("click", () => {
  const text = document.getElementById(button.dataset.copy);
  const done = ok => { by("copied").textContent = bench.texts[ok ? "copied" : "not_copied"]; };
  const select = () => getSelection().selectAllChildren(text);
  if (!navigator.clipboard) return select(), done(false);
  navigator.clipboard.writeText(text.textContent).then(() => done(true), () => { select(); done(false); });
}));

every("#workbench .scripted").forEach(part => { part.hidden = false; });
addEventListener("hashchange", follow);
if (!follow()) show({ silent: true });
