// SPDX-License-Identifier: Apache-2.0
// Definitions on hover and on keyboard focus: [data-metric] is a metric of the launch shown, [data-tip] says what to show.
function tipOf(element) {
  if (element.dataset.tip) return [element.dataset.tip];
  const name = element.dataset.metric, context = currentContext(), info = definition(name);
  const found = context.kernel && context.kernel.metrics && context.kernel.metrics[name];
  const lines = [h("b", {}, name)];
  if (found) lines.push(h("div", {}, plain(found.value), " ", found.unit || info.unit));
  if (info.text) lines.push(h("div", {}, info.text));
  const base = context.base(name);
  if (base !== undefined) lines.push(h("div", { class: "more" }, `baseline: ${plain(base)} (${change(context.m(name), base)})`));
  if (found && found.basis !== "machine")
    lines.push(h("div", { class: "more" }, found.basis === "ptx" ? "Counts PTX instructions." : "Silicon has no counterpart of this number."));
  return lines;
}
function startTips() {
  const tip = document.getElementById("tip");
  const show = (element) => {
    tip.replaceChildren(...tipOf(element));
    tip.hidden = false;
    const at = element.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const below = at.bottom + 8 + own.height < innerHeight;
    tip.style.left = Math.max(6, Math.min(at.left, innerWidth - own.width - 8)) + "px";
    tip.style.top = Math.max(4, below ? at.bottom + 8 : at.top - own.height - 8) + "px";
  };
  const hide = () => { tip.hidden = true; };
  for (const [begin, end] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
    document.addEventListener(begin, (event) => {
      const element = event.target.closest && event.target.closest("[data-metric], [data-tip]");
      if (element) show(element); else hide();
    });
    document.addEventListener(end, hide);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", hide, true);
}
