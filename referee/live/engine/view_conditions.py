"""Conditions that the picture itself shows: the table hidden, another view, a camera that moved."""

from __future__ import annotations

from typing import Final

from referee.live.engine.state import StatusCode
from referee.review.watching import Watch
from vision.io.images import VideoImage
from vision.view.usable import SAME_SHAPE

_HIDDEN_SHARE = 0.6  # share of the table's cells; two players who lean over it hide about a quarter
_HIDDEN_S = 3.0
_KNOCK_S = 0.3  # a single look may show a knock by mistake
_AWAY_S = 0.5

ENDED: Final[dict[StatusCode, str]] = {
    "picture_covered": "the table can be seen again",
    "view_wrong": "the picture shows the table again",
    "camera_moved": "the camera is steady again; positions are right again",
}


class ViewConditions:
    """Checks each image; remembers since when the table has been hidden."""

    def __init__(self) -> None:
        self._hidden_s: float | None = None

    def look(self, watch: Watch, image: VideoImage) -> dict[StatusCode, str]:
        """For each condition of `ENDED` a sentence if it holds after this image was watched, else ""."""
        return {
            "picture_covered": self._covered(watch, image.t_s),
            "view_wrong": _other_view(watch, image),
            "camera_moved": _knocked(watch, image.t_s),
        }

    def _covered(self, watch: Watch, t_s: float) -> str:
        if float(watch.observer.state.covered.mean()) < _HIDDEN_SHARE:
            self._hidden_s = None
            return ""
        self._hidden_s = t_s if self._hidden_s is None else self._hidden_s
        return "most of the table is hidden" if t_s - self._hidden_s > _HIDDEN_S else ""


def _other_view(watch: Watch, image: VideoImage) -> str:
    camera, picture = watch.calibration.camera, image.picture
    shape = abs(picture.width_px * camera.height_px / (picture.height_px * camera.width_px) - 1)
    if shape > SAME_SHAPE:
        return (
            f"images of {picture.width_px} x {picture.height_px} do not show what was calibrated; calibrate"
            " again"
        )
    away_s = watch.observer.state.sight.away_s
    return (
        "the picture does not show the table" if away_s is not None and image.t_s - away_s > _AWAY_S else ""
    )


def _knocked(watch: Watch, t_s: float) -> str:
    knock = watch.observer.state.knock
    if knock.since_s is None or t_s - knock.since_s < _KNOCK_S:
        return ""
    return (
        "the camera has moved and is not found again: calibrate" if knock.flagged else "the camera has moved"
    )
