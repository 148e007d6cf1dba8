"""From tracked strokes to facts, rulings, score, journal and report."""

__version__ = "0.1.0"
