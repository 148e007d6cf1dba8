"""Trains the ball detectors: patches, targets, network, fit, quantization, scores."""
