"""`cueref users`: who may do what on the pages, from the machine itself."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibration.texts import sentence, unusable_input
from referee.commands.examples import examples
from referee.console.serving import need_packages

if TYPE_CHECKING:
    from referee.access.access import Access

users = typer.Typer(
    help=sentence("help.users_is"),
    no_args_is_help=True,
    rich_markup_mode=None,
)
FileOption = Annotated[
    Path | None,
    typer.Option(
        "--access",
        envvar="CUEREF_ACCESS",
        metavar="FILE",
        help=sentence("help.users_file"),
    ),
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME")]


class AccountRole(StrEnum):
    SPECTATOR = "spectator"
    REFEREE = "referee"
    OWNER = "owner"


EXAMPLES = ("cueref users add Ann --role referee",)


@users.command("list", help=sentence("help.users_list_is"), epilog=examples("cueref users list"))
def list_command(access: FileOption = None) -> None:
    """List everyone with an account: role, name, browsers logged in."""
    opened = _opened(access)
    for a in opened.accounts.all():
        place = sentence("terminal.users_tablet", table=a.table) if a.table is not None else ""
        role = f"{sentence(f'access.role_{a.role.name.lower()}'):9}"
        sessions = opened.sessions.count(a.id)
        typer.echo(sentence("terminal.users_line", role=role, name=a.name, place=place, count=sessions))


@users.command(
    "add",
    help=sentence("help.users_add_is"),
    epilog=examples("cueref users add Ann --role owner"),
)
def add(
    name: NameArgument,
    role: Annotated[AccountRole, typer.Option(help=sentence("help.role"))] = AccountRole.REFEREE,
    access: FileOption = None,
) -> None:
    """Add a person. The password is asked for, twice; it is on no command line."""
    from referee.access.roles import Role

    opened = _opened(access)
    opened.accounts.add(name, Role[role.upper()], _asked())
    typer.echo(sentence("terminal.users_added", name=name, role=role.value))


@users.command(
    "password",
    help=sentence("help.users_password_is"),
    epilog=examples("cueref users password Ann"),
)
def password(name: NameArgument, access: FileOption = None) -> None:
    """Set a person's password; all their sessions end."""
    opened = _opened(access)
    opened.accounts.set_password(_number(opened, name), _asked())
    typer.echo(sentence("terminal.users_password", name=name))


@users.command("link", help=sentence("help.users_link_is"), epilog=examples("cueref users link"))
def link(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help=sentence("help.link_name"))] = None,
    access: FileOption = None,
) -> None:
    """Print the end of an address that logs in once, within the hour: the way in when all else is lost."""
    opened = _opened(access)
    code = opened.sessions.link(None if name is None else _number(opened, name))
    typer.echo(f"/login#code={code}")
    typer.echo(sentence("terminal.users_open"), err=True)


@users.command(
    "logout",
    help=sentence("help.users_logout_is"),
    epilog=examples("cueref users logout Ann"),
)
def logout(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help=sentence("help.logout_name"))] = None,
    access: FileOption = None,
) -> None:
    """End every session of a person; without a name, of everyone who came by the server's token."""
    opened = _opened(access)
    opened.sessions.end_all(None if name is None else _number(opened, name))


@users.command(
    "remove",
    help=sentence("help.users_remove_is"),
    epilog=examples("cueref users remove Ann"),
)
def remove(name: NameArgument, access: FileOption = None) -> None:
    """Remove an account; its sessions end. What was changed stays signed."""
    opened = _opened(access)
    opened.accounts.remove(_number(opened, name))
    typer.echo(sentence("terminal.users_removed", name=name))


def _opened(path: Path | None) -> Access:
    need_packages("users")
    from referee.access.access import Access
    from referee.access.store import AccessStore, usual_path

    return Access(AccessStore(path or usual_path()))


def _number(opened: Access, name: str) -> int:
    found = opened.accounts.find(name)
    if found is None:
        raise unusable_input("errors.somebody_with_an_account", name=repr(name))
    return found.id


def _asked() -> str:
    return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
