"""The `cueref` command: registers the subcommands and turns errors into exit statuses.

Exit status 0 done, 1 a finding, 2 unusable input (one clear sentence), 130 after Ctrl-C.
"""

from __future__ import annotations

import importlib
import sys

import typer

from calibration.errors import UnusableInput

COMMANDS: tuple[str, ...] = ()
"""Modules in `referee.commands`, each with `register(app)`; imported when the command line starts, so
they import heavy libraries only inside their functions."""

app = typer.Typer(
    name="cueref",
    help="Watch a cue table from an overhead camera, track every ball in millimetres, referee.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _root() -> None:
    """Watch a cue table from an overhead camera, track every ball in millimetres, referee."""


def main(argv: list[str] | None = None) -> None:
    """Entry point; never returns (raises SystemExit with the documented status)."""
    for name in COMMANDS:
        importlib.import_module(f"referee.commands.{name}").register(app)
    try:
        app(args=argv, standalone_mode=True)
    except UnusableInput as error:
        print(f"cueref: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("cueref: stopped", file=sys.stderr)
        sys.exit(130)
