"""Plays strokes for rendered clips: the physics, the course of a frame, and what people do when."""
