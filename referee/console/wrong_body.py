"""A request of the wrong shape in one sentence: the field, what was expected, what kind of thing was found.

What was found is named by its kind alone: it may be a password, or a value that JSON does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.texts import Sentence, sentence

_EXPECTED = {
    "missing": "field",
    "extra_forbidden": "no_field",
    "bool": "bool",
    "int": "whole",
    "float": "number",
    "finite_number": "number",
    "string": "text",
    "list": "list",
    "tuple": "list",
    "model": "object",
    "dict": "object",
    "union_tag_not_found": "type",
}
"""Kinds of errors of pydantic, or what their names begin with, and the words for what was expected."""
_LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length")


def what_is_wrong(errors: Sequence[Mapping[str, Any]]) -> Sentence:
    """The first error that a body, or what stands in an address, has; how many others, where there are."""
    said = _said(errors[0])
    return said if len(errors) < 2 else sentence("web.wrong_and_more", said=said, n=len(errors) - 1)


def _said(error: Mapping[str, Any]) -> Sentence:
    where, context = error["loc"][1:], error.get("ctx") or {}
    if error["type"] == "json_invalid":
        return sentence("web.wrong_json", position=where[0] if where else 0)
    name: object = ".".join(str(part) for part in where) or sentence("web.wrong_whole")
    own = context.get("error")
    if isinstance(own, ValueError) and own.args and isinstance(own.args[0], Sentence):
        return sentence("web.wrong", where=name, expected=own.args[0], found=_found(error["input"]))
    expected = _expected(error["type"], context)
    if error["type"] in ("missing", "extra_forbidden"):
        return sentence("web.wrong_field", where=name, expected=expected)
    return sentence("web.wrong", where=name, expected=expected, found=_found(error["input"]))


def _expected(kind: str, context: Mapping[str, Any]) -> Sentence:
    limit = next((k for k in _LIMITS if k in context), None)
    if limit is not None:
        return sentence(f"web.expected_{limit}", limit=context[limit])
    among = context.get("expected") or context.get("expected_tags")
    if among is not None:
        return sentence("web.expected_among", known=str(among).replace("'", "").replace(" or ", ", "))
    words = _EXPECTED.get(kind) or _EXPECTED.get(kind.partition("_")[0], "other")
    return sentence(f"web.expected_{words}")


def _found(value: object) -> Sentence:
    kinds: tuple[tuple[str, type | tuple[type, ...]], ...] = (
        ("bool", bool),
        ("number", (int, float)),
        ("text", str),
        ("list", (list, tuple)),
        ("object", dict),
    )
    return sentence(f"web.found_{next((name for name, of in kinds if isinstance(value, of)), 'nothing')}")
