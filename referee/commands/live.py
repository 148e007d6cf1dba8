"""`cueref live`: referee a table while the game is played, from its camera."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from calibration.files import only_writer
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.texts import sentence, unusable_input
from referee.commands.option_class import taking
from referee.commands.secret_options import CAMERA_VARIABLE, camera_address, warn_of_visible_secrets
from referee.commands.serving_options import ServingOptions
from referee.commands.table_options import BallOption, BottomOption, NoseOption, TableOption, bottom_side
from referee.live.engine.engine import LiveEngine
from referee.live.engine.log import LiveLog
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.feeds.mqtt import parse_prefix
from referee.live.feeds.outlets import FeedOptions, Feeds
from referee.live.pages.options import PagesOptions, open_pages
from referee.live.setup.settings_file import read_settings
from referee.live.supervisor import until_asked
from referee.outputs.document import folder_of

EXAMPLES = (
    "cueref live /dev/video0 --out table1 --players Ann Bo --best-of 5",
    'cueref live rtsp://camera.club/table1 --out /srv/table1 --table-name "Table 1"',
)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)  # an address may hold a password
class LiveOptions(ServingOptions):
    """The options of `cueref live`; each field is one."""

    camera: Annotated[
        str | None,
        typer.Argument(metavar="CAMERA", envvar=CAMERA_VARIABLE, help=sentence("help.live_camera")),
    ] = None
    settings_file: Annotated[
        Path | None,
        typer.Option("--settings", metavar="DIR", help=sentence("help.settings_file")),
    ] = None
    out: Annotated[Path, typer.Option(metavar="DIR", help=sentence("help.live_out"))] = Path("live")
    calibration: Annotated[
        Path | None,
        typer.Option(help=sentence("help.live_calibration")),
    ] = None
    table_name: Annotated[str, typer.Option(help=sentence("help.table_name"))] = "table"
    game: Annotated[str, typer.Option(help=sentence("help.live_game"))] = "snooker"
    players: Annotated[tuple[str, str], typer.Option(metavar="A B", help=sentence("help.live_players"))] = (
        "A",
        "B",
    )
    best_of: Annotated[int | None, typer.Option(help=sentence("help.live_best_of"))] = None
    breaks: Annotated[str, typer.Option(help=sentence("help.breaks"))] = "A"
    start: Annotated[
        str | None,
        typer.Option(metavar="STATE", help=sentence("help.start")),
    ] = None
    new_match: Annotated[bool, typer.Option("--new-match", help=sentence("help.new_match"))] = False
    table: TableOption = DEFAULT_TABLE
    ball: BallOption = None
    nose: NoseOption = None
    bottom_at: BottomOption = None
    keep_days: Annotated[float, typer.Option(help=sentence("help.keep_days"))] = 30.0
    keep_gb: Annotated[float, typer.Option(help=sentence("help.keep_gb"))] = 20.0
    no_clips: Annotated[bool, typer.Option("--no-clips", help=sentence("help.no_clips"))] = False
    rate: Annotated[float, typer.Option(min=0.0, help=sentence("help.rate"))] = 0.0
    speed: Annotated[
        float,
        typer.Option(min=0.0, help=sentence("help.speed")),
    ] = 1.0
    mqtt: Annotated[str | None, typer.Option(envvar="CUEREF_MQTT", help=sentence("help.mqtt"))] = None
    home_assistant: Annotated[
        str | None,
        typer.Option(
            envvar="CUEREF_HOME_ASSISTANT",
            metavar="PREFIX",
            help=sentence("help.home_assistant"),
        ),
    ] = None
    webhook: Annotated[
        list[str] | None,
        typer.Option(
            envvar="CUEREF_WEBHOOK",
            help=sentence("help.webhook"),
        ),
    ] = None
    loop: Annotated[bool, typer.Option("--loop", help=sentence("help.loop"))] = False
    no_pages: Annotated[bool, typer.Option("--no-pages", help=sentence("help.no_pages"))] = False
    language: Annotated[str, typer.Option(help=sentence("help.language"))] = "en"
    speak: Annotated[bool, typer.Option("--speak", help=sentence("help.speak"))] = False

    def live_settings(self) -> LiveSettings:
        """For the engine. Raises UnusableInput for options that make no table."""
        if self.camera is None:
            raise unusable_input("errors.camera_or_settings_dir")
        if self.breaks not in ("A", "B"):
            raise unusable_input("errors.or_b_not", breaks=repr(self.breaks))
        return LiveSettings(
            camera=camera_address(self.camera),
            out=self.out,
            table_name=self.table_name,
            game=self.game,
            table=parse_table(self.table, self.ball, self.nose, self.game),
            calibration=self.calibration,
            bottom_at=bottom_side(self.bottom_at),
            match=NewMatch(self.players, self.best_of, "A" if self.breaks == "A" else "B", self.start),
            new_match=self.new_match,
            keep_days=self.keep_days,
            keep_gb=self.keep_gb,
            record=not self.no_clips,
            rate_hz=self.rate,
            speed=self.speed,
            loop=self.loop,
        )

    def feed_options(self, table_name: str, showing: PagesOptions | None) -> FeedOptions:
        """For the feeds of the table of that name, whose pages are shown so."""
        secret = os.environ.get("CUEREF_WEBHOOK_SECRET", "")
        serving = None if showing is None else showing.serving
        pages = None if serving is None or not serving.port else serving.house_url(serving.port)
        if self.home_assistant is not None and self.mqtt is None:
            raise unusable_input("broadcast.error_no_broker")
        prefix = None if self.home_assistant is None else parse_prefix(self.home_assistant)
        return FeedOptions(table_name, self.mqtt, self.webhook or (), secret, pages, prefix)

    def pages_options(self) -> PagesOptions | None:
        """For the pages; None where there are none."""
        if self.no_pages:
            return None
        return PagesOptions(self.serving(), self.table_name, self.language, self.speak)


@taking(LiveOptions)
def live(context: typer.Context, options: LiveOptions) -> None:
    """Referee a table while the game is played: no operator, two cores, no GPU."""
    settings, pages = _settings_of(context, options)
    warn_of_visible_secrets(context)
    run(settings, options.feed_options(settings.table_name, pages), pages)


_SERVED = ("token", "token_file", "name", "tls_cert", "tls_key", "proxy", "public", "address")
_BESIDE = (*_SERVED, "mqtt", "home_assistant", "webhook", "new_match", "start", "loop")
"""What may stand beside --settings: what a file should not hold, or what is meant for once."""


def _settings_of(context: typer.Context, options: LiveOptions) -> tuple[LiveSettings, PagesOptions | None]:
    """The settings of the file with the options that may stand beside it; without a file, of all options."""
    if options.settings_file is None:
        return options.live_settings(), options.pages_options()
    _check_beside(context)
    if _given(context, "camera"):
        raise unusable_input("errors.camera_or_settings_which_names")
    path = options.settings_file
    known = read_settings(path)
    settings = known.live_settings(folder_of(path))
    pages = known.pages_options(options.serving())
    begun = replace(settings.match, start=options.start)
    return replace(settings, new_match=options.new_match, loop=options.loop, match=begun), pages


def _check_beside(context: typer.Context) -> None:
    """Raises UnusableInput for an option that the settings file decides, rather than ignore it."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in (*_BESIDE, "settings_file", "camera") and _given(context, name):
            allowed = ", ".join(f"--{n.replace('_', '-')}" for n in _BESIDE)
            raise unusable_input("errors.beside_settings_only", allowed=allowed, opts=parameter.opts[0])


