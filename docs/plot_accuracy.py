"""Draw docs/accuracy.svg from the figures in docs/accuracy.md: `python docs/plot_accuracy.py`."""

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

# World, median and 95 % error of balls at rest in mm, number of balls.
RESTS = [
    ("club_a, size not told", 0.19, 0.60, 72),
    ("club_b, size not told", 0.35, 1.0, 96),
    ("bench 5096854118", 0.37, 1.7, 1814),
    ("of these: owner tells size and nose height", 0.30, 0.87, 177),
    ("of these: owner tells the size", 0.36, 1.03, 1132),
    ("of these: owner tells nothing", 0.53, 3.3, 496),
    ("bench 3105040281", 0.50, 1.8, 1397),
    ("bench 98889879", 0.45, 1.38, 2509),
]
TARGET_MEDIAN_MM = 0.3
TARGET_95_MM = 0.8


def main() -> None:
    matplotlib.rcParams["svg.hashsalt"] = "cueref"  # the same bytes on every run
    figure = Figure(figsize=(8, 3.6))
    axes = figure.subplots()
    for row, (_, median_mm, p95_mm, _) in enumerate(RESTS):
        axes.plot([median_mm, p95_mm], [row, row], color="#888888", linewidth=2, zorder=1)
        axes.scatter([median_mm], [row], color="#0b6e4f", zorder=2, label="median" if row == 0 else None)
        axes.scatter([p95_mm], [row], color="#c0392b", zorder=2, label="95 %" if row == 0 else None)
    axes.axvline(TARGET_MEDIAN_MM, color="#0b6e4f", linestyle=":", linewidth=1)
    axes.axvline(TARGET_95_MM, color="#c0392b", linestyle=":", linewidth=1)
    axes.set_yticks(range(len(RESTS)), [f"{name} (n {n})" for name, _, _, n in RESTS])
    axes.invert_yaxis()
    axes.set_xlim(0, 3.5)
    axes.set_xlabel("error of balls at rest, mm (dotted: targets at 1080p50)")
    axes.legend(loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("accuracy.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
