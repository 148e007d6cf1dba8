"""Changes in the console: never lost, never overwritten, judged again at once."""

# ruff: noqa: E402
from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from console_fixture import TOKEN, correction, frame_events, make_review

from calibration.errors import UnusableInput
from calibration.table.games import GAMES, PIECES
from calibration.texts import again, load_texts
from referee.commands.review import serve_command
from referee.console import page_data
from referee.console.change_bodies import (
    CorrectionBody,
    FactsBody,
    ImpossibleState,
    MissedBody,
    StateBody,
    UndoBody,
    UnknownBody,
    facts_of_answer,
)
from referee.console.match_view import MatchView
from referee.console.reviews import current_match, open_review
from referee.journal import Journal
from referee.outputs import words
from referee.outputs.document import read_match
from referee.rules.registry import unit_of

pytest_plugins = ("console_sites",)
WRITE = {"x-cueref-token": TOKEN}


def test_a_pot_taken_away_re_scores_what_follows_and_comes_back(match: MatchView) -> None:
    before = match.document
    done = match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
    assert (
        done["score_before"] == before["score"] != done["score_after"]
        and 1 in done["changed"]
        and len(done["changed"]) > 2
    )
    assert match.document["strokes"][0]["potted"] == [] and match.document["strokes"][1]["striker"] == "B"
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before["strokes"] and match.document["score"] == before["score"]


def test_changes_of_one_stroke_add_up_and_are_undone_one_by_one(match: MatchView) -> None:
    states = [json.dumps(match.document["strokes"][2])]
    for facts in (
        FactsBody(first_contact=["red"]),
        FactsBody(cue_ball="on_table"),
        FactsBody(potted=["red"]),
    ):
        match.correct(CorrectionBody(stroke=3, who="Ref", facts=facts))
        states.append(json.dumps(match.document["strokes"][2]))
    assert len(set(states)) == 4
    for expected in reversed(states[:-1]):
        match.undo(UndoBody(who="Ref"))
        assert json.dumps(match.document["strokes"][2]) == expected
    with pytest.raises(UnusableInput, match="found none"):
        match.undo(UndoBody(who="Ref"))


def ruling_of(match: MatchView) -> str:
    """The third stroke without who decided it when."""
    return json.dumps({k: v for k, v in match.document["strokes"][2].items() if k != "decided"})


def test_the_same_change_made_again_is_a_change_of_its_own(match: MatchView) -> None:
    """A, B, A again: undoing gives B, then A, then what was seen, also after the journal is read anew."""
    states = [ruling_of(match)]
    for first in (["red"], ["blue"], ["red"]):
        match.correct(CorrectionBody(stroke=3, who="Ref", facts=FactsBody(first_contact=first)))
        states.append(ruling_of(match))
    assert states[1] == states[3] != states[2]
    match.undo(UndoBody(who="Ref"))
    assert ruling_of(match) == states[2]
    again = open_review("again", match.folder)
    for expected in (states[1], states[0]):
        again.undo(UndoBody(who="Ref"))
        assert ruling_of(again) == expected
    again.close()


@pytest.mark.parametrize("seed", range(4))
def test_undoing_to_the_end_gives_what_was_seen(match: MatchView, seed: int) -> None:
    """Whatever was changed, added, dropped, chosen and taken back between."""
    chance = random.Random(seed)
    seen = json.dumps([match.document["strokes"], match.document["score"]])
    for _ in range(12):
        strokes = match.document["strokes"]
        n = chance.choice(strokes)["n"]
        facts = chance.choice(
            [
                FactsBody(drop=True),
                FactsBody(potted=["red"]),
                FactsBody(first_contact=[]),
                FactsBody(striker="B"),
            ]
        )
        end_s = strokes[-1]["end_s"] + 1.0
        changes = [
            lambda n=n, facts=facts: match.correct(CorrectionBody(stroke=n, who="Ref", facts=facts)),
            lambda end_s=end_s: match.add(
                MissedBody(who="Ref", start_s=end_s, end_s=end_s + 1.0, potted=["red"])
            ),
            lambda: match.undo(UndoBody(who="Ref")),
        ]
        with contextlib.suppress(UnusableInput):
            chance.choices(changes, (4, 2, 1))[0]()
    for _ in range(40):
        try:
            match.undo(UndoBody(who="Ref"))
        except UnusableInput:
            break
    else:
        pytest.fail("undoing never ends")
    assert json.dumps([match.document["strokes"], match.document["score"]]) == seen


