"""Numbered balls are named by what is printed on them and by one another: one maker, one light."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.table.pieces import POOL_9, POOL_15, PieceSet
from calibration.table.specs import WPA_TABLE
from vision.detect.print_net import PRINTS, PrintMemory, PrintNet, Prints
from vision.io.picture import F32
from vision.render.game_looks import pool_looks
from vision.render.looks import random_lamps, random_table_look
from vision.render.patches import Shot, patch_rays, photographed
from vision.render.scene import Ball, Scene
from vision.render.scene_picture import render
from vision.train.prints.windows import windows_of

CENTRE = (0.0, 1270.0)
D = WPA_TABLE.ball_diameter_mm
LOOKS = ("white", "yellow", "blue", "red", "purple", "orange", "green", "maroon", "black")
USUAL = dict(zip(("cue", *map(str, range(1, 9))), LOOKS, strict=True)) | {
    str(n + 8): f"{LOOKS[n]} stripe" for n in range(1, 8)
}


def drawn(looks: list[str], seed: int, television: bool = False) -> F32:
    """Windows of balls of one set that lie apart from one another, filmed from above at 26 px a ball."""
    rng = np.random.default_rng([seed, 77])
    while ("pink" in (made := pool_looks(rng))) != television or made["yellow stripe"].albedo[0] < 0.5:
        pass
    at = [(CENTRE[0] + 1.9 * D * (k % 4 - 1.5), CENTRE[1] + 1.9 * D * (k // 4 - 1.5)) for k in range(16)]
    balls = tuple(
        Ball(look, *xy, spin_seed=int(rng.integers(1 << 30))) for look, xy in zip(looks, at, strict=False)
    )
    table = replace(random_table_look(rng), cloth=(0.03, 0.18, 0.3))
    scene = Scene(WPA_TABLE, table, made, random_lamps(rng, WPA_TABLE), (0.4, 0.4, 0.4), balls=balls)
    rays, from_patch = patch_rays(rng, (0.0, 1270.0, 2500.0), D, D / 2, CENTRE, (26.0, 26.1))
    shot = photographed(Shot.of(scene, rays, from_patch, CENTRE, 0.004), render, rng, rng)
    images, inside = windows_of(shot, np.array([(b.x_mm, b.y_mm) for b in balls]))
    assert inside.all()
    return images


def shares(prints: Prints, pieces: PieceSet = POOL_9) -> list[dict[str, float]]:
    return [dict(zip(pieces.names, np.exp(row), strict=True)) for row in prints.kind_logp(pieces)]


@pytest.fixture(scope="module")
def net() -> PrintNet:
    return PrintNet()


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (1.1, 0.9, 0.65), (0.75, 0.95, 1.15)])
def test_a_whole_set_is_named_in_white_in_warm_and_in_blue_light(
    net: PrintNet, light: tuple[float, float, float]
) -> None:
    right = total = 0
    for seed in range(6):
        images = np.clip(drawn(list(USUAL.values()), seed) * np.array(light, np.float32)[:, None, None], 0, 1)
        found = net.read(images, PrintMemory()).kind_logp(POOL_15).argmax(axis=1)
        right += int((found == np.arange(16)).sum())
        total += 16
    assert right >= 0.9 * total


def test_a_lone_purple_ball_is_the_four_or_televisions_five(net: PrintNet) -> None:
    for seed in range(4):
        purple = shares(net.read(drawn(["white", "purple"], seed), PrintMemory()))[1]
        assert purple["4"] + purple["5"] > 0.9


@pytest.mark.parametrize(("television", "purple", "other"), [(True, "5", "4"), (False, "4", "5")])
def test_the_balls_beside_it_tell_which_purple_it_is(
    net: PrintNet, television: bool, purple: str, other: str
) -> None:
    """But for a pink that is nearly red, or nearly orange, in this light: then it stays open."""
    beside = ["white", "pink" if television else "orange", "blue", "black", "purple"]
    told = [shares(net.read(drawn(beside, s, television), PrintMemory()))[4] for s in range(8)]
    assert sum(t[purple] > 0.8 for t in told) >= 5
    assert max(t[other] for t in told) < 0.95


def test_what_a_full_table_told_still_counts_when_one_ball_is_left(net: PrintNet) -> None:
    better = 0
    for seed in range(8):
        images = drawn(["white", "pink", "blue", "black", "red", "purple"], seed, television=True)
        full = net.read(images, PrintMemory())
        memory = PrintMemory().after(full, np.ones(6), POOL_9)
        alone, remembered = (
            shares(net.read(images[[0, 5]], known))[1]["5"] for known in (PrintMemory(), memory)
        )
        better += remembered >= alone
    assert better >= 7


def test_turning_the_picture_by_a_quarter_changes_no_name(net: PrintNet) -> None:
    images = drawn(list(USUAL.values()), 3)
    names = [
        net.read(np.ascontiguousarray(np.rot90(images, k, (2, 3))), PrintMemory()).logp.argmax(axis=1)
        for k in range(4)
    ]
    assert np.mean(np.array(names) == names[0]) > 0.95


def test_bare_cloth_is_no_ball(net: PrintNet) -> None:
    cloth = np.full((3, 3, 40, 40), 0.3, np.float32) * np.array([0.2, 0.6, 1.0], np.float32)[:, None, None]
    images = np.concatenate((drawn(["white", "red", "black"], 0), cloth))
    assert net.read(images, PrintMemory()).logp.argmax(axis=1)[3:].tolist() == [PRINTS.index("none")] * 3


def test_only_what_is_surely_a_ball_of_a_sure_name_is_remembered() -> None:
    logp = np.full((3, len(PRINTS)), np.log(1e-3))
    logp[0, 3], logp[1, [4, 5]], logp[2, 6] = np.log(0.98), np.log(0.49), np.log(0.98)
    kept = PrintMemory().after(Prints(logp, np.zeros((3, 4), np.float32)), np.array([0.9, 0.9, 0.3]), POOL_9)
    assert [name for name, _ in kept.tokens] == ["3"]
