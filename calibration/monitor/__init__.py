"""Watches the calibration during a match: was the camera knocked, and do balls turn where the cushions are?

A knocked camera gets a new pose, from patches of the calibrated view.
"""
