"""The pair network: its windows face each other whatever the camera, and the gap it says is that of the
table.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from ball_scenes import R, camera_over_table

from vision.io.picture import Picture
from vision.locate.centres import frames
from vision.locate.pairs import PairNet, facing, near_pairs
from vision.train.centres.windows import RenderedPiece, draw_piece, pair_windows


@pytest.mark.parametrize("tilt", [0.0, 0.5])
@pytest.mark.parametrize("angle", [0.3, 1.7, 4.0])
def test_each_ball_sees_the_other_to_its_right(tilt: float, angle: float) -> None:
    camera, at = camera_over_table(tilt), np.array([300.0, 1500.0])
    both = np.array([at, at + 2 * R * np.array([math.cos(angle), math.sin(angle)])])
    middle, px_from_unit, mm_from_unit = (v[None] for v in frames(camera, R, both))
    turned, _ = facing(middle, px_from_unit, mm_from_unit)
    for k in (0, 1):
        u, v = np.linalg.solve(turned[0, k], middle[0, 1 - k] - middle[0, k])
        assert 1.5 < u < 2.02 and abs(v) < 1e-9  # nearer than two radii where the camera looks along the pair


def test_a_shift_in_the_windows_is_converted_to_mm_of_the_gap() -> None:
    camera = camera_over_table(0.5)
    for angle in (0.0, 0.8, math.pi / 2):
        way = np.array([math.cos(angle), math.sin(angle)])
        both = np.array([300.0, 1500.0]) + np.outer((0.0, 2 * R), way)
        middle, px_from_unit, mm_from_unit = (v[None] for v in frames(camera, R, both))
        turned, along_mm = facing(middle, px_from_unit, mm_from_unit)
        farther, _, _ = frames(camera, R, both + np.outer((0.0, 2.0), way))
        u, _ = np.linalg.solve(turned[0, 0], farther[1] - middle[0, 1])
        assert u * along_mm[0] == pytest.approx(2.0, rel=0.03)


def test_only_balls_side_by_side_are_pairs() -> None:
    places = np.array([(0.0, 0.0), (2 * R + 1.0, 0.0), (0.0, 2 * R - 1.0), (0.0, -2 * R - 9.0), (R, 0.0)])
    assert near_pairs(places, R, [0]) == [(0, 1), (0, 2)]
    assert near_pairs(places, R, [1, 0]) == [(0, 1), (0, 2)]
    assert near_pairs(places, R, []) == []


def _answers(net: PairNet, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    out = net._session.run(
        ["wider"], {"image": np.ascontiguousarray(images.transpose(0, 3, 1, 2), np.float32) / 255}
    )[0]
    return out[:, 0].astype(float), np.exp(out[:, 1]).astype(float)


def _held_out(seed: int) -> RenderedPiece:
    return draw_piece(9_710_000 + seed)  # never trained on


def test_the_network_corrects_wrong_gaps_with_true_sigmas() -> None:
    net, rng, sets = PairNet(), np.random.default_rng(4), []
    for seed in range(40):
        sets.append(pair_windows(_held_out(seed), rng, 1))
    images, wider = np.concatenate([s.images for s in sets]), np.concatenate([s.wider for s in sets])
    said, sigma = _answers(net, images)
    assert len(wider) > 40
    assert np.median(np.abs(said - wider)) < 0.6 * np.median(np.abs(wider))
    z = np.abs(said - wider) / sigma
    # 68 and 95 % if they were exact; so few pairs tell to about ten
    assert 0.5 < (z < 1).mean() < 0.88 and (z < 2).mean() > 0.82
    # which of the two comes first is a name, and a mirror shows the same gap
    swapped, _ = _answers(net, np.concatenate((images[..., 3:], images[..., :3]), axis=3))
    assert swapped == pytest.approx(said, abs=1e-4)


def test_without_pairs_there_are_no_gaps() -> None:
    grey = np.zeros((540, 960), np.uint8)
    picture = Picture(np.zeros((1080, 1920), np.uint8), grey, grey, "709", False)
    assert PairNet().gaps(picture, camera_over_table(0.0), R, np.zeros((0, 2)), []) == ()
