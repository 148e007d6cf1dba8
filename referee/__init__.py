"""What strokes mean: from tracked strokes to facts, rulings, score, journal, reports and pages.

Within this package imports go only down: `commands`, `quality` and `season`, `live`, `console`, `review`,
`outputs`, `match`, `cases`, `journal` and `geometry`, `facts`, `rules`.
"""

__version__ = "0.1.0"
