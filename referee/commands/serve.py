"""`cueref serve`: the review console in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calibration.errors import UnusableInput

if TYPE_CHECKING:
    import socket

    from referee.review.guard import Policy
    from referee.review.opened import OpenedMatch

LOOPBACK = ("127.0.0.1", "::1", "localhost")


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
    import secrets

    try:
        import uvicorn

        from referee.review.app import create_app
    except ImportError as error:
        raise UnusableInput(
            "serve: expected the packages of the extra 'serve' (pip install 'cueref[serve]'),"
            f" found no {error.name}"
        ) from None
    from referee.review.guard import Policy

    opened = open_matches(matches, video or [])
    secret = token or secrets.token_urlsafe(24)
    if len(secret) < 16:
        raise UnusableInput("--token: expected at least 16 characters, found fewer")
    policy = Policy(secret, host in LOOPBACK, tuple(n.lower() for n in name or []))
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


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address. Raises UnusableInput when it is taken or not this machine's."""
    import socket

    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        found = error.strerror or error
        raise UnusableInput(
            f"--host {host} --port {port}: expected a free address of this machine, found {found}"
        ) from None
    return listening


def _announce(opened: list[OpenedMatch], policy: Policy, host: str, port: int) -> None:
    """Where to point the browser; the token stands in the address that logs in."""
    url, count = f"http://{shown_address(host)}:{port}", len(opened)
    typer.echo(f"{count} match{'' if count == 1 else 'es'} open; console: {url}/login?token={policy.token}")
    reading = "" if policy.open_reading else f"?token={policy.token}"
    typer.echo(f"scoreboard for OBS: {url}/overlay{reading}; stop with Ctrl-C")
    for match in opened:
        named = match.document["video"]["file"]
        if match.video is None and named:
            typer.echo(f"{match.folder}: its video {named!r} does not lie there; to see it, give --video PATH")


def shown_address(host: str) -> str:
    """How a browser addresses a server bound to `host`."""
    return _address() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host


def address_shown(host: str) -> str:
    """The address to type into a browser for one that was bound to."""
    return _address() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host


def _address() -> str:
    """This machine's address as others in the house reach it; no packet is sent to find it."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            # an address of documentation: connecting a datagram socket only picks a route
            s.connect(("192.0.2.1", 9))
            return str(s.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def open_matches(paths: list[Path], videos: list[Path]) -> list[OpenedMatch]:
    """The matches of folders, match.json files, or folders that hold reviews' folders."""
    from referee.outputs.match_json import MATCH_FILE
    from referee.review.opened import JOURNAL_FILE, OpenedMatch

    kinds = (MATCH_FILE, JOURNAL_FILE)  # a journal alone: a review under way
    found: list[Path] = []
    for path in paths:
        many = path.is_dir() and not any((path / kind).is_file() for kind in kinds)
        found += sorted({p.parent for kind in kinds for p in path.glob(f"*/{kind}")} if many else ()) or [path]
    for video in videos:
        if not video.is_file():
            raise UnusableInput(f"--video {video}: expected a video file, found none of that name")
    names: dict[str, int] = {}
    opened: list[OpenedMatch] = []
    for k, path in enumerate(found):
        base = (path if path.is_dir() else path.parent).resolve().name or "match"
        names[base] = names.get(base, 0) + 1
        ident = base if names[base] == 1 else f"{base}-{names[base]}"
        opened.append(OpenedMatch(ident, path, videos[k] if k < len(videos) else None))
    return opened
