"""Draw docs/accuracy.svg from result files: `python docs/plot_accuracy.py`.

Nothing is typed here. `docs/data/bench.json` is what is drawn of a `cueref bench` report (made anew by
`python docs/plot_accuracy.py --take OUT/report.json`); `cameras.json` and `certified.json` are of
`docs/measure_cameras.py`; `docs/soaks.jsonl` of `cueref soak --ledger`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DOCS = Path(__file__).parent
GREEN, RED, GREY = "#0b6e4f", "#c0392b", "#888888"
TARGET_MEDIAN_MM, TARGET_95_MM = 0.3, 0.8
"""Of balls at rest at 1080p50, cameras never seen (docs/accuracy.md, The first world)."""
RESTS = {
    "rest": "all tables",
    "rest_all_told": "size and nose height told",
    "rest_size_told": "size told",
    "rest_untold": "nothing told",
}
TOLD = {"calibration_over_1_" + k.removeprefix("rest_"): v for k, v in RESTS.items() if k != "rest"}
DRAWN = (*RESTS, *TOLD, "rest_beyond_1_sigma", "rest_beyond_2_sigma", "layout")
KINDS = {
    "led_ring": "LEDs in a ring",
    "canopy": "one canopy lamp",
    "tubes": "tubes",
    "window": "daylight from a side",
}


def data(name: str) -> Any:
    return json.loads((DOCS / "data" / f"{name}.json").read_text("utf-8"))


def take(report: Path) -> None:
    """Keep of a bench's report what is drawn, with what repeats it."""
    whole = json.loads(report.read_text("utf-8"))
    kept = {
        "options": whole["options"],
        "pixels": {n: v for n, v in whole["tiers"]["pixels"].items() if n in DRAWN},
        "by_mm_per_px": {"rest": whole["by_mm_per_px"]["rest"]},
    }
    (DOCS / "data" / "bench.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def spans(axes: Axes, rows: list[tuple[str, float, float]], label: str) -> None:
    """Median and 95 % error of each row as a line from one to the other."""
    for row, (_, median_mm, p95_mm) in enumerate(rows):
        axes.plot([median_mm, p95_mm], [row, row], color=GREY, linewidth=2, zorder=1)
        axes.scatter([median_mm], [row], color=GREEN, zorder=2, label="median" if row == 0 else None)
        axes.scatter([p95_mm], [row], color=RED, zorder=2, label="95 %" if row == 0 else None)
    axes.axvline(TARGET_MEDIAN_MM, color=GREEN, linestyle=":", linewidth=1)
    axes.axvline(TARGET_95_MM, color=RED, linestyle=":", linewidth=1)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel(label)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=7)


def draw_bench(rests: Axes, tables: Axes) -> None:
    """Balls at rest by what was told and by sharpness of the picture; tables within 1 mm."""
    bench = data("bench")
    pixels, sharp = bench["pixels"], bench["by_mm_per_px"]["rest"]
    told = [(f"{name} (n {pixels[k]['n']})", pixels[k]) for k, name in RESTS.items() if k in pixels]
    told += [(f"{name} mm a pixel (n {of['n']})", of) for name, of in sharp.items()]
    seed, cameras = bench["options"]["seed"], bench["options"]["cameras"]
    spans(
        rests,
        [(n, of["median"], of["p95"]) for n, of in told],
        f"balls at rest, mm: bench of {cameras} cameras, seed {seed}",
    )
    rows = [(name, pixels[k]) for k, name in TOLD.items() if k in pixels]
    tables.barh(range(len(rows)), [1 - of["share"] for _, of in rows], color="#a8641a", height=0.5)
    for row, (_, of) in enumerate(rows):
        tables.plot([1 - of["high"], 1 - of["low"]], [row, row], color="#1c2733", linewidth=1)
    tables.set_yticks(range(len(rows)), [f"{name} (n {of['n']})" for name, of in rows])
    tables.invert_yaxis()
    tables.set_xlim(0, 1)
    tables.set_xlabel("tables within 1 mm at the worst place")


