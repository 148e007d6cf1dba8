"""What pages are made of: packed, sent once, and only what some page says."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

from starlette.requests import Request

import referee
from calibration.texts.language import OF_NO_PAGE
from referee.console.page_files import text_response

BODY = b"a page's text " * 100


def asked(**headers: str) -> Any:
    named = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    return text_response(Request({"type": "http", "headers": named}), BODY, "text/css")


def test_a_text_is_packed_where_the_browser_takes_that() -> None:
    plain, packed = asked(), asked(accept_encoding="br, gzip")
    assert plain.body == BODY and "content-encoding" not in plain.headers
    assert gzip.decompress(packed.body) == BODY and packed.headers["content-encoding"] == "gzip"
    assert plain.headers["etag"] == packed.headers["etag"] and plain.headers["vary"] == "accept-encoding"


def test_what_the_browser_has_is_not_sent_again() -> None:
    tag = asked().headers["etag"]
    assert asked(if_none_match=tag).status_code == 304 and not asked(if_none_match=tag).body
    assert asked(if_none_match='W/"of-another-text"').status_code == 200


def test_no_page_says_a_text_that_it_does_not_get() -> None:
    for file in Path(referee.__file__).parent.rglob("*"):
        if file.suffix in (".js", ".html") and "uplot" not in file.parts:
            named = re.findall(r"""["`]([a-z]+)\.[a-z$]""", file.read_text("utf-8"))
            assert not OF_NO_PAGE & set(named), file
