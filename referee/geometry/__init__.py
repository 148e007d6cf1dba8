"""The geometry of the rules on positions in millimetres; computed once and journalled as facts.

Pure functions. Where positions carry a sigma, answers carry a probability and can be unknown.
"""

from referee.geometry.hand import snookered_in_hand
from referee.geometry.shapes import Answer, BallAt, in_d
from referee.geometry.sight import Sight, Snookered, best_paths, clear_path, full_ball_path, snookered
from referee.geometry.spots import (
    Spotted,
    occupied,
    place_on_line,
    spot_colours,
    spot_occupied,
)

__all__ = [
    "Answer",
    "BallAt",
    "Sight",
    "Snookered",
    "Spotted",
    "best_paths",
    "clear_path",
    "full_ball_path",
    "in_d",
    "occupied",
    "place_on_line",
    "snookered",
    "snookered_in_hand",
    "spot_colours",
    "spot_occupied",
]
