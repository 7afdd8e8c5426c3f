// SPDX-License-Identifier: Apache-2.0
// What each warp of an SM does, cycle by cycle: a row a warp slot, a colour a state. Where a living warp has no state it issues.
const timelineRow = 15, timelineLeft = 84;
function timelineChart(timeline) {
  const state = { sm: 0, from: timeline.from, to: Math.min(timeline.to, timeline.from + 2000) }, place = h("div"), least = 50;
  const clamp = (from, length) => {
    const size = Math.max(least, Math.min(length, timeline.to - timeline.from)), begin = Math.max(timeline.from, Math.min(Math.round(from), timeline.to - size));
    state.from = begin;
    state.to = begin + Math.round(size);
  };
  const at = { warp: 0, cycle: state.from };
  // The state of a warp at a cycle, in words.
  const words = (warp, cycle) => {
    const life = warp.lives.find((l) => l[0] <= cycle && cycle < l[1]), slot = `warp slot ${Math.floor(warp.slot / timeline.per_sub_core)}.${warp.slot % timeline.per_sub_core}, cycle ${plain(cycle)}`;
    const found = warp.states.find((s) => s[0] <= cycle && cycle < s[0] + s[1]);
    if (!found) return `${slot}: ${life ? `block ${life[2]} warp ${life[3]} issues` : "no warp"}.`;
    return `${slot}: ${life ? `block ${life[2]} warp ${life[3]}, ` : ""}${reasonName(timeline.reasons[found[2]])} for ${plain(found[1])} cycles${found[3] >= 0 ? `, next ${timeline.operations[found[3]]}` : ""}.`;
  };
  function show() {
    const sm = timeline.sms[state.sm], warps = sm.warps, span = state.to - state.from, seen = new Set();
    const canvas = h("canvas", { height: warps.length * timelineRow, tabindex: 0, role: "img", style: `width:100%;height:${warps.length * timelineRow}px;cursor:crosshair`,
      "aria-label": `States of ${warps.length} warp slots of SM ${sm.sm}, cycles ${plain(state.from)} to ${plain(state.to)}. Arrow keys read single cycles; the view Stalls and CPI has the sums.` });
    const said = h("output", { class: "soft", style: "display:block;min-height:1.4em" });
    const legend = h("div", { class: "legend" });
    const paint = () => {
      canvas.width = Math.max(300, Math.round(canvas.clientWidth || 900));
      const pen = canvas.getContext("2d"), scale = canvas.width / span, x = (cycle) => (cycle - state.from) * scale;
      warps.forEach((warp, row) => {
        const y = row * timelineRow + 1, bar = (from, to, colour) => { if (to > state.from && from < state.to) { pen.fillStyle = colour; pen.fillRect(x(Math.max(from, state.from)), y, Math.max(0.6, x(Math.min(to, state.to)) - x(Math.max(from, state.from))), timelineRow - 2); return true; } return false; };
        for (const life of warp.lives) if (bar(life[0], life[1], reasonColour("selected"))) seen.add("selected");
        for (const s of warp.states) if (bar(s[0], s[0] + s[1], reasonColour(timeline.reasons[s[2]]))) seen.add(timeline.reasons[s[2]]);
      });
      legend.replaceChildren(...[...seen].map((reason) => h("span", { "data-tip": reasonText(reason) }, h("i", { style: `background:${reasonColour(reason)}` }), reason === "selected" ? "issues" : reasonName(reason))));
    };
    const say = () => { said.textContent = words(warps[at.warp], at.cycle); };
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect();
      at.warp = Math.max(0, Math.min(warps.length - 1, Math.floor((event.clientY - box.top) / timelineRow)));
      at.cycle = state.from + Math.max(0, Math.min(span - 1, Math.floor((span * (event.clientX - box.left)) / box.width)));
      say();
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      at.cycle = Math.max(state.from, Math.min(state.to - 1, Math.max(at.cycle, state.from) + step[0]));
      at.warp = Math.max(0, Math.min(warps.length - 1, at.warp + step[1]));
      say();
    });
    const button = (text, label, from, length) => h("button", { type: "button", "aria-label": label, onclick: () => { clamp(from, length); show(); } }, text);
    const middle = (state.from + state.to) / 2;
    const names = h("div", { class: "soft", style: `font-size:.72rem;line-height:${timelineRow}px;text-align:right` }, warps.map((w) => h("div", {}, `${Math.floor(w.slot / timeline.per_sub_core)}.${w.slot % timeline.per_sub_core}`)));
    const marks = ticks(span).filter((t) => t <= span);
    place.replaceChildren(h("div", { class: "row tools" }, timeline.sms.length > 1 ? h("label", {}, "SM ", h("select", { onchange: (event) => { state.sm = Number(event.target.value); show(); } }, timeline.sms.map((one, i) => h("option", { value: i, selected: i === state.sm }, String(one.sm))))) : h("span", {}, `SM ${sm.sm}`),
      button("◂", "earlier", state.from - span / 2, span), h("span", {}, `cycles ${plain(state.from)} to ${plain(state.to)}`), button("▸", "later", state.from + span / 2, span),
      button("＋", "closer", middle - span / 4, span / 2), button("−", "further away", middle - span, span * 2), button("all", "all cycles", timeline.from, timeline.to - timeline.from)),
    legend, h("div", { style: `display:grid;grid-template-columns:${timelineLeft}px minmax(0,1fr);gap:0 .5rem` }, names, canvas, h("span", { class: "soft", style: "font-size:.8rem;text-align:right" }, "cycle"),
      h("div", { style: "position:relative;height:1.3rem", "aria-hidden": "true" }, marks.map((t) => h("span", { class: "soft", style: `position:absolute;left:${((100 * t) / span).toFixed(2)}%;transform:translateX(${t === 0 ? 0 : t > 0.95 * span ? -100 : -50}%);font-size:.8rem` }, plain(state.from + Math.round(t)))))), said);
    requestAnimationFrame(paint);
  }
  show();
  return place;
}
views.push({
  id: "timeline", title: "Timeline",
  lead: "What each warp of a recorded SM does in each cycle. Warp slots are named sub-core.slot.",
  applies: (context) => Boolean(context.run.timelines && context.run.timelines[shownState.kernel] && context.run.timelines[shownState.kernel].sms.some((sm) => sm.warps.length)),
  draw(root, context) {
    const timeline = context.run.timelines[shownState.kernel];
    timeline.sms = timeline.sms.filter((sm) => sm.warps.length);
    if (timeline.left_out) root.append(h("p", { class: "soft" }, `Cycles up to ${plain(timeline.to)}; the launch goes on for ${plain(timeline.left_out)} more.`));
    root.append(timelineChart(timeline));
  },
});
