"""Words: one turn for video, drawing and sentences; languages by their file; answers as people say them."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any, cast

import pytest
from console_fixture import CAMERA, frame_events
from script import Scene

from calibration.camera import Camera
from calibration.table.games import GAMES
from calibration.table.specs import BRITISH_POOL_TABLE, POCKETS, SNOOKER_TABLE
from calibration.texts import fields_of, language_names, languages, load_texts
from referee.console.page_data import table_shape
from referee.facts.calls import Players
from referee.match.referee import Referee
from referee.match.snooker.fold import GAP_WORDS
from referee.match.weighing import percent
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.diagram import pocket_labels, stroke_svg
from referee.outputs.document import Match, problem_of
from referee.outputs.exports import chapters_vtt, markers_edl
from referee.outputs.sheet import score_sheet_html
from referee.outputs.view import UPRIGHT, on_screen, pocket_key, turn_of_camera
from referee.outputs.words import (
    Say,
    decided_words,
    facts_words,
    happened,
    means_words,
    question_words,
    ruling_words,
    say_of,
    unusable_words,
)
from referee.rules.snooker.facts import Infringement

VIDEO: Any = {"file": None, "width": 1280, "height": 720, "images": 0, "duration_s": 0.0}


@pytest.fixture(scope="module")
def match() -> Match:
    referee = Referee(SNOOKER_TABLE, None, [Players(("Ann", "Bo"))])
    for event in frame_events():
        referee.feed(event)
    referee.close()
    return match_document("snooker", VIDEO, calibration_json(None), referee.match)


def camera(turn: int) -> Camera:
    """A camera straight above that sees the table after so many quarter turns from baulk at the left."""
    angle = {0: 0.5, 1: 1.0, 2: -0.5, 3: 0.0}[turn] * 3.141592653589793
    # looking down: x right and y down in the picture; a half turn about x, then about the view's axis
    import cv2
    import numpy as np

    down = np.diag([1.0, -1.0, -1.0])
    about = cv2.Rodrigues(np.array([0.0, 0.0, angle]))[0]
    rotation = about @ down
    centre = np.array([0.0, 1784.5, 4000.0])
    vector = cv2.Rodrigues(rotation)[0].ravel()
    moved = -rotation @ centre
    return Camera(1280, 720, "radial", 700.0, 639.5, 359.5, (), tuple(vector), tuple(moved))


@pytest.mark.parametrize("turn", range(4))
def test_a_pocket_is_named_by_where_the_camera_shows_it(turn: int) -> None:
    seen = camera(turn)
    assert turn_of_camera(seen, SNOOKER_TABLE) == turn
    places = {p.name: (p.x_mm, p.y_mm, 0.0) for p in SNOOKER_TABLE.pockets}
    px = seen.pixels_from_table(list(places.values()))
    middle = px.mean(axis=0)
    for name, (x, y) in zip(places, px, strict=True):
        row, column = pocket_key(name, turn).split("_")
        if column in ("left", "right"):
            assert (x > middle[0] + 5) == (column == "right"), name
        if row in ("top", "bottom"):
            assert (y > middle[1] + 5) == (row == "bottom"), name


def test_four_quarter_turns_are_none_and_every_pocket_has_its_own_name() -> None:
    assert on_screen(1, 0, 4) == (1, 0)
    for turn in range(4):
        assert len({pocket_key(p, turn) for p in POCKETS}) == 6


def test_the_drawing_is_turned_with_its_words(match: Match) -> None:
    stroke = match["strokes"][0]
    for turn in range(4):
        say = Say(turn=turn)
        drawn = stroke_svg(stroke, SNOOKER_TABLE, {}, turn=turn, pocket=say.pocket)
        assert say.pocket("TR") in drawn and say.pocket("TR") in happened(stroke, say)
        box = [float(v) for v in re.search(r'viewBox="([^"]+)"', drawn)[1].split()]  # type: ignore[index]
        assert (box[3] > box[2]) == (turn % 2 == 1)


def test_every_language_has_only_known_texts_with_the_same_fields() -> None:
    english = load_texts().sections
    assert {"en", "de"} <= set(languages()) and language_names()["de"] == "Deutsch"
    for code in languages():
        for section, texts in load_texts(code).sections.items():
            assert set(texts) <= set(english[section]), (code, section)
            for key, text in texts.items():
                assert fields_of(text) <= fields_of(english[section][key]), (code, section, key)


def test_german_is_complete() -> None:
    import tomllib
    from importlib import resources

    read = resources.files("calibration.texts")
    english, german = (tomllib.loads(read.joinpath(f"{c}.toml").read_text("utf-8")) for c in ("en", "de"))
    lacking = [(s, k) for s, texts in english.items() for k in texts if k not in german.get(s, {})]
    assert lacking == []


def test_every_infringement_that_a_referee_can_name_has_its_words() -> None:
    assert [kind for kind in Infringement if kind.value not in load_texts().sections["fouls"]] == []


def test_an_answer_and_its_consequence_read_as_a_person_says_them(match: Match) -> None:
    asked = match["strokes"][1]
    first = asked["candidates"][0]
    facts = first["facts"]
    assert facts_words(match, facts) == "nominated pink; hit pink first"
    german = say_of(match, load_texts("de"))
    assert facts_words(match, facts, german) == "Pink angesagt; zuerst Pink getroffen"
    assert means_words(match, first["means"], german) == "keine Punkte; weiter Bo auf Rot"
    assert question_words(match, asked) == "Which ball did Ann nominate?"
    assert question_words(match, asked, german) == "Welchen Ball hat Ann angesagt?"
    state = {"striker": "B", "ball_on": "any_colour", "score": "12-7"}
    assert facts_words(match, state) == "Bo at the table, any colour on; score 12-7"
    called, other = {"called": "6 to TL"}, {"called": "another shot, or none"}
    assert facts_words(match, called) == "called 6 in top left"
    assert facts_words(match, called, german) == "6 angesagt, oben rechts (TL)"
    assert facts_words(match, other, german).startswith("angesagt ein anderer Stoß")


def test_a_question_keeps_its_reason_in_another_language_and_an_older_record_its_english(
    match: Match,
) -> None:
    reasons = [{"text": "what_happened", "values": {}}, {"text": "misnamed", "values": {"ball": "brown"}}]
    asked: Any = {**match["strokes"][1], "asked": reasons}
    assert question_words(match, asked).endswith(
        "taken for the brown has another colour: look which ball it is."
    )
    german = question_words(match, asked, say_of(match, load_texts("de")))
    assert "Stoß geschehen? Der Ball, der für Braun gehalten wurde" in german
    older: Any = {k: v for k, v in match["strokes"][1].items() if k != "asked"}
    older["question"] = "What was followed as the red 6 does not look like it."
    assert question_words(match, older) == older["question"]


def test_a_share_has_the_digits_that_mean_something() -> None:
    assert [percent(s) for s in (0.6, 0.995, 0.9998, 1.0)] == ["60 %", "99.5 %", "99.98 %", "100 %"]


@pytest.mark.parametrize(
    ("record", "english", "german"),
    [
        ("first 1; 9 pocketed TR", "first 1; 9 pocketed top right", "zuerst 1; 9 versenkt oben rechts"),
        ("9 to foot spot (0.0, 1905.0) mm", "9 to the foot spot", "9 auf den Fußpunkt"),
        ("9 to its place (0.0, 1962.2) mm", "9 to its place", "9 an den freien Platz beim Spot"),
        ("black to black (0.0, 3245.5) mm", "black to its spot", "Schwarz auf den eigenen Spot"),
        ("blue to black (0.0, 3245.5) mm", "blue to the black spot", "Blau auf den Spot von Schwarz"),
        ("red to the Centre Spot (0.0, 1784.5) mm", "red to the Centre Spot", "Rot auf den Mittelspot"),
    ],
)
def test_a_record_names_pockets_and_spots_as_players_do(record: str, english: str, german: str) -> None:
    assert Say().record(record) == english
    assert Say(load_texts("de")).record(record) == german


def test_a_pocket_of_a_record_turns_with_the_table() -> None:
    said = "7 pocketed bottom right (TR); 8 pocketed top middle (CL)"
    assert Say(turn=0).record("7 pocketed TR; 8 pocketed CL") == said
    german = "7 versenkt unten rechts (TR); 8 versenkt oben Mitte (CL)"
    assert Say(load_texts("de"), turn=0).record("7 pocketed TR; 8 pocketed CL") == german


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("name", POCKETS)
def test_a_pocket_has_its_own_name_too_where_the_screen_says_another(name: str, turn: int) -> None:
    """A reader of CSV, JSON or calls has the names; on the rule book's plan both are the same."""
    shown = Say(turn=turn)
    initials = "".join(w[0] for w in shown.corner(name).split()).upper()
    same = initials.replace("M", "C") == name
    assert same == (turn == UPRIGHT)
    assert shown.pocket(name) == shown.corner(name) + ("" if same else f" ({name})")


