"""The soak on one page: figures in Markdown and HTML, curves in SVG, in the language of the terminal.

Figures and findings are English, as `soak.json` keeps them; what people read is said from them.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calibration.texts import said, spoken
from referee.live.recording.disk import write_whole
from referee.outputs.pages import in_language
from referee.quality.soak.score import compare, read_lines, rulings, summary, true_strokes

Point = tuple[float, float]
_W, _H, _LEFT, _BOTTOM = 760, 170, 54, 24
_FLAT = 0.05
_RULE_S, _RECONNECT_S = 1.0, 5.0
_FEED_BACK_S = {"broker": 35.0, "browser": 5.0}  # a broker is tried again after 1, 2, 4 ... 30 s
_PLAYED_SHARE = 0.98  # of the time planned; the last clip may end a little early
_LONGEST_FAULT_S = 90.0  # a full disk lasts 60 s, each other fault 6 s (`referee.quality.soak.plan`)
_MATCH_TIME_OFF_S = 30.0  # the camera dark between two frames, then gone and found again
_CERTAIN_SHARE = 0.8  # a referee who asks about everything is never wrong
_SKIPPED_SHARE = 0.05  # of images; a tenth of a second while clips change is less
_MOST_MB = 1000  # the service's own limit (`referee.live.setup.service`)
_MOST_CORES = 1.5  # of the two of a club's machine


def findings(s: dict[str, Any]) -> list[str]:
    """What falls short of the promise, in sentences; empty when nothing does. Every figure can fail."""
    found = [
        *_of_the_record(s),
        *_of_the_strokes(s),
        *_of_the_times(s),
        *_of_the_process(s),
    ]
    if s["match_time_off_s"] > _MATCH_TIME_OFF_S:
        found.append(f"match time ran away from the time that went by, by {s['match_time_off_s']:.0f} s")
    if s["password_in_files"] is None:
        found.append("the camera's password was not looked for in the files")
    elif s["password_in_files"]:
        found.append(f"the camera's password stands in {', '.join(s['password_in_files'])}")
    return found + [f"trouble: {text}" for text in s["trouble"]]


def _of_the_record(s: dict[str, Any]) -> list[str]:
    """Whether so much was played, and so often disturbed, as was planned: less proves less."""
    found, about, planned = [], s["about"], s["planned_faults"]
    played_s = 3600 * (s["hours"] or 0.0)
    if played_s < _PLAYED_SHARE * about["seconds"]:
        found.append(f"{played_s:.0f} s were played of {about['seconds']:.0f} s planned")
    missing = {kind: n - s["faults"].get(kind, 0) for kind, n in planned.items()}
    able = {"disk": about["tmpfs"], "broker": about.get("broker"), "clock": about.get("clock")}
    unable = {kind for kind, is_able in able.items() if not is_able}
    missing = {kind: n for kind, n in missing.items() if n > 0 and kind not in unable}
    if missing:
        found.append(
            f"faults planned and not forced: {', '.join(f'{n} {k}' for k, n in sorted(missing.items()))}"
        )
    if s["longest_fault_s"] > _LONGEST_FAULT_S:
        found.append(f"a fault is said to have lasted {s['longest_fault_s']:.0f} s: it excuses too much")
    clear, hidden = s["clear"]["strokes"], s["hidden"]["strokes"]
    if not clear:
        found.append("no stroke without a fault was compared")
    elif hidden > clear:
        found.append(f"{hidden} strokes were hidden by faults, more than the {clear} that were not")
    return found


def _of_the_strokes(s: dict[str, Any]) -> list[str]:
    found = []
    clear, hidden = s["clear"], s["hidden"]
    if clear["lost"]:
        found.append(f"{clear['lost']} of {clear['strokes']} strokes without a fault were lost")
    if clear["certain_and_wrong"] or hidden["certain_and_wrong"]:
        found.append(
            f"{clear['certain_and_wrong'] + hidden['certain_and_wrong']} rulings were certain and wrong"
        )
    if clear["scores_wrong"]:
        found.append(f"{clear['scores_wrong']} of {clear['scores_checked']} scores were wrong")
    if clear["strokes"] and not clear["scores_checked"]:
        found.append("no score was compared with the truth")
    if clear["strokes"] and clear["certain"] < _CERTAIN_SHARE * clear["strokes"]:
        found.append(f"{clear['certain']} of {clear['strokes']} strokes without a fault were ruled certain")
    if s["extra_rulings"]:
        found.append(f"{len(s['extra_rulings'])} rulings belong to no stroke")
    return found


def _of_the_times(s: dict[str, Any]) -> list[str]:
    found = []
    late, back, delay = s["time_to_rule_s"], s["reconnect_s"], s["camera"]["delay_ms"]
    if late["n"] and late["p95"] > _RULE_S:
        found.append(
            f"95 % of rulings came within {late['p95']:.2f} s of the last ball at rest, promised is"
            f" {_RULE_S:g} s"
        )
    if back["n"] and back["most"] > _RECONNECT_S:
        found.append(
            f"the camera was found again after {back['most']:.1f} s, promised are {_RECONNECT_S:g} s"
        )
    if s["never_reconnected"]:
        found.append(f"after {s['never_reconnected']} faults no images came again within a minute")
    for kind, promised_s in _FEED_BACK_S.items():
        heard = s["feeds_back_s"][kind]
        if heard["never"]:
            found.append(
                f"{heard['never']} times a {kind} that was there again heard nothing within a minute"
            )
        if heard["n"] and heard["most"] > promised_s:
            found.append(
                f"a {kind} heard of the table {heard['most']:.1f} s after it was there again, promised are"
                f" {promised_s:g} s"
            )
    if not delay["n"]:
        found.append("no delay of an image was published")
    elif delay["p95"] > 1000 * _RULE_S:
        found.append(f"95 % of positions were published within {delay['p95']:.0f} ms of their image")
    judged, skipped = s["camera"]["images_judged"], s["camera"]["images_skipped"]
    if skipped > _SKIPPED_SHARE * judged:
        found.append(f"{skipped} images were skipped beside {judged} judged")
    return found


def _of_the_process(s: dict[str, Any]) -> list[str]:
    found, process = [], s["process"]
    if not process:
        return ["no sample of the process was taken"]
    flat = process.get("flat")
    if flat and abs(flat["change"]) > _FLAT:
        found.append(f"memory changed by {100 * flat['change']:.1f} % after the first ten minutes")
    if flat and flat["largest_from_median"] > 2 * _FLAT:
        found.append(f"memory was {100 * flat['largest_from_median']:.1f} % from its median for a while")
    if process["rss_mb_most"] > _MOST_MB:
        found.append(f"memory reached {process['rss_mb_most']:.0f} MB; a service may take {_MOST_MB} MB")
    if process["processes"] > 1 + s["faults"].get("kill", 0):
        found.append(
            f"{process['processes']} processes ran, though it was killed {s['faults'].get('kill', 0)} times"
        )
    if process["cores"] > _MOST_CORES:
        found.append(f"{process['cores']:.2f} cores were busy, promised is {_MOST_CORES:g}")
    return found


def table(s: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures as rows of (what, figure)."""
    clear, hidden, process, about = s["clear"], s["hidden"], s["process"], s["about"]
    return [
        (
            "played",
            (
                f"{s['hours'] or 0:.2f} h, {s['frames']} frames from {about['clips']} clips or more, seed"
                f" {about['seed']}, {about['size'][0]} x {about['size'][1]} at {about['fps']}"
            ),
        ),
        ("faults forced", ", ".join(f"{n} {kind}" for kind, n in sorted(s["faults"].items())) or "none"),
        (
            "strokes without a fault",
            (
                f"{clear['strokes']}: {clear['lost']} lost, {clear['certain']} certain,"
                f" {clear['questions']} with a question"
            ),
        ),
        ("of these certain and wrong", str(clear["certain_and_wrong"])),
        ("scores compared with the truth", f"{clear['scores_checked']}: {clear['scores_wrong']} wrong"),
        (
            "strokes during a fault (counted apart)",
            (
                f"{hidden['strokes']}: {hidden['lost']} not seen, {hidden['certain']} certain,"
                f" {hidden['certain_and_wrong']} certain and wrong"
            ),
        ),
        ("ruled while no event could be written (full disk)", str(s["ruled_in_the_journal_alone"])),
        ("rulings that belong to no stroke", str(len(s["extra_rulings"]))),
        ("last ball at rest to the ruling", _seconds(s["time_to_rule_s"])),
        ("camera there again to images", _seconds(s["reconnect_s"])),
        ("broker there again to a state", _seconds(s["feeds_back_s"]["broker"])),
        ("page opened again to a state", _seconds(s["feeds_back_s"]["browser"])),
        ("image to position, as published", _seconds(s["camera"]["delay_ms"], "ms")),
        ("images", f"{s['camera']['images_judged']} judged, {s['camera']['images_skipped']} skipped"),
        (
            "processor time",
            (
                f"{process.get('cores', 0):.2f} of a core; load of the machine"
                f" {process.get('load_median', 0):.0f}"
            ),
        ),
        (
            "memory",
            f"{process.get('rss_mb_most', 0):.0f} MB at most" + _flatness(process.get("flat")),
        ),
        (
            "password in files",
            "not looked for" if s["password_in_files"] is None else str(len(s["password_in_files"])),
        ),
    ]


