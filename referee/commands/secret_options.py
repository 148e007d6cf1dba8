"""Secrets that a command needs: an address with a password comes from a file or the environment.

Every user of a machine reads the arguments of its processes (`ps`); a file of mode 0600 and the environment
of a process are read by its user alone.
"""

from __future__ import annotations

from pathlib import Path

import typer

from calibration.texts import sentence, unusable_input
from vision.capture.source import shown

CAMERA_VARIABLE = "CUEREF_CAMERA"
"""The environment's name for a camera's address."""
_MOST_CHARACTERS = 4096
"""Longer than any address of a camera; a file that holds more is not one."""


def camera_address(given: str) -> str:
    """The address of a camera; `@FILE` stands for the one line of a file.

    Raises UnusableInput for a file that holds no single line, OSError for one that cannot be read.
    """
    if not given.startswith("@"):
        return given
    file = Path(given[1:])
    with file.open(encoding="utf-8", errors="replace") as opened:
        lines = opened.read(_MOST_CHARACTERS + 1).split()
    if len(lines) != 1 or len(lines[0]) > _MOST_CHARACTERS:
        raise unusable_input("errors.file_with_an_address", file=file)
    return lines[0]


def warn_of_visible_secrets(context: typer.Context) -> None:
    """Say on standard error that a password or token was given as an argument, which others can read."""
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is None or source.name != "COMMANDLINE":
            continue
        value = context.params.get(name)
        values = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
        if any(isinstance(v, str) and (name == "token" or shown(v) != v) for v in values):
            typer.echo(sentence("terminal.visible_secret", name=parameter.opts[0]), err=True)
