"""Practice: positions and line-ups that can be put back, tries counted from the strokes, results a player."""
