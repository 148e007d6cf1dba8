"""From tracked strokes to facts, rulings, score, journal and report."""
