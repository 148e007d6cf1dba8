"""The soak's judge finds what it is there to find: each record here holds one thing that went wrong."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import UnusableInput
from referee.quality.soak.ledger import add, read
from referee.quality.soak.ledger import markdown as sums
from referee.quality.soak.plan import HIDES, KINDS, plan
from referee.quality.soak.report import findings, markdown, write_report
from referee.quality.soak.score import summary

ZERO = 1_800_000_000.0
Change = Callable[[list[dict[str, Any]]], None]


def utc(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="milliseconds")


def stroke(k: int, points: int, score: list[int]) -> dict[str, Any]:
    pots = [["red_01", "top-left", 10.0 * k + 3]] if points else []
    return {
        "type": "stroke",
        "striker": 0,
        "t_strike": 10.0 * k,
        "t_rest": 10.0 * k + 6,
        "foul": False,
        "points": points,
        "penalty": 0,
        "pots": pots,
        "score": score,
    }


def ruling(k: int, points: int, score: list[int]) -> dict[str, Any]:
    """The ruling of stroke k of the first frame, 0.5 s after the rest."""
    rest = ZERO + 20 + 10 * k + 6
    body = {
        "stroke": k + 1,
        "frame": 1,
        "start_s": 10.0 * k,
        "end_s": 10.0 * k + 6,
        "end_utc": utc(rest),
        "striker": "A",
        "foul": None,
        "points": points,
        "potted": ["red_1"] if points else [],
        "score": score,
        "verdict": "certain",
        "text": "said",
    }
    return {"type": "ruling", "seq": k, "utc": utc(rest + 0.5), "body": body}


def state(at_s: float = 90.0, t_s: float = 80.0) -> dict[str, Any]:
    camera = {"delay_ms": 60.0, "images": 2000, "skipped": 0}
    body = {"camera": camera, "match_id": "m"}
    return {"type": "state", "seq": 9, "utc": utc(ZERO + at_s), "t_s": t_s, "body": body}


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A flawless record of six strokes, changed as asked, as figures."""

    def write(
        change: Change = lambda events: None, faults: tuple[dict[str, Any], ...] = (), memory: float = 0.0
    ) -> dict[str, Any]:
        raw = tmp_path / "raw"
        raw.mkdir(exist_ok=True)
        truth = [stroke(k, int(k % 2), [(k + 1) // 2, 0]) for k in range(6)]
        events = [ruling(k, int(k % 2), [(k + 1) // 2, 0]) for k in range(6)]
        events.append(state())
        change(events)
        played = {"n": 0, "clip": "a", "start_unix": ZERO + 20, "end_unix": ZERO + 90, "strokes": truth}
        samples = [
            {
                "unix": ZERO + 5 * k,
                "pid": 1,
                "rss_mb": 300 + memory * k,
                "cpu_s": 1.0 * k,
                "threads": 9,
                "load": 1.0,
                "free_mb": 9.0,
            }
            for k in range(400)
        ]
        about = {
            "begun_unix": ZERO,
            "seconds": 1990,
            "seed": 1,
            "every_s": 1e9,
            "size": [1280, 720],
            "other_size": [2, 2],
            "fps": 25,
            "tmpfs": True,
            "clips": ["a"],
        }
        for name, lines in (
            ("about", [about]),
            ("played", [played]),
            ("events", events),
            ("samples", samples),
            ("faults", faults),
        ):
            (raw / f"{name}.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
        (raw / "leaks.json").write_text("[]")
        return summary(raw)

    return write


def test_a_flawless_record_has_no_findings(record: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    s = record()
    assert (
        findings(s) == []
        and s["clear"]["strokes"] == s["clear"]["certain"] == s["clear"]["scores_checked"] == 6
    )
    assert s["time_to_rule_s"]["median"] == pytest.approx(0.5, abs=0.01)
    assert s["process"]["cores"] == pytest.approx(0.2)
    assert "Nothing falls short" in markdown(s)
    write_report(tmp_path)
    assert (tmp_path / "soak.svg").read_text().count("<circle") == 6


def _lose(events: list[dict[str, Any]]) -> None:
    del events[3]


def _score(events: list[dict[str, Any]]) -> None:
    events[5]["body"]["score"] = [2, 1]


def _points(events: list[dict[str, Any]]) -> None:
    events[2]["body"].update(points=1, potted=["red_4"])


def _late(events: list[dict[str, Any]]) -> None:
    for k, e in enumerate(events):
        e["utc"] = utc(ZERO + 20 + 10 * k + 6 + 1.4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_lose, "1 of 6 strokes without a fault were lost"),
        (_score, "scores were wrong"),
        (_points, "certain and wrong"),
        (_late, "within 1.40 s"),
    ],
)
def test_what_went_wrong_is_found(record: Callable[..., dict[str, Any]], change: Change, words: str) -> None:
    assert any(words in f for f in findings(record(change)))


def _extra(events: list[dict[str, Any]]) -> None:
    ghost = ruling(9, 0, [3, 0])
    ghost["body"]["stroke"] = 99
    events.append(ghost)


def _asks(events: list[dict[str, Any]]) -> None:
    for e in events[:6]:
        e["body"]["verdict"] = "call"


def _skips(events: list[dict[str, Any]]) -> None:
    events[-1]["body"]["camera"]["skipped"] = 400


def _delays(events: list[dict[str, Any]]) -> None:
    events[-1]["body"]["camera"]["delay_ms"] = 1500.0


def _silent(events: list[dict[str, Any]]) -> None:
    del events[-1]


def _ahead(events: list[dict[str, Any]]) -> None:
    events.append(state(100.0, 7290.0))


def _clock_set(events: list[dict[str, Any]]) -> None:
    for event in events:
        event |= {"said_unix": datetime.fromisoformat(event["utc"]).timestamp(), "utc": utc(ZERO + 7300)}


FALSIFIED: dict[str, tuple[Change, str]] = {
    "a ruling of no stroke": (_extra, "1 rulings belong to no stroke"),
    "nothing is certain": (_asks, "0 of 6 strokes without a fault were ruled certain"),
    "images skipped": (_skips, "400 images were skipped"),
    "positions late": (_delays, "within 1500 ms"),
    "match time hours ahead": (_ahead, "match time ran away from the time that went by, by 7200 s"),
    "no state published": (_silent, "no delay of an image was published"),
}


@pytest.mark.parametrize("name", FALSIFIED)
def test_a_falsified_record_is_found(record: Callable[..., dict[str, Any]], name: str) -> None:
    change, words = FALSIFIED[name]
    assert any(words in f for f in findings(record(change))), findings(record(change))


def test_a_clock_that_was_set_changes_nothing(record: Callable[..., dict[str, Any]]) -> None:
    assert findings(record(_clock_set)) == []


CHANGED_FIGURES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "cut short": (lambda s: s.update(hours=0.1), "360 s were played"),
    "faults left out": (lambda s: s.update(planned_faults={"kill": 2}), "planned and not forced: 2 kill"),
    "one fault excuses all": (lambda s: s.update(longest_fault_s=2000.0), "it excuses too much"),
    "no strokes": (lambda s: s["clear"].update(strokes=0), "no stroke without a fault"),
    "most strokes excused": (lambda s: s["hidden"].update(strokes=50), "more than the 6"),
    "no scores": (lambda s: s["clear"].update(scores_checked=0), "no score was compared"),
    "a camera that stays away": (lambda s: s.update(never_reconnected=1), "no images came again"),
    "a crash": (lambda s: s["process"].update(processes=2), "2 processes ran, though it was killed 0 times"),
    "a peak of memory": (lambda s: s["process"].update(rss_mb_most=1500.0), "memory reached 1500 MB"),
    "a busy machine": (lambda s: s["process"].update(cores=1.9), "1.90 cores were busy"),
    "no samples": (lambda s: s.update(process={}), "no sample of the process"),
    "passwords not looked for": (lambda s: s.update(password_in_files=None), "was not looked for"),
    "a password": (lambda s: s.update(password_in_files=["live.log"]), "password stands in live.log"),
    "a wrong ruling in a fault": (lambda s: s["hidden"].update(certain_and_wrong=1), "certain and wrong"),
    "trouble": (lambda s: s["trouble"].append("the broker"), "trouble: the broker"),
}


@pytest.mark.parametrize("name", CHANGED_FIGURES)
def test_every_figure_of_the_report_can_fail(record: Callable[..., dict[str, Any]], name: str) -> None:
    change, words = CHANGED_FIGURES[name]
    s = record()
    assert findings(s) == []
    change(s)
    assert any(words in f for f in findings(s)), findings(s)


def test_a_camera_that_never_comes_back_is_counted(record: Callable[..., dict[str, Any]]) -> None:
    fault = {"kind": "drop", "start_unix": ZERO + 200, "end_unix": ZERO + 202}
    assert record(faults=(fault,))["never_reconnected"] == 1


def test_a_stroke_lost_during_a_fault_is_counted_apart(record: Callable[..., dict[str, Any]]) -> None:
    fault = {"kind": "drop", "start_unix": ZERO + 20 + 32, "end_unix": ZERO + 20 + 34}
    s = record(_lose, (fault,))
    assert s["clear"]["lost"] == 0 and s["hidden"]["lost"] == 1
    assert findings(s) == ["after 1 faults no images came again within a minute"]
    full = {**fault, "kind": "disk"}
    assert record(_lose, (full,))["clear"]["lost"] == 1, "a full disk is no excuse"


def test_a_broker_or_a_browser_that_hears_nothing_again_is_found(
    record: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "raw").mkdir()

    def back(kind: str, seconds: float) -> list[str]:
        (tmp_path / "raw" / "back.jsonl").write_text(json.dumps({"kind": kind, "seconds": seconds}))
        return findings(record())

    assert back("broker", 20.0) == back("browser", 1.0) == []
    assert "broker heard of the table 36.0 s after" in " ".join(back("broker", 36.0))
    assert "browser heard of the table 9.0 s after" in " ".join(back("browser", 9.0))
    assert "a browser that was there again heard nothing" in " ".join(back("browser", 60.0))


def test_soaks_add_up_and_none_counts_twice(record: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    ledger, figures = tmp_path / "soaks.jsonl", record()
    figures["findings"] = []
    for code, begun in (("abc", 0.0), ("abc", 5000.0), ("def", 9000.0)):
        figures["about"] |= {"begun_unix": ZERO + begun, "code": code}
        add(ledger, figures)
    figures["clear"] |= {"strokes": 7, "lost": 1}  # the last one, judged again
    add(ledger, figures)
    rows = sums(read(ledger)).splitlines()
    assert [r.split(" | ")[:3] for r in rows[2:]] == [
        ["| def", "1", "0.55"],
        ["| abc", "2", "1.11"],
        ["| all", "3", "1.66"],
    ]
    assert "| 19 | 1 | 0 |" in rows[-1]
    ledger.write_text("{}")
    with pytest.raises(UnusableInput, match="expected the soaks"):
        read(ledger)


def test_a_record_of_before_has_the_plan_of_before(tmp_path: Path) -> None:
    kinds = [f.kind for f in plan(7200, 100, 3, KINDS[:6])]
    assert "broker" not in kinds and {f.kind for f in plan(7200, 100, 3)} == set(KINDS)


def test_memory_that_grows_is_found(record: Callable[..., dict[str, Any]]) -> None:
    assert any("memory" in f for f in findings(record(memory=0.2)))
    assert findings(record(memory=0.001)) == []


def test_a_plan_follows_from_its_seed_and_leaves_one_process_alive_for_long() -> None:
    faults = plan(7200, 100, 3)
    assert faults == plan(7200, 100, 3) != plan(7200, 100, 4)
    assert {f.kind for f in faults} == set(KINDS) and "disk" not in HIDES
    kills = [f.at_s for f in faults if f.kind == "kill"]
    alive = max(b - a for a, b in zip([0.0, *kills], [*kills, 7200.0], strict=True))
    assert alive > 0.7 * 7200
    assert all(a.at_s + a.span_s < b.at_s for a, b in itertools.pairwise(faults))
