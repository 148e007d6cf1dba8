"""What a killed run left is gone on with by the code that wrote it, and by no other."""

from __future__ import annotations

from referee.checkpoint import Checkpoint, pack, unpack

UNDER_WAY = Checkpoint(120, 4.8, 300, None, None, None)
OVER = Checkpoint(-1, 0.0, 0, None, None, None)


def test_a_checkpoint_comes_back_as_it_was() -> None:
    assert unpack(pack(UNDER_WAY)) == UNDER_WAY


def test_a_checkpoint_of_other_code_is_none_unless_the_run_was_over() -> None:
    # objects of another version may lack what this one's code asks of them
    other = bytes(32)
    assert unpack(other + pack(UNDER_WAY)[32:]) is None
    assert unpack(other + pack(OVER)[32:]) == OVER


def test_bytes_that_are_no_checkpoint_are_none() -> None:
    assert unpack(b"") is None and unpack(pack(UNDER_WAY)[:40]) is None
