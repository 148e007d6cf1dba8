"""Clicks in a recording's sound: balls that meet, the tip on the cue-ball, whatever else is short and sharp.

A click of two balls rises within a millisecond and is loudest between 2 and 8 kHz, above most of speech.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfilt

from vision.io.images import open_container

F64 = NDArray[np.float64]
RATE_HZ, BAND_HZ = 16_000, (2_000.0, 7_500.0)
STEP_S = 0.001
"""Loudness is told in steps of this."""
OVER_DB = 12.0
"""A click is so much louder than anything in the 40 ms before it, but the last 3. In three end views contacts
are by 16 to 37, and fifteen real recordings of 5 to 40 s have eight clicks at most.
"""
BEFORE_STEPS, RISE_STEPS, APART_STEPS = 40, 3, 20
BLOCK_S = 20.0
GAP_S = 0.02
"""Sound that comes so far off its time has a gap before it; less is what a resampler holds back."""


def clicks(path: Path) -> tuple[float, ...]:
    """Times of all clicks in a recording, on the images' clock (s); empty without sound, or with sound that
    cannot be decoded. Raises UnusableInput for a file that is no video.
    """
    found: list[float] = []
    for begins_s, loudness_db in _loudness(path):
        found += [begins_s + k * STEP_S for k in _sharp(loudness_db)]
    return tuple(sorted({round(t_s, 3) for t_s in found}))


def _loudness(path: Path) -> Iterator[tuple[float, F64]]:
    """The beginning of each block of sound, and its loudness in the band, dB a step; blocks overlap by what a
    click needs before and after it.
    """
    keep = (BEFORE_STEPS + APART_STEPS) * int(STEP_S * RATE_HZ)
    begins_s, held, n = -math.inf, list[F64](), 0
    for t_s, samples in chain(_samples(path), [(math.inf, np.zeros(0))]):
        gap = abs(begins_s + n / RATE_HZ - t_s) > GAP_S
        if gap or n > BLOCK_S * RATE_HZ:
            block = np.concatenate([*held, np.zeros(0)])
            if n > keep:
                yield begins_s, _in_band(block)
            begins_s, held = (t_s, []) if gap else (begins_s + (n - keep) / RATE_HZ, [block[-keep:]])
            n = sum(map(len, held))
        held.append(samples)
        n += len(samples)


def _samples(path: Path) -> Iterator[tuple[float, F64]]:
    """Pieces of sound at `RATE_HZ`, each with its time on the images' clock; what is damaged is left out."""
    container, video = open_container(path)
    with container:
        if not container.streams.audio:
            return
        sound = container.streams.audio[0]
        zero_s = float((video.start_time or 0) * video.time_base)
        resampler = av.AudioResampler(format="fltp", layout="mono", rate=RATE_HZ)
        for packet in container.demux(sound):
            for frame in _decoded(packet):
                if frame.pts is not None:
                    t_s = float(frame.pts * frame.time_base) - zero_s
                    pieces = [p.to_ndarray().ravel() for p in resampler.resample(frame)]
                    if pieces:
                        yield t_s, np.concatenate(pieces).astype(np.float64)


def _decoded(packet: Any) -> list[Any]:
    try:
        return list(packet.decode())
    except av.FFmpegError:
        return []


def _in_band(samples: F64) -> F64:
    """Loudness of the band a step, dB."""
    band = butter(4, BAND_HZ, "bandpass", fs=RATE_HZ, output="sos")
    power = np.asarray(sosfilt(band, samples)) ** 2
    step = int(STEP_S * RATE_HZ)
    steps = power[: len(power) // step * step].reshape(-1, step).mean(axis=1)
    return np.asarray(10.0 * np.log10(steps + 1e-12))


def _sharp(loudness_db: F64) -> list[int]:
    """Steps that rise by `OVER_DB` over those before, and by more than any about them."""
    n = len(loudness_db)
    if n <= BEFORE_STEPS + APART_STEPS:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(loudness_db, BEFORE_STEPS - RISE_STEPS)
    rise = loudness_db[BEFORE_STEPS:] - windows.max(axis=1)[: n - BEFORE_STEPS]
    sharp = np.flatnonzero(rise[:-APART_STEPS] >= OVER_DB)
    most = [k for k in sharp if rise[k] == rise[max(k - APART_STEPS, 0) : k + APART_STEPS + 1].max()]
    return [int(k) + BEFORE_STEPS for k in most]
