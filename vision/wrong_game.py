"""Whether the pieces on a table are those of the game that was named.

A table found as the wrong game's has pieces of another size in its plane: the pieces are sought in each set's
own proportion to the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.calibrate import Side
from calibration.errors import UnusableInput, prefix
from calibration.find.diameters import BallsSeen, seen_diameter
from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.table.parse import parse_table
from calibration.table.pieces import POOL_15, PieceSet
from calibration.table.pockets import no_rest_place
from calibration.table.specs import TableSpec
from calibration.texts import Sentence
from vision.calibrated import calibration_for
from vision.detect.detector import Detector
from vision.detect.racks import rack_of
from vision.detect.search import CellMemory, search
from vision.detect.sets import (
    CANDIDATES,
    FAMILIES,
    LEAST_EVIDENCE,
    Explained,
    OtherSet,
    evidence,
    explained_by,
    joint_evidence,
    other_set,
    racked_set,
)
from vision.io.picture import Picture
from vision.plane import BallPlane
from vision.view.usable import colourless, fitted

F64 = npt.NDArray[np.float64]

_SURE = 0.55  # probability from which a sight counts
_BEYOND_RADII = 0.5  # how far beyond the noses a place counts as on the bed
_AGAINST = math.log(10.0)  # by which the declared set must explain another picture better to speak against it
_BESIDE_RACK = 2  # the cue-ball, and what is no ball: with more there are more balls than the rack's
_OVER_DROP = 0.9  # drop radii from a pocket's middle within which leather and nets look like pieces
_PROPORTIONS: dict[str, tuple[float, ...]] = {
    "snooker": (52.5 / 3569, 52.5 / 1881),
    "english_billiards": (52.5 / 3569, 52.5 / 1881),
    "english_billiards_spotted": (52.5 / 3569, 52.5 / 1881),
    "pool_15": (57.15 / 2540, 57.15 / 1981),
    "red_yellow": (50.8 / 1828,),
    "carrom": (31.8 / 740,),
}
"""Diameter over length of a set's usual tables: nominal sizes, and the smallest that are common."""
_SIZES: dict[str, tuple[float, float]] = {
    "snooker": (52.5 / 3569, 52.5 / 1828),
    "billiards": (52.5 / 3569, 52.5 / 1828),
    "numbered": (57.15 / 2845, 57.15 / 1828),
    "red_yellow": (50.8 / 2235, 50.8 / 1828),
}
"""Least and most of the same over all tables that are made, by family: snooker on 12 to 6 feet, pool on 10 to
6, black ball on 8 to 6.
"""
_SIZE_SIGMA, _MISMEASURED = 0.04, 0.01
"""Error of a table's length and a ball's diameter together, over themselves, and probability that what was
measured is no ball. Assumed."""
_BLACK_SPOT_SHARE = 324.0 / 3569.0  # of the length, from the top cushion (snooker 1.1(f))
_ON_SPOT_MM, _RED_ON_SPOT, _BY_CHANCE = 20.0, 0.4, 0.01
"""A red that lies so near to the black's spot lies on it. In billiards that is the red's spot (1.1(f)): it
lies there in two of five looks, in snooker without a black in one practice of a hundred. Assumed."""
_DIAMOND, _DIAMOND_BALLS = math.log(3000.0), 9
"""Evidence of a whole diamond that it is one of numbered balls (WPA 2.2): it stands in one look of three at
their play, and of others' balls no nine stand so but by chance, in one of ten thousand. Assumed."""
_OF_NO_GAME = frozenset(
    f"errors.{key}"
    for key in (
        "picture_of_the_whole_table",
        "camera_that_stands_still",
        "least_one_picture",
        "8_bit_colour_pictures",
        "picture_of_at_least_pixels",
    )
)
"""Refusals that another game's table would get, too."""
_USUAL_GAMES: dict[str, PieceSet] = {g: PIECES[g] for g in ("wpa_8ball", "snooker", "blackball", "carrom")}
"""A game of each kind of table."""


