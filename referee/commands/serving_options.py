"""Options of every command that serves pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HostOption = Annotated[
    str,
    typer.Option(
        "--host", help="Address of the pages; other than loopback (0.0.0.0 for the house) needs a login."
    ),
]
PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port of the pages; 0 takes a free one.")
]
NameOption = Annotated[
    list[str] | None,
    typer.Option("--name", help="A host name under which the pages may be addressed; looking needs a login."),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="CUEREF_TOKEN",
        help="The owner's token; default: a new one. A command line is seen by others: prefer a file.",
    ),
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="A file with the token, readable by its owner only; made where it is missing.",
    ),
]
TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="PEM", help="Serve HTTPS with this certificate (chain).")
]
TlsKeyOption = Annotated[
    Path | None, typer.Option("--tls-key", metavar="PEM", help="The certificate's key, without password.")
]
ProxyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        metavar="ADDRESS",
        help="A proxy whose X-Forwarded headers are believed, such as 127.0.0.1 or a network.",
    ),
]
PublicOption = Annotated[
    bool,
    typer.Option("--public", help="Scores, strokes and rulings are shown to everyone; footage is not."),
]
