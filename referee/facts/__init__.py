"""Records that the referee keeps: strokes as seen and as judged, calls and corrections by people."""
