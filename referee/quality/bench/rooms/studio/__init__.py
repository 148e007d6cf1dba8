"""The second world: rooms built, lit, traced and filmed by code that shares nothing with `vision.render`."""