def test_the_journal_only_grows_and_says_who_and_when(match: MatchView) -> None:
    lengths, chains = [], []
    for work in (
        lambda: match.correct(CorrectionBody(stroke=5, who="Eve", facts=FactsBody(potted=[]))),
        lambda: match.undo(UndoBody(who="Adam")),
    ):
        work()
        with Journal(match.folder / "journal.sqlite") as journal:
            lengths.append(len(list(journal.entries())))
            chains.append([e.chain for e in journal.entries()])
            assert journal.verify()
    assert lengths[1] > lengths[0] and chains[1][: lengths[0]] == chains[0]
    assert [(h["who"], h["in_force"], h["stroke"]) for h in match.history()] == [
        ("Eve", False, 5),
        ("Adam", False, 5),
    ]
    assert all(h["at"].endswith("+00:00") for h in match.history())


def test_a_killed_server_loses_nothing(match: MatchView) -> None:
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=["red", "red"])))
    shutil.copytree(match.folder, match.folder.parent / "after_kill")  # as the disk is at this moment
    again = open_review("again", match.folder.parent / "after_kill")
    assert (
        again.document["strokes"] == match.document["strokes"]
        and again.document["score"] == match.document["score"]
    )
    again.close()


def test_exports_after_a_kill_say_what_the_journal_says(match: MatchView) -> None:
    """The journal is ahead of match.json between a change and its copy; nothing may read the old copy
    then.
    """
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
    killed = match.folder.parent / "killed"
    shutil.copytree(match.folder, killed)
    stamp = (killed / "journal.sqlite").stat()
    os.utime(killed / "match.json", ns=(stamp.st_atime_ns, stamp.st_mtime_ns - 1))
    assert read_match(killed)["strokes"] != match.document["strokes"]
    assert current_match(killed)["score"] == match.document["score"]
    assert read_match(killed)["score"] == match.document["score"]  # brought up to date by it


def test_match_json_follows_the_journal(match: MatchView) -> None:
    changed = open_review("changed", match.folder)
    changed.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=["red", "red"])))
    changed.close()
    again = open_review("again", match.folder)
    assert read_match(match.folder)["strokes"] == again.document["strokes"]
    again.close()


def test_one_answer_settles_a_question(match: MatchView) -> None:
    stroke = match.document["strokes"][1]
    assert stroke["verdict"] == "call" and len(stroke["candidates"]) == 2
    other = next(k for k, c in enumerate(stroke["candidates"]) if c["facts"]["nominated"] == "black")
    match.correct(CorrectionBody(stroke=2, who="Ref", answer=other))
    assert match.document["strokes"][1]["nominated"] == "black"
    match.correct(CorrectionBody(stroke=2, who="Ref", facts=FactsBody(first_contact=["pink"])))
    decided = match.document["strokes"][1]
    assert decided["verdict"] == "certain" and decided["foul"] is not None and decided["foul"]["penalty"] == 7


def test_an_answer_gives_the_ruling_shown_on_its_button(match: MatchView) -> None:
    """One press decides: for each answer, and for each other reading under it, no question is left."""
    for k, c in enumerate(match.document["strokes"][1]["candidates"]):
        for j, shown in enumerate([c, *c.get("otherwise", [])]):
            match.correct(CorrectionBody(stroke=2, who="Ref", answer=k, otherwise=j - 1 if j else None))
            decided, means = match.document["strokes"][1], shown["means"]
            assert decided["verdict"] == "certain"
            assert (decided["foul"], decided["points"], decided["score"]) == (
                means["foul"],
                means["points"],
                means["score"],
            )
            match.undo(UndoBody(who="Ref"))
            assert match.document["strokes"][1]["verdict"] == "call"
    with pytest.raises(UnusableInput, match="another reading"):
        match.correct(CorrectionBody(stroke=2, who="Ref", answer=0, otherwise=9))


