"""What is made on request: sheets, films, pictures; through the queue and by the command line."""

from __future__ import annotations

import io
import itertools
import re
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from console_fixture import frame_events, make_review
from console_sites import httpx, reviewed, site  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from match_fixture import document, invented, stroke
from PIL import Image
from pypdf import PdfReader
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from referee.cli import command_line
from referee.console import export_queue
from referee.console.export_queue import ExportQueue, Share
from referee.console.making import Made, Wanted, make, numbers_of
from referee.console.reviews import open_review
from referee.outputs.annotated import Piece
from referee.outputs.exports import images_of_timecode, markers_edl
from referee.outputs.obs import obs_scene
from referee.outputs.reel import joined, strokes_of_breaks
from referee.outputs.sheet import SheetHead, sheet_of, write_sheet_pdf
from referee.outputs.television import BASE_PX, Board, television_png
from vision.io.images import probe, read_video

WAIT_S = 60.0


def got(site: Any, path: str) -> bytes:  # noqa: F811
    """What is made, after its progress was asked for as the page does."""
    form, _, query = path.partition("?")
    base = f"/api/matches/frame/made/{form}"
    assert site.get(f"{base}/progress?{query}").json() is None
    ready = site.get(f"{base}/ready?{query}").json()
    assert site.get(f"{base}/progress?{query}").json()["state"] == "ready"
    answer = site.get(f"{base}?{query}")
    assert answer.status_code == 200 and form in answer.headers["content-disposition"]
    assert ready == {"bytes": len(answer.content)}
    return bytes(answer.content)


def test_the_sheet_comes_as_pdf_with_its_head_and_lines_to_sign(site: Any) -> None:  # noqa: F811
    data = got(site, "score-sheet.pdf?venue=Salle%20K%C3%B6ln&date=2026-11-24&referee=Rea")
    text = PdfReader(io.BytesIO(data)).pages[0].extract_text()
    for words in ("Salle Köln", "2026-11-24", "Ann <Ace>", "Bo & Co", "Rea", "Signatures", "Provisional"):
        assert words in text


