"""Pictures of one's own table: what is unknown costs and counts nothing; one seed, one network."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from vision.detect.detector import Detection
from vision.detect.onnx_model import model_path
from vision.render.patches import PATCH_PX
from vision.train.detector.data import MAX_BALLS, PatchSet, joined
from vision.train.detector.room import (
    UNKNOWN_LOOK,
    BlockScore,
    RoomImages,
    cut_patches,
    load_room,
    save_room,
    score_image,
)

HEIGHT, WIDTH = 192, 240


def rows(*balls: tuple[float, ...]) -> np.ndarray:
    out = np.full((MAX_BALLS, 6), np.nan, np.float32)
    for k, ball in enumerate(balls):
        out[k] = (*ball, *(0.0,) * (6 - len(ball)))
    return out


def room(seed: int = 1, images: int = 4) -> RoomImages:
    """Noise with two balls an image; the left half of the second half of the images is unknown."""
    rng = np.random.default_rng(seed)
    known = np.ones((images, HEIGHT // 2, WIDTH // 2), np.uint8)
    known[images // 2 :, :, : WIDTH // 4] = 0
    return RoomImages(
        rng.integers(0, 255, (images, HEIGHT, WIDTH, 3), dtype=np.uint8),
        known,
        np.zeros_like(known),
        np.stack([rows((150.0, 90.0, 1, 1.0), (200.0, 40.0, UNKNOWN_LOOK, 1.0))] * images),
        np.zeros(images, np.int32),
    )


def detection(u: float, v: float, look: int = 1) -> Detection:
    logp = [-12.0] * 8
    logp[look] = -0.01
    return Detection(u, v, 0.9, tuple(logp))


def test_a_detection_at_an_unknown_place_is_neither_right_nor_wrong() -> None:
    known = np.ones((50, 50), np.uint8)
    known[:, :25] = 0
    truth = rows((80.0, 40.0, 1, 1.0))
    right = detection(81.0, 40.0)
    assert score_image([right], truth, known) == BlockScore(1, 1, 0, 0, 1, 0, 1.0)
    assert score_image([right, detection(20.0, 40.0)], truth, known).false == 0
    assert score_image([right, detection(60.0, 70.0)], truth, known).false == 1
    assert score_image([], truth, known).missed == 1
    assert score_image([detection(80.0, 40.0, 4)], truth, known).misnamed == 1
    unnamed = rows((80.0, 40.0, UNKNOWN_LOOK, 1.0))
    assert score_image([detection(80.0, 40.0, 4)], unnamed, known) == BlockScore(1, 1, 0, 0, 0, 0, 0.0)


def test_a_streak_is_found_anywhere_on_it_and_once() -> None:
    known = np.ones((50, 50), np.uint8)
    streak = rows((50.0, 40.0, 1, 1.0, 30.0, 0.0))
    both = [detection(38.0, 40.0), detection(62.0, 40.0)]
    assert score_image(both, streak, known) == BlockScore(1, 1, 0, 0, 1, 0, 0.0)


def test_patches_carry_their_part_of_what_is_known() -> None:
    one = room()
    patches = cut_patches([one], model_path("ball_detector"), 40, 7)
    assert patches.known is not None and patches.images.shape == (40, PATCH_PX, PATCH_PX, 3)
    for image, known, balls in zip(patches.images, patches.known, patches.balls, strict=True):
        k, u, v = next(
            (k, u, v)
            for k in range(len(one))
            for v in range(0, HEIGHT - PATCH_PX + 1, 2)
            for u in range(0, WIDTH - PATCH_PX + 1, 2)
            if np.array_equal(one.images[k, v : v + PATCH_PX, u : u + PATCH_PX], image)
        )
        assert np.array_equal(one.known[k, v // 2 : (v + PATCH_PX) // 2, u // 2 : (u + PATCH_PX) // 2], known)
        there = balls[~np.isnan(balls[:, 0])]
        assert {(float(x + u), float(y + v)) for x, y in there[:, :2]} <= {(150.0, 90.0), (200.0, 40.0)}


def test_one_seed_cuts_the_same_patches_and_another_others() -> None:
    start, one = model_path("ball_detector"), [room(), room(2)]
    a, b, c = (cut_patches(one, start, 20, seed) for seed in (3, 3, 4))
    assert np.array_equal(a.images, b.images) and not np.array_equal(a.images, c.images)


def test_stored_images_are_the_same_again(tmp_path: Path) -> None:
    save_room(tmp_path / "held.npz", one := room())
    again = load_room(tmp_path / "held.npz")
    for f in fields(RoomImages):
        np.testing.assert_array_equal(getattr(one, f.name), getattr(again, f.name))
    assert [p.name for p in tmp_path.iterdir()] == ["held.npz"]


def patches_of(count: int, known: bool) -> PatchSet:
    own = cut_patches([room()], model_path("ball_detector"), count, 1)
    return own if known else replace(own, known=None)


def test_rendered_patches_beside_a_room_s_are_known_everywhere() -> None:
    both = joined([patches_of(3, True), patches_of(2, False)])
    assert both.known is not None and len(both) == 5 and both.known[3:].all()
    assert joined([patches_of(2, False)]).known is None


needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("onnx") is None, reason="the extra 'train' brings them"
)


@needs_torch
def test_what_is_unknown_costs_nothing_whatever_the_network_says_there() -> None:
    import torch

    from vision.train.detector.fit import loss_of
    from vision.train.detector.targets import make_targets

    balls = torch.from_numpy(rows((30.0, 30.0, 2, 1.0), (100.0, 100.0, UNKNOWN_LOOK, 1.0)))[None]
    covers = torch.zeros(1, 64, 64, dtype=torch.uint8)
    known = torch.ones(1, 64, 64, dtype=torch.uint8)
    known[:, :, 32:40] = 0
    targets = make_targets(balls, covers, known)
    maps = torch.full((1, 12, 64, 64), -4.0)
    plain, _ = loss_of(maps, targets)
    maps[:, :11, :, 32:40] = 5.0  # a false ball of any look; cover is taught everywhere
    assert torch.equal(loss_of(maps, targets)[0], plain)
    maps[:, 0, :, 44:48] = 5.0
    assert loss_of(maps, targets)[0] > plain
    # the look of a ball without a name costs nothing, its place does
    maps = torch.full((1, 12, 64, 64), -4.0)
    maps[:, 3 + 5, 46:54, 46:54] = 9.0
    assert torch.equal(loss_of(maps, targets)[0], plain)


@needs_torch
def test_one_seed_gives_the_same_network(tmp_path: Path) -> None:
    import torch

    from vision.train.detector.export import export_onnx
    from vision.train.detector.fit import FitOptions, fit
    from vision.train.detector.resume import from_onnx

    data = joined([patches_of(12, True), patches_of(6, False)])
    files = []
    for n, seed in enumerate((5, 5, 6)):
        start = from_onnx(model_path("ball_detector"), data.images)
        options = FitOptions(steps=3, batch=4, minutes=5.0, seed=seed, threads=1)
        export_onnx(fit(data, options, lambda _: None, start)[0], tmp_path / f"{n}.onnx")
        files.append((tmp_path / f"{n}.onnx").read_bytes())
    assert files[0] == files[1] != files[2]
    assert torch.get_num_threads() == 1


@needs_torch
def test_between_two_networks_lies_each_share_of_the_way() -> None:
    import torch

    from vision.train.detector.adapt import between
    from vision.train.detector.network import Detector

    torch.manual_seed(2)
    a, b = Detector(), Detector()
    for share, same in ((0.0, a), (1.0, b)):
        mixed = between(a, b, share).state_dict()
        assert all(torch.allclose(mixed[k], v) for k, v in same.state_dict().items() if v.is_floating_point())
    half = between(a, b, 0.5).head.weight
    assert torch.allclose(half, (a.head.weight + b.head.weight) / 2)