@pytest.mark.parametrize(
    ("labels", "facts"),
    [
        ({"first_contact": "none"}, {"first_contact": []}),
        ({"first_contact": "red and blue"}, {"first_contact": ["red", "blue"]}),
        ({"potted": "red_3, blue"}, {"potted": ["red", "blue"]}),
        ({"snookered": "yes"}, {"snookered": True}),
        ({"in_d": "no"}, {"in_d": False}),
        ({"attempt": "a miss"}, {"good_enough_attempt": False}),
        ({"pushed": "no"}, {"first_contact": ["red"]}),
        ({"pushed": "yes"}, {"infringements": ["push_stroke"]}),
        ({"clear_path": "unknown"}, {}),
    ],
)
def test_the_labels_of_an_answer_become_facts(labels: dict[str, str], facts: dict[str, Any]) -> None:
    assert facts_of_answer(labels, "red_7").model_dump(mode="json", exclude_unset=True) == facts


def test_a_choice_can_be_made_and_withdrawn(match: MatchView) -> None:
    before = match.document["strokes"]
    match.correct(CorrectionBody(stroke=3, who="Ref", choice="ask_offender_to_play_again_from_position_left"))
    assert match.document["strokes"][3]["striker"] == "B" and before[3]["striker"] == "A"
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before


def test_a_false_stroke_is_dropped_and_a_missed_one_added(match: MatchView) -> None:
    from referee.console.change_bodies import MissedBody

    before = match.document
    match.correct(CorrectionBody(stroke=4, who="Ref", facts=FactsBody(drop=True)))
    assert len(match.document["strokes"]) == len(before["strokes"]) - 1
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before["strokes"]
    end = before["strokes"][0]["end_s"]
    with pytest.raises(UnusableInput, match="span"):
        match.add(MissedBody(who="Ref", start_s=end - 1, end_s=end + 1, first_contact="red"))
    match.add(
        MissedBody(who="Ref", start_s=end + 0.5, end_s=end + 1.5, first_contact="black", potted=["black"])
    )
    assert [s["n"] for s in match.document["strokes"]] == list(range(1, len(before["strokes"]) + 2))
    assert match.document["strokes"][1]["points"] == 7
    again = open_review("again", match.folder)  # the journal alone gives the same order
    assert again.document["strokes"] == match.document["strokes"]
    again.close()
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before["strokes"]


def test_two_readers_see_the_same_state(site: Any, reviewed: Path) -> None:
    with httpx.Client(base_url=site.base_url) as other:
        site.post(
            "/api/matches/frame/corrections", json=correction(6, facts={"potted": ["red"]}), headers=WRITE
        ).raise_for_status()
        assert other.get("/api/matches/frame").json() == site.get("/api/matches/frame").json()
        other.post("/api/matches/frame/undo", json={"who": "Ref"}, headers=WRITE).raise_for_status()
        assert site.get("/api/matches/frame").json()["score"] == [14, 0]


def test_entries_of_another_process_are_read_and_the_chain_holds(match: MatchView) -> None:
    from referee.facts.corrections import Correction
    from referee.match.referee import open_referee

    with Journal(match.folder / "journal.sqlite") as journal:
        other = open_referee(journal)
        other.correct(Correction(match.document["strokes"][0]["entry"], potted=()), "Live")
        assert match.document["strokes"][0]["points"] == 1
        assert match.refresh() and not match.refresh()
        assert match.document["strokes"][0]["points"] == 0
        other.correct(Correction(match.document["strokes"][0]["entry"], undo=True), "Live")
        match.correct(CorrectionBody(stroke=4, who="Ref", facts=FactsBody(potted=[])))
    with Journal(match.folder / "journal.sqlite") as journal:
        assert journal.verify() and [e.who for e in journal.entries("correction")] == ["Live", "Live", "Ref"]
    assert (match.document["strokes"][0]["points"], match.document["strokes"][3]["points"]) == (1, 0)


