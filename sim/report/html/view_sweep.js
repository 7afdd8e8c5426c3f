// SPDX-License-Identifier: Apache-2.0
// A sweep: a map over two of its axes, one measure against another, and the whole table.
views.push({
  id: "sweep", title: "Sweep",
  lead: "Every point of the sweep. The maps show one measure over two axes; other axes have a map for each of their values.",
  applies: () => Boolean(data.sweep),
  draw(root) {
    const sweep = data.sweep, axes = sweep.head.slice(sweep.axes_begin, sweep.axes_end), column = (name) => sweep.head.indexOf(name);
    const measuresHere = sweep.head.slice(sweep.metrics_begin);
    const number = (row, name) => { const v = row[column(name)]; return v === "" || v === undefined || v === "n/a" ? undefined : Number(v); };
    const values = (name) => [...new Set(sweep.rows.map((r) => r[column(name)]))];
    const wanted = axes.filter((a) => values(a).length > 1), state = { x: wanted[0] || axes[0], y: wanted[1] || wanted[0] || axes[0], value: measuresHere[0], other: measuresHere[1] || measuresHere[0] };
    root.append(h("p", {}, `${sweep.name}: ${plain(sweep.rows.length)} rows, ${axes.length} axes (${axes.map((a) => `${a}: ${values(a).length}`).join(", ")}).`));
    const failed = sweep.rows.filter((r) => r[column("state")] !== "done");
    if (failed.length) root.append(h("p", { class: "note" }, `${failed.length} points have no result: they are empty in the maps.`));
    const choose = (key, label, names) => h("label", {}, label + " ", h("select", { onchange: (e) => { state[key] = e.target.value; maps(); } }, names.map((n) => h("option", { value: n, selected: state[key] === n }, n))));
    const place = h("div");
    function maps() {
      const shown = state.x === state.y ? [state.x] : [state.x, state.y], rest = axes.filter((a) => !shown.includes(a) && values(a).length > 1);
      const groups = new Map();
      for (const row of sweep.rows) { const key = rest.map((a) => `${a}=${row[column(a)]}`).join(", "); if (!groups.has(key)) groups.set(key, []); groups.get(key).push(row); }
      const numbers = sweep.rows.map((r) => number(r, state.value)).filter((v) => v !== undefined && Number.isFinite(v));
      const low = Math.min(...numbers), high = Math.max(...numbers), least = sweep.rows.find((r) => number(r, state.value) === low);
      const cards = h("div", { class: "cards" });
      [...groups].slice(0, 12).forEach(([title, rows]) => {
        const ys = state.x === state.y ? [""] : values(state.y);
        cards.append(h("div", {}, h("h3", {}, title || state.value), simpleTable(`${state.value} over ${shown.join(" and ")}`, [state.x === state.y ? "" : `${state.y} \\ ${state.x}`, ...values(state.x).map((x) => ({ text: x, n: true }))], ys.map((y) => [h("b", {}, y), ...values(state.x).map((x) => {
          const found = rows.filter((r) => r[column(state.x)] === x && (y === "" || r[column(state.y)] === y)).map((r) => number(r, state.value)).filter((v) => v !== undefined);
          if (!found.length) return "";
          const v = found.reduce((a, b) => a + b, 0) / found.length;
          return h("span", { style: "display:block;margin:-.22rem -.55rem;padding:.22rem .55rem;" + heat(high > low ? 0.02 + (v - low) / (high - low) : 0), "data-tip": `${plain(v)} ${sweep.units[state.value] || ""}` + (found.length > 1 ? `, mean of ${found.length}` : "") }, brief(v));
        })]))));
      });
      place.replaceChildren(...[least ? h("p", {}, `${state.value} is least at ${axes.map((a) => `${a}=${least[column(a)]}`).join(", ")}: ${plain(low)}${sweep.units[state.value] ? ` (${sweep.units[state.value]})` : ""}.`) : null, cards,
        groups.size > 12 ? h("p", { class: "soft" }, `12 of ${groups.size} maps are shown.`) : null, state.other !== state.value ? scatter() : null].filter(Boolean));
    }
    function scatter() {
      const dots = sweep.rows.map((r, i) => ({ x: number(r, state.value), y: number(r, state.other), r, i })).filter((d) => d.x > 0 && d.y > 0);
      if (dots.length < 2) return null;
      const first = wanted[0], kinds = first ? values(first) : [""];
      return h("div", {}, h("h3", {}, `${state.other} against ${state.value}`), logChart({ caption: `${state.other} against ${state.value}`, x: labelOf(state.value), y: labelOf(state.other), lines: [],
        dots: dots.map((d) => ({ name: axes.map((a) => d.r[column(a)]).join(", "), x: d.x, y: d.y, colour: series[Math.max(0, kinds.indexOf(first ? d.r[column(first)] : "")) % series.length], text: `${axes.map((a) => `${a}=${d.r[column(a)]}`).join(", ")}: ${plain(d.x)}, ${plain(d.y)}` })), quiet: true }),
        h("div", { class: "legend" }, kinds.map((k, i) => h("span", {}, h("i", { style: `background:${series[i % series.length]}` }), first ? `${first}=${k}` : ""))));
    }
    root.append(h("div", { class: "row tools" }, choose("value", "Measure", measuresHere), choose("x", "Across", axes), choose("y", "Down", axes), choose("other", "Against", measuresHere)), place);
    maps();
    // Axes and measures first; what names a point stands behind them.
    const places = sweep.head.map((_, i) => i), isAxis = (i) => i >= sweep.axes_begin && i < sweep.axes_end, isMeasure = (i) => i >= sweep.metrics_begin;
    const order = [...places.filter(isAxis), ...places.filter(isMeasure), ...places.filter((i) => !isAxis(i) && !isMeasure(i))];
    root.append(h("h3", {}, "All points"), makeTable({ caption: "All points of the sweep", rows: sweep.rows, search: (r) => r.join(" "), columns: order.map((i) => {
      const name = sweep.head[i];
      const numeric = i >= sweep.metrics_begin || sweep.rows.every((r) => r[i] === "" || !Number.isNaN(Number(r[i])));
      return { id: name, title: name, number: numeric, tip: sweep.units[name] ? `${name}, ${sweep.units[name]}` : null, value: (r) => (numeric ? (r[i] === "" ? undefined : Number(r[i])) : r[i]), show: (r) => (numeric && i >= sweep.metrics_begin ? plain(r[i] === "" ? undefined : Number(r[i])) : r[i]) };
    }) }));
  },
});