@dataclass(frozen=True, slots=True)
class _View:
    """One picture of the table: how well the declared set and each other one explain it, in each of its
    proportions; how many balls a rack has that stands there.
    """

    own: Explained
    others: tuple[Explained, ...]
    rack: int | None

    def found(self) -> OtherSet | None:
        """The set that lies there instead of the declared one."""
        found = other_set(self.own, self.others)
        if found is not None and not found.larger:
            return found
        return racked_set(self.rack, self.own.pieces) or found

    def contradicts(self, found: OtherSet) -> bool:
        """Whether what another picture shows cannot well be the same pieces."""
        if found.racked:
            return self.own.seen > found.explained + _BESIDE_RACK
        same = (e for e in self.others if e.pieces.name == found.pieces.name)
        return max(evidence(e, self.own) for e in same) < -_AGAINST


def pieces_of_another_game(picture: Picture, calibration: Calibration, pieces: PieceSet) -> OtherSet | None:
    """The set that lies on the table instead of the declared one; None where that one explains it.

    A picture without colours says nothing.
    """
    view = _view(picture, calibration, pieces, Detector(pieces=POOL_15))
    return None if view is None else view.found()


def _view(picture: Picture, calibration: Calibration, pieces: PieceSet, detector: Detector) -> _View | None:
    if colourless(picture):
        return None
    table = calibration.table
    board = table.piece_height_mm is not None
    size = None if board else seen_diameter([picture.bgr()], calibration.camera, table)
    tried = [(s, share) for s in CANDIDATES if s.discs == board for share in _PROPORTIONS[s.name]]
    shown = {
        share: _sights(
            picture, calibration, replace(table, ball_diameter_mm=share * table.length_mm), detector
        )
        for share in {share for _, share in tried}
    }
    own = _sights(picture, calibration, table, detector)
    rack = rack_of(own.places_mm, table.ball_diameter_mm)
    return _View(
        _in_diamond(_explained(own, pieces, size, table, detector), rack),
        tuple(_in_diamond(_explained(shown[share], s, size, table, detector), rack) for s, share in tried),
        rack,
    )


def _in_diamond(found: Explained, rack: int | None) -> Explained:
    """An explanation with the evidence of nine balls that stand in a diamond: numbered ones are racked so."""
    if rack != _DIAMOND_BALLS or FAMILIES[found.pieces.name] != "numbered":
        return found
    return replace(found, beside=found.beside + _DIAMOND)


def _found_together(views: Sequence[_View]) -> OtherSet | None:
    """The set of another family that several pictures tell together, where none of them is sure alone.

    Their looks add up; how many pieces lack, where the others lie and how large they are is nearly the same
    in all of them.
    """
    if len(views) < 2:
        return None
    own = [v.own for v in views]
    ranked = []
    for others in zip(*(v.others for v in views), strict=True):
        joint = joint_evidence(others, own)
        ranked.append((joint, max(others, key=lambda e: e.explained)))
    joint, best = max(ranked, key=lambda item: item[0])
    if FAMILIES[best.pieces.name] == FAMILIES[own[0].pieces.name] or joint < LEAST_EVIDENCE:
        return None
    return OtherSet(best.pieces, best.explained, best.seen)


def _told_by(views: Sequence[_View]) -> OtherSet | None:
    """The set that one picture is sure of, or several are together, and that none speaks against."""
    alone = next((other for v in views if (other := v.found()) is not None), None)
    found = alone or _found_together(views)
    return None if found is None or any(v.contradicts(found) for v in views) else found


def _views(pictures: Sequence[Picture], calibration: Calibration, pieces: PieceSet) -> list[_View]:
    """Of the pictures that have colours and the calibrated shape."""
    every = Detector(pieces=POOL_15)
    fitting = (shown for p in pictures if (shown := fitted(p, calibration.camera)[0]) is not None)
    return [v for p in fitting if (v := _view(p, calibration, pieces, every)) is not None]


def calibration_for_game(
    source: Path,
    calibration: Path | None,
    table: TableSpec,
    detector: Detector,
    game: str,
    pictures: Sequence[Picture],
    bottom_at: Side | None = None,
) -> Calibration:
    """`calibration_for`; where it finds no table of the game, another game's table is tried, and its pieces.

    A table of which the picture shows a part is no other game's either, nor is a moving camera's.

    Raises UnusableInput: with what lies on the table where that is another game's, else as `calibration_for`.
    """
    try:
        return calibration_for(source, calibration, table, detector, bottom_at)
    except UnusableInput as error:
        if calibration is not None or _of_no_game(error):
            raise
        found = _on_another_table(source, pictures, PIECES[game])
        if found is None:
            raise
        raise UnusableInput(f"{prefix(str(source))}{found.sentence(game)}") from None


