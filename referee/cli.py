"""The `cueref` command: registers the subcommands and turns errors into exit statuses.

Every module of `referee.commands` has `register(app)`; they are all imported when the command line
starts, so they import heavy libraries (OpenCV, PyAV, onnxruntime, shapely) only inside their functions.
Exit status 0 done, 1 a finding, 2 unusable input (one clear sentence), 130 after Ctrl-C.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import cache
from typing import NoReturn

import typer

from calibration.errors import UnusableInput
from referee import commands

app = typer.Typer(
    name="cueref",
    help="Watch a cue table from an overhead camera, track every ball in millimetres, referee.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


STOPPED = 130
"""Exit status after Ctrl-C."""


def _stopped() -> NoReturn:
    print("cueref: stopped; the same command goes on where it can", file=sys.stderr)
    sys.exit(STOPPED)


@app.callback()
def _root() -> None:
    """Watch a cue table from an overhead camera, track every ball in millimetres, referee."""


def _without_secrets(words: str) -> str:
    """No command prints the user and password of an address, also of one that was given where a file
    belongs.
    """
    from vision.capture.address import shown

    return shown(words)


@cache
def _register_commands() -> None:
    """Every command, once a process."""
    for module in sorted(pkgutil.iter_modules(commands.__path__), key=lambda m: m.name):
        importlib.import_module(f"referee.commands.{module.name}").register(app)


def main(argv: list[str] | None = None) -> None:
    """Entry point; never returns (raises SystemExit with the documented status)."""
    _register_commands()
    try:
        status = app(args=argv, standalone_mode=False)
    except UnusableInput as error:
        print(f"cueref: {_without_secrets(str(error))}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        _stopped()
    except Exception as error:
        # a usage error, whose class typer does not export: it can show itself and knows its status
        show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
        if not callable(show) or not isinstance(code, int):
            raise
        words = getattr(error, "message", None)
        if isinstance(words, str):
            error.message = _without_secrets(words)  # type: ignore[attr-defined]  # typer's usage errors have one
        show()
        sys.exit(code)
    if status == STOPPED:  # what typer's own handling of Ctrl-C returns
        _stopped()
    sys.exit(status if isinstance(status, int) else 0)
