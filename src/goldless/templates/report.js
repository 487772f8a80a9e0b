"use strict";
(() => {
  const table = document.getElementById("leaderboard");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const count = document.getElementById("count");
  const search = document.getElementById("search");

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim().toLowerCase() : parseFloat(cell.dataset.value);
  };
  // What is not known stays at the end, whichever way the rest is sorted.
  const compare = (a, b, sign) => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
  };
  const sort = (header) => {
    const before = header.getAttribute("aria-sort");
    const first = header.dataset.first;
    const order = before === null ? first : before === "ascending" ? "descending" : "ascending";
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    rows.sort((a, b) => compare(value(a, header.cellIndex), value(b, header.cellIndex), sign));
    body.append(...rows);
  };
  table.querySelectorAll("th[data-first]").forEach((header) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(header));
    header.append(button);
  });
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    rows.forEach((row) => { row.hidden = !row.cells[1].textContent.toLowerCase().includes(wanted); });
    const left = rows.filter((row) => !row.hidden).length;
    count.textContent = wanted ? `${left} of ${rows.length} methods` : "";
  });
  document.getElementById("tools").hidden = false;
})();
