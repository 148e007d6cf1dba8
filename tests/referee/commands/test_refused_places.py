"""What cannot be written or read is one sentence and status 2, and nothing is left half-written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest

from referee.cli import main
from referee.review.pipeline import calibration_found

ROOT = Path(__file__).resolve().parents[3]
CLIP = ROOT / "samples" / "club_four_strokes.mp4"
SAMPLE = ROOT / "tests" / "golden" / "0d1d15d" / "sample"
WRITERS = (
    "review CLIP --calibration TABLE --out PLACE",
    "live CLIP --calibration TABLE --out PLACE --no-pages",
    "backup REVIEW --to PLACE",
    "export REVIEW --to csv --output PLACE",
    "rack snooker --svg PLACE",
    "library page --database BASE --out PLACE",
    "library page --database PLACE --out PAGE",
    "delete REVIEW --player Ann --library PLACE",
)
PLACES = {  # not by permissions: root may write everywhere
    "below a file": "FILE/out",
    "where no folder can be made": "/proc/cueref/out",
    "a name of 5,000 characters": "n" * 5000,
}


@pytest.fixture
def words(tmp_path: Path) -> Callable[[str], list[str]]:
    """A command line with its files: a folder with a review, its table, a plain file."""
    review = Path(shutil.copytree(SAMPLE, tmp_path / "review"))
    found = calibration_found(review)
    assert found is not None
    found.save(tmp_path / "table.json")
    (tmp_path / "file").write_text("a plain file")
    there = {
        "CLIP": CLIP,
        "REVIEW": review,
        "TABLE": tmp_path / "table.json",
        "BASE": tmp_path / "club.sqlite",
        "PAGE": tmp_path / "page.html",
        "FILE": tmp_path / "file",
    }

    def put(line: str) -> list[str]:
        for name, path in there.items():
            line = line.replace(name, str(path))
        return line.split()

    return put


def refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says that must end with one sentence and status 2."""
    with pytest.raises(SystemExit) as end:
        main(command)
    said = capsys.readouterr().err.strip()
    assert end.value.code == 2 and len(said.splitlines()) == 1 and "Traceback" not in said, said
    return said


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("line", WRITERS, ids=lambda line: " ".join(line.split()[:2]))
def test_a_place_that_cannot_be_written_is_one_sentence(
    words: Callable[[str], list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    line: str,
    place: str,
) -> None:
    if "library" in line:
        pytest.importorskip("sqlalchemy", reason="the extra 'library' brings it")
    command = words(line.replace("PLACE", PLACES[place]))
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert refused(command, capsys).startswith("cueref: ")
    made = {p for p in tmp_path.rglob("*") if p.is_file()} - set(before)
    assert {p.name for p in made} <= {"club.sqlite", ".lock"}  # a library of the command, a folder's lock
    assert all(p.read_bytes() == data for p, data in before.items())


def film(path: Path, codec: str) -> bytes:
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for k in range(6):
            shown = np.full((180, 320, 3), 30 * k, np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")))
        out.mux(stream.encode(None))
    return path.read_bytes()


def unknown_codec(path: Path) -> None:
    """A Matroska file whose codec nobody knows."""
    path.write_bytes(film(path, "libx264").replace(b"V_MPEG4/ISO/AVC", b"V_MYSTERY/OF/IT"))


def undecodable(path: Path) -> None:
    """A film of which every picture is noise."""
    data = bytearray(film(path, "mpeg4"))
    at = data.index(b"\x00\x00\x01\xb6")
    data[at : len(data) - 40] = bytes(
        np.random.default_rng(1).integers(0, 256, len(data) - 40 - at, np.uint8)
    )
    path.write_bytes(data)


def rate_of_nothing(path: Path) -> None:
    """An AVI that says that it has 0 images a second."""
    data = bytearray(film(path, "mjpeg"))
    head = data.index(b"strh")
    data[head + 28 : head + 36] = bytes(8)  # dwScale, dwRate
    data[data.index(b"avih") + 8 : data.index(b"avih") + 12] = bytes(4)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("name", "make"),
    [("odd.mkv", unknown_codec), ("odd.avi", undecodable)],
    ids=["unknown codec", "undecodable"],
)
def test_a_video_that_cannot_be_used_leaves_nothing_though_the_table_is_known(
    words: Callable[[str], list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    make: Callable[[Path], None],
) -> None:
    make(tmp_path / name)
    command = [*words("review --calibration TABLE --out"), str(tmp_path / "out"), str(tmp_path / name)]
    said = refused(command, capsys)
    assert name in said and ("codec that FFmpeg knows" in said or "no image can be decoded" in said)
    assert not (tmp_path / "out").exists()


def test_a_video_that_says_a_rate_of_0_is_read_image_by_image(
    words: Callable[[str], list[str]], tmp_path: Path
) -> None:
    rate_of_nothing(tmp_path / "odd.avi")
    command = [*words("review --calibration TABLE --out"), str(tmp_path / "out"), str(tmp_path / "odd.avi")]
    with pytest.raises(SystemExit) as end:
        main(command)
    assert end.value.code == 0
    assert json.loads((tmp_path / "out" / "match.json").read_text())["video"]["images"] == 6
