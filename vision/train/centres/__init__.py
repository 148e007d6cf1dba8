"""Trains the networks for a ball's centre and for pairs of near balls, on rendered windows."""
