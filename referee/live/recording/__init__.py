"""The recording of a live table: ring of segments, clips of strokes, retention, disk space."""
