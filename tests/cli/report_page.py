# SPDX-License-Identifier: Apache-2.0
"""A page of gpuloom in a browser, for report_test.py: opened, silent, alone."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from decimal import ROUND_HALF_UP, Decimal

GPULOOM, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
PICTURES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None

sys.path.insert(0, str(ROOT / "scripts"))
import browser  # noqa: E402  pylint: disable=wrong-import-position


def or_skipped(found, why):
    if found is not None:
        return found
    print(f"SKIPPED: the report was NOT tried in a browser, because {why} (scripts/setup --browser)", file=sys.stderr)
    sys.exit(77)


sync_playwright = or_skipped(browser.playwright(), "Playwright is not here")


def chromium(play):
    return or_skipped(browser.chromium(play), "no Chromium starts")


def gpuloom(*words):
    subprocess.run([GPULOOM, *map(str, words)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def plain(value):
    """As the page writes a number."""
    if value is None:
        return "n/a"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) < 0.01:
        return None  # written another way; compared as a number elsewhere
    return f"{Decimal(value).quantize(Decimal('0.01'), ROUND_HALF_UP):,}"  # as browsers round what lies in the middle


checks = []


def expect(condition, words):
    checks.append(words)
    if not condition:
        raise AssertionError(words)


def comes(condition, words, seconds=120):
    """For what a browser does in its next frame or event, whenever a busy machine gives it its turn."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    expect(condition(), words)


class Page:
    """A page that must stay silent and alone."""

    def __init__(self, browser, file, width=1280, theme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce")
        self.context.set_default_timeout(300_000)  # ms, also on a busy machine
        self.page, self.said, self.asked = self.context.new_page(), [], []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("request", lambda r: self.asked.append(r.url))
        started = time.monotonic()
        self.page.goto(pathlib.Path(file).as_uri())
        self.page.wait_for_selector("#contents a")
        self.seconds = time.monotonic() - started

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            expect(self.said == [], f"the console says {self.said}")
            expect(all(u.startswith(("file:", "data:")) for u in self.asked) and len(self.asked) == 1, f"the page asks for {self.asked}")
        self.context.close()

    def wait_for_frames(self):
        """Until what was put off to the next frame is drawn."""
        self.page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def views(self):
        return self.page.eval_on_selector_all("section.view", "all => all.map(s => s.id)")

    def picture(self, view, name):
        if PICTURES:
            PICTURES.mkdir(parents=True, exist_ok=True)
            self.page.evaluate("id => document.getElementById(id).scrollIntoView()", view)
            self.page.screenshot(path=str(PICTURES / (name + ".png")))
