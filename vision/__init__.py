"""Images with their timestamps, the ball detector, and positions in millimetres with their uncertainty."""

import os

# onnxruntime's own builds (1.29 and later) tell Microsoft what is run where, unless this stands in the
# environment before it is loaded; nothing about a club's table leaves the machine by itself
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
