"""Clicks in a recording's sound, on the images' clock."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.errors import UnusableInput
from vision.io.sound import clicks

RATE_HZ, LENGTH_S = 44_100, 4.0
CLICKS_S = (0.5, 1.25, 1.31, 3.0)


def with_sound(path: Path, sound: NDArray[np.float64] | None, late_s: float = 0.0) -> Path:
    """A video of still pictures with that sound (mono), which begins `late_s` after the images."""
    with av.open(str(path), "w") as out:
        video = out.add_stream("mpeg4", rate=25)
        video.width, video.height = 160, 96
        audio = None if sound is None else out.add_stream("aac", rate=RATE_HZ, layout="mono")
        for k in range(int(LENGTH_S * 25)):
            frame = av.VideoFrame.from_ndarray(np.full((96, 160, 3), 60 + k % 2, np.uint8), format="bgr24")
            frame.pts = k
            out.mux(video.encode(frame))
        out.mux(video.encode(None))
        if audio is not None and sound is not None:
            for k in range(0, len(sound), 1024):
                part = sound[k : k + 1024].astype(np.float32)[None]
                piece = av.AudioFrame.from_ndarray(part, format="fltp", layout="mono")
                piece.sample_rate, piece.pts = RATE_HZ, k + int(late_s * RATE_HZ)
                out.mux(audio.encode(piece))
            out.mux(audio.encode(None))
    return path


def room(level: float = 0.003) -> NDArray[np.float64]:
    """A murmur, and a hum as of a fridge."""
    rng = np.random.default_rng(5)
    t = np.arange(int(LENGTH_S * RATE_HZ)) / RATE_HZ
    return np.asarray(level * rng.normal(size=len(t)) + 0.2 * np.sin(2 * np.pi * 120.0 * t))


def clicked(sound: NDArray[np.float64], at_s: tuple[float, ...] = CLICKS_S) -> NDArray[np.float64]:
    """With balls that meet: 5 kHz that dies away within milliseconds."""
    u = np.arange(int(0.02 * RATE_HZ)) / RATE_HZ
    ball = 0.5 * np.exp(-u / 0.002) * np.sin(2 * np.pi * 5000.0 * u)
    out = sound.copy()
    for t_s in at_s:
        k = int(t_s * RATE_HZ)
        out[k : k + len(ball)] += ball
    return out


def test_balls_that_meet_are_heard_when_they_do(tmp_path: Path) -> None:
    found = clicks(with_sound(tmp_path / "a.mp4", clicked(room())))
    assert found == pytest.approx(CLICKS_S, abs=0.004)


def test_sound_that_begins_later_than_the_images_keeps_its_time(tmp_path: Path) -> None:
    found = clicks(with_sound(tmp_path / "a.mkv", clicked(room()), late_s=0.3))
    assert found == pytest.approx([t + 0.3 for t in CLICKS_S], abs=0.004)


def test_a_voice_that_swells_is_no_click(tmp_path: Path) -> None:
    t = np.arange(int(LENGTH_S * RATE_HZ)) / RATE_HZ
    voice = 0.3 * np.sin(np.pi * t / LENGTH_S) ** 2 * np.sin(2 * np.pi * 3000.0 * t)
    assert clicks(with_sound(tmp_path / "a.mp4", room() + voice)) == ()


def test_a_recording_without_sound_has_none(tmp_path: Path) -> None:
    assert clicks(with_sound(tmp_path / "a.mp4", None)) == ()


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("words")
    with pytest.raises(UnusableInput):
        clicks(tmp_path / "a.mp4")