def _given(context: typer.Context, name: str) -> bool:
    """Whether an option was written in the command: not left out, nor taken from the environment."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def run(settings: LiveSettings, feeding: FeedOptions, showing: PagesOptions | None = None) -> None:
    """Referee until the images end, or until SIGINT or SIGTERM: then the match can be resumed.

    KeyboardInterrupt after SIGINT, when everything is written and closed.

    `showing`: how the pages are served, None for none.
    """
    with only_writer(settings.out, "cueref live"):
        _run(settings, feeding, showing)


def _run(settings: LiveSettings, feeding: FeedOptions, showing: PagesOptions | None) -> None:
    log = LiveLog(settings.table_name)
    feeds = Feeds(feeding, log)
    engine = LiveEngine(settings, log)
    engine.stream.listen(feeds.publish)
    pages = None
    if showing is not None:
        pages, said = open_pages(engine, settings.out, showing, feeds.metrics)
        for line in said:
            typer.echo(line)
    ending, asked = until_asked()
    engine.start()
    try:
        while engine.running and not ending.wait(0.2):
            pass
        engine.stop()
    finally:
        feeds.close()
        if pages is not None:
            pages.close()
    if signal.SIGINT in asked:
        raise KeyboardInterrupt  # the command's exit status after Ctrl-C, as of every other
