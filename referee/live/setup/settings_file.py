"""The settings file that `cueref setup` writes and `cueref live --settings` reads: `live.toml` beside
`table.json`.

It may hold the camera's password, so it is readable by its owner only, and nothing prints it.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import tomli_w

from calibration.files import write_text
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.texts import ENGLISH, languages, unusable_input
from referee.console.serving import Serving
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.pages.options import PagesOptions

SETTINGS_FILE = "live.toml"
TABLE_FILE = "table.json"
_USUAL_BEFORE = "~3569x1778"  # until 25 November 2026 every game's usual table was written so
_MOST_BYTES = 64 * 1024  # a settings file has less than one KB


@dataclass(frozen=True, slots=True)
class SetupFile:
    """The settings of a table. `table`: `usual` for the game, or `3569x1778` in mm, with `~` in front where
    the size was not measured; `nose_mm`, `ball_mm` 0: not measured; `best_of` 0: open-ended; `keep_days` 0:
    for ever. `names` and `proxies`: with a comma between.
    """

    camera: str = field(repr=False)
    table_name: str = "table"
    game: str = "snooker"
    table: str = DEFAULT_TABLE
    ball_mm: float = 0.0
    nose_mm: float = 0.0
    player_a: str = "A"
    player_b: str = "B"
    best_of: int = 0
    breaks: str = "A"
    keep_days: float = 30.0
    record: bool = True
    language: str = ENGLISH
    voice: bool = False
    host: str = "127.0.0.1"
    port: int = 8765
    names: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    proxies: str = ""
    public: bool = False
    keep_gb: float = 20.0
    address: str = ""

    def __post_init__(self) -> None:
        """All checks of the parts are made here, before a file is written."""
        if self.breaks not in ("A", "B"):
            raise unusable_input("errors.breaks_or_b", breaks=repr(self.breaks))
        if self.language not in languages():
            raise unusable_input(
                "errors.language_expected_one_of_found",
                known=", ".join(languages()),
                language=repr(self.language),
            )
        self.live_settings(Path("."))
        self.pages_options()

    def match(self) -> NewMatch:
        """The match to begin with."""
        return NewMatch(
            (self.player_a, self.player_b), self.best_of or None, "B" if self.breaks == "B" else "A"
        )

    def live_settings(self, folder: Path) -> LiveSettings:
        """For the engine; matches and calibration lie in `folder`."""
        return LiveSettings(
            camera=self.camera,
            out=folder,
            table_name=self.table_name,
            game=self.game,
            table=parse_table(self.table, self.ball_mm or None, self.nose_mm or None, self.game),
            calibration=folder / TABLE_FILE,
            match=self.match(),
            keep_days=self.keep_days,
            keep_gb=self.keep_gb,
            record=self.record,
        )

    def pages_options(self, beside: Serving | None = None) -> PagesOptions:
        """For the pages. `beside`: what was told beside the file, which holds no token; it counts more."""
        told = beside or Serving()
        serving = Serving(
            self.host,
            self.port,
            told.names or _listed(self.names),
            told.token,
            told.token_file,
            told.tls_cert or (Path(self.tls_cert) if self.tls_cert else None),
            told.tls_key or (Path(self.tls_key) if self.tls_key else None),
            told.proxies or _listed(self.proxies),
            told.public or self.public,
            told.address or self.address,
        )
        return PagesOptions(serving, self.table_name, self.language, self.voice)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def write_settings(folder: Path, settings: SetupFile) -> Path:
    """Write `live.toml`, whole or not at all, readable by its owner only. Raises UnusableInput."""
    target = folder / SETTINGS_FILE
    text = "# written by cueref setup; used by: cueref live --settings FILE\n" + tomli_w.dumps(
        asdict(settings)
    )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_text(target, text, 0o600)
    except OSError as error:
        raise unusable_input(
            "errors.place_to_write_the_settings", target=target, reason=error.strerror
        ) from None
    return target


def read_settings(path: Path) -> SetupFile:
    """Read a settings file (or the one in a folder). Raises UnusableInput, which does not quote the file."""
    file = path / SETTINGS_FILE if path.is_dir() else path
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise unusable_input("errors.settings_of_at_most_bytes", file=file, most_bytes=_MOST_BYTES)
        found = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise unusable_input("errors.settings_of_cueref_setup", file=file, reason=error.strerror) from None
    except ValueError:
        raise unusable_input("errors.settings_of_cueref_setup_toml", file=file) from None
    known = {f.name: f.type for f in fields(SetupFile)}
    wrong = [k for k in found if k not in known] + [k for k in ("camera",) if k not in found]
    if wrong:
        raise unusable_input("errors.keys", file=file, known=", ".join(known), wrong=repr(wrong[0]))
    for name, value in found.items():
        if not _fits(known[name], value):
            raise unusable_input(
                "errors.expected_to_be_found_another_kind", file=file, name=name, known=known[name]
            )
    if found.get("table") == _USUAL_BEFORE:
        found["table"] = DEFAULT_TABLE
    return SetupFile(**found)


def _fits(kind: object, value: object) -> bool:
    """Whether a TOML value is of the kind that an annotation (text) names; a whole number is a float too."""
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, {"str": str, "bool": bool}[str(kind)])
