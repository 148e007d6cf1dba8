"""`cueref users`: who may do what on the pages, from the machine itself."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibration.errors import UnusableInput
from calibration.texts import sentence
from referee.console.serving import need_packages

if TYPE_CHECKING:
    from referee.access.access import Access

users = typer.Typer(
    help="Manage who may do what on the pages: accounts, passwords, links that log in once.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--access",
        envvar="CUEREF_ACCESS",
        metavar="FILE",
        help="The file of accounts; default: this user's, or the service's.",
    ),
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME")]


class AccountRole(StrEnum):
    SPECTATOR = "spectator"
    REFEREE = "referee"
    OWNER = "owner"


def register(app: typer.Typer) -> None:
    """Add `cueref users` to the command line."""
    app.add_typer(users, name="users", epilog="Example: cueref users add Ann --role referee")


@users.command("list", epilog="Example: cueref users list")
def list_command(access: FileOption = None) -> None:
    """List everyone with an account: role, name, browsers logged in."""
    opened = _opened(access)
    for a in opened.accounts.all():
        place = f" (tablet at {a.table})" if a.table is not None else ""
        typer.echo(f"{a.role.name.lower():9} {a.name}{place}, {opened.sessions.count(a.id)} logged in")


@users.command("add", epilog="Example: cueref users add Ann --role owner")
def add(
    name: NameArgument,
    role: Annotated[AccountRole, typer.Option(help="What they may do.")] = AccountRole.REFEREE,
    access: FileOption = None,
) -> None:
    """Add a person. The password is asked for, twice; it is on no command line."""
    from referee.access.roles import Role

    opened = _opened(access)
    opened.accounts.add(name, Role[role.upper()], _asked())
    typer.echo(f"{name} may log in as {role.value}")


@users.command("password", epilog="Example: cueref users password Ann")
def password(name: NameArgument, access: FileOption = None) -> None:
    """Set a person's password; all their sessions end."""
    opened = _opened(access)
    opened.accounts.set_password(_number(opened, name), _asked())
    typer.echo(f"{name} has a new password and was logged out")


@users.command("link", epilog="Example: cueref users link")
def link(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Default: the owner.")] = None,
    access: FileOption = None,
) -> None:
    """Print the end of an address that logs in once, within the hour: the way in when all else is lost."""
    opened = _opened(access)
    code = opened.sessions.link(None if name is None else _number(opened, name))
    typer.echo(f"/login#code={code}")
    typer.echo("open it behind the address of the pages, such as http://127.0.0.1:8765", err=True)


@users.command("logout", epilog="Example: cueref users logout Ann")
def logout(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Default: who came by token.")] = None,
    access: FileOption = None,
) -> None:
    """End every session of a person; without a name, of everyone who came by the server's token."""
    opened = _opened(access)
    opened.sessions.end_all(None if name is None else _number(opened, name))


@users.command("remove", epilog="Example: cueref users remove Ann")
def remove(name: NameArgument, access: FileOption = None) -> None:
    """Remove an account; its sessions end. What was changed stays signed."""
    opened = _opened(access)
    opened.accounts.remove(_number(opened, name))
    typer.echo(f"{name} is removed")


def _opened(path: Path | None) -> Access:
    need_packages("users")
    from referee.access.access import Access
    from referee.access.store import AccessStore, usual_path

    return Access(AccessStore(path or usual_path()))


def _number(opened: Access, name: str) -> int:
    found = opened.accounts.find(name)
    if found is None:
        raise UnusableInput(sentence("errors.somebody_with_an_account", name=repr(name)))
    return found.id


def _asked() -> str:
    return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
