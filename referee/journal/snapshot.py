"""A graph of objects as data and back: how the state of a stopped run is kept without pickle.

`dump` writes the arrays as `.npy` members of a zip archive and everything else as one JSON table, in which an
object that is referred to twice stands once. `load` builds only classes of this project whose modules are
loaded already, calls none of their code, and reads arrays without objects: a file made by a stranger can give
wrong values, never run code.
"""

from __future__ import annotations

import dataclasses
import io
import json
import sys
import types
import typing
import zipfile
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

SCHEMA = 1
"""Version of the layout below; a reader refuses any other."""

_TABLE = "objects.json"
_PACKAGES = ("calibration.", "vision.", "tracker.", "referee.")
_SCALARS = (float, int, bool, str)
_PLAIN = frozenset((*_SCALARS, type(None)))
_set = object.__setattr__  # of frozen instances too


Fits = Callable[[Any], bool]


class SnapshotError(ValueError):
    """The bytes are no snapshot that this version can read."""


def dump(root: object) -> bytes:
    """The objects that hang together with `root`, as bytes.

    Scalars, bytes, lists, tuples, dicts, sets, deques, arrays, enum members and instances of this
    project's classes are kept. Raises TypeError for anything else.
    """
    writer = _Writer()
    first = writer.value(root)
    table = {"schema": SCHEMA, "root": first, "objects": writer.objects}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(_TABLE, "w") as member:  # without the time of day: the same state, the same bytes
            member.write(json.dumps(table, separators=(",", ":")).encode())
        for number, array in enumerate(writer.arrays):
            with archive.open(f"{number}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return out.getvalue()


def load(data: bytes, checked: bool = True) -> Any:
    """The object that `dump` wrote. Raises SnapshotError for bytes that are not a snapshot of this schema.

    `checked` False: of bytes that never left the process; fields are not compared with their types.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise SnapshotError("expected members as they are, got compressed ones")
            table = json.loads(archive.read(_TABLE))
            if table["schema"] != SCHEMA:
                raise SnapshotError(f"expected schema {SCHEMA}, got {table['schema']!r}")
            reader = _Reader(table["objects"], archive)
            root = reader.value(table["root"])
            for made in (
                reader.made if checked else ()
            ):  # at the end: an object may be referred to before it is whole
                _check(made)
            return root
    except SnapshotError:
        raise
    except Exception as error:  # a damaged archive, table or array raises anything
        raise SnapshotError(f"expected a snapshot, got {type(error).__name__}: {error}") from error


class _Writer:
    """Numbers objects as they are met; `objects[n]` is `[kind, ...]` with references in place of values."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []  # an id stays taken as long as its object lives

    def value(self, value: object) -> Any:
        """A scalar as it is, anything else as a reference `[number]`."""
        if value is None or type(value) in _SCALARS:
            return value
        number = self._numbers.get(id(value))
        if number is None:
            number = len(self.objects)
            self._numbers[id(value)] = number
            self._kept.append(value)
            self.objects.append(None)
            self.objects[number] = self._described(value)
        return [number]

    def _described(self, value: object) -> list[Any]:
        if isinstance(value, np.ndarray):
            self.arrays.append(value)
            return ["array", len(self.arrays) - 1]
        if isinstance(value, np.generic):
            self.arrays.append(np.asarray(value))
            return ["scalar", len(self.arrays) - 1]
        if isinstance(value, bytes):
            self.arrays.append(np.frombuffer(value, dtype=np.uint8))
            return ["bytes", len(self.arrays) - 1]
        if isinstance(value, Enum):
            return ["enum", *_name(type(value)), value.name]
        kind = type(value)
        if kind is dict:
            return ["dict", [[self.value(k), self.value(v)] for k, v in value.items()]]  # type: ignore[attr-defined]
        if kind is deque:
            return ["deque", value.maxlen, [self.value(v) for v in value]]  # type: ignore[attr-defined]
        if kind in _SEQUENCES.values():
            return [kind.__name__, [self.value(v) for v in value]]  # type: ignore[attr-defined]
        if not kind.__module__.startswith(_PACKAGES):
            raise TypeError(
                f"a snapshot holds data of this project, got {kind.__module__}.{kind.__qualname__}"
            )
        told = attributes(value).items()
        return ["object", *_name(kind), {k: v if type(v) in _PLAIN else self.value(v) for k, v in told}]


class _Reader:
    """Builds the objects of a table; each once, however often it is referred to."""

    def __init__(self, objects: list[Any], archive: zipfile.ZipFile) -> None:
        self._objects, self._archive = objects, archive
        self.made: list[Any] = []
        self._built: dict[int, Any] = {}
        self._begun: set[int] = set()
        self._classes: dict[tuple[str, str], Any] = {}

    def value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        (number,) = value
        if number not in self._built:
            if number in self._begun:
                raise SnapshotError("expected values that can be built in order, got a circle of tuples")
            self._begun.add(number)
            self._built[number] = self._build(number, self._objects[number])
        return self._built[number]

    def _build(self, number: int, described: list[Any]) -> Any:
        kind, *rest = described
        if kind in ("array", "scalar", "bytes"):
            with self._archive.open(f"{rest[0]}.npy") as member:
                array = np.lib.format.read_array(member, allow_pickle=False)
            return array if kind == "array" else array.tobytes() if kind == "bytes" else array[()]
        if kind == "enum":
            return _class(rest[0], rest[1], Enum)[rest[2]]
        if kind == "object":
            return self._object(number, *rest)
        if kind in ("tuple", "set", "frozenset"):
            return _SEQUENCES[kind](self.value(v) for v in rest[0])
        return self._filled(number, kind, rest)

    def _filled(self, number: int, kind: str, rest: list[Any]) -> Any:
        """A container that others may refer to before it is full."""
        if kind == "dict":
            made: Any = self._built.setdefault(number, {})
            made.update((self.value(k), self.value(v)) for k, v in rest[0])
            return made
        made = self._built.setdefault(
            number, deque(maxlen=rest[0]) if kind == "deque" else _SEQUENCES[kind]()
        )
        made.extend(self.value(v) for v in rest[-1])
        return made

    def _object(self, number: int, module: str, name: str, attributes: dict[str, Any]) -> Any:
        cls = self._classes.get((module, name))
        if cls is None:
            cls = self._classes[module, name] = _class(module, name, object)
        made = self._built.setdefault(number, object.__new__(cls))
        for key, value in attributes.items():  # most are scalars: they cost no call
            _set(made, key, self.value(value) if type(value) is list else value)
        self.made.append(made)
        return made


_SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def _name(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def _class(module: str, name: str, base: type) -> Any:
    """A class of this project by its name; modules are never imported for the sake of a file."""
    found = getattr(sys.modules.get(module), name, None) if module.startswith(_PACKAGES) else None
    if not isinstance(found, type) or not issubclass(found, base) or found.__module__ != module:
        raise SnapshotError(f"expected a class of this project, got {module}.{name}")
    return found


def attributes(value: Any) -> dict[str, Any]:
    """What an instance carries, from its slots and its `__dict__`."""
    cls: Any = type(value)
    found = {s: getattr(value, s) for s in _slots(cls) if hasattr(value, s)}
    return found | dict(getattr(value, "__dict__", {}))


@cache
def _slots(cls: Any) -> tuple[str, ...]:
    """The slots of a class and of all that it inherits from."""
    declared = (vars(c).get("__slots__", ()) for c in cls.__mro__)
    names = (n for given in declared for n in ((given,) if isinstance(given, str) else tuple(given)))
    return tuple(n for n in names if n not in ("__dict__", "__weakref__"))


@cache
def _hints(cls: Any) -> dict[str, tuple[Any, Fits]]:
    """The fields of a dataclass with their types and what checks them; {} for any other class."""
    if not dataclasses.is_dataclass(cls):
        return {}
    known = typing.get_type_hints(cls)
    return {f.name: (known[f.name], _checker(known[f.name])) for f in dataclasses.fields(cls)}


def _check(made: Any) -> None:
    """Every field of a dataclass is there and has the type of its hint."""
    cls: Any = type(made)
    for name, (hint, fitting) in _hints(cls).items():
        try:
            value = getattr(made, name)
        except AttributeError:
            raise SnapshotError(f"expected {cls.__name__}.{name}, got no such field") from None
        if not fitting(value):
            raise SnapshotError(f"expected {cls.__name__}.{name} as {hint}, got {value!r:.80}")


def is_checked(value: object) -> bool:
    """Whether `load` has compared the value's fields with their hints, or there are none to compare."""
    cls = type(value)
    return not cls.__module__.startswith(_PACKAGES) or dataclasses.is_dataclass(cls) or issubclass(cls, Enum)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type hint; elements of containers count. Hints unknown here fit anything."""
    return _checker(hint)(value)


def _anything(value: Any) -> bool:
    return True


@cache
def _checker(hint: Any) -> Fits:
    """What says whether a value is of a type hint. Made once: a record of an evening has 10^6 fields."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return _any_of(tuple(_checker(a) for a in args))
    if origin is typing.Literal:
        return lambda value: value in args
    if origin is None:
        wanted = (hint, int) if hint is float else hint
        known = hint is not Any and isinstance(hint, type)
        return (lambda value: isinstance(value, wanted)) if known else _anything
    return _container(origin, args) if isinstance(origin, type) else _anything


def _any_of(checks: tuple[Fits, ...]) -> Fits:
    if len(checks) == 2:  # most are optional values
        first, second = checks
        return lambda value: first(value) or second(value)
    return lambda value: any(check(value) for check in checks)


def _container(origin: Any, args: tuple[Any, ...]) -> Fits:
    checks = tuple(_checker(a) for a in args)
    if issubclass(origin, tuple) and (len(args) != 2 or args[1] is not Ellipsis):
        return lambda value: (
            isinstance(value, origin)
            and len(value) == len(checks)
            and all(check(v) for check, v in zip(checks, value, strict=True))
        )
    if issubclass(origin, dict):
        key, inner = checks
        return lambda value: isinstance(value, origin) and all(key(k) and inner(v) for k, v in value.items())
    if origin in (*_SEQUENCES.values(), deque):
        of = checks[0]
        return lambda value: isinstance(value, origin) and all(map(of, value))
    return lambda value: isinstance(value, origin)
