#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gpuloom report` in a browser: each view is drawn, its numbers are those of result.json, sorting, folding, search and the
baseline work, nothing is asked of a network and nothing is complained about. usage: report_test.py GPULOOM SOURCE [PICTURES]

Needs Playwright's Python package and a Chromium: `scripts/setup --browser`. Exit status 77, loudly, where they are not there.
"""
import json
import pathlib
import tempfile

from report_page import Page, ROOT, checks, chromium, comes, expect, gpuloom, plain, sync_playwright
from report_questions import check_questions


def metrics_of(folder, launch=0):
    return {n: m["value"] for n, m in json.loads((folder / "result.json").read_text())["kernels"][launch]["metrics"].items()}


def check_views(page, wanted):
    expect(page.views() == wanted, f"views are {page.views()}, not {wanted}")
    for view in wanted:
        box = page.page.locator("#" + view).bounding_box()
        expect(box["height"] > 60, f"{view} is {box['height']} pixels high")
    wide = page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(wide <= 0, f"the page is {wide} pixels wider than the window")
    cut = page.page.eval_on_selector_all("table", "all => all.filter(t => !t.closest('.scroll') && t.scrollWidth > t.parentElement.clientWidth + 1).map(t => t.caption ? t.caption.innerText : '?')")
    expect(cut == [], f"tables are wider than their place: {cut}")
    check_hearing(page)


# Of what is seen, the relation of lightness (WCAG 2.2, 1.4.3): 4.5 for small text.
CONTRAST = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = (top, below) => { const [r, g, b, a = 1] = top; return [r, g, b].map((v, i) => v * a + below[i] * (1 - a)); };
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = (e) => (e ? over(parts(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : [255, 255, 255]);
  return [...document.querySelectorAll('td.heat, #sweep td span')].filter((e) => e.innerText.trim()).map((e) => {
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    return [(a + .05) / (b + .05), e.innerText];
  }).filter(([ratio]) => ratio < 4.5);
}"""


def check_hearing(page):
    """Headings that have words, parts that have names of their own, and cells that can be read on their colour."""
    silent = page.page.eval_on_selector_all("th", "all => all.filter(e => !e.textContent.trim()).map(e => e.closest('table').caption?.innerText ?? e.outerHTML)")
    expect(silent == [], f"headings without words in {silent}")
    names = page.page.eval_on_selector_all("section.view h2, [role=region]", "all => all.map(e => e.getAttribute('aria-label') || e.textContent)")
    expect(len(set(names)) == len(names), f"parts share a name: {sorted(n for n in names if names.count(n) > 1)}")
    faint = page.page.evaluate(CONTRAST)
    expect(faint == [], f"cells are faint on their colour: {faint[:3]}")


def check_numbers(page, metrics):
    """Every number with a definition is the metric's own; the table has every metric."""
    rows = page.page.eval_on_selector("#metrics", "s => { const out = {}; const box = s.querySelector('.scroll'); const step = () => { for (const r of s.querySelectorAll('tbody tr')) "
                                      "if (r.cells.length > 2) out[r.cells[0].innerText] = r.cells[1].innerText; }; step(); for (let y = 0; y < box.scrollHeight; y += 300) "
                                      "{ box.scrollTop = y; box.dispatchEvent(new Event('scroll')); step(); } return out; }")
    expect(set(rows) == set(metrics), f"the table lacks {sorted(set(metrics) - set(rows))[:3]}")
    for name, value in metrics.items():
        text = plain(value)
        expect(text is None or rows[name] == text, f"{name} is {rows[name]}, not {text}")
    shown = page.page.eval_on_selector_all("#summary span[data-metric], #stalls span[data-metric], #memory span[data-metric]", "all => all.map(e => [e.dataset.metric, e.innerText])")
    expect(len(shown) > 20, "too few numbers stand in the views")
    for name, text in shown:
        expect(name in metrics, f"the page shows {name}, which the result does not have")
        number = text.replace(",", "").replace("%", "").strip()
        if text.replace(",", "").replace(".", "").isdigit():
            expect(text == plain(metrics[name]) or name == "gpu__time_duration.sum", f"{name} is shown as {text}, and is {metrics[name]}")
        elif text.endswith("%"):
            expect(abs(float(number.lstrip("<")) - metrics[name]) <= 0.5, f"{name} is shown as {text}, and is {metrics[name]}")


