"""Numbers in written files carry digits that mean something."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st
from match_fixture import invented

from referee.outputs.digits import meant
from referee.outputs.document import match_bytes


def test_places_times_and_shares_are_rounded_by_their_unit() -> None:
    written = {
        "before": {"white": [[185.24617, 421.12640, 0.37252]]},
        "end_s": 7.933993121165464,
        "confidence": 0.99934561,
        "offset_mm": 3.129,
        "points": 7,
        "t_s": None,
    }
    assert meant(written) == {
        "before": {"white": [[185.25, 421.13, 0.37]]},
        "end_s": 7.934,
        "confidence": 0.999346,
        "offset_mm": 3.13,
        "points": 7,
        "t_s": None,
    }


@given(st.floats(100.0, 5000.0), st.floats(-4.0, 4.0))
def test_a_cameras_digits_move_no_place_by_a_hundredth_of_a_millimetre(focal_px: float, angle: float) -> None:
    camera = {"focal_px": focal_px, "rotation": [angle, 0.0, 0.0]}
    kept = meant({"camera": camera})["camera"]  # type: ignore[index]
    assert math.isclose(kept["focal_px"], focal_px, rel_tol=1e-7)
    assert abs(kept["rotation"][0] - angle) * 4000.0 < 0.01


def test_a_match_written_and_read_is_written_the_same() -> None:
    once = match_bytes(invented())  # type: ignore[arg-type]
    assert match_bytes(json.loads(once)) == once
    assert max(len(word) for word in once.decode().replace("-", "").split() if word[:1].isdigit()) < 16
