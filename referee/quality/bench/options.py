"""Options of a bench run, and whether they can be measured."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from calibration.files import whole_file
from calibration.table.games import GAMES, is_snooker
from calibration.texts import unusable_input

FILE = "bench.json"
SCHEMA = 2
"""1: fewer cameras of 1080p50, and records that do not say which facts of the table were given."""
_MOST = {
    "cameras": 100_000,
    "strokes": 1_000_000,
    "layouts": 1_000_000,
    "tracks": 10_000_000,
    "rooms": 100_000,
    "room_strokes": 1_000_000,
    "room_layouts": 1_000_000,
    "room_flights": 1_000_000,
    "room_visits": 1_000_000,
    "worse": 100,
}
_ADDED = ("rooms", "room_strokes", "room_layouts", "room_flights", "room_visits", "worse")
"""Options that older runs do not have; they measured none of it."""
_MAY_GROW = ("tracks",)
_NOTHING_FILMED = {"cameras": 0, "strokes": 0, "layouts": 0}


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The size of both tiers. `strokes` and `layouts` are shared out over `cameras`; `tracks`: strokes of the
    tracks tier.

    `errors`: the tracks tier's error model; empty: this run's own cameras, or the shipped one where they are
    too few. `real`: folders of real clips with their truth, measured beside the rendered worlds; `worse`: how
    often each is made worse besides. `game`: whose strokes the tracks tier plays and whose tables the second
    world has; the cameras film snooker and its kinds only.
    `rooms`: cameras of the second world, over which `room_strokes`, `room_layouts`, `room_flights` (films
    of balls in flight) and `room_visits` (of somebody over the table) are shared out.
    """

    seed: int
    cameras: int = 100
    strokes: int = 300
    layouts: int = 4000
    tracks: int = 100_000
    errors: str = ""
    real: tuple[str, ...] = ()
    game: str = "snooker"
    rooms: int = 0
    room_strokes: int = 0
    room_layouts: int = 0
    room_flights: int = 0
    room_visits: int = 0
    worse: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise unusable_input("errors.whole_number_from_0", seed=self.seed)
        if self.game not in GAMES:
            raise unusable_input("errors.bench_game", known=", ".join(GAMES), game=repr(self.game))
        if self.cameras and not is_snooker(self.game):
            raise unusable_input("errors.bench_films_snooker", game=self.game)
        for name, most in _MOST.items():
            value = getattr(self, name)
            if not 0 <= value <= most:
                option = name.replace("_", "-")
                raise unusable_input("errors.whole_number_from_0_not", name=option, most=most, value=value)
        self._check_that_something_is_measured()

    def _check_that_something_is_measured(self) -> None:
        pictures = self.strokes or self.layouts
        beside = self.real or self.rooms or self.tracks
        if self.cameras == 0 and pictures and not beside:
            raise unusable_input("errors.tracks_beside_it")
        if self.worse and not self.real:
            raise unusable_input("errors.worse_without_clips")
        in_rooms = self.room_strokes + self.room_layouts + self.room_flights + self.room_visits
        if self.rooms and not in_rooms:
            raise unusable_input("errors.rooms_without_pictures")
        if in_rooms and not self.rooms:
            raise unusable_input("errors.pictures_without_rooms")
        if not (beside or (self.cameras and pictures)):
            raise unusable_input("errors.something_to_measure")

    def save(self, folder: Path) -> None:
        """Write `bench.json`, whole or not at all."""
        with whole_file(folder / FILE) as part:
            record = {"kind": "cueref-bench", "schema": SCHEMA, **asdict(self)}
            part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(folder: Path) -> BenchOptions | None:
        """What the run in a folder measures; None where there is no run. UnusableInput for another file of
        the name.
        """
        file = folder / FILE
        if not file.is_file():
            return None
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
            if record.get("kind") != "cueref-bench":
                raise ValueError("another kind of file")
            if record.get("schema") != SCHEMA:
                found = f"schema {record.get('schema')!r}, whose cameras are drawn otherwise"
                raise ValueError(f"{found}: begin a new run")
            names = [f.name for f in fields(BenchOptions) if f.name not in ("real", "game")]
            values = {n: record.get(n, 0) if n in _ADDED else record[n] for n in names}
            real = tuple(str(d) for d in record.get("real", ()))
            return BenchOptions(**values, real=real, game=str(record.get("game", "snooker")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            expected = f"the options of a bench run (schema {SCHEMA})"
            raise unusable_input("errors.expected_found", file=file, expected=expected, error=error) from None


def begin(folder: Path, given: dict[str, Any], resume: bool) -> BenchOptions:
    """The options of a run in `folder`: new, or those of the run that is gone on with.

    `given`: options on the command line (others absent). A run continues with its own options;
    only the number of tracks may grow. Raises UnusableInput when folder and options do not fit.
    """
    if folder.exists() and not folder.is_dir():
        raise unusable_input("errors.folder_for_the_bench", folder=folder)
    found = BenchOptions.load(folder) if folder.is_dir() else None
    if found is None:
        if resume:
            raise unusable_input("errors.run_of_the_bench_to_go_on", folder=folder)
        options = _begun(folder, given)
    else:
        if not resume:
            raise unusable_input("errors.empty_folder", folder=folder)
        options = _gone_on_with(folder, found, given)
    options.save(folder)
    return options


def _begun(folder: Path, given: dict[str, Any]) -> BenchOptions:
    """The options of a new run, in a folder that is made where there is none."""
    if folder.is_dir() and any(folder.iterdir()):
        raise unusable_input("errors.empty_folder_or_a_run_of_the_bench", folder=folder)
    unfilmed = {} if is_snooker(given.get("game", "snooker")) else _NOTHING_FILMED
    options = BenchOptions(**{"seed": fresh_seed(), **unfilmed, **given})
    folder.mkdir(parents=True, exist_ok=True)
    return options


def _gone_on_with(folder: Path, found: BenchOptions, given: dict[str, Any]) -> BenchOptions:
    """The options of a run that goes on: its own, and those given that may grow."""
    for name, value in given.items():
        if value != getattr(found, name) and name not in _MAY_GROW:
            raise unusable_input(
                "errors.as_the_run_in_was_begun",
                name=name,
                found=repr(getattr(found, name)),
                folder=folder,
                value=repr(value),
            )
    return BenchOptions(**{**asdict(found), **{k: given[k] for k in _MAY_GROW if k in given}})


def fresh_seed() -> int:
    """A seed that nobody has used: nine random digits or more, beyond all that development takes."""
    return 1_000_000_000 + int.from_bytes(os.urandom(4))
