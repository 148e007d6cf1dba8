"""Another game's pieces are told in one sentence; a calibration that a person names is not second-guessed."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from calibration.errors import UnusableInput
from calibration.find.diameters import BallsSeen
from calibration.result import Calibration
from calibration.table.parse import parse_table
from calibration.table.pieces import BILLIARDS, CARROM, POOL_9, RED_YELLOW, SNOOKER, PieceSet
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE
from calibration.texts import unusable_input
from vision import wrong_game
from vision.detect.detector import Detector
from vision.detect.looks import LOOKS
from vision.detect.sets import Explained, OtherSet, explained_by, other_set
from vision.io.picture import Picture


def test_a_calibration_file_that_cannot_be_read_is_refused_without_trying_other_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("another table was tried")

    monkeypatch.setattr(wrong_game, "_on_another_table", never)
    picture = Picture.from_bgr(np.zeros((72, 128, 3), np.uint8))
    table = parse_table(None, None, None, "wpa_9ball")
    with pytest.raises(UnusableInput, match=r"absent\.json"):
        wrong_game.calibration_for_game(
            tmp_path / "x.png", tmp_path / "absent.json", table, Detector(), "wpa_9ball", [picture]
        )


def test_a_table_that_the_picture_cuts_off_is_sought_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four tables were sought for 110 s, and each was cut off."""

    def cut(source: Path, *_: object) -> None:
        raise unusable_input("errors.picture_of_the_whole_table", where=f"{source}: ", percent="84")

    def never(*_: object) -> None:
        raise AssertionError("another table was tried")

    monkeypatch.setattr(wrong_game, "calibration_for", cut)
    monkeypatch.setattr(wrong_game, "_on_another_table", never)
    picture, table = (
        Picture.from_bgr(np.zeros((72, 128, 3), np.uint8)),
        parse_table(None, None, None, "blackball"),
    )
    with pytest.raises(UnusableInput, match="84 %"):
        wrong_game.calibration_for_game(tmp_path / "x.png", None, table, Detector(), "blackball", [picture])


@pytest.mark.parametrize(
    ("share", "likely"),
    [
        (52.5 / 3569, {SNOOKER, BILLIARDS}),  # a twelve-foot table
        (57.15 / 2540, {SNOOKER, BILLIARDS, POOL_9, RED_YELLOW}),
        (50.8 / 1828, {SNOOKER, BILLIARDS, POOL_9, RED_YELLOW}),
    ],
)
def test_balls_as_small_as_on_a_full_size_table_are_no_pool_balls(
    share: float, likely: set[PieceSet]
) -> None:
    size = BallsSeen(share * WPA_TABLE.length_mm, 0.02 * share * WPA_TABLE.length_mm, 3)
    for pieces in (SNOOKER, BILLIARDS, POOL_9, RED_YELLOW):
        logp = wrong_game._size_logp(size, pieces, WPA_TABLE)
        assert (logp > -0.7) if pieces in likely else (logp < -3.0)
    assert (
        wrong_game._size_logp(size, CARROM, WPA_TABLE)
        == wrong_game._size_logp(None, SNOOKER, WPA_TABLE)
        == 0.0
    )


def told(red_mm: tuple[float, float], declared: PieceSet) -> OtherSet | None:
    """What a white and a red on a full-size table are taken for."""
    p = np.full((2, len(LOOKS)), 0.05 / (len(LOOKS) - 1))
    p[[0, 1], [LOOKS.index("white"), LOOKS.index("red")]] = 0.95
    sights = wrong_game._Sights(np.array([(0.0, 600.0), red_mm]), np.log(p))
    detector = Detector(pieces=wrong_game.POOL_15)
    own, *others = (
        wrong_game._explained(sights, s, None, SNOOKER_TABLE, detector)
        for s in (declared, SNOOKER, BILLIARDS)
    )
    return other_set(own, others)


def test_a_lone_red_on_the_blacks_spot_is_of_billiards_and_elsewhere_it_may_be_practised_with() -> None:
    """Billiards begins with its red there (1.1(f), 3.2), the second white comes after the first stroke."""
    spot = SNOOKER_TABLE.spots["black"]
    found = told((spot[0] + 4.0, spot[1] - 6.0), SNOOKER)
    assert (
        found is not None
        and found.sentence("snooker") == "these look like billiard balls, not Snooker: 2 of 2"
    )
    assert told((300.0, 2000.0), SNOOKER) is None
    assert told(spot, BILLIARDS) is None and told((300.0, 2000.0), BILLIARDS) is None


