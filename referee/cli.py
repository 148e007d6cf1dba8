"""The `cueref` command: finds the subcommand, imports its module alone, turns errors into exit statuses.

Exit status 0 done, 1 a finding, 2 unusable input (one clear sentence), 130 after Ctrl-C.
"""

from __future__ import annotations

import errno
import importlib
import os
import sqlite3
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from calibration.errors import UnusableInput
from calibration.texts import language_of_terminal, sentence, speak
from referee import __version__
from referee.commands.examples import examples
from referee.usage import usage_error_text, with_framed_help
from vision.capture.address import shown

COMMANDS = (
    "backup",
    "batch",
    "bench",
    "calibrate",
    "cases",
    "certify",
    "club",
    "delete",
    "demo",
    "doctor",
    "explain",
    "export",
    "install-service",
    "judge",
    "layout",
    "library",
    "live",
    "rack",
    "restore",
    "restore-backup",
    "review",
    "serve",
    "setup",
    "soak",
    "spots",
    "synth",
    "tables",
    "train",
    "users",
    "verify",
)
"""The subcommands. `referee.commands.NAME` has a function or a group of that name, and `EXAMPLES`.
It is imported only when it is called, so it may import OpenCV, PyAV and onnxruntime at its top.
"""

PRIVATE = ("batch", "demo", "library", "live", "review", "serve", "setup", "soak", "tables", "users")
"""Commands that keep people's matches: what they write, their user alone can read. What an export writes is
meant for others and has the permissions that the user's umask gives.
"""

STOPPED = 130
"""Exit status after Ctrl-C."""

_OF_THE_SYSTEM = {
    getattr(errno, name)
    for name in [
        "EACCES",
        "EDQUOT",
        "EEXIST",
        "EFBIG",
        "EIO",
        "EISDIR",
        "ELOOP",
        "EMFILE",
        "ENAMETOOLONG",
        "ENOENT",
        "ENOSPC",
        "ENOTDIR",
        "ENXIO",
        "EPERM",
        "EROFS",
    ]
    if hasattr(errno, name)
}
"""What a disk, a name or a permission can be at fault for; any other OSError is a mistake of ours."""


def command_line(arguments: Sequence[str]) -> typer.Typer:
    """The application with the subcommand that `arguments` call; the others only have their summary."""
    app = typer.Typer(
        name="cueref",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(help=sentence("help.cueref_is"))(_root)
    called = _called(arguments)
    for name in COMMANDS:
        if name == called:
            add_command(app, name)
        else:
            app.command(name, help=summary_of(name))(_not_called)
    return with_framed_help(app)


def add_command(app: typer.Typer, name: str) -> None:
    """Import a subcommand's module and add its command or group to the application."""
    module = importlib.import_module(f"referee.commands.{module_of(name)}")
    command, epilog = getattr(module, module_of(name)), examples(*module.EXAMPLES)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name, epilog=epilog)
    else:
        told = sentence(f"help.{module_of(name)}_is", **getattr(module, "HELP_VALUES", {}))
        app.command(name, help=told, epilog=epilog)(command)


def summary_of(name: str) -> str:
    """A subcommand as `cueref --help` lists it."""
    return sentence(f"commands.{name}")


def _called(arguments: Sequence[str]) -> str | None:
    """The subcommand among the arguments."""
    return next((a for a in arguments if not a.startswith("-")), None)


def module_of(name: str) -> str:
    """The module in `referee.commands` of a subcommand."""
    return name.replace("-", "_")


def main(arguments: list[str] | None = None) -> None:
    """Entry point; never returns (raises SystemExit with the documented status)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    speak(language_of_terminal())
    before = os.umask(0o077)
    os.umask(before | 0o077 if _called(arguments) in PRIVATE else before)
    try:
        _run(arguments)
    finally:
        os.umask(before)


def _run(arguments: list[str]) -> NoReturn:
    try:
        status = command_line(arguments)(args=arguments, standalone_mode=False)
    except UnusableInput as error:
        _refuse(str(error))
    except (KeyboardInterrupt, typer.Abort):
        _stopped()
    except sqlite3.OperationalError as error:
        _refuse(sentence("errors.room_for_a_journal", error=error))
    except sqlite3.DatabaseError as error:
        _refuse(sentence("errors.journal_as_written", error=error))
    except OSError as error:
        if error.errno not in _OF_THE_SYSTEM:
            raise
        where = f"{error.filename}: " if error.filename else ""
        _refuse(sentence("errors.file_or_folder_that_can_be_used", where=where, reason=error.strerror))
    except Exception as error:
        _usage_error(error)
    if status == STOPPED:  # what typer's own handling of Ctrl-C returns
        _stopped()
    sys.exit(status if isinstance(status, int) else 0)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cueref {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help=sentence("help.version"))
    ] = False,
) -> None:
    """Watch a cue table from an overhead camera, track every ball in millimetres, referee."""


def _not_called() -> None:
    raise AssertionError("a subcommand that is called is registered by its own module")


def _refuse(words: str) -> NoReturn:
    """Exit with the status of unusable input; addresses are shown without passwords."""
    print(f"cueref: {shown(words)}", file=sys.stderr)
    sys.exit(2)


def _stopped() -> NoReturn:
    print(f"cueref: {sentence('terminal.stopped')}", file=sys.stderr)
    sys.exit(STOPPED)


def _usage_error(error: Exception) -> NoReturn:
    """Show a wrong option, without passwords, and exit with its status; raises every other error again.

    Typer does not export the class: a usage error can show itself and knows its status.
    """
    code = getattr(error, "exit_code", None)
    if not callable(getattr(error, "show", None)) or not isinstance(code, int):
        raise error
    print(shown(usage_error_text(error)), file=sys.stderr)
    sys.exit(code)
