"use strict";

// Sort by the value of a cell if it has one, else by its text. Undefined values come last.
function getKey(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.value === undefined) return cell.textContent.trim();
  return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
}

function compareKeys(a, b, sign) {
  if (typeof a === "string") return sign * a.localeCompare(b, "en", { numeric: true });
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return a === b ? 0 : sign * (a < b ? -1 : 1);
}

function sortBy(table, column) {
  const headers = [...table.tHead.rows[0].cells];
  const up = headers[column].getAttribute("aria-sort") !== "ascending";
  headers.forEach((header) => header.removeAttribute("aria-sort"));
  headers[column].setAttribute("aria-sort", up ? "ascending" : "descending");
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("group"));
    const keyed = rows.map((row) => [getKey(row, column), row]);
    keyed.sort((a, b) => compareKeys(a[0], b[0], up ? 1 : -1));
    body.append(...keyed.map(([, row]) => row));
  }
}

for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    header.querySelector("button").addEventListener("click", () => sortBy(table, column));
  });
}
