"""Detects balls: where the network looks, which detections it gives, and which piece each one shows."""
