"""`cueref bench` whose chunks of strokes take no work: the first is whole at once, the others never end."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from referee.quality.bench import run
from referee.quality.bench.tracks.tier import TrackChunk, TrackPlan


def chunk(plan: TrackPlan) -> TrackChunk:
    if plan.number:
        time.sleep(600.0)
    return TrackChunk((), (), 0.0)


if __name__ == "__main__":
    from referee.cli import main

    sys.path.insert(0, str(Path(__file__).parent))
    from slow_bench import chunk as importable  # the processes find it under the module's name

    run.measure_chunk = importable
    main()
