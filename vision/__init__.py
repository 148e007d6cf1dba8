"""Images with their timestamps, the ball detector, and positions in millimetres with their uncertainty."""

import os

# onnxruntime's own builds (1.29 and later) send telemetry unless this variable is set before it is loaded;
# nothing about a club's table may leave the machine by itself
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
