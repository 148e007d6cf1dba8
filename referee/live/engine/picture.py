"""The picture beside the balls: how much of the table is hidden, whether it is this table, where balls lie
now.
"""

from __future__ import annotations

from typing import Final

from referee.facts.seen import SeenBall
from referee.live.engine.state import LiveBall, StatusCode
from referee.review.watching import Watch
from tracker.ball import BallState
from vision.io.images import VideoImage
from vision.view.usable import SAME_SHAPE

_HIDDEN_SHARE = 0.6  # of the table's cells; two players leaning over it hide about a quarter
_HIDDEN_S = 3.0
_KNOCK_S = 0.3  # one look that seems to show a knock is not worth an alarm
_AWAY_S = 0.5

ENDED: Final[dict[StatusCode, str]] = {
    "picture_covered": "the table is in sight again",
    "view_wrong": "the picture shows the table again",
    "camera_moved": "the camera stands; places are right again",
}


class PictureWatch:
    """What each image says beside the balls; remembers since when."""

    def __init__(self) -> None:
        self._hidden_s: float | None = None

    def look(self, watch: Watch, image: VideoImage) -> dict[StatusCode, str]:
        """A sentence for each of `ENDED`'s conditions that holds after this image was watched, else an empty
        one.
        """
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
        "the picture shows something else than the table"
        if away_s is not None and image.t_s - away_s > _AWAY_S
        else ""
    )


def _knocked(watch: Watch, t_s: float) -> str:
    knock = watch.observer.state.knock
    if knock.since_s is None or t_s - knock.since_s < _KNOCK_S:
        return ""
    return (
        "the camera has moved and is not found again: calibrate" if knock.flagged else "the camera has moved"
    )


def now_lying(watch: Watch) -> tuple[tuple[LiveBall, ...], tuple[SeenBall, ...]]:
    """The balls as published, and those at rest as geometry takes them."""
    found: list[LiveBall] = []
    at_rest: list[SeenBall] = []
    for b in watch.tracker.follower.balls:
        if b.state is BallState.GONE:
            continue
        x, y = b.place
        moving = b.state is not BallState.REST
        state = "moving" if moving else "hidden" if b.covered or b.missed >= 2 else "rest"
        sigma = watch.sigma_mm(x, y, b.rest.sigma_mm)
        found.append(LiveBall(b.name, b.colour, x, y, sigma, state))  # type: ignore[arg-type]  # of the three
        if not moving:
            at_rest.append(SeenBall(b.name, b.colour, x, y, sigma, 1.0))
    return tuple(sorted(found, key=lambda b: b.ball)), tuple(at_rest)
