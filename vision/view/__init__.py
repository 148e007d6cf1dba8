"""Decides whether an image shows the calibrated view and can be used, and measures a knock of the camera."""
