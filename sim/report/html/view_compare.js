// SPDX-License-Identifier: Apache-2.0
// All results of the page side by side: time first, then any metric.
const measures = ["gpu__time_duration.sum", "sm__cycles_elapsed.max", "smsp__inst_executed.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
  "sm__warps_active.avg.pct_of_peak_sustained_active", "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct", "dram__bytes.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "launch__registers_per_thread", "sim__ptx_inst_executed.sum"];
views.push({
  id: "compare", title: "Side by side",
  lead: "Every result of this page. Bars are of the largest in the row.",
  applies: (context) => context.kernel && data.runs.length > 1,
  draw(root, context) {
    const kernels = data.runs.map((run) => (run === context.run ? context.kernel : matching(run, context.kernel, shownState.kernel)));
    const value = (i, name) => { const m = kernels[i] && kernels[i].metrics && kernels[i].metrics[name]; return m ? m.value : undefined; };
    const first = shownState.base >= 0 ? shownState.base : shownState.run;
    const rows = measures.filter((name) => kernels.some((_, i) => value(i, name) !== undefined)).map((name) => {
      const most = Math.max(...kernels.map((_, i) => value(i, name) || 0), 1e-30);
      return [h("span", { "data-tip": `${name}: ${definition(name).text}` }, labelOf(name)), definition(name).unit, ...kernels.map((_, i) => {
        const v = value(i, name);
        return v === undefined ? "" : h("div", {}, plain(v), " ", i === first ? null : h("span", { class: "delta soft" }, change(v, value(first, name))), meter(percent(v, most), undefined, plain(v)));
      })];
    });
    root.append(simpleTable("Results side by side", ["Metric", "Unit", ...data.runs.map((r, i) => ({ text: r.name + (i === first ? " (compared with)" : ""), tip: r.result.provenance.config }))], rows));
    const keys = new Map();
    data.runs.forEach((run, i) => { for (const [key, c] of Object.entries(run.result.provenance.changes || {})) { if (!keys.has(key)) keys.set(key, new Array(data.runs.length).fill(c.from)); keys.get(key)[i] = c.to; } });
    root.append(h("h3", {}, "Configurations"), simpleTable("Configurations", ["Key", ...data.runs.map((r) => r.name)], [["configuration", ...data.runs.map((r) => r.result.provenance.config)], ...[...keys].map(([key, values]) => [h("code", {}, key), ...values])]));
    const names = [...new Set(kernels.flatMap((k) => Object.keys((k && k.metrics) || {})))];
    const columns = [{ id: "name", title: "Metric", value: (n) => n, show: (n) => h("code", { "data-tip": definition(n).text }, n) }, { id: "unit", title: "Unit", value: (n) => definition(n).unit },
      ...data.runs.map((r, i) => ({ id: "r" + i, title: r.name, number: true, value: (n) => value(i, n), show: (n) => (value(i, n) === undefined ? "" : plain(value(i, n))) })),
      { id: "spread", title: "Spread", number: true, tip: "Largest less least, in percent of the largest.", value: (n) => { const v = kernels.map((_, i) => value(i, n)).filter((x) => x !== undefined); const top = Math.max(...v.map(Math.abs)); return top ? (100 * (Math.max(...v) - Math.min(...v))) / top : 0; } }];
    columns[columns.length - 1].show = (n) => percentText(columns[columns.length - 1].value(n));
    root.append(h("h3", {}, "Every metric"), makeTable({ columns, rows: names, caption: "Every metric of all results", search: (n) => n + " " + labelOf(n) + " " + definition(n).text, sort: { id: "spread", down: true } }));
  },
});
