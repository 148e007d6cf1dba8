"""Reads images from files: containers, times, pixel formats, damage, sound, noise reduction over time."""
