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
  function named(fragment) {
    try { return decodeURIComponent(fragment); } catch (malformed) { return fragment; }
  }
  function open() {
    var target = location.hash.length > 1 && by(named(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  open();
})();
