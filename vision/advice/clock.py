"""Advice from consecutive images: flicker of the lamps (beat and bands), image rate, lost and repeated
images.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.texts import sentence
from vision.advice.terms import Advice, light_above, light_below, worst
from vision.io.picture import U8, Picture

F64 = npt.NDArray[np.float64]

ROWS, COLUMNS = 48, 32
"""Parts of the picture of which a glance keeps the mean luma."""

FLICKER_GREY = (2.0, 5.0)
"""Change of luma from image to image, peak to peak over all parts, in grey levels (amber, red above). From
5 on the gate takes every image for changed (vision/change.py) and the network runs on the whole table at
every one: ten times the processor time."""

RATE_HZ = (40.0, 20.0)
"""Images a second (amber, red below): `rate_needed_hz` for a break-off of 8 m/s and for strokes of 4 m/s."""

FAULT_SHARE = (0.01, 0.10)
"""Share of images lost or repeated (amber, red above): a stroke lasts about 100 images, so that beyond one
per cent every stroke has a hole; beyond ten the tracker claims no contact times."""

JITTER_SHARE = (0.1, 0.3)
"""Spread of the intervals as a share of one (amber, red above). At 4 m/s and 25 images a second a tenth is
16 mm along the path, a third of a ball, and paths seem to bend."""

RUN_UP_MM = 400.0
"""Distance that a cue-ball commonly runs before its first contact: less than a quarter of the width."""
RUN_UP_IMAGES = 2
"""Images that give a straight path its direction."""

_LEAST_IMAGES = 12
_MAINS_HZ = (100.0, 120.0)  # lamps brighten twice in each period of the mains
_SMALL_WIDTH = 240  # at least: whole pixels are averaged, which is several times cheaper
_MOVED_GREY, _STILL_GREY = 24, 6  # change of luma where something rolls; what compression changes
_ABOUT = 3  # images within which motion must show on both sides of a repeated one


def rate_needed_hz(speed_mm_s: float) -> float:
    """Images a second that show a ball of this speed (mm/s) twice within `RUN_UP_MM`."""
    return RUN_UP_IMAGES * speed_mm_s / RUN_UP_MM


@dataclass(frozen=True, slots=True)
class Glance:
    """Summary of one image.

    `parts`: mean luma of `ROWS` x `COLUMNS` parts as float32 bytes. `change_grey`: difference from the image
    before at the few most changed places, grey levels; 0 is the same picture.
    """

    t_s: float
    parts: bytes
    change_grey: int

    def luma(self) -> npt.NDArray[np.float32]:
        """The parts as an array (ROWS, COLUMNS)."""
        return np.frombuffer(self.parts, np.float32).reshape(ROWS, COLUMNS)


class Glances:
    """Makes glances of the images of one camera, in order."""

    def __init__(self) -> None:
        self._before: U8 | None = None

    def feed(self, picture: Picture, t_s: float) -> Glance:
        """The glance of an image; about 1 ms of processor time at 1080p."""
        n = max(1, picture.width_px // _SMALL_WIDTH)
        width, height = picture.width_px // n, picture.height_px // n
        small = cv2.resize(
            picture.y[: height * n, : width * n], (width, height), interpolation=cv2.INTER_AREA
        )
        parts = cv2.resize(small.astype(np.float32), (COLUMNS, ROWS), interpolation=cv2.INTER_AREA)
        change = 255
        if self._before is not None and self._before.shape == small.shape:
            count = np.bincount(cv2.absdiff(small, self._before).ravel(), minlength=256)
            # the fourth largest difference, so that single pixels count only if nothing else has changed
            change = int(np.flatnonzero(count[::-1].cumsum() >= 4)[0])
            change = 255 - change or int(count[1:].any())
        self._before = np.asarray(small, np.uint8)
        return Glance(t_s, np.ascontiguousarray(parts).tobytes(), change)


@dataclass(frozen=True, slots=True)
class Flicker:
    """Peak-to-peak change of luma in grey levels, of the whole picture and of bands across it.

    `beat_hz`: frequency of the whole picture's change, None without one. `bands`: number of bands in a
    picture.
    """

    whole_grey: float
    bands_grey: float
    beat_hz: float | None
    bands: float


def measure_flicker(glances: Sequence[Glance], mask: npt.NDArray[np.bool_] | None = None) -> Flicker | None:
    """Flicker in a second or more of images; None with fewer than twelve different ones.

    `mask` (ROWS, COLUMNS): parts that count.
    """
    kept = [g for g in glances if g.change_grey > 0]
    if len(kept) < _LEAST_IMAGES:
        return None
    luma = np.stack([g.luma() for g in kept]).astype(np.float64)
    if mask is not None and mask.sum() > 40:
        luma[:, ~mask] = np.nan
    rows = np.isfinite(luma[0]).sum(axis=1) >= 4
    luma = luma[:, rows]
    change = luma - np.median(luma, axis=0)
    # the median along each row, of which a player covers less than half
    by_row = np.nanmedian(change, axis=2)
    whole = np.median(by_row, axis=1)
    bands = by_row - whole[:, None]
    # a player changes rows slowly; a lamp's bands change from image to image
    quick = np.diff(bands, axis=0)
    times = np.array([g.t_s for g in kept])
    return Flicker(
        _peak_to_peak(whole),
        _peak_to_peak(quick.ravel() / 2**0.5),
        _beat(times, whole),
        _band_count(quick, luma.shape[1]),
    )


def _peak_to_peak(values: F64) -> float:
    """Peak-to-peak value of a sine with these 5th and 95th percentiles, which outliers do not change."""
    low, high = np.quantile(values, (0.05, 0.95))
    return float(high - low) / 0.988


def _beat(times: F64, whole: F64) -> float | None:
    """Frequency (Hz) of the whole picture's brightness where one dominates, else None."""
    if _peak_to_peak(whole) < 0.4 or np.ptp(times) < 0.8:
        return None
    rate = (len(times) - 1) / float(np.ptp(times))
    tried = np.arange(0.5 / float(np.ptp(times)), rate / 2 + 1e-9, 0.1 / float(np.ptp(times)))
    phase = 2 * np.pi * tried[:, None] * times[None]
    value = whole - whole.mean()
    power = (np.cos(phase) @ value) ** 2 + (np.sin(phase) @ value) ** 2
    best = int(power.argmax())
    share = 2 * power[best] / len(value) / max(float((value**2).sum()), 1e-9)
    return float(tried[best]) if share > 0.4 else None


