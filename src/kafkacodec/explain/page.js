"use strict";
(() => {
  const said = document.getElementById("said");
  const hint = "Point at a byte or a field. Click to keep it; arrow keys walk the fields, Esc lets go.";
  let lit = [];
  let pinned = null;

  const sections = new Map();
  for (const section of document.querySelectorAll("section")) {
    const runs = [];
    for (const run of section.querySelectorAll("[data-f]")) (runs[run.dataset.f] ||= []).push(run);
    const rows = [...section.querySelectorAll(".f")];
    const owner = [];  // of each leaf the innermost row that has it: rows come outermost first
    for (const row of rows)
      if (row.dataset.b - row.dataset.a < 8 || row.tagName === "DIV")
        for (let leaf = +row.dataset.a; leaf <= +row.dataset.b; leaf++) owner[leaf] = row;
    sections.set(section, { runs, rows, owner });
  }
  const of = (element) => sections.get(element.closest("section"));

  function say(row) {
    said.replaceChildren();
    if (!row) { said.textContent = hint; return; }
    const path = document.createElement("b");
    path.textContent = row.dataset.p;
    const value = row.querySelector("q"), note = row.querySelector("small");
    said.append(path, `  ${row.querySelector("em").textContent}  ${value ? value.textContent : ""}  ${note ? note.textContent : ""}  bytes ${row.dataset.w}`);
  }

  function clear() {
    for (const element of lit) element.classList.remove("on", "pin");
    lit = [];
  }

  function light(row, pin) {
    clear();
    if (!row) { say(null); return; }
    const { runs } = of(row);
    lit.push(row);
    for (let leaf = +row.dataset.a; leaf <= +row.dataset.b; leaf++) if (runs[leaf]) lit.push(...runs[leaf]);
    for (const element of lit) element.classList.add("on");
    if (pin) row.classList.add("pin");
    say(row);
  }

  function rowAt(target) {
    const field = target.closest(".f");
    if (field) return field;
    const run = target.closest("[data-f]");
    return run ? of(run).owner[run.dataset.f] : null;
  }

  function reveal(row, inHex) {
    for (let up = row.parentElement; up; up = up.parentElement) if (up.tagName === "DETAILS" && up !== row.parentElement) up.open = true;
    if (row.tagName === "DIV" && row.closest("details")) row.closest("details").open = true;
    row.scrollIntoView({ block: "nearest" });
    const run = (of(row).runs[row.dataset.a] || [])[0];
    if (run && !inHex) run.scrollIntoView({ block: "nearest" });
  }

  function choose(row, inHex) {
    pinned = row;
    for (const other of of(row).rows) other.tabIndex = -1;
    row.tabIndex = 0;
    reveal(row, inHex);
    row.focus({ preventScroll: true });
    light(row, true);
  }

  document.addEventListener("pointerover", (event) => {
    if (!(event.target instanceof Element)) return;
    const row = rowAt(event.target);
    if (row) light(row, row === pinned);
    else if (lit.length) light(pinned, true);
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.classList.contains("f")) light(event.target, true);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const row = rowAt(event.target);
    if (!row) return;
    // What is open closes by its marker, or by a second click: the first one only points at it.
    const summary = event.target.closest("summary");
    if (summary && summary.parentElement.open && row !== pinned && event.offsetX > 20) event.preventDefault();
    choose(row, Boolean(event.target.closest("[data-f]")));
  });

  const seen = (row) => row.checkVisibility ? row.checkVisibility() : row.offsetParent !== null;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { pinned = null; light(null); return; }
    const row = event.target.closest(".f"), pane = event.target.closest(".hex");
    if (!row && !pane) return;
    const { rows } = of(event.target);
    const visible = rows.filter(seen);
    const from = row || pinned;
    let at = visible.indexOf(from);
    const details = from && from.tagName === "SUMMARY" ? from.parentElement : null;
    if (event.key === "ArrowDown") at += 1;
    else if (event.key === "ArrowUp") at -= 1;
    else if (event.key === "Home") at = 0;
    else if (event.key === "End") at = visible.length - 1;
    else if (event.key === "ArrowRight" && details && !details.open) { details.open = true; event.preventDefault(); return; }
    else if (event.key === "ArrowRight") at += 1;
    else if (event.key === "ArrowLeft" && details && details.open) { details.open = false; event.preventDefault(); return; }
    else if (event.key === "ArrowLeft") {
      const outer = from && (details || from).parentElement.closest("details");
      if (outer) at = visible.indexOf(outer.querySelector("summary"));
    } else return;
    event.preventDefault();
    const next = visible[Math.max(0, Math.min(at, visible.length - 1))];
    if (next) choose(next, false);
  });

  for (const { rows } of sections.values()) if (rows[0]) rows[0].tabIndex = 0;
  say(null);
})();
