"""The recording of a live table: a ring of recent video, clips of strokes, how long they stay, disk space."""
