"""A game's own words and figures: no break, frame or pot of snooker's where a game has none."""

from __future__ import annotations

import re

import pytest
from rich.console import Console

from calibration.table.games import GAMES, PIECES
from calibration.table.specs import WPA_TABLE, TableSpec
from calibration.texts import fields_of, load_texts, phrase
from referee.facts.calls import Start
from referee.match.questions import texts_of
from referee.match.referee import Referee
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import Match, break_of
from referee.outputs.games import SCORERS
from referee.outputs.report import report_html
from referee.outputs.sheet import sheet_of
from referee.outputs.statistics import statistics_of
from referee.outputs.terminal import strokes_table
from tests.referee.outputs.test_words_and_view import VIDEO
from tests.support.game_script import GameScript, spread

OTHERS = sorted(g for g in GAMES if GAMES[g].family != "snooker")


def match_of(game: str) -> Match:
    """A short match in which two pieces are potted one behind the other, and then nothing."""
    table: TableSpec = GAMES[game].table()
    pieces = PIECES[game]
    kinds = [b for b in pieces.kind_of if b not in pieces.struck and pieces.kind_of[b] not in pieces.struck]
    cue = {"cue": (0.0, 300.0), "striker": (50.0, -253.0), "white": (0.0, 300.0)}
    script = GameScript(game, table, {pieces.cue: cue[pieces.cue], **spread(table, kinds)})
    referee = Referee(table, Start("A", None, (0, 0), assumed=False), game=game)
    for piece in kinds[:2]:
        referee.feed(script.stroke(piece, (piece, "TL")))
    referee.feed(script.stroke(next(iter(kinds[2:]), None)))
    referee.close()
    return match_document(game, VIDEO, calibration_json(None), referee.match)


def words_of_report(match: Match, language: str) -> str:
    """The report's words without its drawings and styles."""
    page = report_html(match, texts=load_texts(language))
    page = re.sub(r"(?s)<style>.*?</style>|<svg.*?</svg>|<symbol.*?</symbol>", " ", page)
    return re.sub(r"<[^>]+>", " ", page)


def test_points_of_one_visit_of_14_1_are_its_run() -> None:
    match = match_of("wpa_14_1")
    a = statistics_of(match).sides[0]
    assert [b.points for b in statistics_of(match).breaks] == [2] and a.highest_break == 2
    assert [break_of(s) for s in match["strokes"]] == [1, 2, 2]  # the stroke that ends it says it too
    english, german = words_of_report(match, "en"), words_of_report(match, "de")
    assert "High run" in english and "Runs of 50 / 100" in english and "Shots / innings" in english
    assert "Höchstserie" in german and "Serien ab 50 / 100" in german
    for word in ("break", "Pot success", "Points from fouls"):
        assert word not in english
    out = Console(width=100, record=True)
    out.print(strokes_table(match))
    assert ", run 2" in out.export_text()


def test_the_sheet_of_14_1_has_a_foul_in_the_column_of_who_loses_the_points() -> None:
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, ["1", "2", "3"])})
    referee = Referee(WPA_TABLE, Start("A", None, (5, 0), assumed=False), game="wpa_14_1")
    referee.feed(script.stroke(None, rails=[]))
    referee.close()
    match = match_document("wpa_14_1", VIDEO, calibration_json(None), referee.match)
    (_, rows), *_ = sheet_of(match).frames
    assert [(r.a, r.b, r.score) for r in rows] == [("(1)", "", "4–0")]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", OTHERS)
def test_no_report_has_figures_that_its_game_does_not_know(game: str, language: str) -> None:
    said = words_of_report(match_of(game), language)
    usual, own = load_texts(language), texts_of(game, load_texts(language))
    for name in ("highest_break", "breaks_of_50_100", "points_from_fouls", "points_potted", "pot_success"):
        row = f"stats.row_{name}"
        shown = name in SCORERS[game].figures
        assert (own.say(row) in said) == shown
        if own.say(row) != usual.say(row):
            assert usual.say(row) not in said.replace(own.say(row), "")


@pytest.mark.parametrize("game", OTHERS)
def test_every_figure_of_a_game_is_a_text(game: str) -> None:
    for language in ("en", "de"):
        texts = load_texts(language).sections["stats"]
        assert [n for n in SCORERS[game].figures if f"row_{n}" not in texts] == []


def test_own_words_stand_in_place_of_texts_that_there_are() -> None:
    english, german = load_texts("en").sections, load_texts("de").sections
    own = [name for name in english if name.startswith("own_")]
    assert own
    for name in own:
        assert set(english[name]) == set(german[name])
        for texts in (english, german):
            for key, text in texts[name].items():
                section, _, of = key.partition(".")
                assert fields_of(text) <= fields_of(texts[section][of]), key


def test_white_is_the_cue_ball_but_where_a_game_has_other_whites() -> None:
    whites = {game: texts_of(game).ball("white") for game in GAMES}
    named = {"carrom", "english_billiards", "english_billiards_spotted"}
    assert {g for g, said in whites.items() if said == "white"} == named
    assert {said for g, said in whites.items() if g not in named} == {"cue-ball"}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", OTHERS)
def test_nothing_is_said_of_a_ball_on_that_has_no_name(game: str, language: str) -> None:
    match = match_of(game)
    assert "–:" not in words_of_report(match, language)
    out = Console(width=200, record=True)
    out.print(strokes_table(match))
    assert not re.search(r"\b(on|auf) –", out.export_text())


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("pocketed 1 own C/m, 1 opponent's C/m", "versenkt: 1 eigener Stein, 1 Stein des Gegners"),
        ("pocketed 2 own C/m", "versenkt: 2 eigene Steine"),
        ("white, 1 C/m on the board", "Weiß, 1 Stein auf dem Brett"),
        ("nothing pocketed – then breaker", "nichts versenkt – dann wer eröffnet"),
        ("No foul; next Ann", "Kein Foul; weiter Ann"),
        ("replay frame", "den Frame wiederholen"),
    ],
)
def test_german_counts_one_as_one_and_leaves_no_english_word(english: str, german: str) -> None:
    assert phrase(english, load_texts("de")) == german


def test_german_names_who_follows_by_no_gender() -> None:
    said = [t for texts in load_texts("de").sections.values() for t in texts.values()]
    assert [t for t in said if re.search(r"\b([Dd]e[nmr] |als )?Nächste[rn]?\b", t)] == []