def test_a_journal_of_an_older_version_opens(match: MatchView, tmp_path: Path) -> None:
    """A field that came with a default since does not make it the journal of something else."""
    import sqlite3

    shutil.copytree(match.folder, tmp_path / "older")
    with Journal(match.folder / "journal.sqlite") as journal:
        first = next(iter(journal.entries()))
    table, start, options, calls = first.payload
    del options["deciding_frame" if "deciding_frame" in options else sorted(options)[0]]
    with sqlite3.connect(tmp_path / "older" / "journal.sqlite") as db:
        db.execute("DROP TRIGGER entries_are_never_changed")
        db.execute(
            "UPDATE entries SET payload = ? WHERE id = ?",
            (json.dumps([table, start, options, calls]), first.id),
        )
    older = open_review("older", tmp_path / "older")
    assert older.document["strokes"] == match.document["strokes"]
    older.close()


def test_a_hand_that_was_not_there_can_be_denied(match: MatchView) -> None:
    from referee.console.change_bodies import HandBody

    placed, black = match.hands()
    assert (placed["type"], black["ball"], len(match.document["spotting"])) == ("in_hand", "black", 1)
    match.deny_hand(HandBody(entry=black["entry"], who="Ref"))
    assert match.document["spotting"] == [] and [h["counts"] for h in match.hands()] == [True, False]
    said = match.history()[-1]["words"]
    assert re.fullmatch(r"did not happen: black put on its spot by hand at \d:\d\d", said)
    assert again(said, load_texts("de")).startswith("nicht geschehen: Schwarz von Hand aufgesetzt, 0:")
    match.undo(UndoBody(who="Ref"))
    assert len(match.document["spotting"]) == 1
    with pytest.raises(UnusableInput, match="hand"):
        match.deny_hand(HandBody(entry=1, who="Ref"))


def test_facts_that_only_a_person_saw_can_be_added(match: MatchView) -> None:
    match.correct(
        CorrectionBody(
            stroke=1, who="Ref", facts=FactsBody.model_validate({"infringements": ["push_stroke"]})
        )
    )
    foul = match.document["strokes"][0]["foul"]
    assert foul is not None and foul["penalty"] == 4 and foul["clause"] == "snooker 3.12(b)(v)"


def test_a_foul_that_only_another_game_knows_is_refused(match: MatchView) -> None:
    said = match.document
    for word, refusal in ("double_hit", UnusableInput), ("looked_away", ValidationError):
        with pytest.raises(refusal, match="a foul"):
            facts = FactsBody.model_validate({"infringements": [word]})
            match.correct(CorrectionBody(stroke=1, who="Ref", facts=facts))
    assert (
        match.document == said
        and "double_hit" not in page_data.header(said, "m", 1, False, True)["infringements"]
    )


def test_a_folder_without_a_journal_can_be_watched_only(reviewed: Path, tmp_path: Path) -> None:
    shutil.copy(reviewed / "match.json", tmp_path / "match.json")
    plain = open_review("plain", tmp_path)
    assert not plain.editable and plain.video is None and plain.history() == []
    with pytest.raises(UnusableInput, match=r"journal\.sqlite"):
        plain.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
    plain.close()


def test_changing_one_frame_of_many_is_quick_and_exact(tmp_path: Path) -> None:
    """Later frames are carried over, not judged again; a whole replay of the journal gives the same."""
    import time

    from script import Scene

    scene, events = Scene(), []
    for _ in range(6):
        events.append(scene.rack())
        events += [
            scene.stroke("red_1", ["red_1"]),
            scene.stroke("blue"),
            scene.stroke("red_2"),
            scene.stroke("red_2", ["red_2"]),
        ]
    make_review(tmp_path, events, video=False)
    match = open_review("long", tmp_path)
    begun = time.perf_counter()
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=["red", "red"])))
    match.correct(CorrectionBody(stroke=2, who="Ref", facts=FactsBody(drop=True)))
    spent = time.perf_counter() - begun
    again = open_review("again", tmp_path)
    assert again.document == match.document
    assert (
        match.document["frames"][0]["score"] != [1, 0] and match.document["frames"][5]["first_stroke"] == 20
    )
    assert spent < 1.0
    again.close()
    match.close()


