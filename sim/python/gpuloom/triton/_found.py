# SPDX-License-Identifier: Apache-2.0
"""The Triton that is installed: its modules by name, without types (it brings none)."""
from __future__ import annotations

import importlib
from typing import Any

from .._errors import UnsupportedError, UsageError

VERSION = "3.9"  # whose driver interface this package speaks


def _triton() -> Any:
    try:
        found = importlib.import_module("triton")
    except ImportError as problem:
        raise UsageError(f"Triton cannot be imported: {problem}", hint=f"pip install 'triton=={VERSION}.*'") from None
    version = str(getattr(found, "__version__", "unknown"))
    if not version.startswith(VERSION + "."):
        raise UnsupportedError(f"Triton {version} has another driver interface than {VERSION}, which gpuloom.triton speaks",
                               hint=f"pip install 'triton=={VERSION}.*'")
    return found


triton = _triton()


def module(name: str) -> Any:
    """A module of Triton's: module("backends.driver")."""
    return importlib.import_module(f"triton.{name}")
