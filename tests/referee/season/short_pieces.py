"""The command line whose workers take a recording of 18 s for a long one, and die where they are told to.

`python short_pieces.py batch ...`: processes of a local cluster import this file as the first one does. For
others: `dask worker ADDRESS --preload short_pieces.py`. The folder DIES_IN, where it is named, gets a file
for each place at which a worker has died; each happens once.
"""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.journal import store
from referee.review import perception, pieces
from referee.season import work

perception.PIECE_S, work.LONG_S = 6.0, 12.0
PLACES = ("splitting", "piece", "joining", "between recordings")


def die(place: str) -> None:
    """End this process as a power cut would, the first time."""
    mark = Path(os.environ["DIES_IN"]) / place
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def dying(place: str, work_of: Callable[..., Any]) -> Callable[..., Any]:
    """The work, and death when it is done and nobody has been told."""

    @functools.wraps(work_of)
    def done(*given: Any, **named: Any) -> Any:
        result = work_of(*given, **named)
        die(place)
        return result

    return done


def joining(join: Callable[..., Any]) -> Callable[..., Any]:
    """The joining of pieces, with death at its second stroke, in the middle of a transaction."""
    append = store.Journal.append

    @functools.wraps(join)
    def joined(*given: Any) -> Any:
        kinds: list[str] = []

        def appended(journal: store.Journal, kind: str, *rest: Any) -> Any:
            entry = append(journal, kind, *rest)
            kinds.append(kind)
            if kinds.count("stroke") == 2:
                die("joining")
            return entry

        store.Journal.append = appended  # type: ignore[method-assign]
        try:
            return join(*given)
        finally:
            store.Journal.append = append  # type: ignore[method-assign]

    return joined


if __name__ != "__main__" and "DIES_IN" in os.environ:  # in workers alone
    work.pieces_of = dying("splitting", work.pieces_of)
    pieces.examined = dying("piece", pieces.examined)
    work.review_joined = joining(work.review_joined)
    work._keep = dying("between recordings", work._keep)

if __name__ == "__main__":
    from referee.cli import main

    main()
