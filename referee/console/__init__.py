"""The review console: a web server on which people look at matches, answer, correct and export.

It needs FastAPI, which comes with the extra `serve`.
"""
