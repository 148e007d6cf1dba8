"""Whether the pieces on a table are those of the game that was named.

A table found as the wrong game's has pieces of another size in its plane: the pieces are sought in each set's
own proportion to the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.errors import UnusableInput, prefix
from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.table.parse import parse_table
from calibration.table.pieces import POOL_15, PieceSet
from calibration.table.specs import TableSpec
from vision.calibrated import calibration_for
from vision.detect.detector import Detector
from vision.detect.search import CellMemory, search
from vision.detect.sets import CANDIDATES, FAMILIES, Explained, OtherSet, explained_by, other_set
from vision.io.picture import Picture
from vision.plane import BallPlane
from vision.view.usable import fitted

_SURE = 0.55  # probability from which a sight counts
_BEYOND_RADII = 0.5  # how far beyond the noses a place counts as on the bed
_PROPORTIONS: dict[str, tuple[float, ...]] = {
    "snooker": (52.5 / 3569, 52.5 / 1881),
    "pool_15": (57.15 / 2540, 57.15 / 1981),
    "red_yellow": (50.8 / 1828,),
    "carrom": (31.8 / 740,),
}
"""Diameter over length of a set's usual tables: nominal sizes, and the smallest that are common."""
_USUAL_GAMES: dict[str, PieceSet] = {g: PIECES[g] for g in ("wpa_8ball", "snooker", "blackball", "carrom")}
"""A game of each kind of table."""


def pieces_of_another_game(
    picture: Picture, calibration: Calibration, pieces: PieceSet, detector: Detector | None = None
) -> OtherSet | None:
    """The set that lies on the table instead of the declared one; None where that one explains it.

    `detector`: one that knows all looks.
    """
    detector = detector or Detector(pieces=POOL_15)
    table = calibration.table
    own = _explained(picture, calibration, table, pieces, detector)
    others = [
        _explained(
            picture, calibration, replace(table, ball_diameter_mm=share * table.length_mm), s, detector
        )
        for s in CANDIDATES
        for share in _PROPORTIONS[s.name]
        if (s.kind(s.cue).look.form == "disc") == (table.piece_height_mm is not None)
    ]
    return other_set(own, others)


def calibration_for_game(
    source: Path,
    calibration: Path | None,
    table: TableSpec,
    detector: Detector,
    game: str,
    picture: Picture,
) -> Calibration:
    """`calibration_for`; where it finds no table of the game, another game's table is tried, and its pieces.

    Raises UnusableInput: with what lies on the table where that is another game's, else as `calibration_for`.
    """
    try:
        return calibration_for(source, calibration, table, detector)
    except UnusableInput:
        found = None if calibration is not None else _on_another_table(source, picture, PIECES[game])
        if found is None:
            raise
        raise UnusableInput(f"{prefix(str(source))}{found.sentence(game)}") from None


def _on_another_table(source: Path, picture: Picture, pieces: PieceSet) -> OtherSet | None:
    """The set that lies on the first other game's table that is found; None where there is none."""
    every = Detector(pieces=POOL_15)
    for game, own in _USUAL_GAMES.items():
        if own.name == pieces.name or FAMILIES[own.name] == FAMILIES[pieces.name]:
            continue
        try:
            solved = calibration_for(source, None, parse_table(None, None, None, game), every)
        except UnusableInput:
            continue
        return pieces_of_another_game(picture, solved, pieces, every)
    return None


def check_pieces(
    picture: Picture, calibration: Calibration, pieces: PieceSet, game: str, name: str = ""
) -> None:
    """Raises UnusableInput, with `name` (of the file) in front, where another game's pieces lie there."""
    found = pieces_of_another_game(picture, calibration, pieces)
    if found is not None:
        raise UnusableInput(f"{prefix(name)}{found.sentence(game)}")


def check_pictures(
    pictures: Sequence[Picture], calibration: Calibration, pieces: PieceSet, game: str, name: str = ""
) -> None:
    """`check_pieces` for a view that people walk through: only where every picture says so.

    Pictures of another shape than the calibrated one say nothing.
    """
    found: OtherSet | None = None
    every = Detector(pieces=POOL_15)
    for picture in pictures:
        shown, _ = fitted(picture, calibration.camera)
        found = None if shown is None else pieces_of_another_game(shown, calibration, pieces, every)
        if found is None:
            return
    if found is not None:
        raise UnusableInput(f"{prefix(name)}{found.sentence(game)}")


def _explained(
    picture: Picture, calibration: Calibration, table: TableSpec, pieces: PieceSet, detector: Detector
) -> Explained:
    plane = BallPlane(calibration.camera, table)
    every = np.ones((plane.rows, plane.columns), np.bool_)
    found = search(detector, plane, picture, every, every, CellMemory.unknown(every.shape), 0.0)
    r = table.ball_radius_mm
    sights = []
    for d in found:
        x, y = plane.mm_from_plane(d.u_px, d.v_px)
        beyond = max(abs(x) - table.half_width_mm, abs(y - table.length_mm / 2) - table.length_mm / 2) + r
        if d.confidence >= _SURE and beyond <= _BEYOND_RADII * r:
            sights.append(d.look_logp)
    return explained_by(np.array(sights, np.float64).reshape(-1, len(detector.looks)), detector.looks, pieces)
