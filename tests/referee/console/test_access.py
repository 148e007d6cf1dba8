"""The console's server: who is let in, and what is served."""

# ruff: noqa: E402
from __future__ import annotations

import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from console_fixture import TOKEN, correction, serving

from calibration.errors import UnusableInput
from referee.console import page_data
from referee.console.guard import Policy
from referee.console.restore import decoded, picture_size

pytest_plugins = ("console_sites",)
WRITE = {"x-cueref-token": TOKEN}


def raw(client: Any, target: str, host: str | None = None, more: str = "") -> bytes:
    """A request as it stands, which no client library tidies up."""
    address = (client.base_url.host, client.base_url.port)
    with socket.create_connection(address, timeout=10) as s:
        s.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {host or f'{address[0]}:{address[1]}'}\r\n{more}Connection:"
            " close\r\n\r\n".encode()
        )
        return b"".join(iter(lambda: s.recv(65536), b""))


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_page_of_another_site_gets_nothing(site: Any) -> None:
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1@evil.example", ""):
        assert status(raw(site, "/api/matches", host or " ")) in (400, 421), host
    assert status(raw(site, "/api/matches", "localhost")) == 200
    assert site.get("/api/matches", headers={"origin": "http://evil.example"}).status_code == 403
    assert site.get("/api/matches", headers={"origin": "null"}).status_code == 403
    assert site.get("/api/matches", headers={"origin": str(site.base_url).rstrip("/")}).status_code == 200


