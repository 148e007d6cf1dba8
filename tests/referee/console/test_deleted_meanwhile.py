"""A console whose match is deleted by hand while its pages and corrections are asked for."""

# ruff: noqa: E402
from __future__ import annotations

import shutil
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the pages need the extra 'serve'")
from console_fixture import TOKEN, correction, make_review, serving


def test_a_match_that_was_closed_before_keeps_no_other_from_being_closed(tmp_path: Path) -> None:
    """A console whose match's folder went while it was exported ended with an error at that match."""
    from referee.commands.serve import open_matches

    make_review(tmp_path / "frame", video=False)
    (match,) = open_matches([tmp_path / "frame"], [])
    match.close()
    match.close()


def test_a_console_whose_match_is_deleted_refuses_changes_and_ends_well(tmp_path: Path) -> None:
    gone, kept = tmp_path / "gone", tmp_path / "kept"
    for folder in (gone, kept):
        make_review(folder, video=False)
    with serving([gone, kept]) as url:
        shutil.rmtree(gone)
        httpx.get(f"{url}/api/matches/gone", timeout=60)
        httpx.get(f"{url}/api/matches", timeout=60)
        answers = [
            httpx.post(
                f"{url}/api/matches/{name}/corrections",
                json=correction(2, facts={"first_contact": ["black"]}),
                headers={"x-cueref-token": TOKEN},
                timeout=60,
            )
            for name in ("gone", "kept")
        ]
    refused, changed = answers
    # it is still held (422), or a look at the folder has dropped it already (404)
    said = {422: "deleted or moved", 404: "gone"}
    assert changed.status_code == 200
    assert said[refused.status_code] in refused.json()["detail"] and not gone.exists()
