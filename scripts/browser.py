# SPDX-License-Identifier: Apache-2.0
"""A browser for the report's pages: Playwright, and a Chromium that starts. scripts/setup --browser installs both."""
import os
import pathlib
import shutil
import sys

OWN = pathlib.Path(__file__).resolve().parent.parent / "build/browser/bin/python"


def playwright():
    """Playwright's sync_playwright; None where it is nowhere. Where only build/browser has it, the program starts again there."""
    try:
        from playwright.sync_api import sync_playwright  # pylint: disable=import-outside-toplevel
    except ImportError:
        if OWN.exists() and os.path.abspath(sys.executable) != str(OWN):
            os.execv(OWN, [str(OWN), *sys.argv])
        return None
    return sync_playwright


def chromium(play):
    """Playwright's own, or the system's: the program itself, as a wrapper may print of its own. None where none starts."""
    for path in (None, "/usr/lib/chromium/chromium", *(shutil.which(n) for n in ("chromium", "google-chrome", "chromium-browser"))):
        if path is not None and not os.path.exists(path):
            continue
        try:
            return play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Exception:  # pylint: disable=broad-exception-caught
            continue
    return None
