"""Balls that lie against a cushion: declared frozen in pool (WPA 8.4), as measured in WEPF (G(4))."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.table.games import PIECES
from calibration.table.specs import BRITISH_POOL_TABLE, WPA_TABLE, CushionName, TableSpec
from referee.facts.calls import Frozen, Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.answers import OTHER_QUESTIONS, facts_of_labels
from referee.match.games.fold import EYES
from referee.match.games.frozen import declared
from referee.match.referee import Referee
from referee.match.snooker.intake import stroke_seen
from tests.support.game_script import GameScript, Place, spread
from tracker.events import Contact, CushionHit, StrokeRecord

TOLD = Start("A", None, (0, 0), assumed=False)
ASKED = (
    "Did a ball reach a cushion after the first contact? "
    "One that lay frozen to its cushion has to leave it first."
)


def at_left(table: TableSpec, y_mm: float, off_mm: float = 0.0) -> Place:
    return (-table.half_width_mm + table.ball_radius_mm + off_mm, y_mm)


def pushed(
    game: str,
    ball: str,
    table: TableSpec = WPA_TABLE,
    *,
    met: str | None = None,
    off_mm: float = 0.0,
    extra: tuple[CushionName, ...] = (),
) -> StrokeRecord:
    """The ball, which lies at the left cushion, is met first and meets that cushion; `met`: it meets that
    ball in between; `extra`: cushions that it meets later.
    """
    others = {
        "wpa_9ball": [str(n) for n in range(2, 10)],
        "blackball": ["yellow_1", "yellow_2", "black", "red_2"],
        "wepf": ["yellow_1", "yellow_2", "black", "red_2"],
    }[game]
    places = {"cue": (0.0, 400.0), ball: at_left(table, 500.0, off_mm), **spread(table, others)}
    script = GameScript(game, table, places)
    record = script.stroke(ball, moves={ball: (-100.0, 560.0)})
    t_s = record.start_s + 0.5
    contacts = record.contacts
    if met is not None:
        pair = (ball, met) if ball < met else (met, ball)
        contacts = (*contacts, Contact(pair, t_s + 0.3, 0.001, 0.999))
    hits = [CushionHit(ball, "left", t_s + (0.6 if met else 0.02), 500.0, 3.0)]
    hits += [CushionHit(ball, cushion, t_s + 1.0, 500.0, 3.0) for cushion in extra]
    return replace(record, contacts=contacts, cushions=tuple(hits))


def judged(
    game: str, record: StrokeRecord, *calls: Frozen, table: TableSpec = WPA_TABLE
) -> tuple[JudgedStroke, Referee]:
    start = replace(TOLD, ball_on="red") if game in ("blackball", "wepf") else TOLD
    referee = Referee(table, start, game=game, calls=calls)
    referee.feed(record)
    referee.close()
    return referee.match.strokes[0], referee


def foul(stroke: JudgedStroke) -> str | None:
    return stroke.foul.clause if stroke.foul else None


@pytest.mark.parametrize("rail", ["left", None])
def test_a_ball_declared_frozen_is_not_driven_to_its_rail(rail: CushionName | None) -> None:
    # WPA 8.4: assumed not to be frozen unless it is declared; 6.3: no rail
    stroke, _ = judged("wpa_9ball", pushed("wpa_9ball", "1"))
    assert (stroke.verdict, foul(stroke)) == ("certain", None)
    stroke, _ = judged("wpa_9ball", pushed("wpa_9ball", "1"), Frozen(0.5, "1", rail))
    assert (stroke.verdict, foul(stroke)) == ("certain", "6.3")


def test_another_ball_declared_another_rail_or_said_after_the_shot_changes_nothing() -> None:
    for call in (Frozen(0.5, "2", "left"), Frozen(0.5, "1", "top"), Frozen(9.0, "1", "left")):
        stroke, _ = judged("wpa_9ball", pushed("wpa_9ball", "1"), call)
        assert (stroke.verdict, foul(stroke)) == ("certain", None)


def test_another_rail_counts_as_ever() -> None:
    stroke, _ = judged("wpa_9ball", pushed("wpa_9ball", "1", extra=("top",)), Frozen(0.5, "1"))
    assert foul(stroke) is None


def test_a_frozen_ball_that_leaves_its_rail_and_returns_is_driven_to_it() -> None:
    # it met the 2, which lay 200 mm from that rail, and came back
    stroke, _ = judged("wpa_9ball", pushed("wpa_9ball", "1", met="2"), Frozen(0.5, "1"))
    assert (stroke.verdict, foul(stroke)) == ("certain", None)


@pytest.mark.parametrize(("answer", "clause"), [("yes", None), ("no", "6.3")])
def test_whether_it_left_is_asked_where_the_images_leave_it_open(answer: str, clause: str | None) -> None:
    record = pushed("wpa_9ball", "1", met="2")
    early = Contact(("2", "3"), record.start_s + 0.6, 0.001, 0.999)  # the 2 had left its place by then
    stroke, referee = judged(
        "wpa_9ball", replace(record, contacts=(*record.contacts, early)), Frozen(0.5, "1")
    )
    assert (stroke.verdict, stroke.question) == ("call", ASKED)
    chosen = next(c for c in stroke.candidates if ("frozen_rail", answer) in c.facts)
    fix = {"target": stroke.entry, **facts_of_labels(dict(chosen.facts))}
    told = referee.correct(Correction(**fix), "Bo").strokes[0]
    assert (told.verdict, foul(told)) == ("certain", clause)


@pytest.mark.parametrize("off_mm", [2.0, 30.0, 300.0])
def test_a_ball_that_is_measured_away_from_the_rail_is_not_frozen_to_it(off_mm: float) -> None:
    """WPA 8.4: what is declared is checked; a gap of four sigma (1.2 mm here) is none of measuring."""
    stroke, referee = judged("wpa_9ball", pushed("wpa_9ball", "1", off_mm=off_mm), Frozen(0.5, "1", "left"))
    assert (stroke.verdict, foul(stroke)) == ("certain", None)
    assert [w.text for w in referee.match.warnings if w.type == "call_refused"] == [
        f"the 1 was declared frozen and lies {off_mm:.1f} mm (± 0.6 mm) from the left rail"
    ]


def test_how_far_off_a_frozen_ball_may_be_measured_its_sigma_says() -> None:
    record = pushed("wpa_9ball", "1", off_mm=2.0)
    record = replace(
        record, before=tuple(replace(b, sigma_mm=1.0) if b.ball == "1" else b for b in record.before)
    )
    stroke, referee = judged("wpa_9ball", record, Frozen(0.5, "1", "left"))
    assert (stroke.verdict, foul(stroke)) == ("certain", "6.3")
    assert not [w for w in referee.match.warnings if w.type == "call_refused"]


def test_a_declared_ball_that_does_not_lie_there_is_said() -> None:
    record = pushed("wpa_9ball", "1")
    record = replace(record, before=tuple(b for b in record.before if b.ball != "9"))
    _, referee = judged("wpa_9ball", record, Frozen(0.5, "9", "left"))
    assert [w.text for w in referee.match.warnings if w.type == "call_refused"] == [
        "the 9 was declared frozen and does not lie on the table"
    ]


def test_a_ball_beside_its_rail_goes_there_though_no_bend_was_seen() -> None:
    # 8.4: not declared it is assumed not to be frozen, and the cue-ball can only have pressed it to the rail
    record = replace(pushed("wpa_9ball", "1"), cushions=())
    stroke, _ = judged("wpa_9ball", record)
    assert (stroke.verdict, foul(stroke)) == ("call", None)
    stroke, _ = judged("wpa_9ball", record, Frozen(0.5, "1", "left"))
    assert (stroke.verdict, foul(stroke)) == ("certain", "6.3")


def test_black_ball_declares_as_pool_does() -> None:
    record = pushed("blackball", "red_1", BRITISH_POOL_TABLE)
    stroke, _ = judged("blackball", record, table=BRITISH_POOL_TABLE)
    assert foul(stroke) is None
    stroke, _ = judged("blackball", record, Frozen(0.5, "red", "left"), table=BRITISH_POOL_TABLE)
    assert (stroke.verdict, foul(stroke) is not None) == ("certain", True)


def test_in_wepf_a_ball_pressed_into_its_cushion_counts_by_what_is_measured() -> None:
    # G(4)(a): nobody has to declare it
    stroke, _ = judged("wepf", pushed("wepf", "red_1", BRITISH_POOL_TABLE), table=BRITISH_POOL_TABLE)
    assert (stroke.verdict, stroke.question) == ("call", ASKED)
    off = pushed("wepf", "red_1", BRITISH_POOL_TABLE, off_mm=20.0)
    stroke, _ = judged("wepf", off, table=BRITISH_POOL_TABLE)
    assert (stroke.verdict, foul(stroke)) == ("certain", None)


@pytest.mark.parametrize("game", list(EYES))
def test_an_answer_to_whatever_a_game_asks_is_kept(game: str) -> None:
    for thing in EYES[game].order:
        assert facts_of_labels({thing: "yes"}), thing
    assert "frozen_rail" in OTHER_QUESTIONS


@pytest.mark.parametrize(("times", "said"), [(1, {0.5}), (2, {1.0})])
def test_of_two_reds_at_one_rail_of_which_one_is_declared_nobody_knows_which(
    times: int, said: set[float]
) -> None:
    """Said once, either may be meant; said twice, both are frozen."""
    table = BRITISH_POOL_TABLE
    places = {"cue": (0.0, 400.0), "red_1": at_left(table, 500.0, 0.1), "red_3": at_left(table, 800.0)}
    seen = stroke_seen(
        GameScript("blackball", table, places).stroke("red_1"), table, False, PIECES["blackball"]
    )
    found = declared([Frozen(1.0, "red", "left")] * times, seen, table)
    assert set(found) == {("red_1", "left"), ("red_3", "left")} and set(found.values()) == said
