"""The footage beside the project; nothing of it is copied here. Files apart, so that two workers share
them.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from calibration.table.specs import small_table
from referee.review.pipeline import ReviewOptions, review

FOOTAGE = Path(__file__).resolve().parents[2].parent / "shared" / "footage"
SMALL = small_table(1881, 943, 52.3)
needs_footage = pytest.mark.skipif(not FOOTAGE.is_dir(), reason="no footage beside the project")


def reviewed(video: Path, out: Path, options: ReviewOptions) -> dict[str, Any]:
    review(video, out, options)
    return dict(json.loads((out / "match.json").read_text()))
