"""What a question leaves open goes on beside the likeliest ruling: what follows tells, and no stroke is
certain while it hangs on a guess of who is at the table and what is on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from script import Scene

from calibration.table.board import CARROM_BOARD, board_table
from calibration.table.specs import SNOOKER_TABLE as TABLE
from calibration.table.specs import WPA_TABLE
from referee.facts.calls import Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenHand
from referee.journal import Journal
from referee.match.courses import MOST_COURSES
from referee.match.position import Settings
from referee.match.priors import UNDUE
from referee.match.referee import Referee, open_referee
from referee.match.snooker.fold import likely
from referee.outputs.convert import stroke_json
from referee.outputs.document import Match
from referee.outputs.words import PLAIN, means_words, state_hangs_words
from tests.support.game_script import GameScript, diamond, spread
from tracker.events import HandMove, LayoutChange, TrackerEvent

PLAYERS = cast("Match", {"players": ["Ann", "Bo"]})
HANGS = "What was on, and who was at the table? It hangs on the question about stroke 1."


def judge(*events: TrackerEvent, game: str = "snooker") -> Referee:
    referee = Referee(TABLE if game == "snooker" else WPA_TABLE, game=game)
    for e in events:
        referee.feed(e)
    referee.close()
    return referee


def strokes(*events: TrackerEvent) -> tuple[JudgedStroke, ...]:
    return judge(*events).match.strokes


def states(stroke: JudgedStroke) -> dict[tuple[str, str], float]:
    """The players and balls on that a question offers, with their weights."""
    said = ((dict(c.facts), c.weight) for c in stroke.candidates)
    return {(f["striker"], f["ball_on"]): w for f, w in said}


def red_or_brown(scene: Scene, red: float) -> TrackerEvent:
    """A red falls; what was hit first is the red with that weight, else the brown: a foul, and B comes."""
    return scene.stroke({"red_1": red, "brown": 1.0 - red}, ["red_1"])


def test_the_ball_that_is_played_next_tells_whether_there_was_a_foul() -> None:
    """The black is on for a player who has potted a red; who has fouled sits. Both strokes are ruled so."""
    s = Scene()
    first, second = strokes(red_or_brown(s, 0.3), s.stroke("black", ["black"]))
    assert first.verdict == "call" and first.points == 1, "ruled again, and still a question"
    assert [(f.ball, f.confidence) for f in first.seen.first_contact] == [("red_1", 0.3), ("brown", 0.7)]
    assert (second.striker, second.ball_on, second.points, second.score) == ("A", "any_colour", 7, (8, 0))


def test_a_red_that_is_played_next_tells_that_the_other_player_came() -> None:
    s = Scene()
    first, second = strokes(red_or_brown(s, 0.7), s.stroke("red_2", ["red_2"]))
    assert first.verdict == "call" and first.foul is not None
    assert (second.striker, second.points, second.score) == ("B", 1, (0, 5))


def test_what_follows_makes_a_stroke_certain_where_it_says_enough() -> None:
    """Fouls are two in a hundred strokes, so that a colour says much, and a red and a colour after it all."""
    s = Scene()
    played = red_or_brown(s, 0.5), s.stroke("black", ["black"]), s.hand("respot", "black")
    asked = strokes(*played)[1]
    assert asked.verdict == "call" and asked.question == HANGS
    assert states(asked)["A", "any_colour"] == pytest.approx(0.98, abs=0.01)


def test_what_follows_answers_the_questions_before_it() -> None:
    """The red was most likely hit first, and A goes on with a colour: the first stroke is said again as if
    nothing had been open of it.
    """
    s = Scene()
    more = red_or_brown(s, 0.97), s.stroke("black", ["black"])
    told = strokes(*more)
    assert [x.verdict for x in told] == ["certain"] * 2 and [x.question for x in told] == [None] * 2
    assert told[-1].score == (8, 0) and all(x.candidates == () for x in told)
    first = told[0]
    assert first.seen.first_contact[0].ball == "red_1" and first.seen.first_contact[0].confidence == 1.0
    assert first.answered is not None and first.answered > 0.999
    assert told[1].answered is None, "nothing was open of it when it was played"
    again = [o for o in judge(*more).outputs if isinstance(o, JudgedStroke) and o.n == 1]
    assert [o.verdict for o in again] == ["call", "certain"], "said again once"


def test_what_the_pictures_hardly_gave_is_never_made_certain() -> None:
    """Two reds in a row played by who should be on a colour speak for the foul that was seen with 3 in 1,000;
    but something else may be so, of which no answer tells.
    """
    s = Scene()
    seen = [
        red_or_brown(s, 0.997),
        s.stroke("red_2", ["red_2"]),
        s.stroke("blue", ["blue"]),
        s.hand("respot", "blue"),
    ]
    told = strokes(*seen, s.stroke("red_3", ["red_3"]), s.stroke("pink", ["pink"]))
    assert told[0].foul is not None, "shown as it is likeliest by now"
    assert [x.verdict for x in told] == ["call"] * 5


def test_players_who_foul_often_answer_less() -> None:
    """Where most strokes are fouls one that would be a foul says little."""

    def answered(fouls: int) -> bool:
        s = Scene()
        before = [s.stroke("blue" if k < fouls else "red_3") for k in range(16)]
        told = strokes(*before, red_or_brown(s, 0.97), s.stroke("black", ["black"]))
        return told[16].verdict == "certain"

    assert answered(0) and not answered(15)


def test_a_score_that_stays_open_is_never_answered() -> None:
    """Four points or five away: no later stroke tells which."""
    s = Scene()
    events = [s.stroke({"brown": 0.5, "blue": 0.5})]
    events += [s.stroke(f"red_{k}") for k in range(2, 9)]
    assert strokes(*events)[0].verdict == "call"


def test_a_foul_in_every_answer_is_not_certain_either() -> None:
    """In a real clip every answer to the first stroke was a foul; the black that followed was fair."""
    s = Scene()
    seen = s.stroke({"none": 0.51, "brown": 0.49}, vanished=["red_1"])
    _, second = strokes(seen, s.stroke("black", ["black"]))
    assert second.verdict == "call"


def test_an_answer_to_the_first_question_answers_all() -> None:
    s = Scene()
    referee = judge(red_or_brown(s, 0.5), s.stroke("black", ["black"]))
    first, second = referee.match.strokes
    assert second.question == HANGS
    settled = referee.correct(Correction(first.entry, first_contact=("red",)), "referee").strokes
    assert [x.verdict for x in settled] == ["certain", "certain"] and settled[1].score == (8, 0)
    settled = referee.correct(Correction(first.entry, first_contact=("brown",)), "referee").strokes
    assert settled[1].verdict == "certain" and settled[1].foul is not None and settled[1].striker == "B"


def test_a_score_that_is_open_makes_no_later_stroke_a_question() -> None:
    """Four points or five away: the other player comes to the table, on a red, whichever it was."""
    s = Scene()
    first, second = strokes(s.stroke({"brown": 0.5, "blue": 0.5}), s.stroke("red_2", ["red_2"]))
    assert first.verdict == "call" and second.verdict == "certain"
    assert (second.striker, second.points) == ("B", 1)


def test_a_colour_that_a_hand_spots_was_potted() -> None:
    """A hand puts back what a ruling sends to its spot, and seldom anything else."""
    s = Scene()
    position = judge(s.stroke("red_1", ["red_1"]), s.stroke("black", ["black"])).position
    x_mm, y_mm = TABLE.spots["black"]
    back = SeenHand("respot", "black", None, (x_mm, y_mm, 0.5), position.since_s + 1.0)
    assert likely(position, back, Settings(TABLE)) == 1.0
    assert likely(replace(position, due=()), back, Settings(TABLE)) == UNDUE


def test_a_new_frame_leaves_no_course_of_the_last() -> None:
    s = Scene()
    referee = judge(red_or_brown(s, 0.5), s.rack())
    assert referee.position.courses == () and referee.position.own_course == ()


@given(
    st.lists(
        st.tuples(st.sampled_from(["red_1", "red_2", "black", "blue"]), st.floats(0.02, 0.98)), max_size=5
    )
)
def test_weights_of_all_courses_sum_to_one_and_a_replay_says_the_same(
    played: list[tuple[str, float]],
) -> None:
    s = Scene()
    referee = Referee(TABLE, journal=(journal := Journal(":memory:")))
    for ball, fell in played:
        referee.feed(s.stroke(ball, {ball: fell}))
        s.balls.setdefault(ball, (300.0, 700.0))
        position = referee.position
        assert 0.0 <= sum(c.weight for c in position.courses) < 1.0 and len(position.courses) < MOST_COURSES
        assert all(c.position.courses == () for c in position.courses)
    referee.close()
    assert open_referee(journal).match == referee.match


@pytest.mark.parametrize("fell", ["3", None])
def test_in_nine_ball_no_stroke_is_certain_while_nobody_knows_who_plays(fell: str | None) -> None:
    """The 1 or the 2 first, and the 3 falls: he plays on, or it was a foul. Where none falls B comes."""
    balls = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 10)])}
    script = GameScript("wpa_9ball", WPA_TABLE, balls)
    seen = script.stroke("1", *([(fell, "TR")] if fell else []), rails=["1"])
    met = replace(seen.first_contact[0], weight=0.5)
    doubtful = replace(seen, first_contact=(met, replace(met, ball="2")))
    events = doubtful, script.stroke("1", ("1", "TL"))
    first, second = judge(*events, game="wpa_9ball").match.strokes
    assert first.verdict == "call" and second.verdict == ("call" if fell else "certain")
    assert fell or second.striker == "B"
    said = [means_words(PLAYERS, c["means"]) for s in (first, second) for c in stroke_json(s)["candidates"]]
    assert said and not [w for w in said if "Foul, 0" in w or "no score" in w]


@pytest.mark.parametrize("hit", ["red", "brown"])
def test_a_course_of_an_earlier_frame_changes_no_later_one(hit: str) -> None:
    """What follows a corrected frame is carried over, not judged again; a fresh reading says the same."""
    s = Scene()
    played = red_or_brown(s, 0.5), s.stroke("red_2"), s.rack(), red_or_brown(s, 0.5)
    referee = judge(*played, s.stroke("black", ["black"]))
    asked = referee.match.strokes[0]
    fixed = referee.correct(Correction(asked.entry, first_contact=(hit,)), "referee")
    assert open_referee(referee.journal).match == fixed and len(fixed.frames) == 2


def test_a_cue_ball_that_is_put_back_shows_that_there_was_a_foul_and_a_miss() -> None:
    """Inside a frame nobody knows whether a colour was on; that the white is put back says that none was."""
    s = Scene()
    played = s.stroke("blue", move={"white": (0.0, 500.0)}), s.hand("replaced", "white", (300.0, 1000.0))
    first, second = strokes(*played, s.stroke("red_1", ["red_1"]))
    assert first.foul is not None and first.miss and (second.striker, second.ball_on) == ("A", "red")
    s = Scene()
    first, second = strokes(s.stroke("blue"), s.stroke("red_1", ["red_1"]))
    assert first.foul is None and second.striker == "B", "a fair miss, and the other player comes"


@pytest.mark.parametrize("taken", [True, False])
def test_a_cue_ball_taken_in_hand_says_that_it_was_a_foul(taken: bool) -> None:
    """Nine ball 2.9: after a foul the other player has the cue-ball in hand; without one nobody lifts it."""
    balls = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 10)])}
    script = GameScript("wpa_9ball", WPA_TABLE, balls)
    seen = script.stroke("1", rails=["1"])
    met = replace(seen.first_contact[0], weight=0.5)
    events: list[TrackerEvent] = [replace(seen, first_contact=(met, replace(met, ball="2")))]
    if taken:
        place = (200.0, 1500.0)
        events.append(HandMove("moved", "cue", script.places["cue"], (*place, 0.3), script.t_s - 2.0))
        script.places["cue"] = place
    first, second = judge(*events, script.stroke("1", rails=["1"]), game="wpa_9ball").match.strokes
    assert first.verdict == ("certain" if taken else "call") and second.verdict == "certain"
    assert not taken or (first.foul is not None and first.seen.first_contact[0].ball == "2")


def nine_ball_won_perhaps(one_first: float, after: str) -> Referee:
    """A breaks, and B pots the 9: he has won the rack if the 1 was hit first, and fouled if the 2 was. Then a
    new rack is set, or the 9 is put back and the balls are played on.
    """
    table, racked = WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)}
    spreads = spread(table, [str(n) for n in range(1, 10)])
    script = GameScript("wpa_9ball", table, racked)
    events: list[TrackerEvent] = [script.stroke("1", rails=["2", "3", "4", "5", "6", "8"], moves=spreads)]
    nine = script.stroke("1", ("9", "TR"), sure=1.0)
    met = nine.first_contact[0]
    hit = replace(met, weight=one_first), replace(met, ball="2", weight=1.0 - one_first)
    events.append(replace(nine, first_contact=hit))
    if after == "rack":
        script.places = racked
        events.append(LayoutChange(script.t_s - 3.0, script.layout, rack=True))
        events.append(script.stroke("1", rails=["2", "3", "4", "5", "6", "8"], moves=spreads))
    else:
        spot = (0.0, table.length_mm * 3 / 4)
        events.append(HandMove("respot", "9", None, (*spot, 0.3), script.t_s - 3.0))
        script.places["9"] = spot
        events.append(script.stroke("1", ("1", "TL")))
    ball = "1" if after == "rack" else "2"
    return judge(*events, script.stroke(ball, (ball, "TL")), game="wpa_9ball")


@pytest.mark.parametrize(("one_first", "certain"), [(0.7, True), (0.3, False), (0.05, False)])
def test_a_new_rack_tells_that_the_last_was_won_and_who_breaks_hangs_on_it(
    one_first: float, certain: bool
) -> None:
    """WPA 2.5: who pots the 9 legally wins the rack; nobody sets a new one for a 9 that has to be spotted.
    Racks are broken in turn, so that who breaks the next rests on it: that had been certain.
    """
    asked, broken, last = nine_ball_won_perhaps(one_first, "rack").match.strokes[1:]
    assert (asked.verdict == "certain") == certain
    for stroke in (broken, last):
        assert (stroke.frame, stroke.score, stroke.verdict == "certain") == (2, (0, 1), certain)
        assert certain or (stroke.question is not None and "hangs on" in stroke.question)
    assert (broken.striker, last.striker) == ("B", "A")


def test_a_ball_that_is_spotted_tells_that_the_rack_was_not_won() -> None:
    """WPA 2.6, 2.7: a 9 potted by a foul is spotted, and the other player has the cue-ball in hand."""
    referee = nine_ball_won_perhaps(0.7, "spotted")
    later = referee.match.strokes[2:]
    assert {s.striker for s in later} == {"A"} and referee.match.score == (0, 0)
    assert len(referee.match.frames) == 1


def carrom_with_an_open_pot(*later: str | None) -> tuple[JudgedStroke, ...]:
    """A pockets a man of his, and perhaps a second one; then he plays on, and pockets what is named."""
    men = [*(f"white_{i}" for i in range(1, 10)), *(f"black_{i}" for i in range(1, 10)), "queen"]
    places = {m: (-250.0 + 60.0 * (i % 9), -100.0 + 80.0 * (i // 9)) for i, m in enumerate(men)}
    line = CARROM_BOARD.striker_line_y_mm()
    script = GameScript("carrom", board_table(), {"striker": (50.0, line), **places})
    open_pot = script.stroke("white_1", ("white_1", "TL"), ("white_2", "TR"), sure=1.0)
    pots = (replace(open_pot.pots[0], confidence=1.0), replace(open_pot.pots[1], confidence=0.6))
    events: list[TrackerEvent] = [replace(open_pot, pots=pots)]
    for man in later:
        script.places["striker"] = (50.0, line)
        events.append(script.stroke(man or "white_9", *([(man, "BL")] if man else []), sure=1.0))  # type: ignore[list-item]
    referee = Referee(board_table(), Start("A", None, (0, 0), assumed=False), game="carrom")
    for event in events:
        referee.feed(event)
    referee.close()
    return referee.match.strokes


def test_a_ruling_that_hangs_on_nothing_says_that_the_men_it_leaves_do() -> None:
    """One man of carrom or two fell: he plays on in either case, and what is left on the board is open."""
    asked, after, last = carrom_with_an_open_pot("white_3", None)
    assert asked.verdict == "call" and asked.state_hangs_on is None
    for stroke in (after, last):
        assert (stroke.verdict, stroke.state_hangs_on) == ("certain", 1)
    assert after.next_striker == "A" and last.next_striker == "B"
    said = [strokes_table_words(s) for s in (asked, after)]
    assert "hang on the question about stroke 1" not in said[0]
    assert "hang on the question about stroke 1" in said[1]
    assert stroke_json(after)["state_hangs_on"] == 1 and "state_hangs_on" not in stroke_json(asked)


def test_the_score_of_a_board_hangs_on_what_fell_in_an_earlier_one() -> None:
    """ICF 53(a): the winner has a point for each C/m of the loser's that is left. Whether one more had fallen
    is asked about in the board; the score with which the next one is played hangs on it too.
    """
    men = [*(f"white_{i}" for i in range(1, 10)), *(f"black_{i}" for i in range(1, 10)), "queen"]
    places = {m: (-250.0 + 60.0 * (i % 9), -100.0 + 80.0 * (i // 9)) for i, m in enumerate(men)}
    line = CARROM_BOARD.striker_line_y_mm()
    script = GameScript("carrom", board_table(), {"striker": (50.0, line), **places})

    def pots(*fallen: str, open_pot: float = 1.0) -> TrackerEvent:
        stroke = script.stroke(fallen[0], *((m, "BL") for m in fallen), sure=1.0)
        script.places["striker"] = (50.0, line)
        return replace(
            stroke, pots=(stroke.pots[0], *(replace(p, confidence=open_pot) for p in stroke.pots[1:]))
        )

    events = [
        pots("white_1", "black_1", open_pot=0.6),
        pots("queen"),
        *(pots(f"white_{k}") for k in range(2, 10)),
    ]
    script.places = {"striker": (50.0, -line), **places}
    events.append(LayoutChange(script.t_s - 3.0, script.layout, rack=True))
    events.append(script.stroke("white_1", ("white_1", "TL"), sure=1.0))
    referee = Referee(board_table(), Start("A", None, (0, 0), assumed=False), game="carrom")
    for event in events:
        referee.feed(event)
    *_, last = referee.match.strokes
    assert (last.frame, last.striker, last.verdict, last.state_hangs_on) == (2, "B", "certain", 1)


def strokes_table_words(stroke: JudgedStroke) -> str:
    return state_hangs_words(stroke_json(stroke), PLAIN)


def test_an_answer_settles_what_hung_on_its_question() -> None:
    s = Scene()
    played = red_or_brown(s, 0.5), s.stroke("black", ["black"])
    referee = judge(*played)
    asked = referee.match.strokes[0]
    fixed = referee.correct(Correction(asked.entry, first_contact=("red",)), "Rea").strokes
    assert [x.state_hangs_on for x in fixed] == [None, None]