def check_stalls(page, metrics):
    cells = page.page.eval_on_selector_all("#stalls table tbody tr", "all => all.map(r => [...r.cells].map(c => c.innerText))")
    parts = {row[0].strip(): int(row[1].replace(",", "")) for row in cells if row[1].replace(",", "").isdigit()}
    whole = parts.pop("All")
    expect(whole == metrics["smsp__warps_active.sum"] and sum(parts.values()) == whole, f"{sum(parts.values())} of {whole} warp-cycles")
    expect("not accounted for" not in parts, "warp-cycles without a state")
    cpi = [float(row[4]) for row in cells if len(row) > 4]
    expect(abs(sum(cpi[:-1]) - cpi[-1]) < 0.01, f"the parts of the CPI sum to {sum(cpi[:-1])}, not {cpi[-1]}")


def check_tables(page):
    search = page.page.locator("#metrics input[type=search]")
    search.fill("dram bytes")
    expect(all("dram" in t for t in page.texts("#metrics tbody tr td:first-child")), "search finds what it should not")
    search.fill("")
    heading = page.page.locator("#metrics th button", has_text="Value")
    numbers = lambda: [float(t.replace(",", "")) for t in page.texts("#metrics tbody tr td:nth-child(2)")[:20] if t not in ("", "n/a")]
    heading.click()
    expect(numbers() == sorted(numbers(), reverse=True) and numbers()[0] > 0, "the largest is not first")
    expect(page.page.locator("#metrics th[aria-sort=descending]").count() == 1, "the heading does not say how it is sorted")
    heading.press("Enter")  # by the keyboard
    expect(numbers() == sorted(numbers()), "the least is not first")


def check_source(page, folder):
    lines = json.loads((folder / "result.json").read_text())["kernels"][0]["lines"]
    fold = page.page.locator("#source button.fold[aria-expanded]").first
    place = page.page.locator("#source tr[data-place]", has=page.page.locator("button[aria-expanded]")).first.get_attribute("data-place")
    own = [l for l in lines if f"{l['file']}:{l['line']}" == place]
    fold.focus()
    page.page.keyboard.press("Enter")
    expect(page.page.locator("#source tr.ptx").count() == len(own), f"{place} folds out to {page.page.locator('#source tr.ptx').count()} instructions, not {len(own)}")
    expect(page.page.locator("#source tr.machine").count() > 0, "no machine operations")
    page.page.keyboard.press("Enter")
    expect(page.page.locator("#source tr.ptx").count() == 0, "the line does not fold up again")
    page.page.locator("#source button", has_text="Open all").click()
    expect(page.page.locator("#source tr.ptx").count() == len(lines), "not every instruction is there")
    page.page.locator("#source button", has_text="Close all").click()
    # Heat columns: what a line waited is the sum of its instructions.
    waited = sum(l.get("stall_cycles", 0) for l in own)
    tip = page.page.locator(f"#source tr[data-place='{place}'] td.heat").first.get_attribute("data-tip")
    expect(f"{waited:,}" in tip, f"{place} waited {waited:,}, and the page says {tip}")
    page.page.locator("#source th button", has_text="Waited").click()
    order = page.page.eval_on_selector_all("#source tr[data-place]", "all => all.map(r => r.dataset.place)")
    sums = {}
    for l in lines:
        sums[f"{l['file']}:{l['line']}"] = sums.get(f"{l['file']}:{l['line']}", 0) + l.get("stall_cycles", 0)
    expect(order == sorted(sums, key=lambda p: -sums[p]), "lines are not sorted by what was waited")
    page.page.locator("#source th button", has_text="Source").click()
    page.page.locator("#source input").fill("ld.global")
    expect(page.page.locator("#source tr.found").count() > 0, "search does not look into PTX")
    page.page.locator("#source input").fill("")


