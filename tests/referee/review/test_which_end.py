"""How sure the calibration is of the baulk end, in the match; the option that settles it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from known_table import known_table
from script import Scene

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.specs import BRITISH_POOL_TABLE, SNOOKER_TABLE, WPA_TABLE, TableSpec
from referee.cli import main
from referee.journal import Journal
from referee.live.engine.settings import LiveSettings
from referee.outputs.document import Match, schema_text
from referee.review import pipeline
from referee.review.pipeline import ReviewOptions, review
from referee.review.watching import Declarations, Watch, other_end
from vision.detect.detector import Detector

CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"


@pytest.fixture
def calibration(tmp_path: Path) -> Calibration:
    return Calibration.load(known_table(tmp_path / "table.json"))


@pytest.mark.parametrize(
    ("table", "certainty", "other"),
    [
        (SNOOKER_TABLE, 0.95, 0.05),
        (BRITISH_POOL_TABLE, 0.95, 0.05),
        (SNOOKER_TABLE, 0.9995, 0.0),
        (WPA_TABLE, 0.5, 0.0),
    ],
)
def test_the_end_is_in_doubt_where_a_baulk_line_tells_it_and_not_for_certain(
    calibration: Calibration, table: TableSpec, certainty: float, other: float
) -> None:
    given = replace(calibration, table=table, baulk_certainty=certainty)
    assert other_end(given) == pytest.approx(other, abs=1e-9)


def watched(calibration: Calibration, out: Path) -> Match:
    """The match of one pot under a calibration."""
    with Journal(out / "journal.sqlite") as journal:
        watch = Watch(out, Declarations(), calibration, Detector(), journal)
        watch._take([Scene().stroke("red_1", ["red_1"])], None)
        watch.close()
        watch.stop()
        return watch.document({"file": "x.mp4", "width": 1, "height": 1, "images": 1, "duration_s": 9.0})


def test_a_match_states_a_pocket_as_surely_as_its_calibration_the_end(
    calibration: Calibration, tmp_path: Path
) -> None:
    match = watched(replace(calibration, baulk_certainty=0.95), tmp_path)
    (stroke,) = match["strokes"]
    assert (stroke["verdict"], stroke["points"], match["score"]) == ("call", 1, [1, 0])
    assert stroke["potted"][0]["confidence"] == pytest.approx(0.95)
    assert [c["facts"] for c in stroke["candidates"]] == [{"potted": "red to TR"}, {"potted": "red to BL"}]
    assert [w["type"] for w in match["warnings"]] == ["end_unsure"]
    assert match["calibration"]["baulk_certainty"] == 0.95
    assert not list(Draft202012Validator(json.loads(schema_text())).iter_errors(match))


def test_a_match_under_a_certain_end_asks_nothing(calibration: Calibration, tmp_path: Path) -> None:
    match = watched(replace(calibration, baulk_certainty=1.0), tmp_path)
    (stroke,) = match["strokes"]
    assert (stroke["verdict"], stroke["potted"][0]["confidence"], match["warnings"]) == ("certain", 1.0, [])
    assert "baulk_certainty" not in match["calibration"]


def test_a_review_finds_the_table_with_the_end_where_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(*given: object) -> None:
        raise UnusableInput(f"told {given[-1]}")

    monkeypatch.setattr(pipeline, "calibration_for_game", found)
    with pytest.raises(UnusableInput, match="told top"):
        review(CLIP, tmp_path / "out", ReviewOptions(SNOOKER_TABLE, bottom_at="top"))


@pytest.mark.parametrize(
    ("command", "more", "words"),
    [
        ("review", ["--bottom-at", "up"], "--bottom-at: expected bottom, right, top, left, found 'up'"),
        ("layout", ["--bottom-at", "up"], "--bottom-at: expected bottom, right, top, left, found 'up'"),
        ("batch", ["--out", "season", "--bottom-at", "up"], "found 'up'"),
        ("live", ["--bottom-at", "up"], "found 'up'"),
        ("spots", ["--bottom-at", "up"], "found 'up'"),
        ("review", ["--bottom-at", "top", "--calibration", "table.json"], "without a calibration"),
        ("layout", ["--bottom-at", "top", "--calibration", "table.json"], "without a calibration"),
        (
            "batch",
            ["--out", "season", "--bottom-at", "top", "--calibration", "t.json"],
            "without a calibration",
        ),
        ("live", ["--bottom-at", "top", "--calibration", "table.json"], "without a calibration"),
    ],
)
def test_a_side_that_cannot_be_is_refused_in_one_sentence(
    command: str,
    more: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([command, str(CLIP), *more])
    assert ended.value.code == 2
    said = capsys.readouterr().err.strip()
    assert words in said and "\n" not in said
    assert not (tmp_path / "season").exists()


def test_a_live_table_takes_the_side_too(tmp_path: Path) -> None:
    assert LiveSettings("camera", tmp_path, bottom_at="top").bottom_at == "top"
