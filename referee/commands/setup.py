"""`cueref setup`: a camera hung, focused and calibrated in the browser; then the table is refereed."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from calibration.files import only_writer
from calibration.texts import load_texts, sentence
from referee.commands.live import run
from referee.commands.option_class import taking
from referee.commands.secret_options import CAMERA_VARIABLE, camera_address, warn_of_visible_secrets
from referee.commands.serving_options import ServingOptions
from referee.console.serving import listen, login_link, need_packages
from referee.live.feeds.outlets import FeedOptions
from referee.live.pages.options import PagesOptions
from referee.live.setup.settings_file import SETTINGS_FILE, read_settings
from vision.capture.source import CaptureOptions

EXAMPLES = ("cueref setup /dev/video0 --out table1 --host 0.0.0.0",)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)  # an address may hold a password
class SetupOptions(ServingOptions):
    """The options of `cueref setup`; each field is one."""

    camera: Annotated[
        str, typer.Argument(metavar="CAMERA", envvar=CAMERA_VARIABLE, help=sentence("help.setup_camera"))
    ]
    out: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.setup_out"))] = Path("live")
    language: Annotated[str, typer.Option(help=sentence("help.setup_language"))] = "en"
    loop: Annotated[bool, typer.Option("--loop", help=sentence("help.loop"))] = False


@taking(SetupOptions)
def setup(context: typer.Context, given: SetupOptions) -> None:
    """Set up a table in the browser: advice on the camera, the table found automatically, the players'
    names.
    """
    need_packages("setup")
    camera = camera_address(given.camera)
    warn_of_visible_secrets(context)
    serving, out = given.serving(), given.out
    options = PagesOptions(serving, language=given.language)
    with only_writer(out, "cueref setup"):  # reports a folder that cannot be written before the work begins
        begun = _set_up(camera, out, options, given.loop)
    if begun is None:
        return

    known = read_settings(out)
    settings = replace(
        known.live_settings(out), new_match=True
    )  # the players and the table have just been entered
    run(settings, FeedOptions(known.table_name), known.pages_options(replace(serving, token=begun)))


def _set_up(camera: str, out: Path, options: PagesOptions, loop: bool) -> str | None:
    """Serve the pages until a person starts the match; their token, None after Ctrl-C."""
    from referee.console.web_server import WebServer
    from referee.live.setup.guide import SetupSession
    from referee.live.setup.pages import Place, Setup, create_setup_app

    serving = options.serving
    policy, texts = serving.policy(), load_texts(options.language)
    known = read_settings(out) if (out / SETTINGS_FILE).is_file() else None
    listening = listen(serving.host, serving.port)
    session = SetupSession(camera, CaptureOptions(loop=loop))
    at = Setup(session, Place(out, serving, listening.getsockname()[1]), known)
    server = WebServer(create_setup_app(at, session, texts, policy), [listening], serving=serving)
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    try:
        server.start()
        typer.echo(sentence("terminal.setup_open", address=login_link(policy, serving.url(server.port))))
        while not at.started.wait(0.2) and not ending.is_set():
            pass
        if at.started.is_set():
            threading.Event().wait(1.0)  # the page reads that the table is starting
    finally:
        server.close()
        session.close()
    if not at.started.is_set():
        return None
    typer.echo(sentence("terminal.setup_saved", saved=at.saved))
    return policy.token
