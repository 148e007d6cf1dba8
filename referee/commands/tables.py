"""`cueref tables`: every table of a club on one machine, a process each."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence, unusable_input
from referee.commands.secret_options import warn_of_visible_secrets
from referee.console.serving import need_packages
from referee.live.feeds.mqtt import parse_broker, topic_of
from referee.live.setup.settings_file import SETTINGS_FILE, SetupFile, read_settings
from referee.live.supervisor import Supervisor, cueref, until_asked, with_one_token

EXAMPLES = ("cueref tables /srv/cueref/table-* --mqtt mqtt://localhost --club 8780",)


def tables(
    context: typer.Context,
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help=sentence("help.tables_folders"))],
    mqtt: Annotated[str | None, typer.Option(envvar="CUEREF_MQTT", help=sentence("help.mqtt"))] = None,
    club: Annotated[
        int | None, typer.Option(metavar="PORT", min=1, max=65535, help=sentence("help.tables_club"))
    ] = None,
    host: Annotated[str, typer.Option(help=sentence("help.tables_host"))] = "127.0.0.1",
    loop: Annotated[bool, typer.Option("--loop", help=sentence("help.tables_loop"))] = False,
) -> None:
    """Run the live tables of these folders, a process each, and start again what ends."""
    need_packages("tables", "live")
    if mqtt is not None:
        parse_broker(mqtt)
    if club is not None and mqtt is None:
        raise unusable_input("errors.club_with_a_broker")
    warn_of_visible_secrets(context)
    found = _distinct([(folder, read_settings(folder)) for folder in _tables(folders)], club)
    beside = {} if mqtt is None else {"CUEREF_MQTT": mqtt}
    environment = with_one_token({**os.environ, "OMP_NUM_THREADS": "1", **beside})
    supervisor = Supervisor(environment, typer.echo)
    for folder, settings in found:
        arguments = ("live", "--settings", str(folder), *(("--loop",) if loop else ()))
        supervisor.keep(settings.table_name, cueref(*arguments))
    if club is not None:  # the broker, which may have a password, comes from the environment
        supervisor.keep("club", cueref("club", "--host", host, "--port", str(club)))
    ending, asked = until_asked()
    supervisor.run(ending)
    if signal.SIGINT in asked:
        raise KeyboardInterrupt


def _tables(folders: Sequence[Path]) -> list[Path]:
    """The folders that hold settings: those given, or those in one that holds none itself."""
    found = []
    for folder in folders:
        if (folder / SETTINGS_FILE).is_file():
            found.append(folder)
            continue
        inside = sorted(f.parent for f in folder.glob(f"*/{SETTINGS_FILE}"))
        if not inside:
            raise unusable_input("errors.folder_of_a_table", folder=folder, file=SETTINGS_FILE)
        found += inside
    return found


def _distinct(found: list[tuple[Path, SetupFile]], club: int | None) -> list[tuple[Path, SetupFile]]:
    """The tables, none of which takes another's place. Raises UnusableInput for two of one port or name."""
    ports = Counter([s.port for _, s in found if s.port] + ([club] if club else []))
    topics = Counter(topic_of(s.table_name) for _, s in found)
    for folder, settings in found:
        if ports[settings.port] > 1:
            raise unusable_input("errors.port_of_its_own", folder=folder, port=settings.port)
        if topics[topic_of(settings.table_name)] > 1:
            raise unusable_input("errors.tables_name_of_its_own", folder=folder, name=settings.table_name)
    return found
