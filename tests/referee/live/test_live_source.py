"""The console's document of a running match: read bit by bit it says what a whole reading says, and nobody's
is not read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import Scene

from calibration.table.specs import SNOOKER_TABLE
from referee.console.match_view import MatchView
from referee.facts.calls import Nomination
from referee.facts.corrections import Correction
from referee.live.pages import live_source
from referee.live.pages.live_source import LiveSource
from referee.match.referee import Referee
from referee.outputs.convert import hand_json, stroke_json


class Engine:
    """Answers at once, in the thread that asks."""

    running, recording = True, None

    def __init__(self, referee: Referee) -> None:
        self.match: Any = SimpleNamespace(
            terms=SimpleNamespace(match_id="m"), folder=Path("."), watch=SimpleNamespace(referee=referee)
        )
        self.looks = 0

    def look(self, work: Callable[[Any], Any], timeout_s: float = 0.0) -> Any:
        self.looks += 1
        return work(self.match)

    on_thread = look


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(
        live_source, "empty_document", lambda match: {"game": "snooker", "video": None, "calibration": None}
    )
    return Engine(Referee(SNOOKER_TABLE))


def whole(referee: Referee) -> dict[str, Any]:
    m = referee.match
    return {
        "strokes": [stroke_json(s) for s in m.strokes],
        "hands": [hand_json(h) for h in m.hands],
        "score": list(m.score),
        "warnings": len(m.warnings),
        "spotting": len(m.spotting),
    }


def read(source: LiveSource) -> dict[str, Any]:
    source.heard(SimpleNamespace(body=None))  # type: ignore[arg-type]  # something was judged
    d: Any = source.document()
    return {
        **{k: d[k] for k in ("strokes", "hands", "score")},
        "warnings": len(d["warnings"]),
        "spotting": len(d["spotting"]),
    }


def events() -> list[Any]:
    s = Scene()
    return [
        s.stroke("red_1", ["red_1"]),
        s.stroke("black", ["black"]),
        s.hand("respot", "black", (0.0, 3245.0)),
        s.stroke("red_2", ["red_2"]),
        s.stroke("pink"),
        s.stroke("blue"),
        s.stroke("red_3", ["red_3"]),
        s.stroke(None),
        s.stroke("red_4"),
    ]


def test_a_document_read_after_every_stroke_is_the_one_read_at_the_end(engine: Engine) -> None:
    referee = engine.match.watch.referee
    source = LiveSource(engine, "m")  # type: ignore[arg-type]  # what it needs of an engine
    for event in events():
        referee.feed(event)
        assert read(source) == whole(referee)
    referee.close()
    assert read(source) == whole(referee)


def test_corrections_of_earlier_strokes_are_in_the_next_document(engine: Engine) -> None:
    referee = engine.match.watch.referee
    source = LiveSource(engine, "m")  # type: ignore[arg-type]
    for event in events():
        referee.feed(event)
    before = read(source)
    first = next(e.id for e in referee.journal.entries("stroke"))
    referee.correct(Correction(first, drop=True), "Rea")
    assert read(source) == whole(referee) != before
    referee.call(Nomination(before["strokes"][4]["start_s"] - 0.1, "A", "blue"), "Rea")
    assert read(source) == whole(referee)


def test_a_restarted_referee_is_read_from_its_first_entry(engine: Engine) -> None:
    source = LiveSource(engine, "m")  # type: ignore[arg-type]
    for event in events()[:3]:
        engine.match.watch.referee.feed(event)
    assert len(read(source)["strokes"]) == 2
    again = engine.match.watch.referee = Referee(SNOOKER_TABLE)
    again.feed(events()[0])
    assert read(source) == whole(again)


def test_a_match_that_no_page_asks_for_costs_the_engine_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = LiveSource(engine, "m")  # type: ignore[arg-type]
    opened = MatchView("m", source)
    referee, looks = engine.match.watch.referee, engine.looks
    for event in events():
        referee.feed(event)
        source.heard(SimpleNamespace(body=None))  # type: ignore[arg-type]
        assert opened.refresh() and not opened.refresh()
    assert engine.looks == looks
    assert len(opened.document["strokes"]) == len(referee.match.strokes) and engine.looks == looks + 1
    assert opened.document is opened.document and engine.looks == looks + 1
    monkeypatch.setattr(live_source, "LET_GO_S", -1.0)
    opened.refresh()
    assert len(opened.document["strokes"]) == len(referee.match.strokes) and engine.looks == looks + 2
