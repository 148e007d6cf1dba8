"""The sample's calibration as an earlier review found it, for tests that need not look for the table."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from referee.review.pipeline import calibration_found

SAMPLE_OF_0D1D15D = Path(__file__).resolve().parents[1] / "golden" / "0d1d15d" / "sample"


def known_table(file: Path) -> Path:
    """Write it to a file; the golden journal is opened as a copy."""
    with tempfile.TemporaryDirectory() as folder:
        calibration = calibration_found(Path(shutil.copytree(SAMPLE_OF_0D1D15D, Path(folder) / "sample")))
    assert calibration is not None
    calibration.save(file)
    return file
