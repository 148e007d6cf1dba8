"""Detections without a ball, balls without a detection, and what people at the table cover."""
