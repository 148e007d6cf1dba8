"""Measuring cueref: bench, certificate, soak. Nothing at run time imports this package."""
