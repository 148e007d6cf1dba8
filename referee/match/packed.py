"""A list whose older elements lie compressed in memory, so that the record of an evening takes little room.

A plain list was measured: a stroke as seen and judged takes about 40 KB of Python objects (44 balls and
eight hands' moves), packed about a tenth. An evening of 650 strokes would add 26 MB to a live table of 300
MB. Only the newest elements are looked at while a match goes on. The journal holds the same record, but its
disk may be full.

Packed values are data (`referee.journal.snapshot`), as in a checkpoint: nothing is pickled, here or anywhere.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, MutableSequence
from typing import Any, TypeVar, overload

from referee.journal import snapshot

T = TypeVar("T")

_BLOCK = 64
_NEWEST = 128
_LEVEL = 6  # 1 takes 60 % more room and saves a thirtieth of the time


class PackedList(MutableSequence[T]):
    """A list of immutable values of this project whose older part is compressed. Not for several threads.

    Indices are whole numbers, no slices. A value read from the older part is equal to the one that was put
    in, but another object.
    """

    def __init__(self, values: Iterable[T] = (), newest: int = _NEWEST) -> None:
        """`newest`: at least so many are kept as they are."""
        self._newest = newest
        self._blocks: list[bytes] = []  # of _BLOCK elements each
        self._tail: list[T] = []
        self._at = -1  # the block that is unpacked in `_open`
        self._open: list[T] = []
        self._changed = False
        self.extend(values)

    def __len__(self) -> int:
        return len(self._blocks) * _BLOCK + len(self._tail)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[T]: ...
    def __getitem__(self, index: Any) -> Any:
        part, k = self._find(index)
        return part[k]

    @overload
    def __setitem__(self, index: int, value: T) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[T]) -> None: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        part, k = self._find(index)
        part[k] = value
        self._changed = self._changed or part is self._open

    def __delitem__(self, index: int | slice) -> None:
        at = self._whole(index)
        self._unpack_from(at // _BLOCK)
        del self._tail[at - len(self._blocks) * _BLOCK]
        self._pack()

    def insert(self, index: int, value: T) -> None:
        """Before `index`; at the end where that is the length."""
        at = min(max(index + len(self) if index < 0 else index, 0), len(self))
        if at < len(self._blocks) * _BLOCK:
            self._unpack_from(at // _BLOCK)
        self._tail.insert(at - len(self._blocks) * _BLOCK, value)
        self._pack()

    def _whole(self, index: int | slice) -> int:
        if not isinstance(index, int):
            raise TypeError(f"expected a whole number as index, found {index!r}")
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"expected an index below {len(self)}, found {index}")
        return at

    def _find(self, index: int | slice) -> tuple[list[T], int]:
        """The list in memory that has an element, and where in it."""
        at = self._whole(index)
        block, k = divmod(at, _BLOCK)
        if block >= len(self._blocks):
            return self._tail, at - len(self._blocks) * _BLOCK
        if block != self._at:
            self._close()
            self._at, self._open = block, _unpacked(self._blocks[block])
        return self._open, k

    def _close(self) -> None:
        """Put the unpacked block back where it was changed."""
        if self._changed:
            self._blocks[self._at] = _packed(self._open)
        self._at, self._open, self._changed = -1, [], False

    def _unpack_from(self, block: int) -> None:
        self._close()
        self._tail = [v for data in self._blocks[block:] for v in _unpacked(data)] + self._tail
        del self._blocks[block:]

    def _pack(self) -> None:
        while len(self._tail) >= self._newest + _BLOCK:
            self._blocks.append(_packed(self._tail[:_BLOCK]))
            del self._tail[:_BLOCK]


def _packed(values: list[Any]) -> bytes:
    return zlib.compress(snapshot.dump(values), _LEVEL)


def _unpacked(data: bytes) -> list[Any]:
    found: list[Any] = snapshot.load(zlib.decompress(data), checked=False)
    return found
