# SPDX-License-Identifier: Apache-2.0
"""python -m gpuloom.triton [--timed] [-c CONFIG] SCRIPT ...: a script whose Triton kernels run on a simulated GPU."""
from __future__ import annotations

import argparse
import os
import runpy
import sys


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gpuloom.triton", description="Runs a script whose Triton kernels run on a simulated GPU.")
    parser.add_argument("--timed", action="store_true", help="with time: cycles, and what do_bench measures")
    parser.add_argument("-c", "--config", default="h200", help="the GPU")
    parser.add_argument("-s", "--set", action="append", default=[], metavar="KEY=VALUE", help="overrides of the configuration")
    parser.add_argument("--summary", action="store_true", help="at the end, time by kernel")
    parser.add_argument("script")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    from .._config import Config
    from ._session import use
    overrides = dict(text.partition("=")[::2] for text in options.set)
    with use(Config(options.config, overrides), mode="timed" if options.timed else "functional") as gpu:
        sys.argv[:] = [options.script, *options.args]
        sys.path[0] = os.path.dirname(os.path.abspath(options.script))
        runpy.run_path(options.script, run_name="__main__")
        if options.summary:
            print(gpu.program().summary(), end="", file=sys.stderr)


if __name__ == "__main__":
    main()
