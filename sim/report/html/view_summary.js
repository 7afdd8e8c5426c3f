// SPDX-License-Identifier: Apache-2.0
// The first view: how long, how busy, what was waited for, where; and what the result is of.
function tile(context, name, title, show, unit) {
  if (context.m(name) === undefined) return null;
  const [value, shownUnit] = show ? show(context.m(name)) : [plain(context.m(name)), unit ?? definition(name).unit];
  return h("div", { class: "tile" }, h("div", { class: "what" }, title || labelOf(name)),
    h("div", { class: "value" }, metric(context, name, () => value), " ", h("span", { class: "unit" }, shownUnit)), delta(context, name));
}
function topLines(context, count) {
  const timed = context.kernel.lines && context.kernel.lines.some((l) => l.stall_cycles), key = timed ? "stall_cycles" : "inst_executed";
  const sums = new Map();
  let total = 0;
  for (const line of context.kernel.lines || []) {
    const place = line.file + ":" + line.line, value = line[key] || 0;
    total += value;
    sums.set(place, (sums.get(place) || 0) + value);
  }
  return { key, total, lines: [...sums].filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]).slice(0, count) };
}
// Sentences that the counters say by themselves.
function facts(context) {
  const list = [], m = context.m, stalls = stallParts(context);
  const waits = stalls.parts.filter((p) => p.id !== "selected").sort((a, b) => b.value - a.value);
  if (stalls.total > 0 && waits.length && waits[0].value > 0)
    list.push(["Warps spent ", h("b", {}, percentText(percent(waits[0].value, stalls.total))), " of their time in one state: ",
      h("a", { href: "#stalls", "data-tip": waits[0].text }, reasonName(waits[0].id)), ". ", waits[0].text]);
  const top = topLines(context, 1);
  if (top.lines.length)
    list.push([top.key === "stall_cycles" ? "The line where most was waited is " : "The line that is executed most is ", lineLink(top.lines[0][0]), `, with ${percentText(percent(top.lines[0][1], top.total))} of the `,
      top.key === "stall_cycles" ? "warp-cycles that were waited at lines." : "instructions."]);
  if (context.kernel.limiters) list.push(["Blocks on an SM are limited by ", h("a", { href: "#occupancy" }, context.kernel.limiters.join(" and ")), "."]);
  const conflicts = m("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), shared = m("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  if (conflicts > 0) list.push(["Shared memory took ", metric(context, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), ` passes more than needed because of bank conflicts, of ${plain(shared)} passes.`]);
  const lanes = m("smsp__thread_inst_executed_per_inst_executed.ratio");
  if (lanes < 31.5) list.push(["On average ", metric(context, "smsp__thread_inst_executed_per_inst_executed.ratio"), " of 32 threads of a warp were active: lanes diverge, or the last warp is not full."]);
  const waves = m("launch__waves_per_multiprocessor");
  if (waves !== undefined) list.push(["The grid fills the GPU ", metric(context, "launch__waves_per_multiprocessor"), waves < 1 ? " times: not every place for a block is taken." : " times."]);
  return list;
}
const lineLink = (place) => h("a", { href: "#source", onclick: () => setTimeout(() => showLine(place), 0) }, h("code", {}, place.slice(place.lastIndexOf("/") + 1)));

views.push({
  id: "summary", title: "Summary", applies: (context) => Boolean(context.kernel),
  draw(root, context) {
    const rate = (name) => [percentText(context.m(name)), ""];
    root.append(h("div", { class: "tiles" },
      tile(context, "gpu__time_duration.sum", "Duration", timeText),
      tile(context, "sm__cycles_elapsed.max", "Elapsed cycles", null, ""),
      tile(context, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute throughput", () => rate("sm__throughput.avg.pct_of_peak_sustained_elapsed")),
      tile(context, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory throughput", () => rate("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")),
      tile(context, "sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved occupancy", () => rate("sm__warps_active.avg.pct_of_peak_sustained_active")),
      tile(context, "sm__inst_executed.avg.per_cycle_active", "Instructions per cycle", null, "per active SM"),
      tile(context, "smsp__inst_executed.sum", "Warp instructions", null, ""),
      tile(context, "sim__ptx_inst_executed.sum", "PTX instructions", null, ""),
      tile(context, "launch__registers_per_thread", "Registers", null, "per thread")));
    const found = explanationOf(context), advice = found ? found.advice || [] : [];
    if (advice.length) root.append(h("h3", {}, "What to change first"), h("ol", { class: "facts", id: "first-advice" }, advice.slice(0, 3).map((finding) => {
      const place = (finding.lines || [])[0];
      return h("li", {}, h("a", { href: "#advice" }, finding.title), place ? [" at ", lineLink(`${place.file}:${place.line}`)] : null,
        ` cost ${percentText(percent(finding.saved, found.cycles))} of the cycles`, finding.remedy ? `: ${finding.remedy}.` : ".");
    })));
    const said = facts(context);
    if (said.length) root.append(h("h3", {}, "What the counters say"), h("ul", { class: "facts" }, said.map((fact) => h("li", {}, fact))));
    const bars = [["sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM)"], ["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory"],
      ["l1tex__throughput.avg.pct_of_peak_sustained_active", "L1"], ["lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"], ["dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM"]]
      .filter(([name]) => context.m(name) !== undefined);
    if (bars.length) root.append(h("h3", {}, "Speed of light: share of each peak"), simpleTable("Speed of light", ["Unit", { text: "Of peak", n: true }, "", { text: context.baseKernel ? "Baseline" : "", n: true }],
      bars.map(([name, title]) => [title, metric(context, name, percentText), meter(context.m(name), context.base(name), `${title} ${percentText(context.m(name))}`),
        context.base(name) === undefined ? "" : percentText(context.base(name))])));
    const top = topLines(context, 5);
    if (top.lines.length) root.append(h("h3", {}, top.key === "stall_cycles" ? "Lines where warps waited most" : "Lines that were executed most"),
      simpleTable("Hottest lines", ["Line", "Source", { text: "Share", n: true }, ""], top.lines.map(([place, value]) => {
        const share = percent(value, top.total);
        return [lineLink(place), h("code", {}, lineText(context, place).trim()), percentText(share), meter(share, undefined, percentText(share), "rgb(var(--heat))")];
      })));
    const kernel = context.kernel;
    const extent = (e) => e.join(" × ");
    const rows = [["Kernel", h("code", {}, kernel.demangled || kernel.name)], ["Grid, block", `${extent(kernel.grid)} blocks of ${extent(kernel.block)} threads` + (kernel.cluster ? `, clusters of ${extent(kernel.cluster)}` : "")],
      ["Dynamic shared memory", plain(kernel.dynamic_shared) + " B"]];
    const p = context.result.provenance;
    rows.push(["Configuration", p.config]);
    for (const [key, c] of Object.entries(p.changes || {})) rows.push(["Changed value", h("span", {}, h("code", {}, key), ` ${c.from} → ${c.to}`)]);
    for (const [key, title] of [["launch", "Launch"], ["ptx", "PTX"], ["program", "Program"], ["mode", "Mode"], ["lowering", "Lowering"], ["version", "gpuloom"], ["sources", "Simulator's sources"], ["config_sha256", "Configuration, SHA-256"], ["ptx_sha256", "PTX, SHA-256"]])
      if (p[key]) rows.push([title, h("code", {}, p[key])]);
    const checks = (context.result.checks || []).map((c) => [h("code", {}, c.buffer), c.against, c.passed ? h("span", { class: "good" }, "passed") : h("span", { class: "bad" }, `${plain(c.mismatches)} of ${plain(c.count)} differ: ${c.first || ""}`)]);
    const outputs = (context.result.outputs || []).map((o) => [h("code", {}, o.buffer), o.type, plain(o.count), h("code", {}, o.fnv1a64)]);
    root.append(h("div", { class: "split" },
      h("div", {}, h("h3", {}, "What was run"), simpleTable("What was run", ["", ""], rows)),
      h("div", {}, outputs.length ? [h("h3", {}, "Outputs"), simpleTable("Outputs", ["Buffer", "Type", { text: "Elements", n: true }, "FNV-1a"], outputs)] : null,
        checks.length ? [h("h3", {}, "Verification"), simpleTable("Verification", ["Buffer", "Against", "Outcome"], checks)] : null)));
    for (const finding of context.result.findings || []) root.append(h("p", { class: "note" }, finding.text));
    for (const note of context.result.notes || []) root.append(h("p", { class: "note" }, note));
    for (const note of context.run.missing || []) root.append(h("p", { class: "note" }, note));
    if (context.kernel.complete === false) root.append(h("p", { class: "note" }, "This launch was stopped. Every number counts up to that moment."));
  },
});
