/* The workbench: drawing what is known of a stop. */
function by(id) { return document.getElementById("wb-" + id); }
function every(selector) { return Array.from(document.querySelectorAll(selector)); }
function attributes(element, values) {
  for (const name in values) element.setAttribute(name, values[name]);
}

/* Where a threshold stands on the axis, in percent of the width. */
function place(t) {
  const axis = bench.axis;
  if (!isFinite(t)) return t > 0 ? axis.none : axis.all;
  return axis.left + (axis.right - axis.left) * Math.min(1, Math.max(0, (t - axis.low) / (axis.high - axis.low)));
}
function drawScores(stop) {
  const bars = every("#wb-stage .scores rect"), bins = bars.length / 2;
  const width = (bench.axis.right - bench.axis.left) / bins;
  bars.forEach((bar, i) => {
    const height = bench.axis.half * view().heights[i < bins ? 0 : 1][i % bins] / 100;
    attributes(bar, { y: (i < bins ? 50 - height : 50) + "%", height: height + "%" });
    bar.classList.toggle("off", bench.axis.left + width * (i % bins + 0.5) < place(stop.t));
  });
  by("slider").style.left = place(stop.t) + "%";
  by("grip").style.transform = `translateX(-${place(stop.t)}%)`; /* stays within the stage at both ends */
}
function drawCosts(stop) {
  const stops = view().stops, costs = stops.map(each => rates(each).cost);
  const low = Math.min(...costs), high = Math.max(...costs), lowest = solve("cost");
  const height = x => (high > low ? 92 - 84 * (x - low) / (high - low) : 50);
  const points = stops.map((each, i) => `${(10 * place(each.t)).toFixed(1)} ${height(costs[i]).toFixed(1)}`);
  by("curve").setAttribute("d", "M" + points.join("L"));
  attributes(by("lowest"), { cx: place(stops[lowest].t) + "%", cy: height(costs[lowest]) + "%" });
  attributes(by("here"), { cx: place(stop.t) + "%", cy: height(rates(stop).cost) + "%" });
  const prices = { fp: separated(String(state.fp)), fn: separated(String(state.fn)) };
  const ends = { low: decimals(low), high: decimals(high), threshold: thresholdText(stops[lowest].text) };
  by("cost-label").textContent = fill("cost_label", { ...prices, ...ends });
}
/* The point on the ROC or PR chart, with the curve of a class, a slice or a prevalence that the chart does not have;
   a line on the chart over thresholds. */
function drawMarker(marker, stop) {
  const kind = marker.dataset.kind, axes = marker.closest("figure").dataset.axes;
  const [left, right, bottom, top] = axes.split(" ").map(Number);
  const pixel = (x, y) => [left + x * (right - left), bottom + y * (top - bottom)];
  marker.setAttribute("visibility", "visible");
  if (kind === "thresholds") {
    marker.querySelector("circle").setAttribute("visibility", "hidden");
    if (!isFinite(stop.t)) return marker.setAttribute("visibility", "hidden");
    return marker.querySelector(".cross").setAttribute("d", `M${pixel(stop.t, 0)[0]} ${bottom}V${top}`);
  }
  const point = each => {
    const found = rates(each);
    return kind === "roc" ? pixel(found.fpr, found.recall) : pixel(found.recall, found.precision);
  };
  const [x, y] = point(stop), known = isFinite(y);
  const other = state.slice > 0 || bench.views[0].length > 1 || (kind === "pr" && state.prevalence !== null);
  const line = view().stops.map(point).filter(each => isFinite(each[1])).map(each => each.map(v => v.toFixed(1)).join(" "));
  marker.querySelector(".own").setAttribute("d", other && line.length ? "M" + line.join("L") : "M0 0");
  marker.querySelector("circle").setAttribute("visibility", known ? "visible" : "hidden");
  marker.querySelector(".cross").setAttribute("d", known ? `M${x} ${bottom}V${y}H${left}` : "M0 0");
  if (known) attributes(marker.querySelector("circle"), { cx: x, cy: y });
}

/* A text of Python's such as "0.550 [0.452, 0.644]": the interval stands apart. */
function put(cell, text) {
  const [value, interval] = text.split(/ (?=\[)/), bounds = document.createElement("span");
  bounds.className = "ci";
  bounds.textContent = interval || "";
  cell.replaceChildren(value, ...(interval ? [bounds] : []));
}
function changed(name, to, from, total) {
  const n = count(Math.abs(to - from));
  const way = n === "0" ? "same" : (to > from ? "more" : "fewer") + (n === "1" ? "_1" : "_n");
  return fill(`${name}_${way}`, { n, label: view().labels[0], now: count(to), total: count(total) });
}
function sentence(now, before) {
  if (!before || (now.tp === before.tp && now.fp === before.fp)) {
    const values = { caught: count(now.tp), total: count(now.total), alarms: count(now.fp), others: count(now.others) };
    return fill("state", { label: view().labels[0], ...values });
  }
  const saved = 1000 * (before.cost - now.cost);
  const way = Math.abs(saved) < 1e-9 ? "cost_same" : saved > 0 ? "cost_less" : "cost_more";
  return tight([
    changed("catch", now.tp, before.tp, now.total), changed("alarm", now.fp, before.fp, now.others),
    fill(way, { n: count(Math.abs(saved)) }),
  ].join(" "));
}
function drawNumbers(stop) {
  const { used, name: today } = view(), now = rates(stop), before = used && rates(used);
  const name = thresholdText(stop.text), title = !used ? "alone" : state.at === used.stop ? "unmoved" : "moved";
  by("title").textContent = fill(title, { after: name, before: today });
  by("grip").textContent = by("now").textContent = name;
  by("sentence").textContent = sentence(now, before);
  const restated = state.prevalence !== null;
  const values = restated && { prevalence: marked(String(state.prevalence)), rows: count(now.rows) };
  by("restated").textContent = restated ? fill("restated", values) : "";
  every("[data-cell]").forEach(cell => { cell.textContent = count(now[cell.dataset.cell]); });
  every("[data-now]").forEach(cell => put(cell, numberText(stop, cell.dataset.now)));
  if (!used) return;
  every("[data-used]").forEach(cell => put(cell, numberText(used, cell.dataset.used)));
  every("[data-change]").forEach(cell => {
    cell.textContent = signed(now[cell.dataset.change] - before[cell.dataset.change]);
  });
}
/* What depends on the class and the slice only. */
function drawNames() {
  const [label, rest] = view().labels, [positives, negatives] = view().totals.map(count);
  by("above").textContent = fill("rows_of", { count: positives, label });
  by("below").textContent = fill("rows_of", { count: negatives, label: rest });
  by("of").textContent = fill("prevalence", { label });
  by("prevalence").placeholder = decimals(view().totals[0] / (view().totals[0] + view().totals[1]));
  document.querySelector("#wb-stage .scores").setAttribute("aria-label", fill("chart", { positives, negatives, label, rest }));
  every("[data-says]").forEach(head => { head.textContent = fill("says", { label: view().labels[head.dataset.says] }); });
  every("[data-is]").forEach(head => { head.textContent = fill("is", { label: view().labels[head.dataset.is] }); });
}