def test_pictures_and_scripts_of_another_site_are_refused_but_links_work(site: Any) -> None:
    """They send no Origin; browsers tell by Sec-Fetch-Site. Another port of this machine counts as well."""
    for origin in ("cross-site", "same-site"):
        fetch = {"sec-fetch-site": origin, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        assert site.get("/api/matches/frame/evidence/1", headers=fetch).status_code == 403
        link = {"sec-fetch-site": origin, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert site.get("/", headers=link).status_code == 200
        assert site.get("/api/matches/frame/export/json", headers=link).status_code == 403
    assert (
        site.get(
            "/api/matches", headers={"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}
        ).status_code
        == 200
    )


def test_a_socket_of_another_site_is_refused(site: Any) -> None:
    upgrade = (
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key:"
        " dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    )
    with socket.create_connection((site.base_url.host, site.base_url.port), timeout=10) as s:
        s.sendall(
            f"GET /ws/frame HTTP/1.1\r\nHost: 127.0.0.1:{site.base_url.port}\r\nOrigin:"
            f" http://evil.example\r\n{upgrade}\r\n".encode()
        )
        assert status(s.recv(4096)) == 403
    with socket.create_connection((site.base_url.host, site.base_url.port), timeout=10) as s:
        s.sendall(
            f"GET /ws/frame HTTP/1.1\r\nHost: 127.0.0.1:{site.base_url.port}\r\nOrigin:"
            f" http://127.0.0.1:{site.base_url.port}\r\n{upgrade}\r\n".encode()
        )
        assert status(s.recv(4096)) == 101


def test_a_change_needs_the_token_in_its_header(site: Any) -> None:
    body = correction(1, facts={"potted": []})
    for headers in ({}, {"x-cueref-token": "wrong"}, {"cookie": f"cueref_token={TOKEN}"}):
        answer = site.post("/api/matches/frame/corrections", json=body, headers=headers)
        assert answer.status_code == 403, headers
    assert site.post(f"/api/matches/frame/corrections?token={TOKEN}", json=body).status_code == 403
    assert site.get("/api/matches/frame").json()["version"] == 1


def test_another_address_needs_the_token_for_everything(reviewed: Path) -> None:
    with serving([reviewed], open_reading=False) as url, httpx.Client(base_url=url) as client:
        for path in ("/", "/api/matches", "/static/app.js", "/api/matches/frame/video"):
            assert client.get(path).status_code == 401, path
        assert client.get(f"/api/matches?token={TOKEN}").status_code == 200
        assert client.get("/login?token=wrong").status_code == 403
        assert client.get(f"/login?token={TOKEN}").headers["location"] == "/"
        assert client.get("/api/matches").status_code == 200  # the cookie came with the login
    with serving([reviewed], open_reading=False) as url, httpx.Client(base_url=url) as obs:
        assert obs.get("/overlay?token=wrong").status_code == 401 and not obs.cookies
        assert obs.get(f"/overlay?token={TOKEN}").status_code == 200
        assert obs.get("/static/overlay.js").status_code == obs.get("/static/overlay.css").status_code == 200
        body = correction(1, facts={"potted": []})
        assert obs.post("/api/matches/frame/corrections", json=body).status_code == 403


def test_only_own_host_names_are_answered() -> None:
    closed, loopback = Policy("t", False, ("club.local",)), Policy("t", True)
    assert (
        closed.host_allowed("192.168.1.4:8765")
        and closed.host_allowed("club.local")
        and closed.host_allowed("[fe80::1]:80")
    )
    assert not loopback.host_allowed("192.168.1.4") and loopback.host_allowed("[::1]:8765")
    assert (
        not closed.host_allowed("evil.example")
        and not closed.host_allowed("a b")
        and not closed.host_allowed("")
    )


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/%00",
        "/api/matches/..%2fsecret.txt",
        "/api/matches/%2e%2e/video",
        "/api/matches/frame/export/..%2f..%2fsecret.txt",
        "/api/matches/frame/journal.sqlite",
        "/frame/match.json",
    ],
)
def test_only_files_of_opened_matches_are_served(site: Any, path: str) -> None:
    answer = raw(site, path)
    assert status(answer) in (404, 422)
    assert (
        b"secret" not in answer.split(b"\r\n\r\n", 1)[1].replace(b"secret.txt", b"")
        and b"root:" not in answer
    )


def test_the_video_comes_in_ranges(site: Any) -> None:
    whole = site.get("/api/matches/frame/video")
    part = site.get("/api/matches/frame/video", headers={"range": "bytes=100-199"})
    assert part.status_code == 206 and part.content == whole.content[100:200]
    assert part.headers["content-range"] == f"bytes 100-199/{len(whole.content)}"
    assert (
        site.get(
            "/api/matches/frame/video", headers={"range": f"bytes={len(whole.content) + 5}-"}
        ).status_code
        == 416
    )


def test_answers_forbid_foreign_scripts(site: Any) -> None:
    for path in ("/", "/overlay", "/api", "/api/matches", "/static/app.js", "/nothing"):
        policy = site.get(path).headers["content-security-policy"]
        assert (
            "script-src 'self'" in policy and "default-src 'none'" in policy and "unsafe-eval" not in policy
        )
    sheet = site.get("/api/matches/frame/export/sheet")
    assert "sandbox" in sheet.headers.get_list("content-security-policy")[0] and "&lt;Ace&gt;" in sheet.text
    static = Path(page_data.__file__).parent / "static"
    own = (p for p in static.rglob("*") if p.suffix in (".js", ".html", ".css"))
    # a library's comments name where something is from; what its code says is looked at
    code = "".join(re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", p.read_text("utf-8"), flags=re.S) for p in own)
    assert "http" not in code.replace("http://www.w3.org", "").replace('"https:"', "")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"stroke": 1},
        correction(1),
        correction(0, facts={"potted": []}),
        correction(99, facts={"potted": []}),
        correction(1, facts={"potted": ["mauve"]}),
        correction(1, facts={"striker": "C"}),
        correction(1, facts={"potted": ["red"] * 23}),
        correction(1, who="", facts={"potted": []}),
        correction(1, who="x" * 81, facts={"potted": []}),
        correction(1, facts={"unknown": 1}),
        correction(1, answer=0),
        correction(1, choice="concede"),
        correction(1, version=77, facts={"potted": []}),
        correction(1, who="Ref\u202eeve", facts={"potted": []}),
        correction(1, who="\x00x", facts={"potted": []}),
    ],
)
def test_every_input_is_validated_before_anything_is_touched(site: Any, body: dict[str, Any]) -> None:
    answer = site.post("/api/matches/frame/corrections", json=body, headers=WRITE)
    assert answer.status_code == 422, answer.text
    assert site.get("/api/matches/frame/history").json() == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"stroke": NaN}', b"\xff\xfe", b"[" * 100_000])
