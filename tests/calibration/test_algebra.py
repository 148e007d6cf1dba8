"""Linear algebra in one thread: set for a block, set back behind it."""

from __future__ import annotations

import pytest

from calibration import algebra


def counts() -> set[int]:
    return {get() for get, _ in algebra._libraries()}


def test_a_block_computes_in_one_thread_and_leaves_the_number_as_it_was() -> None:
    if not counts():
        pytest.skip("numpy and scipy compute with other libraries than OpenBLAS")
    before = algebra.set_threads(2)
    try:
        with algebra.one_thread():
            assert counts() == {1}
        assert counts() == {2}
    finally:
        for (_, put), count in zip(algebra._libraries(), before, strict=True):
            put(count)


def test_other_libraries_than_openblas_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algebra, "_libraries", lambda: ())
    assert algebra.set_threads(1) == ()
    with algebra.one_thread():
        pass
