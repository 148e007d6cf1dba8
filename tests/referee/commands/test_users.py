"""`cueref users`: accounts from the machine itself; no password on a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("argon2", reason="the pages need the extra 'serve'")
from typer.testing import CliRunner

from referee.access.access import Access
from referee.access.roles import Role
from referee.access.store import AccessStore
from referee.cli import command_line, main

PASSWORD = "chalk and cue 17"


def called(path: Path, *arguments: str, typed: str = "") -> str:
    whole = ["users", *arguments, "--access", str(path)]
    done = CliRunner().invoke(command_line(whole), whole, input=typed)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_an_account_is_made_listed_linked_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "access.sqlite"
    said = called(path, "add", "Ann", "--role", "owner", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert PASSWORD not in said
    access = Access(AccessStore(path))  # as a server that runs meanwhile
    ann = access.accounts.check("Ann", PASSWORD)
    assert ann is not None and ann.role is Role.OWNER
    code = called(path, "link").strip().removeprefix("/login#code=")
    opened = access.sessions.open(code)
    assert opened is not None and opened.person.role is Role.OWNER and not opened.person.name
    session = access.begin(ann)
    assert "owner     Ann, 1 logged in" in called(path, "list")
    called(path, "logout", "Ann")
    assert access.sessions.find(session.cookie) is None
    assert access.sessions.find(opened.cookie) is not None
    called(path, "logout")
    assert access.sessions.find(opened.cookie) is None
    called(path, "remove", "ann")
    assert access.accounts.all() == []


def test_a_name_that_nobody_has_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["users", "password", "Nobody", "--access", str(tmp_path / "access.sqlite")])
    assert ended.value.code == 2 and "expected somebody with an account" in capfd.readouterr().err
