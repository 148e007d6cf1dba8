"""`cueref spots` of a moment of a video, in every game, and what it refuses in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from calibration.texts import speak
from referee.cli import main

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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((CARROM, "--game", "carrom"), "expected a moment of the video (--at S) with Carrom"),
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