def test_an_act_after_a_stroke_is_said_once_and_by_name(match: Match) -> None:
    text = "No foul – then A, violation: Foul; penalty 1 – then breaker: breaker; Bo breaks"
    stroke: Any = {"ruling": {"text": text}}
    said = "No foul – then Ann, violation: Foul; penalty 1 – then breaker; Bo breaks"
    assert ruling_words(match, stroke) == said


def test_sheet_chapters_and_markers_name_pockets_as_the_camera_sees_them(match: Match) -> None:
    seen: Any = {**match, "calibration": {**match["calibration"], "camera": CAMERA}}
    said = happened(seen["strokes"][0], say_of(seen))
    assert said.endswith("red potted in top left (TR)")
    for text in (score_sheet_html(seen), chapters_vtt(seen), markers_edl(seen, 25.0)):
        assert said in text


@pytest.mark.parametrize(
    ("english", "said"),
    [
        ("red_3 on its way at 2 s", "red on its way at 2 s"),
        ("red 12 at 3.20 s", "red at 3.20 s"),
        ("red 50 %; red 99.98 %", "red 50 %; red 99.98 %"),  # a share is no number of a red
    ],
)
def test_reds_lose_their_numbers_and_shares_do_not(english: str, said: str) -> None:
    assert Say(turn=0).seen(english) == said


