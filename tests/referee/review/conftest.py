"""What tests of reviews share."""

from __future__ import annotations

import pytest
from known_table import known_table

from calibration.table.specs import SNOOKER_TABLE
from referee.review.pipeline import ReviewOptions


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> ReviewOptions:
    """Of a review of the sample that need not look for its table."""
    return ReviewOptions(
        SNOOKER_TABLE, calibration=known_table(tmp_path_factory.mktemp("known") / "table.json")
    )
