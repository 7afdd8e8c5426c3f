// SPDX-License-Identifier: Apache-2.0
// Work against traffic, under the peaks of the configuration. Operations are counted from the PTX that threads carried out.
const wideTypes = { f16x2: ["fp16", 2], bf16x2: ["fp16", 2], f32x2: ["fp32", 2], f16: ["fp16", 1], bf16: ["fp16", 1], f32: ["fp32", 1], f64: ["fp64", 1] };
const matrixKinds = { f16: "mma_half", bf16: "mma_half", s8: "mma_int8", u8: "mma_int8", tf32: "mma_tf32", f64: "mma_fp64", e4m3: "mma_fp8", e5m2: "mma_fp8" };
const kindNames = { fp32: "FP32", fp64: "FP64", fp16: "FP16 and BF16", mma_half: "matrix FP16 and BF16", mma_int8: "matrix INT8", mma_tf32: "matrix TF32", mma_fp64: "matrix FP64", mma_fp8: "matrix FP8" };
// {kind, operations} of a line of result.json; null for what is not arithmetic of floating point or matrices.
function operationsOf(line) {
  const words = (line.ptx || "").split("."), head = words[0];
  if (head === "mma" || head === "wgmma" || head === "wmma") {
    const shape = words.map((w) => /^m(\d+)n(\d+)k(\d+)$/.exec(w)).find(Boolean);
    if (!shape || (head !== "wgmma" && words[1] !== "mma" && head === "wmma")) return null;
    const types = words.filter((w) => /^(f16|bf16|tf32|f32|f64|s8|u8|s32|e4m3|e5m2)$/.test(w));
    const kind = matrixKinds[head === "wgmma" || types.length === 4 ? types[1] : types.length > 2 ? types[1] : "f16"];
    if (!kind) return null;
    const each = 2 * shape[1] * shape[2] * shape[3];
    return { kind, operations: (line.inst_executed * each) / (head === "wgmma" ? 4 : 1) };
  }
  const each = { add: 1, sub: 1, mul: 1, fma: 2, mad: 2 }[head];
  const type = wideTypes[words[words.length - 1]];
  return each && type ? { kind: type[0], operations: line.thread_inst_executed * each * type[1] } : null;
}
function operationsByKind(kernel) {
  const sums = new Map();
  for (const line of kernel.lines || []) {
    const found = operationsOf(line);
    if (found && found.operations > 0) sums.set(found.kind, (sums.get(found.kind) || 0) + found.operations);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}
const sectorBytes = 32;
function trafficByLevel(get) {
  const sum = (names) => names.reduce((total, name) => total + (get(name) || 0), 0);
  const l1 = ["global_op_ld", "global_op_st", "local_op_ld", "local_op_st"].map((op) => `l1tex__t_sectors_pipe_lsu_mem_${op}.sum`);
  return [{ id: "l1", name: "L1", bytes: sectorBytes * sum(l1), text: "Sectors of global and local accesses that the L1 looked up, 32 bytes each." },
    { id: "l2", name: "L2", bytes: sectorBytes * sum(["lts__t_sectors_srcunit_tex.sum"]), text: "Sectors that the SMs asked L2 for, 32 bytes each." },
    { id: "dram", name: "DRAM", bytes: sum(["dram__bytes.sum"]), text: "Bytes read from DRAM and written to it." }].filter((level) => level.bytes > 0);
}
const dotSizes = { l1: 9, l2: 6.5, dram: 4 };  // points of levels with equal traffic lie on one another
const slopeWidths = { l1: 6, l2: 3.5, dram: 2 };  // and slopes of equal bandwidths
const levelColours = { l1: "#009e73", l2: "var(--l2)", dram: "#d55e00" };

views.push({
  id: "roofline", title: "Roofline",
  lead: "How much work was done for each byte, and how fast: a launch can be no higher than the roof above it. Slopes are bandwidths of the configuration, flat parts its rates. Each level of memory has a point of its own; below its slope by much means that neither this bandwidth nor this rate was the limit.",
  applies: (context) => Boolean(context.kernel && context.run.hardware && context.m("gpu__time_duration.sum") > 0),
  draw(root, context) {
    const hardware = context.run.hardware, cards = h("div", { class: "cards wide" });
    const rate = (id) => hardware.rates.find((r) => r.id === id);
    const kinds = operationsByKind(context.kernel), flops = kinds.reduce((sum, [, n]) => sum + n, 0);
    const chart = (title, unit, work, peaks, per, workOfBase, explain) => {
      const seconds = context.m("gpu__time_duration.sum") * 1e-9, levels = trafficByLevel(context.m);
      if (!levels.length || !(work > 0)) return;
      const y = work / seconds, dots = [], lines = [], rows = [], shares = [];
      for (const level of levels) {
        const x = work / (level.bytes / per);
        dots.push({ name: level.name, x, y, size: dotSizes[level.id], colour: levelColours[level.id], text: `${level.name}: ${brief(x)} ${unit} for each ${per === 1 ? "byte" : "sector"}, ${brief(y)} ${unit} a second. ${level.text}` });
      }
      if (context.baseKernel && workOfBase > 0 && context.base("gpu__time_duration.sum") > 0)
        for (const level of trafficByLevel(context.base)) {
          const by = workOfBase / (context.base("gpu__time_duration.sum") * 1e-9), x = workOfBase / (level.bytes / per);
          dots.push({ name: level.name + ", baseline", x, y: by, size: dotSizes[level.id], colour: levelColours[level.id], hollow: true, text: `${level.name} of the baseline: ${brief(x)} ${unit} for each ${per === 1 ? "byte" : "sector"}, ${brief(by)} ${unit} a second.` });
        }
      const top = Math.max(...peaks.map((p) => p.operations_per_s));
      const ridge = levels.map((level) => top / (hardware.bandwidths.find((b) => b.id === level.id).bytes_per_s / per));
      const low = Math.min(...dots.map((d) => d.x), ...ridge) / 4, high = Math.max(...dots.map((d) => d.x), ...ridge) * 4;
      for (const level of levels) {
        const bandwidth = hardware.bandwidths.find((b) => b.id === level.id), slope = bandwidth.bytes_per_s / per;
        lines.push({ name: `${level.name} ${brief(bandwidth.bytes_per_s)}B/s`, colour: levelColours[level.id], width: slopeWidths[level.id], points: [[low, low * slope], [top / slope, top]], text: `${level.name}: ${brief(bandwidth.bytes_per_s)} bytes a second, from ${bandwidth.from}` });
        const x = work / (level.bytes / per), roof = Math.min(top, x * slope);
        shares.push({ share: percent(y, roof), of: roof === top ? `the rate of ${peaks[0].name}` : `the bandwidth of ${level.name}` });
        rows.push([level.name, h("span", { "data-tip": level.text }, bytesText(level.bytes)), brief(x), brief(roof), brief(y), percentText(percent(y, roof))]);
      }
      const nearest = shares.sort((a, b) => b.share - a.share)[0];
      const verdict = `${percentText(nearest.share)} of the nearest roof is reached, which is ${nearest.of}` +
        (nearest.share < 30 ? ". None of the bandwidths and rates in this picture limits the launch: see what warps waited for." : ".");
      peaks.forEach((peak, i) => lines.push({ name: `${peak.name} ${brief(peak.operations_per_s)}/s`, colour: "var(--ink)", dash: i ? "6 4" : null, points: [[low, peak.operations_per_s], [high, peak.operations_per_s]], text: `${peak.name}: ${brief(peak.operations_per_s)} a second, from ${peak.from}` }));
      cards.append(h("div", {}, h("h3", {}, title), logChart({ caption: `${title}: ${rows.length} levels of memory`, x: `${unit} for each ${per === 1 ? "byte" : "32-byte sector"}`, y: `${unit} a second`, lines, dots }),
        h("p", {}, verdict), explain ? h("p", { class: "soft" }, explain) : null,
        simpleTable(title, ["Level", { text: "Traffic", n: true }, { text: per === 1 ? "For a byte" : "For a sector", n: true }, { text: "Roof there", n: true }, { text: "Reached", n: true }, { text: "Of roof", n: true }], rows)));
    };
    if (flops > 0) {
      const peaks = kinds.map(([kind]) => rate(kind)).filter(Boolean).sort((a, b) => b.operations_per_s - a.operations_per_s);
      const without = kinds.filter(([kind]) => !rate(kind)).map(([kind]) => kindNames[kind]);
      const counted = kinds.map(([kind, n]) => `${brief(n)} ${kindNames[kind]}`).join(", ");
      if (peaks.length) chart("Arithmetic", "operations", flops, peaks, 1, operationsByKind(context.baseKernel || {}).reduce((sum, [, n]) => sum + n, 0),
        `Counted: ${counted}. A multiply-add is two; divisions, roots and the like are not counted.` + (without.length ? ` The configuration gives no single rate for ${without.join(", ")}.` : ""));
    }
    chart("Warp instructions", "warp instructions", context.m("smsp__inst_executed.sum"), [rate("issue")], sectorBytes, context.base("smsp__inst_executed.sum"),
      flops > 0 ? "" : "This kernel has no floating-point or matrix arithmetic that the page counts, so its instructions are shown.");
    root.append(cards);
  },
});