def _flatness(flat: dict[str, float] | None) -> str:
    if not flat:
        return ""
    return (
        f"; {flat['first_mb']:.0f} to {flat['last_mb']:.0f} MB ({100 * flat['change']:+.1f} %) from"
        f" minute 10 over {flat['minutes']:.0f} min"
    )


def _seconds(spread: dict[str, Any], unit: str = "s") -> str:
    if not spread["n"]:
        return "none"
    digits = 0 if unit == "ms" else 2
    values = ", ".join(
        f"{name} {spread[key]:.{digits}f}"
        for name, key in (("median", "median"), ("95 %", "p95"), ("most", "most"))
    )
    return f"{values} {unit} (n = {spread['n']})"


def markdown(s: dict[str, Any]) -> str:
    """The page as Markdown."""
    rows = [("what", "figure"), ("---", "---"), *table(s)]
    lines = [f"| {said(a)} | {said(b)} |" for a, b in rows]
    short = findings(s)
    if short:
        lines += ["", said("Falls short:"), *(f"- {said(f)}" for f in short)]
    else:
        lines += ["", said("Nothing falls short of what is promised.")]
    return "\n".join(lines) + "\n"


def plots(raw: Path) -> str:
    """Curves over the hours as one SVG: memory, processor, time to rule; faults as ticks."""
    about = read_lines(raw / "about.jsonl")[0]
    zero = about["begun_unix"]
    samples = read_lines(raw / "samples.jsonl")
    faults = [(f["start_unix"] - zero) / 60 for f in read_lines(raw / "faults.jsonl")]
    compared, _ = compare(true_strokes(raw), rulings(raw))
    late = [
        ((c.truth.rest_unix - zero) / 60, c.ruled.first_unix - c.truth.rest_unix)
        for c in compared
        if c.ruled is not None and c.truth.hidden_by is None and c.ruled.first_unix == c.ruled.first_unix
    ]
    memory = [((s["unix"] - zero) / 60, s["rss_mb"]) for s in samples]
    cores = [
        ((b["unix"] - zero) / 60, (b["cpu_s"] - a["cpu_s"]) / (b["unix"] - a["unix"]))
        for a, b in zip(samples, samples[12:], strict=False)
        if a["pid"] == b["pid"]
    ]
    last = max((p[0] for p in memory), default=1.0)
    panels = [
        _panel("memory, MB", memory, last, faults, True),
        _panel("processor, cores (mean of a minute)", cores, last, faults, True),
        _panel("last ball at rest to the ruling, s", late, last, faults, False),
    ]
    body = "".join(f'<g transform="translate(0 {k * (_H + 30)})">{p}</g>' for k, p in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_W} {3 * (_H + 30)}" font-family="sans-serif"'
        f' font-size="12"><rect width="100%" height="100%" fill="#fff"/>{body}</svg>'
    )


