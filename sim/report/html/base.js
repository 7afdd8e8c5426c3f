// SPDX-License-Identifier: Apache-2.0
// What every view uses: the data, elements, numbers as people read them, definitions.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const views = [];  // {id, title, lead, applies(context), draw(root, context)}, in the order of the page

// An element with attributes and children; texts are never read as HTML.
function make(space, tag, attributes, children) {
  const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false && child !== "") element.append(child);
  return element;
}
const h = (tag, attributes, ...children) => make("", tag, attributes, children);
const s = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);

// 1234567 -> "1,234,567"; fractions get two digits, small ones three that count.
function plain(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "n/a";
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size !== 0 && size < 0.01) return value.toPrecision(3);
  return value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
// 1234567 -> "1.23M": for axes and where there is little room.
function brief(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "n/a";
  const size = Math.abs(value);
  for (const [limit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (size >= limit * 0.9995) {
      const scaled = value / limit;
      return (Math.abs(scaled) >= 99.95 ? scaled.toFixed(0) : String(Number(scaled.toPrecision(3)))) + letter;
    }
  return size === 0 || Number.isInteger(value) ? String(value) : size >= 99.95 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}
const percent = (part, whole) => (whole ? (100 * part) / whole : 0);
const percentText = (value) => (value === 0 ? "0 %" : value < 0.005 ? "<0.01 %" : value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + " %");
// Nanoseconds in the unit that fits.
function timeText(ns) {
  for (const [limit, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) if (ns >= limit) return [plain(ns / limit), unit];
  return [plain(Math.round(ns)), "ns"];
}
// Bytes, with powers of two; the exact number is in the tooltip.
function bytesText(bytes) {
  for (const [limit, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) if (bytes >= limit) return brief(bytes / limit) + " " + unit;
  return plain(bytes) + " B";
}

// Unit and meaning of a metric: of its own, or of the counter that it rolls up.
const rollUps = { sum: "Sum over all units.", avg: "Mean over units.", min: "Least of all units.", max: "Largest of all units." };
function definition(name) {
  const own = data.definitions[name];
  if (own) return { unit: own[0], text: own[1] };
  const dot = name.lastIndexOf(".");
  const counter = data.definitions[name.slice(0, dot)];
  return counter ? { unit: counter[0], text: counter[1] + " " + (rollUps[name.slice(dot + 1)] || "") } : { unit: "", text: "" };
}
const labels = new Map(data.metric_table.map(([name, label, section]) => [name, { label, section }]));
const labelOf = (name) => (labels.get(name) || {}).label || name;

// Change against the baseline, in percent; "" where there is none to compare with.
function change(value, base) {
  if (value === undefined || base === undefined || value === null || base === null) return "";
  if (value === base) return "=";
  if (base === 0) return "from 0";
  const p = (100 * (value - base)) / base;
  return (p > 0 ? "+" : "−") + (Math.abs(p) < 0.01 ? "<0.01" : Math.abs(p).toFixed(Math.abs(p) >= 100 ? 0 : Math.abs(p) >= 10 ? 1 : 2)) + " %";
}
// Whether more of a metric is worse (1), better (-1) or neither (0).
function worse(name) {
  if (/time_duration|cycles_elapsed|cycles_active|bank_conflicts|stalled_(?!selected)|latency|wait|misses|lookup_miss/.test(name)) return 1;
  // How busy a unit is says nothing by itself: with more conflicts the L1 is busier.
  if (/hit_rate|warps_active|per_cycle|occupancy_pct|maximum_warps/.test(name)) return -1;
  return 0;
}
function delta(context, name) {
  const text = change(context.m(name), context.base(name));
  if (!text) return null;
  const sign = Math.sign(context.m(name) - context.base(name)) * worse(name);
  return h("span", { class: "delta " + (sign > 0 ? "bad" : sign < 0 ? "good" : "soft") }, text + " to baseline");
}
// The number of a metric, with its definition on hover.
function metric(context, name, show) {
  const value = context.m(name);
  return h("span", { "data-metric": name }, show ? show(value) : plain(value));
}

const series = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8c6d31", "#7a7a7a", "#b5a800"];
// One colour for each reason, the same in every picture.
const reasonColours = {
  selected: "#009e73", not_selected: "#7fd0b5", wait: "#56b4e9", long_scoreboard: "#d55e00", short_scoreboard: "#e69f00", barrier: "#cc79a7",
  membar: "#a3457c", branch_resolving: "#8c6d31", math_pipe_throttle: "#0072b2", lg_throttle: "#a33f00", mio_throttle: "#f0c239",
  tex_throttle: "#c9a227", no_instruction: "#7a7a7a", imc_miss: "#a9a9a9", dispatch_stall: "#5b4bb0", drain: "#b79ad6", gmma: "#1f3f8f",
  sleeping: "#cfd3d8", misc: "#999" };
const reasonColour = (reason) => reasonColours[reason] || "#888";
const reasonName = (reason) => reason.replace(/_/g, " ");
const reasonText = (reason) => {
  const text = definition("smsp__warp_issue_stalled_" + reason + "_per_warp_active.pct").text;
  return text.replace(/ Warp-cycles in this state.*$/, "");
};
const heat = (share) => (share > 0 ? `background: rgba(var(--heat), calc(.08 + var(--heat-most) * ${Math.min(1, share).toFixed(3)}))` : "");
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
