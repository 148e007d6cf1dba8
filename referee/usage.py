"""Help pages and wrong options in the language of the terminal, with no line that is cut.

English is typer's own. For another language a page is made as always, and its frame's words are replaced.
"""

from __future__ import annotations

import io
import re
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from calibration.texts import ENGLISH, load_texts, phrase, spoken

_WHOLE = 1000
"""Letters of a subcommand's first sentence in the list of them: all of it, over several lines."""
_CHECKED_BY = "Value error, "  # what the library that checks a choice puts before the words for people


class _Command(TyperCommand):
    def get_help(self, ctx: Any) -> str:
        return framed(super().get_help(ctx))


class _Group(TyperGroup):
    def get_help(self, ctx: Any) -> str:
        return framed(super().get_help(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [(n, c.get_short_help_str(_WHOLE)) for n, c in commands.items() if c is not None]
            )


def with_framed_help(app: typer.Typer) -> typer.Typer:
    """The application, its help in the language of this process."""
    app.info.cls = _Group
    for command in app.registered_commands:
        command.cls = _Command
    for group in app.registered_groups:
        group.cls = _Group
        if group.typer_instance is not None:
            with_framed_help(group.typer_instance)
    return app


def usage_error_text(error: Any) -> str:
    """What typer says of a wrong option or argument, in the language of this process."""
    written = io.StringIO()
    error.show(written)
    said = written.getvalue().rstrip().replace(_CHECKED_BY, "")
    if spoken().language == ENGLISH:
        return said
    *before, last = said.split("\n")
    kind, _, words = last.partition(" ")
    end = words[-1:] if words.endswith((".", "?")) else ""
    return framed("\n".join([*before, f"{kind} {phrase(words.removesuffix(end), spoken())}{end}"]))


def framed(page: str) -> str:
    """A page of typer's with the words of its frame in the language of this process."""
    if spoken().language == ENGLISH:
        return page
    for name, english in load_texts(ENGLISH).sections["usage"].items():
        pattern = r"(\s+)".join(map(re.escape, english.split()))
        page = re.sub(pattern, partial(_broken, spoken().say(f"usage.{name}").split()), page)
    return page


def _broken(words: list[str], english: re.Match[str]) -> str:
    """Words with the line breaks of the English ones between them, spaces where there are too few."""
    gaps = english.groups()[: len(words) - 1]
    return "".join(chain.from_iterable(zip_longest(words, gaps, fillvalue=" "))).rstrip()
