"""The certificate of one installation: how well this camera can referee, from a calibration and a video."""
