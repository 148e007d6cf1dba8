"""Home Assistant finds a table by itself: one discovery message over MQTT describes its entities.

The table's values lie in one small retained message, `cueref/TABLE/board`, sent when one of them changes;
the large state is not parsed again for every entity. The format is Home Assistant's device discovery
(since 2024.12): retained JSON at `PREFIX/device/ID/config` with `device`, `origin` and `components`.
"""

from __future__ import annotations

import json
import re
from typing import Any, get_args

from referee import __version__
from referee.live.engine.state import Phase, StatusCode

PREFIX = "homeassistant"
"""Home Assistant's own default for where it looks."""
BIRTH = "status"
"""Below the prefix: Home Assistant says `online` there when it starts."""
_MOST_CHARACTERS = 255  # of an entity's state in Home Assistant
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]+")

Json = dict[str, Any]


def board_of(state: Json) -> Json:
    """The values that the entities show, of a LiveState as JSON; unknown is null."""
    a, b = state["players"]
    striker = next((p["name"] for p in (a, b) if p["side"] == state["striker"]), None)
    ruling = state["last_ruling"]
    in_frame = state["phase"] == "frame"
    return {
        "state": state["phase"] if state["status"] == "running" else state["status"],
        "running": state["status"] == "running",
        "camera": state["camera"]["ok"],
        "moving": state["moving"],
        "frame": state["frame"] or None,
        "player_a": _short(a["name"]),
        "player_b": _short(b["name"]),
        "score_a": a["score"],
        "score_b": b["score"],
        "frames_a": a["frames"],
        "frames_b": b["frames"],
        "score": f"{a['score']}-{b['score']}",
        "frames": f"{a['frames']}-{b['frames']}",
        "striker": _short(striker) if striker and in_frame else None,
        "ball_on": state["ball_on"] if in_frame else None,
        "free_ball": bool(state["free_ball"]),
        "break": state["break_points"],
        "remaining": state["remaining"] if in_frame else None,
        "ruling": _short(ruling["text"]) if ruling else None,
        "questions": sum(q["open"] for q in state["questions"]),
        "winner": next((_short(p["name"]) for p in (a, b) if p["side"] == state["winner"]), None),
    }


def _short(text: str) -> str:
    return text[:_MOST_CHARACTERS]


STATES: tuple[str, ...] = (*get_args(Phase), *(c for c in get_args(StatusCode) if c != "running"))
"""All that `board_of` says as `state`: a phase of play, or what is wrong."""

_SENSORS: tuple[tuple[str, str, Json], ...] = (
    ("state", "State", {"icon": "mdi:billiards", "device_class": "enum", "options": list(STATES)}),
    ("score", "Score", {"icon": "mdi:scoreboard"}),
    ("frames", "Frames", {"icon": "mdi:trophy-outline"}),
    ("ball_on", "Ball on", {"icon": "mdi:circle-slice-8"}),
    ("break", "Break", {"icon": "mdi:counter", "state_class": "measurement"}),
    ("striker", "Striker", {"icon": "mdi:account"}),
    ("player_a", "Player A", {"icon": "mdi:account"}),
    ("player_b", "Player B", {"icon": "mdi:account"}),
    ("score_a", "Score of player A", {"icon": "mdi:counter", "state_class": "measurement"}),
    ("score_b", "Score of player B", {"icon": "mdi:counter", "state_class": "measurement"}),
    ("frames_a", "Frames of player A", {"icon": "mdi:trophy-outline", "state_class": "measurement"}),
    ("frames_b", "Frames of player B", {"icon": "mdi:trophy-outline", "state_class": "measurement"}),
    ("frame", "Frame", {"icon": "mdi:numeric"}),
    ("remaining", "Points remaining", {"icon": "mdi:counter"}),
    ("ruling", "Last ruling", {"icon": "mdi:gavel"}),
    ("questions", "Open questions", {"icon": "mdi:help-circle-outline", "state_class": "measurement"}),
    ("winner", "Winner", {"icon": "mdi:trophy"}),
)
_BINARY: tuple[tuple[str, str, Json], ...] = (
    ("running", "Refereeing", {"device_class": "running", "entity_category": "diagnostic"}),
    ("camera", "Camera", {"device_class": "connectivity", "entity_category": "diagnostic"}),
    ("moving", "Balls moving", {"device_class": "moving"}),
    ("free_ball", "Free ball", {"icon": "mdi:hand-back-right-outline"}),
)


def object_id(topic: str) -> str:
    """A table's topic as an identity of Home Assistant, which takes letters, digits, `_` and `-` only.

    Names that differ in other characters alone would share one: those are written as their code points.
    """
    return _NOT_IN_AN_ID.sub(lambda m: "_" + "".join(f"{ord(c):x}" for c in m[0]), topic.replace("/", "_"))


def discovery_topic(topic: str, prefix: str = PREFIX) -> str:
    """Where the discovery of a table with that topic (`cueref/TABLE`) belongs."""
    return f"{prefix}/device/{object_id(topic)}/config"


def discovery(table: str, topic: str, pages: str | None) -> bytes:
    """The discovery message of a table. `topic`: `cueref/TABLE`; `pages`: the address of its pages."""
    ident = object_id(topic)
    device: Json = {
        "identifiers": [ident],
        "name": table,
        "manufacturer": "cueref",
        "model": "Table",
        "sw_version": __version__,
    }
    if pages is not None:
        device["configuration_url"] = pages
    components = {
        key: {
            "platform": "sensor",
            "unique_id": f"{ident}_{key}",
            "name": name,
            "value_template": f"{{{{ value_json['{key}'] }}}}",
            **more,
        }
        for key, name, more in _SENSORS
    } | {
        key: {
            "platform": "binary_sensor",
            "unique_id": f"{ident}_{key}",
            "name": name,
            "value_template": f"{{{{ 'ON' if value_json['{key}'] else 'OFF' }}}}",
            **more,
        }
        for key, name, more in _BINARY
    }
    return json.dumps(
        {
            "device": device,
            "origin": {"name": "cueref", "sw_version": __version__},
            "components": components,
            "state_topic": f"{topic}/board",
            "availability_topic": f"{topic}/online",
            "payload_available": "true",
            "payload_not_available": "false",
            "qos": 1,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()
