"""English billiards from what is seen: in-hand, baulk, touching balls, both balls at once, the crossing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE
from referee.facts.calls import AgreedRules, Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.journal import Journal
from referee.match.referee import Referee, open_referee
from tests.support.game_script import GameScript, Place
from tracker.events import CushionHit, HandMove, Reached, StrokeRecord, TouchingPair, TrackerEvent

TABLE = SNOOKER_TABLE
LINE = 737.0
TOLD = Start("A", None, (0, 0), assumed=False)


def strokes(events: Sequence[TrackerEvent], referee: Referee | None = None) -> tuple[JudgedStroke, ...]:
    """Feed events, close, and give the strokes as they stand."""
    referee = referee or Referee(TABLE, TOLD, game="english_billiards")
    for event in events:
        referee.feed(event)
    referee.close()
    return referee.match.strokes


def game(**places: Place) -> GameScript:
    lying = {"white": (0.0, 1000.0), "yellow": (500.0, 2000.0), "red": (0.0, 2600.0)} | places
    return GameScript("english_billiards", TABLE, lying)


def in_off(script: GameScript, white_at: Place, **moves: Place) -> list[TrackerEvent]:
    """A goes in-off the red, which may come to lie elsewhere, and takes his ball in-hand to `white_at`."""
    record = script.stroke("red", ("white", "TL"), cue="white", moves=moves)
    script.places["white"] = white_at
    return [record, HandMove("in_hand", "white", None, (*white_at, 0.3), script.t_s - 2.0)]


def hit(ball: str, cushion: str, t_s: float, y_mm: float | None, sigma_mm: float = 4.0) -> CushionHit:
    return CushionHit(ball, cushion, t_s, y_mm, sigma_mm)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "verdict", "clause"),
    [
        ((0.0, 600.0), "certain", None),
        ((291.0, 736.5), "certain", None),  # on the corner of the D, as far as the camera tells
        ((0.0, LINE + 40.0), "certain", "3.14(e)"),
        ((-320.0, 700.0), "certain", "3.14(e)"),  # below the line, beside the D
        ((0.0, LINE + 1.0), "call", None),
        ((0.0, LINE + 700.0), "call", None),  # rather it was not in-hand
    ],
)
def test_from_in_hand_the_cue_ball_is_struck_within_the_d(
    place: Place, verdict: str, clause: str | None
) -> None:
    # 3.6, 3.14(e)
    script = game()
    events = [*in_off(script, place), script.stroke("yellow", cue="white")]
    judged = strokes(events)[1]
    assert judged.verdict == verdict
    if verdict == "certain":
        assert (judged.foul.clause if judged.foul else None) == clause
    else:
        assert judged.question == "Was the cue-ball played from within the D?"


def test_the_answer_whether_it_lay_in_the_d_settles_the_stroke() -> None:
    script = game()
    referee = Referee(TABLE, TOLD, game="english_billiards")
    events = [*in_off(script, (0.0, LINE + 1.0)), script.stroke("yellow", cue="white")]
    asked = strokes(events, referee)[1]
    referee.correct(Correction(asked.entry, in_d=False), "Bo")
    judged = referee.match.strokes[1]
    assert judged.verdict == "certain" and judged.foul is not None and judged.foul.clause == "3.14(e)"


@pytest.mark.parametrize(
    ("red_y_mm", "verdict", "foul"),
    [(500.0, "certain", True), (LINE + 30.0, "certain", False), (LINE, "call", None)],
)
def test_a_ball_in_baulk_may_not_be_played_on_directly_from_in_hand(
    red_y_mm: float, verdict: str, foul: bool | None
) -> None:
    # 3.6(f): not even a part of it above the line; 2.14: on the line is in baulk
    script = game()
    first = in_off(script, (0.0, 600.0), red=(600.0, red_y_mm))
    judged = strokes([*first, script.stroke("red", cue="white")])[1]
    assert judged.verdict == verdict
    if foul is not None:
        assert (judged.foul is not None) == foul
        assert judged.foul is None or judged.foul.clause == "3.14(e)"
    else:
        assert judged.question == "Did the red lie in baulk, on the baulk-line or below it?"


@pytest.mark.parametrize(
    ("cushion", "y_mm", "verdict", "foul"),
    [
        ("top", None, "certain", False),
        ("left", 1500.0, "certain", False),
        ("left", 300.0, "certain", True),
        ("bottom", None, "certain", True),
        ("left", LINE + 3.0, "call", None),
        ("left", None, "call", None),
    ],
)
def test_only_a_cushion_out_of_baulk_opens_the_way_to_a_ball_in_baulk(
    cushion: str, y_mm: float | None, verdict: str, foul: bool | None
) -> None:
    # 3.6(d), (e)
    script = game()
    first = in_off(script, (0.0, 600.0), red=(600.0, 500.0))
    record = script.stroke("red", cue="white")
    record = replace(record, cushions=(hit("white", cushion, record.start_s + 0.3, y_mm),))
    judged = strokes([*first, record])[1]
    assert judged.verdict == verdict
    if foul is not None:
        assert (judged.foul is not None) == foul
    else:
        assert judged.question == "Did the cue-ball meet a cushion out of baulk before it met a ball?"


def test_a_contact_that_is_hardly_likely_comes_before_no_cushion() -> None:
    # 3.6(d): the top cushion first, whatever an unlikely explanation has before it
    script = game()
    first = in_off(script, (0.0, 600.0), red=(600.0, 500.0))
    record = script.stroke("red", cue="white")
    cushion, (met,) = hit("white", "top", record.start_s + 0.3, None), record.contacts
    early = replace(met, t_s=record.start_s + 0.1, confidence=0.002)
    record = replace(record, cushions=(cushion,), contacts=(early, replace(met, confidence=0.998)))
    judged = strokes([*first, record])[1]
    assert judged.verdict == "certain" and judged.foul is None


def test_a_cushion_in_baulk_may_be_played_before_a_ball_out_of_baulk() -> None:
    # 3.6(e)
    script = game()
    first, record = in_off(script, (0.0, 600.0)), script.stroke("yellow", cue="white")
    record = replace(record, cushions=(hit("white", "bottom", record.start_s + 0.3, None),))
    judged = strokes([*first, record])[1]
    assert judged.verdict == "certain" and judged.foul is None


@pytest.mark.parametrize(
    ("end_y_mm", "verdict", "clause"),
    [(400.0, "certain", "3.14(e)"), (1500.0, "certain", "3.14(n)"), (LINE, "call", None)],
)
def test_a_cue_ball_that_meets_nothing_has_to_come_out_of_baulk(
    end_y_mm: float, verdict: str, clause: str | None
) -> None:
    # 3.6(c), (d); 3.14(n): with a ball out of baulk a miss from in-hand is a foul
    script = game()
    first = in_off(script, (0.0, 600.0))
    judged = strokes([*first, script.stroke(None, cue="white", moves={"white": (300.0, end_y_mm)})])[1]
    assert judged.verdict == verdict
    assert clause is None or (judged.foul is not None and judged.foul.clause == clause)


def test_a_miss_from_in_hand_with_both_balls_in_baulk_is_no_foul() -> None:
    # 3.16: two points, and the turn passes
    script = game(yellow=(500.0, 400.0))
    first = in_off(script, (0.0, 600.0), red=(600.0, 500.0))
    record = script.stroke(None, cue="white", moves={"white": (0.0, 2000.0)})
    judged = strokes([*first, record])[1]
    assert judged.verdict == "certain" and judged.foul is None and judged.score == (3, 2)


def test_where_a_recording_begins_a_ball_in_the_d_may_have_been_in_hand() -> None:
    for places, verdict in (((600.0, 500.0), "call"), ((600.0, 1500.0), "certain")):
        script = game(white=(0.0, 600.0), red=places)
        (judged,) = strokes([script.stroke("red", cue="white")])
        assert judged.verdict == verdict
    (judged,) = strokes([game(white=(0.0, 900.0), red=(600.0, 500.0)).stroke("red", cue="white")])
    assert judged.verdict == "certain" and judged.foul is None


def foul_by_a(script: GameScript) -> StrokeRecord:
    """A misses everything: 3.14(n), B has the options of 3.15(c)."""
    return script.stroke(None, cue="white", moves={"white": (0.0, 1100.0)})


def test_after_a_foul_balls_on_their_spots_were_put_there_for_a_stroke_from_in_hand() -> None:
    # 3.15(c)(ii), then 3.6
    script = game()
    first = foul_by_a(script)
    spots = TABLE.spots
    script.places |= {"red": spots["black"], "white": spots["blue"], "yellow": (0.0, 600.0)}
    proper = strokes([first, script.stroke("white", cue="yellow")])[1]
    assert proper.verdict == "certain" and proper.foul is None
    script = game()
    first = foul_by_a(script)
    script.places |= {"red": spots["black"], "white": spots["blue"], "yellow": (0.0, LINE + 60.0)}
    outside = strokes([first, script.stroke("white", cue="yellow")])[1]
    assert outside.verdict == "certain"
    assert outside.foul is not None and outside.foul.clause == "3.14(e)"


def test_a_red_that_is_spotted_after_a_foul_is_no_choice_to_play_from_in_hand() -> None:
    # 3.15(c)(i): a red off the table is correctly spotted, the object white stays
    script = game()
    record = script.stroke("red", ("red", "TL"), cue="white")
    first = replace(record, off_table=("white",), after=tuple(b for b in record.after if b.ball != "white"))
    script.places |= {"red": TABLE.spots["black"]}
    del script.places["white"]
    back = HandMove("respot", "red", None, (*TABLE.spots["black"], 0.3), script.t_s - 2.0)
    foul, judged = strokes([first, back, script.stroke("red", cue="yellow")])
    assert foul.foul is not None and foul.foul.clause == "3.14(i)"
    assert judged.striker == "B" and judged.foul is None


def test_after_a_foul_balls_as_they_lay_are_played_from_where_they_lie() -> None:
    # 3.15(c)(i)
    script = game()
    judged = strokes([foul_by_a(script), script.stroke("red", cue="yellow")])[1]
    assert judged.verdict == "certain" and judged.foul is None


@pytest.mark.parametrize(
    ("gap_mm", "sigma_mm", "verdict", "in_hand"),
    [(0.0, 0.05, "certain", True), (6.0, 0.5, "certain", False), (0.5, 0.5, "call", None)],
)
def test_a_striker_whose_ball_touches_another_plays_on_from_in_hand(
    gap_mm: float, sigma_mm: float, verdict: str, in_hand: bool | None
) -> None:
    # 3.13
    script = game()
    apart = TABLE.ball_diameter_mm + gap_mm
    moves = {"white": (0.0, 2600.0), "red": (apart, 2600.0)}
    record = script.stroke("red", met=[("white", "yellow")], cue="white", moves=moves)
    record = replace(record, touching=(TouchingPair(("red", "white"), gap_mm, sigma_mm),))
    (judged,) = strokes([record])
    assert judged.verdict == verdict
    if in_hand is None:
        assert judged.question == "Do the balls touch that lie together after the stroke?"
    else:
        assert [d[:2] for d in judged.due] == ([("red", "Spot"), ("white", "Centre Spot")] if in_hand else [])


@pytest.mark.parametrize(
    ("apart_mm", "verdict"), [(80.0, "call"), (400.0, "certain")], ids=["near", "too far apart"]
)
def test_an_in_off_of_both_balls_at_once_is_asked_about_where_the_cue_ball_fits_to_both(
    apart_mm: float, verdict: str
) -> None:
    # 3.4(d)(iii): two points of an in-off off both, three off the red first
    script = game(yellow=(apart_mm, 2600.0), white=(20.0, 2000.0))
    record = script.stroke("red", ("white", "TL"), met=[("white", "yellow")], cue="white")
    contacts = (record.contacts[0], replace(record.contacts[1], t_s=record.contacts[0].t_s + 0.002))
    referee = Referee(TABLE, TOLD, game="english_billiards")
    (judged,) = strokes([replace(record, contacts=contacts)], referee)
    assert judged.verdict == verdict
    if verdict == "call":
        assert judged.question == "Which ball did the cue-ball hit first?"
        referee.correct(Correction(judged.entry, first_contact=("red", "yellow")), "Bo")
        (judged,) = referee.match.strokes
        assert judged.verdict == "certain" and judged.points == 4
    else:
        assert judged.points == 5


def break_of(script: GameScript, points: int) -> list[TrackerEvent]:
    """Cannons that leave the balls where they lie."""
    return [script.stroke("red", met=[("white", "yellow")], cue="white") for _ in range(points // 2)]


def crossing(script: GameScript, end_y_mm: float, low_y_mm: float) -> StrokeRecord:
    """A cannon after which the cue-ball lies at `end_y_mm`, having been as low as `low_y_mm`."""
    moves = {"white": (0.0, end_y_mm)}
    record = script.stroke("red", met=[("white", "yellow")], cue="white", moves=moves)
    return replace(record, reached=(Reached("white", low_y_mm, 2600.0),))


@pytest.mark.parametrize(
    ("end_y_mm", "low_y_mm", "verdict", "foul"),
    [
        (500.0, 500.0, "certain", False),
        (1500.0, 1000.0, "certain", True),
        (1500.0, 500.0, "call", None),  # in and out again: the referee's opinion (2.13.2)
        (LINE, LINE, "call", None),
    ],
)
def test_where_it_is_agreed_the_baulk_line_has_to_be_crossed_before_a_hundred(
    end_y_mm: float, low_y_mm: float, verdict: str, foul: bool | None
) -> None:
    # commentary 2.13.1, 2.13.4
    rule = AgreedRules(("baulk_crossing_rule",))
    script = game(white=(0.0, 1000.0))
    events = [*break_of(script, 98), crossing(script, end_y_mm, low_y_mm)]
    for k, event in enumerate(events[40:49], 40):
        assert isinstance(event, StrokeRecord)
        events[k] = replace(event, reached=(Reached("white", 1000.0, 2600.0),))
    referee = Referee(TABLE, TOLD, calls=(rule,), game="english_billiards")
    judged = strokes(events, referee)
    assert [s.verdict for s in judged[:49]] == ["certain"] * 49
    assert judged[49].verdict == verdict
    if foul is not None:
        found = judged[49].foul
        assert (found is not None) == foul
        assert found is None or found.clause == "billiards001 2.13.4"
    else:
        assert judged[49].question == "Did the cue-ball cross the baulk-line into baulk?"


def test_without_that_agreement_nothing_has_to_be_crossed() -> None:
    script = game(white=(0.0, 1000.0))
    judged = strokes([*break_of(script, 98), crossing(script, 1500.0, 1000.0)])
    assert judged[49].verdict == "certain" and judged[49].foul is None and judged[49].score == (100, 0)


def test_agreed_rules_and_places_are_in_the_journal() -> None:
    rule = AgreedRules(("baulk_crossing_rule",))
    with Journal(":memory:") as journal:
        referee = Referee(TABLE, TOLD, calls=(rule,), journal=journal, game="english_billiards")
        script = game(white=(0.0, 1000.0))
        strokes([*break_of(script, 98), crossing(script, 1500.0, 1000.0)], referee)
        assert open_referee(journal).match == referee.match


@pytest.mark.parametrize("told", [(10, 5), (0, 0)])
def test_a_game_that_is_begun_with_one_white_in_hand_keeps_its_points(told: tuple[int, int]) -> None:
    # 2.12: a white in a pocket is in-hand until its owner's turn; the red lies elsewhere
    script = GameScript("english_billiards", TABLE, {"white": (0.0, 1000.0), "red": (300.0, 2600.0)})
    referee = Referee(TABLE, Start("A", None, told, assumed=False), game="english_billiards")
    (judged,) = strokes([script.stroke("red", ("red", "TL"), cue="white")], referee)
    assert judged.verdict == "certain" and judged.score == (told[0] + 3, told[1])
    assert not judged.foul


def test_the_opening_stroke_is_played_from_the_d() -> None:
    # 3.2, 3.14(e) "including at the opening stroke"
    for place, clause in (((0.0, 600.0), None), ((0.0, LINE + 50.0), "3.14(e)")):
        script = GameScript("english_billiards", TABLE, {"white": place, "red": TABLE.spots["black"]})
        (judged,) = strokes([script.stroke("red", cue="white")])
        assert judged.verdict == "certain"
        assert (judged.foul.clause if judged.foul else None) == clause


def test_a_table_without_a_baulk_line_has_no_baulk() -> None:
    # 1.1(d), 3.6: on a nine-foot pool table nobody lies in baulk, 600 mm from the bottom cushion or not
    lying = {"white": (0.0, 1000.0), "yellow": (300.0, 600.0), "red": (0.0, 1800.0)}
    script = GameScript("english_billiards", WPA_TABLE, lying)
    referee = Referee(WPA_TABLE, TOLD, game="english_billiards")
    _, judged = strokes([*in_off(script, (0.0, 300.0)), script.stroke("yellow", cue="white")], referee)
    assert judged.foul is None and judged.verdict == "certain"


def test_a_red_is_spotted_in_proportion_on_a_table_without_spots() -> None:
    # 1.1(f), 3.8(a)
    lying = {"white": (0.0, 1000.0), "yellow": (300.0, 600.0), "red": (0.0, 1800.0)}
    script = GameScript("english_billiards", WPA_TABLE, lying)
    referee = Referee(WPA_TABLE, TOLD, game="english_billiards")
    (judged,) = strokes([script.stroke("red", ("red", "TL"), cue="white")], referee)
    ((ball, _, x_mm, y_mm, _),) = judged.due
    assert (ball, x_mm) == ("red", 0.0)
    assert y_mm == pytest.approx(2540.0 * (1.0 - 324.0 / 3569.0))


@pytest.mark.parametrize(
    ("confidence", "verdict", "points"),
    [(0.9999, "certain", 2), (0.52, "call", None), (0.0005, "certain", 0)],
)
def test_a_cannon_is_as_sure_as_the_second_contact(
    confidence: float, verdict: str, points: int | None
) -> None:
    """Explanations with and without it weigh alike: two points for certain were none."""
    record = game().stroke("red", met=[("white", "yellow")], cue="white")
    first, second = record.contacts
    contacts = replace(first, confidence=0.9999), replace(second, confidence=confidence)
    (judged,) = strokes([replace(record, contacts=contacts)])
    assert judged.verdict == verdict
    if points is None:
        assert judged.question == "Did the cue-ball hit both other balls?"
    else:
        assert judged.points == points


def test_the_answer_whether_it_was_a_cannon_settles_the_stroke() -> None:
    record = game().stroke("red", met=[("white", "yellow")], cue="white")
    first, second = record.contacts
    referee = Referee(TABLE, TOLD, game="english_billiards")
    (asked,) = strokes([replace(record, contacts=(first, replace(second, confidence=0.52)))], referee)
    for answer, points in (("yes", 2), ("no", 0)):
        referee.correct(Correction(asked.entry, answers=(("cannon", answer),)), "Bo")
        assert (referee.match.strokes[0].verdict, referee.match.strokes[0].points) == ("certain", points)
