# SPDX-License-Identifier: Apache-2.0
"""The program `gpuloom` that comes with the package."""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import List, NoReturn

from ._errors import from_native

PROGRAM = pathlib.Path(__file__).parent / "_native" / "gpuloom"


def run_program(arguments: List[str]) -> str:
    """Runs the program and returns what it printed; raises the exception of its exit code."""
    done = subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip()
        raise from_native(done.returncode, lines or f"gpuloom ended with {done.returncode}", lines, "", "", 0, 0)
    return done.stdout


def main() -> NoReturn:
    """The command `gpuloom`."""
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