def _panel(title: str, points: Sequence[Point], last: float, faults: Sequence[float], line: bool) -> str:
    top = 1.15 * max((y for _, y in points), default=1.0)

    def x(minutes: float) -> float:
        return _LEFT + minutes / max(last, 1e-9) * (_W - _LEFT - 12)

    def y(value: float) -> float:
        return _H - value / top * (_H - _BOTTOM)

    out = [f'<text x="{_LEFT}" y="16">{html.escape(said(title))}</text>']
    for k in range(4):
        value = top * k / 4
        out.append(
            f'<line x1="{_LEFT}" x2="{_W - 12}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end" fill="#555">{value:.3g}</text>'
        )
    out += [
        f'<line x1="{x(m):.1f}" x2="{x(m):.1f}" y1="{_BOTTOM}" y2="{_H}" stroke="#c33" stroke-opacity="0.3"/>'
        for m in faults
    ]
    step = 10 if last > 30 else 1
    out += [
        f'<text x="{x(m):.1f}" y="{_H + 16}" text-anchor="middle" fill="#555">{m} min</text>'
        for m in range(0, int(last) + 1, 2 * step)
    ]
    if line:
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="#06a" stroke-width="1.2"/>')
    else:
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="2" fill="#06a"/>' for a, b in points]
    return "".join(out)


def write_report(out: Path) -> dict[str, Any]:
    """Write soak.json, soak.md, soak.svg and soak.html into the folder of a soak; returns the figures."""
    s = summary(out / "raw")
    s["findings"] = findings(s)
    picture = plots(out / "raw")
    rows = "".join(f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in table(s))
    short = "".join(f"<li>{html.escape(f)}</li>" for f in s["findings"]) or "<li>nothing</li>"
    page = (
        '<!doctype html><html lang="en"><meta charset=utf-8>'
        '<meta name="viewport" content="width=device-width">'
        "<title>cueref soak</title>"
        "<style>body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
        "td{border-bottom:1px solid #ddd;padding:.3em .8em .3em 0}</style><main><h1>cueref soak</h1>"
        f"<table>{rows}</table><h2>Falls short</h2><ul>{short}</ul>{picture}"
        "<p>Red lines: forced faults.</p></main>"
    )
    write_whole(out / "soak.json", json.dumps(s, indent=1).encode())
    write_whole(out / "soak.md", markdown(s).encode())
    write_whole(out / "soak.svg", picture.encode())
    write_whole(out / "soak.html", in_language(page, spoken()).encode())
    return s
