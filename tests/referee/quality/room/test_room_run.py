"""`cueref train --room`: what is held back is never trained on, nothing that ships is written over, and a
stopped run goes on. The slow test goes the whole road on the bundled sample.
"""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

if find_spec("torch") is None or find_spec("onnx") is None:
    pytest.skip("the extra 'train' brings them", allow_module_level=True)

import models
import samples
from calibration.errors import UnusableInput
from calibration.table.parse import parse_table
from referee.cli import command_line
from referee.quality.room import run
from referee.quality.room.certain import Certain, Rest
from referee.quality.room.gather import (
    BETWEEN_S,
    BLOCK_S,
    MOST_BLOCKS,
    MOST_IMAGES,
    Gathered,
    block_of,
    chosen,
    held_from_s,
)
from referee.quality.room.run import RoomOptions, train_room
from referee.quality.room.verdict import Verdict, verdict_lines
from referee.quality.room.watched import Recording, Watched
from vision.detect.detector import Detector
from vision.detect.onnx_model import OWN_MODELS, model_path
from vision.observation import ImageObservations
from vision.train.detector.adapt import Adapted
from vision.train.detector.data import MAX_BALLS, PatchSet
from vision.train.detector.fit import FitOptions
from vision.train.detector.room import BlockScore, RoomImages
from vision.train.detector.scores import Scores

SAMPLE = Path(next(iter(samples.__path__))) / "club_four_strokes.mp4"
SHIPPED = Path(next(iter(models.__path__))) / "ball_detector.onnx"


def recording(video: Path = SAMPLE) -> Recording:
    return Recording(video, "snooker", parse_table(None, None, None, "snooker"))


def watched(duration_s: float, rate_hz: float = 25.0) -> Watched:
    count = int(duration_s * rate_hz)
    images = [ImageObservations(k, k / rate_hz, (), None, None, repeated=k % 6 == 5) for k in range(count)]
    return Watched(recording(), None, duration_s, tuple(images), (), (), True)  # type: ignore[arg-type]


def room(images: int = 6, blocks: int = 6) -> RoomImages:
    shape = (images, 192, 192)
    return RoomImages(
        np.full((*shape, 3), 60, np.uint8),
        np.ones((images, 96, 96), np.uint8),
        np.zeros((images, 96, 96), np.uint8),
        np.full((images, MAX_BALLS, 6), np.nan, np.float32),
        (np.arange(images) % blocks).astype(np.int32),
    )


def options(folder: Path, out: Path | None) -> RoomOptions:
    return RoomOptions(out, folder / "work", 250, FitOptions(steps=2, batch=2, threads=1), scored=10)


@pytest.mark.parametrize("duration_s", [5.0, 40.0, 600.0])
def test_no_image_of_the_held_back_end_is_trained_on(duration_s: float) -> None:
    truth = Certain((Rest("white", "white", 0.0, 0.0, 0.0, 1e9, 0.0, 1e9),), (), (), (), (), ())
    seen = watched(duration_s)
    trained, held = chosen(seen, truth)
    assert max(trained) < held_from_s(duration_s) - BETWEEN_S and min(held) >= held_from_s(duration_s)
    assert len(trained) <= MOST_IMAGES and len(held) <= MOST_IMAGES
    repeated = {i.t_s for i in seen.images if i.repeated}
    assert not repeated & {*trained, *held}, "a repeated image is no look of its own"


def test_what_is_held_back_is_cut_into_stretches_of_time() -> None:
    for duration_s in (5.0, 40.0, 600.0):
        at = [block_of(t, duration_s) for t in np.linspace(0.0, duration_s, 1000)]
        assert at == sorted(at) and at[0] == -1
        count = max(at) + 1
        assert 1 <= count <= MOST_BLOCKS and (count == 1 or duration_s * 0.35 / count >= BLOCK_S)


def test_a_stopped_run_does_not_watch_the_recording_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, said = list[Path](), list[str]()

    def watch(given: Recording, detector: Detector) -> Recording:
        seen.append(given.video)
        return given

    monkeypatch.setattr(run, "watch", watch)
    monkeypatch.setattr(run, "gather", lambda given, detector: Gathered(room(), None, 2))
    detector = Detector()
    for _ in range(2):
        found = run._gathered(recording(), detector, tmp_path, said.append)
        assert (
            found.strokes == 2
            and found.held is None
            and found.trained is not None
            and len(found.trained) == 6
        )
    assert seen == [SAMPLE] and len(said) == 3
    other = replace(recording(), game="english_billiards")
    run._gathered(other, detector, tmp_path, said.append)
    assert len(seen) == 2, "what was said of the recording is another thing"


def test_what_an_interrupted_run_left_is_watched_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def killed(given: object, detector: object) -> Gathered:
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return Gathered(room(), room())

    monkeypatch.setattr(run, "watch", lambda given, detector: given)
    monkeypatch.setattr(run, "gather", killed)
    with pytest.raises(KeyboardInterrupt):
        run._gathered(recording(), Detector(), tmp_path, lambda _: None)
    assert run._gathered(recording(), Detector(), tmp_path, lambda _: None).held is not None


