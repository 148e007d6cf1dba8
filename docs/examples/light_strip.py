"""A light strip that shows the ball on, and texts for the keys of a Stream Deck, by webhook.

    CUEREF_WEBHOOK_SECRET=... python light_strip.py --strip http://strip.local --port 8790
    CUEREF_WEBHOOK_SECRET=... cueref live CAMERA --webhook http://localhost:8790/

Needs Python alone. The strip runs WLED; a strip of another make needs its own `paint`. Keys ask for
`/score`, `/break`, `/on` or `/striker` and get one line of text.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import os
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COLOURS = {
    "red": (196, 22, 28),
    "yellow": (242, 197, 0),
    "green": (10, 122, 61),
    "brown": (122, 74, 33),
    "blue": (23, 73, 176),
    "pink": (242, 155, 178),
    "black": (40, 0, 60),
    "any_colour": (255, 255, 255),
}
FOUL = (255, 60, 0)
OLD_S = 300.0
MOST_BYTES = 1 << 20


def genuine(secret: str, body: bytes, header: str) -> bool:
    """Whether a body was signed with the secret in the last minutes (`Cueref-Signature: t=..,v1=..`)."""
    parts = dict(p.split("=", 1) for p in header.split(",") if "=" in p)
    at = parts.get("t", "")
    if not at.isdigit() or abs(time.time() - int(at)) > OLD_S:
        return False
    wanted = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, parts.get("v1", ""))


class Board:
    """What the keys show and the strip paints."""

    def __init__(self, strip: str | None) -> None:
        self.strip, self.texts, self.painted = strip, {}, None

    def take(self, event: dict[str, Any]) -> None:
        """Take one event of the table (`live.schema.json`); kinds that are not known are ignored."""
        body = event["body"]
        if event["type"] == "state":
            a, b = body["players"]
            striker = next((p["name"] for p in (a, b) if p["side"] == body["striker"]), "")
            self.texts = {
                "/score": f"{a['name']} {a['score']} - {b['score']} {b['name']}",
                "/break": str(body["break_points"]),
                "/on": body["ball_on"] or "",
                "/striker": striker,
            }
            self.paint(COLOURS.get(body["ball_on"] or "", (30, 30, 30)))
        elif event["type"] == "ruling" and body["kind"] == "foul":
            self.paint(FOUL)

    def paint(self, colour: tuple[int, int, int]) -> None:
        """Give the whole strip one colour (WLED's JSON API), where it has another."""
        if self.strip is None or colour == self.painted:
            return
        wanted = json.dumps({"on": True, "transition": 4, "seg": [{"col": [list(colour)], "fx": 0}]}).encode()
        request = urllib.request.Request(
            f"{self.strip}/json/state", wanted, {"content-type": "application/json"}
        )
        try:
            urllib.request.urlopen(request, timeout=2.0).close()
            self.painted = colour
        except OSError as error:
            print(f"the strip does not answer: {error}")


def server(board: Board, secret: str, port: int, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """The receiver, not yet running."""

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(min(length, MOST_BYTES))
            good = genuine(secret, body, self.headers.get("Cueref-Signature", ""))
            if good:
                board.take(json.loads(body))
            self.answer(204 if good else 403, "")

        def do_GET(self) -> None:
            text = board.texts.get(self.path)
            self.answer(404 if text is None else 200, text or "")

        def answer(self, status: int, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            if status != 204:
                self.send_header("content-type", "text/plain; charset=utf-8")
                self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return ThreadingHTTPServer((host, port), Receiver)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--strip", help="address of a WLED strip, http://NAME")
    options.add_argument("--port", type=int, default=8790)
    told = options.parse_args()
    server(Board(told.strip), os.environ["CUEREF_WEBHOOK_SECRET"], told.port).serve_forever()


if __name__ == "__main__":
    main()
