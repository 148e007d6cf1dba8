"""Results and fixtures in forms that others read: schema.org, IPTC SportsML 3, iCalendar.

Sources: schema.org `SportsEvent` (it has no property for a score, so that stands in the description); IPTC
SportsML 3.0, its schema and examples of single players, a frame being a sports-event within its match;
RFC 5545 for calendars.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from calibration.table.games import GAMES
from referee.season.library.outcomes import Why
from referee.season.library.records import FixtureRecord
from referee.season.library.store import Result

_DECIDED_STATUS: Mapping[Why, str] = {
    "walkover": "forfeited",
    "retired": "forfeited",
    "awarded": "post-event",
    "abandoned": "halted",
}
"""IPTC's event status: forfeited, who is unable to play loses by default; halted, stopped and not resumed."""
_SPORTSML = "http://iptc.org/std/nar/2006-10-01/"
_CATALOGS = ("catalog.IPTC-G2-Standards_27.xml", "catalog.IPTC-Sports_1.xml")
"""Where a reader finds the schemes of IPTC's codes, as in the examples beside the schema."""


def _sport(game: str) -> str:
    """What a game is called in English; one that is not known stays as it was entered."""
    return GAMES[game].title if game in GAMES else game


def json_ld(results: Sequence[Result], fixtures: Sequence[FixtureRecord]) -> str:
    """Played and coming matches as JSON-LD of schema.org; safe inside a `<script>` of a page."""
    graph = [_played(r) for r in results] + [_coming(f) for f in fixtures]
    text = json.dumps({"@context": "https://schema.org", "@graph": graph}, indent=1, ensure_ascii=False)
    return text.replace("<", "\\u003c") + "\n"  # the same JSON; an HTML parser sees no tag and no comment


def _played(result: Result) -> dict[str, Any]:
    a, b = result.players
    told = [f"{f.score_a}-{f.score_b}" for f in result.frames]
    told += [] if result.decided is None else [_decision(result)]
    return {
        **_event(result.fixture or result.id, a, b, result.played_on, result.competition),
        **({} if result.game is None else {"sport": _sport(result.game)}),
        "description": f"{a} {result.frames_won[0]}-{result.frames_won[1]} {b} ({', '.join(told)})",
    }


def _decision(result: Result) -> str:
    """What the league decided, in English."""
    winner = "" if result.winner is None else f", {result.players['AB'.index(result.winner)]} wins"
    return f"{result.decided}{winner}"


def _coming(fixture: FixtureRecord) -> dict[str, Any]:
    event = _event(fixture.id, fixture.home, fixture.away, fixture.due_on, fixture.competition)
    people = {"homeTeam": _person(fixture.home), "awayTeam": _person(fixture.away)}
    return {**event, **people, "eventStatus": "https://schema.org/EventScheduled"}


def _event(ident: str, a: str, b: str, day: str, competition: str | None) -> dict[str, Any]:
    within = {} if competition is None else {"superEvent": {"@type": "SportsEvent", "name": competition}}
    return {
        "@type": "SportsEvent",
        "identifier": ident,
        "name": f"{a} - {b}",
        "startDate": day,
        "competitor": [_person(a), _person(b)],
        **within,
    }


def _person(name: str) -> dict[str, str]:
    return {"@type": "Person", "name": name}


def sportsml(results: Sequence[Result], at: str) -> str:
    """Results as SportsML 3.0. `at`: when the document is made, ISO 8601."""
    ElementTree.register_namespace("", _SPORTSML)
    root = _element(None, "sports-content")
    digest = hashlib.sha256("".join(r.id for r in results).encode()).hexdigest()[:16]
    stated = {"date-time": at, "doc-id": f"cueref-{digest}", "language": "en"}
    about = _element(root, "sports-metadata", stated)
    for catalog in _CATALOGS:
        _element(about, "catalogRef", {"href": f"http://www.iptc.org/std/catalog/{catalog}"})
    for result in results:
        status = "post-event" if result.winner else "mid-event"
        if result.decided is not None:
            status = _DECIDED_STATUS[result.decided]
        event = _element(root, "sports-event")
        stated = {"key": _qcode(result.fixture or result.id), "start-date-time": result.played_on}
        metadata = _element(event, "event-metadata", {**stated, "event-status": f"speventstatus:{status}"})
        codes = _element(metadata, "sports-content-codes")
        if result.game is not None:
            sport = {"code-type": "spct:sport", "code-name": _sport(result.game)}
            _element(codes, "sports-content-code", sport)
        if result.competition is not None:
            league = {"code-type": "spct:league", "code-name": _printable(result.competition)}
            _element(codes, "sports-content-code", league)
        _players(event, result.players, result.frames_won, result.winner)
        for frame in result.frames:
            within = _element(event, "sports-event")
            _element(within, "event-metadata", {"event-number": str(frame.n)})
            _players(within, result.players, (frame.score_a, frame.score_b), frame.winner)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"


def _qcode(key: str) -> str:
    """A key as SportsML's QCodeType wants it: a scheme (ours), a colon, no white space."""
    return f"cueref:{quote(key, safe='')}"


def _players(
    event: ElementTree.Element, names: Sequence[str], scores: Sequence[int], winner: str | None
) -> None:
    for side, name, score in zip("AB", names, scores, strict=True):
        player = _element(event, "player")
        _element(_element(player, "player-metadata"), "name", {"role": "nrol:full"}).text = _printable(name)
        outcome = "undecided" if winner is None else "win" if winner == side else "loss"
        stats = {"event-outcome": f"speventoutcome:{outcome}", "score": str(score)}
        _element(player, "player-stats", stats)


def _element(
    parent: ElementTree.Element | None, name: str, attributes: dict[str, str] | None = None
) -> ElementTree.Element:
    tag = f"{{{_SPORTSML}}}{name}"
    if parent is None:
        return ElementTree.Element(tag, attributes or {})
    return ElementTree.SubElement(parent, tag, attributes or {})


def calendar(fixtures: Sequence[FixtureRecord], at: str) -> str:
    """Fixtures as a calendar that phones subscribe to. `at`: when it is made, ISO 8601 in UTC."""
    stamp = at[:19].replace("-", "").replace(":", "") + "Z"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//cueref//library//EN"]
    for fixture in fixtures:
        uid = hashlib.sha256(fixture.id.encode()).hexdigest()[:32]
        lines += [
            "BEGIN:VEVENT",
            f"UID:{uid}@cueref",
            f"DTSTAMP:{stamp}",
            f"DTSTART;VALUE=DATE:{fixture.due_on.replace('-', '')}",
            f"SUMMARY:{_escaped(f'{fixture.home} - {fixture.away}')}",
            f"DESCRIPTION:{_escaped(fixture.competition)}",
            "END:VEVENT",
        ]
    return "".join(part + "\r\n" for line in [*lines, "END:VCALENDAR"] for part in _folded(line))


def _printable(text: str) -> str:
    """Without what neither a line of a calendar nor an XML document may hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def _escaped(text: str) -> str:
    return _printable(text).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> Iterator[str]:
    """Lines of at most 75 octets, the following ones with a space in front (RFC 5545, 3.1)."""
    part = ""
    for c in line:
        if len((part + c).encode()) > 75:
            yield part
            part = " "
        part += c
    yield part
