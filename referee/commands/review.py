"""`cueref review`: a recording from an overhead camera, refereed stroke by stroke."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from calibration.table.parse import parse_table
from calibration.texts import sentence, spoken, unusable_input
from referee.commands.option_class import taking
from referee.commands.table_options import BallOption, BottomOption, NoseOption, TableOption, bottom_side
from referee.facts.calls import agreed_rules, read_calls, start_of
from referee.match.declared import GAMES
from referee.outputs.annotated import write_annotated
from referee.outputs.document import Match, match_bytes
from referee.outputs.report import REPORT_FILE
from referee.outputs.terminal import print_match, progress_words
from referee.outputs.tracks import read_tracks
from referee.outputs.words import say_of
from referee.review.declared import review_declared
from referee.review.pipeline import ReviewOptions
from referee.review.pipeline import review as run_review

SERVE_PACKAGES = ("fastapi", "uvicorn", "websockets", "argon2", "itsdangerous", "segno")
"""What the extra `serve` brings and the console needs."""


EXAMPLES = (
    "cueref review match.mp4 --out match --calls match.calls.jsonl",
    "cueref review rack.mp4 --game wpa_9ball --out rack",
)


@dataclass(frozen=True, slots=True)
class ReviewCommand:
    """The options of `cueref review`; each field is one."""

    video: Annotated[Path | None, typer.Argument(metavar="VIDEO", help=sentence("help.review_video"))] = None
    out: Annotated[Path | None, typer.Option(metavar="DIR", help=sentence("help.review_out"))] = None
    calls: Annotated[Path | None, typer.Option(metavar="FILE", help=sentence("help.calls"))] = None
    start: Annotated[str | None, typer.Option(metavar="TEXT", help=sentence("help.review_start"))] = None
    calibration: Annotated[Path | None, typer.Option(help=sentence("help.layout_calibration"))] = None
    table: TableOption = None
    ball: BallOption = None
    nose: NoseOption = None
    bottom_at: BottomOption = None
    game: Annotated[str, typer.Option(help=sentence("help.review_game"))] = "snooker"
    facts: Annotated[Path | None, typer.Option(metavar="FACTS.jsonl", help=sentence("help.review_facts"))] = (
        None
    )
    baulk_crossing: Annotated[
        bool, typer.Option("--baulk-crossing", help=sentence("help.baulk_crossing"))
    ] = False
    annotated: Annotated[bool, typer.Option(help=sentence("help.annotated"))] = False
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.review_json"))] = False

    @property
    def facts_file(self) -> Path | None:
        """The facts file of --facts, or of --calls without a video; None where the video's images are judged.

        Raises UnusableInput for both options at once.
        """
        if self.facts is not None and self.calls is not None:
            raise unusable_input("errors.one_of_the_two_calls_stand_among")
        return self.facts if self.facts is not None or self.video is not None else self.calls

    def folder(self, source: Path) -> Path:
        """Where the review is written, of a video or of facts."""
        return self.out if self.out is not None else Path(f"{source.stem}.review")

    def options(self) -> ReviewOptions:
        """What a person said for a review of the video's images."""
        calls = read_calls(self.calls, self.game) if self.calls is not None else ()
        if self.baulk_crossing:
            calls = (*calls, agreed_rules(["baulk_crossing_rule"], "--baulk-crossing", self.game))
        return ReviewOptions(
            table=parse_table(self.table, self.ball, self.nose, self.game),
            game=self.game,
            calibration=self.calibration,
            calls=calls,
            start=start_of(self.start, self.game) if self.start is not None else None,
            bottom_at=bottom_side(self.bottom_at),
        )

    def check_facts(self) -> None:
        """Raise UnusableInput for options of the video's images: with facts they would change nothing."""
        if self.start is not None:
            raise unusable_input("errors.type_start_as_a_line_of_the_facts", shape='{"type": "start", ...}')
        given = {
            "--annotated": self.annotated,
            "--calibration": self.calibration is not None,
            "--bottom-at": self.bottom_at is not None,
            "--baulk-crossing": self.baulk_crossing,
        }
        name = next((name for name, is_given in given.items() if is_given), None)
        if name is not None:
            raise unusable_input("errors.game_judged_from_the_videos_images", name=name)


@taking(ReviewCommand)
def review(context: typer.Context, command: ReviewCommand) -> None:
    """Track every ball, divide the video into strokes, referee and score them."""
    del context
    video, game = command.video, command.game
    if game not in GAMES:
        raise unusable_input("errors.game_expected_one_of_found", known=", ".join(GAMES), game=repr(game))
    facts = command.facts_file
    if facts is not None:
        command.check_facts()
        target = command.folder(video or facts)
        match = review_declared(facts, game, target, video)
        written = "match.json, journal.sqlite, report.html"
    elif video is not None:
        target = command.folder(video)
        match = _watch(video, target, command.options(), command.annotated)
        written = "match.json, tracks.csv, journal.sqlite, report.html"
        written += ", annotated.mp4" if command.annotated else ""
    else:
        raise unusable_input("errors.video_or_facts_facts_jsonl")
    if command.as_json:
        typer.echo(match_bytes(match).decode(), nl=False)
        return

    print_match(match)
    typer.echo(sentence("terminal.review_written", target=target, written=written))
    typer.echo(sentence("terminal.review_look", command=looking_hint(target, video)))


def looking_hint(out: Path, video: Path | None) -> str:
    """How to look at the review, so that it works when pasted: the packages of the console may be missing,
    and the command may not be on the path.
    """
    command = serve_command(out, video)
    if shutil.which("cueref") is None:
        command = f"{shlex.quote(sys.executable)} -m {command}"
    if all(find_spec(name) is not None for name in SERVE_PACKAGES):
        return command
    install = shlex.join([sys.executable, "-m", "pip", "install", "cueref[serve]"])
    return sentence("terminal.review_report", report=out / REPORT_FILE, install=install, command=command)


def serve_command(out: Path, video: Path | None) -> str:
    """The command that opens the console on the review, with the video where it does not lie in the
    folder.
    """
    beside = video is None or video.resolve().parent == out.resolve()
    return shlex.join(["cueref", "serve", str(out), *([] if beside else ["--video", str(video)])])


def _watch(video: Path, out: Path, options: ReviewOptions, annotated: bool) -> Match:
    """Review the video's images, with a bar of progress."""

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f} images/s" if task.speed and (task.total or 0) > 1 else "")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, object] = {}

        def tell(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(progress_words(stage), total=max(of, 1))
            bar.update(tasks[stage], completed=done, total=max(of, 1))  # type: ignore[arg-type]

        match = run_review(video, out, options, tell, lambda text: bar.console.print(text, style="bold"))
        if annotated:
            told = say_of(match, spoken())
            write_annotated(
                video, out, match, read_tracks(out), lambda done, of: tell("drawing", done, of), say=told
            )
        return match
