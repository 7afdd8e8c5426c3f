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
  return h("li", {}, h("b", {}, finding.title.charAt(0).toUpperCase() + finding.title.slice(1)), finding.kind ? h("span", { class: "soft" }, finding.kind === "defect" ? " · a defect of the kernel" : " · a limit of the machine") : null,
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
// In the colours of the states of warps; `issue` is a warp's state `selected`.
const causeColour = (name) => (name === "no_warp" ? "var(--line)" : reasonColour(name === "issue" ? "selected" : name));
const causeName = (name) => (name === "no_warp" ? "no warps" : reasonName(name));
const causeText = (name) => ({ issue: "Cycles in which a sub-core issues an instruction.", no_warp: "Cycles without warps: the launch, SMs without blocks, the tail of the grid." })[name] || reasonText(name);
function causeParts(stack) {
  return stack.parts.filter((p) => p.cycles > 0).map((p) => ({ name: causeName(p.name), value: p.cycles, colour: causeColour(p.name), text: causeText(p.name) }));
}
views.push({
  id: "advice", title: "Advice",
  lead: "Each cost was measured: the kernel ran again with that one mechanism gone, and the difference counts. Costs overlap, so they do not sum to the whole. Defects of the kernel come first, then limits of the machine that it reaches. A defect that costs little beside a limit stands among these.",
  applies: (context) => Boolean(explanationOf(context)),
  draw(root, context) {
    const found = explanationOf(context);
    root.append((found.advice || []).length ? h("ol", { class: "advice" }, found.advice.map((finding) => adviceItem(finding, found.cycles))) : h("p", {}, "No mechanism that was tried costs enough to be worth advice."));
    if ((found.seen || []).length) root.append(h("h3", {}, "Seen in the counters, but saves too little alone"), h("ul", { class: "advice" }, found.seen.map((finding) => adviceItem(finding, found.cycles))));
    const stack = found.cpi_stack;
    if (stack && (stack.parts || []).length) root.append(h("h3", {}, `Cycles by cause (${plain(stack.cycles)} cycles)`), stackBar("Cycles by cause", causeParts(stack), stack.cycles, "cycles"),
      simpleTable("Cycles by cause", ["Cause", { text: "Cycles", n: true }, { text: "Share", n: true }, { text: "Cycles per instruction", n: true }], stack.parts.map((p) => [h("span", { "data-tip": causeText(p.name) }, causeName(p.name)), plain(Math.round(p.cycles)), percentText(percent(p.cycles, stack.cycles)), (p.cycles_per_instruction || 0).toFixed(3)])));
    const tried = (found.switches || []).filter((c) => c.run || c.failure), untouched = (found.switches || []).filter((c) => !c.run && !c.failure);
    if (tried.length) root.append(h("h3", {}, "Every mechanism that was tried"), untouched.length ? h("p", { class: "soft" }, `Not tried, because this kernel counts nothing of theirs: ${untouched.map((c) => c.what).join(", ")}.`) : null, makeTable({ caption: "Mechanisms", rows: tried, search: (c) => c.key + " " + c.what, sort: { id: "saved", down: true }, columns: [
      { id: "what", title: "Without", value: (c) => c.what, show: (c) => h("span", { "data-tip": c.key }, c.what), wrap: true }, { id: "cycles", title: "Cycles", number: true, value: (c) => c.cycles }, { id: "saved", title: "Saved", number: true, value: (c) => c.saved },
      { id: "pct", title: "Share", value: (c) => c.saved_pct, show: (c) => (c.failure ? c.failure : shareBar(c.saved_pct, c.what)) }] }));
    if ((found.pairs || []).length) root.append(h("h3", {}, "Where costs overlap"), simpleTable("Pairs", ["Together", { text: "Saved together", n: true }, { text: "Sum of both alone", n: true }, "Effect"], found.pairs.map((p) => [p.keys.map((key) => (found.switches.find((c) => c.key === key) || { what: key }).what).join(" and "), plain(p.saved), plain(p.saved_apart), p.effect])));
    for (const note of context.run.explain.notes || []) root.append(h("p", { class: "note" }, note));
  },
});
