"""Nothing about a table leaves the machine by itself: the libraries that we load report to nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_onnxruntime_sends_no_telemetry(tmp_path: Path) -> None:
    """Its own builds keep a device's name and events for Microsoft under HOME, unless told not to before
    loading.
    """
    env = {k: v for k, v in os.environ.items() if k not in ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")}
    code = "from vision.detect.detector import Detector; Detector()"
    subprocess.run([sys.executable, "-c", code], env=env | {"HOME": str(tmp_path)}, check=True, timeout=120)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