def test_an_invalid_change_is_refused_without_quoting_it(site: Any, body: bytes) -> None:
    headers = {**WRITE, "content-type": "application/json"}
    answer = site.post("/api/matches/frame/corrections", content=body, headers=headers)
    assert answer.status_code in (400, 422) and "input" not in answer.json()["detail"]


PYDANTIC = ("Input should", "Field required", "Extra inputs", "Value error", "valid integer", "JSON decode")


@pytest.mark.parametrize(
    ("body", "english", "german"),
    [
        ({}, "stroke: expected this field, found none", "stroke: erwartet: dieses"),
        ([], "the request: expected an object", "die Anfrage: erwartet: ein"),
        ({"stroke": "x", "who": "A"}, "stroke: expected a whole number, found text", "eine ganze Zahl"),
        ({"stroke": 0, "who": "A"}, "stroke: expected at least 1, found a number", "mindestens 1"),
        ({"stroke": 1, "who": "A", "more": 1}, "more: expected none such", "more: erwartet: kein solches"),
        (correction(1, facts={"cue_ball": "up"}), "facts.cue_ball: expected one of on_table", "eines von"),
        (correction(1, facts={"potted": ["egg"]}), "facts.potted.0: expected a ball among", "ein Ball aus"),
        (correction(1, facts={"infringements": ["x"]}), "expected a foul among", "ein Foul aus"),
        (correction(1, who="\x00x"), "expected a name of printable characters", "aus druckbaren Zeichen"),
    ],
)
def test_a_body_of_the_wrong_shape_is_told_in_one_sentence(
    site: Any, body: Any, english: str, german: str
) -> None:
    for language, words in (("en", english), ("de", german)):
        headers = {**WRITE, "accept-language": language}
        answer = site.post("/api/matches/frame/corrections", json=body, headers=headers)
        said = answer.json()["detail"]
        assert answer.status_code == 422 and words in said, said
        assert not any(w in said for w in PYDANTIC) and "\n" not in said


def test_every_route_that_takes_a_body_says_what_is_wrong_with_it(site: Any) -> None:
    paths = site.get("/api/openapi.json").json()["paths"]
    taken = [(path, how) for path, ways in paths.items() for how, way in ways.items() if "requestBody" in way]
    assert len(taken) > 8
    for path, how in taken:
        for body in ([], {"who": 7, "x": []}, "text"):
            target = path.replace("{ident}", "frame").replace("{n}", "1")
            answer = site.request(how.upper(), target, json=body, headers=WRITE)
            said = answer.json()["detail"]
            assert isinstance(said, str) and not any(w in said for w in PYDANTIC), (path, said)


def test_uploads_have_a_limit_and_must_be_pictures(site: Any) -> None:
    path = "/api/matches/frame/restore?stroke=3"
    assert site.post(path, content=b"x" * 1000, headers=WRITE).status_code == 422
    address = (site.base_url.host, site.base_url.port)
    with socket.create_connection(address, timeout=10) as s:
        s.sendall(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nx-cueref-token:"
            f" {TOKEN}\r\nContent-Length: 1000000000\r\n\r\n".encode()
        )
        assert status(s.recv(4096)) == 413
    chunks = (b"x" * 2**20 for _ in range(26))  # no length in the head
    assert site.post(path, content=chunks, headers=WRITE).status_code == 413
    assert site.post(path, content=b"x", headers={}).status_code == 403


def test_a_picture_that_claims_to_be_huge_is_not_decoded() -> None:
    import cv2
    import numpy as np

    png = cv2.imencode(".png", np.zeros((48, 64, 3), np.uint8))[1].tobytes()
    jpeg = cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes()
    assert picture_size(png) == picture_size(jpeg) == (64, 48) and decoded(jpeg).shape == (48, 64, 3)
    bomb = png[:16] + (60000).to_bytes(4) + (60000).to_bytes(4) + png[24:]
    for data in (bomb, b"GIF89a", b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"):
        with pytest.raises(UnusableInput):
            decoded(data)