def _band_count(quick: F64, rows: int) -> float:
    """Periods of the strongest pattern across the rows."""
    if rows < 8 or not np.isfinite(quick).all():
        return 0.0
    spectrum = (np.abs(np.fft.rfft(quick - quick.mean(axis=1, keepdims=True), 4 * rows, axis=1)) ** 2).sum(
        axis=0
    )
    return float(spectrum.argmax()) / 4


def flicker(glances: Sequence[Glance], mask: npt.NDArray[np.bool_] | None = None) -> Advice:
    """Lamps that brighten and darken: seen as a beat of the whole picture, or as bands across it."""
    found, unit = measure_flicker(glances, mask), sentence("advice.unit_grey")
    if found is None:
        return Advice("flicker", "amber", None, unit, sentence("advice.flicker_is_judged_after"))
    value = max(found.whole_grey, found.bands_grey)
    light = light_above(value, *FLICKER_GREY)
    if light == "green":
        text: str = sentence("advice.lamps_are_steady_within_grey", value=f"{value:.1f}")
    else:
        text = _flicker_words(found, _rate(np.array([g.t_s for g in glances])))
    return Advice("flicker", light, round(value, 2), unit, text)


def _flicker_words(found: Flicker, rate_hz: float) -> str:
    """How the lamps flicker, and the remedy."""
    if found.bands_grey >= found.whole_grey:
        seen = sentence(
            "advice.bands_of_grey_levels_run",
            bands_grey=f"{found.bands_grey:.1f}",
            bands=f"{found.bands:.0f}",
        )
    elif found.beat_hz is not None and found.beat_hz > 0.6:
        seen = sentence(
            "advice.picture_brightens_and_darkens",
            whole_grey=f"{found.whole_grey:.1f}",
            beat_hz=f"{found.beat_hz:.1f}",
        )
    else:
        seen = sentence("advice.pictures_brightness_wanders", whole_grey=f"{found.whole_grey:.1f}")
        return sentence("advice.switch_automatic_exposure_off", seen=seen)
    return sentence("advice.with_remedy", what=seen, remedy=_mains_words(found, rate_hz))


