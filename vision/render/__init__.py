"""Renders scenes with exact truth, for training and the bench. Nothing at run time imports it."""
