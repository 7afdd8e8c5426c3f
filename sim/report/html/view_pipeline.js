// SPDX-License-Identifier: Apache-2.0
// Buffers of shared memory that asynchronous copies fill: a row each, with fill, readiness and use over time, and who waited.
const pipelineColours = { fill: "#56b4e9", ready: "#b9c2cc", use: "#009e73", wait: "#d55e00", free: "#cc79a7" };
const pipelineWords = { fill: "fill: from the first copy to its last byte", ready: "ready: there, and nobody reads it yet", use: "use: from the first load to the last",
  wait: "wait: warps wait for it", free: "wait for a free buffer" };
const fillsAtOnce = 12;

function pipelineOf(context) {
  const pipeline = context.run.pipeline, kernel = context.kernel;
  if (!pipeline || !kernel) return null;
  return pipeline.launches.find((l) => l.kernel === kernel.name && l.cycles === context.m("sm__cycles_elapsed.max")) || null;
}
function fillTip(launch, fill) {
  const producer = launch.producers[fill.producer], late = fill.wait && fill.complete > fill.wait[0] ? fill.complete - fill.wait[0] : 0;
  const parts = [`Fill ${fill.n}: ${plain(fill.bytes)} bytes to shared address ${fill.buffer}`, `copied at ${baseName(producer.at)} by warp ${fill.warp}, cycles ${plain(fill.issued)} to ${plain(fill.complete)} (${plain(fill.complete - fill.issued)})`];
  if (fill.mbarrier !== undefined) parts.push(`counted by the mbarrier at ${fill.mbarrier}`);
  if (fill.wait) parts.push(`waited for from ${plain(fill.wait[0])} to ${plain(fill.wait[1])} by warp ${fill.wait_warp} first, ${plain(fill.waited)} warp-cycles in all`);
  if (late) parts.push(`late by ${plain(late)} cycles`);
  if (fill.use) parts.push(`read from ${plain(fill.use[0])} to ${plain(fill.use[1])}, first by warp ${fill.use_warp}`);
  return parts.join("; ") + ".";
}
// One window of fills of a block. Arrows: from a copy's end to the end of the wait for it, and on to the first load.
function pipelinePicture(launch, block, first) {
  const fills = block.fills.slice(first, first + fillsAtOnce), buffers = [...new Set(block.fills.map((f) => f.buffer))].sort((a, b) => a - b);
  const begin = fills[0].issued, end = Math.max(...fills.map((f) => Math.max(f.complete, f.wait ? f.wait[1] : 0, f.use ? f.use[1] : 0))) + 1;
  const width = 1060, left = 118, rowHeight = 30, waitsAt = 8 + buffers.length * rowHeight, height = waitsAt + 2 * rowHeight + 24;
  const x = (cycle) => left + ((width - left - 8) * (Math.max(begin, Math.min(end, cycle)) - begin)) / (end - begin);
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Fills ${fills[0].n} to ${fills[fills.length - 1].n} of block ${block.block} on SM ${block.sm}, cycles ${plain(begin)} to ${plain(end)}. The table below has the same numbers.`, style: "width:100%;max-width:1500px;min-width:720px" },
    s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 5, markerHeight: 5, orient: "auto-start-reverse" }, s("path", { d: "M0 0L6 3L0 6z", fill: "var(--ink)" }))));
  const bar = (from, to, y, colour, text, high = 18) => { if (to > from) picture.append(s("rect", { x: x(from), y, width: Math.max(1, x(to) - x(from)), height: high, rx: 2, fill: colour, "data-tip": text })); };
  const label = (text, y) => picture.append(s("text", { class: "soft", x: left - 8, y, "text-anchor": "end", "font-size": 11.5 }, text));
  buffers.forEach((buffer, i) => {
    label(`buffer ${i} (${buffer})`, 8 + i * rowHeight + 14);
    picture.append(s("path", { class: "grid", d: `M${left} ${8 + i * rowHeight + 22}H${width - 8}` }));
  });
  label("waits", waitsAt + 14);
  if ((block.free_waits || []).length) label("for a free buffer", waitsAt + rowHeight + 14);
  for (const fill of fills) {
    const y = 8 + buffers.indexOf(fill.buffer) * rowHeight, tip = fillTip(launch, fill);
    bar(fill.issued, fill.complete, y, pipelineColours.fill, tip);
    if (fill.use) { bar(fill.complete, fill.use[0], y + 6, pipelineColours.ready, tip, 6); bar(fill.use[0], fill.use[1] + 1, y, pipelineColours.use, tip); }
    if (x(fill.complete) - x(fill.issued) > 26) picture.append(s("text", { x: x(fill.issued) + 3, y: y + 13, "font-size": 11, style: "fill:#10202c" }, String(fill.n)));
    if (!fill.wait) continue;
    bar(fill.wait[0], fill.wait[1], waitsAt, pipelineColours.wait, tip);
    const arrow = (x0, y0, x1, y1) => picture.append(s("path", { d: `M${x0} ${y0}L${x1} ${y1}`, stroke: "var(--ink)", "stroke-width": 0.9, opacity: 0.75, fill: "none", "marker-end": "url(#arrow)", class: "flow" }));
    arrow(x(fill.complete), y + 18, x(fill.wait[1]), waitsAt);
    if (fill.use) arrow(x(fill.wait[1]), waitsAt, x(fill.use[0]), y + 18);
  }
  for (const wait of block.free_waits || []) if (wait.wait[1] > begin && wait.wait[0] < end)
    bar(wait.wait[0], wait.wait[1], waitsAt + rowHeight, pipelineColours.free, `Warp ${wait.warp} waits for a free buffer from ${plain(wait.wait[0])} to ${plain(wait.wait[1])}.`);
  label("cycle", height - 6);
  for (const t of ticks(end - begin).filter((t) => t <= end - begin)) picture.append(s("text", { class: "soft", x: x(begin + t), y: height - 6, "text-anchor": t === 0 ? "start" : "middle", "font-size": 11 }, plain(Math.round(begin + t))));
  return h("div", { class: "chart" }, picture);
}
function pipelineBlock(launch) {
  const place = h("div"), state = { block: 0, first: 0 };
  const show = () => {
    const block = launch.blocks[state.block], last = Math.min(block.fills.length, state.first + fillsAtOnce);
    const step = (by, word) => h("button", { type: "button", disabled: by < 0 ? state.first === 0 : last >= block.fills.length, onclick: () => { state.first = Math.max(0, state.first + by * fillsAtOnce); show(); } }, word);
    place.replaceChildren(h("div", { class: "row tools" }, h("label", {}, "Block ", h("select", { onchange: (event) => { state.block = Number(event.target.value); state.first = 0; show(); } }, launch.blocks.map((b, i) => h("option", { value: i, selected: i === state.block }, `${b.block} on SM ${b.sm}`)))),
      step(-1, "◂ earlier"), h("span", {}, `fills ${block.fills[state.first].n} to ${block.fills[last - 1].n} of ${plain(block.fills.length + (block.left_out || 0))}`), step(1, "later ▸")),
      h("div", { class: "legend" }, Object.entries(pipelineWords).filter(([key]) => key !== "free" || (block.free_waits || []).length).map(([key, words]) => h("span", {}, h("i", { style: `background:${pipelineColours[key]}` }), words))),
      pipelinePicture(launch, block, state.first), h("details", {}, h("summary", {}, "These fills as numbers"), simpleTable("Fills", ["Fill", { text: "Buffer", n: true }, { text: "Bytes", n: true }, { text: "Issued", n: true }, { text: "Complete", n: true }, { text: "Waited from", n: true }, { text: "to", n: true }, { text: "First read", n: true }, { text: "Last read", n: true }],
        block.fills.slice(state.first, last).map((f) => [String(f.n), f.buffer, f.bytes, f.issued, f.complete, f.wait ? f.wait[0] : "", f.wait ? f.wait[1] : "", f.use ? f.use[0] : "", f.use ? f.use[1] : ""].map((v) => (typeof v === "number" ? plain(v) : v))))));
  };
  show();
  return place;
}
views.push({
  id: "pipeline", title: "Pipelines",
  lead: "What copies bring to a buffer of shared memory together is a fill: a group of cp.async, or a phase of an mbarrier. It is late by the time from the first warp's wait to its last byte.",
  applies: (context) => pipelineOf(context) !== null,
  draw(root, context) {
    const launch = pipelineOf(context), pipeline = context.run.pipeline;
    for (const note of launch.notes || []) root.append(h("p", { class: "note" }, note));
    if (!launch.producers.length) root.append(h("p", { class: "soft" }, `No asynchronous copy fills shared memory on SM ${launch.sms.join(", ")}.`));
    const facts = launch.producers.map((p) => h("li", {}, h("b", {}, baseName(p.at)), `: producer ${p.says}. ${p.advice.charAt(0).toUpperCase() + p.advice.slice(1)}.`));
    for (const w of launch.free_waits) facts.push(h("li", {}, h("b", {}, baseName(w.at)), `: ${plain(w.waits)} waits for a free buffer, ${plain(w.cycles)} cycles each: those who read are late, not the copies.`));
    root.append(h("ul", { class: "facts" }, facts));
    if (launch.producers.length) root.append(simpleTable("Producers", ["Copy", "Counted by", { text: "Fills", n: true }, { text: "Bytes each", n: true }, { text: "Buffers", n: true, tip: "Of a block: how deep the ring is." }, { text: "Fill", n: true, tip: "Cycles from the first copy to the last one's bytes." },
      { text: "Late", n: true, tip: "Fills that warps waited for." }, { text: "by", n: true, tip: "Cycles from the first wait to the last byte, mean over the late ones." }, { text: "Ready", n: true, tip: "Of the others: cycles from the last byte to the first load." }, { text: "Use", n: true, tip: "Cycles from the first load to the last." },
      { text: "Step", n: true, tip: "Cycles from fill to fill of a block, without the waits." }, { text: "Needed", n: true, tip: "Buffers that would hide a fill: 1 + fill / step, if it takes no longer then." }],
      launch.producers.map((p) => [h("span", { "data-tip": `${p.kind} at ${p.at}` + (p.waited_at ? `, waited for at ${p.waited_at}` : "") + (p.used_at ? `, first read at ${p.used_at}` : "") }, `${p.kind}, ${baseName(p.at)}`), p.by, plain(p.fills), plain(Math.round(p.bytes / p.fills)), plain(p.buffers), plain(Math.round(p.fill_cycles)),
        percentText(percent(p.late_fills, p.fills)), p.late_fills ? plain(Math.round(p.late_cycles)) : "", plain(Math.round(p.ready_cycles)), plain(Math.round(p.use_cycles)), plain(Math.round(p.step_cycles)), p.buffers_needed === null ? "n/a" : plain(p.buffers_needed)])));
    if (launch.blocks.some((b) => b.fills.length)) { launch.blocks = launch.blocks.filter((b) => b.fills.length); root.append(h("h3", {}, "Fills of a block"), pipelineBlock(launch)); }
    if (!pipeline.stages) return;
    const done = pipeline.stages.filter((p) => !p.failure), most = Math.max(...done.map((p) => p.cycles), 1), least = done.reduce((a, b) => (a && a.cycles <= b.cycles ? a : b), null);
    root.append(h("h3", {}, `${pipeline.macro}: each number compiled and run`), least ? h("p", {}, `Fewest cycles with ${least.stages}: ${plain(least.cycles)}.`) : null, simpleTable("Stages", [pipeline.macro, { text: "Cycles", n: true }, "", { text: "Late fills", n: true }, { text: "by", n: true }, { text: "Shared memory of a block", n: true }, { text: "Occupancy", n: true }],
      pipeline.stages.map((p) => (p.failure ? [String(p.stages), "n/a", h("span", { class: "soft" }, p.failure), "", "", "", ""] : [String(p.stages), plain(p.cycles), meter((100 * p.cycles) / most, undefined, plain(p.cycles) + " cycles"), percentText(percent(p.main.late_fills, p.main.fills)), plain(Math.round(p.main.late_cycles)), bytesText(p.shared_bytes), percentText(p.occupancy_pct)]))));
  },
});
