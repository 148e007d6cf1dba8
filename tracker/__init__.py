"""Observations to tracks, contacts, pots, rest and motion, strokes. No I/O and no clock: time arrives as
data.
"""

from tracker.tracker import Tracker

__all__ = ["Tracker"]
