"""The bundled sample's first stroke as a clip of its own, with its exact calibration, for the tests of the
engine.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import av

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import TableSpec

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "samples" / "club_four_strokes.mp4"


def sample_calibration(file: Path) -> Path:
    """The camera and table that the sample was rendered with."""
    known = json.loads(SAMPLE.with_suffix(".json").read_text())
    camera = Camera(**{k: tuple(v) if isinstance(v, list) else v for k, v in known["camera"].items()})
    table = TableSpec(**known["table"])
    Calibration(camera, table, 0.1, 0.2, SigmaModel((0.04, 0.0, 0.0, 0.0, 0.0, 0.0), 0.1)).save(file)
    return file


def first_seconds(file: Path, seconds: float) -> Path:
    """The sample's first seconds, its packets as they are."""
    with av.open(str(SAMPLE)) as source, av.open(str(file), "w") as target:
        stream = source.streams.video[0]
        out = target.add_stream_from_template(stream)
        for packet in source.demux(stream):
            if packet.pts is None or packet.pts * Fraction(packet.time_base) > seconds:
                continue
            packet.stream = out
            target.mux(packet)
    return file
