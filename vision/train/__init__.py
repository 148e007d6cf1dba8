"""Trains the networks. Nothing at run time imports it, and only here may torch be imported."""
