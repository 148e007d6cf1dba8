"""Setting up a table: advice on the camera, then the table found in its picture; nothing is asked in a
terminal.

One thread reads the camera and advises; another finds the table, so that the picture stays live.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import cv2
import numpy as np

from calibration.calibrate import EndUnknown, solve_table
from calibration.camera import rotation_matrix, rotation_vector
from calibration.draw import draw_calibration
from calibration.errors import UnusableInput
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from referee.live.engine.table_search import (
    APART_S,
    LEAST_PICTURES,
    NO_PICTURES,
    PATIENCE_S,
    PICTURES,
    joined,
    settled,
    still,
)
from referee.match.weighing import CERTAIN
from vision.advice.summary import Advice, Advisor
from vision.capture.source import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown
from vision.detect.detector import Detector
from vision.io.picture import U8, Picture

Stage = Literal["pictures", "table", "balls"]

ADVISE_S = 0.7  # between two updates of the advice
SHOWN_PX = 1280  # width of the picture on the page
JPEG_QUALITY = 80  # of 100
POOR_MM = 3.0
"""One sigma somewhere on the table beyond which the page advises to try again."""


@dataclass(frozen=True, slots=True)
class Found:
    """A calibration that was found. `typical_mm`, `worst_mm`: one sigma per axis of a position, median and
    worst over the table; `seconds`: the time it took.
    """

    calibration: Calibration
    drawn: bytes
    typical_mm: float
    worst_mm: float
    seconds: float


class SetupSession:
    """A camera being set up. Methods may be called from several threads."""

    def __init__(
        self, address: str, options: CaptureOptions | None = None, detector: Detector | None = None
    ) -> None:
        """Starts to read the camera. Raises UnusableInput for an address of no known kind."""
        self.address = address
        self._camera: Camera = open_camera(address, options)
        self._detector = detector
        self._advisor = Advisor()
        self._lock = threading.Lock()
        self._picture: Picture | None = None
        self._count = 0
        self._jpeg: tuple[int, bool, bytes] | None = None
        self._advice: tuple[Advice, ...] = self._advisor.advise()
        self._trouble = ""
        self._wanted: list[Picture] | None = None
        self._gathered_s = 0.0
        self._stage: tuple[Stage, float] | None = None
        self._refusal = ""
        self._found: Found | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="setup", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the camera, so that the live program can open it."""
        self._stop.set()
        self._thread.join(5.0)
        self._camera.close()

    @property
    def found(self) -> Found | None:
        """The newest calibration."""
        return self._found

    def document(self) -> dict[str, Any]:
        """What the page shows, as plain JSON values."""
        with self._lock:
            picture, stage, found = self._picture, self._stage, self._found
            return {
                "camera": shown(self.address),
                "trouble": self._trouble,
                "picture": None if picture is None else [picture.width_px, picture.height_px, self._count],
                "advice": [asdict(a) for a in self._advice],
                "stage": (
                    None
                    if stage is None
                    else {"name": stage[0], "seconds": round(time.monotonic() - stage[1], 1)}
                ),
                "refusal": self._refusal,
                "found": None if found is None else _found_json(found),
            }

    def picture_jpeg(self, draw: bool = False) -> bytes | None:
        """The newest picture, at most `SHOWN_PX` wide; with the calibration drawn over it if `draw`."""
        with self._lock:
            picture, count, found = self._picture, self._count, self._found
            if picture is None:
                return None
            if self._jpeg is not None and self._jpeg[:2] == (count, draw):
                return self._jpeg[2]
        data = _jpeg(_drawn(picture, found.calibration) if draw and found is not None else _small(picture))
        with self._lock:
            self._jpeg = (count, draw, data)
        return data

    def calibrate(self, table: TableSpec) -> None:
        """Begin to find the table. Raises UnusableInput while an attempt is under way."""
        with self._lock:
            if self._stage is not None:
                raise unusable_input("errors.begin_when_the_last_attempt_has")
            self._stage, self._refusal, self._wanted = ("pictures", time.monotonic()), "", []
        threading.Thread(target=self._solve, args=(table,), name="calibrate", daemon=True).start()

    def turn(self) -> None:
        """Call the other end baulk. Raises UnusableInput without a calibration."""
        with self._lock:
            found = self._found
            if found is None:
                raise unusable_input("errors.turn_table_that_was")
            turned_one = turned(found.calibration)
            self._found = replace(found, calibration=turned_one)
            self._advisor.calibration, self._jpeg = turned_one, None

    # -- the camera's thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        advised_s = 0.0
        while not self._stop.is_set():
            item = self._camera.next(0.2)
            if isinstance(item, CameraImage):
                self._image(item)
            elif isinstance(item, CameraEvent):
                self._event(item)
            now = time.monotonic()
            if now - advised_s >= ADVISE_S and isinstance(item, CameraImage) and not self._solving:
                advice = self._advisor.advise()
                with self._lock:
                    self._advice = advice
                advised_s = time.monotonic()  # a slow machine advises less often and reads on in between

    @property
    def _solving(self) -> bool:
        """Whether the table is being solved: the processor is busy, so there is no advice."""
        stage = self._stage
        return stage is not None and stage[0] != "pictures"

    def _image(self, item: CameraImage) -> None:
        if not self._solving:
            self._advisor.feed(item.image)
        with self._lock:
            self._picture, self._count, self._trouble = item.image.picture, self._count + 1, ""
            if self._wanted is not None and item.image.t_s >= self._gathered_s:
                self._wanted = joined(self._wanted, item.image.picture)
                self._gathered_s = item.image.t_s + APART_S

    def _event(self, event: CameraEvent) -> None:
        if event.kind in ("lost", "stalled", "dark", "ended"):
            with self._lock:
                self._trouble = event.sentence

    # -- finding the table -------------------------------------------------------------------------------

    def _solve(self, table: TableSpec) -> None:
        began = time.monotonic()
        try:
            found = self._solved(table, lambda stage: self._enter(stage, began))
        except UnusableInput as error:
            with self._lock:
                self._refusal = shown(str(error))
        except Exception as error:  # after a fault of ours the page must not wait for ever
            with self._lock:
                self._refusal = f"finding the table failed ({type(error).__name__}); try again"
        else:
            with self._lock:
                self._found, self._jpeg = replace(found, seconds=time.monotonic() - began), None
                self._advisor.calibration = found.calibration
        finally:
            with self._lock:
                self._stage, self._wanted = None, None

    def _enter(self, stage: Stage, began: float) -> None:
        with self._lock:
            self._stage = (stage, began)

    def _solved(self, table: TableSpec, enter: Callable[[Stage], None]) -> Found:
        pictures = self._gathered()
        enter("table")
        image = still(pictures)
        try:
            solution = solve_table([image], table, "the camera")
        except EndUnknown as unknown:
            solution = unknown.solution  # a person sees which end it is, and turns it on the page
        enter("balls")
        self._detector = self._detector or Detector()
        calibration = settled(pictures, solution, self._detector)
        typical, worst = expected_error_mm(calibration)
        return Found(calibration, _jpeg(draw_calibration(image, calibration)), typical, worst, 0.0)

    def _gathered(self) -> list[Picture]:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until and not self._stop.is_set():
            with self._lock:
                if self._wanted is not None and len(self._wanted) >= PICTURES:
                    return self._wanted
            time.sleep(0.1)
        with self._lock:
            if self._wanted and len(self._wanted) >= LEAST_PICTURES:
                return self._wanted
        raise UnusableInput(NO_PICTURES)


