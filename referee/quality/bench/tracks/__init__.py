"""The bench's tracks tier: simulated strokes with measured vision errors through tracker and rules."""
