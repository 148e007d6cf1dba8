"""Whether a picture shows the calibrated view, and what is corrected when the camera was knocked."""
