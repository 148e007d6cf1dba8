"""Observations, physics, scenes and scores that the tracker is tested with."""