@pytest.mark.parametrize(
    ("out", "said"),
    [(SHIPPED, "a folder of your own"), (Path("own/best.onnx"), "ball_detector.onnx, found another name")],
)
def test_nothing_that_ships_is_written_over(tmp_path: Path, out: Path, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        train_room([recording()], options(tmp_path, out))


def test_a_recording_too_short_to_hold_back_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_gathered", lambda *_: Gathered(room(), room(blocks=5)))
    with pytest.raises(UnusableInput, match=r"6 stretches of time and more .* found 5"):
        train_room([recording()], options(tmp_path, tmp_path / "ball_detector.onnx"))


def verdict(reason: str) -> Verdict:
    scores = Scores(10, 9, 1, 1, 0, 9, 0.3, ())
    good = BlockScore(6, 60, 0, 0, 60, 1, 3.0)
    return Verdict(reason, replace(good, false=9), good, 6, 0.016, (scores, scores))  # type: ignore[arg-type]


def trained(work: Path) -> Adapted:
    """What training leaves in the working folder, here the network in use itself."""
    path = work / "candidate" / SHIPPED.name
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(SHIPPED, path)
    one = room()
    nothing = PatchSet(one.images, one.covers, one.balls)
    return Adapted(path, hashlib.sha256(SHIPPED.read_bytes()).hexdigest(), 6, 6, 0.1, nothing)


def test_only_a_better_network_is_written_with_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_gathered", lambda *_: Gathered(room(), room(), strokes=4))
    monkeypatch.setattr(run, "adapt", lambda wanted, *_: trained(wanted.work))
    out = tmp_path / "own" / "ball_detector.onnx"
    shipped = SHIPPED.read_bytes()
    monkeypatch.setattr(run, "_judged", lambda *_: verdict("no_gain"))
    assert train_room([recording()], options(tmp_path, out), lambda _: None).written is None
    assert not out.parent.exists() and not list((tmp_path / "work").rglob("*.onnx"))
    monkeypatch.setattr(run, "_judged", lambda *_: verdict("better"))
    monkeypatch.setattr(run, "_strokes_with", lambda *_: 3)
    found = train_room([recording()], options(tmp_path, out), lambda _: None)
    assert found.written is None and found.verdict.reason == "strokes", "four were certain before"
    assert "4 strokes of the recordings have one explanation with it, 3" in verdict_lines(found.verdict)[-1]
    assert not out.parent.exists() and not list((tmp_path / "work").rglob("*.onnx"))
    monkeypatch.setattr(run, "_strokes_with", lambda *_: 4)
    assert train_room([recording()], options(tmp_path, out), lambda _: None).written == out
    assert SHIPPED.read_bytes() == shipped
    said = tomllib.loads(out.with_name("manifest.toml").read_text("utf-8"))["ball_detector"]
    assert said["recordings"] == [SAMPLE.name] and said["room"]["false"] == [9, 0] and said["seed"] == 1
    monkeypatch.setenv(OWN_MODELS, str(out.parent))
    assert model_path("ball_detector") == out
    assert Detector().looks == Detector(SHIPPED).looks  # its sha256 is the manifest's


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "wpa_9ball"], "expected them with --room"),
        (["--room", str(SAMPLE), "--network", "pieces"], "expected no --network"),
        (["--room", str(SAMPLE), "--patches", "10"], "expected --patches of 250"),
        (["--room", str(SAMPLE), "--out", str(SHIPPED)], "a folder of your own"),
        (["--room", "absent.mp4"], "absent.mp4"),
    ],
)
def test_wrong_options_are_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnusableInput, match=said):
        CliRunner().invoke(command_line(["train"]), ["train", *arguments], catch_exceptions=False)


@pytest.mark.slow
def test_the_whole_road_on_the_sample_ends_in_a_network_or_in_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample was drawn by the renderer that trained the network: there is hardly anything to gain."""
    monkeypatch.chdir(tmp_path)
    arguments = ["train", "--room", str(SAMPLE), "--patches", "250", "--steps", "150", "--processes", "1"]
    told = [CliRunner().invoke(command_line(["train"]), arguments) for _ in range(2)]
    first, again = ([x for x in t.output.splitlines() if not x.startswith("step")] for t in told)
    assert first[1:] == again, "a second run watches nothing, and finds the same"
    assert "labelled balls" in first[1] and "held back" in first[2] and "rendered" in first[3]
    out = tmp_path / "own-models" / "ball_detector.onnx"
    if told[0].exit_code == 1:
        assert "the network in use stays" in first[-1] and not out.exists()
    else:
        assert told[0].exit_code == 0 and "is better" in first[-1] and out.is_file()
    labelled = next((tmp_path / "train-work").glob("room_*/held.npz"))
    with np.load(labelled) as z:  # what the sample's truth has is found: eleven balls and more an image
        assert np.isfinite(z["balls"][:, :, 0]).sum(axis=1).mean() > 8
