# SPDX-License-Identifier: Apache-2.0
"""Exceptions. All that the simulator reports derive from Error."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._results import Result, Run


class Error(Exception):
    """Something that the caller can mend, or the simulated program's own failure.

    str() is the whole message, with position and hint. Positions count from 1; 0 and "" mean unknown.
    """

    exit_code = 70

    def __init__(self, text: str, message: str = "", hint: str = "", file: str = "", line: int = 0,
                 column: int = 0) -> None:
        super().__init__(text if not hint or hint in text else f"{text} ({hint})")
        self.message = message or text
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column


class VerificationError(Error):
    """An output differs from what was expected."""

    exit_code = 1


class UsageError(Error):
    """A wrong call: an unknown name, an argument that makes no sense."""

    exit_code = 2


class InputError(Error):
    """Malformed PTX, YAML or data, or a launch that the device refuses (the message has CUDA's error name)."""

    exit_code = 3


class UnsupportedError(Error):
    """Valid input that gpuloom does not model."""

    exit_code = 4


class ProgramError(Error):
    """The simulated program failed: a fault, a deadlock, a cycle limit."""

    exit_code = 5


class InternalError(Error):
    """A bug of gpuloom."""

    exit_code = 70


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `result` has what was measured up to then (of a launch file, of its last launch), `run` all
    launches of the file; `result.complete` is False."""

    def __init__(self, result: Optional["Result"] = None, run: Optional["Run"] = None) -> None:
        super().__init__("the run was interrupted")
        self.result = result
        self.run = run


class DtypeWarning(UserWarning):
    """An array's element type is probably not what the kernel takes."""


_KINDS = {k.exit_code: k for k in (VerificationError, UsageError, InputError, UnsupportedError, ProgramError,
                                   InternalError)}


def from_native(kind: int, text: str, message: str, hint: str, file: str, line: int, column: int) -> Error:
    """The exception for an error of the C++ side."""
    return _KINDS.get(kind, InternalError)(text, message, hint, file, line, column)
