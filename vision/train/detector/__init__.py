"""Training of the ball detector: patches, targets, network, fit, quantization, scores."""
