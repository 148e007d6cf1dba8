"""Rendered training data in files of a few hundred seeds each: made side by side, kept and used again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.texts import unusable_input

_PART = ".part.npz"

Render = Callable[[int, int], dict[str, NDArray[np.generic]]]
"""(first seed, count) -> the arrays of a shard. A function of a module, so that other processes find it."""
Share = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[tuple[Any, Any]]]
"""(work, plans) -> each plan with its result, as they come. Who works, and on which machines, is the
caller's.
"""
Sharing = Callable[[], AbstractContextManager[Share]]
"""Opens a `Share` for as long as something is rendered."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of `count` seeds from `first` on. `path` is absolute: another process writes it."""

    path: Path
    first: int
    count: int
    render: Render


def one_after_another(work: Callable[[Any], Any], plans: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """A `Share` of this process alone."""
    return ((plan, work(plan)) for plan in plans)


def alone() -> AbstractContextManager[Share]:
    """A `Sharing` of this process alone."""
    return nullcontext(one_after_another)


def make_shards(
    folder: Path,
    stem: str,
    first_seed: int,
    count: int,
    size: int,
    render: Render,
    share: Share = one_after_another,
) -> None:
    """Write `STEM_SEED.npz` for every `size` seeds from `first_seed`; files that exist are kept.

    Raises UnusableInput where a worker wrote a file that is not seen here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plans = [
        Shard(
            folder.resolve() / f"{stem}_{first_seed + k:07d}.npz",
            first_seed + k,
            min(size, count - k),
            render,
        )
        for k in range(0, count, size)
    ]
    for plan, _ in share(_make, [p for p in plans if not p.path.exists()]):
        if not plan.path.exists():
            raise unusable_input("errors.what_a_worker_wrote", path=plan.path)


def shards(folder: Path, stem: str) -> list[Path]:
    """The whole shards of a folder, in the order of their seeds."""
    return [p for p in sorted(folder.glob(f"{stem}_*.npz")) if not p.name.endswith(_PART)]


def loaded(folder: Path, stem: str, *names: str) -> list[NDArray[Any]]:
    """These arrays of all shards of a folder, each in one, in the order of their seeds."""
    parts: list[list[NDArray[Any]]] = []
    for path in shards(folder, stem):
        with np.load(path) as z:
            parts.append([z[name] for name in names])
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _make(plan: Shard) -> None:
    """Write one shard, whole or not at all; two that write the same one write the same bytes."""
    part = plan.path.with_suffix(f".{os.uname().nodename}-{os.getpid()}{_PART}")
    try:
        np.savez(part, **plan.render(plan.first, plan.count))  # type: ignore[arg-type]  # numpy takes its own options by name as well
        part.replace(plan.path)
    except OSError as error:
        raise unusable_input(
            "errors.folder_that_a_worker_can_write", path=part, strerror=error.strerror
        ) from None
    finally:
        part.unlink(missing_ok=True)
