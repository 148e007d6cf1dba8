"""Images with their timestamps, the ball detector, and positions in millimetres with their uncertainty."""
