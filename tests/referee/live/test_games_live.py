"""A live table of other games: its state, questions in the game's words, calls and choices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from calibration.errors import UnusableInput
from calibration.table.board import board_table
from calibration.table.games import GAMES, PIECES
from calibration.table.specs import BRITISH_POOL_TABLE, WPA_TABLE, TableSpec
from calibration.texts import again, load_texts, phrase
from referee.facts.calls import ShotCall
from referee.facts.corrections import Correction
from referee.facts.seen import SeenBall
from referee.journal import Journal
from referee.live.engine.game_board import game_choice, phase_now, rack_now
from referee.live.engine.requests import (
    Answer,
    Choose,
    DeclareFrozen,
    Nominate,
    Request,
    Undo,
    apply_request,
)
from referee.live.engine.rulings import PublishedRulings, ruling_of, ruling_text
from referee.live.engine.scoreboard import NO_FRAME
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.engine.state import LiveWords, document
from referee.match.open_calls import NO_CALLS, MadeCall, OpenCalls, calls_now
from referee.match.position import Position
from referee.match.referee import Referee
from referee.outputs.words import Say
from referee.rules.registry import GAMES as RULES
from tests.support.game_script import GameScript, diamond, spread, triangle
from tracker.events import CushionHit, TrackerEvent

NUMBERS = [str(n) for n in range(1, 16)]


class Table:
    """A referee of a game without a camera, asked as the engine asks him."""

    def __init__(self, game: str, table: TableSpec) -> None:
        self.table = table
        self.referee = Referee(table, journal=Journal(":memory:"), game=game)
        self.published = PublishedRulings(lambda t_s: f"{t_s:.1f}")
        self.script: GameScript
        self.moving = False

    def see(self, *events: TrackerEvent) -> None:
        for event in events:
            self.published.take(self.referee.feed(event), ("Ann", "Bob"), 0.0)
            self.published.settle(self.referee.standing[0], ("Ann", "Bob"))

    def ask(self, request: Request, t_s: float) -> None:
        match = SimpleNamespace(
            watch=SimpleNamespace(referee=self.referee), moving=self.moving, now=(self._position, self._lying)
        )
        apply_request(cast("Any", match), self.published, request, t_s, "Ann")
        self.published.rebuilt(self.referee.outputs, ("Ann", "Bob"), t_s)
        self.published.settle(self.referee.standing[0], ("Ann", "Bob"))

    @property
    def now(self):
        return rack_now(self.referee.standing[0], self.table, ())

    @property
    def calls(self) -> OpenCalls:
        """What may be called now."""
        return calls_now(self.referee, self._position, self._lying)[0]

    @property
    def called(self) -> tuple[MadeCall, ...]:
        """What was called for the stroke to come."""
        return calls_now(self.referee, self._position, self._lying)[1]

    @property
    def _position(self) -> Position:
        return self.referee.standing[0]

    @property
    def _lying(self) -> tuple[SeenBall, ...]:
        strokes = self.referee.match.strokes
        return strokes[-1].seen.after if strokes else ()

    @property
    def phase(self) -> str:
        return phase_now(self.referee.standing[0], None)


def eight_ball() -> tuple[Table, GameScript]:
    script = GameScript("wpa_8ball", WPA_TABLE, {"cue": (20.0, 500.0), **triangle(WPA_TABLE, NUMBERS)})
    return Table("wpa_8ball", WPA_TABLE), script


def test_the_state_of_a_rack_says_who_plays_and_what_is_on() -> None:
    table = Table("wpa_9ball", WPA_TABLE)
    assert table.phase == "waiting" and table.now == NO_FRAME
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
    broken = spread(WPA_TABLE, NUMBERS[:9])
    table.see(script.stroke("1", ("6", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    assert (table.phase, table.now.striker, table.now.ball_on) == ("frame", "A", "1")
    table.see(script.stroke("1", ("1", "TL"), sure=1.0), script.stroke("3", rails=["3"]))
    assert (table.now.striker, table.now.ball_on, table.now.in_hand) == ("B", "2", True)
    assert table.published.rulings[-1].kind == "foul" and "6.2" in str(table.published.rulings[-1].foul)
    assert table.published.rulings[0].text


def put_back(game: str) -> tuple[Table, TableSpec]:
    """A table of a game in which the last stroke brings a ball back to its spot."""
    table = GAMES[game].table()
    live = Table(game, table)
    if game == "english_billiards":
        places = {"white": (20.0, 500.0), "yellow": (300.0, 1200.0), "red": table.spots["black"]}
        script = GameScript(game, table, places)
        live.see(script.stroke("red", ("red", "TL"), sure=1.0))
        return live, table
    racked = diamond(table) if game == "wpa_9ball" else triangle(table, NUMBERS)
    script = GameScript(game, table, {"cue": (20.0, 500.0), **racked})
    broken = spread(table, list(racked))
    live.see(script.stroke("1", ("6", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    fell = ("2", ("9", "TL")) if game == "wpa_9ball" else ("2", ("2", "TL"), ("cue", "TR"))
    live.see(script.stroke(*fell, sure=1.0))  # after a push out; with an in-off
    return live, table


@pytest.mark.parametrize(
    ("game", "english", "german"),
    [
        ("wpa_9ball", "9 to the foot spot", "9 auf den Fußpunkt"),
        ("wpa_14_1", "2 to the foot spot", "2 auf den Fußpunkt"),
        ("english_billiards", "red to the Spot", "Rot auf den Spot"),
    ],
)
def test_a_ball_that_comes_back_is_said_once_with_its_spots_own_name(
    game: str, english: str, german: str
) -> None:
    live, _ = put_back(game)
    texts = [r.text for r in live.published.rulings]
    assert sum(t.count(english) for t in texts) == 1 and not any("spot spot" in t.lower() for t in texts)
    assert any(german in phrase(t, load_texts("de")) for t in texts)


def test_of_billiards_two_cue_balls_none_is_called_the_cue_ball() -> None:
    """Billiards 1.2: the yellow is struck here, and the white is an object ball."""
    table = GAMES["english_billiards"].table()
    live = Table("english_billiards", table)
    script = GameScript(
        "english_billiards", table, {"white": (300.0, 1500.0), "yellow": (20.0, 500.0), "red": (0.0, 2600.0)}
    )
    seen = script.stroke("white", rails=["white"], cue="yellow")
    at = replace(seen.first_contact[0], weight=0.6)
    live.see(replace(seen, first_contact=(at, replace(at, ball="red", weight=0.4))))
    (asked,) = live.published.questions
    assert any("hit white first" in a.label for a in asked.answers)
    assert not any("cue-ball" in a.label for a in asked.answers)
    (judged,) = live.referee.match.strokes
    assert "white" in ruling_text(replace(judged, touching=("white",)), ("Ann", "Bob"))


def test_a_bank_shot_is_asked_with_the_players_name_and_an_answer_judges_it() -> None:
    table, script = eight_ball()
    broken = spread(WPA_TABLE, NUMBERS)
    table.see(script.stroke("1", ("15", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    table.see(script.stroke("3", ("3", "CL"), sure=1.0, early_rails=["3"]))
    (question,) = table.published.questions
    assert question.text == "Which ball, into which pocket, did Ann call?"
    wanted = next(a.index for a in question.answers if a.label.startswith("called 3 in middle left"))
    table.ask(Answer(question.id, wanted), 30.0)
    assert not table.published.questions and table.now.striker == "A" and table.now.ball_on == "solids"


def test_the_answers_to_a_question_are_said_in_every_language() -> None:
    table, script = eight_ball()
    broken = spread(WPA_TABLE, NUMBERS)
    table.see(script.stroke("1", ("15", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    table.see(script.stroke("3", ("3", "CL"), sure=1.0, early_rails=["3"]))
    (question,) = table.published.questions
    answer = next(a for a in question.answers if a.label.startswith("called 3 in middle left"))
    said, means = ({w.language: w.text for w in words} for words in (answer.said, answer.means_said))
    assert said["en"] == answer.label and means["en"] == answer.means
    assert said["de"] == "3 angesagt, Mitte links" and "Ann" in means["de"] != means["en"]
    assert set(table.published.rulings[-1].alternatives) == set(question.answers), "told with the ruling"


def test_a_ball_and_pocket_called_before_the_shot_leave_nothing_to_ask() -> None:
    table, script = eight_ball()
    broken = spread(WPA_TABLE, NUMBERS)
    table.see(script.stroke("1", ("15", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    table.ask(Nominate("3", pocket="CL"), script.t_s - 1.0)
    table.see(script.stroke("3", ("3", "CL"), sure=1.0, early_rails=["3"]))
    assert not table.published.questions and table.now.ball_on == "solids"


@pytest.mark.parametrize("said", [{"ball": None, "safety": True}, {"ball": None, "push_out": True}])
def test_a_safety_and_a_push_out_are_calls_of_the_player_at_the_table(said: dict[str, Any]) -> None:
    table = broken_rack("wpa_10ball")
    table.ask(Nominate(**said), table.script.t_s - 1.0)
    (call,) = [c for c in table.referee._said.values() if isinstance(c, ShotCall)]
    assert (call.by, call.ball, call.safety, call.push_out) == (
        "B",
        None,
        said.get("safety", False),
        said.get("push_out", False),
    )


def test_a_call_that_the_game_does_not_take_is_refused_in_one_sentence() -> None:
    """Billiards has no push out, nine ball no called shots (WPA 2)."""
    diamond_up = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
    table = Table("wpa_9ball", WPA_TABLE)
    table.see(diamond_up.stroke("1", ("6", "TR"), rails=["2", "3", "4", "8"]))
    with pytest.raises(UnusableInput, match=r"takes \(push out, a frozen ball, .*found safety"):
        table.ask(Nominate(None, safety=True), diamond_up.t_s)


def test_a_ball_is_declared_frozen_at_the_table_where_the_rules_ask_for_it() -> None:
    # WPA 8.4; WEPF G(4) asks nobody
    table, script = eight_ball()
    broken = spread(WPA_TABLE, NUMBERS) | {"3": (-606.0, 500.0)}
    table.see(script.stroke("1", ("15", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    table.ask(DeclareFrozen("3"), script.t_s - 1.0)
    pushed = script.stroke("3", moves={"3": (-100.0, 560.0)})
    table.see(replace(pushed, cushions=(CushionHit("3", "left", pushed.start_s + 0.52, 500.0, 3.0),)))
    ruling = table.published.rulings[-1]
    assert (ruling.verdict, ruling.foul.clause if ruling.foul else None) == ("certain", "6.3")
    with pytest.raises(UnusableInput, match="expected a ball among cue, 1"):
        table.ask(DeclareFrozen("red"), script.t_s)
    other = Table("wepf", BRITISH_POOL_TABLE)
    with pytest.raises(
        UnusableInput, match=r"takes \(a ball, a touching ball, a choice, .*\), found a frozen ball"
    ):
        other.ask(DeclareFrozen("red"), 1.0)


def broken_rack(
    game: str,
    *pots: tuple[str, Any],
    racked: dict[str, Any] | None = None,
    lying: dict[str, tuple[float, float]] | None = None,
) -> Table:
    """The table after a break. `lying`: balls that do not lie in the open after it."""
    spec = GAMES[game].table()
    places = racked or triangle(spec, [b for b in PIECES[game].pieces if b != "cue"])
    script = GameScript(game, spec, {"cue": (20.0, 300.0), **places})
    table, broken = Table(game, spec), spread(spec, list(places)) | (lying or {})
    first = next(iter(places))
    table.see(script.stroke(first, *pots, sure=1.0, rails=list(places)[1:8], moves=broken))
    table.script = script
    return table


def test_the_calls_that_are_open_are_those_of_the_game_and_of_the_moment() -> None:
    """WPA 1.6, 2.4, 3.6, 4.5, 8.4, 9.4; WEPF H; snooker 2.12."""
    nine = broken_rack("wpa_9ball", ("6", "TR"), racked=diamond(WPA_TABLE)).calls
    assert nine == OpenCalls("A", push_out=True)  # no ball lies at a rail
    ten = broken_rack("wpa_10ball").calls
    assert (ten.by, ten.kinds, ten.pockets) == ("B", ("nominate", "safety", "push_out"), True)
    straight = broken_rack("wpa_14_1").calls
    assert straight.kinds == ("nominate", "safety") and len(straight.balls) == 15
    assert broken_rack("blackball", ("red_1", "TR")).calls.kinds == ()
    assert Table("carrom", board_table()).calls == NO_CALLS


def test_on_the_break_of_eight_ball_nothing_is_called_and_then_ones_own_balls_stand_first() -> None:
    """WPA 3.3, 3.6: of the stripes each may be hit first, the eight may not."""
    table, script = eight_ball()
    broken = spread(WPA_TABLE, NUMBERS)
    table.see(script.stroke("1", ("15", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    assert "8" not in table.calls.balls and len(table.calls.balls) == 13  # an open table; 3.6
    table.ask(Nominate("9", pocket="CL"), script.t_s - 1.0)
    table.see(script.stroke("9", ("9", "CL"), sure=1.0))
    assert "8" not in table.calls.balls
    assert table.calls.balls[:5] == ("10", "11", "12", "13", "14") and table.calls.balls[5] == "1"


def test_a_colour_is_nominated_where_one_has_to_be() -> None:
    """WEPF H: after a break that potted both colours."""
    assert broken_rack("wepf").calls.kinds == ()
    both = broken_rack("wepf", ("red_1", "TR"), ("yellow_1", "TL"))
    assert (both.calls.by, both.calls.balls, both.calls.kinds) == ("A", ("red", "yellow"), ("nominate",))


def test_who_was_made_to_shoot_is_who_calls() -> None:
    """WPA 9.4: after B's push out A may have B shoot; that counts at once, though no stroke followed."""
    table = broken_rack("wpa_10ball")
    table.ask(Nominate(None, push_out=True), table.script.t_s - 1.0)
    table.see(table.script.stroke("2"))
    assert table.calls.by == "A"
    table.ask(Choose("make_B_shoot"), table.script.t_s - 2.0)
    assert table.calls.by == "B"
    table.ask(Nominate("1", pocket="CL"), table.script.t_s - 1.0)
    (made,) = table.called
    assert (made.by, made.ball, made.pocket) == ("B", "1", "CL")
    table.see(table.script.stroke("1", ("1", "CL"), sure=1.0, early_rails=["1"]))
    assert table.published.rulings[-1].verdict == "certain" and table.called == ()