def explained(pieces: PieceSet, gain: float, seen: int = 3) -> Explained:
    return Explained(pieces, gain, seen, seen)


RACK = wrong_game._View(explained(POOL_9, 50.0, 11), (explained(POOL_9, 50.0, 11),), 10)
SPREAD = wrong_game._View(explained(POOL_9, 50.0, 11), (explained(POOL_9, 50.0, 11),), None)
FIFTEEN = wrong_game._View(explained(POOL_9, 50.0, 16), (explained(POOL_9, 50.0, 16),), None)
SURE = wrong_game._View(explained(POOL_9, 0.0, 0), (explained(BILLIARDS, 15.0),), None)
NOTHING = wrong_game._View(explained(POOL_9, 0.0, 0), (explained(BILLIARDS, 0.0),), None)
OTHERWISE = wrong_game._View(explained(POOL_9, 15.0), (explained(BILLIARDS, 5.0),), None)


@pytest.mark.parametrize(
    ("views", "told"),
    [
        ((RACK, SPREAD, SPREAD), "a rack of ten numbered balls"),
        ((SPREAD, RACK), "a rack of ten numbered balls"),
        ((RACK, FIFTEEN), None),  # ten of fifteen were set up so far
        ((SPREAD, SPREAD), None),
        ((SURE, NOTHING, SURE), "billiard balls"),
        ((SURE, OTHERWISE), None),
        ((NOTHING, NOTHING), None),
        ((), None),
    ],
)
def test_a_review_is_refused_where_one_image_is_sure_and_none_speaks_against_it(
    monkeypatch: pytest.MonkeyPatch, views: tuple[wrong_game._View, ...], told: str | None
) -> None:
    seen = iter(views)
    monkeypatch.setattr(wrong_game, "_view", lambda *_: next(seen))
    monkeypatch.setattr(wrong_game, "fitted", lambda picture, _: (picture, None))
    pictures = [Picture.from_bgr(np.zeros((72, 128, 3), np.uint8))] * len(views)
    calibration = cast(Calibration, SimpleNamespace(camera=None))
    if told is None:
        wrong_game.check_pictures(pictures, calibration, POOL_9, "wpa_9ball")
    else:
        with pytest.raises(UnusableInput, match=rf"x.mp4: these look like {told}, not Nine ball \(WPA\)"):
            wrong_game.check_pictures(pictures, calibration, POOL_9, "wpa_9ball", "x.mp4")


@pytest.mark.parametrize(("gain", "pictures", "told"), [(5.0, 1, False), (5.0, 3, True), (-5.0, 3, False)])
def test_looks_of_several_pictures_add_up(gain: float, pictures: int, told: bool) -> None:
    """Nine balls told as snooker were explained seven times better in one image, a thousand in three."""
    own, other = explained(BILLIARDS, 20.0, 10), explained(wrong_game.POOL_15, 20.0 + 2 * gain, 10)
    found = wrong_game._told_by([wrong_game._View(own, (other, own), None)] * pictures)
    assert (found is not None) is told


def test_another_table_of_the_same_balls_is_no_other_game() -> None:
    own = explained(SNOOKER, 20.0, 10)
    others = (explained(wrong_game.POOL_15, 40.0, 10), explained(SNOOKER, 60.0, 10))
    assert wrong_game._told_by([wrong_game._View(own, others, None)] * 3) is None


def test_a_diamond_of_nine_speaks_for_numbered_balls() -> None:
    for pieces, speaks in ((wrong_game.POOL_15, True), (POOL_9, True), (SNOOKER, False), (RED_YELLOW, False)):
        assert (wrong_game._in_diamond(explained(pieces, 5.0), 9).beside > 0) is speaks
        assert wrong_game._in_diamond(explained(pieces, 5.0), 10).beside == 0


def test_what_is_seen_in_one_proportion_alone_tells_nothing() -> None:
    """In snooker's proportion the halves of pool's stripes are things of a ball's size that look like none.
    Every look is as likely of each, and no set is likelier for it.
    """
    vague = np.full((4, len(LOOKS)), -math.log(len(LOOKS)))
    assert explained_by(vague, LOOKS, SNOOKER).gain == pytest.approx(0.0)
