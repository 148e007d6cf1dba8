"""The JSON Schema of the live stream, generated from `referee.live.engine.state`. The packaged file is
written by:

python -m referee.live.feeds.schema > referee/outputs/schema/live.schema.json
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from importlib import resources
from typing import Any

from referee.live.engine import state

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_BODIES = {
    "state": state.LiveState,
    "ruling": state.LiveRuling,
    "question": state.LiveQuestion,
    "status": state.Condition,
    "frame": state.LiveFrame,
}
_ID = "https://cueref.invalid/schema/live-1.json"  # a name, not an address: `.invalid` resolves nowhere


def schema() -> dict[str, Any]:
    """The schema of one event of the stream (draft 2020-12)."""
    defs: dict[str, Any] = {}
    for cls in _BODIES.values():
        _define(cls, defs)
    events = [_event(kind, cls) for kind, cls in _BODIES.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": _ID,
        "title": "cueref live, version 1: one event of a table's stream",
        "description": (state.__doc__ or "").split("\n\n", 1)[1].strip(),
        "anyOf": events,
        "$defs": defs,
    }


def text() -> str:
    """The schema as the packaged file contains it."""
    return json.dumps(schema(), indent=2) + "\n"


def published() -> dict[str, Any]:
    """The schema that came with the package."""
    found: dict[str, Any] = json.loads(
        resources.files("referee.outputs").joinpath("schema/live.schema.json").read_text("utf-8")
    )
    return found


def _event(kind: str, cls: type) -> dict[str, Any]:
    fields = {
        "version": {"const": state.LIVE_VERSION},
        "type": {"const": kind},
        "seq": {"type": "integer"},
        "t_s": {"type": "number"},
        "utc": {"type": "string"},
        "table": {"type": "string"},
        "body": {"$ref": f"#/$defs/{cls.__name__}"},
    }
    return {"type": "object", "properties": fields, "required": list(fields)}


def _define(cls: type, defs: dict[str, Any]) -> dict[str, Any]:
    """A reference to the dataclass's definition, which is added once."""
    if cls.__name__ not in defs:
        defs[cls.__name__] = {}
        hints = typing.get_type_hints(cls)
        names = [f.name for f in dataclasses.fields(cls)]
        defs[cls.__name__] = {
            "description": " ".join((cls.__doc__ or "").split()),
            "type": "object",
            "properties": {n: _of(hints[n], defs) for n in names},
            "required": names,
        }
    return {"$ref": f"#/$defs/{cls.__name__}"}


def _of(hint: Any, defs: dict[str, Any]) -> dict[str, Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_of(a, defs) for a in args]}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return {"type": "array", "items": _of(args[0], defs)}
        return {"type": "array", "items": _of(args[0], defs), "minItems": len(args), "maxItems": len(args)}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _define(hint, defs)
    return {"type": _SCALARS[hint]}


if __name__ == "__main__":
    print(text(), end="")
