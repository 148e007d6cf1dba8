"""The published document: its schema is what the types say, and it holds what a scoreboard needs."""

from __future__ import annotations

import jsonschema_rs
import pytest
from live_script import STATE

from referee.live.engine.state import document, event
from referee.live.feeds.schema import published, schema


def test_the_published_schema_is_the_one_of_the_types() -> None:
    assert published() == schema()


def test_a_state_is_an_event_of_the_schema_and_a_damaged_one_is_not() -> None:
    check = jsonschema_rs.validator_for(published())
    good = document(event(7, 470.0, "2026-11-21T20:00:00+00:00", "Table 3", STATE))
    check.validate(good)
    for path, value in (("status", "fine"), ("score", [1]), ("balls", None), ("version", "1")):
        body = {**good["body"], path: value}
        assert not check.is_valid({**good, "body": body}), path


@pytest.mark.parametrize("key", ["seq", "t_s", "utc", "table", "body", "type", "version"])
def test_an_event_without_one_of_its_keys_breaks_the_schema(key: str) -> None:
    good = document(event(7, 470.0, "2026-11-21T20:00:00+00:00", "Table 3", STATE))
    without = {k: v for k, v in good.items() if k != key}
    assert not jsonschema_rs.validator_for(published()).is_valid(without)
