"""A command whose options are the fields of a dataclass, for commands with many of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

import typer

T = TypeVar("T")
R = TypeVar("R")


def taking(options: type[T]) -> Callable[[Callable[[typer.Context, T], R]], Callable[..., R]]:
    """Let typer fill a dataclass: each field, annotated as typer wants it, is an argument or option.

    One without a default must be given.
    """

    def decorated(command: Callable[[typer.Context, T], R]) -> Callable[..., R]:
        def called(context: typer.Context, **given: Any) -> R:
            return command(context, options(**given))

        hints = get_type_hints(options, include_extras=True)
        own = options.__annotations__  # shown before those of its base class
        first = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        parameters = [first] + [
            inspect.Parameter(
                f.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if f.default is MISSING else f.default,
                annotation=hints[f.name],
            )
            for f in sorted(fields(options), key=lambda f: f.name not in own)  # type: ignore[arg-type]  # a dataclass
        ]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
        called.__annotations__ = {p.name: p.annotation for p in parameters}
        called.__doc__, called.__name__ = command.__doc__, command.__name__
        return called

    return decorated
