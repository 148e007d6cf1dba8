"""What a person adds as done wrong in a stroke: the words of the game's own rules, ruled by their clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from calibration.errors import UnusableInput
from calibration.table.board import CARROM_BOARD, board_table
from calibration.table.games import rules_of
from calibration.table.specs import BRITISH_POOL_TABLE, SNOOKER_TABLE, WPA_TABLE, TableSpec
from calibration.texts import game_title, load_texts, sentence
from referee.cases import play
from referee.cases.model import CaseError
from referee.console.page_data import _infringements, header
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.fold import things
from referee.match.referee import Referee
from referee.outputs.document import Match
from referee.outputs.words import Say
from referee.rules.registry import GAMES
from referee.rules.snooker.facts import JUDGEMENTS
from tests.support.game_script import GameScript, spread
from tests.support.match_fixture import document

NUMBERS = [str(n) for n in range(1, 16)]
GROUPS = ("wpa_8ball", "blackball", "wepf")


def open_table(game: str) -> tuple[tuple[str, str], ...]:
    """Whose the groups are is not known of a rack that had begun: the answer that the table is open; in
    carrom who has white, and who has covered the Queen.
    """
    if game == "carrom":
        return (("group", "A white"), ("queen", "A"))
    return (("group", "open"),) if game in GROUPS else ()


RED_YELLOW = ["red_1", "yellow_1", "black", "red_2", "yellow_2"]


def pool(game: str, table: TableSpec, balls: list[str]) -> tuple[GameScript, Referee]:
    script = GameScript(game, table, {"cue": (0.0, 400.0), **spread(table, balls)})
    return script, Referee(table, game=game)


def billiards() -> tuple[GameScript, Referee]:
    places = {"white": (300.0, 1500.0), "yellow": (-200.0, 2000.0), "red": (0.0, 2600.0)}
    return GameScript("english_billiards", SNOOKER_TABLE, places), Referee(
        SNOOKER_TABLE, game="english_billiards"
    )


def carrom() -> tuple[GameScript, Referee]:
    board = {"striker": (20.0, CARROM_BOARD.striker_line_y_mm()), "queen": (0.0, 0.0)}
    men = {f"{c}_{k}": (30.0 * k, 60.0 * s) for c, s in (("white", 1), ("black", -1)) for k in range(1, 6)}
    return GameScript("carrom", board_table(), board | men), Referee(board_table(), game="carrom")


def plain_stroke(game: str) -> tuple[Referee, JudgedStroke]:
    """A stroke without a foul, of a rack that had begun."""
    setting: Callable[[], tuple[GameScript, Referee]]
    if rules_of(game) == "english_billiards":
        setting, first = billiards, "red"
    elif game == "carrom":
        setting, first = carrom, "black_1"
    elif game in ("blackball", "wepf"):
        setting, first = lambda: pool(game, BRITISH_POOL_TABLE, RED_YELLOW), "red_1"
    else:
        highest = {"wpa_9ball": 9, "wpa_10ball": 10}.get(game, 15)
        setting, first = lambda: pool(game, WPA_TABLE, NUMBERS[:highest]), "1"
    script, referee = setting()
    referee.feed(script.stroke(first, rails=[first]))
    referee.close()
    return referee, referee.match.strokes[0]


GAMES_SEEN = [g for g in GAMES if g not in ("snooker", "six_red")]


@pytest.mark.parametrize("game", GAMES_SEEN)
def test_every_foul_that_a_games_rules_know_is_ruled_when_a_person_adds_it(game: str) -> None:
    referee, before = plain_stroke(game)
    assert before.foul is None
    for word in GAMES[game].infringements:
        fix = Correction(before.entry, infringements=(word,), answers=open_table(game))
        judged = referee.correct(fix, "Bo").strokes[0]
        assert judged.foul is not None and judged.foul.clause, (game, word)
        assert judged.verdict == "certain", (game, word, judged.question)


@pytest.mark.parametrize("game", GAMES_SEEN)
def test_a_foul_that_nobody_called_lapses_where_the_rules_have_it_so(game: str) -> None:
    """Billiards 3.15(d), WPA 6; of carrom no law has it."""
    referee, before = plain_stroke(game)
    fix = Correction(before.entry, infringements=GAMES[game].infringements[:1], answers=open_table(game))
    assert referee.correct(fix, "Bo").strokes[0].foul is not None
    uncalled = replace(fix, called=False)
    if not GAMES[game].uncalled_lapses:
        assert game == "carrom"
        with pytest.raises(UnusableInput, match=r"expected a game in which a foul .* lapses, found Carrom"):
            referee.correct(uncalled, "Bo")
        return
    judged = referee.correct(uncalled, "Bo").strokes[0]
    assert judged.foul is None and judged.verdict == "certain"


@pytest.mark.parametrize("name", JUDGEMENTS)
@pytest.mark.parametrize("game", GAMES_SEEN)
def test_what_only_snookers_rules_read_is_refused_elsewhere_in_one_sentence(game: str, name: str) -> None:
    """The miss (snooker 3.14) and the free ball (3.10): no other game has them."""
    referee, before = plain_stroke(game)
    with pytest.raises(UnusableInput, match=r"expected what the rules of .* read, found '"):
        referee.correct(replace(Correction(before.entry), **{name: False}), "Bo")
    assert not list(referee.journal.entries("correction"))


@pytest.mark.parametrize(
    ("game", "fix", "found"),
    [
        ("wpa_9ball", {"in_d": True}, "from the D"),
        ("carrom", {"in_d": False}, "from the D"),
        ("wepf", {"in_d": False}, "from the D"),
        ("wpa_9ball", {"touching": True}, "touching before the stroke"),
        ("wpa_9ball", {"nominated": "3"}, "nominated"),  # nine ball calls nothing (WPA 2)
        ("english_billiards", {"nominated": "red"}, "nominated"),
        ("carrom", {"answers": (("rail", "yes"),)}, "cushion after contact"),
        ("wpa_9ball", {"answers": (("group", "open"),)}, "balls"),
        ("wpa_8ball", {"answers": (("foul_snooker", "none"),)}, "nominated out of a foul snooker"),
        ("wpa_8ball", {"answers": (("crossed", "yes"),)}, "centre string crossed"),
        ("wpa_9ball", {"answers": (("jumped", "yes"),)}, "jumped over a ball"),  # allowed (8.16)
        ("wepf", {"answers": (("weather", "fine"),)}, "field weather"),
    ],
)
def test_what_a_game_does_not_have_is_refused_in_one_sentence(
    game: str, fix: dict[str, object], found: str
) -> None:
    referee, before = plain_stroke(game)
    with pytest.raises(UnusableInput, match=f"expected what the rules of .* read, found '{found}"):
        referee.correct(replace(Correction(before.entry), **fix), "Bo")
    assert not list(referee.journal.entries("correction"))


def test_a_nominated_ball_is_one_of_the_games() -> None:
    referee, before = plain_stroke("wpa_8ball")
    with pytest.raises(UnusableInput, match="expected a ball among 1, 2"):
        referee.correct(Correction(before.entry, nominated="red"), "Bo")


@pytest.mark.parametrize("game", GAMES)
def test_every_thing_that_a_game_asks_may_be_answered(game: str) -> None:
    asked = set(things(game))
    assert ("jumped" in asked) == (GAMES[game].jump is not None)
    head = header(cast("Match", document([], ("A", "B"), 9.0) | {"game": game}), "m", 1, False, True)
    assert head["nominates"] == (
        game in ("snooker", "six_red", "wepf", "wepf_numbered", "wpa_8ball", "wpa_10ball", "wpa_14_1")
    )


@pytest.mark.parametrize("game", GAMES)
def test_the_console_offers_what_the_games_own_rules_read(game: str) -> None:
    head = header(cast("Match", document([], ("A", "B"), 9.0) | {"game": game}), "m", 1, False, True)
    assert head["judgements"] == (list(JUDGEMENTS) if game in ("snooker", "six_red") else [])


@pytest.mark.parametrize(
    ("game", "word", "clause"),
    [
        ("english_billiards", "push_stroke", "3.14(h)"),
        ("english_billiards", "cue_ball_struck_twice", "3.14(b)"),
        ("carrom", "pushed", "64(a)"),
        ("wpa_8ball", "double_hit", "6.7"),
        ("wpa_14_1", "bad_play_from_behind_head_string", "6.11"),
        ("blackball", "jump_shot", "5.13.3"),
        ("wepf", "coached", "K(12)"),
    ],
)
def test_an_added_foul_has_the_clause_of_its_game(game: str, word: str, clause: str) -> None:
    referee, before = plain_stroke(game)
    fix = Correction(before.entry, infringements=(word,), answers=open_table(game))
    judged = referee.correct(fix, "Bo").strokes[0]
    assert judged.foul is not None and judged.foul.clause == clause


def test_an_improper_stroke_of_carrom_costs_a_piece_and_the_turn_and_says_why() -> None:
    """Law 64(a): one C/m of the offender comes out and the turn is lost."""
    script, referee = carrom()
    referee.feed(script.stroke("white_1", ("white_1", "TL")))
    referee.close()
    kept = referee.match.strokes[0]
    judged = referee.correct(Correction(kept.entry, infringements=("elbow",)), "Bo").strokes[0]
    assert (kept.next_striker, judged.next_striker) == ("A", "B")
    assert any("elbow" in word for word in judged.words)


@pytest.mark.parametrize(
    ("game", "word"),
    [
        ("english_billiards", "used_object_to_measure"),
        ("carrom", "push_stroke"),
        ("wpa_9ball", "bad_play_from_behind_head_string"),  # 2.7 does not list 6.11
        ("wpa_8ball", "non_standard_cue"),
        ("wepf", "slow_play"),
    ],
)
def test_a_foul_of_another_game_is_refused_in_one_sentence_and_nothing_is_journalled(
    game: str, word: str
) -> None:
    referee, before = plain_stroke(game)
    words = sentence(f"fouls.{word}")
    with pytest.raises(UnusableInput) as error:
        referee.correct(Correction(before.entry, infringements=(word,)), "Bo")
    assert f"expected a foul that {game_title(game)} knows (" in str(error.value)
    assert str(error.value).endswith(f"found {words}")
    assert not list(referee.journal.entries("correction"))
    with pytest.raises(ValueError, match="infringements must be one of"):
        Correction(before.entry, infringements=("looked_away",))


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", list(GAMES))
def test_the_console_offers_a_games_own_fouls_each_by_words_of_its_own(game: str, language: str) -> None:
    say = Say(load_texts(language))
    offered = _infringements(game, say)
    said = [say.t(f"fouls.{word}") for word in offered]
    assert set(offered) <= set(GAMES[game].infringements)
    assert len(set(said)) == len(said) > 10
    assert {say.t(f"fouls.{word}") for word in GAMES[game].infringements} == set(said)


def test_a_facts_file_of_carrom_says_what_was_done_wrong_and_no_word_of_another_game() -> None:
    board = play.begin("carrom", {"striker_player": "A"}, {})
    stroke = {"type": "stroke", "by": "A", "pocketed": {"own": 1}}
    ruled = play.advance("carrom", board, {**stroke, "infringements": ["pushed"]})
    assert (ruled.values["foul"], ruled.values["next_turn"]) == ("foul", "B")
    with pytest.raises(CaseError, match=r"an infringement must be one of .*, got 'push_stroke'"):
        play.advance("carrom", board, {**stroke, "infringements": ["push_stroke"]})


@pytest.mark.parametrize("fix", [{"potted": ("1",)}, {"first_contact": ("1",)}])
def test_what_cannot_be_true_of_the_balls_on_the_table_is_refused_and_nothing_is_journalled(
    fix: dict[str, object],
) -> None:
    script, referee = pool("wpa_9ball", WPA_TABLE, NUMBERS[:9])
    referee.feed(script.stroke("1", ("1", "TL")))
    referee.feed(script.stroke("2", rails=["2"]))
    referee.close()
    second = referee.match.strokes[1]
    with pytest.raises(UnusableInput, match="expected what can be true of the balls on the table"):
        referee.correct(replace(Correction(second.entry), **fix), "Bo")
    assert referee.match.strokes[1] == second
    assert not list(referee.journal.entries("correction"))
