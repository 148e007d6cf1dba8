"""The review console: a web server on this machine for opened matches. FastAPI; the extra `serve`."""