def test_of_a_players_calls_the_last_counts_and_each_is_taken_back_by_itself() -> None:
    at_left = (-WPA_TABLE.half_width_mm + WPA_TABLE.ball_radius_mm, 500.0)
    table = broken_rack("wpa_10ball", lying={"3": at_left})
    assert [(p.ball, p.rail) for p in table.calls.frozen] == [("3", "left")]
    at_s = table.script.t_s - 2.0
    for request in (Nominate("3", pocket="CL"), DeclareFrozen("3", "left"), Nominate(None, safety=True)):
        table.ask(request, at_s)
    frozen, safety = table.called
    assert (frozen.kind, frozen.rail, safety.kind) == ("frozen", "left", "safety")
    table.ask(Undo(safety.entry), at_s)
    assert sorted(c.kind for c in table.called) == ["frozen", "nominate"]
    table.ask(Undo(frozen.entry), at_s)
    assert [(c.kind, c.pocket) for c in table.called] == [("nominate", "CL")]


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Nominate(None, push_out=True), r"open now \(a ball, safety\), found push out"),
        (Nominate(None, by="A", safety=True), "by player B, who is at the table, found one by A"),
        (Nominate("1", pocket="CL"), r"may be called \(2, 3, .*\), found 1$"),
        (DeclareFrozen("3", "left"), r"touch its rail as measured \(none\), found 3 \(left\)"),
    ],
)
def test_a_press_that_is_not_open_is_refused_and_nothing_is_journalled(request_: Request, why: str) -> None:
    """WPA 9.4: a push out on the shot after the break alone; who calls is at the table (1.6)."""
    table = broken_rack("wpa_10ball", ("1", "TR"))  # A plays on
    table.see(table.script.stroke("2", rails=["2"]))
    with pytest.raises(UnusableInput, match=why):
        table.ask(request_, table.script.t_s - 1.0)
    assert not list(table.referee.journal.entries("call"))


