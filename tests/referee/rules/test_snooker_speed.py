"""Re-judging is quick, and the rules draw in nothing heavy."""

from __future__ import annotations

import subprocess
import sys
import time

from snooker_random import replay

from referee.rules.snooker import new_frame
from referee.rules.snooker.facts import COLOURS, StrokeFacts


def sixty_strokes() -> list[StrokeFacts]:
    """Safety until sixty strokes are reached, then a break that clears the table."""
    break_ = [b for red in range(15) for b in ("red", "black")] + list(COLOURS)
    safety = [StrokeFacts("AB"[i % 2], ("red",)) for i in range(60 - len(break_))]
    return safety + [StrokeFacts("A", (b,), (b,)) for b in break_]


def test_a_frame_of_sixty_strokes_is_judged_in_five_milliseconds() -> None:
    strokes = sixty_strokes()
    assert len(strokes) == 60
    best = float("inf")
    for _ in range(100):  # the least of them: what else the machine does only adds
        before = time.process_time()
        state, rulings = replay(new_frame(), strokes)
        best = min(best, time.process_time() - before)
    assert state.over and state.scores == (147, 0) and len(rulings) == 60
    assert best < 0.005


def test_the_table_and_the_rules_import_nothing_heavy() -> None:
    code = (
        "import sys, calibration.table.specs, referee.rules.snooker, referee.rules.snooker.match;"
        "print(sorted({'cv2', 'numpy', 'shapely', 'onnxruntime', 'av', 'scipy'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "[]"
