"""Snapshots: every graph of data comes back as it was, and no file makes the reader run code."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections import deque
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import Camera
from referee.journal.snapshot import SnapshotError, dump, load
from tracker import Tracker
from tracker.ball import BallState

CAMERA = Camera(1280, 720, "radial", 900.0, 639.5, 359.5, (0.0,), (2.2, 2.2, 0.0), (-1784.5, 0.0, 2800.0))

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
keys = st.integers() | st.text() | st.tuples(st.integers(), st.text())
data = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner) | st.sets(keys),
    max_leaves=20,
)


@given(data)
def test_plain_data_comes_back_as_it_was(value: object) -> None:
    assert load(dump(value)) == value


def test_an_object_referred_to_twice_comes_back_once() -> None:
    shared = [1.5]
    first, second, waiting = load(dump((shared, {"again": shared}, deque([shared], maxlen=3))))
    assert first is second["again"] is waiting[0] and waiting.maxlen == 3


def test_a_list_that_holds_itself_comes_back() -> None:
    around: list[Any] = []
    around.append(around)
    back = load(dump(around))
    assert back[0] is back


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "bool", "int64"])
def test_arrays_keep_dtype_shape_and_bytes(dtype: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    back = load(dump({"a": array, "last": array[2, 3]}))
    assert back["a"].dtype == array.dtype and np.array_equal(back["a"], array)
    assert type(back["last"]) is type(array[2, 3]) and back["last"] == array[2, 3]


def test_instances_and_enum_members_of_the_project_come_back() -> None:
    camera, state = load(dump((CAMERA, BallState.REST)))
    assert camera == CAMERA and state in BallState


def test_arrays_of_objects_and_foreign_classes_are_refused() -> None:
    with pytest.raises(ValueError):
        dump(np.array([object()], dtype=object))
    with pytest.raises(TypeError, match="pathlib"):
        dump(Path())
    with pytest.raises(TypeError):
        dump(Tracker.feed)


def forged(objects: list[Any]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("objects.json", json.dumps({"schema": 1, "root": [0], "objects": objects}))
    return out.getvalue()


@pytest.mark.parametrize(
    "objects",
    [
        [["object", "pathlib", "Path", {}]],
        [["object", "os", "system", {}]],
        [["object", "referee.journal.snapshot", "json", {}]],
        [["object", "calibration.camera", "Camera", {"width_px": "1"}]],
        [["object", "calibration.camera", "Nothing", {}]],
        [["enum", "tracker.ball", "BallState", "NO_SUCH"]],
        [["tuple", [[0]]]],
        [["array", 0]],
        [["unheard_of", 0]],
        [],
    ],
)
def test_a_forged_table_is_refused(objects: list[Any]) -> None:
    with pytest.raises(SnapshotError):
        load(forged(objects))


@given(st.integers(0, 2000), st.integers(1, 255))
def test_a_flipped_byte_is_data_or_refused_and_nothing_else(place: int, flip: int) -> None:
    whole = bytearray(dump({"camera": CAMERA, "array": np.arange(5.0)}))
    whole[place % len(whole)] ^= flip
    with contextlib.suppress(SnapshotError):
        load(bytes(whole))
