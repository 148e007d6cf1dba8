"""An RTSP camera in plain Python, for machines without GStreamer: the same messages as `rtsp`, one
stream.

    python rtsp_plain.py PORT USER PASSWORD < messages

RTSP 1.0 (RFC 2326) with interleaved TCP only, H.264 by RFC 6184 (single units and FU-A), Basic
authentication.
Standard library alone; for the soak and the tests, not for a network.
"""

from __future__ import annotations

import base64
import re
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Iterator

HEADER = struct.Struct(">cIQ")
_MOST = 1400  # bytes of a unit in one packet
_SDP = (
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96"
    " H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:stream=0\r\n"
)


class Hub:
    """The clients that play now. `shut`: nobody is answered."""

    def __init__(self, user: str, password: str) -> None:
        self.secret = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.shut = False
        self._clients: set[Client] = set()
        self._lock = threading.Lock()

    def join(self, client: Client) -> None:
        with self._lock:
            self._clients.add(client)

    def leave(self, client: Client) -> None:
        with self._lock:
            self._clients.discard(client)

    def push(self, data: bytes, at_us: int) -> None:
        with self._lock:
            clients = tuple(self._clients)
        for client in clients:
            client.send_unit(data, at_us)

    def kick(self) -> None:
        """Throw every client out and answer no more."""
        self.shut = True
        with self._lock:
            clients = tuple(self._clients)
        for client in clients:
            client.drop()


class Client(socketserver.StreamRequestHandler):
    """One connection: RTSP requests in, answers and interleaved RTP out."""

    hub: Hub

    def handle(self) -> None:
        self._sequence, self._sending = 0, threading.Lock()
        self.connection.settimeout(60.0)
        try:
            while not self.hub.shut and (request := self._request()) is not None:
                if not self._answer(*request):
                    return
        except (OSError, ValueError):
            return
        finally:
            self.hub.leave(self)

    def drop(self) -> None:
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def _request(self) -> tuple[str, dict[str, str]] | None:
        while (first := self.rfile.read(1)) == b"$":  # the client's own reports
            self.rfile.read(struct.unpack(">xH", self.rfile.read(3))[0])
        if not first:
            return None
        line = (first + self.rfile.readline()).decode("latin-1").strip()
        headers = {}
        while text := self.rfile.readline().decode("latin-1").strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        return line.split(" ", 1)[0], headers

    def _answer(self, method: str, headers: dict[str, str]) -> bool:
        sequence = headers.get("cseq", "0")
        if method != "OPTIONS" and headers.get("authorization") != self.hub.secret:
            self._say("401 Unauthorized", sequence, ['WWW-Authenticate: Basic realm="camera"'])
        elif method == "DESCRIBE":
            self._say(
                "200 OK", sequence, ["Content-Type: application/sdp", f"Content-Length: {len(_SDP)}"], _SDP
            )
        elif method == "SETUP":
            channels = re.search(r"interleaved=\d+-\d+", headers.get("transport", "")) or re.match("", "")
            transport = f"Transport: RTP/AVP/TCP;unicast;{channels[0] if channels else ''}"
            self._say(
                "200 OK" if channels and channels[0] else "461 Unsupported Transport",
                sequence,
                [transport, "Session: 1"],
            )
        else:
            self._say(
                "200 OK",
                sequence,
                ["Session: 1", "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER"],
            )
            if method == "PLAY":
                self.hub.join(self)
        return method != "TEARDOWN"

    def _say(self, status: str, sequence: str, headers: list[str], body: str = "") -> None:
        text = "\r\n".join([f"RTSP/1.0 {status}", f"CSeq: {sequence}", *headers, "", body])
        with self._sending:
            self.wfile.write(text.encode())

    def send_unit(self, data: bytes, at_us: int) -> None:
        """Send an access unit; a client that does not listen is dropped."""
        stamp = at_us * 9 // 100 & 0xFFFFFFFF
        payloads = [p for unit in units_of(data) for p in packets_of(unit)]
        out = bytearray()
        for k, payload in enumerate(payloads):
            marker = 0x80 if k == len(payloads) - 1 else 0
            rtp = struct.pack(">BBHII", 0x80, 96 | marker, self._sequence & 0xFFFF, stamp, 0x5EED) + payload
            out += struct.pack(">cBH", b"$", 0, len(rtp)) + rtp
            self._sequence += 1
        try:
            with self._sending:
                self.connection.sendall(out)
        except OSError:
            self.hub.leave(self)


def units_of(data: bytes) -> list[bytes]:
    """The NAL units of an access unit in Annex B form."""
    return [unit.rstrip(b"\0") for unit in re.split(b"\0\0\1", data) if unit.strip(b"\0")]


def packets_of(unit: bytes) -> Iterator[bytes]:
    """RTP payloads of a NAL unit (RFC 6184 5.6, 5.8)."""
    if len(unit) <= _MOST:
        yield unit
        return
    indicator, kind = (unit[0] & 0xE0) | 28, unit[0] & 0x1F
    for at in range(1, len(unit), _MOST):
        piece = unit[at : at + _MOST]
        edge = (0x80 if at == 1 else 0) | (0x40 if at + _MOST >= len(unit) else 0)
        yield bytes((indicator, edge | kind)) + piece


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def main() -> None:
    hub = Hub(sys.argv[2], sys.argv[3])
    handler = type("Handler", (Client,), {"hub": hub})
    with _Server(("127.0.0.1", int(sys.argv[1])), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print("ready", flush=True)
        stream = sys.stdin.buffer
        while len(head := stream.read(HEADER.size)) == HEADER.size:
            kind, size, at_us = HEADER.unpack(head)
            data = stream.read(size)
            if kind == b"A":
                hub.push(data, at_us)
            elif kind == b"K":
                hub.kick()
            else:
                hub.shut = False


if __name__ == "__main__":
    main()
