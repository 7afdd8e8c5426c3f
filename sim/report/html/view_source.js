// SPDX-License-Identifier: Apache-2.0
// Lines of the source with what they cost; each folds out to its PTX, and to machine operations where they are known.
const sourceColumns = [
  { id: "stall_cycles", title: "Waited", tip: "Warp-cycles that warps waited at instructions of this line." },
  { id: "inst_executed", title: "Executed", tip: "PTX instructions of this line that warps executed." },
  { id: "machine_inst_issued", title: "Issued", tip: "Machine instructions that were issued for this line." },
  { id: "lanes", title: "Lanes", tip: "Threads that took part, mean over executed instructions; 32 is all of a warp.", mean: true },
  { id: "sectors", title: "Sectors", tip: "32-byte sectors of global and local memory that this line touched." },
  { id: "excess", title: "Excess", tip: "Sectors beyond those that the bytes need: what coalescing would save." },
  { id: "shared_wavefronts", title: "Wavefronts", tip: "Passes through shared memory." },
  { id: "bank_conflicts", title: "Conflicts", tip: "Passes of shared memory beyond those that the access width needs." },
];
const sums = ["stall_cycles", "inst_executed", "thread_inst_executed", "machine_inst_issued", "sectors", "ideal_sectors", "shared_wavefronts", "bank_conflicts"];
function addLine(to, line) {
  for (const key of sums) to[key] = (to[key] || 0) + (line[key] || 0);
  for (const [key, value] of Object.entries(line))
    if (key.startsWith("stall_") && key !== "stall_cycles") to.stalls[key.slice(6)] = (to.stalls[key.slice(6)] || 0) + value;
  to.excess = to.sectors - to.ideal_sectors;
  to.lanes = to.inst_executed ? to.thread_inst_executed / to.inst_executed : 0;
}
const newCost = () => ({ stalls: {} });
function linesByPlace(kernel) {
  const places = new Map();
  for (const line of kernel.lines || []) {
    const key = line.file + ":" + line.line;
    if (!places.has(key)) places.set(key, { key, file: line.file, line: line.line, cost: newCost(), ptx: [] });
    const place = places.get(key);
    addLine(place.cost, line);
    const cost = newCost();
    addLine(cost, line);
    place.ptx.push({ line: line.ptx_line, operation: line.ptx || "", written: line.written_at || "", cost });
  }
  for (const place of places.values()) place.ptx.sort((a, b) => a.line - b.line);
  return places;
}
function lineText(context, place) {
  const colon = place.lastIndexOf(":"), text = (context.run.texts || {})[place.slice(0, colon)];
  return text ? text.lines[Number(place.slice(colon + 1)) - text.first] || "" : "";
}
const ptxText = (context, line) => {
  const text = context.run.ptx;
  return text ? text.lines[line - text.first] : undefined;
};
const mostWaited = (stalls) => Object.entries(stalls).filter(([r]) => r !== "selected").sort((a, b) => b[1] - a[1])[0];
function stallStrip(stalls) {
  const parts = Object.entries(stalls).filter(([r, v]) => r !== "selected" && v > 0).sort((a, b) => b[1] - a[1]);
  const total = parts.reduce((sum, [, v]) => sum + v, 0);
  if (!total) return "";
  const words = parts.map(([r, v]) => `${reasonName(r)} ${percentText(percent(v, total))}`).join(", ");
  let at = 0;
  return s("svg", { viewBox: "0 0 100 12", width: 60, height: 10, preserveAspectRatio: "none", role: "img", "aria-label": words, "data-tip": "Waited for: " + words },
    parts.map(([r, v]) => { const x = at; at += (100 * v) / total; return s("rect", { x, y: 1, width: (100 * v) / total, height: 10, fill: reasonColour(r) }); }));
}
let showLine = () => {};