@pytest.mark.parametrize("lasts", ["0.40 s from 0.47 s", "at 0.47 s"])
@pytest.mark.parametrize("what", GAP_WORDS.values(), ids=GAP_WORDS)
def test_what_was_not_seen_is_told_in_german_in_all_its_words(what: str, lasts: str) -> None:
    """A reason of two parts had stayed English behind its time."""
    german = Say(load_texts("de"))
    assert german.phrase(f"{lasts}: {what}").endswith(f" s: {german.phrase(what)}")
    assert german.phrase(what) != what


@pytest.mark.parametrize("turn", range(4))
def test_names_of_pockets_are_drawn_away_from_the_rail_beside_them(turn: int) -> None:
    """On a table that stands on end too: a name in the middle of its place is cut off by the edge."""
    labels = pocket_labels(SNOOKER_TABLE, turn, str)
    assert len(labels) == 6
    for p, label in zip(SNOOKER_TABLE.pockets, labels, strict=True):
        side = pocket_key(p.name, turn).rpartition("_")[2]
        anchor = {"left": "start", "right": "end", "middle": "middle"}[side]
        assert f'text-anchor="{anchor}"' in label, (p.name, turn)


def test_names_of_pockets_are_no_wider_on_a_small_table() -> None:
    """On a table of six feet they lay over one another."""
    size = [
        int(pocket_labels(t, 0, str)[0].partition('font-size="')[2].partition('"')[0])
        for t in (SNOOKER_TABLE, BRITISH_POOL_TABLE)
    ]
    share = BRITISH_POOL_TABLE.length_mm / SNOOKER_TABLE.length_mm
    assert size[1] == pytest.approx(size[0] * share, abs=1)