def test_a_sheet_of_many_frames_numbers_its_pages_and_sets_every_script(tmp_path: Path) -> None:
    strokes = [stroke(n, frame=1 + n // 40) for n in range(1, 121)]
    match = document(strokes, ("丁俊晖 <b>", "Ștefan Łuk"), 800.0)
    match["frames"] = [{"n": k, "first_stroke": 1, "score": [1, 0], "winner": "A"} for k in (1, 2, 3, 4)]
    write_sheet_pdf(tmp_path / "sheet.pdf", sheet_of(match, SheetHead(venue="Ғ & Co")))
    pages = PdfReader(tmp_path / "sheet.pdf").pages
    text = "".join(p.extract_text() for p in pages)
    assert len(pages) >= 3 and "丁俊晖" in text and "Ștefan Łuk" in text and "Ғ & Co" in text
    assert f"\n{len(pages)}" in pages[-1].extract_text()


@pytest.mark.slow
def test_clips_and_reel_show_the_strokes_and_nothing_between(site: Any, tmp_path: Path) -> None:  # noqa: F811
    strokes = site.get("/api/matches/frame/strokes").json()
    with zipfile.ZipFile(io.BytesIO(got(site, "clips.zip?strokes=1,3-4&drawn=false"))) as archive:
        assert archive.namelist() == [f"stroke-{n:04d}.mp4" for n in (1, 3, 4)]
        archive.extract("stroke-0003.mp4", tmp_path)
    third = strokes[2]
    info = probe(tmp_path / "stroke-0003.mp4")
    assert info.images == pytest.approx(25 * (third["end_s"] - third["start_s"] + 2.5), abs=3)
    (tmp_path / "reel.mp4").write_bytes(got(site, "breaks.mp4?least=8"))
    times = [i.t_s for i in read_video(tmp_path / "reel.mp4")]
    played = sum(s["end_s"] - s["start_s"] for s in strokes[3:5])
    assert played <= times[-1] <= played + 2 * 2.5 + 4.0
    assert all(b > a for a, b in itertools.pairwise(times))
    answer = site.get("/api/matches/frame/made/breaks.mp4/ready?least=100")
    assert answer.status_code == 422 and "100 points" in answer.json()["detail"]
    for wrong in ("", "0", "7-3", "1-999", "x", "99"):
        assert (
            site.get("/api/matches/frame/made/clips.zip/ready", params={"strokes": wrong}).status_code == 422
        )


@pytest.mark.slow
def test_a_film_of_the_whole_match_keeps_its_length(tmp_path: Path) -> None:
    told: list[float] = []
    make_review(tmp_path / "short", frame_events()[:1])
    short = open_review("short", tmp_path / "short")
    make(short, Wanted(Made.ANNOTATED), tmp_path / "film", told.append)
    short.close()
    assert short.video is not None
    assert probe(short.video).images == sum(1 for _ in read_video(_named(tmp_path / "film")))
    assert told == sorted(told) and told[-1] == pytest.approx(1.0, abs=0.02)


def _named(film: Path) -> Path:
    return film.rename(film.with_suffix(".mp4"))


def test_pictures_for_television_are_transparent_but_for_the_lower_part(site: Any) -> None:  # noqa: F811
    for path, size in (("names.png", 1920), ("break.png?stroke=5", 1920), ("frame-score.png?scale=2", 3840)):
        picture = Image.open(io.BytesIO(got(site, path)))
        assert picture.mode == "RGBA" and picture.size == (size, size * 9 // 16)
        left, top, right, bottom = picture.getchannel("A").getbbox()
        assert top > 0.7 * picture.height and bottom <= BASE_PX * size / 1920
        assert left >= 0.05 * size and right <= 0.95 * size  # title-safe
    answer = site.get("/api/matches/frame/made/break.png/ready?stroke=3")  # a foul: no break goes on
    assert answer.status_code == 422 and "break" in answer.json()["detail"]


@settings(max_examples=12, deadline=None)
@given(st.text(max_size=200), st.integers(0, 147), st.integers(0, 36))
def test_any_name_and_break_stay_inside_the_safe_area(name: str, points: int, balls: int) -> None:
    board = Board((name, "Bo"), (points, 0), (0, 0), "Frame 1", "Break", 0, max(1, points), ("red",) * balls)
    for kind in ("names", "break", "frame"):
        box = Image.open(io.BytesIO(television_png(kind, board))).getchannel("A").getbbox()
        assert box[0] >= 96 and box[2] <= 1824 and box[3] <= 1026


def test_a_shared_stroke_is_one_file_that_loads_nothing_and_ends_no_script(site: Any) -> None:  # noqa: F811
    page = got(site, "stroke.html?stroke=1&lang=de").decode()
    assert page.count("<script") == 2 == page.count("</script>") and "<Ace>" not in page
    assert "default-src 'none'" in page and "data:video/mp4;base64,AAAA" in page and "Wiederholung" in page
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", page)
    assert site.get("/api/matches/frame/made/stroke.html/ready?stroke=99").status_code == 422


def test_timecode_begins_where_the_recorder_began_and_wraps_at_midnight() -> None:
    edl = markers_edl(invented(), 25.0, "23:59:58:24")
    assert "00:00:04:24 00:00:05:00" in edl  # the first stroke begins 6 s later
    assert images_of_timecode("01:00:00:00", 50) == 180_000
    for wrong in ("1:0:0:0", "24:00:00:00", "00:00:00:25", "00:60:00:00", "now"):
        with pytest.raises(UnusableInput, match="HH:MM:SS:FF"):
            images_of_timecode(wrong, 25)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30, unique=True))
def test_numbers_of_strokes_read_back_as_they_were_written(numbers: list[int]) -> None:
    assert numbers_of(", ".join(map(str, numbers))) == numbers
    assert numbers_of("3, 5 - 7 9") == [3, 5, 6, 7, 9]


def test_a_reel_joins_strokes_that_follow_closely_and_keeps_breaks_apart(tmp_path: Path) -> None:
    a, b, c = (Piece(tmp_path / "v.mp4", span, {}) for span in ((0.0, 5.0), (7.0, 9.0), (30.0, 33.0)))
    assert [p.span_s for p in joined([a, b, c])] == [(0.0, 9.0), (30.0, 33.0)]
    clips = [Piece(tmp_path / f"{k}.mp4", (k, k + 5.0), {}, k) for k in (0.0, 3.0)]
    assert joined(clips) == clips  # files of their own
    red = [stroke(n, points=1, **{"break": n}) for n in (1, 2, 3)]
    match = document([*red, stroke(4), stroke(5, points=7, **{"break": 7})], ("Ann", "Bo"), 60.0)
    assert [[s["n"] for s in x] for x in strokes_of_breaks(match, 3)] == [[1, 2, 3], [5]]


def test_an_obs_scene_has_the_scoreboard_above_the_camera() -> None:
    import json

    scene = json.loads(obs_scene("http://table:8765/overlay?token=k"))
    found = {s["name"]: s for s in scene["sources"]}
    items = found[scene["current_scene"]]["settings"]["items"]
    assert [i["name"] for i in items] == ["Camera", "Scoreboard"]
    assert all(found[i["name"]]["uuid"] == i["source_uuid"] for i in items)
    assert found["Scoreboard"]["settings"]["url"].endswith("overlay?token=k")
    read = "name source_uuid id visible locked pos scale rot align bounds bounds_type bounds_align"
    crops = "crop_left crop_top crop_right crop_bottom private_settings"
    assert all(set(i) == {*read.split(), *crops.split()} for i in items)  # of OBS's own `scene_load_item`
    assert all(i["align"] == 1 | 4 and i["bounds_type"] == 2 for i in items)  # left and top; fitted inside
    for wrong in ("javascript:alert(1)", "file:///etc/passwd", ""):
        with pytest.raises(UnusableInput, match="address"):
            obs_scene(wrong)


def _until(ready: Any) -> None:
    end = time.monotonic() + WAIT_S
    while not ready() and time.monotonic() < end:
        time.sleep(0.01)
    assert ready()


def test_what_nobody_wants_any_more_is_stopped_and_made_anew_when_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(export_queue, "_LOOKED_AGAIN_S", 0.0)
    queue, go, ended = ExportQueue(), threading.Event(), threading.Event()

    def long(target: Path, share: Share) -> None:
        target.write_text("half")
        go.wait(WAIT_S)
        try:
            share(0.5)
        finally:
            ended.set()
        target.write_text("whole")

    first = queue.ask("film", long)
    _until(lambda: queue.progress("film").state == "working")
    first.close()
    go.set()
    assert ended.wait(WAIT_S)
    _until(lambda: queue.progress("film") is None)
    again = queue.ask("film", long)
    _until(lambda: again.done)
    assert again.open().read() == b"whole"
    queue.close()


def test_a_disk_that_is_nearly_full_ends_an_export(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_queue, "_LOOKED_AGAIN_S", 0.0)
    monkeypatch.setattr(export_queue, "LEAST_FREE_BYTES", 2**62)
    queue = ExportQueue()
    ticket = queue.ask("film", lambda target, share: share(0.5))
    _until(lambda: ticket.done)
    with pytest.raises(OSError, match="No space left"):
        ticket.open()
    queue.close()


def test_the_command_makes_what_the_console_makes(reviewed: Path, tmp_path: Path) -> None:  # noqa: F811
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command_line(["export"]), ["export", str(reviewed), *arguments])

    for form, name in (("pdf", "a.pdf"), ("names", "a.png"), ("obs", "a.json"), ("sheet", "a.html")):
        assert run("--to", form, "-o", str(tmp_path / name), "--venue", "Köln").exit_code == 0
    assert "Köln" in PdfReader(tmp_path / "a.pdf").pages[0].extract_text()
    assert "Köln" in (tmp_path / "a.html").read_text("utf-8")
    assert run("--to", "clips", "--strokes", "2", "-o", str(tmp_path / "c.zip")).exit_code == 0
    found = run("--to", "pdf")
    assert found.exit_code != 0 and isinstance(found.exception, UnusableInput)
