// SPDX-License-Identifier: Apache-2.0
// A launch file's program: what ran when, a row for each stream; and of several programs their times side by side.
const streamWork = (context) => (context.result && context.result.program && context.result.program.timed && context.result.program) || null;
// `least`: how far the picture goes at least; `pick` is told a piece of work that is clicked.
function workPicture(work, kinds, { least = 0, pick = () => {} } = {}) {
  const streams = [...new Set(work.map((w) => w.stream))].sort((a, b) => (a === b ? 0 : a < b ? -1 : 1)), last = work.reduce((most, w) => Math.max(most, w.end_ns), Math.max(least, 1));
  const width = 1400, rowSize = 28, left = 110, height = streams.length * rowSize + 26;
  const canvas = h("canvas", { width: width * 2, height: height * 2, style: `width:100%;max-width:${width}px;aspect-ratio:${width}/${height}`, role: "img", tabindex: 0,
    "aria-label": `${work.length} launches and copies on ${streams.length} streams over ${timeText(last).join(" ")}; the table below lists them.` });
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const colour = (kind) => series[kinds.indexOf(kind) % series.length], label = (name) => (typeof name === "number" ? "stream " + name : String(name).slice(0, 16));
  pen.scale(2, 2);
  pen.font = "12px system-ui, sans-serif";
  const px = (ns) => left + ((width - left - 10) * ns) / last;
  pen.fillStyle = style.getPropertyValue("--soft");
  streams.forEach((name, i) => pen.fillText(label(name), 2, i * rowSize + 18));
  for (const t of ticks(last).filter((t) => t <= last)) { pen.fillText(timeText(t).join(" "), Math.min(px(t), width - 60), height - 6); pen.fillRect(px(t), 0, 0.5, height - 22); }
  for (const w of work) {
    pen.fillStyle = colour(w.kind);
    pen.fillRect(px(w.start_ns), streams.indexOf(w.stream) * rowSize + 3, Math.max(0.8, px(w.end_ns) - px(w.start_ns)), rowSize - 8);
  }
  const under = (event) => {
    const box = canvas.getBoundingClientRect(), ns = ((((event.clientX - box.left) / box.width) * width - left) / (width - left - 10)) * last;
    const stream = streams[Math.floor((((event.clientY - box.top) / box.height) * height) / rowSize)], slack = last / 700;
    return work.find((one) => one.stream === stream && one.start_ns - slack <= ns && ns <= one.end_ns + slack);
  };
  canvas.addEventListener("mousemove", (event) => {
    const w = under(event);
    canvas.dataset.tip = w ? `${w.kind} ${w.name}, ${timeText(w.end_ns - w.start_ns).join(" ")} from ${timeText(w.start_ns).join(" ")} on` : "Launches and copies over simulated time, a row for each stream.";
  });
  canvas.addEventListener("click", (event) => { const w = under(event); if (w) pick(w); });
  return h("div", {}, h("div", { class: "chart" }, canvas), h("div", { class: "legend" }, kinds.slice(0, 12).map((kind) => h("span", {}, h("i", { style: `background:${colour(kind)}` }), kind)),
    kinds.length > 12 ? h("span", {}, `and ${kinds.length - 12} more, in the same colours again`) : null));
}
const programTiles = (metrics) => {
  const value = (name) => ((metrics || {})[name] || {}).value || 0, tile = (what, ns) => { const [v, u] = timeText(ns); return [what, v, u]; };
  return [tile("Time of kernels", value("program__time_kernels")), tile("Time of copies", value("program__time_copies")),
    ["Copies behind kernels", percentText(value("program__overlap.pct")), ""], ["Idle", percentText(value("program__idle.pct")), ""]];
};
views.push({
  id: "streams", title: "Streams",
  lead: "The program of the launch file in simulated time: launches and copies by stream, and what was hidden behind what.",
  applies: (context) => Boolean(streamWork(context)),
  draw(root, context) {
    const program = streamWork(context), work = program.work || [], duration = ((program.metrics || {})["program__time_duration"] || {}).value || 0;
    const tiles = [["Duration", ...timeText(duration)], ...programTiles(program.metrics)];
    root.append(h("div", { class: "tiles" }, tiles.map(([what, v, u]) => h("div", { class: "tile" }, h("div", { class: "what" }, what), h("div", { class: "value" }, v, " ", h("span", { class: "unit" }, u))))));
    const kinds = [...new Set(work.map((w) => w.kind))];
    if (work.length) root.append(h("h3", {}, "Streams over time"), workPicture(work, kinds, { least: duration }));
    const others = data.runs.map((run) => [run, run.result && run.result.program]).filter(([, p]) => p && p.timed);
    if (others.length > 1) {
      const names = Object.keys(program.metrics || {});
      root.append(h("h3", {}, "Programs side by side"), simpleTable("Programs", ["Metric", ...others.map(([run]) => ({ text: run.name || run.title || "", n: true }))],
        names.map((name) => [name, ...others.map(([, p]) => plain((p.metrics[name] || {}).value))])));
    }
    root.append(h("h3", {}, "Launches and copies"), makeTable({ caption: "Launches and copies", rows: work, search: (w) => `${w.kind} ${w.name} ${w.stream}`, columns: [
      { id: "kind", title: "Kind", value: (w) => w.kind }, { id: "name", title: "Name", value: (w) => w.name, show: (w) => h("code", {}, w.name) }, { id: "stream", title: "Stream", value: (w) => w.stream }, { id: "graph", title: "Graph", value: (w) => w.graph || "" },
      { id: "start", title: "Start, µs", number: true, value: (w) => w.start_ns, show: (w) => micros(w.start_ns) }, { id: "took", title: "Took, µs", number: true, value: (w) => w.end_ns - w.start_ns, show: (w) => micros(w.end_ns - w.start_ns) },
      { id: "bytes", title: "Bytes", number: true, value: (w) => w.bytes || 0, show: (w) => (w.bytes ? plain(w.bytes) : "") }] }));
  },
});
