"""Which unsure sights a layout takes for balls, and that marks and pockets' mouths stay none."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.table.pockets import no_rest_place, on_bed
from calibration.table.specs import TableSpec
from vision.detect.detector import Detector, decode
from vision.detect.naming import named_layout
from vision.observation import BALL_CLASSES, Observation
from vision.render import patches

TABLE = TableSpec()


def sight(
    colour: str, confidence: float, x_mm: float, y_mm: float, sigma_mm: float = 0.3, clearly: float = 0.9
) -> Observation:
    logp = [math.log(clearly) if c == colour else math.log((1 - clearly) / 7) for c in BALL_CLASSES]
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, tuple(logp), confidence)


def named(*seen: Observation) -> list[str | None]:
    return [name for name, _ in named_layout(seen, TABLE)]


def test_an_unsure_observation_is_a_ball_if_no_other_has_its_colour() -> None:
    """In a frame, whose other colours are there; on a table that is bare but for the white it is none."""
    spots = {c: sight(c, 0.9, *xy) for c, xy in TABLE.spots.items()}
    white, unsure = sight("white", 0.9, 0, 500), sight("green", 0.5, -292, 737, 1.0)
    others = [spots[c] for c in ("yellow", "brown", "blue", "pink", "black")]
    assert named(white, *others, unsure)[-1] == "green"
    assert named(white, *others, sight("green", 0.36, -292, 737))[-1] == "green"
    # a table has one green: beside a sure one the unsure is none, and of two unsure ones one at most is
    assert named(white, *others, sight("green", 0.9, 300, 900), unsure)[-2:] == ["green", None]
    assert named(white, *others, unsure, sight("green", 0.6, 500, 2000, 1.0))[-2:] == [None, "green"]
    assert named(white, unsure) == ["white", None]


@pytest.mark.parametrize(
    "unsure",
    [
        sight("red", 0.5, 100, 900, 1.5),  # of reds there may be any number
        sight("green", 0.5, 100, 900, 1.5, clearly=0.5),  # of no clear colour
        sight("green", 0.5, 40, 500, 1.5),  # where the cue-ball lies
        sight("green", 0.45, 58, 500, 1.5),  # in its shadow
        sight("black", 0.5, -915, 1858, 1.5),  # in a centre pocket's jaw
        sight("black", 0.5, -866, -58, 1.5),  # in a corner's
    ],
)
def test_other_unsure_observations_are_no_balls(unsure: Observation) -> None:
    assert named(sight("white", 0.9, 0, 500), unsure) == ["white", None]


def test_what_lies_on_a_rail_is_no_ball() -> None:
    """Frozen to a cushion, and placed 5 mm into it, a ball is on the bed; a glove on the wood is not."""
    r, half = TABLE.ball_radius_mm, TABLE.half_width_mm
    assert on_bed(half - r + 5.0, 900.0, TABLE)
    assert on_bed(100.0, TABLE.length_mm - r + 5.0, TABLE)
    assert not on_bed(-half - 75.0, 1462.0, TABLE)
    assert not on_bed(100.0, -40.0, TABLE)
    assert all(on_bed(p.x_mm, p.y_mm, TABLE) for p in TABLE.pockets)  # on its way down
    assert no_rest_place(996.0, 1780.0, TABLE)  # beyond a drop


def test_a_ball_over_a_pockets_edge_counts_until_it_is_over_the_drop() -> None:
    for p in TABLE.pockets:
        inward = (-math.copysign(1.0, p.x_mm), float(np.sign(round(TABLE.length_mm / 2 - p.y_mm))))
        norm = math.hypot(*inward)
        for share, lies in ((-0.2, False), (0.5, False), (1.05, True), (1.3, True)):
            x, y = (
                c + share * p.drop_radius_mm * i / norm for c, i in zip((p.x_mm, p.y_mm), inward, strict=True)
            )
            assert no_rest_place(x, y, TABLE) is not lies, (p.name, share)


def test_a_spots_mark_is_no_ball_once_its_ball_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces about a spot without a ball: cloth, mark and lines alone, on cloths like the missing ball in a
    third of them.
    """
    colours = [c for c in BALL_CLASSES if c in TABLE.spots]
    at = {}

    def bare(
        rng: np.random.Generator, table: TableSpec, *_: object
    ) -> tuple[tuple[float, float], tuple[()], float]:
        at["colour"] = str(rng.choice(colours))
        return table.spots[at["colour"]], (), 0.0

    monkeypatch.setattr(patches, "_occasion", bare)
    monkeypatch.setattr(patches, "random_table", lambda rng: TABLE)
    for name in ("random_balls", "random_pack", "random_people"):
        monkeypatch.setattr(patches, name, lambda *a, **k: ())
    detector, middle = Detector(), (patches.PATCH_PX - 1) / 2
    for seed in range(9_200_000, 9_200_040):
        piece = patches.random_patch(seed)
        seen = decode(
            detector.maps(np.ascontiguousarray(piece.image.transpose(2, 0, 1), np.float32) / 255), 0.35
        )
        here = [d for d in seen if math.dist((d.u_px, d.v_px), (middle, middle)) < patches.PX_PER_DIAMETER]
        assert at["colour"] not in [BALL_CLASSES[int(np.argmax(d.look_logp))] for d in here], seed


def test_a_piece_may_be_about_a_spot_with_its_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "_AT_SPOT", 1.0)
    monkeypatch.setattr(patches, "_SPOT_TAKEN", 1.0)
    rng = np.random.default_rng(1)
    for camouflaged in ("green", "red", None):
        _, lying, _ = patches._occasion(rng, TABLE, camouflaged, (0.0, 0.0))
        x, y = TABLE.spots[lying[0].colour]
        assert math.dist((lying[0].x_mm, lying[0].y_mm), (x, y)) < 6
    without = replace(TABLE, baulk_line_mm=None, d_radius_mm=None)
    assert patches._occasion(rng, without, "green", (5.0, 7.0)) == ((5.0, 7.0), (), patches._HANGING)
