# SPDX-License-Identifier: Apache-2.0
"""How `with` ends for what has work under way."""
from __future__ import annotations

from types import TracebackType
from typing import Optional, Type


class Closing:
    """Waits for its work where nothing was raised, and closes in any case."""

    def synchronize(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            if kind is None:
                self.synchronize()
        finally:
            self.close()
