"""Snooker and six-red from a camera: readings of strokes, their adjudication, frames, spots."""
