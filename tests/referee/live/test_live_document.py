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
from referee.facts.calls import Nomination
from referee.facts.corrections import Correction
from referee.live.pages import match as web_match
from referee.live.pages.match import LiveBench, LiveOpened
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
    monkeypatch.setattr(web_match, "_base", lambda match: {"game": "snooker"})
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


def read(bench: LiveBench) -> dict[str, Any]:
    d: Any = bench.document()
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
    bench = LiveBench(engine, "m")  # type: ignore[arg-type]  # what it needs of an engine
    for event in events():
        referee.feed(event)
        assert read(bench) == whole(referee)
    referee.close()
    assert read(bench) == whole(referee)


def test_what_people_say_of_earlier_strokes_is_in_the_next_document(engine: Engine) -> None:
    referee = engine.match.watch.referee
    bench = LiveBench(engine, "m")  # type: ignore[arg-type]
    for event in events():
        referee.feed(event)
    before = read(bench)
    first = next(e.id for e in referee.journal.entries("stroke"))
    referee.correct(Correction(first, drop=True), "Rea")
    assert read(bench) == whole(referee) != before
    referee.call(Nomination(before["strokes"][4]["start_s"] - 0.1, "A", "blue"), "Rea")
    assert read(bench) == whole(referee)


def test_a_referee_begun_again_is_read_from_its_beginning(engine: Engine) -> None:
    bench = LiveBench(engine, "m")  # type: ignore[arg-type]
    for event in events()[:3]:
        engine.match.watch.referee.feed(event)
    assert len(read(bench)["strokes"]) == 2
    again = engine.match.watch.referee = Referee(SNOOKER_TABLE)
    again.feed(events()[0])
    assert read(bench) == whole(again)


def test_a_match_that_no_page_asks_for_costs_the_engine_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = LiveOpened(engine, "m")  # type: ignore[arg-type]
    referee, looks = engine.match.watch.referee, engine.looks
    for event in events():
        referee.feed(event)
        opened.heard(SimpleNamespace(body=None))  # type: ignore[arg-type]
        assert opened.refresh() and not opened.refresh()
    assert engine.looks == looks
    assert len(opened.document["strokes"]) == len(referee.match.strokes) and engine.looks == looks + 1
    assert opened.document is opened.document and engine.looks == looks + 1
    monkeypatch.setattr(web_match, "LET_GO_S", -1.0)
    opened.refresh()
    assert len(opened.document["strokes"]) == len(referee.match.strokes) and engine.looks == looks + 2
