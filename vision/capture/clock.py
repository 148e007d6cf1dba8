"""The match clock of a live camera: the stream's timestamps, anchored to this machine's monotonic clock.

Intervals come from the camera, because contacts and speeds need them to a millisecond. The absolute time
comes from this machine, so that days of play do not drift. The offset between the two is slewed so slowly
that no speed changes noticeably.
"""

from __future__ import annotations

_WINDOW_S = 10.0  # over which the least delay of a packet is sought
_SLEW = 5e-4  # seconds a second: a hundred times the drift of a quartz, and 0.5 mm/s of a ball at 1 m/s
_JUMP_S = 1.0  # an interval that differs by more from the time passed here is a jump of the stream's clock
_LEAST_STEP_S = 1e-3  # between the last image of one connection and the first of the next


class MatchClock:
    """Turns stream timestamps into match time. One `stamp` a packet, in order of arrival.

    Time never goes back: a packet shown later has a later match time, over connections and jumps too.
    """

    def __init__(self, zero_mono_s: float | None = None, last_s: float = -_LEAST_STEP_S) -> None:
        """`zero_mono_s`: monotonic time of match time 0, None for the first packet's arrival.

        `last_s`: match time of the last image of an earlier run.
        """
        self.zero_mono_s = zero_mono_s
        self.jumped_s = 0.0
        self._latest_s = last_s
        self._shift: float | None = None
        self._previous: tuple[float, float] | None = None
        self._window: tuple[float, float] | None = None
        self._owed = 0.0

    def begin(self) -> None:
        """Begin a new connection, whose timestamps are unrelated to those before."""
        self._shift, self._previous, self._window, self._owed = None, None, None, 0.0

    def now_s(self, mono_s: float) -> float:
        """Match time of a monotonic time; 0 before the first packet."""
        return 0.0 if self.zero_mono_s is None else mono_s - self.zero_mono_s

    def stamp(self, stream_s: float | None, mono_s: float) -> float:
        """Match time of a packet that arrived at monotonic time `mono_s`.

        `stream_s`: its timestamp, None without one. Afterwards `jumped_s` is the jump of the stream's clock
        at this packet, 0 without one.
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
        """Match time of a timestamp of this connection; the clock stays as it is."""
        return stream_s + (self._shift or 0.0)

    def _noted(self, t_s: float) -> float:
        self._latest_s = max(self._latest_s, t_s)
        return t_s

    def _jumps(self, stream_s: float, mono_s: float) -> bool:
        assert self._previous is not None
        passed = mono_s - self._previous[1]
        stepped = stream_s - self._previous[0]
        # late packets may arrive all at once; a jump is a step that their delay does not explain
        if -_JUMP_S < stepped < passed + _JUMP_S and stepped > passed - 2 * _JUMP_S - self._lateness(mono_s):
            return False
        self.jumped_s = stepped - passed
        return True

    def _lateness(self, mono_s: float) -> float:
        assert self._previous is not None and self._shift is not None and self.zero_mono_s is not None
        return max(0.0, mono_s - self.zero_mono_s - (self._previous[0] + self._shift))

    def _slew(self, late_s: float, mono_s: float) -> None:
        """Move the offset towards the least delay of the last window: that packet was not held up."""
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
