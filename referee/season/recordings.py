"""Which recordings a batch reviews: folders, lists, files and addresses of object stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from calibration.files import work_folder
from calibration.texts import unusable_input
from referee.season.stores import answering, is_address, store_of
from vision.capture.address import shown

VIDEO_SUFFIXES = {".mp4", ".mkv", ".mov", ".avi", ".ts", ".m2ts", ".mts", ".webm", ".mpg", ".mpeg", ".m4v"}
_CALLS = ".calls.jsonl"


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording. `name`: its folder in the destination. `source`: a local path or an address (fsspec).

    `calls`: the local file `NAME.calls.jsonl` beside it, where there is one.
    """

    name: str
    source: str
    calls: str | None = None

    @property
    def remote(self) -> bool:
        """Whether the source is an address, not a local path."""
        return is_address(self.source)


def recordings(sources: Sequence[str]) -> tuple[Recording, ...]:
    """The recordings of folders (searched to the bottom), `.txt` lists, files and addresses, by name.

    Raises UnusableInput for a source without recordings, and for two recordings of one name.
    """
    found = [recording for source in sources for recording in _of(source)]
    by_name: dict[str, Recording] = {}
    for recording in found:
        other = by_name.setdefault(recording.name, recording)
        if other.source != recording.source:
            raise unusable_input(
                "errors.name_of_its_own",
                source=shown(recording.source),
                source_2=shown(other.source),
                name=repr(recording.name),
            )
    return tuple(by_name[name] for name in sorted(by_name))


def _of(source: str) -> Iterator[Recording]:
    if is_address(source):
        yield from _stored(source)
        return
    path = Path(source)
    if path.is_dir():
        yield from _in_folder(path)
    elif path.suffix.lower() == ".txt" and path.is_file():
        yield from _listed(path)
    elif path.is_file():
        yield _local(path, path.stem)
    else:
        raise unusable_input("errors.folder_a_list_or_a_recording", source=source)


def _in_folder(folder: Path) -> Iterator[Recording]:
    files = [f for f in sorted(folder.rglob("*")) if f.suffix.lower() in VIDEO_SUFFIXES and f.is_file()]
    if not files:
        raise unusable_input("errors.recordings", folder=folder, suffixes=_suffixes())
    for file in files:
        yield _local(file, file.relative_to(folder).with_suffix("").as_posix())


def _listed(path: Path) -> Iterator[Recording]:
    """One source a line; `#` begins a remark, local paths are relative to the list."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        source = line.split("#")[0].strip()
        if source.endswith(".txt"):
            raise unusable_input("errors.recording_or_a_folder", path=path, number=number)
        if source:
            yield from _of(source if is_address(source) else str(path.parent / source))


def _local(file: Path, name: str) -> Recording:
    calls = file.with_name(file.stem + _CALLS)
    return Recording(name, str(file.resolve()), str(calls.resolve()) if calls.is_file() else None)


def _suffixes() -> str:
    return ", ".join(sorted(VIDEO_SUFFIXES))


def _stored(address: str) -> Iterator[Recording]:
    """Recordings under an address, or the one at it."""
    store, root = store_of(address)
    with answering(address):
        paths = [p for p in sorted(store.find(root)) if PurePosixPath(p).suffix.lower() in VIDEO_SUFFIXES]
    if not paths:
        raise unusable_input("errors.recordings_not_none", address=shown(address), suffixes=_suffixes())
    for path in paths:
        inside = PurePosixPath(path)
        within = inside.relative_to(root) if inside.is_relative_to(root) and path != root else None
        name = (within or PurePosixPath(inside.name)).with_suffix("").as_posix()
        yield Recording(name, store.unstrip_protocol(path))


def stamp(recording: Recording) -> str:
    """What changes when the recording does: size, time, a store's tag.

    Raises UnusableInput where it is gone.
    """
    if not recording.remote:
        try:
            found = Path(recording.source).stat()
        except OSError as error:
            raise unusable_input("errors.file_not", source=recording.source, reason=error.strerror) from None
        return json.dumps([found.st_size, found.st_mtime_ns])
    store, path = store_of(recording.source)
    try:
        info = store.info(path)
    except Exception as error:  # every store has errors of its own
        raise unusable_input("errors.it_in_its_store", source=shown(recording.source), error=error) from None
    return json.dumps(
        [str(info.get(key)) for key in ("size", "ETag", "etag", "LastModified", "mtime", "md5")]
    )


@contextmanager
def at_hand(recording: Recording) -> Iterator[Path]:
    """The recording as a local file: itself, or a copy that is removed afterwards."""
    if not recording.remote:
        yield Path(recording.source)
        return
    store, path = store_of(recording.source)
    with work_folder("cueref-recording-") as folder:
        copy = folder / PurePosixPath(path).name
        try:
            store.get_file(path, str(copy))
        except Exception as error:  # every store has errors of its own
            raise unusable_input(
                "errors.recording_that_can_be_fetched", source=shown(recording.source), error=error
            ) from None
        yield copy
