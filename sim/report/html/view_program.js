// SPDX-License-Identifier: Apache-2.0
// A whole program: its kernels, its copies, every launch in a table that stays quick, and streams over time.
const micros = (ns) => (ns / 1e3).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const launchesOf = (context) => (context.result && context.result.launch_table) || null;
// Copies and fills beside the launches: without them a stream would look idle while it copies.
function streamPicture(result, table, pick) {
  const at = (name) => table.columns.indexOf(name), label = (row) => shortKernel({ name: table.kernels[row[at("kernel")]] });
  const launches = table.rows.map((row) => ({ row, kind: label(row), name: "launch " + row[at("launch")], stream: row[at("stream")], start_ns: row[at("start_ns")], end_ns: row[at("end_ns")] }));
  const copies = (result.transfers || []).map((t) => ({ ...t, name: `${plain(t.bytes)} bytes${t.pageable ? ", pageable" : ""}` }));
  const work = [...launches, ...copies];
  return workPicture(work, [...new Set(work.map((w) => w.kind))], { least: result.simulated_ns || 0, pick: (w) => w.row && pick(w.row) });
}
views.push({
  id: "program", title: "Program",
  lead: "Launches and copies of a whole program in simulated time. A launch with metrics of its own can be opened: its number in the table is a button, and the other views then show it.",
  applies: (context) => Boolean(launchesOf(context)),
  draw(root, context) {
    const result = context.result, table = launchesOf(context), at = (name) => table.columns.indexOf(name);
    const [whole, unit] = timeText(result.simulated_ns || 0);
    root.append(h("div", { class: "tiles" }, [["Simulated time", whole, unit], ["Launches", plain(table.count), ""], ["Kernels", plain((result.summary || []).length), ""], ["Launches in time", plain((result.summary || []).reduce((n, k) => n + k.timed, 0)), ""], ...(result.metrics ? programTiles(result.metrics) : [])]
      .map(([what, value, u]) => h("div", { class: "tile" }, h("div", { class: "what" }, what), h("div", { class: "value" }, value, " ", h("span", { class: "unit" }, u))))));
    if (result.ended && !["exit", "normally"].includes(result.ended)) root.append(h("p", { class: "note" }, "How the program ended: " + result.ended));
    const all = (result.summary || []).reduce((sum, k) => sum + k.total_ns, 0);
    root.append(h("h3", {}, "Kernels"), makeTable({ caption: "Kernels", rows: result.summary || [], search: (k) => k.demangled || k.name, sort: { id: "total", down: true }, columns: [
      { id: "name", title: "Kernel", value: (k) => k.demangled || k.name, show: (k) => h("code", { "data-tip": k.demangled || k.name }, shortKernel(k)) }, { id: "launches", title: "Launches", number: true, value: (k) => k.launches }, { id: "timed", title: "In time", number: true, value: (k) => k.timed },
      ...((result.summary || []).some((k) => k.faulted) ? [{ id: "faulted", title: "Ended in a fault", number: true, value: (k) => k.faulted || 0 }] : []),
      { id: "total", title: "Total, µs", number: true, value: (k) => k.total_ns, show: (k) => micros(k.total_ns) }, { id: "least", title: "Least, µs", number: true, value: (k) => k.least_ns, show: (k) => micros(k.least_ns) }, { id: "most", title: "Most, µs", number: true, value: (k) => k.most_ns, show: (k) => micros(k.most_ns) },
      { id: "instructions", title: "Warp instructions", number: true, value: (k) => k.warp_instructions }, { id: "share", title: "Share of time", value: (k) => k.total_ns, show: (k) => [percentText(percent(k.total_ns, all)), meter(percent(k.total_ns, all), undefined, percentText(percent(k.total_ns, all)))] }] }));
    if ((result.copies || []).length) root.append(h("h3", {}, "Copies and fills"), simpleTable("Copies", ["Kind", { text: "Count", n: true }, { text: "Bytes", n: true }, { text: "Time, µs", n: true }, { text: "Bytes a second", n: true }],
      result.copies.map((c) => [c.kind, plain(c.count), plain(c.bytes), micros(c.total_ns), c.total_ns ? brief((c.bytes / c.total_ns) * 1e9) : ""])));
    const details = new Map(kernelsOf(context.run).map((k, i) => [k.launch, i]));
    const pick = (row) => { const i = details.get(row[at("launch")]); if (i === undefined) return; shownState.kernel = i; draw(); document.getElementById("summary").scrollIntoView(); };
    if (table.rows.length || (result.transfers || []).length) root.append(h("h3", {}, "Streams over time"), streamPicture(result, table, pick));
    const name = (row) => table.kernels[row[at("kernel")]];
    const columns = [
      { id: "launch", title: "Launch", number: true, value: (r) => r[at("launch")], show: (r) => (details.has(r[at("launch")]) ? h("button", { type: "button", onclick: () => pick(r), "aria-label": "Show launch " + r[at("launch")] }, plain(r[at("launch")])) : plain(r[at("launch")])) },
      { id: "kernel", title: "Kernel", value: name, show: (r) => h("code", { "data-tip": name(r) }, shortKernel({ name: name(r) })) }, { id: "grid", title: "Grid", value: (r) => r[at("grid")] }, { id: "block", title: "Block", value: (r) => r[at("block")] },
      { id: "stream", title: "Stream", number: true, value: (r) => r[at("stream")] }, { id: "start", title: "Start, µs", number: true, value: (r) => r[at("start_ns")], show: (r) => micros(r[at("start_ns")]) },
      { id: "took", title: "Took, µs", number: true, value: (r) => r[at("end_ns")] - r[at("start_ns")], show: (r) => micros(r[at("end_ns")] - r[at("start_ns")]) }, { id: "instructions", title: "Warp instructions", number: true, value: (r) => r[at("warp_instructions")] },
      ...table.metrics.map((metricName, i) => ({ id: metricName, title: labelOf(metricName), tip: definition(metricName).text, number: true, value: (r) => r[table.columns.length + i], show: (r) => { const v = r[table.columns.length + i]; return v === null || v === undefined ? "" : plain(v); } }))];
    root.append(h("h3", {}, "Launches"), makeTable({ caption: "Launches", rows: table.rows, columns, search: (r) => `${r[at("launch")]} ${name(r)} ${r[at("grid")]} ${r[at("block")]} stream ${r[at("stream")]}`, picked: (r) => context.kernel && context.kernel.launch === r[at("launch")] }));
    for (const note of table.notes || []) root.append(h("p", { class: "note" }, note));
  },
});
