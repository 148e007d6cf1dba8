"""The tracks tier of every game but snooker: strokes and hands played, observed, judged."""
