"""A scene collection for OBS Studio: the scoreboard over the camera, to be imported as it is.

OBS: Scene Collection, Import. The camera's source has no device yet, because its name is the machine's own;
it is chosen once under Properties. The keys are those that `scene_load_item` of OBS's `libobs/obs-scene.c`
reads; without `version`, newer OBS takes the positions as pixels too.
"""

from __future__ import annotations

import json
import uuid
from typing import Any
from urllib.parse import urlsplit

from calibration.texts import unusable_input

WIDTH_PX, HEIGHT_PX = 1920, 1080
_LONGEST = 500  # characters of an address
_SPACE = uuid.UUID("5f0f6c0e-6d6a-5e1b-9d7f-2b7f0c1e9a01")
"""Names in a file have fixed identities, so that the same address gives the same file."""

Json = dict[str, Any]


def obs_scene(overlay_url: str, name: str = "cueref") -> str:
    """The scene collection as JSON. `overlay_url`: of the scoreboard, with its key where it needs one.

    Raises UnusableInput for what is no web address.
    """
    parts = urlsplit(overlay_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or len(overlay_url) > _LONGEST:
        raise unusable_input("make.error_url", found=repr(overlay_url[:60]))
    camera, board = "Camera", "Scoreboard"
    sources = [
        _source(camera, "v4l2_input", {"auto_reset": True}),
        _source(
            board,
            "browser_source",
            {
                "url": overlay_url,
                "width": WIDTH_PX,
                "height": HEIGHT_PX,
                "fps": 30,
                "css": "",
                "shutdown": False,
                "restart_when_active": False,
                "reroute_audio": False,
            },
        ),
    ]
    items = [_item(k, source) for k, source in enumerate(sources, start=1)]
    scene = _source("Table", "scene", {"id_counter": len(items), "custom_size": False, "items": items})
    return json.dumps(
        {
            "name": name,
            "current_scene": "Table",
            "current_program_scene": "Table",
            "scene_order": [{"name": "Table"}],
            "sources": [*sources, scene],
            "groups": [],
            "transitions": [],
            "current_transition": "Cut",
            "transition_duration": 300,
            "resolution": {"x": WIDTH_PX, "y": HEIGHT_PX},
        },
        indent=2,
    )


def _source(name: str, kind: str, settings: Json) -> Json:
    return {
        "name": name,
        "uuid": str(uuid.uuid5(_SPACE, name)),
        "id": kind,
        "versioned_id": kind,
        "settings": settings,
        "enabled": True,
        "muted": False,
        "volume": 1.0,
        "mixers": 0,
        "filters": [],
        "hotkeys": {},
        "private_settings": {},
    }


def _item(number: int, source: Json) -> Json:
    """A source in the scene, filling the picture; later items lie above earlier ones."""
    return {
        "name": source["name"],
        "source_uuid": source["uuid"],
        "id": number,
        "visible": True,
        "locked": False,
        "pos": {"x": 0.0, "y": 0.0},
        "scale": {"x": 1.0, "y": 1.0},
        "rot": 0.0,
        "align": 5,
        "bounds_type": 2,
        "bounds_align": 0,
        "bounds": {"x": float(WIDTH_PX), "y": float(HEIGHT_PX)},
        "crop_left": 0,
        "crop_top": 0,
        "crop_right": 0,
        "crop_bottom": 0,
        "private_settings": {},
    }