def test_a_refused_press_is_said_in_the_pages_language() -> None:
    """Kinds of calls, balls and rails too."""
    german = load_texts("de")
    wepf = broken_rack("wepf", ("red_1", "TR"), ("yellow_1", "TL"))
    for table, request, words in (
        (wepf, Nominate(None, safety=True), "(ein Ball, ein berührender Ball, eine Wahl"),
        (wepf, Nominate("black"), "der angesagt werden kann (Rot, Gelb), gefunden: Schwarz"),
        (broken_rack("blackball"), DeclareFrozen("red", "left"), "(keine), gefunden: Rot ("),
        (wepf, Choose("replay_frame"), "Wahl"),
    ):
        with pytest.raises(UnusableInput) as error:
            table.ask(request, table.script.t_s - 1.0)
        said = again(error.value, german)
        assert isinstance(said, str) and words in said, said
        assert "none" not in said and "nominate" not in said


def test_a_press_while_the_balls_move_is_refused() -> None:
    table = broken_rack("wpa_10ball")
    table.moving = True
    with pytest.raises(UnusableInput, match="expected a call before a stroke, found balls that move"):
        table.ask(Nominate(None, safety=True), table.script.t_s)


def test_a_choice_after_a_push_out_is_a_question_and_its_answer_says_who_plays() -> None:
    table = Table("wpa_9ball", WPA_TABLE)
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
    broken = spread(WPA_TABLE, NUMBERS[:9])
    table.see(script.stroke("1", ("6", "TR"), sure=1.0, rails=["2", "3", "4", "8"], moves=broken))
    table.ask(Nominate(None, push_out=True), script.t_s - 1.0)
    table.see(script.stroke("4", moves={"4": (-200.0, 1400.0)}))
    choice = next(q for q in table.published.questions if q.kind == "choice")
    assert choice.text == "What does Bob choose?" and len(choice.answers) == 2
    with pytest.raises(UnusableInput):
        table.ask(Choose("play_croquet"), script.t_s - 1.0)
    table.ask(Answer(choice.id, 1), script.t_s - 1.0)
    table.see(script.stroke("1", ("1", "TL"), sure=1.0))
    assert table.published.rulings[-1].striker == "A" and not table.published.questions


