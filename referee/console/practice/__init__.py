"""Practice: positions and line-ups to put back, tries counted from the strokes, and each player's results."""
