"""The match clock of a live camera: the stream's own timestamps, anchored to this machine's monotonic clock.

Intervals are the camera's (contacts and speeds need them to a millisecond), the place on the clock is ours
(days of play must not drift). Between the two: an offset that is slewed so slowly that no speed notices.
"""

from __future__ import annotations

_WINDOW_S = 10.0
_SLEW = 5e-4  # seconds a second: a hundred times the drift of a quartz, and 0.5 mm/s in a ball at 1 m/s
_JUMP_S = 1.0  # an interval that differs by more from what passed here is a jump of the stream's clock
_LEAST_STEP_S = 1e-3


class MatchClock:
    """Match time of stream timestamps. One `stamp` a packet, in order of arrival; `begin` at each connection.

    Never back: `stamp` of a packet shown later (larger timestamp) is later, over connections and jumps too.
    """

    def __init__(self, zero_mono_s: float | None = None, last_s: float = -_LEAST_STEP_S) -> None:
        """`zero_mono_s`: monotonic time of match time 0, None: the first packet's arrival. `last_s`: time of
        the last image of an earlier run."""
        self.zero_mono_s = zero_mono_s
        self.jumped_s = 0.0
        self._latest_s = last_s
        self._shift: float | None = None
        self._previous: tuple[float, float] | None = None
        self._window: tuple[float, float] | None = None
        self._owed = 0.0

    def begin(self) -> None:
        """A new connection: its timestamps have nothing to do with those before."""
        self._shift, self._previous, self._window, self._owed = None, None, None, 0.0

    def now_s(self, mono_s: float) -> float:
        """Match time of a monotonic moment; 0 before the first packet."""
        return 0.0 if self.zero_mono_s is None else mono_s - self.zero_mono_s

    def stamp(self, stream_s: float | None, mono_s: float) -> float:
        """Match time of a packet that arrived at `mono_s`; `stream_s` None: it carries no timestamp.

        `jumped_s` says afterwards by how much the stream's clock jumped at this packet, 0 if it did not.
        """
        if self.zero_mono_s is None:
            self.zero_mono_s = mono_s
        here_s = mono_s - self.zero_mono_s
        self.jumped_s = 0.0
        if stream_s is None:
            return self._noted(max(here_s, self._latest_s + _LEAST_STEP_S))
        if self._shift is None or self._jumps(stream_s, mono_s):
            self._shift = max(here_s, self._latest_s + _LEAST_STEP_S) - stream_s
            self._window, self._owed = None, 0.0
        else:
            self._slew(here_s - (stream_s + self._shift), mono_s)
        self._previous = (stream_s, mono_s)
        return self._noted(stream_s + self._shift)

    def of(self, stream_s: float) -> float:
        """Match time of a timestamp of this connection without moving the clock."""
        return stream_s + (self._shift or 0.0)

    def _noted(self, t_s: float) -> float:
        self._latest_s = max(self._latest_s, t_s)
        return t_s

    def _jumps(self, stream_s: float, mono_s: float) -> bool:
        assert self._previous is not None
        passed = mono_s - self._previous[1]
        stepped = stream_s - self._previous[0]
        # packets may come late in a heap: only a step that the wait does not explain is a jump
        if -_JUMP_S < stepped < passed + _JUMP_S and stepped > passed - 2 * _JUMP_S - self._lateness(mono_s):
            return False
        self.jumped_s = stepped - passed
        return True

    def _lateness(self, mono_s: float) -> float:
        assert self._previous is not None and self._shift is not None and self.zero_mono_s is not None
        return max(0.0, mono_s - self.zero_mono_s - (self._previous[0] + self._shift))

    def _slew(self, late_s: float, mono_s: float) -> None:
        """Move the offset towards the least delay of the last window: that packet waited for nobody."""
        assert self._previous is not None and self._shift is not None
        most = _SLEW * max(0.0, mono_s - self._previous[1])
        step = min(max(self._owed, -most), most)
        self._shift += step
        self._owed -= step
        if self._window is None:
            self._window = (mono_s + _WINDOW_S, late_s)
        elif mono_s < self._window[0]:
            self._window = (self._window[0], min(self._window[1], late_s))
        else:
            self._owed, self._window = self._window[1], None
