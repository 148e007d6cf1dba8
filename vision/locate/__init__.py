"""Sub-pixel places of balls: outlines, centre network, highlights, packs, pairs, spot marks."""
