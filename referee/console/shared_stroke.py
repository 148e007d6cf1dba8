"""A stroke as one file to share: its replay, its figures and its video, without a server or a network.

The page holds the console's own player and chart library as they are, the replay's data and the texts as
JSON, and the video as base64; its policy lets it load nothing from elsewhere.
"""

from __future__ import annotations

import base64
import json
import secrets
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

from calibration.texts import unusable_input
from referee.console import page_data
from referee.console.export_queue import Share
from referee.outputs.annotated import Piece
from referee.outputs.document import Match, Stroke, record_fault
from referee.outputs.reel import write_reel
from referee.outputs.replay import replay_json
from referee.outputs.tracks import Tracks
from referee.outputs.words import Say, happened, ruling_words

_PIECE_BYTES = 3 << 16  # a multiple of 3, so that pieces of base64 join
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; media-src data:"


def write_shared_stroke(
    target: Path,
    match: Match,
    stroke: Stroke,
    tracks: Tracks,
    piece: Piece | None,
    say: Say,
    share: Share,
    *,
    blur: bool = False,
) -> None:
    """Write the file. `piece`: the video around the stroke, None where none is kept.

    Raises UnusableInput for a stroke without paths, OSError.
    """
    data = replay_json(stroke, tracks, say)
    if not data["balls"]:
        raise unusable_input("make.error_no_paths", n=stroke["n"])
    mark = secrets.token_hex(16)
    before, after = _page(match, stroke, data, piece, say, mark).split(mark)
    film = target.with_name(f"{target.name}.mp4")
    try:
        if piece is not None:
            write_reel(film, match, [piece], lambda done: share(0.95 * done), drawn=False, blur=blur)
        with target.open("wb") as page:
            page.write(before.encode())
            if piece is not None:
                with film.open("rb") as clip:
                    _write_base64(page, clip)
            page.write(after.encode())
    finally:
        film.unlink(missing_ok=True)


def _write_base64(page: BinaryIO, clip: BinaryIO) -> None:
    while part := clip.read(_PIECE_BYTES):
        page.write(base64.b64encode(part))


def _page(
    match: Match, stroke: Stroke, data: dict[str, Any], piece: Piece | None, say: Say, mark: str
) -> str:
    """The page's text with `mark` where the video's data belong."""
    title = f"{' – '.join(match['players'])}: {say.t('replay.heading', n=stroke['n'])}"
    a, b = stroke["score"]
    facts = [happened(stroke, say), ruling_words(match, stroke, say), say.t("replay.score", a=a, b=b)]
    fault = record_fault(match)
    told = {
        "data": data,
        "table": {**page_data.table_shape(match), "turn": say.turn},
        "texts": dict(say.texts.sections["replay"]),
        "begins_s": max(piece.span_s[0], piece.begins_s) if piece is not None else 0.0,
    }
    video = (
        f'<video id="film" muted playsinline preload="auto" aria-label="{escape(say.t("replay.video"))}"'
        f' src="data:video/mp4;base64,{mark}"></video>'
        if piece is not None
        else mark
    )
    lines = [
        f'<!doctype html><html lang="{say.texts.language}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(title)}</title>',
        f"<style>{_file('uplot/uPlot.min.css')}{_file('shared_stroke.css')}{_file('beyond.css')}</style></head><body>",
        f"<main><h1>{escape(title)}</h1><p>{escape('; '.join(f for f in facts if f))}</p>",
        f"<p><b>{escape(fault)}</b></p>" if fault else "",
        f'<div id="replay">{video}</div><p class="soft">{escape(say.t("replay.made_by"))}</p></main>',
        f'<script type="application/json" id="told">{_json(told)}</script>',
        f"<script>{_scripts()}</script></body></html>",
    ]
    return "\n".join(lines)


def _json(value: object) -> str:
    """JSON that ends no script: names come from people."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _scripts() -> str:
    """Chart library and player, each in a scope of its own, and what starts them."""
    plot = _file("uplot/uPlot.esm.js").replace("export { uPlot as default };", "return uPlot;")
    player = _file("player.js").replace("export class Player", "class Player") + "\nreturn Player;"
    parts = {"Plot": plot, "Player": player}
    scopes = [f"const {name} = (() => {{ {text} }})();" for name, text in parts.items()]
    return "\n".join([*scopes, _file("shared_stroke.js")])


def _file(name: str) -> str:
    return resources.files("referee.console.static").joinpath(name).read_text("utf-8")
