// SPDX-License-Identifier: Apache-2.0
// Counters over time: a map for each kind of unit, units down and cycles across, all on one scale of time.
const timeKinds = { sm: ["SM", "SMs"], l2: ["L2 slice", "L2 slices"], dram: ["memory channel", "memory channels"] };
// What a cell shows: of a sum over an interval, a rate that means something by itself.
function timeRate(counter, context, cycles) {
  const sub = (context.run.hardware || {}).sub_cores || 1;
  if (counter.name === "smsp__issue_active") return { of: (v) => (100 * v) / (cycles * sub), unit: "% of issue slots" };
  if (counter.name === "sm__warps_active") return { of: (v) => v / cycles, unit: "warps resident" };
  if (counter.name.startsWith("smsp__warps_issue_stalled_")) return { of: (v) => v / cycles, unit: "warps in this state" };
  return { of: (v) => v / cycles, unit: (counter.unit || "passes") + (counter.unit === "inst" ? "." : "s") + " a cycle" };
}
const timeNames = { smsp__issue_active: "Issue slots used", sm__warps_active: "Warps resident", smsp__inst_executed: "Warp instructions", sm__ctas_launched: "Blocks started",
  l1tex__t_sectors_lookup_hit: "L1 sectors hit", l1tex__t_sectors_lookup_miss: "L1 sectors missed", l1tex__data_pipe_lsu_wavefronts_mem_shared: "Shared-memory wavefronts",
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared: "Bank conflicts", sim__bulk_bytes: "Bytes of bulk copies", lts__t_sectors: "Sectors looked up", lts__t_sectors_lookup_hit: "Sectors hit",
  lts__t_sectors_lookup_miss: "Sectors missed", sim__lts_write_back_sectors: "Sectors written back", dram__bytes_read: "Bytes read", dram__bytes_write: "Bytes written", sim__dram_row_misses: "Rows opened" };
const timeName = (name) => timeNames[name] || (name.startsWith("smsp__warps_issue_stalled_") ? "Warps: " + reasonName(name.slice(26)) : name);

