"""A table as a service of systemd: unit, token, folders and user, put where systemd looks for them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from calibration.files import write_text
from calibration.texts import unusable_input

UNIT = "cueref-live@.service"
STATE = "/var/lib/cueref"
USER = "cueref"
_SHIPPED_COMMAND, _SHIPPED_USER = "/opt/cueref/bin/cueref ", f"User={USER}\n"
_HIDDEN = ("/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/")
"""Folders that a service with ProtectHome and PrivateTmp does not see."""

_BOOTED = Path("/run/systemd/system")
"""There while systemd runs the machine (sd_booted(3)); not in a chroot or an image under construction."""

Run = Callable[[Sequence[str]], None]
"""Runs a command; raises UnusableInput where it fails."""


@dataclass(frozen=True, slots=True)
class Service:
    """A table's service. `command`: the cueref that it runs. `root`: the top, `/` but for an image."""

    table: str
    command: Path
    user: str = USER
    root: Path = Path("/")

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", self.table):
            raise unusable_input("errors.small_letters_digits_and_dashes", table=repr(self.table))
        if not re.fullmatch(r"[a-z_][a-z0-9_-]{0,30}", self.user):
            raise unusable_input("errors.name_of_a_system_user", user=repr(self.user))
        if str(self.command).startswith(_HIDDEN):
            raise unusable_input("errors.cueref_that_a_service_may_read", command=self.command)

    @property
    def unit_file(self) -> Path:
        return self.root / "etc/systemd/system" / UNIT

    @property
    def packaged_unit_file(self) -> Path:
        """Where a Debian package puts the unit; one in `/etc` would hide its later versions."""
        return self.root / "lib/systemd/system" / UNIT

    @property
    def environment_file(self) -> Path:
        return self.root / "etc/cueref" / f"{self.table}.env"

    @property
    def folder(self) -> Path:
        """Where the table's settings and matches are."""
        return self.root / STATE.lstrip("/") / self.table

    @property
    def name(self) -> str:
        """What systemctl calls it."""
        return UNIT.replace("@", f"@{self.table}").removesuffix(".service")


def this_command() -> Path:
    """The `cueref` beside the interpreter that runs now. Raises UnusableInput where there is none."""
    command = Path(sys.executable).with_name("cueref")
    if not command.is_file():
        raise unusable_input("errors.installed_command", command=command)
    return command


def unit_text(service: Service) -> str:
    """The shipped unit with the service's command and user."""
    text = (resources.files("referee.live") / "deploy" / UNIT).read_text("utf-8")
    text = text.replace(_SHIPPED_USER, f"User={service.user}\n")
    return text.replace(f"ExecStart={_SHIPPED_COMMAND}", f"ExecStart={service.command} ")


_USERADD = ("useradd", "--system", "--create-home", "--home-dir", STATE, "--groups", "video,audio")


def install(service: Service, run: Run) -> tuple[str, ...]:
    """Put everything in its place; returns what was done and what is left to do, a line each.

    What is there already is kept, but for the unit. With another `root` only files are written. Raises
    UnusableInput without the rights to do so.
    """
    here = service.root == Path("/")
    if here and os.geteuid() != 0:
        raise unusable_input("errors.be_root_sudo")
    said = []
    if here and not _known(service.user):
        run((*_USERADD, service.user))
        said.append(f"user {service.user}")
    try:
        said += _files(service)
    except OSError as error:
        raise unusable_input(
            "errors.place_to_write_the_service", filename=error.filename, reason=error.strerror
        ) from None
    if not here:
        return tuple(said)
    shutil.chown(service.folder, service.user)
    return (*said, *_started(service, run))


def _started(service: Service, run: Run) -> list[str]:
    """Let the service start at boot, and now where it is set up; what was done and what is left to do."""
    booted = _BOOTED.is_dir()
    if booted:
        run(("systemctl", "daemon-reload"))
    ready = booted and (service.folder / "live.toml").is_file()
    run(("systemctl", "enable", *(("--now",) if ready else ()), service.name))
    if ready:
        return [f"{service.name}: starts now and at boot"]
    setup = f"sudo -u {service.user} {service.command} setup CAMERA --out {STATE}/{service.table}"
    left = f"left to do: {setup}; then systemctl start {service.name}"
    return [f"{service.name}: starts at boot", left]


def _files(service: Service) -> list[str]:
    text, packaged = unit_text(service), service.packaged_unit_file
    said = []
    if not packaged.is_file() or packaged.read_text("utf-8") != text or service.unit_file.exists():
        write_text(service.unit_file, text, 0o644)
        said.append(str(service.unit_file))
    service.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not service.environment_file.exists():
        write_text(service.environment_file, f"CUEREF_TOKEN={secrets.token_urlsafe(24)}\n", 0o600)
        said.append(f"{service.environment_file}: a token, readable by root alone")
    return said


def _known(user: str) -> bool:
    return subprocess.run(["id", "-u", user], capture_output=True).returncode == 0


def run_command(command: Sequence[str]) -> None:
    """Run a command of the system. Raises UnusableInput with its last words where it fails or is missing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise unusable_input("errors.install_service_program", command=command[0]) from None
    if done.returncode:
        words = (done.stderr or done.stdout).strip().rsplit("\n", 1)[-1]
        raise unusable_input("errors.install_service_work", known=" ".join(command), words=words)
