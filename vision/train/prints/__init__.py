"""Trains the network that reads the print on numbered balls."""
