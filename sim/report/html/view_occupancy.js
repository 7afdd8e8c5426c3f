// SPDX-License-Identifier: Apache-2.0
// How many warps an SM could hold, what limits them, how many it held; and what another block size or register count would give.
const limiters = [["registers", "launch__occupancy_limit_registers", "Registers"], ["shared memory", "launch__occupancy_limit_shared_mem", "Shared memory"], ["warps", "launch__occupancy_limit_warps", "Warps"],
  ["blocks", "launch__occupancy_limit_blocks", "Blocks"], ["barriers", "launch__occupancy_limit_barriers", "Barriers"]];
// A step line of a curve of the calculator, with the launch's own place.
function curveChart(curve) {
  const width = 420, height = 190, left = 50, right = 18, top = 10, bottom = 38, points = curve.points;
  const high = Math.max(...points.map((p) => p[0]));
  const px = (x) => left + ((width - left - right) * x) / high, py = (y) => height - bottom - ((height - top - bottom) * y) / 100;
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Theoretical occupancy by ${curve.name}; now ${curve.now} ${curve.unit}`, style: "width:100%;max-width:560px" });
  for (const t of [0, 25, 50, 75, 100]) picture.append(s("path", { class: "grid", d: `M${left} ${py(t)}H${width - right}` }), s("text", { class: "soft", x: left - 6, y: py(t) + 4, "text-anchor": "end" }, t + " %"));
  for (const t of ticks(high).filter((t) => t <= high)) picture.append(s("text", { class: "soft", x: px(t), y: height - bottom + 15, "text-anchor": "middle" }, brief(t)));
  let path = "";
  points.forEach((p, i) => { path += i ? `H${px(p[0]).toFixed(1)}V${py(p[2]).toFixed(1)}` : `M${px(p[0]).toFixed(1)} ${py(p[2]).toFixed(1)}`; });
  picture.append(s("path", { d: path, fill: "none", stroke: "var(--bar)", "stroke-width": 2 }), s("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, `${curve.name} (${curve.unit})`));
  const now = points.filter((p) => p[0] <= curve.now).pop() || points[0];
  picture.append(s("circle", { cx: px(curve.now), cy: py(now[2]), r: 5, fill: "rgb(var(--heat))", tabindex: 0, "data-tip": `This launch: ${curve.now} ${curve.unit}, ${now[1]} blocks on an SM, ${percentText(now[2])}` }));
  return picture;
}
views.push({
  id: "occupancy", title: "Occupancy",
  lead: "Warps on an SM, of the most that it can hold. The theoretical value follows from the launch alone; the achieved one is the mean over cycles in which the SM had work.",
  applies: (context) => context.kernel && context.m("sm__maximum_warps_per_active_cycle_pct") !== undefined,
  draw(root, context) {
    const pairs = [["sm__maximum_warps_per_active_cycle_pct", "Theoretical"], ["sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved"]].filter(([n]) => context.m(n) !== undefined);
    const binding = context.kernel.limiters || [];
    const known = limiters.filter(([, name]) => context.m(name) !== undefined);
    const most = Math.max(...known.map(([, name]) => context.m(name)), 1);
    root.append(h("div", { class: "split" },
      h("div", {}, h("h3", {}, "Warps on an SM"), simpleTable("Occupancy", ["", { text: "Occupancy", n: true }, "", { text: "Warps", n: true }, { text: context.baseKernel ? "Baseline" : "", n: true }], pairs.map(([name, title]) => [title, metric(context, name, percentText), meter(context.m(name), context.base(name), title),
        cell(context, title === "Achieved" ? "sm__warps_active.avg.per_cycle_active" : "sm__maximum_warps_avg_per_active_cycle"), context.base(name) === undefined ? "" : percentText(context.base(name))]))),
      h("div", {}, h("h3", {}, "Blocks that fit on an SM, by what limits them"), simpleTable("Limits", ["Limit", { text: "Blocks", n: true }, "", ""], known.map(([id, name, title]) => [title, metric(context, name), meter(percent(context.m(name), most), undefined, title, binding.includes(id) ? "rgb(var(--heat))" : ""), binding.includes(id) ? h("b", {}, "limits this launch") : ""])))));
    const facts = ["launch__registers_per_thread", "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic", "launch__shared_mem_config_size", "launch__waves_per_multiprocessor", "launch__cluster_size"].filter((n) => context.m(n) !== undefined);
    root.append(h("h3", {}, "What the launch takes"), simpleTable("Resources", ["", { text: "Value", n: true }, "Unit"], facts.map((n) => [labelOf(n), metric(context, n), definition(n).unit])));
    const curves = (context.run.occupancy || [])[shownState.kernel];
    if (curves && curves.length) root.append(h("h3", {}, "If the launch were another"), h("p", { class: "soft" }, "Theoretical occupancy as one number changes and the others stay. The dot is this launch."), h("div", { class: "cards" }, curves.map(curveChart)));
  },
});
