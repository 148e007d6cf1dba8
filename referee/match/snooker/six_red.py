"""Which rule options a game reviewed from its video has; six-red counts the reds of the first layout."""

from __future__ import annotations

from calibration.table.games import GAMES
from referee.rules.six_red import game as six_red
from referee.rules.snooker import Options
from tracker.events import Layout, LayoutChange, StrokeRecord, TrackerEvent

_USUAL_REDS, _MOST_REDS = GAMES["six_red"].reds, GAMES["snooker"].reds


def game_options(game: str, layout: Layout) -> Options | None:
    """The options of snooker or a kind of it; None: snooker's own.

    Six-red is played with any number of reds (its introduction): as many as the first layout shows. A
    recording that begins inside a frame shows fewer than were racked, so never fewer than the usual six.
    """
    if game != "six_red":
        return None
    reds = sum(b.colour == "red" for b in layout)
    return six_red.options(min(max(reds, _USUAL_REDS), _MOST_REDS))


def first_layout(event: TrackerEvent) -> Layout | None:
    """The balls that an event shows at rest; None for an event that shows no layout."""
    if isinstance(event, StrokeRecord):
        return event.before
    return event.layout if isinstance(event, LayoutChange) else None
