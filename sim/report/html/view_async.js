// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies by the line that issues them: how long they flew, and how much of that warps waited.
views.push({
  id: "async", title: "Asynchronous copies",
  lead: "A copy flies from its issue to its completion. What its block's warps waited meanwhile for copies or mbarriers is not hidden; the rest is.",
  applies: (context) => context.kernel && (context.kernel.async || []).length > 0,
  draw(root, context) {
    const columns = [{ id: "line", title: "Line", value: (a) => a.file + ":" + a.line, show: (a) => lineLink(a.file + ":" + a.line) }, { id: "kind", title: "Kind", value: (a) => a.kind },
      { id: "copies", title: "Copies", number: true, value: (a) => a.copies }, { id: "bytes", title: "Bytes", number: true, value: (a) => a.bytes },
      { id: "mean", title: "Flight, mean", number: true, tip: "Cycles from issue to completion.", value: (a) => a.flight_cycles_mean }, { id: "max", title: "Flight, longest", number: true, tip: "Cycles from issue to completion.", value: (a) => a.flight_cycles_max },
      { id: "waited", title: "Waited", number: true, value: (a) => a.waited_pct, show: (a) => percentText(a.waited_pct) }, { id: "hidden", title: "Hidden", value: (a) => a.overlap_pct, show: (a) => [percentText(a.overlap_pct), meter(a.overlap_pct, undefined, percentText(a.overlap_pct), "#009e73")] }];
    root.append(makeTable({ columns, rows: context.kernel.async, caption: "Asynchronous copies", search: (a) => a.file + ":" + a.line + " " + a.kind }));
  },
});
