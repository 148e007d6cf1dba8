"""An RTSP camera of Debian's GStreamer, fed through standard input. Run by the system's Python, not ours.

    /usr/bin/python3 rtsp.py PORT USER PASSWORD < messages

A message: one byte kind, 4 bytes length, 8 bytes microseconds, then the payload (big endian).
`A`: an H.264 access unit (Annex B) shown at that time. `K`: throw every client out and answer no more.
`O`: answer again. Standard library and GObject introspection only: nothing of this project is imported.
"""

from __future__ import annotations

import importlib
import struct
import sys
import threading
from typing import Any

HEADER = struct.Struct(">cIQ")
PATH = "/table"


class Server:
    """One stream on one port; access units go to whichever pipeline serves the clients now."""

    def __init__(self, port: int, user: str, password: str) -> None:
        gi: Any = importlib.import_module("gi")
        gi.require_version("Gst", "1.0")
        gi.require_version("GstRtspServer", "1.0")
        names = ("Gst", "GstRtspServer", "GLib")
        self.gst, self.rtsp, self.glib = (importlib.import_module(f"gi.repository.{name}") for name in names)
        self.gst.init(None)
        self.source: Any = None
        self.offset_ns: int | None = None
        self.server = self.rtsp.RTSPServer()
        self.server.set_address("127.0.0.1")
        self.server.set_service(str(port))
        self._guard(user, password)
        self.open()
        self.server.attach(None)

    def _guard(self, user: str, password: str) -> None:
        auth, token = self.rtsp.RTSPAuth(), self.rtsp.RTSPToken()
        token.set_string("media.factory.role", "camera")
        auth.add_basic(self.rtsp.RTSPAuth.make_basic(user, password), token)
        self.server.set_auth(auth)

    def open(self) -> None:
        """Answer clients."""
        factory = self.rtsp.RTSPMediaFactory()
        caps = "video/x-h264,stream-format=byte-stream,alignment=au"
        factory.set_launch(
            f"( appsrc name=src is-live=true format=time block=false max-bytes=8000000 caps={caps}"
            " ! h264parse config-interval=1 ! rtph264pay name=pay0 pt=96 )"
        )
        factory.set_shared(True)
        role = self.gst.Structure.new_from_string(
            "camera, media.factory.access=(boolean)true, media.factory.construct=(boolean)true;"
        )
        factory.add_role_from_structure(role[0] if isinstance(role, tuple) else role)
        factory.connect("media-configure", self._configure)
        self.server.get_mount_points().add_factory(PATH, factory)

    def shut(self) -> None:
        """Throw the clients out and answer no more."""
        self.source = None
        self.server.get_mount_points().remove_factory(PATH)
        self.server.client_filter(lambda server, client: self.rtsp.RTSPFilterResult.REMOVE)

    def _configure(self, factory: Any, media: Any) -> None:
        source = media.get_element().get_by_name("src")
        media.connect("unprepared", self._gone, source)
        self.offset_ns, self.source = None, source

    def _gone(self, media: Any, source: Any) -> None:
        if self.source is source:
            self.source = None

    def push(self, data: bytes, at_us: int) -> bool:
        """Hand an access unit to the clients, if there are any. The first one decides where time begins."""
        source = self.source
        clock = source.get_clock() if source is not None else None
        if clock is None:
            return False
        now = clock.get_time() - source.get_base_time()
        if self.offset_ns is None:
            self.offset_ns = now - at_us * 1000
        buffer = self.gst.Buffer.new_wrapped(data)
        buffer.pts = buffer.dts = max(0, at_us * 1000 + self.offset_ns)
        source.emit("push-buffer", buffer)
        return False


def read_messages(server: Server, loop: Any) -> None:
    """Serve standard input until it ends."""
    stream = sys.stdin.buffer
    while len(head := stream.read(HEADER.size)) == HEADER.size:
        kind, size, at_us = HEADER.unpack(head)
        data = stream.read(size)
        if kind == b"A":
            server.push(data, at_us)
        elif kind == b"K":
            server.glib.idle_add(lambda: server.shut())
        elif kind == b"O":
            server.glib.idle_add(lambda: server.open())
    loop.quit()


def main() -> None:
    server = Server(int(sys.argv[1]), sys.argv[2], sys.argv[3])
    loop = server.glib.MainLoop()
    threading.Thread(target=read_messages, args=(server, loop), daemon=True).start()
    print("ready", flush=True)
    loop.run()


if __name__ == "__main__":
    main()
