"""Measuring cueref: bench, certificate, soak, networks of own rooms. Nothing at run time imports this package."""
