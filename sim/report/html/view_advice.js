// SPDX-License-Identifier: Apache-2.0
// What `gpuloom explain` measured: what each mechanism cost, by running the kernel again without it.
function explanationOf(context) {
  const list = (context.run.explain && context.run.explain.kernels) || [], index = kernelsOf(context.run).indexOf(context.kernel);
  const found = list[index] && context.kernel && list[index].name === context.kernel.name ? list[index] : null;
  // Of this launch, or of none: its cycles are known.
  return found && found.cycles === context.m("sm__cycles_elapsed.max") ? found : null;
}
function adviceItem(finding, whole) {
  const places = [...new Map((finding.lines || []).map((l) => [`${l.file}:${l.line}`, l])).entries()];
  return h("li", {}, h("b", {}, finding.title),
    finding.saved > 0 ? [meter(percent(finding.saved, whole), undefined, `${percentText(percent(finding.saved, whole))} of the cycles`, "rgb(var(--heat))"),
      h("p", { class: "soft" }, `${plain(finding.saved)} of ${plain(whole)} cycles (${percentText(percent(finding.saved, whole))}); without it ${plain(finding.predicted_cycles)}` + (finding.speedup ? `, ${finding.speedup.toFixed(2)} times as fast.` : "."))]
      : h("p", { class: "soft" }, `${plain(finding.predicted_cycles)} cycles without it, ${plain(whole)} with it: other waits take its place.`),
    finding.remedy ? h("p", {}, h("b", {}, "What to do: "), finding.remedy) : null,
    places.length ? h("p", {}, h("b", {}, "Where: "), places.map(([place, l], i) => [i ? ", " : "", lineLink(place), l.share_pct ? ` (${percentText(l.share_pct)})` : ""])) : null,
    h("details", {}, h("summary", {}, "Evidence, confidence, how to check"),
      (finding.evidence || []).length ? simpleTable("Evidence", ["Fact", { text: "Value", n: true }, "Unit"], finding.evidence.map((e) => [e.fact, plain(e.value), e.unit])) : null,
      finding.confidence ? h("p", {}, `Confidence: ${finding.confidence.level}` + (finding.confidence.model_error_pct !== null && finding.confidence.model_error_pct !== undefined ? `, the model is ${plain(finding.confidence.model_error_pct)} % off there (${finding.confidence.from})` : "")) : null,
      finding.check ? h("p", {}, "To check: " + finding.check) : null, finding.source ? h("p", { class: "soft" }, "Source: " + finding.source) : null,
      (finding.switches || []).length ? h("p", { class: "soft" }, "Measured with ", finding.switches.map((key, i) => [i ? ", " : "", h("code", {}, key)])) : null));
}
// A colour of its own for each of the largest parts; what is small shares one.
function causeParts(stack) {
  const large = stack.parts.filter((p) => p.cycles > 0 && p.name !== "no_warp").sort((a, b) => b.cycles - a.cycles).slice(0, series.length);
  const colour = (p) => p.name === "no_warp" ? "var(--line)" : large.includes(p) ? series[large.indexOf(p)] : "var(--soft)";
  return stack.parts.filter((p) => p.cycles > 0).map((p) => ({ name: p.name, value: p.cycles, colour: colour(p) }));
}
views.push({
  id: "advice", title: "Advice",
  lead: "Each cost was measured: the kernel ran again with that one mechanism gone, and the difference counts. Costs overlap, so they do not sum to the whole.",
  applies: (context) => Boolean(explanationOf(context)),
  draw(root, context) {
    const found = explanationOf(context);
    root.append((found.advice || []).length ? h("ol", { class: "advice" }, found.advice.map((finding) => adviceItem(finding, found.cycles))) : h("p", {}, "No mechanism that was tried costs enough to be worth advice."));
    if ((found.seen || []).length) root.append(h("h3", {}, "Seen in the counters, but saves too little alone"), h("ul", { class: "advice" }, found.seen.map((finding) => adviceItem(finding, found.cycles))));
    const stack = found.cpi_stack;
    if (stack && (stack.parts || []).length) root.append(h("h3", {}, `Cycles by cause (${plain(stack.cycles)} cycles)`), stackBar("Cycles by cause", causeParts(stack), stack.cycles, "cycles"),
      simpleTable("Cycles by cause", ["Cause", { text: "Cycles", n: true }, { text: "Share", n: true }, { text: "Cycles per instruction", n: true }], stack.parts.map((p) => [p.name, plain(p.cycles), percentText(percent(p.cycles, stack.cycles)), plain(p.cycles_per_instruction)])));
    if ((found.switches || []).length) root.append(h("h3", {}, "Every mechanism that was tried"), makeTable({ caption: "Mechanisms", rows: found.switches, search: (c) => c.key + " " + c.what, sort: { id: "saved", down: true }, columns: [
      { id: "what", title: "Without", value: (c) => c.what, show: (c) => h("span", { "data-tip": c.key }, c.what), wrap: true }, { id: "cycles", title: "Cycles", number: true, value: (c) => c.cycles }, { id: "saved", title: "Saved", number: true, value: (c) => c.saved },
      { id: "pct", title: "Share", value: (c) => c.saved_pct, show: (c) => (c.failure ? c.failure : [percentText(Math.max(0, c.saved_pct || 0)), meter(c.saved_pct || 0, undefined, c.what)]) }] }));
    if ((found.pairs || []).length) root.append(h("h3", {}, "Where costs overlap"), simpleTable("Pairs", ["Together", { text: "Saved together", n: true }, { text: "Sum of both alone", n: true }, "Effect"], found.pairs.map((p) => [p.keys.join(" and "), plain(p.saved), plain(p.saved_apart), p.effect])));
    for (const note of context.run.explain.notes || []) root.append(h("p", { class: "note" }, note));
  },
});