views.push({
  id: "source", title: "Source",
  lead: "What each line cost, the stronger the colour, the more. The triangle opens the PTX of a line, and the machine operations that stand for it. Code inlined from elsewhere counts for the line of the kernel's own file that calls it.",
  applies: (context) => context.kernel && (context.kernel.lines || []).length > 0,
  draw(root, context) {
    const places = linesByPlace(context.kernel), total = newCost(), most = {}, mostPtx = {};
    for (const line of context.kernel.lines) addLine(total, line);
    const columns = sourceColumns.filter((c) => total[c.id] > 0);
    for (const place of places.values()) {
      for (const c of columns) most[c.id] = Math.max(most[c.id] || 0, place.cost[c.id] || 0);
      for (const p of place.ptx) for (const c of columns) mostPtx[c.id] = Math.max(mostPtx[c.id] || 0, p.cost[c.id] || 0);
    }
    const state = { open: new Set(), words: "", by: "source", gaps: new Set() };
    const files = [...new Set([...places.values()].map((p) => p.file))].sort();
    const body = h("tbody");
    const count = h("span", { class: "soft", role: "status" });
    const timed = total.stall_cycles > 0, width = columns.length + 2 + (timed ? 1 : 0);

    const cells = (cost, largest) => columns.map((c) => {
      const value = cost[c.id] || 0;
      if (c.mean) return h("td", { class: "n heat", "data-tip": c.tip }, cost.inst_executed ? value.toFixed(1) : "");
      return h("td", { class: "n heat", style: value ? heat(value / largest[c.id]) : null, "data-tip": value ? `${c.title}: ${plain(value)}, ${percentText(percent(value, total[c.id]))} of the kernel. ${c.tip}` : null },
        value ? brief(value) : "");
    });
    const waits = (cost) => h("td", { class: "soft waits" }, stallStrip(cost.stalls), mostWaited(cost.stalls) ? h("span", {}, reasonName(mostWaited(cost.stalls)[0])) : "");
    const machineOf = (line) => ((context.run.machine || {})[context.kernel.name] || {})[line];
    function ptxRows(place) {
      const rows = [];
      for (const p of place.ptx) {
        const text = ptxText(context, p.line);
        rows.push(h("tr", { class: "ptx" }, h("td", { class: "place" }, "ptx " + p.line), h("td", { class: "code" }, (text === undefined ? p.operation : text.trim()) + (p.written ? "   // " + baseName(p.written) : "")),
          cells(p.cost, mostPtx), timed ? waits(p.cost) : null));
        const machine = machineOf(p.line);
        if (machine) rows.push(h("tr", { class: "machine" }, h("td"), h("td", { class: "code", colspan: width - 1 }, machine.join("\n"))));
      }
      return rows;
    }
    function lineRow(file, line, text, place) {
      const words = state.words.toLowerCase();
      const found = words && (text.toLowerCase().includes(words) || (place && place.ptx.some((p) => (ptxText(context, p.line) || p.operation).toLowerCase().includes(words))));
      const open = place && state.open.has(place.key);
      const fold = place ? h("button", { type: "button", class: "fold", "aria-expanded": String(Boolean(open)), "aria-label": `PTX of line ${line}`, onclick: () => { open ? state.open.delete(place.key) : state.open.add(place.key); drawRows(); focusFold(place.key); } }, open ? "▼" : "▶") : null;
      return [h("tr", { class: found ? "found" : null, "data-place": file + ":" + line }, h("td", { class: "place" }, fold, line), h("td", { class: "code", "data-tip": text.length > 44 ? text.trim() : null }, text),
        place ? cells(place.cost, most) : columns.map(() => h("td")), timed ? (place ? waits(place.cost) : h("td")) : null), open ? ptxRows(place) : []];
    }
    const focusFold = (key) => { const row = [...body.querySelectorAll("tr[data-place]")].find((r) => r.dataset.place === key); if (row) row.querySelector("button").focus(); };
    // In the order of the file: lines with costs, and some around them; the rest can be shown.
    function inOrder() {
      const rows = [];
      for (const file of files) {
        const text = (context.run.texts || {})[file], own = [...places.values()].filter((p) => p.file === file).sort((a, b) => a.line - b.line);
        if (files.length > 1 || !text) rows.push(h("tr", { class: "gap" }, h("td", { colspan: width }, file + (text ? "" : ": the text of this file was not found when the report was made"))));
        if (!text) {
          for (const place of own) rows.push(lineRow(file, place.line, place.ptx.length === 1 ? place.ptx[0].operation : "", place));
          continue;
        }
        const last = text.first + text.lines.length - 1, wanted = new Set();
        for (const place of own) for (let l = place.line - 6; l <= place.line + 3; ++l) if (l >= text.first && l <= last) wanted.add(l);
        let gapFrom = text.first;
        const gap = (to) => {
          const key = file + ":" + gapFrom;
          if (to < gapFrom) return;
          if (state.gaps.has(key) || to - gapFrom < 3) { for (let l = gapFrom; l <= to; ++l) rows.push(lineRow(file, l, text.lines[l - text.first], null)); return; }
          rows.push(h("tr", { class: "gap" }, h("td", { colspan: width }, h("button", { type: "button", class: "fold", onclick: () => { state.gaps.add(key); drawRows(); } }, `lines ${gapFrom} to ${to} have no counters: show them`))));
        };
        for (let l = text.first; l <= last; ++l) {
          if (!wanted.has(l)) continue;
          gap(l - 1);
          rows.push(lineRow(file, l, text.lines[l - text.first], places.get(file + ":" + l)));
          gapFrom = l + 1;
        }
        gap(last);
      }
      return rows;
    }
    const byCost = (id) => [...places.values()].sort((a, b) => (b.cost[id] || 0) - (a.cost[id] || 0)).map((p) => lineRow(p.file, p.line, lineText(context, p.key) || p.ptx[0].operation, p));
    function drawRows() {
      body.replaceChildren(...(state.by === "source" ? inOrder() : byCost(state.by)).flat(Infinity));
      const found = body.querySelectorAll("tr.found").length;
      count.textContent = state.words ? `${found} lines found` : `${places.size} lines with counters`;
    }
    const orderOf = (id, title, tip) => {
      const button = h("button", { type: "button", "data-tip": tip, onclick: () => { state.by = id; drawRows(); mark(); } }, title);
      return h("th", { scope: "col", class: id === "source" ? "code" : "n", "data-order": id }, button);
    };
    const headRow = h("tr", {}, h("th", { scope: "col" }, "Line"), orderOf("source", "Source", "In the order of the file."), columns.map((c) => orderOf(c.id, c.title, c.tip)),
      timed ? h("th", { scope: "col" }, "Waited for") : null);
    const mark = () => { for (const head of headRow.querySelectorAll("[data-order]")) { if (head.dataset.order === state.by) head.setAttribute("aria-sort", state.by === "source" ? "ascending" : "descending"); else head.removeAttribute("aria-sort"); } };
    const box = h("div", { class: "scroll source", tabindex: 0, role: "region", "aria-label": "Source with counters" },
      h("table", {}, h("caption", { class: "hidden" }, "Source with counters"), h("thead", {}, headRow), body));
    const all = (open) => () => { state.open = open ? new Set(places.keys()) : new Set(); drawRows(); };
    const next = () => {
      const rows = [...body.querySelectorAll("tr.found")], at = rows.findIndex((r) => r.classList.contains("goal"));
      rows.forEach((r) => r.classList.remove("goal"));
      const goal = rows[(at + 1) % rows.length];
      if (goal) { goal.classList.add("goal"); goal.scrollIntoView({ block: "center" }); }
    };
    root.append(h("div", { class: "row tools" },
      h("input", { type: "search", placeholder: "Search source and PTX", "aria-label": "Search source and PTX", oninput: (e) => { state.words = e.target.value; drawRows(); },
        onkeydown: (e) => { if (e.key === "Enter") next(); } }),
      h("button", { type: "button", onclick: all(true) }, "Open all"), h("button", { type: "button", onclick: all(false) }, "Close all"), count), box);
    showLine = (place) => {
      state.by = "source";
      state.open.add(place);
      drawRows(); mark();
      const row = [...body.querySelectorAll("tr[data-place]")].find((r) => r.dataset.place === place);
      if (row) { row.classList.add("goal"); box.scrollTop = row.offsetTop - 120; }
    };
    drawRows(); mark();
    const lost = ["stall_cycles"].map((key) => {
      const whole = stallParts(context), waited = whole.total - (whole.parts.find((p) => p.id === "selected") || { value: 0 }).value;
      return timed && waited > total[key] ? `Lines hold ${percentText(percent(total[key], waited))} of all that was waited; the rest was waited by warps before their first instruction or after their last.` : null;
    });
    root.append(...lost.filter(Boolean).map((text) => h("p", { class: "soft" }, text)));
    if (timed) root.append(h("div", { class: "legend" }, Object.keys(total.stalls).filter((r) => r !== "selected").sort((a, b) => total.stalls[b] - total.stalls[a]).map((r) =>
      h("span", { "data-tip": reasonText(r) }, h("i", { style: `background:${reasonColour(r)}` }), reasonName(r)))));
  },
});
