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
    var at = 0;
    all("thead th", table).forEach(function (head) {
      var button = document.createElement("button"), column = at;
      at += head.colSpan;
      if (!head.textContent.trim()) return;
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

  all("[data-boards]").forEach(function (box) {
    box.closest(".live").hidden = false;
    box.addEventListener("change", function () {
      all(".board").forEach(function (board, index) { board.hidden = index !== Number(box.value); });
    });
  });

  all("[data-filter]").forEach(function (box) {
    box.closest(".live").hidden = false;
    box.addEventListener("input", function () {
      var wanted = box.value.trim().toLowerCase();
      all("tbody tr", by(box.dataset.filter)).forEach(function (row) {
        row.hidden = row.cells[0].textContent.toLowerCase().indexOf(wanted) < 0;
      });
    });
  });

  all("figure svg").forEach(function (svg) {
    var points = all(".points circle", svg), at = -1;
    if (!points.length) return;
    var text = document.createElement("output");
    text.className = "readout";
    svg.closest("figure").insertBefore(text, svg.nextSibling);
    var attributes = { tabindex: 0, role: "slider", "aria-valuemin": 1, "aria-valuemax": points.length, "aria-valuenow": 1,
      "aria-valuetext": points[0].textContent };
    Object.keys(attributes).forEach(function (name) { svg.setAttribute(name, attributes[name]); });
    function show(next) {
      if (points[at]) points[at].classList.remove("here");
      at = Math.max(0, Math.min(points.length - 1, next));
      points[at].classList.add("here");
      text.textContent = points[at].textContent;
      svg.setAttribute("aria-valuenow", at + 1);
      svg.setAttribute("aria-valuetext", text.textContent);
    }
    svg.addEventListener("keydown", function (event) {
      var ways = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, PageUp: at + 10,
        PageDown: at - 10, Home: 0, End: points.length - 1 };
      if (!(event.key in ways) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      show(ways[event.key]);
    });
    svg.addEventListener("focus", function () { show(Math.max(at, 0)); });
    svg.addEventListener("blur", function () { points[at].classList.remove("here"); text.textContent = ""; });
    points.forEach(function (point, index) { point.addEventListener("mouseenter", function () { show(index); }); });
    svg.addEventListener("mouseleave", function () {
      if (document.activeElement === svg || !points[at]) return;
      points[at].classList.remove("here");
      text.textContent = "";
    });
  });

  addEventListener("hashchange", open);
  function named(fragment) {
    try { return decodeURIComponent(fragment); } catch (malformed) { return fragment; }
  }
  function open() {
    var target = location.hash.length > 1 && by(named(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  open();
})();
