"""Measuring cueref: bench, certificate, soak, own rooms. Nothing at run time imports this package."""