@pytest.mark.parametrize("said", [("orange", None), ("16", None), ("3", "XX"), (None, None), ("12", "TL")])
def test_a_ball_that_the_game_has_not_is_no_call(said: tuple[str | None, Any]) -> None:
    table = Table("wpa_9ball", WPA_TABLE)
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
    table.see(script.stroke("1", ("6", "TR"), sure=1.0, rails=["2", "3", "4", "8"]))
    with pytest.raises(UnusableInput):
        table.ask(Nominate(said[0], pocket=said[1]), script.t_s)


@pytest.mark.parametrize("game", sorted(PIECES))
def test_a_table_of_every_game_can_be_watched(game: str, tmp_path: Path) -> None:
    table = board_table() if game == "carrom" else WPA_TABLE
    assert LiveSettings("camera", tmp_path, game=game, table=table).game == game


def test_an_unknown_game_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="croquet"):
        LiveSettings("camera", tmp_path, game="croquet")


def test_a_live_match_begins_in_a_state_of_its_own_game(tmp_path: Path) -> None:
    """Inside a rack of eight ball, B on solids; nine ball has no red to be on."""
    LiveSettings("camera", tmp_path, game="wpa_8ball", match=NewMatch(start="B solids 1-0"))
    LiveSettings("camera", tmp_path, match=NewMatch(start="B red 30-41 frames 2-1"))
    for game, start in ("wpa_9ball", "A red 0-0"), ("snooker", "B solids"):
        with pytest.raises(UnusableInput, match="--start"):
            LiveSettings("camera", tmp_path, game=game, match=NewMatch(start=start))


