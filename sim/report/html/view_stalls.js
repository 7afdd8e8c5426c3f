// SPDX-License-Identifier: Apache-2.0
// Where the time of warps and of issue slots went. Each bar sums to its whole; what the parts leave would be a row of its own.
function stallParts(context, base) {
  const get = base ? context.base : context.m, parts = [];
  const kernel = base ? context.baseKernel : context.kernel;
  for (const name of Object.keys((kernel && kernel.metrics) || {})) {
    const found = /^smsp__warps_issue_stalled_(\w+)\.sum$/.exec(name);
    if (found) parts.push({ id: found[1], metric: name, name: reasonName(found[1]), value: get(name), colour: reasonColour(found[1]), text: reasonText(found[1]) });
  }
  parts.sort((a, b) => b.value - a.value);
  return { parts, total: get("smsp__warps_active.sum") || 0 };
}
// Issue slots of the launch: sub-cores times elapsed cycles.
function slotParts(context) {
  const { m } = context, hardware = context.run.hardware;
  const issued = m("smsp__issue_active.sum"), active = m("smsp__cycles_active.sum"), elapsed = m("sm__cycles_elapsed.max");
  if (!hardware || issued === undefined || active === undefined || elapsed === undefined) return null;
  const total = elapsed * hardware.sms * hardware.sub_cores;
  return { total, parts: [
    { name: "issued", value: issued, colour: "#009e73", text: "Cycles in which a sub-core issued an instruction." },
    { name: "warps there, none could issue", value: active - issued, colour: "#d55e00", text: "Cycles in which a sub-core held warps and issued nothing." },
    { name: "no warps", value: total - active, colour: "#cfd3d8", text: "Cycles without warps: launch overhead, SMs without blocks, the tail of the grid." }] };
}
views.push({
  id: "stalls", title: "Stalls and CPI",
  lead: "A warp is in exactly one state in every cycle that it is on an SM, so the states sum to all warp-cycles. Divided by the instructions issued, they are the cycles per instruction of a warp (CPI).",
  applies: (context) => context.kernel && stallParts(context).total > 0,
  draw(root, context) {
    const { parts, total } = stallParts(context), known = parts.reduce((sum, p) => sum + p.value, 0);
    const issued = context.m("smsp__inst_issued.sum") || 0;
    if (known !== total) parts.push({ id: "rest", name: "not accounted for", value: total - known, colour: "#000", text: "Warp-cycles that no state has." });
    root.append(h("h3", {}, "Warp-cycles by state"), stackBar("Warp-cycles by state", parts, total, "warp-cycles"));
    let base = null;
    if (context.baseKernel) {
      base = stallParts(context, true);
      if (base.total > 0) root.append(h("h3", {}, "The same of the baseline"), stackBar("Warp-cycles of the baseline", base.parts, base.total, "warp-cycles"));
      else base = null;
    }
    const baseIssued = context.base("smsp__inst_issued.sum");
    const baseOf = (id) => (base.parts.find((p) => p.id === id) || {}).value || 0;
    const cpi = (value, instructions) => (instructions ? (value / instructions).toFixed(3) : "n/a");
    const heads = ["State", { text: "Warp-cycles", n: true }, { text: "Share", n: true }, "", { text: "CPI", n: true, tip: "Cycles of a warp in this state, mean over issued instructions." }];
    if (base) heads.push({ text: "Baseline CPI", n: true }, { text: "Change", n: true });
    const rows = parts.filter((p) => p.value > 0 || (base && baseOf(p.id) > 0)).map((p) => {
      const row = [h("span", { "data-tip": p.text }, h("span", { class: "legend", style: "display:inline;margin:0" }, h("i", { style: `background:${p.colour}` })), p.name),
        p.metric ? metric(context, p.metric) : plain(p.value), percentText(percent(p.value, total)), meter(percent(p.value, total), undefined, percentText(percent(p.value, total)), p.colour), cpi(p.value, issued)];
      if (base) row.push(cpi(baseOf(p.id), baseIssued), change(p.value / issued, baseOf(p.id) / baseIssued));
      return row;
    });
    const sum = [h("b", {}, "All"), metric(context, "smsp__warps_active.sum"), "100 %", "", h("b", {}, cpi(total, issued))];
    if (base) sum.push(cpi(base.total, baseIssued), change(total / issued, base.total / baseIssued));
    rows.push(sum);
    root.append(simpleTable("States of warps", heads, rows));
    const slots = slotParts(context);
    if (slots) root.append(h("h3", {}, "Issue slots"), h("p", { class: "soft" }, `Every sub-core can issue one instruction a cycle: ${plain(slots.total)} slots from launch to the grid's end.`),
      stackBar("Issue slots", slots.parts, slots.total, "slots"));
  },
});
