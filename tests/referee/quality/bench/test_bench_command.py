"""`cueref bench`: a small run, gone on with, reported; and what it refuses in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.cli import main
from referee.quality.bench import run as bench_run
from referee.quality.bench.options import BenchOptions, begin, fresh_seed
from referee.quality.bench.pixels.tier import CameraPlan
from referee.quality.bench.records import BallAtRest, CalibrationJudged, LayoutJudged, Record, Timing, Where
from referee.quality.bench.store import Store
from referee.quality.bench.tracks.errors import SHIPPED
from referee.quality.bench.tracks.judge import TrackStroke, Wrong
from referee.quality.bench.tracks.tier import TrackChunk, TrackPlan, load_errors


def where(camera: int, layout: bool = False) -> Where:
    return Where(
        camera,
        5,
        "layout" if layout else "clip",
        0,
        "lamps",
        "green",
        1920,
        1080,
        0.0 if layout else 50.0,
        0.004,
        2.0 + camera / 10,
        2500.0,
        5.0,
        80.0,
        "h264",
        ("all", "size", "nothing", "all")[camera % 4],
    )


def camera_records(plan: CameraPlan, *_: object) -> tuple[list[Record], None]:
    """What the pixel tier would say of a camera, without filming."""
    w = where(plan.number)
    rest = [
        BallAtRest(w, "cueref", 0, c, 100.0 * k, 300.0 * k, 1.0, 2.0, None, c, 0.1, -0.1 * k, 0.2)
        for k, c in enumerate(("white", "red", "yellow", "black"))
    ]
    hough = [BallAtRest(w, "hough", None, "red", 0.0, 900.0, 1.0, 2.0, None, "brown", 4.0, 3.0, None)]
    other = [
        LayoutJudged(w, "cueref", 0, 4, 0, 0, 0, 0, plan.number != 2),
        CalibrationJudged(w, False, "", 0.7, 0.0, 0.0, 0.3, 0.4, 2.0),
        Timing(w, 100, 2.0, 0.2, 0.2, 1.0, 0.5, 0.5, 0.01),
    ]
    return [*rest, *hough, *other], None


def chunk(plan: TrackPlan) -> TrackChunk:
    cameras = [c.camera for c in load_errors(SHIPPED).cameras]
    strokes = tuple(
        TrackStroke(
            p,
            k,
            cameras[p % 3],
            50.0,
            2.0,
            True,
            facts=20,
            layout_right=True,
            balls=10,
            first_right=True,
            first_certain=True,
            contacts=3,
            wrong=(Wrong("pot", "blue", "none", True),) if p == 1 and k == 0 else (),
            rests=((0.2, 0.2, 0.1, -0.1),),
        )
        for p in range(plan.first, plan.first + plan.pieces)
        for k in range(8)
    )
    return TrackChunk(strokes, (), 0.5)


def cueref(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["bench", *argv])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    monkeypatch.setattr(bench_run, "_camera", camera_records)
    monkeypatch.setattr(bench_run, "measure_chunk", chunk)
    return lambda other: monkeypatch.setattr(bench_run, "measure_chunk", other)


SIZE = ("--cameras", "4", "--strokes", "4", "--layouts", "0", "--tracks", "400", "--seed", "5")


def test_a_run_is_measured_reported_and_its_misses_are_a_finding(
    fast: object, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = cueref(capsys, "--out", str(tmp_path / "run"), *SIZE, "--json")
    doc = json.loads(out)
    assert code == 1  # the layout of camera 2 is wrong: one of four
    layout = next(t for t in doc["reach"] if t["name"].startswith("layout"))
    assert layout["verdict"] == "missed" and layout["parts"][0]["failures"] == 1
    assert next(t for t in doc["reach"] if t["name"] == "camera knocked by 1 mm")["verdict"] == "not measured"
    assert (
        doc["tiers"]["hough"]["colour"]["failures"] == 4 and doc["tiers"]["pixels"]["colour"]["failures"] == 0
    )
    assert doc["tiers"]["tracks"]["certain_wrong"] == pytest.approx(
        doc["tiers"]["tracks"]["certain_wrong"] | {"n": 8000, "failures": 1}
    )
    assert doc["by_mm_per_px"]["rest"] and doc["tracks"]["strokes"] == 400
    (one,) = [f for f in doc["failures"]["listed"] if f["tier"] == "tracks"]
    assert (one["seed"], one["piece"], one["stroke"]) == (5, 1, 0)
    page = (tmp_path / "run" / "report.html").read_text()
    assert "ball at rest against the truth" in page and "<script" not in page and 'src="http' not in page
    assert json.loads((tmp_path / "run" / "report.json").read_text()) == doc


def test_a_stopped_run_keeps_what_is_whole_and_goes_on(
    fast: Callable[[object], None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    done: list[int] = []

    def stopped(plan: TrackPlan) -> TrackChunk:
        if len(done) == 1:
            raise KeyboardInterrupt
        done.append(plan.number)
        return chunk(plan)

    fast(stopped)
    folder = tmp_path / "run"
    code, _, err = cueref(capsys, "--out", str(folder), *SIZE)
    assert code == 130 and "kept 4 cameras and 1 chunks" in err and f"--out {folder} --resume" in err
    measured: list[int] = []

    def counted(plan: TrackPlan) -> TrackChunk:
        measured.append(plan.number)
        return chunk(plan)

    fast(counted)
    code, out, _ = cueref(capsys, "--out", str(folder), "--resume", "--json")
    assert code == 1 and measured == [1, 2, 3, 4]  # 50 pieces are five chunks, the first was whole
    whole = tmp_path / "whole"
    fast(chunk)
    _, straight, _ = cueref(capsys, "--out", str(whole), *SIZE, "--json")
    assert json.loads(out)["tiers"] == json.loads(straight)["tiers"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--tracks", "-1"), "--tracks: expected a whole number from 0"),
        (("--tracks", "0", "--strokes", "0", "--layouts", "0"), "expected something to measure"),
        (("--room-flights", "3"), "expected --rooms beside them"),
        (("--processes", "0"), "--processes: expected a number from 1"),
        (("--seed", "-3"), "--seed: expected a whole number"),
        (("--errors", "/nowhere/errors.json"), "expected an error model"),
        (("--resume",), "expected a run of the bench to go on with"),
        (("--fit-errors", "/nowhere/there/x.json"), "expected a file in a folder that exists"),
    ],
)
def test_unusable_options_are_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, argv: tuple[str, ...], words: str
) -> None:
    code, _, err = cueref(capsys, "--out", str(tmp_path / "new"), *argv)
    assert code == 2 and words in err and "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("cueref: ")]) == 1
    assert not (tmp_path / "new").exists()


def test_a_run_is_gone_on_with_under_its_own_options(tmp_path: Path) -> None:
    from calibration.errors import UnusableInput

    folder = tmp_path / "run"
    begun = begin(folder, {"seed": 7, "tracks": 100}, False)
    assert BenchOptions.load(folder) == begun
    with pytest.raises(UnusableInput, match="--resume"):
        begin(folder, {}, False)
    with pytest.raises(UnusableInput, match="--seed: expected 7"):
        begin(folder, {"seed": 8}, True)
    assert begin(folder, {"tracks": 200}, True).tracks == 200
    other = tmp_path / "other"
    other.mkdir()
    (other / "holiday.jpg").touch()
    with pytest.raises(UnusableInput, match="other files"):
        begin(other, {}, False)


def test_a_run_of_an_older_schema_is_not_gone_on_with(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    begin(tmp_path, {"seed": 7, "tracks": 100}, False)
    file = tmp_path / "bench.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"schema": 1}))
    code, _, err = cueref(capsys, "--out", str(tmp_path), "--resume")
    assert code == 2 and "schema 1" in err and "begin a new run" in err and "Traceback" not in err
    assert len(err.splitlines()) == 1 and json.loads(file.read_text())["schema"] == 1


def test_seeds_are_new_each_time() -> None:
    assert len({fresh_seed() for _ in range(50)}) == 50
    assert all(s >= 1_000_000_000 for s in (fresh_seed() for _ in range(50)))


def test_half_a_file_is_no_camera(tmp_path: Path) -> None:
    store = Store(tmp_path)
    plans = tuple(CameraPlan(n, 5, 1, 0, 1280, 720, 25.0) for n in range(2))
    (store.pixels / ".00000.jsonl.part").write_text("{")
    store.save_camera(1, camera_records(plans[1])[0], None)
    assert store.camera_left(plans) == [plans[0]]
    assert len(list(store.records())) == len(camera_records(plans[1])[0])


def test_plots_are_drawn_of_what_there_is(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from referee.quality.bench.report import plots
    from referee.quality.bench.report.document import Measured
    from referee.quality.bench.tracks.errors import SHIPPED, ErrorModel

    records = [r for n in range(8) for r in camera_records(CameraPlan(n, 5, 1, 0, 1280, 720, 25.0))[0]]
    measured = Measured(BenchOptions(5), tuple(records), (), (), 0.0, ErrorModel.load(SHIPPED))
    drawn = plots.draw(measured)
    assert {"place", "colour", "sigma", "time"} <= set(drawn)
    assert all(png.startswith(b"\x89PNG") for png in drawn.values())
    assert plots.draw(Measured(BenchOptions(5), (), (), (), 0.0, None)) == {}