def in_language(said: tuple[LiveWords, ...], language: str) -> str:
    """What a page of that language shows."""
    (text,) = [w.text for w in said if w.language == language]
    return text


def fouled(game: str) -> tuple[Table, dict[str, Any]]:
    """A table after a wrong ball first, and the state's ruling as published."""
    racked = diamond(WPA_TABLE) if game == "wpa_9ball" else None
    table = broken_rack(game, ("6" if racked else "red_1", "TR"), racked=racked)
    if racked:
        table.see(table.script.stroke("1", ("1", "TL"), sure=1.0), table.script.stroke("3", rails=["3"]))
    else:
        table.see(table.script.stroke("red_2", ("red_2", "TL"), sure=1.0))
        table.see(table.script.stroke("yellow_3", rails=["yellow_3"]))
    return table, document(table.published.rulings[-1])


@pytest.mark.parametrize(
    ("game", "english", "german"),
    [
        (
            "wpa_9ball",
            "Foul, wrong ball first; next Bob; cue-ball in hand anywhere",
            "Foul, falsche Kugel zuerst; weiter Bob; Spielball aus der Hand, überall",
        ),
        (
            "blackball",
            "Foul, wrong ball first, Free shot; next Bob; options: play from position, cue in hand in baulk",
            "Foul, falsche Kugel zuerst, Freistoß; weiter Bob; zur Wahl: aus dieser Stellung spielen, "
            "Spielball aus der Hand im Kopffeld",
        ),
    ],
)
def test_a_foul_says_its_reason_and_what_follows_by_name_in_each_language(
    game: str, english: str, german: str
) -> None:
    _, ruling = fouled(game)
    said = {w["language"]: w["text"] for w in ruling["said"]}
    assert said["en"] == ruling["text"] == english and said["de"] == german