def check_hover(page, metrics):
    number = page.page.locator("#summary .tile span[data-metric='sm__cycles_elapsed.max']")
    number.hover()
    comes(lambda: "sm__cycles_elapsed.max" in page.page.locator("#tip").inner_text(), "no definition comes")
    tip = page.page.locator("#tip").inner_text()
    expect(plain(metrics["sm__cycles_elapsed.max"]) in tip and "Core cycles from launch" in tip, f"the definition is {tip!r}")


def check_baseline(page, metrics, base):
    expect(page.page.locator("#summary .delta").count() > 3, "no change against the baseline is shown")
    cycles = page.page.locator("#summary .tile", has_text="Elapsed cycles").inner_text()
    change = 100 * (metrics["sm__cycles_elapsed.max"] - base["sm__cycles_elapsed.max"]) / base["sm__cycles_elapsed.max"]
    expect(f"{abs(change):.{0 if abs(change) >= 100 else 1 if abs(change) >= 10 else 2}f} %" in cycles, f"{cycles!r} lacks {change:.2f} %")
    page.page.select_option("#pick-base", "-1")
    expect(page.page.locator("#summary .delta").count() == 0, "changes stay without a baseline")
    page.page.select_option("#pick-run", "1")
    check_numbers(page, base)
    page.page.select_option("#pick-run", "0")


def check_theme(page):
    colour = lambda: page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    before = colour()
    page.page.locator("#theme").click()
    page.page.locator("#theme").click()
    expect(page.page.evaluate("document.documentElement.dataset.theme") == "dark" and colour() != before, "dark is not dark")
    page.page.emulate_media(media="print")
    expect(colour() == "rgb(255, 255, 255)" and not page.page.locator("#contents").is_visible(), "the page does not print on white")
    # What is wider than a sheet of A4 (720 CSS pixels between margins) would be cut off. The drawing of memory may scroll, and shrinks.
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 720, "height": 1000})
    wide = page.page.eval_on_selector_all("section.view", "all => all.filter(s => s.scrollWidth > 720).map(s => s.id)")
    page.page.set_viewport_size(before)
    expect(not wide, f"views do not fit a printed sheet: {wide}")
    page.page.emulate_media(media="screen")


def check_over_time(page, folder, metrics):
    """Each counter's sum is the metric's; a cell read by the keyboard is the one in intervals.json; the table sums."""
    units = json.loads((folder / "intervals.json").read_text())["launches"][0]["units"]
    for kind in ("sm", "l2", "dram"):
        select = page.page.locator(f"#over_time_{kind}")
        names = page.page.eval_on_selector_all(f"#over_time_{kind} option", "all => all.map(o => o.dataset.tip)")
        expect(len(names) >= 2, f"too few counters of {kind}")
        for index, name in enumerate(names):
            select.select_option(str(index))
            shown = page.page.locator(f"#over_time [data-sum='{name}']").inner_text()
            expect(shown == plain(metrics[name + ".sum"]), f"{name} sums to {shown}, not {metrics[name + '.sum']}")
            sizes = page.page.eval_on_selector(f"#over_time canvas[data-counter='{name}']", "c => [c.width, c.height, c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0)]")
            expect(sizes[0] > 10 and sizes[1] >= units[kind]["count"] and sizes[2], f"the map of {name} is empty: {sizes}")
        select.select_option("0")
    name, values = "smsp__issue_active", units["sm"]["counters"]["smsp__issue_active"]["values"]
    canvas = page.page.locator(f"#over_time canvas[data-counter='{name}']")
    canvas.focus()
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowDown")
    said = page.page.locator("#over_time output").first.inner_text()
    expect(said.startswith("SM 1, ") and f"({values[3][1]:,} cycle)" in said, f"the cell says {said!r}, not {values[3][1]}")
    page.page.locator("#over_time details summary").click()
    row = page.texts("#over_time details tbody tr:nth-child(4) td")
    expect(row[1] == f"{sum(values[3]):,}", f"the table says {row}, not {sum(values[3])}")


