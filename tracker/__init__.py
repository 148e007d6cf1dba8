"""Which observation is which ball, and what happened: observations in, strokes and other events out.

`Tracker` takes one image's observations after the other. Balls at rest keep their names (`association`,
`identity`); a stroke is solved as a whole when all balls are still (`stroke`, `explain`). `events` is the
contract with the referee. No file, network or clock is read here: time arrives as data.
"""

from tracker.tracker import Tracker

__all__ = ["Tracker"]
