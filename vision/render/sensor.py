"""From linear light to the numbers of a cheap camera's file: lens, exposure, colour, noise, compression."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Sensor:
    """One camera's processing. `blur_px`: lens blur (standard deviation); `halo`: sharpening strength;
    `chroma`: colour resolution divisor (1 or 2); `quality`: JPEG quality, 0 for none; `reduction`: steps of
    0..1 that noise reduction smooths away."""

    gain: float = 1.0
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    saturation: float = 1.1
    gamma: float = 2.2
    contrast: float = 0.0
    lift: float = 0.0
    blur_px: float = 0.6
    halo: float = 0.2
    noise: float = 0.01
    read_noise: float = 0.004
    chroma: int = 2
    quality: int = 80
    hue_deg: float = 0.0
    reduction: float = 0.0


def random_sensor(rng: Rng) -> Sensor:
    """A camera's processing from good to poor."""
    tint = rng.normal(0, 0.06, 3)
    return Sensor(
        gain=float(np.exp(rng.normal(0.0, 0.33))),
        balance=(float(1 + tint[0]), float(1 + 0.4 * tint[1]), float(1 + tint[2])),
        saturation=float(rng.uniform(0.75, 1.75)),
        gamma=float(rng.uniform(1.8, 2.6)),
        contrast=float(rng.uniform(-0.15, 0.6)),
        lift=float(max(0.0, rng.normal(0, 0.03))),
        blur_px=float(rng.uniform(0.3, 1.1)),
        halo=float(rng.uniform(0.1, 1.0)) if rng.random() < 0.5 else 0.0,
        noise=float(10 ** rng.uniform(-2.8, -1.3)),
        read_noise=float(10 ** rng.uniform(-3.2, -1.9)),
        chroma=int(rng.choice([1, 2, 2])),
        quality=(0, int(rng.integers(25, 95)), int(rng.integers(55, 95)))[int(rng.integers(0, 3))],
        hue_deg=float(rng.normal(0, 3)),
    )


def cheap(sensor: Sensor, rng: Rng) -> Sensor:
    """The same camera behind strong noise reduction, sharpening and a low bit rate."""
    return replace(
        sensor,
        noise=float(10 ** rng.uniform(-2.0, -1.2)),
        halo=float(rng.uniform(0.3, 1.2)),
        chroma=2,
        quality=int(rng.integers(12, 45)),
        reduction=float(rng.choice([0.0, rng.uniform(0.02, 0.12)])),
    )


def develop(linear: F32, sensor: Sensor, rng: Rng, vignette: F32 | None = None) -> U8:
    """An 8-bit RGB picture (H, W, 3) from linear light."""
    x = linear * np.asarray(sensor.balance, np.float32) * np.float32(sensor.gain)
    if vignette is not None:
        x = x * vignette[..., None]
    x = np.maximum(x, 0)
    if sensor.blur_px > 0:
        # a highlight saturates the sensor after the lens has spread it, but glare is limited here
        x = cv2.GaussianBlur(np.minimum(x, 6.0), (0, 0), sensor.blur_px)
    noise = np.sqrt(np.float32(sensor.noise) ** 2 * np.maximum(x, 0) + np.float32(sensor.read_noise) ** 2)
    x = x + noise * rng.standard_normal(x.shape, dtype=np.float32)
    x = np.clip(x, 0, 1) ** np.float32(1 / sensor.gamma)
    x = _tone(np.asarray(x, np.float32), sensor)
    if sensor.reduction > 0:
        x = np.asarray(cv2.bilateralFilter(x, 5, sensor.reduction, 2.0), np.float32)
    if sensor.halo > 0:
        soft = cv2.GaussianBlur(x, (0, 0), 1.2)
        x = x + np.float32(sensor.halo) * (x - soft)
    out = np.asarray(np.clip(x * 255 + 0.5, 0, 255), np.uint8)
    return _compress(out, sensor)


def _tone(x: F32, sensor: Sensor) -> F32:
    """Saturation and hue about the grey axis, then an S curve and a lifted black."""
    grey = x @ np.asarray([0.299, 0.587, 0.114], np.float32)
    c = x - grey[..., None]
    if sensor.hue_deg:
        a = np.deg2rad(sensor.hue_deg)
        u = np.full(3, 1 / np.sqrt(3))
        cross = np.asarray([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        turn = np.cos(a) * np.eye(3) + np.sin(a) * cross + (1 - np.cos(a)) * np.outer(u, u)
        c = c @ turn.T.astype(np.float32)
    x = np.clip(grey[..., None] + np.float32(sensor.saturation) * c, 0, 1)
    curve = x * x * (3 - 2 * x)
    x = x + np.float32(sensor.contrast) * (curve - x)
    return np.asarray(sensor.lift + (1 - sensor.lift) * x, np.float32)


def _compress(rgb: U8, sensor: Sensor) -> U8:
    if sensor.chroma > 1 and sensor.quality == 0:
        ycc = cv2.cvtColor(rgb, cv2.COLOR_RGB2YCrCb)
        h, w = rgb.shape[:2]
        small = cv2.resize(ycc[..., 1:], ((w + 1) // 2, (h + 1) // 2), interpolation=cv2.INTER_AREA)
        ycc[..., 1:] = cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)
        rgb = np.asarray(cv2.cvtColor(ycc, cv2.COLOR_YCrCb2RGB), np.uint8)
    if sensor.quality:
        sampling = 0x221111 if sensor.chroma > 1 else 0x111111  # JPEG sampling factors 4:2:0 and 4:4:4
        options = [cv2.IMWRITE_JPEG_QUALITY, sensor.quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling]
        packed = cv2.imencode(".jpg", np.ascontiguousarray(rgb[..., ::-1]), options)[1]
        rgb = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]
    return np.ascontiguousarray(rgb)