def expected_error_mm(calibration: Calibration) -> tuple[float, float]:
    """One sigma per axis of a place, over the table: median and worst."""
    table = calibration.table
    places = [
        calibration.sigma_mm(float(x), float(y))
        for x in np.linspace(-table.half_width_mm, table.half_width_mm, 9)
        for y in np.linspace(0.0, table.length_mm, 17)
    ]
    return float(np.median(places)), float(max(places))


def turned(calibration: Calibration) -> Calibration:
    """The same camera with the other end as baulk: x becomes -x, y becomes length - y.

    For a picture in which no baulk marks were seen; the table keeps its nominal ones.
    """
    camera, table = calibration.camera, calibration.table
    old = rotation_matrix(camera.rotation)
    half_turn = np.diag((-1.0, -1.0, 1.0))
    shift = old @ np.array((0.0, table.length_mm, 0.0)) + np.array(camera.translation_mm)
    x, y, z = (float(v) for v in shift)
    moved = replace(camera, rotation=rotation_vector(old @ half_turn), translation_mm=(x, y, z))
    other = calibration.with_sigmas(SigmaModel.turned)
    notes = (*calibration.notes, "turned by a person: the other end is baulk")
    return replace(other, camera=moved, baulk_certainty=1.0, notes=notes)


def settled_end(calibration: Calibration) -> Calibration:
    """The calibration that a person kept who saw it drawn and was asked for its end."""
    return replace(calibration, baulk_certainty=1.0)


def _found_json(found: Found) -> dict[str, Any]:
    calibration = found.calibration
    return {
        "residual_px": round(calibration.residual_px, 2),
        "typical_mm": round(found.typical_mm, 1),
        "worst_mm": round(found.worst_mm, 1),
        "poor": found.worst_mm > POOR_MM,
        "seconds": round(found.seconds, 1),
        "notes": list(calibration.notes),
        "marks": calibration.table.mark_set,
        "baulk_certain": calibration.baulk_certainty >= CERTAIN,
    }


def _small(picture: Picture) -> U8:
    """(h, w, 3) BGR, from the halved planes where the picture is large: converting all of it takes too
    long.
    """
    level = 0
    while picture.width_px >> (level + 1) >= SHOWN_PX * 2 // 3:
        level += 1
    y, u, v = picture.level(level)
    return _narrowed(Picture(y, u, v, picture.standard, picture.full_range).bgr())


def _drawn(picture: Picture, calibration: Calibration) -> U8:
    camera = calibration.camera
    if (picture.width_px, picture.height_px) != (camera.width_px, camera.height_px):
        return _small(picture)
    return _narrowed(draw_calibration(picture.bgr(), calibration))


def _narrowed(bgr: U8) -> U8:
    if bgr.shape[1] <= SHOWN_PX:
        return bgr
    size = (SHOWN_PX, round(bgr.shape[0] * SHOWN_PX / bgr.shape[1]))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(bgr: U8) -> bytes:
    done, data = cv2.imencode(".jpg", _narrowed(bgr), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise unusable_input("errors.one_that_can_be_written_as_jpeg")
    return bytes(data)
