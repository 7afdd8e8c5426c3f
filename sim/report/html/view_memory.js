// SPDX-License-Identifier: Apache-2.0
// The way of the data: what each level was asked for, and what it had to ask the next one for.
function memoryChart(context) {
  const { m } = context, width = 1060, height = 400;
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Memory chart: traffic between instructions, L1, shared memory, L2 and DRAM. The tables below have the same numbers.", style: "width:100%;max-width:1300px;min-width:760px" });
  const box = (x, y, w, ht, title, busy, lines) => {
    picture.append(s("rect", { class: "box", x, y, width: w, height: ht, rx: 8 }));
    if (busy !== undefined) picture.append(s("rect", { x, y: y + ht * (1 - Math.min(100, busy) / 100), width: w, height: (ht * Math.min(100, busy)) / 100, rx: 8, fill: "rgba(var(--heat), .35)" }));
    picture.append(s("text", { x: x + w / 2, y: y + 22, "text-anchor": "middle", "font-weight": 650, "font-size": 14 }, title));
    lines.forEach(([text, name], i) => picture.append(s("text", { x: x + w / 2, y: y + 44 + 18 * i, "text-anchor": "middle", class: "soft", "data-metric": name || null }, text)));
  };
  const most = Math.max(...["lts__t_sectors_srcunit_tex.sum"].map((n) => sectorBytes * (m(n) || 0)), m("dram__bytes.sum") || 0, sectorBytes * (m("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") || 0), 1);
  // An arrow with what flows above it and how much in bytes; wider where there is more.
  const arrow = (x0, x1, y, text, name, bytes) => {
    const value = m(name), thick = bytes > 0 ? 1.5 + 9 * Math.sqrt(bytes / most) : 1, tip = x1 > x0 ? -8 : 8;
    const group = s("g", { "data-metric": name, opacity: value ? 1 : 0.4 }, s("path", { d: `M${x0} ${y}H${x1 + tip}`, class: "edge", "stroke-width": thick, "stroke-dasharray": value ? null : "3 4" }),
      s("path", { d: `M${x1} ${y}l${tip * 1.4} -${4 + thick / 2}v${8 + thick}z`, fill: "var(--bar)" }),
      s("text", { x: (x0 + x1) / 2, y: y - 6 - thick / 2, "text-anchor": "middle", "font-size": 11.5 }, text));
    picture.append(group);
  };
  const pct = (name) => (m(name) === undefined ? "" : percentText(m(name)));
  const sectors = (name) => `${brief(m(name) || 0)} sectors, ${bytesText(sectorBytes * (m(name) || 0))}`;
  box(10, 20, 120, 360, "Instructions", undefined, [["of the SMs"], [brief(m("smsp__inst_executed.sum")), "smsp__inst_executed.sum"]]);
  box(370, 20, 130, 210, "L1", m("l1tex__throughput.avg.pct_of_peak_sustained_active"), [["hit " + pct("l1tex__t_sector_hit_rate.pct"), "l1tex__t_sector_hit_rate.pct"], ["busy " + pct("l1tex__throughput.avg.pct_of_peak_sustained_active"), "l1tex__throughput.avg.pct_of_peak_sustained_active"]]);
  const conflicts = m("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") || 0;
  box(370, 260, 130, 120, "Shared memory", undefined, [[brief(m("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") || 0) + " wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"], [brief(conflicts) + " conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]]);
  box(690, 20, 130, 360, "L2", m("lts__throughput.avg.pct_of_peak_sustained_elapsed"), [["hit " + pct("lts__t_sector_hit_rate.pct"), "lts__t_sector_hit_rate.pct"], ["busy " + pct("lts__throughput.avg.pct_of_peak_sustained_elapsed"), "lts__throughput.avg.pct_of_peak_sustained_elapsed"],
    ["between halves"], [brief(m("lts__t_sectors_srcunit_ltcfabric.sum") || 0) + " sectors", "lts__t_sectors_srcunit_ltcfabric.sum"]]);
  box(930, 20, 120, 360, "DRAM", m("dram__throughput.avg.pct_of_peak_sustained_elapsed"), [["busy " + pct("dram__throughput.avg.pct_of_peak_sustained_elapsed"), "dram__throughput.avg.pct_of_peak_sustained_elapsed"]]);
  const flow = (x0, x1, y, word, name) => arrow(x0, x1, y, `${word}: ${sectors(name)}`, name, sectorBytes * (m(name) || 0));
  flow(370, 132, 62, "global loads", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  flow(132, 368, 108, "global stores", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  flow(370, 132, 154, "local loads", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum");
  flow(132, 368, 200, "local stores", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum");
  arrow(370, 132, 310, `loads: ${brief(m("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") || 0)} wavefronts`, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0);
  arrow(132, 368, 355, `stores: ${brief(m("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum") || 0)} wavefronts`, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0);
  flow(502, 688, 70, "asked", "lts__t_sectors_srcunit_tex.sum");
  const bytes = (name) => bytesText(m(name) || 0);
  arrow(502, 688, 130, `requests: ${bytes("sim__noc_request_bytes.sum")}`, "sim__noc_request_bytes.sum", m("sim__noc_request_bytes.sum"));
  arrow(690, 504, 190, `replies: ${bytes("sim__noc_reply_bytes.sum")}`, "sim__noc_reply_bytes.sum", m("sim__noc_reply_bytes.sum"));
  if (m("sim__bulk_bytes.sum") > 0) arrow(690, 504, 320, `bulk copies: ${bytes("sim__bulk_bytes.sum")}`, "sim__bulk_bytes.sum", m("sim__bulk_bytes.sum"));
  arrow(930, 822, 150, "read: " + bytes("dram__bytes_read.sum"), "dram__bytes_read.sum", m("dram__bytes_read.sum"));
  arrow(822, 928, 250, "written: " + bytes("dram__bytes_write.sum"), "dram__bytes_write.sum", m("dram__bytes_write.sum"));
  return h("div", { class: "chart" }, picture);
}
const cell = (context, name, show) => (context.m(name) === undefined ? "" : metric(context, name, show));
function memoryTables(context) {
  const row = (title, names, show) => [title, ...names.map((n, i) => cell(context, n, show && show[i]))];
  const number = (text) => ({ text, n: true });
  const lsu = (op) => [`smsp__inst_executed_op_global_${op}.sum`, `l1tex__t_requests_pipe_lsu_mem_global_op_${op}.sum`, `l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`, `l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_${op}.ratio`];
  const tables = h("div", { class: "cards" });
  const ratio = (op) => { const sectorCount = context.m(lsu(op)[2]), requests = context.m(lsu(op)[1]); return requests ? h("span", { "data-tip": definition(lsu(op)[3]).text || "Sectors over requests." }, (sectorCount / requests).toFixed(2)) : ""; };
  tables.append(h("div", {}, h("h3", {}, "L1: global accesses"), simpleTable("L1", ["", number("Instructions"), number("Requests"), number("Sectors"), number("Sectors per request")],
    [["ld", "Loads"], ["st", "Stores"]].map(([op, title]) => [...row(title, lsu(op).slice(0, 3)), ratio(op)]))));
  const wave = (op) => [`smsp__inst_executed_op_shared_${op}.sum`, `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`, `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${op}.sum`];
  tables.append(h("div", {}, h("h3", {}, "Shared memory"), simpleTable("Shared memory", ["", number("Instructions"), number("Wavefronts"), number("Bank conflicts")],
    [...[["ld", "Loads"], ["st", "Stores"]].map(([op, title]) => row(title, wave(op))), ["All", "", cell(context, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), cell(context, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")]])));
  const l2 = [["op_read", "Reads"], ["op_write", "Writes"], ["op_atom", "Atomics"], ["op_red", "Reductions"]].map(([op, title]) => row(title, [`lts__t_sectors_${op}.sum`]));
  const from = [["srcunit_tex", "From the SMs"], ["srcunit_ltcfabric", "From the other half of L2"], ["srcunit_gcc", "Constants and instructions"]].map(([op, title]) => row(title, [`lts__t_sectors_${op}.sum`]));
  tables.append(h("div", {}, h("h3", {}, "L2: sectors by operation and by origin"), simpleTable("L2", ["", number("Sectors")], [...l2, ...from, ["All looked up", cell(context, "lts__t_sectors.sum")], ["Hit", cell(context, "lts__t_sectors_lookup_hit.sum")], ["Missed", cell(context, "lts__t_sectors_lookup_miss.sum")]])));
  tables.append(h("div", {}, h("h3", {}, "DRAM"), simpleTable("DRAM", ["", number("Amount"), number("Bytes a second")],
    [["Bytes read", cell(context, "dram__bytes_read.sum"), cell(context, "dram__bytes_read.sum.per_second", brief)], ["Bytes written", cell(context, "dram__bytes_write.sum"), cell(context, "dram__bytes_write.sum.per_second", brief)],
      ["Row hits", cell(context, "sim__dram_row_hits.sum"), ""], ["Row misses", cell(context, "sim__dram_row_misses.sum"), ""]])));
  return tables;
}
views.push({
  id: "memory", title: "Memory",
  lead: "Traffic stands on the arrows, which are wider where there are more bytes. A box is filled as far as the unit was busy. All sums are over the whole GPU.",
  applies: (context) => context.kernel && context.m("lts__t_sectors.sum") !== undefined,
  draw(root, context) { root.append(memoryChart(context), memoryTables(context)); },
});
