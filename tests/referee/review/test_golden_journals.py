"""Matches that commit 0d1d15d wrote: their journals open, are judged alike and give the same match."""

from __future__ import annotations

import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from console_fixture import TOKEN, serving

from referee.cli import main
from referee.outputs.digits import meant

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "0d1d15d"
SAMPLE = ROOT / "samples" / "club_four_strokes.mp4"
WATCHED = ("sample", "sample_corrected")
TOLD = ("told_snooker", "told_wpa_9ball", "told_english_billiards", "told_carrom")


def stored(name: str) -> Any:
    """A stored match with the digits that are written now; 0d1d15d wrote up to seventeen."""
    return meant(json.loads((GOLDEN / name / "match.json").read_text()))


def due_here(match: Any) -> Any:
    """A stored match with the black due where this table has its spot; 0d1d15d had a nominal table's."""
    table = match["calibration"]["table"]
    y_mm = meant(table["length_mm"] - table["black_spot_mm"])
    strokes = [
        {**s, "due": [{**d, "y_mm": y_mm} if d["spot"] == "black" else d for d in s["due"]]}
        for s in match["strokes"]
    ]
    return {**match, "strokes": strokes}


def written_again(match: Any) -> Any:
    """A stored match as it is written now: only 0d1d15d's console put `end_s` into warnings."""
    warnings = [{k: w[k] for k in ("type", "t_s", "text")} for w in match["warnings"]]
    return due_here({**match, "warnings": warnings})


def without_authors(match: Any) -> Any:
    """A match as 0d1d15d wrote it, which did not say who decided a stroke."""
    strokes = [{k: v for k, v in s.items() if k != "decided"} for s in match["strokes"]]
    return {**match, "strokes": strokes}


def without_added(match: Any) -> Any:
    """A match as 0d1d15d wrote it, whose pool tables had no kind of marks and no head string."""
    table = match["calibration"]["table"]
    if table is not None:
        table = {k: v for k, v in table.items() if k not in ("mark_set", "head_string_mm")}
    return {**match, "calibration": {**match["calibration"], "table": table}}


def copied(name: str, folder: Path, without: tuple[str, ...] = ()) -> Path:
    """The stored folder as a user has it, but for the files that the code under test must write."""
    return Path(
        shutil.copytree(
            GOLDEN / name,
            folder / name,
            ignore=shutil.ignore_patterns("strokes.csv", "facts.jsonl", *without),
        )
    )


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in argv])
    out, err = capsys.readouterr()
    assert not ended.value.code, err
    return out


def review_of_facts(capsys: pytest.CaptureFixture[str], name: str, out: Path) -> Any:
    facts, game = GOLDEN / name / "facts.jsonl", name.removeprefix("told_")
    return json.loads(run(capsys, "review", "--game", game, "--facts", facts, "--out", out, "--json"))


def asked(address: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"x-cueref-token": TOKEN, "content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=60) as answer:
        return json.load(answer)


@pytest.mark.parametrize("name", WATCHED)
def test_an_old_journal_alone_gives_the_stored_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    folder = copied(name, tmp_path, without=("match.json",))
    now = json.loads(run(capsys, "export", folder, "--to", "json"))
    assert without_authors(now) == written_again(stored(name))
    authors = {s["decided"]["by"] for s in now["strokes"] if "decided" in s}
    assert authors == ({"Ref"} if name == "sample_corrected" else set())


def test_an_old_finished_review_given_again_writes_the_stored_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = copied("sample", tmp_path, without=("match.json",))
    run(capsys, "review", SAMPLE, "--out", folder, "--calls", SAMPLE.with_suffix(".calls.jsonl"))
    assert json.loads((folder / "match.json").read_text()) == due_here(stored("sample"))


@pytest.mark.parametrize("name", TOLD)
def test_old_facts_give_the_stored_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    assert without_added(review_of_facts(capsys, name, tmp_path / "out")) == stored(name)


@pytest.mark.parametrize("name", TOLD)
def test_facts_given_again_over_their_old_journal_give_the_stored_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    folder = copied(name, tmp_path, without=("match.json",))
    assert without_added(review_of_facts(capsys, name, folder)) == stored(name)


@pytest.mark.parametrize("name", (*WATCHED, *TOLD))
@pytest.mark.parametrize("form", ["json", "csv", "sheet", "report", "chapters", "markers"])
def test_an_old_match_is_exported_in_every_form(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, form: str
) -> None:
    out = run(capsys, "export", copied(name, tmp_path), "--to", form)
    if form == "json":
        assert json.loads(out) == stored(name)
    elif form == "csv" and (GOLDEN / name / "strokes.csv").is_file():
        assert out == (GOLDEN / name / "strokes.csv").read_text()
    else:
        assert len(out.splitlines()) >= (1 if stored(name)["strokes"][0]["start_s"] is None else 4)


def test_the_console_shows_the_old_corrections_and_takes_them_back(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")
    with serving([copied("sample_corrected", tmp_path)]) as address:
        match = f"{address}/api/matches/sample_corrected"
        assert without_authors(asked(f"{match}/export/json")) == written_again(stored("sample_corrected"))
        history = asked(f"{match}/history")
        assert [(h["who"], h["in_force"]) for h in history if h["in_force"]] == [("Ref", True)] * 3
        for _ in range(3):
            asked(f"{match}/undo", {"who": "Eve"})
        now, seen = asked(f"{match}/export/json"), due_here(stored("sample"))
        assert (now["strokes"], now["score"]) == (seen["strokes"], seen["score"])