def test_the_fixture_has_the_expected_strokes(reviewed: Path) -> None:
    match = json.loads((reviewed / "match.json").read_text())
    assert (
        len([e for e in frame_events() if type(e).__name__ == "StrokeRecord"]) == len(match["strokes"]) == 6
    )
    assert (
        match["score"] == [14, 0]
        and match["strokes"][1]["verdict"] == "call"
        and match["strokes"][2]["foul"]["penalty"] == 5
    )


def test_a_review_under_way_is_watched_and_corrected_when_it_has_ended(
    reviewed: Path, tmp_path: Path
) -> None:
    """Until match.json is written the journal tells the strokes; nothing of the console's is written then."""
    from calibration.table.specs import SNOOKER_TABLE
    from referee.console.restore import calibration_of
    from referee.match.referee import Referee
    from referee.review.pipeline import _begin
    from vision.io.images import probe

    folder = tmp_path / "frame"
    shutil.copytree(reviewed, folder)
    match = json.loads((folder / "match.json").read_text())
    calibration = calibration_of(match)
    assert calibration is not None
    (folder / "journal.sqlite").unlink()
    (folder / "match.json").unlink()
    with pytest.raises(UnusableInput, match="expected a review's folder"):
        open_review("frame", folder)
    events = frame_events()
    with Journal(folder / "journal.sqlite") as journal:
        _begin(journal, "this run", calibration, probe(folder / "clip.mp4"), "snooker")
        referee = Referee(SNOOKER_TABLE, None, [], None, journal)
        referee.feed(events[0])
        opened = open_review("frame", folder)
        assert opened.running and not opened.editable and len(opened.document["strokes"]) == 1
        assert opened.video == folder / "clip.mp4" and opened.document["calibration"]["camera"] is not None
        with pytest.raises(UnusableInput, match="still judges"):
            opened.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
        referee.feed(events[1])
        assert opened.refresh() and len(opened.document["strokes"]) == 2 and not opened.refresh()
        assert not (folder / "match.json").exists()
    (folder / "match.json").write_text(json.dumps(match))
    assert opened.refresh() and opened.editable and not opened.running
    opened.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
    assert opened.document["strokes"][0]["points"] == 0
    opened.close()


@pytest.mark.parametrize(
    ("out", "video", "words"),
    [
        ("m.review", "m.mp4", "cueref serve m.review --video m.mp4"),
        ("my match", "my match/clip.mp4", "cueref serve 'my match'"),
        ("r", None, "cueref serve r"),
        ("a;b", "c d.mp4", "cueref serve 'a;b' --video 'c d.mp4'"),
    ],
)
def test_the_serve_command_names_a_video_that_lies_elsewhere(out: str, video: str | None, words: str) -> None:
    assert serve_command(Path(out), Path(video) if video else None) == words


def test_an_unreadable_journal_is_refused_in_one_sentence(reviewed: Path, tmp_path: Path) -> None:
    import sqlite3

    folder = tmp_path / "frame"
    shutil.copytree(reviewed, folder)
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite")) as db:
        db.execute("DROP TRIGGER entries_are_never_changed")
        db.execute("UPDATE entries SET payload = '{}' WHERE kind = 'stroke'")
        db.commit()
    with pytest.raises(UnusableInput, match="expected a journal as it was written, found entry 2 changed"):
        open_review("frame", folder)


def test_the_state_is_set_before_a_stroke_with_frames_and_undo_says_what_it_undid(match: MatchView) -> None:
    said = StateBody(who="Ann", stroke=3, striker="A", ball_on="red", score=(30, 4), frames=(2, 1))
    change = match.set_state(said)
    stroke = match.document["strokes"][2]
    assert (stroke["striker"], stroke["decided"]["by"], stroke["frame"]) == ("A", "Ann", 4)
    assert [f["winner"] for f in match.document["frames"]] == ["A", "A", "B", None]
    assert change["score_after"] != change["score_before"]
    undone = match.undo(UndoBody(who="Bo"))["undone"]
    assert undone == {"who": "Ann", "words": "state: Ann <Ace> at the table, red on, 30-4", "stroke": 3}
    assert [f["winner"] for f in match.document["frames"]] == [None], "frames said with it go with it"