def draw_heights(axes: Axes) -> None:
    """Places of balls by height and size of picture, 95 %, and what calibration states of the worst place."""
    rows = [
        r
        for r in data("cameras")["rows"]
        if r["lamps"] == "led_ring" and r["lux_ms"] == 2000 and not r["tilt_deg"]
    ]
    for lines, colour in ((720, RED), (1080, GREEN), (1440, "#1f4e9c")):
        of = [r for r in rows if r["size"][1] == lines]
        heights = [r["height_m"] for r in of]
        axes.plot(heights, [r["p95_mm"] for r in of], "o-", color=colour, label=f"{lines}p, 95 %")
        axes.plot(heights, [r["median_mm"] for r in of], "o:", color=colour, label=f"{lines}p, median")
    of = [r for r in rows if r["size"][1] == 1080]
    stated = [r["worst_sigma_mm"] for r in of]
    axes.plot([r["height_m"] for r in of], stated, "--", color=GREY, label="stated sigma of the worst place")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("height over the cloth, m (12 ft table)")
    axes.set_ylabel("balls at rest, mm")
    axes.legend(frameon=False, fontsize=7)


def draw_lamps(axes: Axes) -> None:
    """1080p at 2.6 m with one thing changed."""
    rows = [r for r in data("cameras")["rows"] if r["size"][1] == 1080 and r["height_m"] == 2.6]
    named = []
    for r in rows:
        tilted = f", tilted {r['tilt_deg']:.0f} degrees" if r["tilt_deg"] else ""
        name = f"{KINDS[r['lamps']]}, {r['lux_ms']:.0f} lux ms{tilted}"
        named.append((name, r["median_mm"], r["p95_mm"]))
    spans(axes, named, f"balls at rest, mm: 1080p at 2.6 m, n {rows[0]['balls']} a row")


def draw_certificates(axes: Axes) -> None:
    """The span of expected errors over the table that `cueref certify` writes."""
    rows = data("certified")["rows"]
    for row, of in enumerate(rows):
        axes.plot([of["best_mm"], of["worst_mm"]], [row, row], "o-", color=GREEN)
    names = [f"{of['camera']}: contacts to {of['contacts_to_m_s']:.0f} m/s" for of in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("expected error that the certificate states, best to worst zone, mm")


def draw_soaks(axes: Axes) -> None:
    """Strokes of each soak: lost, asked or certain; the wrong ones are none in all of them or stand out."""
    lines = (DOCS / "soaks.jsonl").read_text("utf-8").splitlines()
    clear = [json.loads(line)["clear"] for line in lines]
    lost, wrong = ([c[k] for c in clear] for k in ("lost", "certain_and_wrong"))
    strokes, certain = ([c[k] for c in clear] for k in ("strokes", "certain"))
    at = range(len(clear))
    asked = [n - a - b for n, a, b in zip(strokes, certain, lost, strict=True)]
    axes.bar(at, certain, color=GREEN, label="certain")
    axes.bar(at, asked, bottom=certain, color="#d9a441", label="asked")
    base = [a + b for a, b in zip(certain, asked, strict=True)]
    axes.bar(at, lost, bottom=base, color=GREY, label="lost")
    axes.bar(at, wrong, color=RED, label=f"certain and wrong: {sum(wrong)} of {sum(strokes)}")
    axes.set_xlabel("soaks in their order (docs/soaks.jsonl)")
    axes.set_ylabel("strokes without a fault")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=7)


def main() -> None:
    if sys.argv[1:2] == ["--take"]:
        take(Path(sys.argv[2]))
    matplotlib.rcParams["svg.hashsalt"] = "cueref"  # the same bytes on every run
    matplotlib.rcParams["font.size"] = 8
    figure = Figure(figsize=(12, 10))
    cells = figure.subplots(3, 2, height_ratios=(8, 10, 8))
    draw_bench(cells[0, 0], cells[0, 1])
    draw_heights(cells[1, 0])
    draw_lamps(cells[1, 1])
    draw_certificates(cells[2, 0])
    draw_soaks(cells[2, 1])
    for axes in cells.flat:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(DOCS / "accuracy.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
