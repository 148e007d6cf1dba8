"""`cueref spots` of a moment of a video, in every game, and what it refuses in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from console_fixture import make_game

from calibration.table.specs import WPA_TABLE
from calibration.texts import speak
from referee.cli import main
from tests.support.game_script import GameScript, diamond, spread
from tracker.events import HandMove

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "samples"
CARROM = str(SAMPLES / "carrom_two_strokes.mp4")
TABLE = str(SAMPLES / "carrom_two_strokes.table.json")
SNOOKER_REVIEW = str(ROOT / "tests" / "golden" / "0d1d15d" / "sample")


def ended(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["spots", *arguments])
    return int(end.value.code or 0)


def test_the_rack_of_a_moment_of_a_video_is_checked_piece_by_piece(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = ended(CARROM, "--game", "carrom", "--at", "0.2", "--calibration", TABLE, "--json")
    found = json.loads(capsys.readouterr().out)["spots"]
    assert said == 0 and len(found) == 19 and {f["finding"] for f in found} <= {"on", "unsure"}
    assert {"queen"} <= {f["ball"] for f in found}


def test_places_and_spots_are_german_in_a_german_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUEREF_LANG", "de")
    try:
        ended(CARROM, "--game", "carrom", "--at", "0.2", "--calibration", TABLE)
        said = capsys.readouterr().out
    finally:
        speak("en")
    assert re.search(r"Weiß \(Platz 8\)", said) and not re.search(r"place|across|white", said)


def test_racks_and_what_was_put_back_are_checked_in_a_review_of_a_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The 8 of a diamond stands 4 mm too far up; the 9 goes back on the foot spot (WPA 2.2, 2.6)."""
    racked = diamond(WPA_TABLE)
    x, y = racked["8"]
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **racked, "8": (x, y + 4.0)})
    broken = script.stroke("1", rails=["2", "3", "4", "5", "6"], moves=spread(WPA_TABLE, list(racked)))
    fouled = script.stroke("2", ("9", "TR"))
    back = HandMove("respot", "9", None, (0.4, WPA_TABLE.marked_spots["foot"][1], 0.3), fouled.end_s + 1.0)
    make_game(tmp_path, "wpa_9ball", WPA_TABLE, (broken, fouled, back))
    assert ended(str(tmp_path), "--json") == 1
    found = json.loads(capsys.readouterr().out)["spots"]
    assert [f["ball"] for f in found if f["finding"] == "off"] == ["8"]
    assert len(found) == 10 and (found[-1]["ball"], found[-1]["spot"]) == ("9", "foot spot")
    assert ended(str(tmp_path)) == 1
    said = capsys.readouterr().out
    assert re.search(r"0:01 8 \(place \d\)", said) and "9 (foot spot)" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SNOOKER_REVIEW, "--at", "1"), "--at: expected a video, found the review"),
        ((CARROM, "--game", "carrom", "--at", "1e4", "--calibration", TABLE), "expected --at between 0"),
    ],
)
def test_what_spots_cannot_do_is_one_sentence(
    arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(*arguments) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