def _mains_words(found: Flicker, rate_hz: float) -> str:
    """The mains frequency where the beat determines it, and an exposure time without flicker."""
    likely = [
        m
        for m in _MAINS_HZ
        if found.beat_hz is not None
        and rate_hz > 0
        and abs(abs(m - round(m / rate_hz) * rate_hz) - found.beat_hz) < 0.25
    ]
    mains = sentence("advice.mains", hz=f"{likely[0] / 2:.0f}") if len(likely) == 1 else ""
    times = {100.0: "10 ms", 120.0: "8.3 ms"}
    wanted = times[likely[0]] if len(likely) == 1 else sentence("advice.either_mains")
    return sentence("advice.set_the_cameras_anti_flicker", mains=mains, wanted=wanted)


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock of consecutive images: nominal rate, and rate of images that differ.

    `jitter_share`: spread of the intervals as a share of one. `lost_share`, `repeated_share`: of the images;
    repeated ones among those in which something moves.
    """

    rate_hz: float
    different_hz: float
    jitter_share: float
    lost_share: float
    repeated_share: float
    images: int


def _rate(times: F64) -> float:
    steps = np.diff(times)
    return 1.0 / float(np.median(steps)) if len(steps) and float(np.median(steps)) > 0 else 0.0


def measure_timing(glances: Sequence[Glance]) -> Timing | None:
    """Timing by the timestamps and by repeated images; None with fewer than twelve images."""
    if len(glances) < _LEAST_IMAGES:
        return None
    times = np.array([g.t_s for g in glances])
    steps = np.diff(times)
    rate = _rate(times)
    if rate <= 0:
        return None
    counts = np.maximum(np.round(steps * rate), 1.0)
    lost = float((counts - 1).sum() / counts.sum())
    usual = counts == 1
    jitter = float(np.std(steps[usual]) * rate) if usual.any() else 0.0
    repeated, moving = _repeated(glances)
    share = repeated / max(moving, 1)
    return Timing(rate, rate * (1 - share) * (1 - lost), jitter, lost, share, len(glances))


def _repeated(glances: Sequence[Glance]) -> tuple[int, int]:
    """Number of repeated images, and of all images in which something moves.

    A repeated image hardly differs from the one before, while something rolls just before and after it.
    Nothing on a table stops and starts within three images.
    """
    change = np.array([g.change_grey for g in glances])
    rolls = np.concatenate((np.zeros(_ABOUT, np.bool_), change >= _MOVED_GREY, np.zeros(_ABOUT, np.bool_)))
    n = len(change)
    before = np.any([rolls[_ABOUT - k : _ABOUT - k + n] for k in range(1, _ABOUT + 1)], axis=0)
    after = np.any([rolls[_ABOUT + k : _ABOUT + k + n] for k in range(1, _ABOUT + 1)], axis=0)
    moving = (change >= _MOVED_GREY) | (before & after)
    return int((before & after & (change < _STILL_GREY)).sum()), int(moving.sum())


def image_rate(glances: Sequence[Glance]) -> Advice:
    """Rate, jitter, lost and repeated images, judged by what first contacts need."""
    timing = measure_timing(glances)
    if timing is None:
        text = sentence("advice.image_rate_is_judged_after")
        return Advice("image rate", "amber", None, sentence("advice.unit_images"), text)
    return worst(list(_timing_findings(timing)))


def _timing_findings(timing: Timing) -> Iterator[Advice]:
    """The rate of different images, and each fault of the clock that is too frequent."""
    yield Advice(
        "image rate",
        light_below(round(timing.different_hz, 1), *RATE_HZ),
        round(timing.different_hz, 2),
        sentence("advice.unit_images"),
        _rate_words(timing),
    )
    faults = (
        (timing.lost_share, sentence("advice.lost_give_the_camera_a_cable")),
        (timing.repeated_share, sentence("advice.repeated_set_the_camera_not")),
    )
    for share, words in faults:
        light = light_above(share, *FAULT_SHARE)
        if light != "green":
            text = sentence("advice.images_are", percent=f"{100 * share:.0f}", words=words)
            unit = f"% {words[: words.index(':')]}"
            yield Advice("image rate", light, round(100 * share, 1), unit, text)
    light = light_above(timing.jitter_share, *JITTER_SHARE)
    if light != "green":
        percent = 100 * timing.jitter_share
        text = sentence("advice.intervals_differ_by_record", percent=f"{percent:.0f}")
        yield Advice("image rate", light, round(percent, 1), "% jitter", text)


def _rate_words(timing: Timing) -> str:
    speed = timing.different_hz / rate_needed_hz(1.0) / 1000
    text = sentence(
        "advice.different_images_a_second_show",
        different_hz=f"{timing.different_hz:.1f}",
        speed=f"{speed:.1f}",
    )
    if timing.different_hz < RATE_HZ[0] - 0.05:
        return sentence("advice.choose_or_more_if_the_camera", text=text, rate_hz=f"{RATE_HZ[0]:.0f}")
    return sentence("advice.ended", what=text)
