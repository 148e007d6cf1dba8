"""Mutations of inputs: bytes anywhere, and the values of JSON documents, which bytes alone seldom reach."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    -(2**63),
    10**400,
    0.5,
    -0.0,
    1e308,
    -1e-308,
    float("nan"),
    float("inf"),
    "",
    "A",
    "red",
    "red_1",
    "white",
    "\x00",
    "\u202eabc",
    "\ud800",
    "<script>",
    "x" * 5000,
    "../../../etc/passwd",
    [],
    {},
    [[]],
    [0] * 50,
    [None],
    {"a": {}},
)
"""Values that programs stumble over."""


def mutated(data: bytes, rng: random.Random, most: int = 1 << 20) -> bytes:
    """The input with a few changes; a JSON document stays one half of the time."""
    if rng.random() < 0.5:
        changed = _json(data, rng)
        if changed is not None:
            return changed[:most]
    return _bytes(data, rng)[:most]


def _bytes(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(5)
        if kind == 0 and out:
            out[at % len(out)] ^= 1 << rng.randrange(8)
        elif kind == 1 and out:
            out[at % len(out)] = rng.choice((0, 1, 127, 128, 255, 10, 34, rng.randrange(256)))
        elif kind == 2:
            del out[at : at + rng.choice((1, 2, 8, 64, 1000))]
        elif kind == 3:
            out[at:at] = rng.choice((b"\x00" * 8, b"\xff" * 4, b"9" * 30, b"[" * 50, b"\n", b'"', b"1e999"))
        else:
            size = rng.choice((1, 4, 32, 200))
            other = rng.randrange(len(out) + 1)
            out[at:at] = out[other : other + size]
    return bytes(out)


def _json(data: bytes, rng: random.Random) -> bytes | None:
    """One value of a JSON document, or of one line of a JSON-lines file, in place of which stands another."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    for text, around in ((data, None), (lines[at], at)):
        try:
            document = json.loads(text)
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                document = _changed(document, rng)
            made = json.dumps(document).encode("utf-8", "surrogatepass")
        except (ValueError, ArithmeticError, RecursionError):
            continue
        return made if around is None else b"\n".join([*lines[:around], made, *lines[around + 1 :]])
    return None


def _changed(document: Any, rng: random.Random) -> Any:
    places = list(_places(document))
    if not places:
        return copy.deepcopy(rng.choice(ODD))
    holder, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif kind == 2:
        other, name = rng.choice(places)
        holder[key] = other[name] if not _inside(holder, other[name]) else None
    elif kind == 3 and isinstance(holder[key], (int, float)) and not isinstance(holder[key], bool):
        holder[key] = rng.choice((-holder[key], holder[key] * 1000, holder[key] + 0.5, holder[key] + 1))
    else:
        holder[key] = copy.deepcopy(rng.choice(ODD))  # a later change must not grow the list itself
    return document


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)


def _inside(holder: Any, value: Any) -> bool:
    """Whether a value holds its own holder: a document must not become a circle."""
    if value is holder:
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_inside(holder, v) for v in inner)
