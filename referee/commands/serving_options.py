"""Options of every command that serves pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import sentence
from referee.console.serving import Serving
from referee.season.library.players import LibraryPlayers
from referee.season.library.store import Library

HostOption = Annotated[
    str,
    typer.Option("--host", help=sentence("help.host")),
]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help=sentence("help.serving_options_port"))
]
NameOption = Annotated[
    list[str] | None,
    typer.Option("--name", help=sentence("help.name")),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="CUEREF_TOKEN",
        help=sentence("help.token"),
    ),
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help=sentence("help.token_file"),
    ),
]
TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="PEM", help=sentence("help.tls_cert"))
]
TlsKeyOption = Annotated[Path | None, typer.Option("--tls-key", metavar="PEM", help=sentence("help.tls_key"))]
ProxyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        metavar="ADDRESS",
        help=sentence("help.proxy"),
    ),
]
AddressOption = Annotated[
    str,
    typer.Option("--address", metavar="URL", help=sentence("help.address")),
]
PublicOption = Annotated[
    bool,
    typer.Option("--public", help=sentence("help.public")),
]
LibraryOption = Annotated[
    str | None,
    typer.Option("--library", metavar="WHERE", help=sentence("players.help_library")),
]


@contextmanager
def players_of(database: str | None) -> Iterator[LibraryPlayers | None]:
    """The players of a library for the pages; None without one."""
    if database is None:
        yield None
        return
    with Library(database) as opened:
        yield LibraryPlayers(opened)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)  # a token is not printed
class ServingOptions:
    """How pages are served; a command's own options are added by a subclass (`option_class.taking`)."""

    host: HostOption = "127.0.0.1"
    port: PortOption = 8765
    name: NameOption = None
    token: TokenOption = None
    token_file: TokenFileOption = None
    tls_cert: TlsCertOption = None
    tls_key: TlsKeyOption = None
    proxy: ProxyOption = None
    public: PublicOption = False
    address: AddressOption = ""

    def serving(self) -> Serving:
        """The same, checked."""
        return Serving(
            self.host,
            self.port,
            tuple(self.name or ()),
            self.token,
            self.token_file,
            self.tls_cert,
            self.tls_key,
            tuple(self.proxy or ()),
            self.public,
            self.address,
        )
