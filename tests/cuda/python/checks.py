# SPDX-License-Identifier: Apache-2.0
"""Checks that a program runs by name: a line each, and PASS or FAIL behind them."""
import sys
import traceback

_CHECKS = []


def check(function):
    _CHECKS.append(function)
    return function


def run():
    """Runs the checks that the command line names, or all; the program's exit code."""
    wanted, failed = set(sys.argv[1:]), 0
    for function in _CHECKS:
        if wanted and function.__name__ not in wanted:
            continue
        try:
            function()
            print("ok", function.__name__, flush=True)
        except Exception:  # pylint: disable=broad-except  # the others shall run too
            failed += 1
            traceback.print_exc()
            print("FAILED", function.__name__, flush=True)
    print(f"FAIL: {failed} of {len(_CHECKS)}" if failed else "PASS")
    return 1 if failed else 0
