"""Checking a calibration during a video: small patches of the view tell when the camera was knocked."""
