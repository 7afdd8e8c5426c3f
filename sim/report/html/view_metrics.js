// SPDX-License-Identifier: Apache-2.0
// Every metric with unit, definition and, where there is one, the baseline's value.
views.push({
  id: "metrics", title: "All metrics", applies: (context) => context.kernel && Object.keys(context.kernel.metrics || {}).length > 0,
  lead: "Every number of result.json. Names are those of Nsight Compute; sim__ stands for what it does not have.",
  draw(root, context) {
    const rows = Object.entries(context.kernel.metrics).map(([name, m], place) => ({ name, place, value: m.value, unit: m.unit, text: definition(name).text, label: labelOf(name), base: context.base(name) }));
    const columns = [
      { id: "name", title: "Metric", value: (r) => r.name, show: (r) => h("code", {}, r.name) },
      { id: "value", title: "Value", number: true, value: (r) => r.value, show: (r) => h("span", { "data-metric": r.name }, plain(r.value)) },
      { id: "unit", title: "Unit", value: (r) => r.unit }];
    if (context.baseKernel) columns.push({ id: "base", title: "Baseline", number: true, value: (r) => r.base, show: (r) => (r.base === undefined ? "" : plain(r.base)) },
      { id: "change", title: "Change", number: true, value: (r) => (r.base === undefined || r.base === r.value ? 0 : Math.abs((r.value - r.base) / (r.base || 1e-9))), show: (r) => change(r.value, r.base) });
    columns.push({ id: "text", title: "Definition", value: (r) => r.text, wrap: true });
    root.append(makeTable({ columns, rows, caption: "All metrics", search: (r) => r.name + " " + r.label + " " + r.text }));
  },
});