@pytest.mark.parametrize(
    ("game", "white"),
    [("snooker", "cue-ball"), ("wpa_9ball", "cue-ball"), ("carrom", "white"), ("english_billiards", "white")],
)
def test_white_is_the_cue_ball_only_where_nothing_else_is_struck(match: Match, game: str, white: str) -> None:
    # carrom's white men (laws 1 to 26: reading); of billiards' two cue-balls either may be struck (1.2)
    say = say_of({**match, "game": game})
    assert facts_words(match, {"first_contact": "white"}, say) == f"hit {white} first"
    assert say.ball("cue") == "cue-ball"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_pages_get_a_table_in_the_frame_of_its_records(game: str, match: Match) -> None:
    # carrom's records count from the board's centre; pockets, lines and spots lie on the surface in each game
    table = GAMES[game].table()
    doc: Any = {**match, "game": game, "calibration": {**match["calibration"], "table": asdict(table)}}
    shape = table_shape(doc)["table"]
    low, high, half = -shape["centre_mm"], shape["length_mm"] - shape["centre_mm"], shape["half_width_mm"]
    points = [xy for line in shape["lines"] for xy in line] + list(shape["spots"].values())
    assert points
    assert all(abs(x) <= half + 0.1 and low - 0.1 <= y <= high + 0.1 for x, y in points)
    ys = [p["y"] for p in shape["pockets"]]
    assert min(ys) - low == pytest.approx(high - max(ys))


def test_a_name_in_doubt_is_said_and_a_sure_one_is_not(match: Match) -> None:
    stroke: Any = {
        **match["strokes"][0],
        "may_be": {"12": {"12": 0.68, "10": 0.3}, "7": {"7": 0.995, "3": 0.005}},
    }
    said = happened(stroke)
    assert "the 12 may be the 10 (30 %)" in said and "the 7 may" not in said


def test_a_question_that_what_followed_answered_says_so() -> None:
    """The red is the likelier first contact, and the black that A then pots answers which it was."""
    scene, referee = Scene(), Referee(SNOOKER_TABLE)
    for event in (
        scene.stroke({"red_1": 0.97, "brown": 0.03}, ["red_1"]),
        scene.stroke("black", ["black"]),
    ):
        referee.feed(event)
    referee.close()
    document = match_document("snooker", VIDEO, calibration_json(None), referee.match)
    first, second = document["strokes"]
    assert first["verdict"] == "certain" and 0.999 <= first["answered"] < 1.0
    said = [decided_words(s, Say(), "watch.open", "watch.certain") for s in (first, second)]
    assert said[0].startswith("certain by what followed (99.9") and said[1] == Say().t("watch.certain")
    assert "answered" not in second and problem_of(document) is None


@pytest.mark.parametrize(
    ("lengths_s", "said"),
    [
        ((2.0,), "1 span, 2.0 s in all"),
        ((2.0, 0.5), "2 spans, 2.5 s in all"),
        ((0.0,), "1 jump of unknown length"),
        ((2.0, 0.0, 0.0), "1 span, 2.0 s in all; 2 jumps of unknown length"),
    ],
)
def test_a_jump_that_no_clock_shows_has_no_length(lengths_s: tuple[float, ...], said: str) -> None:
    """It was told as "1 span, 0.0 s in all" where seconds were missing."""
    spans = [{"start_s": 3.0, "end_s": 3.0 + s, "reason": "images_lost"} for s in lengths_s]
    assert unusable_words(cast("Match", {"unusable": spans})) == said
