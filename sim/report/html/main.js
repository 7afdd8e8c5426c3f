// SPDX-License-Identifier: Apache-2.0
// Which result, launch and baseline are shown; the header, the list of views, light and dark.
const shownState = { run: 0, kernel: 0, base: -1 };

const kernelsOf = (run) => (run.result && run.result.kernels) || [];
// The launch of the baseline that stands for this one: of the same place and name, else of the same name, else of the same place.
function matching(run, kernel, index) {
  const list = kernelsOf(run);
  if (list[index] && list[index].name === kernel.name) return list[index];
  return list.find((k) => k.name === kernel.name) || list[index] || null;
}
function currentContext() {
  const run = data.runs[shownState.run] || {}, kernel = kernelsOf(run)[shownState.kernel] || null;
  const baseRun = shownState.base >= 0 && shownState.base !== shownState.run ? data.runs[shownState.base] : null;
  const baseKernel = baseRun && kernel ? matching(baseRun, kernel, shownState.kernel) : null;
  const value = (from) => (name) => { const m = from && from.metrics && from.metrics[name]; return m ? m.value : undefined; };
  return { run, result: run.result, kernel, baseRun, baseKernel, m: value(kernel), base: value(baseKernel) };
}
const shortKernel = (kernel) => (kernel.demangled || kernel.name).replace(/^void /, "").replace(/\(.*$/, "");

function drawHeader() {
  const context = currentContext(), header = document.getElementById("top");
  const choice = (id, label, options, now, pick) => [h("label", { for: id }, label), h("select", { id, onchange: (event) => { pick(Number(event.target.value)); draw(); } },
    options.map(([value, text]) => h("option", { value, selected: value === now }, text)))];
  const parts = [h("h1", {}, data.title), h("span", { class: "where" }, context.result ? context.result.provenance.config : "")];
  if (data.runs.length > 1) parts.push(choice("pick-run", "Result", data.runs.map((r, i) => [i, r.name]), shownState.run, (v) => { shownState.run = v; shownState.kernel = Math.min(shownState.kernel, Math.max(0, kernelsOf(data.runs[v]).length - 1)); }));
  const kernels = kernelsOf(context.run);
  if (kernels.length > 1) parts.push(choice("pick-launch", "Launch", kernels.map((k, i) => [i, `${k.launch ?? i}: ${shortKernel(k)}`]), shownState.kernel, (v) => { shownState.kernel = v; }));
  if (data.runs.length > 1) parts.push(choice("pick-base", "Baseline", [[-1, "none"], ...data.runs.map((r, i) => [i, r.name]).filter(([i]) => i !== shownState.run)], shownState.base, (v) => { shownState.base = v; }));
  const theme = document.documentElement.dataset.theme || "auto";
  parts.push(h("button", { type: "button", id: "theme", "aria-label": `Colours: ${theme}. Change`, onclick: () => setTheme({ auto: "light", light: "dark", dark: "auto" }[theme]) }, { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[theme]));
  header.replaceChildren(...parts.flat());
}
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("gpuloom-theme", theme); } catch { /* a page from a file may not keep anything */ }
  draw();
  document.getElementById("theme").focus();
}

function draw() {
  const context = currentContext(), root = document.getElementById("views"), list = document.getElementById("contents");
  const shown = views.filter((view) => view.applies(context));
  const places = shown.map((view) => {
    const section = h("section", { class: "view", id: view.id, "aria-labelledby": view.id + "-title" }, h("h2", { id: view.id + "-title" }, view.title), view.lead ? h("p", { class: "lead" }, view.lead) : null);
    view.draw(section, context);
    return section;
  });
  if (!shown.length) root.append(h("p", {}, "This result has nothing that the page can show."));
  const at = scrollY;
  drawHeader();
  root.replaceChildren(...places);
  list.replaceChildren(...shown.map((view) => h("a", { href: "#" + view.id }, view.title)));
  scrollTo(0, at);
  watch(places, list);
}
// The list of views says which one is in sight.
let watcher = null;
function watch(places, list) {
  if (watcher) watcher.disconnect();
  watcher = new IntersectionObserver(() => {
    const first = places.find((place) => place.getBoundingClientRect().bottom > 90);
    for (const link of list.children) if (first && link.hash === "#" + first.id) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }, { rootMargin: "-60px 0px -40% 0px", threshold: [0, 0.2, 0.5] });
  for (const place of places) watcher.observe(place);
}

try { const theme = localStorage.getItem("gpuloom-theme"); if (theme && theme !== "auto") document.documentElement.dataset.theme = theme; } catch { /* as above */ }
if (data.baseline !== undefined) shownState.base = data.baseline;
startTips();
draw();
if (location.hash) { const goal = document.getElementById(location.hash.slice(1)); if (goal) goal.scrollIntoView(); }
