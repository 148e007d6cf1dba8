"""The packed list is a list: whatever is done to it, it holds what a plain list would hold."""

from __future__ import annotations

import ast
import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from referee.match.packed import PackedList

Ball = tuple[str, tuple[float, float]]


def _ball(rng: np.random.Generator) -> Ball:
    x, y = (float(v) for v in rng.uniform(0, 3569, 2))
    return "red_1", (x, y)


def test_does_what_a_list_does() -> None:
    rng = np.random.default_rng(3)
    plain: list[Ball] = [_ball(rng) for _ in range(300)]
    packed = PackedList(plain, newest=20)
    for _ in range(600):
        k = int(rng.integers(-len(plain), len(plain)))
        act = rng.integers(0, 6)
        if act == 0:
            plain.append(_ball(rng))
            packed.append(plain[-1])
        elif act == 1:
            plain[k] = _ball(rng)
            packed[k] = plain[k]
        elif act == 2:
            ball = _ball(rng)
            plain.insert(k, ball)
            packed.insert(k, ball)
        elif act == 3:
            del plain[k], packed[k]
        assert packed[k % len(plain)] == plain[k % len(plain)]
        assert packed[-1] == plain[-1]
    assert list(packed) == plain
    assert len(packed) == len(plain)


def test_an_index_beyond_the_end_is_refused() -> None:
    packed = PackedList([1, 2, 3], newest=0)
    with pytest.raises(IndexError):
        packed[3]
    with pytest.raises(IndexError):
        packed[-4]


def test_old_elements_take_little_room() -> None:
    """What it is for. A stroke's layouts repeat names and nearly repeat places; random places are the worst
    case: a random number is 17 digits of text, which no packing gets below 7 of its 24 bytes.
    """
    rng = np.random.default_rng(4)

    def grown(values: list[tuple[Ball, ...]] | PackedList[tuple[Ball, ...]]) -> int:
        tracemalloc.start()
        for _ in range(640):
            values.append(tuple(_ball(rng) for _ in range(22)))
        gc.collect()  # what is held counts, not what the last packing left to be collected
        size = int(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        return size

    plain = grown([])
    assert grown(PackedList(newest=0)) < plain / 5


def test_nothing_in_the_programs_can_unpickle() -> None:
    """A pickle runs what its author wrote. numpy has its own, which is not asked."""
    root = Path(__file__).resolve().parents[3]
    forbidden = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}
    for package in ("calibration", "vision", "tracker", "referee", "cueref"):
        for file in (root / package).rglob("*.py"):
            text = file.read_text("utf-8")
            if not any(word in text for word in (*forbidden, "allow_pickle", "np.load", "torch.load")):
                continue  # to parse them all takes seconds
            for node in ast.walk(ast.parse(text)):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not forbidden & {n.partition(".")[0] for n in names}, file
                if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                    assert isinstance(node.value, ast.Constant) and node.value.value is False, file
                if isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.load", "torch.load"):
                    given = {k.arg: ast.unparse(k.value) for k in node.keywords}
                    safe = given.get("allow_pickle") == "False" or given.get("weights_only") == "True"
                    assert safe or ast.unparse(node.func) == "np.load", file  # numpy's default refuses