def test_a_question_before_a_state_that_was_set_leaves_the_score_no_longer_provisional(
    match: MatchView,
) -> None:
    def counted() -> tuple[int, int]:
        head = page_data.header(match.document, "m", match.version, False, True)
        return head["open"], head["provisional"]

    assert counted() == (1, 1)
    match.set_state(StateBody(who="Ann", stroke=3, striker="B", ball_on="red", score=(8, 4)))
    assert counted() == (1, 0)
    notes = [
        words.note_words(match.document, w) for w in match.document["warnings"] if w["type"] == "state_set"
    ]
    assert notes == ["state set: Bo & Co, red on, 8-4"]
    match.undo(UndoBody(who="Ann"))
    assert counted() == (1, 1)


def test_a_state_that_cannot_be_is_stored_by_one_who_is_sure(match: MatchView) -> None:
    said = StateBody(who="Ann", stroke=3, striker="B", ball_on="red", score=(800, 4))
    with pytest.raises(ImpossibleState, match="804 points are too many"):
        match.set_state(said)
    assert match.history() == []
    match.set_state(said.model_copy(update={"sure": True}))
    assert len(match.history()) == 1


def test_fewer_frames_than_were_recorded_are_refused(match: MatchView) -> None:
    match.document["frames"][0]["winner"] = "A"  # as if the recorded frame were won
    match.document["frames"].append({"n": 2, "first_stroke": None, "score": [0, 0], "winner": None})
    with pytest.raises(UnusableInput, match="expected at least the 1-0"):
        match.set_state(StateBody(who="Ann", striker="A", ball_on="red", score=(0, 0), frames=(0, 0)))


def test_who_does_not_know_is_noted_and_the_question_stays(match: MatchView) -> None:
    change = match.set_aside(UnknownBody(who="Ann", stroke=2))
    stroke = match.document["strokes"][1]
    assert (stroke["verdict"], stroke["decided"]["by"], stroke["decided"]["unknown"]) == ("call", "Ann", True)
    assert change["changed"] == []
    with pytest.raises(UnusableInput, match="open question"):
        match.set_aside(UnknownBody(who="Ann", stroke=1))


def test_a_score_or_striker_that_cannot_be_is_refused_by_the_body() -> None:
    with pytest.raises(ValidationError):
        StateBody(who="Ann", striker="C", ball_on="red", score=(0, 0))
    with pytest.raises(ValidationError):
        StateBody(who="Ann", striker="A", ball_on="red", score=(-1, 0))


@pytest.mark.parametrize(
    ("game", "balls"),
    [
        ("snooker", {"red", "yellow", "green", "brown", "blue", "pink", "black"}),
        ("wpa_9ball", {str(n) for n in range(1, 10)}),
        ("blackball", {"red", "yellow", "black"}),
        ("english_billiards", {"white", "yellow", "red"}),
        ("carrom", {"white", "black", "queen"}),
    ],
)
def test_the_balls_that_a_person_can_say_were_hit_are_the_games_own(game: str, balls: set[str]) -> None:
    assert set(PIECES[game].object_balls) == balls


def test_the_pages_list_the_games_once_and_call_their_parts_as_the_rules_do() -> None:
    static = Path(page_data.__file__).parent / "static"
    listed = dict(re.findall(r'(\w+): \{ unit: "(\w+)"', (static / "texts.js").read_text(encoding="utf-8")))
    assert {game: listed.get(game, "rack") for game in GAMES} == {game: unit_of(game) for game in GAMES}
    told = dict(
        re.findall(r'(\w+): \{[^}]*family: "(\w+)"', (static / "texts.js").read_text(encoding="utf-8"))
    )
    families = {game: told.get(game, "pool") for game, spec in GAMES.items() if spec.family != "snooker"}
    assert families == {game: spec.family for game, spec in GAMES.items() if spec.family != "snooker"}
    others = [p for p in static.glob("*.js") if p.name != "texts.js"]
    assert not [p.name for p in others if re.search(r'"(six_red|wpa_|wepf|carrom)', p.read_text())]
