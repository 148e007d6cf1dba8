"""Static files of the pages, compressed and cached for slow networks."""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import Response

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}


def file_response(request: Request, path: Path) -> Response:
    """A file of a page; OSError where it cannot be read."""
    return text_response(request, path.read_bytes(), KINDS[path.suffix])


def json_response(request: Request, document: dict[str, Any]) -> Response:
    """A document that is the same for everybody: nothing secret may stand in what is packed."""
    return text_response(request, json.dumps(document, ensure_ascii=False).encode(), KINDS[".json"])


def text_response(request: Request, body: bytes, kind: str) -> Response:
    """The text, packed where the browser takes that; status 304 where the browser has it already."""
    tag, packed = _packed(body)
    headers = {"cache-control": "no-cache", "etag": tag, "vary": "accept-encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type=kind, headers=headers | {"content-encoding": "gzip"})
    return Response(body, media_type=kind, headers=headers)


@lru_cache(maxsize=128)
def _packed(body: bytes) -> tuple[str, bytes]:
    """A name of the content for `etag`, and the content as gzip."""
    return f'W/"{hashlib.sha256(body).hexdigest()[:20]}"', gzip.compress(body, mtime=0)
