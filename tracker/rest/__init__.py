"""When a ball lies still, where it then lies, and what only looks like a motion."""
