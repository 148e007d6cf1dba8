"""An installation's own certificate: what a calibration and a video say of how well this camera can
referee.
"""
