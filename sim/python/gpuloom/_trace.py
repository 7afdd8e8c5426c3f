# SPDX-License-Identifier: Apache-2.0
"""Timelines of what happened on the SMs."""
from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import Optional, Sequence, Tuple, Union

from ._errors import UsageError
from ._native import _core

_FORMATS = {".json": "perfetto", ".kanata": "konata", ".vcd": "vcd"}


@dataclass(frozen=True)
class Trace:
    """A trace of timed launches. The end of `file` says which: .json is a timeline for ui.perfetto.dev, .kanata the
    instruction pipeline for Konata, .vcd signals over time. sms: which SMs. window: cycles of the launch, first and
    last; None records all of them, but issue slots only of 50,000 cycles. A .json holds all launches of its device,
    the others the last one."""

    file: Union[str, "os.PathLike[str]"]
    sms: Sequence[int] = (0,)
    window: Optional[Tuple[int, int]] = None

    def _repr_html_(self) -> str:
        name = os.fspath(self.file)
        there = f"{os.path.getsize(name) / 1e6:.1f} MB" if os.path.isfile(name) else "not written yet"
        viewer = {".json": "<a href='https://ui.perfetto.dev'>ui.perfetto.dev</a>", ".kanata": "Konata", ".vcd": "a viewer of signals"}.get(os.path.splitext(name)[1], "")
        return f"<b>Trace</b> {html.escape(name)}: {there}, SM {', '.join(map(str, self.sms))}. Open it in {viewer}."


TraceLike = Union[str, "os.PathLike[str]", Trace, None]


def native_trace(trace: TraceLike) -> "_core.TraceChoice":
    """What the compiled part takes. UsageError for an ending that names no format."""
    choice = _core.TraceChoice()
    if trace is None:
        return choice
    wanted = trace if isinstance(trace, Trace) else Trace(trace)
    base, ending = os.path.splitext(os.fspath(wanted.file))
    if ending not in _FORMATS:
        raise UsageError(f"a trace cannot be written as '{os.fspath(wanted.file)}'",
                         hint=".json is for Perfetto, .kanata for Konata, .vcd for viewers of signals")
    folder = os.path.dirname(base)
    if folder and not os.path.isdir(folder):
        raise UsageError(f"cannot write the trace: the folder '{folder}' does not exist")
    choice.format, choice.base, choice.sms = _FORMATS[ending], base, list(wanted.sms)
    if wanted.window is not None:
        choice.begin, choice.end = wanted.window
        if not 0 <= choice.begin < choice.end:
            raise UsageError(f"{wanted.window!r} is not a window of cycles", hint="(5000, 6000)")
    return choice
