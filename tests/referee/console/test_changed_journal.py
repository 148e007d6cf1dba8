"""A journal that was changed by hand is shown and exported with its first bad entry, and never written."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_fixture import TOKEN
from console_sites import httpx, serving

import cueref
from calibration.errors import UnusableInput
from referee.cli import main
from referee.commands.serve import open_matches
from referee.console.match_view import MatchView
from referee.console.reviews import current_match, open_review
from referee.journal import JOURNAL_FILE, Journal
from referee.outputs.document import record_fault
from referee.season.parquet import write_tables

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "0d1d15d"


def change(journal_file: Path, statement: str, values: tuple[Any, ...] = ()) -> int:
    """Change a journal as a person with a database tool would; its first bad entry."""
    db = sqlite3.connect(journal_file)
    for trigger in ("entries_are_never_changed", "entries_are_never_deleted"):
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute(statement, values)
    db.commit()
    db.close()
    with Journal(journal_file) as journal:
        bad = journal.first_bad_entry()
    assert bad is not None
    return bad


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GOLDEN / "sample", tmp_path / "sample"))


@pytest.fixture
def bad(folder: Path) -> int:
    """The third stroke now seems to begin later."""
    return change(folder / JOURNAL_FILE, "UPDATE entries SET t_s = t_s + 0.5 WHERE id = 6")


@pytest.fixture
def opened(folder: Path, bad: int) -> Iterator[MatchView]:
    view = open_review("m", folder)
    yield view
    view.close()


def test_it_is_shown_with_its_first_bad_entry_and_cannot_be_changed(opened: MatchView, bad: int) -> None:
    fault = record_fault(opened.document)
    assert fault is not None and f"entry {bad} changed afterwards" in fault
    assert not opened.editable and opened.document["strokes"]
    with pytest.raises(UnusableInput, match=f"entry {bad} changed"):
        opened._check_editable()


def test_nothing_is_written_into_its_folder(folder: Path, bad: int) -> None:
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    view = open_review("m", folder)
    view.refresh()
    view.close()
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_pages_say_it_and_refuse_changes(folder: Path, bad: int) -> None:
    with serving([folder]) as url, httpx.Client(base_url=url, timeout=90) as client:
        head = client.get("/api/matches/sample").json()
        assert f"entry {bad} changed" in head["record_fault"] and not head["editable"]
        body = {"stroke": 1, "facts": {"called": True}, "who": "Ann"}
        answer = client.post("/api/matches/sample/corrections", json=body, headers={"x-cueref-token": TOKEN})
        assert answer.status_code == 422 and f"entry {bad} changed" in answer.json()["detail"]


@pytest.mark.parametrize("form", ["json", "csv", "sheet", "report", "chapters", "markers", "evidence"])
def test_every_export_carries_the_break(
    form: str, folder: Path, bad: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["export", str(folder), "--to", form, *(["--stroke", "1"] if form == "evidence" else [])])
    assert end.value.code == 0
    assert f"entry {bad} changed afterwards" in capsys.readouterr().out


def test_a_sheet_and_a_shared_stroke_carry_the_break_and_pictures_are_refused(
    folder: Path, bad: int, tmp_path: Path
) -> None:
    """A picture for television has no room to say it."""
    pypdf = pytest.importorskip("pypdf", reason="the extra 'test' brings pypdf")
    for form, name in (("pdf", "sheet.pdf"), ("names", "names.png")):
        with pytest.raises(SystemExit) as end:
            main(["export", str(folder), "--to", form, "-o", str(tmp_path / name)])
        assert end.value.code == (0 if form == "pdf" else 2)
    text = pypdf.PdfReader(tmp_path / "sheet.pdf").pages[0].extract_text()
    assert f"entry {bad} changed" in " ".join(text.split())
    assert not (tmp_path / "names.png").exists()


def test_the_python_api_and_the_tables_of_a_batch_carry_the_break(folder: Path, bad: int) -> None:
    assert f"entry {bad} changed" in cueref.open_match(folder).warnings[0]
    parquet = pytest.importorskip("pyarrow.parquet")
    matches, _ = write_tables(folder.parent, [folder.name])
    assert f"entry {bad} changed" in parquet.read_table(matches).to_pylist()[0]["record_fault"]


def test_declared_facts_are_watched_over_too(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(GOLDEN / "told_carrom", tmp_path / "told"))
    bad = change(folder / JOURNAL_FILE, "UPDATE entries SET t_s = 7 WHERE id = 3")
    assert f"entry {bad} changed" in (record_fault(current_match(folder)) or "")
    view = open_review("m", folder)
    assert f"entry {bad} changed" in (record_fault(view.document) or "")
    with pytest.raises(SystemExit) as end:
        main(["review", "--game", "carrom", "--facts", str(folder / "facts.jsonl"), "--out", str(folder)])
    assert end.value.code == 2


@pytest.mark.parametrize(
    "payload", [b"\xff\xfe{", b"{", b"[]", b"null", b'{"n": NaN}', b"[" * 5000, "x" * 10, 7, None]
)
@pytest.mark.parametrize("entry", [1, 2, 6])
def test_a_damaged_payload_is_one_sentence_or_the_match_with_its_break(
    folder: Path, entry: int, payload: Any
) -> None:
    statement = "UPDATE entries SET payload = CAST(? AS TEXT) WHERE id = ?"
    try:
        bad = change(folder / JOURNAL_FILE, statement, (payload, entry))
    except sqlite3.IntegrityError:
        return  # a missing payload cannot even be written
    assert bad == entry
    for read in (current_match, lambda path: open_review("m", path).document):
        try:
            assert f"entry {bad} changed" in (record_fault(read(folder)) or "")
        except UnusableInput as error:
            assert f"entry {bad} changed" in str(error)


def test_a_whole_journal_has_no_fault(folder: Path) -> None:
    assert record_fault(current_match(folder)) is None and open_review("m", folder).editable


def test_a_damaged_match_among_others_is_told_and_the_others_are_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = folder.parent / "another"
    damaged.mkdir()
    (damaged / "match.json").write_text('{"players": [1]}')
    (only,) = open_matches([folder.parent], [])
    assert only.folder == folder and f"{damaged}" in capsys.readouterr().err
    only.close()
    with pytest.raises(UnusableInput, match="another"):
        open_matches([damaged], [])
    shutil.rmtree(folder)
    with pytest.raises(UnusableInput, match="another"):
        open_matches([folder.parent], [])
