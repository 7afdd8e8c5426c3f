// SPDX-License-Identifier: Apache-2.0
// Tables that sort by a click on a heading, search, and draw only the rows in sight where there are many.
// columns: {id, title, tip, number, value(row), show(row), wrap}; rows: any objects.
const rowHeight = 30, allAtOnce = 300;

function makeTable({ columns, rows, sort, search, caption, onPick, picked, extra }) {
  let order = sort || null, words = "", shown = rows;
  const body = h("tbody"), heads = new Map();
  const count = h("span", { class: "soft", role: "status" });
  const headRow = h("tr", {}, columns.map((column) => {
    const button = h("button", { type: "button", "data-tip": column.tip || null, onclick: () => {
      const down = order && order.id === column.id ? !order.down : Boolean(column.number);
      order = { id: column.id, down };
      update();
    } }, column.title);
    const head = h("th", { class: column.number ? "n" : null, scope: "col" }, button);
    heads.set(column.id, head);
    return head;
  }));
  const table = h("table", {}, h("caption", { class: "hidden" }, caption), h("thead", {}, headRow), body);
  const box = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption + ", as a table" }, table);

  const rowOf = (row) => h("tr", { class: picked && picked(row) ? "picked" : null }, columns.map((column, index) => {
    let inside = column.show ? column.show(row) : column.number ? plain(column.value(row)) : String(column.value(row) ?? "");
    if (onPick && index === 0) inside = h("button", { type: "button", onclick: () => onPick(row) }, inside);
    return h("td", { class: (column.number ? "n " : "") + (column.wrap ? "wrap" : "") || null }, inside);
  }));
  const filler = (height) => h("tr", { "aria-hidden": "true" }, h("td", { colspan: columns.length, style: `height:${height}px;padding:0;border:0` }));
  // Of many rows, those in sight and some around them.
  let drawn = "";
  function draw() {
    if (shown.length <= allAtOnce) {
      body.replaceChildren(...shown.map(rowOf));
      return;
    }
    const first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 20);
    const last = Math.min(shown.length, first + Math.ceil(box.clientHeight / rowHeight || 20) + 40);
    if (drawn === first + ":" + last) return;
    drawn = first + ":" + last;
    body.replaceChildren(filler(first * rowHeight), ...shown.slice(first, last).map(rowOf), filler((shown.length - last) * rowHeight));
    table.setAttribute("aria-rowcount", shown.length);
  }
  function update() {
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    shown = parts.length === 0 ? rows.slice() : rows.filter((row) => {
      const text = (search(row) || "").toLowerCase();
      return parts.every((part) => text.includes(part));
    });
    if (order) {
      const column = columns.find((c) => c.id === order.id), sign = order.down ? -1 : 1;
      const key = (row) => column.value(row);
      shown.sort((a, b) => {
        const x = key(a), y = key(b);
        if (x === y) return 0;
        if (x === undefined || x === null || Number.isNaN(x)) return 1;
        if (y === undefined || y === null || Number.isNaN(y)) return -1;
        return (x < y ? -1 : 1) * sign;
      });
    }
    for (const [id, head] of heads) {
      if (order && order.id === id) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    count.textContent = shown.length === rows.length ? `${plain(rows.length)} rows` : `${plain(shown.length)} of ${plain(rows.length)} rows`;
    drawn = "";
    box.scrollTop = 0;
    draw();
  }
  box.addEventListener("scroll", draw);
  const tools = h("div", { class: "row tools" });
  if (search) tools.append(h("input", { type: "search", placeholder: "Search", "aria-label": "Search in " + caption, oninput: (event) => { words = event.target.value; update(); } }));
  tools.append(...(extra || []), count);
  update();
  return h("div", {}, tools, box);
}
// What a heading without words says to those who hear the page.
const unseenHead = (index) => h("span", { class: "hidden" }, index === 0 ? "What" : "Bar or remark");
// A small table as it is: heads are texts or {text, n, tip}; rows are lists of cells, or {cells, class}.
function simpleTable(caption, heads, rows) {
  const number = (index) => (heads[index] && heads[index].n ? "n" : null);
  return h("table", {}, h("caption", { class: "hidden" }, caption),
    h("thead", {}, h("tr", {}, heads.map((head, i) => h("th", { scope: "col", class: number(i), "data-tip": head.tip || null }, (head.text ?? head) || unseenHead(i))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: number(i) }, cell))))));
}
// A bar with an optional mark, both from 0 to 100.
const meter = (value, mark, words, colour) => h("div", { class: "meter", role: "img", "aria-label": words },
  h("i", { style: `width:${Math.max(0, Math.min(100, value))}%` + (colour ? `;background:${colour}` : "") }),
  mark === undefined ? null : h("b", { style: `left:${Math.max(0, Math.min(99.5, mark))}%` }));
// A share in percent and its bar in one line; below zero there is none.
const shareBar = (value, words) => h("div", { class: "share" }, h("span", {}, percentText(Math.max(0, value || 0))), meter(value || 0, undefined, words));
