# SPDX-License-Identifier: Apache-2.0
"""The questions of docs/how_to/report_questions.md: each view that an answer names is on a page, and has the words in it."""
import json
import re

from report_page import Page, ROOT, expect, gpuloom

ROW = re.compile(r"^\| (\d+)\. (.*?) \| (.*?) \| (.*?) \|$", re.M)


def views_of(browser, file):
    with Page(browser, file) as page:
        return page.page.eval_on_selector_all("section.view", "all => all.map(s => [s.querySelector('h2').innerText, s.textContent.toLowerCase()])")


def check_questions(browser, folder, pages):
    """`pages`: those that are there already; kernels whose pages have the rest are run here."""
    kernels = "tests/explain/kernels"
    gpuloom("run", f"{kernels}/divergent_parity.yaml", "-q", "-o", folder / "parts")
    output = json.loads((folder / "parts/result.json").read_text())["outputs"][0]
    launch = (ROOT / kernels / "divergent_parity.yaml").read_text().replace("ptx: ", f"ptx: {ROOT / kernels}/")
    (folder / "checked.yaml").write_text(f"{launch}verify: [{{buffer: {output['buffer']}, fnv1a64: \"{output['fnv1a64']}\"}}]\n")
    gpuloom("run", folder / "checked.yaml", "-q", "-o", folder / "checked", "--html", folder / "checked.html")
    gpuloom("run", f"{kernels}/column_walk.yaml", "-q", "-o", folder / "columns", "--html", folder / "columns.html")
    gpuloom("pipeline", "--suite", "bench/silicon", "--case", "producer_consumer_w4", "-q", "-o", folder / "phases", "--html", folder / "phases.html")
    views = [v for file in [*pages, *(folder / f"{n}.html" for n in ("checked", "columns", "phases"))] for v in views_of(browser, file)]
    rows = ROW.findall((ROOT / "docs/how_to/report_questions.md").read_text())
    expect(len(rows) >= 25, f"{len(rows)} questions")
    for number, _, names, where in rows:
        names = names.split(", ")
        for name in names:
            expect(any(title == name for title, _ in views), f"question {number} names the view {name}, which no page has")
        for words in re.findall(r"\*(.+?)\*", where):
            expect(any(title in names and words.lower() in text for title, text in views), f"question {number}: '{words}' is not in {names}")
