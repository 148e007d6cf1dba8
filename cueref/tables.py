"""Results as data frames of pandas, on request (`pip install 'cueref[data]'`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def data_frame(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """One row a mapping, the columns in this order even where there is no row.

    Raises ImportError, with what to install, where pandas is missing.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise ImportError("data frames need pandas: pip install 'cueref[data]'") from None
    return pd.DataFrame(list(rows), columns=list(columns))
