"""`cueref serve`: the review console in the browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibration.errors import UnusableInput
from calibration.texts import sentence, unusable_input
from referee.commands.option_class import taking
from referee.commands.secret_options import warn_of_visible_secrets
from referee.commands.serving_options import LibraryOption, ServingOptions, players_of
from referee.console.match_view import MatchView
from referee.console.reviews import open_review
from referee.console.serving import listen, login_link, need_packages, screen_query
from referee.journal import JOURNAL_FILE
from referee.outputs.document import MATCH_FILE, folder_of

if TYPE_CHECKING:
    from referee.console.guard import Policy


EXAMPLES = ("cueref serve match.review --video match.mp4",)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)  # an address may hold a password
class ServeOptions(ServingOptions):
    """The options of `cueref serve`; each field is one."""

    matches: Annotated[
        list[Path], typer.Argument(metavar="DIR|MATCH...", help=sentence("help.serve_matches"))
    ]
    video: Annotated[list[Path] | None, typer.Option(help=sentence("help.serve_video"))] = None
    library: LibraryOption = None


@taking(ServeOptions)
def serve(context: typer.Context, options: ServeOptions) -> None:
    """Open the review console for reviewed matches: watch, decide, correct, check spots, restore."""
    need_packages("serve")
    from referee.console.app import create_app
    from referee.console.web_server import serve_until_stopped

    serving = options.serving()
    opened = open_matches(options.matches, options.video or [])
    policy = serving.policy()
    listening = listen(options.host, options.port)
    warn_of_visible_secrets(context)  # behind what refuses: a refusal is one sentence
    _announce(opened, policy, serving.url(listening.getsockname()[1]))
    if serving.warning:
        typer.echo(serving.warning, err=True)
    try:
        with players_of(options.library) as players:
            serve_until_stopped(create_app(opened, policy, players=players), serving, listening)
    finally:
        for match in opened:
            match.close()


def _announce(opened: list[MatchView], policy: Policy, url: str) -> None:
    """Print the addresses to open; the link that logs in is of use once."""
    count = len(opened)
    typer.echo(
        sentence(
            "terminal.serve_open_one" if count == 1 else "terminal.serve_open",
            count=count,
            address=login_link(policy, url),
        )
    )
    typer.echo(sentence("terminal.serve_overlay", address=f"{url}/overlay{screen_query(policy)}"))
    for match in opened:
        named = match.document["video"]["file"]
        if match.video is None and named:
            typer.echo(sentence("terminal.serve_no_video", folder=match.folder, named=repr(named)))


def open_matches(paths: list[Path], videos: list[Path]) -> list[MatchView]:
    """The matches of folders, match.json files, or folders that hold reviews' folders.

    One of many in a folder that cannot be read is told on standard error; the others are shown. Raises
    UnusableInput for one that was named, and where none is left.
    """
    found = [review for path in paths for review in _reviews_in(path)]
    for video in videos:
        if not video.is_file():
            raise unusable_input("errors.video_video_file", video=video)
    opened: list[MatchView] = []
    for ident, path, video in zip_longest(_identities(found), found, videos[: len(found)]):
        try:
            opened.append(open_review(ident, path, video))
        except UnusableInput as error:
            if path in paths or (path == found[-1] and not opened):
                raise
            typer.echo(f"cueref: {error}", err=True)
    return opened


def _identities(paths: list[Path]) -> Iterator[str]:
    """The names of matches in addresses: of their folders, numbered where several are called alike."""
    count: Counter[str] = Counter()
    for path in paths:
        name = folder_of(path).resolve().name or "match"
        count[name] += 1
        yield name if count[name] == 1 else f"{name}-{count[name]}"


def _reviews_in(path: Path) -> list[Path]:
    """The reviews' folders in a folder that is none itself; else the path alone."""
    kinds = (MATCH_FILE, JOURNAL_FILE)  # a journal without match.json is a review under way
    if not path.is_dir() or any((path / kind).is_file() for kind in kinds):
        return [path]
    return sorted({p.parent for kind in kinds for p in path.glob(f"*/{kind}")}) or [path]