// The map of one counter: a canvas whose cells are intervals of units, with a strip of all units above it.
function timeMap(context, launch, kind, counter, span) {
  const { units, intervals } = kind, cycles = launch.interval, rate = timeRate(counter, context, cycles), [one, many] = timeKinds[kind.kind];
  const value = (i, u) => counter.values[i * units + u] || 0;
  const most = Math.max(...counter.values, 1), sums = Array.from({ length: span }, (_, i) => { let sum = 0; if (i < intervals) for (let u = 0; u < units; ++u) sum += value(i, u); return sum; });
  const cell = Math.max(2, Math.min(14, Math.floor(330 / units))), highest = Math.max(...sums, 1);
  const canvas = h("canvas", { width: span, height: units * cell, tabindex: 0, role: "img", style: `width:100%;height:${units * cell}px;image-rendering:pixelated;cursor:crosshair`, "data-counter": counter.name,
    "aria-label": `${timeName(counter.name)} of ${units} ${many} over ${plain(launch.cycles)} cycles. Arrow keys read single cells; the table below has the sums.` });
  const pen = canvas.getContext("2d"), heatColour = getComputedStyle(document.documentElement).getPropertyValue("--heat").trim();
  for (let i = 0; i < intervals; ++i) for (let u = 0; u < units; ++u) {
    const share = value(i, u) / most;
    if (share > 0) { pen.fillStyle = `rgba(${heatColour}, ${(0.06 + 0.94 * share).toFixed(3)})`; pen.fillRect(i, u * cell, 1, cell); }
  }
  const said = h("output", { class: "soft", style: "display:block;min-height:1.4em" }, `Most: ${plain(rate.of(most))} ${rate.unit}.`);
  const place = { i: 0, u: 0 };
  const say = () => { said.textContent = `${one} ${place.u}, cycles ${plain(place.i * cycles)} to ${plain((place.i + 1) * cycles)}: ${plain(rate.of(value(place.i, place.u)))} ${rate.unit} (${plain(value(place.i, place.u))} ${counter.unit}). All ${many}: ${plain(sums[place.i])}.`; };
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    place.i = Math.max(0, Math.min(span - 1, Math.floor((span * (event.clientX - box.left)) / box.width)));
    place.u = Math.max(0, Math.min(units - 1, Math.floor((units * (event.clientY - box.top)) / box.height)));
    say();
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    place.i = Math.max(0, Math.min(span - 1, place.i + step[0]));
    place.u = Math.max(0, Math.min(units - 1, place.u + step[1]));
    say();
  });
  const strip = s("svg", { viewBox: `0 0 ${span} 40`, preserveAspectRatio: "none", role: "img", "aria-label": `Sum over all ${many}`, style: "width:100%;height:40px" },
    s("path", { d: `M0 40${sums.map((sum, i) => `V${(40 - (38 * sum) / highest).toFixed(1)}H${i + 1}`).join("")}V40Z`, fill: "var(--bar)", opacity: 0.75 }));
  const marks = ticks(span * cycles).filter((t) => t <= span * cycles);
  const axis = h("div", { style: "position:relative;height:1.3rem", "aria-hidden": "true" }, marks.map((t) => h("span", { class: "soft", style: `position:absolute;left:${((100 * t) / (span * cycles)).toFixed(2)}%;transform:translateX(${t === 0 ? 0 : t > 0.95 * span * cycles ? -100 : -50}%);font-size:.8rem` }, brief(t))));
  const side = h("div", { class: "soft", style: "font-size:.8rem;text-align:right;white-space:nowrap;display:flex;flex-direction:column;justify-content:space-between" }, h("span", {}, `${one} 0`), h("span", {}, String(units - 1)));
  return h("div", {}, h("div", { style: "display:grid;grid-template-columns:8.4rem minmax(0,1fr);gap:0 .5rem" },
    h("span", { class: "soft", style: "font-size:.8rem;text-align:right;align-self:end" }, `all ${many}`), strip, side, h("div", { style: "border:1px solid var(--line)" }, canvas), h("span", { class: "soft", style: "font-size:.8rem;text-align:right" }, "cycle"), axis), said);
}
views.push({
  id: "over_time", title: "Over time",
  lead: "What each unit counted in each interval of the launch; the stronger the colour, the more. Units side by side show imbalance, columns show phases, and the three maps share their time.",
  applies: (context) => Boolean(context.run.over_time && context.run.over_time[shownState.kernel]),
  draw(root, context) {
    const launch = context.run.over_time[shownState.kernel], span = Math.max(...launch.kinds.map((k) => k.intervals));
    root.append(h("p", { class: "soft" }, `Intervals of ${plain(launch.interval)} cycles. What moves after the launch's last cycle, such as a write that memory still takes, has its place behind it.`));
    const picked = launch.kinds.map((kind) => kind.counters[0]), table = h("details");
    const numbers = () => table.replaceChildren(h("summary", {}, "Sums by interval"), makeTable({ caption: "Sums over all units by interval", rows: Array.from({ length: span }, (_, i) => ({ i, sums: launch.kinds.map((kind, k) => {
      let sum = 0;
      if (picked[k] && i < kind.intervals) for (let u = 0; u < kind.units; ++u) sum += picked[k].values[i * kind.units + u];
      return sum;
    }) })), columns: [{ id: "begin", title: "From cycle", number: true, value: (row) => row.i * launch.interval }, ...launch.kinds.map((kind, k) => ({ id: kind.kind, number: true, value: (row) => row.sums[k],
      title: picked[k] ? `${timeKinds[kind.kind][1]}: ${timeName(picked[k].name)}` : timeKinds[kind.kind][1], tip: picked[k] ? picked[k].name : null }))] }));
    launch.kinds.forEach((kind, k) => {
      if (!kind.counters.length) { root.append(h("p", { class: "soft" }, `The ${timeKinds[kind.kind][1]} counted nothing.`)); return; }
      const place = h("div"), id = "over_time_" + kind.kind, total = h("span");
      const show = (counter) => {
        picked[k] = counter;
        place.replaceChildren(timeMap(context, launch, kind, counter, span));
        total.replaceChildren("sum over all: ", h("span", { "data-metric": counter.name + ".sum", "data-sum": counter.name }, plain(counter.sum)));
        numbers();
      };
      const select = h("select", { id, onchange: (event) => show(kind.counters[Number(event.target.value)]) }, kind.counters.map((c, i) => h("option", { value: i, "data-tip": c.name }, timeName(c.name))));
      root.append(h("div", { class: "row" }, h("h3", { style: "margin:0" }, h("label", { for: id }, `${plain(kind.units)} ${timeKinds[kind.kind][1]}: `), select), total), place);
      show(kind.counters[0]);
    });
    root.append(table);
    numbers();
  },
});