def test_a_legal_stroke_names_its_player_in_each_language() -> None:
    table, _ = fouled("blackball")
    opened, on_red, _ = table.published.rulings
    assert in_language(opened.said, "en") == "No foul; next Ann"
    assert in_language(opened.said, "de") == "Kein Foul; weiter Ann"
    assert in_language(on_red.said, "de") == "Ann spielt Rot; weiter Ann"


def test_choices_are_named_in_each_language() -> None:
    table, _ = fouled("blackball")
    (choice,) = table.published.questions
    assert [in_language(a.said, "en") for a in choice.answers] == [
        "Play from position",
        "Cue in hand in baulk",
    ]
    assert [in_language(a.said, "de") for a in choice.answers] == [
        "Aus dieser Stellung spielen",
        "Spielball aus der Hand im Kopffeld",
    ]
    straight = broken_rack("wpa_14_1").published.questions[-1]
    assert in_language(straight.answers[1].said, "de") == "Ann eröffnet noch einmal"


def test_a_name_that_is_a_phrase_or_holds_a_sides_letter_stays_as_it_is() -> None:
    stroke = fouled("wpa_9ball")[0].referee.match.strokes[-1]
    for name in ("B. Smith", "Red", "Foul; A"):
        ruling = ruling_of(stroke, ("A", name), False, 0.0, "")
        assert f"weiter {name}; Spielball aus der Hand" in in_language(ruling.said, "de")
    declared: Any = {"players": ["A. Smith", "Bo"]}
    assert Say().said_of(declared, "No foul; next A. Smith") == "No foul; next A. Smith"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_games_rules_say_who_is_at_the_table(game: str) -> None:
    at = RULES[game].at_table(RULES[game].new_frame("B"))
    assert (at.by, at.chooser, at.options) == ("B", None, ())
    on = {"carrom": "white", "snooker": "red", "six_red": "red", "wpa_9ball": "1", "wpa_10ball": "1"}
    assert at.on == on.get(game)


def test_after_a_foul_of_billiards_the_other_player_has_his_choice() -> None:
    # billiards 3.15(c): from where the balls lie, or from in-hand with the balls on their spots
    table = GAMES["english_billiards"].table()
    live = Table("english_billiards", table)
    places = {"white": (20.0, 500.0), "yellow": (300.0, 1200.0), "red": (0.0, 2600.0)}
    script = GameScript("english_billiards", table, places)
    live.see(script.stroke("red", cue="white"))
    (stroke,) = live.referee.match.strokes
    live.referee.correct(Correction(stroke.entry, infringements=("push_stroke",)), "Ann")
    side, options = game_choice(live.referee.standing[0]) or ("", ())
    assert side == "B" and options == live.referee.match.strokes[0].options == live.now.options
    live.ask(Choose(options[0]), script.t_s - 0.5)
    live.see(script.stroke("red", cue="yellow"))
    assert [w.text for w in live.referee.match.warnings if w.type == "choice_refused"] == []
    assert game_choice(live.referee.standing[0]) is None
