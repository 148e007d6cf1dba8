"""What is shown of an address: never a secret, and at once however long the text is."""

from __future__ import annotations

import time

import pytest

from vision.capture.address import shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no picture from rtsp://club:p%40ss@10.0.0.7/live", "no picture from rtsp://***@10.0.0.7/live"),
        ("rtsp://club:a b/c@d@10.0.0.7/live", "rtsp://***@10.0.0.7/live"),
        (f"{'y' * 50}http://club:secret@cam", f"{'y' * 50}http://***@cam"),
        ("club:secret@10.0.0.7/live", "***@10.0.0.7/live"),
        ("http://cam/live?user_password=a1&channel=2", "http://cam/live?user_password=***&channel=2"),
        ("http://cam/live?access_token=a1", "http://cam/live?access_token=***"),
        (f"http://cam/?token_{'n' * 80}=a1", f"http://cam/?token_{'n' * 80}=***"),
        ("?password=ab_channel_token=cd", "?password=***_channel_token=***"),
        (f"a{'1' * 40}://club:secret@cam", f"a{'1' * 40}://***@cam"),
        ("table.json was not found", "table.json was not found"),
    ],
)
def test_secrets_are_not_shown(text: str, told: str) -> None:
    assert shown(text) == told


@pytest.mark.parametrize("part", ["n", "a/", "a:b", "pas", "token-", "http:/"])
def test_a_long_name_is_looked_through_at_once(part: str) -> None:
    began = time.process_time()
    shown(part * (20_000 // len(part)))
    assert time.process_time() - began < 5.0
