"""Detection of a knocked camera during a video, and its new pose, from patches of the calibrated view."""
