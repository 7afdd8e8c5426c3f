# SPDX-License-Identifier: Apache-2.0
"""Tables: pandas.DataFrame. pandas is imported by the first one, because that takes longer than a kernel."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    import pandas

    Table = pandas.DataFrame
else:
    Table = Any
Rows = List[Dict[str, Any]]


def table(rows: Rows) -> "Table":
    """A DataFrame of the rows."""
    import pandas as library  # pylint: disable=import-outside-toplevel

    return library.DataFrame(rows)
