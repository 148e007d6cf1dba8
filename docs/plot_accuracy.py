"""Draw docs/accuracy.svg from the figures in docs/accuracy.md: `python docs/plot_accuracy.py`."""

from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
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
# What the owner told, share of cameras within 1 mm at the table's worst place, number of cameras.
TABLES = [
    ("size and nose height", 0.95, 40),
    ("the size", 0.73, 60),
    ("nothing, rule's size", 0.62, 32),
]
TARGET_SHARE = 0.99
TARGET_MEDIAN_MM = 0.3
TARGET_95_MM = 0.8


def draw_rests(axes: Axes) -> None:
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


def draw_tables(axes: Axes) -> None:
    axes.barh(range(len(TABLES)), [share for _, share, _ in TABLES], color="#a8641a", height=0.5)
    axes.axvline(TARGET_SHARE, color="#1c2733", linestyle=":", linewidth=1)
    axes.set_yticks(range(len(TABLES)), [f"{told} (n {n})" for told, _, n in TABLES])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of cameras within 1 mm at the worst place (dotted: target)")


def main() -> None:
    matplotlib.rcParams["svg.hashsalt"] = "cueref"  # the same bytes on every run
    figure = Figure(figsize=(8, 5))
    rests, tables = figure.subplots(2, 1, height_ratios=(8, 3))
    draw_rests(rests)
    draw_tables(tables)
    for axes in (rests, tables):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("accuracy.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
