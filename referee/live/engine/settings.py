"""The settings of a live table: the table, the first match, which clips are kept and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from calibration.calibrate import Side as PictureSide
from calibration.table.games import PIECES
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from referee.facts.calls import start_of
from referee.live.engine.state import Side
from referee.live.recording.ring import MOST_BYTES
from vision.calibrated import check_bottom_at

RESUME_HOURS = 6.0
"""A match in which nothing happened for longer is over; a restart begins another, unless in doubt."""


MOST_FRAMES = 99  # two digits on every page
NAME_LENGTH = 80  # characters


def check_players(names: tuple[str, str]) -> None:
    """Raises UnusableInput for names that cannot be shown."""
    for name in names:
        if not (0 < len(name.strip()) <= NAME_LENGTH and name.isprintable()):
            raise unusable_input(
                "errors.names_of_1_to_printable_characters", name_length=NAME_LENGTH, name=repr(name)
            )


def check_best_of(frames: int | None) -> None:
    """Raises UnusableInput for a match that cannot be played; None: open-ended."""
    if frames is not None and not 1 <= frames <= MOST_FRAMES:
        raise unusable_input("errors.1_to_frames", most_frames=MOST_FRAMES, frames=repr(frames))


@dataclass(frozen=True, slots=True)
class NewMatch:
    """End this match as it stands and begin another; its record is a folder of its own.

    `start`: the state when it begins inside a frame, as `--start` says it; None: with a new frame.
    """

    players: tuple[str, str] = ("A", "B")
    best_of: int | None = None
    breaks: Side = "A"
    start: str | None = None

    def __post_init__(self) -> None:
        check_players(self.players)
        check_best_of(self.best_of)

    def check_start(self, game: str) -> None:
        """Raises UnusableInput for a state in which no match of that game begins."""
        if self.start is not None:
            start_of(self.start, game)


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """One table. `camera`: address or file, may hold a password: `repr` leaves it out.

    `match`: the players and terms of the first match. An interrupted match is resumed instead, unless
    `new_match`, which ends it as it stands. `calibration` None: the table is found in the live picture.
    `bottom_at`: the side of that picture at which baulk, the head end or player A is; None: found.
    `speed`, `loop`: for files; speed 0 drops nothing.
    """

    camera: str = field(repr=False)
    out: Path
    table_name: str = "table"
    game: str = "snooker"
    table: TableSpec = field(default_factory=TableSpec)
    calibration: Path | None = None
    bottom_at: PictureSide | None = None
    match: NewMatch = field(default_factory=NewMatch)
    new_match: bool = False
    keep_days: float = 30.0
    keep_gb: float = MOST_BYTES / 1e9
    record: bool = True
    resume_hours: float = RESUME_HOURS
    rate_hz: float = 0.0
    speed: float = 1.0
    loop: bool = False

    def __post_init__(self) -> None:
        if self.game not in PIECES:
            raise unusable_input(
                "errors.game_expected_one_of_found", known=", ".join(PIECES), game=repr(self.game)
            )
        self.match.check_start(self.game)
        check_bottom_at(self.bottom_at, self.calibration)
        if not (0 < len(self.table_name) <= 80 and self.table_name.isprintable()):
            raise unusable_input("errors.1_to_80_printable_characters", table_name=repr(self.table_name[:80]))
        if not 0 <= self.keep_days < math.inf:  # refuses "not a number" as well
            raise unusable_input("errors.0_for_ever_or_more_days", keep_days=f"{self.keep_days:g}")
        if not 0.1 <= self.keep_gb < math.inf:  # less would not hold the last minutes of a camera
            raise unusable_input("errors.0_1_gb_or_more_for_clips", keep_gb=f"{self.keep_gb:g}")

    @property
    def keep_bytes(self) -> int:
        """The most that all clips and segments of the table take."""
        return round(self.keep_gb * 1e9)
