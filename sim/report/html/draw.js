// SPDX-License-Identifier: Apache-2.0
// Pictures that several views share. All are SVG with a text for those who do not see them.

// One bar whose parts sum to `total`; parts: {name, value, colour, text}. What the parts leave is drawn as a gap and said.
function stackBar(caption, parts, total, unit) {
  const width = 1000, height = 34;
  const shown = parts.filter((part) => part.value > 0);
  const words = shown.map((part) => `${part.name} ${percentText(percent(part.value, total))}`).join(", ");
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${caption}: ${words}`, preserveAspectRatio: "none", style: "width:100%;height:34px" });
  let at = 0;
  for (const part of shown) {
    const size = (width * part.value) / total;
    picture.append(s("rect", { x: at, y: 0, width: Math.max(0.3, size - 0.7), height, fill: part.colour,
      "data-tip": `${part.name}: ${plain(part.value)} ${unit} (${percentText(percent(part.value, total))}). ${part.text || ""}` }));
    at += size;
  }
  return h("div", {}, picture, h("div", { class: "legend" }, shown.filter((part) => part.value / total >= 0.005).map((part) =>
    h("span", { "data-tip": part.text || part.name }, h("i", { style: `background:${part.colour}` }), `${part.name} ${percentText(percent(part.value, total))}`))));
}

// Powers of ten from low to high, at least one decade.
function decades(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.max(first + 1, Math.ceil(Math.log10(high)));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}
// Round numbers from 0 to at least `high`, about five.
function ticks(high) {
  if (!(high > 0)) return [0, 1];
  const step = [1, 2, 2.5, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(high / 4))).find((x) => high / x <= 6) || high;
  return Array.from({ length: Math.ceil(high / step - 1e-9) + 1 }, (_, i) => i * step);
}

// Both axes logarithmic; `quiet`: without a legend. lines: {name, points: [[x, y]...], colour, dash, width, text}; dots: {name, x, y, colour, text, hollow, size}.
function logChart({ caption, x, y, lines, dots, quiet }) {
  const width = 640, height = 350, left = 66, right = 20, top = 14, bottom = 46;
  const xs = [...dots.map((d) => d.x), ...lines.flatMap((l) => l.points.map((p) => p[0]))].filter((v) => v > 0);
  const ys = [...dots.map((d) => d.y), ...lines.flatMap((l) => l.points.map((p) => p[1]))].filter((v) => v > 0);
  const xt = decades(Math.min(...xs), Math.max(...xs)), yt = decades(Math.min(...ys), Math.max(...ys));
  const scale = (ticksOf, from, to) => {
    const low = Math.log10(ticksOf[0]), high = Math.log10(ticksOf[ticksOf.length - 1]);
    return (v) => from + ((to - from) * (Math.log10(v) - low)) / (high - low);
  };
  const px = scale(xt, left, width - right), py = scale(yt, height - bottom, top);
  const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": caption, style: "width:100%;max-width:820px" });
  // Between powers of ten: 2 and 5, with their numbers where there is room for them.
  const between = (ticksOf) => ticksOf.slice(0, -1).flatMap((t) => [2 * t, 5 * t]);
  for (const t of between(xt)) picture.append(s("path", { class: "grid fine", d: `M${px(t)} ${top}V${height - bottom}` }), xt.length < 5 ? s("text", { class: "soft fine", x: px(t), y: height - bottom + 16, "text-anchor": "middle" }, brief(t)) : "");
  for (const t of between(yt)) picture.append(s("path", { class: "grid fine", d: `M${left} ${py(t)}H${width - right}` }), yt.length < 5 ? s("text", { class: "soft fine", x: left - 7, y: py(t) + 4, "text-anchor": "end" }, brief(t)) : "");
  for (const t of xt) picture.append(s("path", { class: "grid", d: `M${px(t)} ${top}V${height - bottom}` }), s("text", { class: "soft", x: px(t), y: height - bottom + 16, "text-anchor": "middle" }, brief(t)));
  for (const t of yt) picture.append(s("path", { class: "grid", d: `M${left} ${py(t)}H${width - right}` }), s("text", { class: "soft", x: left - 7, y: py(t) + 4, "text-anchor": "end" }, brief(t)));
  picture.append(s("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
    s("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, x),
    s("text", { x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, y));
  const clip = "clip" + Math.random().toString(36).slice(2);
  picture.append(s("clipPath", { id: clip }, s("rect", { x: left, y: top, width: width - left - right, height: height - top - bottom })));
  for (const line of lines) {
    picture.append(s("path", { d: "M" + line.points.map((p) => `${px(p[0]).toFixed(1)} ${py(p[1]).toFixed(1)}`).join("L"), fill: "none", stroke: line.colour,
      "stroke-width": line.width || 2, "stroke-dasharray": line.dash || null, "clip-path": `url(#${clip})`, "data-tip": line.text }));
  }
  for (const dot of dots)
    picture.append(s("circle", { cx: px(dot.x), cy: py(dot.y), r: dot.size || 6, fill: dot.hollow ? "var(--card)" : dot.colour, stroke: dot.colour, "stroke-width": 2,
      tabindex: 0, role: "img", "aria-label": dot.text, "data-tip": dot.text }));
  const key = (item, shape) => h("span", { "data-tip": item.text }, h("i", { style: `background:${item.colour};${shape}` }), item.name);
  return h("div", {}, picture, quiet ? null : h("div", { class: "legend" }, lines.map((l) => key(l, "height:3px;vertical-align:3px")), dots.map((d) => key(d, "border-radius:50%" + (d.hollow ? ";opacity:.5" : "")))));
}
