"""Images of a piece, fed to a tracker as a review feeds them."""

from __future__ import annotations

from tracker import Tracker
from tracker.events import TrackerEvent
from vision.observation import ImageObservations


def fed(tracker: Tracker, image: ImageObservations) -> list[TrackerEvent]:
    """What a tracker says of one more image; one that tells nothing is passed over, as in
    `referee.review.perception`. A look at the whole table is due until it is taken: none is passed over.
    """
    if image.unusable is None and image.looked is not None and tracker.tells_nothing(image.t_s):
        tracker.pass_over(image.t_s)
        return []
    return tracker.feed(image)
