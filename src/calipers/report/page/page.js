"use strict";
(function () {
  var root = document.documentElement;
  function by(id) { return document.getElementById(id); }
  function all(selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); }

  var theme = by("theme");
  theme.hidden = false;
  theme.addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  all("table.sortable").forEach(function (table) {
    all("thead th", table).forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () { sort(table, head, column); });
    });
  });

  function sort(table, head, column) {
    var way = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
    if (column === 0 && !head.hasAttribute("aria-sort")) way = 1;
    all("thead th", table).forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
    var numeric = rows.some(function (row) { return row.cells[column].dataset.v; });
    rows.sort(function (a, b) {
      var x = a.cells[column], y = b.cells[column];
      if (!numeric) return way * x.textContent.localeCompare(y.textContent, root.lang, { numeric: true });
      if (!x.dataset.v || !y.dataset.v) return (x.dataset.v ? 0 : 1) - (y.dataset.v ? 0 : 1);
      return way * (Number(x.dataset.v) - Number(y.dataset.v));
    });
    rows.forEach(function (row) { body.appendChild(row); });
  }

  all("[data-filter]").forEach(function (box) {
    box.closest(".live").hidden = false;
    box.addEventListener("input", function () {
      var wanted = box.value.trim().toLowerCase();
      all("tbody tr", by(box.dataset.filter)).forEach(function (row) {
        row.hidden = row.cells[0].textContent.toLowerCase().indexOf(wanted) < 0;
      });
    });
  });

  addEventListener("hashchange", open);
  function open() {
    var target = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  open();

  if (!by("data")) return;
  var data = JSON.parse(by("data").textContent), slider = by("slider"), last = data.thresholds.length - 1;
  all(".live").forEach(function (part) { part.hidden = false; });
  all(".marker").forEach(function (marker) { marker.setAttribute("visibility", "visible"); });

  function given(id, low, high, otherwise) {
    var number = by(id).value === "" ? NaN : Number(by(id).value);
    return number >= low && number <= high ? number : otherwise;
  }
  function cost(at) {
    var share = given("prevalence", 0, 1, NaN), recall = data.rates.recall[at], fpr = data.rates.fpr[at];
    var missed = share * given("cost-fn", 0, Infinity, NaN), alarms = (1 - share) * given("cost-fp", 0, Infinity, NaN);
    var value = missed * (1 - recall[0]) + alarms * fpr[0];
    return [value, value - Math.hypot(missed * (recall[2] - recall[0]), alarms * (fpr[0] - fpr[1])),
      value + Math.hypot(missed * (recall[0] - recall[1]), alarms * (fpr[2] - fpr[0]))];
  }
  function showCost(at) {
    var found = cost(at), digits = found[2] >= 100 ? 1 : found[2] >= 0.02 ? 3 : 5;
    var written = new Intl.NumberFormat(data.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    var text = found.map(function (x) { return isNaN(x) ? "–" : written.format(Math.max(0, x)); });
    by("cost").textContent = text[0] + " [" + text[1] + (data.lang === "vi" ? "; " : ", ") + text[2] + "]";
  }
  function place(marker, at) {
    var kind = marker.dataset.kind, ends = by(kind).dataset.axes.split(" ").map(Number);
    var shares = { fpr: data.rates.fpr[at][0], recall: data.rates.recall[at][0], precision: data.precision[at] };
    var x = shares[data.places[kind][0]], y = shares[data.places[kind][1]];
    marker.setAttribute("visibility", x === null || y === null ? "hidden" : "visible");
    var px = ends[0] + x * (ends[1] - ends[0]), py = ends[2] + y * (ends[3] - ends[2]);
    marker.querySelector("circle").setAttribute("cx", px);
    marker.querySelector("circle").setAttribute("cy", py);
    marker.querySelector(".cross").setAttribute("d", "M" + px + " " + ends[2] + "V" + py + "H" + ends[0]);
  }
  function show(at) {
    slider.value = at;
    slider.setAttribute("aria-valuetext", data.thresholds[at]);
    by("threshold").textContent = data.thresholds[at];
    all("[data-count]").forEach(function (cell) { cell.textContent = data.counts[at][Number(cell.dataset.count)]; });
    all("[data-told]").forEach(function (cell) { cell.textContent = data.told[cell.dataset.told][at]; });
    all(".marker").forEach(function (marker) { place(marker, at); });
    showCost(at);
  }
  function choose(at) {
    show(at);
    history.replaceState(null, "", "#t=" + (data.values[at] === null ? "none" : data.values[at]));
  }
  function linked() {
    if (location.hash === "#t=none") return data.values.indexOf(null);
    var told = /^#t=(-?[\d.]+(?:e[+-]?\d+)?)$/.exec(location.hash);
    if (!told) return -1;
    var wanted = Number(told[1]), best = 0;
    data.values.forEach(function (value, at) {
      if (value !== null && Math.abs(value - wanted) < Math.abs(data.values[best] - wanted)) best = at;
    });
    return best;
  }
  slider.addEventListener("input", function () { choose(Number(slider.value)); });
  ["cost-fp", "cost-fn", "prevalence"].forEach(function (id) {
    by(id).addEventListener("input", function () { showCost(Number(slider.value)); });
  });
  by("cheapest").addEventListener("click", function () {
    var best = Number(slider.value);
    for (var at = 0; at <= last; at++) if (cost(at)[0] < cost(best)[0]) best = at;
    choose(best);
  });
  addEventListener("hashchange", function () { if (linked() >= 0) show(linked()); });
  show(linked() >= 0 ? linked() : data.start);
})();