def colours_of_timeline(page):
    return page.page.eval_on_selector("#timeline canvas", "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 1)).size")


def check_timeline(page):
    """A cell says what the data say, and the window moves."""
    canvas = page.page.locator("#timeline canvas")
    canvas.focus()
    page.page.keyboard.press("ArrowDown")
    said = page.page.locator("#timeline output").inner_text()
    expect(said.startswith("warp slot ") and ("cycles, next" in said or "issues" in said or "no warp" in said or "for " in said), f"the cell says {said!r}")
    before = page.page.locator("#timeline .tools").inner_text()
    page.page.locator("#timeline button[aria-label='closer']").click()
    comes(lambda: page.page.locator("#timeline .tools").inner_text() != before, "the window does not get smaller")


def check_pipeline(page, folder):
    """Producers, a bar for each part of a fill, arrows, the numbers below, and the next fills."""
    pipeline = json.loads((folder / "pipeline.json").read_text())
    launch = pipeline["launches"][0]
    words = page.page.locator("#pipeline ul.facts").inner_text()
    for producer in launch["producers"]:
        expect(producer["says"] in words and producer["advice"] in words, f"{producer['says']!r} is not said")
    row = page.texts("#pipeline table tbody tr:first-child td")
    expect(row[2] == f"{launch['producers'][0]['fills']:,}", f"fills are {row[2]}")
    fills = launch["blocks"][0]["fills"]
    shown = fills[:12]
    bars = page.page.locator("#pipeline svg rect").count()
    wanted = sum(1 + ("wait" in f) + (("use" in f) + (f["use"][0] > f["complete"]) if "use" in f else 0) for f in shown)
    expect(bars == wanted, f"{bars} bars, not {wanted}")
    expect(page.page.locator("#pipeline svg path.flow").count() == sum(("wait" in f) * (1 + ("use" in f)) for f in shown), "arrows are missing")
    page.page.locator("#pipeline details summary").click()
    cells = page.page.eval_on_selector_all("#pipeline details tbody tr", "all => all.map(r => [...r.cells].map(c => c.innerText))")
    expect([c[3] for c in cells] == [plain(f["issued"]) for f in shown], "the numbers are not those of pipeline.json")
    if len(fills) > 12:
        page.page.locator("#pipeline button", has_text="later").click()
        expect(f"fills {fills[12]['n']} to" in page.page.locator("#pipeline .tools").inner_text(), "later fills cannot be reached")


