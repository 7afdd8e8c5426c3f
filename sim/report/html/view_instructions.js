// SPDX-License-Identifier: Apache-2.0
// Which instructions, and which pipes they went to.
views.push({
  id: "instructions", title: "Instructions",
  applies: (context) => context.kernel && (Object.keys(context.kernel.opcodes || {}).length > 0 || context.m("sm__inst_executed_pipe_alu.sum") !== undefined),
  draw(root, context) {
    const cards = h("div", { class: "cards" }), kernel = context.kernel;
    const opcodes = Object.entries(kernel.opcodes || {}).map(([name, count]) => ({ name, count }));
    const all = opcodes.reduce((sum, o) => sum + o.count, 0);
    const before = (context.baseKernel && context.baseKernel.opcodes) || null;
    if (opcodes.length) {
      const columns = [{ id: "name", title: "Opcode", value: (o) => o.name, show: (o) => h("code", {}, o.name) }, { id: "count", title: "Warp instructions", number: true, value: (o) => o.count },
        { id: "share", title: "Share", value: (o) => o.count, show: (o) => shareBar(percent(o.count, all), percentText(percent(o.count, all))) }];
      if (before) columns.push({ id: "change", title: "Baseline", number: true, value: (o) => before[o.name] || 0, show: (o) => [plain(before[o.name] || 0), " ", h("span", { class: "soft" }, change(o.count, before[o.name] || 0))] });
      cards.append(h("div", {}, h("h3", {}, "Machine instructions by opcode"), h("p", { class: "soft" }, `${plain(all)} in all, a warp counted once.`),
        makeTable({ columns, rows: opcodes, sort: { id: "count", down: true }, caption: "Opcodes", search: (o) => o.name })));
    }
    const executed = context.m("smsp__inst_executed.sum");
    const pipes = Object.keys(kernel.metrics).map((name) => /^sm__inst_executed_pipe_(\w+)\.sum$/.exec(name)).filter((f) => f && context.m(f[0]) > 0)
      .map((f) => ({ name: f[1], metric: f[0], value: context.m(f[0]) })).sort((a, b) => b.value - a.value);
    if (pipes.length) cards.append(h("div", {}, h("h3", {}, "Warp instructions by pipe"), h("p", { class: "soft" }, "Shares are of all executed instructions. fmaheavy is a part of fma."),
      simpleTable("Pipes", ["Pipe", { text: "Warp instructions", n: true }, { text: "Share", n: true }, ""], pipes.map((p) => [labelOf(p.metric) === p.metric ? p.name : labelOf(p.metric), metric(context, p.metric), percentText(percent(p.value, executed)), meter(percent(p.value, executed), undefined, p.name)]))));
    root.append(cards);
  },
});
