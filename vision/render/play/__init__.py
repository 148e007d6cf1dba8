"""Played strokes for rendered clips: physics, a frame's course, and who does what when."""