def _of_no_game(error: UnusableInput) -> bool:
    """Whether the refusal has nothing to do with whose table it is."""
    return isinstance(error.args[0], Sentence) and error.args[0].key in _OF_NO_GAME


def _on_another_table(source: Path, pictures: Sequence[Picture], pieces: PieceSet) -> OtherSet | None:
    """The set that lies on the first other game's table that is found; None where there is none."""
    every = Detector(pieces=POOL_15)
    for game, own in _USUAL_GAMES.items():
        if own.name == pieces.name or FAMILIES[own.name] == FAMILIES[pieces.name]:
            continue
        try:
            solved = calibration_for(source, None, parse_table(None, None, None, game), every)
        except UnusableInput:
            continue
        return _told_by(_views(pictures, solved, pieces))
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
    """`check_pieces` for a view that people walk through: only where one picture says so, or several do
    together, and no other one speaks against it.

    Pictures without colours, or of another shape than the calibrated one, say nothing.
    """
    found = _told_by(_views(pictures, calibration, pieces))
    if found is not None:
        raise UnusableInput(f"{prefix(name)}{found.sentence(game)}")


@dataclass(frozen=True, slots=True)
class _Sights:
    """What the detector is sure of on the bed: places (B, 2) in mm, log-probabilities (B, looks)."""

    places_mm: F64
    look_logp: F64


def _sights(picture: Picture, calibration: Calibration, table: TableSpec, detector: Detector) -> _Sights:
    """The detections in pieces of a table's size."""
    plane = BallPlane(calibration.camera, table)
    every = np.ones((plane.rows, plane.columns), np.bool_)
    found = search(detector, plane, picture, every, every, CellMemory.unknown(every.shape), 0.0)
    r = table.ball_radius_mm
    places, looks = [], []
    for d in found:
        x, y = plane.mm_from_plane(d.u_px, d.v_px)
        beyond = max(abs(x) - table.half_width_mm, abs(y - table.length_mm / 2) - table.length_mm / 2) + r
        in_mouth = no_rest_place(x, y, table, _OVER_DROP)
        if d.confidence >= _SURE and beyond <= _BEYOND_RADII * r and not in_mouth:
            places.append((x, y))
            looks.append(d.look_logp)
    shape = (-1, len(detector.looks))
    return _Sights(np.array(places, np.float64).reshape(-1, 2), np.array(looks, np.float64).reshape(shape))


def _explained(
    sights: _Sights, pieces: PieceSet, size: BallsSeen | None, table: TableSpec, detector: Detector
) -> Explained:
    """How well a set explains what is seen, places and size with it."""
    found = explained_by(sights.look_logp, detector.looks, pieces)
    beside = _size_logp(size, pieces, table) + _red_on_spot_logp(found, sights, pieces, table)
    return replace(found, beside=beside)


def _size_logp(size: BallsSeen | None, pieces: PieceSet, table: TableSpec) -> float:
    """Log-likelihood of the balls' size over the table's under a set, over that of its likeliest size."""
    if size is None or pieces.discs:
        return 0.0
    share, sigma = size.diameter_mm / table.length_mm, size.sigma_mm / table.length_mm
    low, high = _SIZES[FAMILIES[pieces.name]]
    off = max(low - share, share - high, 0.0) / math.hypot(sigma, _SIZE_SIGMA * share)
    return max(-(off**2) / 2, math.log(_MISMEASURED))


def _red_on_spot_logp(found: Explained, sights: _Sights, pieces: PieceSet, table: TableSpec) -> float:
    """Log-probability that a lone red lies on the black's spot, or does not, where no black is seen."""
    reds = [i for i, k in enumerate(found.kinds) if k == "red"]
    if FAMILIES[pieces.name] not in ("snooker", "billiards") or len(reds) != 1 or "black" in found.kinds:
        return 0.0
    spot = table.spots.get("black", (0.0, table.length_mm * (1.0 - _BLACK_SPOT_SHARE)))
    on = math.dist(sights.places_mm[reds[0]], spot) < _ON_SPOT_MM
    likely = _RED_ON_SPOT if FAMILIES[pieces.name] == "billiards" else _BY_CHANCE
    return math.log(likely if on else 1.0 - likely)
