"""`cueref serve`: the review console in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibration.errors import UnusableInput
from referee.console.match_view import MatchView
from referee.console.reviews import open_review
from referee.console.serving import listen, need_packages, policy_of, shown_address
from referee.journal import JOURNAL_FILE
from referee.outputs.document import MATCH_FILE

if TYPE_CHECKING:
    from referee.console.guard import Policy


def register(app: typer.Typer) -> None:
    """Add `cueref serve` to the command line."""
    app.command(name="serve", epilog="Example: cueref serve match.review --video match.mp4")(serve)


def serve(
    matches: Annotated[
        list[Path], typer.Argument(metavar="DIR|MATCH...", help="Folders of reviews, or a folder of such.")
    ],
    video: Annotated[
        list[Path] | None, typer.Option(help="A video that does not lie in its match's folder; in order.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than loopback every page needs the token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8765,
    name: Annotated[
        list[str] | None, typer.Option(help="A host name under which the server may be addressed.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="CUEREF_TOKEN", help="The session's token; default: a new one.")
    ] = None,
) -> None:
    """Open the review console for reviewed matches: watch, decide, correct, check spots, restore.

    The page needs no other host. Changes are appended to each match's journal at once.
    """
    need_packages("serve")
    import uvicorn

    from referee.console.app import create_app

    opened = open_matches(matches, video or [])
    policy = policy_of(host, name or (), token)
    listening = listen(host, port)
    _announce(opened, policy, host, listening.getsockname()[1])
    config = uvicorn.Config(
        create_app(opened, policy), log_level="warning", server_header=False, ws_max_size=65536
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        for match in opened:
            match.close()


def _announce(opened: list[MatchView], policy: Policy, host: str, port: int) -> None:
    """Print the addresses to open; the address that logs in contains the token."""
    url, count = f"http://{shown_address(host)}:{port}", len(opened)
    typer.echo(f"{count} match{'' if count == 1 else 'es'} open; console: {url}/login?token={policy.token}")
    reading = "" if policy.open_reading else f"?token={policy.token}"
    typer.echo(f"scoreboard for OBS: {url}/overlay{reading}; stop with Ctrl-C")
    for match in opened:
        named = match.document["video"]["file"]
        if match.video is None and named:
            typer.echo(
                f"{match.folder}: its video {named!r} does not lie there; to see it, give --video PATH"
            )


def open_matches(paths: list[Path], videos: list[Path]) -> list[MatchView]:
    """The matches of folders, match.json files, or folders that hold reviews' folders."""
    found = [review for path in paths for review in _reviews_in(path)]
    for video in videos:
        if not video.is_file():
            raise UnusableInput(f"--video {video}: expected a video file, found none of that name")
    names: dict[str, int] = {}
    opened: list[MatchView] = []
    for k, path in enumerate(found):
        base = (path if path.is_dir() else path.parent).resolve().name or "match"
        names[base] = names.get(base, 0) + 1
        ident = base if names[base] == 1 else f"{base}-{names[base]}"
        opened.append(open_review(ident, path, videos[k] if k < len(videos) else None))
    return opened


def _reviews_in(path: Path) -> list[Path]:
    """The reviews' folders in a folder that is none itself; else the path alone."""
    kinds = (MATCH_FILE, JOURNAL_FILE)  # a journal without match.json is a review under way
    if not path.is_dir() or any((path / kind).is_file() for kind in kinds):
        return [path]
    return sorted({p.parent for kind in kinds for p in path.glob(f"*/{kind}")}) or [path]
