"""`replace` for the rules' records: what `dataclasses.replace` does, quicker.

Most of a ruling's time goes into states that differ from the one before in a few of thirty fields, and most
of that into finding the fields anew and into a call with thirty keywords. Here the fields are found once for
each class, and the constructor is called by position where it can be.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

Record = TypeVar("Record")


class _Constructor(NamedTuple):
    """How a class is built again: each field's place among the values that `values` reads off a record."""

    places: dict[str, int]
    values: Callable[[Any], tuple[Any, ...]]
    by_position: bool


def _replace(record: Record, /, **changes: Any) -> Record:
    """A copy of a dataclass's instance with some fields changed, equal to what `dataclasses.replace` makes.

    The class's own constructor is called, so `__post_init__` runs and may refuse the new values. Whatever is
    not plain (unknown fields, fields with `init=False`, `InitVar`s, no dataclass at all) is handed to
    `dataclasses.replace`: its results and its errors are the ones that come.
    """
    kind: Callable[..., Record] = type(record)
    constructor = _constructor(kind)
    if constructor is None:
        return _thorough(record, changes)
    places, read, by_position = constructor
    values = list(read(record))
    for name, value in changes.items():
        if name not in places:
            return _thorough(record, changes)
        values[places[name]] = value
    return kind(*values) if by_position else kind(**dict(zip(places, values, strict=True)))


@cache
def _constructor(kind: type) -> _Constructor | None:
    """How the class is built; None unless its constructor takes its fields, all of them and nothing else."""
    if not dataclasses.is_dataclass(kind):
        return None
    parameters = signature(kind).parameters
    fields = {field.name for field in dataclasses.fields(kind)}
    if parameters.keys() != fields or len(fields) < 2:  # `attrgetter` makes no tuple of one
        return None
    by_position = all(p.kind is Parameter.POSITIONAL_OR_KEYWORD for p in parameters.values())
    places = {name: place for place, name in enumerate(parameters)}
    return _Constructor(places, attrgetter(*parameters), by_position)


def _thorough(record: Record, changes: dict[str, Any]) -> Record:
    instance: Any = record  # whatever it is: what is no dataclass is refused there
    copy: Record = dataclasses.replace(instance, **changes)
    return copy


if TYPE_CHECKING:  # by this name mypy knows which fields a record has, and of which types
    from dataclasses import replace as replace
else:
    replace = _replace