def write_program(folder, launches):
    """A program of many launches, as `gpuloom exec` writes it, with metrics of every thousandth."""
    kernel = json.loads((folder.parent / "one/result.json").read_text())["kernels"][0]
    folder.mkdir()
    rows, at = [], 0
    for i in range(launches):
        name = f"kernel_{i % 7}"
        record = {**(kernel if i % 1000 == 0 else {}), "launch": i, "name": name, "mode": "timed" if i % 1000 == 0 else "functional", "grid": [1 + i % 5, 1, 1], "block": [128, 1, 1],
                  "dynamic_shared": 0, "stream": i % 3, "start_ns": at, "end_ns": at + 1000 + i % 17, "warp_instructions": 10 * i}
        at += 1100
        rows.append(record)
    summary = [{"name": f"kernel_{k}", "demangled": f"kernel_{k}", "launches": launches // 7, "timed": 2, "total_ns": 1e6 * (k + 1), "least_ns": 1000, "most_ns": 1016, "warp_instructions": 100} for k in range(7)]
    (folder / "result.json").write_text(json.dumps({"schema": 1, "provenance": {"version": "0.2.0", "config": "h200", "program": "/x/app"}, "ended": "normally", "simulated_ns": at, "summary": summary,
                                                    "copies": [{"kind": "host to device", "count": 3, "bytes": 4096, "total_ns": 5000}], "launches": rows,
                                                    "transfers": [{"kind": "host to device", "bytes": 4096, "stream": 7, "pageable": True, "start_ns": at, "end_ns": at + 1000}]}))


def check_advice(page, folder):
    """What explain.json says stands on the page; neighbours in the bar of causes have different colours."""
    told = json.loads((folder / "explain.json").read_text())["kernels"][0]
    first = told["advice"][0]
    items = page.texts("#advice ol.advice > li")
    expect(len(items) == len(told["advice"]), f"{len(items)} pieces of advice, not {len(told['advice'])}")
    for words in (first["title"][1:], plain(first["saved"]), plain(first["predicted_cycles"]), first["remedy"], f"{first['lines'][0]['file']}:{first['lines'][0]['line']}"):
        expect(words in items[0], f"the first piece of advice lacks {words}: {items[0]}")
    for found in told["seen"]:
        expect(any(found["title"][1:] in t for t in page.texts("#advice ul.advice > li")), f"{found['title']} is not on the page")
    colours = page.page.eval_on_selector_all("#advice .legend i", "all => all.map(i => getComputedStyle(i).backgroundColor)")
    expect(len(set(colours)) == len(colours) > 2, f"causes share a colour: {colours}")
    rows = page.page.evaluate("document.querySelectorAll('#advice .scroll tbody tr').length")
    tried = [c for c in told["switches"] if c["run"]]
    expect(rows == len(tried) > 5, f"{rows} mechanisms are listed, {len(tried)} were tried")
    summary = page.texts("#first-advice li")
    expect(first["title"] in summary[0] and first["remedy"] in summary[0], f"the summary begins with {summary}")


def check_program(browser, folder):
    write_program(folder, 10000)
    gpuloom("report", folder, "-q")
    size = (folder / "report.html").stat().st_size
    expect(size < 5e6, f"{size} bytes for 10,000 launches")
    with Page(browser, folder / "report.html") as page:
        expect(page.seconds < 60, f"{page.seconds:.1f} s to open 10,000 launches (under one on an idle machine)")
        expect("program" in page.views(), "no view of the program")
        expect("host to device" in page.texts("#program .legend span"), "the picture of streams leaves copies out")
        expect("10001 launches" in page.page.locator("#program canvas").get_attribute("aria-label"), "the picture does not have all")
        table = page.page.locator("#program .scroll").last
        expect(table.locator("tbody tr").count() < 200, "all rows are drawn at once")
        expect("10,000 rows" in page.page.locator("#program .tools").last.inner_text(), "the table does not say how many")
        page.page.locator("#program input[type=search]").last.fill("kernel_3 stream 2")
        expect("of 10,000" in page.page.locator("#program .tools").last.inner_text(), "search finds nothing")
        page.page.locator("#program input[type=search]").last.fill("")
        table.evaluate("t => { t.scrollTop = t.scrollHeight; }")
        comes(lambda: "9,999" in table.inner_text(), "the last launch cannot be reached")
        page.page.select_option("#pick-launch", "3")
        expect("#summary .tile" and page.page.locator("#summary .tile").count() > 4, "a launch cannot be opened")


# What nvcc makes of __global__ void fill(float*), which explain calls by its C++ name.
NAMED = """.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z4fillPf(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 128, %r1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3; ret;
}
"""


def main():
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as play:
        out, browser = pathlib.Path(scratch), chromium(play)
        (out / "named.ptx").write_text(NAMED)
        gpuloom("run", "sim/examples/vecadd.yaml", "-q", "-o", out / "one", "--html", f"{out}/one/")
        gpuloom("run", "sim/examples/vecadd.yaml", "-q", "-o", out / "timed", "--intervals", 200, "--html", f"{out}/timed/")
        gpuloom("run", "sim/examples/vecadd.yaml", "-q", "-o", out / "traced", "--trace", "perfetto", "--trace-window", "0:3000", "--html", f"{out}/traced/")
        gpuloom("pipeline", "docs/tutorial/code/pipeline_2.yaml", "-q", "-o", out / "pipes", "--html", f"{out}/pipes/")
        expect((out / "timed/report.html").stat().st_size < 3e6, "counters over time take more than 3 MB")
        gpuloom("run", "sim/examples/vecadd.yaml", "-q", "-o", out / "slow", "-s", "dram.bandwidth=1.2TB/s", "-s", "l2.hit_latency=200cycles")
        expect((out / "one/report.html").stat().st_size < 3e6, "a kernel takes more than 3 MB")
        views = ["summary", "roofline", "memory", "stalls", "instructions", "source", "occupancy", "metrics"]
        one, slow = metrics_of(out / "one"), metrics_of(out / "slow")
        for width in (1280, 2560):
            for theme in ("light", "dark"):
                with Page(browser, out / "one/report.html", width, theme) as page:
                    expect(page.seconds < 60, f"{page.seconds:.1f} s to open (a fifth on an idle machine)")
                    check_views(page, views)
                    check_numbers(page, one)
                    for view in views:
                        page.picture(view, f"vecadd_{view}_{width}_{theme}")
        with Page(browser, out / "one/report.html") as page:
            check_stalls(page, one)
            check_tables(page)
            check_source(page, out / "one")
            check_hover(page, one)
            check_theme(page)
        gpuloom("explain", "tests/explain/kernels/transpose_tile.yaml", "-q", "--pairs", 0, "-o", out / "why", "--html", out / "why.html")
        for theme in ("light", "dark"):
            with Page(browser, out / "why.html", 1280, theme) as page:
                check_views(page, ["summary", "advice"] + views[1:])
                page.picture("advice", f"advice_{theme}")
                check_advice(page, out / "why")
            with Page(browser, out / "timed/report.html", 1280, theme) as page:
                check_views(page, views[:4] + ["over_time"] + views[4:])
                page.picture("over_time", f"over_time_{theme}")
                check_over_time(page, out / "timed", metrics_of(out / "timed"))
            with Page(browser, out / "traced/report.html", 1280, theme) as page:
                expect("timeline" in page.views(), "no timeline")
                page.wait_for_frames()
                expect(colours_of_timeline(page) > 2, "the timeline is of one colour")
                page.picture("timeline", f"timeline_{theme}")
                check_timeline(page)
            with Page(browser, out / "pipes/report.html", 1280, theme) as page:
                expect("pipeline" in page.views(), "no view of the pipelines")
                page.picture("pipeline", f"pipeline_{theme}")
                check_pipeline(page, out / "pipes")
        gpuloom("explain", out / "named.ptx", "--grid", 4, "--block", 128, "--arg", "float[512]", "--switch", "ideal.launch", "--pairs", 0, "-q", "--html", out / "named.html")
        with Page(browser, out / "named.html") as page:
            expect("advice" in page.views(), "a kernel with a C++ name has no advice")
            expect("machine" in page.texts("#advice li")[0], "the launch is not a limit of the machine")
        gpuloom("report", out / "one", "--baseline", out / "slow", "-o", out / "both.html", "-q")
        with Page(browser, out / "both.html") as page:
            check_views(page, views[:-1] + ["compare", "metrics"])
            page.picture("compare", "compare")
            check_baseline(page, one, slow)
        check_questions(browser, out, [out / f"{n}/report.html" for n in ("one", "timed", "pipes")] + [out / "why.html"])
        check_program(browser, out / "program")
        gpuloom("sweep", "run", "sim/examples/vecadd_sweep.yaml", "-d", out / "sweep", "-q", "--progress", "none")
        gpuloom("report", out / "sweep", "-o", out / "sweep.html", "-q")
        with Page(browser, out / "sweep.html") as page:
            expect(page.views()[0] == "sweep" and page.page.locator("#sweep table").count() >= 2, "no map of the sweep")
            page.picture("sweep", "sweep")
            least = min(metrics_of_point(p) for p in (out / "sweep/results").glob("*.json"))
            expect(plain(least) in page.texts("#sweep p")[-1] or any(plain(least) in t for t in page.texts("#sweep p")), "the least point is not named")
            page.page.select_option("#pick-run", "2")
        browser.close()
    print(f"{len(checks)} checks of the report in a browser passed")


def metrics_of_point(file):
    return json.loads(file.read_text())["kernels"][0]["metrics"]["sm__cycles_elapsed.max"]["value"]


main()
