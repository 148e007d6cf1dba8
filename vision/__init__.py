"""Where balls are in an image: images with their times in, positions in millimetres with sigma out.

`io` and `capture` read images, `detect` and `locate` find the balls, `view` checks the camera's view, and
`observer` runs all of it. `observation` is the contract with the tracker. `render` and `train` make the
networks; nothing at run time imports them.
"""

import os

# onnxruntime's own builds (1.29 and later) send telemetry unless this variable is set before it is loaded;
# nothing about a club's table may leave the machine by itself
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
